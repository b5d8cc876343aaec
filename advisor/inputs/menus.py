"""Kconfig's menus, as the comments of a .config show them."""

from __future__ import annotations

from collections.abc import Iterator

_END = "# end of "


def menus(text: str) -> dict[str, str]:
    """The menu of every symbol that a .config names: `Device Drivers > Sound card support`.

    conf_write() (scripts/kconfig/confdata.c) writes a menu's title between two lines of `#`, and
    since 5.2 `# end of TITLE` behind it; before, the last title stands for all that follows. A
    title that never ends is a comment inside its menu.
    """
    lines = text.split("\n")
    ended = _ended(lines)
    found: dict[str, str] = {}
    path: list[str] = []
    for number, (title, end, symbol) in _parts(lines):
        if symbol:
            found[symbol] = " > ".join(path)
        elif end and end in path:
            del path[_last(path, end) :]
        elif title and not ended:
            path = [title]
        elif number in ended:
            path.append(title)
    return found


def _ended(lines: list[str]) -> set[int]:
    """The lines of the titles that end: a comment may have the title of the menu it stands in."""
    found: set[int] = set()
    titles: list[str] = []
    places: list[int] = []
    for number, (title, end, _) in _parts(lines):
        if title:
            titles.append(title)
            places.append(number)
        elif end in titles:
            at = _last(titles, end)
            found.add(places[at])
            del titles[at:], places[at:]
    return found


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
