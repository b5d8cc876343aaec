"""The state of a group: which of its members are on, and by which line each is so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from advisor.engine.bootline import BootLine
from advisor.engine.causes import Lines, causes
from advisor.model import condition
from advisor.model.condition import Expr, Truth
from advisor.model.kernel import Layer, Location, Word
from advisor.model.report import LACK, Origin, State
from advisor.model.rules import Member, Tunable

# Words of these alone keep modules out.
_KEEPERS = frozenset(("nomodule", "module_blacklist"))
_NOBODY = Origin(Layer.COMPILED, "", Location(""))


class Subject(Lines, Protocol):
    """What is asked about a group: the World."""

    line: BootLine
    opened: frozenset[str]

    def evaluate(self, expr: Expr) -> Truth:
        """The truth of a condition."""

    def members(self, tunable: Tunable) -> Iterable[Member]:
        """The members of a group that count here."""

    def spelled(self, symbol: str) -> str:
        """The name that the configuration has for a symbol."""

    def is_elsewhere(self, name: str) -> bool:
        """Whether the symbol is of other kernels."""

    def word_origin(self, word: Word) -> Origin:
        """A word of the command line as what makes something so."""

    def symbol(self, name: str) -> str | None:
        """A symbol's value, `n` if it is absent."""

    def word_lacking(self, word: str) -> Origin:
        """That a word is not on the command line, as what makes something so."""


def group(tunable: Tunable, world: Subject, causal: bool = True) -> State | None:
    """The state of a group's members; where it need not be `causal`, without what makes it so. None
    where none of them is anything to this machine."""
    on: list[tuple[str, Origin]] = []
    off: list[tuple[str, Origin]] = []
    missing: frozenset[str] = frozenset()
    kept = kept_out(tunable, world)
    for member in world.members(tunable):
        truth, origin = _member(member, world, causal)
        if truth is not False and (word := kept.get(member.symbol)):
            truth, origin = False, world.word_origin(word)
        missing |= condition.unknowns(truth)
        if truth is True and _hangs(member, off, world):
            continue  # Kconfig drops its line, whatever it says
        if truth is True:
            on.append((member.name, origin))
        elif truth is False and any(
            sign(member, world) for sign in (_is_there, is_hidden, _is_to_show)
        ):
            off.append((member.name, origin))
    if tunable.members and not any(True for _ in world.members(tunable)):
        return None  # nothing of it is something to this machine
    values: tuple[str, ...] = ("off" if not on else "partly" if off else "on",)
    if missing:
        values = tuple(dict.fromkeys((*values, "partly" if on else "on")))
    return State(tunable.id, values, compiled=values, on=tuple(on), off=tuple(off), missing=missing)


def kept_out(tunable: Tunable, world: Subject) -> dict[str, Word]:
    """The members whose module, or that of a member they need, a word of the line keeps from being
    loaded, each with that word (kernel/module/main.c#blacklisted)."""
    kept: dict[str, Word] = {}
    if _KEEPERS.isdisjoint(world.line.by_name):
        return kept
    for member in world.members(tunable):
        is_one = member.module and world.symbol(member.symbol) == "m"
        if not is_one or _is_shown_on(member, world):
            continue
        needed = (kept[name] for name in _demanded(member.requires) if name in kept)
        words = ("nomodule=1", f"module_blacklist={member.module}")
        if word := next(needed, None) or _given(words, world):
            kept[member.symbol] = word
    return kept


def words_against(tunable: Tunable, name: str, state: State, world: Subject) -> list[Word]:
    """The words of the line that keep members of a group from being as wanted (`on` or `off`)."""
    wrong = dict(state.on if name == "off" else state.off)
    return [
        word
        for member in tunable.members
        if member.name in wrong
        for switch in (member.boot_on if name == "off" else member.boot_off)
        for word in world.line.matching(switch)
    ]


