"""docs/diagnostics.md names every diagnostic that the code can give, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from advisor.model.diagnostics import MEANINGS

ROOT = Path(__file__).parents[2]
ID = re.compile(r"[a-z]+\d*(?:-[a-z0-9]+)+")
FAMILIES = (
    "parameter", "cpulist", "line", "symbol", "sysctl", "unbalanced", "control", "non",
    "malformed", "trailing", "invalid", "duplicate", "unknown", "renamed", "out", "waiver",
    "baseline",
)  # fmt: skip
# Texts of these forms that mean something else.
OTHERS = {"out-of-tree", "line-by"}


@pytest.fixture(scope="module")
def documented():
    rows = (ROOT / "docs/diagnostics.md").read_text().splitlines()
    return [row.split("`")[1] for row in rows if row.startswith("| `")]


@pytest.fixture(scope="module")
def coded():
    """Every text of the form of an id in the engine and the readers of inputs."""
    found = set()
    for folder in ("engine", "inputs", "knowledge"):
        for path in (ROOT / "advisor" / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
    return {text for text in found if ID.fullmatch(text) and text.split("-")[0] in FAMILIES}


def test_each_is_told_once(documented):
    assert len(documented) == len(set(documented))


def test_all_and_no_others_are_documented(documented, coded):
    assert set(documented) == coded - OTHERS


def test_their_meanings_are_those_of_the_other_formats():
    text = (ROOT / "docs/diagnostics.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| [a-z, ]+ \| (.+) \|$", text, re.MULTILINE)
    assert {name: told.removesuffix(" *booted*") for name, told in rows} == MEANINGS


def test_severities_are_those_of_the_code(documented):
    text = (ROOT / "docs/diagnostics.md").read_text()
    severities = re.findall(r"^\| `[^`]+` \| ([a-z, ]+) \|", text, re.MULTILINE)
    assert len(severities) == len(documented)
    assert {one for told in severities for one in told.split(", ")} == {"error", "warning", "note"}
