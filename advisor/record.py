"""typing.NamedTuple at a tenth of its cost, which every run pays for each of seventy types.

typing evaluates and checks each annotation when a class is made (0.8 million instructions a
class, counted), and collections.namedtuple compiles a constructor for it (0.45 million). Here
annotations are for the reader and the type checker, which reads record.pyi and takes this for the
original, and one constructor serves all types: it takes a microsecond more for an instance, of
which an audit makes some thousand.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any, ClassVar

_MOST = 40  # fields of a type
# What reads a field by its number is the same for each tuple, so namedtuple makes it once.
_WIDEST: Any = namedtuple("_WIDEST", [f"field{number}" for number in range(_MOST)])  # type: ignore[misc]  # counted
_READERS = tuple(vars(_WIDEST)[name] for name in _WIDEST._fields)


class _Fields(tuple[Any, ...]):
    """What all types have in common, as namedtuple has it."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}

    def __new__(cls, /, *values: Any, **named: Any) -> Any:
        fields = cls._fields
        if named:
            given = {**cls._field_defaults, **named}
            rest = fields[len(values) :]
            # A name that is no field, or that of one given by its place.
            if not named.keys() <= set(rest) if values else len(given) > len(fields):
                raise cls._refused(values, named)
            try:
                values += tuple(map(given.__getitem__, rest))
            except KeyError as error:
                raise TypeError(f"{cls.__name__} is made without {error}") from None
        elif len(values) < len(fields):
            values += tuple(cls._field_defaults.values())[len(values) - len(fields) :]
        if len(values) != len(fields):
            raise cls._refused(values, named)
        return tuple.__new__(cls, values)

    @classmethod
    def _refused(cls, values: tuple[Any, ...], named: dict[str, Any]) -> TypeError:
        fields = ", ".join(cls._fields)
        return TypeError(f"{cls.__name__} has {fields}; given {(*values, *named)}")

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **named: Any) -> Any:
        made = self._make(map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"Got unexpected field names: {list(named)!r}")
        return made

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({fields})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


class _Record(type):
    def __new__(cls, called: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, called, bases, body)
        fields = tuple(body.get("__annotations__", ()))
        defaults = {field: body[field] for field in fields if field in body}
        if tuple(defaults) != fields[len(fields) - len(defaults) :]:
            raise TypeError(f"{called}: a field without a default follows a field with one")
        body |= {"__slots__": (), "__match_args__": fields, "_fields": fields}
        body |= {"_field_defaults": defaults, **dict(zip(fields, _READERS, strict=False))}
        return type(called, (_Fields,), body)


class NamedTuple(metaclass=_Record):
    """The base of all types of the domain. Its modules must postpone their annotations."""
