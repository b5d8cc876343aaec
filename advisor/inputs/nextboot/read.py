"""The next boot of a host: the boot loader's entry, and all that its files write at a boot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from advisor.inputs.bootfiles.plain import LINE_CUT
from advisor.inputs.config import KernelConfig
from advisor.inputs.host.kernel import kept
from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import read_settings
from advisor.inputs.host.units import started
from advisor.inputs.nextboot.grub import defaults_line
from advisor.inputs.nextboot.loaders import read_loader
from advisor.inputs.nextboot.modules import read_modules
from advisor.inputs.nextboot.power import read_cpupower, read_others, read_profiles_daemon
from advisor.inputs.nextboot.sysctls import read_sysctls
from advisor.inputs.nextboot.tlp import read_tlp
from advisor.inputs.nextboot.tmpfiles import read_tmpfiles
from advisor.inputs.nextboot.udev import read_udev
from advisor.inputs.nextboot.writes import Writes
from advisor.inputs.runtime import Runtime
from advisor.model.cmdline import lasting
from advisor.model.kernel import CommandLine, InputNote, Location
from advisor.model.nextboot import Entry, NextBoot, Written
from advisor.record import NamedTuple


class Running(NamedTuple):
    """The kernel that runs: its release and line, each where it is told, and the machine's kind."""

    release: str
    line: CommandLine | None
    arch: str | None

    @property
    def runs(self) -> bool:
        """Whether one runs at all."""
        return bool(self.release) or self.line is not None


_SYSTEMD = (
    "/run/systemd/system", "/usr/lib/systemd/systemd", "/lib/systemd/systemd",
    "/etc/systemd/system",
)  # fmt: skip
# First processes that read such files, or start what does; sysvinit's, busybox's and Upstart's is
# called init. What else runs as the first one sets what it likes.
_INITS = frozenset((
    "systemd", "init", "openrc-init", "runit", "runit-init", "s6-svscan", "dinit", "finit", "procd",
    "shepherd",
))  # fmt: skip
_MASKED = "/etc/systemd/system/systemd-sysctl.service"


def read_next(
    root: Root,
    kernel: Running,
    sysctls: Iterable[str],
    files: Iterable[str],
    whole: bool | None = None,
) -> NextBoot:
    """Finds what holds after the next boot of a host on which that kernel runs, if one does.

    `sysctls` are the names that patterns of sysctl.d may match, `files` the paths below /sys of
    which it counts what is written; `whole` is what the user says of a configuration.
    """
    loader = read_loader(root, kernel.line)
    notes: list[InputNote] = []
    if loader.entry is None:
        notes.append(InputNote("next-boot-unknown", Location(root.folder), loader.why))
    elif loader.entry.loader == "GRUB":
        notes += _not_in_menu(root, loader.entry.line)
    elif kernel.runs and loader.entry.line:  # else its line is judged, with all its notes
        notes += (note for note in loader.entry.line.notes if note.id == LINE_CUT)
    boot = NextBoot(
        entry=loader.entry,
        runs=kernel.runs,
        running=kernel.release,
        config=_other_kernel(root, loader.entry, kernel.release, whole),
        notes=tuple(notes),
    )
    first = (root.text("/proc/1/comm") or "").strip()
    boot = boot._replace(told=not first or first in _INITS)
    return _with_settings(root, boot, kernel, sysctls, files)


def _with_settings(
    root: Root, boot: NextBoot, kernel: Running, sysctls: Iterable[str], files: Iterable[str]
) -> NextBoot:
    """Adds all settings that files write by the end of the next boot; where nothing reads these,
    what those of an earlier plan have."""
    entry = boot.entry or Entry("", Location(root.folder))
    release = entry.release or kernel.release
    into = Writes(root, files)
    unread = _sysctls(root, sysctls, into)
    built_in = read_modules(root, release, entry.line or kernel.line, into)
    read_tmpfiles(root, into)
    read_udev(root, into)
    if not boot.told:
        return boot._replace(own=into.own, now=_now(root, into.own) if kernel.runs else {})
    read_cpupower(root, into)
    if any(started(root, ("tuned", "tuned-ppd"))):
        # It costs the reader of ConfigParser's files.
        from advisor.inputs.nextboot.tuned import read_tuned

        read_tuned(root, into, kernel.arch)
    read_tlp(root, into)
    read_profiles_daemon(root, into)
    read_others(root, into)
    into.settle()
    return boot._replace(
        writes=into.written,
        overridden=into.overridden,
        now=_now(root, into.written) if kernel.runs else {},
        unsure=into.unsure,
        own=into.own,
        # TuneD reads that file, whoever else does.
        unread=tuple(one for one in unread if one not in into.written.values()),
        built_in=built_in,
    )


def as_runtime(writes: Mapping[str, Written]) -> Runtime:
    """Gives what is written at a boot as the settings that hold after it."""
    found = Runtime({}, {})
    for key, one in writes.items():
        settings = found.sysfs if key.startswith("/") else found.sysctl
        settings[key] = one.value, one.place
    return found


def _sysctls(root: Root, names: Iterable[str], into: Writes) -> tuple[Written, ...]:
    """Gathers what sysctl.d sets, and gives the settings of a file that nothing reads."""
    # OpenRC and others start procps's sysctl or one like it.
    by_systemd = any(map(root.has, _SYSTEMD))
    found = read_sysctls(root, names, by_systemd)
    if by_systemd and root.link(_MASKED) == "/dev/null":
        return ()
    into.take(found.writes, found.overridden, found.own)
    return found.unread


def _now(root: Root, keys: Iterable[str]) -> dict[str, tuple[str, Location]]:
    """Reads what the running kernel shows for these keys."""
    shown = read_settings(root, [key for key in keys if not key.startswith("/")], ())
    found = dict(shown.sysctl)
    for key in keys:
        if key.startswith("/") and (text := root.text(key)) is not None:
            found[key] = " ".join(text.split()), Location(root.called(key))
    return found


def _other_kernel(
    root: Root, entry: Entry | None, running: str, whole: bool | None
) -> KernelConfig | None:
    """Reads the configuration of the kernel that boots, where another one runs."""
    if entry is None or entry.release in ("", running) or not running:
        return None
    return kept(root, entry.release, whole)


def _not_in_menu(root: Root, line: CommandLine | None) -> Iterator[InputNote]:
    """Notes the words that were written for GRUB's menu and are not in it."""
    defaults = defaults_line(root)
    if line is None or line.part or defaults is None or defaults.notes:
        return
    there = set(lasting(word.text for word in line.words))
    for word in defaults.words:
        if word.text not in there:
            place = defaults.place(word.column)
            message = f"{word.text} is not on the line of GRUB's default entry ({line.name})"
            yield InputNote("line-not-in-menu", place, message, word.text)
