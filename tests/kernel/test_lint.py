"""The rules against Debian's kernels: every fact that a tree decides."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .kernels import PROJECT
from .tools import clean

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="session")
def linted(kernels):
    """What `lint` says of both trees at once."""
    trees = [word for version in ("6.1", "6.12") for word in ("--tree", kernels.tree(version))]
    command = [sys.executable, "-m", "advisor", "lint", *map(str, trees)]
    return subprocess.run(
        command, env=clean(), cwd=PROJECT, capture_output=True, text=True, check=False
    )


def test_no_rule_contradicts_a_tree(linted):
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_boot_parameters_were_checked(linted):
    assert "not checked" not in linted.stdout
    assert linted.stdout.count(" facts checked, 0 contradictions") == 4
