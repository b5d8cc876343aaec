"""Kernel configurations, read as conf_read_simple() does (scripts/kconfig/confdata.c of 6.12)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, count

from advisor.errors import InputError
from advisor.files import name_of
from advisor.inputs.machine import source_arch
from advisor.inputs.open import open_input
from advisor.inputs.unpack import collect, decode, is_utf16, unpacked
from advisor.model.kernel import (
    ConfigEntry,
    InputNote,
    KernelVersion,
    Location,
    Locator,
    Severity,
    entry_of,
    parse_version,
)
from advisor.record import NamedTuple

MIN_COMPLETE = 200
"""The fewest symbols of a full .config: 6.12's tinyconfig for x86 has 868."""
MOST_NOTES = {"malformed-line": 10}
"""How many notes of an id are told one by one, the others as a number; MOST_OTHERS if not here."""
MOST_OTHERS = 100

# The symbol each folder under arch/ sets; first what another architecture's code comes with.
_ARCH_SYMBOLS = {
    "UML": "um", "X86": "x86", "ARM64": "arm64", "ARM": "arm", "RISCV": "riscv", "PPC": "powerpc",
    "S390": "s390", "LOONGARCH": "loongarch", "MIPS": "mips", "SPARC": "sparc",
    "PARISC": "parisc", "ALPHA": "alpha", "M68K": "m68k", "SUPERH": "sh", "XTENSA": "xtensa",
    "ARC": "arc", "CSKY": "csky", "HEXAGON": "hexagon", "MICROBLAZE": "microblaze",
    "NIOS2": "nios2", "OPENRISC": "openrisc", "IA64": "ia64",
}  # fmt: skip
_NAME = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_\n"
_HEX = "0123456789abcdefABCDEF"
_NOT_SET = " is not set"
_NAMING = re.compile(r"^(?:CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set)", re.ASCII)
# So many lines are found sooner by a search than by an index of all, which costs 1.5 ms.
_FEW = 8


class _Lines:
    """Where the lines of a text stand: looked for one by one, or, where many are, in an index.

    It holds the text and no configuration, since reports keep it until they are written.
    """

    __slots__ = ("_asked", "_numbers", "path", "text")

    def __init__(self, path: str, text: str, numbers: dict[str, int] | None) -> None:
        self.path = path
        self.text = text
        self._numbers = numbers
        self._asked = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lines) and (self.path, self.text) == (other.path, other.text)

    def __hash__(self) -> int:
        return hash(self.path)

    def number(self, key: str, value: str) -> int:
        """The number of the line that gives `key`, with its CONFIG_, that value."""
        if self._numbers is None and self._asked < _FEW:
            self._asked += 1
            line = f"# {key}{_NOT_SET}" if value == "n" else f"{key}={value}"
            place = self.text.find(f"\n{line}\n")
            if place >= 0:
                return self.text.count("\n", 0, place) + 2
        numbers = self._numbers or _numbered(self.text)
        return numbers.get(key) or numbers.get(f"{key}={value}") or numbers[f"# {key}{_NOT_SET}"]


# Reports are written one after the other, and a comparison has two sides.
@lru_cache(maxsize=2)
def _numbered(text: str) -> dict[str, int]:
    """By whole line: made in C, and enough where no symbol stands twice (see _read_clean)."""
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
    """

    __slots__ = (
        "_lines", "_values", "arch", "complete", "notes", "path", "version",
    )  # fmt: skip

    path: str
    complete: bool
    version: KernelVersion | None
    arch: str | None
    notes: tuple[InputNote, ...]

    def __init__(
        self, path: str, text: str, values: dict[str, str], lines: dict[str, int] | None = None
    ) -> None:
        self.path = path
        self.complete = False
        self.version = None
        self.arch = None
        self.notes = ()
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

    def place(self, symbol: str) -> Location | Locator:
        """What finds the line that decides the value; the file's path alone if there is none."""
        value = self.get(symbol)
        return (
            Location(self.path) if value is None else _Line(self._lines, "CONFIG_" + symbol, value)
        )

    def entry(self, symbol: str) -> ConfigEntry:
        """The value with the line that decides it; the file's path alone if there is none."""
        value = self.get(symbol)
        if value is None:
            return entry_of(None, Location(self.path))
        number = self._lines.number("CONFIG_" + symbol, value)
        return entry_of(value, Location(self.path, number))

    def symbols(self) -> Iterable[str]:
        """The symbols in the order of the file, without `CONFIG_`."""
        return (key[7:] for key in self._values)

    def __len__(self) -> int:
        return len(self._values)


