"""The state of a group: which of its members are on, and by which line each is so."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.model import condition
from advisor.model.condition import Truth
from advisor.model.kernel import Layer, Location, Word
from advisor.model.state import Origin, State
from advisor.model.tunable import Member, Tunable

# Words of these alone keep modules out.
_KEEPERS = frozenset(("nomodule", "module_blacklist"))
NOBODY = Origin(Layer.COMPILED, "", Location(""))


def group(tunable: Tunable, world: KernelFacts) -> State | None:
    """Return the state of a group's members, without the lines that decide it but for words that
    keep modules out; None if no member is of use to this machine."""
    on: list[tuple[str, Origin]] = []
    off: list[tuple[str, Origin]] = []
    missing: frozenset[str] = frozenset()
    kept = kept_out(tunable, world)
    for member in world.members(tunable):
        truth, origin = is_member_on(member, world), NOBODY
        if truth is not False and (word := kept.get(member.symbol)):
            truth, origin = False, world.word_origin(word)
        missing |= condition.unknowns(truth)
        needs = condition.symbols(member.requires) if truth is True else ()
        if any(name in needs for name, _ in off) and world.evaluate(member.requires) is False:
            continue  # Kconfig drops the line of a member for which those before it are off
        if truth is True:
            on.append((member.name, origin))
        elif truth is False and (
            # In older kernels without a symbol of its own, a condition shows it.
            condition.surely(member.when, world)
            or world.present(member.symbol) is True
            or is_hidden(member, world)
            or _is_to_show(member, world)
            or _is_switched_off(member, world)
        ):
            off.append((member.name, origin))
    if tunable.members and not any(True for _ in world.members(tunable)):
        return None
    protecting = [(one.name, _given(one.kept, world)) for one in tunable.members if one.kept]
    words = tuple((name, word.text) for name, word in protecting if word)
    values: tuple[str, ...] = ("off" if not on else "partly" if off else "on",)
    if missing:  # which of those that nobody told are on; all can be only where none is off
        values = tuple(dict.fromkeys((*values, "partly" if on or off else "on")))
    state = State(tunable.id, values, compiled=values, on=tuple(on), off=tuple(off))
    return state._replace(kept=words, missing=missing)


def kept_out(tunable: Tunable, world: KernelFacts) -> dict[str, Word]:
    """Return the members whose module, or that of a member they need, a word of the line keeps from
    being loaded, each with that word (kernel/module/main.c#blacklisted)."""
    kept: dict[str, Word] = {}
    if _KEEPERS.isdisjoint(world.line.by_name):
        return kept
    for member in world.members(tunable):
        is_one = member.module and world.symbol(member.symbol) == "m"
        if not is_one or _is_shown_on(member, world):
            continue
        needed = (kept[name] for name in condition.needed(member.requires) if name in kept)
        words = ("nomodule=1", f"module_blacklist={member.module}")
        if word := next(needed, None) or _given(words, world):
            kept[member.symbol] = word
    return kept


def words_against(tunable: Tunable, name: str, state: State, world: KernelFacts) -> list[Word]:
    """Return the words of the line that keep members from being as wanted (`on` or `off`)."""
    wrong = dict(state.on if name == "off" else state.off)
    return [
        word
        for member in tunable.members
        if member.name in wrong
        for switch in (member.boot_on if name == "off" else member.boot_off)
        for word in world.line.matching(switch)
    ]


def is_member_on(member: Member, world: KernelFacts) -> Truth:
    """Return whether a group's member is on: built, unless a word of the line says otherwise."""
    truth = world.evaluate(member.when if member.when is not None else ["on", member.symbol])
    if truth is not False and _given(member.boot_off, world) and not _is_shown_on(member, world):
        return False
    off = truth is not True and not _given(member.boot_off, world)
    return True if off and _given(member.boot_on, world) else truth


def _is_switched_off(member: Member, world: KernelFacts) -> bool:
    """Return whether a word of the line switches off what no line of the configuration is about:
    not built it would be off as well."""
    told = world.evaluate(member.when if member.when is not None else ["on", member.symbol])
    return bool(condition.unknowns(told)) and _given(member.boot_off, world) is not None


def _given(switches: Iterable[str], world: KernelFacts) -> Word | None:
    """Return the word of the line that switches a member, if there is one."""
    words = (world.line.matching(switch) for switch in switches)
    return next((found[-1] for found in words if found), None)


def is_hidden(member: Member, world: KernelFacts) -> bool:
    """Return whether a line switches off a menu of the member."""
    menus = member.behind.split()
    return any(world.present(one) is True and world.symbol(one) == "n" for one in menus)


def _is_to_show(member: Member, world: KernelFacts) -> bool:
    """Return whether changes of a plan make the member visible, though no line is about it."""
    if member.when is not None or not world.opened:
        return False
    needs = map(world.spelled, condition.symbols(member.requires))
    if world.opened.isdisjoint(needs) or world.evaluate(member.requires) is not True:
        return False
    return not world.is_elsewhere(world.spelled(member.symbol))


def _is_shown_on(member: Member, world: KernelFacts) -> bool:
    """Return whether the running kernel shows the member on, whatever the line asks for."""
    terms = (["shown", path, form] for path, forms in member.shows for form in forms)
    return any(world.evaluate(term) is True for term in terms)
