"""`diff` and `upgrade`: two subjects from what the user names, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from advisor.cli.auditor import Auditor
from advisor.cli.command import command
from advisor.cli.options import (
    COMPARE,
    CONFIG,
    JUDGED,
    OUTPUT,
    POLICY,
    PROFILE_OR_ALL,
    SUBJECT,
    TREE,
    UPGRADE,
    CompareOptions,
    Request,
)
from advisor.cli.printing import Target, emit, targets
from advisor.cli.values import by_kbuild
from advisor.engine.compare import Terms, compare
from advisor.engine.names.symbols import Naming, Traits
from advisor.errors import InputError, UsageError
from advisor.inputs.bootline import read_cmdline
from advisor.inputs.config import KernelConfig, parse_config
from advisor.inputs.menus import menus, menus_beside
from advisor.inputs.merged import Merged, merged
from advisor.model.comparison import Comparison, Movement, SymbolKind, SymbolMove
from advisor.model.review import Entry
from advisor.model.subject import Subject
from advisor.model.tree import differ
from advisor.output import DIFF_FORMATS

if TYPE_CHECKING:
    from advisor.tree.kbuild import Build
    from advisor.tree.kept import TreeAnswers
    from advisor.tree.kerneltree import KernelTree


LARGEST_FRAGMENT = 1000
"""More symbols than that are no fragment: 6.12's tinyconfig has 868, other .configs thousands."""


_RESULT = (*OUTPUT.without("all", "verbose"), *POLICY.without("strength", "keep"), OUTPUT.verbose)


class Compared(NamedTuple):
    """What is judged on one side, and the configuration that a tree completes."""

    subject: Subject
    config: KernelConfig


@command(
    COMPARE.old,
    COMPARE.new,
    PROFILE_OR_ALL,
    COMPARE.base,
    SUBJECT.cmdline,
    *COMPARE,
    *JUDGED.without("prefer"),
    *_RESULT,
)
def diff(request: Request) -> int:
    """Show what a change of configuration or boot line means."""
    wanted = targets(request.output, DIFF_FORMATS)
    auditor = Auditor(request)
    sides = request.compare
    old, new = _configs(sides, auditor)
    before = _side(old, sides.old_cmdline, auditor)
    after = _side(new, sides.new_cmdline, auditor)
    return _write(compared(before, after, auditor), wanted, request)


@command(
    CONFIG,
    TREE.tree,
    PROFILE_OR_ALL,
    *UPGRADE,
    *JUDGED.without("prefer", "kernel"),
    TREE.prove,
    *_RESULT,
)
def upgrade(request: Request) -> int:
    """Show what becomes of a configuration in a newer kernel's tree."""
    if not request.tree.tree:
        raise UsageError("is missing", where="--tree", hint="name the tree of the new kernel")
    wanted = targets(request.output, DIFF_FORMATS)
    auditor = Auditor(request)
    config = auditor.read(request.subject.configs[0])
    if not config.complete:
        hint = "run 'make olddefconfig' in the old kernel's tree, and give the whole .config"
        raise InputError("is not a complete configuration", where=config.path, hint=hint)
    old, code = _side(config, None, auditor), 0
    with _completed(old, auditor) as (side, arch, build):
        new, answers = _in_tree(side, auditor, arch)
        comparison = _with_drivers(_compared(old, new, auditor, answers), answers.tree(), request)
        if build:
            comparison = comparison._replace(proof="kbuild")
        if request.upgrade.carry_over:
            from advisor.cli.carry import carry_over

            code = carry_over(config, comparison, answers.tree(), auditor, build)
    return _write(comparison, wanted, request) or code


@contextmanager
def _completed(old: Compared, auditor: Auditor) -> Iterator[tuple[Compared, str, Build | None]]:
    """The configuration to complete in the tree, for which ARCH, and with --prove what the tree's
    own tools made of it already, in a folder for more. Raises TreeError."""
    if not by_kbuild(auditor.request.tree):
        yield old, "", None
        return
    from advisor.cli.trees import proving

    with proving(auditor.request, old.config) as (build, base, arch):
        name = f"{old.config.path} as {auditor.request.tree.tree} completes it"
        made = parse_config(base.text, name, complete=True)
        yield old._replace(config=made), arch, build


