"""typing.NamedTuple at a third of its cost, which every run pays for each of fifty types.

typing evaluates and checks each annotation when a class is made (0.8 million instructions a
class, counted); here they are for the reader and the type checker, which reads record.pyi and
takes this for the original.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

_OWN = frozenset(("__module__", "__qualname__", "__static_attributes__"))


class _Record(type):
    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = list(body.get("__annotations__", ()))
        defaults = [body[field] for field in fields if field in body]
        made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # type: ignore[misc]  # that is the point
        for key, value in body.items():
            if key not in made._fields and key not in _OWN:
                setattr(made, key, value)
        return made


class NamedTuple(metaclass=_Record):
    """The base of all types of the domain. Its modules must postpone their annotations."""
