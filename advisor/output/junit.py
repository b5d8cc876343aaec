"""JUnit XML: a test suite for each configuration, a test case for each advice and diagnostic.

A test case fails if the run does for its sake (--fail-on), so that both say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree as ET

from advisor.model.report import CONFLICT, Diagnostic, Finding, Report, Waiver
from advisor.output import Style, factwords
from advisor.output.escape import clipped, visible
from advisor.output.issues import Issue, applicable, counted_up, title
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
        lines = (*issue.lines, *_background(issue.subject))
        failure = _element(case, FAILURE, issue.lines[0], lines)
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


def _background(subject: Finding | Diagnostic) -> Iterator[str]:
    """Why, at which cost, and where it can be checked."""
    if isinstance(subject, Diagnostic):
        facts = [("Source", subject.source)]
    else:
        facts = [("Why", subject.advice.why), ("Cost", subject.cost)]
        facts += [("Source", source.url) for source in subject.advice.sources]
    return (visible(f"{label}: {text}") for label, text in facts if text)


def _waived(waiver: Waiver) -> str:
    until = f" (until {waiver.expires})" if waiver.expires else ""
    return visible(f"waived{until}: {' '.join(waiver.reason.split())}")


def _element(case: ET.Element, tag: str, message: str, lines: Iterable[str]) -> ET.Element:
    element = ET.SubElement(case, tag, {"message": clipped(message, MOST_TEXT)} if message else {})
    # GitLab and Jenkins take what looks like this in a text for the name of a file to show.
    element.text = "\n".join(lines).replace("[[ATTACHMENT", "[ [ATTACHMENT")
    return element
