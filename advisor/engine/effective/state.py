"""The state of a tunable: what is compiled, what the boot line makes of it, what run time shows.

Without the lines that decide it, which causes.py looks for.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.effective import in_force, run_time
from advisor.engine.effective.group_state import group
from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.engine.effective.needs import met
from advisor.engine.effective.run_time import Reading
from advisor.engine.effective.supposed import each_way
from advisor.model import condition
from advisor.model.kernel import Layer, Word
from advisor.model.profile import REQUIREMENT
from advisor.model.state import State
from advisor.model.tunable import Tunable, Value, other_value

_NOTHING: frozenset[str] = frozenset()


SILENT = Reading()


def state_of(tunable: Tunable, world: KernelFacts) -> State | None:
    """The state of a tunable, without the lines that decide it."""
    if world.evaluate(tunable.only_if) is False:
        return None
    if tunable.kind == "group":
        return group(tunable, world)
    built, booted = compiled(tunable, world), _boot(tunable, world)
    # Where no layer says anything, the configuration may still lack the line that would.
    below = booted if booted.values else built
    shown = SILENT
    if world.files:
        shown = run_time.shown(tunable, below.values, world.files, world.evaluate)
    given = shown if shown.values else _runtime(tunable, world)
    runs = ""
    if shown.presence:
        # A file being there only confirms a value, and is no cause of it; nor does it show that the
        # kernel opens it, as under lockdown it does not.
        final, why = interpreted(tunable, below, world)
        fits = tuple(name for name in final.values if name in shown.values)
        if not fits and not (why and set(below.values) <= set(shown.values)):
            final, why = Reading(shown.values, shown.missing, shown.origins), ""
        elif fits and fits != final.values:
            missing = final.missing if len(fits) > 1 else _NOTHING
            final = final._replace(values=fits, missing=missing)
    elif shown.values:
        final, why = shown, ""  # in force by that name already
    else:
        final = given if given.values else below
        if final is booted and final.missing:
            final = _unless_ignored(tunable, booted, built, world)
        final, why = interpreted(tunable, final, world)
        runs = in_force.running(tunable, final.values, world)
    return State(
        tunable.id, final.values, compiled=built.values, boot=booted.values, runtime=given.values,
        origins=final.origins, missing=final.missing, why=why, counts=final.counts,
        kinds=final.kinds, runs=runs,
    )  # fmt: skip


def _unless_ignored(
    tunable: Tunable, booted: Reading, built: Reading, world: KernelFacts
) -> Reading:
    """What a word gives that the kernel may not honour: what was compiled stays possible, as far as
    it can be so in a kernel that ignores the word."""
    values = tuple(dict.fromkeys(booted.values + built.values))
    if world.config.complete:
        return booted._replace(values=values)
    in_any = set(_possible(tunable, world))
    values = tuple(value for value in values if value in in_any) or values
    # Where all ways lead to the same, nothing has to be told.
    return booted._replace(values=values, missing=booted.missing if len(values) > 1 else _NOTHING)


def _possible(tunable: Tunable, world: KernelFacts) -> Iterator[str]:
    """The values that the line and the configuration may give, each way that these may be."""
    if world.evaluate(tunable.only_if) is False:
        return
    built, booted = compiled(tunable, world), _boot(tunable, world)
    ways = tuple(each_way(booted.missing, world)) if booted.missing else ()
    for way in ways:
        yield from _possible(tunable, way)
    if not ways:
        yield from booted.values
        yield from built.values if booted.missing or not booted.values else ()


def compiled(tunable: Tunable, world: KernelFacts) -> Reading:
    """What the configuration alone gives."""
    if tunable.symbol:
        symbol = world.spelled(tunable.symbol)
        number = world.config.get(symbol)
        if number is not None:
            return Reading((number.strip('"'),))
        missing = _NOTHING if world.config.complete else frozenset((tunable.symbol,))
        return _by_default(tunable, missing, world)
    values: list[str] = []
    missing = _NOTHING
    for value in tunable.values:
        if value.when is None and not value.sets:
            continue
        is_needed = tunable.kind == REQUIREMENT
        truth = met(value.when, world) if is_needed else world.evaluate(value.built_when)
        if truth is False:
            continue
        values.append(value.name)
        if truth is True:
            return Reading(tuple(values), missing)
        missing |= condition.unknowns(truth)
    reading = _by_default(tunable, missing, world)
    return reading._replace(values=tuple(dict.fromkeys((*values, *reading.values))))


def _by_default(tunable: Tunable, missing: frozenset[str], world: KernelFacts) -> Reading:
    """What it is where nothing is said about it: each that it may be in kernels like this one;
    nothing where it may also be what no rule names."""
    values: list[str] = []
    for default in tunable.defaults:
        truth = world.evaluate(default.only_if)
        if truth is not False:
            values.append(default.value)
            missing |= condition.unknowns(truth)
        if truth is True:
            break
    else:
        values = [*values, tunable.default] if tunable.default else []
    return Reading(tuple(dict.fromkeys(values)), missing)


def _boot(tunable: Tunable, world: KernelFacts) -> Reading:
    if not world.line.words:
        return SILENT
    if tunable.parameter:
        words = world.line.counting(tunable.parameter)
        found = _joined(words, world)
        if tunable.flag and world.evaluate(tunable.requires) is not False:
            cpus, word = _flagged(tunable.flag, world)
            # Where both name the same CPUs, each of them would do.
            if word and cpus == (found or cpus):
                return _read(cpus, [*words, word], world)
        return _read(found, words, world) if words else SILENT
    spelled = ((value, _spelled_on_line(value, world)) for value in tunable.values)
    given = [(value, *found) for value, found in spelled if found]
    # Of values that differ the kernel ends with the one whose word it reads last; one for any other
    # word of the parameter (`skew_tick=*`) stands back.
    value, words, _ = max(
        given, key=lambda one: (max(map(_place, one[1])), one[2]), default=(None, [], False)
    )
    allowed = world.evaluate(value.boot_only_if) if value else False
    if value is None or allowed is False:
        return SILENT
    reading = _read(value.name, words, world)
    return reading._replace(missing=reading.missing | condition.unknowns(allowed))


def _joined(words: list[Word], world: KernelFacts) -> str:
    """The values of one parameter's words that count; of several numbers each with its size."""
    parameter = world.line.parameter(words[0]) if words else None
    if parameter and parameter.duplicates == "sized" and len(words) > 1:
        pools = world.line.huge_pages(words).pools
        sized = (f"{p.counted.value} of {p.name}" for p in pools if p.counted)
        return ", ".join(sized)
    return ",".join(word.value or "" for word in words)


