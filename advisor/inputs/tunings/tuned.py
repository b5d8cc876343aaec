"""A profile of TuneD with all that it includes, option by option.

As profiles/loader.py, profiles/merger.py, profiles/variables.py and the plug-ins of TuneD 2.20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname, normpath

from advisor.inputs.bootfiles import tuned as options
from advisor.inputs.bootfiles.apart import apart
from advisor.inputs.bootfiles.gathered import Option, Units
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot import tuned
from advisor.inputs.nextboot.files import LARGEST
from advisor.model.kernel import Location
from advisor.model.like import Answer, Entry, Ruling, System, Tuning

FILE = "tuned.conf"
_VARIABLE = re.compile(r"(?<!\\)\$\{(\w+)\}")
_FUNCTION = re.compile(r"\$\{\w+:")
_COMPUTED = "${"
_MOST_ROUNDS = 10
# What plugin_scheduler.py writes below /proc/sys/kernel, or else below debugfs; what fair.c of 6.6
# has no more (kernel/sched/debug.c of 6.1 and 6.12).
_SCHEDULER = {
    "sched_min_granularity_ns": "min_granularity_ns",
    "sched_latency_ns": "latency_ns",
    "sched_wakeup_granularity_ns": "wakeup_granularity_ns",
    "sched_tunable_scaling": "tunable_scaling",
    "sched_migration_cost_ns": "migration_cost_ns",
    "sched_nr_migrate": "nr_migrate",
    "sched_numa_balancing_scan_delay_ms": "numa_balancing/scan_delay_ms",
    "sched_numa_balancing_scan_period_min_ms": "numa_balancing/scan_period_min_ms",
    "sched_numa_balancing_scan_period_max_ms": "numa_balancing/scan_period_max_ms",
    "sched_numa_balancing_scan_size_mb": "numa_balancing/scan_size_mb",
}
_GONE = frozenset(
    ("sched_min_granularity_ns", "sched_latency_ns", "sched_wakeup_granularity_ns")
)  # fmt: skip
_WITHOUT = (6, 6, 0)
_DEBUGFS = "/sys/kernel/debug/sched/"
# plugin_vm.py writes nothing where the boot line has the parameter.
_THP = ("transparent_hugepages", "transparent_hugepage")
_NOT_SET = ("main", "variables")


def read_profile(name: str, root: Root, arch: str | None) -> Tuning | None:
    """Reads a profile of a host by its name; None where none has it. Raises InputError."""

    def find(wanted: str) -> tuple[str, str] | None:
        return tuned.installed(root, wanted)

    return _tuning(name, find, arch) if find(name) else None


def read_file(path: str, text: str, root: Root, arch: str | None) -> Tuning:
    """Reads the profile in a file; those that it includes stand beside its folder, or are the
    host's. Raises InputError."""
    name, own = basename(dirname(path)) or FILE, normpath(path)
    beside = Root(dirname(dirname(own)) or ".")

    def find(wanted: str) -> tuple[str, str] | None:
        if wanted == name:
            return own, text
        there = f"/{wanted}/{FILE}"
        if beside.has(there):
            return beside.called(there), beside.text(there, LARGEST) or ""
        return tuned.installed(root, wanted)

    return _tuning(name, find, arch)


def _tuning(name: str, find: tuned.Find, arch: str | None) -> Tuning:
    layers: list[Units] = []
    read = tuned.load(find, [name], layers)
    units = options.merged(layers)
    variables = {key: one.value for key, one in units.get("variables", {}).items()}
    entries = (
        entry
        for section, unit in units.items()
        if section not in _NOT_SET
        for entry in _entries(section, _expanded(unit, variables), arch)
    )
    files = tuple(path for path, is_file in read.items() if is_file)
    lacking = (path for path, is_file in read.items() if not is_file)
    remarks = tuple(
        f"the profile includes {path}, which "
        f"{'TuneD computes' if _COMPUTED in path else 'does not exist'}"
        for path in lacking
    )
    return Tuning(f"TuneD's profile {name}", System.TUNED, tuple(entries), files, remarks)


