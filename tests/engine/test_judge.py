"""Verdicts and remedies, on small knowledge of our own."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit, parse_fail_on
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge, judge_advice
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge.index import load
from advisor.model.finding import Verdict
from advisor.model.kernel import Machine
from advisor.model.profile import Strength
from advisor.model.remedy import RemedyKind, Role
from advisor.output.phrases import instruction

SWITCH = """
id = "fast-path"
title = "Fast path"
kind = "switch"
summary = "A fast path."
[[value]]
name = "on"
set = { FAST = "y" }
requires = "BASE && !SLOW"
boot = ["fast=1"]
[[value]]
name = "off"
set = { FAST = "n" }
boot = ["fast=0"]
"""
CHOICE = """
id = "a-choice"
title = "A choice"
kind = "choice"
summary = "One of three."
choice = ["ONE", "TWO", "THREE"]
[[value]]
name = "one"
set = { ONE = "y", NUMBER = "1" }
[[value]]
name = "two"
set = { TWO = "y", NUMBER = "2" }
[[value]]
name = "three"
set = { THREE = "y", NUMBER = "3" }
"""
GROUP = """
id = "slow-things"
title = "Slow things"
kind = "group"
summary = "Slow."
[[member]]
symbol = "SLOW"
note = "slow"
boot_off = ["slow=0", "slower=0"]
[[member]]
symbol = "FAST"
note = "also slow"
"""
PARAMETERS = """
[[parameter]]
name = "fast"
summary = "Fast or not."
type = "bool"
only_if = "FAST || FAST_CAPABLE"
[[parameter]]
name = "slow"
summary = "Slow or not."
type = "bool"
[[parameter]]
name = "slower"
summary = "Slower or not."
type = "bool"
"""


def profile(name, *advice):
    parts = [f'id = "{name}"\ntitle = "{name}"\nsummary = "x"']
    for index, text in enumerate(advice):
        fields = "" if "stance" in text else 'stance = "want"\n'
        parts.append(
            f'[[advice]]\nid = "a{index}"\nstrength = "should"\nwhy = "because"\n{fields}{text}'
        )
    return "\n".join(parts)


@pytest.fixture
def run(make_world, make_knowledge):
    """Audits a configuration under profiles given as TOML; returns the report."""

    def run(config, profiles, *, plan="", prefer="", weakest=Strength.SHOULD, extra=None, **given):
        files = {
            "rules/t/fast-path.toml": SWITCH, "rules/t/a-choice.toml": CHOICE,
            "rules/t/slow-things.toml": GROUP, "rules/parameters/p.toml": PARAMETERS,
        }  # fmt: skip
        files |= extra or {}
        files |= {f"profiles/p{i}.toml": text for i, text in enumerate(profiles)}
        knowledge = make_knowledge(files)
        world = make_world(config, knowledge=knowledge, **given)
        found = [knowledge.profile(name) for name in knowledge.ids("profiles")]
        return audit(
            world.subject, knowledge, found, Policy(plan=plan, prefer=prefer, weakest=weakest)
        )

    return run


WANT_ON = 'tunable = "fast-path"\nwant = ["on"]'
WANT_OFF = 'tunable = "fast-path"\nwant = ["off"]'


def only(report):
    (finding,) = report.findings
    return finding


def changes(remedy):
    return [(c.symbol, c.old, c.new, c.role) for c in remedy.changes]


def test_ok_where_it_is_as_wanted(run):
    assert only(run("FAST=y BASE=y", [profile("p", WANT_ON)])).verdict is Verdict.OK


def test_change_with_the_dependency_it_needs(run):
    finding = only(run("FAST=n BASE=n", [profile("p", WANT_ON)]))
    (remedy,) = finding.remedies
    assert changes(remedy) == [
        ("BASE", "n", "y", Role.DEPENDENCY),
        ("FAST", "n", "y", Role.ASKED),
    ]


def test_a_hidden_symbol_appears_with_its_dependency(run):
    (remedy,) = only(run("BASE=n", [profile("p", WANT_ON)])).remedies
    assert ("FAST", None, "y", Role.ASKED) in changes(remedy)


def test_a_symbol_that_nothing_can_open_blocks(run):
    finding = only(run("BASE=y", [profile("p", WANT_ON)]))
    assert finding.verdict is Verdict.BLOCKED
    assert "does not offer FAST" in finding.reason


def test_what_stands_against_it_is_named_with_its_line(run):
    finding = only(run("FAST=n BASE=y SLOW=y", [profile("p", WANT_ON)]))
    assert finding.verdict is Verdict.BLOCKED
    assert finding.reason == "SLOW=y (.config:3) prevents it"


def test_the_boot_line_comes_before_the_rebuild(run):
    finding = only(run("FAST=n BASE=y FAST_CAPABLE=y", [profile("p", WANT_ON)], cmdline="quiet"))
    assert [r.kind for r in finding.remedies] == [RemedyKind.BOOT, RemedyKind.REBUILD]
    assert finding.remedies[0].words == ("fast=1",)


def test_a_word_that_undoes_what_is_compiled_is_to_go(run):
    finding = only(run("FAST=y BASE=y", [profile("p", WANT_ON)], cmdline="fast=0 quiet"))
    (remedy,) = finding.remedies
    assert (remedy.kind, remedy.drop, remedy.words) == (RemedyKind.BOOT, ("fast=0",), ())


@pytest.fixture
def run_guarded(run):
    """The one finding where the parameter is a protection, under a condition."""

    def of(config, cmdline, guards="true"):
        lines = f'type = "bool"\nguards = {guards}\n'
        guarding = PARAMETERS.replace('type = "bool"\n', lines, 1)
        extra = {"rules/parameters/p.toml": guarding}
        return only(run(config, [profile("p", WANT_ON)], cmdline=cmdline, extra=extra))

    return of


def test_no_rebuild_is_offered_that_a_guarding_word_would_undo(run_guarded):
    finding = run_guarded("FAST=n BASE=y FAST_CAPABLE=y", "fast=0")
    assert [r.kind for r in finding.remedies] == [RemedyKind.BOOT]
    assert finding.remedies[0].words == ("fast=1",)


def test_a_guarding_parameter_that_is_left_open_may_go(run_guarded):
    finding = run_guarded("FAST=y BASE=y", "quiet fast=0", '"!boot(fast=0)"')
    assert finding.remedies[0].drop == ("fast=0",)


def test_a_guarding_parameter_may_go_where_it_protects_nothing(run_guarded):
    guards = '"FAST_CAPABLE"'
    finding = run_guarded("FAST=y BASE=y FAST_CAPABLE=n", "quiet fast=0", guards)
    assert finding.remedies[0].drop == ("fast=0",)
    finding = run_guarded("FAST=y BASE=y FAST_CAPABLE=y", "quiet fast=0", guards)
    assert finding.remedies[0].words == ("fast=1",)


def test_a_built_in_word_needs_a_rebuild_where_the_boot_line_has_no_say(run):
    config = 'FAST=y BASE=y CMDLINE_BOOL=y CMDLINE_OVERRIDE=y CMDLINE="fast=0"'
    finding = only(run(config, [profile("p", WANT_ON)], cmdline="quiet"))
    (remedy,) = finding.remedies
    assert ("CMDLINE", '"fast=0"', '""', Role.ASKED) in changes(remedy)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [("ONE=y TWO=n THREE=n NUMBER=1", "three or two"), ("ONE=y TWO=n NUMBER=1", "two")],
)
def test_of_several_members_those_that_the_kernel_lacks_are_not_asked_for(run, config, wanted):
    advice = profile("p", 'tunable = "a-choice"\nwant = ["three", "two"]')
    assert only(run(config, [advice])).wanted == wanted


def test_what_a_remedy_settles_for_is_told_as_wanted_too(run):
    advice = profile("p", 'tunable = "a-choice"\nwant = ["three"]\naccept = ["two"]')
    finding = only(run("ONE=y TWO=n NUMBER=1", [advice]))
    assert (finding.target, finding.wanted) == ("two", "three or two")


def test_what_must_not_be_off_is_named_as_off(run):
    switch = SWITCH.replace("BASE && !SLOW", "BASE != n").replace('boot = ["fast=1"]', "")
    extra = {"rules/t/fast-path.toml": switch}
    finding = only(run("FAST=n BASE=n", [profile("p", WANT_ON)], extra=extra))
    assert (finding.verdict, finding.reason) == (
        Verdict.BLOCKED,
        "needs BASE, which is off in this configuration",
    )


def test_a_line_of_ones_own_replaces_a_fallback_and_its_words(run):
    config = 'FAST=y BASE=y CMDLINE="fast=0 quiet"'
    finding = only(run(config, [profile("p", WANT_ON)], arch="arm64"))
    boot, rebuild = finding.remedies
    assert (boot.kind, boot.words, boot.drop) == (RemedyKind.BOOT, ("quiet",), ())
    assert boot.value == "on"
    assert ("CMDLINE", '"fast=0 quiet"', '"quiet"', Role.ASKED) in changes(rebuild)
    # Where both count, no word of the loader's takes one of these out.
    config = 'FAST=y BASE=y CMDLINE_BOOL=y CMDLINE="fast=0 quiet"'
    boot, _ = only(run(config, [profile("p", WANT_ON)])).remedies
    assert boot.words == ("fast=1",)
    # An empty one replaces nothing.
    config = 'FAST=y BASE=y CMDLINE="fast=0"'
    boot, _ = only(run(config, [profile("p", WANT_ON)], arch="arm64")).remedies
    assert boot.words == ("fast=1",)


@pytest.mark.parametrize(("given", "told"), [(None, False), ("", True)])
def test_words_of_a_fallback_are_no_advice_where_the_line_was_not_told(run, given, told):
    config = 'FAST=y BASE=y CMDLINE="console=ttyS0 quiet"'
    finding = only(run(config, [profile("p", WANT_OFF)], arch="arm64", cmdline=given))
    boot = next(remedy for remedy in finding.remedies if remedy.kind is RemedyKind.BOOT)
    assert boot.words == ("console=ttyS0", "quiet", "fast=0")
    assert boot.repeats == (() if told else ("console=ttyS0", "quiet"))
    text = instruction(boot, finding.tunable)
    assert text.startswith("fast=0 (if the boot line is empty now") is not told


@pytest.mark.parametrize("fast", ["FAST=n", "FAST=y"])
def test_built_in_words_of_a_group_need_a_rebuild(run, fast):
    group = GROUP.replace('boot_off = ["slow=0", "slower=0"]', 'boot_on = ["slow=*", "slower=*"]')
    config = f'SLOW=n {fast} CMDLINE_BOOL=y CMDLINE_OVERRIDE=y CMDLINE="slow=1 quiet slower=1"'
    advice = profile("p", 'tunable = "slow-things"\nwant = ["off"]')
    finding = only(run(config, [advice], extra={"rules/t/slow-things.toml": group}))
    (remedy,) = finding.remedies
    line = ("CMDLINE", '"slow=1 quiet slower=1"', '"quiet"', Role.ASKED)
    assert [line] == changes(remedy)[-1:]
    assert (("FAST", "y", "n", Role.ASKED) in changes(remedy)) is (fast == "FAST=y")


def test_a_choice_is_one_decision(run):
    finding = only(
        run("ONE=y TWO=n THREE=n NUMBER=1", [profile("p", 'tunable = "a-choice"\nwant = ["two"]')])
    )
    (remedy,) = finding.remedies
    assert changes(remedy) == [
        ("TWO", "n", "y", Role.ASKED),
        ("NUMBER", "1", "2", Role.ASKED),
        ("ONE", "y", "n", Role.SIBLING),
        ("THREE", "n", "n", Role.SIBLING),
    ]


def test_an_invisible_member_is_left_out(run):
    finding = only(
        run("ONE=y TWO=n NUMBER=1", [profile("p", 'tunable = "a-choice"\nwant = ["three", "two"]')])
    )
    assert finding.target == "two"
    assert "THREE" not in {symbol for symbol, *_ in changes(finding.remedies[0])}


GATED = CHOICE.replace('NUMBER = "3" }', 'NUMBER = "3" }\nrequires = "GATE && !RT"')
WANT_THREE = profile("p", 'tunable = "a-choice"\nwant = ["three"]')


@pytest.mark.parametrize("gate", ["n", "m"])
def test_a_member_behind_a_gate_comes_with_it(run, gate):
    extra = {"rules/t/a-choice.toml": GATED.replace("GATE &&", "GATE = y &&")}
    report = run(f"ONE=y TWO=n NUMBER=1 GATE={gate}", [WANT_THREE], extra=extra)
    (remedy,) = only(report).remedies
    assert changes(remedy) == [
        ("GATE", gate, "y", Role.DEPENDENCY),
        ("THREE", None, "y", Role.ASKED),
        ("NUMBER", "1", "3", Role.ASKED),
        ("ONE", "y", "n", Role.SIBLING),
        ("TWO", "n", "n", Role.SIBLING),
    ]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("GATE=y", "the Kconfig choice of this kernel has no THREE"),
        ("GATE=y RT=y", "RT=y (.config:5) prevents it"),
        ("RT=n", "needs GATE, which this configuration does not offer"),
    ],
)
def test_why_a_choice_does_not_show_a_member(run, config, reason):
    extra = {"rules/t/a-choice.toml": GATED}
    finding = only(run(f"ONE=y TWO=n NUMBER=1 {config}", [WANT_THREE], extra=extra))
    assert (finding.verdict, finding.reason) == (Verdict.BLOCKED, reason)


def test_avoid_is_satisfied_by_anything_else(run):
    advice = 'tunable = "a-choice"\nstance = "avoid"\navoid = ["one"]\nwant = ["three"]'
    assert only(run("TWO=y NUMBER=2", [profile("p", advice)])).verdict is Verdict.OK
    finding = only(run("ONE=y TWO=n THREE=n NUMBER=1", [profile("p", advice)]))
    assert (finding.verdict, finding.target) == (Verdict.CHANGE, "three")


def test_a_group_lists_what_is_on_and_turns_it_off(run):
    finding = only(run("SLOW=y FAST=y", [profile("p", 'tunable = "slow-things"\nwant = ["off"]')]))
    assert set(dict(finding.state.on)) == {"SLOW", "FAST"}
    (remedy,) = finding.remedies
    assert changes(remedy) == [("SLOW", "y", "n", Role.ASKED), ("FAST", "y", "n", Role.ASKED)]


def test_a_group_is_switched_off_at_boot_only_if_all_of_it_can_be(run):
    finding = only(run("SLOW=y FAST=n", [profile("p", 'tunable = "slow-things"\nwant = ["off"]')]))
    assert finding.remedies[0].words == ("slow=0",)


def test_alternatives_are_satisfied_by_either(run):
    either = "\n".join(
        f"[[advice.any_of]]\n{part}" for part in (WANT_ON, 'tunable = "a-choice"\nwant = ["two"]')
    )
    assert only(run("FAST=n TWO=y NUMBER=2", [profile("p", either)])).verdict is Verdict.OK
    assert (
        only(run("FAST=n BASE=y ONE=y TWO=n NUMBER=1", [profile("p", either)])).verdict
        is Verdict.CHANGE
    )


@pytest.mark.parametrize(("virtual", "ways"), [(None, 2), ("no", 2), ("guest", 1)])
def test_a_way_that_is_none_here_is_left_out(run, virtual, ways):
    other = f'{WANT_ON}\nunless = "virtual = guest"'
    either = f'[[advice.any_of]]\n{other}\n[[advice.any_of]]\ntunable = "a-choice"\nwant = ["two"]'
    finding = only(run("FAST=y ONE=y TWO=n", [profile("p", either)], virtual=virtual))
    assert len(finding.advice.options) == ways
    assert (finding.verdict is Verdict.OK) is (ways == 2)


NEAR = """
id = "{0}"
title = "{0}"
kind = "switch"
summary = "One of several ways."
[[value]]
name = "on"
set = {1}
[[value]]
name = "off"
set = {2}
"""
ONE_LINE = NEAR.format("one-line", '{ LONE = "y" }', '{ LONE = "n" }')
TWO_LINES = NEAR.format("two-lines", '{ LEFT = "y", RIGHT = "y" }', '{ RIGHT = "n" }')
THINGS = """
id = "two-things"
title = "Two things"
kind = "group"
summary = "Things."
[[member]]
symbol = "LEFT"
note = "a thing"
[[member]]
symbol = "RIGHT"
note = "a thing"
[[member]]
symbol = "MIDDLE"
note = "a thing"
"""


@pytest.mark.parametrize(
    ("config", "ways", "taken"),
    [
        ("LONE=n LEFT=n RIGHT=n", ("two-lines", "one-line"), "one-line"),
        ("LONE=n LEFT=y RIGHT=n", ("two-lines", "one-line"), "two-lines"),
        ("LONE=n LEFT=n RIGHT=y", ("one-line", "two-lines"), "one-line"),
        ("LONE=n FAST=n BASE=y FAST_CAPABLE=y", ("one-line", "fast-path"), "fast-path"),
        ("LONE=n LEFT=y RIGHT=n MIDDLE=n", ("one-line", "two-things"), "two-things"),
        ("LONE=n LEFT=n RIGHT=n MIDDLE=n", ("two-things", "one-line"), "one-line"),
        ("FAST=n BASE=n SLOW=y LONE=n", ("fast-path", "one-line"), "one-line"),
    ],
)
@pytest.mark.parametrize("plan", ["", "fragment", "cmdline"])
def test_of_several_ways_the_nearest_is_taken(run, config, ways, taken, plan):
    advice = "\n".join(f'[[advice.any_of]]\ntunable = "{way}"\nwant = ["on"]' for way in ways)
    rules = {"one-line": ONE_LINE, "two-lines": TWO_LINES, "two-things": THINGS}
    extra = {f"rules/t/{name}.toml": text for name, text in rules.items()}
    report = run(config, [profile("p", advice)], extra=extra, plan=plan)
    finding = only(report)
    assert (finding.verdict, finding.tunable.id) == (Verdict.CHANGE, taken)
    if plan == "cmdline":
        assert report.plan.words == (("fast=1",) if taken == "fast-path" else ())
    if plan == "fragment" and taken != "fast-path":
        asked = {c.symbol for step in report.plan.steps for c in step.remedy.changes}
        assert asked == {c.symbol for c in finding.remedies[0].changes}


def test_of_ways_that_take_another_machine_the_first_is_taken(run):
    advice = """
