"""What the tables of kernels know of the names that rules use: symbols, sysctls, paths, releases.

No tree is needed. What stands in `exceptions.toml` is not refused, and an exception that none of
these checks needs is told in its turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from advisor.errors import meant
from advisor.knowledge.catalogue import Names
from advisor.knowledge.documents import Documents, Problem
from advisor.knowledge.store import Knowledge
from advisor.knowledge.sysfs import Sysfs
from advisor.lint.exceptions import Exceptions
from advisor.lint.places import place_of
from advisor.lint.sources import cited
from advisor.lint.successors import wrong_splits, wrong_successors
from advisor.lint.symbols import named_symbols
from advisor.lint.values import unnamed_values
from advisor.model.kernel import KernelVersion, parse_version
from advisor.model.parameter import Parameter
from advisor.model.tunable import Tunable

# The last release of each series that is complete, and of 2.6 the last third number.
_LAST = {2: 6, 3: 19, 4: 20, 5: 19, 6: 19}
_LAST_2_6 = 39
_AHEAD = 12
"""How many releases after the newest one that was read may be named: those of two years."""
_PARAMETER = re.compile(r"/sys/module/(\w+)/parameters/(\w+)")
# The rule, the name in question, and what is wrong with it.
Refused = tuple[str, str, str]


def check_known(
    knowledge: Knowledge, documents: Documents, *, symbols: bool = True
) -> Iterator[Problem]:
    """Refuses names that no kernel read has, and facts that stand twice.

    Without `symbols` these are left to a tree, which may have symbols of its own.
    """
    exceptions = Exceptions(documents.exceptions, documents.places)
    checks = {name: check for name, check in CHECKS.items() if symbols or name != "symbol"}
    for name, check in checks.items():
        for rule, subject, says in check(knowledge, documents):
            if not exceptions.explains(name, rule, subject):
                yield place_of(documents, rule, subject), says
    for one in exceptions.idle(checks):
        yield one.place, f"the exception is not needed: {one.rule} passes the check {one.check!r}"


# --- releases -------------------------------------------------------------------------------------


def exists(release: str, newest: tuple[int, int, int]) -> bool:
    """Whether there is such a release, or may be by now; `newest` is the newest that was read."""
    major, minor, third = parse_version(release).numbers
    if major in _LAST:
        return minor <= _LAST[major] and (third <= _LAST_2_6 if (major, minor) == (2, 6) else True)
    ahead = minor - newest[1] if major == newest[0] else None
    return major < 2 or (ahead is not None and ahead <= _AHEAD)


def _kernels(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    newest = max((k.version.numbers for k in knowledge.catalogue.kernels), default=None)
    if newest is None:
        return
    releases = [(one.rule, one.kernel) for one in cited(documents)]
    for rule, document in documents.rules():
        keys = (key for key in ("since", "until", "verified") if document.get(key))
        releases += ((rule, one) for key in keys for one in document[key].split(".."))
    for rule, release in releases:
        if not exists(release, newest):
            says = f"there is no kernel {release}: the newest known is {newest[0]}.{newest[1]}"
            yield rule, release, says


def _first_kernels(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Finds parameters whose rule names another first kernel than the trees read show, or none."""
    catalogue = knowledge.parameter_catalogue
    for name in documents.parameters if catalogue.kernels else ():
        parameter, seen = knowledge.parameter(name), catalogue.seen(name)
        if not parameter or not seen:
            continue
        if says := other_first(parameter, seen.kernels(), catalogue):
            yield f"parameter/{name}", name, f"{name} {says}"


def other_first(parameter: Parameter, bits: int, catalogue: Names) -> str:
    """Finds what is wrong with the first kernel that a rule names; `bits` are the kernels with
    it."""
    read = [kernel.version for kernel in catalogue.kernels]
    has = [version for number, version in enumerate(read) if bits >> number & 1]
    if not parameter.since:
        if has[0] == read[0]:
            return ""
        return (
            f"the parameter is not in {read[0].text}, but first in {has[0].text}: "
            "write the version as `since`"
        )
    first = parse_version(parameter.since).numbers
    # What stable got later is in kernels with a patch level.
    early = [one for one in has if one.numbers < first and _is_release(one)]
    if early:
        return f"the parameter is already in {early[0].text}, before {parameter.since}"
    there = parse_version(parameter.there or parameter.since).numbers
    late = [one for one in read if there <= one.numbers < has[0].numbers]
    start = parameter.there or parameter.since
    return f"the parameter is not in {late[-1].text}, but must exist since {start}" if late else ""


def _is_release(version: KernelVersion) -> bool:
    """Whether it is what mainline released, give or take its first patch."""
    return version.numbers[2] <= 1 or version.numbers[:2] == (2, 6)


# --- names ----------------------------------------------------------------------------------------


