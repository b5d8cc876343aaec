"""`diff` and `upgrade`: two subjects from what the user names, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.cli.request import CompareRequest, tree_request
from advisor.engine.compare import Terms, compare
from advisor.engine.symbols import Naming, Traits
from advisor.errors import InputError, UsageError
from advisor.inputs.bootline import read_cmdline
from advisor.inputs.config import KernelConfig, read_config
from advisor.inputs.menus import menus, menus_beside
from advisor.inputs.merged import Merged, merged
from advisor.inputs.subject import subject_of
from advisor.model.comparison import Comparison, Movement, SymbolKind, SymbolMove, Unheld
from advisor.model.subject import Subject
from advisor.model.tree import differ

if TYPE_CHECKING:
    from advisor.cli.auditor import Session
    from advisor.tree.kept import TreeAnswers
    from advisor.tree.kerneltree import KernelTree


LARGEST_FRAGMENT = 1000
"""More symbols than that are no fragment: 6.12's tinyconfig has 868, other .configs thousands."""


class Side(NamedTuple):
    """What is judged on one side, and the configuration that a tree completes."""

    subject: Subject
    config: KernelConfig


def difference(asked: CompareRequest, session: Session) -> Comparison:
    """The comparison of two sides. Raises InputError, TreeError, UsageError."""
    old, new = _configs(asked, session)
    before = _side(old, asked.old_cmdline, session)
    return compared(before, _side(new, asked.new_cmdline, session), session)


def compared(old: Side, new: Side, session: Session) -> Comparison:
    """Two sides compared, in the tree of the session if it has one."""
    if not session.request.tree or not len(new.config):
        return _compared(old, new, session, None)
    if isinstance(new.config, Merged) or _same_release(old.subject, new.subject):
        old, _ = _in_tree(old, session)
    new, answers = _in_tree(new, session)
    return _compared(old, new, session, answers)


def upgrade(asked: CompareRequest, session: Session) -> Comparison:
    """What becomes of a configuration in the tree of another kernel. Raises as `difference`."""
    config = read_config(asked.old)
    if not config.complete:
        hint = "give the whole .config; make olddefconfig in its own tree writes one"
        raise InputError("is no complete configuration", where=config.path, hint=hint)
    old = _side(config, None, session)
    new, answers = _in_tree(old, session)
    return _compared(old, new, session, answers)


def _configs(asked: CompareRequest, session: Session) -> tuple[KernelConfig, KernelConfig]:
    """What is on either side: a fragment stands on `base`, or on the other side's configuration."""
    old, new = read_config(asked.old), read_config(asked.new)
    base = read_config(asked.base) if asked.base else None
    if base is not None and not base.complete:
        hint = "give the whole .config"
        raise InputError("is no complete configuration", where=base.path, hint=hint)
    if base is not None and not (is_fragment(old) or is_fragment(new)):
        hint = "leave it out: neither side is a fragment"
        raise UsageError("is of no use", where="--base", hint=hint)
    if base is None and old.complete and is_fragment(new):
        base = old
    return _over(base, old, session), _over(base, new, session)


def _over(base: KernelConfig | None, side: KernelConfig, session: Session) -> KernelConfig:
    if base is None or not is_fragment(side):
        return side
    return merged(side, base, session.knowledge.siblings)


def is_fragment(config: KernelConfig) -> bool:
    """Whether it is meant to be merged; a defconfig stands for a whole configuration, and so does
    a .config that lost its first lines.
    """
    partial = not config.complete and len(config) < LARGEST_FRAGMENT
    return partial and not config.path.endswith("defconfig")


def _side(config: KernelConfig, cmdline: str | None, session: Session) -> Side:
    subject = subject_of(config, session.given(config.path))
    if cmdline is not None:
        subject = subject._replace(cmdline=read_cmdline(cmdline))
    return Side(subject, config)


def _same_release(before: Subject, after: Subject) -> bool:
    if before.kernel is None or after.kernel is None:
        return True
    return before.kernel.numbers[:2] == after.kernel.numbers[:2]


