"""What the remedy of another finding brings along, so that nobody is asked for it beside that.

The performance policy of a driver that picks the clock itself pins the energy preference, so advice
on the preference stands `unless` the governor is that. Told to set both, a reader sets one twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from advisor.model.report import Finding, Verdict


def without_what_comes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; what another's remedy makes true, as strong, is an `unless` that holds."""
    coming = {}
    for finding in reversed(findings):
        if _is_asked(finding) and finding.remedies:
            coming[finding.tunable.id, finding.remedies[0].value] = finding
    return [_beside(finding, coming) for finding in findings]


def _is_asked(finding: Finding) -> bool:
    if finding.waived is not None and not finding.waived.baseline:
        return False
    return finding.verdict is Verdict.CHANGE or finding.runtime_only


def _beside(finding: Finding, coming: dict[tuple[str, str], Finding]) -> Finding:
    for kind, *term in _alternatives(finding.advice.unless) if _is_asked(finding) else ():
        other = coming.get((term[0], term[2])) if kind == "is" and term[1] == "=" else None
        if other and other.advice.strength.rank <= finding.advice.strength.rank:
            reason = f"comes with {other.tunable.title}: {other.wanted}"
            return finding._replace(
                verdict=Verdict.NOT_APPLICABLE, reason=reason, remedies=(), runtime_only=False
            )
    return finding


def _alternatives(expr: Any) -> Iterable[Sequence[str]]:
    """Terms of which one is enough for a condition to hold."""
    if not expr:
        return ()
    return expr[1:] if expr[0] == "|" else (expr,)