def named_lines(config: KernelConfig) -> list[tuple[str, str, Location]]:
    """All lines about a symbol, each with its value and place, also of values that Kconfig rejects.

    merge_config.sh goes by them: it takes the base's line away before conf rejects the new one.
    """
    found = {}
    for number, line in enumerate(config.text.split("\n"), 1):
        if named := naming(line):
            symbol, value = named
            value = config.get(symbol) or value
            found[symbol] = (symbol, value, Location(config.path, number))
    return list(found.values())


def naming(line: str) -> tuple[str, str] | None:
    """The symbol that a line sets, and to what, whether Kconfig takes that or not."""
    match = _NAMING.match(line)
    return (match[1] or match[3], match[2] or "n") if match else None


def unquote(value: str) -> str:
    """What a Kconfig string means: without its quotes, a backslash taking the next character as is.

    A value without quotes is returned unchanged. Source: conf_set_sym_val() of confdata.c.
    """
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    return "\\".join(part.replace("\\", "") for part in value[1:-1].split("\\\\"))


def quoted(value: str) -> str:
    """A text as a Kconfig string, of which `unquote` makes the text again.

    Source: escape_string_value() of confdata.c.
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def read_config(path: str) -> KernelConfig:
    """The configuration in a file (`-`: standard input), packed or not, or in a kernel image.

    Raises InputError if it cannot be read, is damaged, too large, or no configuration.
    """
    name = name_of(path)
    with open_input(path) as stream:
        pieces = unpacked(stream, name)
        head = next(pieces, b"")
        if b"\0" in head and not is_utf16(head):
            from advisor.inputs.image import extract_ikconfig

            return parse_config(extract_ikconfig(stream, name), name)
        text, bad_line = decode(collect(chain((head,), pieces), name))
    config = parse_config(text, name)
    if bad_line:
        where = Location(name, bad_line)
        message = "bytes that are not UTF-8 are read as U+FFFD"
        config.notes += (InputNote("invalid-utf8", where, message),)
    return config


def parse_config(text: str, path: str, *, complete: bool | None = None) -> KernelConfig:
    """The configuration that `text` writes; `complete` overrules what its header tells.

    What Kconfig would warn of, or read in another way than it looks, is told in `notes`. Raises
    InputError where no line sets a symbol.
    """
    if "CONFIG_" not in text:
        raise _no_symbols(path, [])
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    notes: list[InputNote] = []
    values = _read_clean(text)
    if values is not None:
        config = KernelConfig(path, text, values)
    else:
        reader = _Reader(path)
        reader.read(text)
        config = KernelConfig(path, text, reader.values, reader.lines)
        notes = reader.notes()
    if not len(config) and not any(note.id == "invalid-value" for note in notes):
        raise _no_symbols(path, notes)
    generated, arch, config.version = _header(text)
    config.arch = arch or _arch_of(config)
    config.complete = generated and len(config) >= MIN_COMPLETE if complete is None else complete
    config.notes = tuple(notes)
    return config


def _read_clean(text: str) -> dict[str, str] | None:
    """The values of a text in which nothing is odd, as of every generated file; else None.

    Sorts each line into one of three at a glance, then proves that this was right: on counts, on
    all names as one text, and on the few distinct values and comments.
    """
    values: dict[str, str] = {}
    others: list[str] = []
    lines = text.split("\n")
    for line in lines:
        name, equals, value = line.partition("=")
        if equals:
            values[name] = value
        elif line[-11:] == _NOT_SET and line[:2] == "# ":
            values[line[2:-11]] = "n"
        else:
            others.append(line)
    if len(values) != len(lines) - len(others):  # a name stands twice
        return None
    names = "\n".join(values)
    if "#" in names:  # a comment with "=" in it
        comments = [name for name in values if name[:1] == "#"]
        for name in comments:
            del values[name]
        others += comments
        names = "\n".join(values)
    if any(line and (line[0] != "#" or _NOT_SET in line) for line in set(others)):
        return None
    if ("\n" + names).count("\nCONFIG_") != len(values) or not _are_names(names):
        return None
    if "CONFIG_" in values:  # a name of no letters
        return None
    return values if all(map(_is_plain, set(values.values()))) else None


def _are_names(text: str) -> bool:
    """Whether all of it is letters that scripts/kconfig/lexer.l has in a name, or line breaks."""
    return not text.encode(errors="replace").translate(None, _NAME)


def _is_plain(value: str) -> bool:
    """Whether Kconfig reads the value as it looks."""
    if value[:1] == '"' and value.find('"', 1) == len(value) - 1 and "\\" not in value:
        return True
    return _kconfig_value(value) == (value, "")


def _kconfig_value(raw: str) -> tuple[str | None, str]:
    """What conf_set_sym_val() makes of the text after `=`, and what is wrong with it, if any.

    Without a tree the symbol's type is unknown, so that any type's value is right. None where no
    type would take it: Kconfig then leaves the symbol as it was.
    """
    if raw in ("y", "m", "n") or _is_number(raw):
        return raw, ""
    if raw[:1] == '"':
        # Same-length stand-ins for what is escaped; pairs first, since a run begins with one.
        end = raw.replace("\\\\", "__").replace('\\"', "__").find('"', 1) + 1
        if not end:
            return None, "the string has no closing quote"
        value = raw[:end]
        return value, "" if end == len(raw) else "Kconfig drops what follows the closing quote"
    letter, rest = raw[:1], raw[1:]
    if letter in ("y", "m", "n") and (not rest[:1].isalnum() or rest in _WORDS):
        return letter, f"Kconfig reads this as {letter}: only the first letter counts"
    return None, "the value is none of y, m, n, a number, or a string in quotes"


_WORDS = ("es", "o", "od", "odule")


def _is_number(raw: str) -> bool:
    """As sym_string_valid() (symbol.c) for int and hex; bare hex digits must begin with 0 to 9."""
    digits = raw[2:] if raw[:2] in ("0x", "0X") else raw
    if digits[:1] == "-":  # an int, which has no leading zero
        digits = raw[1:]
        return digits.isascii() and digits.isdigit() and (digits[0] != "0" or digits == "0")
    if not digits or digits.strip(_HEX):
        return False
    return digits is not raw or raw[0] <= "9"


class _Reader:
    """The loop of conf_read_simple(), line by line, which tells what is odd."""

    def __init__(self, path: str) -> None:
        self.values: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self._path = path
        self._notes: list[InputNote] = []
        self._counts: dict[str, int] = {}

    def read(self, text: str) -> None:
        """Reads all lines into `values`, `lines` and notes."""
        for number, line in enumerate(text.split("\n"), 1):
            if line[:1] == "#":
                self._comment(number, line)
            elif line:
                self._assignment(number, line)

    def notes(self) -> list[InputNote]:
        """What was noted, and for each id that was cut off, how many more there are."""
        notes = list(self._notes)
        for kind, total in self._counts.items():
            more = total - MOST_NOTES.get(kind, MOST_OTHERS)
            if more > 0:
                last = next(n for n in reversed(notes) if n.id == kind)
                notes.append(
                    last._replace(message=f"and {more} more after this line", subject="others")
                )
        return notes

    def _comment(self, number: int, line: str) -> None:
        if line[:9] != "# CONFIG_":
            return
        name, space, rest = line[2:].partition(" ")
        if space + rest == _NOT_SET and _is_name(name):
            self._set(number, name, "n")
        elif (space + rest).startswith(_NOT_SET) and _is_name(name):
            # conf_read_simple() of 6.1 compares the first ten letters only, 6.12 all of them.
            message = "text after 'is not set': a comment for newer kernels, 'n' for older: '{}'"
            self._note("malformed-line", number, message, line, severity=Severity.WARNING)

    def _assignment(self, number: int, line: str) -> None:
        name, equals, raw = line.partition("=")
        if not equals or not raw or not _is_name(name):
            severity = Severity.ERROR if "CONFIG_" in line else Severity.WARNING
            message = "Kconfig ignores this line: '{}'"
            self._note("malformed-line", number, message, line, severity=severity)
            return
        value, problem = _kconfig_value(raw)
        if value is None:
            message = f"Kconfig ignores {{}}: {problem}"
            self._note("invalid-value", number, message, line, severity=Severity.ERROR)
            return
        if problem:
            self._note("trailing-text", number, f"{{}}: {problem}", line)
        self._set(number, name, value)

    def _set(self, number: int, name: str, value: str) -> None:
        before = self.values.get(name)
        if before is not None and before != value:
            message = (
                f"{{}} is {{}} in line {self.lines[name]} and {{}} in line {number}: the last wins"
            )
            self._note("duplicate-symbol", number, message, name, before, value)
        self.values[name] = value
        self.lines[name] = number

    def _note(
        self, kind: str, number: int, message: str, *texts: str, severity: Severity | None = None
    ) -> None:
        """Counts it, and keeps it with the texts filled in unless there are too many."""
        self._counts[kind] = total = self._counts.get(kind, 0) + 1
        if total <= MOST_NOTES.get(kind, MOST_OTHERS):
            message = message.format(*map(_short, texts))
            place = Location(self._path, number)
            self._notes.append(InputNote(kind, place, message, texts[0], severity))


def _is_name(name: str) -> bool:
    """Whether it is CONFIG_ and a symbol's name."""
    return name[:7] == "CONFIG_" and len(name) > 7 and _are_names(name)


