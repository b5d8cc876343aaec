"""What `explain` prints of a program, of a function of it, and of a policy."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.model.condition import show
from advisor.model.policy import Policy
from advisor.model.profile import REQUIRES
from advisor.model.software import Function, Program
from advisor.output import Style, policytext
from advisor.output.explain import Facts, block, sources

_KINDS = {
    "start": "needed to start: nothing works without it",
    "function": "needed for only one function",
    "option": "an option of the program, judged only on request",
}


def program(known: Program, style: Style) -> str:
    """Return a program, and each of its functions in a line."""
    facts = [
        ("what", known.summary),
        ("read", f"version {known.version}"),
        *(("start" if one.is_start else "", f"{one.id}: {one.title}")
          for one in sorted(known.functions, key=lambda one: not one.is_start)),
        ("run", f"kernel-advisor can {known.id} CONFIG"),
        *sources(known.sources),
    ]  # fmt: skip
    return block(f"{known.title} [{REQUIRES}{known.id}]", facts, style)


def function(known: Program, one: Function, style: Style) -> str:
    """Return a function of a program: what it needs of a kernel, why, and who says so."""
    return block(
        f"{known.title}: {one.title} [{REQUIRES}{known.id}/{one.id}]", _function(known, one), style
    )


def _function(known: Program, one: Function) -> Facts:
    first, dots, last = one.versions.partition("..")
    span = " ".join(filter(None, (first and f"from {first}", last and f"to {last}")))
    yield "what", _KINDS[one.kind]
    yield "of", f"{known.id} {span}" if dots else ""
    yield "arch", ", ".join(one.arch)
    for part in one.parts:
        yield "needs", f"{part.name}: {show(part.needs)}" if part.name else show(part.needs)
    yield "why", one.why
    yield "or", one.instead
    yield "run", f"kernel-advisor can {known.id}:{one.id} CONFIG"
    yield from sources(one.sources)


def policy(known: Policy, style: Style) -> str:
    """Return a policy of a team's own: what it asks for, why, and where that is written."""
    return block(f"{known.title} [{known.id}]", _policy(known), style)


def _policy(known: Policy) -> Iterator[tuple[str, str]]:
    yield "asks for", policytext.demand(known)
    yield "where", known.when
    yield "for", known.path
    yield "why", known.reason
    yield "owner", known.owner
    yield "source", known.source
    yield "written", str(known.location)
