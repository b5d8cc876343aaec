"""What a running kernel shows of each tunable: the values that fit what its files and messages say.

Where the rules know a file for a value (sysctl, sysfs, shows), that file tells, read as an audit of
a host reads it; READERS has what shows in messages alone, or as something else than a value. A
reader returns more than one value where the kernel shows no difference, and None where it shows
nothing on this machine: no KVM, no PMU, no frequency scaling, no EFI, no disks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from advisor.engine.effective import run_time
from advisor.engine.effective.run_time import Files
from advisor.engine.effective.world import World
from advisor.inputs.host.root import MOUNT_POINTS
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import ABSENT, PRESENT, Location
from advisor.model.tunable import Tunable

from ..proofs import digest
from .machine import CPUS, Booted

Seen = set[str] | None
Reader = Callable[[Booted], Seen]

_MM = "/sys/kernel/mm"
_CPU = "/sys/devices/system/cpu"
_SLAB = "/sys/kernel/slab/kmalloc-8k"

# Where a kernel differs by a patch of its distribution, which no configuration shows.
PATCHED = {
    ("cloud-6.1", "autogroup"),  # starts switched off (kernel/sched/autogroup.c of Debian's 6.1)
}


def compare(world: World, guest: Booted) -> tuple[list[str], int]:
    """Where the kernel shows something else than the tool predicts, and how many it shows."""
    wrong, shown = [], 0
    for name in world.knowledge.ids("tunables"):
        state = world.state(name)
        found = seen(world.knowledge.tunable(name), guest, world)
        if state is None or not state.effective or found is None:
            continue
        if name == "lockup-detectors" and not _some_detector(world):
            continue  # its file tells whether any of them is on
        shown += 1
        # What stands before a list of CPUs is how they are isolated, which no file shows.
        lists = {re.sub(r"^([a-z_]+,)+", "", value) for value in state.effective}
        if not found & lists.union(state.effective) and (guest.kernel, name) not in PATCHED:
            wrong.append(f"{name}: predicted {state.effective}, seen {sorted(found)}")
    return wrong, shown


def reading(knowledge: Knowledge) -> str:
    """A digest of how the tunables are read: where it differs, two starts cannot be compared."""
    code = (Path(__file__), Path(run_time.__file__))
    tunables = map(knowledge.tunable, knowledge.ids("tunables"))
    return digest(*(path.read_bytes() for path in code), *map(repr, map(_files_of, tunables)))


def _files_of(tunable: Tunable) -> tuple[object, ...]:
    """The files that tell of the tunable, and of its values."""
    values = ((value.name, value.sysctl, value.sysfs, value.shows) for value in tunable.values)
    return tunable.id, tunable.sysctl, tunable.sysfs, tunable.shows, *values


def settings_shown(world: World, guest: Booted) -> list[str]:
    """What the kernel shows of the tunables of which it shows one value, to compare two starts."""
    names = world.knowledge.ids("tunables")
    shown = {n: seen(world.knowledge.tunable(n), guest, world) for n in names}
    return [
        f"{name}: {value}"
        for name, found in shown.items()
        if found and len(found) == 1
        for value in found
    ]


def _some_detector(world: World) -> bool:
    """Whether a detector is predicted to be on that this machine has: no PMU, no NMI watchdog."""
    state = world.state("softlockup-detector")
    return state is not None and "on" in state.effective


def seen(tunable: Tunable, guest: Booted, world: World) -> Seen:
    """The values of the tunable that fit what the kernel shows; None if it shows nothing of it."""
    if reader := READERS.get(tunable.id):
        return reader(guest)
    found = run_time.shown(tunable, (), _files(guest, world), world.evaluate).values
    return {*found, *_words(tunable)} if found else _by_sysctl(tunable, guest)


def _words(tunable: Tunable) -> set[str]:
    """A default in words ("automatic"), which leaves the number to the kernel."""
    plain = tunable.values or tunable.default.lstrip("-").isdigit()
    return set() if plain else {tunable.default}


def _files(guest: Booted, world: World) -> Files:
    """What the kernel shows of the files that rules name."""
    names = world.knowledge.run_time_names
    texts = {
        path: lines for path, lines in guest.files.items() if path.startswith(("/sys", "/proc"))
    }
    told = {
        path: (" ".join(" ".join(lines).split()), Location(path)) for path, lines in texts.items()
    }
    for path in names("there"):
        if path not in told and (there := _there(path, guest)):
            told[path] = there, Location(path)
    return Files(told)


def _there(path: str, guest: Booted) -> str:
    """Whether the kernel has the file; empty where a folder on its way shows nothing, or is where
    something would be mounted: that may be shut, or closed to who reads."""
    if guest.has(path):
        return PRESENT
    every = (*guest.files, *guest.files["exists"])
    folder = path.rpartition("/")[0]
    while folder and not any(name.startswith(folder + "/") for name in every):
        if guest.has(folder) or folder in MOUNT_POINTS:
            return ""
        folder = folder.rpartition("/")[0]
    return ABSENT


def _by_sysctl(tunable: Tunable, guest: Booted) -> Seen:
    """What the sysctls say that the rule itself names."""
    if not tunable.values:
        found = _sysctl(guest, tunable.sysctl) if tunable.sysctl else None
        return None if found is None else {found, *_words(tunable)}
    spelled = {v.name: v.sysctl for v in tunable.values if v.sysctl}
    texts = {key: _sysctl(guest, key) for pairs in spelled.values() for key, _ in pairs}
    if all(text is None for text in texts.values()):
        return None
    fits = {n for n, pairs in spelled.items() if all(texts[key] == text for key, text in pairs)}
    return fits or {value.name for value in tunable.values} - set(spelled)


def _sysctl(guest: Booted, name: str) -> str | None:
    return guest.text("/proc/sys/" + name.replace(".", "/"))


def _exists(path: str, on: str = "on", off: str = "off") -> Reader:
    """For what is there if and only if it was built, or switched on."""
    return lambda guest: {on} if guest.has(path) else {off}


def _flag(path: str, on: str = "on", off: str = "off") -> Reader:
    """For a file that says Y or N, 1 or 0; where there is none, nothing was built."""
    return lambda guest: {on} if guest.text(path) in ("1", "Y") else {off}


def _message(pattern: str, *there: str, otherwise: tuple[str, ...]) -> Reader:
    """For what shows in the kernel's messages only."""
    return lambda guest: set(there if guest.message(pattern) else otherwise)


