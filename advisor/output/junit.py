"""JUnit XML: a test suite for each configuration, a test case for each advice and diagnostic.

A test case fails if the run does for its sake (--fail-on), so that both say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from advisor.model.report import CONFLICT, Finding, Report, Waiver
from advisor.output import Style, phrases
from advisor.output.escape import clipped, visible
from advisor.output.issues import Issue, applicable, title
from advisor.output.levels import FAILURE, outcome

MOST_TEXT = 1024
"""Characters of an attribute."""


def render(reports: Sequence[Report], style: Style) -> str:
    """All reports; no time, no duration, no host: the same input gives the same bytes."""
    root = ET.Element("testsuites", name="kernel-advisor")
    for report in reports:
        root.append(_suite(report, style))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(report: Report, style: Style) -> ET.Element:
    path = visible(style.places.of(report.name))
    cases = [_case(issue, path, report.fail_on) for issue in applicable(report, style)]
    if not report.diagnostics:
        # Jenkins takes a file without any test case for an error.
        cases.append(ET.Element("testcase", classname=f"{path}.inputs", name="no diagnostics"))
    _number(cases)
    counts = {
        "tests": len(cases),
        "failures": _with("failure", cases),
        "errors": 0,
        "skipped": _with("skipped", cases),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    suite = ET.Element("testsuite", {"name": path, **attributes})
    suite.append(_properties(report))
    suite.extend(cases)
    return suite


def _properties(report: Report) -> ET.Element:
    """What was audited, and what stands behind the advice."""
    told = {
        "kernel": phrases.kernel(report.kernel, report.machine.arch),
        "profiles": ", ".join(profile.id for profile in report.profiles),
        "proof": report.proof,
    }
    found = ET.Element("properties")
    for name, value in told.items():
        ET.SubElement(found, "property", name=name, value=visible(value))
    return found


def _with(tag: str, cases: Iterable[ET.Element]) -> int:
    return sum(case.find(tag) is not None for case in cases)


def _number(cases: Iterable[ET.Element]) -> None:
    """Makes names unique, since GitLab drops a second test case of one name."""
    seen: Counter[tuple[str, str]] = Counter()
    for case in cases:
        name = case.attrib["name"]
        identity = case.attrib["classname"], name
        seen[identity] += 1
        if seen[identity] > 1:
            case.set("name", f"{name} ({seen[identity]})")


def _case(issue: Issue, path: str, fail_on: frozenset[str]) -> ET.Element:
    group, name = _names(issue)
    attributes = {"classname": f"{path}.{group}", "name": clipped(visible(name), MOST_TEXT)}
    case = ET.Element("testcase", {**attributes, "file": visible(issue.spots[0].path)})
    if issue.grade:
        _outcome(case, issue, fail_on)
    return case


def _outcome(case: ET.Element, issue: Issue, fail_on: frozenset[str]) -> None:
    """Adds what became of it; a case without anything has passed, and all is right."""
    ends = outcome(issue.grade, fail_on)
    if issue.waived:
        _element(case, "skipped", _waived(issue.waived), issue.lines)
    elif ends == FAILURE:
        failure = _element(case, FAILURE, issue.lines[0], issue.lines + _background(issue))
        failure.set("type", issue.grade)
    elif ends == "skipped":
        _element(case, ends, issue.lines[-1], issue.lines)
    else:
        _element(case, "system-out", "", (f"{issue.grade}: not as wanted", *issue.lines))


def _names(issue: Issue) -> tuple[str, str]:
    """What is shown as class and as name: neither may change with what was found."""
    subject = issue.subject
    if isinstance(subject, Finding):
        return subject.advice.profile, f"{subject.advice.id}: {title(subject)}"
    group = "profiles" if issue.rule == CONFLICT else "inputs"
    return group, f"{issue.rule}: {subject.subject}" if subject.subject else issue.rule


def _background(issue: Issue) -> tuple[str, ...]:
    subject = issue.subject
    if not isinstance(subject, Finding):
        return (f"Source: {visible(subject.source)}",) if subject.source else ()
    told = [f"Why: {subject.advice.why}"]
    told += [f"Cost: {subject.cost}"] if subject.cost else []
    told += [f"Source: {source.url}" for source in subject.advice.sources]
    return tuple(map(visible, told))


def _waived(waiver: Waiver) -> str:
    until = f" (until {waiver.expires})" if waiver.expires else ""
    return visible(f"waived{until}: {' '.join(waiver.reason.split())}")


def _element(case: ET.Element, tag: str, message: str, lines: Iterable[str]) -> ET.Element:
    found = ET.SubElement(case, tag, {"message": clipped(message, MOST_TEXT)} if message else {})
    # GitLab and Jenkins take what looks like this in a text for the name of a file to show.
    found.text = "\n".join(lines).replace("[[ATTACHMENT", "[ [ATTACHMENT")
    return found
