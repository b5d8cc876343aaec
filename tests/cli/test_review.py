"""`review`: what changed between two revisions, from the command line to the exit code."""

from __future__ import annotations

import json
import lzma

import pytest

from advisor.knowledge import schema

ON, OFF = "CONFIG_WIDGET=y\n", "# CONFIG_WIDGET is not set\n"


@pytest.fixture
def started(repository, whole):
    """A repository with a configuration that is right on main, and a branch to change it on."""
    repository.commit({"dir/a.config": whole(ON), "text": "text\n", "etc/cmdline": "quiet\n"})
    repository.git("checkout", "--quiet", "-b", "topic")
    return repository


@pytest.fixture
def review(started, run_inside, widgets):
    def run(*words, cwd=None):
        result = run_inside("review", "main", *words, *widgets, cwd=cwd or started.root)
        assert "Traceback" not in result.stderr
        return result

    return run


def files(result):
    """The files of a review as JSON, which is held against its schema, as each report is."""
    document = json.loads(result.stdout)
    assert list(schema.problems("review", document, "advisor.output")) == []
    reports = [file["report"] for file in document["files"] if file["report"]]
    whole = {"schema": "kernel-advisor/report/v1", "tool": document["tool"], "reports": reports}
    assert list(schema.problems("report", whole, "advisor.output")) == []
    return {file["path"]: file for file in document["files"]}


def test_nothing_that_matters(review, started):
    started.commit({"text": "other\n"})
    result = review("topic")
    expected = "No kernel configuration, fragment or boot line changed between main and topic.\n"
    assert result == (0, expected, "")
    shown = review("topic", "-f", "markdown").stdout
    assert shown == f"<!-- kernel-advisor:review -->\n{expected}"
    assert json.loads(review("topic", "-f", "json").stdout)["files"] == []


def test_a_setting_that_went_wrong(review, started, whole):
    started.commit({"dir/a.config": whole(OFF)})
    result = review("topic")
    assert result.code == 1
    assert result.stdout.startswith(
        "1 file changed: 1 fails\ndir/a.config (configuration, changed)"
    )
    assert review("topic", "--fail-on", "never").code == 0
    (found,) = files(review("topic", "-f", "json")).values()
    assert found["failed"] is True
    assert found["report"]["summary"]["change"]["must"] == 1


def test_the_work_tree_as_long_as_no_head_is_named(review, started, whole):
    assert review().code == 0
    started.write({"dir/a.config": whole(OFF)})
    result = review()
    assert result.code == 1
    assert "1 file changed" in result.stdout


def test_from_another_folder_the_same(review, started, whole):
    started.commit({"dir/a.config": whole(OFF)})
    words = ("topic", "-f", "json")
    assert review(*words) == review(*words, cwd=started.root / "dir")


def test_what_main_did_since_is_not_the_branch_s(review, started, whole):
    started.commit({"b.config": whole(ON)})
    started.git("checkout", "--quiet", "main")
    started.commit({"dir/a.config": whole(OFF)})
    assert list(files(review("topic", "-f", "json"))) == ["b.config"]
    assert list(files(review("topic", "-f", "json", "--exact"))) == ["b.config", "dir/a.config"]


def test_all_kinds_of_changes(review, started, whole, make_config):
    base = make_config("# CONFIG_WIDGET is not set", name="base.config")
    started.commit({"gone.config": "CONFIG_X=y\n", "moved.config": whole(OFF), "f.config": OFF})
    started.git("branch", "--force", "main")
    started.commit(
        {
            "gone.config": None, "moved.config": None, "there.config": whole(OFF),
            "new.config": whole(ON), "f.config": ON, "etc/cmdline": "quiet nohz=maybe\n",
            "bad.xz": lzma.compress(whole(ON).encode())[:-20],
        }
    )  # fmt: skip
    result = review("topic", "--base-config", base, "-f", "json")
    found = {
        path: (file["kind"], file["status"], file["failed"], file["report"] is not None)
        for path, file in files(result).items()
    }
    assert found == {
        "bad.xz": ("configuration", "added", False, False),
        "etc/cmdline": ("boot line", "changed", True, True),
        "f.config": ("fragment", "changed", False, True),
        "gone.config": ("fragment", "deleted", False, False),
        "new.config": ("configuration", "added", False, True),
        "there.config": ("configuration", "renamed", False, False),
    }
    assert result.code == 3
    assert "cut short" in files(result)["bad.xz"]["problem"]
    assert files(result)["f.config"]["note"] == f"judged on {base}"


def test_without_a_base_a_fragment_is_judged_alone(review, started):
    started.commit({"f.config": "CONFIG_OTHER=y\n", "etc/cmdline": "quiet nohz_ful=1\n"})
    found = files(review("topic", "-f", "json"))
    assert "--base-config" in found["f.config"]["note"]
    assert "--base-config" in found["etc/cmdline"]["note"]
    assert found["f.config"]["report"]["summary"]["verdicts"]["unknown"] == 1
    (told,) = found["etc/cmdline"]["report"]["diagnostics"]
    assert (told["path"], told["column"]) == ("etc/cmdline", 7)


def test_a_base_of_a_revision(review, started):
    started.commit({"f.config": "CONFIG_OTHER=y\n"})
    (found,) = files(review("topic", "-f", "json", "--base-config", "main:dir/a.config")).values()
    assert (found["note"], found["failed"]) == ("judged on main:dir/a.config", False)


