"""What is in force of values that name a thing (rules/components.toml): settings that the kernel
takes, and the modules that a list starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.engine.effective.components import BUILT, built, named, takes
from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.engine.effective.run_time import are_listed
from advisor.model import condition
from advisor.model.component import Component, ComponentName, Place
from advisor.model.state import Origin
from advisor.model.tunable import Tunable

Settings = Mapping[str, tuple[str, Origin]]


def is_refused(tunable: Tunable, given: Settings, world: KernelFacts) -> bool:
    """Return whether the kernel refuses the setting of run time that is given for a tunable, as it
    has nothing of that name, or as the number is out of range."""
    if are_listed(world.subject.sysctl):
        return False  # the kernel itself shows the values
    return any(
        takes("sysctl", key, given[key][0], world.knowledge, world) is False
        or (key == tunable.sysctl and world.refuses(key, given[key][0]))
        for key in tunable.sysctls
        if key in given
    )


def starting_list(component: Component, world: KernelFacts) -> tuple[Place, str] | None:
    """Return the place that lists what starts, and its text; None where nothing does."""
    for place in component.lists:
        if place.layer == "boot" and (words := world.line.counting(place.name)):
            return place, words[-1].value or ""
        if place.layer == "config" and world.config.get(place.name) is not None:
            return place, world.symbol(place.name) or ""
    return None


def running(tunable: Tunable, values: tuple[str, ...], world: KernelFacts) -> str:
    """Return which one runs of several exclusive ones that the kernel could start, where a tunable
    tells that one does; else an empty text."""
    if not tunable.runs or values != ("on",):
        return ""
    component = world.knowledge.component(tunable.runs)
    listed = starting_list(component, world)
    # A word that names one of them leaves no other.
    words = (p.name for p in component.places if p.layer == "boot" and p not in component.lists)
    one = any(map(world.line.counting, words))
    if listed is None or one:
        return ""
    place, text = listed
    ready = [
        found.name
        for found in named(text, component, place, world)
        if found.known and found.known.exclusive and found.standing in BUILT
        if condition.evaluate(found.known.exclusive_if, world) is not False
    ]
    first, *others = dict.fromkeys(ready) or [""]
    if not others:
        return ""
    return f"{first}, which excludes {' and '.join(others)} after it in the list"


def compiled_list(component: Component, world: KernelFacts) -> list[str]:
    """Return the names in the compiled list of what starts; none where there is no list."""
    for place in component.lists:
        if place.layer == "config" and world.config.get(place.name) is not None:
            return (world.symbol(place.name) or "").split(place.separator or None)
    return []


def left_out(component: Component, world: KernelFacts) -> Iterator[ComponentName]:
    """Yield what is built and not listed by what starts it: what waits for being listed, and the
    exclusive one that the compiled list starts, where a word replaces that list and names none."""
    listed = starting_list(component, world)
    if listed is None:
        return
    names = listed[1].split(listed[0].separator or None)
    replaced = compiled_list(component, world) if listed[0].layer == "boot" else []
    ready = [
        one
        for one in component.names
        if built(one.only_if, world) in BUILT
        and condition.evaluate(one.exclusive_if, world) is not False
    ]
    # Of the exclusive ones that the list names it starts the first.
    named_first = [one for one in ready if one.exclusive and one.name in replaced]
    first = min(named_first, key=lambda one: replaced.index(one.name), default=None)
    taken = any(one.exclusive and one.name in names for one in ready)
    for one in ready:
        if one.name in names or condition.evaluate(one.waits_if, world) is False:
            continue
        if one.waits or (one is first and not taken):
            yield one
