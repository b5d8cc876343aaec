"""Where a symbol is set is looked up in the index: an audit decodes the tunables that it needs."""

from __future__ import annotations

import pytest

from advisor.knowledge import decode, index


@pytest.fixture(scope="module")
def knowledge():
    return index.load()


@pytest.fixture(scope="module")
def ways(knowledge):
    """All ways to values, as (tunable, value, assignments)."""
    return [(t, v, pairs) for t in knowledge.tunables() for v in t.values for pairs in v.sets]


def test_the_provider_sets_the_fewest_beside_a_symbol(knowledge, ways):
    least: dict[str, int] = {}
    for _, _, pairs in ways:
        for symbol, text in pairs:
            if text in ("y", "m"):
                least[symbol] = min(least.get(symbol, len(pairs)), len(pairs))
    assert len(least) > 300
    for symbol, most in least.items():
        tunable, value, pairs = knowledge.provider(symbol)
        assert value in tunable.values
        assert pairs in value.sets
        assert dict(pairs)[symbol] in ("y", "m")
        assert len(pairs) == most


def test_a_tunable_of_one_line_is_the_first_that_is_that_line(knowledge, ways):
    first: dict[str, tuple[str, str]] = {}
    for tunable, value, pairs in ways:
        if len(pairs) == 1 and pairs[0][1] == "y":
            first.setdefault(pairs[0][0], (tunable.id, value.name))
    assert len(first) > 100
    for symbol, place in first.items():
        tunable, value = knowledge.own(symbol)
        assert (tunable.id, value.name) == place


def test_a_member_stands_alone_where_it_requires_something(knowledge):
    members = {
        member.symbol: member
        for tunable in knowledge.tunables()
        for member in tunable.members
        if member.symbol and member.requires and member.when is None
    }
    assert len(members) > 10
    assert {symbol: knowledge.member(symbol) for symbol in members} == members


def test_what_no_rule_sets(knowledge):
    found = [look("NOBODY") for look in (knowledge.provider, knowledge.own, knowledge.member)]
    assert found == [None, None, None]


def test_a_place_is_looked_up_without_the_other_tunables(monkeypatch):
    decoded = []
    real = decode.tunable
    monkeypatch.setattr(decode, "tunable", lambda document: decoded.append(1) or real(document))
    fresh = index.load()
    assert fresh.provider("PSI")
    assert fresh.own("BPF_JIT")
    assert len(decoded) <= 2


def test_rules_of_users_have_their_place(tmp_path, own):
    fresh = index.load([str(own / "rules")])
    assert {value.name for _, value, _ in [fresh.provider("WIDGET")]} == {"on"}


def test_the_tunables_with_records_are_those_that_the_lab_has(knowledge):
    told = {name for name in knowledge.ids("tunables") if knowledge.is_measured(name)}
    assert told == {record.tunable for record in knowledge.measured.by_name.values()}


def test_rules_of_users_leave_the_records_of_the_others(own, knowledge):
    beside = index.load([str(own / "rules")])
    assert beside.is_measured("psi")
    assert not beside.is_measured("widget")
