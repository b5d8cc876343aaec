"""Values that name a thing of the kernel (rules/components.toml)."""

from __future__ import annotations

from advisor.model.condition import Expr
from advisor.model.rules import Source
from advisor.record import NamedTuple


class ComponentName(NamedTuple):
    """A name that a value may have: the kernel has the thing `when` that holds.

    Of `exclusive` ones that are listed only the first starts, `unless` it is switched off. One that
    `waits` is worth a note where it is built and not listed; `starts_when` tells where it starts
    without being listed.
    """

    name: str
    when: Expr = None
    unless: Expr = None
    exclusive: bool = False
    waits: bool = False
    starts_when: Expr = None


class Place(NamedTuple):
    """What takes a name, or a list of names with a `separator`: a `boot` parameter, a `sysctl`, a
    file of `sysfs` or a string of the configuration (`config`). A name `ends` where its own options
    begin.

    Where `early` holds, it is read before modules can be loaded from the root file system. A value
    that `stays` does something also where none of its names is there, and `otherwise` tells what
    becomes of such a name. The first place that `starts` and is set lists what starts. The words
    in `free` name nothing on purpose.
    """

    otherwise: str
    boot: str = ""
    sysctl: str = ""
    sysfs: str = ""
    config: str = ""
    separator: str = ""
    ends: str = ""
    early: Expr = None
    stays: bool = False
    starts: bool = False
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
    exists: Expr = None
    symbols: tuple[str, ...] = ()
    closed: Expr = None
    anycase: bool = False
    sources: tuple[Source, ...] = ()