def _flagged(flag: str, world: KernelFacts) -> tuple[str, Word | None]:
    """The list of another parameter that has the flag, and its word; none where there is none."""
    from advisor.engine.effective.cpu_lists import parted

    name, _, purpose = flag.partition("=")
    for given in world.line.lists():
        if given.parameter.name == name and purpose in given.purposes and given.counts:
            return parted(given.counts.value or "", given.rules)[1], given.word
    return "", None


def _place(word: Word) -> int:
    # Any word of the boot loader's counts as behind all the built-in ones.
    return word.column + (0 if word.layer is Layer.BUILT_IN else 1 << 20)


def _read(value: str, words: list[Word], world: KernelFacts) -> Reading:
    """What these words say, with what would tell whether the kernel honours them."""
    truths = (world.line.honours(word.text).truth for word in words)
    missing = _NOTHING.union(*map(condition.unknowns, truths))
    return Reading((value,), missing)


def _spelled_on_line(value: Value, world: KernelFacts) -> tuple[list[Word], bool] | None:
    """The words on the line that give this value, and whether just these do; None if one of them is
    missing."""
    for pattern in (value.boot, *value.reads):
        words = [world.line.matching(word) for word in pattern]
        if words and all(words):
            exact = not any(word.endswith("=*") for word in pattern)
            return [word for matches in words for word in matches], exact
    return None


def _runtime(tunable: Tunable, world: KernelFacts) -> Reading:
    given = world.settings()
    if not given or in_force.is_refused(tunable, given, world):
        return SILENT
    if tunable.sysctl in given:
        return Reading((given[tunable.sysctl][0],))
    values = [value for value in tunable.values if value.sysctl]
    for value in values:
        if all(key in given and value.reads_as(key, given[key][0]) for key, _ in value.sysctl):
            return Reading((value.name,))
    for key in dict.fromkeys(key for value in values for key, _ in value.sysctl):
        text = given[key][0] if key in given else None
        if text is None or any(value.reads_as(key, text) for value in values):
            continue
        if not world.refuses(key, text):
            return Reading((other_value(text),))
    return SILENT


def interpreted(tunable: Tunable, reading: Reading, world: KernelFacts) -> tuple[Reading, str]:
    """The reading with the names that mean something else here replaced, and why."""
    why = ""
    for rule in tunable.interpret:
        if not any(map(rule.concerns, reading.values)):
            continue
        truth = world.evaluate(rule.only_if)
        if truth is False:
            continue
        values: list[str] = []
        for name in reading.values:
            # Where it may hold, both are possible.
            values += [name] * (truth is not True or not rule.concerns(name))
            values += [rule.target] * rule.concerns(name)
        missing = reading.missing | condition.unknowns(truth)
        reading = reading._replace(values=tuple(dict.fromkeys(values)), missing=missing)
        if not any(name.isupper() for name in condition.unknowns(truth)):
            why = rule.why  # else a fragment does not tell whether it is so
    return reading, why
