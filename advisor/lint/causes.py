"""Which boot parameters decide the state of which tunables: what the rules use, and what they say.

A parameter's `touches` is its author's list of the tunables whose state depends on it, made with
the C source at hand; an empty one says that nothing else does. What the tunables themselves read
(values, conditions, causes, members) must be the same list, so that neither is forgotten.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from advisor.knowledge.documents import Documents, Problem
from advisor.knowledge.store import Knowledge
from advisor.lint.places import place_of
from advisor.model.cmdline import parameter_name
from advisor.model.condition import atoms
from advisor.model.tunable import Tunable


def check_causes(knowledge: Knowledge, documents: Documents) -> Iterator[Problem]:
    """Checks that every parameter says what it touches, which is what reads it."""
    reading = readers(knowledge)
    yield from _unclassified(documents)
    for name, touches in documents.touches.items():
        stated, read = set(touches), reading.get(name, set())
        place = place_of(documents, f"parameter/{name}", "touches")
        for tunable in sorted(stated - read):
            known = tunable in knowledge.ids("tunables")
            says = f"does not read {name}" if known else "is no tunable"
            yield place, f"`touches` of {name} names {tunable!r}, which {says}"
        for tunable in sorted(read - stated):
            yield (
                place,
                f"the tunable {tunable!r} reads {name}, but `touches` of {name} does not name it",
            )


def _unclassified(documents: Documents) -> Iterator[Problem]:
    """Parameters without `touches`, but for those of which exceptions.toml says why."""
    explained = {
        document["rule"]: documents.places[f"exception/{name}"]
        for name, document in documents.exceptions.items()
        if document["check"] == "touches"
    }
    for name in documents.parameters:
        rule = f"parameter/{name}"
        stated = name in documents.touches
        if not stated and rule not in explained:
            says = f"{name} has no `touches` (write touches = [] if it touches nothing else)"
            yield place_of(documents, rule), says
        elif stated and rule in explained:
            yield explained[rule], f"the exception is not needed: {name} has `touches`"


def readers(knowledge: Knowledge) -> dict[str, set[str]]:
    """Finds, for each parameter, the tunables whose state depends on it."""
    tunables: dict[str, set[str]] = defaultdict(set)
    for tunable in knowledge.tunables():
        for word in words(tunable):
            name = parameter_name(word)
            parameter = knowledge.parameter(name)  # whose name may be a pattern: `sysctl.*`
            # An old name is read wherever the new one is.
            for spelling in knowledge.spellings(parameter.name if parameter else name):
                tunables[spelling].add(tunable.id)
    return tunables


def words(tunable: Tunable) -> Iterator[str]:
    """Yields every word of the boot line that a tunable's state depends on."""
    if tunable.parameter:
        yield tunable.parameter
    if tunable.flag:
        yield tunable.flag.partition("=")[0]
    for sysctl in tunable.sysctls:
        yield f"sysctl.{sysctl}"  # which the kernel sets before it starts init
    conditions = [tunable.only_if, *(cause.only_if for cause in tunable.interpret)]
    for value in tunable.values:
        yield from value.boot
        yield from chain(*value.reads)
        conditions += (value.when, value.boot_only_if)
    for member in tunable.members:
        yield from (*member.boot_on, *member.boot_off, *member.kept)
        if member.module:
            yield from ("nomodule", f"module_blacklist={member.module}")
        conditions.append(member.when)
    for expr in conditions:
        yield from (atom[1] for atom in atoms(expr) if atom[0] == "boot")
