"""Makes the catalogues: what kernel trees define and read, over what was learnt before."""

from __future__ import annotations

import gc
import os
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.errors import TreeError, UsageError
from advisor.files import write_atomically
from advisor.inputs.open import read_text
from advisor.knowledge import catalogue, index
from advisor.knowledge.brought import Brought
from advisor.knowledge.catalogue import TYPES, Catalogue, Kernel, Names, numbers
from advisor.knowledge.lines import Lines
from advisor.knowledge.parametercatalogue import ParameterCatalogue
from advisor.knowledge.sysctlcatalogue import SysctlCatalogue
from advisor.knowledge.sysfs import Sysfs
from advisor.knowledge.unreachable import Unreachable
from advisor.lint.csource import sysctls as csysctls
from advisor.lint.csource.source import KernelSource, Parsed
from advisor.lint.sources import all_cited, learn_lines
from advisor.lint.sysfiles import add_described, add_listing, add_made
from advisor.model.kernel import KernelVersion
from advisor.tree.files import TreeFiles, find_tree, version_of
from advisor.tree.kconfig.facts import Declaration
from advisor.tree.kerneltree import open_tree

_LETTERS = {name: letter for letter, name in TYPES.items()}
_KINDS = {
    "__setup": "s", "__setup_param": "s", "__setup_null_param": "s",
    "early_param": "e", "early_param_on_off": "e",
    "core_param": "c", "core_param_unsafe": "c", "__core_param_cb": "c",
    "cmdline_find_option": "f",
    "override": "o", "strstr": "o", "strcmp": "o",
}  # fmt: skip
# What stands alone on a boot line: C's truths do, and what has a reader of its own may.
_ALONE = frozenset(("", "flag", "bool", "invbool", "bool_enable_only"))
# A name that a boot line can spell, and the catalogue.
_NAME = re.compile(r"[A-Za-z0-9_.][!-:<-~]*")
# By traits, then by the text of a kernel's version: the architectures.
KernelFacts = dict[str, dict[str, frozenset[str]]]
# Name, traits, and architectures of one kernel; one name may come several times.
Found = Iterable[tuple[str, str, Iterable[str]]]
_Rows = list[tuple[str, str, Iterable[str]]]


def learn(trees: Sequence[str], path: str, tell: Callable[[str], None]) -> str:
    """Adds these kernel trees to the catalogue in a file, which need not be there; the sum.

    Files beside it get the symbols that nothing can switch on, those that something else has on,
    the boot parameters and sysctls of trees with C source, the files of /sys that a tree describes
    or makes, and the lines at which the anchors of the built-in rules stand. Of `trees`, one that
    is a file is a listing of /sys of a running kernel. A kernel of the same version is learnt
    again. The result depends only on what is read, not on its order.
    An architecture whose files cannot be parsed is told, and counts as not read.
    Raises TreeError, UsageError, KnowledgeError or OutputError.
    """
    listings = [name for name in trees if os.path.isfile(name)]
    versions = _versions([name for name in trees if name not in listings], listings)
    if os.path.basename(path) == ParameterCatalogue.file:
        hint = f"name the file of the symbols, such as {Catalogue.file}"
        raise UsageError(
            f"{path} is the name of the file of the parameters", where="--output", hint=hint
        )
    tables = _Tables(path, tell)
    for tree, version in versions.items():
        tables.add(tree, version)
    for name in listings:
        add_listing(read_text(name), name, tables.sysfs)
    return "\n".join(tables.written())


