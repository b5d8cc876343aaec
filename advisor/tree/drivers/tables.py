"""The tables in which C sources name the devices that they drive, by bus.

A table counts if its driver is given it, or its module's aliases are made of it
(`MODULE_DEVICE_TABLE`): others tell devices apart that something is wrong with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from advisor.tree.drivers.cmacros import Macros, TooLongError, defined, written_out

MOST_IDS = 20_000
"""Of so many entries one source is read; usb/serial/option.c of 7.2 has 900."""
# The first members of each structure of include/linux/mod_devicetable.h (4.19 to 7.2), in order.
_FIELDS = {
    "pci": ("vendor", "device", "subvendor", "subdevice", "class", "class_mask"),
    "usb": (
        "match_flags", "idVendor", "idProduct", "bcdDevice_lo", "bcdDevice_hi", "bDeviceClass",
        "bDeviceSubClass", "bDeviceProtocol", "bInterfaceClass", "bInterfaceSubClass",
        "bInterfaceProtocol", "bInterfaceNumber",
    ),
    "acpi": ("id", "driver_data", "cls", "cls_msk"),
    "of": ("name", "type", "compatible"),
}  # fmt: skip
BUSES = tuple(_FIELDS)
_ANY = 0xFFFFFFFF
_LONGEST = 2000  # characters of an expression; aic7xxx shifts what it masks
_TABLE = re.compile(
    r"\b(?:(?P<bus>pci|usb|acpi|of)_device_id\s+(?:__\w+\s+|const\s+)*(?P<name>\w+)\s*\[[^\]]*\][^=;{}]*=\s*"
    r"|DEFINE_PCI_DEVICE_TABLE\s*\(\s*(?P<old>\w+)\s*\)\s*=\s*)\{"
)
_GIVEN = re.compile(
    r"\bMODULE_DEVICE_TABLE\s*\(\s*\w+\s*,\s*(\w+)\s*\)"
    r"|\.\s*(?:id_table|of_match_table|acpi_match_table|ids)\s*=\s*(?:\w+\s*\(\s*)?&?(\w+)"
)
_PROMISED = re.compile(r"\bMODULE_DEVICE_TABLE\s*\(\s*(?:pci|usb|acpi|of)\s*,\s*(\w+)\s*\)")
# Drivers that start before there is a bus.
_EARLY = re.compile(
    r"\b(?:CLK_OF_DECLARE|CLK_OF_DECLARE_DRIVER|TIMER_OF_DECLARE|IRQCHIP_DECLARE)"
    r"\s*\(\s*\w+\s*,\s*\"([^\"\n]+)\"|\bIRQCHIP_MATCH\s*\(\s*\"([^\"\n]+)\""
)
_EDGE = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|[{}(),]")
_MEMBER = re.compile(r"^\.\s*(\w+)\s*=(?!=)\s*(.*)$", re.DOTALL)
_INDEX = re.compile(r"^\[[^\]]*\]\s*=\s*")
_STRING = re.compile(r"\"((?:\\.|[^\"\\\n])*)\"")
_CAST = re.compile(r"\(\s*(?:unsigned\s+)?(?:__)?(?:u|s|le|be)?(?:8|16|32|int|long)\s*\)")
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
_OPERATORS = {
    ast.BitOr: int.__or__, ast.BitAnd: int.__and__, ast.Add: int.__add__, ast.Sub: int.__sub__,
    ast.LShift: lambda a, b: a << min(b, 32), ast.RShift: int.__rshift__,
}  # fmt: skip


class Table(NamedTuple):
    """One table: the bus, the variable, and what it names; `unread` entries could not be read."""

    bus: str
    name: str
    ids: tuple[str, ...]
    unread: int = 0


def given(text: str) -> set[str]:
    """The names of the tables that a cleaned source hands to a driver or to its module."""
    return {first or second for first, second in _GIVEN.findall(text)}


def promised(text: str) -> set[str]:
    """The names of the tables of these buses that a cleaned source hands to its module."""
    return set(_PROMISED.findall(text))


def tables(text: str, macros: Macros) -> Iterator[Table]:
    """The tables of a cleaned source, and what starts too early for one (without a name).

    `macros` are those of the files that it includes.
    """
    for match in _TABLE.finditer(text):
        bus, name = match["bus"] or "pci", match["name"] or match["old"]
        try:
            body = _braced(text, match.end() - 1)
            # A macro may be defined anew for each table.
            own = {**macros, **defined(text, match.end() + len(body))}
            body = written_out(body, own)
        except TooLongError:
            yield Table(bus, name, (), 1)
            continue
        ids: dict[str, None] = {}
        unread = 0
        for number, entry in enumerate(_entries(body)):
            if number == MOST_IDS:
                break
            spelled = _spelled(bus, entry)
            if spelled is None:
                unread += 1
            elif spelled:
                ids[spelled] = None
        yield Table(bus, name, tuple(ids), unread)
    if early := tuple(dict.fromkeys(one or other for one, other in _EARLY.findall(text))):
        yield Table("of", "", early)


def _braced(text: str, start: int) -> str:
    """What stands between the brace that opens there and the one that closes it."""
    depth = 0
    for match in _EDGE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return text[start + 1 : match.start()]
    return ""


def _entries(body: str) -> Iterator[list[str]]:
    """The members of each entry, which stands in braces of its own, or is written without."""
    for part in (_INDEX.sub("", one) for one in _parts(body)):
        start = part.find("{")
        if start == 0:
            yield _parts(_braced(part, start))
        elif part and not part.startswith("#"):
            yield [part]


def _parts(text: str) -> list[str]:
    """What stands between the commas of a list, but not between those of its parts."""
    found, depth, start = [], 0, 0
    for match in _EDGE.finditer(text):
        edge = match[0]
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(edge, 0)
        if edge == "," and depth == 0:
            found.append(text[start : match.start()].strip())
            start = match.end()
    found.append(text[start:].strip())
    # A condition stands on a line of its own, before an entry.
    return [re.sub(r"^\s*#[^\n]*(?:\n|$)", "", part, flags=re.MULTILINE).strip() for part in found]


def _spelled(bus: str, parts: list[str]) -> str | None:
    """An entry as lspci, lsusb and firmware spell it; empty for the last one of a table, which
    names nothing, and None for one that was not understood."""
    fields, members, place = _FIELDS[bus], {}, 0
    for part in parts:
        if match := _MEMBER.match(part):
            name, value = match.groups()
            place = fields.index(name) + 1 if name in fields else len(fields)
            members[name] = value
        elif part and place < len(fields):
            members[fields[place]] = part
            place += 1
    if bus in ("acpi", "of"):
        value = members.get("id" if bus == "acpi" else "compatible", "")
        texts = _STRING.findall(value)
        if texts:
            return "".join(texts)
        # By class, or by another member alone; the last entry is 0, or empty.
        return "" if value.strip() in ("", "0", "NULL", "{}") else None
    numbers = {name: number(members[name]) for name in fields if name in members}
    if not any(numbers.values()):
        return None if None in numbers.values() else ""
    return _pci(numbers) if bus == "pci" else _usb(numbers)


def _pci(numbers: Mapping[str, int | None]) -> str | None:
    vendor, device, *board = (
        numbers.get(name, 0) for name in ("vendor", "device", "subvendor", "subdevice")
    )
    if vendor is None or device is None or None in board:
        return None
    if vendor == device == _ANY:
        return _class(numbers.get("class"), numbers.get("class_mask"))
    boards = [one for one in board if one is not None]
    on = "" if boards == [_ANY, _ANY] else f" on {_pair(*boards)}"
    return f"{_pair(vendor, device)}{on}"


def _pair(vendor: int, device: int) -> str:
    return ":".join("*" if one == _ANY else f"{one:04x}" for one in (vendor, device))


def _class(value: int | None, mask: int | None) -> str | None:
    """`class 0106xx`: the digits that the mask has."""
    if not value or mask is None:
        return None
    digits = zip(f"{value:06x}", f"{mask:06x}", strict=False)
    return "class " + "".join(digit if bit != "0" else "x" for digit, bit in digits)


def _usb(numbers: Mapping[str, int | None]) -> str | None:
    vendor, product = numbers.get("idVendor", 0), numbers.get("idProduct", 0)
    if vendor is None or product is None:
        return None
    if vendor:
        return f"{vendor:04x}:{f'{product:04x}' if 'idProduct' in numbers else '*'}"
    for kind, label in (("bInterface", "interface"), ("bDevice", "class")):
        its = [numbers.get(f"{kind}{part}") for part in ("Class", "SubClass", "Protocol")]
        if its[0]:
            return f"{label} " + ":".join("xx" if one is None else f"{one:02x}" for one in its)
    return None


def number(text: str) -> int | None:
    """What an expression of numbers comes to, within 32 bits; None where it names anything else."""
    plain = _SUFFIX.sub(r"\1", _CAST.sub(" ", text)).strip()
    if len(plain) > _LONGEST or not re.fullmatch(r"[\s\da-fA-FxX()|&+<>~-]+", plain):
        return None
    try:
        # What begins with 0 is octal, in C without a letter.
        tree = ast.parse(re.sub(r"\b0+(?=\d)", "0o", plain), mode="eval")
        return _value(tree.body) & _ANY
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.USub):
        value = _value(node.operand)
        return ~value if isinstance(node.op, ast.Invert) else -value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return int(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    raise ValueError
