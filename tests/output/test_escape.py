"""Hostile text in every output that renders it."""

from __future__ import annotations

import re

import cmarkgfm
from hypothesis import given
from hypothesis import strategies as st

from advisor.output.escape import code, comment, prose, visible

from ..cases import each

HOSTILE = [
    "a|b", "`code`", "<script>alert(1)</script>", "</details><h1>x</h1>", "<!-- marker -->",
    "@torvalds", "#1 GH-2 !3 ~label $4 %5 &6", "[x](https://evil.example)", "![x](https://evil.example/p.png)",
    "https://evil.example www.evil.example", "**bold** _it_ ~~no~~", "\\|", "line\nbreak",
    "\x1b[31mred", "\u202eevil",
    "| a | b |\n|---|---|", "&lt;b&gt;", "{{x}}", "- item", "# head",
]  # fmt: skip


def rendered(text):
    return cmarkgfm.github_flavored_markdown_to_html(text)


@each("text", HOSTILE)
@each("escape", [code, prose])
def test_it_stays_in_its_cell(text, escape):
    html = rendered(f"| h | i |\n|---|---|\n| {escape(text)} | end |\n")
    assert html.count("<td>") == 2
    assert "<td>end</td>" in html
    cell = html.partition("<td>")[2].partition("</td>")[0].replace("<!-- raw HTML omitted -->", "")
    assert not re.search(r"<[^>]*>", re.sub("</?code>", "", cell))


@each("text", ["@torvalds", "#1", "!3", "group/project#3", "a@b.example"])
def test_nobody_is_mentioned_and_nothing_referred_to(text):
    shown = re.sub(r"<[^>]+>", "", rendered(prose(text)))
    assert not re.search(r"[@#!$%~&^]\w", shown)


@given(st.text())
def test_prose_renders_as_one_paragraph_of_plain_text(text):
    html = rendered(f"x {prose(text)} y")
    assert html.startswith("<p>x")
    assert html.endswith("y</p>\n")
    assert not re.search(r"<(?!/?p>)", html)


@given(st.text())
def test_a_comment_holds_no_symbol_and_no_line_break(text):
    shown = comment(f"CONFIG_HZ CONFIGCONFIG__X {text}")
    assert "CONFIG_" not in shown
    assert "\n" not in shown


@given(st.text())
def test_what_is_shown_can_be_printed(text):
    assert visible(text).isprintable()
