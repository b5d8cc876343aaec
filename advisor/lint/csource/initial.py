"""The initial values of the variables that C source binds to boot parameters and sysctls.

No code is understood: a variable is what a macro, a table or a parameter's function names, its
value what its definition says: a number, a text, macros of these, shifts, sizes. What depends on
the configuration or the architecture, or is computed at boot, has no value here.
"""

from __future__ import annotations

import ast
import operator
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from advisor.lint.csource.macros import arguments
from advisor.lint.csource.source import KernelSource, Parsed
from advisor.lint.csource.sysctls import Sysctl
from advisor.model.kernel import Location
from advisor.model.numbers import kernel_number

# Which argument is the variable, by the macro.
_VARIABLE_AT = {
    "module_param": 0, "module_param_unsafe": 0, "module_param_named": 1,
    "module_param_named_unsafe": 1, "module_param_cb": 2, "module_param_cb_unsafe": 2,
    "core_param": 1, "core_param_unsafe": 1,
}  # fmt: skip
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:<([\w./-]+)>|"([\w./-]+)")', re.MULTILINE)
_HEADERS = ("include", "include/uapi")
_DEEPEST = 8
"""How many macros may stand for each other, and how long an expression is read."""
_LONGEST = 200
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")
_WORDS = {"true": "1", "false": "0", "NULL": "0"}
# Texts of C that are another expression in ours.
_REWRITTEN = (
    (re.compile(r"\b_(?:AC|UL|ULL)\(([^(),]+)(?:,\s*\w+)?\)"), r"(\1)"),
    (re.compile(r"\bBIT(?:_ULL)?\(([^()]+)\)"), r"(1 << (\1))"),
    (re.compile(r"\((?:unsigned |signed )?(?:int|long|u8|u16|u32|u64|bool)\)"), ""),
    (re.compile(r"(?<!/)/(?!/)"), "//"),
)
_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_,
}  # fmt: skip
# A word that a parameter's function compares, and what it then sets.
_CHOSEN = re.compile(r'"([\w.+-]+)"[^;"]*?[)\s{]\s*(\w+)\s*=\s*([^;=]+);')
_READ = re.compile(
    r"(?:get_option\(&\w+,|kstrto\w+\([^;]*?,)\s*&(\w+)\s*\)|(\w+)\s*=\s*simple_strto\w+\("
)


class Initial(NamedTuple):
    """What a variable starts as, a number or the word that gives it, and where that stands."""

    value: str
    where: Location


