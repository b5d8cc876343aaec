"""A document as one HTML file: no network, no clock, readable without its script and on paper.

Its only style and script are the two files beside this one, and its Content-Security-Policy names
them by their hashes: whatever else might get into the page is neither loaded nor run.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256

from advisor import __version__
from advisor.files import read_own
from advisor.model.kernel import Severity
from advisor.model.profile import Strength
from advisor.output import Style, pages
from advisor.output.html.blocks import anchor, chapter, inline, labelled, table
from advisor.output.html.markup import Html, code, items, join, lines, pairs, tag, text
from advisor.output.page import KINDS, Document, Entry


def render(subject: pages.Subject, style: Style) -> str:
    """Return the whole document, with a chapter for each page."""
    document = pages.of(subject, "html")
    prefixes = _prefixes(document)
    chapters = (
        chapter(page, prefix) for page, prefix in zip(document.pages, prefixes, strict=True)
    )
    entries = [e for page in document.pages for s in page.sections for e in s.entries]
    # A page without findings, of a machine or of costs, has nothing that a filter could leave out.
    script = _part("filter.js") if entries else Html("")
    side = (_filter(entries), _contents(document)) if entries else (_contents(document),)
    body = lines(
        tag("a", "Skip to the report", href="#report", class_="skip"),
        tag("header", tag("h1", document.title), _overview(document)),
        tag("div", lines(*side), class_="side"),
        tag("main", lines(*chapters), id="report", tabindex="-1"),
        tag("footer", _legend(entries), tag("p", f"Made by kernel-advisor {__version__}.")),
        *((tag("script", script),) if script else ()),
    )
    page = tag("html", Html("\n"), lines(_head(document, script), tag("body", body)), lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _prefixes(document: Document) -> list[str]:
    """Return prefixes of ids, one for each page: two audits have findings of the same id."""
    numbers = range(1, len(document.pages) + 1)
    return [f"{number}/" if len(document.pages) > 1 else "" for number in numbers]


def _part(name: str) -> Html:
    return Html("\n" + read_own("output", "html", name))


def _head(document: Document, script: Html) -> Html:
    css = _part("style.css")
    scripts = _hash(script) if script else "'none'"
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {scripts};"
        " base-uri 'none'; form-action 'none'"
    )
    names = [page.name for page in document.pages]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    parts = (
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{document.title}: {names[0]}{more}" if names else document.title),
        tag("style", css),
    )
    return tag("head", Html("\n"), lines(*parts), Html("\n"))


def _hash(part: str) -> str:
    """Return how a Content-Security-Policy names an inline part."""
    return f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'"


def _overview(document: Document) -> Html:
    """Return the sum of all pages, and their table."""
    empty = Html("")
    strong = tag("strong", document.summary)
    summary = tag("p", strong, class_="verdict") if document.summary else empty
    foot = tag("p", inline(document.foot)) if document.foot else empty
    if not document.table:
        return lines(summary, foot)
    prefixes = _prefixes(document)
    leading = next(at for at, name in enumerate(document.columns) if name)
    rows = []
    for number, cells in zip(document.names, document.table, strict=True):
        row = labelled(cells, document.columns)
        name = inline(cells[leading])
        if number is not None:
            name = tag("a", name, href=f"#{prefixes[number]}head")
        row[leading] = tag("th", name, scope="row")
        rows.append(tag("tr", *row))
    return lines(summary, table("All of them", document.columns, rows), foot)


def _contents(document: Document) -> Html:
    entries = []
    for page, prefix in zip(document.pages, _prefixes(document), strict=True):
        within = items(
            tag("a", section.heading, href=f"#{anchor(section, prefix)}")
            for section in page.sections
        )
        entries.append(join((tag("a", page.name, href=f"#{prefix}head"), within)))
    heading = tag("h2", "Contents", id="contents")
    return tag("nav", heading, items(entries), aria_labelledby="contents")


def _filter(entries: Iterable[Entry]) -> Html:
    """Return the form of the filter, which the script shows: nothing else can use it."""
    entries = list(entries)
    kinds = {entry.kind for entry in entries}
    given = {word for entry in entries for word in entry.strength.split()}
    degrees = [s.value for s in (*Strength, *Severity) if s.value in given]
    profiles = dict.fromkeys(name for entry in entries for name in entry.profiles)
    areas = sorted({entry.area for entry in entries if entry.area})
    controls = (
        tag("h2", "Filter", id="filter-title", class_="whole"),
        tag("label", "Text", tag("input", type="search", name="q", autocomplete="off"), **_WHOLE),
        _choice("kind", "Verdict", {k: v for k, v in KINDS.items() if k in kinds}, **_WHOLE),
        _choice("profile", "Profile", {name: name for name in profiles}, **_WHOLE),
        _choice("strength", "Strength", {name: name for name in degrees}),
        _choice("area", "Area", {name: name for name in areas}),
        tag("p", "", role="status", aria_live="polite", id="count", **_WHOLE),
        tag("button", "Unfold all", type="button", id="unfold"),
        tag("button", "Fold all", type="button", id="fold"),
        tag("button", "Show all", type="reset", **_WHOLE),
    )
    traits = {"id": "filter", "role": "search", "aria_labelledby": "filter-title"}
    return tag("form", lines(*controls), hidden=True, **traits)


_WHOLE = {"class_": "whole"}


def _choice(name: str, title: str, values: dict[str, str], **attributes: str) -> Html:
    options = (tag("option", label, value=value) for value, label in values.items())
    # tag() would leave an empty value out, and the text would stand for it.
    any_of_them = Html('<option value="">any</option>')
    return tag("label", title, tag("select", any_of_them, *options, name=name), **attributes)


_MEANINGS = {
    "must": "without this setting, the profile misses its goal",
    "should": "the sources agree that this setting helps",
    "could": "the benefit depends on the situation: read the reason first",
    "change": "the present value is not the wanted one, and a remedy is known",
    "worse": "the value was as wanted before, but is not as wanted now",
    "to do": "the value is not as wanted now; before, it was unknown or the advice did not apply",
    "better": "the value is as wanted now, but was not as wanted before",
    "blocked": "something prevents the wanted value",
    "unknown": "the inputs do not show the present value",
    "accepted": "a waiver or baseline accepts the finding with a reason; "
    "the finding is not counted",
}


def _legend(entries: list[Entry]) -> Html:
    """Return what the words of this document mean."""
    used = {word for entry in entries for word in (*entry.strength.split(), entry.kind)}
    meanings = [(word, meaning) for word, meaning in _MEANINGS.items() if word in used]
    meanings += [
        ("outcome", "fails if profiles disagree, or if --fail-on selects a remaining finding"),
        ("do, or", "alternatives, with the least invasive first: run time, boot line, rebuild"),
    ]
    more = join((code("kernel-advisor explain NAME"), text(" tells more about any setting.")))
    return lines(tag("h2", "How to read this"), pairs(meanings), tag("p", more))
