"""What the packages of packaging/ say again of the project: its version, and what it needs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli

import advisor

PROJECT = Path(__file__).parents[1]
PACKAGING = PROJECT / "packaging"


@pytest.fixture
def spec() -> str:
    return (PACKAGING / "rpm/kernel-advisor.spec").read_text()


def test_each_package_has_the_version(spec: str) -> None:
    assert re.findall(r"^Version: +(\S+)$", spec, re.M) == [advisor.__version__]
    changelog = (PACKAGING / "debian/changelog").read_text()
    assert changelog.startswith(f"kernel-advisor ({advisor.__version__}-")


def test_the_rpm_needs_what_the_wheel_needs(spec: str) -> None:
    project = tomli.loads((PROJECT / "pyproject.toml").read_text())["project"]
    needed = {
        (name, low) for name, low in (
            re.match(r"([a-z]+)>=([0-9.]+)", text).groups() for text in project["dependencies"]
        )
    }  # fmt: skip
    named = set(re.findall(r"^Requires: +python3-(\S+) >= (\S+)$", spec, re.M))
    assert named == needed
    assert f"python3 {project['requires-python']}".replace(">=", ">= ") in spec


def test_debian_builds_with_what_the_wheel_needs() -> None:
    project = tomli.loads((PROJECT / "pyproject.toml").read_text())["project"]
    control = (PACKAGING / "debian/control").read_text()
    for text in project["dependencies"]:
        assert f"\n python3-{re.match(r'[a-z]+', text)[0]},\n" in control


def test_the_container_installs_what_it_builds() -> None:
    """git refuses the folder that is mounted, as its owner is another, unless that is allowed."""
    text = (PACKAGING / "Containerfile").read_text()
    built, installed = re.findall(r"(?:/source|kernel-advisor)(\[\S+\])", text)
    assert built == installed
    assert "safe.directory /work" in text
    assert "WORKDIR /work" in text


def test_files_that_the_packages_name_are_there() -> None:
    named = re.findall(r"packaging/[\w./-]+\.(?:md|sh)", (PACKAGING / "debian/rules").read_text())
    assert named
    assert [name for name in named if not (PROJECT / name).exists()] == []
