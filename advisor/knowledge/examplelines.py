"""The lines of `examples`: what is given, and what comes of it, in one line each.

    [FACTS |] CONFIG [| BOOT LINE] [| NAME = VALUE]... -> RESULT [— NOTE]

    x86 6.12 vendor=amd | HZ_1000=y NO_HZ=n | quiet nohz=off | vm.swappiness = 10 -> off — why

A part stands between bars with blanks around them. A
line break counts as a blank, so that a long line may be written over several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from advisor.errors import near, shortened
from advisor.inputs.machine import ARCHITECTURES
from advisor.model.numbers import whole_number

Document = dict[str, Any]

GRAMMAR = "FACTS | CONFIG | BOOT LINE | NAME = VALUE -> RESULT"
RESULTS = ("effective", "verdict", "diagnostics", "answer")
"""The key of the result in a table: of a tunable's, an advice's, a parameter's and a function's
example."""
ANSWERS = ("yes", "no", "unknown", "elsewhere")
VERDICTS = ("ok", "change", "blocked", "unknown", "not-applicable")
_WORDS = {"verdict": VERDICTS, "answer": ANSWERS}
UNRECOGNISED = "?"
"""The result of a tunable's example in which none of its values is recognised."""
NO_DIAGNOSTIC = "ok"
"""The result of a parameter's example in which nothing is reported of its words."""
_NUMBERS = ("cpus", "nodes")
# By the key of a fact: what its value looks like, and how an error calls that.
_FACTS = {
    "vendor": ("intel|amd|arm|other", "intel, amd, arm or other"),
    "virtual": ("guest|no", "guest or no"),
    "hypervisor": ("kvm|xen|hyperv|vmware|other", "kvm, xen, hyperv, vmware or other"),
    "cpus": ("[0-9]{1,9}", "a number"),
    "nodes": ("[0-9]{1,9}", "a number"),
    "memory": ("[0-9]+[KMGT]?", "a size such as 16G"),
    "efi": ("[yn]", "y or n"),
    "shared_memory": ("[0-9]+[KMGT]?", "a size such as 32G"),
    "isolate": ("[0-9][0-9,-]*", "a list of CPUs such as 2-7"),
}
_KERNEL = re.compile(r"[0-9]+\.[0-9]\S*")
_BAR = re.compile(r"(?:^|(?<=\s))\|(?=\s|$)")
_TEXT = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(rf"\w+={_TEXT}\S*|\S+")
_SYMBOL = "[A-Z0-9][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"({_SYMBOL})=([ymn]|-?[0-9]+|0[xX][0-9a-fA-F]+|{_TEXT})")
# How a part begins that is about symbols, be it right or wrong: no fact begins so.
_OF_SYMBOLS = re.compile(r"\s*(?:[A-Z#!]|[0-9]\w*=)")
_SETTING = re.compile(r"(\S+)\s=\s(.+)", re.DOTALL)
_LINE_OF_CONFIG = re.compile(rf"CONFIG_({_SYMBOL}=.+)|# CONFIG_({_SYMBOL}) is not set")


