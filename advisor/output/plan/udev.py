"""Settings as rules of udev, for what appears later: disks, network devices, devices of a bus.

A rule asks for the attribute first, as not every device has it. In a value $ and % begin a
substitution, and a backslash stands before a quote, nowhere else (udev(7), and
udev_rule_parse_value() of src/udev/udev-rules.c of systemd 252).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.plan import File, Kept
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan.runtime import rendered

APPLY = "udevadm control --reload && udevadm trigger --action=add"
_REMARKS = (f"udev applies these rules to devices as they appear; `{APPLY}` applies them now.",)
_SUBSYSTEMS = {
    "block": "block", "class/net": "net", "class/scsi_host": "scsi_host",
    "bus/pci/devices": "pci", "bus/usb/devices": "usb",
}  # fmt: skip
DISKS = {
    "nvme": ("nvme*", ""),
    "virtual": ("vd*|xvd*", ""),
    "card": ("mmcblk*", ""),
    "combined": ("dm-*|md*", ""),
    "rotating": ("sd*|hd*", "1"),
    "solid-state": ("sd*|hd*", "0"),
    "scsi": ("sd*|hd*", ""),
}
"""How the disks of a kind (model/disks.py) are found: by their names, and by whether they turn."""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the rules for each report."""
    return rendered(reports, File.UDEV, "Rules of udev", _REMARKS, lines)


def lines(one: Kept) -> Iterator[str]:
    """Yield what the file has for a setting."""
    below = one.setting.key.removeprefix("/sys/")
    folder = next(name for name in _SUBSYSTEMS if below.startswith(f"{name}/"))
    device, _, attribute = below.removeprefix(f"{folder}/").partition("/")
    value = one.setting.value.replace("$", "$$").replace("%", "%%")
    value = value.replace('"', r"\"")
    names = [(device, "")] if device not in ("*", "DEVICE") else [("", "")]
    for name, turns in [DISKS[kind] for kind in one.disks] or names:
        # What is made of other disks has its queues once it is set up, which is a change.
        action = "add|change" if name.startswith("dm-") else "add"
        yield ", ".join((
            f'ACTION=="{action}"',
            f'SUBSYSTEM=="{_SUBSYSTEMS[folder]}"',
            *([f'KERNEL=="{name}"'] if name else []),
            *([f'ATTR{{queue/rotational}}=="{turns}"'] if turns else []),
            f'ATTR{{{attribute}}}=="?*"',
            f'ATTR{{{attribute}}}="{value}"',
        ))  # fmt: skip
