"""Settings, waivers and baselines as the user of the command meets them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
OFF = "# CONFIG_WIDGET is not set"
OWN = 'rules = ["own/rules"]\nprofiles = ["own/profiles"]\nprofile = ["widgets"]\n'
WAIVER = '[[waiver]]\nrule = "widgets/widget"\nreason = "No widgets here."\n'
LINE = "quiet nohz_ful=2"
BOOT_FORMATS = ("plain", "grub", "grubby", "kernel-install", "bootc", "tuned", "kconfig")


@pytest.fixture
def write(tmp_path, own):
    """Writes kernel-advisor.toml, with the folder of rules that has one profile: widgets."""

    def write(text="", name="kernel-advisor.toml", head=OWN):
        (tmp_path / name).write_text(head + text)

    return write


@pytest.fixture
def report(run_inside):
    """The one report of an audit as JSON."""

    def report(*words):
        result = run_inside("audit", *words, "--format", "json")
        assert result.stderr == ""
        (found,) = json.loads(result.stdout)["reports"]
        return found

    return report


@pytest.fixture
def example(tmp_path):
    """A real configuration in the test's folder."""
    shutil.copy(EXAMPLES / "x86_64-6.12.config.xz", tmp_path / "config.xz")
    return "config.xz"


def refused(result, code, *lines):
    assert (result.code, result.stdout) == (code, "")
    told = result.stderr.splitlines()
    assert len(told) == len(lines)
    for line, part in zip(told, lines, strict=True):
        assert line.startswith("kernel-advisor: ")
        assert part in line


def told(report):
    return [item["id"] for item in report["diagnostics"]]


# --- waivers --------------------------------------------------------------------------------------


def test_a_waiver_accepts_a_finding(run_inside, make_config, write):
    make_config(OFF)
    write()
    assert run_inside("audit", "config").code == 1
    write(WAIVER)
    result = run_inside("audit", "config", "--fail-on", "could,blocked,unknown,note")
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.endswith("must: 0, should: 0, could: 0; waived: 1\n")
    assert (
        "folded    1 waived (-v lists them, with whole reasons, lines and sources)\n"
        in result.stdout
    )
    assert "MUST" not in result.stdout
    result = run_inside("audit", "config", "--verbose")
    assert "waived: 1\n  - Widget (must): off" in result.stdout


def test_it_is_in_every_format(run_inside, make_config, write, report):
    make_config(OFF)
    write(WAIVER + 'owner = "us"\nexpires = 9999-12-31\n')
    (finding,) = report("config")["findings"]
    assert (finding["verdict"], finding["waived"]) == (
        "change",
        {
            "rule": "widgets/widget", "reason": "No widgets here.", "owner": "us",
            "expires": "9999-12-31", "baseline": False,
            "location": {"path": "kernel-advisor.toml", "line": 4, "column": None},
        },
    )  # fmt: skip
    markdown = run_inside("audit", "config", "--format", "markdown").stdout
    assert "<summary>Waived: 1</summary>" in markdown
    assert "- Widget (must): off" in markdown
    assert "No widgets here (owner: us; until 9999-12-31)\n" in markdown
    run_inside("audit", "config", "--write", "json=a", "--write", "markdown=b", "-o", "c")
    assert "waived: 1" in Path("c").read_text()
    assert Path("b").read_text() == markdown


def test_an_expired_waiver_brings_it_back(run_inside, make_config, write, monkeypatch):
    make_config(OFF)
    write(WAIVER + "expires = 2026-06-30\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1782863999")  # the last second of that day
    assert run_inside("audit", "config").code == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1782864000")
    result = run_inside("audit", "config")
    assert result.code == 1
    assert "WARNING waiver-expired (kernel-advisor.toml:4)" in result.stdout
    assert result.stdout.endswith("must: 1, should: 0, could: 0; diagnostics: 1 warning\n")


def test_an_unused_waiver_is_told(run_inside, make_config, write):
    make_config("CONFIG_WIDGET=y")
    write(WAIVER)
    result = run_inside("audit", "config")
    assert result.code == 0
    assert "WARNING waiver-unused (kernel-advisor.toml:4)" in result.stdout
    assert run_inside("audit", "config", "--fail-on", "warning").code == 1


