"""What each command does, from its request to its exit code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor import repository as places
from advisor.cli.auditor import Session
from advisor.cli.request import CompareRequest, Request, TreeRequest, tree_request
from advisor.errors import AdvisorError, ConflictError, InputError, OutputError, UsageError
from advisor.inputs.config import parse_config, read_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.model.report import Conflict, Report
from advisor.output import BOOT_FORMATS, DIFF_FORMATS, FORMATS, Style, renderer

if TYPE_CHECKING:
    from advisor.cli.review import Asked
    from advisor.model.comparison import Comparison


def audit_command(request: Request) -> int:
    """One report for every configuration; a bad one costs a line, not the others' reports."""
    targets = [_write_target(text) for text in request.write]
    renderer(request.format)
    wanted = {request.format, *(name for name, _ in targets)}
    plan = "fragment" if "fragment" in wanted else ""
    places = request.verbose or not wanted.isdisjoint(("json", "html"))
    practice = places or "markdown" in wanted
    session = Session(request, plan, places=places, practice=practice)
    reports, failures = session.reports(complain)
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


def baseline_command(request: Request) -> int:
    """What is open now, as a file for --baseline; none is written where an input is bad."""
    from advisor.cli.settings import baseline_text

    # What an older baseline knows is still to be in the new one.
    session = Session(request, known=False, places=False)
    reports, failures = session.reports(complain)
    if failures:
        return InputError.exit_code
    here = places.current()
    _refuse_alike([report.name for report in reports], here)
    _put(baseline_text(reports, here), request.output)
    return 0


def _refuse_alike(names: list[str], here: places.Places) -> None:
    """Raises UsageError for files that a baseline could not tell apart."""
    found: dict[str, str] = {}
    for name in names:
        other = found.setdefault(here.of(name), name)
        if os.path.realpath(other) != os.path.realpath(name):
            message = f"{other} and {name} are both called {here.of(name)}"
            hint = "start it in a folder that holds both"
            raise UsageError(message, where="baseline", hint=hint)


def _write_target(text: str, formats: Mapping[str, str] = FORMATS) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not path or name not in formats:
        hint = f"FORMAT=FILE with one of {', '.join(formats)}"
        raise UsageError(f"{text!r} names no format and file", where="--write", hint=hint)
    return name, path


def diff_command(asked: CompareRequest) -> int:
    """What a change of configuration means; 1 if it made something worse that --fail-on names."""
    from advisor.cli.compare import difference

    return _compared(asked, difference)


def upgrade_command(asked: CompareRequest) -> int:
    """What becomes of a configuration in another kernel's tree."""
    from advisor.cli.compare import upgrade

    if not asked.options.tree:
        raise UsageError("is missing", where="--tree", hint="name the tree of the new kernel")
    return _compared(asked, upgrade)


def _compared(
    asked: CompareRequest, compare: Callable[[CompareRequest, Session], Comparison]
) -> int:
    options = asked.options
    targets: list[tuple[str, str | None]]
    targets = [_write_target(text, DIFF_FORMATS) for text in options.write]
    targets.append((options.format, options.output))
    renders = [renderer(name, DIFF_FORMATS) for name, _ in targets]
    found = compare(asked, Session(options))
    for render, (_, path) in zip(renders, targets, strict=True):
        _put(render(found, _style(path, options.verbose)), path)
    return 1 if found.failed else 0


def review_command(request: Request, asked: Asked) -> int:
    """What changed between two revisions, in one comment; a bad file costs a line of it."""
    from advisor.cli.review import check_marker, review
    from advisor.inputs import git
    from advisor.output import review as output

    check_marker(asked.marker)
    # A fragment is of one configuration, and no review.
    formats = {**FORMATS, **output.FORMATS}
    del formats["fragment"]
    targets: list[tuple[str, str | None]]
    targets = [_write_target(text, formats) for text in request.write]
    if request.format not in output.FORMATS:
        renderer(request.format, output.FORMATS)
    targets.append((request.format, request.output))
    made = review(asked, Session(request, practice=True))
    root = git.root()
    for name, path in targets:
        style = _style(path, request.verbose)._replace(places=places.Places(root, root))
        _put(output.render(name, made, style), path)
    return made.exit_code


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
    from advisor.output.plan import fragment

    text: str = fragment.render([report], Style(verbose=request.all))
    return text


def _verified_fragment(request: Request) -> int:
    """Likewise, proven by the tree's own tools; not written if one of its lines does not hold."""
    from advisor.cli.trees import audited_in_tree, proving
    from advisor.tree.proof import NOT_VERIFIED, verify

    session = Session(request, "fragment")
    config = read_config(request.configs[0])
    with proving(tree_request(session.request), config) as (build, base, asked):
        subject = subject_of(base, session.given(base.path))
        report, answers = audited_in_tree(subject, base, asked, session.judge(base.path))
        _tell_waivers(session.with_remarks([report])[0])
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
    from advisor.output.plan.plain import reasons

    for line in reasons(report, dict.fromkeys(name for name, _ in targets)):
        complain(line)
    return 0


def _refuse_line(report: Report) -> None:
    """Raises InputError for a line that nothing can be added to."""
    from advisor.output.phrases import where

    for found in report.diagnostics:
        if found.id in ("unbalanced-quote", "control-character"):
            raise InputError(found.message, where=where(found.location), hint="correct the line")


