"""The types of the domain: immutable values, no behaviour beyond reading themselves.

NamedTuples, since a frozen slotted dataclass costs ten times as much to define (1.3 against
0.13 ms a class, measured), and every run of the command defines them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Protocol

from advisor.record import NamedTuple

# A parsed condition: ["&", a, b], ["sym", "HZ", ">=", "250"], ... (see advisor/condition.py).
Expr = Any
# Three truth values: True, False, or the names of the inputs that would tell.
Truth = bool | frozenset[str]
Assignment = tuple[str, str]
# Kconfig lines in the order in which they are merged onto a configuration.
Lines = tuple[Assignment, ...]


class Verdict(Enum):
    """What a judgement comes to."""

    OK = "ok"
    CHANGE = "change"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"


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
        return _STRENGTHS.index(self)


_STRENGTHS = list(Strength)


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


class RemedyKind(Enum):
    """How invasive a remedy is, least first."""

    RUNTIME = "runtime"
    BOOT = "boot"
    REBUILD = "rebuild"


class Role(Enum):
    """Why a symbol is part of a change."""

    ASKED = "asked"
    SIBLING = "choice sibling"
    DEPENDENCY = "dependency"


class Effect(Enum):
    """What a change of a configuration does to a symbol that nobody named."""

    LOST = "lost"
    NEW = "new"
    DERIVED = "derived"


class Location(NamedTuple):
    """A place in an input, counted from 1; 0 where there is no line or column."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


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


class InputNote(NamedTuple):
    """Something odd in an input that does not stop the audit: `id` names the diagnostic."""

    id: str
    severity: Severity
    location: Location
    message: str
    subject: str = ""


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
    """A boot line, read as the kernel reads it: its words, and what follows `--` for init."""

    text: str
    words: tuple[Word, ...] = ()
    init: tuple[Word, ...] = ()
    name: str = "--cmdline"
    notes: tuple[InputNote, ...] = ()

    @property
    def for_init(self) -> list[str]:
        """`--` and what stands behind it, if there is anything."""
        return ["--", *(word.text for word in self.init)] if self.init else []


class Machine(NamedTuple):
    """The machine that shall run the kernel; None is "not told".

    `arch` is the kernel's source architecture (x86, arm64, ...), `memory` is in bytes, `vendor`
    one of intel, amd, arm, other, `virtual` is `guest` or `no`, `efi` is `y` or `n`; `isolate` is
    the list of CPUs that shall be kept for chosen tasks, `housekeeping` that of all others.
    """

    arch: str | None = None
    cpus: int | None = None
    nodes: int | None = None
    memory: int | None = None
    vendor: str | None = None
    virtual: str | None = None
    efi: str | None = None
    isolate: str | None = None
    housekeeping: str | None = None


class Configuration(Protocol):
    """What the engine asks of a configuration (advisor/inputs/dotconfig.py and Overlay answer)."""

    @property
    def complete(self) -> bool:
        """Whether an absent symbol is off (a full .config) or simply not named (a fragment)."""

    def symbols(self) -> Iterable[str]:
        """The symbols that lines name, in their order."""

    def shows(self, symbol: str) -> bool:
        """Whether a line names the symbol, set or not set."""

    def get(self, symbol: str) -> str | None:
        """The value as Kconfig writes it (strings quoted), `n` if not set, None if absent."""

    def entry(self, symbol: str) -> ConfigEntry:
        """The value with the line that decides it."""


class Found(NamedTuple):
    """The further lines with which wanted ones hold, in the order to write them.

    Where there are none, the reason, and the wanted symbol that does not come to its value.
    """

    needed: Lines = ()
    reason: str = ""
    missed: str = ""


class SideEffect(NamedTuple):
    """A symbol that a plan changes without naming it; `old` and `new` are None where it is hidden.

    `why` is what the symbol now lacks, `root` whether it is lost by itself and not with another.
    """

    kind: Effect
    symbol: str
    old: str | None
    new: str | None
    why: str = ""
    root: bool = True


