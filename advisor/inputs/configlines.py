"""The lines of a .config, as conf_read_simple() and conf_set_sym_val() read them.

Source: scripts/kconfig/confdata.c and symbol.c of 6.12; where older kernels differ is said.
"""

from __future__ import annotations

import re
from collections import Counter

from advisor.model.kernel import InputNote, Location, Severity

MOST_NOTES = {"malformed-line": 10, "duplicate-symbol": 5}
"""How many notes of an id are told one by one, the others as a number; MOST_OTHERS if not here."""
MOST_OTHERS = 100

NOT_SET = " is not set"
"""What follows the symbol in the comment that sets it to n."""
_NAME = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_\n"
# A line that means one of Kconfig's: blanks too many, no CONFIG_, no value, no #.
_ASSIGNED = re.compile(
    r"\s*(?:export\s+)?((?:CONFIG_)?[A-Z][A-Za-z0-9_]*)\s*"
    r"(?:[=:]\s*(\"[^\"]*\"|[^\s\"]*)|(is not set))?\s*",
    re.ASCII,
)
_LONGEST = 300
_HEX = "0123456789abcdefABCDEF"
_WORDS = ("es", "o", "od", "odule")


def read_clean(text: str) -> dict[str, str] | None:
    """The values of a text in which nothing is odd, as of every generated file; else None.

    Sorts each line into one of three at a glance, then proves that this was right: on counts, on
    all names as one text, and on the few distinct values and comments.
    """
    values: dict[str, str] = {}
    others: list[str] = []
    lines = text.split("\n")
    for line in lines:
        name, equals, value = line.partition("=")
        if equals:
            values[name] = value
        elif line[-11:] == NOT_SET and line[:2] == "# ":
            values[line[2:-11]] = "n"
        else:
            others.append(line)
    if len(values) != len(lines) - len(others):  # a name stands twice
        return None
    names = "\n".join(values)
    if "#" in names:  # a comment with "=" in it
        comments = [name for name in values if name[:1] == "#"]
        for name in comments:
            del values[name]
        others += comments
        names = "\n".join(values)
    if any(line and (line[0] != "#" or NOT_SET in line) for line in set(others)):
        return None
    if ("\n" + names).count("\nCONFIG_") != len(values) or not _are_names(names):
        return None
    if "CONFIG_" in values:  # a name of no letters
        return None
    return values if all(map(_is_plain, set(values.values()))) else None


def _are_names(text: str) -> bool:
    """Whether all of it is letters that scripts/kconfig/lexer.l has in a name, or line breaks."""
    return not text.encode(errors="replace").translate(None, _NAME)


def _is_plain(value: str) -> bool:
    """Whether Kconfig reads the value as it looks."""
    if value[:1] == '"' and value.find('"', 1) == len(value) - 1 and "\\" not in value:
        return True
    return _kconfig_value(value) == (value, "")


def _kconfig_value(raw: str) -> tuple[str | None, str]:
    """Reads the text after `=` as conf_set_sym_val() does, with what is wrong with it, if
    anything.

    Without a tree the symbol's type is unknown, so that any type's value is right. None where no
    type would take it: Kconfig then leaves the symbol as it was.
    """
    if raw in ("y", "m", "n") or _is_number(raw):
        return raw, ""
    if raw[:1] == '"':
        # Same-length stand-ins for what is escaped; pairs first, since a run begins with one.
        end = raw.replace("\\\\", "__").replace('\\"', "__").find('"', 1) + 1
        if not end:
            return None, "the string has no closing quote"
        value = raw[:end]
        return value, "" if end == len(raw) else "Kconfig drops what follows the closing quote"
    # conf_set_sym_val() looks at the first letter of a bool or tristate only: `yes` is y.
    letter, rest = raw[:1], raw[1:]
    if letter in ("y", "m", "n") and (not rest[:1].isalnum() or rest in _WORDS):
        return letter, f"Kconfig reads this as {letter}: only the first letter counts"
    return None, "the value is not y, m, n, a number or a string in quotes"


def _is_number(raw: str) -> bool:
    """As sym_string_valid() (symbol.c) for int and hex; bare hex digits must begin with 0 to 9."""
    digits = raw[2:] if raw[:2] in ("0x", "0X") else raw
    if digits[:1] == "-":  # an int, which has no leading zero
        digits = raw[1:]
        return digits.isascii() and digits.isdigit() and (digits[0] != "0" or digits == "0")
    if not digits or digits.strip(_HEX):
        return False
    return digits is not raw or raw[0] <= "9"


