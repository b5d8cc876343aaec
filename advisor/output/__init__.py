"""Formats: each a module with `render(reports, style) -> str`, imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from advisor.errors import UsageError, near
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths


class Style(NamedTuple):
    """How to show: columns, lines (0: on no terminal), ANSI colour, whether to list what is folded
    to a count, or of findings a line each; and where files are within their repository, for
    formats that others read there."""

    width: int = 80
    height: int = 0
    colour: bool = False
    verbose: bool = False
    brief: bool = False
    places: RepositoryPaths = RepositoryPaths()


# A comparison's takes one of these instead of reports.
Render = Callable[[Any, Style], str]
FORMATS = {
    "text": "advisor.output.text",
    "json": "advisor.output.json",
    "markdown": "advisor.output.markdown",
    "html": "advisor.output.html",
    "fragment": "advisor.output.plan.fragment",
    "sarif": "advisor.output.sarif",
    "github": "advisor.output.github",
    "gitlab": "advisor.output.gitlab",
    "junit": "advisor.output.junit",
}
# Those of a comparison.
DIFF_FORMATS = {
    "text": "advisor.output.text",
    "json": "advisor.output.diffjson",
    "markdown": "advisor.output.markdown",
    "html": "advisor.output.html",
}
# Those of a machine on one screen.
SCREEN_FORMATS = {
    "text": "advisor.output.screen",
    "json": "advisor.output.screenjson",
    "markdown": "advisor.output.markdown",
    "html": "advisor.output.html",
}
# Those of a ledger of costs.
COST_FORMATS = {**DIFF_FORMATS, "json": "advisor.output.ledgerjson"}
# Those of what a kernel can run.
CAN_FORMATS = {**DIFF_FORMATS, "json": "advisor.output.abilityjson"}
# Those of a plan that is held against a host.
VERIFY_FORMATS = {**DIFF_FORMATS, "json": "advisor.output.verifyjson"}
# Those of a tuning that is tried on a kernel.
LIKE_FORMATS = {**DIFF_FORMATS, "json": "advisor.output.likejson"}
# Those of a boot line.
BOOT_FORMATS = {
    "plain": "advisor.output.plan.plain",
    "grub": "advisor.output.plan.grub",
    "grubby": "advisor.output.plan.grubby",
    "kernel-install": "advisor.output.plan.kernelinstall",
    "bootc": "advisor.output.plan.bootc",
    "tuned": "advisor.output.plan.tuned",
    "kconfig": "advisor.output.plan.kconfig",
}
# Those of a plan for one machine: for people, for programs, and its files one by one.
PLAN_FORMATS = {
    "text": "advisor.output.text",
    "json": "advisor.output.planjson",
    "markdown": "advisor.output.markdown",
    "sysctl.d": "advisor.output.plan.sysctld",
    "tmpfiles.d": "advisor.output.plan.tmpfilesd",
    "udev": "advisor.output.plan.udev",
    "modprobe.d": "advisor.output.plan.modprobed",
    "fragment": "advisor.output.plan.fragment",
    "cmdline": "advisor.output.plan.plain",
    "ansible": "advisor.output.plan.ansible",
    "nixos": "advisor.output.plan.nixos",
    **{name: module for name, module in BOOT_FORMATS.items() if name != "plain"},
    "tuned": "advisor.output.plan.tunedprofile",
    "containerfile": "advisor.output.plan.containerfile",
}


# Boot loaders without a format of their own: what to ask for, and where it goes.
_LOADERS = {
    "systemd-boot": "--format kernel-install writes the entries of systemd-boot",
    "limine": "--format plain prints the line for 'cmdline:' in limine.conf",
    "refind": "--format plain prints the line for refind_linux.conf",
    "extlinux": "--format plain prints the line for APPEND in extlinux.conf",
    "syslinux": "--format plain prints the line for APPEND in syslinux.cfg",
    "u-boot": "--format plain prints the line for the variable bootargs",
    "rpi": "--format plain prints the line for cmdline.txt",
}


def renderer(name: str, formats: Mapping[str, str] = FORMATS) -> Render:
    """Return the render function of a format. Raises UsageError for an unknown one."""
    if name not in formats:
        hint = near(name, formats) or f"one of {', '.join(formats)}"
        if name in _LOADERS and "plain" in formats:
            hint = f"{_LOADERS[name]}; {hint}"
        raise UsageError(f"there is no format {name!r}", where="--format", hint=hint)
    render: Render = import_module(formats[name]).render
    return render