def _in(path: str, word: str) -> Reader:
    """For a word in a list."""
    return lambda guest: {"on"} if word in (guest.text(path) or "").split() else {"off"}


def _list(path: str, none: str) -> Reader:
    """For a list of CPUs, in any of the ways of writing it that a test uses."""
    return lambda guest: _lists(cpus_of(guest.text(path) or ""), none, guest)


def _watched(guest: Booted) -> Seen:
    """The CPUs that the lockup detectors watch, by name where they are those without nohz_full=."""
    path = "/proc/sys/kernel/watchdog_cpumask"
    whole, apart = (
        cpus_of(guest.text(f"{_CPU}/{name}") or "") for name in ("possible", "nohz_full")
    )
    if apart and cpus_of(guest.text(path) or "") == whole - apart:
        return {"housekeeping"}
    return _list(path, "all")(guest)


def _mask(path: str, none: str) -> Reader:
    """For a mask of CPUs in hexadecimal digits."""

    def read(guest: Booted) -> Seen:
        mask = int((guest.text(path) or "0").replace(",", ""), 16)
        return _lists({cpu for cpu in range(CPUS) if mask >> cpu & 1}, none, guest)

    return read


def _lists(cpus: set[int], none: str, guest: Booted) -> set[str]:
    # nosmp and its like leave one.
    if len(cpus) in (0, len(cpus_of(guest.text(f"{_CPU}/possible") or ""))):
        return {none}
    first, last = min(cpus), max(cpus)
    spans = {f"{first}-{last}"} if cpus == set(range(first, last + 1)) else set()
    return {",".join(map(str, sorted(cpus))), *spans}


