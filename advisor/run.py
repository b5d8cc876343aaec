"""What each command does, from its request to its exit code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from advisor.engine.audit import Policy, audit, parse_fail_on
from advisor.engine.state import World
from advisor.errors import AdvisorError, ConflictError, InputError, OutputError, UsageError
from advisor.inputs.cmdline import read_cmdline
from advisor.inputs.dotconfig import parse_config, read_config
from advisor.inputs.machine import this_machine
from advisor.inputs.subject import Given, kernel_of, machine_of, subject_of
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model import Conflict, Location, Machine, Profile, Report, Strength, Subject
from advisor.output import BOOT_FORMATS, FORMATS, Style, renderer

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from advisor.record import NamedTuple

_VENDORS = ("intel", "amd", "arm", "other")


class Request(NamedTuple):
    """The options of audit, fragment and cmdline, as given."""

    configs: list[str]
    profile: list[str]
    cmdline: str | None = None
    sysctl: str | None = None
    kernel: str | None = None
    arch: str | None = None
    cpus: int | None = None
    isolate: str | None = None
    nodes: int | None = None
    memory: str | None = None
    vendor: str | None = None
    guest: bool | None = None
    efi: bool | None = None
    this_machine: bool = False
    rules: Sequence[str] = ()
    profiles: Sequence[str] = ()
    prefer: str = ""
    format: str = "text"
    write: Sequence[str] = ()
    output: str | None = None
    fail_on: str = "must,error"
    strength: str = "should"
    verbose: bool = False
    tree: str | None = None
    keep: Sequence[str] = ()
    run_toolchain: bool = False
    no_cache: bool = False
    prove: str = ""
    all: bool = False


class TreeRequest(NamedTuple):
    """A kernel tree, and the configuration it is evaluated for; `make_arch` is ARCH, if settled."""

    tree: str
    config: str | None = None
    arch: str | None = None
    run_toolchain: bool = False
    use_cache: bool = True
    prove: bool = False
    make_arch: str | None = None


def audit_command(request: Request) -> int:
    """One report for every configuration; a bad one costs a line, not the others' reports."""
    targets = [_write_target(text) for text in request.write]
    renderer(request.format)
    wanted = {request.format, *(name for name, _ in targets)}
    plan = "fragment" if "fragment" in wanted else ""
    places = request.verbose or "json" in wanted
    practice = places or "markdown" in wanted
    policy = Policy(
        _fail_on(request.fail_on), request.prefer, plan, places=places, practice=practice
    )
    reports, failures = _reports(request, policy)
    if plan:
        for report in reports:
            _refuse(report, plan)
    if reports:
        for name, path in targets:
            _emit(name, reports, path, request.verbose)
        _emit(request.format, reports, request.output, request.verbose)
    if failures:
        return InputError.exit_code
    return 1 if any(report.failed for report in reports) else 0


def _fail_on(text: str) -> frozenset[str]:
    try:
        return parse_fail_on(text)
    except ValueError as error:
        from advisor.engine.audit import FAIL_ON

        hint = f"any of {', '.join(FAIL_ON)}, joined by commas"
        raise UsageError(f"{error} is nothing to fail on", where="--fail-on", hint=hint) from error


def _write_target(text: str, formats: Mapping[str, str] = FORMATS) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not path or name not in formats:
        hint = f"FORMAT=FILE with one of {', '.join(formats)}"
        raise UsageError(f"{text!r} names no format and file", where="--write", hint=hint)
    return name, path


def _reports(request: Request, policy: Policy) -> tuple[list[Report], int]:
    knowledge = index.load(request.rules, request.profiles)
    judge = _judging(request, knowledge, policy)
    given = _given(request)
    reports: list[Report] = []
    failures = 0
    for path in request.configs:
        try:
            config = read_config(path)
            subject = subject_of(config, given)
            if request.tree is None:
                reports.append(judge(subject))
                continue
            from advisor.treecommands import audited_in_tree

            report, _ = audited_in_tree(subject, config, _tree_request(request), judge)
            reports.append(report)
        except InputError as error:
            if len(request.configs) == 1:
                raise
            complain(str(error))
            failures += 1
    return reports, failures


