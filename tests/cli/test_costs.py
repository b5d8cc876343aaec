"""`costs` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from advisor import output


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_every_format_tells_the_same_charge(run_inside, make_config, form):
    result = run_inside("costs", str(make_config("CONFIG_PSI=y")), "--format", form)
    assert result.code == 0
    assert "sleep-wake" in result.stdout
    assert "Traceback" not in result.stderr


def test_a_host_is_told_as_it_runs(run_inside, make_config, tmp_path):
    """What its files show counts, over what its configuration says."""
    boot, pressure = tmp_path / "boot", tmp_path / "proc" / "pressure"
    for folder in (boot, pressure, tmp_path / "proc" / "sys" / "kernel"):
        folder.mkdir(parents=True)
    make_config("CONFIG_PSI=y", name="config").rename(boot / "config-6.12.117")
    (tmp_path / "proc" / "sys" / "kernel" / "osrelease").write_text("6.12.117\n")
    (tmp_path / "proc" / "cmdline").write_text("psi=0\n")
    result = run_inside("costs", "--host", str(tmp_path))
    assert result.code == 0
    assert "compiled in, off unless psi=1" in " ".join(result.stdout.split())
    assert "sleep-wake +818" in result.stdout.partition("settings not used here")[2]


def test_a_page_without_findings_has_no_filter(run_inside, make_config):
    page = run_inside("costs", str(make_config("CONFIG_PSI=y")), "--format", "html").stdout
    assert "<form" not in page
    assert "<script" not in page
    assert "script-src &#x27;none&#x27;" in page or "script-src 'none'" in page


def test_a_bad_one_of_several_costs_a_line(run_inside, make_config, tmp_path):
    bad = tmp_path / "bad"
    bad.write_bytes(b"\0" * 100)
    result = run_inside("costs", str(bad), str(make_config("CONFIG_PSI=y")))
    assert result.code == 3
    assert "sleep-wake" in result.stdout
    assert "bad" in result.stderr


def test_a_fragment_without_architecture_has_nothing_measured(run_inside, tmp_path):
    path = tmp_path / "fragment"
    path.write_text("CONFIG_PSI=y\n")
    result = run_inside("costs", str(path), "--partial")
    assert result.code == 0
    assert "No measurement exists" in result.stdout


def test_a_change_that_was_measured_says_so(run_inside, make_config):
    """The wanted value against the present one, with what was set and where."""
    config = make_config("CONFIG_PSI=y", "CONFIG_TRANSPARENT_HUGEPAGE=y",
                         "CONFIG_TRANSPARENT_HUGEPAGE_ALWAYS=y")  # fmt: skip
    words = ("audit", config, "-p", "network-latency", "--no-settings")
    plain = run_inside(*words).stdout
    assert "new-MiB +1,021,881 of 36,674" in " ".join(plain.split())
    whole = " ".join(run_inside(*words, "-v").stdout.split())
    assert "transparent_hugepage=never on Linux 6.12.117" in whole
    assert "settings that cost something" not in plain
    assert "sleep-wake" not in plain


def test_an_audit_with_costs_ends_with_the_ledger(run_inside, make_config):
    words = ("audit", make_config("CONFIG_PSI=y"), "-p", "database", "--no-settings", "--costs")
    assert "sleep-wake +818" in run_inside(*words).stdout
    for form in ("markdown", "html"):
        assert "sleep-wake" in run_inside(*words, "-f", form).stdout
    report = json.loads(run_inside(*words, "-f", "json").stdout)
    schema = Path(output.__file__).parent / "schemas" / "report.schema.json"
    jsonschema.Draft202012Validator(json.loads(schema.read_text())).validate(report)
    assert report["reports"][0]["costs"]["accounts"]


def test_an_audit_that_asks_for_no_change_reads_no_records(run_command, make_config):
    words = ("audit", make_config("CONFIG_PSI=y"), "--cmdline", "quiet", "--no-settings")
    result = run_command(*words, python=("-X", "importtime"))
    assert "advisor.output.auditpage" in result.stderr
    assert "advisor.knowledge.measured" not in result.stderr
    assert "advisor.output.costs" not in result.stderr


@pytest.mark.parametrize("way", [1, -1])
def test_a_move_that_was_measured_says_so(run_inside, make_config, way):
    """Of both directions, with the base of each."""
    on = make_config("CONFIG_PSI=y", name="on")
    off = make_config("CONFIG_PSI=y", "CONFIG_PSI_DEFAULT_DISABLED=y", name="off")
    words = ("diff", *(on, off)[::way], "--no-settings")
    told = " ".join(run_inside(*words).stdout.split())
    assert ("sleep-wake -818 of 7,314" if way == 1 else "sleep-wake +818 of 6,496") in told
    comparison = json.loads(run_inside(*words, "-f", "json").stdout)
    schema = Path(output.__file__).parent / "schemas" / "diff.schema.json"
    jsonschema.Draft202012Validator(json.loads(schema.read_text())).validate(comparison)
    assert "cloud-6.12/psi=built" in json.dumps(comparison)
