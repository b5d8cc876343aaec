"""What started the workflow, and which two commits it says to compare.

What git is asked in the checkout is asked here, which has no say in what it runs.
"""

from __future__ import annotations

import json
import re
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

# What programs get of the environment: nothing that may be a secret of the job's.
KEPT = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TMPDIR|XDG_CONFIG_HOME|LD_LIBRARY_PATH|PIP_\w+|GIT_CONFIG_\w+"
    r"|(?:https?|no|HTTPS?|NO)_(?:proxy|PROXY)|SSL_CERT_\w+|REQUESTS_CA_BUNDLE"
)
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
