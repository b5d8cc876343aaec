"""How much work something is, counted and never timed: the same number on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls(run: Callable[[], object]) -> int:
    """How many functions are called, those of C too, while this one runs."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def steps(run: Callable[[], object]) -> int:
    """How many instructions of Python are carried out while this function runs: loops that call
    nothing count too, and all is a hundred times slower."""
    count = 0

    def note(frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return note

    before = sys.gettrace()
    sys.settrace(note)  # type: ignore[arg-type]  # it takes any function of these arguments
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def grows_linearly(
    make: Callable[[int], Callable[[], object]],
    size: int,
    work: Callable[[Callable[[], object]], int] = calls,
) -> None:
    """Fails if twice the input is much more than twice the work: `make` gives what reads so
    much."""
    make(size)()  # what is made once only is not counted
    once, twice = work(make(size)), work(make(2 * size))
    assert twice < 2.5 * once, f"{work.__name__}: {once} for {size}, {twice} for twice as much"
