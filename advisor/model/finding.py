"""What judging comes to: findings, diagnostics, conflicts, and what accepts them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.kernel import Location, Severity
from advisor.model.profile import Advice, Strength
from advisor.model.remedy import Remedy
from advisor.model.rules import Source
from advisor.model.state import Origin, State
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.lines import Edit


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
            settled = self.target in option.accept or (bool(option.avoid) and bool(self.target))
            second = settled and self.target not in had and bool(had)
            want = (*had, self.target) if second else had
            return option._replace(want=want).wanted(self.tunable)
        pairs = zip(self.advice.options, self.alternatives, strict=True)
        here = [(option, t) for option, t in pairs if t.id not in self.absent]
        if [t.id for _, t in here] == [self.tunable.id]:
            # It stands below this title, and no other is there to be told from.
            return here[0][0].wanted(self.tunable)
        return "; or ".join(f"{t.title}: {option.wanted(t)}" for option, t in here)


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
