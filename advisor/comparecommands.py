"""`diff` and `upgrade`: two subjects from what the user names, compared and shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from advisor.comparison import Comparison, Movement, SymbolKind, SymbolMove
from advisor.engine.compare import Terms, compare
from advisor.engine.merge import Merged
from advisor.engine.symbolmoves import Naming
from advisor.errors import InputError, UsageError
from advisor.inputs.cmdline import read_cmdline
from advisor.inputs.dotconfig import KernelConfig, named_lines, parse_config, read_config
from advisor.inputs.menus import menus
from advisor.inputs.subject import subject_of
from advisor.model import Subject
from advisor.request import CompareRequest, tree_request

if TYPE_CHECKING:
    from advisor.inputs.kerneltree import KernelTree
    from advisor.session import Session


class Read(NamedTuple):
    """One side as it was read: a configuration, and the fragment over it if there is one."""

    config: KernelConfig
    fragment: KernelConfig | None = None

    @property
    def name(self) -> str:
        """`base + fragment`."""
        return self.config.path + (f" + {self.fragment.path}" if self.fragment else "")


def difference(asked: CompareRequest, session: Session) -> Comparison:
    """The comparison of two sides. Raises InputError, TreeError, UsageError."""
    old, new = _sides(asked)
    before = _subject(old, asked, asked.old_cmdline, session)
    after = _subject(new, asked, asked.new_cmdline, session)
    tree = None
    if asked.options.tree:
        if _same_release(before, after) or new.fragment:
            before, _ = _in_tree(before, old, session)
        after, tree = _in_tree(after, new, session)
    return _compared(before, after, session, _naming(old, new, tree), tree)


def upgrade(asked: CompareRequest, session: Session) -> Comparison:
    """What becomes of a configuration in the tree of another kernel. Raises as `difference`."""
    read = Read(read_config(asked.old))
    if not read.config.complete:
        hint = "give the whole .config; make olddefconfig in its own tree writes one"
        raise InputError("is no complete configuration", where=read.name, hint=hint)
    before = _subject(read, asked, None, session)
    after, tree = _in_tree(before, read, session)
    return _compared(before, after, session, _naming(read, read, tree), tree)


def _sides(asked: CompareRequest) -> tuple[Read, Read]:
    """What is on either side: a fragment stands on `base`, or on the other side's configuration."""
    old, new = read_config(asked.old), read_config(asked.new)
    base = read_config(asked.base) if asked.base else None
    if base is not None and not base.complete:
        hint = "give the whole .config"
        raise InputError("is no complete configuration", where=base.path, hint=hint)
    if base is not None and not (_is_fragment(old) or _is_fragment(new)):
        hint = "leave it out: neither side is a fragment"
        raise UsageError("is of no use", where="--base", hint=hint)
    if base is None and old.complete and _is_fragment(new):
        base = old
    return _over(base, old), _over(base, new)


def _over(base: KernelConfig | None, side: KernelConfig) -> Read:
    return Read(base, side) if base and _is_fragment(side) else Read(side)


def _is_fragment(config: KernelConfig) -> bool:
    """Whether it is meant to be merged; a defconfig stands for a whole configuration."""
    return not config.complete and not config.path.endswith("defconfig")


def _subject(read: Read, asked: CompareRequest, cmdline: str | None, session: Session) -> Subject:
    subject = subject_of(read.config, session.given(read.config.path))
    if cmdline is not None:
        subject = subject._replace(cmdline=read_cmdline(cmdline))
    if read.fragment is None:
        return subject
    merged = Merged(read.config, read.fragment, session.knowledge.siblings)
    notes = (*subject.notes, *read.fragment.notes)
    return subject._replace(name=read.name, config=merged, notes=notes)


def _same_release(before: Subject, after: Subject) -> bool:
    if before.kernel is None or after.kernel is None:
        return True
    return before.kernel.numbers[:2] == after.kernel.numbers[:2]


def _in_tree(subject: Subject, read: Read, session: Session) -> tuple[Subject, KernelTree]:
    """The subject as the tree completes it, and the tree."""
    from advisor.inputs.treeanswers import TreeAnswers
    from advisor.treecommands import question_of

    config = read.config
    if read.fragment:
        config = parse_config(merged_text(read), read.name, complete=config.complete)
        config.arch, config.version = read.config.arch, read.config.version
    answers = TreeAnswers(question_of(tree_request(session.request), config), config)
    evaluated = answers.config(subject.config)
    in_tree = subject._replace(config=evaluated, kernel=answers.version, tree=answers)
    return in_tree, answers.tree()


def merged_text(read: Read) -> str:
    """The lines of a base without those that its fragment names, then the fragment's."""
    assert read.fragment is not None
    named = {symbol for symbol, _, _ in named_lines(read.fragment)}
    kept = [
        line
        for line in read.config.text.split("\n")
        if line.removeprefix("# ").partition("=")[0].partition(" ")[0].removeprefix("CONFIG_")
        not in named
    ]
    return "\n".join([*kept, read.fragment.text])


def _naming(old: Read, new: Read, tree: KernelTree | None) -> Naming:
    texts = [side.config.text for side in (old, new)]
    found: dict[str, str] = {}
    for text in dict.fromkeys(texts):
        found = {**found, **menus(text)}
    if tree:
        found = {**found, **tree.menus()}
    return Naming(found, tree)


def _compared(
    before: Subject, after: Subject, session: Session, naming: Naming, tree: KernelTree | None
) -> Comparison:
    named = session.profiles(after.name)
    ids = [] if named else session.knowledge.ids("profiles")
    profiles = named or [session.knowledge.profile(name) for name in ids]
    terms = Terms(tuple(profiles), bool(named), session.policy, naming)
    found = compare(before, after, session.knowledge, terms)
    if tree is None:
        return found
    symbols = tuple(_reasoned(move, tree) for move in found.symbols)
    movements = tuple(_explained(movement, before, after, tree) for movement in found.movements)
    use = getattr(after.tree, "use", None)
    return found._replace(symbols=symbols, movements=movements, proof="model", tree=use)


def _reasoned(move: SymbolMove, tree: KernelTree) -> SymbolMove:
    """A lost feature with what it lacks in the tree."""
    from advisor.engine.prove import lacking, why_not

    if move.kind is not SymbolKind.LOST or move.why:
        return move
    facts = tree.about(move.symbol)
    if facts and (needs := lacking(facts)):
        return move._replace(needs=needs[0], where=str(needs[1]))
    return move._replace(why=why_not(tree, move.symbol, move.old or "n"))


def _explained(movement: Movement, before: Subject, after: Subject, tree: KernelTree) -> Movement:
    """The movement with what the tree says against the old setting's own lines."""
    from advisor.engine.prove import why_not

    names = movement.old.compiled if movement.old else ()
    values = filter(None, (movement.tunable.value(name) for name in names))
    pairs = dict.fromkeys(pair for value in values for pairs in value.sets for pair in pairs)
    told = []
    for symbol, value in pairs:
        was, now = before.config.get(symbol), after.config.get(symbol)
        # Of a driver, y is as good as m.
        given = was == value or {was, value} == {"y", "m"}
        if was in (None, "n") or not given or now == was or {was, now} <= {"y", "m"}:
            continue
        facts = tree.about(symbol)
        # That another member of a choice was taken is what moved, and no reason.
        if facts is None or facts.unmet or not facts.choice:
            told.append(why_not(tree, symbol, was))
    return movement._replace(why="; ".join(told))
