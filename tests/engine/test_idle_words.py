"""Words that nothing comes of: which of them a planned line leaves out, and which it keeps."""

from __future__ import annotations

import pytest

from advisor.engine.plan.boot_line_plan import plan_bootline
from advisor.engine.plan.idle_words import without_dead_words
from advisor.model.profile import Strength


def left(world, *needed):
    after, _ = without_dead_words(world, frozenset(needed))
    return [word.text for word in after.line.own()]


@pytest.mark.parametrize(
    "word",
    [
        "elevator=bfq",  # without effect on every kernel of today
        "nohz_full=2-3",  # of what is not compiled in
        "i915.enable_rc6=1",  # gone, by the catalogue alone
        "nohz=perhaps",  # refused
        "hpet=disable",  # of another architecture
        "pci=off",  # against what is not compiled in: it would count if that came
    ],
)
def test_a_dead_word_goes(make_world, word):
    world = make_world("NO_HZ_COMMON=y DRM_I915=y", arch="arm64", cmdline=f"a {word} quiet -- b")
    after, gone = without_dead_words(world, frozenset())
    assert [item.subject for item in gone] == [word]
    assert after.subject.cmdline.text == "a quiet"
    assert [word.text for word in after.subject.cmdline.init] == ["b"]


@pytest.mark.parametrize(
    "word",
    [
        "noapic",  # does harm; a machine may need it
        "amd_iommu=on",  # of another vendor's machines
        "for.somebody=1",
        "consoleblank=0",  # adds nothing, and is read
        "quiet",
    ],
)
def test_any_other_stays(make_world, word):
    built = "X86_64=y VT=y X86_IO_APIC=y X86_LOCAL_APIC=y PRINTK=y AMD_IOMMU=y"
    world = make_world(built, vendor="intel", cmdline=word)
    assert left(world) == [word]


def test_a_word_that_may_have_been_backported_stays(make_world):
    word = "sysctl.vm.swappiness=10"  # read since 5.8
    assert left(make_world("PROC_SYSCTL=y", kernel="5.4.0", cmdline=word)) == []
    assert left(make_world("PROC_SYSCTL=y", kernel="5.4.17-vendor", cmdline=word)) == [word]


def test_what_is_needed_stays(make_world):
    world = make_world(cmdline="elevator=bfq elevator=noop")
    assert left(world, "elevator=bfq") == ["elevator=bfq"]


def test_a_plan_keeps_all_words_where_nobody_asked(make_world):
    world = make_world(cmdline="elevator=bfq quiet")
    plan = plan_bootline([], (), world, Strength.COULD)
    assert (plan.cmdline, plan.dead) == ("elevator=bfq quiet", ())
    plan = plan_bootline([], (), world, Strength.COULD, frozenset())
    assert (plan.cmdline, plan.dropped) == ("quiet", ("elevator=bfq",))
