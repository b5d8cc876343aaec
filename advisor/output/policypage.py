"""What a change does to what it is judged by, as the first thing that its review says."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.kernel import Location
from advisor.model.report import Diagnostic
from advisor.model.review import PolicyChange, Review, Standing
from advisor.output.page import Code, Inline, Page, Row, Section, marked, mode

LABEL = "accept-policy:"
"""What a label that accepts a digest begins with."""
_JUDGED = {
    Standing.FIRST: "{base} has no settings: those of this change do not count yet.",
    Standing.HARMLESS: "Judged by the settings of {base}; by its own nothing less fails.",
    Standing.OPEN: "Judged by the settings of {base}. By its own, the change {own}.",
    Standing.ACCEPTED: "Judged by the settings of this change, whose digest was accepted.",
}
_VERDICTS = {
    Standing.FIRST: "reported",
    Standing.HARMLESS: "nothing to accept",
    Standing.OPEN: "not accepted",
    Standing.ACCEPTED: "accepted",
}


def page(change: PolicyChange, review: Review, format: str) -> Page:
    """All that is told of it, with how the change was judged."""
    judged = _JUDGED[change.standing].format(base=review.base, own=change.own)
    if change.standing is Standing.FIRST and change.own:
        judged += f" By them it {change.own}."
    if review.local and change.own:
        judged += " (--trust-head judges by its own.)"
    weaker = [item for item in change.items if item.id == "policy-weaker"]
    others = [item for item in change.items if item.id != "policy-weaker"]
    sections = (
        *_section("Less may fail by this", weaker, change.more if not others else 0, format),
        *_section("What it does besides", others, change.more if others else 0, format),
    )
    facts = (Row("policy", marked(judged)),)
    heading: Inline = ("What this change is judged by",)
    verdict = f"policy: {_VERDICTS[change.standing]}"
    return Page("policy", heading, verdict, change.failed, facts, sections)


def _section(title: str, items: list[Diagnostic], more: int, format: str) -> Iterator[Section]:
    """A list of what changed, if there is something, with how many are not told."""
    rows = [Row("", (*_place(item.location), *marked(item.message))) for item in items]
    if more:
        rows.append(Row("", (f"and {more} more",)))
    if rows:
        count = len(items) + more
        yield Section("policy", title, mode("policy", format), count, items=tuple(rows))


def _place(location: Location) -> Inline:
    return (Code(str(location)), ": ") if location.path else ()


def summary(review: Review) -> str:
    """What a headline says of whose policy counted; empty where there is nothing to say."""
    if review.trusts_head:
        return "judged by its own settings (--trust-head)"
    if review.policy is None:
        return ""
    return {
        Standing.FIRST: "its first settings do not count yet",
        Standing.HARMLESS: "it changes its settings, and nothing less fails by that",
        Standing.OPEN: "it weakens what it is judged by, which nobody accepted",
        Standing.ACCEPTED: "it weakens what it is judged by, which was accepted",
    }[review.policy.standing]


def foot(change: PolicyChange | None) -> Inline:
    """The line that a maintainer needs: what to accept, and how."""
    if change is None or change.standing is not Standing.OPEN:
        return ()
    return (
        "To accept this change of policy, outside of the change: the label ",
        Code(f"{LABEL}{change.digest}"), ", or ", Code(f"--accept-policy {change.digest}"),
    )  # fmt: skip
