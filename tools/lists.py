"""Counts the symbols and sysctls of a source's list against those of software/*.toml.

    python tools/lists.py FOLDER

FOLDER has the sources as their addresses name them: k3s-io/k3s/contrib/util/check-config.sh.
Nothing of them is kept. A symbol or sysctl that a source names and its list does not, or the other
way round, is a line and exit code 1. Boot words (`lsm=`) are looked up in the source alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from advisor.knowledge import folders, index
from advisor.knowledge.load import compile_folders
from advisor.knowledge.store import Knowledge

_OF = re.compile(r"https://github\.com/([^/]+/[^/]+)/blob/[^/]+/(.+)")
_NAMED = re.compile(r"CONFIG_([A-Z0-9][A-Za-z0-9_]*)")
# `CONFIG_INET{,6}_ESP` is two names.
_BRACES = re.compile(r"(\w+)\{([\w.]*(?:,[\w.]+)+)\}(\w*)")
_SYSCTL = re.compile(r"/proc/sys/([a-z0-9_]+(?:/[a-z0-9_]+)+)")
_BOOT = re.compile(r"[A-Za-z0-9_.]+=")
_WORD = re.compile(r"(?<![A-Za-z0-9_])[A-Z0-9][A-Z0-9_]{1,}(?![A-Za-z0-9_])")


def main(folder: Path) -> int:
    """Prints what differs, and how many lists were found and counted."""
    knowledge = index.load(())
    rules, profiles, _ = folders.roots()
    documents = compile_folders([rules], [profiles], [folders.software()], check=False)
    by_source: dict[Path, tuple[list[str], set[str]]] = {}
    for program, lists in documents.lists.items():
        for one in lists:
            if found := _OF.fullmatch(one["of"]):
                programs, names = by_source.setdefault(folder / found[1] / found[2], ([], set()))
                programs.append(program)
                names.update(one["names"].split())
    read, wrong = 0, 0
    for path, (programs, listed) in by_source.items():
        if not path.is_file():
            continue
        read += 1
        text = path.read_text(encoding="utf-8", errors="replace")
        for line in differences(text, listed, knowledge):
            wrong += 1
            print(f"{', '.join(programs)}: {path.relative_to(folder)}: {line}")
    print(f"{read} of {len(by_source)} sources are there; {wrong} names differ")
    return 1 if wrong or not read else 0


def differences(text: str, listed: set[str], knowledge: Knowledge) -> Iterator[str]:
    """Yields the symbols that the text names and the list lacks, and the other way round."""
    text = _BRACES.sub(lambda found: " ".join(_spread(*found.groups())), text)
    # A script may have the names without CONFIG_: those that a kernel has, beside names of its own.
    named = set(_NAMED.findall(text))
    sysctls = {path.replace("/", ".") for path in _SYSCTL.findall(text)}
    words = {*_WORD.findall(text), *_BOOT.findall(text)} | named | sysctls
    known = {name for name in named if knowledge.catalogue.seen(name)} | sysctls
    yield from (f"{name} is in the source alone" for name in sorted(known - listed))
    yield from (f"{name} is in the list alone" for name in sorted(listed - words))


def _spread(before: str, within: str, behind: str) -> list[str]:
    return [f"{before}{part}{behind}" for part in within.split(",")]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
