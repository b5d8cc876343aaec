"""Which regular expressions take more than linear time where they do not match.

Two unbounded repeats one behind the other that take the same signs can part a text between them in
as many ways as it has signs, and Python tries all; a repeat within a repeat has even more ways. A
search begins anew at each sign that a repeat has just run over.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    if sys.version_info >= (3, 11):
        from re import _parser as parser
    else:
        import sre_parse as parser

PACKAGE = Path(__file__).parents[1] / "advisor"
SEEKS = {"search", "sub", "subn", "split", "findall", "finditer"}
OF_RE = {"compile", "match", "fullmatch", *SEEKS}
SIGNS = frozenset(map(chr, range(128))) | frozenset("é²٣\u2028")
"""Signs that stand for all."""
MANY = 1000
"""A repeat of so many counts as one without an end."""
Open = frozenset[frozenset[str]]


@cache
def _of_class(pattern: str) -> frozenset[str]:
    form = re.compile(pattern, re.DOTALL)
    return frozenset(sign for sign in SIGNS if form.fullmatch(sign))


def _in(items: Any) -> frozenset[str]:
    found: set[str] = set()
    negated = False
    for name, value in items:
        kind = str(name)
        if kind == "NEGATE":
            negated = True
        elif kind == "LITERAL":
            found |= {chr(value)} & SIGNS
        elif kind == "RANGE":
            found |= {sign for sign in SIGNS if value[0] <= ord(sign) <= value[1]}
        elif kind == "CATEGORY":
            letter = str(value).removeprefix("CATEGORY_").replace("NOT_", "^")
            text = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[letter.lstrip("^")]
            found |= _of_class(text.upper() if letter[0] == "^" else text)
    return SIGNS - found if negated else frozenset(found)


class Walk:
    """A way through an expression that notes which endless repeats are still open: of each the
    signs of which a run could be parted between it and what follows."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def all(self, sequence: Any, active: Open, can_fail: bool) -> Open:
        """What is open behind a sequence. `can_fail` tells whether what stands behind can."""
        items = list(sequence)
        for number, (name, value) in enumerate(items):
            after = can_fail or any(str(n) != "AT" for n, _ in items[number + 1 :])
            active = self.one(str(name), value, active, after)
        return active

    def one(self, name: str, value: Any, active: Open, can_fail: bool) -> Open:
        if name in ("AT", "GROUPREF"):
            return active
        if name in ("ASSERT", "ASSERT_NOT"):
            self.all(value[1], frozenset(), True)
            return active
        if name == "SUBPATTERN":
            return self.all(value[-1], active, can_fail)
        if name == "BRANCH":
            ways = [self.all(one, active, can_fail) for one in value[1]]
            return frozenset().union(*ways)
        if name.endswith("REPEAT"):
            return self.repeat(value, active, can_fail)
        return frozenset(rest for signs in active if (rest := signs & _signs(name, value)))

    def repeat(self, value: Any, active: Open, can_fail: bool) -> Open:
        least, most, inner = value
        single = _single(inner)
        if most >= MANY and single:
            if can_fail or not single >= SIGNS - {"\n"}:
                for signs in active:
                    if both := signs & single:
                        self.faults.append(f"two repeats take {min(both)!r}")
            kept = active if least == 0 else {rest for one in active if (rest := one & single)}
            return frozenset(kept) | {single}
        behind = self.all(inner, active, can_fail or most > 1)
        if most >= MANY:  # once more: what is open at its end meets its beginning
            behind = self.all(inner, behind, True)
        return behind | active if least == 0 else behind


def _single(inner: Any) -> frozenset[str]:
    """The signs that a repeat of one sign takes; none for a repeat of anything else."""
    items = list(inner)
    if len(items) == 1 and str(items[0][0]) == "SUBPATTERN":
        return _single(items[0][1][-1])
    if len(items) != 1 or str(items[0][0]) not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return frozenset()
    return _signs(str(items[0][0]), items[0][1])


