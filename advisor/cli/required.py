"""The programs that words name: NAME, NAME@VERSION, NAME:FUNCTION."""

from __future__ import annotations

from advisor.errors import UsageError, near, shortened
from advisor.knowledge.store import Knowledge
from advisor.model.profile import Profile
from advisor.model.software import Program, is_version
from advisor.record import NamedTuple

REQUIRE = "--require"


class Wanted(NamedTuple):
    """A program, of which version (empty: the newest), and which function of it alone."""

    program: Program
    version: str = ""
    function: str = ""


def wanted(word: str, knowledge: Knowledge, where: str = REQUIRE) -> Wanted:
    """The program, version and function that a word names. Raises UsageError about `where`."""
    name, _, function = word.partition(":")
    name, at, version = name.partition("@")
    program = knowledge.program(name)
    if program is None:
        hint = near(name, knowledge.program_names()) or "kernel-advisor can --list names all"
        raise UsageError(f"there is no program {shortened(name)!r}", where=where, hint=hint)
    if function and function not in (known := [one.id for one in program.functions]):
        hint = near(function, known) or f"one of {', '.join(known)}"
        text = f"{program.id} has no function {shortened(function)!r}"
        raise UsageError(text, where=where, hint=hint)
    if at and not is_version(version):
        hint = f"write {program.id}@{program.version}, or omit the version to use the newest one"
        text = f"{shortened(version)!r} is no version of {program.id}"
        raise UsageError(text, where=where, hint=hint)
    return Wanted(program, version, function)


def required(words: tuple[str, ...], knowledge: Knowledge) -> list[Profile]:
    """What these programs need, a profile each; of a program that several words name all that one
    of them asks for, as strongly as one does. Raises UsageError."""
    from advisor.knowledge.required import joined, profile

    found: dict[str, Profile] = {}
    for word in words:
        made = profile(*wanted(word, knowledge))
        found[made.id] = joined(found[made.id], made) if made.id in found else made
    return list(found.values())
