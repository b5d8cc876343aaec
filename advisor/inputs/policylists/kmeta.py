"""Yocto's kernel metadata: descriptions (.scc) that include others and name fragments (.cfg).

    define KARCH arm64
    include features/kgdb/kgdb.scc
    kconf hardware board.cfg

Source: the Yocto Project Linux Kernel Development Manual, Kernel Metadata Syntax.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from advisor.inputs.policylists.asked import (
    Items,
    PolicyList,
    Unsaid,
    files_of,
    lines_of,
    listed,
)
from advisor.inputs.policylists.fragment import items
from advisor.model.kernel import Location

_SETTING_NOTHING = ("define", "branch", "patch", "git", "KFEATURE_DESCRIPTION")


def read(paths: Sequence[str]) -> PolicyList:
    """What descriptions and fragments ask for; of a folder all of its descriptions, or where it has
    none its fragments. Raises InputError."""
    return listed(item for path in paths for item in _path(path))


def _path(path: str) -> Items:
    root = path if os.path.isdir(path) else os.path.dirname(path)
    files = files_of(path)
    wanted = [one for one in files if one.endswith(".scc")] or files
    seen: set[str] = set()
    for file in wanted:
        yield from _file(file, root, seen) if file.endswith(".scc") else items(lines_of(file))


def _file(path: str, root: str, seen: set[str]) -> Items:
    """What a description asks for, with what it includes, each file once."""
    real = os.path.realpath(path)
    if real in seen:
        return
    seen.add(real)
    depth = 0
    for place, line in lines_of(path):
        words = line.partition("#")[0].split()
        if not words:
            continue
        depth += (words[0] == "if") - (words[0] == "fi")
        if depth or words[0] == "fi":
            yield Unsaid(place, f"depends on a variable: {line.strip()[:60]}")
        elif words[0] == "include" and len(words) > 1:
            yield from _named(words[1], path, root, seen, place)
        elif words[0] == "kconf" and len(words) > 1:
            yield from _named(words[-1], path, root, seen, place)
        elif words[0] not in _SETTING_NOTHING:
            yield Unsaid(place, f"is of no form that is known: {line.strip()[:60]}")


def _named(name: str, path: str, root: str, seen: set[str], place: Location) -> Items:
    """What a file asks for that is named beside another one, or from the root; nothing outside of
    the root is read."""
    tried = (os.path.join(folder, name) for folder in (os.path.dirname(path), root))
    top = os.path.realpath(root)
    for one in tried:
        real = os.path.realpath(one)
        if os.path.isfile(real) and os.path.commonpath((real, top)) == top:
            inner = _file(one, root, seen) if name.endswith(".scc") else items(lines_of(one))
            yield from inner
            return
    yield Unsaid(place, f"{name} is not in {root or os.curdir}")
