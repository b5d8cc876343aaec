"""What the GitHub Action does: finds the two revisions, reviews what changed, and tells it.

Inputs come as ADVISOR_* variables and reach no shell. Python is started isolated (-I) and outside
of the checkout, since it would import modules of a pull request from there. Only `gh` gets the
token.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

LISTS = ("profile", "boot-lines", "include", "exclude", "must-judge", "accept-policy")
OPTIONS = ("base-config", "tree", "cmdline", "kernel", "arch", "fail-on", "marker")
# The formats that are written, each to its file.
FILES = {
    "markdown": "review.md",
    "json": "review.json",
    "github": "annotations.txt",
    "sarif": "review.sarif",
}
# What programs get of the environment: nothing that may be a secret of the job's.
KEPT = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TMPDIR|XDG_CONFIG_HOME|LD_LIBRARY_PATH|PIP_\w+|GIT_CONFIG_\w+"
    r"|(?:https?|no|HTTPS?|NO)_(?:proxy|PROXY)|SSL_CERT_\w+|REQUESTS_CA_BUNDLE"
)
# A label of a pull request, which its author alone cannot give, accepts a change of policy.
ACCEPTS = re.compile(r"accept-policy:([0-9a-f]{32})")
# Without these no run begins.
TOLD = ("GITHUB_REPOSITORY", "GITHUB_WORKSPACE", "RUNNER_TEMP")
# One review with more comments than that helps nobody; the comment shows all.
MOST_SUGGESTIONS = 20
ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
DEEPER = "give actions/checkout `fetch-depth: 0`"
UNSAFE = (
    "pull_request_target runs with the base repository's secrets and may write to it, so the"
    " files of a pull request must not be read there: start the workflow with `on: pull_request`"
)


class Problem(Exception):
    """What keeps the action from a review, with what to do."""


class Nothing(Exception):
    """Why there is nothing to compare, and nothing wrong with that."""


class Refused(Exception):
    """What GitHub's interface answered instead, with the HTTP status if it told one."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        status = re.search(r"HTTP (\d{3})", message)
        self.status = int(status[1]) if status else 0


class Span(NamedTuple):
    """What to compare: `exact` with base itself, else with where head left it."""

    base: str
    head: str
    exact: bool = False


class Event(NamedTuple):
    """What started the workflow."""

    name: str
    data: dict[str, Any]
    environment: Mapping[str, str]

    def at(self, *names: str) -> Any:
        """What the event tells under these names, one in another; None where it is not so built."""
        found: Any = self.data
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    def variable(self, name: str) -> str:
        """What the runner tells every step. Raises Problem."""
        if value := self.environment.get(name):
            return value
        raise Problem(f"{name} is not set: run this as a step of a workflow")

    def given(self, option: str) -> str:
        """An input of the action."""
        return self.environment.get("ADVISOR_" + option.upper().replace("-", "_"), "").strip()

    def wants(self, option: str) -> bool:
        """Whether a switch among the inputs is on."""
        return self.given(option).lower() == "true"

    @property
    def plain(self) -> dict[str, str]:
        """The environment for programs."""
        return {key: value for key, value in self.environment.items() if KEPT.fullmatch(key)}

    @property
    def pull(self) -> dict[str, Any]:
        """The pull request; empty for another event."""
        pull = self.at("pull_request") if self.name == "pull_request" else None
        return pull if isinstance(pull, dict) else {}

    @property
    def number(self) -> int:
        """The pull request's. Raises Problem."""
        number = self.pull.get("number")
        if not isinstance(number, int):
            raise Problem(f"the event tells no number of the pull request: {number!r}")
        return number

    @property
    def fork(self) -> bool:
        """Whether the pull request comes from another repository, whose token may only read."""
        there = self.at("pull_request", "head", "repo", "full_name")
        return bool(self.pull) and there != self.repository

    @property
    def repository(self) -> str:
        """`owner/name`."""
        name = self.variable("GITHUB_REPOSITORY")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
            raise Problem(f"{name!r} is no repository")
        return name

    @property
    def folder(self) -> Path:
        """Where the repository is checked out."""
        return Path(self.variable("GITHUB_WORKSPACE"), self.given("path"))

    @property
    def scratch(self) -> Path:
        """A folder that the job may write to, outside of the checkout."""
        return Path(self.variable("RUNNER_TEMP"))

    @property
    def out(self) -> Path:
        """Where this run writes its files; a name of a comment has its own."""
        name = re.sub(r"[^a-z0-9-]", "", self.given("marker"))[:40]
        return self.scratch / "-".join(filter(None, ("kernel-advisor-review", name)))


