"""What an audit comes to: states, findings, remedies, a plan, and the report that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.disks import OfKind, shares, spread
from advisor.model.kernel import (
    NOTHING_INFERRED,
    Inferred,
    KernelVersion,
    Layer,
    Location,
    Locator,
    Machine,
    Severity,
)
from advisor.model.rules import Advice, Profile, Source, Strength, Tunable
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.evidence import Recommendation
    from advisor.model.lines import ChangedLine, Edit
    from advisor.model.measured import Ledger, Measured
    from advisor.model.subject import InUse
    from advisor.model.tree import Lines, SideEffect, TreeUse


class Verdict(Enum):
    """What a judgement comes to; another finding settles what is `COVERED` as well."""

    OK = "ok"
    CHANGE = "change"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"
    COVERED = "covered"

    @property
    def in_v1(self) -> str:
        """Its name in documents of version 1, which have none for what is covered."""
        return "not-applicable" if self is Verdict.COVERED else str(self.value)


ASIDE = (Verdict.NOT_APPLICABLE, Verdict.COVERED)
"""What asks for nothing itself."""
OPEN = (Verdict.CHANGE, Verdict.BLOCKED)
"""What is not as advice wants it, whether or not that can be changed."""


class RemedyKind(Enum):
    """How invasive a remedy is, least first."""

    RUNTIME = "runtime"
    BOOT = "boot"
    REBUILD = "rebuild"

    @property
    def rank(self) -> int:
        """Its place among them: what is less invasive has the lower one."""
        return [*RemedyKind].index(self)

    @property
    def effort(self) -> str:
        """When it counts: `now`, at the next `boot`, or after a `rebuild`."""
        return "now" if self is RemedyKind.RUNTIME else str(self.value)


class Role(Enum):
    """Why a symbol is part of a change."""

    ASKED = "asked"
    SIBLING = "choice sibling"
    DEPENDENCY = "dependency"


LACK = "lack of"
"""Stands before what is not there, where that is what makes something so."""


class Origin(NamedTuple):
    """What makes a setting so: the layer, the line's text, and where it stands.

    Most are never shown, so that a line of a configuration may stand here as what finds it. `by` is
    who sets it so at run time, where a host's files tell that.
    """

    layer: Layer
    text: str
    place: Locator
    by: str = ""

    @property
    def location(self) -> Location:
        """Where it stands, looked for now."""
        return self.place.location()


class State(NamedTuple):
    """What a tunable is set to. Several values where the inputs leave several possible.

    `compiled`, `boot` and `runtime` are the layers' own answers (empty: silent), `effective` their
    outcome, `missing` the inputs that would narrow it, `why` the reason of an interpretation. Of a
    group, `on` and `off` are its members with the line that makes each so, and `kept` those that a
    word switches on as a protection, which do not count, each with that word. `counts` says of how
    many instances each value is, where they differ: 31 policies and one; of disks, `kinds` says so
    of each kind. `runs` tells which of several exclusive things is the one that runs.
    """

    tunable: str
    effective: tuple[str, ...]
    compiled: tuple[str, ...] = ()
    boot: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    on: tuple[tuple[str, Origin], ...] = ()
    off: tuple[tuple[str, Origin], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    missing: frozenset[str] = frozenset()
    why: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    kinds: tuple[OfKind, ...] = ()
    runs: str = ""

    def describe(self, tunable: Tunable) -> str:
        """What is effective, in words."""
        if self.runs:
            return f"{tunable.describe(self.effective)} ({self.runs})"
        if self.kinds and self.counts:
            return spread((one.kind, _named(one.value, tunable), one.number) for one in self.kinds)
        if self.counts:
            return shares((_named(value, tunable), count) for value, count in self.counts)
        if not tunable.members or not self.effective:
            return tunable.describe(self.effective)
        total = len(self.on) + len(self.off)
        if not total:
            return (
                "none of its options is known"
                if self.missing
                else "this kernel has none of its options"
            )
        others = ", others not known" if self.missing else ""
        for name, word in self.kept:
            others += f"; {name} is on as a protection, by {word}"
        if not self.on:  # where what they hang on is off, those are not counted
            return f"none on{others}"
        return f"{len(self.on)} of {total} on{others}"


def _named(value: str, tunable: Tunable) -> str:
    # A title says behind its colon what the name means.
    return tunable.describe((value,)).partition(":")[0]


class Change(NamedTuple):
    """One Kconfig assignment of a plan; `old` is None where the symbol was absent."""

    symbol: str
    old: str | None
    new: str
    role: Role


def spelled_out(changes: Iterable[Change]) -> str:
    """`A=y, B=n`: the changes as a sentence tells them."""
    return ", ".join(f"{change.symbol}={change.new}" for change in changes)


class Instances(Enum):
    """Which of the things that a key may name is meant."""

    ONE = "one"
    ALL = "all"
    CHOSEN = "chosen"


class Setting(NamedTuple):
    """What is written at run time: a sysctl's name or a path of sysfs or debugfs, and the value.

    A path may name several things: with `*` all of them (every cpufreq policy), with a part in
    capitals one that only the operator can choose (`/sys/block/DEVICE/queue/scheduler`).
    """

    key: str
    value: str

    @property
    def layer(self) -> str:
        """`sysctl`, `sysfs` or `debugfs`."""
        if not self.key.startswith("/"):
            return "sysctl"
        return "debugfs" if self.key.startswith("/sys/kernel/debug/") else "sysfs"

    @property
    def instances(self) -> Instances:
        """Whether the key names one thing, all of a kind, or one to be chosen."""
        if "*" in self.key:
            return Instances.ALL
        chosen = any(map(is_variable, self.key.split("/")))
        return Instances.CHOSEN if chosen else Instances.ONE


def is_variable(part: str) -> bool:
    """Whether a part of a path stands for names that only the operator can choose (`DEVICE`)."""
    return part.isalpha() and part.isupper()


class Remedy(NamedTuple):
    """One way to the wanted value, as data; output/phrases.py makes the sentence.

    `settings` are for run time, `words` to add and to `drop` for the boot line, `changes` for a
    rebuild; a rebuild may have settings to be written after it, or words to be added then, and
    may be told already as another finding's, of the title `rebuilt_by`. Of the words, `repeats` are
    those of a built-in line that counts only where the boot loader passes none, and what that
    passes was not told.
    `left` is what it may leave open: the members of a group that it cannot reach, and why;
    what it rests on that the inputs do not tell. With `beside` it works only together with the
    other changes of the same plan. `lost` is what a tree says that a rebuild with it takes away
    beside its own lines. It is for the processors of the `vendor` alone, where that was
    not told and others need another one; else for any. `held` is what sets it to something else
    at the next boot, and where to change that.
    """

    kind: RemedyKind
    value: str
    settings: tuple[Setting, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    left: tuple[str, ...] = ()
    beside: bool = False
    vendor: str = ""
    lost: tuple[SideEffect, ...] = ()
    repeats: tuple[str, ...] = ()
    held: str = ""
    rebuilt_by: str = ""

    @property
    def second_step(self) -> bool:
        """Whether something has to follow the rebuild that it begins with."""
        return bool(self.changes and (self.settings or self.words))

    @property
    def lasts(self) -> bool:
        """Whether it outlives a reboot by itself."""
        return not self.settings

    @property
    def needs(self) -> tuple[Change, ...]:
        """What has to change only because the asked values depend on it."""
        return tuple(change for change in self.changes if change.role is Role.DEPENDENCY)

    @property
    def takes_away(self) -> tuple[Change, ...]:
        """What is given up for it: the members of a choice that were chosen."""
        return tuple(c for c in self.changes if c.role is Role.SIBLING and c.old in ("y", "m"))


class Practice(NamedTuple):
    """What distributions do about a tunable: in words, and of how many of their configurations how
    many have which value (none where too few were read)."""

    text: str
    total: int = 0
    counts: tuple[tuple[str, int], ...] = ()


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


class Against(NamedTuple):
    """What is recommended to harden kernels, is so now, and would not be so any more once advice is
    followed: the `setting` (`DEBUG_VIRTUAL=y`, `init_on_free=1`) and why it is recommended.

    The kernel's own `fragment` says so, or `by` (empty: the Kernel Self Protection Project).
    """

    setting: str
    by: str
    fragment: bool
    why: str
    sources: tuple[Source, ...] = ()

    @property
    def who(self) -> str:
        """Who says so."""
        if self.fragment:
            return "the kernel's hardening.config"
        return self.by or "the Kernel Self Protection Project"

    @property
    def caps(self) -> bool:
        """Whether no workload weakens it above COULD: what protects the kernel from itself, and not
        what takes away from what may be attacked."""
        return self.fragment or not self.by


class Hardened(NamedTuple):
    """What a subject has of the `total` recommended settings that distributions do not set, where
    that is so much that it is hardened as a whole."""

    settings: tuple[str, ...]
    total: int


class Package(NamedTuple):
    """What a distribution has packaged, and the command that installs it."""

    distribution: str
    install: str


class Finding(NamedTuple):
    """One advice, judged. `remedies` stand least invasive first; `reason` says what blocks it or
    which inputs would tell; `runtime_only` advice cannot be seen in these inputs at all.
    A covered finding asks for nothing beside the finding whose id is `covered_by`.
    `alternatives` are the tunables of the advice's options, in their order; `waived` is what
    accepts the finding as it is; by its `fingerprint` it is known again (engine/fingerprint.py).
    Following it goes `against` what hardens the kernel, for which it may be weaker than it is
    otherwise (`uncapped`). In a review `edits` change the lines that make it so. Of several values
    that are wanted this kernel has none of those `lacking`, and of the alternatives no tunable
    of those `absent`. The `package` has a kernel that is as wanted."""

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
    fingerprint: str = ""
    against: tuple[Against, ...] = ()
    uncapped: Strength | None = None
    edits: tuple[Edit, ...] = ()
    lacking: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()
    covered_by: str = ""
    package: Package | None = None

    def covered(self, by: str, reason: str) -> Finding:
        """The finding as the one with the id `by` covers it, for this reason."""
        return self._replace(
            verdict=Verdict.COVERED, covered_by=by, reason=reason, remedies=(), runtime_only=False
        )

    @property
    def second_step(self) -> bool:
        """Whether a remedy begins with a rebuild that something has to follow."""
        return any(remedy.second_step for remedy in self.remedies)

    @property
    def is_waiting(self) -> bool:
        """Whether no single step gives what it wants, as long as nothing else changes."""
        return self.verdict is Verdict.BLOCKED or self.second_step

    @property
    def is_left(self) -> bool:
        """Whether somebody decided to leave it; what a baseline knows only is still to be done."""
        return self.waived is not None and not self.waived.baseline

    @property
    def grade(self) -> str:
        """What --fail-on counts it as: the strength of a change, blocked, unknown; or nothing."""
        needed = self.advice.is_binding and self.verdict is Verdict.BLOCKED
        if self.verdict is Verdict.CHANGE or needed:
            return self.advice.strength.value
        open_ = self.verdict in (Verdict.BLOCKED, Verdict.UNKNOWN) and not self.runtime_only
        return self.verdict.value if open_ else ""

    @property
    def offending(self) -> tuple[tuple[str, Origin], ...]:
        """Of a group, the members that are not as wanted, with the line of each."""
        off = any("off" in option.want for option in self.advice.options)
        return self.state.on if off else self.state.off

    @property
    def now(self) -> str:
        """What is effective, in words."""
        return self.state.describe(self.tunable)

    @property
    def wanted(self) -> str:
        """What the advice asks for, in words; of each of its alternatives, if it has some."""
        if len(self.advice.options) == 1:
            (option,) = self.advice.options
            had = tuple(name for name in option.want if name not in self.lacking) or option.want
            # What a remedy settles for is no contradiction to what is asked for.
            second = self.target in option.accept and self.target not in had and bool(had)
            want = (*had, self.target) if second else had
            return option._replace(want=want).wanted(self.tunable)
        pairs = zip(self.advice.options, self.alternatives, strict=True)
        here = [(option, t) for option, t in pairs if t.id not in self.absent]
        if [t.id for _, t in here] == [self.tunable.id]:
            # It stands below this title, and no other is there to be told from.
            return here[0][0].wanted(self.tunable)
        return "; or ".join(f"{t.title}: {option.wanted(t)}" for option, t in here)


class Size(NamedTuple):
    """A size that only the site knows: what it is, and what each profile has it computed from."""

    tunable: Tunable
    state: State
    computed: tuple[tuple[str, str], ...]


class Diagnostic(NamedTuple):
    """A problem of the inputs themselves, which needs no profile.

    `subject` is the symbol, boot word, sysctl or line that it is about; `fingerprint` as of a
    finding.
    """

    id: str
    severity: Severity
    location: Location
    message: str
    remedy: str = ""
    source: str = ""
    subject: str = ""
    waived: Waiver | None = None
    fingerprint: str = ""

    @property
    def is_left(self) -> bool:
        """Whether somebody decided to leave it; what a baseline knows only is still to be done."""
        return self.waived is not None and not self.waived.baseline


def diagnostic(  # noqa: PLR0913, PLR0917  # as many as a diagnostic has fields
    name: str,
    location: Location,
    message: str,
    remedy: str = "",
    source: str = "",
    subject: str = "",
    severity: Severity | None = None,
) -> Diagnostic:
    """Make the diagnostic of that id, with the table's severity and remedy where none is given.

    Raises KeyError for an id that is not in the table, and ValueError where the table leaves the
    severity to the case and none is given.
    """
    # Few runs have something to tell, and those alone pay for the table.
    from advisor.model.diagnostics import DIAGNOSTICS, severity_of

    remedy = remedy or DIAGNOSTICS[name].remedy
    severity = severity or severity_of(name)
    return Diagnostic(name, severity, location, message, remedy, source, subject)


CONFLICT = "profile-conflict"
"""What formats call a Conflict where they show it beside diagnostics, which it is not."""


class Conflict(NamedTuple):
    """Pieces of advice that no single value satisfies: (advice, wanted) of each side."""

    subject: str
    title: str
    sides: tuple[tuple[Advice, str], ...]
    fingerprint: str = ""

    def counts(self, weakest: Strength) -> bool:
        """Whether more than one profile's side is advice of this strength at least."""
        strong = (advice for advice, _ in self.sides if advice.strength.rank <= weakest.rank)
        return len({advice.profile for advice in strong}) > 1


