"""The commands that a tree's Kconfig macros run: only where --run-toolchain trusts the tree."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from advisor import files
from advisor.errors import TreeError
from advisor.tree.process import wait
from advisor.tree.toolchain import tools_of_make

TIMEOUT = 60
"""How many seconds a command of the tree may take."""


class Commands:
    """Runs commands of a tree in a folder; `environment` is what make would export to them."""

    def __init__(self, folder: str, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = {
            **os.environ,
            **environment,
            "LC_ALL": "C",
            **tools_of_make(os.environ),
        }

    def __call__(self, command: str) -> str:
        """What the command prints, whatever its exit code: line breaks are spaces, as for Kconfig.

        Raises TreeError if it cannot be run, or takes more than TIMEOUT.
        """
        try:
            with files.temporary(self._folder) as output:
                started = subprocess.Popen(
                    command, shell=True, cwd=self._folder, env=self._environment,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )  # fmt: skip
                wait(started, TIMEOUT)
                output.seek(0)
                printed = output.read().decode(errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            hint = (
                "without --run-toolchain, the tool assumes the toolchain recorded in the "
                "configuration"
            )
            raise TreeError(f"cannot run {command[:100]!r}", where="Kconfig", hint=hint) from error
        # do_shell() of preprocess.c: the last line breaks go, the others are spaces.
        return printed.rstrip("\n").replace("\n", " ")

    def tools(self) -> dict[str, str]:
        """The tools, and what make finds out about them for Kconfig (top Makefile of 7.1)."""
        tools = {
            "CC_VERSION_TEXT": self("$CC --version | head -n 1 | tr -d '#'"),
            "RUSTC_VERSION_TEXT": self("$RUSTC --version"),
            "PAHOLE_VERSION": self("$srctree/scripts/pahole-version.sh $PAHOLE"),
            **tools_of_make(os.environ),
        }
        self._environment.update(tools)
        return tools


@contextmanager
def commands(environment: dict[str, str]) -> Iterator[Commands]:
    """What runs commands; the folder is gone afterwards, with the scratch files that some make."""
    with tempfile.TemporaryDirectory(prefix="kernel-advisor-") as folder:
        yield Commands(folder, environment)
