"""Tunables: what a kernel can be told, its values, and how each is spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.model.condition import Expr
from advisor.model.kernel import Machine
from advisor.model.numbers import within
from advisor.model.rules import Source
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.measured import Measured
    from advisor.model.tree import Assignment


class Measurement(NamedTuple):
    """A measured effect, quoted with its context only. `evidence` grades the source."""

    numbers: str
    context: str
    evidence: str
    source: str


LIST = "...,"
"""Before an entry that is added to the list which the configuration or the boot line has; behind it
may stand the one that it has to come before."""


def extended(owned: str, addition: str) -> str:
    """A list of words joined by commas with what `addition` adds (`...,entry`, `...,entry,bpf`)."""
    names = [name for name in owned.split(",") if name]
    entry, _, last = addition.removeprefix(LIST).partition(",")
    if entry in names:
        return owned
    names.insert(names.index(last) if last in names else len(names), entry)
    return ",".join(names)


_OTHER = "other ("


def other_value(text: str) -> str:
    """Return the name of a value that a kernel has and no rule knows: `other (7)`."""
    return f"{_OTHER}{text})"


def is_other(name: str) -> bool:
    """Tell whether the name stands for a value that no rule knows."""
    return name.startswith(_OTHER)


def other_text(name: str) -> str:
    """Return the text of a value that no rule knows, of `other (7)` the 7."""
    return name.removeprefix(_OTHER).removesuffix(")")


class Value(NamedTuple):
    """One setting of a tunable and how it is spelled.

    `sets` are alternative lists of Kconfig assignments that give it, the preferred first; `when`
    replaces them for reading; `requires` is what Kconfig demands: all of it from the release
    `complete` on. `boot` are the words that give it (all of them), `reads` others that mean as
    much, `boot_else` further ways to give it, of which `NAME=...,entry` adds an entry to the list
    that NAME has there, or else to that of the symbol it stands for. `sysfs` is what is written to
    a file; where that shows something else, `shows` are the texts and ranges of it, by file.
    `texts` are further texts and ranges of a sysctl that have the value, beside the one written.
    Where no line of the kernel gives another value, `final` says why.
    """

    name: str
    title: str = ""
    sets: tuple[tuple[Assignment, ...], ...] = ()
    when: Expr = None
    requires: Expr = None
    complete: str = ""
    boot: tuple[str, ...] = ()
    reads: tuple[tuple[str, ...], ...] = ()
    boot_else: tuple[str, ...] = ()
    boot_only_if: Expr = None
    sysctl: tuple[Assignment, ...] = ()
    sysfs: tuple[Assignment, ...] = ()
    shows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    runtime_only_if: Expr = None
    cost: str = ""
    final: str = ""
    texts: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def reads_as(self, sysctl: str, text: str) -> bool:
        """Whether a sysctl with that text has this value."""
        if (sysctl, text) in self.sysctl:
            return True
        forms = next((forms for key, forms in self.texts if key == sysctl), ())
        return any(text == form or within(text, form) for form in forms)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that its ways set, each once."""
        return tuple(dict.fromkeys(symbol for way in self.sets for symbol, _ in way))

    @property
    def settings(self) -> tuple[Assignment, ...]:
        """What is written at run time to give it: sysctls, then files."""
        return (*self.sysctl, *self.sysfs)

    @property
    def built_when(self) -> Expr:
        """Under which condition the configuration gives the value."""
        if self.when is not None or not self.sets:
            return self.when
        # A module may be built in as well: what m gives, y gives too.
        terms = (
            [["on", s] if v == "m" else ["sym", s, "=", v] for s, v in pairs] for pairs in self.sets
        )
        return ["|", *(["&", *every] for every in terms)]


class Member(NamedTuple):
    """One option of a group: on when `when` holds, unless a word on the line says otherwise.

    Where `unless` surely holds, it is nothing to this machine. Files that `shows` names tell that a
    running kernel has it on all the same. What kernels have without an option has no `symbol`, and
    a `when` that tells which these are. A kernel that knows it at all has a line about the symbol
    where `told_only_if` holds, or about `told_as`, which the option was then. Switches of menus
    that it stands `behind` hide it where one is off: it is off then, and not unknown to the kernel.
    As m it is a `module` of that name, which the line can keep from being loaded. Switched on by a
    word of `kept` it protects: it does not count, and the state names it.
    """

    note: str
    symbol: str = ""
    when: Expr = None
    unless: Expr = None
    requires: Expr = None
    boot_on: tuple[str, ...] = ()
    boot_off: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    shows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    told_only_if: Expr = None
    told_as: str = ""
    behind: str = ""
    module: str = ""

    @property
    def name(self) -> str:
        """How a state names it."""
        return self.symbol or self.note


class Interpretation(NamedTuple):
    """What makes each of `names` (none: any value) another one, `target`, under a condition."""

    names: tuple[str, ...]
    target: str
    only_if: Expr
    why: str

    def concerns(self, name: str) -> bool:
        """Whether it makes the value of that name another one, where it holds."""
        return name != self.target and (not self.names or name in self.names)


# What stands for a fact of the machine in a wanted value, in words.
_TEMPLATES = {
    "{cpus}": "the machine's CPUs",
    "{isolate}": "the CPUs to isolate",
    "{housekeeping}": "the CPUs that are not isolated",
    "{huge_pages}": "the shared memory in pages of 2 MB",
    "{giant_pages}": "the shared memory in pages of 1 GB",
    "{huge_page}": "2 MB",
    "{giant_page}": "1G",
    "{locked_memory}": "the shared memory in KiB",
}
# Likewise as an end of a range.
_NUMBERS = {**_TEMPLATES, "{cpus}": "the machine's number of CPUs"}