def _symbols(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Finds symbols that no kernel read has, and that are not known to be of a patch."""
    if not knowledge.catalogue.kernels:
        return
    for symbol, rule in named_symbols(knowledge, documents).items():
        known = knowledge.name(symbol)
        if known is not None and known.kind == "out-of-tree":
            continue
        if knowledge.catalogue.seen(symbol) is None:
            hint = _meant(knowledge.catalogue.near(symbol))
            yield rule, symbol, f"no kernel read has the symbol {symbol}{hint}"


def _meant(names: list[str]) -> str:
    return f"; {meant(names[:3])}" if names else ""


def _sysctls(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Finds sysctls that no kernel read has, and values that none takes."""
    catalogue = knowledge.sysctl_catalogue
    for rule, tunable in _tunables_read(knowledge, documents, catalogue):
        pairs = [pair for value in tunable.values for pair in value.sysctl]
        for name, text in (*pairs, *([(tunable.sysctl, "")] if tunable.sysctl else [])):
            if catalogue.seen(name) is None:
                hint = _meant(catalogue.near(name))
                yield rule, name, f"no kernel read has the sysctl {name}{hint}"
            elif text and "{" not in text and (why := catalogue.refuses(name, text)):
                yield rule, name, f"{name} = {text!r}: {name} {why}"


def _sysfs(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Finds files below /sys that no kernel describes, has shown, or reads as a module's
    parameter."""
    table = Sysfs.load()
    if not table.patterns:
        return
    for rule, tunable in _tunables_read(knowledge, documents, knowledge.catalogue):
        paths = [path for value in tunable.values for path, _ in (*value.sysfs, *value.shows)]
        for path in dict.fromkeys((*paths, tunable.sysfs, tunable.shows)):
            parameter = _PARAMETER.fullmatch(path)
            read = parameter and knowledge.parameter_catalogue.seen(".".join(parameter.groups()))
            if path.startswith("/sys/") and not read and not table.has(path):
                says = f"{path} is not in the documents that were read{_meant(table.near(path))}"
                yield rule, path, says


def _tunables_read(
    knowledge: Knowledge, documents: Documents, catalogue: Names
) -> Iterator[tuple[str, Tunable]]:
    """Yields the tunables, but for those that are newer than every kernel of the catalogue."""
    newest = max((kernel.version.numbers for kernel in catalogue.kernels), default=(0, 0, 0))
    for name, document in documents.tunables.items() if catalogue.kernels else ():
        since = document.get("since", "")
        if not since or parse_version(since).numbers <= newest:
            yield f"tunable/{name}", knowledge.tunable(name)


# --- what stands twice, or nowhere ----------------------------------------------------------------


def _unnamed_members(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Finds members of a choice that no value names, where a default takes them for another."""
    for name in documents.tunables:
        tunable = knowledge.tunable(name)
        named = {*tunable.set_symbols}
        for member in tunable.choice:
            if tunable.default and member not in named:
                says = (
                    f"{member} of the choice has no value of its own, and would be taken for the "
                    f"default {tunable.default!r}: give {member} a value, or remove `default`"
                )
                yield f"tunable/{name}", member, says


def _twice(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Finds symbols of a group that another tunable has as well: one finding for one fact."""
    groups: dict[str, dict[str, None]] = {}
    setters: dict[str, dict[str, None]] = {}
    for tunable in knowledge.tunables():
        for symbol in (member.symbol for member in tunable.members if member.symbol):
            groups.setdefault(symbol, {})[tunable.id] = None
        for symbol in tunable.set_symbols:
            setters.setdefault(symbol, {})[tunable.id] = None
    for symbol, owners in groups.items():
        first_owner, *others = {**owners, **setters.get(symbol, {})}
        for name in others:
            first, rule = first_owner, name
            if rule not in documents.tunables and first in documents.tunables:
                first, rule = rule, first
            if rule in documents.tunables:
                says = f"{symbol} also belongs to the tunable {first!r}: keep it in one of the two"
                yield f"tunable/{rule}", symbol, says


def _values(knowledge: Knowledge, documents: Documents) -> Iterator[Refused]:
    """Values that a kernel takes and that none of a rule is."""
    for name in documents.tunables:
        for subject, says in unnamed_values(knowledge.tunable(name), knowledge, documents.touches):
            yield f"tunable/{name}", subject, says


CHECKS: dict[str, Callable[[Knowledge, Documents], Iterator[Refused]]] = {
    "value": _values,
    "kernel": _kernels,
    "twice": _twice,
    "successor": wrong_successors,
    "split": wrong_splits,
    "symbol": _symbols,
    "sysctl": _sysctls,
    "choice-default": _unnamed_members,
    "sysfs": _sysfs,
    "first": _first_kernels,
}
"""The checks that need no tree, as exceptions name them."""
