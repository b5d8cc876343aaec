"""What a plan for one machine may have, as the user asks for it."""

from __future__ import annotations

from advisor.model.report import Finding, RemedyKind
from advisor.record import NamedTuple

EFFORTS = {kind.effort: kind for kind in RemedyKind}
"""What a change takes, least first: a setting at run time, a reboot, a rebuild."""


class Scope(NamedTuple):
    """Which changes a plan may have: up to an effort; of the findings of these names only, where
    there are `only` some; not of those `without`. A name is a finding's, a tunable's or an
    advice's."""

    effort: RemedyKind = RemedyKind.REBUILD
    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()

    def takes(self, finding: Finding) -> bool:
        """Whether the plan may have changes for a finding, whatever effort they take."""
        names = names_of(finding)
        return self.without.isdisjoint(names) and not (self.only and self.only.isdisjoint(names))


def names_of(finding: Finding) -> tuple[str, ...]:
    """Return what --only and --except may call a finding."""
    return finding.id, finding.tunable.id, finding.advice.id
