"""Sizes, as the kernel's memparse() (lib/cmdline.c, 6.12) reads them."""

from __future__ import annotations

import re

from advisor.model.numbers import whole_number

UNITS = tuple(1 << shift for shift in (10, 20, 30, 40))
"""KiB, MiB, GiB and TiB, in bytes."""
_K, _M, _G, _T = UNITS
SIZE = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([kKmMgGtTpPeE]?)")
"""A number and its unit."""
_SHIFTS = {unit: 10 * number for number, unit in enumerate("kmgtpe", 1)}
_LONGEST = 24


def memparse(text: str) -> tuple[int, str]:
    """A number with its unit, as the kernel's memparse() reads it, and what stands behind it.

    Without a digit nothing is read: (0, text). Beyond 64 bits the kernel's number is no use either.
    """
    match = SIZE.match(text[: _LONGEST + 1])
    if match is None:
        return 0, text
    digits, unit = match.groups()
    base = 16 if digits[:2] in ("0x", "0X") else 10
    if base == 10 and digits[0] == "0" and len(digits) > 1:
        # strtoull() takes it for base 8, up to the first digit that is none of it.
        digits = re.match("[0-7]*", digits)[0]  # type: ignore[index]
        base = 8
        if len(digits) < len(match[1]):
            return whole_number(digits, base) or 0, text[len(digits) :]
    number = whole_number(digits.lower().removeprefix("0x"), base) or 0
    return number << _SHIFTS.get(unit.lower(), 0), text[match.end() :]


def shown(size: int) -> str:
    """`64 TiB`, `1.5 GiB`, `4 bytes`."""
    for unit, name in ((_T, "TiB"), (_G, "GiB"), (_M, "MiB"), (_K, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"
