"""Real kernels for the tests: trees, configurations made with them, and the way of a fragment.

Needs the folder that prepare.sh fills, named by KERNEL_ADVISOR_TREES, and a C toolchain.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from ..proofs import FOLDER, MODE, Mode, Proofs
from ..shared import common_folder
from . import tools
from .cells import MERGED, TRIED, Cell, Merge, Prover
from .kernels import ARCHES, VERSIONS, Base, Kernels, Lines, release, tree_digest

PROOFS = FOLDER / "conf.txt"


def given_trees() -> Path | None:
    """The folder of the trees, if it is named."""
    given = os.environ.get("KERNEL_ADVISOR_TREES")
    return Path(given).resolve() if given else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Puts what was proven into the list, once for all workers."""
    trees = given_trees()
    if session.config.stash[MODE].write and trees and not hasattr(session.config, "workerinput"):
        proofs, keys = Proofs(PROOFS), [str(cell) for cell in TRIED]
        proofs.rewrite(header(trees, proofs.known(keys), len(keys)), keys)


def header(trees: Path, proven: int, cells: int) -> list[str]:
    """What the list says of itself."""
    digests = [
        f"tree {version} {arch}: {tree_digest(tree, arch)} ({release(tree)})"
        for version in VERSIONS
        for tree in [trees / f"linux-source-{version}"]
        for arch in ARCHES
    ]
    return [
        "What the trees' own merge_config.sh and conf made of fragments; written by make prove.",
        "Tree and base, fragment, outcome; base, profile, strength, grade.",
        f"{datetime.now(timezone.utc):%Y-%m-%d}: {proven} of {cells} fragments are proven.",
        *digests,
        *tools.versions(),
    ]


@pytest.fixture(autouse=True)
def _pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on what else the machine has installed, or what its user has set."""
    tools.pin(monkeypatch)


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    """The kernels."""
    trees = given_trees()
    if trees is None:
        pytest.skip(
            "KERNEL_ADVISOR_TREES is not set (the folder that tests/kernel/prepare.sh fills)"
        )
    found = Kernels(trees, common_folder(tmp_path_factory, "kernels"))
    for version in VERSIONS:
        assert (found.tree(version) / "Kconfig").is_file(), (
            f"{found.tree(version)} is no kernel tree"
        )
    return found


@pytest.fixture(scope="session")
def prover(kernels: Kernels, proof_mode: Mode) -> Prover:
    """What proves fragments, or finds them proven."""
    return Prover(kernels, Proofs(PROOFS), proof_mode)


@pytest.fixture(params=MERGED, ids=str)
def merge(
    request: pytest.FixtureRequest, kernels: Kernels, prover: Prover, tmp_path: Path
) -> Merge:
    """What merge_config.sh says of one cell's fragment when it runs to its end."""
    cell: Cell = request.param
    return merged(kernels, cell, prover.trial(cell).fragment, tmp_path)


def merged(kernels: Kernels, cell: Cell, fragment: str, scratch: Path) -> Merge:
    """merge_config.sh run to its end: it makes the configuration and compares the two."""
    version, arch = cell.base.version, cell.base.arch
    build, folder = kernels.build(version, arch), scratch / "merged"
    # In a build directory, whose Makefile leads to the tree, nothing is written into the tree.
    shutil.copytree(build, folder, symlinks=True)
    written = folder / "fragment.config"
    written.write_text(fragment)
    defconfig = kernels.defconfig(version, arch)
    script = kernels.tree(version) / "scripts" / "kconfig" / "merge_config.sh"
    log = tools.run(
        [str(script), str(defconfig), str(written)], folder, tools.clean({"ARCH": arch})
    )
    before = Lines.of((build / ".config").read_text())
    return Merge(fragment, log, frozenset(Lines.of(defconfig.read_text()).missing_in(before)))


@pytest.fixture(scope="session")
def base(kernels: Kernels) -> Callable[[str, str], Path]:
    """The refreshed configuration of that version and name."""
    return lambda version, name: kernels.base(Base(version, name))
