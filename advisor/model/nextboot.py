"""What a host does at its next boot: which kernel and line its boot loader takes, and what is
written into settings of run time by then, each with who writes it and where that stands."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.model.kernel import CommandLine, Configuration, InputNote, Location
from advisor.record import NamedTuple

RIVALS = {
    one: f"vm.{stem}_{other}"
    for stem in ("dirty", "dirty_background")
    for one, other in ((f"vm.{stem}_bytes", "ratio"), (f"vm.{stem}_ratio", "bytes"))
} | {"vm.overcommit_ratio": "vm.overcommit_kbytes", "vm.overcommit_kbytes": "vm.overcommit_ratio"}
"""Sysctls, each with the one that the kernel makes 0 when it is written
(mm/page-writeback.c#dirty_ratio_handler, mm/util.c#overcommit_ratio_handler of 6.12)."""


class Written(NamedTuple):
    """A value that is written at each boot: `key` is a sysctl's name with dots, or a path below
    /sys; `by` names what writes it where that is not whatever reads such files (systemd-sysctl)."""

    key: str
    value: str
    place: Location
    by: str = ""

    @property
    def owner(self) -> str:
        """`/etc/sysctl.d/99-x.conf:3`, `TuneD's profile balanced (/usr/lib/…/tuned.conf:12)`."""
        return f"{self.by} ({self.place})" if self.by else str(self.place)


class Overridden(NamedTuple):
    """A setting that does not count, and the place that does: with its value there, and who sets
    it, or None where that is a file of the same name, read in place of this one, without it."""

    setting: Written
    place: Location
    value: str | None
    by: str = ""


class Entry(NamedTuple):
    """What a boot loader starts by itself: the name of the `loader`, where the entry stands, its
    `title`, the `release` of its kernel (empty: not told) and its line; `why` says how it is known
    that this loader starts."""

    loader: str
    place: Location
    title: str = ""
    release: str = ""
    line: CommandLine | None = None
    why: str = ""


class NextBoot(NamedTuple):
    """What holds after the next boot of a host, as far as its files tell.

    `writes` has each key once, with what is written last; `now` what the kernel shows of these
    keys, where one `runs` (of the release `running`, if that is told). Of `unsure` keys something
    may write other values that no file tells. `config` is the configuration of the kernel that
    boots, where it is another one than runs. `unread` are settings of files that nothing reads, and
    those of modprobe for what is `built_in`. What is set is not `told` where the first process is
    none that reads such files. `own` is what the files of an earlier plan set.
    """

    writes: Mapping[str, Written] = {}
    overridden: tuple[Overridden, ...] = ()
    now: Mapping[str, tuple[str, Location]] = {}
    unsure: Mapping[str, str] = {}
    entry: Entry | None = None
    runs: bool = True
    running: str = ""
    config: Configuration | None = None
    unread: tuple[Written, ...] = ()
    built_in: tuple[Written, ...] = ()
    own: Mapping[str, Written] = {}
    notes: tuple[InputNote, ...] = ()
    told: bool = True