[[advice.any_of]]
tunable = "two-lines"
want = ["on"]
unless = "virtual = no"
[[advice.any_of]]
tunable = "one-line"
want = ["on"]
"""
    extra = {"rules/t/one-line.toml": ONE_LINE, "rules/t/two-lines.toml": TWO_LINES}
    config = "LONE=n LEFT=n RIGHT=n"
    report = run(config, [profile("p", advice)], extra=extra, virtual="guest")
    assert only(report).tunable.id == "two-lines"


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("cpus > 4", Verdict.UNKNOWN),
        ("arch = arm64", Verdict.NOT_APPLICABLE),
        ("arch = x86", Verdict.CHANGE),
    ],
)
def test_conditions(run, condition, verdict):
    finding = only(run("FAST=n BASE=y", [profile("p", f'{WANT_ON}\nonly_if = "{condition}"')]))
    assert finding.verdict is verdict
    assert finding.missing == (frozenset(["cpus"]) if verdict is Verdict.UNKNOWN else frozenset())


def test_what_is_right_anyway_waits_for_no_answer(run):
    profiles = [profile("p", f'{WANT_ON}\nonly_if = "cpus > 4"')]
    assert only(run("FAST=y BASE=y", profiles)).verdict is Verdict.OK
    assert only(run("FAST=y BASE=y", profiles, cpus=2)).verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("virtual", "verdict"), [(None, Verdict.CHANGE), ("guest", Verdict.NOT_APPLICABLE)]
)
def test_unless_needs_to_be_known(run, virtual, verdict):
    finding = only(
        run(
            "FAST=n BASE=y",
            [profile("p", f'{WANT_ON}\nunless = "virtual = guest"')],
            virtual=virtual,
        )
    )
    assert finding.verdict is verdict


@pytest.mark.parametrize(
    ("config", "cmdline", "line"),
    [
        ('CMDLINE_BOOL=y CMDLINE="slow=1"', "quiet", "built-in command line"),
        ("CMDLINE_BOOL=n", "slow=1", "boot line"),
        ('CMDLINE_BOOL=y CMDLINE="slow=1"', "slow=1", "boot line"),
    ],
)
def test_a_reason_names_the_line_that_has_the_word(run, config, cmdline, line):
    profiles = [profile("p", f'{WANT_ON}\nunless = "boot(slow=1)"')]
    finding = only(run(f"FAST=n BASE=y {config}", profiles, cmdline=cmdline))
    assert finding.reason == f"does not apply if slow=1 is on the {line}"


def test_another_architecture_is_the_reason_before_all_others(run):
    there = SWITCH.replace("[[value]]", 'only_if = "arch = arm64"\n[[value]]', 1)
    extra = {"rules/t/fast-path.toml": there}
    profiles = [profile("p", f'{WANT_ON}\nunless = "BASE"')]
    finding = only(run("FAST=n BASE=y", profiles, arch="x86", extra=extra))
    assert finding.reason == "this setting exists only if the architecture is arm64"
    finding = only(run("FAST=n BASE=y", profiles, arch="arm64", extra=extra))
    assert finding.reason == "does not apply if BASE is on"


MODULAR = """
id = "a-driver"
title = "A driver"
kind = "switch"
summary = "A driver."
[[value]]
name = "on"
set = [{ DRIVER = "m" }, { DRIVER = "y" }]
when = "DRIVER"
[[value]]
name = "off"
set = { DRIVER = "n" }
"""


@pytest.mark.parametrize(
    ("config", "value"),
    [
        ("MODULES=y A=m B=m C=m", "m"),
        ("MODULES=y A=m B=m", "y"),
        ("MODULES=n A=m B=m C=m", "y"),
    ],
)
def test_a_kernel_that_is_started_by_itself_gets_no_modules(run, config, value):
    """Where hardly anything is a module none is likely to reach the machine."""
    extra = {"rules/t/a-driver.toml": MODULAR}
    wish = 'tunable = "a-driver"\nwant = ["on"]'
    rest = " ".join(f"OPTION_{number}=y" for number in range(1000))
    finding = only(run(f"DRIVER=n {config} {rest}", [profile("p", wish)], extra=extra))
    assert changes(finding.remedies[0]) == [("DRIVER", "n", value, Role.ASKED)]


def test_what_another_architecture_has_is_no_way(run):
    either = SWITCH.replace("[[value]]", """[[value]]
