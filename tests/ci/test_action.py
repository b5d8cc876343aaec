"""The GitHub Action, with a gh that records what it is asked.

With `real_runner` it is run as GitHub's runner runs it, with `runner` within the test's process.
"""

from __future__ import annotations

import base64
import copy
import gzip
import json
import re
import shutil
import sys

import pytest

from tests.ci.conftest import BOT, MARKER, TOKEN

BAD = "CONFIG_PROVE_LOCKING=y"
PROFILE = {"profile": "server-throughput"}
URL = "https://github.com/o/r/pull/7#issuecomment-5"
# An annotation of the package: no property holds a colon, a comma or the end of a command.
ANNOTATION = re.compile(
    r"::(?:error|warning|notice) (?:file=[^:,]+,)?line=\d+(?:,col=\d+)?,title=[^:,]+::.*"
)
POST, PATCH = "POST repos/o/r/issues/7/comments", "PATCH repos/o/r/issues/comments/5"


class Pull:
    """A pull request, and the merge that GitHub tries, in one repository."""

    def __init__(self, repository, files, base=None) -> None:
        self.repository = repository
        self.base = repository.commit(base or {"README": "x\n"})
        repository.git("checkout", "--quiet", "-b", "topic")
        self.head = repository.commit(files)
        repository.git("checkout", "--quiet", "--detach", "main")
        repository.git("merge", "--quiet", "--no-ff", "--message=merge", "topic")
        self.merge = repository.git("rev-parse", "HEAD")

    def event(self, name="o/r"):
        """What GitHub tells of it; `name` is the repository that it comes from."""
        head = {"sha": self.head, "repo": {"full_name": name} if name else None}
        return {"pull_request": {"number": 7, "head": head, "base": {"sha": self.base}}}

    def run(self, runner, name="o/r", checkout=None, **options):
        """The action, started by it."""
        options["inputs"] = {**PROFILE, **options.get("inputs", {})}
        options.setdefault("GITHUB_SHA", self.merge)
        options.setdefault("GITHUB_REF", "refs/pull/7/merge")
        folder = checkout or self.repository.root
        return runner.run("pull_request", self.event(name), folder, **options)


@pytest.fixture(scope="session")
def first_pull():
    """The pull request of most tests, and its repository, which each copies."""
    return []


@pytest.fixture
def pull(repository, whole, first_pull, tmp_path_factory):
    if not first_pull:
        made = Pull(repository, {"a.config": whole(BAD)})
        place = tmp_path_factory.mktemp("pull") / "repository"
        first_pull += [made, shutil.copytree(repository.root, place, symlinks=True)]
    made, place = first_pull
    shutil.copytree(place, repository.root, symlinks=True, dirs_exist_ok=True)
    own = copy.copy(made)
    own.repository = repository
    return own


def comment(body, login=BOT, number=5):
    return {"id": number, "user": {"login": login}, "body": body, "html_url": URL}


def warnings(ended):
    """What the action itself warns of: annotations have other titles."""
    own = ("::warning title=kernel-advisor::", "::error title=kernel-advisor::")
    return [line for line in ended.commands if line.startswith(own)]


def test_a_new_comment(real_runner, pull):
    real_runner.comments([])
    real_runner.answers[POST] = {"pages": [comment("")]}
    ended = pull.run(real_runner)
    assert ended.code == 1
    assert ended.sent == [("POST", "repos/o/r/issues/7/comments")]
    body = ended.calls[-1]["body"]["body"]
    assert body.splitlines()[0] == MARKER
    assert "`a.config` | configuration, added" in body
    assert ended.summary == body
    assert ended.outputs["verdict"] == "findings"
    assert ended.outputs["failed"] == "true"
    assert ended.outputs["comment-url"] == URL
    assert warnings(ended) == []


