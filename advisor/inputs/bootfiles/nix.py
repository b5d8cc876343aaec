"""NixOS modules: the literal strings of boot.kernelParams, and of boot.kernel.sysctl.

Read as the lexer of Nix (src/libexpr/lexer.l) parts a file, and no further: a list of
strings, also within lib.mkForce, mkDefault, mkBefore or mkAfter, or at either end of a ++, where a
name stands for the list that a let of the file binds to it alone; what stands beside is told. A
value of sysctl is a string, a number, true or false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.bootfiles.lines import Lines
from advisor.inputs.sysctl import dotted
from advisor.record import NamedTuple

_TOKEN = re.compile(
    r"(?P<skip>\s+|#[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"
    r"|(?P<word>[A-Za-z_][\w'-]*|[0-9]+)"
    r"|(?P<sign>\+\+|.)",
    re.S,
)
_WRAPPERS = frozenset(("mkForce", "mkDefault", "mkBefore", "mkAfter", "mkOptionDefault"))
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_PARAMS, _SYSCTL = ("boot", "kernelParams"), ("boot", "kernel", "sysctl")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


class Token(NamedTuple):
    """A token and where it stands; of a string `text` is its value, None if it has ${...}."""

    kind: str
    text: str | None
    start: int
    end: int


def read(text: str, into: Gathered) -> None:
    """Gathers the words and sysctls. Raises InputError for a string that is not closed."""
    lines = Lines(text)
    tokens = list(_tokens(text, into, lines))
    _Reader(text, tokens, lines, into).run()


def _tokens(text: str, into: Gathered, lines: Lines) -> Iterator[Token]:
    at = 0
    while at < len(text):
        if text[at] == '"' or text.startswith("''", at):
            token = _string(text, at)
            if token is None:
                raise into.error(lines.of(at), "a string that is not closed", "close it")
            yield token
        else:
            found = _TOKEN.match(text, at)
            if found is None:  # never: the last branch takes any sign
                return
            token = Token(found.lastgroup or "", found[0], at, found.end())
            if token.kind != "skip":
                yield token
        at = token.end


def _string(text: str, start: int) -> Token | None:
    """Reads the string that begins there; None if it does not end."""
    quote = '"' if text[start] == '"' else "''"
    at = start + len(quote)
    value: list[str] = []
    computed = False
    while at < len(text):
        if quote == "''" and text.startswith(("'''", "''$", "''\\"), at):
            value.append("''" if text[at + 2] == "'" else text[at + 2])
            at += 3
        elif text.startswith(quote, at):
            whole = None if computed else "".join(value)
            return Token("string", whole, start, at + len(quote))
        elif text[at] == "\\" and quote == '"':
            sign = text[at + 1 : at + 2]
            value.append(_ESCAPES.get(sign, sign))
            at += 2
        elif text.startswith("$$", at):
            value.append("$$")
            at += 2
        else:
            computed = computed or text.startswith("${", at)
            value.append(text[at])
            at += 1
    return None


def _bound_lists(tokens: list[Token]) -> dict[str, list[Token] | None]:
    """Finds the lists of strings that a let binds to a name; None for a name that is bound
    twice, or to anything else."""
    found: dict[str, list[Token] | None] = {}
    stack: list[str] = []
    for at, token in enumerate(tokens):
        text = token.text or ""
        if token.kind == "string":
            continue
        if text == "let" or text in _OPEN:
            stack.append(text)
        elif text in _CLOSE or (text == "in" and stack[-1:] == ["let"]):
            del stack[-1:]
        begins = stack[-1:] == ["let"] and tokens[at - 1].text in ("let", ";")
        if begins and [one.text for one in tokens[at + 1 : at + 2]] == ["="]:
            found[text] = None if text in found else _literal_list(tokens, at + 2)
    return found


def _literal_list(tokens: list[Token], at: int) -> list[Token] | None:
    """Reads a list of strings that a semicolon follows; None for anything else."""
    end = at + 1
    while end < len(tokens) and tokens[end].kind == "string":
        end += 1
    signs = [token.text for token in (*tokens[at : at + 1], *tokens[end : end + 2])]
    return tokens[at + 1 : end] if signs == ["[", "]", ";"] else None


class _Reader:
    """Walks through the tokens, with the sets that are open and the path that names each."""

    def __init__(self, text: str, tokens: list[Token], lines: Lines, into: Gathered) -> None:
        self.text = text
        self.tokens = tokens
        self.lines = lines
        self.into = into
        self.at = 0
        # The path that names the set that is open, and those of the ones around.
        self.path: tuple[str, ...] = ()
        self.outer: list[tuple[str, ...]] = []
        self.lists = _bound_lists(tokens)

    def run(self) -> None:
        """Looks for settings by their whole path, or by the part behind an open set's."""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "sign" and token.text in _OPEN:
                self._enter(self.path)
                self.at += 1
            elif token.kind == "sign" and token.text in _CLOSE:
                if self.outer:
                    self.path = self.outer.pop()
                self.at += 1
            elif path := self._path():
                self._setting(self.path + path)

    def _enter(self, path: tuple[str, ...]) -> None:
        """Goes into a set of that path; of any other it is the path of the one around."""
        self.outer.append(self.path)
        self.path = path

    def _path(self) -> tuple[str, ...]:
        """Reads the path of a setting and passes its =; empty for anything else, which is
        passed."""
        names: list[str] = []
        at = self.at
        while at < len(self.tokens) and self.tokens[at].kind in ("word", "string"):
            names.append(self.tokens[at].text or "")
            after = self._sign(at + 1)
            if after == "=" and self._sign(at + 2) != "=":
                self.at = at + 2
                return tuple(names)
            if after != ".":
                break
            at += 2
        self.at = max(at, self.at + 1)
        return ()

    def _sign(self, at: int) -> str:
        inside = at < len(self.tokens) and self.tokens[at].kind == "sign"
        return self.tokens[at].text or "" if inside else ""

    def _setting(self, path: tuple[str, ...]) -> None:
        # A module's settings may stand below `config`, or in a set that a function makes.
        tail = path[1:] if path[:1] == ("config",) else path
        if tail == _PARAMS:
            self._params()
        elif tail[:3] == _SYSCTL and len(tail) > 3:
            self._sysctl(".".join(tail[3:]))
        elif tail in (_PARAMS[: len(tail)], _SYSCTL[: len(tail)]):
            self._skip_wrapper()
            if self._sign(self.at) == "{":
                self._enter(path)
                self.at += 1
            elif tail == _SYSCTL:
                self._tell(self._value(), "sysctls that are computed")

    def _skip_wrapper(self) -> None:
        """Passes lib.mkForce and the like."""
        at = self.at
        while at < len(self.tokens) and self.tokens[at].text in ("lib", ".", *_WRAPPERS):
            at += 1
        if at > self.at and self.tokens[at - 1].text in _WRAPPERS:
            self.at = at

    def _value(self) -> list[Token]:
        """Passes a value and gives its tokens, up to the ; that ends it."""
        start, depth = self.at, 0
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "sign":
                if not depth and token.text in (";", *_CLOSE):
                    break
                depth += (token.text in _OPEN) - (token.text in _CLOSE)
            self.at += 1
        return self.tokens[start : self.at]

    def _params(self) -> None:
        """Gathers the strings of the lists that are joined, and tells the rest."""
        self._skip_wrapper()
        odd: list[Token] = []
        depth, alone, previous = 0, True, ""
        for token in self._value():
            sign = (token.text or "") if token.kind == "sign" else ""
            joins = not depth and sign == "++"
            alone = joins or (alone and (depth > 0 or sign == "["))
            depth += (sign in _OPEN) - (sign in _CLOSE)
            # The brackets of a list that stands alone.
            edge = alone and sign in ("[", "]") and depth == (sign == "[")
            literal = alone and depth == 1 and token.kind == "string" and previous != "."
            if joins or edge or literal:
                self._beside(odd)
                odd = []
            else:
                odd.append(token)
            if literal:
                self._string(token)
            previous = sign
        self._beside(odd)

    def _beside(self, tokens: list[Token]) -> None:
        """Gathers the list that a name stands for, and notes all else as computed."""
        name = tokens[0].text if len(tokens) == 1 and tokens[0].kind == "word" else None
        if (strings := self.lists.get(name or "")) is None:
            self._tell(tokens, "words that are computed")
            return
        for token in strings:
            self._string(token)

    def _string(self, token: Token) -> None:
        if token.text is None:
            self._tell([token], "a string with ${...}")
        else:
            self.into.words(token.text, *self._place(token, 1))

    def _sysctl(self, name: str) -> None:
        self._skip_wrapper()
        value = self._value()
        text = value[0].text if len(value) == 1 and value[0].kind != "sign" else None
        text = {"true": "1", "false": "0"}.get(text or "", text)
        literal = text is not None and (value[0].kind == "string" or text.isdigit())
        if text is None or not literal:
            if text != "null":
                self._tell(value, f"the value of {name[:40]}")
        elif key := dotted(name):
            self.into.sysctl(key, text, self.lines.of(value[0].start))

    def _tell(self, tokens: list[Token], why: str) -> None:
        if tokens:
            text = self.text[tokens[0].start : tokens[-1].end]
            self.into.computed(" ".join(text.split()), self.lines.of(tokens[0].start), why)

    def _place(self, token: Token, quote: int) -> tuple[int, int]:
        return self.lines.of(token.start), self.lines.column(token.start) + quote
