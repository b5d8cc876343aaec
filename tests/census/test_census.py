"""What the advice comes to in real configurations is what it came to before."""

from __future__ import annotations

import pytest

from .. import corpus
from . import census

needs_corpus = pytest.mark.skipif(
    not corpus.configurations(), reason="KERNEL_ADVISOR_CORPUS is not set; see make corpus"
)
TOLD = 40


@pytest.fixture(scope="session")
def kept() -> dict[str, census.Census]:
    """The census as it is kept, by profile, for all configurations there are."""
    names = list(corpus.configurations())
    paths = {profile: census.FOLDER / f"{profile}.txt" for profile in corpus.profiles()}
    return {profile: census.parsed(path.read_text(), names) for profile, path in paths.items()}


@pytest.mark.corpus
@needs_corpus
@pytest.mark.parametrize("configuration", corpus.configurations(), indirect=True, scope="session")
def test_nothing_has_moved(configuration: str, kept: dict[str, census.Census]) -> None:
    """One test a configuration, so that it is read once, and judged with what others ask of it."""
    moves: list[str] = []
    for profile, new in census.together({configuration: census.taken(configuration)}).items():
        old = {
            advice: (strength, {configuration: cells[configuration]})
            for advice, (strength, cells) in kept[profile].items()
        }
        moves += census.moves(profile, old, new)
    rest = [f"and {len(moves) - TOLD} more"] if len(moves) > TOLD else []
    assert not moves, "\n".join(["`make census` keeps it:", *moves[:TOLD], *rest])


@pytest.mark.corpus
@needs_corpus
def test_the_configurations_are_those_of_the_census() -> None:
    """One that is not there costs only what it would show; another one under its name is told."""
    listed = census.listed()
    there = census.there()
    assert {n for n, key in there.items() if n not in listed or listed[n].digest != key} == set()


def test_the_census_has_every_profile_and_nothing_else() -> None:
    assert sorted(path.stem for path in census.FOLDER.iterdir()) == corpus.profiles()


def test_what_is_written_is_read() -> None:
    cells = {"a": "ok", "b": "ok", "c": "change runtime+boot", "d": "unknown | blocked"}
    taken = {"x": ("must", cells), "y": ("could", dict.fromkeys(cells, "not-applicable"))}
    text = census.rendered(taken)
    assert text.splitlines()[:4] == [
        "[x] must", "* ok", "c change runtime+boot", "d unknown | blocked"
    ]  # fmt: skip
    assert census.parsed(text, list(cells)) == taken


def test_a_difference_is_told_in_a_line() -> None:
    old = {"x": ("must", {"a": "change boot", "b": "ok"}), "y": ("could", {"a": "ok", "b": "ok"})}
    new = {"x": ("should", {"a": "ok", "b": "ok"}), "z": ("could", {"a": "ok", "b": "ok"})}
    assert list(census.moves("p", old, new)) == [
        "strength: p x must -> should",
        "moved: a p x change boot -> ok",
        "lost: p y",
        "new: p z",
    ]
    assert list(census.moves("p", old, old)) == []