def test_only_gh_gets_the_token_and_only_in_its_environment(real_runner, pull):
    real_runner.comments([])
    real_runner.answers[POST] = {"pages": [comment("")]}
    real_runner.answers["POST repos/o/r/code-scanning/sarifs"] = {"pages": [{"id": "1"}]}
    ended = pull.run(real_runner, formats="formats", inputs={"upload-sarif": "true"})
    assert {call["token"] for call in ended.calls} == {TOKEN}
    assert [call for call in ended.calls if TOKEN in json.dumps(call["words"])] == []
    assert {call["folder"] for call in ended.calls} == {str(real_runner.temp)}
    (sarif,) = (call["body"] for call in ended.calls if "sarifs" in call["path"])
    seen = json.loads(gzip.decompress(base64.b64decode(sarif["sarif"])))
    assert "PATH" in seen["environment"]
    assert TOKEN not in seen["environment"].values()
    # What is waived would be an open alert there.
    assert seen["runs"] == [{"results": [{"suppressions": []}]}]
    for path in real_runner.temp.rglob("*"):
        if path.is_file() and "kernel-advisor-review" in str(path):
            assert TOKEN not in path.read_text()


def test_its_own_comment_is_renewed(runner, pull):
    others = [comment("hello", "someone", n) for n in range(100)]
    runner.comments(others, [comment(f"{MARKER}\nold\n")])
    runner.answers[PATCH] = {"pages": [comment("")]}
    ended = pull.run(runner)
    assert ended.sent == [("PATCH", "repos/o/r/issues/comments/5")]
    assert ended.outputs["comment-url"] == URL


def test_what_is_up_to_date_is_left_alone(runner, pull):
    runner.comments([])
    runner.answers[POST] = {"pages": [comment("")]}
    body = pull.run(runner).calls[-1]["body"]["body"]
    runner.comments([comment(body)])
    ended = pull.run(runner)
    assert (ended.sent, ended.outputs["comment-url"]) == ([], URL)


@pytest.mark.parametrize(
    "foreign",
    [
        comment(f"{MARKER}\nforged", "someone"),
        comment(f"hello\n{MARKER}\n"),
        comment("<!-- kernel-advisor:review:other -->\n"),
        comment(f"{MARKER} and more\n"),
        {"id": 5, "user": None, "body": MARKER, "html_url": URL},
        {"id": 5, "user": {"login": BOT}, "body": None, "html_url": URL},
    ],
    ids=["author", "not-first", "name", "line", "ghost", "empty"],
)
def test_a_foreign_comment_is_not_touched(runner, pull, foreign):
    runner.comments([foreign])
    runner.answers[POST] = {"pages": [comment("")]}
    assert pull.run(runner).sent == [("POST", "repos/o/r/issues/7/comments")]


def test_a_comment_of_another_name(runner, pull):
    runner.comments([comment(MARKER), comment("<!-- kernel-advisor:review:arm -->\n", number=6)])
    runner.answers["PATCH repos/o/r/issues/comments/6"] = {"pages": [comment("")]}
    ended = pull.run(runner, inputs={"marker": "arm"})
    assert ended.sent == [("PATCH", "repos/o/r/issues/comments/6")]


def test_the_account_of_another_token(runner, pull):
    runner.answers["GET graphql"] = {"pages": [{"data": {"viewer": {"login": "my-app[bot]"}}}]}
    runner.comments([comment(MARKER, BOT, 4), comment(MARKER, "my-app[bot]")])
    runner.answers[PATCH] = {"pages": [comment("")]}
    assert pull.run(runner).sent == [("PATCH", "repos/o/r/issues/comments/5")]


@pytest.mark.parametrize("name", ["someone/r", None], ids=["fork", "deleted-fork"])
def test_a_fork_gets_the_summary(runner, pull, name):
    ended = pull.run(runner, name=name)
    assert (ended.code, ended.calls) == (1, [])
    assert ended.summary.startswith(MARKER)
    assert any("fork" in line for line in ended.commands)
    assert warnings(ended) == []


