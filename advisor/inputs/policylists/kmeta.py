"""Yocto's kernel metadata: descriptions (.scc) that include others and name fragments (.cfg).

    define KARCH arm64
    include features/kgdb/kgdb.scc
    kconf hardware board.cfg

A name is looked for beside the file, then in the folders above it: that of the whole tree is one of
them. Source: the Yocto Project Linux Kernel Development Manual, Kernel Metadata Syntax; `nocfg` and
`inherit` as ktypes/standard/standard.scc of yocto-kernel-cache explains them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from advisor.inputs.policylists.asked import Items, Unsaid, files_of, lines_of
from advisor.inputs.policylists.fragment import items
from advisor.model.kernel import Location

_SETTING_NOTHING = ("branch", "patch", "git", "merge")
_TEST = re.compile(r'\[ "?\$\{?(\w+)\}?"? = "?([\w-]+)"? \]')
_KINDS = (".scc", ".cfg")


def asked(path: str) -> Items:
    """What descriptions and fragments ask for; of a folder all of its descriptions, or where it has
    none its fragments. Raises InputError."""
    files = files_of(path)
    wanted = [one for one in files if one.endswith(".scc")] or files
    reading = _Reading(path if os.path.isdir(path) else os.path.dirname(path))
    for file in wanted:
        reading.defined.clear()
        yield from reading.file(file)


class _Reading:
    """What was read of the tree below `top`: each file once, with the variables that are
    defined."""

    def __init__(self, top: str) -> None:
        self.top = top
        self.seen: set[tuple[str, str]] = set()
        self.defined: dict[str, str] = {}

    def file(self, path: str, without: str = "") -> Items:
        """What a description or fragment asks for, with what it includes; `without` its fragments
        (nocfg), or also without those of what it includes (inherit)."""
        real = os.path.realpath(path), without
        if not path.endswith(".scc"):
            yield from items(lines_of(path))
        elif real not in self.seen:
            self.seen.add(real)
            ifs: list[bool | None] = []
            for place, line in _joined(lines_of(path)):
                words = line.partition("#")[0].removeprefix("force ").split()
                if words[:1] == ["if"]:
                    ifs.append(_holds(line, self.defined))
                elif words[:1] == ["fi"]:
                    ifs = ifs[:-1]
                elif words and None in ifs:
                    yield Unsaid(place, f"this line depends on a variable: {line[:60]}")
                elif words and all(ifs):
                    yield from self._line(words, path, place, without)

    def _line(self, words: list[str], path: str, place: Location, without: str) -> Items:
        if words[0] == "define":
            self.defined[" ".join(words[1:2])] = " ".join(words[2:])
        elif words[0] == "include" and len(words) > 1:
            chained = "inherit" if "inherit" in (without, *words[2:]) else ""
            own = chained or ("nocfg" if "nocfg" in words[2:] else "")
            yield from self._named(words[1], path, place, own)
        elif words[0] == "kconf" and len(words) > 1:
            yield from () if without else self._named(words[-1], path, place)
        elif words[0] not in _SETTING_NOTHING:
            yield Unsaid(place, f"the form of this line is unknown: {' '.join(words)[:60]}")

    def _named(self, name: str, path: str, place: Location, without: str = "") -> Items:
        """What a file asks for that is named beside another one, or from a folder above it, which
        then is the tree's. Nothing outside of the tree is read."""
        for folder in _above(path, is_far=name.count("/") > name.count("..")):
            for one in (name, os.path.join(name, f"{os.path.basename(name)}.scc")):
                found = os.path.normpath(os.path.join(folder, one))
                is_list = os.path.isfile(found) and found.endswith(_KINDS)
                if is_list and self._is_within(found, folder):
                    yield from self.file(found, without)
                    return
        yield Unsaid(place, f"{name} is not in {self.top or os.curdir}")

    def _is_within(self, path: str, folder: str) -> bool:
        real = os.path.realpath(path)
        for top in (self.top, folder):
            known = os.path.realpath(top or os.curdir)
            if os.path.commonpath((real, known)) == known:
                self.top = top
                return True
        return False


def _joined(lines: Iterable[tuple[Location, str]]) -> Iterator[tuple[Location, str]]:
    """The lines without indentation; one that ends in a backslash with the next ones."""
    begun: list[tuple[Location, str]] = []
    for place, line in lines:
        text = line.strip()
        begun.append((place, text.removesuffix("\\")))
        if not text.endswith("\\"):
            yield begun[0][0], " ".join(part for _, part in begun)
            begun.clear()
    yield from begun[:1]


def _holds(line: str, defined: dict[str, str]) -> bool | None:
    """Whether one of an `if`'s comparisons holds; None where a variable is not defined."""
    tests = line.removeprefix("if ").partition(";")[0].split(" || ")
    found = [_TEST.fullmatch(test.strip()) for test in tests]
    values = [defined.get(one[1], "") == one[2] for one in found if one and one[1] in defined]
    return any(values) if len(values) == len(found) else None


def _above(path: str, *, is_far: bool) -> Iterator[str]:
    """The folder of a file, and if the name `is_far` those above it."""
    folder = os.path.dirname(path)
    yield folder
    at = os.path.abspath(folder)
    while is_far and (parent := os.path.dirname(at)) != at:
        at = parent
        yield at if os.path.isabs(path) else os.path.relpath(at)