def _with_drivers(comparison: Comparison, tree: KernelTree, request: Request) -> Comparison:
    """The comparison with the devices that lost drivers drove. Raises TreeError."""
    from advisor.tree.drivers.devices import Devices
    from advisor.tree.drivers.lost import with_drivers
    from advisor.tree.files import find_arch, find_tree

    allowed, before = request.tree.allow_root, request.upgrade.old_tree
    old = None
    if before:
        files = find_tree(before, allowed)
        old = Devices(files, find_arch(files, tree.arch))
    # With files of their own: what is kept of a tree rests on its Kconfig files alone.
    files = find_tree(tree.path, allowed)
    return with_drivers(comparison, Devices(files, find_arch(files, tree.arch)), old)


def _write(comparison: Comparison, wanted: list[Target], request: Request) -> int:
    """Writes the comparison; 1 if something got worse that --fail-on names."""
    for target in wanted:
        emit(target, comparison, request.output.verbose)
    return 1 if comparison.failed else 0


def compared(old: Compared, new: Compared, auditor: Auditor) -> Comparison:
    """Two sides compared, in the tree of the auditor if it has one."""
    if not auditor.request.tree.tree or not len(new.config):
        return _compared(old, new, auditor, None)
    releases = {s.kernel.numbers[:2] for s in (old.subject, new.subject) if s.kernel}
    if isinstance(new.config, Merged) or len(releases) < 2:
        old, _ = _in_tree(old, auditor)
    new, answers = _in_tree(new, auditor)
    return _compared(old, new, auditor, answers)


def _configs(options: CompareOptions, auditor: Auditor) -> tuple[KernelConfig, KernelConfig]:
    """What is on either side: a fragment stands on `base`, or on the other side's configuration."""
    old, new = auditor.read(options.old), auditor.read(options.new)
    base = auditor.read(options.base) if options.base else None
    if base is not None and not base.complete:
        hint = "give the whole .config"
        raise InputError("is not a complete configuration", where=base.path, hint=hint)
    if base is not None and not (is_fragment(old) or is_fragment(new)):
        hint = "leave out --base: neither side is a fragment"
        raise UsageError("has no effect", where="--base", hint=hint)
    if base is None and old.complete and is_fragment(new):
        base = old
    if base is None:
        return old, new
    return over(base, old, auditor), over(base, new, auditor)


def lined(old: Compared, new: Compared) -> Compared:
    """The new side with the lines in which a whole configuration differs from the old one.

    Not where the kernel or its compiler is another one: then Kconfig itself wrote them all.
    """
    sides = (old, new)
    whole = all(s.config.complete and s.subject.kernel and not s.subject.lines for s in sides)
    kernels = {
        (side.subject.kernel.text, side.config.get("CC_VERSION_TEXT"))
        for side in sides
        if side.subject.kernel
    }
    if not whole or len(kernels) > 1:
        return new
    from advisor.model.lines import ChangedLine

    was, now = old.config, new.config
    lines = tuple(
        ChangedLine(s, now.entry(s).location, was.get(s), now.get(s), fragment=False)
        for s in now.symbols()
        if differ(was.get(s), now.get(s))
    )
    return new._replace(subject=new.subject._replace(lines=lines))


def with_edits(entry: Entry, old: Compared | None, new: Compared) -> Entry:
    """The entry of a review with the changes of the lines that it brought."""
    from advisor.engine.edits import edited

    top, texts = _top(new.config), {}
    rows = top.text.split("\n")
    for symbol in top.symbols():
        place = top.entry(symbol).location
        if place.line and not (old and _top(old.config).get(symbol) == top.get(symbol)):
            texts[place.path, place.line] = symbol, rows[place.line - 1]
    if entry.report is None or not texts:
        return entry
    report, comparison, edits = edited(entry.report, entry.comparison, entry.report.lines, texts)
    return entry._replace(report=report, comparison=comparison, edits=edits)


def _top(config: KernelConfig) -> KernelConfig:
    """The file itself, without the base that it is merged into."""
    return config.top if isinstance(config, Merged) else config


def over(base: KernelConfig, side: KernelConfig, auditor: Auditor) -> KernelConfig:
    """A fragment merged onto the base; any other configuration as it is."""
    return merged(side, base, auditor.knowledge.siblings) if is_fragment(side) else side


def is_fragment(config: KernelConfig) -> bool:
    """Whether it is meant to be merged; a defconfig stands for a whole configuration."""
    partial = not config.complete and len(config) < LARGEST_FRAGMENT
    return partial and not config.path.endswith("defconfig")


def _side(config: KernelConfig, cmdline: str | None, auditor: Auditor) -> Compared:
    subject = auditor.subject(config)
    if cmdline is not None:
        subject = subject._replace(cmdline=read_cmdline(cmdline))
    return Compared(subject, config)


