"""A page at a glance: a tile for each setting, in the lane of its area, as its verdict is.

The tiles stand for the entries of the page, and lead to them; without style they are letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from advisor.output.html.markup import Html, join, lines, pairs, tag, text
from advisor.output.page import FOLDED, TABLED, Page
from advisor.record import NamedTuple

# What a tile may be, what matters most first: its letter, and what it means.
_TILES = {
    "must": ("M", "must change"), "should": ("S", "should change"), "could": ("C", "could change"),
    "worse": ("\u2212", "worse"), "mixed": ("\u00b1", "better for some profiles, worse for others"),
    "blocked": ("B", "blocked"), "unknown": ("?", "not known"), "accepted": ("A", "accepted"),
    "better": ("+", "better"), "moved": ("=", "moved"), "ok": ("\u00b7", "already right"),
}  # fmt: skip
_DUE = ("must", "should", "could", "worse", "mixed", "blocked")
_FEWEST = 4
"""Of fewer settings the page itself is as short as a picture."""


class _Tile(NamedTuple):
    """A setting: what it is, in which area, and where it is told of (nothing: nowhere)."""

    kind: str
    area: str
    title: str
    target: str


def picture(page: Page, prefix: str) -> Html:
    """Return the tiles of a page, those of an area in a line, and what they mean."""
    tiles = _tiles(page, prefix)
    if len(tiles) < _FEWEST:
        return Html("")
    counts = Counter(tile.kind for tile in tiles)
    key = join(
        (
            tag("li", _shown(_Tile(kind, "", meaning, "")), f" {meaning}: {counts[kind]}")
            for kind, (_, meaning) in _TILES.items()
            if counts[kind]
        ),
        " ",
    )
    id_ = f"{prefix}glance"
    heading = tag("h3", "At a glance", id=id_)
    lanes = pairs(_lanes(tiles), class_="picture")
    return tag("section", lines(heading, lanes, tag("ul", key, class_="key")), aria_labelledby=id_)


def _tiles(page: Page, prefix: str) -> list[_Tile]:
    """Return a tile for each setting, by its first entry, which matters most."""
    found: dict[tuple[str, str], _Tile] = {}
    for section in page.sections:
        linked = section.mode in (TABLED, FOLDED)
        for entry in section.entries:
            kind = entry.kind
            if kind in ("change", "to do"):
                kind = entry.strength.partition(" ")[0]
            if entry.area and kind in _TILES:
                target = f"{prefix}{entry.key}" if linked and entry.key else ""
                tile = _Tile(kind, entry.area, entry.title, target)
                found.setdefault((entry.area, entry.title), tile)
    return list(found.values())


def _lanes(tiles: Iterable[_Tile]) -> list[tuple[str, Html]]:
    """Return each area with its tiles, the area with most to do first."""
    by_area: dict[str, list[_Tile]] = {}
    for tile in tiles:
        by_area.setdefault(tile.area, []).append(tile)
    order = list(_TILES)

    def due(area: str) -> tuple[list[int], str]:
        counts = Counter(tile.kind for tile in by_area[area])
        return [-counts[kind] for kind in _DUE], area

    return [
        (area, join(map(_shown, sorted(by_area[area], key=lambda tile: order.index(tile.kind)))))
        for area in sorted(by_area, key=due)
    ]


def _shown(tile: _Tile) -> Html:
    letter, meaning = _TILES[tile.kind]
    traits = {"class_": f"tile {tile.kind}"}
    if not tile.area:  # of the key, which says itself what it means
        return tag("span", letter, aria_hidden="true", **traits)
    traits["title"] = f"{tile.title}: {meaning}"
    mark = join((text(letter), tag("span", f" {tile.title}", class_="unseen")))
    if tile.target:
        return tag("a", mark, href=f"#{tile.target}", **traits)
    return tag("span", mark, **traits)
