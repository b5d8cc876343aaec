"""Parses a tree's Kconfig files with kconfiglib, past what it does not know and where it is slow.

Files are opened through TreeFiles only, and lines that kconfiglib 14.1 does not know are rewritten
as they are read; line numbers stay those of the file.
"""

from __future__ import annotations

import os
import re
from typing import Any

import kconfiglib

from advisor.errors import TreeError
from advisor.tree import files as limits
from advisor.tree.files import DISTRUST
from advisor.tree.kconfig import text
from advisor.tree.kconfig.macros import Context, Macros
from advisor.tree.kconfig.questions import AnswerSymbol
from advisor.tree.kconfig.values import Choice, Dialect, OldChoice, ValueSymbol

_SKIP = ()  # no line has no tokens, so this marks one without content
_NO_PATH: tuple[tuple[str, int], ...] = ()
# Lines of one word and a symbol, or of one word and a text in quotes.
_TAKE_NAME = {
    "config": kconfiglib._T_CONFIG, "menuconfig": kconfiglib._T_MENUCONFIG,
    "select": kconfiglib._T_SELECT, "imply": kconfiglib._T_IMPLY,
    "depends": kconfiglib._T_DEPENDS,
}  # fmt: skip
_TAKE_PROMPT = {
    "bool": kconfiglib._T_BOOL, "tristate": kconfiglib._T_TRISTATE, "int": kconfiglib._T_INT,
    "prompt": kconfiglib._T_PROMPT, "source": kconfiglib._T_SOURCE,
}  # fmt: skip
# What git and patch leave in a file: either side of a conflict, and the line between them.
_CONFLICT = ("<<<<<<< ", "=======\n", ">>>>>>> ", "||||||| ")
# What kconfiglib itself comes to where a line stands in a place that no kernel has it in.
_ODD = (AttributeError, LookupError, TypeError, ValueError)
_MISSING = re.compile(r"('.*') not found \(in ")
# The keywords that include files: whether beside the file that does so, and whether they must be.
_SOURCES = {
    kconfiglib._T_SOURCE: (False, False), kconfiglib._T_OSOURCE: (False, True),
    kconfiglib._T_RSOURCE: (True, False), kconfiglib._T_ORSOURCE: (True, True),
}  # fmt: skip


