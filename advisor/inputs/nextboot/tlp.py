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
from advisor.inputs.nextboot.files import variables
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
    supplies,
)
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import Location
from advisor.model.numbers import whole_number

_DEFAULTS, _DROP_INS, _MAIN = "/usr/share/tlp/defaults.conf", "/etc/tlp.d", "/etc/tlp.conf"
# Behind a value blanks are a part of it, but for those behind a quote.
_LINE = re.compile(r'([A-Z_]+[0-9]*)(\+?)="?([][0-9a-zA-Z _.:-]*)(?:(?:"|[^\S ])\s*)?')
# Of rename.conf, as far as they matter here.
_RENAMED = {
    "CPU_HWP_ON_AC": "CPU_ENERGY_PERF_POLICY_ON_AC",
    "CPU_HWP_ON_BAT": "CPU_ENERGY_PERF_POLICY_ON_BAT",
    "TLP_DEFAULT_MODE": "TLP_PROFILE_DEFAULT",
}
# What a preference was called when it was a bias.
_EARLIER = {"balance-performance": "balance_performance", "normal": "default",
            "balance-power": "balance_power", "powersave": "power"}  # fmt: skip
# How its modes end the names of settings: on mains, on battery, to save power.
_ENDINGS = {"AC": "AC", "PRF": "AC", "BAT": "BAT", "BAL": "BAT", "SAV": "SAV"}

_Value = tuple[str, Location]


def read_tlp(root: Root, into: Writes) -> None:
    """Gathers what TLP sets when it starts."""
    if not starts(root, "tlp"):
        return
    names = [name for name in root.names(_DROP_INS) if name.endswith(".conf") and name[0] != "."]
    paths = (_DEFAULTS, *(f"{_DROP_INS}/{name}" for name in names), _MAIN)
    settings = variables(root, paths, _LINE, _RENAMED)
    if settings.get("TLP_ENABLE", ("1",))[0] != "1":
        return
    modes = _modes(root, settings)
    if not root.has(_DEFAULTS):
        # Its own values count where none of the administrator's do.
        for key in (*(key for _, keys, _ in _VALUES for key in keys if key != NO_TURBO), SOUND):
            into.doubt(key, "TLP may set it")
    for key in DEVICES:  # by lists of those that are left out
        into.doubt(key, "TLP may set it")
    for name, keys, spelled in _VALUES:
        values = _spelled(_of(settings, name, modes), spelled)
        for key in keys:
            _write(into, key, values)
    preferences = any(_of(settings, "CPU_ENERGY_PERF_POLICY_ON_*", modes))
    if preferences and not any(map(root.has, root.matching(PREFERENCE))):
        into.doubt(BIAS, "TLP may set it")  # older processors have that alone
    _write_sound(into, settings, modes)
    _write_schedulers(root, into, settings)


def _modes(root: Root, settings: dict[str, _Value]) -> tuple[str, ...]:
    """Finds the endings of settings that may apply at a boot: one, where the mode is sure."""

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


def _spelled(
    values: Iterable[_Value | None], spelled: Callable[[str], str | None]
) -> list[_Value | None]:
    """Spells the values as they are written; None where nothing is."""
    found: list[_Value | None] = []
    for one in values:
        new = spelled(one[0]) if one else None
        found.append((new, one[1]) if one and new else None)
    return found


def _seconds(text: str) -> str | None:
    """Leaves a number as it stands; TLP passes over anything else."""
    return text if re.fullmatch("[0-9]{1,9}", text) else None


def _centiseconds(text: str) -> str | None:
    """Multiplies a number of seconds by 100; zero stands for nothing to be set."""
    number = whole_number(text, longest=9)
    return str(number * 100) if number else None


# Where values are written, and how they are spelled (func.d of TLP 1.5); with * one for each mode.
_VALUES: tuple[tuple[str, tuple[str, ...], Callable[[str], str | None]], ...] = (
    ("CPU_SCALING_GOVERNOR_ON_*", (GOVERNOR,), str),
    ("CPU_MIN_PERF_ON_*", (MIN_PERF,), str),
    ("CPU_MAX_PERF_ON_*", (MAX_PERF,), str),
    ("CPU_HWP_DYN_BOOST_ON_*", (f"{PSTATE}hwp_dynamic_boost",), str),
    ("PLATFORM_PROFILE_ON_*", (PLATFORM_PROFILE,), str),
    ("MEM_SLEEP_ON_*", ("/sys/power/mem_sleep",), str),
    ("NMI_WATCHDOG", ("kernel.nmi_watchdog",), str),
    ("PCIE_ASPM_ON_*", ("/sys/module/pcie_aspm/parameters/policy",), str),
    ("CPU_BOOST_ON_*", (NO_TURBO,), {"1": "0", "0": "1"}.get),
    ("CPU_ENERGY_PERF_POLICY_ON_*", (PREFERENCE,), lambda text: _EARLIER.get(text, text)),
    ("DISK_IDLE_SECS_ON_*", ("vm.laptop_mode",), _seconds),
    ("MAX_LOST_WORK_SECS_ON_*", WRITEBACK, _centiseconds),
)


def _write(into: Writes, key: str, values: list[_Value | None]) -> None:
    """Writes what is the same in every mode; all else is in doubt."""
    told = [one for one in values if one]
    if not told:
        return
    text, place = told[0]
    if len({one and one[0] for one in values}) > 1:
        why = f"TLP sets it according to the power supply ({place})"
        if len(told) < len(values):
            into.doubt(key, why)
        else:
            into.vary(key, (one[0] for one in told), place, "TLP", why)
    elif " " in text:
        into.doubt(
            key, f"TLP has several values, and sets the first one that the kernel accepts ({place})"
        )
    else:
        into.write(key, text, place, "TLP")


def _write_sound(into: Writes, settings: dict[str, _Value], modes: tuple[str, ...]) -> None:
    """Writes the power saving of sound; without it that of its controller is off."""
    before, controller = (settings.get(f"SOUND_POWER_SAVE{end}") for end in ("", "_CONTROLLER"))
    if before and not before[0].strip():
        before = None
    values = [one or before for one in _of(settings, "SOUND_POWER_SAVE_ON_*", modes)]
    _write(into, SOUND, values)
    way = controller[0] if controller else ""
    way_of = _spelled(values, lambda text: "N" if text == "0" else way)
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
            into.doubt(SCHEDULER, f"TLP may set it for the disk {disk} ({place})")
