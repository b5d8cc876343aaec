"""Options that several commands take alike."""

from __future__ import annotations

import json
import os

import pytest

SERVER = ("--profile", "server-throughput")
ON, OFF = "CONFIG_WIDGET=y", "# CONFIG_WIDGET is not set"
RENAME = """\
[[rename]]
old = "GADGET"
new = "WIDGET"
since = "6.1"
sources = ["kconfig init/Kconfig@6.12"]
"""


@pytest.fixture
def tree(make_tree, tmp_path):
    kconfig = 'config BASE\n\tbool "base"\n\nconfig WIDGET\n\tbool "widget"\n\tdepends on BASE\n'
    return make_tree(tmp_path / "tree", {"Kconfig": kconfig})


def test_an_audit_s_fragment_follows_the_strength(run_inside, make_config, tmp_path):
    make_config("CONFIG_HZ_1000=y", "CONFIG_HZ=1000", "# CONFIG_HZ_250 is not set")
    words = ("config", *SERVER, "--strength", "must")
    alone = run_inside("fragment", *words)
    written = run_inside("audit", *words, "--fail-on", "never", "--write", "fragment=out")
    assert (alone.code, written.code) == (0, 0)
    assert (tmp_path / "out").read_text() == alone.stdout
    assert run_inside("fragment", "config", *SERVER).stdout != alone.stdout
    wrong = run_inside("audit", "config", *SERVER, "--strength", "shall")
    assert (wrong.code, wrong.stdout) == (2, "")


def test_a_fragment_hears_of_run_time_settings(run_inside, make_config, tmp_path):
    """As the settings file has told it of them all along."""
    make_config()
    (tmp_path / "sysctl").write_text("kernel.sched_autogroup_enabled = 1\n")
    told = run_inside("fragment", "config", *SERVER, "--sysctl", "sysctl")
    (tmp_path / "kernel-advisor.toml").write_text('sysctl = "sysctl"\n')
    assert run_inside("fragment", "config", *SERVER) == told
    refused = run_inside("fragment", "config", *SERVER, "--sysctl", "absent")
    assert (refused.code, refused.stdout) == (3, "")


def test_a_boot_line_is_made_with_what_the_tree_says(run_inside, make_config, widgets, tree):
    """It knows the kernel's version, and what a rebuild would need."""
    make_config(OFF)
    words = ("cmdline", "config", *widgets, "--cmdline", "quiet", "--format", "kernel-install")
    assert "BASE" not in run_inside(*words).stderr
    result = run_inside(*words, "--tree", tree, "--no-cache")
    assert (result.code, result.stdout.splitlines()[-1]) == (0, "quiet")
    assert "needs a rebuild: WIDGET=y (with BASE=y)" in result.stderr
    assert run_inside(*words, "--tree", "absent").code == 5


@pytest.mark.parametrize("command", ["audit", "baseline", "fragment"])
def test_what_shall_stay_must_be_there(run_inside, make_config, widgets, command):
    make_config(OFF)
    result = run_inside(command, "config", *widgets, "--keep", "GIZMO")
    assert (result.code, result.stdout) == (2, "")
    assert "--keep: GIZMO is not in config" in result.stderr


def test_a_baseline_knows_what_stays(run_inside, make_config, widgets, tmp_path):
    make_config(OFF)
    keep = ("--keep", "WIDGET")
    blocked = ("--fail-on", "must,blocked")
    assert run_inside("audit", "config", *widgets, *keep, *blocked).code == 1
    assert run_inside("baseline", "config", *widgets, *keep, "-o", "b").code == 0
    (entry,) = json.loads((tmp_path / "b").read_text())["findings"]
    assert entry["id"] == "widgets/widget"
    known = run_inside("audit", "config", *widgets, *keep, *blocked, "--baseline", "b")
    assert known.code == 0


def test_a_review_takes_what_an_audit_takes(run_inside, repository, make_config, widgets):
    text = make_config(OFF).read_text()
    repository.commit({"text": "text\n"})
    repository.commit({"a.config": text})

    def review(*words):
        done = run_inside(
            "review", "HEAD~1", "HEAD", *widgets, "-f", "json", *words, cwd=repository.root
        )
        return done.code, json.loads(done.stdout)["files"][0] if done.stdout else done.stderr

    code, file = review("--this-machine")
    cpus = len(os.sched_getaffinity(0)), os.cpu_count()
    assert code == 1
    assert file["report"]["subject"]["machine"]["cpus"] in cpus
    (finding,) = file["report"]["findings"]
    assert finding["verdict"] == "change"
    (finding,) = review("--keep", "WIDGET")[1]["report"]["findings"]
    assert finding["verdict"] == "blocked" or not finding["remedies"]


def test_a_check_knows_names_of_one_s_own_rules(run_inside, own, tree, tmp_path):
    (own / "rules/lifecycle.toml").write_text(RENAME)
    (tmp_path / "x.config").write_text("CONFIG_GADGET=y\n")
    words = ("check", "x.config", "--tree", tree, "--arch", "x86")
    assert "CONFIG_WIDGET=y" not in run_inside(*words).stdout
    assert "WIDGET" in run_inside(*words, "--rules", own / "rules").stdout


def test_a_check_writes_for_several_readers(run_inside, tree, tmp_path):
    (tmp_path / "x.config").write_text("CONFIG_WIDGET=y\n")
    words = ("check", "x.config", "--tree", tree, "--arch", "x86")
    result = run_inside(*words, "--write", "json=out")
    assert result == run_inside(*words)
    assert (tmp_path / "out").read_text() == run_inside(*words, "--format", "json").stdout
    refused = run_inside(*words, "--write", "pdf=out")
    assert (refused.code, "FORMAT=FILE with one of text, json" in refused.stderr) == (2, True)


@pytest.mark.parametrize("words", [["explain", "HZ"], ["profiles"], ["rules", "show", "psi"]])
def test_what_is_printed_can_be_written(run_inside, tmp_path, words):
    shown = run_inside(*words)
    assert (shown.code, shown.stdout != "") == (0, True)
    assert run_inside(*words, "--output", "out") == (0, "", "")
    assert (tmp_path / "out").read_text() == shown.stdout