@pytest.mark.parametrize("status", [403, 404])
def test_without_permission_it_says_which_and_does_not_fail(runner, pull, status):
    runner.comments([])
    runner.answers[POST] = {"code": 1, "error": f"gh: Resource not accessible (HTTP {status})"}
    ended = pull.run(runner, inputs={"fail": "false"})
    assert ended.code == 0
    (told,) = warnings(ended)
    assert "pull-requests: write" in told


def test_a_failing_interface_is_a_warning(runner, pull):
    runner.comments([])
    runner.answers[POST] = {"code": 1, "error": "gh: Validation Failed\n::error::x (HTTP 422)"}
    (told,) = warnings(pull.run(runner))
    assert told.startswith("::warning title=kernel-advisor::no comment: gh: Validation Failed%0A")


@pytest.mark.parametrize("pages", [[[{"id": 5}]], [{"message": "x"}], [["x"]], [None]])
def test_an_odd_answer_is_a_warning_at_most(runner, pull, pages):
    runner.answers["GET repos/o/r/issues/7/comments"] = {"pages": pages}
    runner.answers[POST] = {"pages": [[]]}
    ended = pull.run(runner)
    assert ended.code == 1
    assert all("no comment" in line for line in warnings(ended))
    assert warnings(ended)


def test_no_comment_if_none_is_wanted(runner, pull):
    ended = pull.run(runner, inputs={"comment": "false"})
    assert (ended.code, ended.calls) == (1, [])


def test_nothing_that_matters(runner, repository):
    pull = Pull(repository, {"text": "x\n"})
    runner.comments([])
    ended = pull.run(runner)
    assert (ended.code, ended.sent, ended.outputs["verdict"]) == (0, [], "nothing")
    assert "No kernel configuration, fragment or boot line changed" in ended.summary
    runner.comments([comment(f"{MARKER}\nold\n")])
    runner.answers[PATCH] = {"pages": [comment("")]}
    ended = pull.run(runner)
    assert ended.sent == [("PATCH", "repos/o/r/issues/comments/5")]
    assert "No kernel configuration" in ended.calls[-1]["body"]["body"]


def test_many_files_and_a_bounded_comment(runner, repository, whole):
    pull = Pull(repository, {f"c/{number:03}.config": whole(BAD) for number in range(15)})
    runner.comments([])
    runner.answers[POST] = {"pages": [comment("")]}
    ended = pull.run(runner)
    body = ended.calls[-1]["body"]["body"]
    assert ended.code == 1
    assert len(body) < 65_536
    assert all(f"`c/{number:03}.config`" in body for number in range(15))
    assert "The report is too long for a comment" in body


def test_hostile_names_are_text(real_runner, repository, whole, tmp_path):
    mark = tmp_path / "planted"
    names = [
        "two\n::error::lines.config", f"$(touch {mark.name}).config", f"`touch {mark.name}`.config",
        "-rf.config", "--output=x.config", "a;b|c&d.config", "@torvalds.config",
        "\udcff.config", "<!-- kernel-advisor:review -->.config", "%0A::error::x.config",
    ]  # fmt: skip
    files = {name: whole(BAD, f"CONFIG_N={number}") for number, name in enumerate(names)}
    pull = Pull(repository, {**files, "cmdline": "quiet ::error::x\n"})
    real_runner.comments([])
    real_runner.answers[POST] = {"pages": [comment("")]}
    ended = pull.run(real_runner)
    assert ended.code == 1
    body = ended.calls[-1]["body"]["body"]
    assert body.count("| configuration, added |") == len(names)
    assert body.count("<!--") == 1
    assert [line for line in ended.commands if not ANNOTATION.fullmatch(line)] == []
    assert not list(tmp_path.rglob(mark.name))


def test_a_line_of_the_log_is_no_command(runner, repository, whole):
    files = {f"{'d' * 70}/x/::error file=x::y.config": whole(BAD), "cmdline": "\n::error::x\n"}
    ended = Pull(repository, files).run(runner, inputs={"comment": "false"})
    assert "::error" in ended.log
    assert [line for line in ended.commands if not ANNOTATION.fullmatch(line)] == []