class _Tables:
    """The tables beside each other in a folder, as they grow."""

    def __init__(self, path: str, tell: Callable[[str], None]) -> None:
        folder = os.path.dirname(path)
        self._tell = tell
        self._symbols = CatalogueTable(Catalogue.load(path))
        self._unreachable, self._brought, self._parameters, self._sysctls = (
            CatalogueTable(kind.load(os.path.join(folder, kind.file)))
            for kind in (Unreachable, Brought, ParameterCatalogue, SysctlCatalogue)
        )
        self.sysfs = Sysfs.load(os.path.join(folder, Sysfs.file))
        self._lines = Lines.load(os.path.join(folder, Lines.file))
        self._cited = list(all_cited(index.load()))

    def add(self, tree: str, version: KernelVersion) -> None:
        """Adds all that a tree tells. Raises TreeError."""
        files = find_tree(tree)
        declared, unreachable, brought = _declared(tree, self._tell)
        self._symbols.add(version, declared, _symbols(declared))
        self._unreachable.add(version, declared, unreachable)
        self._brought.add(version, declared, brought)
        source = KernelSource(files)
        if source.present:
            arches = _arches(files)
            self._parameters.add(version, arches, _parameters(source, arches))
            self._sysctls.add(version, arches, _sysctls(files, arches))
            add_made(files, version, self.sysfs)
        add_described(files, version, self.sysfs)
        if why := learn_lines(self._cited, files, version, self._lines):
            self._tell(f"{tree}: no lines of sources are read, because {why}")
        without = "" if source.present else ", without C source"
        self._tell(f"{tree}: {version.text} is read{without}")

    def written(self) -> list[str]:
        """Writes what has anything; what each has. Raises OutputError."""
        lines = []
        for table in (
            self._symbols, self._unreachable, self._brought, self._parameters, self._sysctls,
        ):  # fmt: skip
            if table.kernels:
                names = f"{len(table.kernels)} kernels, {table.count():,} {table.section}"
                lines.append(f"{names}, {_write(table.path, table.text())}")
            elif table in (self._symbols, self._parameters):
                lines.append(f"no kernels, no {table.section}: {table.path} is not written")
        rows = sum(map(len, self._lines.releases.values()))
        for other, count, what in (
            (self.sysfs, len(self.sysfs.patterns), "files of /sys"),
            (self._lines, rows, "lines of sources"),
        ):
            if count:
                lines.append(f"{count:,} {what}, {_write(other.path, other.text())}")
        return lines


def _versions(trees: Sequence[str], listings: Sequence[str]) -> dict[str, KernelVersion]:
    """The kernels of the trees, no two the same. Raises TreeError or UsageError."""
    if not trees and not listings:
        raise UsageError(
            "no kernel tree is named", where="rules lint --learn", hint="rules lint --learn TREE"
        )
    versions = {tree: version_of(find_tree(tree)) for tree in trees}
    read: dict[str, str] = {}
    for tree in trees:
        text = versions[tree].text
        if text in read:
            message = f"the trees {read[text]} and {tree} are both Linux {text}"
            raise UsageError(message, where="rules lint --learn", hint="name only one of them")
        read[text] = tree
    return versions


def _write(path: str, text: str) -> str:
    """Writes a table; how large it is, and where. Raises OutputError."""
    # gzip without a time: the same file for the same text. Not xz, which takes 50 of the
    # catalogue's 250 KB less and three times as long to unpack.
    packer = zlib.compressobj(9, wbits=31)
    packed = packer.compress(text.encode("ascii")) + packer.flush()
    write_atomically(path, packed)
    return f"{len(packed):,} bytes in {path}"


def _arches(files: TreeFiles) -> list[str]:
    return [arch for arch in files.names("arch") if files.has(f"arch/{arch}/Kconfig")]


def _declared(
    tree: str, tell: Callable[[str], None]
) -> tuple[dict[str, list[Declaration]], _Rows, _Rows]:
    """Reads what the tree declares for each of its architectures, what of it nothing switches on,
    and what something else has on."""
    declared: dict[str, list[Declaration]] = {}
    unreachable: _Rows = []
    brought: _Rows = []
    error: TreeError | None = None
    for arch in _arches(find_tree(tree)):
        try:
            opened = open_tree(tree, arch, None)
            declared[arch] = list(opened.declarations())
            unreachable += ((name, "n", (arch,)) for name in opened.unreachable())
            brought += ((name, by, (arch,)) for name, by in opened.brought())
        except TreeError as failure:
            error = failure
            tell(f"{tree}: {arch} is left out ({failure.where}: {failure.message[:120]})")
        gc.collect()  # half a million objects in circles
    if error and not declared:
        raise error
    return declared, unreachable, brought


def _symbols(declared: Mapping[str, Iterable[Declaration]]) -> Found:
    """The traits of each symbol on each architecture."""
    for arch, declarations in declared.items():
        for one in declarations:
            state = "p" if one.prompt else "o" if one.old else "-"
            choice = f":{one.choice}" if one.choice else ""
            yield one.name, f"{_LETTERS.get(one.type, 'u')}{state}{choice}", (arch,)


