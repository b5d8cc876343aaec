"""The rules and profiles as values: tunables, boot parameters, names, advice."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.condition import Expr
from advisor.model.kernel import Machine
from advisor.model.numbers import within
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.measured import Measured
    from advisor.model.tree import Assignment


class Stance(Enum):
    """What a profile has to say about a tunable."""

    WANT = "want"
    AVOID = "avoid"
    KEEP = "keep"
    NEUTRAL = "neutral"


class Strength(Enum):
    """How much depends on it: the profile's goal, the sources' agreement, or the situation."""

    MUST = "must"
    SHOULD = "should"
    COULD = "could"

    @property
    def rank(self) -> int:
        """0 for must, 1 for should, 2 for could."""
        return ("must", "should", "could").index(self.value)


class Source(NamedTuple):
    """Where a fact can be checked: `kind` kconfig, code, doc, commit, mail, vendor, measurement.

    `ref` is a path of the tree of release `kernel` for the first three; `anchor` is what stands
    there, at that `line` of `release`, where the line is known.
    """

    kind: str
    ref: str
    kernel: str = ""
    note: str = ""
    anchor: str = ""
    release: str = ""
    line: int = 0

    @property
    def url(self) -> str:
        """The address, one click away, derived from kind, ref and kernel version."""
        if self.kind == "commit":
            return f"https://git.kernel.org/linus/{self.ref}"
        if self.kind in ("kconfig", "code", "doc"):
            tree = "https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree"
            if self.line:
                return f"{tree}/{self.ref}?h=v{self.release}#n{self.line}"
            path, _, line = self.ref.partition(":")
            return f"{tree}/{path}?h=v{self.kernel}" + (f"#n{line}" if line else "")
        return self.ref


def address(sources: tuple[Source, ...], arch: str | None = None) -> str:
    """Where the first of the sources is to be found, if there is one the first that is not in the
    folder of another architecture; nothing where there is none."""
    foreign = [each.ref[:5] == "arch/" and f"arch/{arch}/" not in each.ref for each in sources]
    first = foreign.index(False) if arch and False in foreign else 0
    return sources[first].url if sources else ""


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
    where `told_only_if` holds, or about `told_as`, which the option was then. A menu's own switch
    that it stands `behind` hides it where it is off: it is off then, and not unknown to the kernel.
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

    `since` and `until` are the kernels that have it, `verified` the release against which the file
    was checked, `names` further names under which people look for it. `effects` are quoted from
    others, `records` measured by the lab.
    """

    summary: str = ""
    history: str = ""
    when_not: str = ""
    names: tuple[str, ...] = ()
    verified: str = ""
    since: str = ""
    until: str = ""
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


REQUIREMENT = "requirement"
"""The kind of what tells whether a function of a program works (knowledge/required.py)."""
REQUIRES = "requires/"
"""How the ids of these begin, and of the profiles and findings about them."""
POLICY = "policy"
"""The area of a team's policies (knowledge/policies.py), and the id of the profile of them."""