def _in_tree(side: Side, session: Session) -> tuple[Side, TreeAnswers]:
    """The side as the tree completes it, and what answers for the tree."""
    from advisor.cli.trees import question_of
    from advisor.tree.kept import TreeAnswers

    answers = TreeAnswers(question_of(tree_request(session.request), side.config), side.config)
    subject = side.subject._replace(config=answers.config(), kernel=answers.version, tree=answers)
    answers.save()
    return side._replace(subject=subject), answers


def _compared(old: Side, new: Side, session: Session, answers: TreeAnswers | None) -> Comparison:
    named = session.profiles(new.subject.name)
    ids = [] if named else session.knowledge.ids("profiles")
    profiles = named or [session.knowledge.profile(name) for name in ids]
    tree = answers.tree() if answers else None
    found_menus = {**menus(new.config.text), **(tree.menus() if tree else {})}
    found_menus = {**menus_beside(old.config.text, found_menus), **found_menus}
    terms = Terms(tuple(profiles), bool(named), session.policy, _naming(found_menus, tree))
    found = compare(old.subject, new.subject, session.knowledge, terms)
    found = found._replace(
        old=found.old._replace(name=_title(old)), new=found.new._replace(name=_title(new))
    )
    if answers is None:
        return found
    # What was asked meanwhile has left its lines in the tree.
    found = _proven(found, old, new, answers.tree())
    answers.save()
    return found


def _naming(menus: Mapping[str, str], tree: KernelTree | None) -> Naming:
    if tree is None:
        return Naming(menus)

    def traits(symbol: str) -> Traits | None:
        return Traits(tree.prompted(symbol), tree.choice(symbol)) if tree.defines(symbol) else None

    return Naming(menus, tree.renames, traits)


def _title(side: Side) -> str:
    return side.config.title if isinstance(side.config, Merged) else side.subject.name


def _proven(found: Comparison, old: Side, new: Side, tree: KernelTree) -> Comparison:
    """The comparison with the reasons that the tree gives."""
    symbols = tuple(_reasoned(move, new.config, tree) for move in found.symbols)
    unheld = tuple(_unheld(new, tree)) if isinstance(new.config, Merged) else ()
    movements = tuple(_explained(movement, old.subject, new, tree) for movement in found.movements)
    use = getattr(new.subject.tree, "use", None)
    found = found._replace(symbols=symbols, movements=movements, unheld=unheld)
    return found._replace(proof="model", tree=use)


def _unheld(side: Side, tree: KernelTree) -> Iterator[Unheld]:
    """What the fragment asks for in vain."""
    from advisor.tree.why import why_not

    top = side.config.top if isinstance(side.config, Merged) else side.config
    for symbol in top.symbols():
        asked, value = top.get(symbol) or "n", side.subject.config.get(symbol)
        if differ(asked, value):
            yield Unheld(symbol, asked, value, why_not(tree, symbol, asked))


def _reasoned(move: SymbolMove, asked: KernelConfig, tree: KernelTree) -> SymbolMove:
    """A lost feature with what it lacks in the tree, if it was not just switched off."""
    from advisor.tree.why import lacking, why_not

    if move.kind is not SymbolKind.LOST or move.why:
        return move
    facts = tree.about(move.symbol)
    if facts and (needs := lacking(facts)):
        return move._replace(needs=needs[0], where=str(needs[1]))
    if facts and asked.get(move.symbol) != move.old:
        return move
    return move._replace(why=why_not(tree, move.symbol, move.old or "n"))


def _explained(movement: Movement, before: Subject, new: Side, tree: KernelTree) -> Movement:
    """The movement with what the tree says against the old setting's own lines."""
    from advisor.tree.why import why_not

    names = movement.old.compiled if movement.old else ()
    values = filter(None, (movement.tunable.value(name) for name in names))
    told = []
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
            told.append(why_not(tree, symbol, was))
    return movement._replace(why="; ".join(told))
