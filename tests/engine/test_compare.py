"""What a change means: which settings moved, for better or worse, and what became of the rest."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy
from advisor.engine.compare import Terms, compare
from advisor.engine.names.symbols import Naming
from advisor.engine.waivers import Accepted
from advisor.model.comparison import Drift, Renamed, SymbolKind
from advisor.model.finding import Waiver
from advisor.model.kernel import Location

HEAD = 'kind = "switch"\nsummary = "x"\nverified = "6.12"\ncost = "Some speed."\n'
FILES = {
    "rules/x/fast.toml": 'id = "fast"\ntitle = "Fast path"\n'
    + HEAD
    + """
[[value]]
name = "on"
set = { FAST = "y" }
[[value]]
name = "off"
set = { FAST = "n" }
""",
    "rules/x/slow.toml": """
id = "slow"
title = "Slow things"
kind = "group"
summary = "x"
[[member]]
symbol = "SLOW"
note = "slow"
[[member]]
symbol = "SLOWER"
note = "slower"
""",
    "rules/lifecycle/names.toml": """
[[rename]]
old = "OLD_NAME"
new = "NEW_NAME"
since = "6.0"
[[rename]]
old = "REMOVED"
new = ""
since = "6.0"
note = "Nobody used it."
""",
    "rules/successors/names.toml": """
successor = [
  "OLDER -> OLD_DRIVER 5.4.286 5.10.89 object",
  "OLD_DRIVER -> NEW_DRIVER 6.1.192 6.6.21 prompt security — Asks for more.",
  "PIECE in WHOLE 6.1.192 6.6.21 part",
  "BOTH -> THIS, THAT 6.1.192 6.6.21 source",
]
""",
    "profiles/speed.toml": """
id = "speed"
title = "Speed"
summary = "x"
[[advice]]
id = "fast"
tunable = "fast"
stance = "want"
strength = "must"
want = ["on"]
why = "Speed."
[[advice]]
id = "slow"
tunable = "slow"
stance = "avoid"
strength = "should"
want = ["off"]
why = "Slowness."
""",
    "profiles/rest.toml": """
