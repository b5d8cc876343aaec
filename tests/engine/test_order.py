"""Which settings are undone by what is set behind them: by the tuning itself, and by a host."""

from __future__ import annotations

from advisor.engine.like.answers import undone
from advisor.engine.like.trial import Trial
from advisor.model.kernel import Location
from advisor.model.like import Entry, System, Tuning
from advisor.model.nextboot import NextBoot, Written

from ..cases import each

OWN = Location("/etc/sysctl.d/50-x.conf", 1)
KEY = "vm.swappiness"
FILE = "/sys/kernel/mm/ksm/run"
EARLY, LATE = Location("/etc/sysctl.d/10-a.conf", 2), Location("/usr/lib/sysctl.d/90-b.conf", 3)
TMPFILES = Location("/etc/tmpfiles.d/a.conf", 4)
PROFILE = Location("/usr/lib/tuned/x/tuned.conf", 5)


def tried(world, *entries, system=System.SYSCTL_D):
    return Trial(Tuning("x", system, entries, (OWN.path,)), world, ())


@each(
    ("system", "written", "why"),
    [
        (System.SYSCTL_D, Written(KEY, "30", LATE), "/usr/lib/sysctl.d/90-b.conf:3 sets 30"),
        (System.SYSCTL_D, Written(KEY, "30", EARLY), ""),
        (System.SYSCTL_D, Written(KEY, "10", LATE), ""),
        (System.SYSCTL_D, Written(KEY, "30", TMPFILES), "/etc/tmpfiles.d/a.conf:4 sets 30"),
        (
            System.SYSCTL_D, Written(KEY, "30", PROFILE, "TuneD's profile x"),
            "TuneD's profile x (/usr/lib/tuned/x/tuned.conf:5) sets 30",
        ),
        (System.TMPFILES_D, Written(KEY, "30", LATE), ""),
        # What TuneD writes again, and what not.
        (System.TUNED, Written(KEY, "30", EARLY), "/etc/sysctl.d/10-a.conf:2 sets 30"),
        (System.TUNED, Written(KEY, "30", LATE), ""),
        (System.TUNED, Written(KEY, "30", PROFILE, "TuneD's profile x"), ""),
        (System.SAPTUNE, Written(KEY, "30", LATE), ""),
    ],
)  # fmt: skip
def test_what_a_host_sets_later(make_world, system, written, why):
    world = make_world("SMP=y")
    world = world.after(world.subject._replace(next=NextBoot(writes={written.key: written})))
    entry = Entry(KEY, "10", OWN)
    found = undone(entry, tried(world, entry, system=system))
    assert (found.why if found else "") == why


def test_what_may_be_set_later_is_doubted(make_world):
    world = make_world("SMP=y")
    world = world.after(world.subject._replace(next=NextBoot(unsure={FILE: "a daemon may set it"})))
    entry = Entry(FILE, "1", OWN)
    assert undone(entry, tried(world, entry)).why == "a daemon may set it at boot"
    assert undone(entry, tried(world, entry, system=System.SAPTUNE)) is None


def test_what_the_tuning_sets_later(make_world):
    ratio, size = Entry("vm.dirty_ratio", "30", OWN), Entry("vm.dirty_bytes", "4096", OWN)
    again = Entry("vm.dirty_ratio", "40", OWN)
    trial = tried(make_world("SMP=y"), ratio, size, again)
    assert trial.later(ratio, "vm.dirty_ratio") == [again]
    assert trial.later(again, "vm.dirty_ratio") == []
    assert undone(ratio, trial).why == f"{OWN} sets vm.dirty_ratio = 40"
    assert undone(size, trial).why == f"{OWN} sets vm.dirty_ratio = 40"
    assert undone(again, trial) is None
    two = tried(make_world("SMP=y"), ratio, size)
    assert undone(ratio, two).why == f"{OWN} sets vm.dirty_bytes = 4096"
    word = Entry("quiet", "quiet", OWN, is_word=True)
    assert undone(word, tried(make_world("SMP=y"), word)) is None
