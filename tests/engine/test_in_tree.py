"""The changes that a wish takes, as a tree works them out."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.in_tree import proven
from advisor.engine.remedy.rebuild import rebuild
from advisor.model.remedy import Change, Role
from advisor.model.tree import ONLY_A_MODULE, SearchResult

ASKED, NEEDED, SIBLING = Role.ASKED, Role.DEPENDENCY, Role.SIBLING


@pytest.fixture
def world(make_world):
    return make_world


class Tree:
    """A tree that answers by what is wanted, and keeps what it was asked."""

    def __init__(self, *answers, members=()):
        self.answers, self.shown, self.asked = list(answers), members, []

    def achieve(self, lines, wanted, keep, fixed=frozenset()):
        self.asked.append(wanted)
        return self.answers.pop(0) if self.answers else SearchResult()

    def members(self, lines, symbol):
        return self.shown

    def value(self, lines, symbol):
        return dict(lines).get(symbol)


def in_tree(world, tree, lines="X=n ONE=y"):
    here = world(lines)
    return here.after(here.subject._replace(tree=tree))


@pytest.mark.parametrize(
    ("new", "modules", "answer", "then"),
    [
        # What is selected by something built in cannot be a module, and y serves as well.
        ("m", False, SearchResult(reason="is selected", missed="X"), "y"),
        ("y", True, SearchResult(reason=f"X {ONLY_A_MODULE}", missed="X"), "m"),
        ("y", False, SearchResult(reason=f"X {ONLY_A_MODULE}", missed="X"), None),
        ("y", True, SearchResult(reason="no", missed="X"), None),
        ("m", True, SearchResult(reason="no", missed="OTHER"), None),
    ],
)
def test_a_tree_may_take_the_other_of_y_and_m(world, new, modules, answer, then):
    here = in_tree(world, Tree(answer))
    found = proven([Change("X", "n", new, ASKED)], here, modules=modules)
    expected = Blocked(answer.reason, answer.missed) if then is None else then
    assert (found if isinstance(found, Blocked) else found[0].new) == expected


def test_a_tree_is_not_asked_the_same_again(world):
    refusal = SearchResult(reason=f"X {ONLY_A_MODULE}", missed="X")
    tree = Tree(refusal, refusal, refusal)
    found = proven([Change("X", "n", "y", ASKED)], in_tree(world, tree), modules=True)
    assert (found, len(tree.asked)) == (Blocked(refusal.reason, "X"), 2)


def test_a_tree_tells_what_is_needed_and_given_up(world):
    tree = Tree(SearchResult(needed=(("BASE", "y"),)), members=("X", "ONE", "BASE"))
    found = proven([Change("X", "n", "y", ASKED)], in_tree(world, tree))
    assert [(one.symbol, one.new, one.role) for one in found] == [
        ("BASE", "y", NEEDED),
        ("X", "y", ASKED),
        ("ONE", "n", SIBLING),
    ]
    assert proven([], in_tree(world, tree)) == ()
    assert proven([Change("X", "n", "y", ASKED)], world("X=n")) == ()


@pytest.mark.parametrize(
    ("refusal", "more"), [((), {"RCU_NOCB_CPU_DEFAULT_ALL"}), (("no",), set())]
)
def test_what_the_rules_require_beside_kconfig_comes_along(world, refusal, more):
    """Kconfig offers RCU_LAZY where no CPU is offloaded, and it does nothing there."""
    lines = "RCU_EXPERT=y RCU_NOCB_CPU=y RCU_NOCB_CPU_DEFAULT_ALL=n RCU_LAZY=n"
    answers = (SearchResult(), *(SearchResult(reason=why, missed="X") for why in refusal * 2))
    tree = Tree(*answers)
    base = dict(line.split("=") for line in lines.split())
    tree.value = lambda changed, symbol: {**base, **dict(changed)}.get(symbol)
    here = in_tree(world, tree, lines)
    found = rebuild(here.knowledge.tunable("rcu-lazy"), "on", here)
    assert {change.symbol for change in found.changes} == {"RCU_LAZY", *more}
