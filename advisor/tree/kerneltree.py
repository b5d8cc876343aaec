"""A kernel tree, evaluated: what a configuration comes to there, and what a change would do.

Nothing of the tree is executed unless `run_toolchain` asks for it, and nothing outside its folder
is read.
"""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import kconfiglib

from advisor.errors import TreeError, near
from advisor.inputs.config import KernelConfig, unquote
from advisor.model.kernel import InputNote, KernelVersion, Severity
from advisor.model.tree import SymbolFacts
from advisor.tree.commands import commands
from advisor.tree.files import TreeFiles, find_arch, find_tree, tree_version, version_of
from advisor.tree.kconfig import values as kconfigvalues
from advisor.tree.kconfig.facts import Declaration, declarations, facts, hanging, menus, unmet
from advisor.tree.kconfig.macros import Context
from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.questions import assumptions, forget_wanted, settle
from advisor.tree.keptparse import KeptParse
from advisor.tree.toolchain import Assumption, Toolchain

__all__ = ["Assumption", "KernelTree", "SymbolFacts", "open_tree", "tree_version"]


class Access(NamedTuple):
    """How a tree is read: links may lead into the folders `allowed` too; with `run_toolchain` the
    commands of the tree are run; with `use_cache` its parse is kept for the next run."""

    allowed: tuple[str, ...] = ()
    run_toolchain: bool = False
    use_cache: bool = False


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
        self,
        files: TreeFiles,
        arch: str,
        config: KernelConfig | None,
        access: Access = _PLAIN,
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
            self._parser = self._parsed(find_arch(files, arch), access)
            self.warnings = self._parser.notes
            self.renames = self._renames()
            if config is not None:
                self.notes = self._take(config)
                if not access.run_toolchain:
                    release = config.version.numbers[:2] if config.version else None
                    whole = config.complete and release in (None, self.version.numbers[:2])
                    with _no_circle():
                        settle(self._parser, self._toolchain, config, whole=whole)
                self.notes += self._changed(config)
        finally:
            if collecting:
                gc.enable()

    def _parsed(self, folder: str, access: Access) -> Parser:
        environment = {
            **self._toolchain.environment(),
            "ARCH": self.arch, "SRCARCH": folder, "UTS_MACHINE": self.arch,
            # The tree's own place is needed by its commands only: a value should not show it.
            "srctree": self.files.root if access.run_toolchain else ".",
            "SUBARCH": "x86" if folder == "um" else self.arch,
            "HEADER_ARCH": "x86" if folder == "um" else folder,
            "KERNELVERSION": self.version.text,
        }  # fmt: skip
        with commands(environment) if access.run_toolchain else nullcontext() as run:
            if run:
                environment.update(run.tools())
            context = Context(self.files, environment, self._toolchain, run)
            sources = [_text_or_nothing(self.files, name) for name in kconfigvalues.SOURCES]
            dialect = kconfigvalues.dialect(sources, self.version.numbers)
            kept = KeptParse(context, dialect) if access.use_cache and not run else None
            if kept and (known := kept.parser()):
                return known
            parser = Parser(context)
            parser.parse(dialect)
            if kept:
                kept.keep(parser)
        return parser

    # Values

    def load(self, config: KernelConfig) -> list[InputNote]:
        """Replaces all values by those of the configuration, as `conf --olddefconfig` would.

        Returns what does not come out as it is written: unknown, invalid, out of range, renamed.
        The toolchain stays that of the configuration with which the tree was opened. Trials do not
        undo it.
        """
        return self._take(config) + self._changed(config)

    def _take(self, config: KernelConfig) -> list[InputNote]:
        """Makes the configuration's lines the users' values; returns those that cannot be."""
        parser = self._parser
        for symbol in parser.unique_defined_syms:
            symbol.user_value = None
        parser.serials.clear()
        self._log.clear()
        notes: list[InputNote] = []
        for name in config.symbols():
            symbol = self._defined(name)
            value = config.get(name) or ""
            if symbol is None:
                notes.append(_note("unknown-symbol", config, name, value, "is not in this tree"))
                continue
            user_value = _user_value(symbol, value)
            if user_value is None:
                if value != "n":
                    why = f"is no value for a {kconfiglib.TYPE_TO_STR[symbol.orig_type]}"
                    notes.append(_note("invalid-value", config, name, value, why))
                continue
            symbol.user_value = user_value
            if symbol.choice:
                self._serial += 1
                parser.serials[symbol] = self._serial
        for choice in parser.unique_choices:
            choice.adopt()
        parser._invalidate_all()
        return notes

    def _changed(self, config: KernelConfig) -> list[InputNote]:
        """Works all values out; returns the lines that the tree reads as something else."""
        notes = []
        with _no_circle():
            # In the order of the files, which keeps the recursion low.
            for symbol in self._parser.unique_defined_syms:
                value = symbol.str_value
                if symbol.ranges and symbol.user_value not in (None, value) and symbol.visibility:
                    why = f"is out of range here and becomes {value}"
                    old = str(symbol.user_value)
                    notes.append(_note("out-of-range", config, symbol.name, old, why))
        for old, new in self.renames.items():
            if config.shows(old):
                why = f"is {new} in this tree"
                notes.append(_note("renamed-symbol", config, old, config.get(old) or "", why))
        return notes

    def defines(self, symbol: str) -> bool:
        """Whether the tree defines the symbol for this architecture."""
        return self._defined(symbol) is not None

    def _defined(self, symbol: str) -> Any:
        """kconfiglib's object; None too for a name that only expressions use."""
        known = self._parser.syms.get(symbol)
        return known if known is not None and known.nodes else None

    def accepts(self, symbol: str, value: str) -> bool:
        """Whether a value, as a .config spells it, is one of the symbol's type."""
        defined = self._defined(symbol)
        return defined is not None and _user_value(defined, value) is not None

    def near(self, symbol: str) -> str:
        """`did you mean X?` for a symbol that the tree has not; empty if nothing resembles it."""
        return near(symbol, (known.name for known in self._parser.unique_defined_syms))

    @property
    def count(self) -> int:
        """How many symbols the tree defines for this architecture."""
        return len(self._parser.unique_defined_syms)

    def declarations(self) -> Iterator[Declaration]:
        """Every symbol that the tree defines for this architecture, whatever its state."""
        return declarations(self._parser)

    def menus(self) -> dict[str, str]:
        """The menu of every symbol that the tree defines, as `A > B`."""
        return menus(self._parser)

    def value(self, symbol: str) -> str | None:
        """The value as a .config would spell it (strings quoted), `n`; None if it is unknown.

        A symbol that is not visible and has no value is `n`, or an empty text.
        """
        defined = self._defined(symbol)
        with _no_circle():
            return kconfigvalues.spelled(defined) if defined else None

    def line(self, symbol: str) -> str | None:
        """The value that a .config would show, `n` for "is not set"; None if it shows no line."""
        defined = self._defined(symbol)
        if defined is None or defined in self._parser.unwritten:
            return None
        with _no_circle():
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
        with _no_circle():
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
        user_value = _user_value(defined, value)
        self._assign(defined, user_value, None if user_value is None else self._serial + 1)
        if user_value is None:
            return False
        with _no_circle():
            if defined.orig_type in (kconfiglib.BOOL, kconfiglib.TRISTATE):
                return bool(defined.tri_value == user_value)
            return bool(defined.str_value == user_value)

    def reset(self, symbol: str) -> None:
        """Takes the symbol's line out of the configuration: the default decides."""
        if defined := self._defined(symbol):
            self._assign(defined, None, None)

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
        with _no_circle():
            return facts(self._parser, self.files, defined) if defined else None

    def prompted(self, symbol: str) -> bool:
        """Whether a user could ever set the symbol: not so if it is derived from others."""
        defined = self._defined(symbol)
        return defined is not None and any(node.prompt for node in defined.nodes)

    def unmet(self, symbol: str) -> tuple[str, ...]:
        """The terms of its prompt's condition, or else of its dependencies, that are n now."""
        defined = self._defined(symbol)
        with _no_circle():
            return unmet(defined) if defined else ()

    @property
    def lacks_modules(self) -> str:
        """The symbol without which nothing is a module, where it is off; else empty."""
        modules = self._parser.modules
        with _no_circle():
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