def _judging(request: Request, knowledge: Knowledge, policy: Policy) -> Callable[[Subject], Report]:
    profiles = _profiles(request, knowledge)
    return partial(_judge, request=request, knowledge=knowledge, profiles=profiles, policy=policy)


def _judge(
    subject: Subject,
    request: Request,
    knowledge: Knowledge,
    profiles: list[Profile],
    policy: Policy,
) -> Report:
    if request.keep:
        subject = subject._replace(keep=_kept(subject, request, knowledge))
    return audit(subject, knowledge, profiles, policy)


def _kept(subject: Subject, request: Request, knowledge: Knowledge) -> frozenset[str]:
    """The symbols that --keep names, as this kernel spells them. Raises UsageError."""
    world = World(subject, knowledge)
    kept = frozenset(world.spelled(name.removeprefix("CONFIG_")) for name in request.keep)
    for name in sorted(kept):
        if not world.config.shows(name) and not (subject.tree and subject.tree.defines(name)):
            where = "this tree" if subject.tree else subject.name
            hint = "check its spelling; explain NAME --tree shows a symbol"
            raise UsageError(f"{name} is not in {where}", where="--keep", hint=hint)
    return kept


def _tree_request(request: Request) -> TreeRequest:
    return TreeRequest(
        request.tree or "",
        None,
        request.arch,
        request.run_toolchain,
        not request.no_cache,
        bool(request.prove),
    )


def _profiles(request: Request, knowledge: Knowledge) -> list[Profile]:
    if not request.profile and request.cmdline is None:
        hint = "name a workload, or give a boot line to check with --cmdline"
        raise UsageError("is missing", where="--profile", hint=f"{hint}; see audit --help")
    found = [knowledge.profile(name) for name in dict.fromkeys(request.profile)]
    if request.prefer and request.prefer not in request.profile:
        hint = "name one of the profiles given with --profile"
        raise UsageError(
            f"{request.prefer!r} is not among the profiles", where="--prefer", hint=hint
        )
    return found


def _given(request: Request) -> Given:
    if request.tree and request.kernel:
        hint = "leave it out: the tree tells its version"
        raise UsageError("is of no use with --tree", where="--kernel", hint=hint)
    for option, value in (("--run-toolchain", request.run_toolchain), ("--prove", request.prove)):
        if value and not request.tree:
            raise UsageError("needs --tree", where=option, hint="name the kernel tree")
    if request.vendor not in (None, *_VENDORS):
        raise UsageError(
            f"{request.vendor!r} is no vendor", where="--vendor", hint=", ".join(_VENDORS)
        )
    base = this_machine() if request.this_machine else Machine()
    switches = {"virtual": (request.guest, "guest", "no"), "efi": (request.efi, "y", "n")}
    told = {
        key: (yes if given else no)
        for key, (given, yes, no) in switches.items()
        if given is not None
    }
    names = ("arch", "cpus", "nodes", "memory", "vendor", "isolate")
    machine = machine_of({**{name: getattr(request, name) for name in names}, **told}, base)
    return Given(
        machine=machine,
        kernel=kernel_of(request.kernel),
        cmdline=read_cmdline(request.cmdline) if request.cmdline is not None else None,
        sysctl=_sysctl(request.sysctl),
    )


def _sysctl(path: str | None) -> dict[str, tuple[str, Location]]:
    if path is None:
        return {}
    from advisor.inputs.sysctl import read_sysctl

    return read_sysctl(path)


def fragment_command(request: Request) -> int:
    """The fragment of one configuration; a conflict that nobody settled is refused."""
    if proof_by_kbuild(request.prove):
        return _verified_fragment(request)
    report = _planned(request, "fragment")
    _put(_fragment(report, request), request.output)
    return 0


def proof_by_kbuild(name: str) -> bool:
    """Whether the tree's own tools shall prove it. Raises UsageError for another word."""
    if name not in ("", "kbuild"):
        hint = "kbuild: the tree's own merge_config.sh and conf"
        raise UsageError(f"there is no proof {name!r}", where="--prove", hint=hint)
    return bool(name)


def _fragment(report: Report, request: Request) -> str:
    text: str = _module("fragment").render([report], Style(verbose=request.all))
    return text


