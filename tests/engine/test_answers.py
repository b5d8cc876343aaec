"""What each entry of a tuning does on a kernel: a case of every answer, with its reason."""

from __future__ import annotations

from advisor.engine.like.answers import like
from advisor.model.kernel import Location
from advisor.model.like import NOT_TOLD, Answer, Entry, Ruling, System, Tuning

from ..cases import each

PLACE = Location("/etc/sysctl.d/50-x.conf", 1)
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
KSM = "/sys/kernel/mm/ksm/run"
GOVERNOR = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
BIAS = "/sys/devices/system/cpu/cpu*/power/energy_perf_bias"
LATENCY = "/sys/kernel/debug/sched/latency_ns"
PAGES = "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_ALWAYS=y SYSCTL=y SWAP=y"
GOVERNORS = (
    "SMP=y CPU_FREQ=y CPU_FREQ_GOV_PERFORMANCE=y CPU_FREQ_GOV_CONSERVATIVE=n X86_INTEL_PSTATE=y"
)
HUNG = "DETECT_HUNG_TASK=n SYSCTL=y"
UNTOLD = "no rule describes what the parameter changes, and the present boot line is not known"


def setting(key, value, **more):
    return Entry(key, value, PLACE, **more)


def word(text, **more):
    return Entry(text, text, PLACE, is_word=True, **more)


def answers(world, *entries, profiles=(), system=System.TUNED):
    tuning = Tuning("x", system, entries, (PLACE.path,))
    return like(tuning, world, profiles).entries


@each(
    ("config", "entry", "given", "answer", "now", "why"),
    [
        # By what is compiled.
        (PAGES, setting(THP, "never"), {}, Answer.CHANGES, "always", ""),
        (PAGES, setting(THP, "always"), {}, Answer.IN_FORCE, "always", "by default"),
        (
            "KSM=y SYSFS=y", setting(KSM, "2"), {}, Answer.IN_FORCE, "0",
            "0 has the same effect: Merging of equal pages (KSM), built in, not running",
        ),
        (
            "TRANSPARENT_HUGEPAGE=n", setting(THP, "never"), {}, Answer.NO_KNOB, "",
            "it can be set only if TRANSPARENT_HUGEPAGE is on",
        ),
        (
            HUNG, setting("kernel.hung_task_timeout_secs", "600"), {}, Answer.NO_KNOB, "",
            "this setting exists only if DETECT_HUNG_TASK is on; "
            "here # CONFIG_DETECT_HUNG_TASK is not set",
        ),
        ("SYSCTL=y SMP=y", setting("kernel.sched_autogroup_enabled", "0"), {}, Answer.NO_KNOB, "",
         "it can be set only if SCHED_AUTOGROUP is on"),
        # By what runs.
        ("SWAP=n", setting("vm.swappiness", "10"), {"sysctl": "vm.swappiness=60"},
         Answer.NO_EFFECT, "60",
         "this setting exists only if SWAP is on; here # CONFIG_SWAP is not set"),
        (PAGES, setting("vm.swappiness", "10"), {}, Answer.UNKNOWN, "", NOT_TOLD),
        (PAGES, setting("vm.swappiness", "10"), {"sysctl": "vm.swappiness=60"}, Answer.CHANGES,
         "60", ""),
        (PAGES, setting("vm.swappiness", "10"), {"sysctl": "vm.swappiness=10"}, Answer.IN_FORCE,
         "10", ""),
        (PAGES, setting(THP, "never"), {"runtime": f"{THP} = always madvise [never]"},
         Answer.IN_FORCE, "never", ""),
        (PAGES, setting("fs.file-max", "10", bound=">"), {"sysctl": "fs.file-max=11"},
         Answer.IN_FORCE, "11", "TuneD never lowers the value"),
        (PAGES, setting("fs.file-max", "10", bound=">"), {"sysctl": "fs.file-max=9"},
         Answer.CHANGES, "9", ""),
        (PAGES, setting("fs.file-max", "10", bound="<"), {"sysctl": "fs.file-max=9"},
         Answer.IN_FORCE, "9", "TuneD never raises the value"),
        ("X86_MCE=y X86=y", setting(BIAS, "performance"),
         {"runtime": f"{BIAS.replace('*', '0')} = 0", "vendor": "intel"}, Answer.IN_FORCE, "0", ""),
        (PAGES, setting("/sys/no/such", "1"), {}, Answer.UNKNOWN, "",
         "this file is not in the lists of files that were read"),
        # What the kernel does not take.
        (PAGES, setting("vm.dirty_ratio", "101"), {}, Answer.NO_EFFECT, "",
         "vm.dirty_ratio = '101': the sysctl takes 0 to 100; the kernel refuses this value and "
         "keeps the previous value (checked in Linux 6.1.192, 6.12.117, 6.19.0, 7.1.5, 7.2.13)"),
        (PAGES, setting("vm.swapiness", "10"), {}, Answer.NO_KNOB, "",
         "vm.swapiness is in none of the kernels whose sysctls were read (6.1.192, 6.12.117, "
         "6.19.0, "
         "7.1.5, 7.2.13); did you mean vm.swappiness?"),
        (PAGES, setting(LATENCY, "1", rather="kernel.sched_latency_ns", since=(6, 6, 0)), {},
         Answer.NO_KNOB, "", "the kernel has no such file since 6.6"),
        (PAGES, setting(LATENCY, "1", rather="kernel.sched_latency_ns", since=(6, 6, 0)),
         {"kernel": "5.4.0", "sysctl": "kernel.sched_latency_ns=1"}, Answer.IN_FORCE, "1", ""),
        (PAGES, setting(THP, "never", unless_boot="transparent_hugepage"),
         {"cmdline": "transparent_hugepage=madvise"}, Answer.NO_EFFECT, "madvise",
         "TuneD does not set this entry if the boot line has transparent_hugepage=madvise"),
        (PAGES, setting("/sys/block/sda/queue/io_poll_delay", "0"), {}, Answer.NO_EFFECT, "",
         "since 6.4, the kernel takes any value and ignores it"),
        # What a rule names all values of, and not this one.
        (PAGES, setting(THP, "often"), {}, Answer.UNKNOWN, "always",
         "the rules do not describe the value often"),
        # Words.
        ("SMP=y", word("quiet"), {"cmdline": "ro quiet"}, Answer.IN_FORCE, "",
         "already on the boot line"),
        ("SMP=y", word("panic=20"), {}, Answer.CHANGES, "0 seconds",
         "then 20 seconds"),
        ("SMP=y", word("nohlt"), {}, Answer.NO_KNOB, "",
         "is read on arm64, arm, riscv, powerpc, mips, sh, microblaze only, not on x86; "
         "the kernel ignores the parameter"),
        ("SMP=y", word("rw"), {}, Answer.UNKNOWN, "", UNTOLD),
        ("SMP=y", word("rw"), {"cmdline": "ro"}, Answer.CHANGES, "",
         "not on the boot line yet"),
        # What the tuning alone rules.
        ("SMP=y", setting("a.b", "1", told=Ruling(Answer.OUTSIDE)), {}, Answer.OUTSIDE, "", ""),
        ("SMP=y", word("quiet", told=Ruling(Answer.NO_EFFECT, "compared")), {},
         Answer.NO_EFFECT, "", "compared"),
        ("SMP=y", word("quiet", told=Ruling(Answer.NO_EFFECT, "compared")), {"cmdline": "quiet"},
         Answer.IN_FORCE, "", "already on the boot line"),
    ],
)  # fmt: skip
def test_an_entry_alone(make_world, config, entry, given, answer, now, why):
    (one,) = answers(make_world(config, **given), entry)
    assert (one.answer, one.now, one.why) == (answer, now, why)


