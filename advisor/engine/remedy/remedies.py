"""The ways to a wanted value, the least invasive first: run time, boot line, rebuild; or why not.

Each is tried on a copy of the subject (Goal). Where nothing else does, a rebuild is followed by a
second step: a BPF compiler built before 5.6 waits for its sysctl (kernel/bpf/core.c
#bpf_jit_enable), which only what is built has; nohz_full= is read by kernels with NO_HZ_FULL alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from advisor.engine.effective.impossible import is_capability
from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.boot_remedies import (
    boot_remedy,
    comes_back,
    is_too_new,
    settled,
    spelled,
    undecided,
    unheard,
)
from advisor.engine.remedy.dependencies import enabled
from advisor.engine.remedy.rebuild import rebuild
from advisor.engine.remedy.runtime_remedies import (
    at_stake,
    first_at_run_time,
    refusals,
    runtime_remedy,
)
from advisor.engine.remedy.what_if import (
    Goal,
    rebooted,
    with_settings,
    without_opposing,
    world_with,
)
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.condition import Expr
from advisor.model.profile import REQUIREMENT, Option
from advisor.model.remedy import Change, Remedy, RemedyKind, Role
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

_STARTED_OTHERWISE = (
    "configuration and boot line already give the wanted value, but the running kernel has "
    "another: look in its log (dmesg)"
)
# What a condition asks beside symbols, as a sentence has it.
_FACTS = {
    "arch": "the architecture", "kernel": "the version", "cpus": "the number of CPUs",
    "nodes": "the number of NUMA nodes", "memory": "the amount of memory",
    "vendor": "the vendor of the processors", "virtual": "whether the machine is a guest",
    "hypervisor": "the guest's hypervisor",
    "efi": "whether the machine boots by EFI", "backports": "what the kernel's vendor backported",
    "release": "the release that added the parameter",
}  # fmt: skip


class Ladder(NamedTuple):
    """One remedy a rung, least invasive first, each for the first value which that rung can give.

    Without remedies: the `reasons` why, whether that is since this release has none of it
    (`absent`), and the inputs that would tell whether there is a way (`missing`).
    """

    remedies: tuple[Remedy, ...]
    reasons: tuple[str, ...] = ()
    absent: bool = False
    missing: frozenset[str] = frozenset()


def ladder(option: Option, names: Sequence[str], goal: Goal) -> Ladder:
    """Return the remedies that give one of these values, the preferred first."""
    if goal.tunable.kind == REQUIREMENT:
        from advisor.engine.remedy.conditions import remedy

        outcome = remedy(goal, least)
        return Ladder((), (outcome.reason,)) if isinstance(outcome, Blocked) else Ladder((outcome,))
    found = _rungs(option, names, goal)
    first = next(iter(found.remedies), None)
    if first is None:
        if found.absent or found.missing:
            return found
    elif "vendor" in at_stake(first, goal.tunable, goal.world):
        return Ladder(_by_vendor(option, names, goal) or found.remedies)
    elif (
        # Unless there is only a rebuild, to a value that is accepted and not wanted.
        first.kind is not RemedyKind.REBUILD
        or first.value not in option.accept
        or any(one.left for one in found.remedies)
        or untold_needs(found.remedies, goal)
    ):
        return found
    wanted = [name for name in names if first is None or name in option.want]
    both = _two_steps(wanted, goal, first is None)
    return Ladder((both,)) if both else found


def least(tunable: Tunable, names: tuple[str, ...], world: World) -> Remedy | tuple[str, ...]:
    """Return the least invasive remedy that gives a tunable one of the values; or why none does."""
    goal = Goal(tunable, lambda found: found in names, world)
    found = ladder(Option(tunable.id, names), names, goal)
    return found.remedies[0] if found.remedies else found.reasons


def _rungs(option: Option, names: Sequence[str], goal: Goal) -> Ladder:
    """Return the remedies of one step, or why there is none."""
    tunable, world = goal.tunable, goal.world
    refused = refusals(tunable, names, world)
    rungs = [first_at_run_time(names, goal)]
    if comes_back(goal):
        return Ladder(tuple(filter(None, rungs)), (*refused, _STARTED_OTHERWISE))
    rungs.append(boot_remedy(names, goal))
    reasons: dict[str, list[str]] = {}
    absent: set[str] = set()
    # Where taking a word off the boot line is enough, nobody wants to hear of a rebuild.
    for name in () if any(one and one.drop and not one.words for one in rungs) else names:
        outcome = _rebuilt(name, goal)
        if isinstance(outcome, Remedy):
            rungs.append(outcome)
            break
        reasons[name] = [outcome.reason] if outcome else unheard(tunable, name, world)
        if outcome.absent if outcome else is_too_new(tunable, name, world):
            absent.add(name)
    if remedies := tuple(filter(None, rungs)):
        return Ladder(remedies)
    reasons = {name: why for name, why in reasons.items() if why}
    none = bool(reasons) and not refused and absent.issuperset(reasons)
    # Where this release has one of several values, why that cannot be had is what counts, and why
    # there is no way to what is accepted only for want of that.
    here = {name: why for name, why in reasons.items() if none or name not in absent}
    wanted = [reason for name in option.want for reason in here.get(name, ())]
    told = (*refused, *(wanted or chain.from_iterable(here.values())))
    return Ladder((), told, none, frozenset() if told else undecided(tunable, names, world))


def _by_vendor(option: Option, names: Sequence[str], goal: Goal) -> tuple[Remedy, ...]:
    """Return the ladders of the machines that it may be: what serves each of them first, then what
    serves one alone, labelled."""

    def done(one: Remedy) -> Remedy:
        """By what is to be done: the same setting may be another value on the other machine."""
        return one._replace(value="")

    ladders: dict[str, tuple[Remedy, ...]] = {}
    for vendor in ("intel", "amd"):
        machine = goal.world.subject.machine._replace(vendor=vendor)
        told = goal.world.after(goal.world.subject._replace(machine=machine))
        state = told.value(goal.tunable.id)
        if state and state.effective and not all(map(goal.good, state.effective)):
            ladders[vendor] = _rungs(option, names, goal._replace(world=told)).remedies

    each = [set(map(done, ladder)) for ladder in ladders.values()]
    every = set.intersection(*each) if len(each) > 1 else set()
    shared = (one for one in next(iter(ladders.values()), ()) if done(one) in every)
    own = (
        one._replace(vendor=name)
        for name, ladder in ladders.items()
        for one in ladder
        if done(one) not in every
    )
    return (*shared, *own)


# --- a rebuild, and what may follow it ------------------------------------------------------------


def _rebuilt(name: str, goal: Goal) -> Remedy | Blocked | None:
    """Return the rebuild that gives a value with the present boot line; or why none does."""
    tunable, world = goal.tunable, goal.world
    built = rebuild(tunable, name, world)
    if built is None:
        remedy = _reading_words(name, goal, on_line=True)
        built = remedy if remedy and goal.is_met_by(remedy) else None
    return beside_line(built, goal) if isinstance(built, Remedy) else built


def beside_line(built: Remedy, goal: Goal) -> Remedy | Blocked:
    """Return a rebuild that counts with the present boot line, without the words of that which
    would undo it; or why it would not count all the same."""
    remedy = without_opposing(built, goal)
    if not goal.is_met_by(remedy):
        # No word makes it certain: those go without which it is possible.
        remedy = without_opposing(built, goal, goal.may_be_met_by)
        if not goal.may_be_met_by(remedy) and (why := _why_not(remedy, goal)):
            return Blocked(why)
    remedy = settled(remedy, goal)
    after, before = goal.after(remedy), goal.world.value(goal.tunable.id)
    if after is None or all(map(goal.good, after.effective)):
        return remedy
    # What it rests on that these inputs do not tell.
    new = sorted(after.missing - (before.missing if before else frozenset()))
    names = " and ".join(map(said_of, new))
    told = f"whether a rebuild is enough depends on {names}, which these inputs do not show"
    return remedy._replace(left=(*remedy.left, told)) if new else remedy


def _why_not(remedy: Remedy, goal: Goal) -> str:
    """Return what a rebuild does not win over; nothing where a group is reached in part."""
    state = rebooted(goal.world, remedy).state(goal.tunable.id)
    if state is None or state.on:
        return ""
    words = {word.text for word in goal.world.line.own()}
    kept = [origin.text for origin in state.origins if origin.text in words]
    if not kept or state.why or goal.tunable.kind == "group":
        return state.why
    return f"{' and '.join(kept)} on the boot line would override a rebuild"


def said_of(name: str) -> str:
    """Return an input that would tell more, as a sentence has it: a symbol, a fact in words."""
    return _FACTS.get(name, name)


def _reading_words(name: str, goal: Goal, on_line: bool) -> Remedy | None:
    """Return the rebuild after which the kernel reads the words for a value that it ignores now; of
    those alone that are on the line, where they have to be `on_line`."""
    tunable, world = goal.tunable, goal.world
    changes: dict[str, Change] = {}
    for word in spelled(tunable, name, world):
        parameter = world.knowledge.parameter(parameter_name(word))
        if (
            parameter is None
            or world.line.honours(word).cause != "built"
            or (on_line and parameter.name not in world.line.by_name)
        ):
            continue
        needed = lines_for(parameter.only_if, world)
        if needed is None:
            return None
        changes |= {change.symbol: change for change in needed}
    return Remedy(RemedyKind.REBUILD, name, changes=tuple(changes.values())) if changes else None


def lines_for(needs: Expr, world: World) -> Sequence[Change] | None:
    """Return the Kconfig lines after which a condition holds, of alternatives for the first that
    can be had; None where none can."""
    if world.evaluate(needs) is True:
        return ()
    tag = condition.operator_of(needs)
    if tag == "on":
        symbol = condition.term(needs)[1]
        if not (found := world.knowledge.own(symbol)):
            return enabled(symbol, world)
        # The tunable whose one line that is knows what it takes the place of.
        outcome = rebuild(found[0], found[1].name, world)
        if not isinstance(outcome, Remedy):
            return None
        # What the value sets beside it has a purpose of its own, unless it is of the same choice.
        own = {world.spelled(symbol), *map(world.spelled, found[0].choice)}
        return [one for one in outcome.changes if one.role is not Role.ASKED or one.symbol in own]
    parts = (lines_for(part, world) for part in condition.operands(needs))
    if tag == "|":
        return next((part for part in parts if part is not None), None)
    if tag != "&":  # what nobody can build, as a release or an architecture
        return None if world.evaluate(needs) is False else ()
    known = list(parts)
    return None if None in known else [change for part in known if part for change in part]


def _two_steps(names: Iterable[str], goal: Goal, is_blocked: bool) -> Remedy | None:
    """Return a rebuild with what is written after it, or with words that the line takes then:
    `lsm=` has to name what is built. Only where all else `is_blocked`, a rebuild for its own sake.
    """
    for name in names:
        built = rebuild(goal.tunable, name, goal.world, alone=False) if is_blocked else None
        for first in (built, _reading_words(name, goal, on_line=False)):
            if isinstance(first, Remedy) and (both := _with_second_step(first, goal)):
                return both
    return None


def _with_second_step(built: Remedy, goal: Goal) -> Remedy | None:
    """Return a rebuild with the settings or words that give its value then, if any do."""
    tunable, after = goal.tunable, rebooted(goal.world, built)
    if after.evaluate(tunable.needs_of(built.value)) is False:
        return None  # what the value needs is surely not there then either
    written = runtime_remedy(tunable, built.value, after)
    if written and goal.is_met_in(with_settings(after, written.settings).value(tunable.id)):
        return built._replace(settings=written.settings)
    then = goal._replace(world=after)
    line = boot_remedy([built.value], then) if after.value(tunable.id) else None
    if line is None:
        return None
    both = built._replace(words=line.words, drop=line.drop, repeats=line.repeats)
    return both if goal.is_met_by(both) else None


# --- what a fragment does not tell ----------------------------------------------------------------


def untold_needs(remedies: Sequence[Remedy], goal: Goal) -> str:
    """Return what has to be on for a rebuild, the only or first way, and of which a fragment says
    nothing; empty if there is no such thing."""
    world, first = goal.world, remedies[0] if remedies else None
    if world.config.complete or first is None or first.kind is not RemedyKind.REBUILD:
        return ""
    requires = goal.tunable.needs_of(first.value)
    missing = condition.unknowns(world_with(world, first.changes).evaluate(requires))
    names = sorted(name for name in missing & {*_to_be_on(requires)} if not _goes_on(name, world))
    return (
        f"the rebuild also needs {' and '.join(names)}, which no given input shows" if names else ""
    )


def _goes_on(name: str, world: World) -> bool:
    """Tell whether a symbol is on that no defconfig names: what a told architecture has, where it
    can be on at all, and what it does not ask for as others do (SMP on arm64)."""
    if name in world.knowledge.fact("given").names or name.startswith("HAVE_"):
        return True
    if world.subject.kernel is None or world.subject.machine.arch is None:
        return False
    return is_capability(name) or world.is_settled(name)


def _to_be_on(requires: Expr) -> Iterator[str]:
    """Yield the symbols that a condition wants on, not those that it wants off."""
    tag = condition.operator_of(requires)
    if tag in ("&", "|"):
        for part in condition.operands(requires):
            yield from _to_be_on(part)
    elif tag == "on":
        yield condition.term(requires)[1]
