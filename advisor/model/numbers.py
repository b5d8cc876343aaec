"""Numbers in texts of others: ASCII digits, and no more than a kernel's numbers have.

No other module makes a number of a text; a test forbids it.
"""

from __future__ import annotations

LONGEST = 24
"""Digits of a number. Those of 64 bits have 22 at most, in base 8."""
_PREFIX = ("x", "X", "o", "O")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def whole_number(text: str | None, base: int = 10, longest: int = LONGEST) -> int | None:
    """Return the number that the digits of that base spell; None for any other text.

    None as well for more digits than `longest`, and for a sign, a blank or a prefix. int() alone
    takes these, takes the digits of all scripts, and raises ValueError for very many digits.
    """
    if not text or len(text) > longest or not (text.isascii() and text.isalnum()):
        return None
    if text[1:2] in _PREFIX:
        return None
    try:
        return int(text, base)
    except ValueError:
        return None


def kernel_number(text: str) -> int | None:
    """Return the number as kstrtoll() of base 0 reads it (lib/kstrtox.c, 6.12), of any size within
    LONGEST; None for any other text: with a sign, in base 16 behind 0x, in base 8 behind 0."""
    digits = text.removeprefix("-")
    if digits[:2] in ("0x", "0X"):
        number = whole_number(digits[2:], 16)
    else:
        number = whole_number(digits, 8 if digits[:1] == "0" else 10)
    return number if number is None or digits is text else -number


def version_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a version as the schemas of the rules take it: (6, 12) of `6.12`."""
    return tuple(count_of(part) or 0 for part in text.split("."))


def release_numbers(version: str) -> tuple[int, int, int]:
    """Read `6.12` as (6, 12, 0)."""
    major, minor, patch, *_ = (*version_numbers(version), 0, 0)
    return major, minor, patch


def count_of(text: str | None) -> int | None:
    """Return a count as a configuration or file of the kernel has it; None for what is none.

    What has more than nine digits counts nothing that there is.
    """
    return whole_number(text, longest=9)


def size(text: str) -> int:
    """Bytes (or a plain count) of `32G`, `512M`, `16`. Raises ValueError."""
    unit = _UNITS.get(text[-1:].upper())
    number = kernel_number(text[:-1] if unit else text)
    if number is None:
        raise ValueError(f"no size: {text[:60]!r}")
    return number * (unit or 1)


def within(value: str, span: str) -> bool:
    """Whether a value is a number in `low..high`, of which either end may be left out."""
    low, dots, high = span.partition("..")
    if not dots:
        return False
    try:
        number = size(value)
        return (not low or number >= size(low)) and (not high or number <= size(high))
    except ValueError:
        return False
