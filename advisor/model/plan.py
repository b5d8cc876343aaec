"""Plans: their changes, the files that keep these, and what the user asks of a plan."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.finding import Diagnostic, Finding, Verdict
from advisor.model.profile import Advice
from advisor.model.remedy import Remedy, RemedyKind, Setting
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.tree import Lines, SideEffect


class Omission(NamedTuple):
    """What a profile wants and this plan cannot give, with the cause: `remedy` is what would give
    it in another way."""

    advice: Advice
    tunable: Tunable
    wanted: str
    reason: str
    remedy: Remedy | None = None


class Step(NamedTuple):
    """The part of a plan that one piece of advice asked for."""

    finding: Finding
    remedy: Remedy


class File(Enum):
    """A file that keeps what a plan sets, by the name of its format."""

    SYSCTL = "sysctl.d"
    TMPFILES = "tmpfiles.d"
    UDEV = "udev"
    MODPROBE = "modprobe.d"
    CMDLINE = "cmdline"
    FRAGMENT = "fragment"

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the file stands in the folder of a plan, and below / on the machine; the second is
        for a plan that packages' files would undo otherwise."""
        return _PATHS[self]


_PATHS = {
    File.SYSCTL: ("etc/sysctl.d/90-kernel-advisor.conf", "etc/sysctl.d/zz-kernel-advisor.conf"),
    File.TMPFILES: ("etc/tmpfiles.d/kernel-advisor.conf",),
    File.UDEV: ("etc/udev/rules.d/90-kernel-advisor.rules",),
    File.MODPROBE: ("etc/modprobe.d/kernel-advisor.conf",),
    File.CMDLINE: ("cmdline",),
    File.FRAGMENT: ("kernel.fragment",),
}
OF_PLANS = tuple(f"/{path}" for paths in _PATHS.values() for path in paths if path[:4] == "etc/")
"""The files of a plan below /, which only plans write."""


class Kept(NamedTuple):
    """A setting of run time with the file that makes it last, or None, and `why` none does; with a
    file, `why` says when that comes too early. A udev rule is for `disks` of some kinds alone
    (empty: no condition). `found` are the files that the setting is for, with what each showed."""

    setting: Setting
    file: File | None
    why: str = ""
    disks: tuple[str, ...] = ()
    found: tuple[tuple[str, str], ...] = ()


class Item(NamedTuple):
    """One change of a plan: the strongest finding that asks for it, the profiles that do, and how.

    `kept` has each setting of run time; words and symbols are those of the remedy. `grounds` are
    symbols and files that the item rests on and the plan does not set, each with what it was.
    """

    finding: Finding
    remedy: Remedy
    profiles: tuple[str, ...]
    kept: tuple[Kept, ...] = ()
    grounds: tuple[tuple[str, str], ...] = ()

    @property
    def in_force(self) -> bool:
        """Whether an earlier plan's files have it, and it holds: it is here to stay there."""
        return self.finding.verdict is Verdict.OK

    @property
    def files(self) -> tuple[File, ...]:
        """The files that keep the change, each once."""
        remedy = self.remedy
        of_line = (File.CMDLINE,) if remedy.words or remedy.drop else ()
        of_build = (File.FRAGMENT,) if remedy.changes else ()
        kept = (one.file for one in self.kept if one.file)
        return tuple(dict.fromkeys((*kept, *of_line, *of_build)))


class BuiltIn(NamedTuple):
    """The settings with which a kernel has a boot line in itself, as Kconfig lines.

    `place` is what becomes of the boot loader's line: `before` and `behind` it stand the built-in
    words, `instead` of it where it is ignored, and `fallback` where it is empty. It is empty
    itself where that is not known of the architecture. `room` is the most bytes that the kernel
    keeps of a line.
    """

    lines: Lines = ()
    words: tuple[str, ...] = ()
    place: str = ""
    room: int | None = None


class Plan(NamedTuple):
    """One consistent set of changes: Kconfig lines, the boot line, and what is left out.

    A `whole` plan is for one machine, and has all changes as `items`, those of run time among them.
    `steps` are those of the Kconfig lines, or of the boot line where only that is planned. Of the
    boot line `cmdline`, `words` are added, at its end, and `dropped` stood on it before: among
    those the words that were `dead`, with what is wrong with each. `built_in` has the kernel say
    it. `effects` are None where no tree could tell them. `is_late` is set where packages' files
    would undo what the plan's files set, unless these have later names.
    """

    steps: tuple[Step, ...] = ()
    whole: bool = False
    items: tuple[Item, ...] = ()
    words: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    dead: tuple[Diagnostic, ...] = ()
    cmdline: str = ""
    built_in: BuiltIn = BuiltIn()
    omissions: tuple[Omission, ...] = ()
    optional: int = 0
    effects: tuple[SideEffect, ...] | None = None
    is_late: bool = False

    def path(self, file: File) -> str:
        """Return where a file stands in the folder of the plan, and below / on the machine."""
        return file.paths[-1 if self.is_late else 0]

    def kept_by(self, file: File | None) -> list[Kept]:
        """The settings of run time that a file makes last; of None, those that no file does."""
        return [one for item in self.items for one in item.kept if one.file is file]


EFFORTS = {kind.effort: kind for kind in RemedyKind}
"""What a change takes, least first: a setting at run time, a reboot, a rebuild."""


class Scope(NamedTuple):
    """Which changes a plan may have: up to an effort; of the findings of these names only, where
    there are `only` some; not of those `without`. A name is a finding's, a tunable's or an
    advice's."""

    effort: RemedyKind = RemedyKind.REBUILD
    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()

    def takes(self, finding: Finding) -> bool:
        """Whether the plan may have changes for a finding, whatever effort they take."""
        names = names_of(finding)
        return self.without.isdisjoint(names) and not (self.only and self.only.isdisjoint(names))


def names_of(finding: Finding) -> tuple[str, ...]:
    """Return what --only and --except may call a finding."""
    return finding.id, finding.tunable.id, finding.advice.id
