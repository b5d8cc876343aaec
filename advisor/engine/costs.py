"""The costs that the lab measured of the values of a configuration (docs/costs.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from advisor.engine.effective.world import World
from advisor.model.finding import Finding, Verdict
from advisor.model.measured import Account, Charge, Lab, Ledger, Measured, Sum
from advisor.model.numbers import version_numbers


def ledger(world: World) -> Ledger:
    """Return the measured costs of the configuration's values, on its own architecture alone."""
    subject = world.subject
    arch = subject.machine.arch
    records = world.knowledge.measured.by_name.values()
    known = set(world.knowledge.ids("tunables"))
    # A member of a group that is also a tunable of its own is charged once.
    own = {(one.kernel, one.words, one.writes) for one in records if not one.member}
    by_lab: dict[Lab, list[tuple[Measured, bool | None]]] = {}
    for record in records:
        twice = record.member and (record.kernel, record.words, record.writes) in own
        if record.kernel.arch == arch and record.tunable in known and not twice:
            has = _has(record, world)
            if has is not None or record.value in _values(record, world):
                by_lab.setdefault(record.kernel, []).append((record, has))
    told: set[tuple[str, str, frozenset[str]]] = set()
    accounts = []

    def order(lab: Lab) -> tuple[int, int, int, str]:
        """Return the distance; at the same distance a distribution's kernel, which is switched as
        it runs, comes before the lab's own, which is small and built for each record."""
        switched = sum(bool(record.words or record.writes) for record, _ in by_lab[lab])
        return _distance(lab, world)[0], -switched, -len(by_lab[lab]), lab.name

    for lab in sorted(by_lab, key=order):
        # Of several kernels with a record of the same two values the nearest one counts whose
        # record applies here.
        rows = [row for row in by_lab[lab] if _key(row[0]) not in told]
        told.update(_key(record) for record, _ in rows if not _not_here(record, world))
        if rows:
            accounts.append(_account(lab, rows, world))
    return Ledger(subject.name, subject.kernel, arch, tuple(accounts))


def of_findings(findings: Iterable[Finding], world: World) -> dict[str, tuple[Measured, ...]]:
    """Return the records of each change that the findings ask for, by their ids; the differences
    are the cost of the wanted value over the present one."""
    to_do = [one for one in findings if one.verdict is Verdict.CHANGE and one.target]
    found = {one.id: _of_change(one, world) for one in to_do}
    return {name: records for name, records in found.items() if records}


def _of_change(finding: Finding, world: World) -> tuple[Measured, ...]:
    wrong = {"", *(symbol for symbol, _ in finding.offending)}
    arch = world.subject.machine.arch

    def turned(record: Measured) -> Measured | None:
        is_other = record.kernel.arch != arch or record.beside or record.member not in wrong
        if is_other or _not_here(record, world):
            return None
        has = _has(record, world)
        if has is False and record.value == finding.target:
            return record
        return record.taken_back if has is True and record.against == (finding.target,) else None

    return _nearest(finding.tunable.id, world, turned)


def of_movement(tunable: str, old: World, new: World) -> tuple[Measured, ...]:
    """Return the records of a tunable's move from its value in one world to that in the other."""
    arches = {old.subject.machine.arch, new.subject.machine.arch}

    def turned(record: Measured) -> Measured | None:
        if {record.kernel.arch} != arches or _not_here(record, old) or _not_here(record, new):
            return None
        sides = (_has(record, old), _has(record, new))
        if sides == (False, True):
            return record
        return record.taken_back if sides == (True, False) else None

    return _nearest(tunable, new, turned)


def _nearest(
    tunable: str, world: World, turned: Callable[[Measured], Measured | None]
) -> tuple[Measured, ...]:
    """Return the records that `turned` accepts, as it turns them, each of the nearest kernel."""
    nearest: dict[tuple[str, str, frozenset[str]], Measured] = {}
    records = world.knowledge.measured.of(tunable)
    for record in sorted(records, key=lambda record: _distance(record.kernel, world)):
        if one := turned(record):
            nearest.setdefault(_key(record), one)
    return tuple(nearest.values())


def _key(record: Measured) -> tuple[str, str, frozenset[str]]:
    """Return what a record compares: two values, whichever of them was set."""
    return record.tunable, record.member, frozenset({record.value, *record.against})


def _distance(lab: Lab, world: World) -> tuple[int, str]:
    """Return how far the releases are apart, for sorting."""
    kernel = world.subject.kernel
    major, minor, *_ = version_numbers(lab.version)
    measured = major * 100 + minor
    if kernel is None:
        return -measured, lab.name
    return abs(kernel.numbers[0] * 100 + kernel.numbers[1] - measured), lab.name


