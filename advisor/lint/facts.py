"""What the rules say of symbols, held against one kernel tree and architecture.

Every check yields a Contradiction, or None for a fact that the tree confirms. Only what the tree
decides is checked: a condition on the machine or on what somebody configured stays open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from advisor.knowledge.load import Documents
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.condition import Expr, Term, Truth, evaluate
from advisor.model.kernel import Location, parse_version
from advisor.model.rules import Member, Rename, Tunable, TunableNotes, Value
from advisor.model.tree import Assignment, SymbolFacts
from advisor.tree.kerneltree import KernelTree

_TRISTATE = ("bool", "tristate")
_NUMBER = {"int": re.compile(r"-?\d+"), "hex": re.compile(r"0[xX][0-9a-fA-F]+")}
_PLAIN_RANGE = re.compile(r"(-?\d+|0[xX][0-9a-fA-F]+) (-?\d+|0[xX][0-9a-fA-F]+)")


class Contradiction(NamedTuple):
    """A rule and a tree that do not agree: what either says, and where in the tree.

    `rule` is `tunable/<id>`, `parameter/<name>`, `rename/<old>` or `profile/<id>/<advice>`; `check`
    names the kind of fact, `subject` the symbol or word.
    """

    check: str
    rule: str
    subject: str
    says: str
    tree: str
    where: Location | None = None


Checked = Iterator[Contradiction | None]


class TreeView:
    """One tree and architecture, as conditions see it: what only a configuration tells is open."""

    def __init__(self, tree: KernelTree, arch: str, knowledge: Knowledge) -> None:
        self.tree = tree
        self.arch = arch
        self.knowledge = knowledge
        self._facts: dict[str, SymbolFacts | None] = {}

    def defines(self, symbol: str) -> bool:
        """Whether the tree defines the symbol itself, not only takes it for an old name."""
        return self.tree.defines(symbol) and symbol not in self.tree.renames

    def spelled(self, symbol: str) -> str | None:
        """The name by which the tree has the symbol; None if it has it under none."""
        names = (symbol, *self.knowledge.aliases(symbol))
        return next((name for name in names if self.defines(name)), None)

    def facts(self, symbol: str) -> SymbolFacts:
        """What the tree says of a symbol that it defines."""
        if symbol not in self._facts:
            self._facts[symbol] = self.tree.about(symbol)
        found = self._facts[symbol]
        assert found is not None
        return found

    def where(self, symbol: str) -> Location:
        """The place of the symbol's first definition."""
        return self.facts(symbol).definitions[0].where

    def truth(self, expr: Expr) -> Truth:
        """The truth of a condition as far as version, architecture and symbols decide it."""
        return evaluate(expr, self)

    def possible(self, expr: Expr) -> bool:
        """Whether a condition can hold in this tree."""
        return self.truth(expr) is not False

    # condition.Facts

    def symbol(self, name: str) -> str | None:
        """`n` for what the tree does not have; what it has is open."""
        return None if self.spelled(name) else "n"

    def present(self, name: str) -> bool | None:
        """Likewise."""
        return None if self.spelled(name) else False

    def fact(self, name: str) -> str | int | tuple[int, ...] | None:
        """The version and the architecture."""
        if name == "kernel":
            return self.tree.version.numbers
        return self.arch if name == "arch" else None

    def boot(self, word: str) -> bool:
        """No boot line is given."""
        return False

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """Open."""
        return (), frozenset((tunable,))


def in_time(since: str, until: str, version: tuple[int, int, int]) -> bool:
    """Whether a version is within a rule's own since and until."""
    if since and version < parse_version(since).numbers:
        return False
    return not (until and version >= parse_version(until).numbers)


# --- presence -------------------------------------------------------------------------------------


