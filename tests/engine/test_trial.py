"""A tuning tried on a kernel: what it writes, and what its words change."""

from __future__ import annotations

from advisor.engine.like.trial import Trial, moved, values
from advisor.model.kernel import Location
from advisor.model.like import Answer, Entry, Ruling, System, Tuning

PLACE = Location("x", 1)
GOVERNOR = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor"
POLICIES = "".join(f"{GOVERNOR.format(number)} = powersave\n" for number in (0, 1))


def setting(key, value, **more):
    return Entry(key, value, PLACE, **more)


def word(text):
    return Entry(text, text, PLACE, is_word=True)


def tried(world, *entries):
    return Trial(Tuning("x", System.TUNED, entries), world, ())


def names(tunables):
    return [one.id for one in tunables]


def test_a_pattern_is_written_into_all_that_it_names(make_world):
    world = make_world("CPU_FREQ=y", runtime=POLICIES)
    trial = tried(world, setting(GOVERNOR.format("*"), "performance"))
    (entry,) = trial.settings
    assert trial.shown(entry) == ["powersave", "powersave"]
    files = trial.final.subject.sysfs
    assert [files[GOVERNOR.format(number)][0] for number in (0, 1)] == ["performance"] * 2
    assert names(trial.tunables(entry)) == ["cpufreq-governor"]
    # Of a kernel of which no file is known, one stands for all.
    assert GOVERNOR.format("0") in tried(make_world("SMP=y"), entry).alone.subject.sysfs


def test_what_the_kernel_makes_zero(make_world):
    entries = setting("vm.dirty_bytes", "4096"), setting("vm.dirty_ratio", "30")
    written = tried(make_world("SMP=y"), *entries).alone.subject.sysctl
    assert {key: value for key, (value, _) in written.items()} == {
        "vm.dirty_bytes": "0", "vm.dirty_ratio": "30",
    }  # fmt: skip


def test_what_the_tuning_rules_itself_is_not_written(make_world):
    told = Ruling(Answer.UNKNOWN, "computed")
    trial = tried(make_world("SMP=y"), setting("vm.swappiness", "1", told=told), word("quiet"))
    assert (trial.settings, names(trial.tunables(trial.words[0]))) == ([], ["console-messages"])


def test_what_a_word_changes_beside_the_others(make_world):
    trial = tried(
        make_world("HUGETLBFS=y HUGETLB_PAGE=y X86_64=y SMP=y"),
        word("panic=10"), word("panic=20"), word("rw"),
    )  # fmt: skip
    first, second, third = trial.words
    assert names(trial.tunables(second)) == ["panic-timeout"]
    assert names(trial.tunables(first)) == ["panic-timeout"]  # by itself, as the last one wins
    assert trial.tunables(third) == []
    assert trial.words_but(second) == [first, third]
    tunable = trial.tunable(second)
    assert values(trial.booted, tunable) == ("20",)
    assert names(moved(trial.with_words([first]), trial.booted)) == ["panic-timeout"]
    assert [one.id for one in trial.diagnostics(first)] == ["parameter-duplicate"]


def test_the_line_that_is_there_stays(make_world):
    trial = tried(make_world("SMP=y", cmdline="ro quiet -- single"), word("panic=3"))
    line = trial.booted.subject.cmdline
    assert [one.text for one in line.words] == ["ro", "quiet", "panic=3"]
    assert [one.text for one in line.init] == ["single"]
    assert trial.booted.place(line.words[-1]).line == 0
