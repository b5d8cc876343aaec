"""The examples of rules and profiles: each gives what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from advisor.engine.diagnose.bootline import REMARKS
from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.judge import judge_advice
from advisor.engine.state import World
from advisor.errors import AdvisorError, KnowledgeError
from advisor.inputs.config import parse_config
from advisor.inputs.machine import machine_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge.load import Documents, Problem
from advisor.knowledge.references import placed
from advisor.knowledge.store import Knowledge
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Location, parse_version
from advisor.model.report import Verdict
from advisor.model.rules import Advice, Parameter, Stance, Tunable
from advisor.model.subject import Subject

_MACHINE = ("arch", "cpus", "nodes", "memory", "vendor", "virtual", "efi", "isolate")


def check_examples(knowledge: Knowledge, documents: Documents) -> None:
    """Every example of these documents gives what it says. Raises KnowledgeError."""
    problems: list[Problem] = []
    for name in documents.tunables:
        examples = documents.examples[f"tunable/{name}"]
        found = _tunable_examples(knowledge.tunable(name), examples, knowledge)
        problems += placed(documents, f"tunable/{name}", found)
    for name in documents.parameters:
        examples = documents.examples[f"parameter/{name}"]
        found = _parameter_examples(knowledge.parameter(name), examples, knowledge)
        problems += placed(documents, f"parameter/{name}", found)
    for name in documents.profiles:
        for advice in knowledge.profile(name).advice:
            own = documents.examples.get(f"profile/{name}/{advice.id}")
            if own is not None:
                found = _advice_examples(advice, own, knowledge)
                problems += placed(documents, f"profile/{name}/{advice.id}", found)
    if problems:
        raise KnowledgeError(problems)


# --- examples -------------------------------------------------------------------------------------


def example_subject(example: dict[str, Any]) -> Subject:
    """The subject that an example describes. Raises AdvisorError or ValueError."""
    text = example.get("config") or "# CONFIG_EXAMPLE is not set\n"
    config = parse_config(text, ".config", complete=not example.get("fragment", False))
    version = parse_version(example["kernel"]) if "kernel" in example else None
    line = parse_cmdline(example["cmdline"]) if "cmdline" in example else None
    sysctl = _sysctl(example["sysctl"]) if "sysctl" in example else {}
    machine = machine_of({key: example.get(key) for key in _MACHINE})
    return subject_of(config, Given(machine, version, line, sysctl))


def _sysctl(text: str) -> dict[str, tuple[str, Location]]:
    from advisor.inputs.sysctl import parse_sysctl

    return parse_sysctl(text, "sysctl")


def _tunable_examples(
    tunable: Tunable, examples: list[dict[str, Any]], knowledge: Knowledge
) -> Iterator[str]:
    for number, example in enumerate(examples, 1):
        yield from _tried(number, partial(_effective, tunable, example, knowledge))


def _effective(tunable: Tunable, example: dict[str, Any], knowledge: Knowledge) -> str:
    state = World(example_subject(example), knowledge).state(tunable.id)
    wanted = example["effective"]
    expected = tuple(wanted) if isinstance(wanted, list) else (wanted,)
    found = ("not-applicable",) if state is None else state.effective or ("",)
    if sorted(found) != sorted(expected):
        return f"effective is {' or '.join(found)!r}, not {' or '.join(expected)!r}"
    lines = [origin.text for origin in state.origins] if state else []
    if "by" in example and not any(example["by"] in line for line in lines):
        return f"made so by {', '.join(lines) or 'no line'}, not by {example['by']}"
    return ""


def _parameter_examples(
    parameter: Parameter | None, examples: list[dict[str, Any]], knowledge: Knowledge
) -> Iterator[str]:
    if parameter is None:
        return
    shown = {name for example in examples for name in example["diagnostics"]}
    for kind in dict.fromkeys(remark.kind for remark in parameter.remarks):
        if REMARKS[kind] not in shown:
            yield f"has no example with the diagnostic {REMARKS[kind]}"
    for number, example in enumerate(examples, 1):
        yield from _tried(number, partial(_diagnosed, parameter, example, knowledge))


def _diagnosed(parameter: Parameter, example: dict[str, Any], knowledge: Knowledge) -> str:
    world = World(example_subject(example), knowledge)
    columns = {word.column for word in world.line.words if word.name == parameter.name}
    found = {d.id for d in diagnose(world) if d.location.line and d.location.column in columns}
    if found != set(example["diagnostics"]):
        told, wanted = sorted(found) or "nothing", example["diagnostics"] or "nothing"
        return f"tells {told}, not {wanted}"
    return ""


def _advice_examples(
    advice: Advice, examples: list[dict[str, Any]], knowledge: Knowledge
) -> Iterator[str]:
    verdicts = {example["verdict"] for example in examples}
    if advice.stance is not Stance.NEUTRAL:
        needed = {"ok", "change"} if _observable(advice, knowledge) else {"unknown"}
        for verdict in sorted(needed - verdicts):
            yield f"advice {advice.id!r} has no example with the verdict {verdict}"
    for number, example in enumerate(examples, 1):
        for message in _tried(number, partial(_verdict, advice, example, knowledge)):
            yield f"advice {advice.id!r}: {message}"


def _observable(advice: Advice, knowledge: Knowledge) -> bool:
    from advisor.engine.judge import runtime_only

    return not all(
        runtime_only(t) and not t.sysctl and not any(v.sysctl for v in t.values)
        for t in (knowledge.tunable(option.tunable) for option in advice.options)
    )


def _verdict(advice: Advice, example: dict[str, Any], knowledge: Knowledge) -> str:
    finding = judge_advice(advice, World(example_subject(example), knowledge))
    if finding.verdict is not Verdict(example["verdict"]):
        why = f" ({finding.reason})" if finding.reason else ""
        verdict = f"{finding.verdict.value}{why}, not {example['verdict']}"
        return f"the verdict is {verdict}; now {finding.now!r}"
    return ""


def _tried(number: int, run: Callable[[], str]) -> Iterator[str]:
    try:
        message = run()
    except KeyError as error:
        message = f"names the tunable {error}, which does not exist"
    except (AdvisorError, ValueError) as error:
        message = str(error)
    if message:
        yield f"example {number}: {message}"
