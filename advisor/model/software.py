"""What programs require of a kernel, and whether one can run them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.condition import Expr
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.kernel import KernelVersion
    from advisor.model.rules import Source

_ENDLESS = 1 << 30


class Part(NamedTuple):
    """One condition of a function; the name is empty where the condition says enough."""

    name: str
    needs: Expr


class Function(NamedTuple):
    """Something that a program does, and what the kernel has to have for that.

    Of the `kind` start nothing works without it. `versions` are those of the program that need it,
    `FIRST..LAST`; `instead` is what may be given besides.
    """

    id: str
    title: str
    why: str
    parts: tuple[Part, ...]
    kind: str = "function"
    versions: str = ""
    instead: str = ""
    sources: tuple[Source, ...] = ()

    @property
    def is_start(self) -> bool:
        """Whether the program does not start, or does nothing, without it."""
        return self.kind == "start"

    def is_of(self, version: str) -> bool:
        """Whether that version of the program needs it; an empty one is the newest."""
        first, _, last = self.versions.partition("..")
        if not version:
            return not last
        number = _numbers(version)
        return (not first or number >= _numbers(first)) and (
            not last or number[: last.count(".") + 1] <= _numbers(last)
        )


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version; what is none counts as later than any."""
    parts = version.removeprefix("v").split(".")
    return tuple(int(part) if part.isdecimal() else _ENDLESS for part in parts)


class Unasked(NamedTuple):
    """Symbols that a source lists and no function rests on, and why.

    `kind` is obsolete (gone `after` a kernel: counts as there), given (set by the architecture or
    by another symbol), wrong or optional.
    """

    names: tuple[str, ...]
    kind: str
    why: str
    after: str = ""
    sources: tuple[Source, ...] = ()


class Program(NamedTuple):
    """A program and its functions, as read in the sources of `version`."""

    id: str
    title: str
    summary: str
    version: str
    functions: tuple[Function, ...]
    unasked: tuple[Unasked, ...] = ()
    names: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


class Answer(Enum):
    """Whether something can run."""

    YES = "yes"
    PARTLY = "only without"
    NO = "no"
    UNKNOWN = "not known"


class Fix(NamedTuple):
    """What to add or take away, so that a condition holds: lines of a fragment, words of the boot
    line, sysctls; or the reasons `why` nothing does."""

    lines: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    why: tuple[str, ...] = ()

    def plus(self, other: Fix) -> Fix:
        """Both together, each thing once."""
        return Fix(*(tuple(dict.fromkeys((*a, *b))) for a, b in zip(self, other, strict=True)))


class Lack(NamedTuple):
    """A part of a function that this kernel does not meet: what is missing, and what to do."""

    part: str
    missing: str
    fix: Fix


class Judged(NamedTuple):
    """A function, and whether this kernel has what it needs.

    `modules` have to be loaded for it; `inputs` are those that would tell, where it is not known.
    """

    function: Function
    answer: Answer
    lacks: tuple[Lack, ...] = ()
    modules: tuple[str, ...] = ()
    inputs: frozenset[str] = frozenset()


class Ability(NamedTuple):
    """Whether a kernel can run a program, or the function of it that was `asked` for.

    `obsolete` are symbols that count as there, as this kernel has no switch for them any more.
    """

    program: Program
    version: str
    asked: str
    answer: Answer
    functions: tuple[Judged, ...]
    obsolete: tuple[Unasked, ...] = ()

    @property
    def lacking(self) -> tuple[Judged, ...]:
        """The functions that this kernel has not what they need for."""
        return tuple(one for one in self.functions if one.answer is Answer.NO)

    @property
    def open(self) -> tuple[Judged, ...]:
        """The functions of which it is not known."""
        return tuple(one for one in self.functions if one.answer is Answer.UNKNOWN)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that have to be loaded for what can run, each once."""
        return tuple(dict.fromkeys(name for one in self.functions for name in one.modules))


class Abilities(NamedTuple):
    """What one kernel can run; with `every` of all programs that are known."""

    name: str
    kernel: KernelVersion | None
    arch: str | None
    programs: tuple[Ability, ...]
    every: bool = False
    failed: bool = False