def _parameters(source: KernelSource, arches: Sequence[str]) -> Found:
    """Finds what reads each boot parameter on each architecture. Raises TreeError."""
    parts = [(source.common(), arches), *((source.own(arch), [arch]) for arch in arches)]
    for parsed, here in parts:
        for name, places in parsed.items():
            if _NAME.fullmatch(name):
                yield from ((name, _kind(place), here) for place in places)


def _sysctls(files: TreeFiles, arches: Sequence[str]) -> Found:
    """The type and range of each sysctl on each architecture."""
    for folder, here in [("", arches), *((f"arch/{arch}", [arch]) for arch in arches)]:
        for one in csysctls.sysctls(files, folder):
            yield one.name, one.traits, here


def _kind(place: Parsed) -> str:
    """The traits of a boot parameter, as the file spells them."""
    letter = _KINDS.get(place.macro, "m")
    # Of __setup() the text tells it, and cmdline_find_option() would say if it asked for a flag.
    plain = {"s": "flag", "f": "flag"}.get(letter)
    needs = place.type != plain if plain else place.type not in _ALONE
    return letter + "=" * (needs and "_array" not in place.macro)


class CatalogueTable:
    """Everything a catalogue says, to be added to."""

    def __init__(self, base: Names) -> None:
        self.kernels = {kernel.version.text: kernel for kernel in base.kernels}
        self.path = base.path
        self.section = base.section
        self._facts: dict[str, KernelFacts] = defaultdict(lambda: defaultdict(dict))
        for name in base.names():
            for fact in base.facts(name):
                by_kernel = self._facts[name][fact.traits]
                for kernel in map(base.kernels.__getitem__, numbers(fact.kernels)):
                    known = by_kernel.get(kernel.version.text, frozenset())
                    by_kernel[kernel.version.text] = known.union(filter(fact.on, kernel.arches))

    def add(self, version: KernelVersion, arches: Iterable[str], names: Found) -> None:
        """Puts in the names of a kernel read for these architectures, in place of what was known
        of it."""
        for facts in self._facts.values():
            for by_kernel in facts.values():
                by_kernel.pop(version.text, None)
        # What is read anew counts alone: a name that is gone from it must not stay.
        self.kernels[version.text] = Kernel(version, frozenset(arches))
        shared: dict[frozenset[str], frozenset[str]] = {}
        for name, traits, here in names:
            by_kernel = self._facts[name][traits]
            together = by_kernel.get(version.text, frozenset()).union(here)
            # A hundred thousand sets, of which few differ: each is kept once.
            by_kernel[version.text] = shared.setdefault(together, together)

    def count(self) -> int:
        """How many names any kernel has."""
        return sum(any(facts.values()) for facts in self._facts.values())

    def text(self) -> str:
        """The file, unpacked: the same for the same kernels, whatever their order."""
        order = sorted(self.kernels.values(), key=lambda kernel: kernel.order)
        lines = [catalogue.MAGIC]
        lines += [" ".join(["kernel", k.version.text, *sorted(k.arches)]) for k in order]
        lines.append(f"[{self.section}]")
        for name, facts in sorted(self._facts.items()):
            if spelled := _line(facts, order):
                lines.append(f"{name}\t{spelled}")
        return "\n".join([*lines, ""])


def _line(facts: KernelFacts, order: Sequence[Kernel]) -> str:
    """All facts of a name, the earliest first."""
    grouped: dict[tuple[str, str], int] = defaultdict(int)
    for traits, by_kernel in facts.items():
        for number, kernel in enumerate(order):
            arches = by_kernel.get(kernel.version.text)
            if arches is not None:
                grouped[traits, _shortest(arches, kernel.arches)] |= 1 << number
    names = [kernel.version.text for kernel in order]
    rows = sorted(grouped.items(), key=lambda item: (item[1] & -item[1], item[0]))
    return ";".join(
        " ".join(filter(None, (traits, arches, catalogue.spelled_kernels(bits, names))))
        for (traits, arches), bits in rows
    )


def _shortest(arches: Iterable[str], known: frozenset[str]) -> str:
    """`arm,arm64`; `!um` for all but these, where that is shorter; nothing for all."""
    some, others = sorted(arches), sorted(known.difference(arches))
    if not others:
        return ""
    return ",".join(some) if len(some) <= len(others) else "!" + ",".join(others)
