"""What the lab measured, in words and as a bar: the same ones wherever a cost is told.

The word is "kernel instructions": nothing here says faster or slower. A difference always stands
with what it is one of, since the percentage holds for that base alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.measured import Lab, Measured, Window
from advisor.output.page import Row
from advisor.output.phrases import counted

_BAR = 0.05  # a mark of the bar is so much of an operation
_LONGEST = 20
_SMALL = "."
LEGEND = (
    "each # is 5 % more instructions, each - is 5 % fewer, one dot is less than 2.5 %; "
    "a bar has at most 20 marks"
)
# What an operation of each window of the lab is, to be read aloud.
WORDS = {
    "cgroup-fork": "making a control group with a child process, and removing both",
    "clock-read": "reading the clock",
    "create-unlink": "making a file and removing it",
    "epoll-empty": "an epoll call with no descriptor ready",
    "epoll-one-of-256": "an epoll call with one of 256 descriptors ready",
    "file-map-64-pages": "mapping 64 pages of a file and touching them",
    "file-write-MiB": "writing a MiB to a new file",
    "fork-exec": "starting a child process that runs a program",
    "fork-exit": "starting a child process that ends at once",
    "futex-hand-over": "two processes that wake each other by futex",
    "futex-wake-nobody": "a futex wake without a waiter",
    "getppid": "the shortest system call",
    "getppid-filtered": "the shortest system call behind a seccomp filter",
    "getrandom-32": "32 random bytes",
    "hackbench": "messages between eight processes",
    "io-uring-nop": "an operation of io_uring",
    "map-touch-unmap": "a page mapped, touched and unmapped",
    "new-MiB": "using a MiB of new memory",
    "open-close": "opening a file and closing it",
    "page-faults-1024": "1024 page faults",
    "page-read": "reading a page of a file",
    "pipe-round-trip": "a byte through a pipe and back",
    "proc-read": "reading a file of /proc",
    "read-byte": "reading a byte",
    "read-write-page": "reading a page and writing it",
    "signal": "a signal with a handler",
    "sleep-wake": "a short sleep",
    "stat": "reading a file's status",
    "tcp-round-trip": "a byte by TCP and back",
    "timer-set": "setting and cancelling a timer",
    "udp-send-receive": "64 bytes by UDP",
    "yield": "yielding to another process",
}
# What a number was held against: the one that the kernel has by itself.
OWN = "the kernel's own"
_FACTOR = 2.0
_MIB = 1024


def percent(share: float) -> str:
    """Return a share as `+6.6 %`, or of more than three times as much as `x7.8`."""
    return f"x{1 + share:.1f}" if share >= _FACTOR else f"{100 * share:+.1f} %"


def bar(share: float | None) -> str:
    """Return a mark for each twentieth of the operation: # for more, - for fewer; 20 at most."""
    if not share:
        return ""
    marks = min(_LONGEST, round(abs(share) / _BAR))
    return ("#" if share > 0 else "-") * marks or _SMALL


def effect(window: Window) -> str:
    """Return an effect: `hackbench +594,000 of 9,054,040 (+6.6 %)`."""
    if window.share is None:
        return f"{window.name} {window.difference:+,.0f}, 0 without the setting"
    share = percent(window.share)
    return f"{window.name} {window.difference:+,.0f} of {window.without:,.0f} ({share})"


def effects(record: Measured, most: int = 3) -> str:
    """Return the largest effects in a line, or that no window of the lab shows any."""
    shown = [effect(window) for window in record.windows[:most]]
    parts = [f"kernel instructions per operation: {'; '.join(shown)}"] if shown else []
    if (more := len(record.windows) - len(shown)) > 0:
        parts.append(f"smaller effects in {counted(more, 'other operation')}")
    parts += rest_of(record)
    if record.windows and record.none:
        parts.append(f"no effect in {counted(len(record.none), 'operation')}")
    elif not record.windows:
        parts.append(f"no effect in any of the lab's {len(record.none)} measured operations")
    return "; ".join(parts)


def rest_of(record: Measured) -> list[str]:
    """Return the effects on the boot, on memory and on the kernel's size, if there are any."""
    parts = []
    if record.boot:
        more, before = record.boot.difference / 1e6, record.boot.without / 1e6
        share = f" ({percent(record.boot.share)})" if record.boot.share is not None else ""
        parts.append(f"boot {more:+,.0f} of {before:,.0f} million instructions{share}")
    if record.memory is not None:
        parts.append(f"memory {memory(record.memory)}")
    if record.size:
        before, more = record.size.without / 1024, record.size.difference / 1024
        share = percent(record.size.difference / record.size.without)
        parts.append(f"size {memory(more)} of {memory(before).lstrip('+')} ({share})")
    return parts


def memory(kilobytes: float) -> str:
    """Return a size with its sign: `+6.8 MiB`."""
    if abs(kilobytes) >= _MIB:
        return f"{kilobytes / _MIB:+,.1f} MiB"
    return f"{kilobytes:+,.0f} KiB"


def noise(windows: Iterable[Window]) -> str:
    """Return how much seeds differ at most in these windows, as a part of the operation."""
    spreads = [w.spread / w.without for w in windows if w.without >= 1]
    return f"results differ by at most {100 * max(spreads):.1f} % between seeds" if spreads else ""


def kernel(lab: Lab) -> str:
    """Return the kernel that was measured: `Linux 6.12.117 (cloud-6.12, x86)`."""
    return f"Linux {lab.version} ({lab.name}, {lab.arch})"


def held(record: Measured) -> str:
    """Return what was measured against what: `on (audit=1) against built`."""
    member = f"{record.member} " if record.member else ""
    against = (
        "the same without this option" if record.beside else " or ".join(record.against) or OWN
    )
    return f"{member}{record.value} ({record.setting}) against {against}"


def explained(record: Measured) -> tuple[str, str]:
    """Return what was measured with its noise, and the command that measures it again."""
    spread = noise(record.windows)
    more = "".join(f"; {text}" for text in (spread, record.terms.note) if text)
    first = f"{held(record)}: {effects(record)}{more}"
    seeds = f"{record.seeds} seeds; counts instructions, not time"
    return first, f"{record.repeat} ({kernel(record.kernel)}, {seeds})"


def rows(records: Sequence[Measured], *, is_whole: bool) -> Iterator[Row]:
    """Yield what was measured of a change that a finding asks for: the largest effects of the first
    record, or all of each, with what the lab ran. There is at least one record."""
    if is_whole:
        yield from (Row("lab", (_whole(record),)) for record in records)
        return
    first, more = records[0], len(records) - 1
    parts = [f"kernel instructions: {effect(one)}" for one in first.windows[:1]]
    parts += rest_of(first)
    if parts and first.terms.note:
        parts.append(first.terms.note)  # a number is told with what else it is due to
    parts += [f"{more} more: -v"] * bool(more)
    yield Row("lab", ("; ".join(parts) or "no effect in any measured operation",))


def _whole(record: Measured) -> str:
    note = f" ({record.terms.note})" if record.terms.note else ""
    # What a fragment switches off beside it is of no interest here.
    lines = tuple(pair for pair in record.lines if pair[1] != "n") or record.lines
    which = f"{'without ' * record.back}{record._replace(lines=lines).setting}"
    return f"{effects(record, 1)}{note}; {which} on {kernel(record.kernel)}"
