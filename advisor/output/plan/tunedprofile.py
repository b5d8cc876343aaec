"""A plan as a whole profile of TuneD: settings by the plugins that own them, and the boot line.

TuneD reads the file with ConfigParser, where `#` behind a blank begins a comment; it expands
${...}, and takes quotes around a value and < or > before it for its own (profiles/loader.py,
plugins/plugin_sysctl.py and base.py of TuneD 2.20). What a profile includes is read first, and the
later option of a section counts; so an option has to be in the section of the plugin that the
included profile uses for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from advisor.model.disks import called
from advisor.model.nextboot import RIVALS
from advisor.model.plan import File, Item, Kept, Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.escape import comment
from advisor.output.plan import files, opening, tuned, udev, with_dropped
from advisor.output.plan.comments import boot_words, comment_lines, for_a_rebuild, reasons

NAME = "kernel-advisor"
PLACES = (f"/etc/tuned/{NAME}/tuned.conf", f"/etc/tuned/profiles/{NAME}/tuned.conf")
"""Where TuneD looks for it: before 2.23, and from then on."""
PARENTS = {
    "container-host": "throughput-performance",
    "database": "throughput-performance",
    "desktop-latency": "desktop",
    "hpc-compute": "hpc-compute",
    "mongodb": "throughput-performance",
    "network-latency": "network-latency",
    "network-throughput": "network-throughput",
    "power-saving": "powersave",
    "realtime": "network-latency",
    "server-throughput": "throughput-performance",
    "virtualization-guest": "virtual-guest",
    "virtualization-host": "virtual-host",
}
"""The profile of TuneD that is for the same workload; realtime's own needs isolated CPUs."""
_CPU = "/sys/devices/system/cpu/"
_POLICY = f"{_CPU}cpufreq/policy*/"
_PAGES = "/sys/kernel/mm/transparent_hugepage/"
_OPTIONS = {
    f"{_POLICY}scaling_governor": ("cpu", "governor"),
    f"{_POLICY}energy_performance_preference": ("cpu", "energy_performance_preference"),
    f"{_CPU}cpu*/power/energy_perf_bias": ("cpu", "energy_perf_bias"),
    f"{_CPU}intel_pstate/min_perf_pct": ("cpu", "min_perf_pct"),
    f"{_CPU}intel_pstate/max_perf_pct": ("cpu", "max_perf_pct"),
    f"{_CPU}intel_pstate/no_turbo": ("cpu", "no_turbo"),
    f"{_PAGES}enabled": ("vm", "transparent_hugepages"),
    f"{_PAGES}defrag": ("vm", "transparent_hugepage.defrag"),
    "/sys/block/*/queue/scheduler": ("disk", "elevator"),
    "/sys/block/*/queue/read_ahead_kb": ("disk", "readahead"),
}
_SECTIONS = ("cpu", "vm", "disk", "sysctl", "sysfs")
_ACTIVE = re.compile(r"[^ -~]|\$\{|\\|(?:^| )#|^[<>\"';]| $|^$")


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the profile of each report."""
    return files(reports, _profile)


def _profile(report: Report) -> Iterator[str]:
    plan, parents = report.plan, _parents(report)
    yield from opening("TuneD profile", report, _remarks(plan, parents))
    yield "[main]"
    names = ", ".join(profile.id for profile in report.profiles)
    yield f"summary={comment(f'Kernel settings by kernel-advisor: {names}')}"
    if parents:
        yield f"include={','.join(parents)}"
    for section in _SECTIONS:
        options = [(item, *found) for item in plan.items for found in _options(item, section)]
        drops = _drops(plan, section) if parents else []
        if options or drops:
            yield from ("", f"[{section}]")
        if drops:
            yield from comment_lines(
                "If one option of a pair is set, the kernel sets the other to 0:"
            )
            yield f"drop={','.join(drops)}"
        for item, same in groupby(options, lambda option: option[0]):
            yield from reasons(item.finding, item.remedy, report)
            for _, option, one in same:
                if one.disks:
                    yield from comment_lines(f"For {called(one.disks)}:")
                yield f"{option}={one.setting.value}"
    if plan.words:
        tuned.refuse_unfit(plan)
        yield from ("", "[bootloader]", *boot_words(report), *tuned.option(plan))


def _parents(report: Report) -> list[str]:
    named = ((one.id, *one.extends) for one in report.profiles)
    found = (next((PARENTS[name] for name in names if name in PARENTS), "") for names in named)
    return list(dict.fromkeys(filter(None, found)))


def _remarks(plan: Plan, parents: Sequence[str]) -> Iterator[str]:
    first, later = PLACES
    yield (
        f"Install this file as {later} (TuneD before 2.23: {first}), and run tuned-adm profile "
        f"{NAME}. To compare the settings, run tuned-adm verify. To go back, run tuned-adm profile "
        "with the name of the earlier profile."
    )
    if parents:
        yield (
            f"This profile includes {', '.join(parents)}, which also sets other values. To set "
            "only the values of this plan, remove the line that begins with include=."
        )
    yield from with_dropped(tuned.LEFT, plan)
    yield from for_a_rebuild(plan)
    for one in _kept(plan):
        if not _places(one):
            setting = f"{one.setting.key} = {one.setting.value}"
            yield f"This profile does not set {setting}: {_why_not(one)}."


def _kept(plan: Plan) -> list[Kept]:
    """List the settings of all changes, each once: for a module there may be two files."""
    every = {(one.setting, one.disks): one for item in plan.items for one in item.kept}
    return list(every.values())


def _drops(plan: Plan, section: str) -> list[str]:
    """List the options that an included profile may have for what a sysctl of the plan decides.

    TuneD sets vm.dirty_* by [sysctl], and since 2.23 by [vm] as well (plugins/plugin_vm.py).
    """
    names = [name for item in plan.items for name, _ in _options(item, "sysctl") if name in RIVALS]
    if section == "sysctl":
        return [RIVALS[name] for name in names]
    pairs = [one for name in names for one in (name, RIVALS[name])]
    return [one[3:] for one in pairs if section == "vm" and one.startswith("vm.dirty_")]


def _options(item: Item, section: str) -> Iterator[tuple[str, Kept]]:
    """Yield the options of a section that a change has, each once."""
    found = {option: one for one in item.kept for name, option in _places(one) if name == section}
    yield from found.items()


def _places(one: Kept) -> list[tuple[str, str]]:
    """List the sections with the option that sets a setting; empty where none can."""
    key, value = one.setting
    if one.file in (None, File.MODPROBE) or _ACTIVE.search(value) or "=" in key:
        return []
    if one.file is File.SYSCTL:
        return [("sysctl", key)]
    if key in _OPTIONS:
        return [_OPTIONS[key]]
    if not one.disks:
        return [("sysfs", key)]
    if any(udev.DISKS[kind][1] for kind in one.disks):
        return []
    patterns = [name for kind in one.disks for name in udev.DISKS[kind][0].split("|")]
    return [("sysfs", key.replace("/DEVICE/", f"/{name}/")) for name in patterns]


def _why_not(one: Kept) -> str:
    if one.file is None:
        return one.why
    if one.file is File.MODPROBE:
        return (
            "an option of a module is read when the module is loaded; --format modprobe.d writes it"
        )
    if one.disks:
        return "TuneD does not distinguish rotating disks from others; --format udev does"
    return "a character that TuneD does not take literally"
