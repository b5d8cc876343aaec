"""What became of the symbols between two configurations: lost, gone, renamed, and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from advisor.comparison import Renamed, SymbolKind, SymbolMove
from advisor.engine.oracle import differ
from advisor.engine.standing import Standing, standing
from advisor.engine.state import World

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from advisor.record import NamedTuple

_ON = ("y", "m")


class Tree(Protocol):
    """What a tree that is open tells of the new side."""

    @property
    def renames(self) -> Mapping[str, str]:
        """Old names, each with the new one."""

    def defines(self, symbol: str) -> bool:
        """Whether it has the symbol."""

    def prompted(self, symbol: str) -> bool:
        """Whether a user could ever set the symbol."""


class Naming(NamedTuple):
    """Where symbols stand in Kconfig's menus (`A > B`), and the new side's tree, if any."""

    menus: Mapping[str, str] = {}
    tree: Tree | None = None


def moved_symbols(
    before: World, after: World, told: Iterable[str], naming: Naming
) -> tuple[list[SymbolMove], list[Renamed], int]:
    """The symbols with another value but those `told` already, by menu; the renamed ones; and how
    many are merely hidden or shown now.
    """
    old, new = before.config, after.config
    names = {*old.symbols(), *new.symbols()}
    pairs = {name: (old.get(name), new.get(name)) for name in names}
    hidden = sum(was != now and not differ(was, now) for was, now in pairs.values())
    moved = {name: pair for name, pair in pairs.items() if differ(*pair)}
    renamed = list(_renamed(moved, after, naming))
    told = {*told, *(one.old for one in renamed), *(one.new for one in renamed)}
    found = [
        _move(name, pair, _kind(name, pair, before, after, naming), after, naming)
        for name, pair in moved.items()
        if name not in told
    ]
    order = list(SymbolKind)
    found.sort(key=lambda move: (order.index(move.kind), move.menu, move.symbol))
    return found, sorted(renamed), hidden


def _renamed(
    moved: Mapping[str, tuple[str | None, str | None]], after: World, naming: Naming
) -> Iterable[Renamed]:
    for name, (was, now) in moved.items():
        if was is None or now is not None:
            continue
        known = [*after.knowledge.aliases(name)]
        if naming.tree and name in naming.tree.renames:
            known.append(naming.tree.renames[name])
        for other in known:
            if moved.get(other) == (None, was):
                yield Renamed(name, other, was)
                break


def _move(
    name: str,
    pair: tuple[str | None, str | None],
    kind: SymbolKind,
    after: World,
    naming: Naming,
) -> SymbolMove:
    move = SymbolMove(name, *pair, kind, naming.menus.get(name, ""))
    for other in after.knowledge.aliases(name) if pair[1] is None else ():
        if (value := after.config.get(other)) is not None:
            kind = SymbolKind.LOST if kind is SymbolKind.GONE else kind
            return move._replace(kind=kind, why=f"is {other} now, and that is {value}")
    if kind is not SymbolKind.GONE:
        return move
    rename = after.knowledge.rename(name)
    if rename is None:
        return move
    became = f"became {rename.new} in" if rename.new else "gone since"
    return move._replace(why=f"{became} {rename.since}. {rename.note}".rstrip(". "))


def _kind(
    name: str,
    pair: tuple[str | None, str | None],
    before: World,
    after: World,
    naming: Naming,
) -> SymbolKind:
    was, now = pair
    if not _prompted(name, after if now is not None else before, naming):
        return SymbolKind.DERIVED
    if was in _ON and now not in _ON:
        return SymbolKind.GONE if now is None and _gone(name, after, naming) else SymbolKind.LOST
    if now in _ON and was not in _ON:
        return SymbolKind.FORCED if was == "n" else SymbolKind.NEW
    if was is None:
        return SymbolKind.NEW
    return SymbolKind.GONE if now is None and _gone(name, after, naming) else SymbolKind.VALUE


def _prompted(name: str, world: World, naming: Naming) -> bool:
    """Whether a user sets it; so it is taken of a symbol that nobody read."""
    if naming.tree and naming.tree.defines(name):
        return naming.tree.prompted(name)
    subject, catalogue = world.subject, world.knowledge.catalogue
    seen = catalogue.seen(name)
    if seen is None or subject.kernel is None:
        return not name.endswith("_VERSION") and not name.startswith(("CC_HAS_", "HAVE_", "ARCH_"))
    arch = subject.machine.arch
    traits = [t for n in catalogue.around(subject.kernel, arch) for t in seen.traits(n, arch)]
    return not traits or any(trait.prompt for trait in traits)


def _gone(name: str, world: World, naming: Naming) -> bool:
    """Whether the new kernel has no such symbol."""
    if naming.tree:
        return not naming.tree.defines(name)
    subject = world.subject
    if subject.kernel is None:
        return False
    answer = standing(name, world.knowledge.catalogue, subject.kernel, subject.machine.arch)
    return answer.standing in (Standing.REMOVED, Standing.TOO_NEW, Standing.OTHER_ARCH)