def _member(member: Member, world: Subject, causal: bool) -> tuple[Truth, Origin]:
    """Whether a group's member is on, and the line that makes it so."""
    expr: Expr = member.when if member.when is not None else ["on", member.symbol]
    truth = world.evaluate(expr)
    against = _given(member.boot_off, world)
    if against and _is_shown_on(member, world):
        against = None
    if against and truth is not False:
        return False, world.word_origin(against)
    asked = None if against else _given(member.boot_on, world)
    if asked and truth is not True:
        return True, world.word_origin(asked)
    if not causal:
        return truth, _NOBODY
    origins = causes(expr, world, lambda name: int(name != member.symbol))
    origin = _joined(origins or _without_cause(member, truth, world))
    # What is not built stays off without the word, and built it does as long as the word is there;
    # what is built is on without it, and not built as long as it is there.
    word = against or asked
    if word and origin.layer is Layer.COMPILED and origin.text:
        return truth, origin._replace(text=f"{origin.text} and {world.word_origin(word).text}")
    return truth, origin


def _demanded(expr: Expr) -> Iterator[str]:
    """The symbols without which a condition does not hold."""
    tag = condition.operator_of(expr)
    if tag == "on":
        yield condition.term(expr)[1]
    for part in condition.operands(expr) if tag == "&" else ():
        yield from _demanded(part)


def _given(switches: Iterable[str], world: Subject) -> Word | None:
    """The word of the line that turns a member, if one does."""
    words = (world.line.matching(switch) for switch in switches)
    return next((found[-1] for found in words if found), None)


def _hangs(member: Member, off: Iterable[tuple[str, Origin]], world: Subject) -> bool:
    """Whether it cannot be built for want of other members, which stand before it."""
    needs = condition.symbols(member.requires)
    return any(name in needs for name, _ in off) and world.evaluate(member.requires) is False


def _is_there(member: Member, world: Subject) -> bool:
    """Whether the kernel has it at all: by its symbol, or, older than that, without one."""
    built = member.when is not None and world.evaluate(member.when) is True
    return built or world.present(member.symbol) is True


def is_hidden(member: Member, world: Subject) -> bool:
    """Whether a line switches off the menu that it stands in."""
    behind = member.behind
    return behind != "" and world.present(behind) is True and world.symbol(behind) == "n"


def _is_to_show(member: Member, world: Subject) -> bool:
    """Whether changes of a plan open it: Kconfig asks for it then, though no line is about it."""
    if member.when is not None or not world.opened:
        return False
    needs = map(world.spelled, condition.symbols(member.requires))
    if world.opened.isdisjoint(needs) or world.evaluate(member.requires) is not True:
        return False
    return not world.is_elsewhere(world.spelled(member.symbol))


def _is_shown_on(member: Member, world: Subject) -> bool:
    """Whether the running kernel shows that it is on, whatever the line asked for."""
    terms = (["shown", path, form] for path, forms in member.shows for form in forms)
    return any(world.evaluate(term) is True for term in terms)


def _without_cause(member: Member, truth: Truth, world: Subject) -> list[Origin]:
    """The symbol's own line, if it is not built; and the lack of a word, if it waits for one.
    Nothing makes so what this kernel always has."""
    if not member.symbol:
        return [_NOBODY]
    own = [world.line_of(member.symbol)]
    if truth is not False or member.when is None or not member.boot_on:
        return own
    if world.symbol(member.symbol) == "n":
        return [*own, world.word_lacking(member.boot_on[0])]
    read = (word for word in member.boot_on if world.line.honours(word).truth is not False)
    return [world.word_lacking(word) for word in read][:1] or own


def _joined(origins: Sequence[Origin]) -> Origin:
    """Several lines that are so only together, as one: it stands where the first does."""
    compiled = [one.text for one in origins if one.layer is Layer.COMPILED or LACK in one.text]
    if len(compiled) < len(origins):
        return origins[0]
    return origins[0]._replace(text=" and ".join(compiled))