def test_a_waiver_of_a_sysctl_waits_for_run_time_settings(make_config, write, report, tmp_path):
    make_config("CONFIG_WIDGET=y", "CONFIG_SWAP=y")
    write('[[waiver]]\nrule = "sysctl-unknown"\nreason = "For older kernels."\n')
    assert told(report("config", "--cmdline", "quiet")) == []
    (tmp_path / "s").write_text("kernel.sched_latency_ns = 1\n")
    assert told(report("config", "--kernel", "6.12", "--sysctl", "s")) == ["sysctl-unknown"]
    (tmp_path / "s").write_text("vm.swappiness = 1\n")
    assert told(report("config", "--sysctl", "s")) == ["waiver-unused"]


def test_a_waiver_of_a_word_of_the_boot_line(run_inside, make_config, write, report):
    make_config("CONFIG_WIDGET=y")
    write('[[waiver]]\nrule = "parameter-unknown"\nsubject = "nohz_ful=*"\nreason = "Ours."\n')
    assert told(report("config")) == []  # no boot line, and so nothing to match
    assert run_inside("audit", "config", "--cmdline", LINE).code == 0
    assert run_inside("audit", "config", "--cmdline", "quite=1 " + LINE).code == 1
    assert told(report("config", "--cmdline", "quiet")) == ["waiver-unused"]


def test_paths_are_those_of_the_repository(run_inside, make_config, write, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "configs").mkdir()
    make_config(OFF, name="configs/config")
    write(WAIVER + 'path = "configs/*"\n')
    monkeypatch.chdir(tmp_path / "configs")
    for path in ("config", "./config", "../configs/config", tmp_path / "configs/config"):
        assert run_inside("audit", path).code == 0
    shutil.copy("config", "../config")
    assert run_inside("audit", "../config").code == 1


def test_standard_input_can_be_waived(run_inside, make_config, write):
    path = make_config(OFF)
    write(WAIVER + 'path = "<stdin>"\n')
    assert run_inside("audit", "-", stdin=path.read_bytes()).code == 0


def test_what_a_waiver_says_cannot_do_harm(run_inside, make_config, write):
    make_config(OFF)
    write(WAIVER.replace("No widgets here.", "x\\nCONFIG_EVIL=y\\u001b[31m <img src=x>| `a`"))
    fragment = run_inside("fragment", "config")
    assert [
        line for line in fragment.stdout.splitlines() if not line.startswith("#") and line
    ] == []
    assert "CONFIG_EVIL" not in fragment.stdout
    for words in (["audit", "config", "-v"], ["audit", "config", "-f", "markdown"]):
        shown = run_inside(*words).stdout
        assert "EVIL" in shown
        assert "\x1b" not in shown
        assert "\nCONFIG" not in shown
    assert "<img" not in shown


# --- waivers and plans ----------------------------------------------------------------------------


def test_a_fragment_leaves_out_what_is_waived_and_says_why(run_inside, make_config, write):
    make_config(OFF)
    write()
    assert "CONFIG_WIDGET=y\n" in run_inside("fragment", "config").stdout
    write(WAIVER)
    result = run_inside("fragment", "config")
    assert (result.code, result.stderr) == (0, "")
    assert "CONFIG_WIDGET=y" not in result.stdout
    assert "[must, widgets/widget]: waived: No widgets\n# here." in result.stdout


def test_a_fragment_has_what_only_the_baseline_knows(run_inside, make_config, write):
    make_config(OFF)
    write('baseline = "base.json"\n')
    assert run_inside("baseline", "config", "-o", "base.json").code == 0
    assert run_inside("audit", "config").code == 0
    assert "CONFIG_WIDGET=y\n" in run_inside("fragment", "config").stdout
    assert "CONFIG_WIDGET=y\n" in run_inside("audit", "config", "-f", "fragment").stdout


