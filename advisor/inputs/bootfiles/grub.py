"""/etc/default/grub and /etc/default/grub.d/*.cfg, which grub-mkconfig sources with sh, in that
order (grub-mkconfig of Debian's grub2 2.06): each has what those before it have set.

The line of an entry is GRUB_CMDLINE_LINUX, then GRUB_CMDLINE_LINUX_DEFAULT (10_linux of Debian's
grub2 2.06). 10_linux hands it as it is to GRUB, which reads it as a command of its own language
and quotes each word anew (grub_create_loader_cmdline() of grub-core/lib/cmdline.c).
"""

from __future__ import annotations

import re

from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.bootfiles.lines import Lines
from advisor.inputs.bootfiles.shell import HOLE, Script, ShellCommand, ShellWord, readable, written
from advisor.model.kernel import Location
from advisor.record import NamedTuple

NAMES = ("GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT")
_OTHERS = frozenset(
    ("GRUB_CMDLINE_LINUX_RECOVERY", "GRUB_CMDLINE_LINUX_XEN_REPLACE",
     "GRUB_CMDLINE_LINUX_XEN_REPLACE_DEFAULT")
)  # fmt: skip
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=", re.ASCII)
# What changes no variable, whatever is handed to it.
_HARMLESS = frozenset(
    ("[", "test", "true", "false", ":", "echo", "for", "case", "break", "continue", "shift", "exit")
)
_EXPORTS = frozenset(("export", "readonly"))
_GRUB_SIGN = re.compile(r"\$(?:\w+|\{[^}]*\}|[?#*@])", re.ASCII)
_SETS = re.compile(r"\$\{GRUB_CMDLINE_LINUX(?:_DEFAULT)?:?=")
_ENDS = frozenset(";|&<>")


class GrubWord(NamedTuple):
    """A word of a setting as the kernel gets it; `start` and `end` bound it in the setting."""

    text: str
    start: int
    end: int
    computed: bool = False


class _Settings:
    """What the variables hold, word by word, as far as the script was read."""

    def __init__(self, script: Script, into: Gathered) -> None:
        self.script = script
        self.into = into
        self.lines = Lines(script.text)
        # What files before it have left there: of each word its text, and where it stands.
        self.words = {name: into.kept.get(name, []) for name in NAMES}

    def run(self, command: ShellCommand) -> None:
        """Does what a command does to the variables, as far as that can be read."""
        words = command.words
        if any(_SETS.search(hole) for word in words for hole in word.holes):
            self.tell(words[0].start, words[-1].end, "an expansion that sets a variable")
            return
        exported = words[0].text in _EXPORTS
        settings = [self._assignment(word) for word in words[exported:]]
        if exported:  # `export NAME` alone sets nothing
            settings = [name for name in settings if name]
        if all(settings):
            for name, word in zip(settings, words[-len(settings) :], strict=False):
                if name.rstrip("+") in _OTHERS:
                    self.into.remark(
                        f"{name.rstrip('+')} is for other boot entries, and is not judged"
                    )
                elif name.rstrip("+") in NAMES:
                    self._set(name.rstrip("+"), name.endswith("+"), word, command.certain)
        elif not self._harmless(words):
            self.tell(words[0].start, words[-1].end, "a command whose effect is not known")

    def _assignment(self, word: ShellWord) -> str:
        """Finds the name that a word sets, with the + of `+=`; empty if it sets none."""
        found = _ASSIGNMENT.match(self.script.text, word.start)
        return found[1] + found[2] if found and found.end() <= word.end else ""

    def _harmless(self, words: list[ShellWord]) -> bool:
        named = any(HOLE not in w.text and w.text.split("=")[0] in NAMES for w in words[1:])
        first = words[0].text
        if first == "printf":
            return not any(word.text.startswith(("-", HOLE)) for word in words[1:2])
        return first in _HARMLESS and not (named and first == "for")

    def _set(self, name: str, append: bool, word: ShellWord, certain: bool) -> None:
        if not certain:
            self.tell(word.start, word.end, f"a condition decides whether {name} is set")
            return
        skip = word.text.index("=") + 1
        value = word._replace(text=word.text[skip:], places=word.places[skip:])
        before = self.words[name]
        found: list[tuple[str, Location]] = list(before) if append else []
        value, own = _before(name, value)
        for one in grub_words(value.text, self.into, self.lines.of(word.start)):
            place = value.places[one.start]
            passed = value.text[: one.start].count(HOLE)
            if one.text == HOLE and passed in own and not append:
                found += before
                append = True  # a second time would double it
            elif one.computed:
                shown = written(value.text[one.start : one.end], value.holes[passed:])
                self.into.computed(shown, self.lines.of(place), f"a part of {name}")
            else:
                at = self.lines.of(place), self.lines.column(place)
                found.append((one.text, Location(self.into.name, *at)))
        self.words[name] = found

    def tell(self, start: int, end: int, why: str) -> None:
        """Gathers that a part of the script is not read."""
        self.into.computed(self.script.text[start:end], self.lines.of(start), why)


