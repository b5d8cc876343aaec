"""Kernel versions and releases, as `make kernelrelease`, `uname -r` and git tags write them."""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Container, Iterable
from enum import Enum
from operator import itemgetter
from typing import Protocol

from advisor.model.numbers import whole_number
from advisor.record import NamedTuple

# VERSION.PATCHLEVEL[.SUBLEVEL] and whatever EXTRAVERSION and LOCALVERSION add (top Makefile).
_RELEASE = r"v?(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?(?!\d)\S*"


def parse_version(text: str) -> KernelVersion:
    """The version that `text` begins with: `6.12-rc1` is 6.12.0, `2.6.38.8-foo` is 2.6.38.

    A leading `v`, as of a tag, is no part of it. Raises ValueError where there is none.
    """
    text = text.strip()
    match = re.fullmatch(_RELEASE, text, re.ASCII)
    if match is None:
        raise ValueError(f"not a kernel version such as 6.12.117 or 6.12-rc1: {text[:60]!r}")
    major, minor, patch = (whole_number(part) or 0 for part in match.groups(default="0"))
    return KernelVersion(major, minor, patch, text.removeprefix("v"))


class Severity(Enum):
    """Of a diagnostic: does not do what it says; risky or obsolete; worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class EntryState(Enum):
    """How a symbol stands in a configuration. Absent is not the same as off."""

    SET = "set"
    NOT_SET = "not set"
    ABSENT = "absent"


class Layer(Enum):
    """What decides a setting, the later over the earlier."""

    COMPILED = "compiled"
    BUILT_IN = "built-in command line"
    BOOT = "boot line"
    RUNTIME = "run time"


class Location(NamedTuple):
    """A place in an input, counted from 1; 0 where there is no line or column."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path

    def location(self) -> Location:
        """Where it is: here."""
        return self


class Locator(Protocol):
    """A place, or what looks for one when it is asked for: finding a line costs a search."""

    def location(self) -> Location:
        """Where it is."""


class KernelVersion(NamedTuple):
    """`6.12.117`, `6.12-rc1`, `5.14.0-427.el9.x86_64`; ordered by the first three numbers.

    A release candidate counts as its release: features land in the first one.
    """

    major: int
    minor: int
    patch: int
    text: str

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The part that is compared."""
        return self.major, self.minor, self.patch


class Inferred(NamedTuple):
    """What the symbols of a configuration tell where its header does not.

    `symbol` is one that its architecture alone has, of all that any kernel read has; empty where
    the architecture was told. Its kernel is newer than `after` and older than `before`; None is no
    bound. `vendor` is the one symbol of its kind that is built, where nobody told whose processors
    it is for.
    """

    symbol: str = ""
    after: KernelVersion | None = None
    before: KernelVersion | None = None
    vendor: str = ""


NOTHING_INFERRED = Inferred()


class ConfigEntry(NamedTuple):
    """One symbol of a configuration: `value` is `n` when not set, None when absent."""

    value: str | None
    state: EntryState
    location: Location


def entry_of(value: str | None, location: Location) -> ConfigEntry:
    """The entry of a symbol with that value, which tells its state."""
    state = _STATES.get(value, EntryState.SET)
    return ConfigEntry(value, state, location)


_STATES = {None: EntryState.ABSENT, "n": EntryState.NOT_SET}


def unquote(value: str) -> str:
    """Reads a Kconfig string: without its quotes, a backslash taking the next character as it
    is.

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


def assignment(symbol: str, value: str) -> str:
    """A line of a configuration, as Kconfig writes it; a text gets its quotes if it has none."""
    if value == "n":
        return f"# CONFIG_{symbol} is not set"
    return f'CONFIG_{symbol}="{value}"' if is_text(value) else f"CONFIG_{symbol}={value}"


def is_text(value: str) -> bool:
    """Whether a value is one that Kconfig writes in quotes, and has none yet."""
    plain = value in ("y", "m", "n") or value.startswith('"') or value.lstrip("-")[:1].isdigit()
    return not plain


PRESENT, ABSENT = "(present)", "(absent)"
"""What stands for the text of a file of which it is known that it is there, or is not."""


class InputNote(NamedTuple):
    """Something odd in an input that does not stop the audit: `id` names the diagnostic.

    `severity` is None where the table of diagnostics has one alone for it; the `remedy` is that of
    the table where it is empty.
    """

    id: str
    location: Location
    message: str
    subject: str = ""
    severity: Severity | None = None
    remedy: str = ""


class Word(NamedTuple):
    """One word of a command line: `nohz_full=1-3` is name `nohz_full`, value `1-3`.

    `name` has dashes written as underscores, as the kernel compares it; `column` counts from 1.
    """

    text: str
    name: str
    value: str | None
    column: int
    layer: Layer = Layer.BOOT


