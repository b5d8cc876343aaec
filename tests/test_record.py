"""record.NamedTuple behaves as typing's, which the type checker takes it for."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from advisor.record import NamedTuple

from .cases import each


class Ours(NamedTuple):
    """A point."""

    x: int
    y: int = 2
    z: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return self.x + self.y


class Theirs(typing.NamedTuple):
    """A point."""

    x: int
    y: int = 2
    z: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return self.x + self.y


GIVEN = [
    ((1,), {}), ((1, 3), {}), ((1, 3, (4,)), {}), ((), {"x": 1}), ((1,), {"z": (5,)}),
    ((), {"z": (5,), "x": 1, "y": 0}),
]  # fmt: skip
WRONG = [
    ((), {}), ((1, 2, (), 4), {}), ((1,), {"x": 1}), ((1,), {"w": 1}), ((), {"y": 1}),
    ((1, 2, ()), {"w": 1}),
]  # fmt: skip


@each(("values", "named"), GIVEN)
def test_an_instance_is_the_same(values, named):
    ours, theirs = Ours(*values, **named), Theirs(*values, **named)
    assert tuple(ours) == tuple(theirs)
    assert (ours.x, ours.y, ours.z, ours.total) == (theirs.x, theirs.y, theirs.z, theirs.total)
    assert ours._asdict() == theirs._asdict()
    assert tuple(ours._replace(y=7)) == tuple(theirs._replace(y=7))
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert hash(ours) == hash(theirs)


@each("kind", [Ours, Theirs])
@each(("values", "named"), WRONG)
def test_what_does_not_fit_is_refused(kind, values, named):
    with pytest.raises(TypeError):
        kind(*values, **named)


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_other_refusals(kind):
    with pytest.raises(ValueError, match="unexpected"):
        kind(1)._replace(w=1)
    with pytest.raises(TypeError, match="Expected 3"):
        kind._make([1])
    with pytest.raises(AttributeError):
        kind(1).x = 2
    with pytest.raises(AttributeError):
        kind(1).w = 2


def test_the_type_is_the_same():
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__"):
        assert getattr(Ours, name) == getattr(Theirs, name)
    assert issubclass(Ours, tuple)


def test_copies_and_pickles():
    ours = Ours(1, z=(3,))
    for copied in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert copied == ours
        assert type(copied) is Ours


def test_a_field_without_default_after_one_with_is_refused():
    with pytest.raises(TypeError, match="without a default"):

        class Wrong(NamedTuple):
            x: int = 1
            y: int
