"""What became of symbols that no moved tunable tells of, on knowledge of our own."""

from __future__ import annotations

import pytest

from advisor.engine.names.symbols import Naming, Traits, choice_of, moved_symbols
from advisor.model.comparison import Chosen, Renamed, SymbolKind

NAMES = """
[[rename]]
old = "OLD_NAME"
new = "NEW_NAME"
since = "6.0"
[[rename]]
old = "REMOVED"
new = ""
since = "6.0"
note = "Nobody used it."
"""
SUCCESSORS = """
successor = [
  "OLD_DRIVER -> NEW_DRIVER 6.1.192 6.6.21 prompt security — Asks for more.",
  "PIECE in WHOLE 6.1.192 6.6.21 part",
]
split = [
  "FEATURE with OWN_OPTION 6.1.192 6.6.21 source — Old programs need it.",
  "OTHER with OWN_OPTION 6.1.192 6.6.21 source — Old programs need it.",
  "DISK, CODEC with DISK_CODEC 6.1.192 6.6.21 source",
]
"""


class NoNames:
    """A catalogue that has read nothing."""

    kernels = ()

    def seen(self, name):
        return None


@pytest.fixture
def moves(make_world, make_knowledge):
    """What moved between two configurations. A tree `defines` symbols, if it is told of any."""
    rules = {"rules/lifecycle/n.toml": NAMES, "rules/successors/s.toml": SUCCESSORS}
    knowledge = make_knowledge(rules)
    knowledge.catalogue = NoNames()

    def of(old, new, *, spelled=(), kernels=("6.12.0", "6.12.0"), defines=None, **told):
        worlds = [
            make_world(lines, kernel=kernel, knowledge=knowledge, **told)
            for lines, kernel in zip((old, new), kernels, strict=True)
        ]
        naming = Naming({"LOST": "A > B"}, {"TREE_OLD": "TREE_NEW"}, defines and defines.get)
        return moved_symbols(*worlds, spelled, naming)

    return of


def kinds(found):
    return {move.symbol: move.kind for move in found.symbols}


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("X=y", "X=n", SymbolKind.LOST),
        ("X=m", "", SymbolKind.LOST),
        ("X=y", "X=m", SymbolKind.VALUE),
        ("X=8", "X=16", SymbolKind.VALUE),
        ("X=n", "X=y", SymbolKind.FORCED),
        ("", "X=y", SymbolKind.NEW),
        ("", "X=16", SymbolKind.NEW),
        ("X=8", "X=m", SymbolKind.NEW),
    ],
)
def test_a_symbol_is_lost_forced_new_or_of_another_value(moves, old, new, kind):
    assert kinds(moves(old, new)) == {"X": kind}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("CC_HAS_X", SymbolKind.DERIVED),
        ("HAVE_X", SymbolKind.DERIVED),
        ("ARCH_X", SymbolKind.DERIVED),
        ("GCC_VERSION", SymbolKind.DERIVED),
        ("VERSION_X", SymbolKind.LOST),
    ],
)
def test_what_nobody_is_asked_is_derived(moves, name, kind):
    assert kinds(moves(f"{name}=y", f"{name}=n")) == {name: kind}


def test_a_fragment_that_names_a_symbol_no_more_lost_nothing(moves):
    assert kinds(moves("X=y", "Y=y", complete=False))["X"] is SymbolKind.UNNAMED
    assert kinds(moves("X=y", "X=n", complete=False))["X"] is SymbolKind.LOST


@pytest.mark.parametrize(
    ("kernels", "kind"),
    [
        (("6.12.0", "99.1.0"), SymbolKind.UNTOLD),
        (("99.1.0", "99.1.5"), SymbolKind.LOST),
        (("99.1.0", "99.2.0"), SymbolKind.UNTOLD),
        (("", "99.1.0"), SymbolKind.UNTOLD),
        (("6.12.0", ""), SymbolKind.LOST),
        (("6.12.0", "6.12.0"), SymbolKind.LOST),
    ],
)
def test_a_release_that_nobody_read_may_have_removed_it(moves, kernels, kind):
    assert kinds(moves("X=y", "Y=y", kernels=kernels))["X"] is kind


ASKED, DERIVED = Traits(True), Traits(False)


@pytest.mark.parametrize(
    ("new", "defines", "kind"),
    [
        ("", {"X": ASKED}, SymbolKind.LOST),
        ("", {"OTHER": ASKED}, SymbolKind.GONE),
        ("X=n", {"X": DERIVED}, SymbolKind.DERIVED),
    ],
)
def test_a_tree_tells_what_is_gone_and_what_is_asked(moves, new, defines, kind):
    assert kinds(moves("X=y", new, defines=defines, kernels=("6.12.0", "99.1.0")))["X"] is kind


