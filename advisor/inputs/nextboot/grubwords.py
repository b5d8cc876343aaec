"""The words of a grub.cfg, and its commands: GRUB's own language, read and not run.

As grub-core/script/yylex.l and script/execute.c of GRUB 2.06 part them: quotes and backslashes as
in a shell, variables as $name and ${name} also between double quotes, no other expansion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.record import NamedTuple

_VARIABLE = re.compile(r"\$(?:(\w+|[?#*@])|\{([^}\n]*)\})", re.ASCII)
_PLAIN = re.compile(r"""[^\s;#{}|&'"\\$]+""")
_IN_DOUBLE = re.compile(r'[^"\\$]+')
LONGEST = 1 << 16
"""Of what variables hold that hold each other, and of a line that they make: no kernel keeps more
than 4096 bytes of one."""
_ENDS = "\n;|&"
_BLOCKS = frozenset(("menuentry", "submenu", "hiddenentry", "function"))
"""What a brace opens a body of."""
_ALONE = frozenset(("then", "do", "else"))


class Part(NamedTuple):
    """A part of a word: literal, or the name of a variable; `bare` outside of double quotes."""

    text: str
    variable: bool = False
    bare: bool = True


class Word(NamedTuple):
    """A word of a command, and the line and column where it begins."""

    parts: tuple[Part, ...]
    line: int
    column: int

    @property
    def text(self) -> str:
        """Gives the word as it reads, a variable as it is written."""
        return "".join(f"${part.text}" if part.variable else part.text for part in self.parts)

    @property
    def is_bare(self) -> bool:
        """Whether it is written without quotes, as keywords are."""
        return all(part.bare and not part.variable for part in self.parts)

    def expanded(self, values: Mapping[str, str | None]) -> list[str] | None:
        """Expands the variables and gives the words that result; None where a variable is not
        known."""
        found, open_, length = [""], False, 0
        for part in self.parts:
            value = values.get(part.text, "") if part.variable else part.text
            length += len(value or "")
            if value is None or length > LONGEST:
                return None
            if not (part.variable and part.bare):
                found[-1] += value
                open_ = True
                continue
            pieces = value.split()
            if value[:1].isspace() and found[-1]:
                found.append("")
            for number, piece in enumerate(pieces):
                if number:
                    found.append("")
                found[-1] += piece
            if value[-1:].isspace() and pieces:
                found.append("")
        if not open_:  # a bare variable that is empty is no word
            found = [word for word in found if word]
        return found


Command = list[Word]


def commands(text: str) -> Iterator[Command]:
    """Yields the commands of a text; a closing brace is a command of its own."""
    words: Command = []
    for word in _words(text):
        sign = word.text if word is not None and word.is_bare else ""
        if word is not None and sign != "}":
            words.append(word)
        ends = sign == "{" and words[0].text in _BLOCKS
        if words and (word is None or sign == "}" or ends or _is_alone(words)):
            yield words
            words = []
        if word is not None and sign == "}":
            yield [word]
    if words:
        yield words


def _is_alone(words: Command) -> bool:
    return len(words) == 1 and words[0].is_bare and words[0].text in _ALONE


def _words(text: str) -> Iterator[Word | None]:
    """The words, and None where a command ends."""
    at, line, start = 0, 1, 0
    while at < len(text):
        first = at
        sign = text[at]
        if sign == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif sign in _ENDS:
            yield None
            at += 1
        elif sign.isspace() or text.startswith("\\\n", at):
            at += 1 if sign.isspace() else 2
        elif sign in "{}":
            yield Word((Part(sign),), line, at - start + 1)
            at += 1
        else:
            parts, at = _word(text, at)
            yield Word(tuple(parts), line, first - start + 1)
        if passed := text.count("\n", first, at):
            line, start = line + passed, text.rindex("\n", first, at) + 1


def _word(text: str, at: int) -> tuple[list[Part], int]:
    """Reads the parts of the word that begins there, and finds where it ends."""
    parts: list[Part] = []
    quoted = False
    while at < len(text):
        sign = text[at]
        if sign == '"':
            quoted = not quoted
            parts.append(Part("", bare=False))
            at += 1
        elif sign == "\\":
            literal = text[at + 1 : at + 2]
            kept = "\\" if quoted and literal not in '"$\\' else ""
            if literal != "\n":
                parts.append(Part(kept + literal, bare=False))
            at += 2
        elif found := _VARIABLE.match(text, at):
            parts.append(Part(found[1] or found[2] or "", variable=True, bare=not quoted))
            at = found.end()
        elif quoted:
            run = _IN_DOUBLE.match(text, at)
            at = run.end() if run else at + 1
            parts.append(Part(run[0] if run else sign, bare=False))
        elif sign == "'":
            end = text.find("'", at + 1)
            end = len(text) if end < 0 else end
            parts.append(Part(text[at + 1 : end], bare=False))
            at = end + 1
        elif plain := _PLAIN.match(text, at):
            parts.append(Part(plain[0]))
            at = plain.end()
        elif sign == "$" or (sign in "#{}" and parts):
            parts.append(Part(sign))
            at += 1
        else:
            break
    return parts, at
