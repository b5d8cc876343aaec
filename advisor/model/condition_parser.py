"""The parser of the condition language (docs/writing-rules.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from advisor.model.condition import OPERATORS, Expr, operands, operator_of

Token: TypeAlias = tuple[str, str, int]
"""Its kind, its text, and its column, counted from 1."""
Named: TypeAlias = "Mapping[str, Expr]"
"""Parsed conditions by the names that others have for them."""

FACTS = (
    "arch", "kernel", "cpus", "nodes", "memory", "vendor", "virtual", "hypervisor", "efi",
)  # fmt: skip
MOST_TERMS = 1000
"""The most terms of a condition, with those of the names in it; the longest of ours has 30."""
DEEPEST = 64
"""The most parentheses and `!` within each other."""
_MOST_TOKENS = 10 * MOST_TERMS
_TOKEN = (
    r"\s*(?:(?P<op>&&|\|\||!=|<=|>=|[!()<>=])|(?P<call>present|boot|shown)\((?P<arg>[^)]*)\)"
    r'|(?P<string>"[^"]*")|(?P<word>[\w.+-]+))'
)
_NO_NAMES: Named = {}
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_SYMBOL = r"[A-Z0-9][A-Za-z0-9_]*"
_NUMBER = r"-?(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})"
_COUNT = ("[0-9]{1,9}", "64")
# How the values of these facts are written, and an example.
_FORMS = {
    "kernel": (r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,3}", "6.12"),
    "memory": ("[0-9]{1,9}[KMGTkmgt]?", "32G"), "cpus": _COUNT, "nodes": _COUNT,
}  # fmt: skip


def parse(text: str, named: Named = _NO_NAMES) -> Expr:
    """The parsed condition, with what the names in it stand for in their place.

    Raises ValueError saying what is wrong and at which column.
    """
    return _Parser(_tokens(text), named).whole()


def _tokens(text: str) -> list[Token]:
    tokens, position, end = list[Token](), 0, len(text.rstrip())
    pattern = re.compile(_TOKEN)  # here, as an audit reads conditions parsed, from the index
    while position < end:
        match = pattern.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            raise ValueError(f"cannot read {text[position:][:10]!r} at column {position + 1}")
        if len(tokens) == _MOST_TOKENS:
            raise ValueError(f"more than {MOST_TERMS} terms; split it into several conditions")
        kind = match.lastgroup or ""
        if kind == "arg":
            tokens.append((match["call"], match["arg"].strip(), match.start("call") + 1))
        else:
            tokens.append((kind, match[kind].strip('"'), match.start(kind) + 1))
        position = match.end()
    return tokens


class _Parser:
    """Reads tokens from the first to the last."""

    def __init__(self, tokens: list[Token], named: Named) -> None:
        self._tokens = tokens
        self._named = named
        self._at = 0
        self._depth = 0
        self._terms = 0

    def whole(self) -> Expr:
        """The condition that all tokens make."""
        expr = self._series()
        if self._at < len(self._tokens):
            _, text, column = self._tokens[self._at]
            raise ValueError(f"unexpected {text!r} at column {column}")
        return expr

    def _next(self) -> Token | None:
        """The next token, which stays the next one."""
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self, *texts: str) -> Token | None:
        """Passes the next token if it is one of these operators."""
        token = self._next()
        if token is None or token[0] != "op" or token[1] not in texts:
            return None
        self._at += 1
        return token

    def _series(self, joiner: str = "||") -> Expr:
        """What `||` joins, each part of it what `&&` joins: && binds closer, as in Kconfig."""
        parts: list[Expr] = []
        while not parts or self._take(joiner):
            parts.append(self._series("&&") if joiner == "||" else self._unit())
        return parts[0] if len(parts) == 1 else [joiner[0], *parts]

    def _unit(self) -> Expr:
        if opening := self._take("!", "("):
            self._count(0, 1)
            self._depth += 1
            negated = opening[1] == "!"
            expr = self._unit() if negated else self._series()
            self._depth -= 1
            if not negated and not self._take(")"):
                raise ValueError(f"the parenthesis at column {opening[2]} is not closed")
            return ["!", expr] if negated else expr
        token = self._next()
        if token is None:
            raise ValueError("the condition ends where a term is expected")
        self._at += 1
        kind, text, column = token
        if kind == "word" and self._stands_alone() and text in self._named and not _is_symbol(text):
            self._count(*_extent(self._named[text]))
            return self._named[text]
        self._count(1, 0)
        if kind in ("present", "boot"):
            return [kind, text]
        if kind == "shown":
            return _file(text, column)
        if kind != "word":
            raise ValueError(f"unexpected {text!r} at column {column}")
        return self._comparison(text, column)

    def _count(self, terms: int, depth: int) -> None:
        """Raises ValueError for more than any condition needs that somebody wrote to be read."""
        self._terms += terms
        if self._terms > MOST_TERMS:
            raise ValueError(f"more than {MOST_TERMS} terms; split it into several conditions")
        if self._depth + depth > DEEPEST:
            raise ValueError(f"more than {DEEPEST} nested parentheses and '!'")

    def _stands_alone(self) -> bool:
        token = self._next()
        return token is None or token[0] != "op" or token[1] not in _COMPARISONS

    def _comparison(self, name: str, column: int) -> Expr:
        sign = self._take(*_COMPARISONS)
        if sign is None:
            if _is_symbol(name):
                return ["on", name]
            raise ValueError(f"{name!r} at column {column} needs a comparison")
        wanted = self._next()
        if wanted is None or wanted[0] not in ("word", "string"):
            raise ValueError(f"{name!r} at column {column} has no value after the comparison")
        self._at += 1
        return _compared(name, column, sign[1], wanted)


def _is_symbol(name: str) -> bool:
    return bool(re.fullmatch(_SYMBOL, name))


def _extent(expr: Expr) -> tuple[int, int]:
    """How many terms a condition has, and how deep they are within each other."""
    if operator_of(expr) not in OPERATORS:
        return 1, 0
    parts = [_extent(part) for part in operands(expr)]
    return sum(terms for terms, _ in parts), 1 + max((depth for _, depth in parts), default=0)


def _file(text: str, column: int) -> Expr:
    path, _, form = (part.strip() for part in text.partition("="))
    if not path.startswith("/") or not form:
        raise ValueError(
            f"shown() at column {column} needs a file and a text, as in shown(/sys/x = y)"
        )
    return ["shown", path, form]


def _compared(name: str, column: int, sign: str, wanted: Token) -> Expr:
    """A comparison, with a value that can be compared so."""
    _, value, at = wanted
    if name in FACTS:
        form, example = _FORMS.get(name, ("", ""))
        if form and not re.fullmatch(form, value):
            raise ValueError(f"{value[:20]!r} at column {at} does not have the form of {example}")
        return ["fact", name, sign, value]
    if _is_symbol(name):
        if sign not in ("=", "!=") and not re.fullmatch(_NUMBER, value):
            raise ValueError(f"{value[:20]!r} at column {at} is not a number such as 1000 or 0x40")
        return ["sym", name, sign, value]
    if sign in ("=", "!="):  # whether there is such a one the rules as a whole tell
        return ["is", name, sign, value]
    raise ValueError(f"{name!r} at column {column} is no symbol, fact or tunable")