def presence_facts(named: Mapping[str, str], view: TreeView) -> Checked:
    """Every symbol that a rule names is there, or not there, as the catalogue has it."""
    if not view.knowledge.catalogue.kernels:
        return
    for symbol, rule in sorted(named.items()):
        there = view.tree.defines(symbol)
        expected = _expected(symbol, view)
        if expected in (None, there):
            yield None
        elif there:
            says = f"{symbol} is not in this kernel, by the catalogue"
            yield Contradiction("symbol", rule, symbol, says, "has it", view.where(symbol))
        else:
            known = view.knowledge.catalogue.seen(symbol)
            says = f"{symbol} is in this kernel, by the catalogue" if known else f"names {symbol}"
            told = "has no such symbol" if known else "has no such symbol, nor has any kernel read"
            yield Contradiction("symbol", rule, symbol, says, told)


def _expected(symbol: str, view: TreeView) -> bool | None:
    """Whether the kernel should have the symbol; None where no kernel that was read tells.

    One that no kernel has is expected, since it is a slip of the pen more often than not.
    """
    catalogue, version = view.knowledge.catalogue, view.tree.version
    seen = catalogue.seen(symbol)
    if seen is None:
        return None if view.tree.defines(symbol) else True
    if not any(view.arch in kernel.arches for kernel in catalogue.kernels):
        return None
    known, there = catalogue.read_for(view.arch), seen.kernels(view.arch)
    read = [n for n in range(len(catalogue.kernels)) if known >> n & 1]
    exact = [n for n in read if catalogue.kernels[n].version.text == version.text]
    before = [n for n in read if catalogue.kernels[n].version.numbers <= version.numbers]
    after = [n for n in read if catalogue.kernels[n].version.numbers >= version.numbers]
    told = {bool(there >> n & 1) for n in exact or (*before[-1:], *after[:1])}
    if len(told) > 1 or (told == {False} and not exact):
        return None  # changed between two kernels, or brought back to a stable one
    return told.pop()


def named_symbols(knowledge: Knowledge, documents: Documents) -> dict[str, str]:
    """Every symbol that these documents name, with the first rule that does."""
    found: dict[str, str] = {}
    for name in documents.tunables:
        for symbol in symbols_of(knowledge.tunable(name)):
            found.setdefault(symbol, f"tunable/{name}")
    for rule, expr in other_conditions(knowledge, documents):
        for symbol in condition.symbols(expr):
            found.setdefault(symbol, rule)
    for old, rename in documents.renames.items():
        for symbol in filter(None, (old, rename["new"])):
            found.setdefault(symbol, f"rename/{old}")
    return found


def other_conditions(knowledge: Knowledge, documents: Documents) -> Iterator[tuple[str, Expr]]:
    """The conditions of parameters and of advice, with whose they are."""
    for name in documents.parameters:
        if parameter := knowledge.parameter(name):
            for expr in (parameter.needs, *(when for _, when in parameter.words)):
                yield f"parameter/{name}", expr
    for name in documents.profiles:
        for advice in knowledge.profile(name).advice:
            for expr in (advice.when, advice.unless):
                yield f"profile/{name}/{advice.id}", expr


def symbols_of(tunable: Tunable) -> Iterator[str]:
    """Every symbol that a tunable names."""
    yield from (*tunable.choice, *filter(None, (tunable.symbol,)))
    for value in tunable.values:
        for pairs in value.sets:
            yield from (symbol for symbol, _ in pairs)
    yield from (member.symbol for member in tunable.members)
    for expr in conditions(tunable):
        yield from condition.symbols(expr)


def conditions(tunable: Tunable) -> Iterator[Expr]:
    """All conditions of a tunable."""
    yield from (tunable.exists, tunable.requires)
    for value in tunable.values:
        yield from (value.when, value.requires, value.boot_when, value.runtime_when)
    for member in tunable.members:
        yield from (member.when, member.requires)
    yield from (rule.when for rule in tunable.interpret)


def rename_facts(names: Iterable[str], view: TreeView) -> Checked:
    """An old name is gone since its version, and the new one was not there before it."""
    for old in names:
        rename = view.knowledge.rename(old)
        if rename is not None:
            yield _renamed(rename, view)


def _renamed(rename: Rename, view: TreeView) -> Contradiction | None:
    after = view.tree.version.numbers >= parse_version(rename.since).numbers
    wrong = rename.old if after else rename.new
    if not wrong or not view.defines(wrong):
        return None
    told = "is gone" if after else "is not there before"
    says = f"{wrong} {told} since {rename.since}" if after else f"{wrong} {told} {rename.since}"
    where = view.where(wrong)
    return Contradiction("rename", f"rename/{rename.old}", wrong, says, "has it", where)


