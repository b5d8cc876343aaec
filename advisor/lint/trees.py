"""`lint --tree`: the rules against kernel trees, from the request to the text and exit code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from advisor.engine.effective.boot_line import limit_of
from advisor.errors import TreeError
from advisor.inputs.config import parse_config
from advisor.inputs.machine import arch_of, source_arch
from advisor.knowledge.documents import Documents
from advisor.knowledge.store import Knowledge
from advisor.lint.csource import sysctls as csysctls
from advisor.lint.csource.initial import Initials
from advisor.lint.csource.source import KernelSource
from advisor.lint.defaults import Defaults
from advisor.lint.exceptions import Exceptions
from advisor.lint.facts import condition_facts, tunable_facts
from advisor.lint.lint import Read, read
from advisor.lint.offered import offered_facts
from advisor.lint.parameters import limit_facts, parameter_facts
from advisor.lint.places import place_of
from advisor.lint.plans import plan_facts
from advisor.lint.sources import source_facts
from advisor.lint.symbols import named_symbols, other_conditions, presence_facts, rename_facts
from advisor.lint.view import Checked, Contradiction, TreeView
from advisor.tree.files import TreeFiles, find_tree
from advisor.tree.kerneltree import KernelTree, open_tree

ARCHES = ("x86", "arm64")
"""The architectures that are looked at where none is named."""


class Rules(NamedTuple):
    """What is checked, with the symbols that it names and the differences that are explained."""

    read: Read
    named: Mapping[str, str]
    exceptions: Exceptions

    @property
    def knowledge(self) -> Knowledge:
        """All the knowledge behind the documents in question."""
        return self.read.knowledge

    @property
    def documents(self) -> Documents:
        """The documents in question."""
        return self.read.documents


class TreeOutcome(NamedTuple):
    """What one tree and architecture showed; `passed` defaults have no value that can be read."""

    version: str
    arch: str
    facts: int
    explained: tuple[Contradiction, ...]
    contradictions: tuple[Contradiction, ...]
    sources: bool
    passed: int = 0


def lint_trees(
    directories: Sequence[str], trees: Sequence[str], arches: Sequence[str]
) -> tuple[str, int]:
    """Holds the rules against trees; gives the text, and 4 if a contradiction is unexplained,
    else 0.

    Raises KnowledgeError, TreeError or UsageError.
    """
    rules = read_rules(directories)
    lines: list[str] = []
    seen: list[tuple[TreeView, bool]] = []
    failed = False
    for path in trees:
        for outcome, view in examine(path, arches, rules):
            seen.append((view, outcome.sources))
            lines += [_line(one, outcome, rules) for one in outcome.contradictions]
            lines.append(_sum(outcome))
            failed = failed or bool(outcome.contradictions)
    # What was explained of an architecture that was not asked about still is.
    asked = not arches or {*ARCHES} <= {arch_of(name) for name in arches}
    unneeded = rules.exceptions.unneeded(seen) if asked else []
    for one in filter(lambda one: rules.read.concerns(one.place), unneeded):
        lines.append(
            f"{one.place}: no tree contradicts {one.rule} ({one.check}): remove the exception"
        )
        failed = True
    return "\n".join(lines) + "\n", 4 if failed else 0


def read_rules(directories: Sequence[str]) -> Rules:
    """Reads the rules in question: the built-in ones, or those in directories over them."""
    known = read(directories)
    documents = known.documents
    exceptions = Exceptions(documents.exceptions, documents.places)
    return Rules(known, named_symbols(known.knowledge, documents), exceptions)


def examine(
    path: str, arches: Sequence[str], rules: Rules
) -> Iterator[tuple[TreeOutcome, TreeView]]:
    """Yields the outcome of one tree for each of the architectures that it has."""
    files = find_tree(path)
    wanted = [arch_of(name) for name in arches or ARCHES]
    known = [arch for arch in wanted if files.has(f"arch/{source_arch(arch)}/Kconfig")]
    if not known:
        hint = "name another architecture with --arch"
        raise TreeError(f"has none of the architectures {', '.join(wanted)}", where=path, hint=hint)
    source = KernelSource(files)
    initials = Initials(source)
    common = [*csysctls.sysctls(files)] if source.present else []
    for arch in known:
        tree = open_tree(path, arch, None)
        view = TreeView(tree, arch, rules.knowledge)
        checked = [*_facts(rules, view, source)]
        passed = 0
        if source.present:
            own = csysctls.sysctls(files, f"arch/{source_arch(arch)}")
            defaults = Defaults(initials, {one.name: one for one in (*common, *own)}, view)
            held = [*_default_facts(rules, defaults)]
            checked += chain.from_iterable(held)
            passed = sum(not one for one in held)
        for start in _starts(files, tree):
            for name in rules.documents.tunables:
                checked += plan_facts(rules.knowledge.tunable(name), view, start)
        if arch == known[0]:  # what no architecture decides is looked up once
            checked += source_facts(rules.documents, files, tree.version)
        outcome = _outcome(checked, view, rules, source.present)
        yield outcome._replace(passed=passed), view


def _facts(rules: Rules, view: TreeView, source: KernelSource) -> Checked:
    """Checks all that needs no configuration."""
    documents, knowledge = rules.documents, rules.knowledge
    yield from presence_facts(rules.named, view)
    yield from rename_facts(documents.renames, view)
    for name in documents.tunables:
        yield from tunable_facts(knowledge.tunable(name), knowledge.notes(name), view)
        yield from offered_facts(knowledge.tunable(name), view)
    for rule, expr in other_conditions(knowledge, documents):
        yield from condition_facts(expr, rule, view)
    if source.present:
        for name in documents.parameters:
            if parameter := knowledge.parameter(name):
                yield from parameter_facts(parameter, view, source)
        yield from limit_facts(limit_of(knowledge, view), view, source)


def _default_facts(rules: Rules, defaults: Defaults) -> Iterator[list[Contradiction | None]]:
    """Checks each default that a tunable has in this tree; none is checked of what C does not
    tell."""
    for name in rules.documents.tunables:
        tunable = rules.knowledge.tunable(name)
        if defaults.applies(tunable):
            sources = rules.knowledge.notes(name).sources
            yield defaults.check(tunable, [one.ref for one in sources if one.kind == "code"])


def _starts(files: TreeFiles, tree: KernelTree) -> Iterator[str]:
    """Loads the tree's defaults, then the configuration that `make defconfig` takes, and names
    each."""
    yield "the defaults"
    folder = f"arch/{source_arch(tree.arch)}/configs"
    paths = (f"{folder}/x86_64_defconfig", f"{folder}/defconfig")
    if path := next(filter(files.has, paths), ""):
        tree.load(parse_config(files.text(path), path, complete=False))
        # As the .config that it makes: a line that nothing shows is forgotten there.
        tree.load(parse_config(tree.write(), path, complete=True))
        yield path


def _outcome(
    checked: Sequence[Contradiction | None], view: TreeView, rules: Rules, sources: bool
) -> TreeOutcome:
    first: dict[tuple[str, str, str], Contradiction] = {}
    for one in filter(None, checked):
        first.setdefault((one.rule, one.check, one.subject), one)
    parts: dict[bool, list[Contradiction]] = {True: [], False: []}
    for one in first.values():
        explained_here = rules.exceptions.explains(one.check, one.rule, one.subject, view)
        parts[explained_here].append(one)
    explained, rest = tuple(parts[True]), tuple(parts[False])
    version = view.tree.version.text
    return TreeOutcome(version, view.arch, len(checked), explained, rest, sources)


def _line(one: Contradiction, outcome: TreeOutcome, rules: Rules) -> str:
    """`rules/area/x.toml:1: says ...; Linux 6.12 (x86) ... (init/Kconfig:1)`."""
    place = place_of(rules.documents, one.rule, one.subject)
    where = f" ({one.where})" if one.where else ""
    tree = f"Linux {outcome.version} on {outcome.arch}"
    return f"{place}: {one.check}: {one.says}; {tree}: {one.tree}{where}"


def _sum(outcome: TreeOutcome) -> str:
    parameters = "" if outcome.sources else "; boot parameters not checked: no C source in the tree"
    explained = f" ({len(outcome.explained)} more explained)" if outcome.explained else ""
    count = len(outcome.contradictions)
    passed = f"; {outcome.passed} defaults not read in C" if outcome.passed else ""
    result = f"{count} contradiction{'' if count == 1 else 's'}{explained}{passed}{parameters}"
    return f"Linux {outcome.version}, {outcome.arch}: {outcome.facts:,} facts checked, {result}"
