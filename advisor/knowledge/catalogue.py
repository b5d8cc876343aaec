"""The catalogues: which names exist in which kernels, as read in their trees; read when asked for.

`data/catalogue.gz` has the symbols and `data/parameters.gz` the boot parameters: text, one name
a line, made by `kernel-advisor lint --learn`.

    kernel-advisor-catalogue 1
    kernel 6.8.0 arm arm64 x86
    kernel 6.9.0 arm arm64 x86
    [symbols]
    HZ_250<tab>bp:HZ_100 !arm 6.8.0..;bp arm 6.9.0
    RETPOLINE<tab>bp x86 6.8.0

A line is a name and its facts, each of traits, architectures (none: all that were read, `!`: all
but these) and kernels (`A..B`, and `A..` to the last). The traits of a symbol are its type (b, t,
i, h, s, u for bool, tristate, int, hex, string and unknown), then p if it has a prompt, - if not,
o if it is an old name that the kernel still takes a value of, then the choice it belongs to, named
by its first member. Those of a boot parameter are in parametercatalogue.py.

A kernel that was not read is only known to lie between two that were.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from advisor.errors import KnowledgeError
from advisor.files import read
from advisor.model.kernel import KernelVersion, parse_version
from advisor.record import NamedTuple

MAGIC = "kernel-advisor-catalogue 1"
FILE = "catalogue.gz"
"""Its name in the folder of rules."""
SYMBOLS = "symbols"
TYPES = {"b": "bool", "t": "tristate", "i": "int", "h": "hex", "s": "string", "u": "unknown"}
_LARGEST = 64 << 20
_SHORTEST = 5  # of four letters everything is near to something
_LONGEST = 80  # the longest name read has 51 letters
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_DIGITS = re.compile("[0-9]+")
_RELEASE = re.compile(r"\d+\.\d+")
_AGAIN = "kernel-advisor lint --learn makes it anew"


class Kernel(NamedTuple):
    """A kernel that was read, and the architectures it was read for."""

    version: KernelVersion
    arches: frozenset[str]

    @property
    def order(self) -> tuple[tuple[int, int, int], bool, str]:
        """By number; a release candidate before its release."""
        return self.version.numbers, "-rc" not in self.version.text, self.version.text


class Traits(NamedTuple):
    """What a symbol is: `old` if only an old name; `choice` is the first member of its choice."""

    type: str
    prompt: bool
    old: bool
    choice: str


class Fact(NamedTuple):
    """Traits, on which architectures (as the file spells them), and a bit for each kernel."""

    traits: str
    arches: str
    kernels: int

    def on(self, arch: str | None) -> bool:
        """Whether it holds for the architecture; None is any."""
        if arch is None or not self.arches:
            return True
        return (arch in self.arches.lstrip("!").split(",")) is not self.arches.startswith("!")


class Seen:
    """Where one name was seen. Kernels are bits, in the order of the catalogue's `kernels`."""

    def __init__(self, name: str, facts: tuple[Fact, ...], catalogue: Names) -> None:
        self.name = name
        self.facts = facts
        self._catalogue = catalogue

    def kernels(self, arch: str | None = None) -> int:
        """The kernels that have it, for the architecture if one is named."""
        found = 0
        for fact in self.facts:
            if fact.on(arch):
                found |= fact.kernels
        return found & self._catalogue.read_for(arch)

    def spans(self, arch: str | None = None) -> list[tuple[int, int]]:
        """The first and last kernel of each row of kernels read that have it."""
        found: list[tuple[int, int]] = []
        bits, open_ = self.kernels(arch), False
        for number in numbers(self._catalogue.read_for(arch)):
            if bits >> number & 1:
                found = [*found[:-1], (found[-1][0], number)] if open_ else [*found, (number,) * 2]
            open_ = bool(bits >> number & 1)
        return found

    def traits(self, number: int, arch: str | None = None) -> list[Traits]:
        """What it is in that kernel: several where architectures differ, the commonest first."""
        found = [f for f in self.facts if f.kernels >> number & 1 and f.on(arch)]
        found.sort(key=lambda fact: (fact.arches != "", fact.arches[:1] != "!"))
        return list(dict.fromkeys(_traits(fact.traits) for fact in found))

    def arches(self, number: int) -> frozenset[str]:
        """The architectures on which that kernel has it."""
        known = self._catalogue.kernels[number].arches
        facts = [fact for fact in self.facts if fact.kernels >> number & 1]
        return frozenset(arch for arch in known if any(fact.on(arch) for fact in facts))