name = "elsewhere"
set = { ELSEWHERE = "y" }
when = "ELSEWHERE"
requires = "arch != arm64"
[[value]]""", 1)  # fmt: skip
    extra = {"rules/t/fast-path.toml": either}
    wish = 'tunable = "fast-path"\nwant = ["elsewhere", "on"]'
    finding = only(run("FAST=n BASE=n SLOW=y", [profile("p", wish)], arch="arm64", extra=extra))
    assert "arch" not in finding.reason


def test_ranges_and_facts_of_the_machine(run):
    number = (
        'id="cpu-limit"\ntitle="t"\nkind="number"\nsummary="s"\nverified="6.12"\nsymbol="LIMIT"'
    )
    advice = profile("p", 'tunable = "cpu-limit"\nwant = ["{cpus}.."]')
    extra = {"rules/t/cpu-limit.toml": number}
    assert only(run("LIMIT=64", [advice], extra=extra, cpus=16)).verdict is Verdict.OK
    finding = only(run("LIMIT=64", [advice], extra=extra, cpus=128))
    assert changes(finding.remedies[0]) == [("LIMIT", "64", "128", Role.ASKED)]
    assert only(run("LIMIT=64", [advice], extra=extra)).missing == frozenset(["cpus"])


# --- several profiles -----------------------------------------------------------------------------


def test_profiles_that_disagree_conflict_with_both_reasons(run):
    report = run("FAST=n BASE=y", [profile("p", WANT_ON), profile("q", WANT_OFF)])
    (conflict,) = report.conflicts
    assert {advice.profile for advice, _ in conflict.sides} == {"p", "q"}
    assert report.failed
    assert all(not finding.remedies for finding in report.findings)


def test_a_preferred_profile_settles_it(run):
    report = run("FAST=n BASE=y", [profile("p", WANT_ON), profile("q", WANT_OFF)], prefer="q")
    assert not report.conflicts
    assert [finding.advice.profile for finding in report.findings] == ["q"]


def test_a_remedy_suits_everybody(run):
    first = profile("p", 'tunable = "a-choice"\nwant = ["two"]\naccept = ["three"]')
    second = profile("q", 'tunable = "a-choice"\nwant = ["three"]')
    report = run("ONE=y TWO=n THREE=n NUMBER=1", [first, second])
    assert not report.conflicts
    assert {finding.target for finding in report.findings} == {"three"}


def test_a_member_that_several_words_switch_off_gets_rid_of_all_of_them(run):
    advice = 'tunable = "slow-things"\nwant = ["on"]'
    line = "slower=0 quiet slow=0 slow=1"
    finding = only(run("SLOW=y FAST=y", [profile("p", advice)], cmdline=line))
    assert finding.remedies[0].drop == ("slower=0",)
    finding = only(run("SLOW=y FAST=y", [profile("p", advice)], cmdline=f"{line} slow=0"))
    assert (finding.remedies[0].drop, finding.remedies[0].words) == (("slower=0", "slow=0"), ())


def test_a_group_conflicts_with_a_member_that_somebody_wants(run):
    report = run(
        "FAST=n SLOW=n BASE=y",
        [profile("p", WANT_ON), profile("q", 'tunable = "slow-things"\nwant = ["off"]')],
    )
    (conflict,) = report.conflicts
    assert conflict.subject == "fast-path"


# --- plans ----------------------------------------------------------------------------------------


def lines(report):
    return [f"{c.symbol}={c.new}" for step in report.plan.steps for c in step.remedy.changes]


def test_a_fragment_ignores_the_boot_line(run):
    report = run(
        "FAST=n BASE=y FAST_CAPABLE=y", [profile("p", WANT_ON)], plan="fragment", cmdline="fast=1"
    )
    assert lines(report) == ["FAST=y"]


def test_weaker_advice_is_counted_only(run):
    advice = profile("p", WANT_ON).replace('"should"', '"could"')
    report = run("FAST=n BASE=y", [advice], plan="fragment")
    assert (lines(report), report.plan.optional) == ([], 1)
    assert lines(run("FAST=n BASE=y", [advice], plan="fragment", weakest=Strength.COULD)) == [
        "FAST=y"
    ]


def test_what_cannot_be_had_is_listed_with_its_cause(run):
    report = run("FAST=n BASE=y SLOW=y", [profile("p", WANT_ON)], plan="fragment")
    (omission,) = report.plan.omissions
    assert "SLOW=y" in omission.reason


def test_an_earlier_change_clears_the_way_for_a_later_one(run):
    first = profile("p", 'tunable = "slow-things"\nwant = ["off", "partly"]', WANT_ON).replace(
        '"should"', '"must"', 1
    )
    extra = {"rules/t/slow-things.toml": GROUP.partition('[[member]]\nsymbol = "FAST"')[0]}
    assert lines(run("FAST=n BASE=y SLOW=y", [first], plan="fragment", extra=extra)) == [
        "SLOW=n",
        "FAST=y",
    ]


def test_the_boot_line_keeps_what_is_foreign_and_replaces_its_own(run):
    report = run(
        "FAST=n BASE=y FAST_CAPABLE=y", [profile("p", WANT_ON)], plan="cmdline",
        cmdline='root=/dev/sda1 fast=0 dyndbg="file a.c +p" -- single',
    )  # fmt: skip
    assert report.plan.cmdline == 'root=/dev/sda1 dyndbg="file a.c +p" fast=1 -- single'


def test_what_the_boot_line_cannot_give_is_listed(run):
    report = run("FAST=n BASE=y", [profile("p", WANT_ON)], plan="cmdline", cmdline="quiet")
    assert report.plan.cmdline == "quiet"
    assert "needs a rebuild" in report.plan.omissions[0].reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("should", {"must", "should"}),
        ("could,warning", {"must", "should", "could", "error", "warning"}),
        ("never", set()),
        ("blocked,unknown", {"blocked", "unknown"}),
    ],
)
def test_what_fails(text, expected):
    assert parse_fail_on(text) == expected


def test_a_group_does_what_it_can_and_names_the_rest(run):
    group = GROUP.replace('note = "slow"', 'note = "slow"\nrequires = "!SELECTOR"')
    extra = {"rules/t/slow-things.toml": group}
    advice = 'tunable = "slow-things"\nwant = ["off"]'
    report = run("SLOW=y FAST=y SELECTOR=y", [profile("p", advice)], extra=extra, plan="fragment")
    assert lines(report) == ["FAST=n"]
    assert only(report).reason == "SLOW: SELECTOR=y (.config:3) prevents it"
    assert [o.reason for o in report.plan.omissions] == [only(report).reason]


def test_a_group_takes_in_what_the_plan_brings_to_light(run):
    group = GROUP.replace('symbol = "SLOW"', 'symbol = "SLOW"\nrequires = "FAST"')
    extra = {"rules/t/slow-things.toml": group.partition('[[member]]\nsymbol = "FAST"')[0]}
    wanted = profile("p", WANT_ON, 'tunable = "slow-things"\nwant = ["on"]')
    report = run("FAST=n BASE=y", [wanted], extra=extra, plan="fragment")
    assert "SLOW=y" in lines(report)


@pytest.mark.parametrize(
    ("kernel", "base", "taken"),
    [
        ("5.10.200", "BASE=y", ["FAST=y", "SLUGGISH=n"]),
        ("6.12.3", "BASE=y", ["FAST=y"]),
        # What is on by then brings nothing: a whole configuration would show it.
        ("5.10.200", "BASE=y FAST=y", []),
    ],
)
def test_what_a_plan_switches_on_by_default_is_settled_with_it(run, kernel, base, taken):
    # SLOW itself is what the switch cannot stand.
    group = GROUP.partition('[[member]]\nsymbol = "FAST"')[0].replace('"SLOW"', '"SLUGGISH"')
    group += (
        '[[unnamed]]\nof = ["FAST"]\ngives = { SLUGGISH = "y" }\nonly_if = "kernel < 6.3 && BASE"\n'
    )
    wanted = profile("p", WANT_ON, 'tunable = "slow-things"\nwant = ["off"]')
    config = base if "FAST" in base else f"FAST=n {base}"
    extra = {"rules/t/slow-things.toml": group}
    report = run(config, [wanted], extra=extra, plan="fragment", kernel=kernel)
    assert lines(report) == taken


def test_advice_that_a_change_makes_room_for_is_followed_too(run):
    later = 'tunable = "fast-path"\nwant = ["on"]\nunless = "a-choice = one"'
    wanted = profile("p", later, 'tunable = "a-choice"\nwant = ["two"]')
    report = run("ONE=y TWO=n NUMBER=1 FAST=n BASE=y", [wanted], plan="fragment")
    assert {"TWO=y", "FAST=y"} <= set(lines(report))


def test_a_word_for_another_machine_is_a_note(make_world):
    from advisor.engine.diagnose.inputs import diagnose

    config = "X86_AMD_PSTATE=y X86_INTEL_PSTATE=y CPU_FREQ=y SMP=y ACPI=y"
    world = make_world(config, cmdline="amd_pstate=active", vendor="intel", kernel="6.12")
    (found,) = diagnose(world)
    assert (found.id, found.severity.value) == ("parameter-other-machine", "note")


def test_why_what_is_wanted_cannot_be_had_goes_before_what_is_accepted(make_world):
    """A list of CPUs takes a word that needs RCU_NOCB_CPU; all CPUs would take a newer kernel."""
    world = make_world(
        "SMP=y TREE_RCU=y RCU_NOCB_CPU=n NO_HZ_FULL=n",
        cmdline="isolcpus=3",
        arch="arm",
        kernel="5.10.17",
        cpus=4,
        isolate="3",
    )
    world = world.after(world.subject._replace(keep=frozenset(("RCU_NOCB_CPU",))))
    (known,) = (a for a in world.knowledge.profile("realtime").advice if a.id == "rcu-offload")
    either = (known.options[0]._replace(accept=("all",)),)
    offload = judge_advice(known._replace(only_if=None, unless=None, options=either), world)
    assert offload.verdict is Verdict.BLOCKED
    assert offload.reason == "rcu_nocbs=3 needs RCU_NOCB_CPU"


def test_an_alternative_that_the_kernel_cannot_have_is_not_named():
    known = load()
    (advice,) = (
        a for a in known.profile("virtualization-guest").advice if a.id == "memory-hotplug"
    )
    config = parse_config(
        "CONFIG_S390_GUEST=y\n# CONFIG_VIRTIO_MEM is not set\n", "s", complete=True
    )
    subject = subject_of(config, Given(Machine(arch="s390")))
    wanted = judge_advice(advice, World(subject, known)).wanted
    assert wanted == "built"  # and no ACPI: of one that is left the title stands above


def _advised(make_world, profile, advice, config, **facts):
    world = make_world(config, **facts)
    found = judge(world, [world.knowledge.profile(profile)])
    return next(one for one in found if one.advice.id == advice)


@pytest.mark.parametrize("kernel", ["4.19", "6.12.117", "7.2"])
def test_what_a_kernel_has_and_nothing_given_shows_is_no_lack(make_world, kernel):
    found = _advised(
        make_world, "network-latency", "timer-migration", "SMP=y NO_HZ_COMMON=y", kernel=kernel
    )
    assert (found.verdict, found.runtime_only) == (Verdict.UNKNOWN, True)
    (remedy,) = found.remedies
    assert [tuple(one)[:2] for one in remedy.settings] == [("kernel.timer_migration", "0")]


def test_what_later_kernels_set_by_a_symbol_earlier_ones_have_by_default(make_world):
    old = {"kernel": "4.1.15", "arch": "x86"}
    usb = _advised(make_world, "power-saving", "usb-autosuspend", "USB=y PM=y PCI=y", **old)
    assert (usb.verdict, usb.state.effective) == (Verdict.OK, ("2",))
    sata = _advised(make_world, "power-saving", "sata-link-power", "SATA_AHCI=y PCI=y", **old)
    # The better word for it came with 4.15.
    assert [one.value for one in sata.remedies] == ["5"]


@pytest.mark.parametrize(
    ("config", "kernel", "advice", "ways"),
    [
        ("MQ_IOSCHED_DEADLINE=y", "6.1", "io-scheduler", ["none", "mq-deadline"]),
        ("MQ_IOSCHED_KYBER=y", "6.1", "io-scheduler", ["none"]),
        ("MQ_IOSCHED_DEADLINE=n", "6.1", "io-scheduler-rotating", []),
        ("IOSCHED_DEADLINE=y IOSCHED_NOOP=y", "3.16.76", "io-scheduler", ["noop", "deadline"]),
        ("IOSCHED_DEADLINE=y IOSCHED_NOOP=y", "3.16.76", "io-scheduler-rotating", ["deadline"]),
        ("IOSCHED_CFQ=y", "3.10.14", "io-scheduler-rotating", []),
    ],
)
def test_what_is_set_at_run_time_has_to_be_built(make_world, config, kernel, advice, ways):
    found = _advised(make_world, "server-throughput", advice, f"BLOCK=y {config}", kernel=kernel)
    assert [one.value for one in found.remedies] == ways
    assert found.verdict is (Verdict.UNKNOWN if ways else Verdict.NOT_APPLICABLE)
    assert ways or found.reason.startswith("it can be set only if MQ_IOSCHED_DEADLINE is on")


def test_where_no_other_scheduler_is_built_none_is_not_asked_for(make_world):
    config = "BLOCK=y MQ_IOSCHED_DEADLINE=n"
    found = _advised(make_world, "server-throughput", "io-scheduler", config, kernel="6.1")
    assert found.verdict is Verdict.NOT_APPLICABLE


def test_what_is_compiled_out_is_said_to_be_by_its_line(make_world):
    config = "PCI=y PM=n"
    found = _advised(make_world, "power-saving", "pci-device-power", config, kernel="6.12.117")
    assert found.reason == ("this setting exists only if PM is on; here # CONFIG_PM is not set")


@pytest.mark.parametrize(
    ("isolate", "verdict", "tunable"),
    [(None, Verdict.CHANGE, "softlockup-detector"), ("2-3", Verdict.CHANGE, "watchdog-cpus")],
)
def test_what_waits_for_the_operator_is_no_alternative_yet(make_world, isolate, verdict, tunable):
    """Detectors are switched off only where nobody says which CPUs they could leave out."""
    config = "SMP=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y"
    facts = {"kernel": "6.12.117", "cpus": 4, "isolate": isolate}
    found = _advised(make_world, "realtime", "softlockup-detector", config, **facts)
    assert (found.verdict, found.tunable.id) == (verdict, tunable)
    assert ("the CPUs that are not isolated" in found.wanted) == (isolate is not None)


def test_a_hidden_member_of_another_group_is_brought_along(make_world):
    """NETFILTER_XT_MATCH_PHYSDEV needs BRIDGE_NETFILTER, which a menu hides that is opened here."""
    lines = (
        "NET=y INET=y NETFILTER=y NETFILTER_ADVANCED=n NETFILTER_XTABLES=m BRIDGE=y MODULES=y "
        "NF_CONNTRACK=y NF_TABLES=n A=m B=m C=m"
    )
    facts = {"kernel": "5.10.52", "arch": "x86"}
    (remedy,) = _advised(make_world, "container-host", "policy-matches", lines, **facts).remedies
    assert not remedy.left
    brought = {change.symbol: change.new for change in remedy.changes}
    assert brought["NETFILTER_XT_MATCH_PHYSDEV"] in ("m", "y")
    assert brought["BRIDGE_NETFILTER"] in ("m", "y")
    assert brought["NETFILTER_ADVANCED"] == "y"
