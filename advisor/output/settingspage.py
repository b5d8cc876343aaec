"""What a change does to what it is judged by, as the first thing that its review says."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.finding import Diagnostic
from advisor.model.review import Review, SettingsChange, Standing
from advisor.output.page import Code, Inline, Page, Row, Section, listing, marked

LABEL = "accept-policy:"
"""The start of the label that accepts a digest."""
_JUDGED = {
    Standing.FIRST: "{base} has no settings, and the settings of this change do not apply yet.",
    Standing.HARMLESS: "Judged by the settings of {base}. With the change's own "
    "settings, all failing findings still fail.",
    Standing.OPEN: "Judged by the settings of {base}. With its own settings, the change {own}.",
    Standing.ACCEPTED: "Judged by the settings of this change; its digest was accepted.",
}
_VERDICTS = {
    Standing.FIRST: "reported",
    Standing.HARMLESS: "nothing to accept",
    Standing.OPEN: "not accepted",
    Standing.ACCEPTED: "accepted",
}


def page(change: SettingsChange, review: Review, format: str) -> Page:
    """Return the page of a change of policy: how the change was judged, and what it does."""
    judged = _JUDGED[change.standing].format(base=review.base, own=change.own)
    if change.standing is Standing.FIRST and change.own:
        judged += f" With its own settings, the change {change.own}."
    if review.local and change.own:
        judged += " (--trust-head judges by the change's own settings.)"
    weaker = [item for item in change.items if item.id == "policy-weaker"]
    others = [item for item in change.items if item.id != "policy-weaker"]
    sections = (
        *_section(
            "Changes that may weaken the settings",
            weaker,
            change.more if not others else 0,
            format,
        ),
        *_section("Other changes", others, change.more if others else 0, format),
    )
    verdict = f"policy: {_VERDICTS[change.standing]}"
    heading = ("Settings used to judge this change",)
    facts = (Row("policy", marked(judged)),)
    return Page("policy", heading, verdict, change.failed, facts, sections)


def _section(title: str, items: list[Diagnostic], more: int, format: str) -> Iterator[Section]:
    """Yield a list of what changed, if anything did, with how many changes are left out."""
    rows = []
    for item in items:
        place = (Code(str(item.location)), ": ") if item.location.path else ()
        rows.append(Row("", (*place, *marked(item.message))))
    if more:
        rows.append(Row("", (f"and {more} more",)))
    yield from listing("policy", title, rows, format, len(items) + more)


def summary(review: Review) -> str:
    """Return whose policy counted, for a headline; empty if no policy changed."""
    if review.trusts_head:
        return "judged by its own settings (--trust-head)"
    if review.policy is None:
        return ""
    return {
        Standing.FIRST: "its first settings do not apply yet",
        Standing.HARMLESS: "it changes the settings, and all failing findings still fail",
        Standing.OPEN: "it weakens the settings, and nobody accepted this",
        Standing.ACCEPTED: "it weakens the settings, and this was accepted",
    }[review.policy.standing]


def foot(change: SettingsChange | None) -> Inline:
    """Return the line that tells a maintainer how to accept the change."""
    if change is None or change.standing is not Standing.OPEN:
        return ()
    return (
        "To accept this change of policy, set this label on the pull or merge request: ",
        Code(f"{LABEL}{change.digest}"), ", or ", Code(f"--accept-policy {change.digest}"),
    )  # fmt: skip
