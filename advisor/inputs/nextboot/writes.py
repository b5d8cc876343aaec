"""What is written at a boot, gathered from one writer after another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from advisor.inputs.host.root import Root
from advisor.model.kernel import Location
from advisor.model.nextboot import Overridden, Written
from advisor.model.plan import OF_PLANS
from advisor.model.remedy import is_variable
from advisor.model.sysctl import key_of

_GLOB = frozenset("*?[")
_MOST = 20_000


class Writes:
    """Gathers what is written; of files below /sys what `patterns` of rules name.

    A later value takes the place of an earlier one. A key is `unsure` where it hangs on what no
    file tells whether, or with which value, it is written. `own` is what files of an earlier plan
    have, be it that others are read after them.
    """

    def __init__(self, root: Root, patterns: Iterable[str]) -> None:
        self.root = root
        self.written: dict[str, Written] = {}
        self._overridden: dict[Written, Overridden] = {}
        self.unsure: dict[str, str] = {}
        self.own: dict[str, Written] = {}
        self._repeated: dict[str, Written] = {}
        self._patterns: dict[str, list[re.Pattern[str]]] = {}
        for pattern in patterns:
            name = pattern.rpartition("/")[2]
            self._patterns.setdefault(name, []).append(re.compile(expression(pattern)))

    def write(self, key: str, value: str, place: Location, by: str = "") -> None:
        """Records a value that is written into a sysctl, or a file below /sys, or all that a
        pattern matches."""
        value = " ".join(value.split())
        for one in self.keys(key):
            before = self.written.pop(one, None)
            new = Written(one, value, place, by)
            if before and before.value != value and len(self._overridden) < _MOST:
                self._overridden[before] = Overridden(before, place, value, new.by)
            # What is written once more counts after all.
            self._overridden.pop(new, None)
            self.unsure.pop(one, None)
            if place.path.endswith(OF_PLANS):
                self.own[one] = new
            if len(self.written) < _MOST:
                self.written[one] = new

    def repeat(self, key: str, value: str, place: Location, by: str) -> None:
        """Records a value, as `write` does, that is written again whenever the device changes."""
        self.write(key, value, place, by)
        for one in self.keys(key):
            if one in self.written:
                self._repeated[one] = self.written[one]

    def settle(self) -> None:
        """Doubts, once all have written, what a change of the device would set back."""
        for key, one in self._repeated.items():
            last = self.written.get(key)
            if last and last.value != one.value:
                self.doubt(key, f"both {last.owner} and {one.owner} set this value")

    @property
    def overridden(self) -> tuple[Overridden, ...]:
        """What does not count, in the order in which that came about."""
        return tuple(self._overridden.values())

    def take(
        self,
        written: Mapping[str, Written],
        overridden: Iterable[Overridden],
        own: Iterable[Written] = (),
    ) -> None:
        """Takes over what is written before all else."""
        self.written.update(written)
        self.own.update((one.key, one) for one in own)
        self._overridden.update((one.setting, one) for one in overridden)

    def doubt(self, key: str, why: str) -> None:
        """Records that a value may be written there, and that no file shows which."""
        for one in self.keys(key):
            self.written.pop(one, None)
            self.unsure[one] = why

    def vary(self, key: str, values: Iterable[str], place: Location, by: str, why: str) -> None:
        """Records that one of these values is written there, and that no file shows which."""
        texts = sorted(set(values))
        for one in self.keys(key):
            before = self.written.get(one)
            if before and before.value not in texts and len(self._overridden) < _MOST:
                self._overridden[before] = Overridden(before, place, " or ".join(texts), by)
        self.doubt(key, why)

    def keys(self, key: str) -> list[str]:
        """Lists the sysctl's name, or the files that a path names, as far as rules name them."""
        key = key_of(key)
        if not key.startswith("/"):
            return [key]
        if not is_pattern(key):
            return [key] if self.named(key) else []
        if not self.named(key):
            return []
        there = [path for path in self.root.matching(key) if self.root.has(path)]
        return there or [key]

    def named(self, path: str) -> bool:
        """Whether a rule names the file."""
        near = self._patterns.get(path.rpartition("/")[2], ())
        return any(pattern.fullmatch(path) for pattern in near)


def is_pattern(path: str) -> bool:
    """Whether a path of such a file is one of glob(7), and names what it matches."""
    return not _GLOB.isdisjoint(path)


def expression(pattern: str) -> str:
    """Return the regular expression of a rule's path, in which `*` is a part of a name, and a name
    in capitals any name."""
    parts = pattern.split("/")
    return "/".join(
        "[^/]+" if is_variable(part) else re.escape(part).replace(r"\*", "[^/]*") for part in parts
    )
