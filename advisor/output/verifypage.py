"""Whether a plan holds, as a page: what does not hold with its reason, then what does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.verify import Check, CheckedItem, Standing, Verified
from advisor.output import factwords, phrases
from advisor.output.escape import visible
from advisor.output.page import (
    Code,
    Document,
    Entry,
    Inline,
    Page,
    Row,
    Section,
    codes,
    joined,
    kept,
    listing,
    marked,
    mode,
)

_FEW = 1
_UNKNOWN = "not known"
_COLUMNS = ("Setting", "Now", "At the next boot", "Why")


def document(verified: Sequence[Verified], format: str) -> Document:
    """Return a page for each plan and host."""
    pages = (
        Page(
            one.seen.name, ("Verified: ", Code(one.plan.path), " on ", Code(one.seen.name)),
            f"{verdict(one)}.", one.failed, kept(_facts(one), format),
            tuple(_sections(one, format)),
        )
        for one in verified
    )  # fmt: skip
    return Document("A plan, verified", "verify", tuple(pages))


def verdict(one: Verified) -> str:
    """Return how many items hold: `4 of 6 hold, 1 waits; 1 does not count`."""
    rest = sum(not item.counts for item in one.items)
    return _holding(one) + (f"; {rest} {'does' if rest == 1 else 'do'} not count" if rest else "")


def _holding(one: Verified) -> str:
    counted = [item for item in one.items if item.counts]
    numbers = dict.fromkeys(Standing, 0)
    for item in counted:
        numbers[item.standing] += 1
    holding, waiting = numbers[Standing.HOLDS], numbers[Standing.WAITS]
    text = f"{holding} of {len(counted)} {'holds' if holding == 1 else 'hold'}"
    if waiting:
        text += f", {waiting} {'waits' if waiting == 1 else 'wait'}"
    return text


def line(one: Verified) -> str:
    """Return all in one line, as a journal takes it."""
    failing = [item for item in one.items if item.counts and item.standing is Standing.FAILS]
    text = "; ".join(f"{item.item.tunable}: {_why(_worst(item))}" for item in failing)
    return visible(f"{_holding(one)}{'; not: ' if text else ''}{text}")


def _worst(item: CheckedItem) -> Check:
    return next(check for check in item.checks if check.standing is item.standing)


def _why(check: Check) -> str:
    """Return the reason with its evidence: `overridden: /etc/sysctl.d/99-x.conf:1 sets 30`."""
    reason = check.reason.text if check.reason else ""
    return ": ".join(part for part in (reason, check.evidence) if part)


def _facts(one: Verified) -> Iterator[Row]:
    plan, seen = one.plan, one.seen
    profiles = joined((codes(plan.profiles), (f"plan {plan.digest}",)), ", ")
    yield Row("plan", (f"{plan.path}: ", *profiles))
    where = factwords.kernel(seen.kernel, seen.arch or None)
    yield Row("host", (f"{seen.name}: {where}",))
    yield Row("log", (_log(one),))


def _log(one: Verified) -> str:
    """Return when the scripts ran, as far as the log tells."""
    log = one.seen.log
    begins = [entry for entry in log.lines if entry.action == "begin"]
    if not begins:
        return f"{log.place}: not found; apply.sh has probably not run here"
    if not (begins[-1].boot and one.seen.boot):
        return f"{log.place}: ran, but in which boot is not known"
    same = begins[-1].boot == one.seen.boot
    return f"{log.place}: ran in {'this' if same else 'an earlier'} boot"


def _sections(one: Verified, format: str) -> Iterator[Section]:
    open_items = [item for item in one.items if item.counts and _is_told(item)]
    if open_items:
        entries = tuple(_entry(item, format) for item in open_items)
        yield Section(
            "changes", "Not as asked", mode("changes", format), len(entries), entries,
            columns=_COLUMNS,
        )  # fmt: skip
    holding = [item for item in one.items if item.counts and not _is_told(item)]
    yield from listing("right", "As asked", map(_in_line, holding), format, len(holding))
    rest = [item for item in one.items if not item.counts]
    yield from listing("left out", "Do not count", map(_in_line, rest), format, len(rest))


def _is_told(item: CheckedItem) -> bool:
    """Whether more is to be said of an item than that it is as asked for."""
    return any(check.reason for check in item.checks)


def _entry(item: CheckedItem, format: str) -> Entry:
    asked = item.item
    groups = list(_groups(item.checks))
    check, keys = next(pair for pair in groups if pair[0].reason)
    rows = tuple(row for group in groups for row in _rows(*group))
    cells = (marked(check.now or _UNKNOWN), marked(check.then or _UNKNOWN), marked(_why(check)))
    gist = f"{_called(keys)}: {_why(check)}"
    return Entry(
        asked.id, "change", asked.strength, asked.title, asked.tunable, item.standing.value,
        strength=asked.strength, area="plan", rows=kept(rows, format), cells=cells,
        gist=marked(gist), brief=("", gist),
    )  # fmt: skip


def _groups(checks: Iterable[Check]) -> Iterator[tuple[Check, list[str]]]:
    """Yield checks that say the same of several files once, what is not as asked first."""
    groups: dict[tuple[object, ...], tuple[Check, list[str]]] = {}
    for check in sorted(checks, key=lambda one: one.reason is None):
        said = check.asked, check.now, check.then, check.standing, check.reason
        _, keys = groups.setdefault(said, (check, []))
        keys.append(check.key)
    yield from groups.values()


def _called(keys: Sequence[str]) -> str:
    return phrases.first(keys, _FEW)


def _rows(check: Check, keys: list[str]) -> Iterator[Row]:
    word = check.asked if check.asked.endswith(keys[0]) else f"{_called(keys)} = {check.asked}"
    yield Row("asked", (Code(word),))
    yield Row("now", marked(_UNKNOWN if check.now is None else check.now or "empty"))
    if check.then is not None:
        yield Row("at boot", marked(check.then or "empty"))
    if check.reason:
        yield Row("why", marked(_why(check)))


def _in_line(item: CheckedItem) -> Row:
    """Return an item in one line: `Swappiness: vm.swappiness = 10`."""
    asked = [f"{check.key} = {check.asked}" for check in item.checks]
    words = [check.asked for check in item.checks if check.asked.endswith(check.key)]
    text: Inline = codes([phrases.first(words or asked, _FEW)])
    standing = "" if item.standing is Standing.HOLDS else f" ({_why(_worst(item))})"
    return Row("", (f"{item.item.title}: ", *text, standing))
