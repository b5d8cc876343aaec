"""Whose word counts in a review: a stranger's changes, and the honest ways around them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from advisor.knowledge import schema

ON, OFF = "CONFIG_WIDGET=y\n", "# CONFIG_WIDGET is not set\n"
WAIVER = "[[waiver]]\nrule = 'widget'\nreason = 'Because.'\n"
SECRET = "password=hunter2"
OUTPUTS = ("text", "markdown", "html", "json")
FORMATS = (*OUTPUTS, "sarif", "github", "gitlab", "junit")


@pytest.fixture
def clone(repository, whole):
    """A repository whose main has settings, and a branch on which a configuration went wrong."""
    files = {"kernel-advisor.toml": "fail-on = 'must,error'\n", "a.config": whole(ON)}
    repository.commit(files)
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"a.config": whole(OFF)})
    return repository


@pytest.fixture
def review(clone, run_inside, widgets):
    def run(*words, cwd=None):
        result = run_inside("review", "main", *words, *widgets, cwd=cwd or clone.root)
        assert "Traceback" not in result.stderr
        return result

    return run


def told(result):
    """The review as JSON, which is held against its schema."""
    document = json.loads(result.stdout)
    assert list(schema.problems("review", document, "advisor.output")) == []
    return document


def in_all_formats(review, root, *words):
    """What every format says, by its name."""
    to = [f"--write={name}=../out.{name}" for name in FORMATS]
    result = review(*words, *to)
    return result.code, {name: (root.parent / f"out.{name}").read_text() for name in FORMATS}


def test_what_went_wrong_fails(review):
    assert review("topic").code == 1


# --- what a stranger may try ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a waiver", WAIVER),
        ("a waiver in a file", "waivers = ['w.toml']\n"),
        ("is not in the list", "fail-on = 'never'\n"),
        ("another boot line", "cmdline = 'widget=on'\n"),
        ("a profile of its own", "profiles = ['own']\n"),
        ("rules of its own", "rules = ['rules']\n"),
        ("a baseline", "baseline = 'b.json'\n"),
    ],
)  # fmt: skip
def test_a_change_does_not_judge_itself(review, clone, run_inside, widgets, name, text):
    (clone.root / "rules").mkdir()
    baseline = run_inside("baseline", "a.config", *widgets, cwd=clone.root)
    files = {"kernel-advisor.toml": text, "w.toml": WAIVER, "b.json": baseline.stdout}
    profile = (Path(widgets[3]) / "widgets.toml").read_text().replace("widgets", "mine")
    clone.commit(
        {**files, "rules/repository.toml": "verified = '6.12'\n", "own/mine.toml": profile}
    )
    code, formats = in_all_formats(review, clone.root, "topic")
    assert code == 1, formats["text"]
    assert "weakens the settings" in formats["text"].splitlines()[0]
    for format in FORMATS:
        assert "policy-weaker" in formats[format] or format in OUTPUTS
    document = json.loads(formats["json"])
    assert document["policy"]["failed"] is True
    assert document["files"][0]["failed"] is True
    # The digest that would accept it ends the comment.
    assert document["policy"]["digest"] in formats["markdown"].splitlines()[-1]


def test_a_change_of_nothing_but_settings_is_seen(review, clone):
    clone.git("checkout", "--quiet", "-B", "topic", "main")
    clone.commit({"kernel-advisor.toml": WAIVER})
    result = review("topic")
    assert result.code == 1
    assert "weakens the settings" in result.stdout
    assert "a waiver of widget: Because." in result.stdout


def test_a_flood_of_waivers_is_counted(review, clone):
    flood = "".join(WAIVER.replace("Because.", f"x{n}") for n in range(300))
    clone.commit({"kernel-advisor.toml": flood})
    code, formats = in_all_formats(review, clone.root, "topic")
    assert code == 1
    for format in OUTPUTS:
        # Nobody's room is used up by it: the verdict and what fails are there.
        assert formats[format].count("a waiver of widget") == 20
        assert "CONFIG_WIDGET is not set" in formats[format]
    assert "and 281 more" in formats["markdown"]
    assert len(json.loads(formats["json"])["policy"]["items"]) == 20


@pytest.mark.parametrize("line", ["cmdline = '@{}'", "sysctl = '{}'", "baseline = '{}'"])
@pytest.mark.parametrize("name", ["../secret", "{root}/../secret", "link", "folder/secret"])
def test_no_file_of_the_runner_is_published(review, clone, line, name):
    (clone.root.parent / "secret").write_text(SECRET)
    os.symlink("../secret", clone.root / "link")
    os.symlink("..", clone.root / "folder")
    clone.commit({"kernel-advisor.toml": line.format(name.format(root=clone.root))})
    for words in (("topic",), (), ("topic", "--trust-head")):
        code, formats = in_all_formats(review, clone.root, *words) if words[1:] == () else (
            review(*words).code, {"stdout": review(*words).stdout + review(*words).stderr}
        )  # fmt: skip
        assert code != 0
        assert not any("hunter2" in text for text in formats.values())


@pytest.mark.parametrize(
    ("option", "old", "new"),
    [("--cmdline=@facts/x", "quiet\n", "quiet mitigations=off\n"),
     ("--sysctl=facts/x", "kernel.sysrq = 0\n", "kernel.sysrq = 1\n"),
     ("--base-config=facts/x", "a\nb\n" + ON, "a\nb\n" + OFF)],
)  # fmt: skip
@pytest.mark.parametrize("settings", [True, False])
def test_a_change_of_what_tells_of_the_subject_is_reviewed(
    review, clone, settings, option, old, new
):
    clone.git("checkout", "--quiet", "main")
    name, _, value = option.removeprefix("--").partition("=")
    in_settings = settings and name != "base-config"
    text = f"{name} = '{value}'\n" if in_settings else ""
    clone.commit({"facts/x": old, "kernel-advisor.toml": text})
    clone.git("checkout", "--quiet", "-b", "facts")
    clone.commit({"facts/x": new})
    document = told(review("facts", "--format=json", *([] if in_settings else [option])))
    assert [file["path"] for file in document["files"]] == ["facts/x"]
    assert document["files"][0]["comparison"]


def test_a_move_to_where_more_is_asked_is_judged_there(review, clone, whole):
    clone.git("checkout", "--quiet", "main")
    text = "fail-on = 'must,error'\n[[subject]]\npath = 'lab/*'\nkernel = '6.1'\n"
    clone.commit({"kernel-advisor.toml": text, "lab/x.config": whole(OFF)})
    clone.git("checkout", "--quiet", "-b", "move")
    clone.git("mv", "lab/x.config", "x.config")
    clone.commit()
    (file,) = told(review("move", "--format=json"))["files"]
    assert (file["status"], file["failed"], file["comparison"]) == ("renamed", True, None)
    clone.git("mv", "x.config", "y.config")
    clone.commit()
    clone.git("branch", "--force", "main", "HEAD~1")
    (file,) = told(review("move", "--format=json"))["files"]
    assert file["note"] == "its content is unchanged"


def test_another_order_of_subjects_is_another_policy(review, clone):
    lax, strict = (
        f"[[subject]]\npath = '{p}'\narch = '{a}'\n" for p, a in (("*", "x86"), ("a*", "s390"))
    )
    clone.git("checkout", "--quiet", "main")
    clone.commit({"kernel-advisor.toml": lax + strict})
    clone.git("checkout", "--quiet", "-b", "order")
    clone.commit({"kernel-advisor.toml": f"# The same.\n{lax}{strict}"})
    assert review("order").code == 0
    clone.commit({"kernel-advisor.toml": strict + lax})
    result = review("order", "--format=json")
    (item,) = told(result)["policy"]["items"]
    assert (result.code, item["id"]) == (1, "policy-weaker")
    assert item["message"] == "the order of the subjects changed"


def test_no_item_of_a_policy_is_so_long_that_another_is_left_out(review, clone):
    waivers = WAIVER.replace("Because.", "B " * 100_000) + WAIVER.replace("widget", "gadget", 1)
    clone.commit({"kernel-advisor.toml": waivers.replace("'gadget'", "'widgets/widget'")})
    result = review("topic", "--format=markdown")
    assert result.code == 1
    assert "a waiver of widget: B B" in result.stdout
    assert "a waiver of widgets/widget: Because." in result.stdout


def test_settings_that_are_a_link_are_not_followed_out(review, clone):
    (clone.root.parent / "secret").write_text(SECRET)
    (clone.root / "kernel-advisor.toml").unlink()
    os.symlink("../secret", clone.root / "kernel-advisor.toml")
    clone.commit()
    result = review("topic")
    assert result.code == 3
    assert "is a symbolic link" in result.stdout
    assert "hunter2" not in result.stdout + result.stderr


def test_a_file_that_is_called_like_a_revision_is_none(review, clone, whole):
    head = clone.git("rev-parse", "main")
    clone.commit({f"{head}:kernel-advisor.toml": WAIVER, "main:base.config": whole(OFF)})
    assert review("topic").code == 1
    named = review("topic", "--base-config", "main:base.config")
    assert (named.code, named.stdout) == (3, "")


def test_what_options_name_is_of_the_base_too(review, clone, run_inside, widgets):
    baseline = run_inside("baseline", "a.config", *widgets, cwd=clone.root)
    clone.commit({"b.json": baseline.stdout})
    result = review("topic", "--baseline", "b.json")
    assert result.code == 1
    assert "the baseline accepts" in result.stdout


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"[[waiver]]\nrule = 'widget{n}'\nreason = 'x'\n" for n in range(14_000)),
        "".join(f"key{n} = 'x'\n" for n in range(20_000)),
        f"[[subject]]\npath = '{'[!' * 200_000}'\n",
        "cpus = 100000000000\nisolate = '1-99999999999'\n",
        f"cpus = 2\nisolate = '{'9' * 5000}'\n",
        f"cmdline = '{'isolcpus=0-65535 ' * 3000}'\n",
        "rules = ['/']\n",
    ],
    ids=["waivers", "keys", "pattern", "cpus", "digits", "lists", "root"],
)
def test_no_settings_take_for_ever_or_all_memory(review, clone, text):
    clone.commit({"kernel-advisor.toml": text})
    result = review("topic")
    assert result.code in (1, 3)
    assert "a bug" not in result.stderr
    assert "CONFIG_WIDGET is not set" in result.stdout


# --- the honest ways ------------------------------------------------------------------------------


@pytest.fixture
def bare(clone, whole):
    """The same without settings on main."""
    clone.git("checkout", "--quiet", "main")
    clone.git("rm", "--quiet", "kernel-advisor.toml")
    clone.commit()
    clone.git("checkout", "--quiet", "-B", "topic")
    return clone


def test_first_settings_are_told_and_do_not_fail(review, bare):
    bare.commit({"kernel-advisor.toml": WAIVER})
    result = review("topic", "-f", "json")
    assert result.code == 0
    assert told(result)["policy"]["standing"] == "first"
    assert "do not apply yet" in review("topic").stdout.splitlines()[0]


def test_first_settings_excuse_nothing(review, bare, whole):
    bare.commit({"kernel-advisor.toml": WAIVER, "a.config": whole(OFF)})
    result = review("topic")
    assert result.code == 1
    assert "With its own settings, the change passes." in " ".join(result.stdout.split())


def test_a_waiver_that_a_maintainer_wants(review, clone):
    clone.commit({"kernel-advisor.toml": f"fail-on = 'must,error'\n{WAIVER}"})
    digest = told(review("topic", "-f", "json"))["policy"]["digest"]
    result = review("topic", "--accept-policy", digest)
    assert result.code == 0
    assert result.stdout.startswith(
        "1 file changed: none fails, 1 finding waived; it weakens the settings, and this was "
        "accepted\n"
    )
    assert told(review("topic", "--accept-policy", digest, "-f", "json"))["policy"][
        "standing"
    ] == "accepted"  # fmt: skip


@pytest.mark.parametrize("other", ["reason = 'Other.'", "path = 'a*'", "expires = 2099-01-01"])
def test_what_was_accepted_is_that_change_alone(review, clone, other):
    clone.commit({"kernel-advisor.toml": WAIVER})
    digest = told(review("topic", "-f", "json"))["policy"]["digest"]
    waiver = WAIVER.replace("reason = 'Because.'\n", "") + "reason = 'Because.'\n"
    changed = waiver.replace("reason = 'Because.'", other) if "reason" in other else waiver + other
    clone.commit({"kernel-advisor.toml": changed})
    assert review("topic", "--accept-policy", digest).code == 1


def test_what_only_strengthens_needs_nothing(review, clone, whole):
    clone.git("checkout", "--quiet", "main")
    clone.commit({"kernel-advisor.toml": f"fail-on = 'must'\n{WAIVER}"})
    clone.git("checkout", "--quiet", "-B", "topic")
    clone.commit({"kernel-advisor.toml": "fail-on = 'must,error'\n"})
    result = review("topic", "-f", "json")
    document = told(result)
    assert (result.code, document["policy"]["standing"]) == (0, "harmless")
    assert [item["id"] for item in document["policy"]["items"]] == ["policy-changed"] * 2


def test_a_local_try_tells_both_verdicts(review, clone):
    (clone.root / "kernel-advisor.toml").write_text(WAIVER)
    result = review()
    assert result.code == 1
    assert "With its own settings, the change passes." in " ".join(result.stdout.split())
    trusted = review("--trust-head")
    assert trusted.code == 0
    assert "(--trust-head)" in trusted.stdout.splitlines()[0]


def test_one_s_own_settings_in_an_audit_may_name_any_file(clone, run_inside, widgets):
    (clone.root.parent / "line").write_text("quiet\n")
    (clone.root / "kernel-advisor.toml").write_text("cmdline = '@../line'\n")
    result = run_inside("audit", "a.config", *widgets, cwd=clone.root)
    assert "../line" in result.stdout or "quiet" in result.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to somebody else")
def test_settings_of_another_owner_may_not(clone, run_inside, widgets):
    (clone.root.parent / "line").write_text(SECRET)
    (clone.root / "kernel-advisor.toml").write_text("cmdline = '@../line'\n")
    os.chown(clone.root / "kernel-advisor.toml", 65534, 65534)
    result = run_inside("audit", "a.config", *widgets, cwd=clone.root)
    assert result.code == 4
    assert "belongs to another user" in result.stderr
    assert "leads out of the repository" in result.stderr
    assert "hunter2" not in result.stdout + result.stderr


# --- nothing evades -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["#!/bin/true\n{}", "junk\n" * 5000 + "{}", "\ufeff{}", "junk\n" * 500_000 + "{}"],
    ids=["script", "junk", "mark", "far"],
)
def test_what_kconfig_reads_is_judged(review, clone, whole, text):
    many = "".join(f"# CONFIG_OTHER{n} is not set\n" for n in range(150))
    clone.commit({"new.config": text.format(whole(OFF) + many)})
    assert "new.config" in review("topic").stdout


@pytest.mark.parametrize("content", [b"nothing", "CONFIG_A=y\n".encode("utf-16"), b"\0", b""])
def test_what_must_be_judged_is_whatever_it_looks_like(review, clone, content):
    clone.git("checkout", "--quiet", "main")
    clone.commit({"kernel-advisor.toml": "must-judge = ['configs/*']\n"})
    clone.git("checkout", "--quiet", "-B", "topic")
    (clone.root / "configs").mkdir()
    (clone.root / "configs/new").write_bytes(content)
    clone.commit()
    by_settings, by_option = review("topic"), review("topic", "--must-judge", "configs/*")
    assert by_settings.code == by_option.code != 0
    assert "configs/new" in by_settings.stdout


def test_a_link_is_no_configuration_that_must_be_judged(review, clone):
    (clone.root / "configs").mkdir()
    os.symlink("../a.config", clone.root / "configs/new")
    clone.commit()
    result = review("topic", "--must-judge", "configs/*")
    assert result.code == 3
    assert "is a symbolic link now" in result.stdout