def cpus_of(text: str) -> set[int]:
    """The CPUs of a list that the kernel prints; none of `(null)`."""
    found: set[int] = set()
    for part in re.findall(r"\d+(?:-\d+)?", text):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def _kprobes(guest: Booted) -> Seen:
    # Lockdown refuses to set one, and shuts no folder; debugfs=off has none.
    if "lockdown=" in guest.line or not guest.has("/sys/kernel/debug/sched"):
        return None
    return {"on"} if guest.has("/sys/kernel/debug/kprobes") else {"off"}


def _memory_file(guest: Booted) -> Seen:
    # Lockdown refuses to open it, and takes no file away.
    if "lockdown=confidentiality" in guest.line:
        return None
    return {"on"} if guest.has("/proc/kcore") else {"off"}


def _bpf(guest: Booted) -> Seen:
    if not guest.has("/proc/sys/kernel/unprivileged_bpf_disabled"):
        return {"off"}
    # What programs may read of the kernel shows in no file.
    return {"on", "no-kernel-reads"} if "lockdown=" in guest.line else {"on"}


def _pressure(guest: Booted) -> Seen:
    if not guest.has("/proc/pressure/cpu"):
        return {"built"}
    # The files of control groups, which nobody has mounted here, tell whether they have figures.
    return {"on", "machine"} if "cgroup_disable=" in guest.line else {"on"}


def _soft_lockups(guest: Booted) -> Seen:
    # No time, no watchdog, whatever its own switch says (kernel/watchdog.c).
    if guest.text("/proc/sys/kernel/watchdog_thresh") == "0":
        return {"off"}
    return {"on"} if guest.text("/proc/sys/kernel/soft_watchdog") == "1" else {"off"}


def _clocksource(guest: Booted) -> Seen:
    folder = "/sys/devices/system/clocksource/clocksource0"
    return {"automatic", guest.text(f"{folder}/current_clocksource") or ""}


def _tick(guest: Booted) -> Seen:
    timers = guest.text("/proc/timer_list") or ""
    # 6.12 prints whether the tick stops when idle, 6.1 in which mode (0 is: not).
    mode = re.search(r"\.nohz(?:_mode)? +: (\d)", timers)
    if not mode or mode[1] == "0":
        return {"periodic"}
    return {"full"} if guest.has(f"{_CPU}/nohz_full") else {"idle"}


def _migration(guest: Booted) -> Seen:
    """The file keeps saying 1 where the tick never stops, and timers stay then all the same
    (kernel/time/timer.c, timers_update_migration(), 6.1 and 6.12)."""
    if _tick(guest) == {"periodic"}:
        return {"off"}
    return {"on"} if guest.text("/proc/sys/kernel/timer_migration") == "1" else {"off"}


def _resolution(guest: Booted) -> Seen:
    return {"on"} if ".hres_active    : 1" in (guest.text("/proc/timer_list") or "") else {"off"}


def _frequency(guest: Booted) -> Seen:
    found = guest.message(r"([\d.]+) BogoMIPS \(lpj=(\d+)\)")
    # BogoMIPS are loops of two instructions: loops a tick, times ticks a second, over 500000.
    return {str(round(float(found[1]) * 500000 / int(found[2])))} if found else None


def _calibration(guest: Booted) -> Seen:
    found = guest.message(r"Calibrating delay loop \(skipped\) preset value.*\(lpj=(\d+)\)")
    return {found[1] if found else "measured"}


def _mitigations(guest: Booted) -> Seen:
    # Those that are switched off one by one hide what is set for all.
    if re.search(r"\b(nospectre_v[12]|spectre_v2=)", guest.line):
        return None
    off = _vulnerable(guest) == {"spectre_v1", "spectre_v2"}
    return {"off"} if off else {"auto", "auto-nosmt", "reduced"}


