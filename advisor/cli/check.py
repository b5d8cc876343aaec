"""`check`: which lines of anyone's fragments hold in a kernel tree; or the fragment, repaired."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from advisor.cli.command import command
from advisor.cli.mistakes import config_of
from advisor.cli.options import CHECK, KNOWLEDGE, MACHINE, OUTPUT, SUBJECT, TREE, Request
from advisor.cli.printing import complain, names_and_files, put, style
from advisor.cli.trees import names_in, open_for, proving, symbols_of
from advisor.cli.values import by_kbuild
from advisor.errors import AdvisorError, UsageError
from advisor.inputs.config import (
    KernelConfig,
    all_lines,
    ignored_lines,
    named_lines,
    naming,
    parse_config,
)
from advisor.knowledge import index
from advisor.model.kernel import InputNote, Location, Severity
from advisor.model.repair import Repair
from advisor.model.tree import LineOutcome, Lines, SideEffect, TreeUse
from advisor.output import Style
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.output.tree import Checked
    from advisor.tree.check import KnownNames
    from advisor.tree.kbuild import Build
    from advisor.tree.kerneltree import KernelTree
    from advisor.tree.oracle import Oracle

# Notes on lines of which Kconfig makes nothing, or something else.
_IGNORED = ("malformed-line", "invalid-value", "trailing-text")
_FORMATS = {
    **dict.fromkeys(("text", "json"), "advisor.output.tree"),
    "fragment": "advisor.output.plan.fixed",
}


class _Done(NamedTuple):
    """What was made of a fragment, as far as anyone asked: a report, a repaired fragment.

    `lost` are lines of that which the tree's tools refuse, `defects` predictions they refute; the
    `notes` are on lines that Kconfig does not read as they look.
    """

    checked: Checked | None = None
    repair: Repair | None = None
    lost: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()
    notes: tuple[InputNote, ...] = ()

    def text(self, name: str, style: Style) -> str:
        """In that format."""
        if self.repair and name == "fragment":
            from advisor.output.plan import fixed

            return fixed.render(self.repair, style)
        from advisor.output import tree

        assert self.checked
        render = tree.check_text if name == "text" else tree.check_json
        return render(self.checked, style)

    def missed(self, fixed: bool) -> bool:
        """Whether a line does not hold: of the repaired fragment, or of the fragment itself."""
        if self.repair and (fixed or not self.checked):
            return bool(self.repair.missed)
        results = self.checked.results if self.checked else ()
        return any(result.outcome is LineOutcome.DROPPED for result in results)


class _Opened(NamedTuple):
    """A fragment's lines, the tree with the configuration that they stand on, and what proves."""

    fragment: KernelConfig
    base: str
    tree: KernelTree
    oracle: Oracle
    names: KnownNames
    request: Request
    warnings: tuple[str, ...]
    build: Build | None = None


@command(
    CHECK.fragments,
    CHECK.fix,
    TREE.tree.but(help="Kernel source tree to check in; nothing in it is run.", required=True),
    TREE.on,
    SUBJECT.whole,
    MACHINE.arch,
    TREE.run_toolchain,
    TREE.prove,
    TREE.allow_root,
    TREE.allow,
    KNOWLEDGE.rules,
    OUTPUT.format.but(help="text (default), json or fragment.", default=""),
    OUTPUT.write,
    OUTPUT.output,
    OUTPUT.verbose.but(help="List every line, not only those without effect."),
)
def check(request: Request) -> int:
    """Show which lines of a fragment take effect in a tree."""
    prove, fragments = by_kbuild(request.tree), request.check.fragments
    targets = _targets(request)
    names = {name for name, _ in targets}
    # Each alone: they may ask for the opposite.
    done = [_done(fragment, request, prove, names) for fragment in fragments]
    lost = [line for one in done for line in one.lost]
    defects = [line for one in done for line in one.defects]
    for line in (*lost, *defects):
        complain(line)
    for name, path in targets:
        if name != "fragment" or not lost:
            put(
                "\n".join(one.text(name, style(path, request.output.verbose)) for one in done), path
            )
    if defects:
        return AdvisorError.exit_code
    for one in done:
        if one.repair and one.repair.missed:
            complain(f"{one.repair.fragment}: {_told(one.repair.missed)}")
    fixed = targets[-1][0] == "fragment"
    ignored = [
        note
        for one in done
        for note in one.notes
        if note.id in _IGNORED and not (fixed and one.repair and one.repair.mends(note.location))
    ]
    for note in ignored:
        remedy = f" ({note.remedy})" if note.remedy else ""
        complain(f"{note.location}: {note.message}{remedy}")
    wrong = any(note.severity is Severity.ERROR for note in ignored)
    return int(wrong or bool(lost) or any(one.missed(fixed) for one in done))


def _told(missed: int) -> str:
    lines = "a line cannot" if missed == 1 else f"{missed} lines cannot"
    return f"{lines} take effect; comments in the repaired fragment give the reasons"


