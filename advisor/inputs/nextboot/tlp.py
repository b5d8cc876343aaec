"""What TLP sets as it starts, by its configuration and the machine's power supplies.

Read as TLP 1.5 to 1.9 do: a line that is not of its form does not count (tlp-readconfs), and which
of a setting's values applies hangs on the supply that is found, unless a mode is fixed
(get_power_mode of tlp-func-base; since 1.9 get_next_power_profile).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from advisor.inputs.host.root import Root
from advisor.inputs.host.units import starts
from advisor.inputs.nextboot.powerfiles import (
    BIAS,
    DEVICES,
    GOVERNOR,
    MAX_PERF,
    MIN_PERF,
    NO_TURBO,
    PLATFORM_PROFILE,
    PREFERENCE,
    PSTATE,
    SCHEDULER,
    SOUND,
    SOUND_CONTROLLER,
    WRITEBACK,
)
from advisor.inputs.nextboot.supplies import supplies
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location

_DEFAULTS, _DROP_INS, _MAIN = "/usr/share/tlp/defaults.conf", "/etc/tlp.d", "/etc/tlp.conf"
_LARGEST = 1 << 18
_LINE = re.compile(r'([A-Z_]+[0-9]*)(\+?)="?([][0-9a-zA-Z _.:-]*)"?\s*')
# Of rename.conf, as far as they matter here.
_RENAMED = {
    "CPU_HWP_ON_AC": "CPU_ENERGY_PERF_POLICY_ON_AC",
    "CPU_HWP_ON_BAT": "CPU_ENERGY_PERF_POLICY_ON_BAT",
    "TLP_DEFAULT_MODE": "TLP_PROFILE_DEFAULT",
}
# Where values are written as they stand (func.d of TLP 1.5); with * one for each mode.
_VALUES = {
    "CPU_SCALING_GOVERNOR_ON_*": GOVERNOR,
    "CPU_MIN_PERF_ON_*": MIN_PERF,
    "CPU_MAX_PERF_ON_*": MAX_PERF,
    "CPU_HWP_DYN_BOOST_ON_*": f"{PSTATE}hwp_dynamic_boost",
    "PLATFORM_PROFILE_ON_*": PLATFORM_PROFILE,
    "MEM_SLEEP_ON_*": "/sys/power/mem_sleep",
    "NMI_WATCHDOG": "kernel.nmi_watchdog",
    "PCIE_ASPM_ON_*": "/sys/module/pcie_aspm/parameters/policy",
}
# What a preference was called when it was a bias.
_EARLIER = {"balance-performance": "balance_performance", "normal": "default",
            "balance-power": "balance_power", "powersave": "power"}  # fmt: skip
_OPPOSITE = {"1": "0", "0": "1"}
# How its modes end the names of settings: on mains, on battery, to save power.
_ENDINGS = {"AC": "AC", "PRF": "AC", "BAT": "BAT", "BAL": "BAT", "SAV": "SAV"}

_Value = tuple[str, Location]


def read_tlp(root: Root, into: Writes) -> None:
    """Gathers what TLP sets when it starts."""
    if not starts(root, "tlp"):
        return
    settings = _settings(root)
    if settings.get("TLP_ENABLE", ("1",))[0] != "1":
        return
    modes = _modes(root, settings)
    if not root.has(_DEFAULTS):
        # Its own values count where none of the administrator's do.
        for key in (*_VALUES.values(), *WRITEBACK, PREFERENCE, SOUND, "vm.laptop_mode"):
            into.doubt(key, "TLP may set it")
    for key in DEVICES:  # by lists of those that are left out
        into.doubt(key, "TLP may set it")
    for name, key in _VALUES.items():
        _write(into, key, _of(settings, name, modes))
    _write_processors(root, into, settings, modes)
    _write_sound(into, settings, modes)
    _write(into, "vm.laptop_mode", _texts(_of(settings, "DISK_IDLE_SECS_ON_*", modes), _seconds))
    for key in WRITEBACK:
        _write(into, key, _texts(_of(settings, "MAX_LOST_WORK_SECS_ON_*", modes), _centiseconds))
    _write_schedulers(root, into, settings)


def _settings(root: Root) -> dict[str, _Value]:
    """The settings of all files, of which later ones count."""
    found: dict[str, _Value] = {}
    names = [name for name in root.names(_DROP_INS) if name.endswith(".conf") and name[0] != "."]
    for path in (_DEFAULTS, *(f"{_DROP_INS}/{name}" for name in names), _MAIN):
        for number, line in enumerate((root.text(path, _LARGEST) or "").split("\n"), 1):
            if told := _LINE.fullmatch(line):
                name = _RENAMED.get(told[1], told[1])
                before = f"{found[name][0]} " if told[2] and name in found else ""
                found[name] = before + told[3], Location(root.called(path), number)
    return found


def _modes(root: Root, settings: dict[str, _Value]) -> tuple[str, ...]:
    """The endings of settings that may apply at a boot: one, where the mode is sure."""

    def told(name: str, otherwise: str) -> str:
        return _ENDINGS.get(settings.get(name, ("",))[0].strip().upper(), otherwise)

    fixed = told("TLP_PROFILE_DEFAULT", "")
    switches = settings.get("TLP_AUTO_SWITCH", ("1",))[0] in ("1", "2")
    always = settings.get("TLP_PERSISTENT_DEFAULT", ("0",))[0] == "1"
    if fixed and (always or not switches):
        return (fixed,)
    mains, battery = told("TLP_PROFILE_AC", "AC"), told("TLP_PROFILE_BAT", "BAT")
    kinds = supplies(root)
    if kinds == frozenset():
        return (fixed or mains,)
    return (mains,) if kinds == frozenset(("Mains",)) else tuple(dict.fromkeys((mains, battery)))


def _of(settings: dict[str, _Value], name: str, modes: Iterable[str]) -> list[_Value | None]:
    """A setting's value in each of the modes; None where nothing is set there."""
    found: list[_Value | None] = []
    for mode in modes if "*" in name else ("",):
        value = settings.get(name.replace("*", mode))
        if mode == "SAV" and not (value and value[0].strip()):
            value = settings.get(name.replace("*", "BAT"))
        found.append((value[0].strip(), value[1]) if value and value[0].strip() else None)
    return found


