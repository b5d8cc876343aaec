"""Profiles and their advice: what a workload wants, and how much depends on it."""

from __future__ import annotations

from enum import Enum

from advisor.model.condition import Expr
from advisor.model.rules import Source
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple


class Stance(Enum):
    """What a profile has to say about a tunable."""

    WANT = "want"
    AVOID = "avoid"
    KEEP = "keep"
    NEUTRAL = "neutral"


class Strength(Enum):
    """How much depends on it: the profile's goal, the sources' agreement, or the situation."""

    MUST = "must"
    SHOULD = "should"
    COULD = "could"

    @property
    def rank(self) -> int:
        """0 for must, 1 for should, 2 for could."""
        return ("must", "should", "could").index(self.value)


REQUIREMENT = "requirement"
"""The kind of what tells whether a function of a program works (knowledge/required.py)."""
REQUIRES = "requires/"
"""How the ids of these begin, and of the profiles and findings about them."""
POLICY = "policy"
"""The area of a team's policies (knowledge/policies.py), and the id of the profile of them."""
_WHOLE = (("on",), ("off",))


class Option(NamedTuple):
    """What an advice asks of one tunable; `want` in order of preference. As one of several ways it
    is none where `unless` surely holds."""

    tunable: str
    want: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    unless: Expr = None

    def wanted(self, tunable: Tunable) -> str:
        """What is asked of the tunable, in words."""
        unwanted = tunable.describe(self.avoid)
        if self.avoid and not self.want:
            simple = len(self.avoid) == 1 and not unwanted.startswith("not ")
            return f"not {unwanted}" if simple else f"anything but {unwanted}"
        # All of a group, or one of two values, says itself what is not wanted.
        names = {value.name for value in tunable.values}
        whole = tunable.members and self.want in _WHOLE
        told = self.avoid and not whole and names != {*self.want, *self.avoid}
        return tunable.describe(self.want) + (f"; avoid {unwanted}" if told else "")


class Needing(NamedTuple):
    """A program's function that rests on what an advice wants, as its file has it (software/): the
    newest version of the program that does is `last`; an empty one is the newest there is."""

    program: str
    function: str
    title: str
    is_start: bool = False
    last: str = ""

    @property
    def key(self) -> str:
        """The identity of every finding of the requirement."""
        return f"{REQUIRES}{self.program}/{self.function}"

    @property
    def called(self) -> str:
        """The function as `can` takes it, of a start the program."""
        version = f"@{self.last}" if self.last else ""
        return f"{self.program}{version}{'' if self.is_start else ':' + self.function}"


class Advice(NamedTuple):
    """A profile's opinion on a tunable (or on any one of several).

    With `ask` it waits for an answer of the operator: the fact of the machine of that name. What
    goes wrong where it is not followed, and for whom, stands in `otherwise`, of a MUST at least;
    why most kernels do otherwise all the same, if they do, in `practice`. Of a size that only the
    site knows, which is neutral, `sized` says what it is computed from.
    What is the profile's `purpose` keeps its strength against what hardens kernels. With `disks` it
    is about those of these kinds alone (model/disks.py), each of which has to be as wanted.
    What programs require stands in their files: the advice is `needed_by` these functions, whose
    reasons and sources are its own where it has none.
    Where some of several options are none in what was judged, `ways` are all of them: after a
    change of the line or the kernel these may be others.
    """

    id: str
    profile: str
    stance: Stance
    strength: Strength
    options: tuple[Option, ...]
    why: str
    only_if: Expr = None
    unless: Expr = None
    ask: str = ""
    otherwise: str = ""
    practice: str = ""
    sized: str = ""
    cost: str = ""
    purpose: bool = False
    disks: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    ways: tuple[Option, ...] = ()
    needed_by: tuple[Needing, ...] = ()

    @property
    def key(self) -> str:
        """The identity of every finding of this advice."""
        return f"{self.profile}/{self.id}"

    @property
    def is_binding(self) -> bool:
        """Whether it fails a run also where no change gives what it wants: what a program needs,
        and a policy."""
        return self.profile == POLICY or self.profile.startswith(REQUIRES)


class Profile(NamedTuple):
    """A workload's opinion (profiles/<id>.toml)."""

    id: str
    title: str
    summary: str
    advice: tuple[Advice, ...]
    extends: tuple[str, ...] = ()
