"""The ways to a wanted value at run time: a sysctl, or a file below /sys."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.engine.effective.world import World
from advisor.engine.remedy.what_if import Goal, with_settings
from advisor.model import condition
from advisor.model.remedy import Remedy, RemedyKind, Setting
from advisor.model.saying import said
from advisor.model.tunable import Tunable


def runtime_remedy(
    tunable: Tunable, name: str, world: World, may_lack: bool = False
) -> Remedy | None:
    """Return the run-time way to a value, where this kernel has one and lets it be written.

    Of a fragment, or where no configuration is known, only where its lines tell so, or a file that
    lists what can be written, unless what they do not tell `may_lack`.
    """
    remedy = _written(tunable, name, world, may_lack)
    return None if remedy is None or _refused(remedy, world) else remedy


def first_at_run_time(names: Iterable[str], goal: Goal) -> Remedy | None:
    """Return the run-time way to the first value that has one."""
    tunable, world = goal.tunable, goal.world
    for name in names:
        remedy = runtime_remedy(tunable, name, world)
        # What is written may mean another thing in a release that was not told.
        if remedy and at_stake(remedy, tunable, world) == {"kernel"}:
            after = with_settings(world, remedy.settings).value(tunable.id)
            if after is None or not all(map(goal.good, after.effective)):
                continue
        # Nobody settles for another value where only a fragment does not tell whether it must be.
        if remedy or runtime_remedy(tunable, name, world, may_lack=True):
            return remedy
    return None


def refusals(tunable: Tunable, names: Iterable[str], world: World) -> list[str]:
    """Return why this kernel lets nobody write these values where it has a run-time way to them."""
    ways = (_written(tunable, name, world, may_lack=False) for name in names)
    reasons = (_refused(remedy, world) for remedy in ways if remedy)
    return list(dict.fromkeys(filter(None, reasons)))


def no_way(names: Iterable[str], tunable: Tunable, world: World) -> str:
    """Return what this kernel lacks to have these values set at run time, where each of them needs
    something that it surely has not; else nothing."""
    known = list(filter(None, map(tunable.value, names)))
    conditions = [value.runtime_only_if for value in known]
    if not known or any(world.evaluate(one) is not False for one in conditions):
        return ""
    lacks = (said(condition.lacking(one, world)) for one in conditions)
    return f"it can be set only if {' or '.join(dict.fromkeys(lacks))}"


def at_stake(remedy: Remedy, tunable: Tunable, world: World) -> frozenset[str]:
    """Return what would tell whether this machine takes what the remedy writes at run time."""
    value = tunable.value(remedy.value)
    when = value.runtime_only_if if value and remedy.kind is RemedyKind.RUNTIME else None
    return condition.unknowns(world.evaluate(when))


def _refused(remedy: Remedy, world: World) -> str:
    return next(filter(None, (world.files.refuses(one.key) for one in remedy.settings)), "")


def _written(tunable: Tunable, name: str, world: World, may_lack: bool) -> Remedy | None:
    """Return the run-time way to a value, where this kernel has one, writable or not."""
    value = tunable.value(name)
    if value is not None:
        pairs = [*value.settings]
    elif name == tunable.default and not name[:1].isdigit():
        pairs = []  # "the kernel's own choice" is nothing that can be written
    else:
        number = name.partition("..")[0]
        pairs = [(path, number) for path in (tunable.sysctl, tunable.sysfs) if path]
    allowed = world.evaluate(value.runtime_only_if) if value else True
    missing = condition.unknowns(allowed)
    partial = not world.config.complete and not may_lack
    if not pairs or allowed is False or "arch" in missing:
        return None
    if partial and any(name.isupper() for name in missing) and not world.files.offer(pairs):
        return None
    return Remedy(RemedyKind.RUNTIME, name, settings=tuple(Setting(*pair) for pair in pairs))
