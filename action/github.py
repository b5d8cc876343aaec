"""GitHub's interface, by `gh`: the one comment, suggestions, and code scanning.

Nothing else gets the token.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from event import Event, commit_id, git, has, tell

# One review with more comments than that helps nobody; the comment shows all.
MOST_SUGGESTIONS = 20


class Refused(Exception):
    """What GitHub's interface answered instead, with the HTTP status if it told one."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        status = re.search(r"HTTP (\d{3})", message)
        self.status = int(status[1]) if status else 0


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
    head = commit_id(event, "pull_request", "head", "sha")
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
        head = commit_id(event, "pull_request", "head", "sha")
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


def upload(event: Event, file: Path) -> None:
    """Gives the SARIF file to code scanning, if that is wanted."""
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
