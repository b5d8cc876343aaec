"""A runner of GitHub's, as far as the action needs one: files, variables, and a gh that records."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[2]
TOKEN = "ghs_secret"
BOT = "github-actions[bot]"
MARKER = "<!-- kernel-advisor:review -->"

# Without the packages of the tests, as it is started some hundred times.
GH = """\
#!{python} -IS
import json, os, sys
from pathlib import Path

here = Path(__file__).parent
words = sys.argv[1:]
method = words[words.index("--method") + 1] if "--method" in words else "GET"
path = next(w for w in words[1:] if "/" in w or w == "graphql")
body = None
if "--input" in words:
    body = json.loads(Path(words[words.index("--input") + 1]).read_text())
call = {{"method": method, "path": path, "body": body, "words": words, "folder": os.getcwd(),
        "token": os.environ.get("GH_TOKEN")}}
with open(here / "calls", "a") as file:
    file.write(json.dumps(call) + "\\n")
answers = json.loads((here / "answers").read_text())
missing = {{"code": 1, "error": "gh: Not Found (HTTP 404)"}}
answer = answers.get(f"{{method}} {{path.partition('?')[0]}}", missing)
print(answer.get("error", ""), file=sys.stderr)
print("".join(json.dumps(page) for page in answer.get("pages", [])))
sys.exit(answer.get("code", 0))
"""
# Formats in the place of the real ones, to see what the action passes on.
FORMATS = """\
import json, os
import advisor.output as output

output.FORMATS.update(github="fake_github", sarif="fake_sarif")
"""
GITHUB = "def render(reports, style):\n    return '::warning::annotated\\n' if reports else ''\n"
SARIF = """\
import json, os

def render(reports, style):
    results = [{"suppressions": []}, {"suppressions": [{"kind": "external"}]}]
    return json.dumps({"runs": [{"results": results}], "environment": dict(os.environ)})
