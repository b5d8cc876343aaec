"""Sources against trees: what is not there is refused, and where the rest stands is learnt."""

from __future__ import annotations

import zlib

import pytest

from advisor.knowledge import lines
from advisor.knowledge.lines import Lines
from advisor.knowledge.load import built_in_defaults
from advisor.lint.sources import Cited, all_cited, learn_lines, of_release
from advisor.model.kernel import parse_version
from advisor.tree.files import find_tree

from .. import corpus
from ..cases import each

KCONFIG = 'config X86\n\tdef_bool y\n\nconfig WIDGET\n\tbool "widget"\n'
MAIN = "int start_kernel(void)\n{\n}\n"
SERIES = "# first\na.patch # why\n"
PATCH = "--- a/init/main.c\n+++ b/init/main.c\n@@ -1 +1 @@\n"
CITED = [
    Cited("", "kconfig", "init/Kconfig", "WIDGET", "6.12"),
    Cited("", "code", "init/main.c", "start_kernel", "6.12"),
    Cited("", "code", "init/main.c", "gone", "6.12"),
    Cited("", "code", "init/main.c", "start_kernel", "6.1"),
    Cited("", "code", "init/main.c", "", "6.12"),
]


@each(
    ("kernel", "version", "same"),
    [
        ("6.12", "6.12.117", True),
        ("6.12", "6.12.0", True),
        ("6.12.5", "6.12.5", True),
        ("6.12.5", "6.12.117", False),
        ("6.1", "6.12.117", False),
        ("2.6.32", "2.6.32", True),
        ("2.6.32", "2.6.33", False),
    ],
)
def test_which_trees_tell_of_a_source(kernel, version, same):
    assert of_release(kernel, parse_version(version)) is same


@pytest.fixture
def learnt(make_tree, tmp_path):
    def learn(**files):
        made = {"Kconfig": 'source "init/Kconfig"\n', "init/Kconfig": KCONFIG, "init/main.c": MAIN}
        path = make_tree(tmp_path / "tree", {**made, **files}, "6.12.9")
        table = Lines(
            "kernel-advisor-lines 1\nrelease 6.12.3\nold\told\t1\nrelease 6.1.1\na\tb\t2\n"
        )
        why = learn_lines(CITED, find_tree(str(path)), parse_version("6.12.9"), table)
        return why, table.releases

    return learn


def test_lines_of_a_release_take_the_place_of_an_older_ones(learnt):
    why, releases = learnt()
    rows = {("init/Kconfig", "WIDGET"): 4, ("init/main.c", "start_kernel"): 1}
    assert (why, releases) == ("", {"6.1.1": {("a", "b"): 2}, "6.12.9": rows})


def test_a_file_that_the_distribution_has_patched_has_no_line(learnt):
    files = {"debian/patches/series": SERIES, "debian/patches/a.patch": PATCH}
    _, releases = learnt(**files)
    assert releases["6.12.9"] == {
        ("init/Kconfig", "WIDGET"): 4,
        ("init/main.c", "start_kernel"): 0,
    }


def test_a_distributions_tree_without_its_patches_tells_no_lines(learnt):
    makefile = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 9\nx := $(DISTRIBUTION_VERSION)\n"
    why, releases = learnt(Makefile=makefile)
    assert "not in debian/patches" in why
    assert "6.12.9" not in releases


def test_every_anchor_of_the_built_in_rules_has_been_looked_up():
    known = lines.built_in()
    default = built_in_defaults().kernel
    rows = known.releases[known.release(default)]
    anchored = {
        (one.path, one.anchor)
        for one in all_cited(corpus.knowledge())
        if one.anchor and one.kernel == default
    }
    assert anchored - set(rows) == set()
    assert set(rows) - anchored == set()  # learn it anew: kernel-advisor rules lint --learn TREE


def test_the_lines_are_learnt_with_the_rest(make_tree, tmp_path, monkeypatch):
    from advisor.lint import learn as module

    monkeypatch.setattr(module, "all_cited", lambda _: CITED)
    path = make_tree(
        tmp_path / "tree", {"Kconfig": 'source "init/Kconfig"\n', "init/Kconfig": KCONFIG}, "6.12.9"
    )
    told = module.learn([str(path)], str(tmp_path / "catalogue.gz"), str)
    assert told.splitlines()[-1].startswith("1 lines of sources, ")
    text = zlib.decompress((tmp_path / "lines.gz").read_bytes(), wbits=31).decode()
    assert text == "kernel-advisor-lines 1\nrelease 6.12.9\ninit/Kconfig\tWIDGET\t4\n"
