"""The ledger of a configuration as a page, and as sections of a report's (docs/costs.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.measured import Account, Charge, Ledger
from advisor.output import costs
from advisor.output.page import FULL, LIST, Code, Document, Inline, Page, Row, Section, mode

_MOST = 3  # windows of a charge that are told
_NOTHING = "Nothing was measured of what is told here."
_REPEATED = "a repeated string instruction counts once: clearing and copying memory is apart"


def document(ledgers: Sequence[Ledger], format: str) -> Document:
    """All ledgers, a page each."""
    return Document("What a kernel costs", "costs", tuple(page(one, format) for one in ledgers))


def page(ledger: Ledger, format: str) -> Page:
    """One ledger, open: at the end of an audit it is folded, here it is what was asked for."""
    facts = (Row("subject", (f"{ledger.name}: {_where(ledger)}",), part="subject"),)
    if format not in ("text", "text --verbose"):
        facts = (Row("kernel", (_where(ledger),)),)
    return Page(
        ledger.name, ("What was measured: ", Code(ledger.name)), verdict(ledger), False, facts,
        tuple(section._replace(mode=FULL) for section in sections(ledger, format)),
    )  # fmt: skip


def _where(ledger: Ledger) -> str:
    kernel = f"Linux {ledger.kernel.text}" if ledger.kernel else "a kernel of unknown version"
    return f"{kernel}, {ledger.arch or 'unknown architecture'}"


def verdict(ledger: Ledger) -> str:
    """The last line: how many settings cost, spare, or show nothing."""
    if not ledger.accounts:
        return _nothing(ledger)
    accounts = ledger.accounts
    paid, spared, none = (
        sum(len(getattr(account, field)) for account in accounts)
        for field in ("paid", "spared", "none")
    )
    return (
        f"Of what is on here, measured: {paid} cost kernel instructions or memory, "
        f"{spared} spare some, {none} without effect in the windows of the lab."
    )


def _nothing(ledger: Ledger) -> str:
    if ledger.arch not in (None, "x86"):
        return f"Nothing was measured on {ledger.arch}: what x86 takes says nothing of it."
    return _NOTHING


def sections(ledger: Ledger, format: str) -> Iterator[Section]:
    """The accounts, each under the kernel that was measured."""
    if mode("costs", format) == "-":
        return
    for account in ledger.accounts:
        again = f"python -m lab run NAME --kernel {account.kernel.name}"
        where = f"measured on {costs.kernel(account.kernel)}{_not_here(account, ledger)}"
        paid = [charge for charge in account.paid if not charge.protects]
        bought = [charge for charge in account.paid if charge.protects]
        yield from _section(f"What it pays for, {where}", paid)
        yield from _section("What it pays for protection, which is bought, not wasted", bought)
        spared = [charge for charge in account.spared if not charge.protects]
        without = [charge for charge in account.spared if charge.protects]
        yield from _briefly("What it spares by not having the other", spared)
        yield from _briefly("Protection that it does without", without)
        yield from _sums(account)
        yield from _short("Without effect in the windows of the lab", account.none)
        yield from _short("Measured, but whether it is on is decided at run time", account.open)
        items = (
            Row(
                "", (Code(again), " measures again what is named in brackets; docs/lab.md says how")
            ),
            Row("", (_REPEATED,)),
        )
        yield Section("costs", "Kernel instructions, which are no time", LIST, items=items)


def _not_here(account: Account, ledger: Ledger) -> str:
    if ledger.kernel and ledger.kernel.text.startswith(account.kernel.version):
        return ", the same version in Debian's configuration"
    return ", not on this kernel: differences carry over roughly, percentages do not"


def _section(title: str, charges: Iterable[Charge]) -> Iterator[Section]:
    items = tuple(map(_row, charges))
    if items:
        yield Section("costs", title, LIST, items=items)


def _row(charge: Charge) -> Row:
    """One charge: what is here against what else, then its largest effects with their bars."""
    record = charge.record
    below = [
        Row("", (f"{costs.effect(window)} ", Code(costs.bar(window.share))))
        for window in record.windows[:_MOST]
    ]
    if rest := "; ".join(filter(None, [*_rest(charge, _MOST), costs.noise(record.windows)])):
        below.append(Row("", (rest,)))
    return Row("", (*_title(charge), f", against {charge.other} ", *_name(charge)), tuple(below))


def _title(charge: Charge) -> Inline:
    return (f"{charge.title}: {charge.here}",)


def _name(charge: Charge) -> Inline:
    # A value may be had in several ways, and cost otherwise: what was set belongs to the figure.
    name = charge.record.name.partition("/")[2]
    return "[", Code(name), ": ", Code(charge.record.setting), "]"


def _rest(charge: Charge, most: int) -> Iterator[str]:
    """How many windows are not told, and what it is to the boot and to memory."""
    more = len(charge.record.windows) - most
    if more > 0:
        yield f"smaller differences in {more} other window{'s' * (more > 1)}"
    yield from costs.rest_of(charge.record)


def _briefly(title: str, charges: Iterable[Charge]) -> Iterator[Section]:
    """A line each, with the largest effect."""
    items = []
    for charge in charges:
        told = [costs.effect(window) for window in charge.record.windows[:1]]
        text = "; ".join([*told, *_rest(charge, 1)])
        items.append(Row("", (*_title(charge), f": {text} ", *_name(charge))))
    if items:
        yield Section("costs", title, LIST, items=tuple(items))


def _sums(account: Account) -> Iterator[Section]:
    items = tuple(
        Row("", (f"{one.window} {one.difference:+,.0f}, of {one.tunables} settings",))
        for one in account.sums[:6]
    )
    if items:
        title = (
            "What they come to in a window, in kernel instructions (added up: no record of all "
            "at once has checked these sums)"
        )
        yield Section("costs", title, LIST, items=items)


def _short(title: str, charges: Sequence[Charge]) -> Iterator[Section]:
    if charges:
        names = (f"{charge.title} ({charge.here})" for charge in charges)
        yield Section("costs", title, LIST, items=(Row("", ("; ".join(names),)),))
