"""What the macros of a tree's Kconfig files become, without the outside being touched.

kconfiglib runs shell commands, imports a module of the current folder, and expands any environment
variable. All three go through methods that are overridden here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import kconfiglib

from advisor.errors import TreeError
from advisor.tree.files import DISTRUST, TreeFiles
from advisor.tree.kconfig import text
from advisor.tree.kconfig.questions import AskedQuestion
from advisor.tree.toolchain import RUN, Question, Toolchain, question_of

EXPANSIONS = 200_000
"""How many macros may be expanded; 7.1.5 for x86 needs 2,900."""
EXPANDED = 64 << 10
"""The longest text that a macro may become."""

# A macro in one of these lines is part of what the entry above it says.
_PROPERTIES = frozenset((
    "bool", "def_bool", "def_hex", "def_int", "def_string", "def_tristate", "default", "depends",
    "hex", "imply", "int", "prompt", "range", "select", "string", "tristate", "visible",
))  # fmt: skip
_NAME = re.compile(r"\w+")


class Asked(NamedTuple):
    """A command of the tree, the symbol whose definition asks it, and whether its answer may stand
    for a symbol there."""

    command: str
    owner: str
    in_place: bool


class Context(NamedTuple):
    """What Kconfig files are parsed with: `environment` is all that `$(NAME)` can be.

    `run` returns what a shell command prints; None is "never", and the toolchain answers.
    """

    files: TreeFiles
    environment: dict[str, str]
    toolchain: Toolchain
    run: Callable[[str], str] | None


class Macros(kconfiglib.Kconfig):  # type: ignore[misc]  # kconfiglib has no types
    """The part of the parser that expands macros.

    `questions` are those that only a tool could answer, `notes` what the tree warns of, `replies`
    what each command was taken to print, in order; None where a symbol stands for it.
    """

    def __init__(self, context: Context) -> None:
        # kconfiglib's own __init__ reads the environment and imports a module that it names.
        self._files, self._environment, self._toolchain, self._run = context
        self.questions: list[AskedQuestion] = []
        self.notes: list[str] = []
        self.replies: list[tuple[Asked, str | None]] = []
        self._expansions = 0
        # In quotes a macro's answer is text; elsewhere it is a symbol of an expression.
        self._in_string = False
        self._entry: Any = None
        self._init_tables()

    @property
    def here(self) -> str:
        """The line that is being parsed."""
        return f"{text.printable(self.filename)}:{self.linenr}"

    def _init_tables(self) -> None:
        """The attributes that kconfiglib's _init() makes, without its look at the environment."""
        self._encoding = "utf-8"
        self.srctree = self._files.root
        self._srctree_prefix = self._files.pattern_prefix
        self.warn = self.warn_to_stderr = self.warn_assign_undef = False
        self.warn_assign_override = self.warn_assign_redun = self._warn_assign_no_prompt = False
        self.warnings: list[str] = []
        self.config_prefix = "CONFIG_"
        self.config_header = self.header_header = ""
        for table in ("syms", "const_syms", "named_choices", "variables"):
            setattr(self, table, {})
        for objects in ("defined_syms", "missing_syms", "choices", "menus", "comments"):
            setattr(self, objects, [])
        for name in ("n", "m", "y"):
            symbol = self._lookup_constant(name, kconfiglib.TRISTATE)
            symbol._cached_tri_val = kconfiglib.STR_TO_TRI[name]
            self.const_syms[name] = symbol
        self.n, self.m, self.y = (self.const_syms[name] for name in ("n", "m", "y"))
        for symbol in self.const_syms.values():
            symbol.rev_dep = symbol.weak_rev_dep = symbol.direct_dep = self.n
        self._functions = {
            "info": (lambda *_: "", 0, None),
            "filename": (lambda *_: self.filename, 0, None),
            "lineno": (lambda *_: str(self.linenr), 0, None),
            # A comma in the command splits it, for kconfiglib as for the kernel's parser.
            "shell": (lambda _, __, *command: self.shell(",".join(command)), 0, None),
            "error-if": (_complain, 1, None),
            "warning-if": (_complain, 1, None),
        }
        self._parsing_kconfigs = True
        self.modules = self._lookup_sym("MODULES")
        self.defconfig_list = None

    def _lookup_constant(self, name: str, kind: int) -> Any:
        symbol = kconfiglib.Symbol()
        symbol.kconfig = self
        symbol.name = name
        symbol.is_constant = True
        symbol.orig_type = kind
        return symbol

    def _parse_props(self, node: Any) -> None:
        self._entry = node.item
        super()._parse_props(node)

    def _expand_str(self, s: str, i: int) -> tuple[str, int]:
        self._in_string = True
        try:
            s, end = super()._expand_str(s, i)
        finally:
            self._in_string = False
        inner = s[i + 1 : end - 1]
        # What kconfiglib leaves of a dollar is the syntax of before 4.18.
        if "$" in inner:
            inner = text.old_variables(inner, self._environment)
            s = s[: i + 1] + inner + s[end - 1 :]
            end = i + 2 + len(inner)
        return s, end

    def _expand_name(self, s: str, i: int) -> tuple[str, str, int]:
        before = len(self.questions)
        name, expanded, end = super()._expand_name(s, i)
        if len(self.questions) > before and self.questions[-1].symbol.name == name:
            # Messages show the macro as the file writes it, not the name of its stand-in.
            self.questions[-1].symbol.name = s[i : len(s) - len(expanded) + end].strip()
        return name, expanded, end

    def _fn_val(self, args: Any) -> str:
        self._expansions += 1
        name = args[0]
        # A variable that is not defined here is one of make's, never of the caller's environment.
        # While its first value is worked out a variable is there, and has none.
        if hasattr(self.variables.get(name), "value") or name in self._functions:
            value: str = super()._fn_val(args)
        else:
            value = self._environment.get(name, "")
        if self._expansions > EXPANSIONS or len(value) > EXPANDED:
            raise TreeError(
                "the expansion of its macros does not end", where=self.here, hint=DISTRUST
            )
        return value

    def shell(self, command: str) -> str:
        """What a command prints, run or answered; a symbol's name for what only a tool can tell."""
        words = self._line.split(None, 1)
        in_property = words[:1] and words[0] in _PROPERTIES
        owner = self._asks_for(words) if in_property else None
        in_place = bool(in_property) and not self._in_string
        asked = Asked(command, owner.name if owner else "", in_place)
        answer = reply(asked, self._toolchain, self._run)
        if isinstance(answer, Question):
            self.replies.append((asked, None))
            return self._ask(command, answer, owner)
        self.replies.append((asked, answer))
        return answer

    def _asks_for(self, words: list[str]) -> Any:
        """The symbol whose line shows the answer: of a select's or imply's condition its target."""
        if words[0] in ("select", "imply") and (target := _NAME.match(words[-1])):
            return self._lookup_sym(target[0])
        return self._entry if isinstance(self._entry, kconfiglib.Symbol) else None

    def _ask(self, command: str, question: Question, owner: Any) -> str:
        """A new symbol for the question: its value can be decided, and its text shown, later."""
        symbol = self._lookup_constant(f"__ANSWER_{len(self.questions)}", kconfiglib.BOOL)
        symbol.rev_dep = symbol.weak_rev_dep = symbol.direct_dep = self.n
        self.syms[symbol.name] = symbol
        query = AskedQuestion(symbol, question, owner)
        if self._run:
            query.set(self._run(command) == question.yes, RUN)
        else:
            query.guess(self._toolchain)
        self.questions.append(query)
        return str(symbol.name)


def reply(
    asked: Asked, toolchain: Toolchain, run: Callable[[str], str] | None = None
) -> str | Question:
    """What a command prints, run or answered; the Question where a symbol is to stand for it."""
    answer: str | Question
    if run:
        answer = question_of(asked.command) or run(asked.command)
    else:
        answer = toolchain.answer(asked.command, asked.owner)
    if isinstance(answer, str):
        # Where nothing stands there would be no expression.
        return answer if answer or not asked.in_place else "n"
    if asked.in_place and {answer.yes, answer.no} == {"y", "n"}:
        return answer
    if run:
        return run(asked.command)
    return answer.yes if toolchain.guess(answer.command) else answer.no


def _complain(parser: Macros, function: str, condition: str, *message: str) -> str:
    """error-if and warning-if. What answers that are only assumed lead to is no error yet."""
    if condition == "y":
        complaint = text.printable(",".join(message))
        if function == "error-if" and parser._run:
            hint = "the tree's own `make olddefconfig` would report the same error"
            raise TreeError(complaint, where=parser.here, hint=hint)
        parser.notes.append(f"{parser.here}: {complaint}")
    return ""
