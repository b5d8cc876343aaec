"""Compares the kernel trees of a folder in the order of their versions, and prints which symbols
may have taken the place of those that are gone.

    python tools/successors.py FOLDER [--arch x86 arm64 ...] [--known rules/successors.toml]

Every folder in FOLDER that holds a Kconfig file is taken for a tree; nothing of it is executed. A
symbol is gone if it had a prompt, or a configuration of the tree set it, and no Kconfig file of the
next tree defines it. Another one is a candidate for its place by what both have in common:

    object  the same file of a Makefile is built with it, which was not so before
    prompt  it has the same prompt
    help    its help text begins alike
    part    what was built with it is now a part of the module that is built with this one
    select  the old one did nothing but select it, and now it has a prompt itself
    default it takes its default from the old name, which the tree still knows
    config  the tree's own configurations have it where they had the old one
    name    its name is alike, and it stands in the same file or menu

The first column is how much speaks for it. What is printed is no proof: each is to be checked in
the Kconfig files that stand behind it before it is written into rules/successors.toml (see
rules/successors.toml). Prompts and help texts are compared here, and are kept nowhere.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from trees import trees_in

from advisor.tree.files import TreeFiles
from advisor.tree.kerneltree import KernelTree, open_tree

WEIGHTS = {
    "object": 3, "prompt": 3, "help": 3, "part": 3, "select": 3, "default": 4, "config": 2,
    "name": 1,
}  # fmt: skip
_OBJECTS = re.compile(r"^[\w.-]+-\$[({]CONFIG_(\w+)[)}]\s*[:+]?=\s*(.*)", re.MULTILINE)
_PARTS = re.compile(r"^([\w.-]+)-(?:y|objs|objs-y)\s*[:+]?=\s*(.*)", re.MULTILINE)
_DEFINED = re.compile(r"^\s*(?:menu)?config\s+(\w+)", re.MULTILINE)
_SET = re.compile(r"^CONFIG_(\w+)=[ym]", re.MULTILINE)
_WORD = re.compile(r"[a-z0-9]+")
_ENTRY = re.compile(r"(?:(?:menu)?config|(?:end)?(?:choice|menu|if)|source|comment)\b")
_HELP_WORDS = 14
_ALIKE = 0.72


class Entry(NamedTuple):
    """What a tree says of a symbol: its prompts, the beginning of its help, where it stands."""

    prompts: frozenset[str]
    help: str
    menu: str
    places: tuple[str, ...]
    depends: str


class Candidate(NamedTuple):
    """A symbol that may have taken the place of one that is gone, and what speaks for it."""

    old: str
    new: str
    kinds: tuple[str, ...]
    fresh: bool

    @property
    def weight(self) -> int:
        """How much speaks for it."""
        return sum(WEIGHTS[kind] for kind in self.kinds)


class Tree:
    """One tree, read for several architectures; entries are worked out when they are asked for."""

    def __init__(self, path: Path, version: str, arches: Iterable[str]) -> None:
        self.path = path
        self.version = version
        self.trees = [open_tree(str(path), arch, None) for arch in arches if self._has(arch)]
        self.symbols: dict[str, KernelTree] = {}
        self.old_names: dict[str, str] = {}
        prompted: set[str] = set()
        for tree in self.trees:
            self.old_names.update(tree.renames)
            for one in tree.declarations():
                self.symbols.setdefault(one.name, tree)
                if one.prompt:
                    prompted.add(one.name)
                    self.symbols[one.name] = tree
        self.settable = prompted | {name for names in self.configs.values() for name in names}
        self._entries: dict[str, Entry] = {}
        self._menus: dict[int, dict[str, str]] = {}

    def _has(self, arch: str) -> bool:
        return (self.path / "arch" / arch / "Kconfig").is_file()

    @cached_property
    def defined(self) -> frozenset[str]:
        """All names that a Kconfig file of the tree defines, for whatever architecture."""
        texts = (_text(path) for path in self.path.rglob("Kconfig*"))
        return frozenset(name for text in texts for name in _DEFINED.findall(text))

    @cached_property
    def objects(self) -> dict[str, frozenset[str]]:
        """The symbols with which each object is built, by its path."""
        built: dict[str, set[str]] = defaultdict(set)
        for path in (*self.path.rglob("Makefile"), *self.path.rglob("Kbuild")):
            folder = path.parent.relative_to(self.path).as_posix()
            for symbol, objects in _OBJECTS.findall(_text(path).replace("\\\n", " ")):
                for one in objects.split("#")[0].split():
                    if one.endswith((".o", "/")):
                        built[f"{folder}/{one}"].add(symbol)
        return {one: frozenset(symbols) for one, symbols in built.items()}

    @cached_property
    def parts(self) -> dict[str, frozenset[str]]:
        """The symbols with which the module is built that each object is always a part of."""
        parts: dict[str, set[str]] = defaultdict(set)
        for path in (*self.path.rglob("Makefile"), *self.path.rglob("Kbuild")):
            folder = path.parent.relative_to(self.path).as_posix()
            for module, objects in _PARTS.findall(_text(path).replace("\\\n", " ")):
                for one in objects.split("#")[0].split():
                    if symbols := self.objects.get(f"{folder}/{module}.o"):
                        parts[f"{folder}/{one}"] |= symbols
        return {one: frozenset(symbols) for one, symbols in parts.items()}

    @cached_property
    def configs(self) -> dict[str, frozenset[str]]:
        """What each configuration of the tree switches on, by its path."""
        paths = [*self.path.glob("arch/*/configs/**/*"), *self.path.glob("kernel/configs/*")]
        return {
            path.relative_to(self.path).as_posix(): frozenset(_SET.findall(_text(path)))
            for path in paths
            if path.is_file()
        }

    def entry(self, symbol: str) -> Entry:
        """What the tree says of a symbol that one of the architectures has."""
        if symbol not in self._entries:
            tree = self.symbols[symbol]
            facts = tree.about(symbol)
            assert facts is not None
            menus = self._menus.setdefault(id(tree), tree.menus() if self._new(tree) else {})
            places = [one.where for one in facts.definitions]
            helps = (_help(tree.files, where.path, where.line) for where in places)
            self._entries[symbol] = Entry(
                frozenset(_plain(d.prompt) for d in facts.definitions if d.prompt),
                next(filter(None, helps), ""),
                menus[symbol],
                tuple(f"{where.path}:{where.line}" for where in places),
                facts.depends,
            )
        return self._entries[symbol]

    def _new(self, tree: KernelTree) -> bool:
        return id(tree) not in self._menus


def main() -> int:
    """Prints the candidates of every pair of trees, the likeliest first."""
    parser = argparse.ArgumentParser(description="symbols that took the place of others")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", nargs="+", default=["x86", "arm64", "arm", "powerpc", "s390"])
    parser.add_argument("--known", type=Path, help="leaves out what it and lifecycle.toml have")
    parser.add_argument("--least", type=int, default=3, help="how much must speak for one")
    options = parser.parse_args()
    known = _known(options.known)
    before = None
    for version, path in trees_in(options.folder):
        print(version.text, file=sys.stderr)
        tree = Tree(path, version.text, options.arch)
        for one in candidates(before, tree) if before else ():
            if one.old not in known and one.weight >= options.least:
                print(line(one, before, tree))
        before = tree
    return 0


def _known(path: Path | None) -> set[str]:
    """The old names of a file of successors, and of the renames beside it."""
    if path is None:
        return set()
    renames = re.findall(r'^old = "(\w+)"', _text(path.with_name("lifecycle.toml")), re.M)
    return {*renames, *re.findall(r'^ +"(\w+) (?:->|in) ', _text(path), re.M)}


def line(one: Candidate, before: Tree, after: Tree) -> str:
    """A candidate as it is printed, between tabs."""
    old, new = before.entry(one.old), after.entry(one.new)
    return "\t".join((
        str(one.weight), before.version, after.version, one.old, one.new, ",".join(one.kinds),
        "new" if one.fresh else "was there", " ".join(old.places[:2]), " ".join(new.places[:2]),
        "; ".join(sorted(old.prompts)), "; ".join(sorted(new.prompts)), old.depends, new.depends,
    ))  # fmt: skip


def candidates(before: Tree, after: Tree) -> Iterator[Candidate]:
    """All symbols that may have taken a place between two trees, by the old name."""
    gone = sorted((before.settable & before.symbols.keys()) - after.defined)
    fresh = {name for name in after.symbols if name not in before.defined}
    evidence: dict[tuple[str, str], set[str]] = defaultdict(set)
    for find in (_by_object, _by_part, _by_select, _by_text, _by_default, _by_config, _by_name):
        for old, new, kind in find(before, after, gone, fresh):
            if old != new and new in after.symbols:
                evidence[old, new].add(kind)
    found = [
        Candidate(old, new, tuple(k for k in WEIGHTS if k in kinds), new in fresh)
        for (old, new), kinds in evidence.items()
    ]
    yield from sorted(found, key=lambda one: (one.old, -one.weight, one.new))


Found = Iterator[tuple[str, str, str]]


def _by_object(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """The same object, or the only one of its name, under another symbol."""
    names, others, wanted = _only(after.objects), _only(before.objects), set(gone)
    for path, symbols in before.objects.items():
        name = path.rpartition("/")[2]
        elsewhere = names.get(name, "") if name in others else ""
        place = path if path in after.objects else elsewhere
        for old in symbols & wanted if place else ():
            for new in after.objects[place] - before.objects.get(place, frozenset()):
                yield old, new, "object"


def _only(objects: Iterable[str]) -> dict[str, str]:
    """The objects whose name no other has, by it."""
    by_name = defaultdict(list)
    for path in objects:
        if path.endswith(".o"):
            by_name[path.rpartition("/")[2]].append(path)
    return {name: paths[0] for name, paths in by_name.items() if len(paths) == 1}


def _by_part(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """What had a symbol of its own in a module, and is now always in it."""
    wanted = set(gone)
    for path, symbols in before.objects.items():
        for old in symbols & wanted if path in after.parts and path not in before.parts else ():
            yield from ((old, new, "part") for new in after.parts[path])


def _by_select(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """The only symbol that the old one selected, where it had no prompt and has one now."""
    for old in gone:
        facts = before.symbols[old].about(old)
        for new in facts.selects if facts and len(facts.selects) < 3 else ():
            had = new in before.settable
            if new in after.settable and (not had or _alike(old, new)):
                yield old, new, "select"


def _by_text(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """The same prompt or the same beginning of a help text, with what was not there before."""
    prompts, helps = defaultdict(list), defaultdict(list)
    for name in fresh:
        entry = after.entry(name)
        for prompt in entry.prompts:
            prompts[prompt].append(name)
        helps[entry.help].append(name)
    for old in gone:
        entry = before.entry(old)
        for prompt in entry.prompts:
            yield from ((old, new, "prompt") for new in prompts[prompt][:4])
        if entry.help:
            yield from ((old, new, "help") for new in helps[entry.help][:4])


def _by_default(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """The tree's own list of old names (`transitional`)."""
    return ((old, new, "default") for old, new in after.old_names.items() if old in before.symbols)


