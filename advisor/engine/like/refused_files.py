"""What a kernel does with a value of a file below /sys that the rules' facts tell of: no such file,
a file without effect, a number beyond the largest."""

from __future__ import annotations

from advisor.engine.effective.world import World
from advisor.knowledge.sysfs import is_same
from advisor.model import condition
from advisor.model.like import Answer, Entry, Ruling
from advisor.model.numbers import whole_number


def refused(entry: Entry, world: World, *, is_shown: bool) -> Ruling | None:
    """Return the ruling on a file that this kernel lacks, ignores or does not take the value of; a
    file that the kernel `is_shown` to have is there."""
    if not is_shown and (why := _told("file-gone", entry, world)):
        return Ruling(Answer.NO_KNOB, why)
    if why := _told("file-idle", entry, world):
        return Ruling(Answer.NO_EFFECT, why)
    most, number = whole_number(_told("file-most", entry, world)), whole_number(entry.value)
    if most is None or (number is not None and number <= most):
        return None
    why = f"the file accepts 0 to {most}; the kernel refuses this value and keeps the present one"
    return Ruling(Answer.NO_EFFECT, why)


def _told(about: str, entry: Entry, world: World) -> str:
    """Return what a fact says of the file in this kernel; empty if none does."""
    for fact in world.knowledge.facts(about):
        is_named = any(is_same(entry.key, name) for name in fact.names)
        if is_named and condition.surely(fact.only_if, world):
            return fact.says
    return ""
