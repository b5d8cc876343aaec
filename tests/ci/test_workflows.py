"""What others read of the CI files: linters of workflows, and that the docs show what is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from ..cases import each

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs/ci.md").read_text()
SNIPPETS = re.findall(r"```yaml\n# (\S+)\n(.*?)```", PAGE, re.S)
WORKFLOWS = [(name, text) for name, text in SNIPPETS if ".github/workflows" in name]


MODULES = ("review", "event", "github", "install")
SCRIPTS = sysconfig.get_path("scripts")
ZIZMOR = [f"{SCRIPTS}/zizmor", "--offline", "--no-config", "--persona=pedantic", "--quiet"]


@pytest.fixture
def folder(tmp_path):
    """A repository with the workflows that are shown, and with ours."""
    place = tmp_path / ".github/workflows"
    place.mkdir(parents=True)
    shutil.copy(PROJECT / "examples/review-workflow.yml", place)
    shutil.copy(PROJECT / ".github/workflows/release.yml", place)
    for number, (_, text) in enumerate(WORKFLOWS):
        (place / f"shown-{number}.yml").write_text(text)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_zizmor_finds_nothing(folder):
    command = [*ZIZMOR, PROJECT / "action.yml", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@each("name", ["action.yml", ".github/workflows/release.yml", "docs/ci.md", "docs/formats.md"])
def test_every_action_is_pinned_to_a_commit(name):
    used = re.findall(r"\buses: +(\S+)", (PROJECT / name).read_text())
    loose = [one for one in used if not re.search(r"@(?:[0-9a-f]{40}|COMMIT)$", one)]
    assert [one for one in loose if "kernel-advisor" not in one] == []


def test_zizmor_does_see(folder):
    """The counter-test: in the same way it finds what is wrong."""
    bad = "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n"
    bad += "      - run: echo ${{ github.event.pull_request.title }}\n"
    (folder / ".github/workflows/bad.yml").write_text(bad)
    done = subprocess.run([*ZIZMOR, folder], capture_output=True, text=True, check=False)
    assert "template-injection" in done.stdout


def test_actionlint_finds_nothing(folder):
    actionlint = shutil.which("actionlint")
    if not actionlint:  # its package fetches it from elsewhere, so it is no extra
        pytest.skip("actionlint is missing: go install github.com/rhysd/actionlint/cmd/actionlint")
    done = subprocess.run([actionlint], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_inputs_reach_no_shell():
    action = yaml.safe_load((PROJECT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert not [step for step in steps if "${{" in step["run"] or "uses" in step]
    passed = {value for step in steps for value in step["env"].values()}
    assert passed == {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]}


def test_the_script_reads_every_input():
    text = "".join((PROJECT / f"action/{script}.py").read_text() for script in MODULES)
    action = yaml.safe_load((PROJECT / "action.yml").read_text())
    assert [name for name in action["inputs"] if f'"{name}"' not in text] == []


@each("script", MODULES)
def test_the_scripts_need_nothing_but_the_standard_library(script):
    text = (PROJECT / f"action/{script}.py").read_text()
    names = re.findall(r"^(?:import|from) (\w+)", text, re.M)
    assert set(names) - {"__future__", *MODULES} <= sys.stdlib_module_names


def test_what_the_page_shows_can_be_given():
    action = yaml.safe_load((PROJECT / "action.yml").read_text())
    template = next(yaml.safe_load_all((PROJECT / "templates/kernel-advisor.yml").read_text()))
    hooks = {h["id"] for h in yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text())}
    assert {name for name, _ in SNIPPETS} >= {".gitlab-ci.yml", ".pre-commit-config.yaml"}
    for name, text in SNIPPETS:
        shown = yaml.safe_load(text)
        if name in dict(WORKFLOWS):
            steps = [step for job in shown["jobs"].values() for step in job["steps"]]
            given = [s.get("with", {}) for s in steps if "kernel-advisor@" in s.get("uses", "")]
            assert given
            assert not [key for used in given for key in used if key not in action["inputs"]]
        elif name == ".gitlab-ci.yml":
            for used in shown["include"]:
                assert used["inputs"].keys() <= template["spec"]["inputs"].keys()
        else:
            used = [hook["id"] for repo in shown["repos"] for hook in repo["hooks"]]
            assert set(used) == hooks


def test_every_input_is_described():
    """The page sends its readers to the action for them."""
    action = yaml.safe_load((PROJECT / "action.yml").read_text())
    described = action["inputs"] | action["outputs"]
    assert [name for name, one in described.items() if not one["description"]] == []
    assert "](../action.yml)" in PAGE


def test_the_example_is_the_first_recipe():
    example = (PROJECT / "examples/review-workflow.yml").read_text()
    assert WORKFLOWS[0][1] == "name: " + example.partition("\nname: ")[2]
