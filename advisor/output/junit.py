"""JUnit XML: a test suite for each configuration, a test case for each advice and diagnostic.

A test case fails if the run does for its sake (--fail-on), so that both say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from advisor.model.finding import CONFLICT, Diagnostic, Finding
from advisor.model.report import Report
from advisor.output import Style, factwords
from advisor.output.escape import clipped, visible
from advisor.output.issues import Issue, applicable, counted_up, title
from advisor.output.levels import FAILURE, outcome

MOST_TEXT = 1024
"""Characters of an attribute."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return all reports without time and host: the same input gives the same bytes."""
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
    # GitLab drops a second test case of one name.
    numbers = counted_up((case.attrib["classname"], case.attrib["name"]) for case in cases)
    for case, number in zip(cases, numbers, strict=True):
        if number > 1:
            case.set("name", f"{case.attrib['name']} ({number})")
    failures, skipped = (
        sum(case.find(tag) is not None for case in cases) for tag in (FAILURE, "skipped")
    )
    counts = {"tests": len(cases), "failures": failures, "errors": 0, "skipped": skipped}
    attributes = {name: str(count) for name, count in counts.items()}
    suite = ET.Element("testsuite", {"name": path, **attributes})
    properties = ET.SubElement(suite, "properties")
    audited = {
        "kernel": factwords.kernel(report.kernel, report.machine.arch, report.inferred),
        "profiles": ", ".join(profile.id for profile in report.profiles),
        "proof": report.proof,
    }
    for name, value in audited.items():
        ET.SubElement(properties, "property", name=name, value=visible(value))
    suite.extend(cases)
    return suite


def _case(issue: Issue, path: str, fail_on: frozenset[str]) -> ET.Element:
    subject = issue.subject
    # Neither may change with what was found.
    if isinstance(subject, Finding):
        group, name = subject.advice.profile, f"{subject.advice.id}: {title(subject)}"
    else:
        group = "profiles" if issue.rule == CONFLICT else "inputs"
        name = f"{issue.rule}: {subject.subject}" if subject.subject else issue.rule
    attributes = {"classname": f"{path}.{group}", "name": clipped(visible(name), MOST_TEXT)}
    case = ET.Element("testcase", {**attributes, "file": visible(issue.spots[0].path)})
    if issue.grade:
        _outcome(case, issue, fail_on)
    return case


def _outcome(case: ET.Element, issue: Issue, fail_on: frozenset[str]) -> None:
    """Add what became of an issue; a case without anything has passed."""
    ends = outcome(issue.grade, fail_on)
    if issue.waived:
        until = f" (until {issue.waived.expires})" if issue.waived.expires else ""
        reason = " ".join(issue.waived.reason.split())
        _element(case, "skipped", visible(f"waived{until}: {reason}"), issue.lines)
    elif ends == FAILURE:
        subject = issue.subject
        if isinstance(subject, Diagnostic):
            facts = [("Source", subject.source)]
        else:
            facts = [("Why", subject.advice.why), ("Cost", subject.cost)]
            facts += [("Source", source.url) for source in subject.advice.sources]
        background = (visible(f"{label}: {text}") for label, text in facts if text)
        lines = (*dict.fromkeys((*issue.lines, *background)),)
        failure = _element(case, FAILURE, issue.lines[0], lines)
        failure.set("type", issue.grade)
    elif ends == "skipped":
        _element(case, ends, issue.lines[-1], issue.lines)
    else:
        _element(case, "system-out", "", (f"{issue.grade}: not as wanted", *issue.lines))


def _element(case: ET.Element, tag: str, message: str, lines: Iterable[str]) -> ET.Element:
    element = ET.SubElement(case, tag, {"message": clipped(message, MOST_TEXT)} if message else {})
    # GitLab and Jenkins take what looks like this in a text for the name of a file to show.
    element.text = "\n".join(lines).replace("[[ATTACHMENT", "[ [ATTACHMENT")
    return element
