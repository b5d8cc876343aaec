"""TuneD's active profile, with all that it includes, as the daemon applies it when it starts.

As profiles/loader.py, profiles/merger.py, profiles/locator.py and daemon/daemon.py of TuneD 2.20
do: units of one name are merged, the later option counts; after its sysctls those of
/run/sysctl.d, /etc/sysctl.d and /etc/sysctl.conf are written again (reapply_sysctl, the default).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from configparser import Error

from advisor.errors import InputError
from advisor.inputs.bootfiles import tuned as options
from advisor.inputs.bootfiles.gathered import BootFile, Gathered, Option, Units
from advisor.inputs.host.root import Root
from advisor.inputs.host.units import starts
from advisor.inputs.nextboot.files import LARGEST
from advisor.inputs.nextboot.powerfiles import (
    BIAS,
    CPUS,
    GOVERNOR,
    LINK,
    MAX_PERF,
    MIN_PERF,
    NO_TURBO,
    PLATFORM_PROFILE,
    PREFERENCE,
    SCHEDULER,
    SOUND,
    SOUND_CONTROLLER,
    supplies,
)
from advisor.inputs.nextboot.sysctls import settings_in
from advisor.inputs.nextboot.writes import Writes, is_pattern
from advisor.model.sysctl import swapped

FOLDERS = (
    "/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned",
)  # fmt: skip
"""Where profiles are, each a folder of its name; the first counts."""
_MOST_PROFILES = 50
Find = Callable[[str], tuple[str, str] | None]
"""Finds a profile: what its file is called, and the text."""
_NAME = re.compile(r"[a-zA-Z0-9_.-]+")
_CPU = {
    "governor": GOVERNOR,
    "energy_perf_bias": BIAS,
    "energy_performance_preference": PREFERENCE,
    "min_perf_pct": MIN_PERF,
    "max_perf_pct": MAX_PERF,
    "no_turbo": NO_TURBO,
    "pm_qos_resume_latency_us": f"{CPUS}cpu*/power/pm_qos_resume_latency_us",
}
_DISK = {"elevator": SCHEDULER, "readahead": "/sys/block/*/queue/read_ahead_kb"}
# Of each kind of unit the files that its options are written into (plugins/plugin_*.py).
_FILES = {
    "cpu": _CPU,
    "disk": _DISK,
    "acpi": {"platform_profile": PLATFORM_PROFILE},
    "audio": {"timeout": SOUND, "reset_controller": SOUND_CONTROLLER},
}
_SWITCHES = {"1": "Y", "true": "Y", "0": "N", "false": "N"}
_MACHINES = {"x86": "x86_64", "arm64": "aarch64", "powerpc": "ppc64le", "s390": "s390x"}


def read_tuned(root: Root, into: Writes, arch: str | None) -> None:
    """Gathers what TuneD writes when it starts, by the profile that was active, or that tuned-ppd
    switches to: that one comes last."""
    switched = _switched_to(root)
    if switched is not None:
        for name in switched:
            _read_profile(root, into, arch, [name], sure=len(switched) == 1)
        return
    mode = (root.text("/etc/tuned/profile_mode") or "").strip()
    active = (root.text("/etc/tuned/active_profile") or "").split()
    if mode == "auto" or not active:
        return  # what it recommends is found out as it starts
    _read_profile(root, into, arch, active, sure=True)


def _switched_to(root: Root) -> tuple[str, ...] | None:
    """Lists the profiles one of which tuned-ppd switches to in place of power-profiles-daemon; none
    where it asks what TuneD recommends; None where nobody starts it, or it cannot.

    As tuned/ppd/controller.py and config.py of TuneD 2.25 and later: the profile that was left on
    stands in a file, and ppd.conf says which of TuneD's that is, on battery another.
    """
    if not starts(root, "tuned-ppd"):
        return None
    parser = options.LinearParser(strict=False)
    try:
        parser.read_string(root.text("/etc/tuned/ppd.conf", LARGEST) or "")
        detects = parser.getboolean("main", "battery_detection", fallback="battery" in parser)
    except (Error, AttributeError, ValueError):
        return None
    profiles = {part: dict(parser.items(part, raw=True)) if part in parser else {}
                for part in ("profiles", "battery")}  # fmt: skip
    if not profiles["profiles"]:
        return None
    left = (root.text("/etc/tuned/ppd_base_profile") or "").strip()
    if left not in profiles["profiles"]:
        return ()
    found = [profiles["profiles"][left]]
    kinds = supplies(root)
    if detects and (kinds is None or "Battery" in kinds):
        found.append(profiles["battery"].get(left, found[0]))
    return tuple(dict.fromkeys(found))


def _read_profile(
    root: Root, into: Writes, arch: str | None, active: list[str], sure: bool
) -> None:
    layers: list[Units] = []

    def find(name: str) -> tuple[str, str] | None:
        return installed(root, name)

    try:
        load(find, active, layers)
    except InputError:
        return  # TuneD refuses the profile
    by = f"TuneD's profile {' '.join(active)}"
    sysctls = False
    for name, unit in options.merged(layers).items():
        kind = unit["type"].value if "type" in unit else name
        applies = is_for(unit, arch)
        if applies is False:
            continue
        sysctls = sysctls or kind == "sysctl"
        for option, one in unit.items():
            if option not in options.OWN:
                _write(kind, option, one, into, by if applies and sure else "")
    if sysctls and _reapplies(root):
        _again(root, into)


def installed(root: Root, name: str) -> tuple[str, str] | None:
    """Finds a profile of a host: what its file is called, and the text; None where none has the
    name."""
    paths = (f"{folder}/{name}/tuned.conf" for folder in FOLDERS)
    path = next((one for one in paths if root.has(one)), "")
    return (root.called(path), root.text(path, LARGEST) or "") if path else None


def load(
    find: Find, names: list[str], layers: list[Units], read: dict[str, bool] | None = None
) -> dict[str, bool]:
    """Lists the units of profiles, each after those that it includes; none twice.

    Returns the files that were read, and the names of profiles that are not there, with whether
    each is a file. Raises InputError for a file that TuneD refuses.
    """
    read = {} if read is None else read
    for name in (one.removeprefix("-") for one in names):  # one with a dash may lack
        found = find(name) if _NAME.fullmatch(name) else None
        if found is None:
            read.setdefault(name, False)
        elif found[0] not in read and len(read) <= _MOST_PROFILES:
            read[found[0]] = True
            own = options.units(found[1], found[0])
            load(find, options.included(own), layers, read)
            layers.append(own)
    return read


def is_for(unit: dict[str, Option], arch: str | None) -> bool | None:
    """Whether a unit is for this machine; None where that is not told here."""
    if "enabled" in unit and unit["enabled"].value.lower() in ("0", "false", "no", "n", "off"):
        return False
    if "uname_regex" in unit:
        wanted, own = unit["uname_regex"].value, _MACHINES.get(arch or "")
        if wanted in _MACHINES.values() and own:
            if wanted != own:
                return False
        else:
            return None
    devices = unit["devices"].value if "devices" in unit else "*"
    return None if "cpuinfo_regex" in unit or devices != "*" else True


def settings_of(kind: str, option: str, one: Option) -> BootFile:
    """Gathers what an option of a unit sets, without the sign of what is only raised or lowered;
    of several values it may be each. Notes tell of what is computed."""
    gathered = Gathered(one.place.path)
    value = one.value.strip('"')
    if kind in ("sysctl", "sysfs", "vm"):
        options.setting(kind, option, value.lstrip("<>"), one.place.line, gathered)
    elif path := _FILES.get(kind, {}).get(option):
        text = _SWITCHES.get(value.lower(), "") if option == "reset_controller" else value
        if text:
            gathered.sysfs(path, text.lstrip("<>"), one.place.line)
    return gathered.result(always=False)


def _write(kind: str, option: str, one: Option, into: Writes, by: str) -> None:
    """Writes what an option sets; without `by` it is not known whether it counts."""
    value = one.value.strip('"')
    if kind == "scsi_host" and option == "alpm":
        into.doubt(LINK, f"TuneD may set it ({one.place})")  # of ports within the case alone
    found = settings_of(kind, option, one)
    for key, (text, place) in (*found.sysctl.items(), *found.sysfs.items()):
        # With > and < it hangs on what was there; of several governors it takes the first there is.
        if by and not value.startswith(("<", ">")) and "|" not in text and "${" not in text:
            into.write(key, text, place, by)
        else:
            into.doubt(key, f"TuneD may set it ({place})")
    if found.notes and kind == "sysctl":
        into.doubt(option, f"TuneD sets it to the value of a variable ({one.place})")


def _reapplies(root: Root) -> bool:
    text = root.text("/etc/tuned/tuned-main.conf", LARGEST) or ""
    found = re.findall(r"^[ \t]*reapply_sysctl[ \t]*=[ \t]*(\w+)", text, re.M)
    return not found or found[-1].lower() not in ("0", "false")


def _again(root: Root, into: Writes) -> None:
    """Writes the sysctls of /etc again, line by line (plugins/plugin_sysctl.py)."""
    names = [name for name in root.names("/etc/sysctl.d") if name.endswith(".conf")]
    for path in (*(f"/etc/sysctl.d/{name}" for name in names), "/etc/sysctl.conf"):
        for line in settings_in(root, path):
            if line.value is not None and not is_pattern(line.path):
                into.write(swapped(line.path), line.value, line.place)
