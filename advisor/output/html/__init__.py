"""The report as one HTML file: no network, no clock, readable without its script and on paper.

Its only style and script are the two files beside this one, and its Content-Security-Policy names
them by their hashes: whatever else might get into the page is neither loaded nor run.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256

from advisor import __version__
from advisor.files import read_own
from advisor.model.kernel import Severity
from advisor.model.report import Report
from advisor.model.rules import Strength
from advisor.output import Style, phrases
from advisor.output.html.markup import Html, code, join, lines, pairs, tag, text
from advisor.output.html.report import Section, head, sections

Chapter = tuple[Report, str, list[Section]]


def render(reports: Sequence[Report], style: Style) -> str:
    """All reports on one page, a chapter each."""
    several = len(reports) > 1
    chapters: list[Chapter] = []
    for number, report in enumerate(reports, 1):
        prefix = f"{number}/" if several else ""
        chapters.append((report, prefix, sections(report, prefix)))
    body = lines(
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag("header", tag("h1", "Kernel audit"), _about(reports)),
        tag("div", lines(_filter(reports), _contents(chapters)), class_="side"),
        tag("main", lines(*map(_chapter, chapters)), id="report", tabindex="-1"),
        tag("footer", _legend(), tag("p", f"Made by kernel-advisor {__version__}.")),
        tag("script", script := _part("filter.js")),
    )
    page = tag("html", Html("\n"), lines(_head(reports, script), tag("body", body)), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _part(name: str) -> Html:
    return Html("\n" + read_own("output", "html", name))


def _head(reports: Sequence[Report], script: Html) -> Html:
    css = _part("style.css")
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )
    more = f" and {len(reports) - 1} more" if len(reports) > 1 else ""
    parts = (
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"Kernel audit: {reports[0].name}{more}" if reports else "Kernel audit"),
        tag("style", css),
    )
    return tag("head", Html("\n"), lines(*parts), Html("\n"))


def _hash(part: str) -> str:
    """How a Content-Security-Policy names an inline part."""
    return f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'"


def _about(reports: Sequence[Report]) -> Html:
    """Each configuration with its verdict, where there are several."""
    if len(reports) < 2:
        return Html("")
    columns = (tag("th", name, scope="col") for name in ("Configuration", "Kernel", "Verdict"))
    rows = []
    for number, report in enumerate(reports, 1):
        kernel = phrases.kernel(report.kernel, report.machine.arch)
        rows.append(
            tag(
                "tr",
                tag("th", tag("a", report.name, href=f"#{number}/head"), scope="row"),
                tag("td", kernel, data_label="Kernel"),
                tag("td", phrases.verdict_line(report), data_label="Verdict"),
            )
        )
    caption = tag("caption", "All configurations")
    return tag("table", caption, tag("thead", tag("tr", *columns)), tag("tbody", lines(*rows)))


def _chapter(chapter: Chapter) -> Html:
    report, prefix, parts = chapter
    key = f"{prefix}head"
    told = [
        tag(
            "section",
            tag("h3", part.title, id=part.id),
            part.body,
            aria_labelledby=part.id,
        )
        for part in parts
    ]
    heading = tag("h2", code(report.name), id=key)
    none = tag("p", "No finding here is shown by the filter.", class_="none", hidden=True)
    return tag("article", lines(heading, head(report), none, *told), aria_labelledby=key)


def _contents(chapters: Iterable[Chapter]) -> Html:
    entries = []
    for report, prefix, parts in chapters:
        within = (tag("li", tag("a", part.title, href=f"#{part.id}")) for part in parts)
        name = tag("a", report.name, href=f"#{prefix}head")
        entries.append(tag("li", name, tag("ul", lines(*within))))
    heading = tag("h2", "Contents", id="contents")
    return tag("nav", heading, tag("ul", lines(*entries)), aria_labelledby="contents")


_KINDS = {
    "change": "should change",
    "blocked": "blocked",
    "conflict": "conflict of profiles",
    "diagnostic": "diagnostic",
    "unknown": "not known",
    "runtime": "at run time only",
    "accepted": "accepted",
    "ok": "already right",
    "absent": "not applicable",
}


def _filter(reports: Sequence[Report]) -> Html:
    """What the script shows, since nothing else can use it."""
    findings = [finding for report in reports for finding in report.findings]
    degrees = {s.value: s.value for s in (*Strength, *Severity)}
    profiles = dict.fromkeys(profile.id for report in reports for profile in report.profiles)
    areas = sorted({finding.tunable.area for finding in findings})
    controls = (
        tag("h2", "Filter", id="filter-title", class_="whole"),
        tag("label", "Text", tag("input", type="search", name="q", autocomplete="off"), **_WHOLE),
        _choice("kind", "Verdict", _KINDS, **_WHOLE),
        _choice("profile", "Profile", {name: name for name in profiles}, **_WHOLE),
        _choice("strength", "Strength", degrees),
        _choice("area", "Area", {name: name for name in areas}),
        tag("p", "", role="status", aria_live="polite", id="count", **_WHOLE),
        tag("button", "Unfold all", type="button", id="unfold"),
        tag("button", "Fold all", type="button", id="fold"),
        tag("button", "Show all", type="reset", **_WHOLE),
    )
    told = {"id": "filter", "role": "search", "aria_labelledby": "filter-title"}
    return tag("form", lines(*controls), hidden=True, **told)


_WHOLE = {"class_": "whole"}


def _choice(name: str, title: str, values: dict[str, str], **attributes: str) -> Html:
    options = (tag("option", shown, value=value) for value, shown in values.items())
    # tag() would leave an empty value out, and the text would stand for it.
    any_of_them = Html('<option value="">any</option>')
    return tag("label", title, tag("select", any_of_them, *options, name=name), **attributes)


def _legend() -> Html:
    meanings = (
        ("must", "without it the profile misses its goal"),
        ("should", "the sources agree that it helps"),
        ("could", "it depends on the situation: read why first"),
        ("change", "what is so now is not what is wanted, and a remedy is known"),
        ("blocked", "something else stands against what is wanted"),
        ("unknown", "the inputs leave open what is so"),
        ("accepted", "a waiver or baseline accepts it with a reason; it is not counted"),
        ("outcome", "fails where --fail-on names something open, or profiles disagree"),
        ("remedies", "the least invasive first: at run time, on the boot line, by a rebuild"),
    )
    more = join((code("kernel-advisor explain NAME"), text(" tells more of any setting.")))
    return lines(tag("h2", "How to read this"), pairs(meanings), tag("p", more))
