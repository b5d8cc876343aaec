"""The next boot of a host: the boot loader's entry, and all that its files write at a boot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.inputs.config import KernelConfig
from advisor.inputs.host.kernel import kept
from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import read_settings
from advisor.inputs.nextboot.grub import defaults_line
from advisor.inputs.nextboot.loaders import read_loader
from advisor.inputs.nextboot.sysctls import read_sysctls
from advisor.model.cmdline import lasting
from advisor.model.kernel import CommandLine, InputNote, Location
from advisor.model.nextboot import Entry, NextBoot, Written

_SYSTEMD = (
    "/run/systemd/system", "/usr/lib/systemd/systemd", "/lib/systemd/systemd", "/etc/systemd",
)  # fmt: skip
_MASKED = "/etc/systemd/system/systemd-sysctl.service"


def read_next(
    root: Root,
    running: str,
    line: CommandLine | None,
    sysctls: Iterable[str],
    whole: bool | None = None,
) -> NextBoot:
    """What holds after the next boot; `running` and `line` are of the kernel that runs, if one
    does, `sysctls` the names that patterns of sysctl.d may match, and `whole` is what the user
    says of a configuration."""
    loader = read_loader(root, line)
    notes: list[InputNote] = []
    if loader.entry is None:
        notes.append(InputNote("next-boot-unknown", Location(root.folder), loader.why))
    by_systemd = any(map(root.has, _SYSTEMD)) or not root.has("/etc/init.d/procps")
    found = read_sysctls(root, sysctls, by_systemd)
    writes: dict[str, Written] = {}
    if not by_systemd or root.link(_MASKED) != "/dev/null":
        writes.update(found.writes)
    shown = read_settings(root, [key for key in writes if not key.startswith("/")], ())
    if loader.entry and loader.entry.loader == "GRUB":
        notes += _not_in_menu(root, loader.entry.line)
    return NextBoot(
        writes=writes,
        overridden=found.overridden,
        now={**shown.sysctl, **shown.sysfs},
        entry=loader.entry,
        runs=bool(running) or line is not None,
        running=running,
        config=_other_kernel(root, loader.entry, running, whole),
        unread=found.unread,
        notes=tuple(notes),
    )


def _other_kernel(
    root: Root, entry: Entry | None, running: str, whole: bool | None
) -> KernelConfig | None:
    """The configuration of the kernel that boots, where it is not the one that runs."""
    if entry is None or entry.release in ("", running) or not running:
        return None
    return kept(root, entry.release, whole)


def _not_in_menu(root: Root, line: CommandLine | None) -> Iterator[InputNote]:
    """Words that were written for GRUB's menu, which does not have them."""
    defaults = defaults_line(root)
    if line is None or line.part or defaults is None or defaults.notes:
        return
    there = set(lasting(word.text for word in line.words))
    for word in defaults.words:
        if word.text not in there:
            place = defaults.place(word.column)
            message = f"{word.text} is not in GRUB's menu ({line.name}), no boot has it yet"
            yield InputNote("line-not-in-menu", place, message, word.text)
