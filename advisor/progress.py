"""A sign of life on stderr while something takes long, on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from threading import Event, Thread

_FRAMES = "|/-\\"
_SECONDS = 0.1


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Shows that `what` goes on, and leaves no trace of it."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    done = Event()
    spinner = Thread(target=_spin, args=(what, done), daemon=True)
    spinner.start()
    try:
        yield
    finally:
        done.set()
        spinner.join()


def _spin(what: str, done: Event) -> None:
    for frame in cycle(_FRAMES):
        sys.stderr.write(f"\r{frame} {what}")
        sys.stderr.flush()
        if done.wait(_SECONDS):
            break
    # Back to the start of the line, which is then cleared.
    sys.stderr.write("\r\033[K")
    sys.stderr.flush()
