"""Kernel configurations, read as conf_read_simple() does (scripts/kconfig/confdata.c of 6.12)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, count
from typing import TYPE_CHECKING, BinaryIO

from advisor.errors import InputError
from advisor.inputs.configlines import NOT_SET, Reader, corrected, read_clean
from advisor.inputs.machine import ARCHITECTURES, source_arch
from advisor.inputs.open import InputName, name_of, open_input
from advisor.inputs.unpack import collect, decode, is_utf16, unpacked
from advisor.model.cmdline import LONGEST
from advisor.model.kernel import (
    NOTHING_INFERRED,
    ConfigEntry,
    InputNote,
    KernelVersion,
    Location,
    Locator,
    entry_of,
    parse_version,
)
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.lines import ChangedLine

MIN_COMPLETE = 200
"""The fewest symbols of a full .config: 6.12's tinyconfig for x86 has 868."""
MOST_OFF = 1000
"""More symbols than that nobody switches off one by one: a defconfig leaves them out."""
FEWEST_HAVE = 10
"""The fewest HAVE_ symbols of one: what the architectures of 6.12 select has 20 or more of them."""

# Of all symbols the first, which has no prompt and depends on nothing, so that only Kconfig itself
# writes it, and each time; and such as it writes last. Of those with a prompt there is always a
# line, set or not; the others are there also where comments were taken away. Read in init/Kconfig,
# lib/Kconfig and lib/Kconfig.debug of 6.1 and 6.12, and in the catalogue for 2.6.38 to 7.1.
_FIRST = "INIT_ENV_ARG_LIMIT"
_LAST = ("TRACING_SUPPORT", "DEBUG_KERNEL", "FRAME_WARN")

ARCH_SYMBOLS = {
    "UML": "um", "X86": "x86", "ARM64": "arm64", "ARM": "arm", "RISCV": "riscv", "PPC": "powerpc",
    "S390": "s390", "LOONGARCH": "loongarch", "MIPS": "mips", "SPARC": "sparc",
    "PARISC": "parisc", "ALPHA": "alpha", "M68K": "m68k", "SUPERH": "sh", "XTENSA": "xtensa",
    "ARC": "arc", "CSKY": "csky", "HEXAGON": "hexagon", "MICROBLAZE": "microblaze",
    "NIOS2": "nios2", "OPENRISC": "openrisc", "IA64": "ia64",
}  # fmt: skip
"""The symbol each folder under arch/ sets; first what another architecture's code comes with."""
_NAMING = re.compile(r"^(?:CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set)", re.ASCII)
# A line that is neither a comment nor a symbol's name, or a comment that sets one.
_SOMETHING = re.compile(
    r"^(?!#|CONFIG_\w+\s*$|\s*$)|^# CONFIG_\w+ is not set", re.MULTILINE | re.ASCII
)
_GENERATED_WITH = re.compile(r"# [\w-]+ defconfig generated with (\d\S*)$", re.ASCII)
# So many lines are found sooner by a search than by an index of all, which costs 1.5 ms.
_FEW = 8


class _Lines:
    """Where the lines of a text stand: looked for one by one, or, where many are, in an index.

    It holds the text and no configuration, since reports keep it until they are written.
    """

    __slots__ = ("_numbers", "_searches", "path", "text")

    def __init__(self, path: str, text: str, numbers: dict[str, int] | None) -> None:
        self.path = path
        self.text = text
        self._numbers = numbers
        self._searches = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lines) and (self.path, self.text) == (other.path, other.text)

    def __hash__(self) -> int:
        return hash(self.path)

    def number(self, key: str, value: str) -> int:
        """Finds the number of the line that gives `key`, with its CONFIG_, that value."""
        if self._numbers is None and self._searches < _FEW:
            self._searches += 1
            line = f"# {key}{NOT_SET}" if value == "n" else f"{key}={value}"
            place = self.text.find(f"\n{line}\n")
            if place >= 0:
                return self.text.count("\n", 0, place) + 2
        numbers = self._numbers or _numbered(self.text)
        return numbers.get(key) or numbers.get(f"{key}={value}") or numbers[f"# {key}{NOT_SET}"]


# Reports are written one after the other, and a comparison has two sides.
@lru_cache(maxsize=2)
def _numbered(text: str) -> dict[str, int]:
    """By whole line: made in C, and enough where no symbol stands twice (see read_clean)."""
    return dict(zip(text.split("\n"), count(1)))


class _Line(NamedTuple):
    """The line that gives a symbol its value (a Locator)."""

    lines: _Lines
    key: str
    value: str

    def location(self) -> Location:
        """Where the line is."""
        return Location(self.lines.path, self.lines.number(self.key, self.value))


