"""Fetches the configurations of the census that a public repository has: `make corpus` does it.

    python -m tests.census.fetch FOLDER

`configurations.txt` has for each its digest and, where one is known, the repository on GitHub, the
commit and the path. What is in the folder already is not fetched again; what has another digest is
not kept.
"""

from __future__ import annotations

import sys
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from ..proofs import digest
from .census import Listed, listed

RAW = "https://raw.githubusercontent.com"
SECONDS = 30
"""After so long without an answer a server is given up."""
MOST = 4 << 20
"""No configuration has more bytes; the longest of the census has 300,000."""


def main(folder: Path) -> None:
    """Fetches what is not there, and says in a line what is missing afterwards, and why."""
    folder.mkdir(parents=True, exist_ok=True)
    missing: dict[str, list[str]] = {}
    known = listed()
    for name, one in known.items():
        path = folder / f"{name}.config"
        if not path.exists() and (why := _fetched(one, path)):
            missing.setdefault(why, []).append(name)
    print(f"{len(known) - sum(map(len, missing.values()))} of {len(known)} in {folder}")
    for why, names in missing.items():
        print(f"{why}: {', '.join(names)}")


def _fetched(one: Listed, path: Path) -> str:
    """Writes a configuration; otherwise why there is none."""
    if not one.address:
        return "no address is known"
    try:
        with urlopen(f"{RAW}/{quote(one.address)}", timeout=SECONDS) as answer:
            body = answer.read(MOST)
    except (OSError, HTTPException):
        return "cannot be fetched"
    if digest(body) != one.digest:
        return "has changed"
    path.write_bytes(body)
    return ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
