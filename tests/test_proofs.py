"""The lists of proofs: what counts as proven, what is proven again, what an interrupt leaves."""

from __future__ import annotations

import re

import pytest

from .cases import each
from .proofs import FOLDER, Mode, Proof, Proofs, Standing, digest
from .shared import counted, made_once

LISTS = sorted(FOLDER.glob("*.txt"))
READ_ONLY = Mode(write=False, seed="a commit", again=3, new=2)


@pytest.fixture
def proofs(tmp_path):
    """A list with one proof in it."""
    found = Proofs(tmp_path / "list.txt")
    found.keep(Proof("tree", "fragment", "outcome", "6.12-amd64 desktop could model"))
    found.rewrite(["About it."], ["6.12-amd64 desktop could model"])
    return Proofs(tmp_path / "list.txt")


@pytest.mark.parametrize(
    ("key", "subject", "asked", "standing"),
    [
        ("6.12-amd64 desktop could model", "tree", "fragment", Standing.KEPT),
        ("6.12-amd64 desktop could model", "other tree", "fragment", Standing.OLDER),
        ("6.12-amd64 desktop could model", "tree", "other fragment", Standing.NEW),
        ("6.12-amd64 desktop could model", "other tree", "other fragment", Standing.NEW),
        ("6.1-amd64 desktop could model", "tree", "fragment", Standing.NEW),
    ],
)
def test_a_proof_is_of_its_content(proofs, key, subject, asked, standing):
    assert proofs.standing(key, subject, asked) is standing


@each(
    ("standing", "reading", "writing"),
    [(Standing.NEW, True, True), (Standing.OLDER, False, True), (Standing.KEPT, False, False)],
)
def test_what_is_not_proven_is_made(standing, reading, writing):
    assert READ_ONLY.runs(standing, again=False) is reading
    assert READ_ONLY._replace(write=True).runs(standing, again=False) is writing
    assert READ_ONLY.runs(standing, again=True)
    assert READ_ONLY.spends(standing) is (standing is Standing.NEW)


def test_a_sample_is_chosen_by_the_seed():
    keys = [str(number) for number in range(100)]
    samples = {seed: READ_ONLY._replace(seed=seed).sample(keys) for seed in "abc"}
    assert all(len(sample) == 3 for sample in samples.values())
    assert len(set(map(frozenset, samples.values()))) == 3
    assert READ_ONLY._replace(seed="a").sample(reversed(keys)) == samples["a"]
    assert READ_ONLY._replace(write=True).sample(keys) == set()


def test_what_was_proven_before_an_interrupt_stays(proofs, tmp_path):
    proofs.keep(Proof("tree", "other", "outcome", "6.1-amd64 desktop could model"))
    again = Proofs(tmp_path / "list.txt")
    assert again.standing("6.1-amd64 desktop could model", "tree", "other") is Standing.KEPT
    assert again.known(["6.1-amd64 desktop could model", "another"]) == 1


def test_a_list_is_sorted_and_forgets_what_nobody_asks_for(proofs, tmp_path):
    for key in ("c", "a", "b"):
        proofs.keep(Proof("tree", "fragment", "outcome", key))
    proofs.rewrite(["About it.", "More."], ["a", "b", "c", "not proven"])
    assert (tmp_path / "list.txt").read_text() == (
        "# About it.\n# More.\n"
        "tree fragment outcome a\ntree fragment outcome b\ntree fragment outcome c\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["list.txt"]


def test_a_digest_parts_what_it_is_of():
    assert len({digest(), digest(""), digest("ab"), digest("a", "b"), digest("", "ab")}) == 5
    assert digest("a") == digest(b"a")


def test_a_folder_is_made_once_and_again_only_if_that_failed(tmp_path):
    calls = []

    def fail(folder):
        calls.append(folder)
        (folder / "half").touch()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        made_once(tmp_path / "made", fail)
    for _ in range(2):
        made = made_once(tmp_path / "made", lambda folder: calls.append((folder / "x").touch()))
    assert [path.name for path in made.iterdir()] == ["x"]
    assert len(calls) == 2


def test_all_workers_count_together(tmp_path):
    assert [counted(tmp_path / "new") for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_the_lists_are_as_they_are_written(path):
    lines = path.read_text().splitlines()
    entries = [line for line in lines if not line.startswith("#")]
    assert entries
    assert all(
        re.fullmatch(r"([0-9a-f]{16} ){2}[0-9a-f]{16}(-[A-Z0-9_-]+)? \S.*", entry)
        for entry in entries
    )
    keys = [entry.split(" ", 3)[3] for entry in entries]
    assert keys == sorted(set(keys))
    assert any(re.match(rf"# \d{{4}}-\d\d-\d\d: {len(keys)} of ", line) for line in lines)
