"""Whether a plan holds on a host: what it asked for, what is so, and why not."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from advisor.model.kernel import CommandLine, Configuration, KernelVersion, Location
from advisor.model.nextboot import NextBoot
from advisor.model.remedy import RemedyKind
from advisor.record import NamedTuple


class AskedSetting(NamedTuple):
    """A setting of run time that a plan asks for: a sysctl's name, or a path that may name several
    files; `file` is the one that keeps it, by its path on the host (empty: none does), `disks` the
    kinds of disks that it is for (empty: no condition)."""

    key: str
    value: str
    file: str = ""
    disks: tuple[str, ...] = ()


class AskedItem(NamedTuple):
    """A change of a plan: its settings; words to be on the boot line, and to `drop` from it; what
    symbols are to be. The kernel needs `symbols` to have the settings at all; `shows` are the texts
    of a file that shows another one than is written."""

    id: str
    title: str
    tunable: str
    strength: str
    kind: RemedyKind
    settings: tuple[AskedSetting, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    symbols: tuple[str, ...] = ()
    shows: Mapping[str, tuple[str, ...]] = {}


class AskedPlan(NamedTuple):
    """A plan as it was written to the file of that path; `arch` and `release` are empty where the
    plan does not name them."""

    path: str
    digest: str
    arch: str
    release: str
    profiles: tuple[str, ...]
    items: tuple[AskedItem, ...]


class Logged(NamedTuple):
    """A line of the log of apply.sh and undo.sh: the boot's id, what was done (`begin`, `set`,
    `file`, `restore`), the file's path, what was read back, the error; empty: none."""

    boot: str
    action: str
    key: str
    read: str
    error: str
    place: Location


class Log(NamedTuple):
    """The log of a plan's scripts; `place` is its file, whether it is there or not."""

    place: Location
    lines: tuple[Logged, ...] = ()


class Seen(NamedTuple):
    """What a host shows of what a plan asks for.

    `files` are the sysctls, by their names, and the files below /sys that were read, `lacking` the
    keys of the plan of which the host surely has none, `unread` the reason for each file that could
    not be read. `loaded` and `installed` are names of modules, None where nothing tells them;
    `boot` is the id of this boot.
    """

    name: str
    kernel: KernelVersion | None
    arch: str
    release: str
    config: Configuration
    line: CommandLine | None
    files: Mapping[str, str]
    lacking: frozenset[str]
    unread: Mapping[str, str]
    next: NextBoot | None
    loaded: frozenset[str] | None
    installed: frozenset[str] | None
    boot: str
    log: Log


class Reason(Enum):
    """Why something is not in force, or may not stay so."""

    REFUSED = "refused"
    CLAMPED = "clamped"
    OVERRIDDEN = "overridden"
    OTHER_OWNER = "other-owner"
    ABSENT = "absent"
    NO_INSTANCE = "no-instance"
    NOT_BUILT = "not-built"
    NOT_LOADED = "not-loaded"
    NEEDS_REBOOT = "needs-reboot"
    NOT_IN_ENTRY = "not-in-entry"
    NOT_KEPT = "not-kept"
    NOT_APPLIED = "not-applied"
    TAKEN_BACK = "taken-back"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"
    NOT_RECORDED = "not-recorded"

    @property
    def text(self) -> str:
        """It in words."""
        return _TEXTS[self]


_TEXTS = {
    Reason.REFUSED: "refused by the kernel",
    Reason.CLAMPED: "the kernel changed the value",
    Reason.OVERRIDDEN: "overridden",
    Reason.OTHER_OWNER: "another file or program may set the value",
    Reason.ABSENT: "no such sysctl or file on this kernel",
    Reason.NO_INSTANCE: "no such device now",
    Reason.NOT_BUILT: "not built",
    Reason.NOT_LOADED: "module not loaded",
    Reason.NEEDS_REBOOT: "needs a reboot",
    Reason.NOT_IN_ENTRY: "the boot loader's entry differs from the plan",
    Reason.NOT_KEPT: "no file sets this value at boot",
    Reason.NOT_APPLIED: "not set by apply.sh",
    Reason.TAKEN_BACK: "taken back by undo.sh",
    Reason.DIFFERS: "value differs",
    Reason.UNREADABLE: "not readable",
    Reason.NOT_RECORDED: "not recorded",
}


class Standing(Enum):
    """Whether something is as the plan asks, will be after the next boot, or is not."""

    HOLDS = "holds"
    WAITS = "waits"
    FAILS = "fails"


class Check(NamedTuple):
    """One thing that was asked for: a setting of one file, a word, a symbol. `now` and `then`,
    after the next boot, are None where that is not known; `evidence` proves the reason."""

    key: str
    asked: str
    now: str | None
    then: str | None
    standing: Standing
    reason: Reason | None = None
    evidence: str = ""


class CheckedItem(NamedTuple):
    """An item of a plan with its checks; whether it `counts` for the outcome."""

    item: AskedItem
    checks: tuple[Check, ...]
    counts: bool

    @property
    def standing(self) -> Standing:
        """The worst of its checks."""
        every = [check.standing for check in self.checks]
        order = (Standing.FAILS, Standing.WAITS)
        return next((one for one in order if one in every), Standing.HOLDS)


class Verified(NamedTuple):
    """A plan, held against a host."""

    plan: AskedPlan
    seen: Seen
    items: tuple[CheckedItem, ...]

    @property
    def failed(self) -> bool:
        """Whether an item that counts fails."""
        return any(one.counts and one.standing is Standing.FAILS for one in self.items)
