"""In a review: the change of the very line that makes a setting so."""

from __future__ import annotations

import pytest

from advisor.engine.edits import edited
from advisor.model.comparison import Comparison, Drift, Movement, Shift, Side
from advisor.model.finding import Diagnostic, Finding, Verdict, Waiver
from advisor.model.kernel import Layer, Location, Machine, Severity
from advisor.model.lines import ChangedLine, Edit, LineKind
from advisor.model.plan import Plan
from advisor.model.profile import Advice, Option, Stance, Strength
from advisor.model.remedy import Change, Remedy, RemedyKind, Role
from advisor.model.report import Report
from advisor.model.state import Origin, State
from advisor.model.tunable import Tunable

TEXTS = {
    ("f", 1): ("FAST", "# CONFIG_FAST is not set"),
    ("f", 2): ("SLOW", "CONFIG_SLOW=y"),
    ("f", 3): ("NAME", "CONFIG_NAME=y"),
}
WAIVER = Waiver("x", "accepted", Location("kernel-advisor.toml", 1))
MACHINE = Machine(arch="x86")


def origin(line, layer=Layer.COMPILED):
    return Origin(layer, "text", Location("f", line))


def rebuild(*changes):
    made = (Change(symbol, "n", new, role) for symbol, new, role in changes)
    return Remedy(RemedyKind.REBUILD, "on", changes=tuple(made))


FAST = ("FAST", "y", Role.ASKED)
BASE = ("BASE", "y", Role.DEPENDENCY)
SLOW = ("SLOW", "n", Role.SIBLING)
BUILD = rebuild(FAST)
BOOT = Remedy(RemedyKind.BOOT, "on", words=("fast=1",))
NOW = Remedy(RemedyKind.RUNTIME, "on")


def finding(*origins, remedies=(BUILD,), waived=None, strength=Strength.MUST, off=()):
    advice = Advice("a", "p", Stance.WANT, strength, (Option("fast", ("on",)),), "why")
    tunable = Tunable("fast", "x", "Fast", "switch")
    state = State("fast", ("off",), origins=origins, off=off)
    return Finding(
        "p/a", Verdict.CHANGE, advice, tunable, state, remedies=tuple(remedies), waived=waived
    )


def report(*findings, diagnostics=()):
    return Report(
        "f", None, MACHINE, False, None, (), findings, tuple(diagnostics), (), Plan()
    )  # fmt: skip


def edits_of(one):
    return edited(report(one), None, (), TEXTS)[2]


@pytest.mark.parametrize(
    ("origins", "changes", "edits"),
    [
        ([1], [FAST], {1: ("CONFIG_FAST=y",)}),
        # What has no line of its own stands in the first that is edited.
        ([1], [BASE, FAST], {1: ("CONFIG_FAST=y", "CONFIG_BASE=y")}),
        ([1, 2], [FAST, BASE, SLOW], {1: ("CONFIG_FAST=y", "CONFIG_BASE=y"), 2: ()}),
        ([1, 1], [FAST], {1: ("CONFIG_FAST=y",)}),
        # A member that is given up needs no line, with a line of its own or without.
        ([1], [FAST, SLOW], {1: ("CONFIG_FAST=y",)}),
        ([2], [FAST, SLOW], {2: ("CONFIG_FAST=y",)}),
        ([3, 1], [FAST], {1: ("CONFIG_FAST=y",)}),
    ],
)
def test_the_lines_are_as_the_rebuild_would_have_them(origins, changes, edits):
    found = edits_of(finding(*map(origin, origins), remedies=[rebuild(*changes)]))
    assert {edit.line: edit.now for edit in found} == edits
    assert {(edit.was, edit.rule) for edit in found} == {
        (TEXTS["f", line][1], "p/a") for line in edits
    }


@pytest.mark.parametrize(
    ("origins", "remedies"),
    [
        ([origin(9)], [rebuild(FAST)]),
        ([origin(1), origin(9)], [rebuild(FAST)]),
        ([origin(1), origin(1, Layer.BOOT)], [rebuild(FAST)]),
        ([origin(1)], [BOOT]),
        ([origin(1)], [rebuild(FAST), rebuild(FAST, BASE)]),
        ([origin(1)], []),
    ],
)
def test_nothing_is_edited_unless_one_rebuild_is_about_changed_lines_alone(origins, remedies):
    assert edits_of(finding(*origins, remedies=remedies)) == ()


def test_of_a_group_the_lines_of_the_members_that_are_not_as_wanted_are_edited():
    one = finding(origin(9), off=(("FAST", origin(1)),))
    assert [edit.line for edit in edits_of(one)] == [1]


