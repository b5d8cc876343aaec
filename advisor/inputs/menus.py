"""Kconfig's menus, as the comments of a .config show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

_END = "# end of "


def menus(text: str) -> dict[str, str]:
    """Finds the menu of every symbol that a .config names: `Device Drivers > Sound card
    support`.

    conf_write() (scripts/kconfig/confdata.c) writes a menu's title between two lines of `#`, and
    since 5.2 `# end of TITLE` behind it; before, the last title stands for all that follows. A
    title that never ends is a comment inside its menu.
    """
    lines = text.split("\n")
    ended = _ended(lines)
    menu_of: dict[str, str] = {}
    path: list[str] = []
    for number, (title, end, symbol) in _parts(lines):
        if symbol and (path or symbol not in menu_of):  # a fragment's line behind all is of no menu
            menu_of[symbol] = " > ".join(path)
        elif end and end in path:
            del path[_last(path, end) :]
        elif title and not ended:
            path = [title]
        elif number in ended:
            path.append(title)
    return menu_of


def menus_beside(text: str, known: Mapping[str, str]) -> dict[str, str]:
    """The menus of an old .config's symbols that `known`, a newer kernel's menus, has not.

    Titles that never end tell too little there; the common part of the menus of the symbols before
    and behind holds for what stands between.
    """
    lines = text.split("\n")
    if _ended(lines):
        return menus(text)
    symbols = [symbol for _, (_, _, symbol) in _parts(lines) if symbol]
    behind, last = {}, ""
    for symbol in reversed(symbols):
        behind[symbol] = last = known.get(symbol, last)
    menu_of, last = {}, ""
    for symbol in symbols:
        last = known.get(symbol, last)
        pairs = zip(last.split(" > "), behind[symbol].split(" > "), strict=False)
        common = takewhile(lambda pair: pair[0] == pair[1], pairs)
        menu_of[symbol] = " > ".join(title for title, _ in common)
    return menu_of


def _ended(lines: list[str]) -> set[int]:
    """The lines of the titles that end: a comment may have the title of the menu it stands in."""
    ended: set[int] = set()
    titles: list[str] = []
    places: list[int] = []
    for number, (title, end, _) in _parts(lines):
        if title:
            titles.append(title)
            places.append(number)
        elif end in titles:
            at = _last(titles, end)
            ended.add(places[at])
            del titles[at:], places[at:]
    return ended


def _last(path: list[str], title: str) -> int:
    return len(path) - 1 - path[::-1].index(title)


def _parts(lines: list[str]) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Each title, end of a menu, and symbol, with its line."""
    for number, line in enumerate(lines):
        if line.startswith("CONFIG_"):
            yield number, ("", "", line[7:].partition("=")[0])
        elif line.startswith("# CONFIG_") and line.endswith(" is not set"):
            yield number, ("", "", line[9:-11])
        elif line.startswith(_END):
            yield number, ("", line[len(_END) :], "")
        elif line.startswith("# ") and lines[number - 1 : number + 2 : 2] == ["#", "#"]:
            yield number, (line[2:], "", "")