def _by_config(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """What configurations of the tree have now in which the old symbol was."""
    wanted, had, spread = set(gone), Counter[str](), Counter[str]()
    came: dict[str, Counter[str]] = defaultdict(Counter)
    for path, was in before.configs.items():
        now = after.configs.get(path)
        spread.update((now or frozenset()) - was)
        for old in was & wanted if now is not None else ():
            had[old] += 1
            came[old].update((now or frozenset()) - was)
    for old, names in came.items():
        for new, times in names.most_common(3):
            # Not what came into other files as well: those are merely new.
            often = times * 2 > max(had[old], spread[new]) and (times > 1 or _alike(old, new))
            if new in fresh and often:
                yield old, new, "config"


def _by_name(before: Tree, after: Tree, gone: list[str], fresh: set[str]) -> Found:
    """A new symbol of a like name in the same file or menu."""
    by_place: dict[str, set[str]] = defaultdict(set)
    for name in fresh:
        for place in _places(after.entry(name)):
            by_place[place].add(name)
    for old in gone:
        near = {name for place in _places(before.entry(old)) for name in by_place[place]}
        yield from ((old, new, "name") for new in near if _alike(old, new))


def _places(entry: Entry) -> set[str]:
    return {entry.menu, *(place.rpartition(":")[0] for place in entry.places)}


def _alike(old: str, new: str) -> bool:
    one, other = old.split("_"), new.split("_")
    within = set(one) <= set(other) or set(other) <= set(one)
    return within or SequenceMatcher(None, old, new).ratio() >= _ALIKE


def _help(files: TreeFiles, path: str, number: int) -> str:
    """The first words of an entry's help text; empty if it is too short to tell anything."""
    rows = files.text(path).split("\n")[number:]
    text: list[str] = []
    for row in rows:
        if text and row.strip() and not row[:1].isspace():
            break
        if not text and _ENTRY.match(row.strip()):
            break
        if row.strip() in ("help", "---help---") or text:
            text.append(row)
        if len(text) > 8:
            break
    words = _WORD.findall(" ".join(text[1:]).lower())
    return " ".join(words[:_HELP_WORDS]) if len(words) >= 5 else ""


def _plain(prompt: str) -> str:
    return " ".join(_WORD.findall(prompt.lower()))


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
