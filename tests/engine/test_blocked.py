"""Why a value cannot be had, of several causes the one that says the most."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.blocked import Blocked, why_none, why_not_all

LINE = Blocked("A=y (f:1) prevents it", against=True)
PLANNED = Blocked("B=y (f:2) prevents it", against=True, planned=True)
TOOL = Blocked("needs pahole", tool=("PAHOLE_VERSION", "121"))
UNSHOWN = Blocked("needs A, which this configuration does not offer", lacking=("A",))
OTHER = Blocked("needs B, which this configuration does not offer", lacking=("B",))
RELEASE = Blocked("C is not in this kernel: up to 6.0", absent=True)
PORT = Blocked("needs another port")


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        # A program can be installed, a line can be changed; what else is needed, nobody can give.
        ((LINE, TOOL, UNSHOWN), TOOL),
        ((UNSHOWN, LINE, RELEASE), LINE),
        ((LINE, PLANNED),
         Blocked(f"{LINE.reason} or {PLANNED.reason}", against=True, planned=True)),
        ((UNSHOWN, RELEASE), UNSHOWN),
        ((UNSHOWN, OTHER), Blocked("needs A or B, which this configuration does not offer",
                                   lacking=("A", "B"))),
        ((UNSHOWN, PORT), Blocked(f"{UNSHOWN.reason} or {PORT.reason}")),
        ((RELEASE,), RELEASE),
        ((PORT, RELEASE), PORT),
    ],
)  # fmt: skip
def test_of_several_ways_the_cause_is_told_that_is_easiest_to_remove(make_world, causes, expected):
    assert why_none(causes, make_world("X=n")) == expected


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        ((UNSHOWN, PORT), UNSHOWN),
        ((LINE, LINE), LINE),
        ((TOOL, LINE), Blocked(f"{TOOL.reason}; and {LINE.reason}", against=True)),
        ((PLANNED, PORT),
         Blocked(f"{PLANNED.reason}; and {PORT.reason}", against=True, planned=True)),
        ((LINE, PLANNED), Blocked(f"{LINE.reason}; and {PLANNED.reason}", against=True)),
    ],
)  # fmt: skip
def test_of_several_needs_each_line_in_the_way_is_told(causes, expected):
    assert why_not_all(causes) == expected
