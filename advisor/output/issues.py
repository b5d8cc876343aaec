"""What is to be shown of reports, in the terms that the formats of other programs share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

from advisor.model.finding import ASIDE, CONFLICT, Diagnostic, Finding, Verdict, Waiver
from advisor.model.kernel import Layer, Location, Severity
from advisor.model.profile import POLICY, Strength
from advisor.model.report import Report
from advisor.model.state import Origin
from advisor.output import Style, phrases
from advisor.output.escape import visible
from advisor.record import NamedTuple
from advisor.repository import RepositoryPaths

# Subjects that tell diagnostics apart and stand nowhere in the input.
_NOWHERE = frozenset(("others", "arguments", "variables"))


class Spot(NamedTuple):
    """A place in a file, by its path in the repository; lines and columns count from 1.

    Column 0 is none. `text` is what stands there, empty where nothing in the file is the cause.
    """

    path: str
    line: int = 1
    column: int = 0
    text: str = ""


class Issue(NamedTuple):
    """One finding, diagnostic or conflict, to be shown by itself.

    `rule` is what a waiver names, `grade` one of levels.LEVELS or empty where all is right;
    `lines` say what is so and what to do; the first of the `spots`, which are never none, is the
    main one; `key` is the fingerprint.
    """

    rule: str
    grade: str
    title: str
    lines: tuple[str, ...]
    spots: tuple[Spot, ...]
    key: str
    subject: Finding | Diagnostic

    @property
    def waived(self) -> Waiver | None:
        """What accepts it as it is."""
        return self.subject.waived


def issues_of(reports: Sequence[Report], style: Style) -> list[Issue]:
    """Return open findings, diagnostics and conflicts, also waived ones, each with its own key.

    What says the same of the same place, as of a base that several fragments are judged on, is one.
    A key that was there before, as of two files of one name, gets a number.
    """
    issues: list[Issue] = []
    for report in reports:
        open_ = [
            f
            for f in report.findings
            if f.verdict is Verdict.CHANGE
            or (f.verdict is Verdict.BLOCKED and f.advice.strength is not Strength.COULD)
        ]
        issues += _issues(report, open_, style.places)
    once: dict[Hashable, Issue] = {}
    for issue in issues:
        once.setdefault((issue.rule, issue.grade, issue.spots, issue.lines), issue)
    issues = [*once.values()]
    numbers = counted_up(issue.key for issue in issues)
    return [
        issue if number == 1 else issue._replace(key=f"{issue.key}-{number}")
        for issue, number in zip(issues, numbers, strict=True)
    ]


def applicable(report: Report, style: Style) -> list[Issue]:
    """Return the same with all findings that can be judged by these inputs, right or not."""
    findings = [f for f in report.findings if f.verdict not in ASIDE and not f.runtime_only]
    return list(_issues(report, findings, style.places))


def title(finding: Finding) -> str:
    """Return the titles of what the advice is about, with all alternatives."""
    return visible(" or ".join(t.title for t in finding.alternatives or (finding.tunable,)))


def _issues(
    report: Report, findings: Iterable[Finding], places: RepositoryPaths
) -> Iterator[Issue]:
    path = places.of(report.name)
    for conflict in report.conflicts:
        sides = "; ".join(side.rstrip(".") for side in phrases.conflict_sides(conflict))
        item = Diagnostic(
            CONFLICT, Severity.ERROR, Location(""), f"{conflict.title}: {sides}",
            "use --prefer to name the profile that wins", subject=conflict.subject,
            fingerprint=conflict.fingerprint,
        )  # fmt: skip
        yield _of_diagnostic(item, path, places)._replace(grade="conflict")
    for finding in findings:
        # Paths of this machine are of no use to others.
        reason = finding.reason.replace(f"({report.name}:", "(line ")
        if report.tree:
            completed = f"as {report.tree.path} completes it"
            reason = reason.replace(completed, "as the tree completes it")
        yield _of_finding(finding._replace(reason=reason), path, places)
    for diagnostic in report.diagnostics:
        yield _of_diagnostic(diagnostic, path, places)


def counted_up(names: Iterable[Hashable]) -> Iterator[int]:
    """Yield for each name how often it was there so far: 1, 1, 2 of a, b, a."""
    counts: Counter[Hashable] = Counter()
    for name in names:
        counts[name] += 1
        yield counts[name]


def _of_finding(finding: Finding, path: str, places: RepositoryPaths) -> Issue:
    causes = [by for _, by in finding.offending] or finding.state.origins
    spots = [_spot(by.location, by.text, places) for by in causes if _in_file(by.location)]
    lines = tuple(map(visible, _sentences(finding, path, places)))
    return Issue(
        finding.id, finding.grade, title(finding), lines, tuple(spots) or (Spot(path),),
        finding.fingerprint, finding,
    )  # fmt: skip


def _sentences(finding: Finding, path: str, places: RepositoryPaths) -> Iterator[str]:
    lines = " and ".join(_by(origin, path, places) for origin in finding.state.origins)
    by = "" if finding.tunable.members else f"by {lines or 'default'}"
    now = ", ".join(filter(None, (finding.now, by)))
    yield f"{finding.tunable.title}: now {now}; wanted: {finding.wanted}."
    if amiss := [symbol for symbol, _ in finding.offending]:
        yield f"Not as wanted: {phrases.first(amiss)}."
    if hindrance := _hindrance(finding):
        yield hindrance
    for edit in finding.edits:
        yield f"Remedy: {phrases.edit(edit._replace(path=places.of(edit.path)))}"
    # No stop behind it, which would become part of a command.
    for remedy in finding.remedies[:1]:
        label = "Or" if finding.edits else "Remedy"
        yield f"{label}: {phrases.remedy(remedy, finding.tunable)}"
    if finding.advice.profile == POLICY:  # whose reason no documentation has
        yield f"Why: {finding.advice.why}"


def _hindrance(finding: Finding) -> str:
    """Return what blocks a finding or limits its remedy, in a sentence; empty if nothing does."""
    reason = finding.reason.rstrip(".")
    if finding.verdict is Verdict.UNKNOWN:
        options = " and ".join(option for option, _ in phrases.missing([finding]))
        return f"Unknown: {f'{reason}; ' if reason else ''}to judge the setting, give {options}."
    label = "Blocked" if finding.verdict is Verdict.BLOCKED else "But"
    return f"{label}: {reason}." if reason else ""


def _by(origin: Origin, path: str, places: RepositoryPaths) -> str:
    """Return the line that makes a setting so, with the name of its file in the repository."""
    if origin.layer is not Layer.BOOT and not origin.location.line:
        return origin.text
    place = origin.location._replace(path=places.of(origin.location.path))
    return phrases.origin(origin._replace(place=place), path)


def _of_diagnostic(item: Diagnostic, path: str, places: RepositoryPaths) -> Issue:
    what = item.message.rstrip(".")
    spot = Spot(path)
    if _in_file(item.location):
        text = "" if item.subject in _NOWHERE else item.subject
        spot = _spot(item.location, text, places)
    elif item.location.column:
        what += f" (boot line, column {item.location.column})"
    lines = [f"{what}.", f"Remedy: {phrases.do(item)}"] if item.remedy else [f"{what}."]
    name = item.id.replace("-", " ").capitalize()
    texts = tuple(map(visible, lines))
    return Issue(item.id, item.severity.value, name, texts, (spot,), item.fingerprint, item)


def _in_file(location: Location) -> bool:
    """Return whether a location is a line of a file, and not of a boot line given as text."""
    return location.line > 0 and not location.path.startswith("--")


def _spot(location: Location, text: str, places: RepositoryPaths) -> Spot:
    return Spot(places.of(location.path), location.line, location.column, visible(text))