def _verified_fragment(request: Request) -> int:
    """Likewise, proven by the tree's own tools; not written if one of its lines does not hold."""
    from advisor.treecommands import audited_in_tree, proving
    from advisor.verify import NOT_VERIFIED, verify

    knowledge = index.load(request.rules, request.profiles)
    policy = Policy(frozenset(), request.prefer, "fragment", _weakest(request))
    judge = _judging(request, knowledge, policy)
    given = _given(request)
    config = read_config(request.configs[0])
    with proving(_tree_request(request), config) as (build, base, asked):
        report, answers = audited_in_tree(subject_of(base, given), base, asked, judge)
        _refuse(report, "fragment")
        text = _fragment(report._replace(proof="kbuild"), request)
        verified = NOT_VERIFIED
        if report.plan.steps:
            verified = verify(build, parse_config(text, "fragment"), answers.predicted)
    for line in (*verified.notes, *verified.lost(), *verified.defects()):
        complain(line)
    if verified.comparison.lost:
        return 1
    _put(text, request.output)
    return AdvisorError.exit_code if verified.comparison.differences else 0


def bootline_command(request: Request) -> int:
    """The boot line of one configuration; the reasons go to stderr."""
    targets: list[tuple[str, str | None]]
    targets = [_write_target(text, BOOT_FORMATS) for text in request.write]
    targets.append((request.format, request.output))
    renders = [renderer(name, BOOT_FORMATS) for name, _ in targets]
    report = _planned(request, "cmdline")
    _refuse_line(report)
    # What one format cannot carry leaves the files of the others unwritten too.
    texts = [render([report], Style()) for render in renders]
    for text, (_, path) in zip(texts, targets, strict=True):
        _put(text, path)
    for line in _module("bootline").reasons(report, dict.fromkeys(name for name, _ in targets)):
        complain(line)
    return 0


def _refuse_line(report: Report) -> None:
    """Raises InputError for a line that nothing can be added to."""
    from advisor.output.words import where

    for found in report.diagnostics:
        if found.id in ("unbalanced-quote", "control-character"):
            raise InputError(found.message, where=where(found.location), hint="correct the line")


def _module(name: str):  # type: ignore[no-untyped-def]  # one of our output modules, imported when used
    from importlib import import_module

    return import_module(f"advisor.output.{name}")


def _planned(request: Request, plan: str) -> Report:
    policy = Policy(frozenset(), request.prefer, plan, _weakest(request))
    reports, _ = _reports(request, policy)
    _refuse(reports[0], plan)
    return reports[0]


def _weakest(request: Request) -> Strength:
    try:
        return Strength(request.strength)
    except ValueError as error:
        hint = "must, should or could"
        raise UsageError(
            f"{request.strength!r} is no strength", where="--strength", hint=hint
        ) from error


def _refuse(report: Report, plan: str) -> None:
    """Raises the error of a report from which no plan can be made."""
    if not report.complete and plan == "fragment":
        hint = "give the whole .config; from a defconfig, make olddefconfig writes one"
        raise InputError(
            "is no complete configuration: what it does not name is unknown, not off",
            where=report.name,
            hint=hint,
        )
    if report.conflicts:
        disputes = "; ".join(map(_dispute, report.conflicts))
        hint = "settle it with --prefer PROFILE; audit gives the reasons"
        raise ConflictError(f"the profiles disagree: {disputes}", hint=hint)


def _dispute(conflict: Conflict) -> str:
    sides = ", ".join(f"{advice.profile} wants {wanted}" for advice, wanted in conflict.sides)
    return f"{conflict.title}: {sides}"


def explain_command(
    name: str, rules: Sequence[str], profiles: Sequence[str], asked: TreeRequest | None = None
) -> int:
    """What is known of a name, in a tree too; an unknown one gets near matches and exit code 2."""
    from advisor.output import explain

    style = _style(None, False)
    shown = ""
    if asked:
        from advisor.output import tree
        from advisor.treecommands import symbol_facts

        facts, where = symbol_facts(name, asked)
        shown = tree.symbol(facts, where, style) if facts else f"{where} has no such symbol\n"
    try:
        told = explain.explain(name, index.load(rules, profiles), style)
    except UsageError:
        if not asked or not facts:
            raise
        told = ""
    _put("\n".join(filter(None, (shown, told))), None)
    return 0


