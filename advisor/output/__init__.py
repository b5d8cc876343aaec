"""Formats: each a module with `render(reports, style) -> str`, imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.model import Report

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from advisor.record import NamedTuple


class Style(NamedTuple):
    """How to show: columns, ANSI colour, and whether to list what is folded to a count."""

    width: int = 80
    colour: bool = False
    verbose: bool = False


Render = Callable[[Sequence[Report], Style], str]
FORMATS = {
    "text": "advisor.output.text",
    "json": "advisor.output.json",
    "markdown": "advisor.output.markdown",
    "fragment": "advisor.output.fragment",
}


def renderer(name: str) -> Render:
    """The render function of a format. Raises UsageError for an unknown one."""
    if name not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"there is no format {name!r}", where="--format", hint=f"one of {known}")
    render: Render = import_module(FORMATS[name]).render
    return render
