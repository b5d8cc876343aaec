"""What reports come to in numbers: by profile and area, and by effort."""

from __future__ import annotations

from advisor.record import NamedTuple


class Cell(NamedTuple):
    """How many tunables of an area a profile wants otherwise, by the strength of its advice."""

    area: str
    must: int = 0
    should: int = 0
    could: int = 0

    @property
    def due(self) -> int:
        """How many must or should change."""
        return self.must + self.should


class Row(NamedTuple):
    """A profile, with the areas in which something differs, sorted; how many tunables it could not
    be judged on."""

    profile: str
    cells: tuple[Cell, ...]
    unknown: int = 0


class Effort(NamedTuple):
    """How many of the changes that the profiles which go together ask for are made in one way:
    `now`, at the next `boot`, by a `rebuild`, or by `none` that is known. Those that could be made
    are apart from those that must or should."""

    way: str
    due: int
    could: int