def _texts(
    values: Iterable[_Value | None], text: Callable[[str], str | None]
) -> list[_Value | None]:
    """The values as they are written; None where nothing is."""
    found: list[_Value | None] = []
    for one in values:
        new = text(one[0]) if one else None
        found.append((new, one[1]) if one and new else None)
    return found


def _seconds(text: str) -> str | None:
    """A number as it stands; TLP passes over anything else."""
    return text if re.fullmatch("[0-9]{1,9}", text) else None


def _centiseconds(text: str) -> str | None:
    """A hundred times a number of seconds, of which none means that nothing is set."""
    return str(int(text) * 100) if _seconds(text) and int(text) else None


def _write(into: Writes, key: str, values: list[_Value | None]) -> None:
    """Writes what is the same in every mode; all else is in doubt."""
    told = [one for one in values if one]
    if not told:
        return
    text, place = told[0]
    if len({one and one[0] for one in values}) > 1:
        why = f"TLP sets it by the power supply ({place})"
        if len(told) < len(values):
            into.doubt(key, why)
        else:
            into.vary(key, (one[0] for one in told), place, "TLP", why)
    elif " " in text:
        into.doubt(key, f"TLP sets the first of several values that is taken ({place})")
    else:
        into.write(key, text, place, "TLP")


def _write_processors(
    root: Root, into: Writes, settings: dict[str, _Value], modes: tuple[str, ...]
) -> None:
    """Writes turbo and the energy preference, of which older processors have a bias alone."""
    boosts = _texts(_of(settings, "CPU_BOOST_ON_*", modes), _OPPOSITE.get)
    _write(into, NO_TURBO, boosts)
    preferences = _of(settings, "CPU_ENERGY_PERF_POLICY_ON_*", modes)
    _write(into, PREFERENCE, _texts(preferences, lambda text: _EARLIER.get(text, text)))
    if any(preferences) and not any(map(root.has, root.matching(PREFERENCE))):
        into.doubt(BIAS, "TLP may set it")


def _write_sound(into: Writes, settings: dict[str, _Value], modes: tuple[str, ...]) -> None:
    """Writes the power saving of sound; without it that of its controller is off."""
    before, controller = (settings.get(f"SOUND_POWER_SAVE{end}") for end in ("", "_CONTROLLER"))
    if before and not before[0].strip():
        before = None
    values = [one or before for one in _of(settings, "SOUND_POWER_SAVE_ON_*", modes)]
    _write(into, SOUND, values)
    way = controller[0] if controller else ""
    way_of = _texts(values, lambda text: "N" if text == "0" else way)
    _write(into, SOUND_CONTROLLER, way_of)


def _write_schedulers(root: Root, into: Writes, settings: dict[str, _Value]) -> None:
    """Writes the schedulers of the disks that it is told of, by their names or their ids."""
    disks, schedulers = (settings.get(f"DISK_{what}") for what in ("DEVICES", "IOSCHED"))
    if not disks or not schedulers:
        return
    place = schedulers[1]
    for disk, name in zip(disks[0].split(), schedulers[0].split(), strict=False):
        path = SCHEDULER.replace("*", disk)
        if name in ("_", "keep"):
            continue
        if root.has(path) or (not root.has("/sys/block") and disk.isalnum()):
            into.write(path, name, place, "TLP")
        elif not disk.isalnum():
            into.doubt(SCHEDULER, f"TLP may set it, of the disk {disk} ({place})")
