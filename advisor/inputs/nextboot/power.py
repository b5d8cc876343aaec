"""What looks after power, or the clock alone: power-profiles-daemon and cpupower."""

from __future__ import annotations

import re

from advisor.inputs.host.root import Root
from advisor.inputs.host.units import started, starts
from advisor.inputs.nextboot.files import lines, variables
from advisor.inputs.nextboot.powerfiles import (
    BIAS,
    CPUS,
    DEVICES,
    GOVERNOR,
    NO_TURBO,
    PLATFORM_PROFILE,
    PREFERENCE,
    SOUND,
    WRITEBACK,
    supplies,
)
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location

_DRIVER = f"{CPUS}cpu0/cpufreq/scaling_driver"
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
# Services whose settings are not read, and what each may set.
_OTHERS = {
    "auto-cpufreq": (GOVERNOR, PREFERENCE, NO_TURBO, PLATFORM_PROFILE),
    "com.system76.PowerDaemon": (
        GOVERNOR, PREFERENCE, NO_TURBO, PLATFORM_PROFILE, *DEVICES, SOUND, *WRITEBACK,
        "vm.laptop_mode",
    ),
    "laptop-mode": (
        GOVERNOR, *DEVICES, SOUND, *WRITEBACK, "vm.laptop_mode", "vm.dirty_ratio",
        "vm.dirty_background_ratio", "kernel.nmi_watchdog",
    ),
    "powertop": (*DEVICES, SOUND, "vm.dirty_writeback_centisecs", "kernel.nmi_watchdog"),
}  # fmt: skip
_CPUPOWER = {"governor": GOVERNOR, "perf_bias": BIAS, "epp": PREFERENCE}
_SETTING = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)(\+?)=(\"[^\"]*\"|'[^']*'|\S*).*")


def read_profiles_daemon(root: Root, into: Writes) -> None:
    """Gathers what power-profiles-daemon sets for the profile that it was left in.

    With intel_pstate and an energy preference the governor is powersave whatever the profile
    (ppd-driver-intel-pstate.c of 0.13 to 0.30). What other drivers are written is in doubt; it
    reads no_turbo, and never writes it.
    """
    if not starts(root, "power-profiles-daemon"):
        return
    if rival := next(started(root, _RIVALS), ""):
        own = [key for key, one in into.written.items() if one.by.startswith(("TLP", "TuneD"))]
        for key in (*own, GOVERNOR, PREFERENCE, BIAS, PLATFORM_PROFILE):
            why = f"{rival} or power-profiles-daemon, of which only one starts, may set the value"
            into.doubt(key, why)
        return
    state = list(lines(root, _STATE))
    profile, place = "balanced", Location(root.called(_DAEMON))
    for line, at in state:
        if line.startswith("Profile="):
            profile, place = line[8:].strip(), at
    by = f"power-profiles-daemon's profile {profile}"
    into.doubt(PLATFORM_PROFILE, f"{by} may set it")
    if (root.text(_DRIVER) or "").strip() != "intel_pstate" or not any(
        map(root.has, root.matching(PREFERENCE))
    ):
        for key in (GOVERNOR, PREFERENCE, BIAS):
            into.doubt(key, f"{by} may set it")
        return
    into.write(GOVERNOR, "powersave", place, by)
    wanted = _PREFERENCES.get(profile, _PREFERENCES["balanced"])
    kinds = supplies(root)
    if "battery_aware=false" in dict(state) or (kinds is not None and "Battery" not in kinds):
        wanted = wanted[:1]
    if len(wanted) > 1:
        into.vary(
            PREFERENCE, wanted, place, by, f"{by} sets the value according to the power supply"
        )
    else:
        into.write(PREFERENCE, wanted[0], place, by)


def read_others(root: Root, into: Writes) -> None:
    """Doubts what the services of other programs for power may set."""
    for unit in started(root, _OTHERS):
        for key in _OTHERS[unit]:
            into.doubt(key, f"{unit} may set it")


def read_cpupower(root: Root, into: Writes) -> None:
    """Gathers what cpupower's service sets: by the names of Arch's file and of Linux 7.2's
    (tools/power/cpupower/cpupower.sh), and the governor in the options of Fedora's."""
    if not starts(root, "cpupower"):
        return
    for path in ("/etc/cpupower-service.conf", "/etc/default/cpupower", "/etc/sysconfig/cpupower"):
        found = variables(root, (path,), _SETTING).items()
        told = {name.lower(): (text.strip(), at) for name, (text, at) in found if text.strip()}
        for name, (text, place) in told.items():
            options = re.search(r"(?:^|\s)(?:-g|--governor)[ =]?(\S+)", text)
            # A frequency is set in place of a governor.
            if name in _CPUPOWER and not (name == "governor" and "freq" in told):
                into.write(_CPUPOWER[name], text, place, "cpupower")
            elif name == "cpupower_start_opts" and options:
                into.write(GOVERNOR, options[1], place, "cpupower")
