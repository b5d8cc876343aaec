"""The command in one file: it answers as the checkout does, and says what it cannot do."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.knowledge import index

PROJECT = Path(__file__).parents[1]
CONFIG = PROJECT / "examples" / "x86_64-6.12.config.xz"
RULES = "advisor/_data/rules/authorities.toml"

pytestmark = pytest.mark.slow


def tool():
    spec = importlib.util.spec_from_file_location("pyz", PROJECT / "tools" / "pyz.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """Of what a wheel has; Typer and the rest are this Python's."""
    folder = tmp_path_factory.mktemp("pyz")
    content = folder / "content"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "advisor", content / "advisor", ignore=ignored)
    (content / RULES).parent.mkdir(parents=True)
    shutil.copy(PROJECT / "rules" / "authorities.toml", content / RULES)
    index.build(str(PROJECT), str(content / "advisor" / "_data" / "index.json"))
    for name in ("one.pyz", "two.pyz"):
        tool().write(content, folder / name)
    return folder / "one.pyz"


def run(archive: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", archive, *map(str, words)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    return subprocess.run(
        command, cwd="/", env=environment, capture_output=True, text=True, check=False
    )


def test_the_same_files_give_the_same_bytes(archive):
    assert archive.read_bytes() == archive.with_name("two.pyz").read_bytes()
    assert archive.stat().st_mode & 0o111


@pytest.mark.parametrize(
    "words",
    [
        ("audit", CONFIG, "-p", "realtime", "--cmdline", "quiet isolcpus=2-9"),
        ("audit", CONFIG, "-p", "power-saving", "--format", "html"),
        ("can", "docker", "bpftrace", CONFIG),
        ("explain", "HZ"),
        ("completion", "bash"),
        ("collect", "--script"),
    ],
    ids=lambda words: words[0],
)
def test_it_answers_as_the_checkout_does(archive, words):
    done = run(archive, *words)
    command = [sys.executable, "-m", "advisor", *map(str, words)]
    other = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (other.returncode, other.stdout), done.stderr


@pytest.mark.parametrize(
    "words", [("rules", "lint"), ("audit", CONFIG, "-p", "realtime", "--rules", PROJECT / "rules")]
)
def test_what_needs_a_compiled_part_says_so(archive, words):
    done = run(archive, *words)
    assert done.returncode == 2
    assert done.stderr == (
        f"kernel-advisor: {archive}: cannot check rules and profiles: this archive does not "
        "contain jsonschema (install kernel-advisor with pip or as a package)\n"
    )