class Names:
    """Names of kernels, of one kind. Raises KnowledgeError where the text is no catalogue of it."""

    section = ""

    def __init__(self, text: str, path: str = "") -> None:
        self.path = path
        head, titled, body = text.partition(f"\n[{self.section}]\n")
        first, *lines = head.split("\n")
        if first != MAGIC:
            raise self._wrong(f"does not begin with {MAGIC!r}: another version wrote it")
        if any(lines) and not titled:
            raise self._wrong(f"has no [{self.section}]")
        self.kernels = tuple(map(self._kernel, filter(None, lines)))
        self._numbers = {kernel.version.text: i for i, kernel in enumerate(self.kernels)}
        self._body = f"\n{body}"
        self._facts_by_name: dict[str, str] | None = None
        self._read: dict[str | None, int] = {}
        self._around: dict[tuple[KernelVersion, str | None], list[int]] = {}

    def names(self) -> dict[str, str]:
        """The facts by name, as they are spelled."""
        if self._facts_by_name is None:
            parted = [line.partition("\t") for line in self._body.split("\n") if line]
            if not all(facts for _, _, facts in parted):
                raise self._wrong(f"has a line without facts in [{self.section}]")
            self._facts_by_name = {name: facts for name, _, facts in parted}
        return self._facts_by_name

    def spelled(self, name: str) -> str:
        """The facts of a name as they are spelled; nothing if no kernel read has it."""
        return self.names().get(name, "")

    def facts(self, name: str) -> tuple[Fact, ...]:
        """All that is known of a name; nothing if no kernel read has it."""
        spelled = self.spelled(name)
        try:
            return tuple(map(self._fact, spelled.split(";"))) if spelled else ()
        except (KeyError, ValueError) as error:
            raise self._wrong(f"has wrong facts of {name}") from error

    def seen(self, name: str) -> Seen | None:
        """Where the name was seen; None if in no kernel read."""
        facts = self.facts(name)
        return Seen(name, facts, self) if facts else None

    def read_for(self, arch: str | None) -> int:
        """The kernels that were read for the architecture; all for None, or one never read."""
        found = self._read.get(arch)
        if found is None:
            bits = (arch in kernel.arches for kernel in self.kernels)
            found = sum(read << number for number, read in enumerate(bits))
            found = self._read[arch] = found or (1 << len(self.kernels)) - 1
        return found

    def around(self, version: KernelVersion, arch: str | None = None) -> list[int]:
        """The kernels read that come nearest: all of a release such as `6.12`; else the last before
        and the first after it, but of its own release the last before is enough.
        """
        key = version, arch
        if key not in self._around:
            self._around[key] = self._found_around(version, arch)
        return self._around[key]

    def _found_around(self, version: KernelVersion, arch: str | None) -> list[int]:
        known = list(numbers(self.read_for(arch)))
        release = [n for n in known if self._version(n).numbers[:2] == version.numbers[:2]]
        if release and _RELEASE.fullmatch(version.text):
            return release
        before = [n for n in known if self._version(n).numbers <= version.numbers][-1:]
        # What the last of them lacks, an earlier one of the same release may still have.
        known = release if set(before) & set(release) else known
        after = [n for n in known if self._version(n).numbers >= version.numbers][:1]
        return sorted({*before, *after})

    def _version(self, number: int) -> KernelVersion:
        return self.kernels[number].version

    def _kernel(self, line: str) -> Kernel:
        word, _, rest = line.partition(" ")
        text, *arches = rest.split(" ")
        try:
            if word != "kernel":
                raise ValueError(word)
            return Kernel(parse_version(text), frozenset(arches))
        except ValueError as error:
            raise self._wrong(f"has a wrong line {line[:60]!r} at its beginning") from error

    def _fact(self, spelled: str) -> Fact:
        traits, *parts = spelled.split(" ")
        arches, spans = parts if len(parts) == 2 else ("", *parts)
        bits = 0
        for span in spans.split(","):
            first, dots, last = span.partition("..")
            low = self._numbers[first]
            high = self._numbers[last] if last else len(self.kernels) - 1 if dots else low
            bits |= (2 << high) - (1 << low)
        return Fact(traits, arches, bits)

    def _wrong(self, message: str) -> KnowledgeError:
        return KnowledgeError([(self.path, f"{message}; {_AGAIN}")])


