"""What a team accepts: waivers, each with a reason, and the findings of a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from advisor.engine import fingerprint
from advisor.errors import few
from advisor.model.diagnostics import DIAGNOSTICS, Input, is_about_acceptance
from advisor.model.finding import OPEN, Diagnostic, Finding, Verdict, Waiver, diagnostic
from advisor.model.kernel import Location
from advisor.model.report import Report
from advisor.record import NamedTuple


class Accepted(NamedTuple):
    """Waivers, the entries of a baseline by fingerprint (with its file), and the day (YYYY-MM-DD)
    for expiry. A `path` is a name within the repository."""

    waivers: tuple[Waiver, ...] = ()
    baseline: Mapping[str, Any] = {}
    baseline_path: str = ""
    today: str = ""

    def findings(self, findings: Iterable[Finding], path: str) -> list[Finding]:
        """Return the findings on the configuration of that path, with the waiver of each."""
        return [
            finding._replace(waived=self._accepting(finding, path)) if _counts(finding) else finding
            for finding in findings
        ]

    def diagnostics(self, diagnostics: Iterable[Diagnostic], path: str) -> list[Diagnostic]:
        """Return the diagnostics on the configuration of that path, with the waiver of each."""
        return [item._replace(waived=self._accepting(item, path)) for item in diagnostics]

    def remarks(self, reports: Sequence[Report]) -> list[list[Diagnostic]]:
        """Return for each report the diagnostics of waivers and baseline themselves: expired ones,
        those that match nothing (once, in a report where they should), and those that are gone."""
        remarks = [list(self._expired(report)) for report in reports]
        for waiver in self.waivers:
            scope = [n for n, report in enumerate(reports) if self._in_scope(waiver, report)]
            used = [item for n in scope for item in self._matched(waiver, reports[n])]
            if scope and not used:
                remarks[scope[0]].append(_unused(waiver, "no finding of this run matches"))
            elif used and self._is_over(waiver) and all(item.waived for item in used):
                why = f"the waiver ended on {waiver.expires}; other waivers accept its findings"
                remarks[scope[0]].append(_unused(waiver, why))
        return [
            fingerprint.of_diagnostics([*items, *self._gone(report)], report.path)
            for items, report in zip(remarks, reports, strict=True)
        ]

    def _accepting(self, item: Finding | Diagnostic, path: str) -> Waiver | None:
        valid = [waiver for waiver in self.waivers if not self._is_over(waiver)]
        if accepting(item, path, self.waivers):
            # An item comes back when its waivers are over, though a baseline may have it.
            return accepting(item, path, valid)
        entry = self.baseline.get(item.fingerprint)
        unknown = isinstance(item, Finding) and item.verdict not in OPEN
        # A baseline accepts an item that was no better before.
        if entry is None or unknown or not set(state(item)) <= set(entry["state"]):
            return None
        place = Location(self.baseline_path)
        return Waiver(
            item.id, "this item existed when the baseline was written", place, baseline=True
        )

    def _is_over(self, waiver: Waiver) -> bool:
        return bool(waiver.expires) and waiver.expires < self.today

    def _expired(self, report: Report) -> Iterator[Diagnostic]:
        for waiver in filter(self._is_over, self.waivers):
            if any(not item.waived for item in self._matched(waiver, report)):
                owner = f" (owner: {waiver.owner})" if waiver.owner else ""
                message = (
                    f"the waiver of {waiver.rule} ended on {waiver.expires}: "
                    f"{waiver.reason.rstrip('.')}{owner}"
                )
                yield diagnostic("waiver-expired", waiver.location, message, subject=waiver.rule)

    def _matched(self, waiver: Waiver, report: Report) -> list[Finding | Diagnostic]:
        items: list[Finding | Diagnostic] = [*filter(_counts, report.findings), *report.diagnostics]
        return [item for item in items if _matches(waiver, item, report.path)]

    def _in_scope(self, waiver: Waiver, report: Report) -> bool:
        """Return whether the report would show what the waiver is for, if it were so."""
        if waiver.path and not fnmatchcase(report.path, waiver.path):
            return False
        concerned = [finding for finding in report.findings if _is_about(waiver, finding)]
        if concerned:
            return not any(finding.verdict is Verdict.UNKNOWN for finding in concerned)
        kind = DIAGNOSTICS.get(waiver.rule)
        given = {
            Input.CONFIGURATION: True,
            Input.FRAGMENT: not report.complete,
            Input.BOOT_LINE: report.cmdline is not None,
            Input.CPUS: report.machine.cpus is not None,
            Input.MEMORY: report.machine.memory is not None,
            Input.SYSCTL: report.sysctl,
            Input.TREE: report.tree is not None,
            Input.WAIVERS: bool(self.waivers),
            Input.BASELINE: bool(self.baseline_path),
            # Waivers cannot accept diagnostics of a change's own waivers.
            Input.REVISIONS: False,
            # Another run may be as another user.
            Input.HOST: False,
        }
        # Without all inputs of a kind, its absence means nothing.
        return kind is not None and all(given[one] for one in kind.inputs)

    def _gone(self, report: Report) -> Iterator[Diagnostic]:
        """Report how many of the baseline's findings of this report's profiles are gone."""
        now = {finding.fingerprint for finding in report.findings if finding.verdict in OPEN}
        now |= {item.fingerprint for item in report.diagnostics}
        judged = {finding.id for finding in report.findings if finding.grade != "unknown"}
        gone = [
            entry["id"]
            for key, entry in self.baseline.items()
            if entry["path"] == report.path and key not in now and entry["id"] in judged
        ]
        if gone:
            message = f"{len(gone)} of its findings no longer occur: {few(sorted(gone))}"
            place = Location(self.baseline_path)
            yield diagnostic("baseline-outdated", place, message, subject=report.path)


def _counts(finding: Finding) -> bool:
    """Return whether a waiver can be for it: an unknown finding may fail, or be disputed."""
    return finding.verdict in OPEN or finding.verdict is Verdict.UNKNOWN


def accepting(item: Finding | Diagnostic, path: str, waivers: Iterable[Waiver]) -> Waiver | None:
    """Return the waiver that accepts all of the item; several may accept a group together."""
    matching = [waiver for waiver in waivers if _matches(waiver, item, path)]
    # The first that is for all of it: the user chose the order of the file.
    whole = [w for w in matching if not w.subject or isinstance(item, Diagnostic)]
    if whole or not matching:
        return whole[0] if whole else None
    patterns = [waiver.subject for waiver in matching]
    parts = ([fnmatchcase(part, pattern) for pattern in patterns] for part in state(item))
    return _joined(matching) if all(map(any, parts)) else None


def _joined(waivers: list[Waiver]) -> Waiver:
    """Return several waivers as one, which holds until the first of them ends."""
    first, *others = waivers
    if not others:
        return first
    reasons = dict.fromkeys(waiver.reason.rstrip(".") for waiver in waivers)
    owners = dict.fromkeys(waiver.owner for waiver in waivers if waiver.owner)
    ends = [waiver.expires for waiver in waivers if waiver.expires]
    return first._replace(
        reason="; ".join(reasons), owner=", ".join(owners), expires=min(ends, default="")
    )


def _matches(waiver: Waiver, item: Finding | Diagnostic, path: str) -> bool:
    if waiver.path and not fnmatchcase(path, waiver.path):
        return False
    if isinstance(item, Diagnostic):
        subject = not waiver.subject or fnmatchcase(item.subject, waiver.subject)
        return waiver.rule == item.id and subject and not waiver.profile
    if not _is_about(waiver, item):
        return False
    return not waiver.subject or any(fnmatchcase(part, waiver.subject) for part in state(item))


def _is_about(waiver: Waiver, finding: Finding) -> bool:
    advice = finding.advice
    if waiver.profile and waiver.profile != advice.profile:
        return False
    return waiver.rule in (advice.key, *(option.tunable for option in advice.options))


def state(item: Finding | Diagnostic) -> list[str]:
    """Return what is wrong: values, or of a group the members that are not as wanted."""
    if isinstance(item, Diagnostic):
        return []
    if item.tunable.members:
        return [symbol for symbol, _ in item.offending]
    return list(item.state.effective)


def _unused(waiver: Waiver, why: str) -> Diagnostic:
    message = f"the waiver of {waiver.rule} does nothing: {why}"
    return diagnostic("waiver-unused", waiver.location, message, subject=waiver.rule)


def entries(reports: Iterable[Report]) -> list[dict[str, Any]]:
    """Return the entries of a baseline of these reports: what is open and not waived, sorted."""
    held = []
    for report in reports:
        findings = [f for f in report.findings if f.verdict in OPEN and not f.waived]
        others = [d for d in report.diagnostics if not (d.waived or is_about_acceptance(d.id))]
        items: list[Finding | Diagnostic] = [*findings, *others]
        for item in items:
            entry = {"fingerprint": item.fingerprint, "id": item.id}
            held.append({**entry, "path": report.path, "state": state(item)})
    return sorted(held, key=lambda entry: (entry["path"], entry["id"], entry["fingerprint"]))
