"""Somebody's tuning, entry by entry, and what each entry does on one kernel."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.kernel import KernelVersion, Location
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.finding import Finding
    from advisor.model.profile import Advice
    from advisor.model.tunable import Tunable


class Answer(Enum):
    """What an entry does on a kernel."""

    AGAINST = "against-must"
    CHANGES = "changes"
    NO_KNOB = "no-such-knob"
    NO_EFFECT = "no-effect"
    UNDONE = "undone"
    IMPLIED = "implied"
    IN_FORCE = "in-force"
    UNKNOWN = "not-known"
    OUTSIDE = "outside"

    @property
    def text(self) -> str:
        """It in words, as a heading has them."""
        return _TEXTS[self]

    @property
    def verb(self) -> str:
        """What entries of that answer do, behind their number."""
        return _VERBS[self]


_TEXTS = {
    Answer.AGAINST: "Against a must",
    Answer.CHANGES: "Changes",
    Answer.NO_KNOB: "No such knob in this kernel",
    Answer.NO_EFFECT: "Without effect",
    Answer.UNDONE: "Undone",
    Answer.IMPLIED: "Implied by another entry",
    Answer.IN_FORCE: "In force already",
    Answer.UNKNOWN: "Not known",
    Answer.OUTSIDE: "Not a kernel setting",
}


_VERBS = {
    Answer.AGAINST: "against a must",
    Answer.CHANGES: "to change",
    Answer.NO_KNOB: "without a knob here",
    Answer.NO_EFFECT: "without effect",
    Answer.UNDONE: "undone",
    Answer.IMPLIED: "implied",
    Answer.IN_FORCE: "in force already",
    Answer.UNKNOWN: "not known",
    Answer.OUTSIDE: "outside the kernel",
}
NOT_TOLD = "the current value is not known"
"""Why it is not known what an entry does, where only the value at run time is missing."""


class Ruling(NamedTuple):
    """An answer, and why."""

    answer: Answer
    why: str = ""


class Entry(NamedTuple):
    """One thing that a tuning sets.

    `key` is a sysctl's name, a path below /sys, which may be a pattern, or a word of the boot line,
    whose `value` is the same; `label` is what the tuning calls it, where that is another name. Of
    several `choices` the program takes the first that the kernel offers, the last is `value`. With
    the `bound` `>` or `<` the program only raises or lowers the value. It leaves the entry out
    where the boot line has the parameter `unless_boot`, and writes the sysctl `rather` where the
    kernel has that. The file is gone from kernels `since` that release. What the tuning alone
    rules is `told`.
    """

    key: str
    value: str
    place: Location
    label: str = ""
    choices: tuple[str, ...] = ()
    bound: str = ""
    unless_boot: str = ""
    rather: str = ""
    since: tuple[int, int, int] | None = None
    is_word: bool = False
    told: Ruling | None = None

    @property
    def text(self) -> str:
        """The entry as a line of a file: `vm.swappiness = 10`, `nohz=off`."""
        if self.is_word or not self.value:
            return self.key
        return f"{self.key} = {self.bound}{' or '.join(self.choices) or self.value}"


class System(Enum):
    """The program that carries a tuning out."""

    TUNED = "tuned"
    SAPTUNE = "saptune"
    SYSCTL_D = "sysctl.d"
    TMPFILES_D = "tmpfiles.d"
    BOOT_LINE = "boot line"
    SETTINGS = "settings"


class Tuning(NamedTuple):
    """A tuning: its name, what carries it out, its entries in the order in which they are set, and
    the `files` that were read; `remarks` tell what of it was not."""

    name: str
    system: System
    entries: tuple[Entry, ...]
    files: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class Answered(NamedTuple):
    """An entry with its answer: the value `now` (empty: not known), and `why`. `tunable` is the
    rules' name for what it sets, `against` the advice that the value does not satisfy. The value
    now was `read` there at run time, or else computed from what is compiled and the boot line."""

    entry: Entry
    answer: Answer
    now: str = ""
    why: str = ""
    tunable: Tunable | None = None
    against: tuple[Advice, ...] = ()
    read: tuple[Location, ...] = ()


class Likeness(NamedTuple):
    """A tuning on one kernel. `left_out` is advice of the profiles that is not followed, and which
    no entry is about; `breaks` tells what the program makes of settings that the kernel
    lacks. Where the kernel `runs`, it showed its values."""

    tuning: Tuning
    name: str
    kernel: KernelVersion | None
    arch: str | None
    profiles: tuple[str, ...]
    entries: tuple[Answered, ...]
    left_out: tuple[Finding, ...] = ()
    breaks: str = ""
    runs: bool = False

    @property
    def failed(self) -> bool:
        """Whether an entry is against a must."""
        return any(one.answer is Answer.AGAINST for one in self.entries)

    def of(self, answer: Answer) -> list[Answered]:
        """The entries with that answer."""
        return [one for one in self.entries if one.answer is answer]