class Omission(NamedTuple):
    """What a profile wants and this plan cannot give, with the cause: `remedy` is what would give
    it in another way."""

    advice: Advice
    tunable: Tunable
    wanted: str
    reason: str
    remedy: Remedy | None = None


class Step(NamedTuple):
    """The part of a plan that one piece of advice asked for."""

    finding: Finding
    remedy: Remedy


class File(Enum):
    """A file that keeps what a plan sets, by the name of its format."""

    SYSCTL = "sysctl.d"
    TMPFILES = "tmpfiles.d"
    UDEV = "udev"
    MODPROBE = "modprobe.d"
    CMDLINE = "cmdline"
    FRAGMENT = "fragment"

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the file stands in the folder of a plan, and below / on the machine; the second is
        for a plan that packages' files would undo otherwise."""
        return _PATHS[self]


_PATHS = {
    File.SYSCTL: ("etc/sysctl.d/90-kernel-advisor.conf", "etc/sysctl.d/zz-kernel-advisor.conf"),
    File.TMPFILES: ("etc/tmpfiles.d/kernel-advisor.conf",),
    File.UDEV: ("etc/udev/rules.d/90-kernel-advisor.rules",),
    File.MODPROBE: ("etc/modprobe.d/kernel-advisor.conf",),
    File.CMDLINE: ("cmdline",),
    File.FRAGMENT: ("kernel.fragment",),
}