class ExampleError(ValueError):
    """A line that is no example; `offset` is where in its text."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class _Part(NamedTuple):
    """A part of a line, and where in it the part begins."""

    text: str
    offset: int

    def cut(self, start: int, end: int | None = None) -> _Part:
        return _Part(self.text[start:end], self.offset + start)

    def words(self) -> Iterator[_Part]:
        """The words between blanks; what is quoted is of the word."""
        for match in _TOKEN.finditer(self.text):
            yield self.cut(match.start(), match.end())

    def plain(self) -> str:
        """Its text without blanks around it, in one line."""
        return " ".join(filter(None, map(str.strip, self.text.split("\n"))))

    def error(self, message: str) -> ExampleError:
        """The error of this part, at its first letter."""
        blanks = len(self.text) - len(self.text.lstrip())
        return ExampleError(message, self.offset + (blanks if self.text.strip() else 0))


def parse(text: str, key: str) -> Document:
    """A line of `examples` as a table `[[example]]` has it, whose result has that key.

    Raises ExampleError.

    >>> parse("x86 6.12 | HZ_1000=y HZ_250=n | quiet -> 1000 — as Arch has it", "effective")
    {'arch': 'x86', 'kernel': '6.12', 'config': 'CONFIG_HZ_1000=y\\n# CONFIG_HZ_250 is not set', \
'cmdline': 'quiet', 'note': 'as Arch has it', 'effective': '1000'}
    """
    head, note = _halves(_Part(text, 0), "—")
    given, result = _halves(head, "->")
    if result is None or not result.text.strip():
        hint = "blanks around ->" if "->" in head.text else GRAMMAR
        raise ExampleError(f"has no result: write {hint}", len(head.text.rstrip()))
    if note is not None and not note.text.strip():
        raise ExampleError("has no note after the dash", len(text.rstrip()))
    # What stands between the bars, at least one part.
    bars = [(match.start(), match.end()) for match in _BAR.finditer(given.text)]
    starts = [0, *(end for _, end in bars)]
    ends = [*(start for start, _ in bars), len(given.text)]
    parts = [given.cut(start, end) for start, end in zip(starts, ends, strict=True)]
    facts = _Part("", 0) if _OF_SYMBOLS.match(parts[0].text) else parts.pop(0)
    config = parts.pop(0) if parts else _Part("", 0)
    return {
        **_facts(facts),
        **_config(config),
        **_boot_line_and_settings(parts),
        **({"note": note.plain()} if note else {}),
        key: _result(result, key),
    }


def line(example: Document, key: str) -> str | None:
    """The line that says what a table says, or None where no line says just that."""
    parts = [" ".join(_written_facts(example))]
    config = _written_config(example.get("config", ""))
    if config is None:
        return None
    parts.append(config)
    parts += [example["cmdline"]] if "cmdline" in example else []
    parts += _lines(example.get("sysctl", "")) + _lines(example.get("runtime", ""))
    if not parts[0] and config:
        del parts[0]
    while parts and not parts[-1]:
        parts.pop()
    note = f" — {example['note']}" if "note" in example else ""
    text = f"{' | '.join(parts)} -> {_written_result(example[key], key)}{note}"
    text = text.replace("|  |", "| |").lstrip()
    try:
        same = parse(text, key) == plain(example)
    except ExampleError:
        return None
    return text if same else None


def plain(example: Document) -> Document:
    """A table without what says nothing: line breaks around a text, and an empty one."""
    texts = ("config", "sysctl", "runtime")
    stripped = {name: example[name].strip("\n") for name in texts if name in example}
    return {
        name: part for name, part in {**example, **stripped}.items() if part or name not in texts
    }


def position(text: str, start: int, item: str, offset: int) -> tuple[int, int]:
    """The line and column in a TOML text of a place in an item of the list that begins on the line
    `start`; column 0 where the item is not written as it reads, with escapes."""
    first = item.split("\n", 1)[0]
    rows = text.split("\n")
    row = next((n for n in range(start, len(rows) + 1) if first in rows[n - 1]), 0)
    if not row:
        return start, 0
    below = item.count("\n", 0, offset)
    before = 0 if below else rows[row - 1].index(first)
    return row + below, before + offset - (item.rfind("\n", 0, offset) + 1) + 1


# --- reading --------------------------------------------------------------------------------------


def _halves(part: _Part, sign: str) -> tuple[_Part, _Part | None]:
    """Parts a text at a sign with blanks around it; the second half is None without the sign."""
    match = re.search(rf"(?:^|(?<=\s)){sign}(?=\s|$)", part.text)
    if match is None:
        return part, None
    return part.cut(0, match.start()), part.cut(match.end())


def _facts(part: _Part) -> Document:
    facts: Document = {}
    for word in part.words():
        key, value = _fact(word)
        if key in facts:
            raise word.error(f"{key} is given twice")
        facts[key] = value
    return facts


def _fact(word: _Part) -> tuple[str, str | int | bool]:
    key, equals, value = word.text.partition("=")
    if not equals:
        if key in ARCHITECTURES:
            return "arch", key
        if _KERNEL.fullmatch(key):
            return "kernel", key
        if key == "fragment":
            return key, True
    elif key in _FACTS:
        pattern, what = _FACTS[key]
        if not re.fullmatch(pattern, value):
            raise word.error(f"{shortened(word.text)}: {key} is {what}")
        return key, whole_number(value) or 0 if key in _NUMBERS else value
    raise word.error(
        f"{shortened(word.text)!r} is no fact about a kernel or machine: {_hint(word.text)}"
    )


def _hint(word: str) -> str:
    """Suggests what to write in place of a word that is no fact."""
    if "|" in word:
        return "write blanks around |"
    if _OF_SYMBOLS.match(word):
        return f"write | before {shortened(word)}"
    known = [*ARCHITECTURES, *_FACTS, "fragment"]
    every = f"write an architecture, a version, fragment or one of {', '.join(_FACTS)}"
    return near(word.partition("=")[0], known) or every


def _config(part: _Part) -> Document:
    lines = [_symbol(word) for word in part.words()]
    return {"config": "\n".join(lines)} if lines else {}


def _symbol(word: _Part) -> str:
    """A word such as HZ_1000=y as a line of a configuration."""
    if "|" in re.sub(_TEXT, "", word.text):
        raise word.error(f"{shortened(word.text)}: write blanks around |")
    if match := _ASSIGNMENT.fullmatch(word.text):
        name, value = match.groups()
        if not name.startswith("CONFIG_"):
            return f"# CONFIG_{name} is not set" if value == "n" else f"CONFIG_{name}={value}"
    name, equals, value = word.text.partition("=")
    bare = name.removeprefix("CONFIG_").lstrip("!#")
    shown, short = shortened(word.text), shortened(bare)
    if bare != name:
        off = not name.startswith("CONFIG_")
        raise word.error(f"{shown}: write {short}={'n' if off else shortened(value) or 'y'}")
    if re.fullmatch(_SYMBOL, name):
        if equals and value:
            raise word.error(f"{shown}: a value is y, m, n, a number or a text in double quotes")
        raise word.error(f"{shown}: write {short}=y, or {short}=n where it is not set")
    raise word.error(f"{shown!r} is no symbol with a value: write HZ_1000=y")


def _boot_line_and_settings(parts: list[_Part]) -> Document:
    boot_line: Document = {}
    settings: dict[str, list[str]] = {}
    for number, part in enumerate(parts):
        setting = _SETTING.fullmatch(part.plain())
        if setting:
            key = "runtime" if setting[1].startswith("/") else "sysctl"
            settings.setdefault(key, []).append(f"{setting[1]} = {setting[2]}")
        elif not part.text.strip():
            raise part.error("remove this empty part and its |")
        elif number or "=" in part.plain().split(" "):
            wrong = "is no setting, and only the first part may be the boot line"
            what = f"{shortened(part.plain())!r} {wrong}"
            raise part.error(f"{what}: write NAME = VALUE, with blanks around =")
        else:
            boot_line = {"cmdline": part.plain()}
    return {**boot_line, **{key: "\n".join(lines) for key, lines in settings.items()}}


def _result(part: _Part, key: str) -> str | list[str]:
    text = part.plain()
    if re.search(r"(?:^|\s)->(?:\s|$)", text):
        raise part.error(f"has two arrows: write {GRAMMAR}")
    if key in _WORDS:
        if text not in _WORDS[key]:
            raise part.error(f"{shortened(text)!r} is no {key}: {', '.join(_WORDS[key])}")
        return text
    if key == "diagnostics":
        return [] if text == NO_DIAGNOSTIC else text.split(" and ")
    several = text.split(" or ")
    return several if len(several) > 1 else "" if text == UNRECOGNISED else text


# --- writing --------------------------------------------------------------------------------------


def _written_facts(example: Document) -> Iterator[str]:
    yield from (example[key] for key in ("arch", "kernel") if key in example)
    yield from (f"{key}={example[key]}" for key in _FACTS if key in example)
    yield from ["fragment"] * bool(example.get("fragment"))


def _written_config(text: str) -> str | None:
    words = []
    for written in _lines(text):
        match = _LINE_OF_CONFIG.fullmatch(written)
        if match is None:
            return None
        words.append(match[1] or f"{match[2]}=n")
    return " ".join(words)


def _lines(text: str) -> list[str]:
    return text.strip("\n").split("\n") if text.strip("\n") else []


def _written_result(result: str | list[str], key: str) -> str:
    if key == "diagnostics":
        return " and ".join(result) or NO_DIAGNOSTIC
    return " or ".join(result) if isinstance(result, list) else result or UNRECOGNISED
