"""How the action and GitLab's job install: from a lock with hashes, and once."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import runpy
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import tomli
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.ci.conftest import PROJECT

from ..cases import each

SCRIPT = "action/install.py"
# A source that is its own build backend, and needs `dep` to be built.
BACKEND = """
import dep, os, sys
sys.path.insert(0, os.path.dirname(__file__))
from advisor.wheels import wheel

def build_wheel(folder, settings=None, metadata=None):
    return wheel(folder, "product", "2").name
"""
WHEELS = '''
from pathlib import Path
from zipfile import ZipFile

def wheel(folder, name, text):
    """A wheel of one module."""
    file, info = Path(folder, f"{name}-1.0-py3-none-any.whl"), f"{name}-1.0.dist-info"
    with ZipFile(file, "w") as made:
        made.writestr(f"{name}.py", f"value = {text!r}")
        made.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
        made.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        made.writestr(f"{info}/RECORD", "")
    return file
'''
PRODUCT = """
[build-system]
requires = ["dep"]
build-backend = "build_index"
backend-path = ["."]
[project]
name = "product"
version = "1.0"
"""


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Source:
    """A small source in place of this one, and an index in place of the network."""

    def __init__(self, folder: Path) -> None:
        self.root, self.index, self.kept = (folder / n for n in ("source", "index", "kept"))
        for place in (self.root / "action", self.root / "advisor", self.index):
            place.mkdir(parents=True)
        shutil.copy(PROJECT / SCRIPT, self.root / "action")
        (self.root / "advisor/wheels.py").write_text(WHEELS)
        (self.root / "build_index.py").write_text(BACKEND)
        (self.root / "pyproject.toml").write_text(PRODUCT)
        made = {}
        exec(WHEELS, made)  # the same in this process
        self.dep = made["wheel"](self.index, "dep", "1")
        self.lock(self.dep)

    def lock(self, file: Path) -> None:
        text = f"dep==1.0 --hash=sha256:{sha256(file)}\n"
        (self.root / "action/requirements.lock").write_text(text)

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.index)}

    def begun(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["python3", "-I", self.root / SCRIPT, self.root, self.kept],
            env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def install(self) -> tuple[int, str, str]:
        with self.begun() as process:
            out, err = process.communicate()
        return process.returncode, out.strip(), err

    def environments(self) -> list[str]:
        return sorted(os.listdir(self.kept))


@pytest.fixture
def source(tmp_path):
    return Source(tmp_path)


def value(python):
    """What both modules of the environment say."""
    code = "import dep, product; print(dep.value, product.value)"
    done = subprocess.run([python, "-I", "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.installs
def test_it_is_installed_once(source):
    code, python, error = source.install()
    assert (code, value(python)) == (0, "1 2"), error
    shutil.rmtree(source.index)  # nothing is there to install from
    # What nobody used for long is removed, as is what a killed run left.
    for name in ("old", "new-killed", "young"):
        (source.kept / name).mkdir(parents=True)
    for name in ("old", "new-killed", Path(python).parents[1].name):
        os.utime(source.kept / name, (0, 0))
    assert source.install()[:2] == (0, python)
    assert source.environments() == sorted([Path(python).parents[1].name, "young"])


@pytest.mark.installs
def test_what_has_another_hash_is_refused(source):
    with zipfile.ZipFile(source.dep, "a") as wheel:
        wheel.writestr("evil.py", "")
    code, out, error = source.install()
    assert (code, out) == (1, "")
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in error
    assert source.environments() == []


@pytest.mark.installs
def test_what_has_no_hash_is_refused(source):
    (source.root / "action/requirements.lock").write_text("dep==1.0\n")
    code, _, error = source.install()
    assert (code, "--require-hashes" in error) == (1, True)


@pytest.mark.installs
def test_no_source_archive_is_built(source):
    source.dep.unlink()
    archive = source.index / "dep-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as made:
        made.add(source.root / "pyproject.toml", "dep-1.0/pyproject.toml")
    source.lock(archive)
    code, _, error = source.install()
    assert (code, "No matching distribution" in error) == (1, True)


def test_another_source_or_lock_or_file_gets_another_environment(source):
    key = runpy.run_path(str(PROJECT / SCRIPT))["key"]
    keys = [key(source.root)]
    for changed in ("advisor/wheels.py", "action/requirements.lock", "rules/new.toml"):
        (source.root / changed).parent.mkdir(exist_ok=True)
        with open(source.root / changed, "a") as file:
            file.write("# more\n")
        keys.append(key(source.root))
    (source.root / "advisor/__pycache__").mkdir()
    (source.root / "advisor/__pycache__/x.pyc").write_text("")
    (source.root / "other").write_text("")
    assert key(source.root) == keys[-1]
    assert len(set(keys)) == 4


@pytest.mark.installs
def test_two_at_once(source):
    both = [source.begun(), source.begun()]
    ended = [(process.communicate()[0].strip(), process.returncode) for process in both]
    assert ended[0] == ended[1]
    assert (ended[0][1], value(ended[0][0])) == (0, "1 2")
    assert len(source.environments()) == 1


@pytest.mark.installs
def test_this_version_is_installed_from_its_lock_and_kept(real_runner, repository, whole, tmp_path):
    """The real one, from the package index; with none the second time."""
    before = repository.commit({"base": "x\n"})
    after = repository.commit({"a.config": whole("CONFIG_PROVE_LOCKING=y")})
    data, inputs = {"before": before, "after": after}, {"profile": "server-throughput"}
    (tmp_path / "tools").mkdir()
    pip = {name: text for name, text in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    for offline in ({}, {"PIP_NO_INDEX": "1"}):
        variables = {**pip, **offline, "RUNNER_TOOL_CACHE": str(tmp_path / "tools")}
        ended = real_runner.run(
            "push", data, repository.root, formats="", inputs=inputs, **variables
        )
        assert (ended.code, ended.outputs["verdict"]) == (1, "findings"), ended.log
        assert len(list((tmp_path / "tools/kernel-advisor").iterdir())) == 1


# --- the lock itself ------------------------------------------------------------------------------

LOCK = (PROJECT / "action/requirements.lock").read_text()
PYPROJECT = tomli.loads((PROJECT / "pyproject.toml").read_text())
ENTRY = re.compile(
    r"^(\S+==\S+(?: ; [^\\\n]+?)?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]


def locked(python):
    """The versions that the lock has for a Python on Linux, by name."""
    found: dict[str, str] = {}
    for text, _ in ENTRY.findall(LOCK):
        requirement = Requirement(text)
        if applies(requirement, python):
            name = canonicalize_name(requirement.name)
            assert name not in found
            (one,) = requirement.specifier
            found[name] = one.version
    return found


def applies(requirement, python):
    there = {
        "python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux",
        "platform_system": "Linux", "os_name": "posix", "extra": "",
    }  # fmt: skip
    return requirement.marker is None or requirement.marker.evaluate(there)


def test_every_line_of_the_lock_is_an_entry_with_hashes():
    rest = ENTRY.sub("", LOCK)
    assert [line for line in rest.splitlines() if not line.startswith("#")] == []
    assert "://" not in LOCK


@each("python", PYTHONS)
def test_the_lock_fits_the_bounds_of_the_project(python):
    versions = locked(python)
    wanted = [
        *PYPROJECT["project"]["dependencies"],
        *PYPROJECT["project"]["optional-dependencies"]["yaml"],
        *PYPROJECT["build-system"]["requires"],
    ]
    for text in wanted:
        requirement = Requirement(text)
        assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), text


@each("python", PYTHONS)
def test_the_lock_is_complete(python):
    """As far as metadata is here; of what builds the wheel it is not, but pip looks at that."""
    versions = locked(python)
    waiting = [Requirement(text).name for text in PYPROJECT["project"]["dependencies"]]
    seen = set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        assert name in versions
        if name not in seen:
            seen.add(name)
            needs = [Requirement(text) for text in importlib.metadata.requires(name) or ()]
            waiting += [need.name for need in needs if applies(need, python)]
    assert len(seen) > len(PYPROJECT["project"]["dependencies"])


def test_the_lock_knows_each_python_that_the_project_does():
    assert PYPROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"


def test_the_installation_looks_at_all_that_the_wheel_is_made_of():
    """What is left out here would change, and an environment of before would be taken."""
    script = (PROJECT / SCRIPT).read_text()
    hatch = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    made_of = [*hatch["packages"], *hatch["force-include"], *hatch["shared-data"]]
    made_of += [hatch["hooks"]["custom"]["path"], PYPROJECT["project"]["readme"]]
    made_of += PYPROJECT["project"]["license-files"]
    parts = re.search(r"^PARTS = \((.*?)^\)", script, re.M | re.S)[1]
    names = set(re.findall(r'"([^"]+)"', parts))
    assert [path for path in made_of if path not in names and path.split("/")[0] not in names] == []