def _single_mitigations(guest: Booted) -> Seen:
    if "mitigations=" in guest.line:
        return None
    return {"partly", "off"} if _vulnerable(guest) else {"on", "partly", "off"}


def _vulnerable(guest: Booted) -> set[str]:
    """Of the two that this processor has."""
    both = ("spectre_v1", "spectre_v2")
    return {n for n in both if "Vuln" in (guest.text(f"{_CPU}/vulnerabilities/{n}") or "")}


def _threads(guest: Booted) -> Seen:
    control = guest.text(f"{_CPU}/smt/control")
    if "maxcpus=" in guest.line:
        return {"off"} if guest.text(f"{_CPU}/smt/active") == "0" else {"on"}
    # 6.1 does not take the emulated processor for one with threads.
    if control == "notsupported":
        return None
    return {"off"} if control in ("off", "forceoff") else {"on", "off-if-vulnerable"}


def _nmi_watchdog(guest: Booted) -> Seen:
    on = guest.text("/proc/sys/kernel/nmi_watchdog") == "1"
    # Without a PMU it cannot be had, wanted or not.
    return (
        None if guest.message("NMI watchdog: Perf NMI watchdog perm") else {"on" if on else "off"}
    )


def _offload(guest: Booted) -> Seen:
    found = guest.message(r"Offload RCU callbacks from CPUs: (.+)\.")
    cpus = cpus_of(found[1]) if found else set()
    return {"none" if not cpus else "all" if len(cpus) == CPUS else "listed"}


def _boost(guest: Booted) -> Seen:
    return {"on"} if any(name.startswith("rcub/") for name in guest.threads()) else {"off"}


def _irq_threads(guest: Booted) -> Seen:
    return {"on"} if any(re.match(r"irq/4-", name) for name in guest.threads()) else {"off"}


def _early_console(guest: Booted) -> Seen:
    if guest.message(r"bootconsole \["):
        return {"on"}
    # The bare word takes what the firmware names, which is nothing here.
    return None if "earlycon" in guest.line.split() else {"off"}


def _unbound_work(guest: Booted) -> Seen:
    # Isolated CPUs are left out, whatever the parameter says.
    if re.search("isolcpus=|nohz_full=", guest.line) and "unbound_cpus" not in guest.line:
        return None
    return _mask("/sys/devices/virtual/workqueue/cpumask", "all")(guest)


def _console(guest: Booted) -> Seen:
    level = int((guest.text("/proc/sys/kernel/printk") or "7").split()[0])
    return {"quiet" if level <= 4 else "warnings" if level == 5 else "verbose"}


def _cleared(what: str) -> Reader:
    return _message(rf"mem auto-init:.* heap {what}:on", "on", otherwise=("off",))


def _slab_checks(guest: Booted) -> Seen:
    checks = ("red_zone", "poison", "sanity_checks", "store_user", "trace")
    return {"on"} if any(guest.text(f"{_SLAB}/{name}") == "1" for name in checks) else {"off"}


def _slab_order(guest: Booted) -> Seen:
    order = guest.text(f"{_SLAB}/order")
    return None if order is None else {"the kernel's own", order}


def _idle_driver(guest: Booted) -> Seen:
    # The driver is for guests of KVM alone, forced or not.
    if not guest.message("Hypervisor detected: KVM"):
        return None
    return (
        {"forced"} if guest.text(f"{_CPU}/cpuidle/current_driver") == "haltpoll" else {"on", "off"}
    )


def _idle_governor(guest: Booted) -> Seen:
    found = guest.text(f"{_CPU}/cpuidle/current_governor")
    # That driver brings its governor with it, and a loop that polls asks none.
    unasked = re.search("cpuidle_haltpoll.force|idle=poll", guest.line)
    return None if not found or unasked else {found}


def _cpu_partial(guest: Booted) -> Seen:
    # A cache that is debugged has no such lists.
    if _slab_checks(guest) == {"on"}:
        return None
    return {"off" if guest.text(f"{_SLAB}/cpu_partial") == "0" else "on"}