class Catalogue(Names):
    """The symbols of kernels."""

    section = SYMBOLS

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text, path)
        self._squashed: dict[str, str] = {}

    def members(self, choice: str, number: int, arch: str | None = None) -> list[str]:
        """The symbols of a choice in that kernel, sorted as people count."""
        spelled = re.compile(rf":{re.escape(choice)}(?![A-Za-z0-9_])")
        found = [name for name, facts in self.names().items() if spelled.search(facts)]
        kept = [name for name in found if self._belongs(name, choice, number, arch)]
        return sorted(kept, key=lambda name: (_DIGITS.sub("", name), len(name), name))

    def _belongs(self, name: str, choice: str, number: int, arch: str | None) -> bool:
        seen = self.seen(name)
        return seen is not None and any(t.choice == choice for t in seen.traits(number, arch))

    def typo(self, symbol: str) -> list[str]:
        """The names one slip of the keyboard away, but no other number of the same thing."""
        names, given, symbol = self.names(), symbol, symbol.upper()
        if symbol in names and symbol != given:
            return [symbol]
        if not self._squashed:
            self._squashed = {name.replace("_", ""): name for name in names}
        plain = _DIGITS.sub("", symbol)
        tried = slips(symbol, _LETTERS) if _SHORTEST <= len(symbol) <= _LONGEST else ()
        found = {name for name in tried if name in names}
        found.add(self._squashed.get(symbol.replace("_", ""), ""))
        return sorted(n for n in found - {"", given} if _DIGITS.sub("", n) != plain)

    def near(self, symbol: str) -> list[str]:
        """The names that a wrong one may mean: slips, else what looks like it in many letters."""
        if found := self.typo(symbol):
            return found
        return alike(symbol.upper(), self.names())


def numbers(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    return (number for number in range(bits.bit_length()) if bits >> number & 1)


def _traits(spelled: str) -> Traits:
    known, _, choice = spelled.partition(":")
    return Traits(TYPES.get(known[:1], "unknown"), known[1:] == "p", known[1:] == "o", choice)


def alike(name: str, known: Iterable[str]) -> list[str]:
    """Those that look like it in many letters, the likest first."""
    import difflib

    # To compare with every name takes half a second.
    tried = [
        other
        for other in known
        if (other[:3] == name[:3] or other[-5:] == name[-5:]) and abs(len(other) - len(name)) <= 4
    ]
    return difflib.get_close_matches(name, tried, n=3, cutoff=0.8)


def slips(name: str, letters: str) -> Iterator[str]:
    """All that one letter more, less, swapped or wrong gives (1,500 for twenty letters)."""
    for at in range(len(name) + 1):
        head, tail = name[:at], name[at:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in letters:
            yield head + letter + tail
            if at:  # another first letter makes another word
                yield head + letter + tail[1:]


def built_in() -> Catalogue:
    """That of the built-in rules. Raises KnowledgeError if it is damaged."""
    return load(location())


def location(file: str = FILE) -> str:
    """Where a catalogue of the built-in rules is, or would be."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", file)


def load(path: str) -> Catalogue:
    """The symbols in a file; none if there is no file. Raises KnowledgeError if it is damaged."""
    return Catalogue(unpacked(path), path)


def unpacked(path: str) -> str:
    """The text of a catalogue; that of an empty one if there is no file.

    Raises KnowledgeError if it is damaged.
    """
    try:
        packed = read(path, limit=_LARGEST)
    except FileNotFoundError:
        return MAGIC
    except OSError as error:
        raise KnowledgeError([(path, f"cannot be read: {error.strerror}")]) from error
    return _unpacked(packed, path)


def _unpacked(packed: bytes, path: str) -> str:
    import zlib

    try:
        unpacker = zlib.decompressobj(wbits=31)
        data = unpacker.decompress(packed, _LARGEST)
        if unpacker.eof:
            return data.decode("ascii")
    except (zlib.error, UnicodeDecodeError) as error:
        raise KnowledgeError([(path, f"is damaged ({error}); {_AGAIN}")]) from error
    raise KnowledgeError([(path, f"is damaged (it ends too early); {_AGAIN}")])


def spelled_kernels(bits: int, names: Iterable[str]) -> str:
    """`A..B,C,D..`: these of the kernels of that order, as the file spells them."""
    names = list(names)
    found: list[list[int]] = []
    for number in numbers(bits):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    end = len(names) - 1
    spans = (
        names[low] if low == high < end else f"{names[low]}..{'' if high == end else names[high]}"
        for low, high in found
    )
    return ",".join(spans)