def test_a_symbol_that_is_hidden_or_shown_as_off_did_not_move(moves):
    found = moves("A=n B=y", "B=y C=n")
    assert (found.symbols, found.hidden) == ((), 2)


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        ("OLD_NAME=y", "NEW_NAME=y", [Renamed("OLD_NAME", "NEW_NAME", "y")]),
        ("NEW_NAME=y", "OLD_NAME=y", [Renamed("NEW_NAME", "OLD_NAME", "y")]),
        ("OLD_NAME=y", "NEW_NAME=m", []),
        ("OLD_NAME=y NEW_NAME=n", "NEW_NAME=y", []),
        ("OLD_NAME=y", "OLD_NAME=n NEW_NAME=y", []),
        ("TREE_OLD=8", "TREE_NEW=8", [Renamed("TREE_OLD", "TREE_NEW", "8")]),
        (
            "OLD_DRIVER=y",
            "NEW_DRIVER=m",
            [Renamed("OLD_DRIVER", "NEW_DRIVER", "m", note="Asks for more.")],
        ),
        ("OLD_DRIVER=y WHOLE=n", "NEW_DRIVER=n", []),
        ("PIECE=y WHOLE=y", "WHOLE=y", [Renamed("PIECE", "WHOLE", "y", part=True)]),
        ("PIECE=n WHOLE=y", "WHOLE=y", []),
    ],
)
def test_a_symbol_goes_on_under_another_name_with_its_value(moves, old, new, renamed):
    assert list(moves(old, new).renamed) == renamed


def only(found, symbol):
    (move,) = (move for move in found.symbols if move.symbol == symbol)
    return move


@pytest.mark.parametrize(
    ("old", "new", "defines", "kind", "why"),
    [
        ("OLD_NAME=y", "NEW_NAME=n", None, SymbolKind.LOST,
         "is NEW_NAME now, and NEW_NAME is n: write CONFIG_NEW_NAME=y"),
        ("OLD_NAME=y", "NEW_NAME=n", {"NEW_NAME": ASKED}, SymbolKind.LOST,
         "is NEW_NAME now, and NEW_NAME is n: write CONFIG_NEW_NAME=y"),
        ("OLD_NAME=y", "NEW_NAME=n", {"NEW_NAME": DERIVED}, SymbolKind.LOST,
         "is NEW_NAME now, and NEW_NAME is n"),
        ("OLD_NAME=y", "NEW_NAME=m", None, SymbolKind.LOST, "is NEW_NAME now, and NEW_NAME is m"),
        ("OLD_NAME=8", "NEW_NAME=n", None, SymbolKind.VALUE, "is NEW_NAME now, and NEW_NAME is n"),
        ("REMOVED=y", "", {"X": ASKED}, SymbolKind.GONE, "gone since 6.0. Nobody used it"),
        ("REMOVED=y", "", None, SymbolKind.LOST, ""),
        ("OLD_NAME=y", "", {"X": ASKED}, SymbolKind.GONE, "became NEW_NAME in 6.0"),
        ("OLD_DRIVER=y", "", {"NEW_DRIVER": ASKED}, SymbolKind.LOST,
         "is NEW_DRIVER now, which is not on: write CONFIG_NEW_DRIVER=y. Asks for more"),
        ("OLD_DRIVER=m", "", {"NEW_DRIVER": DERIVED}, SymbolKind.GONE,
         "is NEW_DRIVER now, which no enabled symbol selects"),
        ("OLD_DRIVER=8", "NEW_DRIVER=n", {"NEW_DRIVER": ASKED}, SymbolKind.GONE,
         "is NEW_DRIVER now, which is n. Asks for more"),
        ("PIECE=8", "", {"WHOLE": ASKED}, SymbolKind.GONE,
         "is a part of WHOLE now, which is not there"),
    ],
)  # fmt: skip
def test_what_took_its_place_is_told_with_the_line_to_write(moves, old, new, defines, kind, why):
    if defines and old.startswith("OLD_DRIVER"):
        defines = {**defines, "X": ASKED}
    move = only(moves(f"{old} X=y", f"{new} X=y", defines=defines), old.partition("=")[0])
    assert (move.kind, move.why) == (kind, why)


def test_a_driver_that_has_another_name_now_can_be_had_under_that(moves):
    found = moves("OLD_DRIVER=y", "", defines={"NEW_DRIVER": ASKED})
    assert only(found, "OLD_DRIVER").became == "NEW_DRIVER"


