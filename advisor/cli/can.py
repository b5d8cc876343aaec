"""`can`: whether a kernel can run programs, and what to add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.audit import with_host
from advisor.cli.auditor import Auditor
from advisor.cli.command import command
from advisor.cli.options import CAN, KNOWLEDGE, MACHINE, OUTPUT, POLICY, SUBJECT, TREE, Request
from advisor.cli.printing import complain, emit, put, targets
from advisor.cli.required import Wanted, wanted
from advisor.cli.values import is_path
from advisor.errors import UsageError
from advisor.knowledge import index
from advisor.model.software import Abilities, Answer
from advisor.model.sysctl import release_of
from advisor.output import CAN_FORMATS
from advisor.output.phrases import where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.engine.requirements import Modules
    from advisor.inputs.config import KernelConfig
    from advisor.knowledge.store import Knowledge
    from advisor.model.subject import Subject

_UNKNOWN = "unknown"


@command(
    CAN.words,
    CAN.list,
    *SUBJECT.without("configs", "merge"),
    *MACHINE,
    KNOWLEDGE.rules,
    *TREE.without("on", "prove"),
    POLICY.fail_on.but(
        metavar="WORD", help="unknown: the answer 'unknown' also gives exit code 1."
    ),
    OUTPUT.all.but(help="Judge all known programs, in a table.", rare=False),
    *OUTPUT.without("all", "verbose"),
    OUTPUT.verbose.but(help="Also list each function of the programs."),
)
def can(request: Request) -> int:
    """Tell whether a kernel can run programs, and what to add."""
    formats = targets(request.output, CAN_FORMATS)
    knowledge = index.load(request.knowledge.rules)
    if request.can.list:
        put(_list(knowledge), request.output.output)
        return 0
    if request.policy.fail_on not in ("", _UNKNOWN):
        hint = f"write {_UNKNOWN}, or omit --fail-on: the answer 'no' gives exit code 1 anyway"
        raise UsageError(f"{request.policy.fail_on!r}", where="--fail-on", hint=hint)
    programs, configs = _asked(request, knowledge)
    # Settings say what is judged, by which profiles: no program asks for them.
    policy = request.policy._replace(no_settings=True, fail_on="")
    subject = request.subject._replace(configs=configs)
    asked = with_host(request._replace(subject=subject, policy=policy))
    failing = frozenset((Answer.NO, *([Answer.UNKNOWN] if request.policy.fail_on else ())))
    # The table of all programs has no room for what to do.
    every = request.output.all
    is_brief = every and not request.output.verbose and {one.name for one in formats} == {"text"}
    abilities = [
        _judged(one, knowledge, programs, None if every else failing, is_brief=is_brief)
        for one in _subjects(asked)
    ]
    for target in formats:
        emit(target, abilities, request.output.verbose)
    return 1 if any(one.failed for one in abilities) else 0


def _list(knowledge: Knowledge) -> str:
    programs = list(filter(None, map(knowledge.program, knowledge.ids("programs"))))
    width = max(len(program.id) for program in programs)
    return "".join(f"{program.id:{width}}  {program.title}\n" for program in programs)


# --- what is asked --------------------------------------------------------------------------------


def _asked(request: Request, knowledge: Knowledge) -> tuple[list[Wanted], tuple[str, ...]]:
    """Part the words into programs and the configuration behind them. Raises UsageError."""
    words = list(request.can.words)
    configs: tuple[str, ...] = ()
    if words and not request.subject.hosts and _is_config(words[-1], knowledge):
        configs = (words.pop(),)
    if request.output.all:
        if words:
            raise UsageError("needs no NAME", where="--all", hint="omit either --all or the names")
        programs = filter(None, map(knowledge.program, knowledge.ids("programs")))
        return [Wanted(program) for program in programs], configs
    if not words:
        hint = "write 'can docker CONFIG' or 'can --all CONFIG'; 'can --list' shows the programs"
        raise UsageError("is missing", where="NAME", hint=hint)
    return [wanted(word, knowledge, "NAME") for word in words], configs


def _is_config(word: str, knowledge: Knowledge) -> bool:
    """Whether a word is a configuration: no program, and a file or written as one."""
    name = word.partition(":")[0].partition("@")[0]
    if knowledge.program(name):
        return False
    return is_path(word)


# --- who is asked ---------------------------------------------------------------------------------


def _judged(
    kernel: tuple[Subject, Modules],
    knowledge: Knowledge,
    programs: list[Wanted],
    failing: frozenset[Answer] | None,
    *,
    is_brief: bool,
) -> Abilities:
    """What one kernel can run of what is asked for; `failing` answers fail the run, where not all
    programs are judged."""
    from advisor.engine.clashes import clashes
    from advisor.engine.effective.world import World
    from advisor.engine.requirements import ability

    subject, modules = kernel
    for note in subject.cmdline.notes if subject.cmdline else ():
        complain(f"{where(note.location)}: {note.message}" + f"; {note.remedy}" * bool(note.remedy))
    world = World(subject, knowledge)
    found = tuple(
        ability(one.program, world, *one[1:], modules, is_brief=is_brief) for one in programs
    )
    apart = clashes(found, knowledge) if failing is not None else ()
    failed = failing is not None and any(one.answer in failing for one in found)
    arch = subject.machine.arch
    return Abilities(subject.name, subject.kernel, arch, found, failing is None, failed, apart)


def _subjects(request: Request) -> Iterator[tuple[Subject, Modules]]:
    """Each kernel that is asked, and what a host shows of its modules."""
    from advisor.engine.requirements import UNSEEN, Modules

    auditor = Auditor(request)
    for path in request.subject.configs:
        config = auditor.read(path)
        for subject in in_its_tree(auditor.subject(config), config, request):
            yield subject, UNSEEN
    for folder in request.subject.hosts:
        from advisor.inputs.host.seen import installed

        host, subject = auditor.host_subject(folder)
        release = release_of(host.runtime.sysctl)
        loaded = frozenset(host.root.names("/sys/module"))
        modules = Modules(loaded or None, installed(host.root, release))
        for completed in in_its_tree(subject, host.config, request):
            yield completed, modules


def in_its_tree(subject: Subject, config: KernelConfig, request: Request) -> Iterator[Subject]:
    """The subject as its tree completes it, if there is a tree, whose answers are kept afterwards.
    Raises TreeError or UsageError."""
    if request.tree.tree is None:
        yield subject
        return
    from advisor.cli.trees import in_tree

    within, answers = in_tree(subject, config, request)
    yield within
    answers.save()
