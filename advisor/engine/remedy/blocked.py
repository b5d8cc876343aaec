"""Why a value cannot be had: the causes, and which of several says the most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from advisor.engine.effective.world import World
from advisor.engine.remedy.what_if import moved
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.remedy import Change
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.tree import Assignment


class Blocked(NamedTuple):
    """Why a value cannot be had.

    `symbol` is in the way, where a tree names it. `absent`: this release has no such thing.
    `lacking` are symbols without a line in the configuration. `against`: a line of the
    configuration rules it out, or one `planned` with it. `tool` is a symbol that describes a
    program of the build, with the value that would do.
    """

    reason: str
    symbol: str = ""
    absent: bool = False
    lacking: tuple[str, ...] = ()
    against: bool = False
    planned: bool = False
    tool: Assignment | None = None


Attempt = tuple[Change, ...] | Blocked
"""The changes that give a value, none where it is so already; or why it cannot be had."""


def why_not_all(found: Sequence[Blocked]) -> Blocked:
    """Return why not all of several can be had: the first cause, or all of them where lines are
    among them, each of which rules it out by itself."""
    reasons = dict.fromkeys(one.reason for one in found)
    lines = [one for one in found if one.against]
    if len(reasons) == 1 or not lines:
        return found[0]
    planned = all(one.planned for one in lines)
    return Blocked("; and ".join(reasons), against=True, planned=planned)


def why_none(found: Sequence[Blocked], world: World) -> Blocked:
    """Return why none of several ways can be had, by the causes that are easiest to remove: a
    missing program, then a line that can be changed, then a symbol without a line, then what this
    release does not have."""
    if tool := next((one for one in found if one.tool), None):
        return tool  # to install a program takes nothing back
    if lines := [one for one in found if one.against]:
        reason = " or ".join(dict.fromkeys(one.reason for one in lines))
        return Blocked(reason, against=True, planned=any(one.planned for one in lines))
    lacking = [symbol for one in found for symbol in one.lacking]
    causes = [not_offered(lacking, world)] if lacking else []
    causes += [one for one in found if not one.lacking]
    causes = [one for one in causes if not one.absent] or causes
    if len(causes) == 1:
        return Blocked(causes[0].reason, absent=causes[0].absent, lacking=causes[0].lacking)
    absent = bool(causes) and all(one.absent for one in causes)
    return Blocked(" or ".join(dict.fromkeys(one.reason for one in causes)), absent=absent)


def not_in_release(symbol: str, world: World) -> Blocked | None:
    """Return that a symbol is of other releases, if it is."""
    when = world.other_releases(symbol)
    return Blocked(f"{symbol} is not in this kernel: {when}", absent=True) if when else None


def not_offered(symbols: Sequence[str], world: World) -> Blocked:
    """Return that one of these symbols of this release is needed, and has no line."""
    here = tuple(symbol for symbol in symbols if not world.other_releases(symbol))
    if not here:
        return Blocked(
            f"needs {symbols[0]}, which this kernel does not have", "", True, (*symbols,)
        )
    names = " or ".join(dict.fromkeys(here))
    return Blocked(f"needs {names}, which this configuration does not offer", lacking=here)


def without_prompt(symbol: str) -> Blocked:
    """Return that nobody can set a symbol: its line would do nothing."""
    return Blocked(f"{symbol} has no prompt in this kernel: other options determine its value")


def nowhere_on(symbol: str, world: World) -> str:
    """Return why a symbol cannot be on that a partial configuration does not name."""
    arch = world.subject.machine.arch
    nowhere = world.knowledge.unreachable.never_on(symbol, None, arch)
    if (patch := world.knowledge.fact("patch", symbol).says) and not nowhere:
        return f"needs {patch}"
    kernel = f"kernel for {arch}"
    lacks = f"no {kernel} has" if nowhere else f"this {kernel} does not have"
    return f"needs {symbol}, which {lacks}"


def why_false(requires: Expr, world: World) -> Blocked:
    """Return why a condition is false that no added line makes true, with the line in the way."""
    tag = condition.operator_of(requires)
    for part in condition.operands(requires) if tag == "!" else ():
        if condition.operator_of(part) == "on":
            name = condition.term(part)[1]
            entry = world.config.entry(world.spelled(name))
            reason = f"{name}={entry.value} ({entry.location}) prevents it"
            return Blocked(reason, against=True, planned=moved((name,), world))
        if condition.operator_of(part) == "present":  # another release's, and nothing to write
            name = condition.term(part)[1]
            return Blocked(f"needs a kernel without {name}", absent=True)
    if tag == "sym":
        _, name, *compared = condition.term(requires)
        if compared == ["!=", "n"]:
            return Blocked(f"needs {name}, which is off in this configuration")
        untold = world.config.get(world.spelled(name)) is None
        if untold and compared[0] in ("<", "<=", ">", ">="):
            found = f"no line names {name}"  # n is what a switch is that no line names
        else:
            found = f"{name} is {world.symbol(name)}"
        if program := world.knowledge.fact("program", name).says:
            found = f"{found} (0 means that none was found): {program}"
            tool = (name, compared[1]) if compared[0] == ">=" else None
            return Blocked(f"needs {condition.show(requires)}, and {found}", tool=tool)
        return Blocked(f"needs {condition.show(requires)}, and {found}")
    if tag == "present":
        return Blocked(f"needs {condition.term(requires)[1]}, which this kernel does not have")
    return Blocked(f"needs {condition.show(requires)}")
