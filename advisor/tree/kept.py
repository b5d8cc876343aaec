"""What a kernel tree answers for one configuration, kept from one run for the next.

An answer is used again only for the same tool, tree (by the content of every file that was read),
architecture, configuration and lines. What the tools of the machine answer is not known before
they run, so nothing is kept where a tree's own commands may run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import advisor
from advisor.cache import cache_path, code_state, digest, has_shape, keep, prune, read_own
from advisor.inputs.config import KernelConfig
from advisor.model.kernel import Above, KernelVersion, Location, Locator, parse_version
from advisor.model.tree import Effect, LineAnswer, Lines, SearchResult, SideEffect, TreeUse
from advisor.tree.files import find_arch, find_tree

if TYPE_CHECKING:
    from advisor.tree.kerneltree import KernelTree
    from advisor.tree.oracle import Oracle

MOST_KEPT = 64
"""Of so many questions the answers stay; those asked longest ago go."""
_MARK = f"kernel-advisor-answers 3 {advisor.__version__}"

_TEXT = str | None
_EFFECTS = [(str, str, _TEXT, _TEXT, str, bool)]
_ASSUMED = [(str, str, str)]
# How the answers are kept, as `has_shape` reads it.
_SHAPE: dict[Any, Any] = {
    "digests": {str: str}, "listed": {str: [str]}, "version": str, "moved": {str: _TEXT},
    "warnings": [str], "assumed": _ASSUMED, "defines": {str: bool}, "values": {str: {str: _TEXT}},
    "achieve": {str: ([(str, str)], str, str)}, "members": {str: [str]},
    "line": {str: (str, bool, str, str)}, "effects": {str: (_EFFECTS, _ASSUMED)},
    "lost": {str: _EFFECTS},
}  # fmt: skip


class TreeQuestion(NamedTuple):
    """A tree and how to ask it: `loading` is entered while the tree is read.

    Links may lead into the folders `allowed` too; symbols of `given_up` may go for others' sake.
    """

    path: str
    arch: str
    run_toolchain: bool
    use_cache: bool
    loading: Callable[[], AbstractContextManager[None]]
    allowed: tuple[str, ...] = ()
    given_up: tuple[str, ...] = ()


class TreeAnswers:
    """The TreeOracle of one tree and configuration, which opens the tree only if it must.

    Raises TreeError where the tree cannot be read.
    """

    def __init__(self, question: TreeQuestion, config: KernelConfig) -> None:
        self._question = question
        self._config = config
        self._live: Oracle | None = None
        self._tree: KernelTree | None = None
        self._keys: dict[Lines, str] = {}
        # What the answers are about, but for the content of the tree.
        lines = [f"{symbol}={config.get(symbol)}" for symbol in config.symbols()]
        about = [
            question.arch,
            *question.allowed,
            *question.given_up,
            str(config.complete),
            str(config.version),
            str(config.inferred),
            code_state("inputs", "model", "tree", "tree/kconfig"),
            *lines,
        ]
        self._path = cache_path("tree", "\0".join([os.path.realpath(question.path), *about]))
        self._known = self._kept() or self._opened()
        self._assumed = self._known["assumed"]

    def defines(self, symbol: str) -> bool:
        """TreeOracle."""
        return bool(self._ask("defines", symbol, symbol))

    def value(self, lines: Lines, symbol: str) -> str | None:
        """TreeOracle."""
        values = self._known["values"].setdefault(self._key(lines), {})
        if symbol not in values:
            values[symbol] = self._oracle().value(lines, symbol)
        value: str | None = values[symbol]
        return value

    def achieve(
        self, lines: Lines, wanted: Lines, keep: frozenset[str], fixed: frozenset[str] = frozenset()
    ) -> SearchResult:
        """TreeOracle."""
        limits = digest(json.dumps([sorted(keep), sorted(fixed)]).encode())
        question = f"{self._key(lines)} {self._key(wanted)} {limits}"
        needed, reason, missed = self._ask("achieve", question, lines, wanted, keep, fixed)
        return SearchResult(tuple((symbol, value) for symbol, value in needed), reason, missed)

    def members(self, lines: Lines, symbol: str) -> tuple[str, ...]:
        """TreeOracle."""
        return tuple(self._ask("members", f"{self._key(lines)} {symbol}", lines, symbol))

    def line(self, symbol: str, value: str) -> LineAnswer:
        """TreeOracle."""
        return LineAnswer(*self._ask("line", f"{symbol}={value}", symbol, value))

    def effects(self, lines: Lines) -> tuple[SideEffect, ...]:
        """TreeOracle."""
        known, key = self._known["effects"], self._key(lines)
        if key not in known:
            effects = [[e.kind.value, *e[1:]] for e in self._oracle().effects(lines)]
            known[key] = [effects, self._oracle().assumed]
        effects, self._assumed = known[key]
        return tuple(SideEffect(Effect(kind), *rest) for kind, *rest in effects)

    def lost(self, lines: Lines) -> tuple[SideEffect, ...]:
        """TreeOracle."""
        known, key = self._known["lost"], self._key(lines)
        if key not in known:
            known[key] = [[one.kind.value, *one[1:]] for one in self._oracle().lost(lines)]
        return tuple(SideEffect(Effect(kind), *rest) for kind, *rest in known[key])

    @property
    def version(self) -> KernelVersion:
        """The tree's version."""
        return parse_version(self._known["version"])

    @property
    def use(self) -> TreeUse:
        """What a report rests on: the configuration in the tree, and the last effects told."""
        question, known = self._question, self._known
        # JSON makes lists of all tuples.
        assumed = tuple((subject, value, source) for subject, value, source in self._assumed)
        return TreeUse(
            question.path, known["version"], question.arch, question.run_toolchain, assumed,
            tuple(known["warnings"]),
        )  # fmt: skip

    def predicted(self, lines: Lines) -> dict[str, str]:
        """All that the tree's .config would show with these lines; of a tree that is open."""
        return self._oracle().predicted(lines)

    def tree(self) -> KernelTree:
        """The tree itself, opened if it was not yet, in the state of the configuration: until the
        next question, whose lines stay in place.
        """
        self._oracle().rewind()
        assert self._tree is not None
        return self._tree

    def config(self) -> Evaluated:
        """The configuration as it comes out in the tree."""
        return Evaluated(self._config, self._known["moved"], self._question.path)

    def save(self) -> None:
        """Keeps the answers for the next run, if there are new ones."""
        if self._live is None or not self._question.use_cache or self._question.run_toolchain:
            return
        keep(self._path, _MARK, json.dumps(self._known, separators=(",", ":")).encode())
        prune("tree", self._path, MOST_KEPT)

    def _kept(self) -> dict[str, Any] | None:
        """The answers of an earlier run, if the tree is still the same."""
        if not self._question.use_cache or self._question.run_toolchain:
            return None
        content = read_own(self._path, _MARK)
        if content is None:
            return None
        known = _answers(content)
        if known is None:
            return None
        files = find_tree(self._question.path, self._question.allowed)
        # As where the tree is opened: what is wrong is told in the same words.
        find_arch(files, self._question.arch)
        if not files.unchanged(known["digests"], known["listed"]):
            return None
        with suppress(OSError):
            os.utime(self._path)  # what is in use is not old
        return known

    def _opened(self) -> dict[str, Any]:
        """Nothing but what opening the tree tells."""
        from advisor.tree.kerneltree import Access, open_tree
        from advisor.tree.oracle import Oracle

        question, config = self._question, self._config
        with question.loading():
            tree = open_tree(
                question.path, question.arch, config,
                Access(question.allowed, question.run_toolchain, question.use_cache),
            )  # fmt: skip
            self._live, self._tree = Oracle(tree, question.given_up), tree
        return {
            "digests": dict(tree.files.digests),
            "listed": tree.files.listed,
            "version": tree.version.text,
            "moved": self._live.moved(config, list(config.symbols())),
            "warnings": _warnings(config, tree.version, len(tree.notes)),
            "assumed": self._live.assumed,
            "defines": {}, "values": {}, "achieve": {}, "members": {}, "line": {}, "effects": {},
            "lost": {},
        }  # fmt: skip

    def _oracle(self) -> Oracle:
        if self._live is None:
            # The answers kept so far stay: it is the same tree.
            self._opened()
        assert self._live is not None
        return self._live

    def _ask(self, method: str, question: str, *arguments: Any) -> Any:
        """What the oracle's method answers; `question` stands for the arguments."""
        known = self._known[method]
        if question not in known:
            known[question] = getattr(self._oracle(), method)(*arguments)
        return known[question]

    def _key(self, lines: Lines) -> str:
        if lines not in self._keys:
            self._keys[lines] = digest(json.dumps(lines).encode())
        return self._keys[lines]


