"""The sign of life: on a terminal only, and gone at the end."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from threading import Event
from types import SimpleNamespace

import pytest

from advisor import progress
from advisor.progress import busy

CLEARED = "\r\033[K"


class Terminal(io.StringIO):
    """Tells when something was written five times."""

    def __init__(self):
        super().__init__()
        self.moved = Event()
        self._count = 0

    def isatty(self):
        return True

    def write(self, text):
        self._count += 1
        if self._count == 5:
            self.moved.set()
        return super().write(text)


@pytest.fixture
def stderr(monkeypatch):
    """Puts something in the place of stderr, which pytest takes back from one phase to another."""
    monkeypatch.setenv("TERM", "xterm")

    def put(file):
        monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=file))
        return file

    return put


def test_it_is_shown_and_erased(stderr):
    terminal = stderr(Terminal())
    with busy("counting"):
        pass
    assert terminal.getvalue() == f"\r| counting{CLEARED}"


def test_it_moves_while_it_takes_long(stderr, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS", 0.001)
    terminal = stderr(Terminal())
    with busy("counting"):
        assert terminal.moved.wait(30)
    assert terminal.getvalue().startswith("".join(f"\r{c} counting" for c in "|/-\\|"))
    assert terminal.getvalue().endswith(CLEARED)


def test_it_is_erased_after_an_error_too(stderr):
    terminal = stderr(Terminal())
    with pytest.raises(ZeroDivisionError), busy("counting"):
        raise ZeroDivisionError
    assert terminal.getvalue().endswith(CLEARED)


def test_on_a_terminal_that_cannot_erase_nothing_is_shown(stderr, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    terminal = stderr(Terminal())
    with busy("counting"):
        pass
    assert terminal.getvalue() == ""


def test_without_a_terminal_nothing_is_shown(stderr):
    file = stderr(io.StringIO())
    with busy("counting"):
        pass
    assert file.getvalue() == ""


def test_without_stderr_it_goes_on(stderr):
    stderr(None)
    done = []
    with busy("counting"):
        done.append(1)
    assert done


def test_on_a_real_terminal(stderr):
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w") as file:
        stderr(file)
        with busy("counting"):
            pass
    written = b""
    # What was written comes in as many pieces as it likes; after the last there is an error.
    with suppress(OSError):
        while piece := os.read(ours, 1000):
            written += piece
    os.close(ours)
    assert written.startswith(b"\r| counting")
    assert written.endswith(CLEARED.encode())