def test_modules_of_the_checkout_are_not_imported(real_runner, repository, whole, tmp_path):
    mark = tmp_path / "planted"
    code = f"open({str(mark)!r}, 'w')\n"
    names = (
        "venv",
        "pip",
        "json",
        "ensurepip",
        "sitecustomize",
        "advisor/__init__",
        "action/review",
        "event",
        "github",
    )
    files = {f"{name}.py": code for name in names}
    ended = Pull(repository, {**files, "a.config": whole(BAD)}).run(real_runner, name="a/fork")
    assert (ended.code, mark.exists()) == (1, False)


@pytest.mark.installs
def test_an_installation_that_fails(real_runner, repository, whole, tmp_path):
    """Up to pip this is the real one, in a checkout that would like to be imported."""
    mark = tmp_path / "planted"
    names = ("venv", "pip", "ensurepip")
    files = {f"{name}.py": f"open({str(mark)!r}, 'w')\n" for name in names}
    shutil.copytree(real_runner.action / "action", tmp_path / "other/action")
    (tmp_path / "other/action/requirements.lock").write_text("tomli==2.5.0\n")  # without its hash
    real_runner.action = tmp_path / "other"
    ended = Pull(repository, {**files, "a.config": whole(BAD)}).run(real_runner, formats="")
    assert (ended.code, ended.outputs["verdict"], mark.exists()) == (2, "error", False)
    assert any("cannot be installed" in line for line in warnings(ended))


def test_inputs_become_options(runner, repository, whole, tmp_path):
    files = {"f.config": "CONFIG_PSI=y\n", "skip/g.config": BAD + "\n", "my.line": "nohz_ful=1\n"}
    pull = Pull(repository, files, base={"base": whole("CONFIG_HZ_250=y")})
    inputs = {
        "base-config": "base", "exclude": "skip/*, *.txt", "boot-lines": "*.line\nother",
        "cmdline": "quiet $(touch x)", "fail-on": "never", "comment": "false",
        "kernel": "6.12", "arch": "x86",
    }  # fmt: skip
    ended = pull.run(runner, inputs=inputs)
    assert ended.code == 0
    report = json.loads((runner.temp / "kernel-advisor-review/review.json").read_text())
    found = {file["path"]: file for file in report["files"]}
    assert list(found) == ["f.config", "my.line"]
    assert found["f.config"]["report"]["subject"]["cmdline"] == "quiet $(touch x)"
    assert found["f.config"]["note"] == "judged on base"
    assert ended.outputs["report"].endswith("review.json")


def test_an_input_is_no_option(runner, pull):
    ended = pull.run(runner, inputs={"profile": "--output=/tmp/x"})
    assert ended.code == 2
    assert any("no review" in line for line in warnings(ended))


def test_a_review_that_does_not_come_about_fails_always(real_runner, pull):
    ended = pull.run(real_runner, inputs={"profile": "nope", "fail": "false"})
    assert (ended.code, ended.outputs) == (2, {"verdict": "error", "failed": "true"})
    assert "nope" in ended.log


REVIEWS, LINES = "repos/o/r/pulls/7/reviews", "repos/o/r/pulls/7/comments"
SUGGESTING = {"base-config": "b.config", "comment": "false", "suggestions": "true"}


@pytest.fixture
def renamed(repository, whole):
    """A pull request that adds an old name to a fragment."""
    base = {"b.config": whole("CONFIG_NET=y"), "f.config": "CONFIG_NET=y\n"}
    return Pull(repository, {"f.config": "CONFIG_NET=y\nCONFIG_RETPOLINE=y\n"}, base)


def test_a_suggestion_on_the_line(runner, renamed):
    runner.answers[f"GET {LINES}"] = {"pages": [[]]}
    runner.answers[f"POST {REVIEWS}"] = {"pages": [{}]}
    ended = renamed.run(runner, inputs=SUGGESTING)
    assert (ended.sent, warnings(ended)) == ([("POST", REVIEWS)], [])
    body = ended.calls[-1]["body"]
    assert (body["event"], body["commit_id"]) == ("COMMENT", renamed.head)
    (one,) = body["comments"]
    assert (one["path"], one["line"], one["side"]) == ("f.config", 2, "RIGHT")
    assert one["body"].endswith("\n```suggestion\nCONFIG_MITIGATION_RETPOLINE=y\n```")
    assert "+CONFIG_MITIGATION_RETPOLINE=y" in ended.summary