def read(text: str, into: Gathered) -> None:
    """Gathers the words of both variables. Raises InputError where sh would refuse the file."""
    script = Script(text)
    settings = _Settings(script, into)
    with readable(settings.lines, into):
        for command in script.commands():
            settings.run(command)
    for at in script.documents:
        settings.tell(at, at + 20, "a here-document")
    into.kept.update(settings.words)
    into.replace([word for name in NAMES for word in settings.words[name]])


def _before(name: str, value: ShellWord) -> tuple[ShellWord, set[int]]:
    """Puts a blank behind each expansion that brings one along, and finds the numbers of the
    expansions that are the variable's earlier value and nothing else."""
    plain = (f"${name}", f"${{{name}}}", f"${{{name}-}}", f"${{{name}:-}}")
    spaced = (f"${{{name}:+${name} }}", f"${{{name}:+${{{name}}} }}")
    own = {number for number, hole in enumerate(value.holes) if hole in (*plain, *spaced)}
    text: list[str] = []
    places: list[int] = []
    number = 0
    for sign, place in zip(value.text, value.places, strict=True):
        text.append(sign)
        places.append(place)
        if sign == HOLE:
            if value.holes[number] in spaced:
                text.append(" ")
                places.append(place)
            number += 1
    return value._replace(text="".join(text), places=places), own


def grub_words(text: str, into: Gathered, line: int) -> list[GrubWord]:
    """Parts a setting into words as GRUB does, each as GRUB quotes it for the kernel.

    Raises InputError for a quote that is not closed.
    """
    words: list[GrubWord] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign in " \t\n\r":
            at += 1
        elif sign in _ENDS or sign == "#":
            # The rest of the line is no word of it.
            words.append(GrubWord("", at, len(text), computed=True))
            break
        else:
            word = _grub_word(text, at, into, line)
            words.append(word)
            at = word.end
    return words


def _grub_word(text: str, start: int, into: Gathered, line: int) -> GrubWord:
    read: list[str] = []
    at, quote, computed = start, "", False
    while at < len(text) and (quote or text[at] not in " \t\n\r;|&<>"):
        sign = text[at]
        if sign == quote or (not quote and sign in "'\""):
            quote = "" if quote else sign
        elif sign == "\\" and quote != "'" and (not quote or text[at + 1 : at + 2] in '"$\\'):
            at += 1
            read.append(text[at : at + 1])
        elif quote != "'" and (found := _GRUB_SIGN.match(text, at)):
            computed = True
            at = found.end() - 1
        else:
            computed = computed or sign == HOLE
            read.append(sign)
        at += 1
    if quote:
        raise into.error(line, "under GRUB's rules, a quote is not closed", "close the quote")
    end = min(at, len(text))
    return GrubWord(for_kernel("".join(read)), start, end, computed)


def for_kernel(word: str) -> str:
    """Writes a word as GRUB does for the kernel (lib/cmdline.c#grub_create_loader_cmdline)."""
    escaped = re.sub(r"""([\\'"])""", r"\\\1", word)
    return f'"{escaped}"' if " " in word else escaped
