"""Groups of options: records whose fields are options.

A field has a type, what `--help` says, and flags where its name is not enough.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Optional, TypeVar

import typer

from advisor.record import NamedTuple

Text = Optional[str]  # noqa: UP045
Number = Optional[int]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045
Many = tuple[str, ...]
# What Typer is to read for the type of a field, and what a field is where nothing was given.
_KINDS: dict[str, tuple[Any, Any]] = {
    "str": (str, ""), "bool": (bool, False), "Text": (Text, None), "Number": (Number, None),
    "Switch": (Switch, None), "Many": (list[str], ()), "Named": (Text, None),
    "ManyNamed": (list[str], ()),
}  # fmt: skip


class Option(NamedTuple):
    """An option, or an argument if it has no flags, as a command takes it.

    `default` is the field's; `more` is for Typer. `rare` options are shown by --help-all only.
    """

    flags: tuple[str, ...] | None
    more: Mapping[str, Any]
    required: bool = False
    default: Any = None
    group: str = ""
    name: str = ""
    kind: Any = None
    rare: bool = False

    @property
    def parameter(self) -> inspect.Parameter:
        """What Typer makes an option of."""
        # Click before 8.2 takes no default for a list.
        default = ... if self.required else None if self.default == () else self.default
        make = typer.Argument if self.flags is None else typer.Option
        info = make(default, *(self.flags or ()), **self.more)
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=info, annotation=self.kind)

    def but(self, **other: Any) -> Option:
        """The same with another help, default or kind, or required, or rare."""
        names = ("required", "default", "kind", "rare")
        own = {key: other.pop(key) for key in names if key in other}
        return self._replace(more={**self.more, **other}, **own)


class Group:
    """The options of a record, in its order, each by its name; help shows them below `title`."""

    def __init__(self, options: Mapping[str, Option], title: str = "") -> None:
        self._options = options
        self.title = title

    def __iter__(self) -> Iterator[Option]:
        return iter(self._options.values())

    def __getattr__(self, name: str) -> Option:
        if name not in self._options:
            raise AttributeError(f"there is no option {name}")
        return self._options[name]

    def without(self, *names: str) -> list[Option]:
        """All but these. Raises KeyError for one that it does not have."""
        out = [self._options[name] for name in names]
        return [option for option in self if option not in out]


GROUPS: dict[str, Group] = {}
"""By the names of their fields in a Request."""
Record = TypeVar("Record", bound=type)


def group(name: str, title: str) -> Callable[[Record], Record]:
    """Makes a group of a record, whose fields get the defaults of their types."""

    def add(record: Any) -> Any:
        options = {}
        for field, kind in record.__annotations__.items():
            annotation, empty = _KINDS[kind]
            made = record._field_defaults[field]
            options[field] = made._replace(
                flags=(f"--{field.replace('_', '-')}",) if made.flags == () else made.flags,
                default=empty if made.default is None else made.default,
                group=name, name=field, kind=annotation,
            )  # fmt: skip
        record._field_defaults = {field: made.default for field, made in options.items()}
        GROUPS[name] = Group(options, title)
        return record

    return add


def option(text: str, *flags: str, default: Any = None, rare: bool = False, **more: Any) -> Any:
    """An option with that help. Without flags it is called like its field."""
    return Option(flags, {"help": text, **more}, default=default, rare=rare)


def valued(value: str, text: str, *flags: str, **more: Any) -> Any:
    """An option with a value, for which help shows this word."""
    return option(text, *flags, metavar=value, **more)


def argument(text: str, metavar: str | None = None, *, required: bool = False, **more: Any) -> Any:
    """What stands on the line without a name; `required` has no default."""
    return Option(None, {"help": text or None, "metavar": metavar, **more}, required)