def _short(text: str) -> str:
    """The text for a message: printable, and not too long."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:60])
    return shown + ("..." if len(text) > 60 else "")


def _header(text: str) -> tuple[bool, str | None, KernelVersion | None]:
    """Whether conf_write() made the file, and its header's architecture and version.

    `# Linux/x86 6.12.117 Kernel Configuration` since 2.6.39, `# Linux kernel version: 2.6.38` and
    then no architecture before.
    """
    generated, arch, version = False, "", ""
    for line in text[:1024].split("\n")[:8]:
        if line.startswith("# Automatically generated "):
            generated = True
        elif line.startswith("# Linux/") and line.endswith(" Kernel Configuration"):
            generated = True
            arch, _, version = line[8:-21].partition(" ")
        elif line.startswith("# Linux kernel version: "):
            version = line[24:]
    try:
        return generated, source_arch(arch) or None, parse_version(version)
    except ValueError:
        return generated, source_arch(arch) or None, None


def _arch_of(config: KernelConfig) -> str | None:
    return next((arch for symbol, arch in _ARCH_SYMBOLS.items() if config.get(symbol) == "y"), None)


def _no_symbols(path: str, notes: list[InputNote]) -> InputError:
    """The error for a text that is no configuration, at its first line that is none."""
    where = str(notes[0].location) if notes else path
    return InputError(
        "no kernel configuration: no line is CONFIG_NAME=value or '# CONFIG_NAME is not set'",
        where=where,
        hint="expected a .config, defconfig or fragment, or an image built with CONFIG_IKCONFIG",
    )