def test_a_kernel_that_runs_says_what_it_lacks(make_world):
    world = make_world("SMP=y", sysctl="kernel.osrelease=6.12.0")
    lacking = world.subject._replace(lacking=frozenset(("net.ipv4.tcp_no_such",)))
    (one,) = answers(world.after(lacking), setting("net.ipv4.tcp_no_such", "1"))
    assert (one.answer, one.why) == (
        Answer.NO_KNOB, "the running kernel has none",
    )  # fmt: skip


def test_of_several_values_the_first_that_is_built_is_taken(make_world):
    entry = setting(GOVERNOR, "performance", choices=("conservative", "performance"))
    world = make_world(GOVERNORS, runtime=f"{GOVERNOR.replace('*', '0')} = performance")
    (one,) = answers(world, entry)
    assert (one.answer, one.entry.value) == (Answer.IN_FORCE, "performance")


def test_what_other_entries_make_of_one(make_world):
    found = answers(
        make_world(PAGES),
        word("transparent_hugepage=never"),
        word("panic=10"),
        word("panic=20"),
        setting(THP, "never"),
        setting("vm.swappiness", "10"),
        setting("vm.swappiness", "10"),
    )
    assert [(one.answer, one.why) for one in found] == [
        (Answer.CHANGES, "then never, unless switched on at run time"),
        (Answer.UNDONE, "panic is given 2 times; panic=20 takes effect (the last one wins)"),
        (Answer.CHANGES, "then 20 seconds"),
        (Answer.IMPLIED, "by transparent_hugepage=never on the boot line"),
        (Answer.IMPLIED, "/etc/sysctl.d/50-x.conf:1 sets the same value"),
        (Answer.UNKNOWN, NOT_TOLD),
    ]


def test_what_is_against_advice_and_what_the_tuning_leaves_out(make_world, built_in):
    profile = built_in.profile("container-host")
    world = make_world("CGROUPS=y MEMCG=y CPU_MITIGATIONS=y SMP=y BPF_SYSCALL=y SYSCTL=y")
    entries = (
        word("mitigations=off"), word("cgroup_disable=memory"),
        setting("kernel.unprivileged_bpf_disabled", "0"),
    )  # fmt: skip
    tuning = Tuning("x", System.TUNED, entries)
    found = like(tuning, world, (profile,))
    assert found.failed
    first, second, third = found.entries
    assert first.answer is Answer.AGAINST
    assert first.why.startswith("container-host: All containers of a machine run on one kernel")
    assert second.answer is Answer.CHANGES
    assert {"container-host"} == {advice.profile for advice in (*second.against, *third.against)}
    left = {finding.tunable.id for finding in found.left_out}
    assert left
    assert not left & {"mitigations", "memory-controller"}
    assert not like(tuning, world).failed
    assert like(tuning, world).left_out == ()
