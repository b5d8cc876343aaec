"""Values that name a thing of the kernel (rules/components.toml)."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.model.condition import Expr
from advisor.model.rules import Source
from advisor.record import NamedTuple


class Place(NamedTuple):
    """What takes a name: a parameter of the layer `boot`, a `sysctl`, a file of `sysfs` or a string
    of the configuration (`config`). The `form` is empty for a name alone.

    Where `early` holds, it is read before modules can be loaded from the root file system.
    `otherwise` tells what becomes of a name that is not there.
    """

    layer: str
    name: str
    otherwise: str
    form: str = ""
    early: Expr = None

    @property
    def is_list(self) -> bool:
        """Whether commas separate names."""
        return self.form == "NAME,NAME"

    @property
    def stays(self) -> bool:
        """Whether a value does something also where the kernel has none of its names."""
        return self.is_list or self.form == "NAME or none"

    def names(self, text: str) -> list[str]:
        """The names in a value."""
        if self.form == "NAME or none" and text == "none":
            return []
        parts = text.split(",") if "," in self.form else [text]
        return [*filter(None, parts if self.is_list else parts[:1])]


class Component(NamedTuple):
    """A kind of thing that values name: what one is called, its names, each with what has to hold
    for the kernel to have the thing, and the places.

    A kernel has a thing of another name where one of `symbols` is on, with the name in place of
    `{}`. Where the list is not surely `closed`, there may be more. Of `exclusive` ones that are
    listed only the first starts. One that `waits` is worth a note where it is built and not listed.
    Either is so unless its condition is false.
    """

    id: str
    title: str
    names: Mapping[str, Expr]
    places: tuple[Place, ...]
    only_if: Expr = None
    symbols: tuple[str, ...] = ()
    closed: Expr = None
    exclusive: Mapping[str, Expr] = {}
    waits: Mapping[str, Expr] = {}
    anycase: bool = False
    sources: tuple[Source, ...] = ()

    @property
    def conditions(self) -> list[Expr]:
        """All its conditions."""
        parts = [self.only_if, self.closed, *self.exclusive.values(), *self.waits.values()]
        return [*parts, *self.names.values(), *(one.early for one in self.places)]

    @property
    def lists(self) -> tuple[Place, ...]:
        """The places that list what starts, of which the first that is set counts; none where
        nothing waits to be listed."""
        return tuple(place for place in self.places if place.is_list and self.waits)
