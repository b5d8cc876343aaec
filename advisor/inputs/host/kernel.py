"""A host's kernel: its release, the configuration it was built with, and the line it was booted by.

/proc/bootconfig is not read: what it gives the kernel stands in /proc/cmdline as well
(init/main.c#setup_command_line, read in 6.12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress

from advisor.errors import InputError
from advisor.inputs.config import KernelConfig, read_stream
from advisor.inputs.host import reported
from advisor.inputs.host.root import Root
from advisor.model.cmdline import LONGEST, parse_cmdline
from advisor.model.kernel import CommandLine, KernelVersion, parse_version
from advisor.model.numbers import whole_number

RUNNING = "/proc/config.gz"
_MODULE = "kernel/kernel/configs.ko"
"""What /proc/config.gz comes from where it was built as a module, below the folder of modules."""
# Where distributions keep the configuration of a release: Debian, Fedora and most; what `make
# install` and Fedora's packages do; ostree.
KEPT = (
    "/boot/config-{}", "/usr/lib/modules/{}/config", "/lib/modules/{}/config",
    "/usr/lib/ostree-boot/config-{}",
)  # fmt: skip
# The module may be packed, and /lib is a folder of its own on some systems.
_IN_MODULE = tuple(
    f"{folder}/{{}}/{_MODULE}{packed}"
    for folder in ("/usr/lib/modules", "/lib/modules")
    for packed in ("", ".xz", ".zst", ".gz")
)
# What Debian's kernels say of themselves (debian/rules.real: KBUILD_BUILD_VERSION_TIMESTAMP).
_DEBIAN = re.compile(r" Debian ([0-9]+\.[0-9]+\.[0-9]+)[-+~]")


def running_release(root: Root) -> str:
    """The release of the kernel that runs there, as `uname -r` prints it; empty if none runs."""
    if release := (root.text("/proc/sys/kernel/osrelease") or "").strip():
        return release
    version = re.match(r"Linux version (\S+)", root.text("/proc/version") or "")
    return version[1] if version else reported.release(root)


def told_version(root: Root, release: str) -> KernelVersion | None:
    """The version of the running kernel, as far as it tells that itself: Debian's 6.1.0-50-amd64 is
    6.1.176, by what stands behind its release. None where neither is a version."""
    text = root.text("/proc/version") or reported.uname(root)
    told = _DEBIAN.search(text) if text.startswith("Linux") else None
    with suppress(ValueError):
        return parse_version(told[1] if told else release)
    return None


def boot_line(root: Root) -> CommandLine | None:
    """The line that the running kernel was booted by; None where it is not told."""
    text = root.text("/proc/cmdline", LONGEST)
    if text is None:
        return None
    return parse_cmdline(text.rstrip("\n"), root.called("/proc/cmdline"))


def configuration(root: Root, release: str, whole: bool | None) -> KernelConfig | None:
    """The configuration of the running kernel or, where none runs, of the newest one installed.

    `whole` is what the user says of it. None where there is none to be read; `root.unread` has
    those files that are there, and are no configuration.
    """
    if not release:
        return kept(root, max(_installed(root), key=_natural, default=""), whole)
    # To unpack one module is dear, and there is one.
    modules = _modules(root, release)[:1]
    places = (RUNNING, *(place.format(release) for place in KEPT), *modules)
    return _first(root, places, whole)


def kept(root: Root, release: str, whole: bool | None) -> KernelConfig | None:
    """The configuration that is kept of an installed kernel; None where there is none."""
    return _first(root, [place.format(release) for place in KEPT if release], whole)


def _first(root: Root, places: Iterable[str], whole: bool | None) -> KernelConfig | None:
    for path in places:
        if stream := root.stream(path):
            with stream:
                try:
                    return read_stream(stream, root.called(path), complete=whole)
                except InputError as error:
                    root.unread[path] = error.message
    return None


def has_module(root: Root, release: str) -> bool:
    """Whether a module would make the running kernel show its configuration."""
    return bool(release) and bool(_modules(root, release))


def _modules(root: Root, release: str) -> list[str]:
    return [path for place in _IN_MODULE if root.has(path := place.format(release))]


def _installed(root: Root) -> set[str]:
    """The releases whose configurations are kept, which begin with a number."""
    found: set[str] = set()
    for place in KEPT:
        before, after = place.split("{}")
        for path in root.matching(f"{before}[0-9]*{after}"):
            if root.has(path):
                found.add(path[len(before) : len(path) - len(after)])
    return found


def _natural(release: str) -> list[str | int]:
    """A release in the order of its numbers: 6.12 is behind 6.1."""
    parts = re.split(r"([0-9]+)", release)
    return [(whole_number(part) or 0) if number % 2 else part for number, part in enumerate(parts)]
