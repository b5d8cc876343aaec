"""The types of a comparison: what a change of configuration or boot line means."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from advisor.model.finding import Diagnostic, Finding, Verdict
from advisor.model.kernel import KernelVersion, Machine
from advisor.model.lines import ChangedLine
from advisor.model.measured import Measured
from advisor.model.profile import Profile
from advisor.model.state import State
from advisor.model.tree import TreeUse
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple


class Drift(Enum):
    """What a change is to one piece of advice.

    `open`: it did not apply before, or was not told, and is not as wanted now; `still`: neither
    before nor now; `fine`: as wanted before and now; `moot`: it moved, and cannot be judged.
    """

    WORSE = "worse"
    OPEN = "open"
    BETTER = "better"
    STILL = "still"
    FINE = "fine"
    MOOT = "moot"


class Shift(NamedTuple):
    """One piece of advice before and after.

    With `half` another kernel satisfies it too, but not by all the tunables that did before: `new`
    is about the one it has lost, which an installed system may rest on.
    """

    old: Finding
    new: Finding
    drift: Drift
    half: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is to be told as worse or open: not waived, and not merely situational."""
        if self.drift not in (Drift.WORSE, Drift.OPEN) or self.new.waived:
            return False
        return self.new.verdict is Verdict.CHANGE or self.new.advice.strength.rank < 2

    @property
    def excused(self) -> bool:
        """Whether it would count, were it not waived."""
        new = self.new
        return new.waived is not None and self._replace(new=new._replace(waived=None)).counts

    @property
    def unsure(self) -> bool:
        """Whether it moved, and what is known does not tell what to."""
        return self.drift is Drift.MOOT and self.new.verdict is Verdict.UNKNOWN


class Movement(NamedTuple):
    """A tunable whose effective setting is another now.

    `old` and `new` are None where that kernel has no such thing; `changed` are the members of a
    group that came on (True) or went off. `why` is what a tree says against the old setting.
    `measured` are the lab's records of this move: what the new setting takes more.
    """

    tunable: Tunable
    old: State | None
    new: State | None
    changed: tuple[tuple[str, bool], ...] = ()
    shifts: tuple[Shift, ...] = ()
    why: str = ""
    measured: tuple[Measured, ...] = ()


class Unheld(NamedTuple):
    """A line of a fragment that the tree does not keep: what it asks for, what comes of it, why."""

    symbol: str
    asked: str
    value: str | None
    why: str


class SymbolKind(Enum):
    """What became of a symbol that no moved tunable tells of.

    `lost`: a feature that is off now; `unnamed`: one that a fragment or defconfig does not ask for
    any more, which may be on by itself; `gone`: the new kernel has no such symbol; `untold`: one of
    these, in a kernel newer than any that was read, so that nobody can tell; `forced`: was
    switched off and is on now; `new`: a feature that is on now; `value`: another value; `derived`:
    nobody sets it, other symbols decide it.
    """

    LOST = "lost"
    UNNAMED = "not named any more"
    FORCED = "switched on"
    VALUE = "changed"
    UNTOLD = "lost or gone"
    GONE = "gone"
    NEW = "new"
    DERIVED = "derived"


class SymbolMove(NamedTuple):
    """A symbol with another value; None is "not shown". `menu` is where Kconfig has it.

    `needs` is what it lacks now, as a tree tells it, and `where` the line that says so; `why` what
    the rules know of its end. `became` is the name under which what was lost can be had again.
    Of what has an option of its own only now, `split` is the symbol that it was a part of.
    """

    symbol: str
    old: str | None
    new: str | None
    kind: SymbolKind
    menu: str = ""
    needs: str = ""
    where: str = ""
    why: str = ""
    became: str = ""
    split: str = ""


class Renamed(NamedTuple):
    """A symbol under its old and its new name, on both sides on or with the same value.

    With `part` what the old one did is a part of the new one; `note` is what else is another now.
    """

    old: str
    new: str
    value: str
    part: bool = False
    note: str = ""


class Chosen(NamedTuple):
    """Two members of one choice, of which the one is taken in place of the other."""

    old: str
    new: str
    menu: str = ""


class Loss(NamedTuple):
    """A feature that was built and is not any more: what it is for (empty: something else), and
    whether the new kernel has it no more."""

    symbol: str
    area: str
    gone: bool = False


class DeviceIds(NamedTuple):
    """Devices of one bus (pci, usb, acpi, of), as lspci, lsusb and firmware spell them: 10ec:8139,
    PNP0303. Of what is taken by its class or its vendor the rest is an x or a *; a PCI device that
    is taken only on some boards has them behind it: 1131:7146 on 13c2:1003."""

    bus: str
    ids: tuple[str, ...]


class LostDriver(NamedTuple):
    """A module, or driver built in, that a lost symbol built, and the devices that its tables name.

    `source` is the first of its files in the tree that tells it; `unread` entries of its tables
    could not be read. `old` tells that the tree is the old kernel's.
    """

    symbol: str
    module: str
    source: str
    devices: tuple[DeviceIds, ...] = ()
    unread: int = 0
    old: bool = False


class Side(NamedTuple):
    """One side of a comparison, as a heading shows it; `cmdline` is None where none was given, and
    it is `bare` without a line of a configuration."""

    name: str
    kernel: KernelVersion | None
    machine: Machine
    complete: bool
    cmdline: str | None
    bare: bool = False


class Comparison(NamedTuple):
    """Everything an output may show of two configurations with their boot lines.

    `chosen` tells whether the user named the profiles, which are all otherwise.
    `by_profile` has the shifts of each profile, also of what did not move; `words` are the words
    that came onto the boot line (True) and went, `run_time` the same of settings `KEY=VALUE` that
    are made at run time; `appeared` and `solved` are diagnostics of the
    new and the old side alone; `lines` are those of fragments that changed, with what becomes of
    each, and `unheld` those of the new side that a tree does not keep, also if they did not change.
    `drivers` are those that lost symbols built, as far as the sources of a tree tell, and
    `devices_untold` says why of others they do not.
    """

    old: Side
    new: Side
    profiles: tuple[Profile, ...]
    chosen: bool = True
    movements: tuple[Movement, ...] = ()
    by_profile: Mapping[str, tuple[Shift, ...]] = {}
    words: tuple[tuple[str, bool], ...] = ()
    run_time: tuple[tuple[str, bool], ...] = ()
    appeared: tuple[Diagnostic, ...] = ()
    solved: tuple[Diagnostic, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    symbols: tuple[SymbolMove, ...] = ()
    chosen_otherwise: tuple[Chosen, ...] = ()
    hidden: int = 0
    unheld: tuple[Unheld, ...] = ()
    lines: tuple[ChangedLine, ...] = ()
    losses: tuple[Loss, ...] = ()
    drivers: tuple[LostDriver, ...] = ()
    devices_untold: str = ""
    failed: bool = False
    proof: str = "database"
    tree: TreeUse | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is another on both sides."""
        moved = self.movements, self.words, self.run_time, self.renamed, self.symbols
        told = self.appeared, self.solved, self.unheld, self.lines
        return not any((*moved, *told, self.chosen_otherwise))

    @property
    def unkept(self) -> list[ChangedLine]:
        """The changed lines that surely do not do what they say, and are not accepted as such."""
        told = {(item.id, item.subject) for item in self.appeared if not item.waived}
        return [line for line in self.lines if line.fails and (line.rule, line.symbol) in told]
