"""Values that name a thing of the kernel (rules/components.toml)."""

from __future__ import annotations

from advisor.model.condition import Expr
from advisor.model.rules import Source
from advisor.record import NamedTuple


class ComponentName(NamedTuple):
    """A name that a value may have, and what has to hold for the kernel to have the thing.

    Of `exclusive` ones that are listed only the first starts. One that `waits` is worth a note
    where it is built and not listed. Either is so unless its own condition is false.
    """

    name: str
    only_if: Expr = None
    exclusive: bool = False
    exclusive_if: Expr = None
    waits: bool = False
    waits_if: Expr = None


class Place(NamedTuple):
    """What takes a name, or a list of names with a `separator`: a parameter of the layer `boot`, a
    `sysctl`, a file of `sysfs` or a string of the configuration (`config`). A name `ends` where its
    own options begin.

    Where `early` holds, it is read before modules can be loaded from the root file system. A value
    that `stays` does something also where none of its names is there, and `otherwise` tells what
    becomes of such a name. The words in `free` name nothing on purpose.
    """

    layer: str
    name: str
    otherwise: str
    separator: str = ""
    ends: str = ""
    early: Expr = None
    stays: bool = False
    free: tuple[str, ...] = ()


class Component(NamedTuple):
    """A kind of thing that values name: what one is called, its names, and the places.

    A kernel has a thing of another name where one of `symbols` is on, with the name in place of
    `{}`. Where the list is not surely `closed`, there may be more.
    """

    id: str
    title: str
    names: tuple[ComponentName, ...]
    places: tuple[Place, ...]
    only_if: Expr = None
    symbols: tuple[str, ...] = ()
    closed: Expr = None
    anycase: bool = False
    sources: tuple[Source, ...] = ()

    @property
    def lists(self) -> tuple[Place, ...]:
        """The places that list what starts, of which the first that is set counts; none where
        nothing waits to be listed."""
        waits = any(one.waits for one in self.names)
        return tuple(place for place in self.places if place.separator and waits)