class TreeOracle(Protocol):
    """A kernel tree that was evaluated for one configuration, and what lines would make of it."""

    def defines(self, symbol: str) -> bool:
        """Whether the tree has the symbol for this architecture."""

    def value(self, lines: Lines, symbol: str) -> str | None:
        """What a .config would show of the symbol; None if it would not show it."""

    def achieve(
        self, lines: Lines, wanted: Lines, keep: frozenset[str], fixed: frozenset[str] = frozenset()
    ) -> Found:
        """The fewest lines beside `lines` with which `wanted` holds and `keep` stays.

        No line is found for a symbol in `fixed`, but what else is done may change it.
        """

    def members(self, lines: Lines, symbol: str) -> tuple[str, ...]:
        """The members of the symbol's choice that a .config would show; empty without a choice."""

    def effects(self, lines: Lines) -> tuple[SideEffect, ...]:
        """All that changes beside the lines themselves."""


class TreeUse(NamedTuple):
    """The tree that proved a report: where it is, what it is, and what was taken for granted.

    `assumed` are (symbol or macro, value, where the value is from); with `ran` the tree's own
    questions to the tools of this machine were answered by running them.
    """

    path: str
    version: str
    arch: str
    ran: bool = False
    assumed: tuple[tuple[str, str, str], ...] = ()
    warnings: tuple[str, ...] = ()


class Subject(NamedTuple):
    """All that is known of one kernel: what is judged.

    With a `tree`, `config` is what the configuration comes to there. No plan may change the symbols
    in `keep` or `guarded` (on which advice of stance keep rests), nor use those in `settled` (on
    which other advice rests that is satisfied) as a means to another end.
    """

    name: str
    config: Configuration
    kernel: KernelVersion | None
    machine: Machine
    cmdline: CommandLine | None = None
    sysctl: Mapping[str, tuple[str, Location]] = {}
    notes: tuple[InputNote, ...] = ()
    tree: TreeOracle | None = None
    keep: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()


class Source(NamedTuple):
    """Where a fact can be checked: `kind` kconfig, code, doc, commit, mail, vendor, measurement."""

    kind: str
    ref: str
    kernel: str = ""
    note: str = ""

    @property
    def url(self) -> str:
        """The address, one click away, derived from kind, ref and kernel version."""
        if self.kind == "commit":
            return f"https://git.kernel.org/linus/{self.ref}"
        if self.kind in ("kconfig", "code", "doc"):
            tree = "https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree"
            path, _, line = self.ref.partition(":")
            return f"{tree}/{path}?h=v{self.kernel}" + (f"#n{line}" if line else "")
        return self.ref


def address(sources: tuple[Source, ...]) -> str:
    """Where the first of the sources is to be found; nothing where there is none."""
    return sources[0].url if sources else ""


class Measurement(NamedTuple):
    """A measured effect, quoted with its context only. `evidence` grades the source."""

    numbers: str
    context: str
    evidence: str
    source: str


class Value(NamedTuple):
    """One setting of a tunable and how it is spelled.

    `sets` are alternative lists of Kconfig assignments that give it, the preferred first; `when`
    replaces them for reading; `requires` is what Kconfig demands. `boot` are the words that give
    it (all of them), `reads` other words that mean the same.
    """

    name: str
    title: str = ""
    sets: tuple[tuple[Assignment, ...], ...] = ()
    when: Expr = None
    requires: Expr = None
    boot: tuple[str, ...] = ()
    reads: tuple[tuple[str, ...], ...] = ()
    boot_when: Expr = None
    sysctl: tuple[Assignment, ...] = ()
    sysfs: tuple[Assignment, ...] = ()
    runtime_when: Expr = None
    cost: str = ""


class Member(NamedTuple):
    """One option of a group: on when `when` holds, unless a word on the line says otherwise."""

    symbol: str
    note: str
    when: Expr = None
    requires: Expr = None
    boot_on: tuple[str, ...] = ()
    boot_off: tuple[str, ...] = ()


class Interpretation(NamedTuple):
    """A name that means something else under a condition: `sources` become `target`."""

    names: tuple[str, ...]
    target: str
    when: Expr
    why: str


# What stands for a fact of the machine in a wanted value, in words.
_TEMPLATES = {
    "cpus": "the machine's CPUs",
    "isolate": "the CPUs to isolate",
    "housekeeping": "the CPUs that are not isolated",
}