def test_a_suggestion_is_made_once(runner, renamed):
    runner.answers[f"GET {LINES}"] = {"pages": [[]]}
    runner.answers[f"POST {REVIEWS}"] = {"pages": [{}]}
    (one,) = renamed.run(runner, inputs=SUGGESTING).calls[-1]["body"]["comments"]
    runner.answers[f"GET {LINES}"] = {"pages": [[{**one, "user": {"login": BOT}}]]}
    assert renamed.run(runner, inputs=SUGGESTING).sent == []
    runner.answers[f"GET {LINES}"] = {"pages": [[{**one, "user": {"login": "mallory"}}]]}
    assert renamed.run(runner, inputs=SUGGESTING).sent == [("POST", REVIEWS)]


def test_no_suggestion_unless_wanted_nor_from_a_fork(runner, renamed):
    quiet = {**SUGGESTING, "suggestions": "false"}
    assert renamed.run(runner, inputs=quiet).calls == []
    assert renamed.run(runner, name="fork/r", inputs=SUGGESTING).calls == []


def test_no_suggestion_where_a_merge_moved_the_lines(runner, repository, renamed):
    repository.git("checkout", "--quiet", "main")
    moved = repository.commit({"f.config": "CONFIG_PRINTK=y\nCONFIG_NET=y\n"})
    repository.git("merge", "--quiet", "--strategy-option=theirs", "--message=m", renamed.head)
    renamed.base, renamed.merge = moved, repository.git("rev-parse", "HEAD")
    runner.answers[f"POST {REVIEWS}"] = {"pages": [{}]}
    repository.commit({"f.config": "CONFIG_PRINTK=y\nCONFIG_NET=y\nCONFIG_RETPOLINE=y\n"})
    given = {**SUGGESTING, "base": moved, "head": "HEAD"}
    ended = renamed.run(runner, inputs=given)
    assert "MITIGATION_RETPOLINE" in ended.summary
    assert ended.sent == []


def test_suggestions_without_permission(runner, renamed):
    runner.answers[f"GET {LINES}"] = {"code": 1, "error": "gh: Forbidden (HTTP 403)"}
    ended = renamed.run(runner, inputs=SUGGESTING)
    assert ended.code == 1
    assert "no suggestions: the job's token lacks the permission `pull-requests: write`" in "".join(
        warnings(ended)
    )


def test_annotations_and_code_scanning(real_runner, pull):
    real_runner.answers["POST repos/o/r/code-scanning/sarifs"] = {"pages": [{"id": "1"}]}
    inputs = {"comment": "false", "upload-sarif": "true"}
    ended = pull.run(real_runner, formats="formats", inputs=inputs)
    assert ended.commands == ["::warning::annotated"]
    (call,) = ended.calls
    assert call["body"]["ref"] == "refs/pull/7/merge"
    assert call["body"]["commit_sha"] == pull.merge


def test_code_scanning_of_the_head_itself(real_runner, pull, repository):
    real_runner.answers["POST repos/o/r/code-scanning/sarifs"] = {"pages": [{"id": "1"}]}
    repository.git("checkout", "--quiet", "topic")
    inputs = {"comment": "false", "upload-sarif": "true", "annotations": "false"}
    ended = pull.run(real_runner, formats="formats", inputs=inputs)
    assert ended.commands == []
    (call,) = ended.calls
    assert (call["body"]["ref"], call["body"]["commit_sha"]) == ("refs/pull/7/head", pull.head)


def test_code_scanning_without_permission(real_runner, pull):
    inputs = {"comment": "false", "upload-sarif": "true", "fail": "false"}
    ended = pull.run(real_runner, formats="formats", inputs=inputs)
    assert ended.code == 0
    (told,) = [line for line in warnings(ended) if "annotated" not in line]
    assert "security-events: write" in told


