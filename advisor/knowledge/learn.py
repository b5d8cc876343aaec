"""Makes the catalogue: what kernel trees define, over what was learnt before (catalogue.py)."""

from __future__ import annotations

import gc
import zlib
from collections.abc import Callable, Iterable, Sequence

from advisor.errors import TreeError, UsageError
from advisor.inputs.files import write_atomically
from advisor.inputs.kconfigfacts import Declaration
from advisor.inputs.kerneltree import open_tree
from advisor.inputs.treefiles import find_tree, version_of
from advisor.knowledge import catalogue
from advisor.knowledge.catalogue import MAGIC, SYMBOLS, TYPES, Catalogue, Kernel, numbers
from advisor.model import KernelVersion

_LETTERS = {name: letter for letter, name in TYPES.items()}
# By traits, then by the text of a kernel's version: the architectures.
Facts = dict[str, dict[str, frozenset[str]]]


def learn(trees: Sequence[str], path: str, tell: Callable[[str], None]) -> str:
    """Adds these kernel trees to the catalogue in a file, which need not be there; the sum.

    A kernel of the same version is learnt anew. What comes out depends on the kernels only, not
    on their order. An architecture whose files cannot be parsed is told, and counts as not read.
    Raises TreeError, UsageError, KnowledgeError or OutputError.
    """
    if not trees:
        raise UsageError("no kernel tree is named", where="lint --learn", hint="lint --learn TREE")
    table = Table(catalogue.load(path))
    versions: dict[str, str] = {}
    for tree in trees:
        version = version_of(find_tree(tree))
        if version.text in versions:
            message = f"{versions[version.text]} and {tree} are both {version.text}"
            raise UsageError(message, where="lint --learn", hint="name one of them")
        versions[version.text] = tree
        table.add(version, _declared(tree, tell))
        tell(f"{tree}: {version.text} is read")
    text = table.text()
    # Not xz, which takes 50 of its 250 KB less and three times as long to unpack.
    packer = zlib.compressobj(9, wbits=31)  # gzip, without a time
    packed = packer.compress(text.encode("ascii")) + packer.flush()
    write_atomically(path, packed)
    made = Catalogue(text, path)
    count = f"{len(made.kernels)} kernels, {len(made.names()):,} symbols"
    return f"{count}, {len(packed):,} bytes in {path}"


def _declared(tree: str, tell: Callable[[str], None]) -> dict[str, list[Declaration]]:
    """What the tree declares for each of its architectures."""
    files = find_tree(tree)
    found = {}
    error: TreeError | None = None
    for arch in files.names("arch"):
        if not files.has(f"arch/{arch}/Kconfig"):
            continue
        try:
            found[arch] = list(open_tree(tree, arch, None).declarations())
        except TreeError as failure:
            error = failure
            tell(f"{tree}: {arch} is left out: {failure.where}: {failure.message[:120]}")
        gc.collect()  # half a million objects in circles
    if error and not found:
        raise error
    return found


class Table:
    """Everything a catalogue says, to be added to."""

    def __init__(self, base: Catalogue) -> None:
        self.kernels = {kernel.version.text: kernel for kernel in base.kernels}
        self._sections: dict[str, dict[str, Facts]] = {SYMBOLS: {}}
        for section in base.sections:
            facts = self._sections.setdefault(section, {})
            for name in base.names(section):
                facts[name] = self._loaded(name, section, base)

    def _loaded(self, name: str, section: str, base: Catalogue) -> Facts:
        found: Facts = {}
        for fact in base.facts(name, section):
            by_kernel = found.setdefault(fact.traits, {})
            for number in numbers(fact.kernels):
                kernel = base.kernels[number]
                arches = frozenset(filter(fact.on, kernel.arches))
                known = by_kernel.get(kernel.version.text, frozenset())
                by_kernel[kernel.version.text] = known | arches
        return found

    def add(self, version: KernelVersion, declared: dict[str, list[Declaration]]) -> None:
        """The symbols of a kernel by architecture, in place of what was known of that kernel."""
        symbols = self._sections[SYMBOLS]
        for facts in symbols.values():
            for by_kernel in facts.values():
                by_kernel.pop(version.text, None)
        self.kernels[version.text] = Kernel(version, frozenset(declared))
        found: dict[tuple[str, str], set[str]] = {}
        for arch, declarations in declared.items():
            for declaration in declarations:
                key = declaration.name, _spelled(declaration)
                found.setdefault(key, set()).add(arch)
        shared: dict[frozenset[str], frozenset[str]] = {}
        for (name, traits), arches in found.items():
            frozen = frozenset(arches)
            by_kernel = symbols.setdefault(name, {}).setdefault(traits, {})
            by_kernel[version.text] = shared.setdefault(frozen, frozen)

    def text(self) -> str:
        """The file, unpacked: the same for the same kernels, whatever their order."""
        order = sorted(self.kernels.values(), key=lambda kernel: kernel.order)
        lines = [MAGIC]
        lines += [" ".join(["kernel", k.version.text, *sorted(k.arches)]) for k in order]
        for section in sorted(self._sections, key=lambda name: (name != SYMBOLS, name)):
            lines.append(f"[{section}]")
            for name, facts in sorted(self._sections[section].items()):
                if spelled := _line(facts, order):
                    lines.append(f"{name}\t{spelled}")
        return "\n".join([*lines, ""])


def _spelled(declaration: Declaration) -> str:
    """The traits of a symbol, as the file spells them."""
    state = "p" if declaration.prompt else "o" if declaration.old else "-"
    choice = f":{declaration.choice}" if declaration.choice else ""
    return f"{_LETTERS.get(declaration.type, 'u')}{state}{choice}"


def _line(facts: Facts, order: Sequence[Kernel]) -> str:
    """All facts of a name, the earliest first."""
    grouped: dict[tuple[str, str], int] = {}
    for traits, by_kernel in facts.items():
        for number, kernel in enumerate(order):
            arches = by_kernel.get(kernel.version.text)
            if arches is not None:
                key = traits, _arches(arches, kernel.arches)
                grouped[key] = grouped.get(key, 0) | 1 << number
    names = [kernel.version.text for kernel in order]
    found = sorted(grouped.items(), key=lambda item: (item[1] & -item[1], item[0]))
    return ";".join(
        " ".join(filter(None, (traits, arches, catalogue.spelled_kernels(bits, names))))
        for (traits, arches), bits in found
    )


def _arches(arches: Iterable[str], known: frozenset[str]) -> str:
    """`arm,arm64`; `!um` for all but these, where that is shorter; nothing for all."""
    some, others = sorted(arches), sorted(known.difference(arches))
    if not others:
        return ""
    return ",".join(some) if len(some) <= len(others) else "!" + ",".join(others)
