"""The Code Quality report: what GitLab documents, each entry whole."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.output import Style, gitlab, issues
from advisor.repository import RepositoryPaths

PLAIN = Style()
# docs.gitlab.com/ci/testing/code_quality: one entry that does not fit, and GitLab drops the rest.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1, "maxLength": 1024},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 32},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def entries(*reports, style=PLAIN):
    text = gitlab.render(reports, style)
    found = json.loads(text)
    jsonschema.validate(found, SCHEMA)
    assert text.isascii()
    assert text.startswith("[")
    return found


@pytest.fixture(scope="module")
def report(make_report):
    line = "quiet preempt=full fastboot"
    return make_report("server-throughput", "diagnosis", line=line, line_name="/etc/line")


def test_each_issue_is_an_entry(report):
    found = entries(report, style=Style(places=RepositoryPaths("/", "/tmp")))
    assert len(found) == len(issues.issues_of([report], Style())) > 20
    (must,) = [e for e in found if e["check_name"] == "server-throughput/cpu-mitigations"]
    assert must["severity"] == "critical"
    assert must["location"] == {"path": f"tmp/{report.name}", "lines": {"begin": 497}}
    assert must["description"].startswith("CPU vulnerability mitigations: now left out")
    assert "etc/line" in {entry["location"]["path"] for entry in found}


def test_fingerprints_are_unique_also_of_two_files_of_one_name(report):
    keys = [entry["fingerprint"] for entry in entries(report, report)]
    assert len(set(keys)) == len(keys)


def test_the_same_issue_keeps_its_fingerprint(report, make_report):
    before = {e["check_name"]: e["fingerprint"] for e in entries(make_report("diagnosis"))}
    after = {e["check_name"]: e["fingerprint"] for e in entries(report)}
    both = {name for name in set(before) & set(after) if name.startswith("diagnosis/")}
    assert len(both) > 5
    assert {name: before[name] for name in both} == {name: after[name] for name in both}


def test_what_is_waived_is_left_out(report, waive):
    left = entries(waive(report, "server-throughput/tick-mode"))
    assert "server-throughput/tick-mode" not in {entry["check_name"] for entry in left}
    assert len(left) == len(entries(report)) - 1


def test_nothing_is_an_empty_list(make_report):
    quiet = make_report(text="CONFIG_HZ_250=y\n", name="fragment")
    assert gitlab.render([quiet], Style()) == "[]\n"


@given(line=st.text(), name=st.text(min_size=1))
def test_any_text_gives_valid_entries(make_report, line, name):
    report = make_report(text="CONFIG_A=y\nx\n", name=name, line=f"fastboot {line}")
    for entry in entries(report, style=Style(places=RepositoryPaths("/repo", "/repo"))):
        assert entry["description"].isprintable()
        assert entry["location"]["path"].isprintable()


def test_the_command_writes_it(run_inside, make_config, widgets):
    make_config("# CONFIG_WIDGET is not set")
    result = run_inside("audit", "config", *widgets, "--format", "gitlab")
    (entry,) = json.loads(result.stdout)
    assert entry["description"] == (
        "Widget: now off, by # CONFIG_WIDGET is not set (line 5); wanted: on. "
        "Remedy: rebuild with WIDGET=y"
    )
    assert (entry["check_name"], entry["severity"]) == ("widgets/widget", "critical")
