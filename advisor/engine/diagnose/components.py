"""Values that name what the kernel does not have, or may not have by then (rules/components.toml).

Of words, settings and strings alike: what is not built, a module that nothing may have loaded yet,
a name that nothing has, and what is built and stands in no list that starts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.effective import components, in_force
from advisor.engine.effective.components import Named, Standing
from advisor.engine.effective.world import World
from advisor.errors import meant, shortened
from advisor.model import condition
from advisor.model.component import Component, Place
from advisor.model.condition import Expr
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import Layer, Location, Word
from advisor.model.rules import address
from advisor.model.saying import said
from advisor.record import NamedTuple

# Expressions, as texts: few values are wrong, and every audit would compile them.
_QUOTES = "[\u2018-\u201f\u2032-\u2036\u00ab\u00bb\u2039\u203a]"
_OTHERS = r"[;:|]|\s+"
_MOST = 6
_BEFORE_INIT = (Layer.BOOT, Layer.BUILT_IN)


class _Value(NamedTuple):
    """A value of a place: how it is shown, where it stands, what identifies it; `early` where it is
    read before modules can be loaded from the root file system."""

    text: str
    shown: str
    location: Location
    subject: str
    component: Component
    place: Place
    early: bool = False

    def told(self, name: str, message: str, remedy: str) -> Diagnostic:
        """Return the diagnostic of that id about the value."""
        message, source = f"{self.shown}{message}", address(self.component.sources)
        return diagnostic(name, self.location, message, remedy, source, self.subject)


def diagnose_word(word: Word, world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with the names in a word of the boot line."""
    parameter = world.line.parameter(word)
    found = world.knowledge.named_in("boot", parameter.name) if parameter else None
    if found and word.value:
        early = condition.surely(found[1].early, world)
        shown, place = shortened(word.text), world.place(word)
        yield from _of_value(_Value(word.value, shown, place, word.text, *found, early), world)


def diagnose_setting(
    key: str, text: str, location: Location, layer: Layer, world: World
) -> Iterator[Diagnostic]:
    """Report what is wrong with the name in a setting: a sysctl, or a path below /sys."""
    if found := _place_of(key, world):
        # Words `sysctl.NAME=` are read before init starts (init/main.c#kernel_init, read in 6.12):
        # with an initramfs, that one alone has the modules by then.
        early = layer in _BEFORE_INIT and world.symbol("BLK_DEV_INITRD") == "y"
        shown = f"{key} = {shortened(text)}"
        yield from _of_value(_Value(text, shown, location, key, *found, early), world)


def _place_of(key: str, world: World) -> tuple[Component, Place] | None:
    if not key.startswith("/"):
        return world.knowledge.named_in("sysctl", key)
    from advisor.inputs.nextboot.writes import expression  # where a host's files write some

    patterns = world.knowledge.naming("sysfs")
    path = next((path for path in patterns if re.fullmatch(expression(path), key)), "")
    return world.knowledge.named_in("sysfs", path)


def diagnose_strings(world: World) -> Iterator[Diagnostic]:
    """Report wrong names in strings of the configuration, and what is built and never starts.

    Kconfig's own defaults name what is not built.
    """
    for symbol in world.knowledge.naming("config"):
        found = world.knowledge.named_in("config", symbol)
        if found is None or world.config.get(symbol) is None:
            continue
        text = world.symbol(symbol) or ""
        location = world.config.entry(symbol).location
        value = _Value(text, f"CONFIG_{symbol}", location, symbol, *found)
        for one in components.named(text, *found, world):
            yield from _unknown(value._replace(subject=one.name), [one], world)
        yield from _not_started(found[0], world)


