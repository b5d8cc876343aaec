"""Boot lines made of what the rules know: every word that gives a tunable one of its values, and
the parameters that a kernel does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.effective.world import World
from advisor.lint.causes import readers
from advisor.model.parameter import Parameter
from advisor.model.tunable import Tunable

from ..proofs import digest

# Values for tunables that take any; those are true on the tests' machine.
SAMPLES = {
    "clocksource": "acpi_pm",
    "deferred_probe_timeout": "5",
    "hugepages": "4",
    "irqaffinity": "0-1",
    "isolcpus": "2-3",
    "kvm.halt_poll_ns": "0",
    "lpj": "5000000",
    "nohz_full": "2-3",
    "rcutree.nohz_full_patience_delay": "100",
    "rcutree.rcu_fanout_leaf": "8",
    "rootdelay": "1",
    "rootfstype": "ext4",
    "slab_max_order": "1",
    "slab_min_objects": "4",
    "snd_hda_intel.power_save": "0",
    "usbcore.autosuspend": "5",
    "workqueue.unbound_cpus": "0-1",
}
# Four emulated CPUs that poll would keep two real ones from all else; with one of the others there
# is one CPU, of which no list and no mask shows what it would be on four.
LEFT_OUT = {"idle=poll", "acpi=off", "nosmp", "maxcpus=1", "nr_cpus=1", "nolapic"}
# A tracer from the start: tracing all functions stalls an emulated processor for minutes (6.1), and
# the tracer timerlat follows a null pointer in timerlat_tracer_start (6.12.117).
LEFT_OUT |= {"ftrace=*"}
# Shuts the folder in which the guest shows a dozen others.
LEFT_OUT |= {"debugfs=off", "debugfs=no-mount"}
# What has more values than that is not seen on this machine, such as ahci.mobile_lpm_policy=5.
ROUNDS = 4
# Read by a handler that says that the feature is not built, and does nothing else.
WARNED = {"bootconfig"}
# Words that decide what other settings are worth (docs/evidence/causes.md), of which the rounds
# have none: by the first of each line, what follows it.
CAUSES = {
    "lockdown=confidentiality": "nopv csdlock_debug=1 debug_objects no_debug_objects",
    "lockdown=integrity": "apparmor=0 kmemleak=off early_page_ext page_poison=1",
    "acpi=off": "",
    "pci=off": "nomodule rcupdate.rcu_normal=1 libata.force=nolpm",
    "nosmp": "numa=off idle=poll nomce",
    "maxcpus=1": "security=selinux selinux=0 nolapic_timer",
    "noapic": "trace_event=sched:sched_switch watchdog_thresh=0 "
    "initcall_blacklist=acpi_cpufreq_init",
    "nolapic": "ftrace=nop tp_printk nokaslr iommu=off intel_idle.max_cstate=0 "
    "processor.max_cstate=1",
    "lsm=lockdown,yama": "intel_iommu=on nopti mds=off l1tf=off tsx_async_abort=off srbds=off "
    "mmio_stale_data=off gather_data_sampling=off spectre_bhi=off reg_file_data_sampling=off",
    "debugfs=off": "slab_debug=FZ slub_debug=FZ fips=1 kprobe_event=p,vfs_read",
    "cgroup_disable=cpu,memory,cpuset,pressure": "page_table_check=on hardened_usercopy=off "
    "module_blacklist=zram kunit.enable=0",
}
# Without ACPI this machine's clocks are those without a high resolution, and its processor's does
# not run on: no line and no configuration shows that.
OTHERWISE = {"acpi=off": frozenset({"high-resolution-timers", "tick-mode"})}
# Words that keep the guest from telling anything, or are about what it runs on: where it finds its
# program and its console, which files it may read, what memory and CPUs it takes, when it stops;
# and what an emulated processor does not bear, or no machine (a clock of 1 kHz, a
# timer at port 1).
NOT_TRIED = {
    "acpi_rsdp", "additional_cpus", "boot_delay", "bootmem_debug", "console", "crashkernel",
    "earlyprintk", "ekgdboc", "hibernate", "hung_task_panic", "ima_appraise_tcb", "init",
    "init_pkru", "initrd", "ip", "kdbwait", "kernelcore", "kgdbcon", "kgdboc", "kgdbwait",
    "log_buf_len", "md", "mem", "memmap", "movablecore", "netconsole", "nfsroot", "noexec",
    "noinitrd", "panic", "panic_on_io_nmi", "panic_on_oops", "panic_on_taint", "panic_on_warn",
    "pause_on_oops", "pmtmr", "raid", "rdinit", "reboot", "resume", "ro", "root", "rootdelay",
    "rootflags", "rootfstype", "rootwait", "rw", "setup_data", "softlockup_panic",
    "test_suspend", "tp_printk_stop_on_boot", "tsc_early_khz", "unknown_nmi_panic",
}  # fmt: skip
# On so many lines stand the words that are said to touch nothing.
SHARES = 12
# What the kernel passes to init it passes in two tables of 32, and panics where one is full.
MOST_ABSENT = 24
# How a ruling says that the kernel has no such parameter.
ABSENT = ("built", "arch", "new", "old")


def round_of_words(world: World, number: int) -> list[str]:
    """The words of the line that gives each tunable the value of that number, where it has one.

    The last round gives numbers, lists and texts a value.
    """
    words: list[str] = []
    for name in world.knowledge.ids("tunables"):
        tunable = world.knowledge.tunable(name)
        if number == ROUNDS - 1 and tunable.parameter in SAMPLES:
            words += _honoured([f"{tunable.parameter}={SAMPLES[tunable.parameter]}"], world)
        choices = [choice for choice in _choices(tunable, world) if choice]
        if number < len(choices):
            words += choices[number]
    return list(dict.fromkeys(words))


def _choices(tunable: Tunable, world: World) -> Iterator[list[str]]:
    """The ways to set it on the boot line that this kernel honours."""
    for value in tunable.values:
        if value.boot_only_if is None or world.evaluate(value.boot_only_if) is True:
            yield _honoured(value.boot, world)
    for attribute in ("boot_off", "boot_on"):
        words = [word for member in tunable.members for word in getattr(member, attribute)]
        # Debugging of slabs is a tunable of its own, with values that contradict these; a pattern
        # is no word.
        usable = (w for w in words if not w.startswith("slab_debug") and not w.endswith("*"))
        single = [_honoured([word], world) for word in usable]
        yield [word for found in single for word in found]


def _honoured(given: Iterable[str], world: World) -> list[str]:
    words = [world.line.spell(word) for word in given]
    usable = all(world.line.honours(word).truth is True for word in words)
    left_out = any(word in LEFT_OUT or f"{word.partition('=')[0]}=*" in LEFT_OUT for word in words)
    return words if usable and not left_out else []


def absent_words(world: World) -> list[str]:
    """Words for parameters that this kernel does not have, from all over the alphabet."""
    words = []
    for name in world.knowledge.ids("parameters"):
        parameter = world.knowledge.parameter(name)
        assert parameter is not None
        word = _sample(parameter)
        # A module's parameter is kept for a module that may come later, without a word.
        if "." in name or name in WARNED:
            continue
        ruling = world.line.honours(word)
        # What stable may have taken is not surely absent.
        if ruling.truth is False and ruling.cause in ABSENT:
            words.append(word)
    return words[:: -(-len(words) // MOST_ABSENT)]


def idle_words(world: World, share: int) -> list[str]:
    """Words that this kernel takes, of parameters of which the rules say that they touch nothing.

    A parameter is always in the same share, whatever others come or go.
    """
    words = []
    known = world.knowledge
    left_out = NOT_TRIED.union(readers(known))
    for name in known.ids("parameters"):
        parameter = known.parameter(name)
        assert parameter is not None
        mine = int(digest(name), 16) % SHARES == share
        if mine and name not in left_out and "*" not in name:
            words += _honoured([_sample(parameter)], world)
    return words


def _sample(parameter: Parameter) -> str:
    if parameter.type == "flag":
        return parameter.name
    known = next((word for word, _ in parameter.words if word and "*" not in word), "1")
    return f"{parameter.name}={known}"
