"""What a team accepts: which waiver is for what, when it ends, and what a baseline knows."""

from __future__ import annotations

import pytest

from advisor.engine.audit import fails, parse_fail_on
from advisor.engine.fingerprint import of_diagnostics, of_findings
from advisor.engine.waivers import Accepted, entries, state
from advisor.model.finding import ASIDE, Diagnostic, Finding, Verdict, Waiver
from advisor.model.kernel import Layer, Location, Machine, Severity
from advisor.model.plan import Plan
from advisor.model.profile import Advice, Option, Stance, Strength
from advisor.model.report import Report
from advisor.model.state import Origin, State
from advisor.model.tree import TreeUse
from advisor.model.tunable import Member, Tunable
from advisor.repository import RepositoryPaths

from ..cases import each

TODAY = "2026-06-15"
PLACE = Location("kernel-advisor.toml", 4)
HERE = RepositoryPaths("/repo", "/repo")
BY = Origin(Layer.COMPILED, "CONFIG_X=y", Location("config", 1))


def finding(
    name="hz",
    *values,
    profile="server",
    verdict=Verdict.CHANGE,
    others=(),
    members=(),
    runtime=False,
):
    """A finding on a tunable of that name; with `members` a group of which these are on."""
    options = tuple(Option(tunable, ("off",)) for tunable in (name, *others))
    advice = Advice(name, profile, Stance.WANT, Strength.MUST, options, "Because.")
    group = tuple(Member(symbol, "") for symbol in (*members, "OFF")) if members else ()
    on = tuple((symbol, BY) for symbol in members)
    found = State(name, values or ("partly" if members else "100",), on=on)
    tunable = Tunable(name, "cpu", name.upper(), "choice", members=group)
    return Finding(advice.key, verdict, advice, tunable, found, runtime_only=runtime)


def diagnostic(kind="parameter-unknown", subject="quite", severity=Severity.ERROR):
    return Diagnostic(kind, severity, Location("--cmdline", 1, 7), "wrong", subject=subject)


def report(*items, name="config", cmdline=None, cpus=None, complete=True, tree=None, sysctl=False):
    path = HERE.of(name)
    findings = of_findings((i for i in items if isinstance(i, Finding)), path)
    diagnostics = of_diagnostics((i for i in items if isinstance(i, Diagnostic)), path)
    return Report(
        name=name, kernel=None, machine=Machine(cpus=cpus), complete=complete, cmdline=cmdline,
        profiles=(), findings=tuple(findings), diagnostics=tuple(diagnostics), conflicts=(),
        plan=Plan(), tree=tree, sysctl=sysctl, path=path,
    )  # fmt: skip


def waiver(rule="hz", reason="We know.", **more):
    return Waiver(rule, reason, PLACE, **more)


def accepted(*waivers, baseline=(), today=TODAY):
    known = {entry["fingerprint"]: entry for entry in baseline}
    return Accepted(tuple(waivers), known, "base.json", today)


def judged(what, given):
    """The report with what is accepted, and the remarks about waivers."""
    done = given._replace(
        findings=tuple(what.findings(given.findings, given.path)),
        diagnostics=tuple(what.diagnostics(given.diagnostics, given.path)),
    )
    return done, what.remarks([done])[0]


def reasons(what, *items, **more):
    done, _ = judged(what, report(*items, **more))
    return [i.waived and i.waived.reason for i in (*done.findings, *done.diagnostics)]


def remarks(what, *items, **more):
    return [(d.id, d.location) for d in judged(what, report(*items, **more))[1]]


UNUSED = [("waiver-unused", PLACE)]
EXPIRED = [("waiver-expired", PLACE)]


# --- which finding --------------------------------------------------------------------------------


@each(
    ("given", "matches"),
    [
        ({"rule": "hz"}, True),
        ({"rule": "server/hz"}, True),
        ({"rule": "laptop/hz"}, False),
        ({"rule": "psi"}, False),
        ({"profile": "server"}, True),
        ({"profile": "laptop"}, False),
        ({"rule": "server/hz", "profile": "laptop"}, False),
        ({"path": "configs/*"}, True),
        ({"path": "*.config"}, True),
        ({"path": "configs/a.config"}, True),
        ({"path": "configs/[ab].config"}, True),
        ({"path": "configs/A.config"}, False),
        ({"path": "a.config"}, False),
        ({"path": "configs"}, False),
        ({"subject": "100"}, True),
        ({"subject": "1*"}, True),
        ({"subject": "250"}, False),
    ],
    ids=str,
)
def test_a_waiver_is_for_what_it_names(given, matches):
    what = accepted(waiver(**given))
    found = reasons(what, finding(), name="configs/a.config")
    assert found == (["We know."] if matches else [None])