# Which revisions are compared


def push(runner, folder, before, after, **data):
    inputs = {**PROFILE, "fail": "false"}
    return runner.run("push", {"before": before, "after": after, **data}, folder, inputs=inputs)


def reviewed(runner):
    report = json.loads((runner.temp / "kernel-advisor-review/review.json").read_text())
    return sorted(file["path"] for file in report["files"])


def test_a_push(runner, repository, whole):
    before = repository.commit({"a.config": whole(BAD)})
    repository.commit({"b.config": whole(BAD)})
    after = repository.commit({"c.config": whole(BAD)})
    ended = push(runner, repository.root, before, after)
    assert (ended.code, ended.calls, ended.outputs["verdict"]) == (0, [], "findings")
    assert reviewed(runner) == ["b.config", "c.config"]


def cloned(repository, tmp_path, *options):
    """A clone as actions/checkout leaves it, of the commit that the event is about."""
    clone = tmp_path / "clone"
    source = f"file://{repository.root}"
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repository.git("clone", "--quiet", *options, source, clone)
    return clone


def test_a_push_to_a_shallow_clone(real_runner, repository, whole, tmp_path):
    before = repository.commit({"a.config": whole(BAD)})
    after = repository.commit({"b.config": whole(BAD)})
    clone = cloned(repository, tmp_path, "--depth=1")
    assert push(real_runner, clone, before, after).code == 0
    assert reviewed(real_runner) == ["b.config"]


def test_a_new_branch(runner, repository, whole, tmp_path):
    repository.commit({"a.config": whole(BAD)})
    repository.git("checkout", "--quiet", "-b", "topic")
    after = repository.commit({"b.config": whole(BAD)})
    clone = cloned(repository, tmp_path)
    ended = push(runner, clone, "0" * 40, after, repository={"default_branch": "main"})
    assert (ended.code, reviewed(runner)) == (0, ["b.config"])
    ended = push(runner, clone, "0" * 40, after, repository={"default_branch": "gone"})
    assert (ended.code, ended.outputs["verdict"]) == (0, "nothing")
    assert any("fetch-depth: 0" in line for line in ended.commands)


def test_a_deleted_branch(runner, repository):
    ended = push(runner, repository.root, repository.commit(), "0" * 40)
    assert (ended.code, ended.outputs["verdict"]) == (0, "nothing")


def test_a_base_that_is_gone(runner, repository):
    ended = push(runner, repository.root, "1" * 40, repository.commit())
    assert (ended.code, ended.outputs["verdict"]) == (2, "error")
    assert any("fetch-depth: 0" in line for line in warnings(ended))


@pytest.mark.parametrize("depth", [1, 2])
def test_a_shallow_clone_of_the_merge(runner, pull, repository, tmp_path, depth):
    repository.git("branch", "merged", pull.merge)
    clone = cloned(repository, tmp_path, f"--depth={depth}", "--branch=merged")
    ended = pull.run(runner, checkout=clone, inputs={"comment": "false"})
    assert (ended.code, reviewed(runner)) == (1, ["a.config"])


def test_a_shallow_clone_that_cannot_be_deepened(runner, pull, repository, tmp_path):
    repository.git("branch", "merged", pull.merge)
    clone = cloned(repository, tmp_path, "--depth=1", "--branch=merged")
    repository.git("-C", clone, "remote", "set-url", "origin", str(tmp_path / "gone"))
    ended = pull.run(runner, checkout=clone)
    assert (ended.code, ended.outputs["verdict"]) == (2, "error")
    assert any("fetch-depth: 0" in line for line in warnings(ended))


def test_the_head_instead_of_the_merge(runner, pull, repository):
    repository.git("checkout", "--quiet", "topic")
    ended = pull.run(runner, inputs={"comment": "false"})
    assert (ended.code, reviewed(runner)) == (1, ["a.config"])


