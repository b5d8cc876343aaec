"""Holds the devices that are read from a tree's sources against those that real modules claim.

    python tools/devices.py TREE CONFIG MODULES

MODULES is a folder of modules (`*.ko`, `*.ko.xz`) that were built from CONFIG and sources of about
the same version as TREE: what they claim is read from them. Prints the sums, and of the modules
that differ most how.
"""

from __future__ import annotations

import lzma
import re
import sys
from collections import defaultdict
from pathlib import Path

from advisor.inputs.config import read_config
from advisor.tree.drivers import devices
from advisor.tree.files import find_arch, find_tree

_ALIAS = re.compile(rb"\0alias=((?:pci|usb|acpi\*|of):[^\0]*)")
_PCI = re.compile(r"pci:v(\w+|\*)d(\w+|\*)sv(\w+|\*)sd(\w+|\*)bc(\w+|\*)sc(\w+|\*)i(\w+|\*)")
_USB = re.compile(r"usb:v(\w{4})p(\w{4}|\*)")
_USB_CLASS = re.compile(r"usb:v\*.*dc(.+)dsc(.+)dp(.+)ic(.+)isc(.+)ip(..?)in")
_NAME = re.compile(r"(acpi)\*:([^:]+):\*|(of):N.*T.*?C(.+)")
_MOST = 20


def main() -> int:
    """The comparison; always 0."""
    tree, config, folder = sys.argv[1:]
    devices.MOST_BYTES = devices.MOST_SOURCES = 1 << 40  # of the whole tree
    file = read_config(config)
    files = find_tree(tree)
    drivers = devices.Devices(files, find_arch(files, file.arch or "x86"))
    ours: dict[str, set[str]] = defaultdict(set)
    unread: dict[str, int] = {}
    for symbol in file.symbols():
        if file.get(symbol) in ("y", "m"):
            for one in drivers.drivers(symbol, symbol):
                ours[one.module] |= {f"{each.bus} {i}" for each in one.devices for i in each.ids}
                unread[one.module] = max(one.unread, unread.get(one.module, 0))
    real = {module_of(path): set(claimed(path)) for path in Path(folder).rglob("*.ko*")}
    hit = sum(len(real[name] & ours[name]) for name in real)
    extra = sum(len(ours[name] - real[name]) for name in real)
    print(f"modules: {len(real)}, of which makefiles name {len(real.keys() & unread.keys())}")
    print(f"devices: {sum(map(len, real.values()))}, of which tables name {hit}; more: {extra}")
    print(f"lines not read: {sum(unread.get(name, 0) for name in real)}")
    for name in sorted(real, key=lambda name: -len(real[name] ^ ours[name]))[:_MOST]:
        missed, more = real[name] - ours[name], ours[name] - real[name]
        lines = unread.get(name, 0)
        print(f"{name}: {len(real[name])}, missed {len(missed)}, more {len(more)}, unread {lines}")
    return 0


def module_of(path: Path) -> str:
    """The module's name, dashes as underscores."""
    return path.name.partition(".ko")[0].replace("-", "_")


def claimed(path: Path) -> set[str]:
    """The devices that a module claims, spelled as tables.py does."""
    data = path.read_bytes()
    if path.suffix == ".xz":
        data = lzma.decompress(data)
    return {name for text in _ALIAS.findall(data) if (name := spelled(text.decode()))}


def spelled(alias: str) -> str:
    """An alias as tables.py spells it; empty for one that only repeats another."""
    if match := _PCI.match(alias):
        parts = [part if part == "*" else f"{int(part, 16):04x}" for part in match.groups()[:4]]
        digits = ["xx" if part == "*" else part.lower() for part in match.groups()[4:]]
        if parts[:2] == ["*", "*"]:
            return f"pci class {''.join(digits)}"
        board = "" if parts[2:] == ["*", "*"] else f" on {':'.join(parts[2:])}"
        return f"pci {':'.join(parts[:2])}{board}"
    if match := _USB.match(alias):
        return f"usb {match[1].lower()}:{match[2].lower()}"
    if match := _USB_CLASS.match(alias):
        parts = ["xx" if part == "*" else part.lower() for part in match.groups()]
        whole = parts[0] != "xx"
        return (
            f"usb {'class' if whole else 'interface'} {':'.join(parts[:3] if whole else parts[3:])}"
        )
    match = _NAME.match(alias)
    name = match and (match[2] or match[4].removesuffix("C*").rstrip("*"))
    return f"{match[1] or match[3]} {name}" if match and name else ""


if __name__ == "__main__":
    sys.exit(main())