class Initials:
    """The initial values that one tree's C source tells."""

    def __init__(self, source: KernelSource) -> None:
        self._source = source
        self._plain: dict[str, str] = {}

    def of_parameter(self, name: str, arch: str, also: Sequence[str]) -> list[Initial]:
        """Finds what a boot parameter's variable starts as, in its file or in these others."""
        others = [*filter(self._source.has, also)]
        found = [self._of_place(place, others) for place in self._source.parsed(name, arch)]
        return [one for each in found for one in each] if all(found) else []

    def of_sysctl(self, sysctl: Sysctl, also: Sequence[str]) -> list[Initial]:
        """Finds what a sysctl's variable starts as, in its file, these others, or those beside."""
        beside = self._source.beside(sysctl.path)
        paths = [sysctl.path, *filter(self._source.has, also), *beside]
        data = re.fullmatch(r"&(?P<of>[\w.]+\.)?(?P<name>\w+)", sysctl.data)
        return self._first(data["name"], paths, member=bool(data["of"])) if data else []

    def _of_place(self, place: Parsed, also: Sequence[str]) -> list[Initial]:
        text = self._text(place.where.path)
        above = "\n".join(text.split("\n")[: place.where.line - 1])
        at = text.find(place.macro, len(above))
        given = arguments(text.encode(), at + len(place.macro)) if at >= 0 else None
        words = [word.decode().strip() for word in given or ()]
        if place.macro in ("__setup", "early_param") and len(words) == 2:
            return self._of_function(words[1], [place.where.path, *also])
        index = _VARIABLE_AT.get(place.macro)
        if index is None or index >= len(words):
            return []
        found = self._first(words[index].removeprefix("&"), [place.where.path, *also])
        if place.type == "invbool":
            return [one._replace(value="1" if one.value == "0" else "0") for one in found]
        return found

    def _of_function(self, name: str, paths: Sequence[str]) -> list[Initial]:
        """What a function sets that reads a boot parameter: a number, or one for each word."""
        text = self._text(paths[0])
        start = re.search(rf"\b{re.escape(name)}\s*\([^)]*\)\s*\{{(.*?)^\}}", text, re.M | re.S)
        body = start[1] if start else ""
        chosen: dict[str, dict[str, str]] = {}
        for word, variable, value in _CHOSEN.findall(body):
            chosen.setdefault(variable, {}).setdefault(" ".join(value.split()), word)
        for variable, words in chosen.items():
            for value, where in self._definitions(variable, paths[0]):
                if word := words.get(value or "0"):
                    return [Initial(word, where)]
        read = {one or other for one, other in _READ.findall(body)}
        return self._first(read.pop(), paths) if len(read) == 1 and not chosen else []

    def _first(self, variable: str, paths: Sequence[str], *, member: bool = False) -> list[Initial]:
        """Every value that the first of these files gives; nothing if one of them is not plain."""
        for path in dict.fromkeys(paths):
            written = [*self._definitions(variable, path, member=member)]
            if any(not value for value, _ in written) and self._is_set(variable, path):
                return []
            values = [
                (self._value(value or "0", [path, *paths]), where) for value, where in written
            ]
            if written:
                known = [Initial(value, where) for value, where in values if value is not None]
                return known if len(known) == len(written) else []
        return []

    def _definitions(
        self, variable: str, path: str, *, member: bool = False
    ) -> Iterator[tuple[str, Location]]:
        """Yields what each definition of a variable says, which may be nothing."""
        name = re.escape(variable)
        if member:  # of a namespace, which a function fills, or of a structure
            form = rf"(?:\bnet->[\w.]*|^\s*\.)\b{name}\s*=\s*(?P<value>[^,;=]+)[,;]"
        else:
            form = (
                rf"^(?!extern\b|return\b|typedef\b|goto\b)(?:[A-Za-z_]\w*[ \t]+)+\*?{name}"
                rf"(?:\s+__\w+)*\s*(?:=\s*(?P<value>[^;]+))?;"
            )
        text = self._text(path)
        for match in re.finditer(form, text, re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            yield " ".join((match["value"] or "").split()), Location(path, line)

    def _is_set(self, variable: str, path: str) -> bool:
        """Whether a file gives a variable a value at boot, which was not given one before."""
        return bool(re.search(rf"(?<![.>\w]){re.escape(variable)}\s*=[^=]", self._text(path)))

    def _value(self, expression: str, paths: Sequence[str]) -> str | None:
        """Evaluates an expression of numbers and macros; a text is its own value."""
        quoted = re.fullmatch(r'"([^"\\]*)"', expression)
        if quoted:
            return quoted[1]
        for _ in range(_DEEPEST):
            expression = _rewritten(expression)
            names = set(re.findall(r"\b[A-Za-z_]\w*", expression))
            if not names:
                break
            for name in names:
                body = _WORDS.get(name) or self._macro(name, paths)
                if body is None or len(expression) > _LONGEST:
                    return None
                expression = re.sub(rf"\b{name}\b", f"({body})".replace("\\", ""), expression)
        number = _number(expression)
        return None if number is None else str(number)

    def _macro(self, name: str, paths: Sequence[str]) -> str | None:
        """What a name is defined as in these files or the headers of the first; None if twice."""
        form = re.compile(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}[ \t]+([^\n]+)", re.M)
        headers = [*self._headers(paths[0])]
        deeper = (other for header in headers for other in self._headers(header))
        for file in dict.fromkeys((*paths, *headers, *deeper)):
            if bodies := {" ".join(body.split()) for body in form.findall(self._text(file))}:
                return bodies.pop() if len(bodies) == 1 else None
        return None

    def _headers(self, path: str) -> Iterator[str]:
        for shared, own in _INCLUDE.findall(self._text(path)):
            places = [f"{folder}/{shared}" for folder in _HEADERS] if shared else []
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), own))
            yield from filter(self._source.has, places or [beside])

    def _text(self, path: str) -> str:
        """A file without its comments, whose lines stay where they are."""
        if path not in self._plain:
            text = self._source.text(path)
            self._plain[path] = _COMMENT.sub(lambda m: "\n" * m[0].count("\n"), text)
        return self._plain[path]


def _rewritten(expression: str) -> str:
    expression = _NUMBER.sub(lambda m: str(kernel_number(m[1]) or 0), expression)
    for form, text in _REWRITTEN:
        expression = form.sub(text, expression)
    return expression


def _number(expression: str) -> int | None:
    """Evaluates an expression of numbers alone; None where it has anything else."""
    try:
        return _evaluate(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError):
        return None


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left), _evaluate(node.right)
        if isinstance(node.op, ast.LShift) and right > 64:
            raise ValueError(right)
        return _OPERATORS[type(node.op)](left, right)
    raise ValueError(node)
