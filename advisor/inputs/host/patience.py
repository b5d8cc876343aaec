"""How long a file may keep who reads it: a driver may let a reader of /sys wait for ever."""

from __future__ import annotations

import errno
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 3.0
"""How long one file is waited for, as snapshot.sh does."""


@contextmanager
def patience() -> Iterator[None]:
    """Ends what is done within after so many seconds. Raises TimeoutError, an OSError.

    A read that no signal ends is waited for, and so is any outside the first thread, or where
    somebody else has set the clock.
    """
    first = threading.current_thread() is threading.main_thread()
    if not first or not hasattr(signal, "setitimer") or any(signal.getitimer(signal.ITIMER_REAL)):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ended)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ended(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError(errno.ETIMEDOUT, f"no answer within {SECONDS:g} seconds")