def filled(text: str, machine: Machine) -> str | None:
    """The text with the machine's facts in place of its templates; None where one was not told."""
    for key in _TEMPLATES:
        if (template := "{" + key + "}") in text:
            told = getattr(machine, key)
            if told is None:
                return None
            text = text.replace(template, str(told))
    return text


# What the values of a group are called.
_GROUP = {"off": "all off", "partly": "some of it", "on": "all on"}


class Tunable(NamedTuple):
    """One thing a kernel can be told, without opinion (rules/<area>/<id>.toml)."""

    id: str
    area: str
    title: str
    kind: str
    summary: str = ""
    exists: Expr = None
    values: tuple[Value, ...] = ()
    choice: tuple[str, ...] = ()
    default: str = ""
    symbol: str = ""
    parameter: str = ""
    sysctl: str = ""
    sysfs: str = ""
    requires: Expr = None
    unit: str = ""
    members: tuple[Member, ...] = ()
    interpret: tuple[Interpretation, ...] = ()
    since: str = ""
    until: str = ""
    history: str = ""
    cost: str = ""
    when_not: str = ""
    names: tuple[str, ...] = ()
    verified: str = ""
    sources: tuple[Source, ...] = ()
    effects: tuple[Measurement, ...] = ()

    def value(self, name: str) -> Value | None:
        """The value of that name, where the tunable names its values."""
        return next((v for v in self.values if v.name == name), None)

    def describe(self, names: tuple[str, ...]) -> str:
        """Values in words, with their unit."""
        if self.members:
            return " or ".join(_GROUP[name] for name in names)
        shown = []
        for name in names:
            value = self.value(name)
            unit = f" {self.unit}" if self.unit and name[:1].isdigit() else ""
            plain = name
            for key, meaning in _TEMPLATES.items():
                plain = plain.replace("{" + key + "}", meaning)
            shown.append((value.title if value and value.title else plain) + unit)
        return " or ".join(shown)


class ListRules(NamedTuple):
    """What a parameter makes of a CPU list.

    `flags` may stand before it and say what the list is for, `default` is what it is for without
    them, and other words there are `skips`. A list that is for the same as an earlier one and not
    equal loses (`unequal`); unless lists are kept `apart` by what they are for, all later ones do.
    The consequence where the list is `refused` (and what the kernel takes `instead`), names `all`
    CPUs or the `first`, or `differs` from that of `same`. Where the list of the parameter `within`
    names all of its CPUs, it adds nothing (`contained` says why).
    """

    flags: tuple[str, ...] = ()
    default: tuple[str, ...] = ()
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
    within: str = ""
    contained: str = ""


class Remark(NamedTuple):
    """What is to be said of a word that the kernel takes, where `when` holds, for these `values`.

    It is `void` (something else undoes it, at least what it is for: `still` where it does the
    rest), `redundant` (it adds nothing) or calls for `caution` (it does something else than its
    name says, or harm). No `values` are any.
    """

    kind: str
    says: str
    values: tuple[str, ...] = ()
    when: Expr = None
    remedy: str = ""
    still: bool = False


class Parameter(NamedTuple):
    """A boot parameter as this kernel's code reads it (rules/parameters/*.toml).

    `words` are the accepted values with the condition of each, empty where any is; several may be
    `joined` by commas, and written in `anycase`. `duplicates` is last, first (`anew` behind each
    word of those parameters), flags (the first list for each flag) or accumulate; `status` is
    empty, or `obsolete`: parsed but without effect.
    """

    name: str
    summary: str
    type: str
    needs: Expr = None
    words: tuple[tuple[str, Expr], ...] = ()
    since: str = ""
    until: str = ""
    arch: tuple[str, ...] = ()
    joined: bool = False
    anycase: bool = False
    duplicates: str = "last"
    anew: tuple[str, ...] = ()
    renamed: str = ""
    status: str = ""
    advice: str = ""
    refusal: str = ""
    list: ListRules | None = None
    remarks: tuple[Remark, ...] = ()
    sources: tuple[Source, ...] = ()


class Name(NamedTuple):
    """A name people look for that is no setting of today's kernel (rules/names.toml).

    `until` is the first version without it, where older ones had it.
    """

    name: str
    kind: str
    history: str
    today: str
    until: str = ""
    see: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


