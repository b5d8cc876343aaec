"""Who sets what holds at run time, and who would set a remedy back at the next boot."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.owners import with_owners
from advisor.model.finding import Finding, Verdict
from advisor.model.kernel import Layer, Location
from advisor.model.nextboot import NextBoot, Written
from advisor.model.profile import Advice, Option, Stance, Strength
from advisor.model.remedy import Remedy, RemedyKind, Setting
from advisor.model.state import Origin, State

FILE = Location("/etc/sysctl.d/99-x.conf", 3)
DISK = "/sys/block/sda/queue/scheduler"
PATTERN = "/sys/block/*/queue/scheduler"
PARAMETER = "/sys/module/kvm/parameters/halt_poll"


@pytest.fixture
def owned(make_world, built_in):
    """The finding about one origin and one remedy, beside what the next boot writes."""

    def of(after, origin=None, remedy=None):
        advice = Advice("a", "p", Stance.WANT, Strength.MUST, (Option("swappiness"),), "why")
        finding = Finding(
            "p/a",
            Verdict.CHANGE,
            advice,
            built_in.tunable("swappiness"),
            State("swappiness", ("60",), origins=(origin,) if origin else ()),
            remedies=(remedy,) if remedy else (),
        )
        return with_owners(finding, after, make_world())

    return of


def writes(*pairs, by="", unsure=()):
    written = {key: Written(key, value, FILE, by) for key, value in pairs}
    return NextBoot(writes=written, unsure=dict(unsure))


def origin(text, layer=Layer.RUNTIME):
    return Origin(layer, text, Location("sysctl", 1))


@pytest.mark.parametrize(
    ("shown", "layer", "pair", "by"),
    [
        ("vm.swappiness=10", Layer.RUNTIME, ("vm.swappiness", "10"), str(FILE)),
        ("vm.swappiness=10", Layer.BOOT, ("vm.swappiness", "10"), ""),
        ("vm.swappiness=10", Layer.RUNTIME, ("vm.swappiness", "60"), ""),
        ("vm.swappiness=10", Layer.RUNTIME, ("vm.dirty_ratio", "10"), ""),
        # A file shows the one in force in brackets, a module's parameter Y for 1.
        (f"{DISK}=[none] bfq", Layer.RUNTIME, (DISK, "none"), str(FILE)),
        (f"{DISK}=[none] bfq", Layer.RUNTIME, (DISK, "bfq"), ""),
        (f"{PARAMETER}=Y", Layer.RUNTIME, (PARAMETER, "1"), str(FILE)),
        (f"{PARAMETER}=N", Layer.RUNTIME, (PARAMETER, "1"), ""),
    ],
)
def test_a_setting_has_the_owner_whose_value_it_shows(owned, shown, layer, pair, by):
    (found,) = owned(writes(pair), origin(shown, layer)).state.origins
    assert found.by == by


def test_an_owner_other_than_systemd_is_named_before_its_file(owned):
    after = writes(("vm.swappiness", "10"), by="TuneD's profile balanced")
    (found,) = owned(after, origin("vm.swappiness=10")).state.origins
    assert found.by == f"TuneD's profile balanced ({FILE})"


HELD = f"{FILE} sets 60 at boot: change it there"
DOUBT = "TuneD may write it at boot, and may undo this change"


@pytest.mark.parametrize(
    ("setting", "after", "held"),
    [
        (("vm.swappiness", "10"), writes(("vm.swappiness", "60")), HELD),
        (("vm.swappiness", "60"), writes(("vm.swappiness", "60")), ""),
        (("vm.swappiness", "10"), writes(("vm.dirty_ratio", "60")), ""),
        ((PATTERN, "none"), writes((DISK, "60")), HELD),
        ((PATTERN, "60"), writes((DISK, "60")), ""),
        ((PATTERN, "none"), writes(("/sys/block/sda/queue/nr_requests", "60")), ""),
        ((DISK, "none"), writes(unsure=[(DISK, "TuneD may write it")]), DOUBT),
        ((PATTERN, "none"), writes(unsure=[(DISK, "TuneD may write it")]), DOUBT),
        # What is surely written counts before what may be.
        ((DISK, "x"), writes((DISK, "60"), unsure=[(DISK, "TuneD may write it")]), HELD),
        ((DISK, "60"), writes((DISK, "60"), unsure=[(DISK, "TuneD may write it")]), DOUBT),
    ],
)
def test_a_remedy_is_held_by_what_writes_another_value_at_boot(owned, setting, after, held):
    remedy = Remedy(RemedyKind.RUNTIME, "x", settings=(Setting(*setting),))
    (found,) = owned(after, remedy=remedy).remedies
    assert found.held == held


def test_each_setting_of_a_remedy_can_be_held(owned):
    settings = (Setting("vm.dirty_ratio", "5"), Setting("vm.swappiness", "10"))
    remedy = Remedy(RemedyKind.RUNTIME, "x", settings=settings)
    (found,) = owned(writes(("vm.swappiness", "60")), remedy=remedy).remedies
    assert found.held == HELD


def test_nothing_holds_a_rebuild_that_is_followed_by_a_setting(owned):
    remedy = Remedy(RemedyKind.REBUILD, "x", settings=(Setting("vm.swappiness", "10"),))
    (found,) = owned(writes(("vm.swappiness", "60")), remedy=remedy).remedies
    assert found.held == ""


@pytest.mark.parametrize(
    ("line", "held"),
    [
        (
            "quiet nowatchdog",
            "nowatchdog on the boot line undoes this change at each boot: "
            "also remove or change the parameter",
        ),
        ("nosoftlockup", "nosoftlockup on the boot line undoes this"),
        ("quiet", ""),
    ],
)
def test_a_word_that_sets_the_value_again_at_boot_is_named_beside_a_remedy_at_run_time(
    make_world, built_in, line, held
):
    config = "SMP=y DEBUG_KERNEL=y LOCKUP_DETECTOR=y SOFTLOCKUP_DETECTOR=y HARDLOCKUP_DETECTOR=n"
    world = make_world(config, cmdline=line, kernel="6.12.117")
    report = audit(world.subject, built_in, [built_in.profile("desktop-latency")], Policy())
    told = [
        remedy.held
        for finding in report.findings
        if "lockup" in finding.tunable.id
        for remedy in finding.remedies
        if remedy.kind is RemedyKind.RUNTIME
    ]
    assert bool(told) == bool(held)
    assert all(text.startswith(held) for text in told)
