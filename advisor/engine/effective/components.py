"""Whether a kernel has the things that values name: compressors, governors, security modules.

One answer for words of the boot line, sysctls, files below /sys and strings of the configuration
(rules/components.toml).
"""

from __future__ import annotations

from enum import Enum

from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.component import Component, Place
from advisor.model.condition import Expr, Facts, Truth
from advisor.record import NamedTuple


class Standing(Enum):
    """Whether a kernel has a thing; UNTOLD where the configuration or the rules leave it open."""

    BUILT_IN = "built in"
    MODULE = "module"
    ABSENT = "absent"
    UNKNOWN = "unknown name"
    UNTOLD = "not known"


BUILT = (Standing.BUILT_IN, Standing.MODULE)
"""With these a kernel has the thing."""


class Named(NamedTuple):
    """A name in a value, whether the kernel has such a thing, and what it needs by the rules."""

    name: str
    standing: Standing
    needs: Expr = None


def named(text: str, component: Component, place: Place, facts: Facts) -> list[Named]:
    """Return the names in a value of the place, each with its standing."""
    if not text or condition.evaluate(component.only_if, facts) is False:
        return []
    return [standing(part, component, facts) for part in place.names(text)]


def standing(name: str, component: Component, facts: Facts) -> Named:
    """Return whether the kernel has the thing of that name."""
    same = str.lower if component.anycase else str
    known = next((one for one in component.names if same(one) == same(name)), None)
    if known is None:
        return Named(name, _of_other_name(name, component, facts))
    return Named(name, built(component.names[known], facts), component.names[known])


def built(when: Expr, facts: Facts) -> Standing:
    """Return how the thing is built that needs the condition."""
    truth = condition.evaluate(when, facts)
    if isinstance(truth, frozenset):
        return Standing.UNTOLD
    if not truth:
        return Standing.ABSENT
    return Standing.MODULE if by_modules(when, facts) else Standing.BUILT_IN


def by_modules(expr: Expr, facts: Facts) -> bool:
    """Tell whether a condition that holds does so by modules alone."""
    tag = condition.operator_of(expr)
    if tag == "on":
        return facts.symbol(condition.term(expr)[1]) == "m"
    if tag not in ("&", "|"):
        return False
    parts = condition.operands(expr)
    if tag == "&":
        return any(by_modules(part, facts) for part in parts)
    held = [part for part in parts if condition.evaluate(part, facts) is not False]
    return bool(held) and all(by_modules(part, facts) for part in held)


def _of_other_name(name: str, component: Component, facts: Facts) -> Standing:
    """Return the standing of a name that no rule has: a patch may bring it, with its symbol. A name
    in other letters than the kernel compares is none."""
    if name.lower() in component.names:
        return Standing.UNKNOWN
    plain = name.upper().replace("-", "_")
    values = [facts.symbol(symbol.replace("{}", plain)) for symbol in component.symbols]
    if "y" in values or "m" in values:
        return Standing.BUILT_IN if "y" in values else Standing.MODULE
    # The name holds more than a name: quotes, blanks, what no ASCII name has.
    is_misread = not name.isascii() or any(letter in " \t#;\"'" for letter in name)
    if is_misread or meant(name, component):
        return Standing.UNKNOWN
    closed = condition.surely(component.closed, facts) and None not in values
    return Standing.UNKNOWN if closed else Standing.UNTOLD


def meant(name: str, component: Component) -> list[str]:
    """Return the names that a wrong one may mean: those few slips away."""
    from advisor.model.likeness import slipped  # few values are wrong

    return slipped(name, [*component.names])


def takes(layer: str, name: str, text: str, knowledge: Knowledge, facts: Facts) -> Truth:
    """Return whether a value does anything in this kernel: not where the kernel has none of what
    the value names. The layer and name are those of `Knowledge.named_in`."""
    found = knowledge.named_in(layer, name)
    if found is None or found[1].stays:
        return True
    names = named(text, *found, facts)
    if not names or any(one.standing in BUILT for one in names):
        return True
    left_open = [one.needs for one in names if one.needs and one.standing is Standing.UNTOLD]
    if left_open:
        return condition.evaluate(left_open[0], facts)
    return any(one.standing is Standing.UNTOLD for one in names)