@pytest.mark.parametrize("command", ["fragment", "cmdline"])
def test_plans_tell_of_waivers_on_stderr(run_inside, make_config, write, command):
    make_config(OFF)
    write(WAIVER + "expires = 2020-01-31\n")
    result = run_inside(command, "config")
    assert result.code == 0
    first = result.stderr.splitlines()[0]
    assert first.startswith("kernel-advisor: kernel-advisor.toml:4: the waiver of widgets/widget")
    assert "2020-01-31" in first


@pytest.mark.parametrize("name", BOOT_FORMATS)
def test_a_boot_line_leaves_out_what_is_waived(run_inside, example, write, name):
    given = ("cmdline", example, "-p", "network-latency", "--cmdline", "quiet", "--format", name)
    word = "skew_tick=1"
    assert word in run_inside(*given).stdout
    write('[[waiver]]\nrule = "skew-tick"\nreason = "Slow."\n', head="")
    result = run_inside(*given)
    assert result.code == 0
    assert word not in result.stdout
    assert "pcie_aspm.policy=performance" in result.stdout
    assert "Skewed ticks (should): waived: Slow." in result.stderr


def test_a_waiver_settles_a_conflict(run_inside, make_config, own, write, edit):
    other = own / "profiles/no-widgets.toml"
    other.write_text((own / "profiles/widgets.toml").read_text())
    edit(other, 'id = "widgets"', 'id = "no-widgets"')
    edit(other, 'want = ["on"]', 'want = ["off"]')
    make_config(OFF)
    both = ("config", "-p", "widgets", "-p", "no-widgets")
    write()
    refused(run_inside("fragment", *both), 1, "the profiles disagree")
    write(WAIVER)
    assert run_inside("fragment", *both).code == 0
    assert run_inside("audit", *both).stdout.endswith("could: 0; waived: 1\n")
    preferred = run_inside("audit", *both, "--prefer", "widgets")
    assert preferred.code == 0
    make_config("CONFIG_WIDGET=y")  # now it is the other profile's finding that is open
    assert run_inside("fragment", *both).code == 1


def test_a_plan_leaves_what_one_profile_wants_less_than_it_asks_for(
    run_inside, make_config, own, write, edit
):
    other = own / "profiles/no-widgets.toml"
    other.write_text((own / "profiles/widgets.toml").read_text())
    edit(other, 'id = "widgets"', 'id = "no-widgets"')
    edit(other, 'want = ["on"]', 'want = ["off"]')
    edit(other, 'strength = "must"', 'strength = "could"')
    make_config(OFF)
    write()
    both = ("config", "-p", "widgets", "-p", "no-widgets")
    left = run_inside("fragment", *both)
    assert left.code == 0
    assert (
        "not changed, because profiles disagree: Widget: widgets wants on, no-widgets wants off"
        in left.stderr
    )
    assert "CONFIG_WIDGET" not in left.stdout
    # What one of them wants as an option only blocks no other line of the fragment.
    optional = run_inside("fragment", *both, "--strength", "could")
    assert (optional.code, optional.stderr) == (0, left.stderr)


def test_what_two_profiles_want_alike_can_be_accepted(run_inside, make_config, own, write, edit):
    other = own / "profiles/more-widgets.toml"
    other.write_text((own / "profiles/widgets.toml").read_text())
    edit(other, 'id = "widgets"', 'id = "more-widgets"')
    make_config(OFF)
    both = ("config", "-p", "widgets", "-p", "more-widgets")
    write()
    assert run_inside("baseline", *both, "-o", "base.json").code == 0
    known = run_inside("audit", *both, "--baseline", "base.json")
    assert known.stdout.endswith("could: 0; in the baseline: 2\n")
    write(WAIVER)
    assert run_inside("audit", *both).stdout.endswith("must: 1, should: 0, could: 0; waived: 1\n")
    assert "CONFIG_WIDGET=y\n" in run_inside("fragment", *both).stdout  # the other still asks