def _answers(content: bytes) -> dict[str, Any] | None:
    """The answers of a kept file; None where they have not the shape in which they are kept."""
    try:
        known = json.loads(content)
        fits = known.keys() == _SHAPE.keys() and has_shape(known, _SHAPE)
        parse_version(known["version"])
        effects = (kind for answers, _ in known["effects"].values() for kind, *_ in answers)
        for kind in (*effects, *(one[0] for lost in known["lost"].values() for one in lost)):
            Effect(kind)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None
    return known if fits else None


class Evaluated(Above):
    """A configuration as it comes out in a tree (the protocol Configuration).

    `moved` are the symbols whose value there is not what the file says; None where there is none.
    """

    complete = True

    def __init__(self, file: KernelConfig, moved: dict[str, str | None], tree: str) -> None:
        super().__init__(file)
        self._moved = moved
        self._tree = tree

    def symbols(self) -> Iterator[str]:
        """The symbols that the tree's .config would name."""
        return filter(self.shows, dict.fromkeys((*self._base.symbols(), *self._moved)))

    def get(self, symbol: str) -> str | None:
        """The value there."""
        return self._moved[symbol] if symbol in self._moved else self._base.get(symbol)

    def place(self, symbol: str) -> Locator:
        """The file's line, or the tree where the file does not say so."""
        if symbol not in self._moved:
            return self._base.place(symbol)
        gone = self._moved[symbol] is None
        return Location(self._tree if gone else f"as {self._tree} completes it")


def _warnings(config: KernelConfig, version: KernelVersion, odd: int) -> list[str]:
    """What a reader should know of the configuration in this tree."""
    warnings = []
    if config.version and config.version.numbers[:2] != version.numbers[:2]:
        warnings.append(
            f"the configuration is of Linux {config.version.text}, but the tree is Linux "
            f"{version.text}: the report judges the configuration that the tree completed"
        )
    if odd and config.complete:
        warnings.append(f"{odd} lines of the configuration have another value in this tree")
    return warnings
