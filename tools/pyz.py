"""Writes kernel-advisor.pyz: the command with all that it needs in one file, of Python alone.

    python tools/pyz.py WHEEL DEST

Any Python from 3.10 on starts it, without pip. jsonschema needs a compiled part and is left out: so
rules and profiles of one's own cannot be checked, and that is said; rich is left out, as nothing
here imports it. Names are sorted and times fixed (SOURCE_DATE_EPOCH, or 1980), so that the same
wheels give the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

NEEDS = (
    "typer",
    "click",
    "tomli",
    "kconfiglib",
    "typing_extensions",
    "annotated_doc",
    "shellingham",
)
START = "from advisor.__main__ import main\nmain()\n"
RULES = "advisor/_data/rules/"
OF_PIP = ("RECORD", "REQUESTED", "INSTALLER", "direct_url.json")
AUTHORITIES = "authorities.toml"  # the one file of rules that is read beside the index


def main() -> None:
    wheel, destination = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        # The bounds are those that the wheel declares; nothing compiled is taken.
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            "--target",
            scratch,
        ]
        pure = ["--platform=any", "--python-version=3.10", "--only-binary=:all:", "--no-deps"]
        subprocess.run([*pip, *pure, *_pinned(wheel), wheel], check=True)
        write(Path(scratch), Path(destination))


def _pinned(wheel: str) -> list[str]:
    """The requirements by name, with the bounds of the wheel for its own."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(name).decode().split("\n\n")[0].splitlines()
    own = [
        line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist:")
    ]
    return [next((one for one in own if one.startswith(name)), name) for name in NEEDS]


def write(folder: Path, destination: Path) -> None:
    stamp = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    with destination.open("wb") as stream:
        stream.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in [("__main__.py", START.encode()), *_files(folder)]:
                info = zipfile.ZipInfo(name, stamp)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                archive.writestr(info, data)
    destination.chmod(0o755)


def _files(folder: Path) -> list[tuple[str, bytes]]:
    """What is imported or read: not what is built from, nor what the index holds."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or name.split("/")[0] in ("bin", "share") or path.name in OF_PIP:
            continue
        if name.startswith("advisor/_data/") and name.endswith(".toml"):
            if name != RULES + AUTHORITIES:
                continue
            name = f"rules/{AUTHORITIES}"
        found.append((name, path.read_bytes()))
    return found


if __name__ == "__main__":
    main()
