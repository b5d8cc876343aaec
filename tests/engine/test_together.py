"""Which finding stands for which other, and what is told once, on findings of our own."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.together import is_open, told_once, with_what_follows, without_covered
from advisor.engine.remedy.what_if import followed
from advisor.model.condition_parser import parse
from advisor.model.finding import Finding, Verdict, Waiver
from advisor.model.kernel import Location
from advisor.model.profile import Advice, Option, Stance, Strength
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, Setting
from advisor.model.state import State
from advisor.model.tunable import Tunable, Value

NOW, BOOT, REBUILD = RemedyKind
MUST, SHOULD, COULD = Strength
WAIVER = Waiver("x", "accepted", Location("kernel-advisor.toml", 1))
BASELINE = WAIVER._replace(baseline=True)


def rebuild(*symbols, **fields):
    changes = tuple(Change(symbol, "n", "y", Role.ASKED) for symbol in symbols)
    return Remedy(REBUILD, "on", changes=changes, **fields)


def words(*texts, **fields):
    return Remedy(BOOT, "on", words=texts, **fields)


WORD, BUILD = words("a=1"), rebuild("A")


def finding(name, remedy=WORD, strength=MUST, *, profile="p", requires=None, **fields):
    """A finding about a tunable of that name, which one value needs."""
    value = Value("on", requires=parse(requires) if requires else None)
    tunable = Tunable(name, "x", name.title(), "switch", values=(value,), parameter=name)
    advice = Advice(name, profile, Stance.WANT, strength, (Option(name, ("on",)),), "why")
    remedies = (remedy,) if remedy else ()
    made = Finding(
        f"{profile}/{name}", Verdict.CHANGE, advice, tunable, State(name, ("off",)),
        remedies=remedies,
    )  # fmt: skip
    return made._replace(**fields)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"remedies": ()}, False),
        ({"waived": WAIVER}, False),
        ({"waived": BASELINE}, True),
        ({"verdict": Verdict.BLOCKED}, False),
        ({"verdict": Verdict.UNKNOWN, "runtime_only": True}, True),
        ({"verdict": Verdict.UNKNOWN}, False),
    ],
)
def test_a_finding_is_open_where_it_asks_for_what_nobody_decided_to_leave(fields, expected):
    assert is_open(finding("one", **fields)) is expected


@pytest.fixture
def world(make_world):
    return make_world("A=n", cmdline="quiet")


def test_a_remedy_is_followed_once_in_its_own_way(world):
    setting = Remedy(NOW, "on", settings=(Setting("vm.x", "1"),))
    after = followed(world, setting)
    assert after is followed(world, setting)
    assert after.subject.sysctl["vm.x"][0] == "1"
    assert [word.text for word in followed(world, WORD).line.words] == ["quiet", "a=1"]
    assert followed(world, BUILD).config.get("A") == "y"


def covers(first, second, world):
    """The names of the findings that another one covers."""
    found = without_covered([first, second], world)
    by = {one.covered_by for one in found if one.covered_by}
    return [one.advice.id for one in found if one.verdict is Verdict.COVERED], by


@pytest.mark.parametrize(
    ("first", "second", "covered"),
    [
        (finding("one"), finding("two"), ["two"]),
        # The stronger leads, of equals the first.
        (finding("one", strength=SHOULD), finding("two"), ["one"]),
        (finding("one"), finding("two", strength=COULD), ["two"]),
        (finding("one"), finding("two", profile="q"), []),
        (finding("one"), finding("two", words("b=1")), []),
        (finding("one"), finding("two", rebuild("A")), []),
        (finding("one", BUILD), finding("two", BUILD), ["two"]),
        (finding("one", BUILD), finding("two", rebuild("A", words=("a=1",))), []),
        (finding("one"), finding("two", waived=WAIVER), []),
        (finding("one", waived=WAIVER), finding("two"), []),
        (finding("one"), finding("two", waived=BASELINE), ["two"]),
        # A part of a rebuild has a purpose of its own.
        (finding("one", rebuild("A", "B")), finding("two", BUILD), []),
        # A word that merely touches several stands for none of them.
        (
            finding("one", words(drop=("x=1",))), finding("two", words(drop=("x=1",))), [],
        ),
        (
            finding("one", words("a=1", drop=("x=1",))),
            finding("two", words("a=1", drop=("x=1",))), ["two"],
        ),
        (
            finding("one", words(drop=("one=1",))), finding("two", words(drop=("one=1",))), ["two"],
        ),
        (
            finding("one", words(drop=("two=1",))), finding("two", words(drop=("two=1",))), ["one"],
        ),
    ],
)  # fmt: skip
def test_a_finding_with_the_same_remedy_is_covered(world, first, second, covered):
    found, by = covers(first, second, world)
    assert found == covered
    names = {"one": "p/two", "two": "p/one"}
    assert by == {names[name] for name in covered}


def test_a_covered_finding_tells_what_it_comes_with(world):
    pairs = {
        "included in the change of One (on)": WORD,
        "included in the change of One (without one=1 one=2)": words(drop=("one=1", "one=2")),
    }
    for reason, remedy in pairs.items():
        _, other = without_covered([finding("one", remedy), finding("two", remedy)], world)
        assert (other.reason, other.remedies) == (reason, ())


def test_a_covered_finding_covers_nothing_itself(world):
    found = without_covered([finding("one"), finding("two"), finding("three")], world)
    assert [one.covered_by for one in found] == ["", "p/one", "p/one"]


BOTH = rebuild("A", words=("a=1",))


@pytest.mark.parametrize(
    ("findings", "built_by"),
    [
        ([finding("one", BUILD), finding("two", BOTH)], ["", "One"]),
        ([finding("two", BOTH), finding("one", BUILD)], ["One", ""]),
        ([finding("one", rebuild("A", "B")), finding("two", BOTH)], ["", "One"]),
        ([finding("one", rebuild("B")), finding("two", BOTH)], ["", ""]),
        # Of two with a second step the first tells the rebuild.
        ([finding("one", BOTH), finding("two", BOTH)], ["", "One"]),
        ([finding("one", BUILD, waived=WAIVER), finding("two", BOTH)], ["", ""]),
        ([finding("one", BUILD, verdict=Verdict.BLOCKED), finding("two", BOTH)], ["", ""]),
        ([finding("one", BUILD), finding("two", BUILD)], ["", ""]),
    ],
)
def test_a_rebuild_is_told_once(findings, built_by):
    assert [one.remedies[0].rebuilt_by for one in told_once(findings)] == built_by


OFF = Remedy(REBUILD, "on", changes=(Change("A", "y", "n", Role.ASKED),))
LEAVES = "this change would remove other wanted settings: Two"


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (finding("one", OFF), finding("two", rebuild("B"), requires="A"), LEAVES),
        (finding("one", OFF), finding("two", rebuild("B"), requires="C"), ""),
        (finding("one", OFF), finding("two", rebuild("B"), requires="A || C"), ""),
        (finding("one", OFF), finding("two", rebuild("B"), SHOULD, requires="A"), ""),
        (finding("one", OFF, SHOULD), finding("two", rebuild("B"), requires="A"), LEAVES),
        (finding("one", OFF), finding("two", rebuild("B"), requires="A", waived=WAIVER), ""),
        (finding("one", BUILD), finding("two", rebuild("B"), requires="A"), ""),
        (finding("one", OFF), finding("one", rebuild("B"), profile="q", requires="A"), ""),
        # What the other asks for alone goes off as well.
        (finding("one", OFF), finding("two", rebuild("A"), requires="A"), ""),
        (finding("one", OFF, reason="x"), finding("two", rebuild("B"), requires="A"), "x"),
        (
            finding("one", OFF, verdict=Verdict.BLOCKED),
            finding("two", rebuild("B"), requires="A"), "",
        ),
    ],
)  # fmt: skip
def test_a_rebuild_tells_what_it_leaves_nothing_of(make_world, first, second, reason):
    world = make_world("A=y B=n C=y")
    assert with_what_follows([first, second], world)[0].reason == reason


EXCLUDED = "one kernel cannot have both this change and stronger advice: Two (must)"


@pytest.mark.parametrize(
    ("weaker", "reason"),
    [
        (finding("one", rebuild("B"), SHOULD, requires="!A"), EXCLUDED),
        (finding("one", rebuild("B"), SHOULD, requires="C && !A"), EXCLUDED),
        (finding("one", rebuild("B"), SHOULD, requires="A"), ""),
        (finding("one", rebuild("B"), SHOULD, requires="!C"), ""),  # which it cannot have alone
        (finding("one", rebuild("B"), requires="!A"), ""),  # as strong: the other one tells it
    ],
)
def test_weaker_advice_tells_what_it_cannot_be_built_with(make_world, weaker, reason):
    world = make_world("A=n B=n C=y")
    told = with_what_follows([weaker, finding("two", rebuild("A"))], world)
    assert told[0].reason == reason
    if not weaker.advice.strength.rank:
        assert told[1].reason == "this change would remove other wanted settings: One"
