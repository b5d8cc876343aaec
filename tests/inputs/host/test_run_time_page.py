"""docs/run-time.md against the rules and against what booted kernels showed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import read_settings
from advisor.knowledge import index

from .hosts import BOOTED, recorded, write_host

PAGE = Path(__file__).parents[3] / "docs" / "run-time.md"
KERNELS = tuple(sorted(path.stem for path in BOOTED.iterdir()))
ROWS = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", PAGE.read_text(), re.M))
NAMES = {layer: index.load().run_time_names(layer) for layer in ("sysctl", "sysfs")}


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    return {
        kernel: Root(str(write_host(tmp_path_factory.mktemp(kernel), recorded(kernel))))
        for kernel in KERNELS
    }


def test_the_page_has_every_name_by_which_something_is_set():
    assert list(ROWS) == [*NAMES["sysctl"], *NAMES["sysfs"]]


def is_shown(root, name):
    if not name.startswith("/"):
        return bool(read_settings(root, [name], []).sysctl)
    found = read_settings(root, [], [name]).sysfs  # and what tells of others as well
    return any(path in found for path in root.matching(name))


@pytest.mark.parametrize("name", ROWS)
def test_a_name_was_shown_where_the_page_says(roots, name):
    shown = [kernel for kernel in KERNELS if is_shown(roots[kernel], name)]
    if shown:
        assert ROWS[name] == ", ".join(shown)
    else:
        assert ROWS[name].startswith("not shown: ")
