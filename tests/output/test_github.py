"""Annotations, as the runner of GitHub Actions reads them (Runner.Common/ActionCommand.cs)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.output import Style, github, issues

from ..cases import each

COMMANDS = ("error", "warning", "notice")
# Each would be a command, or end one, if it came through as it is.
HOSTILE = [
    "\n::error::forged", "\r::stop-commands::x", "%0A::warning::forged", "::add-mask::secret",
    "a::b", "x,line=9", "a:b", "##[add-path]/tmp", "\u2028::error::x", "\x85::error::x", "::",
    "%25", "a=b,c", " ", "=",
]  # fmt: skip


def unescaped(text, signs):
    """As the runner does it: one sign after the other, the percent sign last."""
    for sign, code in signs:
        text = text.replace(code, sign)
    return text.replace("%25", "%")


def parsed(line):
    """Command, properties and message of a line, or None where the runner only prints it."""
    if not line.lstrip().startswith("::"):
        assert "##[" not in line, "a command in the form that older runners wrote"
        return None
    head, separator, data = line.lstrip()[2:].partition("::")
    assert separator
    command, _, rest = head.partition(" ")
    lines = [("\r", "%0D"), ("\n", "%0A")]
    pairs = [pair.split("=", 1) for pair in rest.strip().split(",") if pair]
    properties = {
        name: unescaped(value, [*lines, (":", "%3A"), (",", "%2C")]) for name, value in pairs
    }
    return command, properties, unescaped(data, lines)


def commands(text):
    """All of them, by a reader that ends its lines where .NET does."""
    assert text.endswith("\n")
    return list(filter(None, map(parsed, re.split("\r\n|\r|\n", text)[:-1])))


@pytest.fixture(scope="module")
def report(make_report):
    return make_report("server-throughput", "power-saving", line="quiet preempt=full fastboot")


MUST = "must: CPU vulnerability mitigations [server-throughput/cpu-mitigations]"


def test_each_issue_is_an_annotation_at_its_line(make_report):
    report = make_report("server-throughput", line="preempt=full", line_name="boot/line")
    found = {p["title"]: (c, p, m) for c, p, m in commands(github.render([report], Style()))}
    command, properties, message = found[MUST]
    assert command == "error"
    assert (properties["file"], properties["line"]) == (report.name, "497")
    assert message.endswith("\nRemedy: rebuild with CPU_MITIGATIONS=y")
    command, properties, _ = found["should: Preemption model [server-throughput/preemption-model]"]
    assert command == "warning"
    assert (properties["file"], properties["line"], properties["col"]) == ("boot/line", "1", "1")


def test_ten_of_a_kind_are_told_and_the_tenth_counts_the_others(report):
    found = commands(github.render([report], Style()))
    shown = issues.issues_of([report], Style())
    for command in COMMANDS:
        titles = [p["title"] for c, p, _ in found if c == command]
        all_of_them = sum(github.LEVELS[issue.grade].github == command for issue in shown)
        assert len(titles) == min(10, all_of_them)
        told = re.findall(r" \(and (\d+) more of this kind\)$", "\n".join(titles), re.MULTILINE)
        assert told == ([str(all_of_them - 10)] if all_of_them > 10 else [])
        assert not told or titles[-1].endswith("of this kind)")
    assert {c for c, _, _ in found} == set(COMMANDS)


def test_ten_need_no_count(report):
    findings = [f for f in report.findings if f.grade == "must"]
    ten = [one._replace(id=f"{one.id}-{n}") for n, one in enumerate((findings * 10)[:10])]
    assert len(findings) > 0
    text = github.render(
        [report._replace(findings=tuple(ten), conflicts=(), diagnostics=())], Style()
    )
    assert len(commands(text)) == 10
    assert "of this kind" not in text


def test_what_several_files_have_of_one_place_is_told_once(report):
    """Fragments that are judged on one base share what is wrong with that."""
    once = commands(github.render([report._replace(conflicts=())], Style()))
    twice = commands(github.render([report._replace(conflicts=())] * 2, Style()))
    assert twice == once


def test_the_gravest_come_first(report):
    grades = [
        p["title"].partition(":")[0] for _, p, _ in commands(github.render([report], Style()))
    ]
    assert grades == sorted(grades, key=github.RANK.__getitem__)
    assert grades[0] == "conflict"


def test_what_is_waived_is_left_out(report, waive):
    accepted = waive(report)._replace(conflicts=())
    text = github.render([accepted], Style())
    assert commands(text) == []
    assert text.startswith("kernel-advisor: ")


def test_nothing_found_is_told_in_words(make_report):
    report = make_report(text="CONFIG_HZ_250=y\n", name="fragment", line="quiet")
    text = "kernel-advisor: fragment: diagnostics: none (proof: database)\n"
    assert github.render([report], Style()) == text


def test_standard_input_is_no_file(make_report):
    (found, *_) = commands(github.render([make_report("diagnosis", name="<stdin>")], Style()))
    assert "file" not in found[1]


@each("text", HOSTILE)
def test_no_command_is_forged(make_report, text):
    assert_harmless(make_report, text, text)


@given(
    line=st.text(alphabet=st.sampled_from("%0ADa:=,#[]\r\n\u2028 \x0b\x00\ud800"), max_size=30),
    name=st.text(alphabet=st.sampled_from("%0ADa:=,#[]\r\n\u2028/ \x0b\ud800"), min_size=1),
)
def test_whatever_the_input_holds(make_report, line, name):
    assert_harmless(make_report, line, name)


def assert_harmless(make_report, line, name):
    """As many commands as there are issues, with the properties and the message that they have."""
    report = make_report(text="CONFIG_A=y\nx\n", name=name, line=f"fastboot={line} nohz=off {line}")
    shown = [i for i in issues.issues_of([report], Style()) if not i.waived]
    text = github.render([report], Style())
    found = commands(text)
    kinds = [github.LEVELS[issue.grade].github for issue in shown]
    assert len(found) == sum(min(10, kinds.count(kind)) for kind in COMMANDS)
    assert {m for _, _, m in found} <= {"\n".join(issue.lines) for issue in shown}
    assert all(set(p) <= {"file", "line", "col", "title"} for _, p, _ in found)
    assert all(c in COMMANDS for c, _, _ in found)
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_long_message_is_cut_off(make_report):
    text = github.render([make_report(line="a.b=" + "z" * 9000)], Style())
    assert max(map(len, text.splitlines())) < 2000
