"""docs/evidence/run-time.md against the rules, booted kernels and real machines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import read_settings

from ... import corpus
from ...cases import each
from .hosts import BOOTED, MACHINES, recorded, write_host

PAGE = Path(__file__).parents[3] / "docs" / "evidence" / "run-time.md"
REAL = "recorded from a real machine: "


def names_in(folder):
    return tuple(sorted(path.stem for path in folder.iterdir()))


ROWS = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", PAGE.read_text(), re.M))
NAMES = {layer: corpus.knowledge().run_time_names(layer) for layer in ("sysctl", "sysfs")}


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    return {
        folder: {
            name: Root(str(write_host(tmp_path_factory.mktemp(name), recorded(name, folder))))
            for name in names_in(folder)
        }
        for folder in (BOOTED, MACHINES)
    }


def test_the_page_has_every_name_by_which_something_is_set():
    assert list(ROWS) == [*NAMES["sysctl"], *NAMES["sysfs"]]


def is_shown(root, name):
    if not name.startswith("/"):
        return bool(read_settings(root, [name], []).sysctl)
    found = read_settings(root, [], [name]).sysfs  # and what tells of others as well
    return any(path in found for path in root.matching(name))


def showing(roots, name):
    return ", ".join(one for one, root in roots.items() if is_shown(root, name))


@each("name", ROWS)
def test_a_name_was_shown_where_the_page_says(roots, name):
    if shown := showing(roots[BOOTED], name):
        assert ROWS[name] == shown
    elif shown := showing(roots[MACHINES], name):
        assert ROWS[name] == REAL + shown
    else:
        assert ROWS[name].startswith("not shown: ")


@each("name", names_in(MACHINES))
def test_a_record_says_where_it_is_from(name):
    head = [ln for ln in (MACHINES / f"{name}.txt").read_text().splitlines() if ln.startswith("# ")]
    assert head[0].endswith("recorded from a real machine")
    assert head[1].startswith("# https://")
    assert " of 20" in head[1] or head[2].startswith("# Of 20")
