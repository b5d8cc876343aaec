"""The threat model names tests that exist, and the numbers that the code counts to."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.engine.effective import cpu_lists
from advisor.inputs import changes, image
from advisor.inputs.host import root, snapshot, taken
from advisor.inputs.nextboot import grubmenu, udev
from advisor.inputs.unpack import MEMBER
from advisor.knowledge.files import MOST_NAMES
from advisor.model import cmdline, condition_parser, numbers
from advisor.tree import files
from advisor.tree.kconfig import macros

from .cases import each

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "threat-model.md").read_text()
TESTS = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)


@each(("path", "name"), TESTS, ids=[f"{path}-{name}" for path, name in TESTS])
def test_a_promise_is_held_by_a_test_that_exists(path, name):
    assert not name or re.search(rf"^def {name}\(", (ROOT / path).read_text(), re.M)


def test_every_promise_has_its_test():
    rows = re.findall(r"^\| (?!promise|input|who)[^|\n]+\|.*\|$", PAGE, re.M)
    promises = [row for row in rows if "tests/" not in row and "---" not in row]
    # But for those of the first table, which says who attacks.
    first = PAGE[: PAGE.index("## What is promised")]
    assert [row for row in promises if row not in first] == []


@each(
    ("count", "words"),
    [
        (image.SIZE_LIMIT >> 30, "{} GiB of bytes read"), (MEMBER >> 10, "counts {} KiB more"),
        (condition_parser.MOST_TERMS, "{:,} terms"), (condition_parser.DEEPEST, "{} parentheses"),
        (root.MOST_BYTES >> 20, "| host | {} MiB"), (root.MOST_ENTRIES, "{:,} files"),
        (taken.MOST_ENTRIES, "{:,} entries"), (snapshot.MOST_PATTERNS, "{:,} of them absent"),
        (grubmenu._MOST_WORK, "{:,} commands"), (grubmenu._MOST_TEXT >> 20, "{} MiB of words"),
        (udev._MOST_TESTS, "{:,} tests"), (files.FILES, "{:,} files, 64 MiB"),
        (cpu_lists.MOST, "{:,} CPUs that its lists name"), (cpu_lists.LIST, "and {:,} for each"),
        (MOST_NAMES, "{:,} files and folders, 1 MiB"), (cmdline.LONGEST, "{:,} characters"),
        (changes.MOST, "{:,} files that matter"), (changes.MOST_TEXT >> 30, "{} GiB of their text"),
        (numbers.LONGEST, "ASCII digits, {} at most"),
        (files.NAMES, "{:,} names that"), (macros.EXPANSIONS, "{:,} macros"),
    ],
    ids=str,
)  # fmt: skip
def test_the_page_counts_as_the_code_does(count, words):
    assert words.format(count) in PAGE