class KernelConfig:
    """A configuration: values by symbol, and where each stands (the protocol Configuration).

    `arch` is the kernel's source architecture, `version` that of the header; None is "not told".
    `complete` is False for a defconfig or fragment, whose absent symbols are unknown, not off.
    `inferred` is filled in by who has a catalogue (see knowledge/inference.py).
    """

    __slots__ = ("_lines", "_values", "arch", "complete", "inferred", "notes", "path", "version")

    def __init__(
        self, path: str, text: str, values: dict[str, str], lines: dict[str, int] | None = None
    ) -> None:
        self.path = path
        self.complete = False
        self.version: KernelVersion | None = None
        self.arch: str | None = None
        self.inferred = NOTHING_INFERRED
        self.notes: tuple[InputNote, ...] = ()
        # Keys keep their CONFIG_, which saves cutting it off eleven thousand lines.
        self._values = values
        self._lines = _Lines(path, text, lines)

    @property
    def text(self) -> str:
        """What was read, unpacked."""
        return self._lines.text

    def shows(self, symbol: str) -> bool:
        """Whether a line names the symbol, set or not set."""
        return "CONFIG_" + symbol in self._values

    def get(self, symbol: str) -> str | None:
        """The value as written (strings quoted), `n` if not set, None if absent."""
        return self._values.get("CONFIG_" + symbol)

    def lines(self) -> tuple[ChangedLine, ...]:
        """Those that somebody wrote onto a base (merged.py); Kconfig itself wrote all others."""
        return ()

    def place(self, symbol: str) -> Locator:
        """Finds the line that decides the value; the file's path alone if there is none."""
        value = self.get(symbol)
        return (
            Location(self.path) if value is None else _Line(self._lines, "CONFIG_" + symbol, value)
        )

    def entry(self, symbol: str) -> ConfigEntry:
        """Gives the value with the line that decides it; the file's path alone if there is none."""
        return entry_of(self.get(symbol), self.place(symbol).location())

    def header(self) -> Location:
        """The line that tells architecture and version; the file's path alone if none does."""
        rows = enumerate(self.text[:1024].split("\n")[:8], 1)
        return Location(self.path, next((number for number, row in rows if _tells(row)), 0))

    def symbols(self) -> Iterable[str]:
        """The symbols in the order of the file, without `CONFIG_`."""
        return (key[7:] for key in self._values)

    def __len__(self) -> int:
        return len(self._values)


def named_lines(config: KernelConfig) -> list[tuple[str, str, Location]]:
    """Lists all lines about a symbol, each with its value and place, also of values that Kconfig
    rejects.

    merge_config.sh goes by them: it takes the base's line away before conf rejects the new one.
    """
    return list({line[0]: line for line in all_lines(config)}.values())


def all_lines(config: KernelConfig) -> list[tuple[str, str, Location]]:
    """The same, also of lines that a later one about the symbol takes back, as they are written."""
    rows = enumerate(config.text.split("\n"), 1)
    named = [(number, *line) for number, row in rows if (line := naming(row))]
    last = {symbol: number for number, symbol, _ in named}
    return [
        (
            symbol,
            (config.get(symbol) if number == last[symbol] else None) or value,
            Location(config.path, number),
        )
        for number, symbol, value in named
    ]


def ignored_lines(config: KernelConfig) -> dict[int, str]:
    """Lists the lines with a symbol that Kconfig ignores by their number: each as it is to be
    written, empty if that is not clear."""
    if not any(note.id == "malformed-line" for note in config.notes):
        return {}
    rows = enumerate(config.text.split("\n"), 1)
    odd = ((n, row) for n, row in rows if row[:1] not in ("", "#") and not naming(row))
    found = ((number, row, corrected(row)) for number, row in odd)
    return {number: text for number, row, text in found if text or "CONFIG_" in row}


def naming(line: str) -> tuple[str, str] | None:
    """Finds the symbol that a line sets, and its value, whether Kconfig takes it or not."""
    match = _NAMING.match(line)
    return (match[1] or match[3], match[2] or "n") if match else None


def read_config(
    path: InputName, *, complete: bool | None = None, fragment: bool = False
) -> KernelConfig:
    """The configuration in a file (`-`: standard input), packed or not, or in a kernel image.

    `complete` overrules what its symbols tell; a `fragment` may set nothing, if it is empty or
    comments and names alone. Raises InputError if it cannot be read, is damaged, too large, or no
    configuration.
    """
    with open_input(path) as stream:
        return read_stream(stream, name_of(path), complete=complete, fragment=fragment)


def read_stream(
    stream: BinaryIO, name: str, *, complete: bool | None = None, fragment: bool = False
) -> KernelConfig:
    """Reads the configuration in an open file that can seek; `name` is what errors call it."""
    pieces = unpacked(stream, name)
    head = next(filter(None, pieces), b"")
    if fragment and not head:
        return KernelConfig(name, "", {})
    if b"\0" in head and not is_utf16(head):
        from advisor.inputs.image import extract_ikconfig

        return parse_config(extract_ikconfig(stream, name), name, complete=complete)
    text, bad_line = decode(collect(chain((head,), pieces), name))
    config = parse_config(text, name, complete=complete, fragment=fragment)
    if bad_line:
        where = Location(name, bad_line)
        message = "bytes that are not UTF-8 are read as U+FFFD"
        config.notes += (InputNote("invalid-utf8", where, message),)
    return config