def _expanded(unit: dict[str, Option], variables: dict[str, str]) -> dict[str, Option]:
    """Puts the variables that hold a text in their places; functions and other ones stay."""

    def put(found: re.Match[str]) -> str:
        value = variables.get(found[1], found[0])
        return found[0] if _FUNCTION.search(value) else value

    expanded = {}
    for option, one in unit.items():
        value = one.value
        for _ in range(_MOST_ROUNDS):
            before, value = value, _VARIABLE.sub(put, value)
            if value == before:
                break
        expanded[option] = one._replace(value=value)
    return expanded


def _entries(section: str, unit: dict[str, Option], arch: str | None) -> Iterator[Entry]:
    """Yields what the options of a unit set."""
    kind = unit["type"].value if "type" in unit else section
    told = _for_whom(section, unit, tuned.is_for(unit, arch))
    for option, one in unit.items():
        if option in options.OWN:
            continue
        label = f"[{section}] {option}"
        for entry in _of_option(kind, option, one, label):
            yield entry._replace(told=entry.told or told)


def _for_whom(section: str, unit: dict[str, Option], applies: bool | None) -> Ruling | None:
    """Returns the ruling on what is not, or not surely, for this machine."""
    if applies:
        return None
    conditions = [
        f"{name} = {unit[name].value}"
        for name in ("enabled", "uname_regex", "cpuinfo_regex", "devices")
        if name in unit
    ]
    text = f"[{section}] applies only if {' and '.join(conditions)}"
    if applies is False:
        return Ruling(Answer.NO_EFFECT, f"{text}, which is not the case on this host")
    return Ruling(Answer.UNKNOWN, text)


def _of_option(kind: str, option: str, one: Option, label: str) -> Iterator[Entry]:
    if kind == "bootloader" and option.startswith("cmdline"):
        yield from _words(one, label)
        return
    if kind == "scheduler" and option in _SCHEDULER:
        since = _WITHOUT if option in _GONE else None
        path, sysctl = f"{_DEBUGFS}{_SCHEDULER[option]}", f"kernel.{option}"
        yield Entry(path, one.value, one.place, label, rather=sysctl, since=since)
        return
    found = tuned.settings_of(kind, option, one)
    settings = {**found.sysctl, **found.sysfs}
    for key, (value, place) in settings.items():
        yield _setting(key, value, place, one, label)
    if not settings:
        computed = _COMPUTED in one.value or _COMPUTED in option
        why = f"TuneD computes this value when it starts: {one.value}"
        told = Ruling(Answer.UNKNOWN, why) if computed else Ruling(Answer.OUTSIDE)
        yield Entry(option if computed else label, one.value, one.place, label, told=told)


def _setting(key: str, value: str, place: Location, one: Option, label: str) -> Entry:
    told = None
    if _COMPUTED in value:
        told = Ruling(Answer.UNKNOWN, f"TuneD computes this value when it starts: {value}")
    written = one.value.strip('"')
    choices = tuple(filter(None, map(str.strip, value.split("|"))))
    return Entry(
        key, choices[-1] if choices else value, place,
        label="" if label.endswith(f" {key}") else label,
        choices=choices if len(choices) > 1 else (),
        bound=written[0] if written.startswith(("<", ">")) else "",
        unless_boot="transparent_hugepage" if label.endswith(_THP) else "",
        told=told,
    )  # fmt: skip


def _words(one: Option, label: str) -> Iterator[Entry]:
    """Yields the words that an option adds to the boot line; one with - takes away what other
    options gathered."""
    value = one.value
    if value.startswith("-"):
        why = "removes parameters that other options of the profile add"
        yield Entry(label, value, one.place, label, told=Ruling(Answer.OUTSIDE, why))
        return
    value = re.sub('^"(.*)"$', r"\1", value.removeprefix("+").strip())
    for _, word in apart(value, "${", "}", quotes=False):
        told = None
        if _COMPUTED in word:
            told = Ruling(Answer.UNKNOWN, f"TuneD computes this parameter when it starts: {word}")
        yield Entry(word, word, one.place, label, is_word=True, told=told)
