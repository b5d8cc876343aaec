"""The world after a rebuild, a boot, or a setting at run time."""

from __future__ import annotations

from advisor.engine.remedy.what_if import rebooted, with_settings, world_with
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, Setting


def boot(**fields):
    return Remedy(RemedyKind.BOOT, "", **fields)


def test_a_rebuild_is_judged_without_line_and_settings(make_world):
    world = make_world("NO_HZ_COMMON=y NO_HZ_IDLE=y", cmdline="nohz=off")
    after = world_with(world, [Change("HZ_PERIODIC", "n", "y", Role.ASKED)])
    assert (after.config.get("HZ_PERIODIC"), after.subject.cmdline) == ("y", None)
    assert world.value("tick-mode").effective == ("periodic",)


def test_a_boot_drops_and_replaces_words(make_world):
    world = make_world("NO_HZ_COMMON=y NO_HZ_IDLE=y", cmdline="quiet nohz=off")
    without = rebooted(world, boot(drop=("nohz=off",)))
    assert [word.text for word in without.line.own()] == ["quiet"]
    other = rebooted(world, boot(words=("nohz=on",)))
    assert [word.text for word in other.line.own()] == ["quiet", "nohz=on"]


def test_a_boot_forgets_what_was_set_at_run_time(make_world):
    world = with_settings(make_world("SWAP=y"), [Setting("vm.swappiness", "10")])
    assert world.value("swappiness").effective == ("10",)
    assert rebooted(world, boot()).value("swappiness").runtime == ()
