"""What feeds a machine, as programs that look after its power see it."""

from __future__ import annotations

import re

from advisor.inputs.host.root import Root

_FOLDER = "/sys/class/power_supply"


def supplies(root: Root) -> frozenset[str] | None:
    """The kinds of its power supplies (Mains, Battery, USB), without those of mice and the like;
    None where no kernel shows them."""
    if not root.has(_FOLDER):
        return None
    found = set()
    for name in root.names(_FOLDER):
        kind, scope = (
            (root.text(f"{_FOLDER}/{name}/{file}") or "").strip() for file in ("type", "scope")
        )
        # What TLP 1.5 to 1.9 pass over by its name (RE_PS_IGNORE of tlp-func-base).
        if scope != "Device" and not re.search("sbs-charger|hidpp_battery|hid-", name):
            found.add(kind)
    return frozenset(found)
