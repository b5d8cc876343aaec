"""What a host's files tell of what it is for, and which profiles that speaks for."""

from __future__ import annotations

from advisor.record import NamedTuple

CLEAR = 5
"""The least weight of evidence that is enough by itself; what is less is a hint."""
TRAITS = {
    "guest": "it is a virtual machine",
    "portable": "its chassis type is that of a portable computer",
    "battery": "it has a battery of its own",
    "server-case": "its chassis type is that of a server",
    "display": "a display manager shows its users a desktop",
    "realtime-kernel": "its kernel is built with PREEMPT_RT",
    "isolated": "CPUs are reserved for chosen tasks",
    "tickless": "CPUs run without the timer tick",
    "guests": "virtual machines run on it",
    "infiniband": "it has an InfiniBand port",
    "routes": "it forwards packets between network cards",
    "desktop-system": "its operating system is made for desktop computers or game consoles",
    "one-purpose": "its operating system is made for single-purpose devices",
}
"""What evidence may ask beside units and processes (docs/writing-profiles.md)."""


class Sign(NamedTuple):
    """One thing that a host's files show: a unit or a process by its name, or one of TRAITS.

    `text` is what is said of it. A unit that does not run is one that a start of the host starts.
    """

    kind: str
    name: str
    text: str
    runs: bool = True


class Signs(NamedTuple):
    """What a host is, in words (`machine`, and what tells so: `told_by`), its system, and all its
    signs. `place` says what is special about where this runs: a container, WSL, a chroot."""

    machine: str
    told_by: str = ""
    system: str = ""
    signs: tuple[Sign, ...] = ()
    place: str = ""

    def trait(self, name: str) -> Sign | None:
        """The sign of that trait, if the host shows it."""
        return next((s for s in self.signs if s.kind == "trait" and s.name == name), None)


class Evidence(NamedTuple):
    """What speaks for a profile: any of these units and processes (patterns of names), or all of
    these traits, and none of `unless`; `title` is what is said to run."""

    weight: int
    title: str = ""
    units: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A profile as one may be recommended; a `neutral` one is where nothing speaks for another."""

    profile: str
    title: str
    evidence: tuple[Evidence, ...] = ()
    extends: tuple[str, ...] = ()
    neutral: bool = False


class Recommendation(NamedTuple):
    """A profile that fits a host, with the reasons, the strongest first; none of a neutral one."""

    profile: str
    weight: int
    reasons: tuple[str, ...] = ()

    @property
    def clear(self) -> bool:
        """Whether it is more than a hint."""
        return self.weight >= CLEAR
