"""What programs require of a kernel, and whether one can run them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from advisor.model.condition import Expr
from advisor.model.kernel import assignment
from advisor.model.numbers import whole_number
from advisor.model.remedy import Change, Role, Setting
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.kernel import KernelVersion
    from advisor.model.rules import Source


class Part(NamedTuple):
    """One condition of a function; the name is empty where the condition says enough."""

    name: str
    needs: Expr


class Function(NamedTuple):
    """Something that a program does, and what the kernel has to have for that.

    Of the `kind` start nothing works without it; an option counts only where it is asked for by
    name. `versions` are those of the program that need it,
    `FIRST..LAST`; `instead` is what may be given besides, where the kernel has what that needs.
    Kernels of other architectures than `arch` have no use for the function; none is all of them.
    """

    id: str
    title: str
    why: str
    parts: tuple[Part, ...]
    kind: str = "function"
    versions: str = ""
    instead: str = ""
    instead_needs: Expr = None
    arch: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def is_start(self) -> bool:
        """Whether the program does not start, or does nothing, without it."""
        return self.kind == "start"

    def is_asked(self, asked: str) -> bool:
        """Whether it is judged where the function `asked` is asked for, or if empty all are."""
        everything = not asked and self.kind != "option"
        return self.is_start or everything or self.id == asked

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
    """The numbers of a version, as `is_version` takes it or a range has it."""
    numbers = re.match(r"v?([0-9.]*)", version)
    parts = numbers[1].strip(".").split(".") if numbers else []
    return tuple(whole_number(part) or 0 for part in parts if part)


def is_version(text: str) -> bool:
    """Whether a text is the version of a program: `27.3`, `v1.33.1+k3s1`, `1.7.0-rc.1`."""
    return bool(re.fullmatch(r"v?[0-9]{1,9}(\.[0-9]{1,9}){0,5}([-+~].*)?", text))


class Unasked(NamedTuple):
    """Symbols that a source lists and no function rests on, and why.

    `kind` is obsolete (gone `after` a kernel: counts as there), given (set by the architecture or
    by another symbol), wrong or optional.
    """

    names: tuple[str, ...]
    kind: str
    why: str
    after: str = ""


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

    def function(self, name: str) -> Function | None:
        """The function of that id; None if there is none."""
        return next((one for one in self.functions if one.id == name), None)


class Answer(Enum):
    """Whether something can run."""

    YES = "yes"
    PARTLY = "only without"
    NO = "no"
    UNKNOWN = "not known"
    ELSEWHERE = "not for this architecture"


class Fix(NamedTuple):
    """What to add or take away, so that a condition holds: changes of a configuration, words of the
    boot line, settings of run time; or the reasons `why` nothing does.

    Of the options to switch on, the configuration has no line about those `hidden`: what they
    depend on is off, or they have no prompt, and other options switch them on. Of those
    `unproven` other changes may see to that, which only a tree tells.
    """

    changes: tuple[Change, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    why: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The changes as lines of a fragment."""
        return tuple(assignment(change.symbol, change.new) for change in self.changes)

    @property
    def effort(self) -> tuple[int, ...]:
        """How much it asks for: what cannot be done, what is switched off, how many steps there
        are, and what of these is hidden."""
        gone = [one for one in self.changes if one.new == "n" and one.role is Role.ASKED]
        steps = sum(map(len, self[:4]))
        return len(self.why), len(gone), steps, len(self.hidden)

    def plus(self, other: Fix) -> Fix:
        """Both together, each thing once; what one of them needs built in is."""
        changes = {change.symbol: change for change in self.changes}
        for change in other.changes:
            if (known := changes.get(change.symbol)) is None or known.new == "m":
                changes[change.symbol] = change
        pairs = zip(self, other, strict=True)
        whole = Fix._make(tuple(dict.fromkeys((*own, *more))) for own, more in pairs)
        return whole._replace(changes=tuple(changes.values()))

    def opened(self) -> Fix:
        """The same with what is hidden as unproven where another line switches something on."""
        if not any(change.old in ("n", "m") for change in self.changes):
            return self
        unproven = tuple(dict.fromkeys((*self.unproven, *self.hidden)))
        return self._replace(hidden=(), unproven=unproven)

    def without(self, other: Fix) -> Fix:
        """What it asks for beside the other."""
        pairs = zip(self, other, strict=True)
        return Fix._make(tuple(one for one in own if one not in rest) for own, rest in pairs)


class Lack(NamedTuple):
    """A part of a function that this kernel does not meet: symbols that are `off`, those that are
    `absent` from its release, what it `needs` besides (as nouns), what else is `wrong` (as
    clauses), and what to do."""

    part: str
    off: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    fix: Fix = Fix()

    @property
    def missing(self) -> str:
        """What is missing, in words."""
        return missing((self,))


def missing(lacks: Sequence[Lack]) -> str:
    """What is missing of all these parts, in words: `VETH, BRIDGE and 2 more are off`."""
    off = tuple(dict.fromkeys(name for lack in lacks for name in lack.off))
    absent = tuple(dict.fromkeys(name for lack in lacks for name in lack.absent))
    needs = dict.fromkeys(text for lack in lacks for text in lack.needs)
    wrong = dict.fromkeys(text for lack in lacks for text in lack.wrong)
    told = [f"{shortly(off)} {_be(off)} off"] if off else []
    told += [f"{shortly(absent)} {_be(absent)} not in this kernel"] if absent else []
    told += [f"needs {', and '.join(needs)}"] if needs else []
    return "; ".join((*told, *wrong))


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


_FEW = 3


def shortly(names: Sequence[str]) -> str:
    """`A, B and C` of three names at most, `A, B and 4 more` of more."""
    if len(names) > _FEW:
        names = (*names[: _FEW - 1], f"{len(names) - _FEW + 1} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


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
    def elsewhere(self) -> tuple[Judged, ...]:
        """The functions that only kernels of other architectures have a use for."""
        return tuple(one for one in self.functions if one.answer is Answer.ELSEWHERE)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that have to be loaded for what can run, each once."""
        return tuple(dict.fromkeys(name for one in self.functions for name in one.modules))


class Ask(NamedTuple):
    """Whether a program needs a symbol `on` or off, for which function of it, and why; without a
    function its own list asks for the symbol, and `why` says what speaks against it."""

    program: str
    function: str
    on: bool
    why: str

    @property
    def told(self) -> str:
        """What is asked for, by whom, and why."""
        if not self.function:
            return f"{self.program}'s own list of options enables this symbol: {self.why}"
        return (
            f"{self.program} needs this symbol to be {'on' if self.on else 'off'} for "
            f"{self.function}: {self.why}"
        )


class Clash(NamedTuple):
    """A symbol that one program needs on and another one off."""

    symbol: str
    asks: tuple[Ask, ...]


class Abilities(NamedTuple):
    """What one kernel can run; with `every` of all programs that are known. `clashes` are what the
    programs do not agree on."""

    name: str
    kernel: KernelVersion | None
    arch: str | None
    programs: tuple[Ability, ...]
    every: bool = False
    failed: bool = False
    clashes: tuple[Clash, ...] = ()