def test_no_profile_is_needed(started, run_inside, whole):
    started.commit({"etc/cmdline": "quiet nohz_ful=1\n"})
    result = run_inside("review", "main", "topic", cwd=started.root)
    assert result.code == 1
    assert "parameter-unknown" in result.stdout


def test_several_formats_in_one_run(review, started, whole):
    started.commit({"dir/a.config": whole(OFF)})
    result = review("topic", "--write", "markdown=r.md", "--write", "json=r.json")
    assert result.stdout == review("topic").stdout
    assert (started.root / "r.md").read_text() == review("topic", "-f", "markdown").stdout
    assert (started.root / "r.json").read_text() == review("topic", "-f", "json").stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nope"], 3, "git has no revision 'nope' here"),
        (["--", "-x"], 3, "is no name of a revision"),
        (["--marker", "a b"], 2, "is not a valid name for a marker"),
        (["--marker", "x--"], 2, "is not a valid name for a marker"),
        (["-f", "fragment"], 2, "there is no format 'fragment'"),
        (["--write", "x=y"], 2, "does not name a format and a file"),
        (["--write", "fragment=y"], 2, "does not name a format and a file"),
        (["--fail-on", "x"], 2, "is not in the list"),
        (["--base-config", "nope"], 3, "no such file"),
    ],
)
def test_what_is_refused(started, run_inside, words, code, message):
    result = run_inside("review", "main", *words, cwd=started.root)
    assert (result.code, result.stdout) == (code, "")
    assert message in result.stderr


def test_outside_of_a_repository(run_command, tmp_path):
    env = {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    result = run_command("review", "main", env=env)
    assert (result.code, result.stdout) == (3, "")
    assert "no git repository is here" in result.stderr


def test_in_a_tree(started, run_inside, widgets, make_tree, tmp_path):
    kconfig = "config WIDGET\n\tbool 'Widget'\n\tdepends on BASE\nconfig BASE\n\tbool 'Base'\n"
    tree = make_tree(tmp_path / "linux", {"Kconfig": kconfig})
    line = {"etc/cmdline": "quiet nohz_ful=1\n"}
    started.commit({"f.config": ON + "CONFIG_BASE=y\n", "g.config": ON, **line})
    words = ("review", "main", "topic", "--tree", tree, "--arch", "x86", "-f", "json")
    result = run_inside(*words, *widgets, cwd=started.root)
    found = {path: file["failed"] for path, file in files(result).items()}
    assert found == {"etc/cmdline": True, "f.config": False, "g.config": True}
    assert files(result)["f.config"]["report"]["proof"] == "model"


def test_a_fragment_on_its_base_in_a_tree(started, run_inside, widgets, make_tree, tmp_path):
    kconfig = "config WIDGET\n\tbool 'Widget'\n\tdepends on BASE\nconfig BASE\n\tbool 'Base'\n"
    tree = make_tree(tmp_path / "linux", {"Kconfig": kconfig})
    (tmp_path / "with").write_text("CONFIG_BASE=y\n# CONFIG_WIDGET is not set\n")
    (tmp_path / "without").write_text("# CONFIG_BASE is not set\n")
    started.commit({"g.config": ON})
    for base, failed in (("with", False), ("without", True)):
        words = ("--tree", tree, "--arch", "x86", "--base-config", tmp_path / base, "-f", "json")
        result = run_inside("review", "main", *words, *widgets, cwd=started.root)
        assert files(result)["g.config"]["failed"] is failed


def test_a_defconfig_is_not_merged(review, started, make_config):
    base = make_config("CONFIG_OTHER=y", name="base.config")
    started.commit({"a_defconfig": OFF})
    started.git("branch", "--force", "main")
    started.commit({"a_defconfig": ON})
    file = files(review("topic", "--base-config", base, "-f", "json"))["a_defconfig"]
    assert (file["kind"], file["comparison"]["new"]["path"]) == ("configuration", "a_defconfig")
    assert file["note"].startswith("a defconfig")


def test_what_is_to_be_said_of_waivers_is_said_beside_a_change(review, started, whole):
    waiver = "[[waiver]]\nrule = 'widget'\nreason = 'x'\nexpires = 2020-01-01\n"
    started.commit({"kernel-advisor.toml": waiver, "dir/a.config": whole(OFF)})
    result = review("topic", "--trust-head")
    assert "waiver-" in result.stdout
    assert "kernel-advisor.toml:1" in result.stdout


def test_a_waiver_names_the_path_in_the_repository_from_any_folder(review, started, whole):
    waiver = "[[waiver]]\nrule = 'widget'\nreason = 'Ours.'\npath = 'dir/*'\n"
    started.commit({"kernel-advisor.toml": waiver, "dir/a.config": whole(OFF)})
    here = review("topic", "-f", "json", "--trust-head")
    (finding,) = files(here)["dir/a.config"]["report"]["findings"]
    assert (here.code, finding["waived"]["reason"]) == (0, "Ours.")
    there = review("topic", "-f", "json", "--trust-head", cwd=started.root / "dir")
    (found,) = files(there)["dir/a.config"]["report"]["findings"]
    assert (there.code, found["waived"]["reason"]) == (0, "Ours.")
    assert found["fingerprint"] == finding["fingerprint"]
