"""What looks after power, or the clock alone: power-profiles-daemon and cpupower."""

from __future__ import annotations

import re

from advisor.inputs.host.root import Root
from advisor.inputs.host.units import starts
from advisor.inputs.nextboot.supplies import supplies
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location

_CPUS = "/sys/devices/system/cpu/"
_GOVERNOR = f"{_CPUS}cpufreq/policy*/scaling_governor"
_PREFERENCE = f"{_CPUS}cpufreq/policy*/energy_performance_preference"
_BIAS = f"{_CPUS}cpu*/power/energy_perf_bias"
_DRIVER = f"{_CPUS}cpu0/cpufreq/scaling_driver"
_STATE = "/var/lib/power-profiles-daemon/state.ini"
# Units that it conflicts with (power-profiles-daemon.service of 0.30): systemd starts one of two.
_RIVALS = ("tuned", "tlp", "auto-cpufreq", "system76-power")
_DAEMON = "/usr/lib/systemd/system/power-profiles-daemon.service"
# What its profiles make of the preference; of two the second is for the battery (since 0.20).
_PREFERENCES = {
    "power-saver": ("power",),
    "balanced": ("balance_performance", "balance_power"),
    "performance": ("performance",),
}
_PROFILE = "/sys/firmware/acpi/platform_profile"
_TURBO = f"{_CPUS}intel_pstate/no_turbo"
_LINK = "/sys/class/scsi_host/host*/link_power_management_policy"
_DEVICES = ("/sys/bus/pci/devices/*/power/control", "/sys/bus/usb/devices/*/power/control", _LINK)
_SOUND = "/sys/module/snd_hda_intel/parameters/power_save"
_LATER = ("vm.dirty_expire_centisecs", "vm.dirty_writeback_centisecs")
# Services whose settings are not read, and what each may set.
_OTHERS = {
    "auto-cpufreq": (_GOVERNOR, _PREFERENCE, _TURBO, _PROFILE),
    "com.system76.PowerDaemon": (
        _GOVERNOR, _PREFERENCE, _TURBO, _PROFILE, *_DEVICES, _SOUND, *_LATER, "vm.laptop_mode",
    ),
    "laptop-mode": (
        _GOVERNOR, *_DEVICES, _SOUND, *_LATER, "vm.laptop_mode", "vm.dirty_ratio",
        "vm.dirty_background_ratio", "kernel.nmi_watchdog",
    ),
    "powertop": (*_DEVICES, _SOUND, "vm.dirty_writeback_centisecs", "kernel.nmi_watchdog"),
}  # fmt: skip
_CPUPOWER = {"governor": _GOVERNOR, "perf_bias": _BIAS, "epp": _PREFERENCE}
_LARGEST = 1 << 18
_SETTING = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)(\+?)=(\"[^\"]*\"|'[^']*'|\S*)")

Settings = dict[str, tuple[str, Location]]


def read_profiles_daemon(root: Root, into: Writes) -> None:
    """Gathers what power-profiles-daemon sets for the profile that it was left in.

    With intel_pstate and an energy preference the governor is powersave whatever the profile
    (ppd-driver-intel-pstate.c of 0.13 to 0.30). What other drivers are written is in doubt; it
    reads no_turbo, and never writes it.
    """
    if not starts(root, "power-profiles-daemon"):
        return
    if rival := next((unit for unit in _RIVALS if starts(root, unit)), ""):
        own = [key for key, one in into.written.items() if one.by.startswith(("TLP", "TuneD"))]
        for key in (*own, _GOVERNOR, _PREFERENCE, _BIAS, _PROFILE):
            into.doubt(key, f"either {rival} or power-profiles-daemon starts, which may set it")
        return
    lines = (root.text(_STATE, _LARGEST) or "").split("\n")
    told = [(line[8:].strip(), n) for n, line in enumerate(lines, 1) if line.startswith("Profile=")]
    profile, number = told[-1] if told else ("balanced", 0)
    place = Location(root.called(_STATE if told else _DAEMON), number)
    by = f"power-profiles-daemon's profile {profile}"
    into.doubt(_PROFILE, f"{by} may set it")
    if (root.text(_DRIVER) or "").strip() != "intel_pstate" or not any(
        map(root.has, root.matching(_PREFERENCE))
    ):
        for key in (_GOVERNOR, _PREFERENCE, _BIAS):
            into.doubt(key, f"{by} may set it")
        return
    into.write(_GOVERNOR, "powersave", place, by)
    wanted = _PREFERENCES.get(profile, _PREFERENCES["balanced"])
    kinds = supplies(root)
    if "battery_aware=false" in lines or (kinds is not None and "Battery" not in kinds):
        wanted = wanted[:1]
    if len(wanted) > 1:
        into.vary(_PREFERENCE, wanted, place, by, f"{by} sets it by the power supply")
    else:
        into.write(_PREFERENCE, wanted[0], place, by)


def read_others(root: Root, into: Writes) -> None:
    """Doubts what the services of other programs for power may set."""
    for unit, keys in _OTHERS.items():
        if starts(root, unit):
            for key in keys:
                into.doubt(key, f"{unit} may set it")


def read_cpupower(root: Root, into: Writes) -> None:
    """Gathers what cpupower's service sets: by the names of Arch's file and of Linux 7.2's
    (tools/power/cpupower/cpupower.sh), and the governor in the options of Fedora's."""
    if not starts(root, "cpupower"):
        return
    for path in ("/etc/cpupower-service.conf", "/etc/default/cpupower", "/etc/sysconfig/cpupower"):
        settings: Settings = {}
        _settings(root, path, settings)
        told = {name.lower(): one for name, one in settings.items() if one[0]}
        for name, (text, place) in told.items():
            options = re.search(r"(?:^|\s)(?:-g|--governor)[ =]?(\S+)", text)
            # A frequency is set in place of a governor.
            if name in _CPUPOWER and not (name == "governor" and "freq" in told):
                into.write(_CPUPOWER[name], text, place, "cpupower")
            elif name == "cpupower_start_opts" and options:
                into.write(_GOVERNOR, options[1], place, "cpupower")


def _settings(root: Root, path: str, into: Settings) -> None:
    """The variables that a file sets, over those before it."""
    for number, line in enumerate((root.text(path, _LARGEST) or "").split("\n"), 1):
        if found := _SETTING.match(line):
            value = found[3].strip("\"'")
            before = into.get(found[1], ("",))[0] if found[2] else ""
            into[found[1]] = f"{before} {value}".strip(), Location(root.called(path), number)
