"""What a plan makes of the built-in boot line, by architecture and mode."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge_advice
from advisor.engine.plan.boot_line_plan import built_in_line, plan_bootline
from advisor.inputs.config import parse_config
from advisor.model.plan import BuiltIn
from advisor.model.profile import Strength
from advisor.output import phrases


@pytest.fixture
def line(make_world):
    def make(arch, config, added=("nohz=on",), dropped=(), line="quiet nohz=on"):
        lines = [f"CONFIG_{text}" for text in ["NOTHING=y", *config.splitlines()]]
        world = make_world(arch=arch)
        subject = world.subject._replace(config=parse_config("\n".join(lines), ".config"))
        return built_in_line(added, dropped, line.split(), World(subject, world.knowledge))

    return make


@pytest.mark.parametrize(
    ("arch", "config", "place", "lines"),
    [
        ("x86", "", "before", {"CMDLINE_BOOL": "y", "CMDLINE": '"nohz=on"'}),
        (
            "x86",
            'CMDLINE_BOOL=y\nCMDLINE="a=\\"b\\\\c d\\" nohz=off"',
            "before",
            {"CMDLINE": '"a=\\"b\\\\c d\\" nohz=on"'},
        ),
        ("x86", 'CMDLINE_BOOL=y\nCMDLINE="a nohz=on"', "before", {}),
        ("arm64", 'CMDLINE=""', "fallback", {"CMDLINE": '"quiet nohz=on"'}),
        ("arm64", 'CMDLINE="a"', "fallback", {"CMDLINE": '"a nohz=on"'}),
        ("riscv", 'CMDLINE="a"\nCMDLINE_EXTEND=y', "behind", {"CMDLINE": '"a nohz=on"'}),
        ("arm64", 'CMDLINE="a"\nCMDLINE_FORCE=y', "instead", {"CMDLINE": '"a nohz=on"'}),
        (
            "x86",
            'CMDLINE_BOOL=y\nCMDLINE="a"\nCMDLINE_OVERRIDE=y',
            "instead",
            {"CMDLINE": '"a nohz=on"'},
        ),
        ("mips", 'CMDLINE="a"', "", {}),
        (None, 'CMDLINE="a"', "", {}),
    ],
)  # fmt: skip
def test_the_built_in_line(line, arch, config, place, lines):
    found = line(arch, config)
    assert (found.place, dict(found.lines)) == (place, lines)


def test_a_fallback_holds_no_words_of_a_boot_loader(line):
    text = "BOOT_IMAGE=/vmlinuz initrd=/x quiet nohz=on -- single"
    assert line("arm64", "", line=text).words == ("quiet", "nohz=on", "--", "single")


def test_dropped_words_go_from_it_too(line):
    config = 'CMDLINE_BOOL=y\nCMDLINE="a idle=poll"'
    assert line("x86", config, (), ("idle=poll",)).words == ("a",)


def test_where_nothing_changes(line):
    assert line("x86", 'CMDLINE="a"', (), ()) == BuiltIn(place="before")


@pytest.mark.parametrize(("arch", "room"), [("x86", 2047), ("arm", 1023), ("riscv", 1023)])
def test_the_room_is_that_of_the_rules(line, arch, room):
    assert line(arch, 'CMDLINE="a"', ["nohz=on"], ()).room == room


@pytest.mark.parametrize(
    ("given", "line"),
    [
        # Whatever a boot loader passes replaces the fallback.
        (None, "console=ttyMT0 gpt quiet"),
        ("root=/dev/sda1 loglevel=7", "root=/dev/sda1 quiet"),
    ],
)
def test_an_empty_line_repeats_the_fallback_that_it_replaces(make_world, built_in, given, line):
    config = '"console=ttyMT0 loglevel=7 gpt initcall_debug"'
    text = "# CONFIG_NOTHING is not set\nCONFIG_PRINTK=y\nCONFIG_CONSOLE_LOGLEVEL_QUIET=4\n"
    text += f"CONFIG_CMDLINE={config}\n"
    world = make_world(arch="arm64", cmdline=given)
    subject = world.subject._replace(config=parse_config(text, ".config"))
    world = World(subject, built_in)
    advice = [
        one
        for one in built_in.profile("embedded-fastboot").advice
        if one.id in ("console-messages", "initcall-debug")
    ]
    findings = [judge_advice(one, world) for one in advice]
    assert plan_bootline(findings, (), world, Strength.COULD).cmdline == line


def test_a_word_for_the_kernel_of_a_rebuild_stays(make_world, built_in):
    """The audit asks to build what reads it: a line without it would have to be made anew."""
    config = "SMP=y NO_HZ_IDLE=y RCU_EXPERT=y RCU_NOCB_CPU=n PREEMPT_RT=y TREE_RCU=y"
    told = {"cmdline": "rcu_nocbs=2-3 rcu_nocb_poll", "cpus": 4, "isolate": "2-3"}
    world = make_world(config, kernel="6.12.0", **told)
    policy = Policy(plan="cmdline", weakest=Strength.COULD)
    report = audit(world.subject, built_in, [built_in.profile("realtime")], policy)
    words = report.plan.cmdline.split()
    assert "rcu_nocbs=2-3" in words
    assert "rcu_nocb_poll" not in words
    told = {one.subject: one.remedy for one in report.diagnostics}
    kept = (
        "keep the parameter if you build the kernel with RCU_NOCB_CPU=y; if not, "
        "remove the parameter"
    )
    assert told["rcu_nocbs=2-3"] == kept


def test_a_way_that_a_word_opens_closes_what_was_open(make_world, built_in):
    """nohz_full= sets the mask of watched CPUs, which without it is a sysctl's alone."""
    config = (
        "SMP=y NO_HZ_FULL=y HIGH_RES_TIMERS=y PREEMPT_RT=y TREE_RCU=y RCU_NOCB_CPU=y "
        "DEBUG_KERNEL=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR=y "
        "HARDLOCKUP_DETECTOR_PERF=y"
    )
    world = make_world(config, kernel="6.12.0", arch="x86", cpus=8, isolate="4-7")
    policy = Policy(plan="cmdline", weakest=Strength.COULD)
    plan = audit(world.subject, built_in, [built_in.profile("realtime")], policy).plan
    assert "nohz_full=4-7" in plan.cmdline.split()
    told = [(one.advice.key, phrases.omission(one)) for one in plan.omissions]
    assert "realtime/nmi-watchdog" not in dict(told)
    assert not [text for _, text in told if "undo" in text]


def test_a_word_in_the_place_of_another_takes_it_off(make_world, built_in):
    world = make_world("DEBUG_FS=y", kernel="6.12.0", cmdline="quiet debugfs=off")
    (advice,) = (one for one in built_in.profile("diagnosis").advice if one.id == "debugfs")
    (remedy,) = judge_advice(advice, world).remedies
    assert (remedy.words, remedy.drop) == (("debugfs=on",), ("debugfs=off",))


def test_what_is_left_out_names_the_value_that_suits_all(make_world, built_in):
    """The same as the report does, and not what one profile would take alone."""
    world = make_world("HZ_250=y HZ_100=n HZ_300=n HZ_1000=n HZ=250", arch="arm64", kernel="6.6.83")
    advice = [
        one
        for name in ("power-saving", "desktop-latency")
        for one in built_in.profile(name).advice
        if one.options[0].tunable == "timer-frequency"
    ]
    findings = [judge_advice(one, world) for one in advice]
    left = plan_bootline(findings, (), world, Strength.COULD).omissions
    assert [phrases.omission(one) for one in left] == [
        "needs a rebuild: HZ_300=y instead of HZ_250"
    ]
