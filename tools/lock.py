"""Writes two locks anew, by hash: action/requirements.lock, what the action and GitLab's template
install, and packaging/requirements.lock, what a release is made with.

Resolved by uv, which `make lock` installs, for all systems and for each Python that pyproject.toml
allows at once: the dependencies, and what the wheel is built with; build and a writer of lists of
parts (SBOM).
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import tomli

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "action" / "requirements.lock"
OF_RELEASES = ROOT / "packaging" / "requirements.lock"
TOOLS = ["build>=1.2,<2", "cyclonedx-bom>=7.5,<8"]
HEADER = """\
# What the GitHub Action and GitLab's template install, by hash, besides kernel-advisor itself: its
# dependencies, and what its wheel is built with. Made from pyproject.toml by `make lock`.
"""
HEADER_OF_RELEASES = """\
# What a release is made with, by hash (.github/workflows/release.yml). Made by `make lock`.
"""


def wanted(project: dict[str, dict[str, object]]) -> list[str]:
    """The requirements of pyproject.toml: to run, to read every file that CI may meet, to build."""
    extras: Any = project["project"]["optional-dependencies"]
    lists = (
        project["project"]["dependencies"], extras["yaml"], project["build-system"]["requires"]
    )  # fmt: skip
    return [str(one) for found in lists if isinstance(found, list) for one in found]


def resolved(requirements: list[str], oldest: str) -> str:
    """The lock's lines, for that Python and each newer one."""
    uv = Path(sysconfig.get_path("scripts"), "uv")
    options = ["--universal", "--generate-hashes", "--no-annotate", "--no-header", "--quiet"]
    options += ["--no-emit-index-url", "--no-emit-find-links", "--no-config"]
    done = subprocess.run(
        [uv, "pip", "compile", *options, "--upgrade", "--python-version", oldest, "-"],
        input="\n".join(requirements), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def main() -> int:
    """Writes the locks; the exit code."""
    project = tomli.loads((ROOT / "pyproject.toml").read_text())
    (oldest,) = re.findall(r">=(3\.\d+)", project["project"]["requires-python"])
    LOCK.write_text(HEADER + resolved(wanted(project), oldest))
    built_with = project["build-system"]["requires"]
    OF_RELEASES.write_text(HEADER_OF_RELEASES + resolved([*TOOLS, *built_with], oldest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