def check_command(
    fragment: str, asked: TreeRequest, format_name: str, path: str | None, verbose: bool
) -> int:
    """The outcome of every line of a fragment; 1 if one does not hold."""
    from advisor.treecommands import check

    text, code, defects = check(fragment, asked, format_name, _style(path, verbose))
    _put(text, path)
    for line in defects:
        complain(line)
    return AdvisorError.exit_code if defects else code


def list_profiles(name: str, rules: Sequence[str], profiles: Sequence[str]) -> int:
    """All profiles, a line each, or one in full."""
    from advisor.output import explain

    _put(explain.profiles(name, index.load(rules, profiles), _style(None, False)), None)
    return 0


def list_rules(name: str, rules: Sequence[str]) -> int:
    """All tunables, a line each, or one in full."""
    from advisor.output import explain

    _put(explain.rules(name, index.load(rules), _style(None, False)), None)
    return 0


def lint_command(
    directories: Sequence[str], trees: Sequence[str] = (), arches: Sequence[str] = ()
) -> int:
    """Every schema, reference and example checked; what is wrong raises KnowledgeError.

    With trees, every fact that they decide as well: 4 if one of them contradicts a rule.
    """
    from advisor.knowledge.lint import lint

    if arches and not trees:
        raise UsageError("is of use with --tree only", where="--arch", hint="add --tree TREE")
    _put(lint(directories) + "\n", None)
    if not trees:
        return 0
    from advisor.treelint import lint_trees

    text, code = lint_trees(directories, trees, arches)
    _put(text, None)
    return code


def learn_command(trees: Sequence[str], learn: bool, path: str | None) -> int:
    """What kernel trees define, added to the catalogue; minutes, so that each tree is told."""
    if not learn:
        hint = "say --learn or --practice"
        raise UsageError("is of no use alone", where="lint --output", hint=hint)
    from advisor.knowledge import catalogue
    from advisor.knowledge.learn import learn as learn_trees

    _put(learn_trees(trees, path or catalogue.location(), complain) + "\n", None)
    return 0


def practice_command(configs: Sequence[str], read: str, path: str | None) -> int:
    """What these configurations of distributions compile in, counted for `explain` and reports."""
    from advisor.knowledge import practice

    if not re.fullmatch(r"\d{4}-\d{2}", read):
        raise UsageError(f"{read!r} is no month", where="--practice", hint="say 2026-11")
    given = Given()
    subjects = (subject_of(read_config(name), given) for name in sorted(configs))
    _put(practice.count(subjects, index.load(), read), path or practice.location())
    return 0


def _emit(name: str, reports: list[Report], path: str | None, verbose: bool) -> None:
    _put(renderer(name)(reports, _style(path, verbose)), path)


def _style(path: str | None, verbose: bool) -> Style:
    terminal = path is None and sys.stdout is not None and sys.stdout.isatty()
    colour = bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")
    if os.environ.get("NO_COLOR") or path is not None:
        colour = False
    width = 80
    if terminal:
        try:
            # A terminal that does not know its width says 0.
            columns = os.get_terminal_size(sys.stdout.fileno()).columns or 80
            width = max(40, min(columns, 100))
        except OSError:
            width = 80
    return Style(width=width, colour=colour, verbose=verbose)


def _put(text: str, path: str | None) -> None:
    if path is None:
        to_stdout(text)
        return
    from advisor.inputs.files import write_atomically

    write_atomically(path, text)


def to_stdout(text: str) -> None:
    """Writes to stdout at once. Raises OutputError; that nobody reads on is no error."""
    if sys.stdout is None:
        if text:
            raise OutputError("is closed", where="<stdout>", hint="check where it goes")
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"cannot be written: {error.strerror}", where="<stdout>", hint="check where it goes"
            ) from error


def complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    from advisor.output.escape import visible

    if sys.stderr is not None:  # print would take stdout instead
        print(f"kernel-advisor: {visible(message)}", file=sys.stderr)
