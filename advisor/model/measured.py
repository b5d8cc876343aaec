"""What the lab measured of a setting, and what of that a configuration has (docs/costs.md)."""

from __future__ import annotations

from advisor.model.kernel import KernelVersion
from advisor.record import NamedTuple


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
    """The kernel that was measured: its short name, release and package; architecture, and qemu."""

    name: str
    release: str
    package: str
    arch: str
    qemu: str

    @property
    def version(self) -> str:
        """`6.12.117`."""
        return self.release.partition("+")[0].partition("-")[0]


class Measured(NamedTuple):
    """A record: a value of a tunable (or of `member`, one of a group) held against another one.

    `windows` have an effect, the largest share first; `none` have none. `boot` is in kernel
    instructions, as `without` and `difference` of a window; `memory` the kB that the kernel takes
    more. None where there is no effect beyond the noise. `lines` are of the fragment that another
    kernel was built with.
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
    lines: tuple[tuple[str, str], ...] = ()

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
            windows=tuple(window.taken_back for window in self.windows),
            boot=self.boot.taken_back if self.boot else None,
            memory=None if self.memory is None else -self.memory,
        )

    @property
    def weight(self) -> float:
        """All shares together: above nothing, it takes more than it spares."""
        every = [w.share or w.difference for w in (*self.windows, *filter(None, [self.boot]))]
        return sum(every) or float(self.memory or 0)


class Charge(NamedTuple):
    """A line of a ledger: what a configuration has, and what it takes beside the `other` value.

    `record` is turned so that its differences are what the present value takes more. `here` and
    `other` are in words; `protects` says that it is bought protection.
    """

    record: Measured
    title: str
    here: str
    other: str
    protects: bool = False


class Sum(NamedTuple):
    """What charges come to in one window of one kernel: instructions of an operation, over so many
    tunables."""

    window: str
    difference: float
    tunables: int


class Account(NamedTuple):
    """The charges that rest on one kernel of the lab: `paid` and `spared`, largest first, `none`
    without effect; and what the paid ones come to by window, most first. `open` are records of
    which the inputs do not tell whether the setting is on."""

    kernel: Lab
    paid: tuple[Charge, ...]
    spared: tuple[Charge, ...]
    none: tuple[Charge, ...]
    open: tuple[Charge, ...]
    sums: tuple[Sum, ...]


class Ledger(NamedTuple):
    """What was measured of what a configuration has; `kernel` and `arch` are the configuration's.

    `accounts` are one for each kernel of the lab, that which is nearest first; none where nothing
    was measured on the architecture, or of what is told here.
    """

    name: str
    kernel: KernelVersion | None
    arch: str | None
    accounts: tuple[Account, ...]
