"""The ledger of a configuration as a page, and as sections of a report's (docs/costs.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.measured import Charge, Ledger
from advisor.output import costs
from advisor.output.page import FULL, OUT, Code, Document, Inline, Page, Row, Section, listing, mode

_MOST = 3  # windows of a charge that are told
_MOST_SUMS = 8
_CARRIED = ("paid", "spared", "none", "open")
"""The charges of records that carry over to the configuration."""


def document(ledgers: Sequence[Ledger], format: str) -> Document:
    """Return all ledgers, a page each."""
    return Document("What a kernel costs", "costs", tuple(page(one, format) for one in ledgers))


def page(ledger: Ledger, format: str) -> Page:
    """Return the page of one ledger, with all sections open; an audit folds them."""
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
    """Return how many settings cost something, protect, are left out, or show no effect."""
    if not ledger.accounts and ledger.arch not in (None, "x86", "arm64"):
        return (
            f"Nothing was measured on {ledger.arch}; figures of other architectures do not apply."
        )
    if not ledger.accounts:
        return "No measurement exists for the settings that are known here."
    paid, spared, none = (
        {_of(one): one for account in ledger.accounts for one in getattr(account, field)}
        for field in ("paid", "spared", "none")
    )
    bought = sum(charge.protects for charge in paid.values())
    would, nothing = set(spared) - set(paid), set(none) - set(paid) - set(spared)
    return (
        f"Measured: {len(paid)} settings cost something here ({bought} of them protections). "
        f"{len(would)} settings would cost something if they were on. "
        f"{len(nothing)} settings cost nothing."
    )


def sections(ledger: Ledger, format: str) -> Iterator[Section]:
    """Yield what was measured, a section for each kind of charge.

    The nearest kernel of the lab comes first; what another one shows is marked.
    """
    if mode("costs", format) == OUT or not ledger.accounts:
        return
    paid, spared = _charges(ledger, "paid"), _charges(ledger, "spared")
    groups: dict[tuple[bool, str, str], list[Charge]] = {}
    for charge in paid:
        groups.setdefault((charge.protects, *_of(charge)), []).append(charge)
    rows = [(protects, _row(one, ledger)) for (protects, *_), one in groups.items()]
    costing, protecting = ([row for p, row in rows if p is which] for which in (False, True))
    without, unprotected = (
        [_line(_turned(charge), 1, ledger) for charge in spared if charge.protects is which]
        for which in (False, True)
    )
    nothing = {_of(one): f"{one.title} ({one.here})" for one in _charges(ledger, "none")}
    without_effect = [Row("", ("; ".join(nothing.values()),))] if nothing else []
    open_ = [_line(charge, 1, ledger) for charge in _charges(ledger, "open")]
    carried = {_of(charge) for name in _CARRIED for charge in _charges(ledger, name)}
    apart = {_of(one): one for one in _charges(ledger, "apart") if _of(one) not in carried}
    not_carried = [Row("", (f"{one.title}: {one.note}",)) for one in apart.values()]
    parts: tuple[tuple[str, Iterable[Row]], ...] = (
        ("Kernel instructions, not time", _how(ledger)),
        ("What the settings cost, by operation", _sums(ledger)),
        ("Settings that cost something", costing),
        ("Protection that costs something", protecting),
        ("Settings not used here, and what they would cost", without),
        ("Protection not used here, and what it would cost", unprotected),
        ("Settings without a measured effect", without_effect),
        ("Measured settings that are set at run time", open_),
        ("Measurements that are not valid for this kernel", not_carried),
    )
    for title, items in parts:
        yield from listing("costs", title, items, format)


def _charges(ledger: Ledger, field: str) -> list[Charge]:
    """Return the charges of all accounts, those of the nearest kernel first."""
    return [charge for account in ledger.accounts for charge in getattr(account, field)]


def _how(ledger: Ledger) -> Iterator[Row]:
    """Yield what the figures are, and what they were measured on."""
    yield Row("", (
        "a figure is the number of additional kernel instructions of an operation. The number "
        "after \"of\" is the total without the setting. docs/evidence/lab.md describes the "
        "operations",
    ))  # fmt: skip
    repeated = "a repeated string instruction counts once, however much memory it clears or copies"
    yield Row("", (f"{costs.LEGEND}; {repeated}",))
    records = [charge.record for name in _CARRIED for charge in _charges(ledger, name)]
    if spread := costs.noise(window for record in records for window in record.windows[:_MOST]):
        yield Row("", (f"{spread} in the figures of this page",))
    for account in ledger.accounts:
        kernel = costs.kernel(account.kernel)
        if account != ledger.accounts[0]:
            text = f"measurements marked {account.kernel.name} were made on {kernel}"
        elif ledger.kernel and ledger.kernel.text.startswith(account.kernel.version):
            text = f"measured on {kernel}, the same version in another configuration"
        else:
            text = (
                f"measured on {kernel}, not on this kernel: the differences are roughly "
                "valid here, the percentages are not"
            )
        yield Row("", (text,))
    yield Row("", (
        "brackets contain the name of a measurement: ",
        Code("python -m lab run NAME"), " repeats the measurement, ",
        Code("kernel-advisor explain TUNABLE"), " says what was set",
    ))  # fmt: skip


def _of(charge: Charge) -> tuple[str, str]:
    return charge.record.tunable, charge.record.member


def _row(charges: Sequence[Charge], ledger: Ledger) -> Row:
    """Return a setting with each value that it was measured against, and the largest effects."""
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
    """Return what was measured against what, and `most` of its effects."""
    line = (*_title(charge), f", against {charge.other or costs.OWN} ", *_name(charge, ledger))
    note = (Row("", (charge.note,)),) if charge.note else ()
    return Row("", line, (*_effects(charge, most), *note))


def _effects(charge: Charge, most: int) -> Iterator[Row]:
    """Yield the largest effects with their bars; how many more; boot, memory and size."""
    for window in charge.record.windows[:most]:
        yield Row("", (f"{costs.effect(window)} ", Code(costs.bar(window.share))))
    more = len(charge.record.windows) - most
    less = [f"smaller effects in {more} other operation{'s' * (more > 1)}"] if more > 0 else []
    if rest := [*less, *costs.rest_of(charge.record)]:
        yield Row("", ("; ".join(rest),))


def _title(charge: Charge) -> Inline:
    return (f"{charge.title}: {charge.here or costs.OWN}",)


def _name(charge: Charge, ledger: Ledger) -> Inline:
    """Return the record, with its kernel if that is not the nearest one."""
    kernel, _, name = charge.record.name.partition("/")
    nearest = ledger.accounts[0].kernel.name
    return "[", Code(name if kernel == nearest else f"{name} --kernel {kernel}"), "]"


def _turned(charge: Charge) -> Charge:
    return charge._replace(record=charge.record.taken_back, here=charge.other, other=charge.here)


def _sums(ledger: Ledger) -> Iterator[Row]:
    """Yield what all that is paid for adds up to, by what is done, on one kernel."""
    account = next((one for one in ledger.accounts if one.sums), None)
    if account is None:
        return
    for one in account.sums[:_MOST_SUMS]:
        parts = [f"{title} {more:+,.0f}" for title, more in one.parts[:_MOST]]
        if rest := one.parts[_MOST:]:
            parts.append(f"{len(rest)} more {sum(more for _, more in rest):+,.0f}")
        text = (
            f"{costs.WORDS.get(one.window, one.window)} ({one.window}): {one.difference:+,.0f}, "
            f"added to {one.takes:,.0f} instructions of the measured kernel "
        )
        yield Row("", (text, Code(costs.bar(one.share))), (Row("", ("; ".join(parts),)),))
    here = {charge.record.name for charge in account.paid}
    for check in account.checks:
        farthest = max(check.windows, key=lambda window: window.apart)
        among = sum(f"{check.kernel.name}/{name}" in here for name in check.members)
        yield Row("", (
            f"such sums were checked by a measurement of {len(check.members)} settings at once. "
            f"{among} of these settings are listed here. In {len(check.windows)} operations, the "
            f"sum differs from the measured value by at most {100 * check.apart:.1f} % of the "
            f"operation's instructions. The largest difference is in {farthest.window}: sum "
            f"{farthest.summed:+,.0f}, measured {farthest.measured:+,.0f}, total without the "
            f"settings {farthest.without:,.0f} [",
            Code(check.name.partition("/")[2]), "]",
        ))  # fmt: skip
    if not account.checks:
        yield Row("", ("these sums were not checked by a measurement of several settings at once",))
