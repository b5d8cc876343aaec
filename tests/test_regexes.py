"""No regular expression on a user's way has repeats that overlap."""

from __future__ import annotations

import re

import pytest

from . import regexes
from .cases import each

# What overlaps, and why it costs nothing: by module, how many expressions.
ALLOWED = {
    "inputs/bootfiles/bootc.py": 1,  # TOML that was read: what begins has an end
    "inputs/configlines.py": 1,  # lines of 300 characters at most
    "knowledge/examplelines.py": 1,  # the other branch takes the same signs, and never fails
    "knowledge/tomltext.py": 2,  # TOML that was read, too
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
        if (
            faults := regexes.faults(used.pattern, used.whole)
            or (regexes.restarts(used.pattern) if used.seeks else [])
        )
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


@each("pattern", [r"\s*[,;]\s*", r"<!--(.*?)-->", r"[A-Z_]+=", r'"?\s*x', r"note<'?(.*?)'?>$",
                  r"x|/\*.*?\*/", r"(a|b)*?(a+|c)="])  # fmt: skip
def test_what_a_search_begins_anew_is_seen(pattern):
    assert regexes.restarts(pattern)


@each("pattern", [r"[,;]", r'"[^"]*"', r"\bA+\b", r"\d+", r"#.*$", r"(?<=x)y", r"=\s*x", r"^\s*x",
                  r"x|/\*.*?(?:\*/|\Z)"])  # fmt: skip
def test_what_a_search_runs_over_once_is_free(pattern):
    assert regexes.restarts(pattern) == []


def test_the_end_of_a_line_cannot_fail():
    assert regexes.faults(r"\s*(.*)$", can_fail=False) == []
    assert regexes.faults(r"\s*(.*)$", can_fail=True)


def test_the_repeats_of_bytes_are_seen_too():
    assert regexes.faults(re.compile(rb"\d*\w*x").pattern)