@each("verdict", Verdict)
def test_only_what_is_open_is_waived(verdict):
    open_ = verdict is not Verdict.OK and verdict not in ASIDE
    assert reasons(accepted(waiver()), finding(verdict=verdict)) == ["We know." if open_ else None]


def test_what_is_waived_does_not_fail():
    fail_on = parse_fail_on("could,blocked,unknown,note")
    open_ = [finding(verdict=v) for v in (Verdict.CHANGE, Verdict.BLOCKED, Verdict.UNKNOWN)]
    told = [diagnostic()]
    what = accepted(waiver(), waiver("parameter-unknown"))
    for item in open_:
        assert fails([item], [], fail_on)
        assert not fails(what.findings([item], "config"), [], fail_on)
    assert fails([], told, fail_on)
    assert not fails([], what.diagnostics(told, "config"), fail_on)


def test_any_of_its_alternatives_names_a_finding():
    assert reasons(accepted(waiver("zswap")), finding("zram", others=["zswap"])) == ["We know."]


def test_the_first_of_two_counts():
    what = accepted(waiver(reason="One."), waiver("server/hz", reason="Two."))
    assert reasons(what, finding()) == ["One."]


def test_a_value_that_may_be_another_is_not_waived():
    assert reasons(accepted(waiver(subject="100")), finding("hz", "100", "250")) == [None]


# --- groups ---------------------------------------------------------------------------------------


def test_a_group_is_waived_where_all_its_members_are():
    parts = [waiver(subject="KASAN*", reason="One."), waiver(subject="DEBUG_?", reason="Two.")]
    group = finding("debug", members=["KASAN", "KASAN_INLINE", "DEBUG_A"])
    parts = [part._replace(rule="debug") for part in parts]
    assert reasons(accepted(*parts), group) == ["One; Two"]
    assert reasons(accepted(parts[0]), group) == [None]


def test_waivers_of_members_hold_until_the_first_ends():
    parts = [
        waiver("debug", "One.", subject="A", owner="x", expires="2027-01-01"),
        waiver("debug", "One.", subject="B", owner="y", expires="2026-12-31"),
    ]
    done, told = judged(accepted(*parts), report(finding("debug", members=["A", "B"])))
    by = done.findings[0].waived
    assert (by.reason, by.owner, by.expires, told) == ("One", "x, y", "2026-12-31", [])
    late = accepted(*parts, today="2027-01-01")
    assert reasons(late, finding("debug", members=["A", "B"])) == [None]
    assert remarks(late, finding("debug", members=["A", "B"])) == EXPIRED


def test_one_waiver_of_the_whole_group_is_enough():
    what = accepted(waiver("debug", "Part.", subject="X"), waiver("debug", "Whole."))
    assert reasons(what, finding("debug", members=["A", "B"])) == ["Whole."]


def test_a_waiver_of_a_member_that_is_right_does_nothing():
    what = accepted(waiver("debug", subject="OFF"))
    assert remarks(what, finding("debug", members=["A"])) == UNUSED


# --- diagnostics ----------------------------------------------------------------------------------


@each(
    ("given", "matches"),
    [
        ({}, True),
        ({"subject": "quite"}, True),
        ({"subject": "qu*"}, True),
        ({"subject": "quiet"}, False),
        ({"path": "config"}, True),
        ({"path": "other"}, False),
        ({"profile": "server"}, False),
    ],
    ids=str,
)
def test_a_waiver_of_a_diagnostic(given, matches):
    what = accepted(waiver("parameter-unknown", **given))
    assert reasons(what, diagnostic()) == (["We know."] if matches else [None])


# --- expiry ---------------------------------------------------------------------------------------


