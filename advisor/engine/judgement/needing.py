"""Which programs need what a finding asks for, and have not got it in this kernel."""

from __future__ import annotations

from advisor.engine.effective.needs import met
from advisor.engine.effective.world import World
from advisor.engine.remedy.conditions import needed
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.finding import Finding, Verdict
from advisor.model.profile import Needing
from advisor.model.tunable import Tunable

_OPEN = (Verdict.CHANGE, Verdict.BLOCKED)


def narrowed(finding: Finding, world: World) -> Finding:
    """Return the finding; of the functions that need what it asks for those that do not work, for
    want of something that is the tunable's."""
    advice = finding.advice
    needing = advice.needed_by if finding.verdict in _OPEN else ()
    own = {
        name
        for option in (advice.options if needing else ())
        for name in names_of(world.knowledge.tunable(option.tunable))
    }
    kept = tuple(one for one in needing if _is_unmet(one, own, world))
    return finding._replace(advice=advice._replace(needed_by=kept))


def _is_unmet(one: Needing, own: set[str], world: World) -> bool:
    program = world.knowledge.program(one.program)
    function = program.function(one.function) if program else None
    parts = function.parts if function else ()
    unmet = (part.needs for part in parts if met(part.needs, world) is False)
    return any(not own.isdisjoint(named(needed(needs, world))) for needs in unmet)


def named(expr: Expr) -> set[str]:
    """Return the symbols and tunables that a condition names."""
    tunables = {atom[1] for atom in condition.atoms(expr) if atom[0] == "is"}
    return {*condition.symbols(expr), *tunables}


def names_of(tunable: Tunable) -> set[str]:
    """Return what conditions may call a tunable by: its id and the symbols that it is made of."""
    members = (member.symbol for member in tunable.members)
    whens = (*(one.when for one in tunable.values), *(one.when for one in tunable.members))
    told = (symbol for when in whens for symbol in condition.symbols(when))
    return {tunable.id, tunable.symbol, *tunable.set_symbols, *members, *told} - {""}
