"""Boot lines, split into words as the kernel's next_arg() does (lib/cmdline.c, read in 6.12)."""

from __future__ import annotations

from advisor.errors import InputError
from advisor.model import CommandLine, InputNote, Layer, Location, Severity, Word

_SPACES = " \t\n\r\v\f"


def parse_cmdline(text: str, name: str = "--cmdline", layer: Layer = Layer.BOOT) -> CommandLine:
    """The words of a boot line, with their columns, and what stands behind `--` for init.

    Any text is a boot line: what the kernel would misread is told in `notes`.
    """
    words: list[Word] = []
    notes = _notes(text, name)
    position = 0
    while (position := _skip_spaces(text, position)) < len(text):
        word, end = _next_word(text, position, layer)
        if word.value is None and word.name == "--":
            init = tuple(_split(text[end:]))
            return CommandLine(text, tuple(words), init, name, notes)
        words.append(word)
        position = end
    return CommandLine(text, tuple(words), (), name, notes)


def read_cmdline(argument: str) -> CommandLine:
    """The line of `--cmdline`: the text itself, or `@FILE` (`@/proc/cmdline`).

    Raises InputError if the file cannot be read, or holds more than one line.
    """
    if not argument.startswith("@"):
        return parse_cmdline(argument)
    from advisor.inputs.files import read_text

    path = argument[1:]
    text = read_text(path).rstrip("\n")
    if "\n" in text:
        hint = "give a file with the line alone, such as /proc/cmdline"
        raise InputError("holds several lines, and a boot line is one", where=path, hint=hint)
    return parse_cmdline(text, path)


def quote(word: str) -> str:
    """The word as it must stand on a line: in quotes where it holds blanks.

    Raises ValueError for a word with quotes of its own, which the kernel cannot read back.
    """
    if not any(space in word for space in _SPACES):
        return word
    if '"' in word:
        raise ValueError(f"a word with blanks and quotes cannot stand on a boot line: {word!r}")
    name, equals, value = word.partition("=")
    if equals and not any(space in name for space in _SPACES):
        return f'{name}="{value}"'
    return f'"{word}"'


def _skip_spaces(text: str, position: int) -> int:
    while position < len(text) and text[position] in _SPACES:
        position += 1
    return position


def _split(text: str) -> list[str]:
    return [word for word in text.split() if word]


def _next_word(text: str, start: int, layer: Layer) -> tuple[Word, int]:
    quoted = text[start] == '"'
    in_quote = quoted
    first = start + 1 if quoted else start
    equals, position = -1, first
    while position < len(text):
        char = text[position]
        if char in _SPACES and not in_quote:
            break
        # As in the kernel, a leading "=" does not end a name.
        if char == "=" and equals < 0 and position > first:
            equals = position
        if char == '"':
            in_quote = not in_quote
        position += 1
    raw = text[start:position]
    body = text[first:position]
    if equals < 0:
        name, value = _unquoted_end(body) if quoted else body, None
    else:
        name = text[first:equals]
        value = text[equals + 1 : position]
        if value.startswith('"'):
            value = _unquoted_end(value[1:])
        elif quoted:
            value = _unquoted_end(value)
    compared = name if name == "--" else name.replace("-", "_")
    return Word(raw, compared, value, start + 1, layer), position


def _unquoted_end(text: str) -> str:
    return text[:-1] if text.endswith('"') else text


def _notes(text: str, name: str) -> tuple[InputNote, ...]:
    notes = []
    if text.count('"') % 2:
        place = Location(name, 1, text.rindex('"') + 1)
        message = "a quote is not closed: everything behind it is one word"
        notes.append(InputNote("unbalanced-quote", Severity.ERROR, place, message))
    bad = next((i for i, c in enumerate(text) if c == "\0" or (c < " " and c not in _SPACES)), None)
    if bad is not None:
        place = Location(name, 1, bad + 1)
        message = "a control character: the kernel's line ends or breaks there"
        notes.append(InputNote("control-character", Severity.ERROR, place, message))
    if not text.isascii():
        column = next(i for i, c in enumerate(text) if ord(c) > 127) + 1
        message = "a character outside ASCII; no kernel parameter has one"
        notes.append(InputNote("non-ascii", Severity.WARNING, Location(name, 1, column), message))
    return tuple(notes)
