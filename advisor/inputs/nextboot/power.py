"""What looks after power, or the clock alone: power-profiles-daemon and cpupower."""

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

Settings = dict[str, tuple[str, Location]]


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
