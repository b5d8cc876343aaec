"""A script of a POSIX shell, read and not run: its commands, with what is literal in them.

As the Shell Command Language of POSIX.1-2017 splits them (2.2 quoting, 2.3 tokens, 2.7 and 2.9),
with `+=` of bash. What is expanded when the script runs is a hole in its word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.bootfiles.lines import Lines
from advisor.record import NamedTuple

HOLE = "\0"
"""Stands for an expansion ($x, ${x}, $(x), `x`) in the text of a word."""
_BLANKS = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_BARE = re.compile(r"""[^\s'"\\$`;&|()<>]+""")
_IN_DOUBLE = re.compile(r'[^"\\$`]+')
_OPERATOR = re.compile(r"&&|\|\||;;?|&|\||\(|\)|\n")
_REDIRECT = re.compile(r"\d*(<<-|<<<|<<|>>|<&|>&|<>|>\||<|>)")
_PARAMETER = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])", re.ASCII)
_OPENING = frozenset(("if", "while", "until", "{"))
_CLOSING = frozenset(("fi", "done", "esac", "}"))
_BETWEEN = frozenset(("then", "else", "elif", "do", "!"))
_COMPOUND = frozenset(("for", "case", "select"))


class ShellWord(NamedTuple):
    """A word without its quotes. `places` are where each sign of it stands in the script, and
    `holes` the texts of its expansions, in their order; `start` and `end` bound all of it."""

    text: str
    places: list[int]
    holes: list[str]
    start: int
    end: int


class ShellCommand(NamedTuple):
    """A simple command. It is `certain` if it runs once, and in this shell."""

    words: list[ShellWord]
    certain: bool


class BrokenScriptError(ValueError):
    """A quote or expansion that is not closed; `at` is where it begins."""

    def __init__(self, at: int) -> None:
        super().__init__("is not closed")
        self.at = at


def written(text: str, holes: Iterable[str]) -> str:
    """Writes a text as the script has it: with its expansions in place of the holes."""
    texts = iter(holes)
    return "".join(next(texts) if sign == HOLE else sign for sign in text)


@contextmanager
def readable(lines: Lines, into: Gathered) -> Iterator[None]:
    """Turns the error of a broken script into an InputError at its line."""
    try:
        yield
    except BrokenScriptError as error:
        line = lines.of(error.at)
        raise into.error(line, "a quote or expansion that is not closed", "close it") from error