def test_a_merge_group(runner, repository, whole):
    base, head = repository.commit(), repository.commit({"a.config": whole(BAD)})
    data = {"merge_group": {"base_sha": base, "head_sha": head}}
    assert runner.run("merge_group", data, repository.root, inputs=PROFILE).code == 1
    assert reviewed(runner) == ["a.config"]


def test_what_tells_no_base_needs_one(runner, repository, whole):
    base = repository.commit()
    repository.commit({"a.config": whole(BAD)})
    ended = runner.run("workflow_dispatch", {}, repository.root, inputs=PROFILE)
    assert ended.code == 2
    assert any("inputs base and head" in line for line in warnings(ended))
    inputs = {**PROFILE, "base": base}
    assert runner.run("workflow_dispatch", {}, repository.root, inputs=inputs).code == 1
    inputs = {**PROFILE, "base": "--output=x"}
    ended = runner.run("workflow_dispatch", {}, repository.root, inputs=inputs)
    assert ended.code == 3
    assert not (repository.root / "x").exists()


def test_pull_request_target_is_refused(runner, pull, repository):
    ended = runner.run("pull_request_target", pull.event(), repository.root, inputs=PROFILE)
    assert (ended.code, ended.calls, ended.summary) == (2, [], "")
    assert any("on: pull_request`" in line for line in warnings(ended))


def test_no_checkout(runner, tmp_path):
    (tmp_path / "empty").mkdir()
    data = {"before": "1" * 40, "after": "2" * 40}
    ceiling = {"GIT_CEILING_DIRECTORIES": str(tmp_path)}
    ended = runner.run("push", data, tmp_path / "empty", **ceiling)
    assert ended.code == 2
    assert any("actions/checkout" in line for line in warnings(ended))


# --- an event of another shape than GitHub's ------------------------------------------------------

ZERO, SHA = "0" * 40, "1" * 40
SIDES = {"base": {"sha": SHA}, "head": {"sha": SHA}}


def assert_stopped(ended, *parts):
    """One clear line, and the outputs that say so."""
    assert (ended.code, ended.outputs) == (2, {"verdict": "error", "failed": "true"})
    (line,) = ended.log.splitlines()
    assert line.startswith("::error title=kernel-advisor::")
    assert [part for part in parts if part not in line] == []
    assert (ended.calls, ended.summary) == ([], "")


@pytest.mark.parametrize(
    ("name", "data", "part"),
    [
        ("push", {"after": SHA}, "tells no commit as before: None"),
        ("push", {"before": ZERO}, "tells no commit as after: None"),
        ("push", {"before": [SHA], "after": SHA}, "tells no commit as before: ["),
        ("push", {"before": SHA[1:], "after": SHA}, "tells no commit as before"),
        ("push", [], "is a list, not an object"),
        ("push", None, "is a NoneType, not an object"),
        ("pull_request", "x", "is a str, not an object"),
        ("pull_request", {"pull_request": [7]}, "does not tell what to compare"),
        ("pull_request", {"pull_request": SIDES}, "no number of the pull request: None"),
        ("pull_request", {"pull_request": {"number": "7; x", **SIDES}}, "no number"),
        ("pull_request", {"pull_request": {"number": 7}}, "as pull_request.base.sha: None"),
        (
            "pull_request",
            {"pull_request": {"number": 7, "base": [], "head": 5, "labels": {"name": "x"}}},
            "as pull_request.base.sha: None",
        ),
        ("merge_group", {}, "as merge_group.base_sha: None"),
        ("merge_group", {"merge_group": [{}]}, "as merge_group.base_sha: None"),
        ("", {}, "does not tell what to compare"),
    ],
)
def test_an_event_of_another_shape(runner, repository, name, data, part):
    repository.commit({"a": "x\n"})
    assert_stopped(runner.run(name, data, repository.root, inputs=PROFILE), part)


