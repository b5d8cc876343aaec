"""What the workers of one run of the tests share: each thing is made once, by the first."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def common_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder of that name that all workers of this run see."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / name
    folder.mkdir(exist_ok=True)
    return folder


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, new and as `make` filled it: by the first worker that asks, others wait."""
    done = folder.with_name(f"{folder.name}.done")
    with open(folder.with_name(f"{folder.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def counted(path: Path) -> int:
    """How often this was called for that path by now, by all workers, this time included."""
    with open(path, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b".")
        file.flush()
        return os.fstat(file.fileno()).st_size
