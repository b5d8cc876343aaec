"""A host, read whole: its kernel, its machine and what is set there at run time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from advisor.errors import InputError
from advisor.inputs.config import KernelConfig
from advisor.inputs.host import kernel, reported, supportconfig
from advisor.inputs.host.facts import is_container, read_facts
from advisor.inputs.host.held import Held
from advisor.inputs.host.inuse import read_in_use
from advisor.inputs.host.root import Root, reasons
from advisor.inputs.host.settings import read_settings
from advisor.inputs.nextboot.read import Running, as_runtime, read_next
from advisor.inputs.runtime import Runtime
from advisor.model.kernel import CommandLine, InputNote, KernelVersion, Location, Machine
from advisor.model.nextboot import NextBoot
from advisor.model.subject import InUse
from advisor.record import NamedTuple

_FEW = 3
_OTHER_MACHINE = re.compile(r"(ssh://)?[\w.-]+@[\w.-]+")
# What tells that settings are shown by a kernel, and not asked of one (engine/diagnose/sysctls.py).
_RELEASE = "kernel.osrelease"


class Host(NamedTuple):
    """A host: `name` is its folder, `config` has no symbols where no configuration was found.

    `version` is that of the running kernel, where the configuration does not tell its own;
    `cmdline` is None where no kernel runs there, and no boot loader's file tells what will. `next`
    is what holds after the next boot; without a running kernel, nothing else is known of it. `root`
    are its files, for who asks more of them.
    """

    name: str
    config: KernelConfig
    version: KernelVersion | None
    machine: Machine
    cmdline: CommandLine | None
    runtime: Runtime
    notes: tuple[InputNote, ...]
    root: Root
    next: NextBoot | None = None
    in_use: tuple[InUse, ...] = ()


def read_host(
    path: str,
    sysctls: Iterable[str],
    files: Iterable[str],
    whole: bool | None = None,
    there: Iterable[str] = (),
) -> Host:
    """The host whose files are below the folder or in the archive, of its settings those of these
    names; of files that are `there` or not, that.

    `whole` is what the user says of its configuration. Raises InputError where there is neither
    folder nor archive, or nothing in it that tells of a kernel.
    """
    root = root_of(path)
    release = kernel.running_release(root)
    config = kernel.configuration(root, release, whole)
    line = kernel.boot_line(root)
    if config is None and line is None and not release:
        hint = (
            snapshots_in(path) or "name the folder that contains the proc, sys and boot of the host"
        )
        raise InputError(
            "contains neither a running nor an installed kernel", where=path, hint=hint
        )
    names, paths = list(sysctls), list(files)
    found = read_settings(root, (_RELEASE, *names), paths, there)
    found.sysctl.update(reported.settings(root, (_RELEASE, *names), found.sysctl))
    machine = read_facts(root)
    next_boot = None
    # A report has a part of /etc and /usr/lib: what is not in it may still be set at boot.
    if not is_container(root) and not reported.is_report(root):
        running = Running(release, line, config.arch if config else machine.arch)
        next_boot = read_next(root, running, names, paths, whole)
    if next_boot and not next_boot.runs:
        found = as_runtime(next_boot.writes)
        if entry := next_boot.entry:
            line = entry.line
            config = kernel.kept(root, entry.release, whole) or config
    if config and config.arch:  # by uname a 32-bit process may run on another
        machine = machine._replace(arch=config.arch)
    version = config.version if config else None
    return Host(
        name=root.folder,
        config=config or KernelConfig(root.folder, "", {}),
        version=version or kernel.told_version(root, release),
        machine=machine,
        cmdline=line,
        runtime=found,
        notes=(*_notes(root, release, config), *_next_only(root, next_boot)),
        root=root,
        next=next_boot,
        in_use=read_in_use(root, found.sysfs) if next_boot is None or next_boot.runs else (),
    )


def _next_only(root: Root, next_boot: NextBoot | None) -> Iterator[InputNote]:
    """Notes that no kernel runs there, so that only its files' settings at the next boot are
    known."""
    if next_boot is None or next_boot.runs:
        return
    message = "no kernel runs here: the host is judged in the state after its next boot"
    if entry := next_boot.entry:
        title = f" {entry.title!r}" if entry.title else ""
        message += f", with the default entry{title} of {entry.loader} ({entry.place})"
    yield InputNote("host-not-running", Location(root.folder), message)


def root_of(path: str) -> Root:
    """The files of the host in that folder or archive. Raises InputError where there is neither."""
    if os.path.isdir(path):
        root = Root(path)
        return root if root.runs or not root.has(f"/{supportconfig.MARK}") else _reported(root)
    if os.path.isfile(path):
        from advisor.inputs.host.archive import read_archive
        from advisor.inputs.host.snapshot import is_snapshot, read_snapshot

        if is_snapshot(path):
            return read_snapshot(path)
        try:
            return read_archive(path)
        except InputError as error:
            if not _is_configuration(path):
                raise
            hint = f"give it as CONFIG, without --host: {path}"
            raise InputError("is a configuration, not a host", where=path, hint=hint) from error
    if os.path.lexists(path):
        hint = "name a folder that contains proc and sys, or an archive of such a folder"
        raise InputError("is neither a folder nor an archive", where=path, hint=hint)
    if _OTHER_MACHINE.fullmatch(path):
        hint = (
            "kernel-advisor collect --script >collect.sh; "
            f"ssh {path} 'sh -s' <collect.sh >host.snapshot; --host host.snapshot"
        )
        raise InputError("is not a folder: take a snapshot of that machine", where=path, hint=hint)
    raise InputError("no such folder", where=path, hint="check the path")


def _is_configuration(path: str) -> bool:
    from advisor.inputs.config import read_config

    with suppress(InputError):
        return len(read_config(path)) > 0
    return False


def snapshots_in(folder: str) -> str:
    """What to type where a folder holds snapshots; empty where it holds none."""
    from advisor.inputs.host.snapshot import is_snapshot

    found = []
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        path = os.path.join(folder, name)
        with suppress(InputError):
            if os.path.isfile(path) and is_snapshot(path):
                found.append(f"--host {path}")
    more = " ..." if len(found) > _FEW else ""
    return f"it holds snapshots: {' '.join(found[:_FEW])}{more}" if found else ""


def _reported(folder: Root) -> Root:
    """The host that a supportconfig in that folder tells of."""
    texts = (folder.text(f"/{name}", supportconfig.MOST_OF_A_TEXT) for name in supportconfig.TEXTS)
    root = Held(folder.folder, supportconfig.files_of(text for text in texts if text))
    root.unread.update(folder.unread)
    return root


def _notes(root: Root, release: str, config: KernelConfig | None) -> Iterator[InputNote]:
    place = Location(root.folder)
    if is_container(root):
        message = (
            "kernel-advisor runs in a container. The kernel, the boot line, /sys and most of "
            "/proc/sys belong to the host; all other files belong to the container"
        )
        yield InputNote("host-container", place, message)
    if config is None:
        message = f"this host has no configuration of {release or 'its kernel'}"
        if kernel.has_module(root, release):
            message += f"; after `modprobe configs`, {kernel.RUNNING} contains the configuration"
        yield InputNote("host-no-config", place, message)
    for reason, paths in reasons(root.unread):
        others = f" and {len(paths) - _FEW} more" * (len(paths) > _FEW)
        message = f"{', '.join(paths[:_FEW])}{others}: {reason}"
        yield InputNote("host-unread", place, message, subject=reason)