def _signs(name: str, value: Any) -> frozenset[str]:
    if name == "LITERAL":
        return frozenset((chr(value),)) & SIGNS
    if name == "NOT_LITERAL":
        return SIGNS - {chr(value)}
    if name == "IN":
        return _in(value)
    return SIGNS - {"\n"} if name == "ANY" else SIGNS


def faults(pattern: str | bytes, can_fail: bool = True, flags: int = 0) -> list[str]:
    """Say which repeats of an expression overlap; `can_fail`: where it has to match to the end."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    walk = Walk()
    walk.all(parser.parse(text, flags), frozenset(), can_fail)
    return walk.faults


def restarts(pattern: str | bytes) -> list[str]:
    """Say which repeats of an expression take all that stands before them, where they may fail:
    a search runs them anew from each place in a text of such signs."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    faults: list[str] = []
    for items in _ways([*parser.parse(text)]):
        before: list[frozenset[str]] = []
        for number, (name, value) in enumerate(items):
            if name == "AT" or (name == "ASSERT_NOT" and value[0] < 0):
                break  # the beginning, or the edge of a word: a run of signs has one
            if name.endswith("REPEAT"):
                least, most, inner = value
                signs = _single(inner)
                rest = [one for one in items[number + 1 :] if not _is_optional(*one)]
                fails = rest and not (_is_end(rest) and signs >= SIGNS - {"\n"})
                if most >= MANY and signs and fails and all(signs & one for one in before):
                    faults.append(f"a search begins anew at each {min(signs)!r}")
                if least:
                    before.append(signs)
            elif name not in ("ASSERT", "ASSERT_NOT", "GROUPREF"):
                before.append(_signs(name, value))
    return faults


def _is_optional(name: str, value: Any) -> bool:
    return name.endswith("REPEAT") and value[0] == 0


def _is_end(items: list[tuple[str, Any]]) -> bool:
    """Whether nothing has to come there but the end of the text."""
    return all(name == "AT" for name, _ in items)


def _ways(items: list[Any]) -> Iterator[list[tuple[str, Any]]]:
    """The sequences that an expression may be, one for each branch; a branch with the end is it."""
    flat: list[tuple[str, Any]] = []
    for number, (of, value) in enumerate(items):
        name, rest = str(of), items[number + 1 :]
        if name == "SUBPATTERN":
            yield from ([*flat, *way] for way in _ways([*value[-1], *rest]))
            return
        if name == "BRANCH":
            ends = [one for one in value[1] if _is_end([(str(n), v) for n, v in one])]
            for one in ends or value[1]:
                yield from ([*flat, *way] for way in _ways([*one, *rest]))
            return
        flat.append((name, value))
    yield flat


class Used(NamedTuple):
    """An expression that a module gives to re, its line, whether it has to match to the end, and
    whether it is looked for."""

    line: int
    pattern: str | bytes
    whole: bool
    seeks: bool


def patterns(path: Path) -> Iterator[Used]:
    """Every expression of a module: texts, and what is put together of constants of the module."""
    name = ".".join(("advisor", *path.relative_to(PACKAGE).with_suffix("").parts))
    module = importlib.import_module(name.removesuffix(".__init__"))
    text = path.read_text()
    tree = ast.parse(text)
    called = {
        id(node.value): ast.unparse(node.targets[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
    }
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        method = node.func.attr
        if ast.unparse(node.func.value) != "re" or method not in OF_RE:
            continue
        code = compile(ast.Expression(node.args[0]), str(path), "eval")
        try:
            found = eval(code, {**vars(builtins), **vars(module)})
        except NameError:
            continue  # made of what a function is given
        own = called.get(id(node), "")
        whole = method == "fullmatch" or (method == "compile" and _is_whole(own, text))
        if isinstance(found, str | bytes):
            seeks = method in SEEKS or any(f"{own}.{one}(" in text for one in SEEKS if own)
            yield Used(node.lineno, found, whole, seeks)


def _is_whole(name: str, text: str) -> bool:
    """Whether an expression of that name is matched to the end, or may be: it has no name."""
    return not name.isidentifier() or f"{name}.fullmatch" in text