def test_a_tree_changes_nothing_of_it(run_inside, make_config, make_tree, write, tmp_path):
    make_tree(tmp_path / "tree", {"Kconfig": 'config WIDGET\n\tbool "Widgets"\n'})
    make_config(OFF)
    write()
    given = ("config", "--tree", "tree", "--no-cache")
    assert "CONFIG_WIDGET=y\n" in run_inside("fragment", *given).stdout
    write(WAIVER)
    assert run_inside("audit", *given).code == 0
    assert "CONFIG_WIDGET=y\n" not in run_inside("fragment", *given).stdout


# --- baseline -------------------------------------------------------------------------------------


def test_a_baseline_starts_a_team_with_nothing_new(run_inside, example, write, report):
    given = (example, "-p", "server-throughput", "--cmdline", LINE)
    strict = ("--fail-on", "could,blocked,note")
    assert run_inside("audit", *given, *strict).code == 1
    assert run_inside("baseline", *given, "-o", "base.json") == (0, "", "")
    result = run_inside("audit", *given, *strict, "--baseline", "base.json")
    assert result.code == 0
    assert result.stdout.endswith("could: 0; in the baseline: 9\n")
    verbose = run_inside("audit", *given, "--baseline", "base.json", "-v").stdout
    assert "in the baseline: 9\n  - CPU frequency governor (should): " in verbose
    markdown = run_inside("audit", *given, "--baseline", "base.json", "-f", "markdown").stdout
    assert "<summary>In the baseline: " in markdown
    found = report(*given, "--baseline", "base.json")
    waived = [item["waived"] for item in (*found["findings"], *found["diagnostics"])]
    assert [by["location"]["path"] for by in waived if by] == ["base.json"] * 9
    worse = (*given[:-1], LINE + " quite=1")
    assert run_inside("audit", *worse, *strict, "--baseline", "base.json").code == 1
    other = (*given, "-p", "desktop-latency")
    assert run_inside("audit", *other, *strict, "--baseline", "base.json").code == 1


def test_the_baseline_is_the_same_wherever_it_is_made(
    run_inside, example, tmp_path, monkeypatch, write
):
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "line").write_text(LINE + "\n")
    given = ("-p", "server-throughput", "--cmdline")
    first = run_inside("baseline", example, *given, LINE).stdout
    assert run_inside("baseline", f"./{example}", *given, "@line").stdout == first
    monkeypatch.chdir(tmp_path / "sub")
    assert run_inside("baseline", f"../{example}", *given, "@../line").stdout == first
    assert run_inside("baseline", tmp_path / example, *given, LINE).stdout == first
    assert str(tmp_path) not in first
    assert {entry["path"] for entry in json.loads(first)["findings"]} == {example}


def test_a_group_that_grew_is_new_and_one_that_shrank_is_not(run_inside, make_config):
    def group(*symbols):
        make_config(*(f"CONFIG_{symbol}=y" for symbol in symbols))
        words = ("audit", "config", "-p", "server-throughput", "--baseline", "base.json")
        return "Heavy kernel debugging" in run_inside(*words).stdout

    make_config("CONFIG_DEBUG_VM=y", "CONFIG_DEBUG_OBJECTS=y")
    run_inside("baseline", "config", "-p", "server-throughput", "-o", "base.json")
    assert not group("DEBUG_VM", "DEBUG_OBJECTS")
    assert not group("DEBUG_VM")
    assert group("DEBUG_VM", "DEBUG_OBJECTS", "PROVE_LOCKING")
    assert group("PROVE_LOCKING")


def test_a_baseline_that_the_settings_name_may_not_be_there_yet(run_inside, make_config, write):
    make_config(OFF)
    write('baseline = "base.json"\n')
    refused(run_inside("audit", "config"), 3, "base.json: no such file (kernel-advisor baseline")
    assert run_inside("baseline", "config", "-o", "base.json").code == 0
    first = Path("base.json").read_text()
    assert run_inside("audit", "config").code == 0
    # Written again it has what it had, though all of that is known.
    assert run_inside("baseline", "config").stdout == first


def test_a_baseline_has_nothing_that_is_waived(run_inside, make_config, write):
    make_config(OFF)
    write(WAIVER)
    assert json.loads(run_inside("baseline", "config").stdout)["findings"] == []