class CommandLine(NamedTuple):
    """A boot line, read as the kernel reads it: its words, and what follows `--` for init.

    Of a line that a file holds in parts, `spans` tells where they stand: the column at which each
    begins, and its place. Of any other, it is line 1 of what `name` names. A line that is `part` of
    one says nothing of words that it does not have.
    """

    text: str
    words: tuple[Word, ...] = ()
    init: tuple[Word, ...] = ()
    name: str = "--cmdline"
    notes: tuple[InputNote, ...] = ()
    spans: tuple[tuple[int, Location], ...] = ()
    part: bool = False

    def place(self, column: int) -> Location:
        """Where the sign at that column of the text stands."""
        before = bisect_right(self.spans, column, key=itemgetter(0))
        if not before:
            return Location(self.name, 1, column)
        start, place = self.spans[before - 1]
        return place._replace(column=place.column + column - start)

    def without(self, words: Container[str]) -> str:
        """The text of the line without these words; what init gets stays."""
        kept = [word.text for word in self.words if word.text not in words]
        return " ".join([*kept, *self.for_init])

    @property
    def for_init(self) -> list[str]:
        """`--` and what stands behind it, if there is anything."""
        return ["--", *(word.text for word in self.init)] if self.init else []


class Machine(NamedTuple):
    """The machine that shall run the kernel; None is "not told".

    `arch` is the kernel's source architecture (x86, arm64, ...), `memory` is in bytes, `vendor`
    one of intel, amd, arm, other, `virtual` is `guest` or `no`, `hypervisor` what it is a guest of
    (kvm, xen, hyperv, vmware, other), `efi` is `y` or `n`; `isolate` is the list of CPUs that shall
    be kept for chosen tasks, `housekeeping` that of all others; `shared_memory` is in bytes what a
    program shares among its processes.
    """

    arch: str | None = None
    cpus: int | None = None
    nodes: int | None = None
    memory: int | None = None
    vendor: str | None = None
    virtual: str | None = None
    hypervisor: str | None = None
    efi: str | None = None
    isolate: str | None = None
    housekeeping: str | None = None
    shared_memory: int | None = None

    @property
    def _page_sizes(self) -> tuple[int, int]:
        """The small size of huge pages in MiB, and the large one in GiB; see the facts `huge-pages`
        of rules/kernel.toml."""
        return (1, 2) if self.arch == "s390" else (2, 1)

    @property
    def huge_page(self) -> str:
        """The small size of huge pages, for people."""
        return f"{self._page_sizes[0]} MB"

    @property
    def giant_page(self) -> str:
        """The large size of huge pages, as the boot line has it."""
        return f"{self._page_sizes[1]}G"

    @property
    def huge_pages(self) -> int | None:
        """The pages of the small size that the shared memory takes."""
        size = self._page_sizes[0] << 20
        return None if self.shared_memory is None else -(-self.shared_memory // size)

    @property
    def giant_pages(self) -> int | None:
        """The pages of the large size that the shared memory takes."""
        size = self._page_sizes[1] << 30
        return None if self.shared_memory is None else -(-self.shared_memory // size)

    @property
    def locked_memory(self) -> int | None:
        """The shared memory in whole pages of 2 MB, in KiB, as limits.conf counts."""
        return None if self.shared_memory is None else -(-self.shared_memory // (2 << 20)) << 11


class Configuration(Protocol):
    """What the engine asks of a configuration (advisor/inputs/config.py and Overlay answer)."""

    @property
    def complete(self) -> bool:
        """Whether an absent symbol is off (a full .config) or simply not named (a fragment)."""

    def symbols(self) -> Iterable[str]:
        """The symbols that lines name, in their order."""

    def shows(self, symbol: str) -> bool:
        """Whether a line names the symbol, set or not set."""

    def get(self, symbol: str) -> str | None:
        """The value as Kconfig writes it (strings quoted), `n` if not set, None if absent."""

    def place(self, symbol: str) -> Locator:
        """Where the line is that decides the value, or what finds it."""

    def entry(self, symbol: str) -> ConfigEntry:
        """The value with the line that decides it, found."""


class Above:
    """A configuration with something changed about another one, which tells the rest."""

    def __init__(self, base: Configuration) -> None:
        self._base = base

    @abstractmethod
    def get(self, symbol: str) -> str | None:
        """The value of the symbol here."""

    def shows(self, symbol: str) -> bool:
        """Whether the symbol has a value here."""
        return self.get(symbol) is not None

    @property
    def complete(self) -> bool:
        """As the configuration below."""
        return self._base.complete

    def symbols(self) -> Iterable[str]:
        """As the configuration below."""
        return self._base.symbols()

    def place(self, symbol: str) -> Locator:
        """As the configuration below."""
        return self._base.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value here with its line, found."""
        return entry_of(self.get(symbol), self.place(symbol).location())
