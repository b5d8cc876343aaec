"""The features that a change loses, and what they are for."""

from __future__ import annotations

import pytest

from advisor.engine.names.losses import losses
from advisor.engine.names.symbols import Naming, Traits
from advisor.model.comparison import Loss, Movement, SymbolKind, SymbolMove
from advisor.model.tunable import Tunable, Value

DRIVERS = "Device Drivers > Network device support"
MENUS = {"E1000": DRIVERS, "EXT4": "File systems", "MIXED": "Processor type and features"}


@pytest.fixture
def lost(make_world):
    """What is lost between two configurations, by these moves and movements."""

    def of(*moves, movements=(), before="", after="", naming=None):
        sides = (make_world(before), make_world(after))
        return losses(moves, movements, sides, naming or Naming(MENUS))

    return of


def move(symbol, kind, menu="", old="y", **fields):
    return SymbolMove(symbol, old, None, kind, menu, **fields)


@pytest.mark.parametrize(
    ("symbol", "menu", "area"),
    [
        ("E1000", DRIVERS, "drivers"),
        ("EXT4", "File systems", "file systems"),
        ("MIXED", "Processor type and features", ""),
        ("DEEP", "Processor type and features > File systems", "file systems"),
        # What hardens a kernel is so outside the menu of its options, too.
        ("HARDENED_USERCOPY", "", "security"),
        ("MITIGATION_UNTOLD", "", "security"),
    ],
)
def test_a_lost_symbol_is_for_what_its_menu_is(lost, symbol, menu, area):
    assert lost(move(symbol, SymbolKind.LOST, menu)) == (Loss(symbol, area),)


@pytest.mark.parametrize(
    ("kind", "menu", "fields", "found"),
    [
        (SymbolKind.GONE, DRIVERS, {}, [Loss("E1000", "drivers", True)]),
        (SymbolKind.UNTOLD, DRIVERS, {}, [Loss("E1000", "drivers", True)]),
        (SymbolKind.GONE, DRIVERS, {"old": "m"}, [Loss("E1000", "drivers", True)]),
        (SymbolKind.GONE, DRIVERS, {"old": "16"}, []),
        (SymbolKind.GONE, DRIVERS, {"why": "is IGB now"}, []),
        (SymbolKind.GONE, "", {}, []),
        (SymbolKind.LOST, "", {"why": "is IGB now"}, [Loss("E1000", "")]),
        (SymbolKind.VALUE, DRIVERS, {}, []),
        (SymbolKind.UNNAMED, DRIVERS, {}, []),
    ],
)
def test_what_the_kernel_has_no_more_is_a_loss_where_nothing_took_its_place(
    lost, kind, menu, fields, found
):
    assert [*lost(move("E1000", kind, menu, **fields))] == found


@pytest.mark.parametrize(
    ("menu", "found"),
    [
        ("", [Loss("COMPAT_BRK", "")]),
        ("Security options", []),
        (DRIVERS, [Loss("COMPAT_BRK", "drivers")]),
    ],
)
def test_what_only_weakens_is_no_loss_of_security(lost, menu, found):
    assert [*lost(move("COMPAT_BRK", SymbolKind.LOST, menu))] == found


def moved(*, area="mm", choice=(), members=()):
    values = (Value("on", sets=((("E1000", "y"), ("MIXED", "y")),)),)
    tunable = Tunable("t", area, "T", "switch", values=values, choice=choice)
    return Movement(tunable, None, None, changed=members)


@pytest.mark.parametrize(
    ("before", "after", "symbols"),
    [
        ("E1000=y", "E1000=n", ["E1000"]),
        ("E1000=m", "", ["E1000"]),
        ("E1000=y", "E1000=m", []),
        ("E1000=n", "E1000=n", []),
        # What has a menu that mixes several things is of no area.
        ("MIXED=y", "MIXED=n", []),
    ],
)
def test_the_symbols_of_a_moved_setting_are_lost_where_they_were_on(lost, before, after, symbols):
    found = lost(movements=[moved()], before=before, after=after)
    assert [one.symbol for one in found] == symbols


def test_of_a_setting_of_security_all_that_is_off_is_a_loss_but_what_weakens(lost):
    told = {"before": "MIXED=y COMPAT_BRK=y E1000=y", "after": ""}
    members = (("COMPAT_BRK", False), ("EXT4", True))
    found = lost(movements=[moved(area="security", members=members)], **told)
    assert set(found) == {Loss("MIXED", "security"), Loss("E1000", "drivers")}


@pytest.mark.parametrize(
    ("after", "found"),
    [("ARM64=y", []), ("NET=y", ["ARM64_SSBD"]), ("ARM64=y ARM64_SSBD=n", ["ARM64_SSBD"])],
)
def test_what_became_unconditional_is_not_lost(make_world, after, found):
    sides = (
        make_world("ARM64=y ARM64_SSBD=y", arch="arm64"),
        make_world(after, arch="arm64"),
    )
    movement = moved(area="security", members=(("ARM64_SSBD", False),))
    assert [one.symbol for one in losses((), [movement], sides, Naming(MENUS))] == found


def test_a_member_that_went_off_is_lost_and_one_that_came_on_is_not(lost):
    members = (("EXT4", False), ("MITIGATION_X", True))
    before = "EXT4=y MITIGATION_X=y"
    (found,) = lost(movements=[moved(members=members)], before=before)
    assert found == Loss("EXT4", "file systems")


@pytest.mark.parametrize(
    ("choice", "traits"),
    [(("E1000", "OTHER"), None), ((), lambda _: Traits(True, ("E1000", "OTHER")))],
)
def test_a_member_of_a_choice_is_not_lost(lost, choice, traits):
    naming = Naming(MENUS, traits=traits)
    movements = [moved(choice=choice)]
    assert lost(movements=movements, before="E1000=y", naming=naming) == ()


def test_what_settings_rest_on_comes_first_and_each_symbol_once(lost):
    moves = [move("EXT4", SymbolKind.LOST, "File systems"), move("E1000", SymbolKind.LOST, DRIVERS)]
    found = lost(*moves, movements=[moved()], before="E1000=y")
    assert [one.symbol for one in found] == ["E1000", "EXT4"]


@pytest.mark.parametrize(
    ("symbol", "became", "area"),
    [
        ("EXT4_ENCRYPTION", "FS_ENCRYPTION", "security"),
        ("EXT4_ENCRYPTION", "", "file systems"),
        ("E1000", "FS_ENCRYPTION", "file systems"),
    ],
)
def test_what_protected_something_under_its_old_name_is_a_loss_of_security(
    lost, symbol, became, area
):
    found = lost(move(symbol, SymbolKind.LOST, "File systems", became=became))
    assert found == (Loss(symbol, area),)


def test_what_has_an_option_of_its_own_now_comes_first(lost):
    first, second = move("A", SymbolKind.LOST), move("Z", SymbolKind.LOST, DRIVERS, split="E1000")
    assert lost(first, second) == (Loss("Z", "drivers"), Loss("A", ""))
