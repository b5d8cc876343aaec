"""What is judged: one kernel, with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.model.kernel import (
    NOTHING_INFERRED,
    CommandLine,
    Configuration,
    Inferred,
    InputNote,
    KernelVersion,
    Location,
    Machine,
)
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.lines import ChangedLine
    from advisor.model.nextboot import NextBoot
    from advisor.model.tree import TreeOracle


class InUse(NamedTuple):
    """Something that a running kernel has in use: what it is called, and which."""

    name: str
    text: str


class Subject(NamedTuple):
    """All that is known of one kernel: what is judged.

    `sysctl` and `sysfs` tell what is set at run time: value and place, by a sysctl's name or a
    file's path. The running kernel is `lacking` some that rules name, others are `closed`. With a
    `tree`, `config` is what the configuration comes to there. No plan may change the symbols in
    `keep` or `guarded` (on which advice of stance keep rests), nor use those in `settled` (on which
    other advice rests that is satisfied) as a means to another end. What is `inferred` of a kernel
    is for one that was not told. `merged` are the files that were merged into the one it is named
    after. `lines` are those that somebody wrote onto a base (accounts: engine/names/lines.py).
    `next` is what holds after the next boot of a host that runs, `in_use` what that has in use.
    """

    name: str
    config: Configuration
    kernel: KernelVersion | None
    machine: Machine
    cmdline: CommandLine | None = None
    sysctl: Mapping[str, tuple[str, Location]] = {}
    sysfs: Mapping[str, tuple[str, Location]] = {}
    lacking: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    notes: tuple[InputNote, ...] = ()
    tree: TreeOracle | None = None
    keep: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()
    inferred: Inferred = NOTHING_INFERRED
    merged: tuple[str, ...] = ()
    lines: tuple[ChangedLine, ...] = ()
    next: NextBoot | None = None
    in_use: tuple[InUse, ...] = ()

    def anew(self, sysfs: Mapping[str, tuple[str, Location]] = {}) -> Subject:
        """As the kernel starts, before anything is set or looked for at run time: of files below
        /sys these alone are told."""
        return self._replace(sysctl={}, sysfs=sysfs, lacking=frozenset(), closed=frozenset())

    def is_before(self, version: tuple[int, int, int]) -> bool:
        """Whether the kernel is surely older than a version: as told, else as its symbols tell."""
        if self.kernel is not None:
            return self.kernel.numbers < version
        bound = self.inferred.before
        return bound is not None and bound.numbers <= version

    def is_since(self, version: tuple[int, int, int]) -> bool:
        """Whether the kernel is surely no older than a version; likewise."""
        if self.kernel is not None:
            return self.kernel.numbers >= version
        bound = self.inferred.after
        return bound is not None and bound.numbers >= version