def filled(text: str, machine: Machine) -> str | None:
    """The text with the machine's facts in place of its templates; None where one was not told."""
    for template in _TEMPLATES:
        if template in text:
            fact = getattr(machine, template[1:-1])
            if fact is None:
                return None
            text = text.replace(template, str(fact))
    return text


def worded(text: str) -> str:
    """A text with words in place of its templates."""
    for template, meaning in _TEMPLATES.items():
        text = text.replace(template, meaning)
    return text


# What the values of a group are called.
_GROUP = {"off": "all off", "partly": "some of it", "on": "all on"}


class TunableNotes(NamedTuple):
    """What a tunable tells a reader, and no audit needs: half of its file's text.

    `since` is the first kernel that has it, `verified` the release against which the file was
    checked, `names` further names under which people look for it. `effects` are quoted from
    others, `records` measured by the lab.
    """

    summary: str = ""
    history: str = ""
    when_not: str = ""
    names: tuple[str, ...] = ()
    verified: str = ""
    since: str = ""
    sources: tuple[Source, ...] = ()
    effects: tuple[Measurement, ...] = ()
    records: tuple[Measured, ...] = ()


class Unnamed(NamedTuple):
    """What Kconfig gives symbols about which a file that is not whole says nothing, where it sets
    one of the symbols `of` and `only_if` holds."""

    of: tuple[str, ...]
    gives: tuple[tuple[str, str], ...]
    only_if: Expr = None


class Default(NamedTuple):
    """The default value of the kernels for which `only_if` holds."""

    value: str
    only_if: Expr


class LeftOut(NamedTuple):
    """The value of one such symbol beside one of the others, and when."""

    value: str
    only_if: Expr = None


class Tunable(NamedTuple):
    """One thing a kernel can be told, without opinion (rules/<area>/<id>.toml).

    What it tells a reader beside that are its TunableNotes. The file `shows` tells what is in
    force, and is not written to. The first of the `defaults` that holds for a kernel comes before
    the `default` of all others. The list of another parameter counts beside that of `parameter`
    where it has a `flag` (`isolcpus=nohz`).
    """

    id: str
    area: str
    title: str
    kind: str
    only_if: Expr = None
    values: tuple[Value, ...] = ()
    choice: tuple[str, ...] = ()
    default: str = ""
    defaults: tuple[Default, ...] = ()
    symbol: str = ""
    parameter: str = ""
    flag: str = ""
    sysctl: str = ""
    sysfs: str = ""
    shows: str = ""
    requires: Expr = None
    unit: str = ""
    members: tuple[Member, ...] = ()
    interpret: tuple[Interpretation, ...] = ()
    cost: str = ""
    unnamed: tuple[Unnamed, ...] = ()

    def value(self, name: str) -> Value | None:
        """The value of that name, where the tunable names its values."""
        return next((v for v in self.values if v.name == name), None)

    @property
    def set_symbols(self) -> tuple[str, ...]:
        """The symbols that its values set, each once."""
        return tuple(dict.fromkeys(symbol for value in self.values for symbol in value.symbols))

    @property
    def sysctls(self) -> tuple[str, ...]:
        """The sysctls that set it, each once."""
        keys = (key for value in self.values for key, _ in value.sysctl)
        return tuple(dict.fromkeys(filter(None, (self.sysctl, *keys))))

    @property
    def files(self) -> tuple[str, ...]:
        """The files of /sys and debugfs that set it, each once."""
        paths = (path for value in self.values for path, _ in value.sysfs)
        return tuple(dict.fromkeys(filter(None, (self.sysfs, *paths))))

    def needs_of(self, name: str) -> Expr:
        """What a value requires; of one without a name, what the tunable does."""
        value = self.value(name)
        return value.requires if value else self.requires

    def describe(self, names: tuple[str, ...]) -> str:
        """Values in words, with their unit."""
        if self.members:
            return " or ".join(_GROUP[name] for name in names)
        titles = [value.title if (value := self.value(name)) else "" for name in names]
        # What another goes on to say is said by that one.
        said = [
            title or _amount(name, self.unit)
            for name, title in zip(names, titles, strict=True)
            if not title or not any(other.startswith(f"{title},") for other in titles)
        ]
        return ("; or " if any(", " in text for text in said) else " or ").join(said)


def _amount(name: str, unit: str) -> str:
    """`1 second`, `1 to 10 seconds`, `at least the machine's number of CPUs`: a value in words."""
    least, dots, most = name.partition("..")
    ends = [_fact(name, _TEMPLATES)]
    if dots and (least or most):
        ends = [_fact(end, _NUMBERS) for end in (least, most)]
    amount = " to ".join(filter(None, ends))
    if dots and bool(least) != bool(most):
        amount = f"at {'least' if least else 'most'} {amount}"
    if not unit or not (most or least)[:1].isdigit():
        return amount
    first, _, rest = unit.partition(" ")
    single = first.removesuffix("s") if (most or least) == "1" else first
    return f"{amount} {single} {rest}".rstrip()


def _fact(text: str, meanings: dict[str, str]) -> str:
    """The text with words in place of a template, which flags of a list may stand before; of a
    symbol's value the symbol."""
    flags, _, last = text.rpartition(",")
    meaning = meanings.get(last, text.strip("{}"))
    return f"{meaning} ({flags})" if flags and last in meanings else meaning