def _text_or_nothing(files: TreeFiles, name: str) -> str:
    """A file of scripts/kconfig, where it is there and fit to read."""
    name = f"scripts/kconfig/{name}"
    files.listed[name] = files.matches(name)
    try:
        return files.text(name) if files.listed[name] else ""
    except TreeError:
        return ""


def _user_value(symbol: Any, value: str) -> Any:
    """What conf_set_sym_val() of confdata.c makes of a line's value; None if it takes it not."""
    kind = symbol.orig_type
    if kind is kconfiglib.BOOL or kind is kconfiglib.TRISTATE:
        number = kconfiglib.STR_TO_TRI.get(value)
        return None if number == 1 and kind is kconfiglib.BOOL else number
    if kind is kconfiglib.STRING:
        return unquote(value) if value[:1] == '"' else None
    pattern = _INT if kind is kconfiglib.INT else _HEX
    return value if pattern.fullmatch(value) else None


# sym_string_valid() of symbol.c.
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)")
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]+")


def _note(kind: str, config: KernelConfig, symbol: str, value: str, why: str) -> InputNote:
    """A line of the configuration that does not come out as it is written."""
    # That a value is none of the type is worse in a file than in what a tree makes of it.
    severity = Severity.WARNING if kind == "invalid-value" else None
    where = config.entry(symbol).location
    return InputNote(kind, where, f"CONFIG_{symbol}={value[:60]} {why}", symbol, severity)


@contextmanager
def _no_circle() -> Iterator[None]:
    """Turns what evaluation cannot bear into a TreeError."""
    try:
        yield
    except RecursionError as error:
        raise TreeError(
            "symbols depend on each other in a circle, or nest too deeply",
            where="Kconfig",
            hint="the tree's own `make olddefconfig` names them",
        ) from error