class Limit(NamedTuple):
    """How many bytes of a boot line an architecture keeps, the closing zero among them, since that
    kernel (empty: always); `symbol` is the one that sets it where a configuration can."""

    arch: str
    bytes: int
    since: str = ""
    symbol: str = ""
    sources: tuple[Source, ...] = ()


class Reader(NamedTuple):
    """A program of user space that reads words of the boot line (rules/commandline.toml)."""

    program: str
    summary: str
    names: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


class Rename(NamedTuple):
    """A symbol that was renamed or removed (rules/lifecycle.toml); `new` is empty if removed."""

    old: str
    new: str
    since: str
    note: str = ""
    sources: tuple[Source, ...] = ()


class Option(NamedTuple):
    """What an advice asks of one tunable; `want` in order of preference."""

    tunable: str
    want: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()

    def wanted(self, tunable: Tunable) -> str:
        """What is asked of the tunable, in words."""
        if self.avoid and not self.want:
            return "not " + tunable.describe(self.avoid)
        unwanted = f" (not {tunable.describe(self.avoid)})" if self.avoid else ""
        return tunable.describe(self.want) + unwanted


class Advice(NamedTuple):
    """A profile's opinion on a tunable (or on any one of several).

    With `ask` it waits for an answer of the operator: the fact of the machine of that name.
    """

    id: str
    profile: str
    stance: Stance
    strength: Strength
    options: tuple[Option, ...]
    why: str
    when: Expr = None
    unless: Expr = None
    ask: str = ""
    cost: str = ""
    sources: tuple[Source, ...] = ()

    @property
    def key(self) -> str:
        """The identity of every finding of this advice."""
        return f"{self.profile}/{self.id}"


class Profile(NamedTuple):
    """A workload's opinion (profiles/<id>.toml)."""

    id: str
    title: str
    summary: str
    advice: tuple[Advice, ...]
    extends: tuple[str, ...] = ()


class Origin(NamedTuple):
    """What makes a setting so: the layer, the line's text, and where it stands."""

    layer: Layer
    text: str
    location: Location


class State(NamedTuple):
    """What a tunable is set to. Several values where the inputs leave several possible.

    `compiled`, `boot` and `runtime` are the layers' own answers (empty: silent), `effective` their
    outcome, `missing` the inputs that would narrow it, `why` the reason of an interpretation. Of a
    group, `on` and `off` are its members with the line that makes each so.
    """

    tunable: str
    effective: tuple[str, ...]
    compiled: tuple[str, ...] = ()
    boot: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    on: tuple[tuple[str, Origin], ...] = ()
    off: tuple[tuple[str, Origin], ...] = ()
    missing: frozenset[str] = frozenset()
    why: str = ""

    def said(self, tunable: Tunable) -> str:
        """What is effective, in words."""
        if not tunable.members or not self.effective:
            return tunable.describe(self.effective)
        total = len(self.on) + len(self.off)
        others = ", others not told" if self.missing else ""
        return f"{len(self.on)} of {total} on{others}"


class Change(NamedTuple):
    """One Kconfig assignment of a plan; `old` is None where the symbol was absent."""

    symbol: str
    old: str | None
    new: str
    role: Role


