"""Remedies as data: what is written where, and what has to be built."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.kernel import unquote
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.tree import SideEffect


class RemedyKind(Enum):
    """How invasive a remedy is, least first."""

    RUNTIME = "runtime"
    BOOT = "boot"
    REBUILD = "rebuild"

    @property
    def rank(self) -> int:
        """Its place among them: what is less invasive has the lower one."""
        return [*RemedyKind].index(self)

    @property
    def effort(self) -> str:
        """When it counts: `now`, at the next `boot`, or after a `rebuild`."""
        return "now" if self is RemedyKind.RUNTIME else str(self.value)


class Role(Enum):
    """Why a symbol is part of a change."""

    ASKED = "asked"
    SIBLING = "choice sibling"
    DEPENDENCY = "dependency"


class Change(NamedTuple):
    """One Kconfig assignment of a plan; `old` is None where the symbol was absent."""

    symbol: str
    old: str | None
    new: str
    role: Role


def lost_words(change: Change) -> list[str]:
    """The words of the built-in boot line that a change leaves out; none of another symbol."""
    if change.symbol != "CMDLINE":
        return []
    old, new = (unquote(text or "").split() for text in (change.old, change.new))
    return [word for word in old if word not in new]


def spelled_out(changes: Iterable[Change]) -> str:
    """`A=y, B=n`: the changes as a sentence tells them."""
    return ", ".join(f"{change.symbol}={change.new}" for change in changes)


class Instances(Enum):
    """Which of the things that a key may name is meant."""

    ONE = "one"
    ALL = "all"
    CHOSEN = "chosen"


class Setting(NamedTuple):
    """What is written at run time: a sysctl's name or a path of sysfs or debugfs, and the value.

    A path may name several things: with `*` all of them (every cpufreq policy), with a part in
    capitals one that only the operator can choose (`/sys/block/DEVICE/queue/scheduler`).
    """

    key: str
    value: str

    @property
    def layer(self) -> str:
        """`sysctl`, `sysfs` or `debugfs`."""
        if not self.key.startswith("/"):
            return "sysctl"
        return "debugfs" if self.key.startswith("/sys/kernel/debug/") else "sysfs"

    @property
    def instances(self) -> Instances:
        """Whether the key names one thing, all of a kind, or one to be chosen."""
        if "*" in self.key:
            return Instances.ALL
        chosen = any(map(is_variable, self.key.split("/")))
        return Instances.CHOSEN if chosen else Instances.ONE


def is_variable(part: str) -> bool:
    """Whether a part of a path stands for names that only the operator can choose (`DEVICE`)."""
    return part.isalpha() and part.isupper()


class Remedy(NamedTuple):
    """One way to the wanted value, as data; output/phrases.py makes the sentence.

    `settings` are for run time, `words` to add and to `drop` for the boot line, `changes` for a
    rebuild; a rebuild may have settings to be written after it, or words to be added then, and
    may be told already as another finding's, of the title `rebuilt_by`. Of the words, `repeats` are
    those of a built-in line that counts only where the boot loader passes none, and what that
    passes was not told.
    `left` is what it may leave open: the members of a group that it cannot reach, and why;
    what it rests on that the inputs do not tell. With `beside` it works only together with the
    other changes of the same plan. `lost` is what a tree says that a rebuild with it takes away
    beside its own lines. It is for the processors of the `vendor` alone, where that was
    not told and others need another one; else for any. `held` is what sets it to something else
    at the next boot, and where to change that.
    """

    kind: RemedyKind
    value: str
    settings: tuple[Setting, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    left: tuple[str, ...] = ()
    beside: bool = False
    vendor: str = ""
    lost: tuple[SideEffect, ...] = ()
    repeats: tuple[str, ...] = ()
    held: str = ""
    rebuilt_by: str = ""

    @property
    def second_step(self) -> bool:
        """Whether something has to follow the rebuild that it begins with."""
        return bool(self.changes and (self.settings or self.words))

    @property
    def lasts(self) -> bool:
        """Whether it outlives a reboot by itself."""
        return not self.settings

    @property
    def needs(self) -> tuple[Change, ...]:
        """What has to change only because the asked values depend on it."""
        return tuple(change for change in self.changes if change.role is Role.DEPENDENCY)

    @property
    def takes_away(self) -> tuple[Change, ...]:
        """What is given up for it: the members of a choice that were chosen."""
        return tuple(c for c in self.changes if c.role is Role.SIBLING and c.old in ("y", "m"))
