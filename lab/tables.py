"""The tables of docs/evidence/lab.md, which stand between markers: `<!-- lab: PART KERNEL -->` to
`<!-- end -->`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import tomli

from advisor.errors import InputError

from .effects import Effect, boot, boot_found, effects, memory, noise, starting
from .explain import by_size, percent
from .record import Record, all_of, kernels
from .settings import CONTROL, TOGETHER
from .together import checked

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "lab.md"
# The kernel that a row of published.toml is held against, where it names none.
_PUBLISHED_ON = "cloud-6.12"
_PLACE = re.compile(r"(<!-- lab: (\S+) (\S+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


# The windows of the table, as its columns are called.
COLUMNS = {
    "getppid": "getppid", "read-byte": "read", "open-close": "open", "create-unlink": "create",
    "fork-exit": "fork", "fork-exec": "exec", "page-faults-1024": "1024 faults",
    "map-touch-unmap": "map",
    "pipe-round-trip": "pipe", "tcp-round-trip": "TCP", "udp-send-receive": "UDP",
    "hackbench": "hackbench", "signal": "signal", "futex-hand-over": "futex", "yield": "yield",
    "sleep-wake": "sleep", "io-uring-nop": "io_uring",
}  # fmt: skip


def settings(records: Iterable[Record]) -> Iterator[str]:
    """All settings of a kernel, as a table of Markdown: percent where there is an effect."""
    base, *others = records
    per = _by_window(base, base)
    spread = noise(base)
    yield f"| setting | {' | '.join(COLUMNS.values())} | boot | memory | other windows |"
    yield "|---|" + "---:|" * (len(COLUMNS) + 2) + "---|"
    yield _row("*as it is: instructions*", (f"{per[w].without:,.0f}" for w in COLUMNS),
               f"{boot(base):,.0f} M", "", "")  # fmt: skip
    yield _row("*seeds differ by*", (f"{100 * spread[w]:.2f} %" for w in COLUMNS), "", "", "")
    for record in others:
        if record.setting.tunable == TOGETHER:
            continue
        found = _by_window(base, record)
        cells = (_cell(found[window]) for window in COLUMNS)
        rest = [e for e in found.values() if e.found and e.window not in COLUMNS]
        rest.sort(key=by_size)
        more = ", ".join(f"{effect.window} {_cell(effect)}" for effect in rest)
        before, after = starting(base, record)
        changed = f"{100 * (after / before - 1):+.0f} %" if boot_found(base, record) else ""
        name = f"{record.setting.name} (nothing)" if record.setting == CONTROL else record.name
        kilobytes = memory(base, record)
        kept = "" if kilobytes is None else f"{kilobytes:+,} kB"
        yield _row(f"`{name}`", cells, changed, kept, more)


def beside(records: Iterable[Record]) -> Iterator[str]:
    """Settings that were measured on this kernel and on the one that figures are published of: by
    window how many instructions an operation takes more, there and here; `·` is no effect."""
    base, *others = records
    first, *known = all_of(_PUBLISHED_ON)
    by_name = {record.name: record for record in known}
    yield f"| setting | {' | '.join(COLUMNS.values())} |"
    yield "|---|" + "---:|" * len(COLUMNS)
    sides = [_by_window(one, one) for one in (first, base)]
    whole = (" / ".join(f"{side[window].without:,.0f}" for side in sides) for window in COLUMNS)
    yield _row("*as it is*", whole)
    for record in others:
        if (other := by_name.get(record.name)) and record.setting != CONTROL:
            pairs = [_by_window(first, other), _by_window(base, record)]
            yield _row(f"`{record.name}`", (_pair(*(side[w] for side in pairs)) for w in COLUMNS))


def _by_window(base: Record, record: Record) -> dict[str, Effect]:
    return {effect.window: effect for effect in effects(base, record)}


def _pair(*sides: Effect) -> str:
    if not any(effect.found for effect in sides):
        return "·"
    return " / ".join(f"{one.difference:+,.0f}" if one.found else "·" for one in sides)


def _cell(effect: Effect) -> str:
    if not effect.found:
        return "·"
    return f"{effect.difference:+,.0f}" if effect.share is None else percent(effect.share)


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


def published(records: Iterable[Record]) -> Iterator[str]:
    """Our figures beside those of others (published.toml), of the records that there are."""
    base, *others = records
    by_name = {record.name: record for record in others}
    yield "| setting | window | here | first | published | where | verdict |"
    yield "|---|---|---|---|---|---|---|"
    for figure in tomli.loads((Path(__file__).parent / "published.toml").read_text())["figure"]:
        record = by_name.get(figure["record"])
        if record and figure.get("kernel", _PUBLISHED_ON) == base.made.kernel:
            found = _by_window(base, record)
            here = ", ".join(_cell(found[window]) for window in figure["windows"])
            told = [", ".join(figure["windows"]), here]
            told += [figure[key] for key in ("first", "published", "source", "says")]
            yield f"| `{record.name}` | {' | '.join(told)} |"


def sizes(records: Iterable[Record]) -> Iterator[str]:
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


PARTS: Mapping[str, Callable[[Iterable[Record]], Iterator[str]]] = {
    "settings": settings, "sizes": sizes, "sums": sums, "published": published,
    "beside": beside,
}  # fmt: skip


def filled(page: str) -> str:
    """The page with each table as the records are now. Raises InputError for a marker that names no
    part or no kernel, and where a kernel's settings have no place."""
    places = [(found[2], found[3]) for found in _PLACE.finditer(page)]
    for part, kernel in places:
        if part not in PARTS or kernel not in kernels():
            raise InputError(f"no table {part} {kernel}", where=str(PAGE))
    if lacking := ", ".join(k for k in kernels() if ("settings", k) not in places):
        raise InputError(f"no place for the settings of {lacking}", where=str(PAGE))
    return _PLACE.sub(_filled, page)


def _filled(place: re.Match[str]) -> str:
    rows = PARTS[place[2]](all_of(place[3]))
    return place[1] + "".join(f"{row}\n" for row in rows) + place[4]


def write() -> None:
    """Writes the tables into the page."""
    PAGE.write_text(filled(PAGE.read_text()))
