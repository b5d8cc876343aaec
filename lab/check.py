"""What is wrong with the records: `python -m lab check`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from advisor.knowledge import folders, index, measured

from . import barred, carries, claims, fold, tables, together
from .effects import SEEDS, boot_found, control, effects, exercised, memory, size, unrest
from .fragment import OPTION
from .record import RECORDS, Record, all_of, kernels, text_of
from .settings import CONTROL, TOGETHER
from .witness import functions_of, in_image, proves, witness_of

# Kinds of tunables of which any value is one.
_OPEN = ("number", "text")


def problems() -> Iterator[str]:
    """A line for each, by kernel and record."""
    for kernel in kernels():
        records = all_of(kernel)
        if not records or records[0].setting.tunable:
            yield f"{kernel}: no record of the kernel as it is"
            continue
        base = records[0]
        by_name = {record.name: record for record in records}
        for record in records:
            wrong = [*problems_of(record, base)]
            if record.setting.tunable == TOGETHER:
                wrong += together.problems(record, by_name)
            yield from (f"{kernel}/{record.name}: {text}" for text in wrong)
            path = RECORDS / kernel / f"{record.name}.json"
            if not path.exists() or path.read_text() != text_of(record):
                yield f"{kernel}/{record.name}: not as the lab writes it"
    yield from claims.problems()
    yield from carries.problems([record for kernel in kernels() for record in all_of(kernel)])
    told = Path(folders.data(measured.FILE))
    if not told.exists() or told.read_text() != fold.text():
        yield f"{told.name}: not what the records say; python -m lab fold writes it"
    for path, names in fold.uncited():
        yield f"{path.name}: does not name {', '.join(names)}; python -m lab fold adds it"
    page = tables.PAGE.read_text()
    if page != tables.filled(page):
        yield f"{tables.PAGE.name}: not what the records say; python -m lab tables writes it"


def problems_of(record: Record, base: Record) -> Iterator[str]:
    """What is wrong with one record, beside the kernel as it is."""
    if len(record.seeds) < SEEDS:
        yield f"{len(record.seeds)} seeds, of which three are the fewest"
    if not set(record.seeds) <= set(base.seeds):
        yield "seeds that the kernel as it is was not counted with"
    if record.made != base.made:
        yield "made otherwise than the record of the kernel as it is"
    if not control(base, record):
        yield "the control differs: not the same program, or not the same machine"
    yield from unrest(record)
    if record.setting.tunable not in ("", CONTROL.tunable, TOGETHER):
        yield from _of_setting(record)
        yield from _of_nothing(record, base)


def _of_nothing(record: Record, base: Record) -> Iterator[str]:
    """That nothing was found says something only where what the setting changes was run."""
    if any(effect.found for effect in effects(base, record)) or boot_found(base, record):
        return
    if memory(base, record) is not None or size(record):
        return
    changed = functions_of(record.setting.tunable)
    if record.built and not changed:
        if not _one_sided(record):
            yield "no effect, and no code that only one of the images has runs in any window"
    elif not changed:
        yield "no effect, and no function is known that it changes (lab/witnesses.toml)"
    elif not {row[0] for rows in record.ran.values() for row in rows} <= set(changed):
        yield "counted other functions than those that it changes (lab/witnesses.toml)"
    elif not exercised(record):
        yield f"no effect, and no window runs {' or '.join(changed)} each time"


def _one_sided(record: Record) -> bool:
    """Whether in some window only one image ran a function, and that each time."""
    counts = {name: sum(map(len, window.counts)) for name, window in record.windows.items()}
    return any(
        {before, after} == {0, counts[name]}
        for name, rows in record.ran.items()
        for _, before, after in rows
    )


def _of_image(record: Record) -> Iterator[str]:
    """Where the setting is another image's: the lines that were asked for are among those that
    differ."""
    setting, built = record.setting, record.built
    if bool(setting.lines) != bool(built):
        yield "lines of a fragment, or another image, but not both"
    elif built:
        if built.image == record.made.image:
            yield "the same image as the kernel as it is"
        after = {symbol: value or "n" for symbol, _, value in built.moved}
        wanted = [(symbol, value) for symbol, value in setting.lines if symbol in after]
        if not wanted or any(after[symbol] != value for symbol, value in wanted):
            yield "the options that differ are not those that were asked for"


def _of_setting(record: Record) -> Iterator[str]:
    setting = record.setting
    yield from _of_image(record)
    if setting.tunable.startswith(OPTION):
        yield from _of_witness(record)
        return
    name, _, symbol = setting.tunable.partition(".")
    knowledge = index.load((), ())
    if why := barred.reason(name):
        yield f"barred: {why}"
    if name not in knowledge.ids("tunables"):
        yield "no such tunable"
        return
    tunable = knowledge.tunable(name)
    members = {member.symbol for member in tunable.members}
    named = tunable.value(setting.value) or tunable.kind in _OPEN
    if (symbol and symbol not in members) or not (symbol or named):
        yield "no such value"
    yield from _of_witness(record)


def _of_witness(record: Record) -> Iterator[str]:
    setting, seen = record.setting, record.witness
    known = witness_of(setting.tunable)
    proven = seen and known and proves(known, setting.value, seen)
    if seen is None or not (proven or in_image(setting, seen)):
        yield "no witness that the setting was in effect"