"""


class Ended(NamedTuple):
    """How a step ended, and what it left."""

    code: int
    log: str
    summary: str
    outputs: dict[str, str]
    calls: list[dict[str, Any]]

    @property
    def commands(self) -> list[str]:
        """The lines of the log that the runner takes for commands."""
        found, stopped = [], ""
        for line in self.log.splitlines():
            if stopped:
                stopped = "" if line == f"::{stopped}::" else stopped
            elif line.startswith("::stop-commands::"):
                stopped = line.removeprefix("::stop-commands::")
            elif re.match(r"\s*(?:::|##\[)", line):
                found.append(line)
        return found

    @property
    def sent(self) -> list[tuple[str, str]]:
        """What was asked to be changed."""
        return [(call["method"], call["path"]) for call in self.calls if call["method"] != "GET"]


@pytest.fixture(scope="session")
def environment_of(tmp_path_factory):
    """Virtual environments with this checkout, as the action would make them."""

    def make(name, files):
        venv = tmp_path_factory.mktemp(name) / "venv"
        command = [sys.executable, "-m", "venv", "--without-pip", venv]
        subprocess.run(command, check=True)
        (site,) = venv.glob("lib/python*/site-packages")
        places = [str(PROJECT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
        starts = [f"import {file}" for file in files if file == "fake_formats"]
        (site / "checkout.pth").write_text("\n".join([*places, *starts, ""]))
        for file, text in files.items():
            (site / f"{file}.py").write_text(text)
        return venv

    return {
        "plain": make("plain", {}),
        "formats": make(
            "formats", {"fake_formats": FORMATS, "fake_github": GITHUB, "fake_sarif": SARIF}
        ),
    }


@functools.cache
def declared() -> dict[str, Any]:
    """What action.yml says."""
    return yaml.safe_load((PROJECT / "action.yml").read_text())


class Runner:
    """Runs the step of action.yml in a checkout, as processes of its own."""

    def __init__(self, folder: Path, environments: dict[str, Path], key: str, home: Path) -> None:
        self.key = key
        self.folder = folder
        self.action = PROJECT
        self.environments = environments
        self.bin = folder / "bin"
        self.temp = folder / "temp"
        self.home = home
        self.bin.mkdir(parents=True)
        self.temp.mkdir()
        self.answers: dict[str, Any] = {
            "GET graphql": {"pages": [{"data": {"viewer": {"login": BOT}}}]}
        }
        (self.bin / "gh").write_text(GH.format(python=sys.executable))
        (self.bin / "gh").chmod(0o755)

    def comments(self, *pages: list[dict[str, Any]]) -> None:
        """What gh tells of the comments there are."""
        self.answers["GET repos/o/r/issues/7/comments"] = {"pages": list(pages)}

    def run(self, event, data, checkout, formats="plain", inputs=None, **variables) -> Ended:
        """One step for this event in this checkout."""
        place = self.temp / "kernel-advisor" / self.key
        if formats and self.environments and not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.symlink_to(self.environments[formats])
        files = {name: self.folder / name for name in ("output", "summary", "event")}
        for name in ("output", "summary"):
            files[name].write_text("")
        files["event"].write_text(json.dumps(data))
        for name in ("answers", "calls"):
            (self.bin / name).write_text(json.dumps(self.answers) if name == "answers" else "")
        environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(files["event"]),
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "GITHUB_WORKSPACE": str(checkout),
            "RUNNER_TEMP": str(self.temp),
            **variables,
        }
        step = declared()["runs"]["steps"][0]
        environment |= self._inputs(step["env"], inputs or {})
        code, log = self._run(step["run"], checkout, environment)
        assert "Traceback" not in log
        assert TOKEN not in log
        calls = [json.loads(line) for line in (self.bin / "calls").read_text().splitlines()]
        lines = files["output"].read_text().splitlines()
        outputs = dict(line.split("=", 1) for line in lines)
        return Ended(code, log, files["summary"].read_text(), outputs, calls)

    def _run(self, script: str, checkout: Path, environment: dict[str, str]) -> tuple[int, str]:
        """The exit code of the step, and what it writes."""
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=checkout,
            env=environment,
            capture_output=True,
            check=False,
        )
        return done.returncode, (done.stdout + done.stderr).decode()

    @staticmethod
    def _inputs(variables: dict[str, str], given: dict[str, str]) -> dict[str, str]:
        known = declared()["inputs"]
        values = {name: given.get(name, known[name]["default"]) for name in known} | {
            "token": TOKEN
        }
        assert not given.keys() - known.keys()
        return {
            variable: values[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
            for variable, expression in variables.items()
        }


@functools.cache
def review_module() -> Any:
    """action/review.py, loaded as a script is: the modules beside it go by their short names."""
    path = PROJECT / "action" / "review.py"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "path", [str(path.parent), *sys.path])
        spec = importlib.util.spec_from_file_location("action_review", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


class RunnerInside(Runner):
    """The same, but the step and the command that it starts run within the test's process.

    `git` and `gh` stay programs. Nothing is installed: the command is that of this checkout.
    """

    run_inside: Any
    capsys: Any

    def _run(self, script: str, checkout: Path, environment: dict[str, str]) -> tuple[int, str]:
        review = review_module()

        def run(command, **how):
            assert command[1:5] == ["-I", "-m", "advisor", "review"]
            assert how["stderr"] == subprocess.STDOUT
            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(os, "environ", {**how["env"]})
                done = self.run_inside(*command[4:], cwd=how["cwd"])
            return SimpleNamespace(
                returncode=done.code, stdout=(done.stdout + done.stderr).encode()
            )

        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(checkout)
            for name in [name for name in os.environ if name != "PYTEST_CURRENT_TEST"]:
                patched.delenv(name)
            for name, value in environment.items():
                patched.setenv(name, value)
            patched.setattr(review, "installed", lambda event: "python")
            patched.setattr(
                review, "subprocess", SimpleNamespace(**{**vars(subprocess), "run": run})
            )
            self.capsys.readouterr()
            code = review.main()
            return code, "".join(self.capsys.readouterr())


@pytest.fixture(scope="session")
def source_key():
    """What the action's own Python calls the environment of this checkout."""
    code = "import pathlib, runpy, sys\nrun = runpy.run_path(sys.argv[1])\n"
    code += "print(run['key'](pathlib.Path(sys.argv[2])))"
    words = ["python3", "-I", "-c", code, PROJECT / "action/install.py", PROJECT]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@pytest.fixture
def real_runner(tmp_path, environment_of, source_key, home):
    return Runner(tmp_path / "runner", environment_of, source_key, home)


@pytest.fixture
def runner(tmp_path, home, run_inside, capsys):
    inside = RunnerInside(tmp_path / "runner", {}, "", home)
    inside.run_inside, inside.capsys = run_inside, capsys
    return inside


@pytest.fixture
def whole(make_config):
    """The text of a complete configuration of these lines."""
    return lambda *lines: make_config(*lines, name="scratch").read_text()