class Remedy(NamedTuple):
    """One way to the wanted value. `changes` for a rebuild, `words` to add and `drop` for boot.

    `left` says which members of a group it cannot reach, and why.
    """

    kind: RemedyKind
    text: str
    value: str
    changes: tuple[Change, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    left: str = ""


class Waiver(NamedTuple):
    """A finding or diagnostic that is accepted, and why (kernel-advisor.toml, or a baseline).

    `rule` is the id of a finding, tunable, or diagnostic; `path` a pattern of files, `profile` one
    profile's id, `subject` a pattern of what it is about: the member of a group, the value, or the
    subject of a diagnostic (empty: any). `expires` is the last day on which it holds, as
    YYYY-MM-DD. Of a `baseline` it says only that the finding was there before.
    """

    rule: str
    reason: str
    location: Location
    path: str = ""
    profile: str = ""
    subject: str = ""
    owner: str = ""
    expires: str = ""
    baseline: bool = False


class Finding(NamedTuple):
    """One advice, judged. `remedies` stand least invasive first; `reason` says what blocks it or
    which inputs would tell; `runtime_only` advice cannot be seen in these inputs at all.
    `alternatives` are the tunables of the advice's options, in their order; `waived` is what
    accepts the finding as it is."""

    id: str
    verdict: Verdict
    advice: Advice
    tunable: Tunable
    state: State
    alternatives: tuple[Tunable, ...] = ()
    cost: str = ""
    reason: str = ""
    target: str = ""
    missing: frozenset[str] = frozenset()
    remedies: tuple[Remedy, ...] = ()
    runtime_only: bool = False
    waived: Waiver | None = None

    @property
    def grade(self) -> str:
        """What --fail-on counts it as: the strength of a change, blocked, unknown; or nothing."""
        if self.verdict is Verdict.CHANGE:
            return self.advice.strength.value
        told = self.verdict in (Verdict.BLOCKED, Verdict.UNKNOWN) and not self.runtime_only
        return self.verdict.value if told else ""

    @property
    def offending(self) -> tuple[tuple[str, Origin], ...]:
        """Of a group, the members that are not as wanted, with the line of each."""
        off = any("off" in option.want for option in self.advice.options)
        return self.state.on if off else self.state.off

    @property
    def now(self) -> str:
        """What is effective, in words."""
        return self.state.said(self.tunable)

    @property
    def wanted(self) -> str:
        """What the advice asks for, in words; of each of its alternatives, if it has some."""
        if len(self.advice.options) == 1:
            return self.advice.options[0].wanted(self.tunable)
        pairs = zip(self.advice.options, self.alternatives, strict=True)
        return "; or ".join(f"{t.title}: {option.wanted(t)}" for option, t in pairs)


class Diagnostic(NamedTuple):
    """A problem of the inputs themselves, which needs no profile.

    `subject` is the symbol, boot word, sysctl or line that it is about.
    """

    id: str
    severity: Severity
    location: Location
    message: str
    remedy: str = ""
    source: str = ""
    subject: str = ""
    waived: Waiver | None = None


class Conflict(NamedTuple):
    """Pieces of advice that no single value satisfies: (advice, wanted) of each side."""

    subject: str
    title: str
    sides: tuple[tuple[Advice, str], ...]


class Omission(NamedTuple):
    """What a profile wants and this plan cannot give, with the cause."""

    advice: Advice
    title: str
    wanted: str
    reason: str


class Step(NamedTuple):
    """The part of a plan that one piece of advice asked for."""

    finding: Finding
    remedy: Remedy


class BuiltIn(NamedTuple):
    """The settings with which a kernel has a boot line in itself, as Kconfig lines.

    `place` is what becomes of the boot loader's line: `before` and `behind` it stand the built-in
    words, `instead` of it where it is ignored, and `fallback` where it is empty. It is empty
    itself where that is not known of the architecture. `room` is the most bytes that the kernel
    keeps of a line.
    """

    lines: Lines = ()
    words: tuple[str, ...] = ()
    place: str = ""
    room: int | None = None


class Plan(NamedTuple):
    """One consistent set of changes: Kconfig lines, the boot line, and what is left out.

    Of the boot line `cmdline`, `words` are added, at its end, and `dropped` stood on it before;
    `built_in` has the kernel say it. `effects` are None where no tree could tell them.
    """

    steps: tuple[Step, ...] = ()
    words: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    cmdline: str = ""
    built_in: BuiltIn = BuiltIn()
    omissions: tuple[Omission, ...] = ()
    optional: int = 0
    effects: tuple[SideEffect, ...] | None = None


class Report(NamedTuple):
    """Everything an output may show of one subject; `cmdline` is None where none was given.

    `failed` says whether something of a grade in `fail_on` is open, or profiles are in conflict.
    `proof` is `database` without a `tree`, else `model` or `kbuild`. `practice` tells by tunable
    what distributions do, where that was asked for.
    """

    name: str
    kernel: KernelVersion | None
    machine: Machine
    complete: bool
    cmdline: str | None
    profiles: tuple[Profile, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
    conflicts: tuple[Conflict, ...]
    plan: Plan
    failed: bool = False
    proof: str = "database"
    tree: TreeUse | None = None
    practice: Mapping[str, str] = {}
    fail_on: frozenset[str] = frozenset()