id = "rest"
title = "Rest"
summary = "x"
[[advice]]
id = "fast"
tunable = "fast"
stance = "avoid"
strength = "could"
want = ["off"]
why = "Calm."
""",
}


class NoNames:
    """A catalogue that has read nothing."""

    kernels = ()

    def seen(self, name):
        return None


@pytest.fixture
def knowledge(make_knowledge):
    made = make_knowledge(FILES)
    made.catalogue = NoNames()
    return made


@pytest.fixture
def compared(make_world, knowledge):
    def run(old, new, *names, accepted=None):
        worlds = [make_world(text, knowledge=knowledge) for text in (old, new)]
        profiles = tuple(map(knowledge.profile, names or knowledge.ids("profiles")))
        terms = Terms(profiles, bool(names), Policy(accepted=accepted), Naming({"LOST": "A > B"}))
        return compare(worlds[0].subject, worlds[1].subject, knowledge, terms)

    return run


def drifts(comparison):
    return {s.new.id: s.drift for shifts in comparison.by_profile.values() for s in shifts}


def kinds(comparison):
    return {move.symbol: move.kind for move in comparison.symbols}


def test_the_same_on_both_sides_is_empty(compared):
    found = compared("FAST=y OTHER=m", "FAST=y OTHER=m")
    assert found.empty
    assert not found.failed


def test_a_setting_that_leaves_what_is_wanted_is_worse_and_fails(compared):
    found = compared("FAST=y", "FAST=n", "speed")
    assert [m.tunable.id for m in found.movements] == ["fast"]
    assert (found.movements[0].old.effective, found.movements[0].new.effective) == (
        ("on",),
        ("off",),
    )
    assert drifts(found) == {"speed/fast": Drift.WORSE}
    assert found.failed


def test_what_is_worse_for_one_is_better_for_another(compared):
    assert drifts(compared("FAST=y", "FAST=n")) == {
        "speed/fast": Drift.WORSE,
        "rest/fast": Drift.BETTER,
    }


def test_profiles_that_nobody_named_do_not_fail(compared):
    assert not compared("FAST=y", "FAST=n").failed


def test_a_finding_on_both_sides_is_no_change(compared):
    found = compared("FAST=n A=y", "FAST=n A=m", "speed")
    assert drifts(found) == {}
    assert not found.failed


@pytest.mark.parametrize(
    ("old", "new", "drift"),
    [
        ("SLOW=y SLOWER=n", "SLOW=y SLOWER=y", Drift.WORSE),
        ("SLOW=y SLOWER=y", "SLOW=n SLOWER=y", Drift.BETTER),
        ("SLOW=y SLOWER=n", "SLOW=n SLOWER=y", Drift.WORSE),
        ("SLOW=y SLOWER=n", "SLOW=n SLOWER=n", Drift.BETTER),
    ],
)
def test_of_a_group_each_member_counts(compared, old, new, drift):
    found = compared(f"FAST=y {old}", f"FAST=y {new}", "speed")
    assert drifts(found) == {"speed/slow": drift}


def test_a_member_that_a_newer_kernel_has_is_open_not_worse(make_world, built_in):
    old = make_world("FORTIFY_SOURCE=n HARDENED_USERCOPY=n", kernel="6.1.0")
    new = make_world("FORTIFY_SOURCE=n HARDENED_USERCOPY=n LIST_HARDENED=n")
    terms = Terms((built_in.profile("desktop-latency"),), True, Policy())
    found = compare(old.subject, new.subject, built_in, terms)
    assert drifts(found)["desktop-latency/hardening"] is Drift.OPEN


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # NETFILTER_XTABLES=n hides all members.
        ("NETFILTER_XT_MATCH_ADDRTYPE=n NETFILTER_XT_MARK=n", "", None),
        ("NETFILTER_XT_MATCH_ADDRTYPE=n NETFILTER_XT_MARK=m", "", Drift.WORSE),
        ("NETFILTER_XT_MATCH_ADDRTYPE=n NETFILTER_XT_MARK=n", "NETFILTER_XT_MARK=m", Drift.BETTER),
    ],
)
def test_wanted_members_that_are_hidden_are_no_better(make_world, built_in, old, new, expected):
    base = "NET=y INET=y NETFILTER=y NETFILTER_XTABLES={} "
    before = make_world(base.format("m") + old)
    after = make_world(base.format("m" if new else "n") + new)
    terms = Terms((built_in.profile("container-host"),), True, Policy())
    found = compare(before.subject, after.subject, built_in, terms)
    assert drifts(found).get("container-host/firewall-matches") is expected


def test_what_hardening_wants_off_is_no_loss_of_security(make_world, built_in):
    old, new = make_world("USELIB=y LEGACY_PTYS=y"), make_world("USELIB=n LEGACY_PTYS=y")
    found = compare(old.subject, new.subject, built_in, Terms((), False, Policy()))
    assert [m.changed for m in found.movements] == [(("USELIB", False),)]
    assert found.losses == ()


def test_the_members_that_moved_are_named(compared):
    found = compared("SLOW=y SLOWER=n", "SLOW=n SLOWER=y")
    assert found.movements[0].changed == (("SLOWER", True), ("SLOW", False))


def test_a_member_without_a_symbol_that_is_part_of_another_one_is_not_off(make_world, built_in):
    """Since 6.9 arm64 has a switch for its mitigations, which were built in before."""
    old = make_world("UNMAP_KERNEL_AT_EL0=y", kernel="6.5.0", arch="arm64")
    new = make_world("UNMAP_KERNEL_AT_EL0=y CPU_MITIGATIONS=y", kernel="6.12.0", arch="arm64")
    found = compare(old.subject, new.subject, built_in, Terms((), True, Policy()))
    moved = {m.tunable.id: m.changed for m in found.movements}
    assert moved["single-mitigations"] == (("CPU_MITIGATIONS", True),)


def test_the_boot_line_moves_settings_as_the_configuration_does(make_world, built_in):
    old, new = (
        make_world("PREEMPT_VOLUNTARY=y PREEMPT_DYNAMIC=y", cmdline=line, knowledge=built_in)
        for line in ("quiet", "preempt=full quiet nohz_fulll=1")
    )
    terms = Terms((built_in.profile("server-throughput"),), True, Policy())
    found = compare(old.subject, new.subject, built_in, terms)
    assert [m.tunable.id for m in found.movements] == ["preemption-model"]
    assert found.words == (("preempt=full", True), ("nohz_fulll=1", True))
    assert [item.id for item in found.appeared] == ["parameter-unknown"]
    assert found.failed  # by the diagnostic, an error

    back = compare(new.subject, old.subject, built_in, terms)
    assert [item.id for item in back.solved] == ["parameter-unknown"]
    assert back.words == (("preempt=full", False), ("nohz_fulll=1", False))
    assert not back.failed


def test_what_is_waived_is_told_and_does_not_fail(compared):
    waiver = Waiver("fast", "We like it slow.", Location("w", 1))
    found = compared("FAST=y", "FAST=n", "speed", accepted=Accepted((waiver,)))
    (shift,) = found.by_profile["speed"]
    assert (shift.drift, shift.new.waived, shift.counts) == (Drift.WORSE, waiver, False)
    assert not found.failed


@pytest.mark.parametrize(("new", "told"), [("FAST=n", ["waiver-expired"]), ("FAST=y A=y", [])])
def test_a_waiver_that_ended_is_told_where_it_matters(compared, new, told):
    waiver = Waiver("fast", "We liked it slow.", Location("w", 1), expires="2025-01-01")
    accepted = Accepted((waiver,), today="2026-01-01")
    found = compared("FAST=y", new, "speed", accepted=accepted)
    assert [item.id for item in found.appeared] == told
    assert found.failed is bool(told)


def test_a_rename_with_the_same_value_is_no_change(compared):
    found = compared("OLD_NAME=y", "NEW_NAME=y")
    assert found.renamed == (Renamed("OLD_NAME", "NEW_NAME", "y"),)
    assert found.symbols == ()


def test_a_rename_with_another_value_is_one(compared):
    found = compared("OLD_NAME=y", "NEW_NAME=n")
    assert found.renamed == ()
    (move,) = found.symbols
    assert (move.symbol, move.kind) == ("OLD_NAME", SymbolKind.LOST)
    assert move.why == "is NEW_NAME now, and NEW_NAME is n: write CONFIG_NEW_NAME=y"


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        (
            "OLD_DRIVER=m",
            "NEW_DRIVER=m",
            ("OLD_DRIVER", "NEW_DRIVER", "m", False, "Asks for more."),
        ),
        ("OLDER=m", "NEW_DRIVER=y", ("OLDER", "NEW_DRIVER", "y")),
        ("OLDER=m", "OLD_DRIVER=m", ("OLDER", "OLD_DRIVER", "m")),
        ("PIECE=y WHOLE=y", "WHOLE=y", ("PIECE", "WHOLE", "y", True)),
        ("BOTH=y", "THAT=y", ("BOTH", "THAT", "y")),
    ],
)
def test_what_took_a_symbol_s_place_carries_it_over(compared, old, new, renamed):
    found = compared(old, new)
    assert found.renamed == (Renamed(*renamed),)
    assert found.symbols == ()
    assert found.losses == ()


def test_symbols_are_parted_by_what_became_of_them(compared):
    old = "LOST=y LOST_M=m BACK=n NUMBER=1 SAME=y MODULE=m GONE_NUMBER=3"
    new = "LOST=n BACK=m NUMBER=2 SAME=y MODULE=y FRESH=y"
    assert kinds(compared(old, new)) == {
        "LOST": SymbolKind.LOST,
        "LOST_M": SymbolKind.LOST,
        "BACK": SymbolKind.FORCED,
        "NUMBER": SymbolKind.VALUE,
        "MODULE": SymbolKind.VALUE,
        "GONE_NUMBER": SymbolKind.VALUE,
        "FRESH": SymbolKind.NEW,
    }


def test_symbols_know_their_menu(compared):
    assert compared("LOST=y", "LOST=n").symbols[0].menu == "A > B"


def test_off_and_absent_are_the_same_but_counted(compared):
    found = compared("ONE=n", "TWO=n")
    assert found.symbols == ()
    assert found.hidden == 2


def test_every_difference_is_told_once(make_world, built_in):
    """Told with a setting, as a symbol, as a rename, or counted as hidden."""
    old = make_world("HZ_250=y HZ=250 HZ_1000=n X=y RETPOLINE=y OFF=n STAY=y", kernel="6.1.0")
    new = make_world("HZ_250=n HZ=1000 HZ_1000=y X=m MITIGATION_RETPOLINE=y STAY=y")
    found = compare(old.subject, new.subject, built_in, Terms((), False, Policy()))
    told = {move.symbol for move in found.symbols}
    told |= {name for one in found.renamed for name in (one.old, one.new)}
    told |= {
        symbol for m in found.movements for v in m.tunable.values for p in v.sets for symbol, _ in p
    }
    moved = {"HZ_250", "HZ", "HZ_1000", "X", "RETPOLINE", "MITIGATION_RETPOLINE"}
    assert moved <= told
    assert "STAY" not in {move.symbol for move in found.symbols}
    assert found.hidden == 1


def test_advice_that_begins_to_apply_is_open(make_world, built_in):
    """A kernel that has the thing now, and not as it is wanted."""
    old = make_world("X86=y", kernel="5.15.0")
    new = make_world("LRU_GEN=n", kernel="6.12.0")
    terms = Terms((built_in.profile("desktop-latency"),), True, Policy())
    found = compare(old.subject, new.subject, built_in, terms)
    assert drifts(found)["desktop-latency/multigen-lru"] is Drift.OPEN


def test_a_group_that_was_right_and_got_a_member_is_open(compared):
    found = compared("SLOW=n", "SLOW=n SLOWER=y", "speed")
    assert drifts(found)["speed/slow"] is Drift.OPEN


def test_of_a_group_that_only_grew_the_new_members_are_told(compared):
    found = compared("SLOW=y", "SLOW=y SLOWER=n", "speed")
    moved = {m.tunable.id: m.changed for m in found.movements}
    assert moved["slow"] == (("SLOWER", False),)


def test_mitigations_that_are_all_off_are_not_told_one_by_one(make_world, built_in):
    lines = "X86_64=y CPU_MITIGATIONS=y MITIGATION_RETBLEED=y MITIGATION_MDS=y"
    worlds = [
        make_world(lines, cmdline=line, knowledge=built_in) for line in ("quiet", "mitigations=off")
    ]
    terms = Terms((built_in.profile("database"),), True, Policy())
    for pair, drift in ((worlds, Drift.WORSE), (worlds[::-1], Drift.BETTER)):
        found = compare(*(world.subject for world in pair), built_in, terms)
        moved = {m.tunable.id for m in found.movements}
        assert "cpu-mitigations" in moved
        assert "single-mitigations" not in moved
        assert drifts(found)["database/cpu-mitigations"] is drift


def test_mitigations_left_out_solve_nothing(make_world, built_in):
    cpu, known = "X86_64=y CPU_SUP_AMD=y", "MITIGATION_RETPOLINE=y MITIGATION_RETHUNK=n"
    lines = (
        f"{cpu} CPU_MITIGATIONS=y {known}",
        f"{cpu} CPU_MITIGATIONS=n",
        f"{cpu} CPU_MITIGATIONS=y {known} MITIGATION_TSA=y",
    )
    worlds = [make_world(one, knowledge=built_in, arch="x86", kernel="6.12") for one in lines]
    terms = Terms((), False, Policy())
    on, off, more = (world.subject for world in worlds)
    assert compare(on, off, built_in, terms).solved == ()
    assert "mitigation-unknown" in {one.id for one in compare(on, more, built_in, terms).solved}


def test_another_member_of_a_choice_is_no_loss(make_world, built_in):
    lines = (
        "DEFAULT_SECURITY_DAC=y SECURITY=y SECURITY_APPARMOR=n",
        "DEFAULT_SECURITY_DAC=n DEFAULT_SECURITY_APPARMOR=y SECURITY=y SECURITY_APPARMOR=y",
    )
    worlds = [make_world(text, knowledge=built_in) for text in lines]
    found = compare(*(w.subject for w in worlds), built_in, Terms((), False, Policy()))
    assert "lsm" in {m.tunable.id for m in found.movements}
    assert found.losses == ()


def test_a_mitigation_is_of_security_in_no_menu(make_world, built_in):
    lines = ("MITIGATION_RETPOLINE=y", "MITIGATION_RETPOLINE=n")
    worlds = [make_world(text, knowledge=built_in) for text in lines]
    found = compare(*(w.subject for w in worlds), built_in, Terms((), False, Policy()))
    assert [(loss.symbol, loss.area) for loss in found.losses] == [
        ("MITIGATION_RETPOLINE", "security")
    ]


WAYS = {
    f"rules/x/{name}.toml": f"""
