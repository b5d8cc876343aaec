"""Records in words, and as the tables of docs/lab.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import tomli

from .effects import Effect, boot, boot_found, effects, exercised, memory, noise
from .record import Built, Record
from .settings import CONTROL, TOGETHER
from .together import checked

# The kernel that a row of published.toml is held against, where it names none.
_PUBLISHED_ON = "cloud-6.12"


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
    for effect in sorted(found, key=_by_size):
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
    yield f"boot       {boot(base):,.0f} -> {boot(record):,.0f} million kernel instructions"
    yield f"repeat     python -m lab run {_asked(record)} --kernel {made.kernel}"


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


def images(records: Iterable[Record]) -> Iterator[str]:
    """What another image is to sizes and memory, as a table of Markdown; nothing where there is
    none."""
    base, *others = records
    built = [(record, record.built) for record in others if record.built]
    if not built:
        return
    yield "| setting | options that differ | text | data | bss | image | memory |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for record, image in built:
        cells = (_bytes(image.sizes.get(kind)) for kind in ("text", "data", "bss", "image"))
        more = memory(base, record)
        taken = f"{more:+,} kB" if more is not None else "·"
        yield f"| `{record.name}` | {len(image.moved)} | {' | '.join(cells)} | {taken} |"


def _bytes(sides: tuple[int, int] | None) -> str:
    if sides is None:
        return ""
    before, after = sides
    return f"{after - before:+,}" if after != before else "·"


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
        record = by_name.get(figure["record"])
        if record and figure.get("kernel", _PUBLISHED_ON) == base.made.kernel:
            found = {effect.window: effect for effect in effects(base, record)}
            here = ", ".join(_cell(found[window]) for window in figure["windows"])
            told = [", ".join(figure["windows"]), here]
            told += [figure[key] for key in ("first", "published", "source", "says")]
            yield f"| `{record.name}` | {' | '.join(told)} |"
