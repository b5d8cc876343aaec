"""Folders laid out like a host's, made of what is told here or was recorded of a booted kernel."""

from __future__ import annotations

import re
from pathlib import Path

BOOTED = Path(__file__).with_name("booted")
MACHINES = Path(__file__).with_name("machines")
"""What real machines showed, and others put down in public; each says at its top where."""


def write_host(folder: Path, files: dict[str, str]) -> Path:
    """Writes these files, by their paths on the host; a path that ends with a slash is a folder."""
    for path, text in files.items():
        place = folder / path.lstrip("/")
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def recorded(name: str, folder: Path = BOOTED) -> dict[str, str]:
    """The files of a kernel that was booted, as it showed them, or of a real machine: a line
    `PATH=TEXT` for each, where `[0-7]` stands for each of these numbers."""
    files: dict[str, str] = {}
    for line in (folder / f"{name}.txt").read_text().splitlines():
        if not line.startswith("#"):
            for each in _each(line):
                path, _, text = each.partition("=")
                files[path] = files.get(path, "") + f"{text}\n"
    return files


def _each(line: str) -> list[str]:
    if not (numbers := re.search(r"\[([0-9]+)-([0-9]+)\]", line)):
        return [line]
    before, after = line[: numbers.start()], line[numbers.end() :]
    return [f"{before}{n}{after}" for n in range(int(numbers[1]), int(numbers[2]) + 1)]
