"""Folders laid out like a host's, made of what is told here or was recorded of a booted kernel."""

from __future__ import annotations

from pathlib import Path

BOOTED = Path(__file__).with_name("booted")


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


def recorded(name: str) -> dict[str, str]:
    """The files of a kernel that was booted, as it showed them: a line `PATH=TEXT` for each."""
    files: dict[str, str] = {}
    for line in (BOOTED / f"{name}.txt").read_text().splitlines()[1:]:
        path, _, text = line.partition("=")
        files[path] = files.get(path, "") + f"{text}\n"
    return files