class Tunable(NamedTuple):
    """One thing a kernel can be told, without opinion (rules/<area>/<id>.toml).

    What it tells a reader beside that are its TunableNotes. The file `shows` tells what is in
    force, and is not written to. The first of the `defaults` that holds for a kernel comes before
    the `default` of all others. The list of another parameter counts beside that of `parameter`
    where it has a `flag` (`isolcpus=nohz`). A switch tells whether something of a component `runs`.
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
    runs: str = ""

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
    """The text with words in place of a template, which flags of a list may stand before."""
    flags, _, last = text.rpartition(",")
    meaning = meanings.get(last, text)
    return f"{meaning} ({flags})" if flags and last in meanings else meaning


class ListRules(NamedTuple):
    """What a parameter makes of a CPU list.

    `flags` may stand before it and say what the list is for, each where its condition holds;
    `default` is what it is for without them, and other words there are `skips`, or refuse the list
    where `strict` holds. A list that is for the same as an earlier one and not
    equal loses (`unequal`); unless lists are kept `apart` by what they are for, all later ones do.
    The consequence where the list is `refused` (and what the kernel takes `instead`), names `all`
    CPUs or the `first`, `differs` from that of `same`, or is not `outside` isolated CPUs. Where
    the list of the parameter `within` names all of its CPUs, it adds nothing (`contained`).
    """

    flags: tuple[tuple[str, Expr], ...] = ()
    default: tuple[str, ...] = ()
    strict: Expr = None
    apart: Expr = None
    unequal: str = ""
    skips: str = ""
    refused: str = ""
    instead: str = ""
    all: str = ""
    first: str = ""
    first_when: Expr = None
    same: str = ""
    differs: str = ""
    outside: str = ""
    within: str = ""
    contained: str = ""


class Remark(NamedTuple):
    """What is to be said of a word that the kernel takes, if `only_if` holds, for these `values`.

    It is `void` (something else undoes it, at least what it is for: `still` where it does the
    rest), `redundant` (it adds nothing), calls for `caution` (it does something else than its name
    says, or harm), or `elsewhere`: this kernel leaves it to an initramfs. No `values` are any. A
    void one is `met` where what undoes it does as much.
    """

    kind: str
    says: str
    values: tuple[str, ...] = ()
    only_if: Expr = None
    remedy: str = ""
    still: bool = False
    met: bool = False


class Parameter(NamedTuple):
    """A boot parameter as this kernel's code reads it (rules/parameters/*.toml).

    `words` are the accepted values with the condition of each, empty where any is; several may be
    `joined` by commas, and written in `anycase`. `duplicates` is last, first, flags (the first list
    for each flag), sized (the first behind each hugepagesz=), parts (mitigations=) or accumulate;
    what `guards` is a protection that no remedy takes off, unless its value leaves it `open`,
    `open_only_if` surely holds, or the list of the symbol that it `stands_for` has all that it
    names; `status` is empty, or `obsolete`: parsed without effect, from the kernel `obsolete` on
    where that is told.
    The kernel logs the `refusal` from `refusal_since` on.
    It is read for nothing where `unless` surely holds. `since` is the first kernel that may have
    it, and `there` the first that surely has, where no tree of the releases between was read.
    """

    name: str
    summary: str
    type: str
    only_if: Expr = None
    unless: Expr = None
    words: tuple[tuple[str, Expr], ...] = ()
    since: str = ""
    there: str = ""
    until: str = ""
    arch: tuple[str, ...] = ()
    joined: bool = False
    anycase: bool = False
    duplicates: str = "last"
    guards: bool = False
    open: tuple[str, ...] = ()
    open_only_if: Expr = None
    stands_for: str = ""
    renamed: str = ""
    status: str = ""
    obsolete: str = ""
    advice: str = ""
    refusal: str = ""
    refusal_since: str = ""
    list: ListRules | None = None
    remarks: tuple[Remark, ...] = ()
    sources: tuple[Source, ...] = ()


class Name(NamedTuple):
    """A name people look for that is no setting of today's kernel (rules/names.toml).

    `until` is the first version without it, where older ones had it, or, of what is `idle`, the
    first in which it is still there and does nothing; a kernel with one of the symbols `shown_by`
    is of those that have it by a patch. Of a patch that changes what other settings mean, which
    reports tell, `decides` are tunables, each with the symbol that takes it over where it is on;
    none where what it leaves out is known of each tunable.
    """

    name: str
    kind: str
    history: str
    today: str
    until: str = ""
    idle: bool = False
    see: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    decides: tuple[tuple[str, str], ...] = ()
    sources: tuple[Source, ...] = ()


class Reader(NamedTuple):
    """A program of user space that reads words of the boot line (rules/commandline.toml); the
    values of its remarks are whole words."""

    program: str
    summary: str
    names: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    sources: tuple[Source, ...] = ()


class Rename(NamedTuple):
    """A symbol that was renamed or removed (rules/lifecycle.toml); `new` is empty if removed."""

    old: str
    new: str
    since: str
    note: str = ""
    sources: tuple[Source, ...] = ()


class Protection(NamedTuple):
    """A matter of hardening (rules/protections.toml), why it helps, and who recommends it where the
    kernel's own fragments do not (empty: the Kernel Self Protection Project)."""

    id: str
    why: str
    by: str = ""
    sources: tuple[Source, ...] = ()