@each(("today", "holds"), [("2026-06-14", True), ("2026-06-15", True), ("2026-06-16", False)])
def test_a_waiver_holds_on_its_last_day(today, holds):
    what = accepted(waiver(expires="2026-06-15"), today=today)
    assert reasons(what, finding()) == (["We know."] if holds else [None])
    assert remarks(what, finding()) == ([] if holds else EXPIRED)


def test_what_expired_is_told_with_its_owner():
    what = accepted(waiver(expires="2026-01-31", owner="me@example.org"))
    _, (told,) = judged(what, report(finding()))
    assert told.severity is Severity.WARNING
    assert told.message == "the waiver of hz ended on 2026-01-31: We know (owner: me@example.org)"


def test_an_expired_waiver_beside_a_valid_one_is_superfluous():
    what = accepted(waiver(expires="2026-01-31"), waiver(reason="Again."))
    assert reasons(what, finding()) == ["Again."]
    assert remarks(what, finding()) == UNUSED


def test_an_expired_waiver_of_nothing_is_unused():
    what = accepted(waiver(expires="2026-01-31"))
    assert remarks(what, finding(verdict=Verdict.OK)) == UNUSED


def test_an_expired_waiver_brings_back_what_the_baseline_knows():
    known = entries([report(finding())])
    assert reasons(accepted(baseline=known), finding()) != [None]
    what = accepted(waiver(expires="2026-01-31"), baseline=known)
    assert reasons(what, finding()) == [None]
    assert remarks(what, finding()) == EXPIRED


# --- unused ---------------------------------------------------------------------------------------


@each(
    ("given", "items", "more", "told"),
    [
        ({}, [finding()], {}, []),
        ({}, [finding(verdict=Verdict.OK)], {}, UNUSED),
        ({}, [finding(verdict=Verdict.NOT_APPLICABLE)], {}, UNUSED),
        ({}, [], {}, []),  # no profile of this run has advice about it
        ({"subject": "250"}, [finding()], {}, UNUSED),
        ({"subject": "250"}, [finding(verdict=Verdict.UNKNOWN)], {}, []),
        ({"path": "other/*"}, [finding()], {}, []),
        ({"profile": "laptop"}, [finding()], {}, []),
        ({"rule": "parameter-void"}, [], {}, []),  # no boot line was given
        ({"rule": "parameter-void"}, [], {"cmdline": ""}, UNUSED),
        ({"rule": "unbalanced-quote"}, [], {}, []),
        ({"rule": "unbalanced-quote"}, [], {"cmdline": "quiet"}, UNUSED),
        ({"rule": "sysctl-unknown"}, [], {}, []),
        ({"rule": "sysctl-unknown"}, [], {"cmdline": "quiet"}, []),
        ({"rule": "sysctl-unknown"}, [], {"sysctl": True}, UNUSED),
        ({"rule": "cpulist-beyond"}, [], {"cmdline": "quiet"}, []),
        ({"rule": "cpulist-beyond"}, [], {"cmdline": "quiet", "cpus": 8}, UNUSED),
        ({"rule": "symbol-unknown"}, [], {}, []),
        ({"rule": "symbol-unknown"}, [], {"complete": False}, UNUSED),
        ({"rule": "out-of-range"}, [], {}, []),
        ({"rule": "out-of-range"}, [], {"tree": TreeUse("tree", "6.12", "x86")}, UNUSED),
        ({"rule": "malformed-line"}, [], {}, UNUSED),
    ],
)  # fmt: skip
def test_a_waiver_is_unused_only_where_its_finding_would_be_shown(given, items, more, told):
    assert remarks(accepted(waiver(**{"rule": "hz", **given})), *items, **more) == told


def test_what_one_configuration_uses_is_used():
    what = accepted(waiver())
    reports = [report(finding(verdict=Verdict.OK), name="a"), report(finding(), name="b")]
    assert what.remarks(reports) == [[], []]


def test_what_none_uses_is_told_once():
    what = accepted(waiver(path="b*"))
    right = finding(verdict=Verdict.OK)
    reports = [report(right, name=name) for name in ("a", "b1", "b2")]
    assert [[d.id for d in told] for told in what.remarks(reports)] == [[], ["waiver-unused"], []]


# --- baseline -------------------------------------------------------------------------------------


def known_again(then, now, name="config"):
    """What a baseline of `then` accepts of `now`."""
    what = accepted(baseline=entries([report(*then, name=name)]))
    done, _ = judged(what, report(*now, name=name))
    return [bool(i.waived and i.waived.baseline) for i in (*done.findings, *done.diagnostics)]


