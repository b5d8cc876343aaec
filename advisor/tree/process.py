"""A command of a tree is waited for, or stopped with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress


def wait(started: subprocess.Popen[bytes], timeout: float) -> int:
    """The exit code of a process that was started with `start_new_session`.

    What stops it, such as the user's Ctrl-C, stops its children too. Raises
    subprocess.TimeoutExpired after `timeout` seconds.
    """
    with started:
        try:
            return started.wait(timeout)
        except BaseException:  # a timeout, or the user's Ctrl-C
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()
            raise