def parse_config(
    text: str, path: str, *, complete: bool | None = None, fragment: bool = False
) -> KernelConfig:
    """Reads the configuration that `text` writes; `complete` overrules what its symbols show.

    What Kconfig would warn of, or read in another way than it looks, is told in `notes`. Raises
    InputError where no line sets a symbol, but for a `fragment` of comments and names alone (of
    which Yocto has some, to sort symbols by).
    """
    if fragment and not _SOMETHING.search(text):
        return KernelConfig(path, text, {})
    if "CONFIG_" not in text:
        raise _no_symbols(path, [])
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    notes: list[InputNote] = []
    generated, arch, version = _header(text)
    if (values := read_clean(text)) is not None:
        config = KernelConfig(path, text, values)
    else:
        # conf of these writes `CONFIG_X=` for a number without a value, and reads that as none.
        empty = generated and version is not None and version.numbers < (6, 8)
        reader = Reader(path, text, empty_numbers=empty)
        config = KernelConfig(path, text, reader.values, reader.lines)
        notes = reader.notes()
    if not len(config) and not any(note.id == "invalid-value" for note in notes):
        raise _no_symbols(path, notes)
    _check_line(config)
    config.version = version
    symbols = ARCH_SYMBOLS.items()
    config.arch = next((arch for name, arch in symbols if config.get(name) == "y"), arch)
    config.complete = _is_whole(config, generated) if complete is None else complete
    if not (config.complete or fragment) and complete is None and (note := _of_a_build(config)):
        notes.append(note)
    config.notes = tuple(notes)
    return config


def _check_line(config: KernelConfig) -> None:
    """Raises InputError for a built-in line that no kernel keeps."""
    if len(config.get("CMDLINE") or "") > LONGEST:
        message = f"a built-in boot line of more than {LONGEST} characters"
        where = str(config.entry("CMDLINE").location)
        raise InputError(message, where=where, hint="shorten CONFIG_CMDLINE")


def _of_a_build(config: KernelConfig) -> InputNote | None:
    """The note on a file that switches off more than anybody writes, and has nothing that Kconfig
    derives: what a distribution's build is given, and not what comes of it."""
    off = config.text.count(" is not set\n")
    if off < MOST_OFF or config.shows(_FIRST):
        return None
    message = (
        f"the file has {len(config):,} symbols, but none that Kconfig sets by itself: it is an "
        "input of a build, not the resulting .config. Symbols that are not in the file are unknown"
    )
    return InputNote("config-of-a-build", Location(config.path), message)


def _is_whole(config: KernelConfig, generated: bool) -> bool:
    """Whether it has what Kconfig derives in every configuration, from its first line to its last.

    A header may have been stripped, pasted over a fragment, or be all that is left of a file; where
    there is none, more of what nobody writes by hand is asked for.
    """
    if len(config) < MIN_COMPLETE or not config.shows(_FIRST):
        return False
    derived = generated or config.text.count("\nCONFIG_HAVE_") >= FEWEST_HAVE
    return derived and any(map(config.shows, _LAST))


def _header(text: str) -> tuple[bool, str | None, KernelVersion | None]:
    """Whether conf_write() made the file, and its header's architecture and version.

    `# Linux/x86 6.12.117 Kernel Configuration` since 2.6.39, `# Linux kernel version: 2.6.38` and
    no architecture before. Fedora's and RHEL's files begin with `# x86_64`, and have no other;
    Armbian's defconfigs with `# Armbian defconfig generated with 6.18`.
    """
    lines = text[:1024].split("\n")[:8]
    first = lines[0].removeprefix("# ")
    arch = first if first != lines[0] and source_arch(first) in ARCHITECTURES else ""
    generated, version = False, ""
    for line in lines:
        if line.startswith("# Automatically generated "):
            generated = True
        elif line.startswith("# Linux/") and line.endswith(" Kernel Configuration"):
            generated = True
            arch, _, version = line[8:-21].partition(" ")
            # No blank is part of a release; one begins what somebody put behind it.
            version = version.partition(" ")[0]
        elif line.startswith("# Linux kernel version: "):
            version = line[24:]
        elif match := _GENERATED_WITH.match(line):
            version = match[1]
    try:
        return generated, source_arch(arch) or None, parse_version(version)
    except ValueError:
        return generated, source_arch(arch) or None, None


def _tells(row: str) -> bool:
    """Whether a line is one of those that `_header` reads of."""
    if row.startswith(("# Linux/", "# Linux kernel version: ")) or _GENERATED_WITH.match(row):
        return True
    return row[:2] == "# " and source_arch(row[2:]) in ARCHITECTURES


def _no_symbols(path: str, notes: list[InputNote]) -> InputError:
    """The error for a text that is no configuration, at its first line that is none."""
    where = str(notes[0].location) if notes else path
    return InputError(
        "not a kernel configuration: no line is CONFIG_NAME=value or '# CONFIG_NAME is not set'",
        where=where,
        hint="expected a .config, defconfig or fragment, or an image built with CONFIG_IKCONFIG",
    )
