"""No regular expression on a user's way has repeats that overlap."""

from __future__ import annotations

import re

import pytest

from . import regexes
from .cases import each

# What overlaps, and why it costs nothing: by module, how many expressions.
ALLOWED = {
    "inputs/configlines.py": 1,  # lines of 300 characters at most
    "model/cmdline.py": 1,  # finditer, and nothing that could fail stands behind the repeat
}
MODULES = {
    str(path.relative_to(regexes.PACKAGE)): path
    for path in sorted(regexes.PACKAGE.rglob("*.py"))
    # Rules and trees that a maintainer lints are his own.
    if path.name != "__main__.py" and "lint" not in path.relative_to(regexes.PACKAGE).parts[:1]
}


@pytest.mark.parametrize("name", MODULES)
def test_no_two_repeats_take_the_same_signs(name):
    found = [
        (used.line, used.pattern, faults)
        for used in regexes.patterns(MODULES[name])
        if (faults := regexes.faults(used.pattern, used.whole))
    ]
    assert len(found) == ALLOWED.get(name, 0), found


@each(
    "pattern",
    [r"a*a*b", r"\s*(x+)?\s*=", r"[\w.]*\w+b", r"(a+)+b", r"(?:ab*)*(?:\w+)c", r"(.*),(.*);",
     r"\[\s*([^\]]*?)\s*\]", r"a+(?:x|a+)b"],
)  # fmt: skip
def test_what_overlaps_is_seen(pattern):
    assert regexes.faults(pattern)


@each(
    "pattern",
    [r"a*b*c", r"\w+\s+\w+", r"[^=]*=.*", r"(?:\w+,)*\w+;", r"\s*x\s*y", r"a{0,9}a{0,9}b"],
)
def test_what_does_not_overlap_is_free(pattern):
    assert regexes.faults(pattern) == []


def test_the_end_of_a_line_cannot_fail():
    assert regexes.faults(r"\s*(.*)$", can_fail=False) == []
    assert regexes.faults(r"\s*(.*)$", can_fail=True)


def test_the_repeats_of_bytes_are_seen_too():
    assert regexes.faults(re.compile(rb"\d*\w*x").pattern)
