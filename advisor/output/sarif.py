"""SARIF 2.1.0 for GitHub's code scanning and others that read it (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from advisor import __version__
from advisor.model.diagnostics import DIAGNOSTICS
from advisor.model.finding import CONFLICT, Finding, Waiver
from advisor.model.report import Report
from advisor.model.tunable import Tunable
from advisor.output import Style
from advisor.output.encoding import json_text
from advisor.output.escape import address, clipped, prose, visible
from advisor.output.issues import Issue, Spot, issues_of, title
from advisor.output.levels import LEVELS, RANK
from advisor.repository import RepositoryPaths

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST_NAME = 255
"""Characters that GitHub takes of a rule's name."""
MOST_TEXT = 1024
"""Characters that GitHub takes of a description."""
_CONFLICT = (
    "Two profiles want different values of a setting. Neither profile is followed until --prefer "
    "names the profile that wins."
)
# What GitHub calls a level where it sorts alerts that are no matter of security.
_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}


def render(reports: Sequence[Report], style: Style) -> str:
    """Return all reports as one run: GitHub refuses two runs of one tool and category."""
    issues = issues_of(reports, style)
    issues.sort(key=lambda issue: (*issue.spots[0][:3], issue.rule, issue.key))
    by_rule: dict[str, list[Issue]] = {}
    for issue in issues:
        by_rule.setdefault(issue.rule, []).append(issue)
    rules = [_rule(by_rule[name]) for name in sorted(by_rule)]
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "kernel-advisor",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": rules,
            }
        },
        "invocations": [{"executionSuccessful": True}],
        # Characters, as Python counts them: where nothing is said, a column is in UTF-16 units.
        "columnKind": "unicodeCodePoints",
        "results": [_result(issue, index[issue.rule], style.places) for issue in issues],
        "properties": {
            "reports": [
                {
                    "path": visible(style.places.of(report.name)),
                    "kernel": report.kernel.text if report.kernel else None,
                    "profiles": [profile.id for profile in report.profiles],
                    "proof": report.proof,
                }
                for report in reports
            ]
        },
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document)


def _rule(issues: list[Issue]) -> dict[str, Any]:
    """Return what the results of one rule are about."""
    # Of one rule all are alike: what differs between them stands in the results.
    subject = issues[0].subject
    if isinstance(subject, Finding):
        about = _advice(subject)
        grade = subject.advice.strength.value
    else:
        about = _meaning(issues[0])
        grade = min((issue.grade for issue in issues), key=RANK.__getitem__)
    level = LEVELS[grade].sarif
    properties = {
        "precision": "medium" if level == "note" else "high",
        "problem.severity": _PROBLEM[level],
        "tags": _tags(issues[0]),
    }
    return {**about, "defaultConfiguration": {"level": level}, "properties": properties}


def _advice(finding: Finding) -> dict[str, Any]:
    """Return what one piece of advice is, the same for every kernel."""
    advice = finding.advice
    name = title(finding)
    costs = dict.fromkeys(tunable.cost for tunable in _tunables(finding))
    cost = advice.cost or " ".join(filter(None, costs))
    sources = advice.sources
    facts = {"Wanted": finding.wanted, "Why": advice.why, **({"Cost": cost} if cost else {})}
    texts = [f"{label}: {text}" for label, text in facts.items()]
    texts += [f"Source: {source.url}" for source in sources]
    marked = [f"**{label}:** {prose(text)}" for label, text in facts.items()]
    for source in sources:
        kernel = f" ({source.kernel})" if source.kernel else ""
        marked.append(f"**Source:** [{prose(source.ref)}{kernel}]({address(source.url)})")
    return {
        "id": finding.id,
        "name": clipped(name, MOST_NAME),
        "shortDescription": _text(f"{name}, wanted by {advice.profile}: {finding.wanted}"),
        "fullDescription": _text(advice.why),
        "help": {"text": "\n\n".join(map(_escaped, texts)), "markdown": "\n\n".join(marked)},
        **({"helpUri": sources[0].url} if sources else {}),
    }


def _meaning(issue: Issue) -> dict[str, Any]:
    """Return what a diagnostic is, or a conflict of profiles."""
    meaning = _CONFLICT if issue.rule == CONFLICT else DIAGNOSTICS[issue.rule].meaning
    plain = meaning.replace("`", "")
    first = plain.partition(". ")[0].rstrip(".")
    return {
        "id": issue.rule,
        "name": issue.title,
        "shortDescription": _text(f"{issue.title}: {first}"),
        "fullDescription": _text(plain),
        "help": {"text": _escaped(plain), "markdown": meaning},
    }


def _tags(issue: Issue) -> list[str]:
    if isinstance(issue.subject, Finding):
        areas = {tunable.area for tunable in _tunables(issue.subject)}
        return sorted({"kernel", issue.subject.advice.profile, *areas})
    return ["kernel", "profiles"] if issue.rule == CONFLICT else ["inputs", "kernel"]


def _tunables(finding: Finding) -> tuple[Tunable, ...]:
    return finding.alternatives or (finding.tunable,)


def _result(issue: Issue, index: int, places: RepositoryPaths) -> dict[str, Any]:
    main, *others = issue.spots
    result = {
        "ruleId": issue.rule,
        "ruleIndex": index,
        "level": LEVELS[issue.grade].sarif,
        "message": _text(" ".join(issue.lines)),
        "locations": [_location(main)],
        "partialFingerprints": {"kernelAdvisor/v1": issue.key},
        # All results have them or none, says the standard.
        "suppressions": [_suppression(issue.waived, places)] if issue.waived else [],
        "properties": {"grade": issue.grade},
    }
    if others:
        result["relatedLocations"] = [
            {"id": number, **_location(spot)} for number, spot in enumerate(others, 1)
        ]
    return result


def _location(spot: Spot) -> dict[str, Any]:
    region = {"startLine": spot.line}
    if spot.column:
        region["startColumn"] = spot.column
    location: dict[str, Any] = {
        "physicalLocation": {
            # A relative reference, whatever bytes the path has.
            "artifactLocation": {
                "uri": quote(spot.path, errors="surrogateescape"),
                "uriBaseId": "%SRCROOT%",
            },
            "region": region,
        }
    }
    if spot.text:
        location["message"] = _text(spot.text)
    return location


def _suppression(waiver: Waiver, places: RepositoryPaths) -> dict[str, Any]:
    about = [f"owner: {waiver.owner}"] if waiver.owner else []
    about += [f"until {waiver.expires}"] if waiver.expires else []
    more = f" ({', '.join(about)})" if about else ""
    suppression: dict[str, Any] = {
        "kind": "external",
        "status": "accepted",
        "justification": visible(" ".join(waiver.reason.split()) + more),
    }
    if waiver.location.line:
        spot = Spot(places.of(waiver.location.path), waiver.location.line)
        suppression["location"] = _location(spot)
    return suppression


def _text(text: str) -> dict[str, str]:
    escaped = _escaped(text)
    if len(escaped) > MOST_TEXT:
        # Not between the two signs of a brace.
        escaped = escaped[: MOST_TEXT - 3].rstrip("{}") + "..."
    return {"text": escaped}


def _escaped(text: str) -> str:
    """Return the plain text of a message, without links `](` and placeholders in braces."""
    return visible(text).replace("](", "] (").replace("{", "{{").replace("}", "}}")