class Reader:
    """The loop of conf_read_simple() over a text, line by line, which tells what is odd.

    `values` and `lines` are the value and the number of the line of each `CONFIG_` name;
    `empty_numbers` that a name without a value is none that anybody forgot.
    """

    def __init__(self, path: str, text: str, *, empty_numbers: bool = False) -> None:
        self._empty_numbers = empty_numbers
        self.values: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self._path = path
        self._notes: list[InputNote] = []
        self._counts: Counter[str] = Counter()
        for number, line in enumerate(text.split("\n"), 1):
            if line[:1] == "#":
                self._comment(number, line)
            elif line:
                self._assignment(number, line)

    def notes(self) -> list[InputNote]:
        """What was noted, and for each id that was cut off, how many more there are."""
        notes = list(self._notes)
        for kind, total in self._counts.items():
            more = total - MOST_NOTES.get(kind, MOST_OTHERS)
            if more > 0:
                last = next(note for note in reversed(notes) if note.id == kind)
                message = f"and {more} more lines with this problem below"
                notes.append(last._replace(message=message, subject="others"))
        return notes

    def _comment(self, number: int, line: str) -> None:
        if line[:9] != "# CONFIG_":
            return
        name, space, rest = line[2:].partition(" ")
        if space + rest == NOT_SET and is_name(name):
            self._set(number, name, "n")
        elif (space + rest).startswith(NOT_SET) and is_name(name):
            # conf_read_simple() of 6.1 compares the first ten letters only, 6.12 all of them.
            message = (
                "text after 'is not set' (newer kernels read this line as a comment, older kernels "
                "as n): '{}'"
            )
            alone = f"# {_short(name)}{NOT_SET}"
            remedy = f"write '{alone}', and move the text behind it to another line"
            self._note("malformed-line", number, message, line, severity=Severity.WARNING)
            self._remedied(remedy)

    def _assignment(self, number: int, line: str) -> None:
        name, equals, raw = line.partition("=")
        if self._empty_numbers and equals and not raw and is_name(name):
            return
        if not equals or not raw or not is_name(name):
            severity = Severity.ERROR if "CONFIG_" in line else Severity.WARNING
            message = "Kconfig ignores this line: '{}'"
            self._note("malformed-line", number, message, line, severity=severity)
            self._remedied(_meant(line))
            return
        value, problem = _kconfig_value(raw)
        if value is None:
            message = f"Kconfig ignores {{}}: {problem}"
            self._note("invalid-value", number, message, line, severity=Severity.ERROR)
            return
        if problem:
            self._note("trailing-text", number, f"{{}}: {problem}", line)
        self._set(number, name, value)

    def _set(self, number: int, name: str, value: str) -> None:
        before = self.values.get(name)
        if before is not None and before != value:
            places = f"in line {self.lines[name]} and {{}} in line {number}"
            message = f"{{}} is {{}} {places}: the last wins"
            self._note("duplicate-symbol", number, message, name, before, value)
        self.values[name] = value
        self.lines[name] = number

    def _remedied(self, remedy: str) -> None:
        """Adds to the last note what to write; one that was only counted needs none."""
        if self._counts["malformed-line"] <= MOST_NOTES["malformed-line"]:
            self._notes[-1] = self._notes[-1]._replace(remedy=remedy)

    def _note(
        self, kind: str, number: int, message: str, *texts: str, severity: Severity | None = None
    ) -> None:
        """Counts it, and keeps it with the texts filled in unless there are too many."""
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_NOTES.get(kind, MOST_OTHERS):
            message = message.format(*map(_short, texts))
            place = Location(self._path, number)
            self._notes.append(InputNote(kind, place, message, texts[0], severity))


def _meant(line: str) -> str:
    """What to write instead of a line that Kconfig ignores."""
    if text := corrected(line):
        return f"write '{text}'" if text[0] == "#" else f"write {text}"
    match = _ASSIGNED.fullmatch(line) if len(line) <= _LONGEST else None
    if match is None:
        return "remove the line, or begin it with #"
    name = f"CONFIG_{match[1].removeprefix('CONFIG_')}"
    return f"write {name}=y, or '# {name}{NOT_SET}'"


def corrected(line: str) -> str:
    """The line as Kconfig reads it, of one that it ignores; empty if its value is not clear."""
    match = _ASSIGNED.fullmatch(line) if len(line) <= _LONGEST else None
    if match is None or not (match[2] or match[3]):
        return ""
    name = f"CONFIG_{match[1].removeprefix('CONFIG_')}"
    return f"{name}={match[2]}" if match[2] else f"# {name}{NOT_SET}"


def is_name(name: str) -> bool:
    """Whether it is CONFIG_ and a symbol's name."""
    return name[:7] == "CONFIG_" and len(name) > 7 and _are_names(name)


def _short(text: str) -> str:
    """The text for a message: printable, and not too long."""
    begin = "".join(letter if letter.isprintable() else "?" for letter in text[:60])
    return begin + ("..." if len(text) > 60 else "")