def _planned(request: Request, plan: str) -> Report:
    reports, _ = Session(request, plan).reports(complain)
    _tell_waivers(reports[0])
    _refuse(reports[0], plan)
    return reports[0]


def _tell_waivers(report: Report) -> None:
    """What is to be said of waivers, on stderr: a plan has no place for it."""
    from advisor.output.phrases import where

    for item in report.diagnostics:
        if item.id.startswith("waiver-"):
            complain(f"{where(item.location)}: {item.message} ({item.remedy})")


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
    from advisor.knowledge import lookup
    from advisor.output import explain

    style = _style(None, False)
    shown = ""
    if asked:
        from advisor.cli.trees import symbol_facts
        from advisor.output import tree

        facts, where = symbol_facts(name, asked)
        shown = tree.symbol(facts, where, style) if facts else f"{where} has no such symbol\n"
    try:
        told = explain.explain(lookup.explain(name, index.load(rules, profiles)), style)
    except UsageError:
        if not asked or not facts:
            raise
        told = ""
    _put("\n".join(filter(None, (shown, told))), None)
    return 0


def check_command(
    fragments: Sequence[str], asked: TreeRequest, format_name: str, path: str | None, verbose: bool
) -> int:
    """The outcome of every line of the fragments, each alone; 1 if one does not hold."""
    from advisor.cli.trees import check

    if format_name == "json" and len(fragments) > 1:
        hint = "check them one by one"
        raise UsageError("json is for one fragment", where="--format", hint=hint)
    style = _style(path, verbose)
    checked = [check(fragment, asked, format_name, style) for fragment in fragments]
    _put("\n".join(text for text, _, _ in checked), path)
    defects = [line for _, _, lines in checked for line in lines]
    for line in defects:
        complain(line)
    return AdvisorError.exit_code if defects else max(code for _, code, _ in checked)


def list_profiles(name: str, rules: Sequence[str], profiles: Sequence[str]) -> int:
    """All profiles, a line each, or one in full."""
    from advisor.knowledge import lookup
    from advisor.output import explain

    knowledge, style = index.load(rules, profiles), _style(None, False)
    if name:
        _put(explain.profile(lookup.wishes(name, knowledge), style), None)
    else:
        known = map(knowledge.profile, knowledge.ids("profiles"))
        _put(explain.profiles(known, style), None)
    return 0


def list_rules(name: str, rules: Sequence[str]) -> int:
    """All tunables, a line each, or one in full."""
    from advisor.knowledge import lookup
    from advisor.output import explain

    knowledge, style = index.load(rules), _style(None, False)
    if name:
        _put(explain.rule(lookup.rule(name, knowledge), style), None)
    else:
        _put(explain.rules(knowledge.tunables(), style), None)
    return 0


def lint_command(
    directories: Sequence[str], trees: Sequence[str] = (), arches: Sequence[str] = ()
) -> int:
    """Every schema, reference and example checked; what is wrong raises KnowledgeError.

    With trees, every fact that they decide as well: 4 if one of them contradicts a rule.
    """
    from advisor.lint.lint import lint

    if arches and not trees:
        raise UsageError("is of use with --tree only", where="--arch", hint="add --tree TREE")
    _put(lint(directories) + "\n", None)
    if not trees:
        return 0
    from advisor.lint.trees import lint_trees

    text, code = lint_trees(directories, trees, arches)
    _put(text, None)
    return code


def learn_command(trees: Sequence[str], learn: bool, path: str | None) -> int:
    """What kernel trees define, added to the catalogue; minutes, so that each tree is told."""
    if not learn:
        hint = "say --learn or --practice"
        raise UsageError("is of no use alone", where="lint --output", hint=hint)
    from advisor.knowledge import catalogue
    from advisor.lint.learn import learn as learn_trees

    _put(learn_trees(trees, path or catalogue.location(), complain) + "\n", None)
    return 0


def practice_command(configs: Sequence[str], read: str, path: str | None) -> int:
    """What these configurations of distributions compile in, counted for `explain` and reports."""
    from advisor.knowledge.practice import location
    from advisor.lint.practice import count

    if not re.fullmatch(r"\d{4}-\d{2}", read):
        raise UsageError(f"{read!r} is no month", where="--practice", hint="say 2026-11")
    given = Given()
    subjects = (subject_of(read_config(name), given) for name in sorted(configs))
    _put(count(subjects, index.load(), read), path or location())
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
    return Style(width=width, colour=colour, verbose=verbose, places=places.current())


def _put(text: str, path: str | None) -> None:
    if path is None:
        to_stdout(text)
        return
    from advisor.files import write_atomically

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
        from advisor.files import silence

        # What is left in the buffer must not raise again at exit.
        silence(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise OutputError(
                f"cannot be written: {error.strerror}", where="<stdout>", hint="check where it goes"
            ) from error


def complain(message: str) -> None:
    """One line on stderr, whatever the message holds."""
    from advisor.output.escape import visible

    if sys.stderr is not None:  # print would take stdout instead
        print(f"kernel-advisor: {visible(message)}", file=sys.stderr)
