"""Records in words, and as the tables of docs/lab.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import tomli

from .effects import Effect, boot, boot_found, effects, exercised, memory, noise
from .record import Record
from .settings import CONTROL, TOGETHER
from .together import checked


def explain(base: Record, record: Record) -> Iterator[str]:
    """What a record says, for a reader who knows nothing of it."""
    setting, made = record.setting, record.made
    writes = (f"{path} = {text}" for path, text in setting.writes)
    yield f"{setting.name}: {', '.join([*setting.words, *writes])}"
    yield f"kernel     {made.release} ({made.package}), one CPU, qemu {made.qemu}"
    for name, seen in record.members.items():
        yield f"with       {name}; {seen.where}: {seen.without!r} without, {seen.with_it!r} with it"
    if record.witness and record.witness.where:
        seen = record.witness
        yield f"witness    {seen.where}: {seen.without!r} without, {seen.with_it!r} with it"
    found = list(effects(base, record))
    if not any(effect.found for effect in found):
        yield f"no effect in these windows: {', '.join(effect.window for effect in found)}"
    for effect in sorted(found, key=_by_size):
        if effect.found:
            yield f"{effect.window:<19}{sentence(effect)}"
            yield from _functions(record, base, effect.window)
    if windows := exercised(record):
        functions = sorted({row[0] for name in windows for row in record.ran[name]})
        yield f"ran        {', '.join(functions)} in {', '.join(windows)}"
    none = [effect.window for effect in found if not effect.found]
    if none and len(none) < len(found):
        yield f"no effect in these windows: {', '.join(none)}"
    more = memory(base, record)
    if more is not None:
        yield f"memory     {more:+,} kB"
    yield f"boot       {boot(base):,.0f} -> {boot(record):,.0f} million kernel instructions"
    asked = setting.name
    if record.members:
        asked = f"--together {setting.value} {' '.join(record.members)}"
    yield f"repeat     python -m lab run {asked} --kernel {made.kernel}"


def sentence(effect: Effect) -> str:
    """The difference with its base, and the share, which holds for that base alone."""
    share = f", {_percent(effect.share)}" if effect.share is not None else ""
    return (
        f"{effect.difference:+,.0f} kernel instructions an operation, of {effect.without:,.0f}"
        f"{share}; seeds differ by {effect.spread:,.1f}"
    )


def _percent(share: float) -> str:
    return f"x{1 + share:.1f}" if share >= 2 else f"{100 * share:+.1f} %"


def _by_size(effect: Effect) -> float:
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


# The windows of the table, as its columns are called.
COLUMNS = {
    "getppid": "getppid", "read-byte": "read", "open-close": "open", "create-unlink": "create",
    "fork-exit": "fork", "fork-exec": "exec", "page-faults-1024": "1024 faults",
    "map-touch-unmap": "map",
    "pipe-round-trip": "pipe", "tcp-round-trip": "TCP", "udp-send-receive": "UDP",
    "hackbench": "hackbench", "signal": "signal", "futex-hand-over": "futex", "yield": "yield",
    "sleep-wake": "sleep", "io-uring-nop": "io_uring",
}  # fmt: skip


def table(records: Iterable[Record]) -> Iterator[str]:
    """All settings of a kernel, as a table of Markdown: percent where there is an effect."""
    base, *others = records
    per = {effect.window: effect for effect in effects(base, base)}
    spread = noise(base)
    yield f"| setting | {' | '.join(COLUMNS.values())} | boot | memory | other windows |"
    yield "|---|" + "---:|" * (len(COLUMNS) + 2) + "---|"
    yield _row("*as it is: instructions*", (f"{per[w].without:,.0f}" for w in COLUMNS),
               f"{boot(base):,.0f} M", "", "")  # fmt: skip
    yield _row("*seeds differ by*", (f"{100 * spread[w]:.2f} %" for w in COLUMNS), "", "", "")
    for record in others:
        if record.setting.tunable == TOGETHER:
            continue
        found = {effect.window: effect for effect in effects(base, record)}
        cells = (_cell(found[window]) for window in COLUMNS)
        rest = [e for e in found.values() if e.found and e.window not in COLUMNS]
        rest.sort(key=_by_size)
        more = ", ".join(f"{effect.window} {_cell(effect)}" for effect in rest)
        grown = boot(record) / boot(base) - 1
        changed = f"{100 * grown:+.0f} %" if boot_found(base, record) else ""
        name = f"{record.setting.name} (nothing)" if record.setting == CONTROL else record.name
        kilobytes = memory(base, record)
        kept = "" if kilobytes is None else f"{kilobytes:+,} kB"
        yield _row(f"`{name}`", cells, changed, kept, more)


def _cell(effect: Effect) -> str:
    if not effect.found:
        return "·"
    return f"{effect.difference:+,.0f}" if effect.share is None else _percent(effect.share)


def _row(first: str, cells: Iterable[str], *others: str) -> str:
    return f"| {first} | {' | '.join([*cells, *others])} |"


def sums(records: Iterable[Record]) -> Iterator[str]:
    """Of settings that were counted at once, what they come to and what their own records add."""
    base, *others = records
    by_name = {record.name: record for record in others}
    several = [record for record in others if record.setting.tunable == TOGETHER]
    for record in several:
        names = ", ".join(f"`{name}`" for name in record.members)
        yield f"`{record.setting.value}`: {names}."
        yield ""
        yield "| window | as it is | settings | their records add | at once | apart |"
        yield "|---|---:|---:|---:|---:|---:|"
        for one in checked(base, record, by_name):
            figures = (f"{n:+,.0f}" for n in (one.summed, one.measured))
            yield (
                f"| {one.window} | {one.without:,.0f} | {one.settings} | "
                f"{' | '.join(figures)} | {100 * one.apart:.1f} % |"
            )
        if record is not several[-1]:
            yield ""


def calibration(records: Iterable[Record]) -> Iterator[str]:
    """Our figures beside those of others (published.toml), of the records that there are."""
    base, *others = records
    by_name = {record.name: record for record in others}
    yield "| setting | window | here | first | published | where | verdict |"
    yield "|---|---|---|---|---|---|---|"
    for figure in tomli.loads((Path(__file__).parent / "published.toml").read_text())["figure"]:
        if record := by_name.get(figure["record"]):
            found = {effect.window: effect for effect in effects(base, record)}
            here = ", ".join(_cell(found[window]) for window in figure["windows"])
            told = [", ".join(figure["windows"]), here]
            told += [figure[key] for key in ("first", "published", "source", "says")]
            yield f"| `{record.name}` | {' | '.join(told)} |"
