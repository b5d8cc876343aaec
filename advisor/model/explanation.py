"""What is known of a name: by the rules, and by the kernel trees that were read."""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase

from advisor.model.parameter import Parameter, Reader
from advisor.model.profile import Advice, Option, Profile
from advisor.model.rules import Name, Rename, Source
from advisor.model.successor import Successor
from advisor.model.symptom import Suspect, Symptom
from advisor.model.tunable import Tunable, TunableNotes
from advisor.record import NamedTuple

Span = tuple[str, str]
"""The first and the last of a row of kernels that were read; the same twice for a single one."""


class Prompt(Enum):
    """Whether a user can set a symbol: yes, no, or by an old name that the kernel still takes."""

    YES = "yes"
    NONE = "none"
    OLD_NAME = "old name"


class Presence(NamedTuple):
    """A row of kernels that all have a name: those beside it that lack it, and where it ended."""

    span: Span
    absent: tuple[str, ...] = ()
    gone: str = ""


class Architectures(NamedTuple):
    """Of the latest kernel that has a name: the architectures that always had it, and the others.

    `at_times` are architectures that had it in some of the kernels, with these.
    """

    always: tuple[str, ...]
    missing: tuple[str, ...] = ()
    at_times: tuple[tuple[tuple[str, ...], tuple[Span, ...]], ...] = ()


class Choice(NamedTuple):
    """The members of a symbol's choice, on one architecture of one kernel."""

    members: tuple[str, ...]
    arch: str
    kernel: str


class CatalogueEntry(NamedTuple):
    """What the kernel trees that were read have of a symbol, a boot parameter or a sysctl.

    `read` are the first and the last of the `trees`. Of a symbol: its types now and before, whether
    it has a prompt now, and in which kernels it had one, its choice. Of a parameter: what reads it.
    Of a sysctl: what it takes.
    """

    name: str
    trees: int
    read: Span
    kernels: tuple[Presence, ...]
    arches: Architectures
    types: tuple[str, ...] = ()
    types_before: tuple[tuple[str, tuple[Span, ...]], ...] = ()
    prompt: Prompt = Prompt.YES
    prompt_before: tuple[Span, ...] = ()
    choice: Choice | None = None
    read_by: tuple[str, ...] = ()
    kind: str = "boot parameter"
    takes: str = ""


class Opinion(NamedTuple):
    """What a profile asks of a tunable."""

    advice: Advice
    option: Option


class Described(NamedTuple):
    """A tunable with its notes, what profiles ask of it, and what distributions do (empty: not
    counted)."""

    tunable: Tunable
    notes: TunableNotes
    opinions: tuple[Opinion, ...] = ()
    practice: str = ""


class Explanation(NamedTuple):
    """All that is known of a name.

    `word` is how `reader`, a program of user space, knows it; `file` is a file below /sys of which
    nothing is known but that kernels have it. `searched` are the first and last kernel that log a
    parameter as unknown and follow it. A `symptom` has its `suspects`, in the kernel of the
    `subject` where one was given.
    """

    name: Name | None = None
    rename: Rename | None = None
    parameter: Parameter | None = None
    tunables: tuple[Described, ...] = ()
    word: str = ""
    reader: Reader | None = None
    entry: CatalogueEntry | None = None
    successor: Successor | None = None
    file: str = ""
    symptom: Symptom | None = None
    suspects: tuple[Suspect, ...] = ()
    subject: str = ""
    searched: tuple[str, str] | None = None


class Wish(NamedTuple):
    """An advice of a profile, with the tunable of each of its options."""

    advice: Advice
    options: tuple[tuple[Option, Tunable], ...]


class Wishes(NamedTuple):
    """A profile with all that it wishes."""

    profile: Profile
    wishes: tuple[Wish, ...]


class Authority(NamedTuple):
    """Whose word on a workload counts (rules/authorities.toml).

    `asks` is what a person found in it, where no program can read it.
    """

    id: str
    title: str
    profiles: tuple[str, ...]
    source: Source
    asks: tuple[str, ...] = ()


class Leaving(NamedTuple):
    """Patterns of asks that profiles (none: all) do not weigh, and why.

    `void` ones no mainline kernel of today can be told.
    """

    asks: tuple[str, ...]
    because: str
    profiles: tuple[str, ...] = ()
    void: bool = False

    def concerns(self, ask: str, profile: str) -> bool:
        """Whether it says why the profile does not weigh the ask."""
        here = not self.profiles or profile in self.profiles
        return here and any(fnmatchcase(ask, pattern) for pattern in self.asks)


class Held(NamedTuple):
    """An ask of an authority, and what a profile says to it.

    `says` is agrees, differs, neutral, names (a document names what the profile weighs), left or
    void (each with the reason, `because`), follows (a symbol that nobody is asked about) or open.
    `advice` is what weighs it.
    """

    ask: str
    says: str
    advice: Advice | None = None
    because: str = ""
