"""What the GitHub Action does: finds the two revisions, reviews what changed, and tells it.

Inputs come as ADVISOR_* variables and reach no shell. Python is started isolated (-I) and outside
of the checkout, since it would import modules of a pull request from there. Only `gh` gets the
token.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

# Isolated, Python knows no folder of the script: the action's own is added, and no other.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from event import Event, Nothing, Problem, Span, show, span, tell, told  # see above
from github import commented, suggest, upload  # see above

LISTS = ("profile", "boot-lines", "include", "exclude", "must-judge", "accept-policy")
OPTIONS = ("base-config", "tree", "cmdline", "kernel", "arch", "fail-on", "marker")
# The formats that are written, each to its file.
FILES = {
    "markdown": "review.md",
    "json": "review.json",
    "github": "annotations.txt",
    "sarif": "review.sarif",
}
# A label of a pull request, which its author alone cannot give, accepts a change of policy.
ACCEPTS = re.compile(r"accept-policy:([0-9a-f]{32})")
# Without these no run begins.
TOLD = ("GITHUB_REPOSITORY", "GITHUB_WORKSPACE", "RUNNER_TEMP")


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
    upload(event, event.out / FILES["sarif"])
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
