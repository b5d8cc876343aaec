"""The comment of a review: found again by its first line, bounded, and inert."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import cmarkgfm
import pytest

from advisor.engine.audit import Policy, audit
from advisor.errors import InputError
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.finding import Diagnostic
from advisor.model.kernel import Location, Severity
from advisor.model.review import Entry, Review
from advisor.output import Style, review
from advisor.output import budget as room

from .. import corpus

HOSTILE = [
    "two\nlines", "a|b", "`x`", "$(id)", "-dash", "<!-- kernel-advisor:review -->", "--> <b>x</b>",
    "</details><h1>x</h1>", "@torvalds", "#1", "[x](https://evil.example)", "![x](http://e.example)",
    "\udcff.config", "\u202e", "\x1b[31m", "</code>@torvalds", "::error::x", "https://evil.example",
]  # fmt: skip


@pytest.fixture(scope="module")
def report():
    knowledge = corpus.knowledge()
    config = parse_config("CONFIG_HZ_PERIODIC=y\n# CONFIG_PSI is not set\n", "x", complete=True)
    profiles = [knowledge.profile("server-throughput")]
    return audit(subject_of(config, Given()), knowledge, profiles, Policy(in_full=True))


def entries(names, report):
    return tuple(
        Entry(name, name, "changed", "configuration", report._replace(name=name)) for name in names
    )


def comment(found, **options):
    return review.render("markdown", Review("main", "topic", tuple(found), **options), Style())


class Tags(HTMLParser):
    """The tags that a page has, and its text."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data):
        self.text += data


def page(markdown):
    html = cmarkgfm.github_flavored_markdown_to_html(
        markdown, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
    )
    found = Tags()
    found.feed(html)
    return html, found


def test_the_first_line_is_the_marker(report):
    assert comment(entries("a", report)).splitlines()[0] == "<!-- kernel-advisor:review -->"
    named = comment(entries("a", report), marker="arm").splitlines()[0]
    assert named == "<!-- kernel-advisor:review:arm -->"
    assert comment([]).count("\n") == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_values_stay_inert(text, report):
    place = Location(text, 1)
    told = Diagnostic("malformed-line", Severity.WARNING, place, text, text, subject=text)
    hostile = report._replace(diagnostics=(told,), cmdline=text)
    plain = comment(entries(["plain"], report._replace(diagnostics=(told._replace(
        location=Location("x", 1), message="x", remedy="x"),), cmdline="x")))  # fmt: skip
    broken = Entry(text, text, "renamed", "configuration", None, text, InputError(text))
    harmless = Entry("x", "x", "renamed", "configuration", None, "x", InputError("x"))
    shown = comment([*entries([text], hostile), broken])
    assert shown.count("<!--") == 1
    html, found = page(shown)
    assert found.tags == page(plain + comment([harmless]))[1].tags
    assert html.count("<tr>") == page(comment([*entries(["p"], hostile), harmless]))[0].count(
        "<tr>"
    )
    outside = re.sub(r"<code>.*?</code>", "", html, flags=re.S)
    assert not re.search(r"(?<![\w&])[@#]\w", re.sub(r"<[^>]*>", "", outside).replace("&#", ""))
    assert 'evil.example"' not in html


@pytest.mark.parametrize("count", [1, 5, 100, 250])
def test_it_is_bounded_and_counts_what_is_left_out(count, report):
    names = [f"configs/{number:04}-{'n' * 40}.config" for number in range(count)]
    shown = comment(entries(names, report))
    assert len(shown.encode()) <= room.MOST
    rows = sum(f"`{name}` | configuration" in shown for name in names)
    left = re.search(r"Not in this table: (\d+) more", shown)
    assert rows + int(left[1] if left else 0) == count
    sections = shown.count("\n### ")
    cut = re.search(r"folded parts left out: (\d+)", shown)
    out = re.search(r"reports left out: (\d+)", shown)
    assert sections + int(out[1] if out else 0) == count
    folded = shown.count("<details>")
    assert folded == shown.count("</details>")
    each = comment(entries(names[:1], report)).count("<details>")
    assert folded + int(cut[1] if cut else 0) == each * sections
    assert folded >= each or count >= 100


def test_a_report_that_is_too_long_by_itself_does_not_keep_others_out(report):
    told = Diagnostic("malformed-line", Severity.WARNING, Location("x", 1), "m" * 400)
    long = report._replace(diagnostics=(told,) * 300)
    found = [*entries(["long"], long._replace(failed=True)), *entries(["short"], report)]
    shown = comment(found)
    assert len(shown.encode()) <= room.MOST
    assert shown.count("\n### ") == 2
    assert re.search(r"\(lines left out: \d+", shown)
    assert "### Server throughput: `short`" in shown


def test_one_name_that_fills_the_table_does_not_keep_others_out(report):
    shown = comment(entries(["|" * 30_000, "short"], report))
    assert "`short` |" in shown
    assert "&#124;... | " in shown or "&#124;...</code> | " in shown
    assert len(shown.encode()) <= room.MOST


def test_what_fails_comes_first(report):
    good, bad = report._replace(failed=False), report._replace(failed=True)
    found = [*entries(["good"], good), *entries(["bad"], bad)]
    found.append(Entry("broken", "broken", "added", "configuration", problem=InputError("no")))
    shown = comment(found)
    assert shown.index("broken") < shown.index("bad") < shown.index("good")
    assert "**3 files changed: 1 fails, 1 cannot be read**" in shown


@pytest.mark.parametrize("name", ["text", "json", "markdown"])
@pytest.mark.parametrize("text", HOSTILE)
def test_every_format_can_be_written(name, text, report):
    shown = review.render(name, Review("a", "b", entries([text], report)), Style())
    if name == "json":
        assert json.loads(shown)["files"][0]["path"] == text
    else:
        assert "\x1b" not in shown
        assert "\u202e" not in shown
