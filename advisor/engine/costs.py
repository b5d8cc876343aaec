"""The ledger of a configuration: of what it has, what the lab measured (docs/costs.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from advisor.engine.state import World
from advisor.model import condition
from advisor.model.measured import Account, Charge, Lab, Ledger, Measured, Sum, Together
from advisor.model.report import Finding, Verdict

# Where what is bought is protection.
_PROTECTION = "security"


def ledger(world: World) -> Ledger:
    """What was measured of the values that the configuration has.

    Nothing is carried over to another architecture than the one that was measured.
    """
    subject = world.subject
    arch = subject.machine.arch
    records = world.knowledge.measured.by_name.values()
    known = set(world.knowledge.ids("tunables"))
    # What a member of a group has in common with a tunable of its own is charged once.
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
    for lab in sorted(
        by_lab, key=lambda lab: (_distance(lab, world)[0], _built(by_lab[lab]), lab.name)
    ):
        # Of several kernels with a record of the same two values the nearest one tells, of those
        # whose record says something here.
        rows = [row for row in by_lab[lab] if _key(row[0]) not in told]
        told.update(_key(record) for record, _ in rows if not _not_here(record, world))
        if rows:
            accounts.append(_account(lab, rows, world))
    return Ledger(subject.name, subject.kernel, arch, tuple(accounts))


def _built(rows: Sequence[tuple[Measured, bool | None]]) -> tuple[int, int]:
    """What orders kernels that are as near: a distribution's, which is switched as it runs, tells
    before the lab's own, which is small and built for one record after the other."""
    switched = sum(bool(record.words or record.writes) for record, _ in rows)
    return -switched, -len(rows)


def of_findings(findings: Iterable[Finding], world: World) -> dict[str, tuple[Measured, ...]]:
    """By the findings' ids, what was measured of each change that they ask for: turned so that the
    differences are what the wanted value takes more than the present one."""
    to_do = [one for one in findings if one.verdict is Verdict.CHANGE and one.target]
    found = {one.id: _of_change(one, world) for one in to_do}
    return {name: records for name, records in found.items() if records}


def _of_change(finding: Finding, world: World) -> tuple[Measured, ...]:
    wrong = {symbol for symbol, _ in finding.offending}
    arch = world.subject.machine.arch

    def turned(record: Measured) -> Measured | None:
        if record.kernel.arch != arch or record.beside or _not_here(record, world):
            return None
        if record.member and record.member not in wrong:
            return None
        has = _has(record, world)
        if has is False and record.value == finding.target:
            return record
        return record.taken_back if has is True and record.against == (finding.target,) else None

    return _nearest(finding.tunable.id, world, turned)


def of_movement(tunable: str, old: World, new: World) -> tuple[Measured, ...]:
    """What was measured of a tunable's move from its value in one world to that in the other."""
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
    """The tunable's records as they are turned, of each the one on the nearest kernel that is."""
    nearest: dict[tuple[str, str, frozenset[str]], Measured] = {}
    records = world.knowledge.measured.of(tunable)
    for record in sorted(records, key=lambda record: _distance(record.kernel, world)):
        if one := turned(record):
            nearest.setdefault(_key(record), one)
    return tuple(nearest.values())


def _key(record: Measured) -> tuple[str, str, frozenset[str]]:
    """Two values held against each other, whichever of them was set."""
    return record.tunable, record.member, frozenset({record.value, *record.against})


def _distance(lab: Lab, world: World) -> tuple[int, str]:
    """The same series first, then by how far the releases are apart."""
    kernel = world.subject.kernel
    major, minor = map(int, lab.version.split(".")[:2])
    if kernel is None:
        return -(major * 100 + minor), lab.name
    here = kernel.numbers[0] * 100 + kernel.numbers[1]
    return abs(here - (major * 100 + minor)), lab.name


def _values(record: Measured, world: World) -> tuple[str, ...]:
    """The values that the tunable, or the member of a group, may have here."""
    state = world.value(record.tunable)
    if state is None:
        return ()
    if not record.member:
        return state.effective
    names = {"on": dict(state.on), "off": dict(state.off)}
    return tuple(name for name, members in names.items() if record.member in members)