class Parser(Macros):
    """The symbols of a tree for one architecture; raises TreeError where it cannot be parsed.

    `selected` and `implied` hold, by symbol, who does so under what condition; `serials` which
    line of a choice's members came last; `unwritten` are the symbols that no .config shows,
    `transitional` those of them that only take a value under an old name.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.unwritten: set[Any] = set()
        self.transitional: list[Any] = []
        self.selected: dict[Any, list[Any]] = {}
        self.implied: dict[Any, list[Any]] = {}
        self.serials: dict[Any, int] = {}
        # How much was worked out, for tests: unlike the clock always the same.
        self.evaluations = 0
        # Tokens by line: most lines of a tree stand in it many times (`bool`, `default n`).
        self._seen: dict[str, Any] = {}
        self._init_top()

    def _init_top(self) -> None:
        """The menu that holds everything, and the place in the first file."""
        top = self.top_node = kconfiglib.MenuNode()
        top.kconfig = self
        top.item = kconfiglib.MENU
        top.is_menuconfig = True
        top.visibility = top.dep = self.y
        top.prompt = ("Main menu", self.y)
        top.parent = top.help = None
        top.filename = self.filename = "Kconfig"
        top.linenr, self.linenr = 1, 0
        top.include_path = self._include_path = _NO_PATH
        self.kconfig_filenames = ["Kconfig"]
        self.env_vars: set[str] = set()
        self._filestack: list[Any] = []
        self._reuse_tokens = False
        self._line = ""
        self._lines: list[str] = []
        self._at = 0

    def parse(self, dialect: Dialect) -> None:
        """Parses all files, and makes the symbols evaluate as that tree's tool does."""
        self.dialect = dialect
        self._lines = self._files.lines("Kconfig", "")
        try:
            self._parse_block(None, self.top_node, self.top_node).next = None
            self.top_node.list, self.top_node.next = self.top_node.next, None
            self._parsing_kconfigs = False
            self._finalize_node(self.top_node, self.y)
        except kconfiglib.KconfigError as error:
            raise self._error(str(error)) from error
        except RecursionError as error:
            raise self._error("nested too deeply") from error
        except _ODD as error:
            raise self._error("cannot be parsed, here or in a line before") from error
        self.reverse()
        self.unique_defined_syms = list(dict.fromkeys(self.defined_syms))
        self.unique_choices = list(dict.fromkeys(self.choices))
        self._seen.clear()
        self._lines = []
        # Only now: the parser of kconfiglib compares classes by identity.
        for symbol in self.unique_defined_syms:
            symbol.__class__ = ValueSymbol
        for choice in self.unique_choices:
            choice.__class__ = Choice if self.dialect.modern_choices else OldChoice
        for number, query in enumerate(self.questions):
            query.symbol.__class__ = AnswerSymbol
            del self.syms[f"__ANSWER_{number}"]
        self.unwritten.update(self.transitional)
        if self.defconfig_list and not self.dialect.writes_defaults:
            self.unwritten.add(self.defconfig_list)

    def reverse(self) -> None:
        """Notes at each symbol what selects and implies it."""
        for target, expressions in self.selected.items():
            target.rev_dep = _any_of(expressions)
        for target, expressions in self.implied.items():
            target.weak_rev_dep = _any_of(expressions)

    def link(self) -> None:
        """Notes what depends on what, so that a change invalidates all that it must."""
        try:
            self._build_dep()
        except RecursionError as error:
            raise self._error("nested too deeply") from error
        self._add_choice_deps()
        for choice in self.unique_choices:
            choice._dependents.update(choice.syms)

    def _error(self, message: str) -> TreeError:
        """The error at the place that is being parsed; kconfiglib puts its own name of it first."""
        where = self.here if self._parsing_kconfigs else "Kconfig"
        message = message.strip().split("\n")[0].removeprefix(f"{where}: ").removeprefix("error: ")
        hint = "is it an unchanged kernel tree of 2.6.38 to 7.2?"
        if missing := _MISSING.match(message):
            message = f"the tree includes {missing[1]}, which does not exist"
            hint = "is the whole tree checked out? "
            hint += "run `git submodule update --init` or `git sparse-checkout disable`"
        return TreeError(text.printable(message), where=where, hint=hint)

    # Files and lines

    def _open(self, filename: str, mode: str) -> Any:
        raise AssertionError(f"{filename} is opened without TreeFiles")

    def _enter_file(self, filename: str) -> None:
        name = filename.removeprefix(self.srctree.rstrip("/") + "/")
        where = self.here
        if len(self._filestack) >= limits.DEPTH:
            message = f"files include each other more than {limits.DEPTH} levels deep"
            raise TreeError(message, where=where, hint=DISTRUST)
        self._filestack.append((self._include_path, self._lines, self._at))
        self._include_path = (*self._include_path, (self.filename, self.linenr))
        if any(name == parent for parent, _ in self._include_path):
            hint = "the file includes itself"
            message = f"{text.printable(name)} is included again within itself"
            raise TreeError(message, where=where, hint=hint)
        self._lines = self._files.lines(name, where)
        self._at = 0
        self.filename, self.linenr = name, 0

    def _leave_file(self) -> None:
        self.filename, self.linenr = self._include_path[-1]
        self._include_path, self._lines, self._at = self._filestack.pop()

    def _expect_str_and_eol(self) -> str:
        token: str = super()._expect_str_and_eol()
        if self._tokens[0] in _SOURCES:
            relative, optional = _SOURCES[self._tokens[0]]
            pattern = os.path.join(os.path.dirname(self.filename), token) if relative else token
            self._files.check_source(pattern, self.here, optional=optional)
        return token

    def _next_line(self) -> bool:
        """As kconfiglib's, with lines seen before not tokenized again, and empty ones passed by."""
        if self._reuse_tokens:
            self._reuse_tokens = False
            return True
        lines, at, seen = self._lines, self._at, self._seen
        end = len(lines)
        while at < end:
            line = lines[at]
            at += 1
            tokens = seen.get(line)
            if tokens is _SKIP:
                continue
            if tokens is None:
                self.linenr = at
                if line.endswith("\\\n"):
                    line, at = self._joined(line, at)
                self.linenr = self._at = at
                tokens = self._tokenize(line)
                if tokens is _SKIP:
                    at = self._at
                    continue
            else:
                self._line = line
            self._tokens = tokens
            self._tokens_i = 1
            self.linenr = self._at = at
            return True
        self.linenr = self._at = at
        return False

    def _joined(self, line: str, at: int) -> tuple[str, int]:
        """The line with those it continues on, and the place after them."""
        parts, size = [], 0
        while line.endswith("\\\n"):
            parts.append(line[:-2])
            size += len(line)
            if size > limits.LINE:
                message = f"a line of more than {limits.LINE >> 10} KiB"
                raise TreeError(message, where=self.here, hint=DISTRUST)
            line = self._lines[at] if at < len(self._lines) else ""
            at += 1
        return "".join(parts) + line, min(at, len(self._lines))

    def _parse_help(self, node: Any) -> None:
        """Passes over the help text, which is not kept."""
        node.help = ""
        lines, at, end = self._lines, self._at, len(self._lines)
        while at < end and lines[at].isspace():
            at += 1
        # A text that is not indented is none: what follows `help` at once is the next entry.
        if at < end and (indent := _indent(lines[at])):
            prefix = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            while at < end and (
                lines[at].startswith(prefix) or lines[at].isspace() or _indent(lines[at]) >= indent
            ):
                at += 1
        self._at = at

    # Tokens

    def _tokenize(self, s: str) -> Any:
        words = s.split(None, 4)
        if not words or words[0][0] == "#":
            self._seen[s] = _SKIP
            return _SKIP
        tokens = self._simple_tokens(s, words)
        if tokens:
            self._seen[s] = tokens
            return tokens
        if s.startswith(_CONFLICT):
            message = f"a merge conflict is not settled: {text.printable(s.strip()[:60])}"
            hint = "settle the conflict; git status names all files with conflicts"
            raise TreeError(message, where=self.here, hint=hint)
        try:
            tokens = super()._tokenize(s)
        except kconfiglib.KconfigError as error:
            return self._retry(s, error)
        first = tokens[0]
        if first is kconfiglib._T_MODULES:  # a property since 5.13
            tokens = (kconfiglib._T_OPTION, kconfiglib._T_MODULES, None)
        elif first is kconfiglib._T_DEPENDS and kconfiglib._T_IF in tokens:
            tokens = self._conditional_depends(list(tokens))
        elif first is kconfiglib._T_OPTION and (name := text.option_env(s)):
            # `option env=` as the default that it amounts to; such a symbol is never written.
            if self.defined_syms:
                self.unwritten.add(self.defined_syms[-1])
            value = self._lookup_const_sym(self._environment.get(name, ""))
            return (kconfiglib._T_DEFAULT, value, None)
        # A macro may mean another thing the next time.
        if first is not None and "$" not in s:
            self._seen[s] = tokens
        return tokens

    def _simple_tokens(self, line: str, words: list[str]) -> Any:
        """The tokens of the commonest lines, which are most of the time of a parse; else None."""
        first, count = words[0], len(words)
        if count == 2 or (count == 3 and words[1] == "on"):
            if (keyword := _TAKE_NAME.get(first)) and (symbol := self._plain_symbol(words[-1])):
                self._line = line
                if count == 2:
                    return (keyword, symbol, None) if first != "depends" else None
                return (keyword, kconfiglib._T_ON, symbol, None) if first == "depends" else None
        elif (keyword := _TAKE_PROMPT.get(first)) and line.count('"') == 2:
            start, end = line.index('"'), line.rindex('"')
            around = line[:start].strip() + line[end + 1 :].strip()
            if around == first and "\\" not in line and "$" not in line:
                self._line = line
                return (keyword, line[start + 1 : end], None)
        return None

    def _plain_symbol(self, name: str) -> Any:
        """The symbol of that name; None where the name needs a closer look."""
        symbol = self.syms.get(name)
        if symbol is not None:
            return symbol
        plain = name.isascii() and name.replace("_", "a").isalnum() and len(name) > 1
        return self._lookup_sym(name) if plain and not kconfiglib._get_keyword(name) else None

    def _retry(self, line: str, error: Exception) -> Any:
        """The tokens of a line that kconfiglib does not know; raises `error` for a wrong one."""
        if line.split("#", 1)[0].strip() == "transitional":  # since 6.18
            self.transitional.append(self.defined_syms[-1] if self.defined_syms else None)
            return super()._tokenize('\tprompt "transitional"\n')
        cleaned = text.without_stray(line)
        if cleaned == line:
            raise error
        self.notes.append(f"{self.here}: stray characters are ignored")
        return super()._tokenize(cleaned) if cleaned.strip() else (None,)

    def _conditional_depends(self, tokens: list[Any]) -> list[Any]:
        """`depends on A if B` (7.1) as what menu_add_dep() of menu.c makes of it: A || B = n."""
        at = tokens.index(kconfiglib._T_IF)
        self._tokens, self._tokens_i = tokens, at + 1
        condition = self._expect_expr_and_eol()
        opened, closed = kconfiglib._T_OPEN_PAREN, kconfiglib._T_CLOSE_PAREN
        return [
            *tokens[:2], opened, *tokens[2:at], closed, kconfiglib._T_OR,
            opened, *self._compared(condition, True), closed, None,
        ]  # fmt: skip

    def _compared(self, expr: Any, equal: bool) -> list[Any]:
        """The tokens of "expr is n", or is not, as expr_trans_compare() of expr.c builds them."""
        if not isinstance(expr, tuple):
            relation = kconfiglib.EQUAL if equal else kconfiglib.UNEQUAL
            return [expr, relation, self.n]
        if expr[0] is kconfiglib.NOT:
            return self._compared(expr[1], not equal)
        opened, closed = kconfiglib._T_OPEN_PAREN, kconfiglib._T_CLOSE_PAREN
        if expr[0] in (kconfiglib.AND, kconfiglib.OR):
            operator = kconfiglib.OR if expr[0] is kconfiglib.AND else kconfiglib.AND
            left, right = self._compared(expr[1], True), self._compared(expr[2], True)
            both = [opened, *left, closed, operator, opened, *right, closed]
        else:
            both = [kconfiglib.NOT, expr[1], expr[0], expr[2]]
        return both if equal else [kconfiglib.NOT, opened, *both, closed]

    def _set_type(self, sc: Any, new_type: int) -> None:
        # The kernel's parser ignores a redefinition, kconfiglib the first definition.
        sc.orig_type = sc.orig_type or new_type

    # Dependencies

    def _propagate_deps(self, node: Any, visible_if: Any) -> None:
        item = node.item
        if self.dialect.modern_choices and isinstance(item, kconfiglib.Choice):
            # Since 6.11 the members depend on what the choice depends on, not on its prompt.
            node.item = None
        super()._propagate_deps(node, visible_if)
        node.item = item

    def _add_props_to_sym(self, node: Any) -> None:
        """As kconfiglib's, with selects collected: nested one by one they recurse too deeply."""
        symbol = node.item
        symbol.direct_dep = self._make_or(symbol.direct_dep, node.dep)
        symbol.defaults += node.defaults
        symbol.ranges += node.ranges
        symbol.selects += node.selects
        symbol.implies += node.implies
        loose = self.dialect.loose_selects and symbol.orig_type is not kconfiglib.TRISTATE
        for targets, properties in ((self.selected, node.selects), (self.implied, node.implies)):
            for target, condition in properties:
                limit = self._loosened(condition) if loose else condition
                targets.setdefault(target, []).append(self._make_and(symbol, limit))

    def _loosened(self, expr: Any) -> Any:
        """The expression with FOO for `FOO != n`, as expr_trans_bool() of the old expr.c."""
        if not isinstance(expr, tuple):
            return expr
        if expr[0] in (kconfiglib.AND, kconfiglib.OR):
            return (expr[0], self._loosened(expr[1]), self._loosened(expr[2]))
        if expr[0] is kconfiglib.UNEQUAL and expr[2] is self.n:
            return expr[1] if expr[1].orig_type is kconfiglib.TRISTATE else expr
        return expr


def _any_of(expressions: list[Any]) -> Any:
    """All joined by ||, as a tree of the least depth."""
    while len(expressions) > 1:
        pairs = zip(expressions[::2], expressions[1::2], strict=False)
        joined = [(kconfiglib.OR, left, right) for left, right in pairs]
        expressions = joined + expressions[len(joined) * 2 :]
    return expressions[0]


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
