"""The files that programs which look after power write into: several of them the same ones."""

from __future__ import annotations

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