def _of_value(value: _Value, world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with the names in a value."""
    names = components.named(value.text, value.component, value.place, world)
    yield from _unknown(value, names, world)
    yield from _absent(value, names, world)
    if value.early:
        yield from _module(value, names, world)


def _absent(value: _Value, names: Sequence[Named], world: World) -> Iterator[Diagnostic]:
    absent = [one for one in names if one.standing is Standing.ABSENT]
    if not absent:
        return
    lacking = [condition.lacking(condition.elsewhere(one.needs, world), world) for one in absent]
    needs = (
        f"it needs {condition.show(expr)}"
        if {condition.operator_of(part) for part in _parts(expr)} == {"on"}
        else f"available only if {said(expr)}"
        for expr in lacking
    )
    told = [f"{one.name} ({needed})" for one, needed in zip(absent, needs, strict=True)]
    title, otherwise = value.component.title, value.place.otherwise
    lines = [line for expr in lacking if (line := _line(expr, world))]
    build = f"build a kernel with {_and(lines)}, or " if lines else ""
    message = f": this kernel has no {title} {_and(told)}: {otherwise}"
    yield value.told("component-absent", message, f"{build}{_other_way(value, world)}")


def _module(value: _Value, names: Sequence[Named], world: World) -> Iterator[Diagnostic]:
    modules = [one for one in names if one.standing is Standing.MODULE and one.needs]
    if not modules:
        return
    symbols = [name for one in modules for name in condition.symbols(one.needs)]
    symbols = [name for name in dict.fromkeys(symbols) if world.symbol(name) == "m"]
    message = (
        f": {_and([one.name for one in modules])} is a module "
        f"({_and([f'{name}=m' for name in symbols])}), but the kernel needs it before the root "
        "file system is mounted. If no initramfs contains the module, "
        f"{value.place.otherwise}"
    )
    initrd = "" if world.symbol("BLK_DEV_INITRD") != "n" else " (with BLK_DEV_INITRD=y)"
    lines = _and([f"{name}=y" for name in symbols])
    remedy = f"build a kernel with {lines}, or put the module into the initramfs{initrd}"
    yield value.told("component-module", message, remedy)


def _unknown(value: _Value, names: Sequence[Named], world: World) -> Iterator[Diagnostic]:
    for one in names:
        if one.standing is Standing.UNKNOWN:
            why, remedy = _slip(one.name, value.component, value.place)
            message = f": there is no {value.component.title} {shortened(one.name)}{why}"
            remedy = remedy or _other_way(value, world)
            yield value.told("component-unknown", f"{message}: {value.place.otherwise}", remedy)


def _slip(name: str, component: Component, place: Place) -> tuple[str, str]:
    """Return what made a name a wrong one, and what is meant; empty texts where nothing is near."""
    known = component.names.keys()
    plain = re.sub(_QUOTES, "", name).strip("\"'")
    if plain != name and plain in known:
        marks = "".join(letter for letter in name if letter not in plain)
        kind = "a typographic quote" if re.search(_QUOTES, name) else "a quote"
        return f", because {marks} is {kind} and part of the name", f"write {plain}"
    first, _, rest = name.partition(" ")
    if first in known and rest.strip()[:1] in ("#", ";"):
        why = ", because the comment is part of the value"
        return why, "move the comment to a line of its own"
    parts = [part for part in re.split(_OTHERS, name) if part]
    if place.is_list and len(parts) > 1 and set(parts) <= known:
        return ", because only commas separate names", f"write {','.join(parts)}"
    near = components.meant(plain, component)
    return "", meant(near)


def _not_started(component: Component, world: World) -> Iterator[Diagnostic]:
    """Report what is built and not named by the list that starts it."""
    listed = in_force.starting_list(component, world)
    if listed is None:
        return
    place, text = listed
    # One that stands there in quotes is told as a wrong name.
    names = [name for name in in_force.left_out(component, world) if name not in text]
    if not names:
        return
    if place.layer == "boot":
        word = world.line.counting(place.name)[-1]
        shown, location, subject = shortened(word.text), world.place(word), word.text
        # In the order of the compiled list, and first what that list does not have.
        compiled = in_force.compiled_list(component, world)
        names.sort(key=lambda name: compiled.index(name) if name in compiled else -1)
    else:
        shown, subject = f"CONFIG_{place.name}", place.name
        location = world.config.entry(place.name).location
    value = _Value(text, shown, location, subject, component, place)
    be, them = ("is", "it") if len(names) == 1 else ("are", "them")
    says = "replaces the compiled list and does" if place.layer == "boot" else "does"
    message = f" {says} not name {_and(names)}, which {be} built: the kernel never starts {them}"
    whole = ",".join((*names, text)) if text else ",".join(names)
    boot = next(one.name for one in component.lists if one.layer == "boot")
    remedy = (
        f"add {_and(names)} to the list, as with {boot}={whole}, or build a kernel without {them}"
    )
    yield value.told("component-not-started", message, remedy)


def _other_way(value: _Value, world: World) -> str:
    """Return the way out that needs no other kernel."""
    place, component = value.place, value.component
    what = "remove the parameter" if place.layer == "boot" else "remove the line"
    if place.is_list:
        return "remove the name"
    # Of modules of which one starts, no other may be chosen.
    choosable = component.exclusive or component.names
    has = [
        name
        for name, needs in component.names.items()
        if needs
        and name in choosable
        and components.standing(name, component, world).standing in components.BUILT
    ]
    if not has or not component.closed or len(has) > _MOST:
        return what
    return f"{what}, or name another {component.title}: {', '.join(has)}"


def _line(expr: Expr, world: World) -> str:
    """Return the line that builds what is lacking; empty where a line cannot."""
    if condition.operator_of(expr) == "|":
        ways = (_line(part, world) for part in condition.operands(expr))
        return next(filter(None, ways), "")
    symbols = []
    for part in _parts(expr):
        if condition.operator_of(part) != "on" or world.is_elsewhere(condition.term(part)[1]):
            return ""
        if _is_hidden(condition.term(part)[1], world):  # Kconfig drops its line
            return ""
        symbols.append(f"{world.spelled(condition.term(part)[1])}=y")
    return _and(symbols)


def _is_hidden(name: str, world: World) -> bool:
    """Return whether a symbol has no prompt here: in no kernel read around this one, or not in all
    of them, and the configuration has no line of it."""
    prompts = [bool(trait.prompt) for trait in world.traits(name) or ()]
    return bool(prompts) and not (all(prompts) or (any(prompts) and world.present(name)))


def _parts(expr: Expr) -> Sequence[Expr]:
    """Return what an operator joins, or the only part."""
    return condition.operands(expr) if condition.operator_of(expr) in ("&", "|") else [expr]


def _and(texts: Iterable[str]) -> str:
    *rest, last = texts
    return f"{', '.join(rest)} and {last}" if rest else last
