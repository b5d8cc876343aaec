"""The ledger of a configuration as a page, and as sections of a report's (docs/costs.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from advisor.model.measured import Account, Charge, Ledger, Together
from advisor.output import costs
from advisor.output.page import FULL, LIST, Code, Document, Inline, Page, Row, Section, mode

_MOST = 3  # windows of a charge that are told
_NOTHING = "Nothing was measured of what is told here."
_MOST_SUMS = 6


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
    """The last line: how many settings cost, protect, are done without, or show nothing."""
    if not ledger.accounts:
        return _nothing(ledger)
    paid, spared, none = (
        {_of(one): one for account in ledger.accounts for one in getattr(account, field)}
        for field in ("paid", "spared", "none")
    )
    bought = sum(charge.protects for charge in paid.values())
    would, nothing = set(spared) - set(paid), set(none) - set(paid) - set(spared)
    return (
        f"Measured: {len(paid)} settings cost something here ({bought} protect), "
        f"{len(would)} would if on, {len(nothing)} nothing."
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
        yield _how(account, ledger)
        paid = [charge for charge in account.paid if not charge.protects]
        bought = [charge for charge in account.paid if charge.protects]
        yield from _section("What it pays for", paid)
        yield from _section("What it pays for protection, which is bought, not wasted", bought)
        yield from _sums(account)
        spared = [charge for charge in account.spared if not charge.protects]
        without = [charge for charge in account.spared if charge.protects]
        yield from _briefly("What it does without, and what that would take", spared)
        yield from _briefly("Protection that it does without, and what that would take", without)
        yield from _short("Without effect in the windows of the lab", account.none)
        yield from _open(account.open)
        yield from _apart(account)


def _how(account: Account, ledger: Ledger) -> Section:
    """Where the figures are from; of the first account also what they are."""
    again = f"python -m lab run NAME --kernel {account.kernel.name}"
    measured = Row(
        "", (f"measured on {costs.kernel(account.kernel)}, {_not_here(account, ledger)}",)
    )
    repeat = Row("", (Code(again), " measures again what is named in brackets"))
    if account != ledger.accounts[0]:
        return Section("costs", "On another kernel", LIST, items=(measured, repeat))
    items = (
        measured,
        Row("", ("an operation takes so many more kernel instructions, of what it takes without; "
                 "a repeated string instruction counts once, however much it clears or copies; "
                 "docs/lab.md says what an operation of each window is",)),
        Row("", (f"the bar: {costs.LEGEND}",)),
        repeat,
    )  # fmt: skip
    return Section("costs", "Kernel instructions, which are no time", LIST, items=items)


def _not_here(account: Account, ledger: Ledger) -> str:
    if ledger.kernel and ledger.kernel.text.startswith(account.kernel.version):
        return "the same version in Debian's configuration"
    return "not on this kernel: differences carry over roughly, percentages do not"


def _of(charge: Charge) -> tuple[str, str]:
    return charge.record.tunable, charge.record.member


def _section(title: str, charges: Sequence[Charge]) -> Iterator[Section]:
    """Each setting once, held against each value that was measured."""
    groups: dict[tuple[str, str], list[Charge]] = {}
    for charge in charges:
        groups.setdefault(_of(charge), []).append(charge)
    items = [_row(one) for one in groups.values()]
    if items:
        yield Section("costs", title, LIST, items=tuple(items))


def _row(charges: Sequence[Charge]) -> Row:
    """One setting: what is here against what else, then its largest effects with their bars."""
    first = charges[0]
    if len(charges) == 1:
        return _line(first, _MOST)
    below = [
        Row("", (f"against {charge.other} ", *_name(charge)), tuple(_effects(charge, _MOST)))
        for charge in charges
    ]
    return Row("", _title(first), (*below, *_note(first)))


def _line(charge: Charge, most: int) -> Row:
    """What was held against what, and below it so many of its effects."""
    line = (*_title(charge), f", against {charge.other} ", *_name(charge))
    return Row("", line, (*_effects(charge, most), *_note(charge)))


def _effects(charge: Charge, most: int) -> Iterator[Row]:
    record = charge.record
    for window in record.windows[:most]:
        yield Row("", (f"{costs.effect(window)} ", Code(costs.bar(window.share))))
    rest = [*_rest(charge, most), costs.noise(record.windows) if most > 1 else ""]
    if told := "; ".join(filter(None, rest)):
        yield Row("", (told,))


def _note(charge: Charge) -> tuple[Row, ...]:
    return (Row("", (charge.note,)),) if charge.note else ()


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
    """What is not here, seen from there: what it would take, with its largest effect."""
    items = [_line(_turned(charge), 1) for charge in charges]
    if items:
        yield Section("costs", title, LIST, items=tuple(items))


def _turned(charge: Charge) -> Charge:
    return charge._replace(record=charge.record.taken_back, here=charge.other, other=charge.here)


def _sums(account: Account) -> Iterator[Section]:
    items = [
        Row("", (f"{one.window} {one.difference:+,.0f}, of {one.tunables} settings; as it is, the "
                 f"measured kernel takes {one.takes:,.0f}",))
        for one in account.sums[:_MOST_SUMS]
    ]  # fmt: skip
    if items:
        here = {charge.record.name for charge in account.paid}
        items += [_check(check, here) for check in account.checks]
        if not account.checks:
            items.append(Row("", ("no record of several at once has checked these sums",)))
        title = "What all of that adds up to in a window"
        yield Section("costs", title, LIST, items=tuple(items))


def _check(check: Together, here: Collection[str]) -> Row:
    """How far a sum of records was found right where the settings were measured all at once."""
    farthest = max(check.windows, key=lambda window: window.apart)
    lab = check.kernel.name
    among = sum(f"{lab}/{name}" in here for name in check.members)
    settings = f"{len(check.members)} settings at once, {among} of them among these"
    return Row("", (
        f"such sums were checked with {settings}: in {len(check.windows)} windows they are at most "
        f"{100 * check.apart:.1f} % of an operation from what was measured ({farthest.window}: "
        f"added up {farthest.summed:+,.0f}, measured {farthest.measured:+,.0f}, of "
        f"{farthest.without:,.0f}) [", Code(check.name.partition("/")[2]), "]",
    ))  # fmt: skip


def _short(title: str, charges: Iterable[Charge]) -> Iterator[Section]:
    names = {_of(charge): f"{charge.title} ({charge.here})" for charge in charges}
    if names:
        text = "; ".join(names.values())
        yield Section("costs", title, LIST, items=(Row("", (text,)),))


def _open(charges: Iterable[Charge]) -> Iterator[Section]:
    items = [_line(charge, 1) for charge in charges]
    if items:
        title = "Measured, but whether it is on is decided at run time"
        yield Section("costs", title, LIST, items=tuple(items))


def _apart(account: Account) -> Iterator[Section]:
    """What was measured and says nothing of this configuration, of tunables that no other record
    tells of."""
    elsewhere = {_of(charge) for charge in (*account.paid, *account.spared)}
    told = {_of(one): one for one in account.apart if _of(one) not in elsewhere}
    items = [Row("", (f"{charge.title}: {charge.note}",)) for charge in told.values()]
    if items:
        title = "Measured, and not carried over to this kernel"
        yield Section("costs", title, LIST, items=tuple(items))