id = "{name}"
title = "The {name} way"
kind = "switch"
summary = "x"
[[value]]
name = "on"
set = {{ {name.upper()} = "y" }}
[[value]]
name = "off"
set = {{ {name.upper()} = "n" }}
"""
    for name in ("former", "latter")
} | {
    "profiles/either.toml": """
id = "either"
title = "Either"
summary = "x"
[[advice]]
id = "way"
stance = "want"
strength = "must"
why = "One of them."
[[advice.any_of]]
tunable = "former"
want = ["on"]
[[advice.any_of]]
tunable = "latter"
want = ["on"]
""",
}
BOTH, LATTER = "FORMER=y LATTER=y", "FORMER=n LATTER=y"


@pytest.mark.parametrize(
    ("old", "new", "kernels", "drift"),
    [
        # Programs of the installed system may use the way that the new kernel lost.
        (BOTH, LATTER, ("6.6.0", "6.12.0"), Drift.WORSE),
        ("FORMER=y LATTER=n", LATTER, ("6.6.0", "6.12.0"), Drift.WORSE),
        (BOTH, LATTER, ("6.12.0", "6.12.0"), Drift.FINE),  # somebody changed the line
        (LATTER, BOTH, ("6.6.0", "6.12.0"), Drift.FINE),
        (BOTH, "FORMER=n LATTER=n", ("6.6.0", "6.12.0"), Drift.WORSE),
    ],
)
def test_the_way_that_a_newer_kernel_lost_is_worse(
    make_world, make_knowledge, old, new, kernels, drift
):
    knowledge = make_knowledge(WAYS)
    knowledge.catalogue = NoNames()
    sides = [
        make_world(lines, knowledge=knowledge, kernel=kernel).subject
        for lines, kernel in zip((old, new), kernels, strict=True)
    ]
    terms = Terms((knowledge.profile("either"),), True, Policy(), Naming())
    found = compare(*sides, knowledge, terms)
    (shift,) = found.by_profile["either"]
    assert shift.drift is drift
    assert found.failed is (drift is Drift.WORSE)
    assert shift.half is ("LATTER=y" in new and drift is Drift.WORSE)
    if shift.half:
        assert shift.new.tunable.id == "former"
        assert [[c.symbol for c in r.changes] for r in shift.new.remedies] == [["FORMER"]]
