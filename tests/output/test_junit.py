"""JUnit XML: well formed whatever the input holds, and failing where the run fails."""

from __future__ import annotations

import functools
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.audit import FAIL_ON, fails, parse_fail_on
from advisor.model.finding import ASIDE
from advisor.output import Style, junit

from ..cases import each

OUTCOMES = {"failure", "skipped", "system-out"}


def suites(*reports):
    root = ET.fromstring(junit.render(reports, Style()))
    assert root.tag == "testsuites"
    return root.findall("testsuite")


def ends(case):
    """How a test case ended: passed, or the name of its element."""
    (tag,) = [child.tag for child in case] or ["passed"]
    return tag


def cases(*reports):
    return {
        (case.attrib["classname"], case.attrib["name"]): case
        for suite in suites(*reports)
        for case in suite.findall("testcase")
    }


@pytest.fixture(scope="module")
def report(make_report):
    return make_report("server-throughput", line="quiet preempt=full fastboot elevator=noop")


def test_a_suite_counts_its_cases(report):
    (suite,) = suites(report)
    found = [ends(case) for case in suite.findall("testcase")]
    counts = {"tests": len(found), "failures": found.count("failure"), "errors": 0}
    counts["skipped"] = found.count("skipped")
    assert {name: int(suite.attrib[name]) for name in counts} == counts
    assert {"passed", "failure", "system-out", "skipped"} == set(found)
    assert set(suite.attrib) == {"name", *counts}


def test_every_advice_that_applies_is_a_case(report):
    """Not what does not exist in this kernel, nor what is seen at run time only."""
    applies = {
        f.advice.id for f in report.findings if f.verdict not in ASIDE and not f.runtime_only
    }
    found = {
        name.partition(":")[0]
        for group, name in cases(report)
        if group == f"{report.name}.server-throughput"
    }
    assert found == applies
    assert len(applies) < len(report.findings)


@pytest.fixture
def judged(make_report):
    """The report of these profiles, made once for all that it may fail on."""
    return functools.cache(lambda profiles: make_report(*profiles, line="latencytop"))


@each("fail_on", [*FAIL_ON, "must,error", "could,note,blocked,unknown"])
@each("profiles", [("server-throughput",), ("server-throughput", "diagnosis")])
def test_a_case_fails_if_the_run_does(judged, profiles, fail_on):
    report, on = judged(profiles), parse_fail_on(fail_on)
    failed = fails(report.findings, report.diagnostics, on) or bool(report.conflicts)
    report = report._replace(fail_on=on, failed=failed)
    found = [ends(case) for case in cases(report).values()]
    assert report.failed is ("failure" in found)


def test_what_fails_says_what_to_do_and_why(report):
    name = "cpu-mitigations: CPU vulnerability mitigations"
    (failure,) = cases(report)[f"{report.name}.server-throughput", name]
    assert failure.attrib["type"] == "must"
    assert failure.attrib["message"].startswith("CPU vulnerability mitigations: now left out")
    lines = failure.text.split("\n")
    assert "Remedy: rebuild with CPU_MITIGATIONS=y" in lines
    assert [line.partition(":")[0] for line in lines[2:5]] == ["Why", "Cost", "Source"]


def test_what_does_not_fail_is_told_all_the_same(report):
    case = cases(report)[f"{report.name}.server-throughput", "preemption-model: Preemption model"]
    (told,) = case
    assert told.tag == "system-out"
    assert told.text.startswith("should: not as wanted\nPreemption model: now full")


def test_blocked_and_unknown_are_skipped_with_the_reason(make_report):
    report = make_report("diagnosis", "server-throughput")
    found = {name.partition(":")[0]: case for (_, name), case in cases(report).items()}
    blocked = found["btf"].find("skipped").attrib["message"]
    unknown = found["nr-cpus"].find("skipped").attrib["message"]
    needs = (
        "Blocked: needs PAHOLE_VERSION>=121, and PAHOLE_VERSION is 0 (0 means that "
        "none was found): "
    )
    assert blocked == (
        f"{needs}install pahole (dwarves) on the machine that builds the kernel, "
        "then rebuild with DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y, BPF_SYSCALL=y, DEBUG_INFO_BTF=y."
    )
    assert unknown.startswith("Unknown: ")
    assert "--cpus" in unknown


def test_what_is_waived_is_skipped_with_its_reason(report, waive):
    found = cases(waive(report))
    messages = {
        case.find("skipped").attrib["message"] for case in found.values() if ends(case) != "passed"
    }
    waived = "waived (until 2030-01-31): It is {meant} so."
    assert waived in messages
    assert {ends(case) for case in found.values()} == {"passed", "skipped"}


def test_names_are_unique_and_do_not_tell_what_was_found(make_report):
    line = "latencytop nohz=off"
    first = make_report("desktop-latency", line=line)
    second = make_report("desktop-latency", text="CONFIG_A=y\n", line=line)
    (suite,) = suites(first)
    names = {(c.attrib["classname"], c.attrib["name"]) for c in suite.findall("testcase")}
    assert len(names) == len(suite.findall("testcase"))
    shared = {name for group, name in names if group.endswith(".desktop-latency")}
    others = {name for _, name in cases(second)}
    ids = {name.partition(":")[0] for name in shared} & {n.partition(":")[0] for n in others}
    assert len(ids) > 10
    assert all(name in others for name in shared if name.partition(":")[0] in ids)


def test_equal_diagnostics_are_numbered(make_report):
    """GitLab takes the first of several test cases of one name, and drops the others."""
    found = cases(make_report(text="CONFIG_HZ_250=y\n" + "bad\n" * 3, name="fragment"))
    names = [name for group, name in found if group == "fragment.inputs"]
    assert names == ["malformed-line: bad", "malformed-line: bad (2)", "malformed-line: bad (3)"]


def test_nothing_wrong_with_the_inputs_is_a_case_that_passes(make_report):
    quiet = make_report(text="CONFIG_HZ_250=y\n", name="fragment")
    ((identity, case),) = cases(quiet).items()
    assert identity == ("fragment.inputs", "no diagnostics")
    assert ends(case) == "passed"


@given(line=st.text(), name=st.text(min_size=1))
def test_any_text_gives_xml(make_report, line, name):
    report = make_report(text="CONFIG_A=y\nx\n", name=name, line=f"{line} latencytop")
    text = junit.render([report], Style())
    assert all(part.isprintable() for part in text.split("\n"))
    assert {child.tag for case in cases(report).values() for child in case} <= OUTCOMES


@each("text", ["]]>", "<x/>", "&amp;", '"quoted"', "\x00\x0b\ufffe\ud800\x85"])
def test_hostile_text_stays_text(make_report, text):
    report = make_report(line=f"preempt=full latencytop={text}")
    found = "\n".join("".join(case.itertext()) for case in cases(report).values())
    assert "latencytop" in found
    assert text.isprintable() <= (text in found)


def test_no_file_is_attached(make_report):
    """GitLab and Jenkins show a file for this; a boot line shall not choose which."""
    report = make_report(line="latencytop [[ATTACHMENT|/etc/passwd]]", fail_on=("note",))
    text = junit.render([report], Style())
    assert "ATTACHMENT|" in text
    for case in cases(report).values():
        assert "[[ATTACHMENT" not in "".join(case.itertext())