class Listed(NamedTuple):
    """What is recommended of one symbol, boot parameter or sysctl, by which protection: patterns of
    its value.

    The kernel's own fragments set it so (`fragment`); advice to keep it asks for it also where it
    was never built (`always`).
    """

    protection: str
    values: tuple[str, ...]
    fragment: bool = False
    always: bool = False


class Fact(NamedTuple):
    """A fact about kernels that is no setting (rules/kernel.toml): `about` is its kind, `of` the
    symbol or what else it is about, where there is one, `names` are the symbols, menus or sizes
    that it names, and `says` is what a report says of it. It holds where `only_if` surely does."""

    about: str
    of: str = ""
    names: tuple[str, ...] = ()
    says: str = ""
    only_if: Expr = None
    sources: tuple[Source, ...] = ()


_WHOLE = (("on",), ("off",))


class Option(NamedTuple):
    """What an advice asks of one tunable; `want` in order of preference. As one of several ways it
    is none where `unless` surely holds."""

    tunable: str
    want: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    unless: Expr = None

    def wanted(self, tunable: Tunable) -> str:
        """What is asked of the tunable, in words."""
        unwanted = tunable.describe(self.avoid)
        if self.avoid and not self.want:
            simple = len(self.avoid) == 1 and not unwanted.startswith("not ")
            return f"not {unwanted}" if simple else f"anything but {unwanted}"
        # All of a group, or one of two values, says itself what is not wanted.
        names = {value.name for value in tunable.values}
        whole = tunable.members and self.want in _WHOLE
        told = self.avoid and not whole and names != {*self.want, *self.avoid}
        return tunable.describe(self.want) + (f"; avoid {unwanted}" if told else "")


class Needing(NamedTuple):
    """A program's function that rests on what an advice wants, as its file has it (software/): the
    newest version of the program that does is `last`; an empty one is the newest there is."""

    program: str
    function: str
    title: str
    is_start: bool = False
    last: str = ""

    @property
    def key(self) -> str:
        """The identity of every finding of the requirement."""
        return f"{REQUIRES}{self.program}/{self.function}"

    @property
    def called(self) -> str:
        """The function as `can` takes it, of a start the program."""
        version = f"@{self.last}" if self.last else ""
        return f"{self.program}{version}{'' if self.is_start else ':' + self.function}"


class Advice(NamedTuple):
    """A profile's opinion on a tunable (or on any one of several).

    With `ask` it waits for an answer of the operator: the fact of the machine of that name. What
    goes wrong where it is not followed, and for whom, stands in `otherwise`, of a MUST at least;
    why most kernels do otherwise all the same, if they do, in `practice`. Of a size that only the
    site knows, which is neutral, `sized` says what it is computed from.
    What is the profile's `purpose` keeps its strength against what hardens kernels. With `disks` it
    is about those of these kinds alone (model/disks.py), each of which has to be as wanted.
    What programs require stands in their files: the advice is `needed_by` these functions, whose
    reasons and sources are its own where it has none.
    Where some of several options are none in what was judged, `ways` are all of them: after a
    change of the line or the kernel these may be others.
    """

    id: str
    profile: str
    stance: Stance
    strength: Strength
    options: tuple[Option, ...]
    why: str
    only_if: Expr = None
    unless: Expr = None
    ask: str = ""
    otherwise: str = ""
    practice: str = ""
    sized: str = ""
    cost: str = ""
    purpose: bool = False
    disks: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    ways: tuple[Option, ...] = ()
    needed_by: tuple[Needing, ...] = ()

    @property
    def key(self) -> str:
        """The identity of every finding of this advice."""
        return f"{self.profile}/{self.id}"

    @property
    def is_binding(self) -> bool:
        """Whether it fails a run also where no change gives what it wants: what a program needs,
        and a policy."""
        return self.profile == POLICY or self.profile.startswith(REQUIRES)


class Profile(NamedTuple):
    """A workload's opinion (profiles/<id>.toml)."""

    id: str
    title: str
    summary: str
    advice: tuple[Advice, ...]
    extends: tuple[str, ...] = ()
