"""The symbols that rules name, held against a tree: are they there in their time, as renamed?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.knowledge.catalogue import numbers
from advisor.knowledge.documents import Documents
from advisor.knowledge.store import Knowledge
from advisor.lint.view import Checked, Contradiction, TreeView
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.kernel import parse_version
from advisor.model.rules import Rename
from advisor.model.software import Program
from advisor.model.tunable import Tunable

_SIZE = re.compile("[0-9]+[KMG]")


def named_symbols(knowledge: Knowledge, documents: Documents) -> dict[str, str]:
    """Lists every symbol that these documents name, with the first rule that does."""
    rules: dict[str, str] = {}
    for name in documents.tunables:
        for symbol in symbols_of(knowledge.tunable(name)):
            rules.setdefault(symbol, f"tunable/{name}")
    for rule, expr in other_conditions(knowledge, documents):
        for symbol in condition.symbols(expr):
            rules.setdefault(symbol, rule)
    for old, rename in documents.renames.items():
        for symbol in filter(None, (old, rename["new"])):
            rules.setdefault(symbol, f"rename/{old}")
    for name, fact in documents.facts.items():
        names = (*fact.get("names", ()), fact.get("of", ""))
        for symbol in (name for name in names if name.isupper() and not _SIZE.fullmatch(name)):
            rules.setdefault(symbol, f"fact/{name}")
    return rules


def other_conditions(knowledge: Knowledge, documents: Documents) -> Iterator[tuple[str, Expr]]:
    """Yields the conditions of parameters, facts, components, programs and advice, with the rule
    of each."""
    for name, fact in documents.facts.items():
        yield f"fact/{name}", fact.get("only_if")
    for name in documents.parameters:
        if parameter := knowledge.parameter(name):
            words = (when for _, when in parameter.words)
            yield from (
                (f"parameter/{name}", e) for e in (parameter.only_if, parameter.unless, *words)
            )
    for name in documents.components:
        exprs = knowledge.component(name).conditions
        yield from ((f"component/{name}", expr) for expr in exprs)
    for name in documents.profiles:
        for advice in knowledge.profile(name).advice:
            for expr in (advice.only_if, advice.unless, *(o.unless for o in advice.options)):
                yield f"profile/{name}/{advice.id}", expr
    for name in documents.programs:
        if program := knowledge.program(name):
            yield from _of_program(program)


def _of_program(program: Program) -> Iterator[tuple[str, Expr]]:
    for function in program.functions:
        yield from ((f"software/{program.id}/{function.id}", p.needs) for p in function.parts)


def symbols_of(tunable: Tunable) -> Iterator[str]:
    """Yields every symbol that a tunable names."""
    yield from (*tunable.choice, *filter(None, (tunable.symbol,)))
    yield from tunable.set_symbols
    yield from (member.symbol for member in tunable.members if member.symbol)
    for one in tunable.unnamed:
        yield from (*one.of, *dict(one.gives))
    for expr in conditions(tunable):
        yield from condition.symbols(expr)


def conditions(tunable: Tunable) -> Iterator[Expr]:
    """Yields all conditions of a tunable."""
    yield from (tunable.only_if, tunable.requires)
    yield from (one.only_if for one in tunable.unnamed)
    for value in tunable.values:
        yield from (value.when, value.requires, value.boot_only_if, value.runtime_only_if)
    for member in tunable.members:
        yield from (member.when, member.unless, member.requires)
    yield from (rule.only_if for rule in tunable.interpret)


def presence_facts(named: Mapping[str, str], view: TreeView) -> Checked:
    """Checks that every symbol of a rule is in the tree, or not in it, as the catalogue says."""
    if not view.knowledge.catalogue.kernels:  # no file of it: nothing is expected
        return
    for symbol, rule in sorted(named.items()):
        there = view.tree.defines(symbol)
        expected = _expected(symbol, view)
        if expected in (None, there):
            yield None
        elif there:
            says = f"according to the catalogue of symbols, {symbol} is not in this kernel"
            yield view.against("symbol", rule, symbol, says, f"the tree has {symbol}")
        else:
            known = view.knowledge.catalogue.seen(symbol)
            says = f"the rule names {symbol}"
            if known:
                says = f"according to the catalogue of symbols, {symbol} is in this kernel"
            has = f"the tree has no symbol {symbol}" + ", nor has any kernel read" * (not known)
            yield Contradiction("symbol", rule, symbol, says, has)


def _expected(symbol: str, view: TreeView) -> bool | None:
    """Whether the kernel should have the symbol; None where no kernel that was read tells.

    One that no kernel has is expected, since it is a slip of the pen more often than not, but for
    those that the rules know to be of a patch.
    """
    catalogue, version = view.knowledge.catalogue, view.tree.version
    seen = catalogue.seen(symbol)
    if seen is None:
        name = view.knowledge.name(symbol)
        patched = name is not None and name.kind == "out-of-tree"
        return None if patched or view.tree.defines(symbol) else True
    if not any(view.arch in kernel.arches for kernel in catalogue.kernels):
        return None
    read = [(n, catalogue.kernels[n].version) for n in numbers(catalogue.read_for(view.arch))]
    exact = [n for n, other in read if other.text == version.text]
    before = [n for n, other in read if other.numbers <= version.numbers]
    after = [n for n, other in read if other.numbers >= version.numbers]
    bits = seen.kernels(view.arch)
    states = {bool(bits >> n & 1) for n in exact or (*before[-1:], *after[:1])}
    if len(states) > 1 or (states == {False} and not exact):
        return None  # changed between two kernels, or brought back to a stable one
    return states.pop()


def rename_facts(names: Iterable[str], view: TreeView) -> Checked:
    """Checks that an old name is gone since its version, and the new one was not there before
    it."""
    for old in names:
        rename = view.knowledge.rename(old)
        if rename is not None:
            yield _renamed(rename, view)


def _renamed(rename: Rename, view: TreeView) -> Contradiction | None:
    after = view.tree.version.numbers >= parse_version(rename.since).numbers
    wrong, limit = (rename.old, "is gone since") if after else (rename.new, "does not exist before")
    if not wrong or not view.defines(wrong):
        return None
    says = f"{wrong} {limit} {rename.since}"
    return view.against("rename", f"rename/{rename.old}", wrong, says, f"the tree has {wrong}")