def test_what_is_gone_is_a_note(run_inside, make_config, write, report):
    make_config(OFF)
    write('baseline = "base.json"\n')
    run_inside("baseline", "config", "-o", "base.json")
    make_config("CONFIG_WIDGET=y")
    assert told(report("config")) == ["baseline-outdated"]
    assert run_inside("audit", "config", "--fail-on", "warning").code == 0


def test_no_baseline_is_written_where_an_input_is_bad(run_inside, make_config, write, tmp_path):
    make_config(OFF)
    write()
    refused(run_inside("baseline", "config", "absent", "-o", "b"), 3, "absent: no such file")
    assert not (tmp_path / "b").exists()


def test_no_baseline_of_files_that_are_called_alike(run_inside, make_config, tmp_path, monkeypatch):
    for name in ("a", "b", "here"):
        (tmp_path / name).mkdir()
    for name in ("a/config", "b/config"):
        make_config(OFF, name=name)
    monkeypatch.chdir(tmp_path / "here")
    given = ("-p", "server-throughput")
    refused(
        run_inside("baseline", "../a/config", "../b/config", *given),
        2,
        "../a/config and ../b/config would both be called 'config' in the baseline",
    )
    assert run_inside("baseline", "../a/config", tmp_path / "a/config", *given).code == 0
    monkeypatch.chdir(tmp_path)
    assert run_inside("baseline", "a/config", "b/config", *given).code == 0


def test_the_golden_example(run_inside):
    """The baseline beside it is renewed by UPDATE_GOLDEN (make golden)."""
    words = ("examples/x86_64-6.12.config.xz", "--settings", "examples/kernel-advisor.toml")
    fresh = run_inside("baseline", *words, cwd=EXAMPLES.parent).stdout
    path = EXAMPLES / "kernel-advisor-baseline.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(fresh)
    assert path.read_text() == fresh
    result = run_inside(
        "audit", *words, "--cmdline", "corp.role=web", "-f", "json", cwd=EXAMPLES.parent
    )
    (found,) = json.loads(result.stdout)["reports"]
    by = {item["id"]: item["waived"] for item in (*found["findings"], *found["diagnostics"])}
    open_ = {item["id"] for item in found["findings"] if item["verdict"] == "change"}
    assert [name for name in sorted(open_) if not by[name]] == ["server-throughput/x2apic-small"]
    assert by["server-throughput/cpufreq-governor"]["owner"] == "platform@example.org"
    assert by["parameter-unknown"]["reason"] == "Our initramfs reads these words."
    assert (by["waiver-expired"], "waiver-unused" in by) == (None, False)


# --- settings -------------------------------------------------------------------------------------


