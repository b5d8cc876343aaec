"""The template for GitLab: its script, run as a job, against a server that records."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.ci.conftest import MARKER
from tests.ci.test_install import Source, value

PROJECT = Path(__file__).resolve().parents[2]
TEMPLATE = PROJECT / "templates/kernel-advisor.yml"
SPEC, JOBS = yaml.safe_load_all(TEMPLATE.read_text())
JOB = JOBS["kernel-advisor"]
NOTES = "/api/projects/3/merge_requests/7/notes"
TOKEN = "glpat-secret"
# In place of the first part of the script, which installs the package from the network.
INSTALLED = "python=$VENV/bin/python"


class Job(NamedTuple):
    """How a job ended, and what it asked the server to change."""

    code: int
    log: str
    calls: list[tuple[str, str, str]]
    folder: Path

    @property
    def text(self) -> str:
        return (self.folder / "review.md").read_text()


@pytest.fixture
def server():
    """A GitLab whose notes are listed by the test, and which records what is sent."""
    calls = []
    notes = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size))["body"] if size else ""
            calls.append((self.command, self.path, body))
            known = self.headers.get("PRIVATE-TOKEN") == TOKEN
            page = int((re.search(r"&page=(\d+)", self.path) or ["", "1"])[1])
            found = {"id": 1} if self.path == "/api/user" else notes[page - 1 : page]
            data = json.dumps(found).encode()
            self.send_response(200 if known else 401)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *_):
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    made.calls, made.notes = calls, notes
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def job(repository, whole, environment_of, server, home):
    """Runs the job on a merge request with these files."""

    def run(files=None, token="", labels="", base=None, **inputs):
        base = repository.commit({"base.config": whole(), **(base or {})})
        # As a runner with all of the history has the target.
        repository.git("update-ref", "refs/remotes/origin/main", base)
        head = repository.commit(files or {"a.config": whole("CONFIG_PROVE_LOCKING=y")})
        known = SPEC["spec"]["inputs"].items()
        values = {name: str(value.get("default", "")) for name, value in known}
        values |= {name.replace("_", "-"): value for name, value in inputs.items()}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "VENV": str(environment_of["plain"]),
            "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api",
            "CI_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_LABELS": labels,
            "CI_COMMIT_SHA": head,
            **{
                name: re.sub(r"\$\[\[ inputs\.(\S+) ]]", lambda m: values[m[1]], value)
                for name, value in JOB["variables"].items()
            },
        }
        if token:
            environment["KERNEL_ADVISOR_TOKEN"] = token
        server.calls.clear()
        script = "\n".join([INSTALLED, *JOB["script"][1:]])
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=repository.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert TOKEN not in done.stdout + done.stderr
        sent = [call for call in server.calls if call[0] != "GET"]
        folder = repository.root / "kernel-advisor"
        return Job(done.returncode, done.stdout + done.stderr, sent, folder)

    return run


def note(body, author=1, number=5):
    return {"id": number, "author": {"id": author}, "body": body}


def test_the_script_is_clean(tmp_path):
    shellcheck = shutil.which("shellcheck")
    if not shellcheck:
        pytest.skip("shellcheck is missing: apt-get install shellcheck")
    script = tmp_path / "script"
    script.write_text("\n".join(JOB["script"]))
    assert subprocess.run([shellcheck, "-s", "sh", script], check=False).returncode == 0


def test_inputs_are_variables_and_stand_in_no_script():
    assert "[[" not in "".join(JOB["script"])
    used = re.findall(r"inputs\.(\S+) ]]", json.dumps(JOB))
    assert sorted(used) == sorted(SPEC["spec"]["inputs"])


def test_without_a_token_the_artifact_tells(job, server):
    ended = job(profile="server-throughput database")
    assert (ended.code, server.calls) == (1, [])
    assert ended.text.startswith(MARKER)
    assert "Server throughput, Database" in ended.text or "Database" in ended.text
    report = json.loads((ended.folder / "review.json").read_text())
    assert report["files"][0]["report"]["profiles"] == ["server-throughput", "database"]
    assert job(fail_on="never").code == 0


def test_a_note_is_written_and_renewed(job, server):
    ended = job(token=TOKEN, profile="server-throughput")
    assert (ended.code, ended.calls) == (1, [("POST", NOTES, ended.text)])
    server.notes[:] = [note("hello", 2, 4), note(f"{MARKER}\nold")]
    ended = job(token=TOKEN)
    assert ended.calls == [("PUT", f"{NOTES}/5", ended.text)]
    server.notes[:] = [note(ended.text)]
    assert job({"b.config": (ended.folder.parent / "a.config").read_text()}, TOKEN).calls != []


def test_a_foreign_note_is_not_touched(job, server):
    server.notes[:] = [note(f"{MARKER}\nforged", 2), note(f"x\n{MARKER}")]
    ended = job(token=TOKEN)
    assert ended.calls == [("POST", NOTES, ended.text)]


def test_nothing_that_matters(job, server):
    ended = job({"text": "x\n"}, TOKEN)
    assert (ended.code, ended.calls) == (0, [])
    server.notes[:] = [note(f"{MARKER}\nold")]
    ended = job({"text": "y\n"}, TOKEN)
    assert ended.calls == [("PUT", f"{NOTES}/5", ended.text)]


def test_a_token_that_does_not_serve_fails_nothing(job):
    ended = job(token="other", fail_on="never")
    assert (ended.code, ended.calls) == (0, [])
    assert "no note was written" in ended.log


def test_a_base_config_is_an_option(job):
    ended = job({"f.config": "CONFIG_PSI=y\n"}, profile="database", base_config="base.config")
    assert "judged on base" in ended.text


def test_modules_of_the_merge_request_are_not_imported(job, tmp_path):
    mark = tmp_path / "planted"
    names = ("json", "urllib/__init__", "venv", "advisor/__init__")
    files = {f"{name}.py": f"open({str(mark)!r}, 'w')\n" for name in names}
    ended = job({**files, "a.config": "CONFIG_PSI=y\n"}, TOKEN)
    assert ended.calls == [("POST", NOTES, ended.text)]
    assert not mark.exists()


def test_a_merge_request_does_not_excuse_itself_and_a_label_may(job, whole):
    waiver = "[[waiver]]\nrule = 'debug-overhead'\nreason = 'Ours.'\n"
    settings = "fail-on = 'must'\n"
    files = {
        "base.config": whole("CONFIG_PROVE_LOCKING=y"), "kernel-advisor.toml": settings + waiver
    }  # fmt: skip
    options = {"profile": "server-throughput", "base": {"kernel-advisor.toml": settings}}
    ended = job(files, **options)
    assert (ended.code, "weakens the settings" in ended.text) == (1, True)
    (digest,) = {*re.findall(r"accept-policy:([0-9a-f]{32})", ended.text)}
    ended = job(files, labels=f"kernel,accept-policy:{digest}", **options)
    assert (ended.code, "1 finding waived" in ended.text) == (0, True)


def test_a_tag_called_as_the_target_is_not_the_target(job, repository, whole):
    bad = {"base.config": whole("CONFIG_PROVE_LOCKING=y")}
    repository.git("tag", "origin/main", repository.commit(bad))
    assert job(bad, profile="server-throughput").code == 1


# --- the first part of the script -----------------------------------------------------------------


@pytest.fixture
def package(repository, tmp_path):
    """A source, committed, and what runs the first part of the script for it."""
    source = Source(tmp_path / "package")
    shutil.copytree(source.root, repository.root, dirs_exist_ok=True)
    commit = repository.commit({"README": "x\n"})
    repository.git("config", "uploadpack.allowAnySHA1InWant", "true")

    def installed(address):
        script = f'{JOB["script"][0]}\necho "python=$python"'
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=tmp_path, text=True, check=False,
            env={**source.environment, "TMPDIR": str(tmp_path), "ADVISOR_PACKAGE": address},
            capture_output=True,
        )  # fmt: skip

    return f"git+file://{repository.root}", commit, installed


@pytest.mark.installs
def test_the_job_installs_a_commit_from_its_lock(package):
    address, commit, installed = package
    done = installed(f"{address}@{commit}")
    assert done.returncode == 0, done.stderr
    assert value(done.stdout.strip().partition("python=")[2]) == "1 2"


@pytest.mark.parametrize(
    "revision",
    ["@main", "", "@v1", "@" + "1" * 39, "@" + "g" * 40, "@--upload-pack=x", "@" + "A" * 40],
)
def test_the_job_installs_nothing_but_a_commit(package, revision):
    address, _, installed = package
    done = installed(address + revision)
    assert (done.returncode, "whole id" in done.stdout) == (2, True)
    assert installed("kernel-advisor").returncode == 2
