"""What the lab measured of a setting, and what of that a configuration has (docs/costs.md)."""

from __future__ import annotations

from advisor.model.kernel import KernelVersion
from advisor.record import NamedTuple

_GIB = 1 << 20  # in kB


class Window(NamedTuple):
    """An effect: kernel instructions of an operation without the setting, how many more (or fewer)
    with it, and what seeds differ by."""

    name: str
    without: float
    difference: float
    spread: float

    @property
    def share(self) -> float | None:
        """The difference as a part of what it is one of; None of nothing."""
        return self.difference / self.without if self.without >= 1 else None

    @property
    def taken_back(self) -> Window:
        """The effect of going back: from with the setting to without it."""
        return self._replace(without=self.without + self.difference, difference=-self.difference)


class Lab(NamedTuple):
    """The kernel that was measured: its short name, release and package; architecture, and qemu.

    `takes` are, by window, the kernel instructions of an operation as it is.
    """

    name: str
    release: str
    package: str
    arch: str
    qemu: str
    takes: tuple[tuple[str, float], ...] = ()

    @property
    def version(self) -> str:
        """`6.12.117`."""
        return self.release.partition("+")[0].partition("-")[0]


class Terms(NamedTuple):
    """How far a record carries over: `only` where that condition holds, else `why` it does not; of
    words that give the value, only the `same` ones. `note` belongs to each figure.
    """

    only: str = ""
    why: str = ""
    same: tuple[str, ...] = ()
    note: str = ""


class Measured(NamedTuple):
    """A record: a value of a tunable (or of `member`, one of a group) held against another one.

    `windows` have an effect, the largest share first; `none` have none. `boot` is in kernel
    instructions, as `without` and `difference` of a window; `memory` the kB that the kernel takes
    more; `size` is in bytes of the sections of a kernel that was built. None where there is no
    effect beyond the noise. `lines` are of the fragment that another kernel was built with; `terms`
    say how far it carries over. `back` is set where the figures are turned: what it takes to be
    without the setting.
    """

    name: str
    kernel: Lab
    tunable: str
    member: str
    value: str
    against: tuple[str, ...]
    words: tuple[str, ...]
    writes: tuple[tuple[str, str], ...]
    seeds: int
    windows: tuple[Window, ...]
    none: tuple[str, ...]
    boot: Window | None = None
    memory: int | None = None
    size: Window | None = None
    lines: tuple[tuple[str, str], ...] = ()
    terms: Terms = Terms()
    back: bool = False

    @property
    def setting(self) -> str:
        """What was set, as the boot line, a shell or a fragment has it."""
        written = (f"{path}={text}" for path, text in self.writes)
        built = (f"CONFIG_{symbol}={value}" for symbol, value in self.lines)
        return " ".join([*self.words, *written, *built])

    @property
    def repeat(self) -> str:
        """The command that measures it again."""
        setting = f"{self.name.partition('/')[2]}"
        return f"python -m lab run {setting} --kernel {self.kernel.name}"

    @property
    def beside(self) -> bool:
        """Whether rules call it the same with the setting and without: it is a switch at run time,
        of which a configuration does not tell."""
        return self.value in self.against

    @property
    def taken_back(self) -> Measured:
        """What it is to go back, from the value to what it was held against."""
        return self._replace(
            back=not self.back,
            windows=tuple(window.taken_back for window in self.windows),
            boot=self.boot.taken_back if self.boot else None,
            memory=None if self.memory is None else -self.memory,
            size=self.size.taken_back if self.size else None,
        )

    @property
    def weight(self) -> float:
        """All shares together: above nothing, it takes more than it spares. Memory and size alone
        weigh as their part of a GiB, and what took nothing counts as doubled."""
        every = [
            one.share if one.share is not None else (1.0 if one.difference > 0 else -1.0)
            for one in (*self.windows, *filter(None, [self.boot]))
        ]
        kept = (self.memory or 0) + (self.size.difference / 1024 if self.size else 0)
        return sum(every) or kept / _GIB

    @property
    def nothing(self) -> bool:
        """Whether it has no effect at all."""
        return not (self.windows or self.boot or self.memory or self.size)


class Total(NamedTuple):
    """One window of several settings at once: instructions of an operation without any of them,
    what their own records add up to, and what they came to."""

    window: str
    without: float
    summed: float
    measured: float

    @property
    def apart(self) -> float:
        """How far the two are apart, as a part of what the operation takes without any."""
        return abs(self.summed - self.measured) / self.without


class Together(NamedTuple):
    """A record of several settings at once: the names of their records, and the windows in which
    two or more of them have an effect."""

    name: str
    kernel: Lab
    members: tuple[str, ...]
    windows: tuple[Total, ...]

    @property
    def apart(self) -> float:
        """How far sum and measurement are apart at most, as a part of an operation."""
        return max((window.apart for window in self.windows), default=0.0)

    @property
    def repeat(self) -> str:
        """The command that measures it again."""
        name = self.name.partition("=")[2]
        return f"python -m lab run --together {name} {' '.join(self.members)}"


class Charge(NamedTuple):
    """A line of a ledger: what a configuration has, and what it takes beside the `other` value.

    `record` is turned so that its differences are what the present value takes more. `here` and
    `other` are in words; `protects` says that it is bought protection, `note` what belongs to the
    figures, or why they say nothing here.
    """

    record: Measured
    title: str
    here: str
    other: str
    protects: bool = False
    note: str = ""


class Sum(NamedTuple):
    """What charges come to in one window of one kernel: instructions of an operation, over so many
    tunables, and what the operation takes on that kernel as it is. `parts` are the charges' titles
    with the instructions of each, most first."""

    window: str
    difference: float
    tunables: int
    takes: float
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def share(self) -> float:
        """The sum as a part of what the operation takes on the measured kernel."""
        return self.difference / self.takes if self.takes >= 1 else 0.0


class Account(NamedTuple):
    """The charges that rest on one kernel of the lab: `paid` and `spared`, largest first, `none`
    without effect; `sums` are what the paid ones come to by window, the largest share first. `open`
    are records of which the inputs do not tell whether the setting is on, `apart` those that do not
    carry over. `checks` are the records of several of the paid ones at once."""

    kernel: Lab
    paid: tuple[Charge, ...]
    spared: tuple[Charge, ...]
    none: tuple[Charge, ...]
    open: tuple[Charge, ...]
    apart: tuple[Charge, ...]
    sums: tuple[Sum, ...]
    checks: tuple[Together, ...]


class Ledger(NamedTuple):
    """What was measured of what a configuration has; `kernel` and `arch` are the configuration's.

    `accounts` are one for each kernel of the lab, that which is nearest first; none where nothing
    was measured on the architecture, or of what is told here.
    """

    name: str
    kernel: KernelVersion | None
    arch: str | None
    accounts: tuple[Account, ...]
