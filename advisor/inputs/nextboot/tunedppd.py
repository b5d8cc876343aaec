"""Which of TuneD's profiles tuned-ppd chooses as it starts, in place of power-profiles-daemon.

As tuned/ppd/controller.py and config.py of TuneD 2.25 and later do: the profile of power-profiles
that was left on stands in a file, and ppd.conf says which of TuneD's that is, on battery another.
"""

from __future__ import annotations

from configparser import ConfigParser, Error

from advisor.inputs.host.root import Root
from advisor.inputs.host.units import starts
from advisor.inputs.nextboot.supplies import supplies

_LARGEST = 1 << 16


def switched_to(root: Root) -> tuple[str, ...] | None:
    """The profiles of TuneD one of which tuned-ppd switches to; none where it finds out which by
    what TuneD recommends; None where nobody starts it, or it cannot."""
    if not starts(root, "tuned-ppd"):
        return None
    parser = ConfigParser(strict=False)
    try:
        parser.read_string(root.text("/etc/tuned/ppd.conf", _LARGEST) or "")
        detects = parser.getboolean("main", "battery_detection", fallback="battery" in parser)
    except (Error, AttributeError, ValueError):
        return None
    profiles = {part: dict(parser.items(part, raw=True)) if part in parser else {}
                for part in ("profiles", "battery")}  # fmt: skip
    if not profiles["profiles"]:
        return None
    left = (root.text("/etc/tuned/ppd_base_profile") or "").strip()
    if left not in profiles["profiles"]:
        return ()
    found = [profiles["profiles"][left]]
    kinds = supplies(root)
    if detects and (kinds is None or "Battery" in kinds):
        found.append(profiles["battery"].get(left, found[0]))
    return tuple(dict.fromkeys(found))