# --- tunables -------------------------------------------------------------------------------------


def tunable_facts(tunable: Tunable, notes: TunableNotes, view: TreeView) -> Checked:
    """All that a tunable says of symbols that this tree has."""
    if not in_time(notes.since, notes.until, view.tree.version.numbers):
        yield from _out_of_time(tunable, notes, view)
        return
    for expr in conditions(tunable):
        yield from condition_facts(expr, f"tunable/{tunable.id}", view)
    if not view.possible(tunable.exists):
        return
    yield from _choice(tunable, view)
    for value in tunable.values:
        if view.possible(value.requires):
            yield from _value(tunable, value, view)
    for member in tunable.members:
        yield from _member(tunable, member, view)
    if tunable.symbol and (name := view.spelled(tunable.symbol)):
        yield _of_type(tunable, name, ("int", "hex", "string"), view)
        if not view.tree.prompted(name):
            yield _unprompted(tunable, [(name, "...")], view)
        yield _default(tunable, name, view)


def _out_of_time(tunable: Tunable, notes: TunableNotes, view: TreeView) -> Checked:
    """What `since` and `until` exclude cannot be had in this tree, as far as symbols tell."""
    alternatives = [pairs for value in tunable.values for pairs in value.sets]
    for pairs in alternatives[:1]:
        there = [symbol for symbol, text in pairs if text != "n" and view.defines(symbol)]
        if there and len(there) == len(pairs):
            span = f"since {notes.since}" if notes.since else f"until {notes.until}"
            says = f"it is there {span}"
            where = view.where(there[0])
            yield Contradiction(
                "since", f"tunable/{tunable.id}", there[0], says, f"has {there[0]}", where
            )
            return
    yield None


def condition_facts(expr: Expr, rule: str, view: TreeView) -> Checked:
    """A condition asks every symbol for what its type can be, where it comes to be asked."""
    for atom in _asked(expr, view):
        if atom[0] not in ("on", "sym") or not view.defines(atom[1]):
            continue
        facts = view.facts(atom[1])
        logical = atom[0] == "on" or atom[3] in ("y", "m", "n")
        if (facts.type in _TRISTATE) is logical:
            yield None
            continue
        says = f"a condition asks whether {condition.show(atom)}"
        told = f"{atom[1]} is of the type {facts.type}"
        yield Contradiction("type", rule, atom[1], says, told, view.where(atom[1]))


def _asked(expr: Expr, view: TreeView) -> Iterator[Term]:
    """The terms that still count once version and architecture are known."""
    if expr is None:
        return
    tag = condition.operator_of(expr)
    if tag in condition.OPERATORS:
        parts = condition.operands(expr)
        if tag == "!" or not any(view.truth(part) is (tag == "|") for part in parts):
            for part in parts:
                yield from _asked(part, view)
    else:
        yield condition.term(expr)


def _choice(tunable: Tunable, view: TreeView) -> Checked:
    """The members that the rule names are those of the tree's choice."""
    rule = f"tunable/{tunable.id}"
    named = tunable.choice or [
        symbol for value in tunable.values for pairs in value.sets for symbol, _ in pairs[:1]
    ]
    here = [name for symbol in named if (name := view.spelled(symbol))]
    choices = {view.facts(name).choice: name for name in here}
    if not tunable.choice:
        for members, name in choices.items():
            if len([value for value in tunable.values if value.sets]) > 1 and members:
                told = f"it is a member of a choice of {', '.join(members)}"
                says = f"sets {name} and names no choice"
                yield Contradiction("choice", rule, name, says, told, view.where(name))
        return
    known = {name for symbol in tunable.choice for name in (symbol, view.spelled(symbol))}
    for members, name in choices.items():
        if not members and len(here) > 1:
            told = "it is in no choice"
            says = f"{name} is a member of the choice"
            yield Contradiction("choice", rule, name, says, told, view.where(name))
        elif missing := [member for member in members if member not in known]:
            says = f"the choice has {', '.join(tunable.choice)}"
            told = f"it has {', '.join(missing)} as well"
            yield Contradiction("choice", rule, missing[0], says, told, view.where(missing[0]))
        else:
            yield None