def _in_tree(side: Compared, auditor: Auditor, arch: str = "") -> tuple[Compared, TreeAnswers]:
    """The side as the tree completes it, and what answers for the tree."""
    from advisor.cli.trees import question_of
    from advisor.tree.kept import TreeAnswers

    answers = TreeAnswers(question_of(auditor.request, side.config, arch), side.config)
    subject = side.subject._replace(config=answers.config(), kernel=answers.version, tree=answers)
    answers.save()
    return side._replace(subject=subject), answers


def _compared(
    old: Compared, new: Compared, auditor: Auditor, answers: TreeAnswers | None
) -> Comparison:
    named, knowledge = auditor.profiles(new.subject.name), auditor.knowledge
    profiles = named or [knowledge.profile(name) for name in knowledge.ids("profiles")]
    tree = answers.tree() if answers else None
    # The new side's own menus come first: Kconfig moves symbols from release to release.
    own = tree.menus() if tree else {}
    places = {**menus_beside(new.config.text, own), **own} if tree else menus(new.config.text)
    places = {**menus_beside(old.config.text, places), **places}
    terms = Terms(tuple(profiles), bool(named), auditor.policy, _naming(places, tree))
    comparison = compare(old.subject, new.subject, knowledge, terms)
    titles = [
        side.config.title if isinstance(side.config, Merged) else side.subject.name
        for side in (old, new)
    ]
    comparison = comparison._replace(
        old=comparison.old._replace(name=titles[0]), new=comparison.new._replace(name=titles[1])
    )
    if answers is None:
        return comparison
    # What was asked meanwhile has left its lines in the tree.
    comparison = _proven(comparison, old, new, answers.tree())
    answers.save()
    return comparison


def _naming(menus: Mapping[str, str], tree: KernelTree | None) -> Naming:
    if tree is None:
        return Naming(menus)

    def traits(symbol: str) -> Traits | None:
        return Traits(tree.prompted(symbol), tree.choice(symbol)) if tree.defines(symbol) else None

    return Naming(menus, tree.renames, traits)


def _proven(comparison: Comparison, old: Compared, new: Compared, tree: KernelTree) -> Comparison:
    """The comparison with the reasons that the tree gives."""
    symbols = tuple(_reasoned(move, new.config, tree) for move in comparison.symbols)
    movements = tuple(
        _explained(movement, old.subject, new, tree) for movement in comparison.movements
    )
    use = getattr(new.subject.tree, "use", None)
    comparison = comparison._replace(symbols=symbols, movements=movements)
    return comparison._replace(proof="model", tree=use)


def _reasoned(move: SymbolMove, config: KernelConfig, tree: KernelTree) -> SymbolMove:
    """A lost feature with what it lacks in the tree, if it was not just switched off."""
    from advisor.tree.why import lacking, why_not

    if move.became and (facts := tree.about(move.became)) and (needs := lacking(facts)):
        return move._replace(why=f"{move.why}; {move.became} needs {needs[0]} ({needs[1]})")
    if move.kind is not SymbolKind.LOST or move.why:
        return move
    facts = tree.about(move.symbol)
    if facts and (needs := lacking(facts)):
        return move._replace(needs=needs[0], where=str(needs[1]))
    if facts and config.get(move.symbol) != move.old:
        return move
    return move._replace(why=why_not(tree, move.symbol, move.old or "n"))


def _explained(movement: Movement, before: Subject, new: Compared, tree: KernelTree) -> Movement:
    """The movement with what the tree says against the old setting's own lines."""
    from advisor.tree.why import gates, why_not

    names = movement.old.compiled if movement.old else ()
    values = filter(None, (movement.tunable.value(name) for name in names))
    reasons: dict[str, str] = {}
    for symbol, value in dict.fromkeys(pair for v in values for pairs in v.sets for pair in pairs):
        was, now = before.config.get(symbol), new.subject.config.get(symbol)
        # Of a driver, y is as good as m.
        given = was == value or {was, value} == {"y", "m"}
        if was in (None, "n") or not given or now == was or {was, now} <= {"y", "m"}:
            continue
        facts = tree.about(symbol)
        if facts and not tree.prompted(symbol):  # nobody sets it: it follows what moved
            continue
        # That a line says so, or another member of a choice was taken, is what moved: no reason.
        if facts is None or facts.unmet or (new.config.get(symbol) == was and not facts.choice):
            reasons[symbol] = why_not(tree, symbol, was)
    off = [name for name in gates(tree, reasons) if name not in reasons]
    root = f"the missing dependencies need {', '.join(off)}, which is off" * bool(off)
    return movement._replace(why="; ".join(filter(None, (*reasons.values(), root))))
