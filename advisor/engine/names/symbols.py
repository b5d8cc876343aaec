"""The symbols that differ between two configurations: lost, gone, renamed, and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from advisor.engine.effective.world import World
from advisor.engine.names.symbol_status import ELSEWHERE, status
from advisor.model.comparison import Chosen, Renamed, SymbolKind, SymbolMove
from advisor.model.kernel import assignment
from advisor.model.numbers import release_numbers
from advisor.model.successor import Split
from advisor.model.tree import differ
from advisor.record import NamedTuple

_ON = ("y", "m")
Pair = tuple[str | None, str | None]
"""The value of a symbol in the old and in the new configuration; None where it has none."""


class Traits(NamedTuple):
    """A symbol that a tree defines: `prompted` if a user could ever set it, and all members of its
    choice, if it is in one."""

    prompted: bool
    choice: tuple[str, ...] = ()


class Naming(NamedTuple):
    """The place of symbols in Kconfig's menus (`A > B`), and the new side's tree on them.

    `renames` are the tree's own old names, each with the new one. Without a tree `traits` is None;
    the function returns None for a symbol that the tree does not define.
    """

    menus: Mapping[str, str] = {}
    renames: Mapping[str, str] = {}
    traits: Callable[[str], Traits | None] | None = None


class Moves(NamedTuple):
    """The symbols with another value, by menu, or another name; the choices with another member;
    and the number of symbols that are merely hidden or shown now.
    """

    symbols: tuple[SymbolMove, ...]
    renamed: tuple[Renamed, ...]
    chosen_otherwise: tuple[Chosen, ...]
    hidden: int


def moved_symbols(before: World, after: World, spelled: Iterable[str], naming: Naming) -> Moves:
    """Return the symbols that differ, each once, without those that spell a moved tunable."""
    old, new = before.config, after.config
    names = {*old.symbols(), *new.symbols()}
    pairs = {name: (old.get(name), new.get(name)) for name in names}
    hidden = sum(was != now and not differ(was, now) for was, now in pairs.values())
    moved = {name: pair for name, pair in pairs.items() if differ(*pair)}
    renamed = list(_renamed(moved, after, naming))
    placed = {*spelled, *(one.old for one in renamed), *(one.new for one in renamed)}
    left = {name: pair for name, pair in moved.items() if name not in placed}
    # A symbol that spells a moved tunable may be the other member of a choice, as any may.
    came = [name for name, (was, now) in moved.items() if now == "y" and was not in _ON]
    choices = sorted(_chosen(left, came, (after, before), naming))
    placed.update(name for one in choices for name in one[:2])
    moves = [
        _move(name, pair, _kind(name, pair, before, after, naming), after, naming)
        for name, pair in moved.items()
        if name not in placed
    ]
    order = list(SymbolKind)
    moves += _split(before, after, naming)
    moves.sort(key=lambda move: (order.index(move.kind), move.menu, move.symbol))
    return Moves(tuple(moves), tuple(sorted(renamed)), tuple(choices), hidden)


def _split(before: World, after: World, naming: Naming) -> Iterator[SymbolMove]:
    """Yield what was a part of a feature that was on, and is an option of its own now that is off.

    Only the old kernel's version tells that the option is new: a configuration does not name an
    option either whose conditions do not hold.
    """
    kernel, old, found = before.subject.kernel, before.config, dict[str, list[Split]]()
    for one in after.knowledge.splits():
        new = kernel and kernel.numbers < release_numbers(one.first) and old.get(one.new) is None
        off = after.config.get(one.new) == "n"
        if new and off and all(old.get(name) in _ON for name in one.old):
            found.setdefault(one.new, []).append(one)
    for name, splits in found.items():
        parts, one = [split.old[-1] for split in splits], splits[0]
        move = SymbolMove(
            name, old.get(parts[0]), "n", SymbolKind.LOST, naming.menus.get(name, ""),
            became=name, split=parts[0],
        )  # fmt: skip
        value = _value(move, name, after)
        how = f"was a part of {', '.join(parts)} in {one.last}, is a separate option in {one.first}"
        why = f"{how}: write {assignment(name, value)}. {one.note}"
        yield move._replace(old=value, why=why.rstrip(". "))


def _chosen(
    moved: Mapping[str, Pair], came: list[str], worlds: tuple[World, World], naming: Naming
) -> Iterable[Chosen]:
    """Return the choices that one of the symbols that `came` has now: nothing is lost by it, and
    nothing is new."""
    for world in worlds:
        taken = {key: name for name in came if (key := choice_of(name, world, naming))}
        for name, (was, now) in moved.items():
            other = taken.pop(choice_of(name, world, naming), "") if was == "y" != now else ""
            if other:
                came.remove(other)
                moved = {s: pair for s, pair in moved.items() if s not in (name, other)}
                yield Chosen(name, other, naming.menus.get(other, ""))


def choice_of(name: str, world: World, naming: Naming) -> str:
    """Return the choice that a symbol belongs to, by its first member; empty if to none."""
    if naming.traits and (traits := naming.traits(name)):
        return next(iter(traits.choice), "")
    return next((trait.choice for trait in world.traits(name) or () if trait.choice), "")


def _renamed(moved: Mapping[str, Pair], after: World, naming: Naming) -> Iterable[Renamed]:
    for name, (was, now) in moved.items():
        if was is None or now is not None:
            continue
        others = (*after.knowledge.aliases(name), naming.renames.get(name, ""))
        # Only with the same value, and not there before: else it is another symbol's change.
        if new := next((other for other in others if moved.get(other) == (None, was)), ""):
            yield Renamed(name, new, was)
        elif was in _ON and (successor := after.knowledge.successor(name)):
            values = {other: after.config.get(other) for other in after.knowledge.became(name)}
            # The latest of its successors that is on, under whatever name it has.
            if other := next((other for other in reversed(values) if values[other] in _ON), ""):
                note = successor.note if other in successor.new else ""
                yield Renamed(name, other, str(values[other]), successor.part, note)


def _move(name: str, pair: Pair, kind: SymbolKind, after: World, naming: Naming) -> SymbolMove:
    move = SymbolMove(name, *pair, kind, naming.menus.get(name, ""))
    for other in after.knowledge.aliases(name) if pair[1] is None else ():
        if (value := after.config.get(other)) is not None:
            kind = SymbolKind.LOST if kind is SymbolKind.GONE else kind
            off = value == "n" and move.old in _ON and _prompted(other, after, naming)
            write = f": write {assignment(other, _value(move, other, after))}" * off
            return move._replace(kind=kind, why=f"is {other} now, and {other} is {value}{write}")
    if pair[1] is None and (end := _succeeded(move, after, naming)):
        return end
    if pair[1] is None and after.is_patched(name):
        return move._replace(why="comes from a patch, not from the kernel itself")
    if kind is not SymbolKind.GONE:
        return move
    rename = after.knowledge.rename(name)
    if rename is None:
        return move
    became = f"became {rename.new} in" if rename.new else "gone since"
    return move._replace(why=f"{became} {rename.since}. {rename.note}".rstrip(". "))


def _succeeded(move: SymbolMove, after: World, naming: Naming) -> SymbolMove | None:
    """Return the move of a symbol that is gone, if the kernel has its successor and that is off."""
    knowledge = after.knowledge
    successor = knowledge.successor(move.symbol)
    known = reversed(knowledge.became(move.symbol)) if successor else ()
    other = next((name for name in known if not _gone(name, after, naming)), "")
    if successor is None or not other or move.kind not in (SymbolKind.GONE, SymbolKind.UNTOLD):
        return None
    how = f"is {'a part of ' * successor.part}{other} now"
    if move.old not in _ON:
        value = after.config.get(other) or "not there"
        return move._replace(why=f"{how}, which is {value}{knowledge.price(move.symbol)}")
    if not _prompted(other, after, naming):  # what needs it brings it
        return move._replace(why=f"{how}, which no enabled symbol selects")
    how += f", which is not on: write {assignment(other, _value(move, other, after))}"
    why = f"{how}{knowledge.price(move.symbol)}"
    return move._replace(kind=SymbolKind.LOST, why=why, became=other)


def _value(move: SymbolMove, name: str, world: World) -> str:
    """Return the value to write for a symbol that may take no m."""
    seen = world.knowledge.catalogue.seen(name)
    kinds = {fact.traits[:1] for fact in seen.facts} if seen else set()
    return (move.old or "y") if "t" in kinds else "y"


def _kind(name: str, pair: Pair, before: World, after: World, naming: Naming) -> SymbolKind:
    was, now = pair
    if not _prompted(name, after if now is not None else before, naming):
        return SymbolKind.DERIVED
    if now in _ON and was not in _ON:
        return SymbolKind.FORCED if was == "n" else SymbolKind.NEW
    if was is None:
        return SymbolKind.NEW
    if now is None and not after.is_patched(name) and _gone(name, after, naming):
        return SymbolKind.GONE
    if now is None and was in _ON and not naming.traits:
        old, new = before.subject.kernel, after.subject.kernel
        same = old and new and old.numbers[:2] == new.numbers[:2]
        # A release that nobody read may have removed it.
        if new and not same and after.knowledge.is_unread(new):
            return SymbolKind.UNTOLD
    if was not in _ON or now in _ON:
        return SymbolKind.VALUE
    return SymbolKind.UNNAMED if now is None and not after.config.complete else SymbolKind.LOST


def _prompted(name: str, world: World, naming: Naming) -> bool:
    """Return whether a user can set the symbol; a symbol that no kernel read has counts as such."""
    if naming.traits and (traits := naming.traits(name)):
        return traits.prompted
    seen = world.traits(name)
    if seen is None:
        # By their names: these are of the compiler and of architectures, which nobody is asked.
        return not name.endswith("_VERSION") and not name.startswith(("CC_HAS_", "HAVE_", "ARCH_"))
    return not seen or any(trait.prompt for trait in seen)


def _gone(name: str, world: World, naming: Naming) -> bool:
    """Return whether the new kernel has no such symbol."""
    if naming.traits:
        return naming.traits(name) is None
    subject = world.subject
    if subject.kernel is None:
        return False
    catalogue, arch = world.knowledge.catalogue, subject.machine.arch
    if seen := catalogue.seen(name):
        known = [(catalogue.kernels[n], n) for n in catalogue.around(subject.kernel, arch)]
        release = [n for k, n in known if k.version.numbers[:2] == subject.kernel.numbers[:2]]
        if release:  # also of a later patch: a stable series removes hardly anything
            return not any(seen.kernels(arch) >> number & 1 for number in release)
    return status(name, world).standing in ELSEWHERE
