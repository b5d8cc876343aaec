"""The folder of a plan: files laid out as on the machine, a README and the plan as data."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from advisor.errors import OutputError
from advisor.files import read, read_own, write_folder
from advisor.model.plan import File
from advisor.model.report import Report
from advisor.output import PLAN_FORMATS, Style, renderer
from advisor.output.plan import containerfile, items
from advisor.output.planjson import SCHEMA

_DATA, _README, _ITEMS = "plan.json", "README.md", "items.tsv"
_SCRIPTS = {
    "apply.sh": (
        "# Applies a plan: writes its files below /etc, and sets the values now.",
        "[--yes] [--root DIR] [--anyway]",
    ),
    "undo.sh": (
        "# Undoes a plan that apply.sh applied, or some items of the plan.",
        "[--yes] [--root DIR] [ITEM...]",
    ),
}
"""Each with what it is, and what may stand behind its name."""
_LARGEST = 16 << 20
_NAMES = (
    _DATA,
    _README,
    _ITEMS,
    *_SCRIPTS,
    *(path for file in File for path in file.paths),
    containerfile.NAME,
    containerfile.KARGS,
)
_UNFINISHED = re.compile(r"\.kernel-advisor\.[1-9]\d*\.[0-9a-f]{8}")


def write_plan(report: Report, folder: str) -> None:
    """Writes all files of the plan, and removes those of an earlier plan that it has no more.

    Raises OutputError, and UsageError where a format cannot carry the boot line.
    """
    texts = {_DATA: _text("json", report), _README: _text("markdown", report)}
    texts[_ITEMS] = items.render([report], Style())
    texts.update((name, _script(name)) for name in _SCRIPTS)
    for file in items.files(report.plan):
        texts[report.plan.path(file)] = _text(file.value, report)
    if kargs := containerfile.kargs(report):
        texts[containerfile.KARGS] = kargs
    if any(name.startswith(("etc/", "usr/")) for name in texts):
        texts[containerfile.NAME] = _text("containerfile", report)
    write_folder(folder, texts, [name for name in _NAMES if name not in texts])


def _script(name: str) -> str:
    """The text of a script, which is the same for every plan."""
    about, usage = _SCRIPTS[name]
    common = read_own("output", "plan", "scripts", "common.sh")
    own = read_own("output", "plan", "scripts", name)
    return common.replace("@ABOUT@", about).replace("@USAGE@", usage) + own


def _text(name: str, report: Report) -> str:
    return renderer(name, PLAN_FORMATS)([report], Style())


def refuse_folder(folder: str) -> None:
    """Raises OutputError for a folder that is neither empty nor a plan's, or that leads elsewhere.

    A file of the plan that is a link, or behind one, would be written outside.
    """
    try:
        names = [name for name in os.listdir(folder) if not _UNFINISHED.fullmatch(name)]
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = "name a new or an empty folder"
        raise OutputError(
            f"cannot take the plan's files: {reason}", where=folder, hint=hint
        ) from error
    if names and not _is_plan(folder):
        hint = "name an empty folder, or the folder of an earlier plan"
        raise OutputError("contains files, but no plan", where=folder, hint=hint)
    for path, is_file in _parts(folder):
        if os.path.islink(path) or (os.path.lexists(path) and os.path.isdir(path) is is_file):
            hint = "remove this path, or name another folder for the plan"
            what = "file" if is_file else "folder"
            raise OutputError(
                f"is not a {what}: the plan needs a {what} of this name", where=path, hint=hint
            )


def _is_plan(folder: str) -> bool:
    """Whether the folder holds a plan that this program wrote."""
    try:
        data = json.loads(read(os.path.join(folder, _DATA), limit=_LARGEST, links=False))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and data.get("schema") == SCHEMA


def _parts(folder: str) -> Iterator[tuple[str, bool]]:
    """Yields every path below the folder that a plan may write, and whether it is a file."""
    for name in _NAMES:
        path = folder
        parts = name.split("/")
        for number, part in enumerate(parts, 1):
            path = os.path.join(path, part)
            yield path, number == len(parts)