CHOICE = {name: Traits(True, ("ONE", "TWO", "THREE")) for name in ("ONE", "TWO", "THREE")}


@pytest.mark.parametrize(
    ("old", "new", "spelled", "chosen", "left"),
    [
        ("ONE=y TWO=n", "ONE=n TWO=y", (), [Chosen("ONE", "TWO")], []),
        ("ONE=y", "TWO=y", (), [Chosen("ONE", "TWO")], []),
        # The other member may be what a moved tunable tells of.
        ("ONE=y TWO=n", "ONE=n TWO=y", ("TWO",), [Chosen("ONE", "TWO")], []),
        ("ONE=y TWO=n", "ONE=n TWO=y", ("ONE",), [], ["TWO"]),
        ("ONE=y TWO=n", "ONE=n TWO=n", (), [], ["ONE"]),
        ("ONE=m TWO=n", "ONE=n TWO=y", (), [], ["ONE", "TWO"]),
        ("ONE=y OTHER=n", "ONE=n OTHER=y", (), [], ["ONE", "OTHER"]),
    ],
)
def test_another_member_of_a_choice_is_nothing_lost_and_nothing_new(
    moves, old, new, spelled, chosen, left
):
    found = moves(old, new, spelled=spelled, defines={**CHOICE, "OTHER": ASKED})
    assert list(found.chosen_otherwise) == chosen
    assert sorted(kinds(found)) == left


def test_a_spelled_symbol_is_told_elsewhere(moves):
    assert kinds(moves("X=y Y=y", "X=n Y=n", spelled=["X"])) == {"Y": SymbolKind.LOST}


def test_moves_are_sorted_by_kind_then_menu_then_name(moves):
    found = moves("Z=8 LOST=y B=y A=y", "Z=9 LOST=n B=n A=n NEW=y")
    assert [move.symbol for move in found.symbols] == ["A", "B", "LOST", "Z", "NEW"]
    assert only(found, "LOST").menu == "A > B"


@pytest.mark.parametrize(
    ("symbol", "choice"),
    [("HZ_250", "HZ_100"), ("HZ_100", "HZ_100"), ("NO_HZ_FULL", "HZ_PERIODIC"), ("SMP", "")],
)
def test_a_choice_is_known_by_its_first_member(make_world, symbol, choice):
    assert choice_of(symbol, make_world(), Naming()) == choice


UP = ("6.1.0", "6.12.0")


@pytest.mark.parametrize(
    ("old", "new", "kernels", "lost"),
    [
        ("FEATURE=y", "FEATURE=y OWN_OPTION=n", UP, {"OWN_OPTION": "FEATURE"}),
        ("FEATURE=m OTHER=y", "FEATURE=y OWN_OPTION=n", UP, {"OWN_OPTION": "FEATURE"}),
        ("DISK=m CODEC=y", "DISK=m CODEC=y DISK_CODEC=n", UP, {"DISK_CODEC": "CODEC"}),
        ("FEATURE=y", "FEATURE=y OWN_OPTION=y", UP, {}),
        ("FEATURE=y", "FEATURE=y", UP, {}),  # its conditions do not hold
        ("FEATURE=n", "FEATURE=y OWN_OPTION=n", UP, {}),
        ("DISK=m", "DISK=m CODEC=y DISK_CODEC=n", UP, {}),
        ("FEATURE=y OWN_OPTION=n", "FEATURE=y OWN_OPTION=n", UP, {}),
        ("FEATURE=y", "FEATURE=y OWN_OPTION=n", ("6.6.30", "6.12.0"), {}),
        ("FEATURE=y", "FEATURE=y OWN_OPTION=n", ("", "6.12.0"), {}),
    ],
)
def test_what_has_an_option_of_its_own_now_is_lost_unless_it_is_on(moves, old, new, kernels, lost):
    found = [move for move in moves(old, new, kernels=kernels).symbols if move.split]
    assert {move.symbol: move.split for move in found} == lost
    assert {move.kind for move in found} <= {SymbolKind.LOST}


def test_it_names_all_that_brought_it_and_the_line_to_write(moves):
    (move,) = [
        one for one in moves("FEATURE=m OTHER=y", "OWN_OPTION=n", kernels=UP).symbols if one.split
    ]
    assert (move.old, move.new) == ("y", "n")
    assert move.why == (
        "was a part of FEATURE, OTHER in 6.1.192, is a separate option in 6.6.21: "
        "write CONFIG_OWN_OPTION=y. Old programs need it"
    )