def _has(record: Measured, world: World) -> bool | None:
    """Whether the configuration has what was set, or (False) what that was held against; None
    where it has neither, or nothing tells."""
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
        return None  # whoever has one number did not pass by every other one
    return False if record.against == values else None


def _not_here(record: Measured, world: World) -> str:
    """Why the record says nothing of this configuration's value; empty where it does."""
    terms = record.terms
    if terms.only and world.evaluate(condition.parse(terms.only)) is not True:
        return terms.why
    has = terms.same and _values(record, world) == (record.value,)
    other = _other_word(record, terms.same, world) if has else ""
    return f"{other} is another value than {record.setting}, which was measured" if other else ""


def _other_word(record: Measured, same: tuple[str, ...], world: World) -> str:
    """The last word on the line of the parameters that the record set, unless it means the same."""
    names = {name: word for word in record.words for name in _spellings(word, world)}
    said = [word.text for word in world.line.words if _name(word.text) in names]
    if not said:
        return ""
    plain = names[_name(said[-1])].partition("=")[0] + said[-1][len(_name(said[-1])) :]
    return "" if plain.upper() in map(str.upper, same) else said[-1]


def _spellings(word: str, world: World) -> list[str]:
    return world.knowledge.spellings(_name(word))


def _name(word: str) -> str:
    return word.partition("=")[0].replace("-", "_")


def _account(lab: Lab, rows: Iterable[tuple[Measured, bool | None]], world: World) -> Account:
    paid: list[Charge] = []
    spared: list[Charge] = []
    none: list[Charge] = []
    unknown: list[Charge] = []
    apart: list[Charge] = []
    for record, has in rows:
        charge = _charge(record, world, with_it=has is not False)
        if why := _not_here(record, world):
            apart.append(charge._replace(note=why))
            continue
        if has is None:
            unknown.append(charge)
            continue
        weight = charge.record.weight
        (none if record.nothing else paid if weight > 0 else spared).append(charge)
    for charges in (paid, spared):
        charges.sort(key=lambda charge: (-abs(charge.record.weight), charge.record.name))
    sums = tuple(_sums(paid, lab))
    checks = tuple(_checks(paid, lab, world.knowledge.measured.together)) if sums else ()
    return Account(
        lab, tuple(paid), tuple(spared), tuple(none), tuple(unknown), tuple(apart), sums, checks
    )


def _charge(record: Measured, world: World, *, with_it: bool) -> Charge:
    """The record as seen from the value that is here."""
    tunable = world.knowledge.tunable(record.tunable)
    there, other = record.value, " or ".join(record.against)
    if record.beside:
        there, other = record.setting, "without it"
    elif not record.member:
        there, other = tunable.describe((there,)), tunable.describe(record.against)
    title = f"{tunable.title}: {record.member}" if record.member else tunable.title
    protects = tunable.area == _PROTECTION
    if with_it:
        return Charge(record, title, there, other, protects, record.terms.note)
    return Charge(record.taken_back, title, other, there, protects, record.terms.note)


def _checks(paid: Iterable[Charge], lab: Lab, every: Iterable[Together]) -> Iterator[Together]:
    """The records of several at once of which two or more are paid for here."""
    names = {charge.record.name.partition("/")[2] for charge in paid}
    for one in every:
        if one.kernel == lab and len(names & set(one.members)) > 1:
            yield one


def _sums(paid: Iterable[Charge], lab: Lab) -> Iterator[Sum]:
    """By window what the paid charges come to, of each tunable the largest one of its charges."""
    largest: dict[tuple[str, str], Charge] = {}
    for charge in paid:  # sorted by size
        largest.setdefault((charge.record.tunable, charge.record.member), charge)
    windows: dict[str, list[tuple[str, float]]] = {}
    for charge in largest.values():
        for window in charge.record.windows:
            windows.setdefault(window.name, []).append((charge.title, window.difference))
    takes = dict(lab.takes)
    sums = [
        Sum(
            name,
            sum(more for _, more in each),
            len(each),
            takes[name],
            tuple(sorted(each, key=lambda part: -abs(part[1]))),
        )
        for name, each in windows.items()
        if len(each) > 1
    ]
    yield from sorted(sums, key=lambda one: (-abs(one.share), one.window))