def test_settings_are_found_up_to_the_root(run_inside, make_config, write, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    make_config(OFF, name="sub/config")
    write(WAIVER)
    monkeypatch.chdir(tmp_path / "sub")
    assert run_inside("audit", "config").code == 0
    without = run_inside("audit", "config", "--no-settings")
    assert (without.code, without.stdout) == (2, "")
    assert "--profile: is missing" in without.stderr.splitlines()[0]


def test_settings_elsewhere(run_inside, make_config, write, tmp_path, monkeypatch):
    make_config(OFF)
    write(WAIVER, "other.toml")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert run_inside("audit", "../config", "--settings", "../other.toml").code == 0
    both = ("--settings", "../other.toml", "--no-settings")
    refused(run_inside("audit", "../config", *both), 2, "--no-settings")


def test_each_subject_has_its_own_options(run_inside, make_config, write):
    make_config(OFF, name="edge-1")
    make_config(OFF, name="server")
    write(
        'fail-on = "could"\n'
        '[[subject]]\npath = "edge-*"\nprofile = ["embedded-fastboot"]\ncmdline = "quite"\n'
    )
    result = run_inside("audit", "edge-1", "server", "--format", "json")
    first, second = json.loads(result.stdout)["reports"]
    assert (first["profiles"], first["subject"]["cmdline"]) == (["embedded-fastboot"], "quite")
    assert (second["profiles"], second["subject"]["cmdline"]) == (["widgets"], None)
    assert result.code == 1
    named = run_inside("audit", "edge-1", "-p", "widgets", "--format", "json")
    assert json.loads(named.stdout)["reports"][0]["profiles"] == ["widgets"]


def test_an_input_for_all_is_read_once(run_inside, make_config, write):
    """Also where subjects are told apart: standard input is there only once."""
    for name in ("a", "b"):
        make_config("CONFIG_WIDGET=y", name=name)
    write('[[subject]]\npath = "other"\ncpus = 2\n')
    result = run_inside("audit", "a", "b", "--cmdline", "@-", "-f", "json", stdin=b"quiet\n")
    assert (result.code, result.stderr) == (0, "")
    lines = [found["subject"]["cmdline"] for found in json.loads(result.stdout)["reports"]]
    assert lines == ["quiet", "quiet"]
    write('baseline = "none yet"\n[[subject]]\npath = "other"\ncpus = 2\n')
    result = run_inside("baseline", "a", "b", "--cmdline", "@-", stdin=b"quiet\n")
    assert (result.code, result.stderr) == (0, "")


def test_what_is_wrong_is_told_all_at_once(run_inside, make_config, write):
    make_config(OFF)
    write('fail_on = "must"\ncpus = "8"\n[[waiver]]\nrule = "x"\n')
    refused(
        run_inside("audit", "config"),
        4,
        "kernel-advisor.toml:4: unknown key 'fail_on'; did you mean fail-on?",
        "kernel-advisor.toml:5: the key 'cpus' must be a number above 0",
        "kernel-advisor.toml:6: a waiver needs a reason",
    )
    write('fail-on = "musst"\nvendor = "cyrix"\n')
    refused(run_inside("audit", "config"), 4, "fail-on: 'musst'", "vendor: 'cyrix'")
    write(WAIVER.replace("widgets/widget", "widgets/wodget") + WAIVER + 'profile = "diagnosis"\n')
    refused(
        run_inside("audit", "config"),
        4,
        "kernel-advisor.toml:4: there is no rule 'widgets/wodget' (did you mean widgets/widget",
        "kernel-advisor.toml:7: diagnosis has no advice about widgets/widget",
    )


@pytest.mark.parametrize("command", ["audit", "fragment", "cmdline", "baseline"])
def test_every_command_refuses_wrong_settings(run_inside, make_config, write, command):
    make_config(OFF)
    write("waiver = 1\n")
    refused(
        run_inside(command, "config"),
        4,
        "kernel-advisor.toml:4: write the key 'waiver' as [[waiver]]",
    )


@pytest.mark.parametrize("make", ["mkdir", "touch"])
def test_settings_that_cannot_be_read(run_command, make_config, tmp_path, make, drop_override):
    make_config(OFF)
    path = tmp_path / "kernel-advisor.toml"
    getattr(path, make)()
    path.chmod(0o000)
    result = run_command("audit", "config", "-p", "diagnosis", before=drop_override)
    refused(result, 3, "kernel-advisor.toml: ")


def test_a_link_to_nowhere(run_inside, make_config, tmp_path):
    make_config(OFF)
    (tmp_path / "kernel-advisor.toml").symlink_to("nowhere")
    refused(
        run_inside("audit", "config", "-p", "diagnosis"), 3, "kernel-advisor.toml: no such file"
    )


@pytest.mark.parametrize(
    ("content", "part"), [("{}", "is no baseline"), ("", "is empty"), (None, "no such file")]
)
def test_a_wrong_baseline(run_inside, make_config, write, tmp_path, content, part):
    make_config(OFF)
    write()
    if content is not None:
        (tmp_path / "b.json").write_text(content)
    refused(run_inside("audit", "config", "--baseline", "b.json"), 3, f"b.json: {part}")


def test_a_wrong_day(run_inside, make_config, write, monkeypatch):
    make_config(OFF)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    write()
    assert run_inside("audit", "config").code == 1  # nothing that can expire
    write(WAIVER)
    refused(run_inside("audit", "config"), 2, "SOURCE_DATE_EPOCH: 'yesterday'")