def _targets(request: Request) -> list[tuple[str, str | None]]:
    """The formats and where they go. Raises UsageError for one that is of no use."""
    output, fix = request.output, request.check.fix
    if fix and output.format.lower() not in ("", "fragment"):
        hint = f"add --write {output.format}=FILE to get a report as well"
        raise UsageError(
            "cannot be combined with --fix, which writes a fragment", where="--format", hint=hint
        )
    output = output._replace(format="fragment" if fix else output.format.lower() or "text")
    if output.format not in _FORMATS:
        wrong = f"there is no format {output.format!r}"
        raise UsageError(wrong, where="--format", hint=" or ".join(_FORMATS))
    targets = names_and_files(output, _FORMATS)
    if len(request.check.fragments) > 1:
        for name, _ in targets:
            if name != "text":
                option = "--fix" if fix and name == "fragment" else "--format"
                hint = "check the fragments one by one"
                message = f"the format {name!r} is possible only for one fragment"
                raise UsageError(message, where=option, hint=hint)
    return targets


def _done(fragment: str, request: Request, prove: bool, names: set[str]) -> _Done:
    done = _Done()
    with _opened(fragment, request, prove) as opened:
        if names & {"text", "json"}:
            done = _checked(opened)
        if "fragment" in names:
            repair, lost, defects = _repaired(opened)
            done = done._replace(repair=repair, lost=lost, defects=(*done.defects, *defects))
    return done._replace(notes=opened.fragment.notes)


@contextmanager
def _opened(fragment: str, request: Request, prove: bool) -> Iterator[_Opened]:
    """All that a question about a fragment needs. Raises TreeError, InputError or UsageError."""
    from advisor.tree.oracle import Oracle

    options, whole = request.tree, request.subject.whole
    lines = config_of(fragment, fragment=True)
    config = config_of(options.on, complete=whole) if options.on else None
    with ExitStack() as stack:
        build, arch = None, ""
        if prove:
            build, config, arch = stack.enter_context(proving(request, config))
        tree = open_for(request, config, arch)
        names = names_in(tree, index.load(request.knowledge.rules))
        warnings: tuple[str, ...] = ()
        if config and config.version and config.version.numbers[:2] != tree.version.numbers[:2]:
            own, other = tree.version.text, config.version.text
            warnings = (f"the configuration is of Linux {other}, but the tree is Linux {own}",)
        base = config.path if config else "the tree's defaults"
        # Before anything else is asked, so that no answer for a mere trial counts.
        oracle = Oracle(tree)
        yield _Opened(lines, base, tree, oracle, names, request, warnings, build)


def _checked(opened: _Opened) -> _Done:
    """What became of a fragment's lines."""
    from advisor.output.tree import Checked
    from advisor.tree.check import check_fragment

    fragment, allowed = opened.fragment, symbols_of(opened.request.tree.allow)
    results = check_fragment(opened.tree, named_lines(fragment), opened.names, allowed)
    lines = tuple((result.symbol, result.value) for result in results)
    proof = _proven(opened, fragment, lines)
    renamed = {result.renamed for result in results}
    checked = Checked(
        fragment=fragment.path,
        base=opened.base,
        proof="kbuild" if opened.build else "model",
        tree=proof.tree,
        results=tuple(results),
        effects=tuple(effect for effect in proof.effects if effect.symbol not in renamed),
    )
    return _Done(checked, defects=proof.defects)


def _repaired(opened: _Opened) -> tuple[Repair, tuple[str, ...], tuple[str, ...]]:
    """The fragment, repaired; the lines that the tree's tools refuse all the same, and defects."""
    from advisor.output.plan import fixed
    from advisor.tree.fix import fix_fragment

    fragment, allowed = opened.fragment, symbols_of(opened.request.tree.allow)
    ignored = ignored_lines(fragment)
    meant = ((number, naming(text)) for number, text in ignored.items() if text)
    asked = [(*line, Location(fragment.path, number)) for number, line in meant if line]
    asked = sorted([*all_lines(fragment), *asked], key=lambda line: line[2].line)
    lines = fix_fragment(opened.tree, asked, opened.names, allowed)
    grade = "kbuild" if opened.build else "model"
    empty = TreeUse("", "", "")
    repair = Repair(fragment.path, opened.base, grade, empty, fragment.text, lines)
    repair = repair.without(ignored)
    # Proven is what is written.
    written = parse_config(fixed.render(repair, Style()), fragment.path, fragment=True)
    proof = _proven(opened, written, repair.written())
    return repair._replace(tree=proof.tree, effects=proof.effects), proof.lost, proof.defects


class _Proof(NamedTuple):
    """What lines do in the tree, and what its tools say to that."""

    tree: TreeUse
    effects: tuple[SideEffect, ...]
    lost: tuple[str, ...]
    defects: tuple[str, ...]


def _proven(opened: _Opened, fragment: KernelConfig, lines: Lines) -> _Proof:
    """The proof of a fragment whose lines those are, as far as it is asked for."""
    from advisor.tree.proof import NOT_VERIFIED, verify

    tree, options = opened.tree, opened.request.tree
    oracle, verified = opened.oracle, NOT_VERIFIED
    if opened.build and len(fragment):
        verified = verify(opened.build, fragment, oracle.predicted)
    effects = oracle.effects(lines)
    warnings = (*opened.warnings, *verified.notes)
    ran = options.run_toolchain or bool(opened.build)
    use = TreeUse(options.tree or "", tree.version.text, tree.arch, ran, oracle.assumed, warnings)
    oracle.rewind()
    return _Proof(use, effects, tuple(verified.lost()), tuple(verified.defects()))
