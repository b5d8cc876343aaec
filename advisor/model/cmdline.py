"""Boot lines, as the kernel's next_arg() splits them (lib/cmdline.c, read in 6.12)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.model.kernel import CommandLine, InputNote, Layer, Location, Word

_SPACES = " \t\n\r\v\f"
# Quotes may open and close anywhere in a word; one that stays open takes all that follows.
_WORD = rf'(?:[^"{_SPACES}]+|"[^"]*(?:"|\Z))+'
LONGEST = 1 << 16
"""More characters than that are no boot line: kernels keep 4096 bytes at most, but for s390 where
somebody has built it so."""
_CONTROL = "[\0-\x08\x0e-\x1f]"


def parse_cmdline(text: str, name: str = "--cmdline", layer: Layer = Layer.BOOT) -> CommandLine:
    """The words of a boot line, with their columns, and what stands behind `--` for init.

    Any text is a boot line: what the kernel would misread is told in `notes`.
    """
    words: list[Word] = []
    init: list[Word] = []
    into = words
    for match in re.finditer(_WORD, text):
        word = _word(match[0], match.start() + 1, layer)
        if into is words and word.value is None and word.name == "--":
            into = init
        else:
            into.append(word)
    return CommandLine(text, tuple(words), tuple(init), name, _notes(text, name))


def lasting(words: Iterable[str]) -> list[str]:
    """The words of a line without those that a boot loader adds by itself.

    kernel-install of systemd leaves out the same two when it takes over a running kernel's line.
    """
    return [word for word in words if word.partition("=")[0] not in ("BOOT_IMAGE", "initrd")]


def quote(word: str) -> str:
    """The word as it must stand on a line: in quotes where it holds blanks.

    Raises ValueError for a word with quotes of its own, which the kernel cannot read back.
    """
    if not any(space in word for space in _SPACES):
        return word
    if '"' in word:
        raise ValueError(
            f"a parameter with blanks and quotes cannot be written on a boot line: {word!r}"
        )
    name, equals, value = word.partition("=")
    if equals and not any(space in name for space in _SPACES):
        return f'{name}="{value}"'
    return f'"{word}"'


def _word(raw: str, column: int, layer: Layer) -> Word:
    quoted = raw[0] == '"'
    first = 1 if quoted else 0
    # As in the kernel, a leading "=" does not end a name, and one within quotes does.
    equals = raw.find("=", first + 1)
    value: str | None = None
    if equals < 0:
        name = _unquoted_end(raw[first:]) if quoted else raw
    else:
        name, value = raw[first:equals], raw[equals + 1 :]
        if value.startswith('"'):
            value = _unquoted_end(value[1:])
        elif quoted:
            value = _unquoted_end(value)
    # Behind sysctl. stands a path: bridge-nf-call-iptables has no other spelling.
    as_written = name == "--" or name.startswith("sysctl.")
    compared = name if as_written else name.replace("-", "_")
    return Word(raw, compared, value, column, layer)


def parameter_name(word: str) -> str:
    """The name in a word of a boot line, as the kernel compares it."""
    return word.partition("=")[0].removeprefix('"').replace("-", "_")


def _unquoted_end(text: str) -> str:
    return text[:-1] if text.endswith('"') else text


def _notes(text: str, name: str) -> tuple[InputNote, ...]:
    notes = []
    if text.count('"') % 2:
        place = Location(name, 1, text.rindex('"') + 1)
        message = "a quote is not closed: the rest of the line belongs to the same parameter"
        notes.append(InputNote("unbalanced-quote", place, message))
    if bad := re.search(_CONTROL, text):
        place = Location(name, 1, bad.start() + 1)
        message = "a control character: the boot line ends or breaks at this character"
        notes.append(InputNote("control-character", place, message))
    if not text.isascii():
        column = next(i for i, c in enumerate(text) if ord(c) > 127) + 1
        message = "a character outside ASCII; no kernel parameter has one"
        notes.append(InputNote("non-ascii", Location(name, 1, column), message))
    return tuple(notes)
