"""`plan --format ansible`: a play that puts the plan's files into their places."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import yaml

from advisor.output.plan.ansible import _scalar

from ..cases import each
from . import plans


class Loader(yaml.SafeLoader):
    """Reads !unsafe as Ansible does: a text that Jinja does not see."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


@pytest.fixture
def text(run_inside, tmp_path):
    result = run_inside("plan", "--host", plans.host(tmp_path / "host"), *plans.PROFILE,
                        "-f", "ansible")  # fmt: skip
    assert (result.code, result.stderr) == (0, "")
    return result.stdout


def test_each_file_is_copied_as_the_plan_has_it(text, run_inside, tmp_path):
    (play,) = yaml.load(text, Loader)
    into = tmp_path / "plan"
    words = ("--host", tmp_path / "host", *plans.PROFILE, "--into", into)
    assert run_inside("plan", *words).code == 0
    copies = [one["ansible.builtin.copy"] for one in play["tasks"] if "ansible.builtin.copy" in one]
    written = {str(path) for path in (into / "etc").rglob("*") if path.is_file()}
    assert {f"{into}{one['dest']}" for one in copies} == written
    for one in copies:
        assert one["content"] == (into / one["dest"].lstrip("/")).read_text()
        assert (one["owner"], one["mode"]) == ("root", "0644")
    (folders,) = [one["loop"] for one in play["tasks"] if "loop" in one]
    assert {one["dest"].rpartition("/")[0] for one in copies} == set(folders)


def test_what_is_changed_is_read_now(text):
    (play,) = yaml.load(text, Loader)
    asked = {one["notify"] for one in play["tasks"] if "notify" in one}
    assert (
        asked == {"sysctl.d", "tmpfiles.d", "udev"} == {one["listen"] for one in play["handlers"]}
    )
    commands = [one["ansible.builtin.command"] for one in play["handlers"]]
    assert commands[0] == "sysctl --system"
    assert not any("&&" in command for command in commands)  # no shell runs them


def test_another_machine_is_refused_and_the_boot_line_told(text):
    (play,) = yaml.load(text, Loader)
    tests = play["tasks"][0]["ansible.builtin.assert"]["that"]
    assert f"ansible_facts['kernel'] == \"{plans.RELEASE}\"" in tests
    assert f"# The boot line is not in this play: add {plans.WORD}" in text


@each("text", ['a"b\\n{{ x }}', "\\ud83d\\ude00", "\U0001f600\xe9\u2028x\t\n", "\\\U0001f600"])
def test_any_text_is_read_back(text):
    assert yaml.safe_load(_scalar(text)) == text


@pytest.mark.skipif(not shutil.which("ansible-playbook"), reason="ansible-core is not installed")
def test_ansible_takes_the_play(text, tmp_path):
    file = tmp_path / "play.yml"
    file.write_text(text)
    command = ["ansible-playbook", "-i", "localhost,", "--syntax-check", str(file)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
