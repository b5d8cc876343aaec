"""The hooks for pre-commit, run by the real tool; only the installation is left out, offline."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[2]
MANIFEST = PROJECT / ".pre-commit-hooks.yaml"
HOOKS = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text())}


@pytest.fixture
def hooked(repository, environment, tmp_path):
    """Commits files and runs one hook on all of them: its exit code and what it said."""

    def run(name, files, *args):
        hook = HOOKS[name] | {"args": list(map(str, args)), "language": "system"}
        hook["entry"] = hook["entry"].replace("kernel-advisor", f"{sys.executable} -m advisor")
        settings = json.dumps({"repos": [{"repo": "local", "hooks": [hook]}]})
        repository.commit({**files, ".pre-commit-config.yaml": settings})
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never"],
            cwd=repository.root,
            env={**environment, "PRE_COMMIT_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    return run


def test_the_manifest_is_valid():
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", MANIFEST]
    assert subprocess.run(command, check=False).returncode == 0


OTHERS = {"web.confi": "x\n", "README.md": "CONFIG_WIDGET\n", "config": "x\n", "config-tool": "x\n"}


def test_audit(hooked, make_config, widgets):
    text = make_config("CONFIG_WIDGET=y", name="scratch").read_text()
    names = [".config", "a/x.config", "x_defconfig", "boot/config-6.12.0-amd64"]
    code, said = hooked("kernel-advisor-audit", {**dict.fromkeys(names, text), **OTHERS}, *widgets)
    assert (code, "Passed" in said) == (0, True)
    bad = dict.fromkeys(names, f"{text}# CONFIG_WIDGET is not set\n")
    code, said = hooked("kernel-advisor-audit", bad, *widgets)
    assert (code, said.count("subject ")) == (1, 4)


def test_check(hooked, make_tree, tmp_path):
    kconfig = "config WIDGET\n\tbool 'Widget'\nconfig BASE\n\tbool\n"
    tree = make_tree(tmp_path / "linux", {"Kconfig": kconfig})
    options = ("--tree", tree, "--arch", "x86")
    good = {"a.config": "CONFIG_WIDGET=y\n", "my files/b.config": "CONFIG_WIDGET=y\n", **OTHERS}
    code, said = hooked("kernel-advisor-check", good, *options)
    assert (code, "Passed" in said) == (0, True)
    code, said = hooked("kernel-advisor-check", {"a.config": "CONFIG_BASE=y\n"}, *options)
    assert (code, said.count("fragment ")) == (1, 2)
    assert "CONFIG_BASE=y" in said


def test_lint(hooked, repository, own):
    # The symbol is one that kernels have: lint refuses others.
    files = {
        str(path.relative_to(own)): path.read_text().replace("WIDGET", "PRINTK_CALLER")
        for path in own.rglob("*")
        if path.is_file()
    }
    code, said = hooked("kernel-advisor-lint", files, "rules", "profiles")
    assert (code, "Passed" in said) == (0, True), said
    name = "profiles/widgets.toml"
    wrong = {name: files[name].replace('tunable = "widget"', 'tunable = "widgets"')}
    code, said = hooked("kernel-advisor-lint", wrong, "rules", "profiles")
    assert (code, name in said) == (1, True), said


def test_lint_is_skipped_where_no_rule_is(hooked):
    code, said = hooked("kernel-advisor-lint", OTHERS, "rules")
    assert (code, "Skipped" in said) == (0, True)
