"""Words of the boot line whose value is missing or stands apart: no value where the kernel reads
the parameter with one alone, and a text with blanks that lost its quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from advisor.engine.diagnose.dyndbg import is_dyndbg
from advisor.engine.diagnose.words import of_word
from advisor.engine.effective.world import World
from advisor.errors import shortened
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.kernel import Severity, Word
from advisor.model.rules import Source
from advisor.record import NamedTuple

# Parameters whose values have blanks; so has dyndbg, also of every module.
_TEXTS = frozenset(("dm_mod.create", "acpi_osi", "acpi_os_name"))
_READING = Source("code", "lib/cmdline.c", "6.12", "next_arg()").url
_SETUP = Source("code", "init/main.c", "6.12", "obsolete_checksetup()").url
_MOST_BEHIND = 20
_LIST = re.compile(r"\d[\w,:/-]*", re.ASCII)
# The speed of a console, which stands behind a comma; a runlevel has one digit.
_SPEED = re.compile(r"\d{3}\w*", re.ASCII)
# A word with a name of its own is no value, but for what names a disk.
_NAMED = re.compile(r"(?!(?:PART)?(?:UUID|LABEL)=)[^=]+=", re.ASCII)


class Apart(NamedTuple):
    """What is told of a word, and the words that are told with it and need no word of their own."""

    told: Diagnostic
    words: tuple[Word, ...]


def values_apart(world: World) -> Iterator[Apart]:
    """Report the words without their value, each with what most likely is that value."""
    words, known = world.line.words, world.knowledge
    for number, word in enumerate(words):
        takes_text = word.name in _TEXTS or is_dyndbg(word)
        if takes_text and word.value and '"' not in word.text:
            behind = _rest(words, number + 1, world)
            if any(_is_strange(one, world) for one in behind):
                yield Apart(_lost_quotes(word, behind, world), behind)
                continue
        behind = _rest(words, number + 1, world, 2)
        is_read = behind and (
            world.line.parameter(word) or known.parameter_catalogue.seen(word.name)
        )
        if is_read and (parts := _in_one(word, behind)):
            yield Apart(_cut_at_blank(parts, world), parts)
        elif word.value is None and _needs_value(word, world):
            value = behind[:1] if behind and _LIST.fullmatch(behind[0].text) else ()
            yield Apart(_without_value(word, value, world), (word, *value))


def _rest(
    words: Sequence[Word], start: int, world: World, most: int = _MOST_BEHIND
) -> tuple[Word, ...]:
    """Return the words from there on that may be the rest of a text, as nobody reads them but as a
    number, but no more than a line has that somebody wrote."""
    near = words[start : start + most]
    return tuple(takewhile(lambda one: one.text.isdigit() or _is_strange(one, world), near))


def _in_one(word: Word, behind: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words that are one with blanks in its value: behind `=` or a comma, before `=`, or
    before the speed of a console; none if it is none such."""
    first, *others = (one.text for one in behind[:2])
    value = word.value
    if value is None:
        parts = 2 if first == "=" and others else 1 if first[:1] == "=" != first else 0
    elif value.startswith('"') or _NAMED.match(first):
        parts = 0
    else:
        speed = word.name == "console" and "," not in value and _SPEED.fullmatch(first)
        parts = 1 if speed or value[-1:] in ("", ",") else 0
    return (word, *behind[:parts]) if parts else ()


def _is_strange(word: Word, world: World) -> bool:
    """Return whether neither a kernel nor a program that is known reads the word."""
    known = world.knowledge
    return not (
        world.line.parameter(word)
        or known.reader(word.name)
        or known.name(word.name)
        or known.parameter_catalogue.seen(word.name)
    )


def _needs_value(word: Word, world: World) -> bool:
    subject, known = world.subject, world.knowledge
    ruled = world.line.parameter(word) and world.line.ruling(word).truth is False
    # Which is told, or somebody else's; dynamic debugging reads the line again, and takes +p.
    if ruled or known.reader(word.name) or is_dyndbg(word):
        return False
    catalogue = known.parameter_catalogue
    return catalogue.needs_value(word.name, subject.kernel, subject.machine.arch)


def _lost_quotes(word: Word, behind: Sequence[Word], world: World) -> Diagnostic:
    rest = " ".join(one.text for one in behind)
    name = word.text.partition("=")[0]
    message = (
        f"without quotes, the value of {name}= ends at the first blank: the kernel reads "
        f"{shortened(rest)!r} as separate parameters"
    )
    text = f"{word.value} {rest}".strip("'")  # which the kernel takes for letters
    remedy = f'write {name}="{text}"; the boot loader may remove the quotes'
    return diagnostic("quotes-lost", world.place(word), message, remedy, _READING, word.text)


def _cut_at_blank(parts: Sequence[Word], world: World) -> Diagnostic:
    word, text = (
        parts[0],
        "the value ends at the first blank: the text after the blank is another parameter",
    )
    comma = "," if word.value and word.value[-1] != "," else ""
    whole = word.text + comma + "".join(one.text for one in parts[1:])
    remedy = f"write {shortened(whole)}, without a blank"
    id, severity = "parameter-value-refused", Severity.ERROR
    return of_word(id, word, text, world, remedy, severity, _READING)


def _without_value(word: Word, value: Sequence[Word], world: World) -> Diagnostic:
    name, id = shortened(word.text), "parameter-value-refused"
    text = f"the kernel reads {name}= only with a value, and this parameter has none"
    remedy = f"write {name}={value[0].text}, without a blank" if value else f"write {name}=VALUE"
    return of_word(id, word, text, world, remedy, Severity.ERROR, _SETUP)