def _value(tunable: Tunable, value: Value, view: TreeView) -> Checked:
    """The types and prompts of what a value sets, where the tree has all of it.

    Of alternatives, those that can be set here count; an older kernel's may stand among them.
    """
    found = [spelled for pairs in value.sets if (spelled := usable(pairs, view))]
    settable = [spelled for spelled in found if any(view.tree.prompted(s) for s, _ in spelled)]
    for spelled in settable or found[:1]:
        for symbol, text in spelled:
            yield _takes(tunable, symbol, text, view)
    if found and not settable and not any(_already(spelled, view) for spelled in found):
        yield _unprompted(tunable, found[0], view)
    elif found:
        yield None


def _already(spelled: list[Assignment], view: TreeView) -> bool:
    """Whether the tree has it so without being told: nothing needs to be set."""
    return all(view.tree.value(symbol) == text for symbol, text in spelled)


def usable(pairs: Iterable[Assignment], view: TreeView) -> list[Assignment] | None:
    """The assignments as the tree spells them; None if a symbol that is to be on is not there."""
    found = []
    for symbol, text in pairs:
        name = view.spelled(symbol)
        if name is not None:
            found.append((name, text))
        elif text != "n":
            return None
    return found


def _takes(tunable: Tunable, symbol: str, text: str, view: TreeView) -> Contradiction | None:
    """Whether a value fits the type and every unconditional range."""
    facts = view.facts(symbol)
    told = f"{symbol} is of the type {facts.type}"
    if facts.type in _TRISTATE:
        right = text in ("y", "n") or (text == "m" and facts.type == "tristate")
    elif facts.type in _NUMBER:
        right = bool(_NUMBER[facts.type].fullmatch(text))
        if right and (outside := _outside(text, facts.ranges)):
            right, told = False, f"its range is {outside}"
    else:
        right = facts.type == "string"
    if right:
        return None
    where = view.where(symbol)
    says = f"sets {symbol}={text}"
    return Contradiction("type", f"tunable/{tunable.id}", symbol, says, told, where)


def _outside(text: str, ranges: tuple[str, ...]) -> str:
    """The range without a condition that a number is not in, if there is one."""
    for shown in ranges[:1]:
        match = _PLAIN_RANGE.fullmatch(shown)
        if match and not int(match[1], 0) <= int(text, 0) <= int(match[2], 0):
            return shown
    return ""


def _member(tunable: Tunable, member: Member, view: TreeView) -> Checked:
    name = view.spelled(member.symbol)
    if name is not None:
        yield _of_type(tunable, name, _TRISTATE, view)


def _of_type(
    tunable: Tunable, symbol: str, types: tuple[str, ...], view: TreeView
) -> Contradiction | None:
    facts = view.facts(symbol)
    if facts.type in types:
        return None
    says = f"{symbol} is of the type {' or '.join(types)}"
    where = view.where(symbol)
    told = f"it is of the type {facts.type}"
    return Contradiction("type", f"tunable/{tunable.id}", symbol, says, told, where)


def _default(tunable: Tunable, symbol: str, view: TreeView) -> Contradiction | None:
    """A default that is quoted is one of Kconfig's."""
    defaults = [line.partition(" if ")[0] for line in view.facts(symbol).defaults]
    if not tunable.default.isdecimal() or not defaults or tunable.default in defaults:
        return None
    says = f"the default is {tunable.default}"
    told = f"the default of {symbol} is {' or '.join(defaults)}"
    where = view.where(symbol)
    return Contradiction("default", f"tunable/{tunable.id}", symbol, says, told, where)


def _unprompted(tunable: Tunable, lines: list[Assignment], view: TreeView) -> Contradiction:
    """None of what is set can be set by a user."""
    symbol = lines[0][0]
    says = f"sets {', '.join('='.join(line) for line in lines)}"
    where = view.where(symbol)
    told = f"{symbol} has no prompt"
    return Contradiction("prompt", f"tunable/{tunable.id}", symbol, says, told, where)
