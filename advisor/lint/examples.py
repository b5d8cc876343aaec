"""The examples of rules and profiles: each gives what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.diagnose.words import REMARKS
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge_advice, runtime_only
from advisor.engine.requirements import judged
from advisor.errors import AdvisorError
from advisor.inputs.config import parse_config
from advisor.inputs.machine import machine_of
from advisor.inputs.runtime import parse_runtime
from advisor.inputs.subject import Given, subject_of
from advisor.inputs.sysctl import parse_sysctl
from advisor.knowledge.documents import Documents, Problem
from advisor.knowledge.store import Knowledge
from advisor.lint.places import place_of_example
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Verdict
from advisor.model.kernel import parse_version
from advisor.model.parameter import Parameter
from advisor.model.profile import Advice, Stance
from advisor.model.software import Answer, Function
from advisor.model.subject import Subject
from advisor.model.tunable import Tunable

Example = dict[str, Any]
# What is wrong, and with which example: 0 for none of them.
Wrong = tuple[int, str]
_MACHINE = (
    "arch", "cpus", "nodes", "memory", "vendor", "virtual", "hypervisor", "efi", "isolate",
    "shared_memory",
)  # fmt: skip


def check_examples(knowledge: Knowledge, documents: Documents) -> Iterator[Problem]:
    """Checks that every example of these documents gives what it says."""
    for name in documents.tunables:
        rule, check = f"tunable/{name}", partial(_effective, knowledge.tunable(name))
        yield from _placed(documents, rule, _tried(documents.examples[rule], check, knowledge))
    for name in documents.parameters:
        rule = f"parameter/{name}"
        if parameter := knowledge.parameter(name):
            messages = _parameter_examples(parameter, documents.examples[rule], knowledge)
            yield from _placed(documents, rule, messages)
    for name in documents.programs:
        program = knowledge.program(name)
        for function in program.functions if program else ():
            rule = f"software/{name}/{function.id}"
            messages = _function_examples(function, documents.examples[rule], knowledge)
            yield from _placed(documents, rule, messages)
    for name in documents.profiles:
        for advice in knowledge.profile(name).advice:
            rule = f"profile/{name}/{advice.id}"
            if rule in documents.examples:  # inherited advice is checked where it stands
                messages = _advice_examples(advice, documents.examples[rule], knowledge)
                yield from _placed(documents, rule, messages)


def _placed(documents: Documents, rule: str, wrong: Iterator[Wrong]) -> Iterator[Problem]:
    """Puts the place of its example before each problem."""
    for number, message in wrong:
        yield place_of_example(documents, rule, number), message


def example_subject(example: Example) -> Subject:
    """Builds the subject that an example describes. Raises AdvisorError or ValueError."""
    text = example.get("config") or "# CONFIG_EXAMPLE is not set\n"
    config = parse_config(text, ".config", complete=not example.get("fragment", False))
    version = parse_version(example["kernel"]) if "kernel" in example else None
    line = parse_cmdline(example["cmdline"]) if "cmdline" in example else None
    sysctl = parse_sysctl(example.get("sysctl", ""), "sysctl")
    runtime = parse_runtime(example.get("runtime", ""), "runtime")
    machine = machine_of({key: example.get(key) for key in _MACHINE})
    settings = {**sysctl, **runtime.sysctl}
    return subject_of(config, Given(machine, version, line, settings, runtime.sysfs))


def _effective(tunable: Tunable, example: Example, knowledge: Knowledge) -> str:
    state = World(example_subject(example), knowledge).state(tunable.id)
    wanted = example["effective"]
    expected = tuple(wanted) if isinstance(wanted, list) else (wanted,)
    values = ("not-applicable",) if state is None else state.effective or ("",)
    if sorted(values) != sorted(expected):
        return f"the effective value is {' or '.join(values)!r}, not {' or '.join(expected)!r}"
    return ""


def _parameter_examples(
    parameter: Parameter, examples: list[Example], knowledge: Knowledge
) -> Iterator[Wrong]:
    diagnostics = {name for example in examples for name in example["diagnostics"]}
    # What keeps a word from acting makes it needless where it does as much itself.
    kinds = ("redundant" if remark.met else remark.kind for remark in parameter.remarks)
    for name in dict.fromkeys(REMARKS[kind] for kind in kinds):
        if name not in diagnostics:
            yield 0, f"the parameter has no example with the diagnostic {name!r}"
    yield from _tried(examples, partial(_diagnosed, parameter), knowledge)


def _diagnosed(parameter: Parameter, example: Example, knowledge: Knowledge) -> str:
    world = World(example_subject(example), knowledge)
    words = ((word.column, world.line.parameter(word)) for word in world.line.words)
    columns = {column for column, known in words if known and known.name == parameter.name}
    ids = {d.id for d in diagnose(world) if d.location.line and d.location.column in columns}
    if ids != set(example["diagnostics"]):
        wanted = example["diagnostics"] or "none"
        return f"the diagnostics are {sorted(ids) or 'none'}, not {wanted}"
    return ""


def _advice_examples(
    advice: Advice, examples: list[Example], knowledge: Knowledge
) -> Iterator[Wrong]:
    called = f"advice {advice.id!r}"
    verdicts = {example["verdict"] for example in examples}
    if advice.stance is not Stance.NEUTRAL:
        # What is only set at run time, and by no sysctl, shows in no input.
        unknown = all(
            runtime_only(t) and not t.sysctls
            for t in (knowledge.tunable(option.tunable) for option in advice.options)
        )
        for verdict in sorted(({"unknown"} if unknown else {"ok", "change"}) - verdicts):
            yield 0, f"{called} has no example with the verdict {verdict!r}"
    tried = _tried(examples, partial(_verdict, advice), knowledge)
    yield from ((number, f"{called}: {message}") for number, message in tried)


def _function_examples(
    function: Function, examples: list[Example], knowledge: Knowledge
) -> Iterator[Wrong]:
    answers = {"yes", "no", *(["elsewhere"] if function.arch else [])}
    for answer in sorted(answers - {example["answer"] for example in examples}):
        yield 0, f"function {function.id!r} has no example with the answer {answer!r}"
    tried = _tried(examples, partial(_answered, function), knowledge)
    yield from ((number, f"function {function.id!r}: {message}") for number, message in tried)


def _answered(function: Function, example: Example, knowledge: Knowledge) -> str:
    found = judged(function, World(example_subject(example), knowledge))
    answer = {Answer.UNKNOWN: "unknown", Answer.ELSEWHERE: "elsewhere"}.get(
        found.answer, found.answer.value
    )
    if answer == example["answer"]:
        return ""
    lacks = ", ".join(lack.missing for lack in found.lacks) or ", ".join(sorted(found.inputs))
    return f"the answer is {answer!r}, not {example['answer']!r}{f' ({lacks})' if lacks else ''}"


def _verdict(advice: Advice, example: Example, knowledge: Knowledge) -> str:
    finding = judge_advice(advice, World(example_subject(example), knowledge))
    if finding.verdict is not Verdict(example["verdict"]):
        why = f" ({finding.reason})" if finding.reason else ""
        verdict = f"{finding.verdict.value!r}{why}, not {example['verdict']!r}"
        return f"the verdict is {verdict}; the present value is {finding.now!r}"
    return ""


def _tried(
    examples: list[Example], check: Callable[[Example, Knowledge], str], knowledge: Knowledge
) -> Iterator[Wrong]:
    """Yields what `check` finds wrong with each example."""
    for number, example in enumerate(examples, 1):
        try:
            message = check(example, knowledge)
        except KeyError as error:
            message = f"the example names the tunable {error}, which does not exist"
        except (AdvisorError, ValueError) as error:
            message = str(error)
        if message:
            yield number, f"example {number}: {message}"