def test_a_new_branch_of_no_known_repository(runner, repository):
    after = repository.commit({"a": "x\n"})
    ended = push(runner, repository.root, ZERO, after, repository=["x"])
    assert (ended.code, ended.outputs["verdict"]) == (0, "nothing")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (None, "No such file"), (b"", "Expecting value"), (b"{", "Expecting property name"),
        (b"\xff", "can't decode"), (b"[" * 100_000, "recursion"), ("folder", "Is a directory"),
    ],
    ids=["missing", "empty", "cut", "binary", "deep", "folder"],
)  # fmt: skip
def test_an_event_that_cannot_be_read(runner, repository, tmp_path, content, part):
    repository.commit({"a": "x\n"})
    place = tmp_path / "told"
    if content == "folder":
        place.mkdir()
    elif content is not None:
        place.write_bytes(content)
    ended = runner.run("push", {}, repository.root, GITHUB_EVENT_PATH=str(place))
    assert_stopped(ended, part, "GITHUB_EVENT_PATH")


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_EVENT_PATH",
        "GITHUB_WORKSPACE",
        "RUNNER_TEMP",
        "GITHUB_REPOSITORY",
    ],
)
def test_what_no_runner_tells(real_runner, pull, name):
    assert_stopped(pull.run(real_runner, **{name: ""}), name)


def test_a_folder_that_is_not_there(runner, pull):
    assert_stopped(pull.run(runner, inputs={"path": "nowhere"}), "input path")


def test_a_runner_without_git(real_runner, pull, tmp_path):
    (tmp_path / "few").mkdir()
    (tmp_path / "few/bash").symlink_to(shutil.which("bash"))
    (tmp_path / "few/python3").symlink_to(sys.executable)
    assert_stopped(pull.run(real_runner, PATH=str(tmp_path / "few")), "the runner refuses", "git")


def test_why_a_commit_cannot_be_fetched(runner, repository, whole, tmp_path):
    """As without `contents: read`: git's own words are the reason."""
    before = repository.commit({"a.config": whole(BAD)})
    after = repository.commit({"b.config": whole(BAD)})
    clone = cloned(repository, tmp_path, "--depth=1")
    repository.git("-C", clone, "remote", "set-url", "origin", str(tmp_path / "gone"))
    assert_stopped(push(runner, clone, before, after), "could not be fetched (fatal: ", "gone")


# --- a change of policy, and who accepts it -------------------------------------------------------

WAIVER = "[[waiver]]\nrule = 'debug-overhead'\nreason = 'Ours.'\n"


@pytest.fixture
def excused(repository, whole):
    """A pull request that brings a waiver for what it makes worse."""
    base = {"a.config": whole(), "kernel-advisor.toml": "fail-on = 'must'\n"}
    files = {"a.config": whole(BAD), "kernel-advisor.toml": f"fail-on = 'must'\n{WAIVER}"}
    return Pull(repository, files, base)


def digest(ended):
    (found,) = {*re.findall(r"accept-policy:([0-9a-f]{32})", ended.summary)}
    return found


def test_a_pull_request_does_not_excuse_itself(runner, excused):
    ended = excused.run(runner, inputs={"comment": "false"})
    assert ended.code == 1
    assert "weakens the settings" in ended.summary
    assert "To accept this change of policy" in ended.summary.splitlines()[-1]
    assert "policy-weaker" in ended.log


@pytest.mark.parametrize("by", ["label", "input"])
def test_what_was_accepted_passes(runner, excused, by):
    ended = excused.run(runner, inputs={"comment": "false"})
    if by == "label":
        names = ["kernel", f"accept-policy:{digest(ended)}", "accept-policy:x", 7]
        event = excused.event
        excused.event = lambda name: _labelled(event(name), names)
        ended = excused.run(runner, inputs={"comment": "false"})
    else:
        given = {"accept-policy": f"{'0' * 32}, {digest(ended)}"}
        ended = excused.run(runner, inputs={"comment": "false", **given})
    assert ended.code == 0
    assert "and this was accepted" in ended.summary
    assert "1 finding waived" in ended.summary


def _labelled(event, names):
    event["pull_request"]["labels"] = [{"name": name} for name in names]
    return event