OF_PLANS = tuple(f"/{path}" for paths in _PATHS.values() for path in paths if path[:4] == "etc/")
"""The files of a plan below /, which only plans write."""


class Kept(NamedTuple):
    """A setting of run time with the file that makes it last, or None, and `why` none does; with a
    file, `why` says when that comes too early. A udev rule is for `disks` of some kinds alone
    (empty: no condition). `found` are the files that the setting is for, with what each showed."""

    setting: Setting
    file: File | None
    why: str = ""
    disks: tuple[str, ...] = ()
    found: tuple[tuple[str, str], ...] = ()


class Item(NamedTuple):
    """One change of a plan: the strongest finding that asks for it, the profiles that do, and how.

    `kept` has each setting of run time; words and symbols are those of the remedy. `grounds` are
    symbols and files that the item rests on and the plan does not set, each with what it was.
    """

    finding: Finding
    remedy: Remedy
    profiles: tuple[str, ...]
    kept: tuple[Kept, ...] = ()
    grounds: tuple[tuple[str, str], ...] = ()

    @property
    def in_force(self) -> bool:
        """Whether an earlier plan's files have it, and it holds: it is here to stay there."""
        return self.finding.verdict is Verdict.OK

    @property
    def files(self) -> tuple[File, ...]:
        """The files that keep the change, each once."""
        remedy = self.remedy
        of_line = (File.CMDLINE,) if remedy.words or remedy.drop else ()
        of_build = (File.FRAGMENT,) if remedy.changes else ()
        kept = (one.file for one in self.kept if one.file)
        return tuple(dict.fromkeys((*kept, *of_line, *of_build)))


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

    A `whole` plan is for one machine, and has all changes as `items`, those of run time among them.
    `steps` are those of the Kconfig lines, or of the boot line where only that is planned. Of the
    boot line `cmdline`, `words` are added, at its end, and `dropped` stood on it before: among
    those the words that were `dead`, with what is wrong with each. `built_in` has the kernel say
    it. `effects` are None where no tree could tell them. `is_late` is set where packages' files
    would undo what the plan's files set, unless these have later names.
    """

    steps: tuple[Step, ...] = ()
    whole: bool = False
    items: tuple[Item, ...] = ()
    words: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    dead: tuple[Diagnostic, ...] = ()
    cmdline: str = ""
    built_in: BuiltIn = BuiltIn()
    omissions: tuple[Omission, ...] = ()
    optional: int = 0
    effects: tuple[SideEffect, ...] | None = None
    is_late: bool = False

    def path(self, file: File) -> str:
        """Return where a file stands in the folder of the plan, and below / on the machine."""
        return file.paths[-1 if self.is_late else 0]

    def kept_by(self, file: File | None) -> list[Kept]:
        """The settings of run time that a file makes last; of None, those that no file does."""
        return [one for item in self.items for one in item.kept if one.file is file]


class Report(NamedTuple):
    """Everything an output may show of one subject; `cmdline` is None where none was given, and
    `sysctl` says whether run-time settings were.

    `failed` says whether something of a grade in `fail_on` is open, or profiles are in conflict.
    `lines` are those of a fragment on its base, with what becomes of each. Where nobody named the
    profiles, they are of the `recommended` ones those that go together.
    `proof` is `database` without a `tree`, else `model` or `kbuild`. `practice` tells by tunable
    what distributions do, where that was asked for. `path` is the name of the configuration within
    its repository, by which waivers, baselines and fingerprints know it; `inferred` and `merged`
    are as in Subject. `hardened` is set where the subject is hardened as a whole.
    `measured` are the lab's records of the changes that findings ask for, and `kept` the files that
    make their settings of run time last, by the findings' ids; `ledger` is there where it was asked
    for. `sizes` are what the profiles leave to the site.
    `in_use` is what a host that runs has in use, `built_in` the line in the configuration that the
    kernel reads beside the boot loader's, or instead of it. `release` is what uname -r tells of the
    kernel that runs, where one was told.
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
    practice: Mapping[str, Practice] = {}
    fail_on: frozenset[str] = frozenset()
    sysctl: bool = False
    path: str = ""
    inferred: Inferred = NOTHING_INFERRED
    merged: tuple[str, ...] = ()
    hardened: Hardened | None = None
    lines: tuple[ChangedLine, ...] = ()
    recommended: tuple[Recommendation, ...] = ()
    measured: Mapping[str, tuple[Measured, ...]] = {}
    kept: Mapping[str, tuple[Kept, ...]] = {}
    ledger: Ledger | None = None
    sizes: tuple[Size, ...] = ()
    in_use: tuple[InUse, ...] = ()
    built_in: str = ""
    release: str = ""
