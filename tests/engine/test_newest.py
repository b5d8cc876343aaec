"""Kernels newer than all that were read."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy
from advisor.engine.compare import Terms, compare
from advisor.engine.diagnose.inputs import diagnose
from advisor.knowledge.store import NEWEST
from advisor.model.comparison import SymbolKind

NEXT = f"{NEWEST[0]}.{NEWEST[1] + 1}.0"


def test_the_newest_release_is_that_of_the_catalogue(built_in):
    assert built_in.catalogue.kernels[-1].version.numbers[:2] == NEWEST


@pytest.mark.parametrize(
    ("kernel", "told"),
    [(NEXT, True), ("9.0-rc1", True), (f"{NEWEST[0]}.{NEWEST[1]}.99", False), ("6.12", False)],
)
def test_a_newer_kernel_is_said_to_be_so(make_world, kernel, told):
    found = diagnose(make_world("SMP=y", kernel=kernel))
    assert [one.id for one in found] == ["kernel-newer"] * told
    if told:
        (one,) = found
        assert (one.severity.value, one.subject) == ("note", kernel)
        assert built_in_last() in one.message


def built_in_last():
    from advisor.knowledge.catalogue import Catalogue

    return Catalogue.load().kernels[-1].version.text


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("7.1.5", NEXT, SymbolKind.UNTOLD),
        (NEXT, NEXT, SymbolKind.LOST),  # of one release: somebody switched it off
        ("6.12.0", "7.1.5", SymbolKind.LOST),  # which has it
    ],
)
def test_what_is_not_there_any_more(make_world, built_in, old, new, kind):
    sides = (
        make_world("SMP=y E1000E=y", kernel=old).subject,
        make_world("SMP=y", kernel=new).subject,
    )
    comparison = compare(*sides, built_in, Terms((), False, Policy()))
    (moved,) = [move for move in comparison.symbols if move.symbol == "E1000E"]
    assert moved.kind is kind
    assert ("kernel-newer" in {one.id for one in comparison.appeared}) is (
        new == NEXT and old != NEXT
    )


def test_what_is_switched_off_is_lost_in_any_kernel(make_world, built_in):
    sides = (
        make_world("E1000E=y", kernel="7.1.5").subject,
        make_world("E1000E=n", kernel=NEXT).subject,
    )
    comparison = compare(*sides, built_in, Terms((), False, Policy()))
    assert [move.kind for move in comparison.symbols] == [SymbolKind.LOST]
