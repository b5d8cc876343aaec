"""The catalogues: which names exist in which kernels, as read in their trees; read when asked for.

`data/catalogue.gz` has the symbols and `data/parameters.gz` the boot parameters: text, one name
a line, made by `kernel-advisor rules lint --learn`.

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

import re
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import groupby
from operator import or_

from advisor.knowledge.table import Table
from advisor.model.kernel import KernelVersion, parse_version
from advisor.model.likeness import slipped, slips
from advisor.record import NamedTuple

MAGIC = "kernel-advisor-catalogue 1"
TYPES = {"b": "bool", "t": "tristate", "i": "int", "h": "hex", "s": "string", "u": "unknown"}
_SHORTEST = 5  # of four letters everything is near to something
_LONGEST = 80  # the longest name read has 51 letters
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_DIGITS = re.compile("[0-9]+")
_RELEASE = re.compile(r"\d+\.\d+")
_CHOICE = re.compile(":([^ ;]+)")


class Kernel(NamedTuple):
    """A kernel that was read, and the architectures it was read for."""

    version: KernelVersion
    arches: frozenset[str]

    @property
    def order(self) -> tuple[tuple[int, int, int], bool, str]:
        """By number; a release candidate before its release."""
        return self.version.numbers, "-rc" not in self.version.text, self.version.text


class SymbolTraits(NamedTuple):
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
        bits = reduce(or_, (fact.kernels for fact in self.facts if fact.on(arch)), 0)
        return bits & self._catalogue.read_for(arch)

    def spans(self, arch: str | None = None) -> list[tuple[int, int]]:
        """The first and last kernel of each row of kernels read that have it."""
        bits, read = self.kernels(arch), numbers(self._catalogue.read_for(arch))
        rows = (list(row) for here, row in groupby(read, lambda n: bits >> n & 1) if here)
        return [(row[0], row[-1]) for row in rows]

    def traits(self, number: int, arch: str | None = None) -> list[SymbolTraits]:
        """What it is in that kernel: several where architectures differ, the commonest first."""
        facts = [f for f in self.facts if f.kernels >> number & 1 and f.on(arch)]
        facts.sort(key=lambda fact: (fact.arches != "", fact.arches[:1] != "!"))
        return list(dict.fromkeys(_traits(fact.traits) for fact in facts))

    def traits_around(self, version: KernelVersion, arch: str | None = None) -> list[SymbolTraits]:
        """What it is in the kernels read that come nearest to a version, at each definition."""
        around = self._catalogue.around(version, arch)
        return [trait for number in around for trait in self.traits(number, arch)]

    def arches(self, number: int) -> frozenset[str]:
        """The architectures on which that kernel has it."""
        known = self._catalogue.kernels[number].arches
        facts = [fact for fact in self.facts if fact.kernels >> number & 1]
        return frozenset(arch for arch in known if any(fact.on(arch) for fact in facts))


class Names(Table):
    """Names of kernels, of one kind. Raises KnowledgeError where the text is no catalogue of it."""

    magic = MAGIC
    section = ""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text, path)
        head, titled, body = text.partition(f"\n[{self.section}]\n")
        lines = head.split("\n")[1:]
        if any(lines) and not titled:
            raise self._wrong(f"has no section [{self.section}]")
        self.kernels = tuple(map(self._kernel, filter(None, lines)))
        self._numbers = {kernel.version.text: i for i, kernel in enumerate(self.kernels)}
        self._body = f"\n{body}"
        self._facts_by_name: dict[str, str] | None = None
        self._seen: dict[str, Seen | None] = {}
        self._read: dict[str | None, int] = {}
        self._around: dict[tuple[KernelVersion, str | None], list[int]] = {}

    def names(self) -> dict[str, str]:
        """The facts by name, as they are spelled."""
        if self._facts_by_name is None:
            parted = [line.partition("\t") for line in self._body.split("\n") if line]
            if not all(facts for _, _, facts in parted):
                raise self._wrong(f"has a line without facts in the section [{self.section}]")
            self._facts_by_name = {name: facts for name, _, facts in parted}
        return self._facts_by_name

    def spelled(self, name: str) -> str:
        """The facts of a name as they are spelled; nothing if no kernel read has it."""
        # The names are sorted: halving the text spares a table of all of them.
        text, low, high = self._body, 0, len(self._body)
        while low < high:
            start = text.rfind("\n", low, (low + high) // 2 + 1)
            end = text.find("\n", start + 1)
            end = high if end < 0 else end
            known, _, facts = text[start + 1 : end].partition("\t")
            if known == name:
                return facts
            low, high = (end, high) if known < name else (low, start)
        return ""

    def facts(self, name: str) -> tuple[Fact, ...]:
        """All that is known of a name; nothing if no kernel read has it."""
        spelled = self.spelled(name)
        try:
            return tuple(map(self._fact, spelled.split(";"))) if spelled else ()
        except (KeyError, ValueError) as error:
            raise self._wrong(f"has unreadable facts about {name}") from error

    def seen(self, name: str) -> Seen | None:
        """Where the name was seen; None if in no kernel read."""
        if name not in self._seen:
            facts = self.facts(name)
            self._seen[name] = Seen(name, facts, self) if facts else None
        return self._seen[name]

    def read_for(self, arch: str | None) -> int:
        """The kernels that were read for the architecture; all for None, or one never read."""
        if arch not in self._read:
            bits = sum((arch in kernel.arches) << n for n, kernel in enumerate(self.kernels))
            self._read[arch] = bits or (1 << len(self.kernels)) - 1
        return self._read[arch]

    def around(self, version: KernelVersion, arch: str | None = None) -> list[int]:
        """The kernels read that come nearest: all of a release such as `6.12`; else the last before
        and the first after it, but of its own release the last before is enough.
        """
        key = version, arch
        if key not in self._around:
            read = [(n, self.kernels[n].version.numbers) for n in numbers(self.read_for(arch))]
            release = [(n, other) for n, other in read if other[:2] == version.numbers[:2]]
            before = [(n, other) for n, other in read if other <= version.numbers][-1:]
            # What the last of them lacks, an earlier one of the same release may still have.
            later = release if set(before) & set(release) else read
            after = [(n, other) for n, other in later if other >= version.numbers][:1]
            all_of_it = bool(release) and _RELEASE.fullmatch(version.text)
            self._around[key] = sorted({n for n, _ in (release if all_of_it else before + after)})
        return self._around[key]

    def _kernel(self, line: str) -> Kernel:
        word, _, rest = line.partition(" ")
        text, *arches = rest.split(" ")
        try:
            if word != "kernel":
                raise ValueError(word)
            return Kernel(parse_version(text), frozenset(arches))
        except ValueError as error:
            raise self._wrong(f"has the unreadable line {line[:60]!r} at its beginning") from error

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


class Catalogue(Names):
    """The symbols of kernels."""

    file = "catalogue.gz"
    section = "symbols"

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text, path)
        self._squashed: dict[str, str] = {}
        self._by_shorter: dict[str, list[str]] = {}
        self._words: set[str] = set()
        self._by_choice: dict[str, list[str]] = {}

    def members(self, choice: str, number: int, arch: str | None = None) -> list[str]:
        """The symbols of a choice in that kernel, sorted as people count."""
        candidates = map(self.seen, self._named_by_choice().get(choice, ()))
        kept = [
            seen.name
            for seen in candidates
            if seen and any(t.choice == choice for t in seen.traits(number, arch))
        ]
        return sorted(kept, key=lambda name: (_DIGITS.sub("", name), len(name), name))

    def _named_by_choice(self) -> dict[str, list[str]]:
        """The names that were in each choice, in any kernel."""
        if not self._by_choice:
            # Of 20,000 names few are of a choice: only what the text shows is taken apart.
            for name, facts in self.names().items():
                for choice in set(_CHOICE.findall(facts)) if ":" in facts else ():
                    self._by_choice.setdefault(choice, []).append(name)
        return self._by_choice

    def choices_of(self, symbol: str) -> list[tuple[int, str]]:
        """Lists the kernels in which the symbol is in a choice, each with the first member of
        that."""
        seen = self.seen(symbol)
        return [
            (number, trait.choice)
            for number in range(len(self.kernels))
            for trait in (seen.traits(number, None) if seen else ())
            if trait.choice
        ]

    def promptless(self, symbols: Iterable[str]) -> Iterator[str]:
        """Yields the symbols that some kernel has without a prompt."""
        for symbol in symbols:
            seen = self.seen(symbol)
            traits = [_traits(fact.traits) for fact in seen.facts] if seen else ()
            if any(not (trait.prompt or trait.old) for trait in traits):
                yield symbol

    def typo(self, symbol: str) -> list[str]:
        """The names one slip of the keyboard away, but no other number or model of it."""
        names, given, symbol = self.names(), symbol, symbol.upper()
        if symbol in names and symbol != given:
            return [symbol]
        if not self._squashed:
            self._squashed = {name.replace("_", ""): name for name in names}
            self._words = {word for name in names for word in name.split("_")}
        plain = _DIGITS.sub("", symbol)
        tried = slips(symbol, _LETTERS) if _SHORTEST <= len(symbol) <= _LONGEST else ()
        others = {
            name
            for name in tried
            if name in names
            and not _other_model(symbol, name)
            and not _other_word(symbol, name, self._words)
        }
        others.add(self._squashed.get(symbol.replace("_", ""), ""))
        found = sorted(n for n in others - {"", given} if _DIGITS.sub("", n) != plain)
        return found or self._longer(symbol)

    def _longer(self, symbol: str) -> list[str]:
        """The one name that has a part more: EXT4_FS_POSIX_ACL for EXT4_POSIX_ACL.

        A part too many tells nothing: vendors name what they add so (DM_REQ_CRYPT is no DM_CRYPT).
        """
        if not self._by_shorter:
            for name in self.names():
                for short in _without_a_part(name):
                    self._by_shorter.setdefault(short, []).append(name)
        found = self._by_shorter.get(symbol, [])
        return found if len(found) == 1 else []

    def near(self, symbol: str) -> list[str]:
        """Lists the names that a wrong one may mean: one slip away, else two."""
        return self.typo(symbol) or slipped(symbol.upper(), self.names())


def numbers(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    return (number for number in range(bits.bit_length()) if bits >> number & 1)


def _traits(spelled: str) -> SymbolTraits:
    known, _, choice = spelled.partition(":")
    return SymbolTraits(TYPES.get(known[:1], "unknown"), known[1:] == "p", known[1:] == "o", choice)


def _without_a_part(name: str) -> set[str]:
    """The name without any one part, but for its first, its last, and those with digits."""
    parts = name.split("_")
    inner = [at for at in range(1, len(parts) - 1) if parts[at].isalpha()]
    return {"_".join((*parts[:at], *parts[at + 1 :])) for at in inner}


def _other_word(name: str, other: str, words: set[str]) -> bool:
    """Whether two names differ in one of their words, and the kernel has both of these.

    ROCKCHIP_OPP is no slip of ROCKCHIP_OTP: PM_OPP has the word as well.
    """
    pairs = list(zip(name.split("_"), other.split("_"), strict=False))
    differing = [(one, two) for one, two in pairs if one != two]
    if len(differing) != 1 or len(pairs) < 2 or name.count("_") != other.count("_"):
        return False
    one, two = differing[0]
    return len(one) == len(two) > 2 and one.isalpha() and one in words and two in words


def _other_model(name: str, other: str) -> bool:
    """Whether two names differ only behind a number: RTL8723CS and RTL8723BS are two chips."""
    parts, others = name.split("_"), other.split("_")
    differing = [pair for pair in zip(parts, others, strict=False) if pair[0] != pair[1]]
    if len(parts) != len(others) or len(differing) != 1:
        return False
    if differing[0][0].replace("O", "0") == differing[0][1]:
        return False  # the letter for the digit
    before = [_DIGITS.split(part, maxsplit=1) for part in differing[0]]
    return before[0][0] == before[1][0] and all(len(part) > 1 for part in before)


def spelled_kernels(bits: int, names: Iterable[str]) -> str:
    """Spells kernels of that order as the file does: `A..B,C,D..`."""
    names = list(names)
    end = len(names) - 1
    # Neighbours have the same difference between their number and their place among the set bits.
    rows = (
        [number for _, number in row]
        for _, row in groupby(enumerate(numbers(bits)), lambda pair: pair[1] - pair[0])
    )
    return ",".join(
        names[row[0]]
        if len(row) == 1 and row[0] < end
        else f"{names[row[0]]}..{'' if row[-1] == end else names[row[-1]]}"
        for row in rows
    )
