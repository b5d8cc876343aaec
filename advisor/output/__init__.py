"""Formats: each a module with `render(reports, style) -> str`, imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from advisor.errors import UsageError
from advisor.places import Places
from advisor.record import NamedTuple


class Style(NamedTuple):
    """How to show: columns, ANSI colour, whether to list what is folded to a count; and where
    files are within their repository, for formats that others read there."""

    width: int = 80
    colour: bool = False
    verbose: bool = False
    places: Places = Places()


# A comparison's takes one of these instead of reports.
Render = Callable[[Any, Style], str]
FORMATS = {
    "text": "advisor.output.text",
    "json": "advisor.output.json",
    "markdown": "advisor.output.markdown",
    "html": "advisor.output.html",
    "fragment": "advisor.output.fragment",
    "sarif": "advisor.output.sarif",
    "github": "advisor.output.github",
    "gitlab": "advisor.output.gitlab",
    "junit": "advisor.output.junit",
}
# Those of a comparison.
DIFF_FORMATS = {
    "text": "advisor.output.difftext",
    "json": "advisor.output.diffjson",
    "markdown": "advisor.output.diffmarkdown",
}
# Those of a boot line.
BOOT_FORMATS = {
    "plain": "advisor.output.bootline",
    "grub": "advisor.output.boot.grub",
    "grubby": "advisor.output.boot.grubby",
    "kernel-install": "advisor.output.boot.kernelinstall",
    "bootc": "advisor.output.boot.bootc",
    "tuned": "advisor.output.boot.tuned",
    "kconfig": "advisor.output.boot.kconfig",
}


def renderer(name: str, formats: Mapping[str, str] = FORMATS) -> Render:
    """The render function of a format. Raises UsageError for an unknown one."""
    if name not in formats:
        known = ", ".join(formats)
        raise UsageError(f"there is no format {name!r}", where="--format", hint=f"one of {known}")
    render: Render = import_module(formats[name]).render
    return render
