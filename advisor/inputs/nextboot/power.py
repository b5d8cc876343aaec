"""What looks after a laptop's power, or the clock alone: TLP, power-profiles-daemon, cpupower."""

from __future__ import annotations

import re

from advisor.inputs.host.root import Root
from advisor.inputs.host.units import starts
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location

_CPUS = "/sys/devices/system/cpu/"
_GOVERNOR = f"{_CPUS}cpufreq/policy*/scaling_governor"
_PREFERENCE = f"{_CPUS}cpufreq/policy*/energy_performance_preference"
_PROFILE = "/sys/firmware/acpi/platform_profile"
_LARGEST = 1 << 18
_SETTING = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)(\+?)=(\"[^\"]*\"|'[^']*'|\S*)")
# Each with how its value is written (func.d/10-tlp-func-cpu and others of TLP 1.5); with * for
# both kinds of supply: on mains (AC) and on battery (BAT).
_TLP = {
    "CPU_SCALING_GOVERNOR_ON_*": _GOVERNOR,
    "CPU_ENERGY_PERF_POLICY_ON_*": _PREFERENCE,
    "CPU_MIN_PERF_ON_*": f"{_CPUS}intel_pstate/min_perf_pct",
    "CPU_MAX_PERF_ON_*": f"{_CPUS}intel_pstate/max_perf_pct",
    "CPU_HWP_DYN_BOOST_ON_*": f"{_CPUS}intel_pstate/hwp_dynamic_boost",
    "CPU_BOOST_ON_*": f"{_CPUS}intel_pstate/no_turbo",
    "PLATFORM_PROFILE_ON_*": _PROFILE,
    "MEM_SLEEP_ON_*": "/sys/power/mem_sleep",
    "NMI_WATCHDOG": "kernel.nmi_watchdog",
    "SOUND_POWER_SAVE_ON_*": "/sys/module/snd_hda_intel/parameters/power_save",
    "SOUND_POWER_SAVE_CONTROLLER": "/sys/module/snd_hda_intel/parameters/power_save_controller",
    "PCIE_ASPM_ON_*": "/sys/module/pcie_aspm/parameters/policy",
}
_LOST_WORK = ("vm.dirty_expire_centisecs", "vm.dirty_writeback_centisecs")
# What it sets of devices by lists of those that are left out: told as its own, with no value.
_TLP_DEVICES = (
    "/sys/bus/pci/devices/*/power/control", "/sys/bus/usb/devices/*/power/control",
    "/sys/class/scsi_host/host*/link_power_management_policy", "vm.laptop_mode",
)  # fmt: skip
_TLP_FILES = ("/usr/share/tlp/defaults.conf", "/etc/tlp.d", "/etc/tlp.conf")

Settings = dict[str, tuple[str, Location]]


def read_tlp(root: Root, into: Writes) -> None:
    """Gathers what TLP sets when it starts; what differs by supply is sure without a battery."""
    if not starts(root, "tlp"):
        return
    settings: Settings = {}
    names = [name for name in root.names("/etc/tlp.d") if name.endswith(".conf")]
    paths = [_TLP_FILES[0], *(f"/etc/tlp.d/{name}" for name in names), _TLP_FILES[2]]
    for path in paths:
        _settings(root, path, settings)
    if settings.get("TLP_ENABLE", ("1",))[0] == "0":
        return
    supplies = ("AC",) if _on_mains(root) else ("AC", "BAT")
    for name, key in _TLP.items():
        found = [settings.get(name.replace("*", one)) for one in supplies]
        _write(key, [one for one in found if one and one[0]], len(found), into, "TLP")
    for key in _LOST_WORK:
        found = [settings.get(f"MAX_LOST_WORK_SECS_ON_{one}") for one in supplies]
        told = [(f"{one[0]}00", one[1]) for one in found if one and one[0].isdigit()]
        _write(key, told, len(found), into, "TLP")
    for key in _TLP_DEVICES:
        into.doubt(key, "TLP may set it")


def _write(key: str, told: list[tuple[str, Location]], wanted: int, into: Writes, by: str) -> None:
    """Writes a value that is the same for every supply."""
    if not told:
        return
    text, place = told[0]
    if key.endswith("no_turbo"):
        text = {"1": "0", "0": "1"}.get(text, "")
    same = len(told) == wanted and all(one[0] == told[0][0] for one in told)
    if same and text and " " not in text:
        into.write(key, text, place, by)
    else:
        into.doubt(key, f"{by} sets it by the power supply ({place})")


def _on_mains(root: Root) -> bool:
    """Whether there is surely no battery: the kernel runs, and shows none."""
    folder = "/sys/class/power_supply"
    return root.has(folder) and not any(name.startswith("BAT") for name in root.names(folder))


def read_profiles_daemon(root: Root, into: Writes) -> None:
    """Doubts what power-profiles-daemon sets by its state: what it writes hangs on the drivers."""
    if not starts(root, "power-profiles-daemon"):
        return
    state = root.text("/var/lib/power-profiles-daemon/state.ini", _LARGEST) or ""
    found = re.search(r"^Profile=(\S+)", state, re.M)
    what = f" for its profile {found[1]}" if found else ""
    for key in (_GOVERNOR, _PREFERENCE, _PROFILE, f"{_CPUS}intel_pstate/no_turbo"):
        into.doubt(key, f"power-profiles-daemon sets it{what}")


def read_cpupower(root: Root, into: Writes) -> None:
    """Gathers the governor that cpupower's service sets: governor= of Arch's and later files, and
    the options of Fedora's."""
    if not starts(root, "cpupower"):
        return
    for path in ("/etc/cpupower-service.conf", "/etc/default/cpupower", "/etc/sysconfig/cpupower"):
        settings: Settings = {}
        _settings(root, path, settings)
        for name, (text, place) in settings.items():
            options = re.search(r"(?:^|\s)(?:-g|--governor)[ =]?(\S+)", text)
            if name.lower() == "governor" and text:
                into.write(_GOVERNOR, text, place, "cpupower")
            elif name == "CPUPOWER_START_OPTS" and options:
                into.write(_GOVERNOR, options[1], place, "cpupower")


def _settings(root: Root, path: str, into: Settings) -> None:
    """The variables that a file sets, over those before it."""
    for number, line in enumerate((root.text(path, _LARGEST) or "").split("\n"), 1):
        if found := _SETTING.match(line):
            value = found[3].strip("\"'")
            before = into.get(found[1], ("",))[0] if found[2] else ""
            into[found[1]] = f"{before} {value}".strip(), Location(root.called(path), number)
