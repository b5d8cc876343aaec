"""Several settings at once, held against the sum of their own records: how far figures add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from advisor.errors import UsageError

from .effects import effects
from .record import Record
from .settings import TOGETHER, Setting
from .witness import proves, witness_of


class Checked(NamedTuple):
    """One window: what an operation takes without any of the settings, what the settings add by
    their own records (so many have an effect there), and what all of them add at once."""

    window: str
    without: float
    summed: float
    measured: float
    settings: int

    @property
    def apart(self) -> float:
        """How far the two are apart, as a part of what the operation takes without any."""
        return abs(self.summed - self.measured) / self.without


def setting_of(name: str, members: Sequence[Setting]) -> Setting:
    """All of these at once. Raises UsageError for fewer than two, or two of one tunable."""
    tunables = {member.tunable for member in members}
    if len(members) < 2 or len(tunables) < len(members):
        raise UsageError("several at once are two or more, of different tunables")
    words = tuple(word for member in members for word in member.words)
    writes = tuple(pair for member in members for pair in member.writes)
    return Setting(TOGETHER, name, "", words, writes)


def problems(record: Record, singles: Mapping[str, Record]) -> Iterator[str]:
    """What is wrong with a record of several at once: each must have one of its own, made with the
    same programs, and show that it was in effect."""
    if len(record.members) < 2:
        yield "fewer than two settings at once"
    words: list[str] = []
    writes: list[tuple[str, str]] = []
    for name, seen in record.members.items():
        single = singles.get(name)
        if single is None:
            yield f"no record of {name}"
            continue
        words += single.setting.words
        writes += single.setting.writes
        known = witness_of(single.setting.tunable)
        if known is None or not proves(known, single.setting.value, seen):
            yield f"no witness that {name} was in effect"
    if (tuple(words), tuple(writes)) != (record.setting.words, record.setting.writes):
        yield "other words than those of its settings"


def checked(base: Record, record: Record, singles: Mapping[str, Record]) -> Iterator[Checked]:
    """The windows in which two or more of the settings have an effect, the most first."""
    own = [{one.window: one for one in effects(base, singles[name])} for name in record.members]
    found = []
    for all_at_once in effects(base, record):
        parts = [row[all_at_once.window] for row in own if row[all_at_once.window].found]
        if len(parts) > 1:
            found.append(
                Checked(
                    all_at_once.window, all_at_once.without, sum(p.difference for p in parts),
                    all_at_once.difference, len(parts),
                )
            )  # fmt: skip
    yield from sorted(found, key=lambda one: (-one.settings, one.window))