def _values(record: Measured, world: World) -> tuple[str, ...]:
    """Return the values that the tunable, or the member of a group, may have here."""
    state = world.value(record.tunable)
    if state is None:
        return ()
    if not record.member:
        return state.effective
    names = {"on": dict(state.on), "off": dict(state.off)}
    return tuple(name for name, members in names.items() if record.member in members)


def _has(record: Measured, world: World) -> bool | None:
    """Return whether the configuration has the value that was set, or (False) the one compared with
    it; None if it has neither, or may have either."""
    values = _values(record, world)
    if record.beside:
        line = world.subject.cmdline
        words = {word.text for word in line.words} if line else set()
        given = bool(record.words) and words.issuperset(record.words)
        return True if given and record.value in values else None
    if len(values) != 1:
        return None
    if values[0] == record.value:
        return True
    if world.knowledge.tunable(record.tunable).kind == "number":
        return None  # another number need not be the one that was compared
    return False if record.against == values else None


def _not_here(record: Measured, world: World) -> str:
    """Return why the record does not apply to this configuration's value; empty if it does."""
    terms = record.terms
    if terms.only:
        from advisor.model.condition_parser import parse  # few records have such a condition

        if world.evaluate(parse(terms.only)) is not True:
            return terms.why
    if not terms.same or _values(record, world) != (record.value,):
        return ""
    spellings = world.knowledge.spellings
    names = {name: word for word in record.words for name in spellings(_name(word))}
    # The last word on the line of the parameters that the record set may mean another value.
    given = [word.text for word in world.line.words if _name(word.text) in names]
    if not given:
        return ""
    name = _name(given[-1])
    plain = names[name].partition("=")[0] + given[-1][len(name) :]
    if plain.upper() in map(str.upper, terms.same):
        return ""
    return f"the measurement was made with {record.setting}, not with {given[-1]}"


def _name(word: str) -> str:
    return word.partition("=")[0].replace("-", "_")


def _account(lab: Lab, rows: Iterable[tuple[Measured, bool | None]], world: World) -> Account:
    """Return the charges of one measured kernel, sorted by what they mean here."""
    found: dict[str, list[Charge]] = {
        kind: [] for kind in ("paid", "spared", "none", "unknown", "apart")
    }
    for record, has in rows:
        charge, why = _charge(record, world, with_it=has is not False), _not_here(record, world)
        counted = "none" if record.nothing else "paid" if charge.record.weight > 0 else "spared"
        kind = "apart" if why else "unknown" if has is None else counted
        found[kind].append(charge._replace(note=why or charge.note))
    for charges in (found["paid"], found["spared"]):
        charges.sort(key=lambda charge: (-abs(charge.record.weight), charge.record.name))
    sums = tuple(_sums(found["paid"], lab))
    names = {charge.record.name.partition("/")[2] for charge in found["paid"]}
    # The records of several values at once of which two or more are paid for here.
    together = world.knowledge.measured.together if sums else ()
    checks = (one for one in together if one.kernel == lab and len(names & set(one.members)) > 1)
    paid, spared, none, unknown, apart = map(tuple, found.values())
    return Account(lab, paid, spared, none, unknown, apart, sums, tuple(checks))


def _charge(record: Measured, world: World, *, with_it: bool) -> Charge:
    """Return the record as seen from the value that is here."""
    tunable = world.knowledge.tunable(record.tunable)
    there, other = record.value, " or ".join(record.against)
    if record.beside:
        there, other = record.setting, "without it"
    elif not record.member:
        there, other = tunable.describe((there,)), tunable.describe(record.against)
    title = f"{tunable.title}: {record.member}" if record.member else tunable.title
    protects = tunable.area == "security"
    if with_it:
        return Charge(record, title, there, other, protects, record.terms.note)
    return Charge(record.taken_back, title, other, there, protects, record.terms.note)


def _sums(paid: Iterable[Charge], lab: Lab) -> list[Sum]:
    """Return the sum of the paid charges by window; of each tunable the largest charge counts."""
    largest: dict[tuple[str, str], Charge] = {}
    for charge in paid:  # sorted by size
        largest.setdefault((charge.record.tunable, charge.record.member), charge)
    windows: dict[str, list[tuple[str, float]]] = {}
    for charge in largest.values():
        for window in charge.record.windows:
            windows.setdefault(window.name, []).append((charge.title, window.difference))
    takes, sums = dict(lab.takes), []
    for name, each in windows.items():
        if len(each) > 1:
            parts = tuple(sorted(each, key=lambda part: -abs(part[1])))
            sums.append(Sum(name, sum(more for _, more in each), len(each), takes[name], parts))
    return sorted(sums, key=lambda one: (-abs(one.share), one.window))
