"""The ledger of a configuration as a page, and as sections of a report's (docs/costs.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from advisor.model.measured import Account, Charge, Ledger, Sum, Together
from advisor.output import costs
from advisor.output.page import FULL, LIST, Code, Document, Inline, Page, Row, Section, mode

_MOST = 3  # windows of a charge that are told
_NOTHING = "Nothing was measured of what is told here."
_MOST_SUMS = 8
_TOLD = ("paid", "spared", "none", "open")


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
    if ledger.arch not in (None, "x86", "arm64"):
        return f"Nothing was measured on {ledger.arch}: what others take says nothing of it."
    return _NOTHING


def sections(ledger: Ledger, format: str) -> Iterator[Section]:
    """What was measured, each kind of charge once: what another kernel of the lab tells is marked,
    and the nearest one tells first."""
    if mode("costs", format) == "-" or not ledger.accounts:
        return
    yield _how(ledger)
    yield from _sums(ledger)
    paid = _charges(ledger, "paid")
    yield from _section("What it pays for", [c for c in paid if not c.protects], ledger)
    bought = [charge for charge in paid if charge.protects]
    yield from _section("What it pays for protection, which is bought, not wasted", bought, ledger)
    spared = _charges(ledger, "spared")
    without = [charge for charge in spared if not charge.protects]
    yield from _briefly("What it does without, and what that would take", without, ledger)
    without = [charge for charge in spared if charge.protects]
    yield from _briefly(
        "Protection that it does without, and what that would take", without, ledger
    )
    yield from _nothing_found(_charges(ledger, "none"))
    title = "Measured, but whether it is on is decided at run time"
    yield from _briefly(title, map(_turned, _charges(ledger, "open")), ledger)
    yield from _apart(ledger)


def _charges(ledger: Ledger, field: str) -> list[Charge]:
    """Of all accounts, that of the nearest kernel first."""
    return [charge for account in ledger.accounts for charge in getattr(account, field)]


def _how(ledger: Ledger) -> Section:
    """What the figures are, and where they are from."""
    items = [
        Row("", ("an operation takes so many more kernel instructions than the number behind "
                 "\"of\", which it takes without; docs/lab.md says what the windows do",)),
        Row("", (f"{costs.LEGEND}; a repeated string instruction counts once, however much it "
                 "clears or copies",)),
    ]  # fmt: skip
    told = [charge.record for name in _TOLD for charge in _charges(ledger, name)]
    if spread := costs.noise(window for record in told for window in record.windows[:_MOST]):
        items.append(Row("", (f"{spread}, of what is told here",)))
    items += [_measured_on(account, ledger) for account in ledger.accounts]
    items.append(Row("", (
        Code("python -m lab run NAME"), " measures again what is named in brackets, ",
        Code("kernel-advisor explain TUNABLE"), " says what was set for it",
    )))  # fmt: skip
    return Section("costs", "Kernel instructions, which are no time", LIST, items=tuple(items))


def _measured_on(account: Account, ledger: Ledger) -> Row:
    kernel = costs.kernel(account.kernel)
    if account != ledger.accounts[0]:
        return Row("", (f"what is marked {account.kernel.name} was measured on {kernel}",))
    return Row("", (f"measured on {kernel}, {_not_here(account, ledger)}",))


def _not_here(account: Account, ledger: Ledger) -> str:
    if ledger.kernel and ledger.kernel.text.startswith(account.kernel.version):
        return "the same version in another configuration"
    return "not on this kernel: differences carry over roughly, percentages do not"


def _of(charge: Charge) -> tuple[str, str]:
    return charge.record.tunable, charge.record.member


def _section(title: str, charges: Sequence[Charge], ledger: Ledger) -> Iterator[Section]:
    """Each setting once, held against each value that was measured."""
    groups: dict[tuple[str, str], list[Charge]] = {}
    for charge in charges:
        groups.setdefault(_of(charge), []).append(charge)
    items = [_row(one, ledger) for one in groups.values()]
    if items:
        yield Section("costs", title, LIST, items=tuple(items))


def _row(charges: Sequence[Charge], ledger: Ledger) -> Row:
    """One setting: what is here against what else, then its largest effects with their bars."""
    first = charges[0]
    if len(charges) == 1:
        return _line(first, _MOST, ledger)
    below = [
        Row(
            "",
            (f"against {one.other or costs.OWN} ", *_name(one, ledger)),
            tuple(_effects(one, _MOST)),
        )
        for one in charges
    ]
    notes = dict.fromkeys(charge.note for charge in charges if charge.note)
    return Row("", _title(first), (*below, *(Row("", (note,)) for note in notes)))


def _line(charge: Charge, most: int, ledger: Ledger) -> Row:
    """What was held against what, and below it so many of its effects."""
    line = (*_title(charge), f", against {charge.other or costs.OWN} ", *_name(charge, ledger))
    note = (Row("", (charge.note,)),) if charge.note else ()
    return Row("", line, (*_effects(charge, most), *note))


def _effects(charge: Charge, most: int) -> Iterator[Row]:
    for window in charge.record.windows[:most]:
        yield Row("", (f"{costs.effect(window)} ", Code(costs.bar(window.share))))
    if told := "; ".join(_rest(charge, most)):
        yield Row("", (told,))


def _title(charge: Charge) -> Inline:
    return (f"{charge.title}: {charge.here or costs.OWN}",)


def _name(charge: Charge, ledger: Ledger) -> Inline:
    """The record, and its kernel where that is not the one of most of them."""
    kernel, _, name = charge.record.name.partition("/")
    nearest = ledger.accounts[0].kernel.name
    return "[", Code(name if kernel == nearest else f"{name} --kernel {kernel}"), "]"


def _rest(charge: Charge, most: int) -> Iterator[str]:
    """How many windows are not told, and what it is to the boot, to memory and in size."""
    more = len(charge.record.windows) - most
    if more > 0:
        yield f"less in {more} other window{'s' * (more > 1)}"
    yield from costs.rest_of(charge.record)


def _briefly(title: str, charges: Iterable[Charge], ledger: Ledger) -> Iterator[Section]:
    """What is not here, seen from there: what it would take, with its largest effect."""
    items = [_line(_turned(charge), 1, ledger) for charge in charges]
    if items:
        yield Section("costs", title, LIST, items=tuple(items))


def _turned(charge: Charge) -> Charge:
    return charge._replace(record=charge.record.taken_back, here=charge.other, other=charge.here)


def _sums(ledger: Ledger) -> Iterator[Section]:
    """By what is done, what all that is paid for adds up to, on one kernel."""
    account = next((one for one in ledger.accounts if one.sums), None)
    if account is None:
        return
    items = [_sum(one) for one in account.sums[:_MOST_SUMS]]
    here = {charge.record.name for charge in account.paid}
    items += [_check(check, here) for check in account.checks]
    if not account.checks:
        items.append(Row("", ("no record of several at once has checked these sums",)))
    yield Section("costs", "What it pays, by what is done", LIST, items=tuple(items))


def _sum(one: Sum) -> Row:
    """What is done, what it takes more beside the measured kernel as it is, and for what."""
    told = [f"{title} {more:+,.0f}" for title, more in one.parts[:_MOST]]
    if rest := len(one.parts) - len(told):
        told.append(f"{rest} more {sum(more for _, more in one.parts[_MOST:]):+,.0f}")
    head = f"{costs.WORDS.get(one.window, one.window)} ({one.window}): {one.difference:+,.0f}, "
    head += f"where the measured kernel takes {one.takes:,.0f} "
    return Row("", (head, Code(costs.bar(one.share))), (Row("", ("; ".join(told),)),))


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


def _nothing_found(charges: Iterable[Charge]) -> Iterator[Section]:
    names = {_of(charge): f"{charge.title} ({charge.here})" for charge in charges}
    if names:
        text = "; ".join(names.values())
        title = "Without effect in the windows of the lab"
        yield Section("costs", title, LIST, items=(Row("", (text,)),))


def _apart(ledger: Ledger) -> Iterator[Section]:
    """What was measured and says nothing of this configuration, of tunables that no other record
    tells of."""
    elsewhere = {_of(charge) for name in _TOLD for charge in _charges(ledger, name)}
    told = {_of(one): one for one in _charges(ledger, "apart") if _of(one) not in elsewhere}
    items = [Row("", (f"{charge.title}: {charge.note}",)) for charge in told.values()]
    if items:
        title = "Measured, and not carried over to this kernel"
        yield Section("costs", title, LIST, items=tuple(items))
