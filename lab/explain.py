"""Records in words."""

from __future__ import annotations

from collections.abc import Iterator

from .effects import Effect, boot, effects, exercised, memory, starting, unpacking
from .record import Built, Record


def explain(base: Record, record: Record) -> Iterator[str]:
    """What a record says, for a reader who knows nothing of it."""
    setting, made = record.setting, record.made
    writes = (f"{path} = {text}" for path, text in setting.writes)
    lines = (f"{symbol}={value}" for symbol, value in setting.lines)
    yield f"{setting.name}: {', '.join([*setting.words, *writes, *lines])}"
    yield f"kernel     {made.release} ({made.package}), one CPU, qemu {made.qemu}"
    for name, seen in record.members.items():
        yield f"with       {name}; {seen.where}: {seen.without!r} without, {seen.with_it!r} with it"
    if record.witness and record.witness.where:
        seen = record.witness
        yield f"witness    {seen.where}: {seen.without!r} without, {seen.with_it!r} with it"
    if record.built:
        yield from _image(record.built)
    found = list(effects(base, record))
    nothing = not any(effect.found for effect in found)
    if nothing:
        yield f"no effect in these windows: {', '.join(effect.window for effect in found)}"
    for effect in sorted(found, key=by_size):
        if effect.found:
            yield f"{effect.window:<19}{sentence(effect)}"
            yield from _functions(record, base, effect.window)
    windows = exercised(record)
    if windows and (nothing or not record.built):
        functions = sorted({row[0] for name in windows for row in record.ran[name]})
        yield f"ran        {', '.join(functions)} in {', '.join(windows)}"
    none = [effect.window for effect in found if not effect.found]
    if none and len(none) < len(found):
        yield f"no effect in these windows: {', '.join(none)}"
    more = memory(base, record)
    if more is not None:
        yield f"memory     {more:+,} kB"
    yield from _start(base, record)
    yield f"repeat     python -m lab run {_asked(record)} --kernel {made.kernel}"


def _start(base: Record, record: Record) -> Iterator[str]:
    yield f"boot       {boot(base):,.0f} -> {boot(record):,.0f} million kernel instructions"
    if starting(base, record)[0] != boot(base):
        before, after = unpacking(base), unpacking(record)
        yield f"unpacking  {before:,.0f} -> {after:,.0f} million instructions"


def _asked(record: Record) -> str:
    """How the lab is asked for it."""
    if record.members:
        return f"--together {record.setting.value} {' '.join(record.members)}"
    return record.setting.name


def _image(built: Built) -> Iterator[str]:
    """In which options the other image differs, and its sizes; those that only show, or hide, what
    is not set are counted alone."""
    told = [
        f"{symbol} {before or 'none'} -> {after or 'none'}"
        for symbol, before, after in built.moved
        if (before or "n") != (after or "n")
    ]
    yield f"options    {len(built.moved)} differ: {', '.join(told)}"
    for kind, (before, after) in built.sizes.items():
        yield f"{kind:<11}{before:,} -> {after:,} bytes"


def sentence(effect: Effect) -> str:
    """The difference with its base, and the share, which holds for that base alone."""
    share = f", {percent(effect.share)}" if effect.share is not None else ""
    return (
        f"{effect.difference:+,.0f} kernel instructions an operation, of {effect.without:,.0f}"
        f"{share}; seeds differ by {effect.spread:,.1f}"
    )


def percent(share: float) -> str:
    """A share as it is told: from three times on as a factor."""
    return f"x{1 + share:.1f}" if share >= 2 else f"{100 * share:+.1f} %"


def by_size(effect: Effect) -> float:
    """The order of effects: the largest share first."""
    return -abs(effect.share) if effect.share is not None else -abs(effect.difference)


def _functions(record: Record, base: Record, window: str) -> Iterator[str]:
    """Which functions run more, or less."""
    counted = record.windows[window]
    seeds = [seed for seed in record.seeds if seed in base.seeds]
    times = counted.operations * len(counted.counts[0]) * len(seeds)
    rows = [(name, (after - before) / times) for name, before, after in record.functions[window]]
    told = [f"{name} {more:+,.0f}" for name, more in rows[:3] if abs(more) >= 1]
    if told:
        yield f"{'':19}{', '.join(told)}"
