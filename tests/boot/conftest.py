"""The kernels that the tests start, with what the tool predicts of each start.

Needs the folder that prepare.sh fills, named by KERNEL_ADVISOR_BOOT.
"""

from __future__ import annotations

import os
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import pytest

from ..proofs import FOLDER, MODE, Mode, Proofs
from ..shared import common_folder
from .machine import KERNELS, Kernels
from .starts import STARTS, Prover

PROOFS = FOLDER / "boots.txt"


def given_kernels(work: Path) -> Kernels | None:
    """The kernels of the folder that is named, if one is."""
    given = os.environ.get("KERNEL_ADVISOR_BOOT")
    return Kernels(Path(given).resolve(), work) if given else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Puts what was proven into the list, once for all workers."""
    kernels = given_kernels(Path())
    if session.config.stash[MODE].write and kernels and not hasattr(session.config, "workerinput"):
        proofs, keys = Proofs(PROOFS), [str(start) for start in STARTS]
        proofs.rewrite(header(kernels, proofs.known(keys), len(keys)), keys)


def header(kernels: Kernels, proven: int, starts: int) -> list[str]:
    """What the list says of itself."""
    command = ["qemu-system-x86_64", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [
        "What kernels showed of themselves after a start; written by make prove.",
        "Kernel and readers, line and prediction, what was shown; kernel and source of the line.",
        f"{datetime.now(timezone.utc):%Y-%m-%d}: {proven} of {starts} starts are proven.",
        *(f"kernel {name}: {kernels.digest(name)} ({kernels.release(name)})" for name in KERNELS),
        done.stdout.splitlines()[0],
    ]


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    """The kernels of the folder that prepare.sh filled."""
    found = given_kernels(common_folder(tmp_path_factory, "boots"))
    if not found:
        pytest.skip("KERNEL_ADVISOR_BOOT is not set (the folder that tests/boot/prepare.sh fills)")
    return found


@pytest.fixture(scope="session")
def prover(kernels: Kernels, proof_mode: Mode) -> Prover:
    """What proves starts, or finds them proven."""
    return Prover(kernels, Proofs(PROOFS), proof_mode)
