"""What the rules would write, tried in a kernel tree: whether `requires` is what Kconfig demands.

From real starting points (the tree's defaults, a defconfig) the engine plans every value of every
tunable from the rules alone, as it does where no tree is at hand. The tree then shows whether each
planned line holds, and whether a value that the rules call blocked could be had after all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.rebuild import rebuild
from advisor.lint.symbols import symbols_of
from advisor.lint.view import Checked, Contradiction, TreeView, usable
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.kernel import ConfigEntry, Location, Machine, entry_of
from advisor.model.remedy import Change, Remedy, Role, spelled_out
from advisor.model.subject import Subject
from advisor.model.tree import Assignment
from advisor.model.tunable import Tunable, Value
from advisor.tree.kerneltree import KernelTree
from advisor.tree.why import why_not


class TreeConfig:
    """The configuration that a tree stands at, line by line, each worked out when asked for."""

    complete = True

    def __init__(self, tree: KernelTree, name: str) -> None:
        self._tree = tree
        self._name = name

    def symbols(self) -> Iterable[str]:
        """All that it names."""
        return self._tree.snapshot()

    def shows(self, symbol: str) -> bool:
        """Whether the .config would have a line about it."""
        return self._tree.line(symbol) is not None

    def get(self, symbol: str) -> str | None:
        """The value in that line."""
        return self._tree.line(symbol)

    def place(self, symbol: str) -> Location:
        """No line: there is no file."""
        return Location(self._name)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value, without a line."""
        return entry_of(self.get(symbol), self.place(symbol))


def plan_facts(tunable: Tunable, view: TreeView, start: str) -> Checked:
    """Plans every value that a rebuild can give, and tries it from the configuration at hand.

    Then again with every symbol that it requires turned round.
    """
    for name, requires in _wanted(tunable, view):
        yield from _tried(tunable, name, view, start)
        for symbol in _plain(requires):
            with view.tree.trial():
                # The rule must know both: what it needs, and that it cannot be had without.
                other = "n" if view.tree.value(symbol) in ("y", "m") else "y"
                if view.tree.set(symbol, other):
                    for hidden in symbols_of(tunable):
                        if view.tree.line(hidden) is None:  # no .config would have the line
                            view.tree.reset(hidden)
                    where = f"{start} with {symbol}={other}"
                    yield from _tried(tunable, name, view, where)


def _wanted(tunable: Tunable, view: TreeView) -> Iterator[tuple[str, Expr]]:
    """Yields the values to plan, with what they require; of a number the ends of its range."""
    if tunable.symbol and (name := view.spelled(tunable.symbol)):
        for limits in view.facts(name).ranges[:1]:
            for number in limits.partition(" if ")[0].split():
                yield number, tunable.requires
    yield from ((value.name, value.requires) for value in tunable.values if value.sets)
    if tunable.members:
        required = [member.requires for member in tunable.members if member.requires]
        yield "off", ["&", *required] if required else None


def _plain(expr: Expr) -> list[str]:
    """Lists the symbols of a condition that may be turned on and off."""
    return list(dict.fromkeys(atom[1] for atom in condition.atoms(expr) if atom[0] == "on"))


def _tried(tunable: Tunable, name: str, view: TreeView, start: str) -> Checked:
    config = TreeConfig(view.tree, start)
    subject = Subject(start, config, view.tree.version, Machine(arch=view.arch))
    world = World(subject, view.knowledge)
    state = world.state(tunable.id)
    if state is None:
        return
    # A range may go from one symbol to another, whose value is then the number.
    name = view.tree.value(name) or name if tunable.symbol else name
    # Where each value is had from lines that the tree has, its symbols decide the tunable.
    if (
        not state.compiled
        and tunable.kind != "group"
        and tunable.values
        and all(any(usable(p, view) is not None for p in v.sets) for v in tunable.values)
    ):
        says = "one value of the tunable is recognised wherever the tunable exists"
        has = f"no value is recognised in {start}"
        yield Contradiction("unread", f"tunable/{tunable.id}", "", says, has)
    if state.effective == (name,):
        return  # nobody plans what is so; of its other ways some may not be had beside it
    outcome = rebuild(tunable, name, world)
    if isinstance(outcome, Remedy):
        yield _not_held(tunable, name, outcome, view, start)
        return
    value = tunable.value(name)
    # Other causes are of the engine, which is careful where it knows no tree.
    if value and isinstance(outcome, Blocked) and world.evaluate(value.requires) is False:
        yield _blocked(tunable, value, outcome, view, start)


def _not_held(
    tunable: Tunable, name: str, remedy: Remedy, view: TreeView, start: str
) -> Contradiction | None:
    """Checks that every planned line holds in the tree."""
    tree = view.tree
    with tree.trial():
        for change in remedy.changes:
            tree.set(change.symbol, _quoted(tree, change.symbol, change.new))
        missed = next((change for change in remedy.changes if not _holds(tree, change)), None)
        if missed is None:
            return None
        cause = why_not(tree, missed.symbol, missed.new)
    wanted = spelled_out(change for change in remedy.changes if change.role is Role.ASKED)
    needed = spelled_out(remedy.needs)
    says = f"{wanted}{f' (with {needed})' if needed else ''} gives the value {name!r}"
    has = f"{missed.symbol}={missed.new} does not hold: {cause} (from {start})"
    return Contradiction("requires", f"tunable/{tunable.id}", missed.symbol, says, has)


def _holds(tree: KernelTree, change: Change) -> bool:
    value = tree.value(change.symbol)
    # A string stands in quotes; what is off may be hidden, and then has no line at all.
    return value in (change.new, f'"{change.new}"') or (change.new == "n" and value is None)


def _blocked(
    tunable: Tunable, value: Value, outcome: Blocked, view: TreeView, start: str
) -> Contradiction | None:
    """Checks that the tree agrees that a value cannot be had as things stand."""
    for pairs in value.sets:
        spelled = usable(pairs, view)
        lines = [pair for pair in spelled or () if view.tree.prompted(pair[0])]
        if not lines or not _takes_all(view.tree, lines, spelled or [], _plain(value.requires)):
            continue
        says = f"the value {value.name!r} is unavailable: {outcome.reason}"
        has = f"the tree takes {', '.join('='.join(pair) for pair in lines)} (from {start})"
        return view.against("blocked", f"tunable/{tunable.id}", lines[0][0], says, has)
    return None


def _takes_all(
    tree: KernelTree, lines: list[Assignment], wanted: list[Assignment], kept: list[str]
) -> bool:
    """Whether the lines hold, and cost none of the symbols that the rule will not give up."""
    before = [tree.value(symbol) for symbol in kept]
    with tree.trial():
        for symbol, text in lines:
            tree.set(symbol, _quoted(tree, symbol, text))
        held = all(tree.value(symbol) in (text, f'"{text}"') for symbol, text in wanted)
        # What no .config shows is off by itself.
        visible = any(tree.line(symbol) is not None for symbol, _ in lines)
        return held and visible and [tree.value(symbol) for symbol in kept] == before


def _quoted(tree: KernelTree, symbol: str, text: str) -> str:
    """The value as a .config has it: a string in quotes."""
    quoted = (tree.value(symbol) or "")[:1] == '"'
    return f'"{text}"' if quoted and text[:1] != '"' else text
