"""The files that programs which look after power write into, and the power supplies they go by."""

from __future__ import annotations

import re

from advisor.inputs.host.root import Root

CPUS = "/sys/devices/system/cpu/"
GOVERNOR = f"{CPUS}cpufreq/policy*/scaling_governor"
PREFERENCE = f"{CPUS}cpufreq/policy*/energy_performance_preference"
BIAS = f"{CPUS}cpu*/power/energy_perf_bias"
PSTATE = f"{CPUS}intel_pstate/"
NO_TURBO, MIN_PERF, MAX_PERF = f"{PSTATE}no_turbo", f"{PSTATE}min_perf_pct", f"{PSTATE}max_perf_pct"
PLATFORM_PROFILE = "/sys/firmware/acpi/platform_profile"
SCHEDULER = "/sys/block/*/queue/scheduler"
SOUND = "/sys/module/snd_hda_intel/parameters/power_save"
SOUND_CONTROLLER = f"{SOUND}_controller"
LINK = "/sys/class/scsi_host/host*/link_power_management_policy"
DEVICES = ("/sys/bus/pci/devices/*/power/control", "/sys/bus/usb/devices/*/power/control", LINK)
"""Which of their files are written hangs on lists of devices."""
WRITEBACK = ("vm.dirty_expire_centisecs", "vm.dirty_writeback_centisecs")
"""When what is to be written goes to a disk."""
_SUPPLIES = "/sys/class/power_supply"


def supplies(root: Root) -> frozenset[str] | None:
    """Lists the kinds of the power supplies (Mains, Battery, USB), without those of mice and the
    like; None where no kernel shows them."""
    if not root.has(_SUPPLIES):
        return None
    found = set()
    for name in root.names(_SUPPLIES):
        kind, scope = (
            (root.text(f"{_SUPPLIES}/{name}/{file}") or "").strip() for file in ("type", "scope")
        )
        # What TLP 1.5 to 1.9 pass over by its name (RE_PS_IGNORE of tlp-func-base).
        if scope != "Device" and not re.search("sbs-charger|hidpp_battery|hid-", name):
            found.add(kind)
    return frozenset(found)
