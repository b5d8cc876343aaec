"""Cells of tables name the weightiest changes, whole, and count only what there is no room for."""

from __future__ import annotations

import lzma
import re
from itertools import permutations
from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.compare import Terms, compare
from advisor.inputs.bootline import parse_cmdline
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.output import cells
from advisor.output.cells import Item

from .. import corpus
from ..cases import each

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("x86_64-6.12*.config.xz"))


@each(
    ("items", "waived", "cell"),
    [
        ([], 0, ""),
        ([], 2, "2 waived"),
        ([Item("worse", "A", " off")], 0, "worse: A off"),
        ([Item("worse", "A", " off"), Item("worse", "B", " off")], 0, "worse: A, B off"),
        ([Item("worse", "A", " on"), Item("worse", "B", " off")], 0, "worse: A on, B off"),
        ([Item("worse", "A", " off"), Item("", "B", " off")], 0, "worse: A off; B off"),
        ([Item("", name, " on") for name in "ABCDEF"], 1, "A, B, C on; and 3 more; 1 waived"),
        ([Item("", "A" * 80), Item("", "B")], 0, f"{'A' * 80}; and 1 more"),
        ([Item("", "A" * 40), Item("", "B" * 30)], 0, f"{'A' * 40}; and 1 more"),
    ],
)
def test_as_many_as_there_is_room_for(items, waived, cell):
    assert cells.fitted(items, waived) == cell


def subject(text, line=""):
    return subject_of(parse_config(text, "x"), Given(cmdline=parse_cmdline(line)))


def content(path):
    return lzma.decompress(path.read_bytes()).decode()


def cell_of(old, new, *profiles):
    """The cell of a comparison for some profiles, or for all that nobody chose."""
    knowledge = corpus.knowledge()
    names = profiles or knowledge.ids("profiles")
    terms = Terms(tuple(map(knowledge.profile, names)), bool(profiles), Policy())
    return cells.of_comparison(compare(old, new, knowledge, terms))


@pytest.mark.parametrize("profiles", [("power-saving",), ()])
def test_every_comparison_of_the_examples_fits_and_is_told_by_name(profiles):
    for old, new in permutations(map(content, EXAMPLES), 2):
        cell = cell_of(subject(old), subject(new), *profiles)
        assert not re.match(r"(?:\w+: )?and \d", cell)
        assert len(cell) <= cells.WIDTH or ("; and" in cell and "," not in cell)
        assert len(cell) <= 80
        assert "unknown" not in cell


@each(
    ("change", "cell"),
    [
        (("CONFIG_RANDOMIZE_BASE=y", "# CONFIG_RANDOMIZE_BASE is not set"),
         "worse: RANDOMIZE_BASE, RANDOMIZE_MEMORY off"),
        (("CONFIG_E1000E=y", "# CONFIG_E1000E is not set"), "E1000E off"),
    ],
)  # fmt: skip
def test_what_was_switched_off(change, cell):
    text = content(next(path for path in EXAMPLES if path.name == "x86_64-6.12.config.xz"))
    assert cell_of(subject(text), subject(text.replace(*change)), "server-throughput") == cell


def test_words_whose_outcome_is_open_are_named():
    text = "CONFIG_HZ_250=y\n"
    assert "+nosmt" in cell_of(subject(text, "quiet"), subject(text, "quiet nosmt foo=1"))


def test_a_report_names_what_should_change():
    knowledge = corpus.knowledge()
    config = parse_config("CONFIG_LOCK_STAT=y\nCONFIG_HZ_PERIODIC=y\n", "x", complete=True)
    profiles = [knowledge.profile("server-throughput")]
    report = audit(subject_of(config, Given()), knowledge, profiles, Policy())
    assert cells.of_report(report).startswith("must change: Lock statistics (compiled in")
