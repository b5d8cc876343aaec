"""What is in force of values that name a thing (rules/components.toml): settings that the kernel
takes, and the modules that a list starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from advisor.engine.effective.components import BUILT, built, named, takes
from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.engine.effective.run_time import are_listed
from advisor.model import condition
from advisor.model.component import Component, Place
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
    """Return which one runs of several exclusive ones that the kernel could start, where one of
    them gives a switch its value on; else an empty text."""
    component = _exclusive(tunable, world) if values == ("on",) else None
    listed = starting_list(component, world) if component else None
    if not component or listed is None:
        return ""
    # A word that names one of them leaves no other.
    words = (p.name for p in component.places if p.layer == "boot" and p not in component.lists)
    if any(map(world.line.counting, words)):
        return ""
    place, text = listed
    ready = [
        found.name
        for found in named(text, component, place, world)
        if found.name in component.exclusive and found.standing in BUILT
        if condition.evaluate(component.exclusive[found.name], world) is not False
    ]
    first, *others = dict.fromkeys(ready) or [""]
    if not others:
        return ""
    return f"{first}, which excludes {' and '.join(others)} later in the list"


def _exclusive(tunable: Tunable, world: KernelFacts) -> Component | None:
    """Return the component of which the first value adds an exclusive name to a list."""
    ways = (way for value in tunable.values[:1] for way in value.sets)
    for symbol, text in chain.from_iterable(ways):
        found = world.knowledge.named_in("config", symbol)
        if found and not found[0].exclusive.keys().isdisjoint(text.split(",")):
            return found[0]
    return None


def compiled_list(component: Component, world: KernelFacts) -> list[str]:
    """Return the names in the compiled list of what starts; none where there is no list."""
    for place in component.lists:
        if place.layer == "config" and world.config.get(place.name) is not None:
            return (world.symbol(place.name) or "").split(",")
    return []


def left_out(component: Component, world: KernelFacts) -> Iterator[str]:
    """Yield what is built and not listed by what starts it: what waits for being listed, and the
    exclusive one that the compiled list starts, where a word replaces that list and names none."""
    listed = starting_list(component, world)
    if listed is None:
        return
    names = listed[1].split(",")
    replaced = compiled_list(component, world) if listed[0].layer == "boot" else []
    ready = [
        name
        for name, needs in component.names.items()
        if built(needs, world) in BUILT
        and condition.evaluate(component.exclusive.get(name), world) is not False
    ]
    exclusive = component.exclusive.keys() & ready
    # Of the exclusive ones that the list names it starts the first.
    first = next((name for name in replaced if name in exclusive), "")
    taken = not exclusive.isdisjoint(names)
    for name in ready:
        if name in names or condition.evaluate(component.waits.get(name), world) is False:
            continue
        if name in component.waits or (name == first and not taken):
            yield name