@pytest.mark.parametrize(
    ("origins", "kinds"),
    [
        ([origin(1, Layer.BOOT)], [RemedyKind.BOOT, RemedyKind.RUNTIME, RemedyKind.REBUILD]),
        ([origin(1)], [RemedyKind.RUNTIME, RemedyKind.BOOT, RemedyKind.REBUILD]),
        (
            [origin(1), origin(1, Layer.BOOT)],
            [RemedyKind.RUNTIME, RemedyKind.BOOT, RemedyKind.REBUILD],
        ),
    ],
)
def test_what_a_boot_line_alone_makes_so_is_changed_there_first(origins, kinds):
    told = report(finding(*origins, remedies=[NOW, BOOT, rebuild(FAST)]))
    (found,) = edited(told, None, (), TEXTS)[0].findings
    assert [remedy.kind for remedy in found.remedies] == kinds


def line(symbol, number, instead, rule="symbol-stale"):
    return ChangedLine(
        symbol, Location("f", number), None, "y", kind=LineKind.RENAMED, instead=instead, rule=rule
    )


def diagnostic(symbol, waived=None, rule="symbol-stale"):
    return Diagnostic(rule, Severity.ERROR, Location("f", 3), "m", subject=symbol, waived=waived)


@pytest.mark.parametrize(
    ("written", "diagnostics", "now"),
    [
        (line("NAME", 3, (("NEW", "y"),)), [diagnostic("NAME")], ["CONFIG_NEW=y"]),
        (line("NAME", 3, ()), [diagnostic("NAME")], []),
        (line("NAME", 3, None), [diagnostic("NAME")], None),
        (line("NAME", 9, ()), [diagnostic("NAME")], None),
        (line("NAME", 3, ()), [diagnostic("NAME", WAIVER)], None),
        (line("NAME", 3, ()), [diagnostic("OTHER")], None),
        (line("NAME", 3, ()), [diagnostic("NAME", rule="symbol-void")], None),
    ],
)
def test_a_line_that_fails_is_replaced_where_it_is_told_and_known_how(written, diagnostics, now):
    found = edited(report(diagnostics=diagnostics), None, [written], TEXTS)[2]
    expected = () if now is None else (Edit("f", 3, "CONFIG_NAME=y", tuple(now), "symbol-stale"),)
    assert found == expected


def test_of_two_edits_of_one_line_that_of_the_diagnostic_counts():
    told = report(finding(origin(1)), diagnostics=[diagnostic("FAST")])
    found = edited(told, None, [line("FAST", 1, ())], TEXTS)[2]
    assert [(edit.now, edit.rule) for edit in found] == [((), "symbol-stale")]


def test_a_waived_finding_is_not_edited():
    assert edits_of(finding(origin(1), waived=WAIVER)) == ()


SIDE = Side("f", None, MACHINE, False, None)


@pytest.mark.parametrize(
    ("drift", "strength", "chosen", "offered"),
    [
        (Drift.WORSE, Strength.MUST, True, True),
        (Drift.OPEN, Strength.MUST, True, True),
        (Drift.STILL, Strength.MUST, True, False),
        (Drift.WORSE, Strength.COULD, True, True),
        (Drift.WORSE, Strength.MUST, False, True),
        # What only some want is offered to those who named the profile.
        (Drift.WORSE, Strength.SHOULD, False, False),
    ],
)
def test_a_comparison_offers_the_edits_of_what_got_worse(drift, strength, chosen, offered):
    one = finding(origin(1), strength=strength)
    shift = Shift(one, one, drift)
    movement = Movement(one.tunable, None, None, shifts=(shift,))
    before = Comparison(
        SIDE, SIDE, (), chosen, movements=(movement,), by_profile={"p": (shift,), "q": (shift,)}
    )
    _, after, edits = edited(report(), before, (), TEXTS)
    assert [edit.line for edit in edits] == [1] * offered
    assert after.movements[0].shifts[0] is after.by_profile["p"][0] is after.by_profile["q"][0]
    assert after.by_profile["p"][0].new.edits


def test_a_comparison_edits_the_lines_of_the_diagnostics_that_appeared():
    before = Comparison(SIDE, SIDE, (), appeared=(diagnostic("NAME"),))
    lines = [line("NAME", 3, ()), line("FAST", 1, ())]
    _, _, edits = edited(report(diagnostics=[diagnostic("FAST")]), before, lines, TEXTS)
    assert [edit.line for edit in edits] == [3]