def _domain(guest: Booted) -> Seen:
    if guest.message("iommu: Default domain type: Passthrough"):
        return {"passthrough"}
    policy = guest.message(r"iommu: DMA domain TLB invalidation policy: (\w+) mode")
    return {policy[1]} if policy else None


def _link_power(guest: Booted) -> Seen:
    if guest.message("PCIe ASPM is disabled"):
        return {"unmanaged"}
    return {"forced" if guest.message("PCIe ASPM is forcibly enabled") else "managed"}


def _trust(guest: Booted) -> Seen:
    if guest.message("Marking TSC unstable due to (boot parameter|disabled through cmdline)"):
        return {"unstable"}
    return {"automatic", "reliable", "nowatchdog", "watchdog", "recalibrate"}


READERS: dict[str, Reader] = {
    "af-xdp": _message("Registered PF_XDP", "on", otherwise=("off",)),
    "audit": _message(r"audit: disabled \(until reboot\)", "off", otherwise=("on",)),
    "autogroup": _flag("/proc/sys/kernel/sched_autogroup_enabled"),
    "block-io-trace": _in("/sys/kernel/tracing/available_tracers", "blk"),
    "bpf": _bpf,
    "bpf-jit": _flag("/proc/sys/net/core/bpf_jit_enable"),
    "clocksource": _clocksource,
    "console-messages": _console,
    "cpu-mitigations": _mitigations,
    "cpuidle-governor": _idle_governor,
    "delay-calibration": _calibration,
    "early-console": _early_console,
    "function-tracing": _in("/sys/kernel/tracing/available_tracers", "function"),
    "haltpoll": _idle_driver,
    "high-resolution-timers": _resolution,
    "init-on-alloc": _cleared("alloc"),
    "init-on-free": _cleared("free"),
    "iommu-default-domain": _domain,
    "irq-affinity": _mask("/proc/irq/default_smp_affinity", "all"),
    "isolated-cpus": _list(f"{_CPU}/isolated", "none"),
    "kernel-memory-file": _memory_file,
    "kprobes": _kprobes,
    "latency-tracers": _in("/sys/kernel/tracing/available_tracers", "osnoise"),
    "latencytop": _exists("/proc/sys/kernel/latencytop"),
    "lock-stat": _exists("/proc/lock_stat"),
    "memory-protection": _message(
        "Kernel memory protection disabled", "off", "partly", otherwise=("on",)
    ),
    "nmi-watchdog": _nmi_watchdog,
    "nohz-full-cpus": _list(f"{_CPU}/nohz_full", "none"),
    "nr-cpus": lambda guest: {(guest.message(r"NR_CPUS:(\d+)") or "??")[1]},
    "numa": lambda guest: {
        "on" if guest.text("/sys/devices/system/node/online") == "0-1" else "off"
    },
    "numa-balancing": _flag("/proc/sys/kernel/numa_balancing"),
    "pcie-aspm": _link_power,
    "preempt-dynamic": _message("Dynamic Preempt: ", "on", otherwise=("off",)),
    "preempt-rt": _exists("/sys/kernel/realtime"),
    "psi": _pressure,
    "rcu-boost": _boost,
    "rcu-nocb-poll": _message("Poll for callbacks from no-CBs", "on", otherwise=("off",)),
    "rcu-offload": _offload,
    "single-mitigations": _single_mitigations,
    "split-lock-mitigation": _message("x86/split lock detection: ", "on", otherwise=("off", "on")),
    "slab-order": _slab_order,
    "softlockup-detector": _soft_lockups,
    "slub-cpu-partial": _cpu_partial,
    "slub-debug": _slab_checks,
    "smt": _threads,
    "suspend": _exists("/sys/power/state"),
    "threaded-irqs": _irq_threads,
    "tick-mode": _tick,
    "timer-frequency": _frequency,
    "timer-migration": _migration,
    "tsc-trust": _trust,
    "uprobes": _exists("/sys/bus/event_source/devices/uprobe"),
    "watchdog-cpus": _watched,
    "workqueue-cpus": _unbound_work,
}