@each(
    ("then", "now", "known"),
    [
        (finding(), finding(), True),
        (finding(), finding("psi"), False),
        (finding(), finding(profile="laptop"), False),
        (finding("hz", "100"), finding("hz", "250"), False),
        (finding("hz", "100", "250"), finding("hz", "250"), True),
        (finding("hz", "100"), finding("hz", "100", "250"), False),
        (finding(), finding(verdict=Verdict.BLOCKED), True),
        (finding(verdict=Verdict.BLOCKED), finding(), True),
        (finding(), finding(verdict=Verdict.UNKNOWN), False),
        (finding(verdict=Verdict.UNKNOWN), finding(), False),
        (finding("debug", members=["A", "B"]), finding("debug", members=["A"]), True),
        (finding("debug", members=["A"]), finding("debug", members=["A", "B"]), False),
        (diagnostic(), diagnostic(), True),
        (diagnostic(), diagnostic(subject="queit"), False),
        (diagnostic(), diagnostic("parameter-void"), False),
    ],
)
def test_a_baseline_knows_what_is_no_worse(then, now, known):
    assert known_again([then], [now]) == [known]


def test_a_baseline_counts_equal_diagnostics():
    once, twice = [diagnostic()], [diagnostic(), diagnostic()]
    assert known_again(once, twice) == [True, False]
    assert known_again(twice, once) == [True]


def test_a_baseline_is_for_the_same_path():
    what = accepted(baseline=entries([report(finding(), name="/repo/a/config")]))
    assert reasons(what, finding(), name="./a/config") != [None]
    assert reasons(what, finding(), name="b/config") == [None]


def test_a_baseline_holds_what_is_open_and_not_waived():
    items = [
        finding("a"), finding("b", verdict=Verdict.OK), finding("c", verdict=Verdict.BLOCKED),
        finding("d", verdict=Verdict.UNKNOWN), finding("e"), diagnostic(), diagnostic("non-ascii"),
        diagnostic("waiver-expired"), diagnostic("waiver-unused"), diagnostic("baseline-outdated"),
    ]  # fmt: skip
    done, _ = judged(accepted(waiver("e"), waiver("non-ascii")), report(*items))
    found = entries([done])
    assert [entry["id"] for entry in found] == ["parameter-unknown", "server/a", "server/c"]


def test_a_baseline_is_sorted_and_has_what_json_outputs_show():
    group = finding("debug", members=["B", "A"])
    items = [group, diagnostic(), finding("a")]
    found = entries([report(*items, name="b"), report(*items[::-1], name="a")])
    assert found == entries([report(*items[::-1], name="a"), report(*items, name="b")])
    assert [entry["path"] for entry in found] == ["a"] * 3 + ["b"] * 3
    keys = {entry["fingerprint"] for entry in found}
    shown = (*of_findings([group], "a"), *of_diagnostics([diagnostic()], "b"))
    assert {item.fingerprint for item in shown} < keys
    assert state(group) == ["B", "A"]


def test_what_is_gone_is_told():
    known = entries([report(*map(finding, "abcde"))])
    now = [finding("a"), *(finding(name, verdict=Verdict.OK) for name in "bcde")]
    done, (told,) = judged(accepted(baseline=known), report(*now))
    assert (told.id, told.severity, str(told.location)) == (
        "baseline-outdated", Severity.NOTE, "base.json",
    )  # fmt: skip
    assert told.message == "4 of its findings no longer occur: server/b, server/c, server/d, ..."
    assert done.findings[0].waived


@pytest.mark.parametrize(
    "now",
    [[finding("a")], [finding("a"), finding("b", verdict=Verdict.UNKNOWN)]],
    ids=["a profile that is not in this run", "not told"],
)
def test_what_cannot_be_seen_is_not_gone(now):
    known = entries([report(finding("a"), finding("b"))])
    assert remarks(accepted(baseline=known), *now) == []
    assert remarks(accepted(baseline=known), *now, name="other") == []


def test_a_waiver_goes_before_the_baseline():
    known = entries([report(finding())])
    done, told = judged(accepted(waiver(), baseline=known), report(finding()))
    assert not done.findings[0].waived.baseline
    assert told == []