class Script:
    """Reads the commands of a text; `documents` are where here-documents begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.documents: list[int] = []
        self._at = 0
        self._depth = 0
        self._parentheses = 0
        self._doubtful = False
        self._redirect = ""
        self._pending: list[tuple[str, bool]] = []
        # Where lines of a text end: with their tabs, and without.
        self._ends: dict[bool, dict[str, list[int]]] = {}
        self._words: list[ShellWord] = []

    def commands(self) -> Iterator[ShellCommand]:
        """The simple commands, in their order. Raises BrokenScriptError."""
        while self._at < len(self.text):
            if blanks := _BLANKS.match(self.text, self._at):
                self._at = blanks.end()
            elif self.text[self._at] == "#":
                end = self.text.find("\n", self._at)
                self._at = end if end >= 0 else len(self.text)
            elif redirect := _REDIRECT.match(self.text, self._at):
                self._redirect = redirect[1]
                self._at = redirect.end()
            elif operator := _OPERATOR.match(self.text, self._at):
                self._at = operator.end()
                yield from self._ended(operator[0])
            elif self.text[self._at].isspace():
                self._at += 1
            else:
                self._take(self._word())
        yield from self._ended("\n")

    def _take(self, word: ShellWord) -> None:
        """Adds a word to the command, unless the grammar has it for its own."""
        bare = self.text[word.start : word.end]
        if self._redirect:
            if self._redirect in ("<<", "<<-"):
                self.documents.append(word.start)
                self._pending.append((word.text, self._redirect == "<<-"))
            self._redirect = ""
        elif not self._words and bare in _OPENING:
            self._depth += 1
        elif not self._words and bare in _CLOSING:
            self._depth = max(0, self._depth - 1)
        elif self._words or bare not in _BETWEEN:
            if not self._words and bare in _COMPOUND:
                self._depth += 1
            self._words.append(word)

    def _ended(self, operator: str) -> Iterator[ShellCommand]:
        """The command that the operator ends, and what that means for those behind it."""
        words, self._words, self._redirect = self._words, [], ""
        certain = not self._depth and not self._doubtful and operator not in ("|", "&")
        # A pattern of `case` is no command, nor is the name of a function.
        named = operator == "(" or (operator == ")" and not self._parentheses)
        if words and not named:
            yield ShellCommand(words, certain)
        if operator == "(":
            self._parentheses += 1
            self._depth += 1
        elif operator == ")" and self._parentheses:
            self._parentheses -= 1
            self._depth = max(0, self._depth - 1)
        self._doubtful = operator in ("&&", "||", "|")
        if operator == "\n":
            for document in self._pending:
                # One that has no end is read after all.
                self._at = self._end_of(*document) or self._at
            self._pending.clear()

    def _end_of(self, delimiter: str, tabs: bool) -> int:
        """Finds the end of a here-document, behind its last line; 0 if it has none."""
        if tabs not in self._ends:
            self._ends[tabs] = _ends_of_lines(self.text, tabs)
        ends = self._ends[tabs].get(delimiter, [])
        next_ = bisect_right(ends, self._at)  # here a line begins
        return ends[next_] if next_ < len(ends) and self._at < len(self.text) else 0

    def _word(self) -> ShellWord:
        start = self._at
        text: list[str] = []
        places: list[int] = []
        holes: list[str] = []
        quoted = False
        while self._at < len(self.text):
            at = self._at
            piece = self._piece(quoted)
            if piece is None:
                break
            if piece == '"' and self.text[at] == '"':
                quoted = not quoted
                opened = at
                continue
            if piece == HOLE:
                holes.append(self.text[at : self._at])
            # What a backslash or quote precedes stands one further.
            first = at + (self.text[at] in "\\'" and not quoted)
            text.append(piece)
            places += range(first, first + len(piece))
        if quoted:
            raise BrokenScriptError(opened)
        return ShellWord("".join(text), places, holes, start, self._at)

    def _piece(self, quoted: bool) -> str | None:
        """Reads the next part of a word; None at its end, `"` where quotes change."""
        sign = self.text[self._at]
        if run := (_IN_DOUBLE if quoted else _BARE).match(self.text, self._at):
            self._at = run.end()
            return run[0]
        if sign == '"':
            self._at += 1
            return sign
        if sign in "$`":
            return self._expansion()
        if sign == "\\":
            after = self.text[self._at + 1 : self._at + 2]
            self._at += 1 + len(after)
            if after == "\n":
                return ""
            if not after or (quoted and after not in '$`"\\'):
                return "\\" + after
            return after
        if sign == "'":
            end = self.text.find("'", self._at + 1)
            if end < 0:
                raise BrokenScriptError(self._at)
            start, self._at = self._at + 1, end + 1
            return self.text[start:end]
        return None

    def _expansion(self) -> str:
        """Passes an expansion; a dollar sign before anything else is itself."""
        if self.text[self._at] == "`" or self.text.startswith(("$(", "${"), self._at):
            self._at = _closed(self.text, self._at)
            return HOLE
        if parameter := _PARAMETER.match(self.text, self._at):
            self._at = parameter.end()
            return HOLE
        if self.text.startswith("$'", self._at):  # bash's quotes with escapes
            self._at = _closed(self.text, self._at + 2, (_ANSI,))
            return HOLE
        self._at += 1
        return "" if self.text.startswith('"', self._at) else "$"


def _ends_of_lines(text: str, tabs: bool) -> dict[str, list[int]]:
    """Where each line ends, behind its line break, by what stands in it; with `tabs` without those
    in front of it."""
    found: dict[str, list[int]] = {}
    end = 0
    for line in text.removesuffix("\n").split("\n"):
        end += len(line) + 1
        found.setdefault(line.lstrip("\t") if tabs else line, []).append(end)
    return found


_CLOSERS = {"(": ")", "{": "}"}
_ANSI = "ansi"


def _closed(text: str, at: int, stack: tuple[str, ...] = ()) -> int:
    """Finds the end of the expansion that begins there. Raises BrokenScriptError."""
    start, open_ones = at, list(stack)
    while True:
        if at >= len(text):
            raise BrokenScriptError(start)
        at = _step(text, at, open_ones) + 1
        if not open_ones:
            return at


def _step(text: str, at: int, open_ones: list[str]) -> int:
    """Reads one sign of an expansion, and the one behind it if they belong together."""
    sign = text[at]
    top = open_ones[-1] if open_ones else ""
    if sign == (top if top != _ANSI else "'"):
        open_ones.pop()
    elif top == "'":
        pass
    elif sign == "\\":
        return at + 1
    elif top == _ANSI:
        pass
    elif sign in '"`' or (sign == "'" and top != '"') or (sign == "(" and top == ")"):
        open_ones.append(_CLOSERS.get(sign, sign))
    elif sign == "$" and text[at + 1 : at + 2] in ("(", "{"):
        open_ones.append(_CLOSERS[text[at + 1]])
        return at + 1
    return at
