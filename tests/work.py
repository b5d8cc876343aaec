"""How much work something is, counted and never timed: the same number on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable


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


def grows_linearly(make: Callable[[int], Callable[[], object]], size: int) -> None:
    """Fails if twice the input is much more than twice the work: `make` gives what reads so
    much."""
    make(size)()  # what is made once only is not counted
    once, twice = calls(make(size)), calls(make(2 * size))
    assert twice < 2.5 * once, f"{once} calls for {size}, {twice} for twice as much"