def tell(kind: str, message: str) -> None:
    """A notice, warning or error of the job."""
    text = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{kind} title=kernel-advisor::{text}", flush=True)


def show(text: str) -> None:
    """Prints what may hold text of a pull request, in which no line counts as a command."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::", flush=True)


def git(event: Event, *words: str) -> str:
    """What git says in the checkout; empty if it refuses."""
    done = run_git(event, *words)
    return done.stdout.strip() if done.returncode == 0 else ""


def run_git(event: Event, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs git in the checkout, which has no say in what it runs."""
    return subprocess.run(
        ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *words],
        cwd=event.folder, env={**event.plain, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip


def has(event: Event, revision: str) -> str:
    """The id of a commit if the clone has it, else nothing."""
    return git(
        event, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"
    )


def fetch(event: Event, commit: str, depth: int) -> str:
    """Fetches a commit by its id; why the server refuses, in git's words, if it does."""
    options = ("--quiet", "--no-tags", "--no-recurse-submodules", f"--depth={depth}")
    done = run_git(event, "fetch", *options, "origin", commit)
    return " ".join(done.stderr.split()) if done.returncode else ""


def commit_id(event: Event, *names: str) -> str:
    """The id of a commit that the event tells under these names. Raises Problem."""
    value = event.at(*names)
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise Problem(f"the event ({event.name}) tells no commit as {'.'.join(names)}: {value!r}")
    return value


def span(event: Event) -> Span:
    """What the event says to compare. Raises Problem or Nothing."""
    if event.name == "pull_request_target":
        raise Problem(UNSAFE)
    if not event.folder.is_dir():
        raise Problem(f"there is no folder {event.folder}: look at the input path")
    checked = run_git(event, "rev-parse", "--git-dir")
    if checked.returncode:
        hint = "is actions/checkout a step before this one?"
        raise Problem(f"no repository in {event.folder}: {checked.stderr.strip()} ({hint})")
    if base := event.given("base"):
        return Span(base, event.given("head") or "HEAD")
    if event.pull:
        return _of_pull(event)
    if event.name == "push":
        return _of_push(event)
    if event.name == "merge_group":
        base, head = (commit_id(event, "merge_group", f"{side}_sha") for side in ("base", "head"))
        return _exact(event, base, head)
    raise Problem(f"{event.name} does not tell what to compare: give the inputs base and head")


def _of_pull(event: Event) -> Span:
    merge, reason = event.environment.get("GITHUB_SHA", ""), ""
    if event.number and ID.fullmatch(merge) and has(event, "HEAD") == merge:
        # The merge that GitHub tries: its first parent is the base, so two commits are enough.
        if not has(event, "HEAD^1"):
            reason = fetch(event, merge, 2)
        if has(event, "HEAD^2"):
            return Span(has(event, "HEAD^1"), merge, exact=True)
    base, head = (commit_id(event, "pull_request", side, "sha") for side in ("base", "head"))
    _need(event, base, head, reason=reason)
    if not git(event, "merge-base", base, head):
        raise Problem(f"the clone does not reach back to where {head} left {base}: {DEEPER}")
    return Span(base, head)


def _of_push(event: Event) -> Span:
    before, after = (commit_id(event, side) for side in ("before", "after"))
    if not after.strip("0"):
        raise Nothing("The branch was deleted.")
    if before.strip("0"):
        return _exact(event, before, after)
    default = event.at("repository", "default_branch")
    start = has(event, f"refs/remotes/origin/{default}")
    if not start or not git(event, "merge-base", start, after):
        raise Nothing(f"The branch is new, and the clone does not tell where it begins: {DEEPER}.")
    return Span(start, after)


def _exact(event: Event, base: str, head: str) -> Span:
    reason = "" if has(event, base) else fetch(event, base, 1)
    _need(event, base, head, reason=reason)
    return Span(base, head, exact=True)


def _need(event: Event, *commits: str, reason: str = "") -> None:
    """Raises Problem for a commit that the clone does not have, and why it could not be fetched."""
    for name in commits:
        if not has(event, name):
            why = f", and it could not be fetched ({reason[:400]})" if reason else ""
            raise Problem(f"the clone has no commit {name}{why}: {DEEPER}")


def installed(event: Event) -> Path:
    """The Python of an environment with this version of kernel-advisor (see install.py).

    A runner that lives on keeps it where it keeps other tools; else it is for this job.
    """
    source, kept = event.variable("GITHUB_ACTION_PATH"), event.environment.get("RUNNER_TOOL_CACHE")
    lasts = bool(kept) and os.access(str(kept), os.W_OK | os.X_OK)
    folder = Path(str(kept) if lasts else event.scratch, "kernel-advisor")
    script = Path(source, "action", "install.py")
    done = subprocess.run(
        [sys.executable, "-I", script, source, folder], cwd=event.scratch, env=event.plain,
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Problem("kernel-advisor cannot be installed: see above why")
    return Path(done.stdout.splitlines()[-1])


def review(event: Event, python: Path, compared: Span) -> int:
    """Runs the review, with its text in the log; its exit code."""
    shutil.rmtree(event.out, ignore_errors=True)
    event.out.mkdir(parents=True)
    command = [str(python), "-I", "-m", "advisor", "review", *_options(event)]
    command += [f"--write={name}={event.out / file}" for name, file in FILES.items()]
    command += ["--exact"] * compared.exact + ["--", compared.base, compared.head]
    done = subprocess.run(
        command, cwd=event.folder, env=event.plain, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    show(done.stdout.decode(errors="replace"))
    return done.returncode


def _options(event: Event) -> Iterator[str]:
    given = [(name, value) for name in LISTS for value in re.split(r"[\s,]+", event.given(name))]
    given += [(name, event.given(name)) for name in OPTIONS]
    given += [("accept-policy", digest) for digest in _accepted(event)]
    yield from (f"--{name}={value}" for name, value in given if value)


def _accepted(event: Event) -> Iterator[str]:
    """The digests that labels of the pull request accept."""
    labels = event.pull.get("labels")
    for label in labels if isinstance(labels, list) else ():
        name = label.get("name") if isinstance(label, dict) else None
        if accepts := ACCEPTS.fullmatch(str(name)):
            yield accepts[1]


def gh(event: Event, *words: str) -> Any:
    """What `gh api` answers, pages joined. Raises Refused."""
    host = event.environment.get("GITHUB_SERVER_URL", "https://github.com").partition("://")[2]
    token = event.given("token")
    settings = {"GH_HOST": host, "GH_TOKEN": token, "GH_ENTERPRISE_TOKEN": token}
    environment = {**event.plain, **settings, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1"}
    try:
        done = subprocess.run(
            ["gh", "api", *words], cwd=event.scratch, env=environment, capture_output=True,
            text=True, errors="replace", check=False,
        )  # fmt: skip
    except OSError as error:
        raise Refused(f"gh cannot be run: {error.strerror}") from error
    if done.returncode:
        raise Refused(done.stderr.strip() or f"gh ended with {done.returncode}")
    # Of a list gh prints each page as a document of its own, one behind the other.
    decoder, text, pages = json.JSONDecoder(), done.stdout, []
    try:
        while text := text.lstrip():
            page, end = decoder.raw_decode(text)
            pages.append(page)
            text = text[end:]
    except ValueError as error:
        raise Refused(f"gh answered no JSON: {error}") from error
    if len(pages) > 1:
        return [item for page in pages for item in page]
    return pages[0] if pages else None


def sent(event: Event, method: str, path: str, body: dict[str, Any]) -> Any:
    """What the interface answers to a document, which goes there in a file."""
    file = event.out / "request.json"
    file.write_text(json.dumps(body))
    return gh(event, "--method", method, path, "--input", str(file))


def own_name(event: Event) -> str:
    """The account that the token acts for."""
    try:
        answer = gh(event, "graphql", "-f", "query={viewer{login}}")
        return str(answer["data"]["viewer"]["login"])
    except (Refused, KeyError, TypeError):
        return "github-actions[bot]"


def own_comment(event: Event, issue: str, first_line: str) -> dict[str, Any]:
    """The comment that an earlier run wrote: by its first line, and by who wrote it."""
    comments = gh(event, "--paginate", f"{issue}/comments?per_page=100") or []
    name = own_name(event)
    for comment in comments:
        mine = (comment.get("user") or {}).get("login") == name
        if mine and (comment.get("body") or "").splitlines()[:1] == [first_line]:
            return dict(comment)
    return {}


def comment(event: Event, text: str, *, anything: bool) -> str:
    """Writes or renews the one comment; its address. Where nothing changed none is begun."""
    repository = f"repos/{event.repository}"
    issue = f"{repository}/issues/{event.number}"
    own = own_comment(event, issue, text.splitlines()[0])
    if not own and not anything:
        return ""
    if own.get("body") == text:
        return str(own["html_url"])
    if own:
        path = f"{repository}/issues/comments/{int(own['id'])}"
        return str(sent(event, "PATCH", path, {"body": text})["html_url"])
    return str(sent(event, "POST", f"{issue}/comments", {"body": text})["html_url"])


def commented(event: Event, text: str, *, anything: bool) -> str:
    """The same, where that is wanted and can be; else a word on why not."""
    if not event.pull or not event.wants("comment"):
        return ""
    if event.fork:
        tell("notice", "A fork's token may not comment: the review is in the job's summary.")
        return ""
    try:
        return comment(event, text, anything=anything)
    except Refused as error:
        tell("warning", f"no comment: {_permission(error, 'pull-requests: write')}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        tell("warning", f"no comment: the answer was not as expected ({error!r})")
    return ""


def suggestion(edit: Mapping[str, Any]) -> str:
    """The text of a comment on a line that offers the change of it; no line ends its fence."""
    lines = [str(line) for line in edit["now"]]
    longest = max((len(run) for run in re.findall("`+", "".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    rule = re.sub(r"[^\w/.-]", "", str(edit["rule"]))
    text = "\n".join([f"{fence}suggestion", *lines, fence])
    return f"<!-- kernel-advisor:suggestion -->\n`{rule}`\n\n{text}"


def suggestions(event: Event, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The comments on lines that there are not yet, each on a file as the head itself has it."""
    head = commit_id(event.pull["head"]["sha"])
    edits = [edit for file in document["files"] for edit in file["edits"]]
    # A merge may have moved the lines; what was not fetched cannot be compared.
    same = {
        path: bool(blob := git(event, "rev-parse", f"{head}:{path}"))
        and blob == git(event, "rev-parse", f"{document['head']}:{path}")
        for path in {edit["path"] for edit in edits}
    }
    wanted = [
        {"path": e["path"], "line": e["line"], "side": "RIGHT", "body": suggestion(e)}
        for e in edits if same[e["path"]]
    ]  # fmt: skip
    pull = f"repos/{event.repository}/pulls/{int(event.pull['number'])}"
    old = gh(event, "--paginate", f"{pull}/comments?per_page=100") if wanted else []
    name = own_name(event) if old else ""
    told = {
        (comment.get("path"), comment.get("body"))
        for comment in old or [] if (comment.get("user") or {}).get("login") == name
    }  # fmt: skip
    return [one for one in wanted if (one["path"], one["body"]) not in told][:MOST_SUGGESTIONS]


def suggest(event: Event, document: Mapping[str, Any]) -> None:
    """Offers the changes of lines as suggestions to apply, in one review, where that is wanted."""
    if not event.pull or event.fork or not event.wants("suggestions"):
        return
    try:
        if not (comments := suggestions(event, document)):
            return
        path = f"repos/{event.repository}/pulls/{int(event.pull['number'])}/reviews"
        head = commit_id(event.pull["head"]["sha"])
        text = "kernel-advisor suggests changes of these lines."
        review = {"commit_id": head, "event": "COMMENT", "body": text, "comments": comments}
        sent(event, "POST", path, review)
    except Refused as error:
        tell("warning", f"no suggestions: {_permission(error, 'pull-requests: write')}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        tell("warning", f"no suggestions: the answer was not as expected ({error!r})")


def _permission(error: Refused, needed: str) -> str:
    if error.status in (401, 403, 404):
        return f"the job's token lacks the permission `{needed}` ({error})"
    return str(error)


def open_results(file: Path) -> bytes:
    """The SARIF file without what is waived: code scanning reads no suppressions."""
    document = json.loads(file.read_text(encoding="utf-8"))
    for run in document["runs"]:
        run["results"] = [one for one in run["results"] if not one.get("suppressions")]
    return json.dumps(document).encode()


def upload(event: Event) -> None:
    """Gives the SARIF file to code scanning, if that is wanted."""
    file = event.out / FILES["sarif"]
    if not event.wants("upload-sarif"):
        return
    ref, commit = event.environment.get("GITHUB_REF", ""), has(event, "HEAD")
    if event.pull and commit != event.environment.get("GITHUB_SHA"):
        ref = f"refs/pull/{event.number}/head"
        commit = commit_id(event, "pull_request", "head", "sha")
    # Without the time of day the same results are the same upload.
    packed = base64.b64encode(gzip.compress(open_results(file), mtime=0)).decode()
    body = {"commit_sha": commit, "ref": ref, "sarif": packed}
    try:
        sent(event, "POST", f"repos/{event.repository}/code-scanning/sarifs", body)
    except Refused as error:
        reason = _permission(error, "security-events: write")
        tell("warning", f"nothing for code scanning: {reason}")


def append(event: Event, variable: str, text: str) -> None:
    """Appends to one of the files by which a step tells the runner something."""
    if name := event.environment.get(variable):
        with open(name, "a", encoding="utf-8", errors="replace") as file:
            file.write(text)


def outputs(event: Event, values: Mapping[str, str]) -> None:
    """The step's outputs, a line each."""
    lines = (f"{name}={' '.join(value.split())}\n" for name, value in values.items())
    append(event, "GITHUB_OUTPUT", "".join(lines))


def finished(event: Event, code: int) -> int:
    """Tells what was found everywhere it is wanted; the step's exit code."""
    file = event.out / "review.md"
    if not file.exists():
        outputs(event, {"verdict": "error", "failed": "true"})
        tell("error", f"no review: kernel-advisor ended with {code}, see above")
        return code or 70
    text = file.read_text(encoding="utf-8", errors="replace")
    document = json.loads((event.out / "review.json").read_text())
    anything = bool(document["files"] or document["policy"])
    append(event, "GITHUB_STEP_SUMMARY", text)
    annotations = event.out / FILES["github"]
    if event.wants("annotations") and annotations.exists():
        print(annotations.read_text(encoding="utf-8", errors="replace"), flush=True)
    upload(event)
    suggest(event, document)
    verdict = {0: "ok" if anything else "nothing", 1: "findings"}.get(code, "error")
    outputs(
        event,
        {
            "verdict": verdict,
            "failed": str(code != 0).lower(),
            "comment-url": commented(event, text, anything=anything),
            "summary": str(file),
            "report": str(event.out / "review.json"),
        },
    )
    return code if event.wants("fail") else 0


def told(environment: Mapping[str, str]) -> dict[str, Any]:
    """What the runner tells of the event. Raises Problem."""
    path = environment.get("GITHUB_EVENT_PATH", "")
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Problem(
            f"the event cannot be read from {path!r} (GITHUB_EVENT_PATH): {reason}"
        ) from error
    if not isinstance(data, dict):
        raise Problem(f"the event in {path} is a {type(data).__name__}, not an object")
    return data


def stopped(event: Event, message: str, code: int) -> int:
    """Tells why there is no review, in one line; the step's exit code."""
    tell("error", message)
    try:
        outputs(event, {"verdict": "error", "failed": "true"})
    except OSError as error:
        tell("error", f"no outputs: {error}")
    return code


def main() -> int:
    """Runs the action; the exit code of its step."""
    environment = dict(os.environ)
    event = Event(environment.get("GITHUB_EVENT_NAME", ""), {}, environment)
    try:
        event = event._replace(data=told(environment))
        for name in TOLD:
            event.variable(name)
        compared = span(event)
        return finished(event, review(event, installed(event), compared))
    except Nothing as reason:
        outputs(event, {"verdict": "nothing", "failed": "false"})
        tell("notice", str(reason))
        return 0
    except Problem as problem:
        return stopped(event, str(problem), 2)
    except OSError as error:
        return stopped(event, f"the runner refuses: {error}", 2)
    except Exception as error:
        return stopped(event, f"a bug: {type(error).__name__}: {error} (please report it)", 70)


if __name__ == "__main__":
    sys.exit(main())
