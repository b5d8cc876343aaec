"""Installs kernel-advisor from a checkout, for the action and for GitLab: hashed, and only once.

`python3 -I install.py SOURCE FOLDER`: in FOLDER a virtual environment is made for this source, its
lock and this Python, unless a run before has made it; its python is the last line of stdout. What
comes from the package index is what requirements.lock names, by hash, and never a source archive,
whose code would run; SOURCE itself is built without the network. Ends with 1 if that fails.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

LOCK = Path("action", "requirements.lock")
# All that the wheel is made of (pyproject.toml), and the lock.
PARTS = (
    "advisor", "rules", "profiles", "software", "docs/kernel-advisor.1", "build_index.py",
    "pyproject.toml", "README.md", "LICENSE", str(LOCK),
)  # fmt: skip
UNUSED = 30 * 86_400.0
"""Seconds after which an environment that nobody used is removed."""


def files(source: Path) -> Iterator[Path]:
    """The files that the wheel is made of, and the lock, always in the same order."""
    for part in PARTS:
        here = source / part
        found = sorted(here.rglob("*")) if here.is_dir() else [here]
        yield from (f for f in found if f.is_file() and "__pycache__" not in f.parts)


def key(source: Path) -> str:
    """What tells environments apart: all of the source, the lock in it, and this Python."""
    python = (sys.version, sys.executable, sys.base_prefix, platform.machine())
    digest = hashlib.sha256("\n".join(python).encode())
    for file in files(source):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.relative_to(source)}\0{content}\n".encode())
    return digest.hexdigest()[:24]


def commands(source: Path, venv: Path) -> Iterator[list[str]]:
    """What makes the environment; each runs where no file of a checkout can be imported."""
    python = str(venv / "bin" / "python")
    pip = [python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    yield [sys.executable, "-I", "-m", "venv", str(venv)]
    yield [*pip, "--require-hashes", "--only-binary=:all:", "-r", str(source / LOCK)]
    yield [*pip, "--no-deps", "--no-build-isolation", "--no-index", str(source)]


def made(source: Path, folder: Path) -> Path:
    """The environment, made now or by a run before. Raises OSError, CalledProcessError.

    It is made beside its place and moved there whole, so that a run that is killed, or another one
    at the same time, leaves none that is half made. It is not moved again: scripts in bin name the
    place where they were made, so that nothing but its python is for use.
    """
    place = folder / key(source)
    if not (place / "bin" / "python").exists():
        folder.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix="new-", dir=folder))
        try:
            for command in commands(source, beside):
                subprocess.run(command, cwd=beside, check=True, stdout=sys.stderr)
            os.rename(beside, place)
        except OSError:
            if not (place / "bin" / "python").exists():
                raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    os.utime(place)
    return place


def swept(folder: Path, kept: Path) -> None:
    """Removes environments that nobody used for long: each version of the source has its own."""
    for place in folder.iterdir():
        if place != kept and time.time() - place.stat().st_mtime > UNUSED:
            shutil.rmtree(place, ignore_errors=True)


def main() -> int:
    """Prints the environment's python; the exit code."""
    source, folder = (Path(word).resolve() for word in sys.argv[1:3])
    try:
        place = made(source, folder)
        swept(folder, place)
    except subprocess.CalledProcessError as error:
        print(f"failed with {error.returncode}: {' '.join(error.cmd)}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    print(place / "bin" / "python")
    return 0


if __name__ == "__main__":
    sys.exit(main())
