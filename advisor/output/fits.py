"""Why profiles fit a host, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.model.evidence import Recommendation

if TYPE_CHECKING:
    from advisor.model.report import Report

NOTHING_SPECIAL = "no sign of a special workload"


def reason(one: Recommendation) -> str:
    """Return the reasons for a profile."""
    return "; ".join(one.reasons) or NOTHING_SPECIAL


def sentence(report: Report) -> str:
    """Return why a host has these profiles, and what else fits; empty if a user named profiles."""
    used = {profile.id for profile in report.profiles}
    parts = [f"{one.profile}: {reason(one)}" for one in report.recommended if one.profile in used]
    beside = [one for one in report.recommended if one.profile not in used]
    clear = ", ".join(f"{one.profile} ({reason(one)})" for one in beside if one.clear)
    hints = ", ".join(f"{one.profile} ({reason(one)})" for one in beside if not one.clear)
    others = (
        f"left out, because it contradicts these profiles: {clear}" if clear else "",
        f"perhaps also {hints}" if hints else "",
    )
    text = "; ".join(filter(None, (*parts, *others)))
    return f"{text} (--profile names others)" if text else ""
