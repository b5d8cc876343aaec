"""A kernel tree, evaluated: what a configuration comes to there, and what a change would do.

Nothing of the tree is executed unless `run_toolchain` asks for it, and nothing outside its folder
is read.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import kconfiglib

from advisor.errors import meant
from advisor.inputs.config import KernelConfig
from advisor.model.kernel import InputNote, KernelVersion
from advisor.model.likeness import slipped
from advisor.model.tree import Assignment, SymbolFacts
from advisor.tree.files import TreeFiles, find_tree, tree_version, version_of
from advisor.tree.kconfig import values as kconfigvalues
from advisor.tree.kconfig.brought import brought
from advisor.tree.kconfig.facts import Declaration, declarations, facts, hanging, menus, unmet
from advisor.tree.kconfig.questions import assumptions, forget_wanted, settle
from advisor.tree.kconfig.reach import unreachable
from advisor.tree.parsing import Access, parse_tree
from advisor.tree.taking import misread, no_circle, symbol_of, take, user_value
from advisor.tree.toolchain import Assumption, Toolchain

__all__ = ["Access", "Assumption", "KernelTree", "SymbolFacts", "open_tree", "tree_version"]

_PLAIN = Access()
# A driver has a few options of its own below it; in 6.6 half of the menus have more than this.
_SUBSYSTEM = 8


def open_tree(
    path: str, arch: str, config: KernelConfig | None, access: Access = _PLAIN
) -> KernelTree:
    """The tree in that folder for one architecture, with `config` loaded where it is given.

    `arch` is what make takes as ARCH. The configuration also tells what the tree asks of the
    compiler, unless the tree's commands are run. Raises TreeError if the folder is no kernel tree,
    cannot be read, or would lead out of itself.
    """
    return KernelTree(find_tree(path, access.allowed), arch, config, access)


def _may_be_of(config: KernelConfig, version: KernelVersion) -> bool:
    """Whether a configuration may have been made with that release: by its header, else between the
    kernels that its symbols show."""
    if config.version:
        return config.version.numbers[:2] == version.numbers[:2]
    after, before = config.inferred.after, config.inferred.before
    is_newer = after is None or version.numbers > after.numbers
    return is_newer and (before is None or version.numbers < before.numbers)


class KernelTree:
    """The symbols of one tree and architecture, with the values that a configuration gives them.

    `warnings` are oddities of the tree, `notes` what became of the loaded lines, `renames` the
    symbols that only take over a value under an old name, `files` what was read.
    """

    path: str
    arch: str
    version: KernelVersion
    warnings: list[str]
    notes: list[InputNote]
    renames: dict[str, str]
    files: TreeFiles

    def __init__(
        self, files: TreeFiles, arch: str, config: KernelConfig | None, access: Access = _PLAIN
    ) -> None:
        self.path = files.path
        self.arch = arch
        self.version = version_of(files)
        self.notes = []
        self.files = files
        self._toolchain = Toolchain(config)
        self._serial = 0
        self._log: list[tuple[Any, Any, int | None]] = []
        self._trials = 0
        self._linked = False
        self._hanging: Counter[str] | None = None
        self._moving: set[Any] = set()
        # Half a million objects that stay: looking for rubbish among them takes a quarter of it.
        collecting = gc.isenabled()
        gc.disable()
        try:
            self._parser = parse_tree(files, arch, self.version, self._toolchain, access)
            self.warnings = self._parser.notes
            self.renames = self._renames()
            if config is not None:
                self.notes = self._take(config)
                if not access.run_toolchain:
                    whole = config.complete and _may_be_of(config, self.version)
                    with no_circle():
                        settle(self._parser, self._toolchain, config, whole=whole)
                self.notes += misread(self._parser, config, self.renames)
        finally:
            if collecting:
                gc.enable()

    # Values

    def load(self, config: KernelConfig) -> list[InputNote]:
        """Replaces all values by those of the configuration, as `conf --olddefconfig` would.

        Returns what does not come out as it is written: unknown, invalid, out of range, renamed.
        The toolchain stays that of the configuration with which the tree was opened. Trials do not
        undo it.
        """
        return self._take(config) + misread(self._parser, config, self.renames)

    def _take(self, config: KernelConfig) -> list[InputNote]:
        self._log.clear()
        notes, self._serial = take(self._parser, config, self._serial)
        return notes

    def defines(self, symbol: str) -> bool:
        """Whether the tree defines the symbol for this architecture."""
        return self._defined(symbol) is not None

    def _defined(self, symbol: str) -> Any:
        return symbol_of(self._parser, symbol)

    def accepts(self, symbol: str, value: str) -> bool:
        """Whether a value, as a .config spells it, is one of the symbol's type."""
        defined = self._defined(symbol)
        return defined is not None and user_value(defined, value) is not None

    def spelled(self, symbol: str) -> str:
        """The symbol as it is written here, where the tree has it in another case alone."""
        names = (known.name for known in self._parser.unique_defined_syms)
        same = (name for name in names if name.lower() == symbol.lower())
        return symbol if self.defines(symbol) else next(same, symbol)

    def near(self, symbol: str) -> str:
        """`did you mean X?` for a symbol that the tree has not; empty if no slip makes it one."""
        names = slipped(symbol, (known.name for known in self._parser.unique_defined_syms))
        return meant(names)

    @property
    def count(self) -> int:
        """How many symbols the tree defines for this architecture."""
        return len(self._parser.unique_defined_syms)

    def declarations(self) -> Iterator[Declaration]:
        """Every symbol that the tree defines for this architecture, whatever its state."""
        return declarations(self._parser)

    def unreachable(self) -> Iterator[str]:
        """The switches that nothing can switch on for this architecture."""
        return unreachable(self._parser)

    def brought(self) -> Iterator[tuple[str, str]]:
        """The switches that something else has on for this architecture, each with what that is."""
        return brought(self._parser)

    def menus(self) -> dict[str, str]:
        """The menu of every symbol that the tree defines, as `A > B`."""
        return menus(self._parser)

    def value(self, symbol: str) -> str | None:
        """The value as a .config would spell it (strings quoted), `n`; None if it is unknown.

        A symbol that is not visible and has no value is `n`, or an empty text.
        """
        defined = self._defined(symbol)
        with no_circle():
            return kconfigvalues.spelled(defined) if defined else None

    def line(self, symbol: str) -> str | None:
        """The value that a .config would show, `n` for "is not set"; None if it shows no line."""
        defined = self._defined(symbol)
        if defined is None or defined in self._parser.unwritten:
            return None
        with no_circle():
            return kconfigvalues.written(defined)

    def snapshot(self) -> dict[str, str]:
        """All that a .config would show now: `n` for "is not set"."""
        shown = self._shown(self._parser.unique_defined_syms)
        return {name: value for name, value in shown.items() if value is not None}

    def settle(self) -> None:
        """From now on `moved` tells what is another."""
        # What nobody has asked for since it was forgotten is not forgotten a second time.
        symbols = self._parser.unique_defined_syms
        self._moving = {symbol for symbol in symbols if symbol._cached_vis is None}

    def moved(self) -> dict[str, str | None]:
        """All that a .config would show of the symbols that may be others since `settle`: what was
        set since, and what depends on that."""
        moving = self._moving
        may = [symbol for symbol in self._parser.unique_defined_syms if symbol in moving]
        return self._shown(may)

    def _shown(self, symbols: Iterable[Any]) -> dict[str, str | None]:
        """What a .config would show of these; in the order of the files the recursion stays low."""
        unwritten = self._parser.unwritten
        with no_circle():
            values = {symbol: kconfigvalues.written(symbol) for symbol in symbols}
        return {s.name: None if s in unwritten else value for s, value in values.items()}

    def write(self) -> str:
        """The lines of the .config that `make olddefconfig` would write, without its comments."""
        return "".join(
            # A string is in quotes, so that n is always that of a bool or tristate.
            f"# CONFIG_{name} is not set\n" if value == "n" else f"CONFIG_{name}={value}\n"
            for name, value in self.snapshot().items()
        )

    def set(self, symbol: str, value: str) -> bool:
        """Puts a line in place of the symbol's, after all others; returns whether it holds.

        `value` is spelled as in a .config. Of a line with a value of the wrong type nothing is
        left but that the symbol's line is gone, as with merge_config.sh.
        """
        defined = self._defined(symbol)
        if defined is None:
            return False
        given = user_value(defined, value)
        self._assign(defined, given, None if given is None else self._serial + 1)
        if given is None:
            return False
        with no_circle():
            if defined.orig_type in (kconfiglib.BOOL, kconfiglib.TRISTATE):
                return bool(defined.tri_value == given)
            return bool(defined.str_value == given)

    def reset(self, symbol: str) -> None:
        """Takes the symbol's line out of the configuration: the default decides."""
        if defined := self._defined(symbol):
            self._assign(defined, None, None)

    def takes(self, line: Assignment) -> bool:
        """Whether the line would hold now; nothing in the tree is changed by asking."""
        with self.trial():
            return self.set(*line)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """What is set and reset within is undone at the end; trials may be nested."""
        mark = len(self._log)
        self._trials += 1
        try:
            yield
        finally:
            self._trials -= 1
            undone = self._log[mark:]
            del self._log[mark:]
            for symbol, user_value, serial in reversed(undone):
                self._put(symbol, user_value, serial)

    def _assign(self, symbol: Any, user_value: Any, serial: int | None) -> None:
        if self._trials:
            before = self._parser.serials.get(symbol)
            self._log.append((symbol, symbol.user_value, before))
        self._serial += 1
        self._put(symbol, user_value, serial)

    def _put(self, symbol: Any, user_value: Any, serial: int | None) -> None:
        """Sets the value and the place of its line, and forgets what depends on them."""
        parser = self._parser
        if not self._linked:
            # A fifth of the time to open a tree, which most uses need not spend.
            parser.link()
            self._linked = True
        symbol.user_value = user_value
        if symbol.choice:
            if serial is None:
                parser.serials.pop(symbol, None)
            else:
                parser.serials[symbol] = serial
            symbol.choice.adopt()
        self._moving |= kconfigvalues.invalidate(symbol, *filter(None, (symbol.choice,)))

    # What is known of the symbols, and of the tools

    def about(self, symbol: str) -> SymbolFacts | None:
        """What the tree says of the symbol, in the present state; None if it is unknown."""
        defined = self._defined(symbol)
        with no_circle():
            return facts(self._parser, self.files, defined) if defined else None

    def prompted(self, symbol: str) -> bool:
        """Whether a user could ever set the symbol: not so if it is derived from others."""
        defined = self._defined(symbol)
        return defined is not None and any(node.prompt for node in defined.nodes)

    def unmet(self, symbol: str) -> tuple[str, ...]:
        """The terms of its prompt's condition, or else of its dependencies, that are n now."""
        defined = self._defined(symbol)
        with no_circle():
            return unmet(defined) if defined else ()

    @property
    def lacks_modules(self) -> str:
        """The symbol without which nothing is a module, where it is off; else empty."""
        modules = self._parser.modules
        with no_circle():
            return modules.name if modules.nodes and not modules.tri_value else ""

    def places(self, symbol: str) -> tuple[str, ...]:
        """The files that define the symbol."""
        defined = self._defined(symbol)
        return tuple(node.filename for node in defined.nodes) if defined else ()

    def is_subsystem(self, symbol: str) -> bool:
        """Whether more hangs below the symbol than options of a driver; a mere menu is none."""
        if self._hanging is None:
            self._hanging = hanging(self._parser)
        if self._hanging[symbol] < _SUBSYSTEM:
            return False
        defined = self._defined(symbol)
        return defined.orig_type is kconfiglib.TRISTATE or bool(defined.selects)

    def choice(self, symbol: str) -> tuple[str, ...]:
        """All members of the symbol's choice; empty if it belongs to none."""
        defined = self._defined(symbol)
        choice = defined.choice if defined else None
        return tuple(member.name for member in choice.syms) if choice else ()

    @property
    def evaluations(self) -> int:
        """How many values were worked out since the tree was opened."""
        return self._parser.evaluations

    @property
    def assumptions(self) -> list[Assumption]:
        """The answers for tools that mattered so far, by symbol or macro."""
        return assumptions(self._toolchain, self._parser.questions)

    def forget_asked(self) -> None:
        """Counts only answers that matter from now on."""
        forget_wanted(self._parser.questions)

    def _renames(self) -> dict[str, str]:
        """The old names that the tree knows (`transitional`), each with the one that takes over."""
        old = set(self._parser.transitional)
        renames: dict[str, str] = {}
        for symbol in self._parser.unique_defined_syms:
            for default, _ in symbol.defaults:
                if default in old:
                    renames.setdefault(default.name, symbol.name)
        return renames
