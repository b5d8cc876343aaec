"""The programs that make and conf may find: these, and nothing else that a machine has installed.

Kconfig asks the machine for pahole, rustc, bindgen, clang and cross compilers, and what it answers
is part of every configuration that conf completes. So the tests run the trees' tools with a PATH
of their own.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

# What kbuild, merge_config.sh and the scripts that Kconfig calls run: the compiler with its
# assembler and linker, the makers of conf's parser, and the everyday tools of a POSIX shell.
NEEDED = (
    "gcc", "cc", "as", "ld", "ar", "nm", "objcopy", "objdump", "strip", "readelf", "make", "flex",
    "bison", "m4", "bc", "sh", "bash", "awk", "sed", "grep", "egrep", "find", "xargs", "env", "cat",
    "cp", "mv", "rm", "ln", "ls", "mkdir", "rmdir", "mktemp", "touch", "chmod", "cmp", "diff",
    "sort", "uniq", "cut", "tr", "wc", "head", "tail", "tee", "expr", "test", "[", "true", "false",
    "echo", "printf", "pwd", "basename", "dirname", "readlink", "realpath", "uname", "date", "id",
    "hostname", "whoami", "sleep", "od", "sync", "which",
)  # fmt: skip
# Those without which nothing can be made; of the others a machine may lack some.
REQUIRED = ("gcc", "as", "ld", "make", "flex", "bison", "sh", "sed", "grep", "mktemp")
# What a caller's environment could tell make, conf or a compiler behind the tests' back.
_FOREIGN = re.compile(
    r"(KCONFIG|KBUILD|CONFIG|MAKE|LLVM|PAHOLE|RUST|BINDGEN|HOST|GCC_|LC_)\w*|LANG|LANGUAGE|MFLAGS"
    r"|O|V|W|ARCH|SRCARCH|CROSS_COMPILE|CC|LD|AS|AR|CPP|NM|SHELL|\w*FLAGS|C_INCLUDE_PATH|CPATH"
    r"|LIBRARY_PATH|COMPILER_PATH|GREP_\w+|POSIXLY_CORRECT|BASH_ENV|ENV|CDPATH"
)


@cache
def tools() -> Path:
    """A folder of links to the needed programs."""
    folder = Path(tempfile.mkdtemp(prefix="kernel-advisor-tools-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in NEEDED:
        if found := shutil.which(name, path="/usr/bin:/bin"):
            (folder / name).symlink_to(found)
        else:
            assert name not in REQUIRED, f"{name} is not installed"
    return folder


def pinned(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without any order to make, conf or a compiler, and with those tools alone."""
    kept = {name: value for name, value in environment.items() if not _FOREIGN.fullmatch(name)}
    return {**kept, "LC_ALL": "C", "PATH": str(tools())}


def clean(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The pinned environment of this process, with some more."""
    return {**pinned(os.environ), **(more or {})}


def pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the pinned environment that of this process."""
    wanted = clean()
    for name in set(os.environ) - set(wanted):
        monkeypatch.delenv(name)
    for name, value in wanted.items():
        monkeypatch.setenv(name, value)


def versions() -> list[str]:
    """What of the tools decides what comes out, in their own words."""
    found = []
    for name in ("gcc", "ld", "make", "flex", "bison"):
        done = subprocess.run(
            [name, "--version"], env=clean(), capture_output=True, text=True, check=True
        )
        found.append(done.stdout.splitlines()[0])
    return found


def run(words: list[str], folder: Path, environment: Mapping[str, str], *codes: int) -> str:
    """The output, errors included, of a command that ends with 0 or one of `codes`."""
    done = subprocess.run(
        words, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode in (0, *codes), (
        f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}"
    )
    return done.stdout
