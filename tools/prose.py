"""Holds what people read to the project's style: rules, profiles, software, README and docs/*.md.

    python tools/prose.py [FILE…]

Prints `FILE:LINE: FORM: SENTENCE` for each sentence that breaks a rule of this file, and exits with
1 if there is one. Without FILE it reads the whole repository.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tomli

ROOT = Path(__file__).resolve().parents[1]
MOST_WORDS = 25
# The fields of rules and profiles that are sentences. The rest are names, conditions, examples.
FIELDS = frozenset(re.findall(r"\w+", """
    advice because context cost first history instead means note otherwise practice reason refusal
    remedy says summary tell title today when_not why
"""))  # fmt: skip

# A sentence is read alone, once, in a pull request, by an engineer in a hurry whose first
# language is often another. A subject, a verb, one idea, in the field's own terms.
_VERBS = (
    "alone|also|only|too|then|is|are|was|were|has|have|had|can|cannot|may|must|will|would|does|do|"
    "did|needs?|takes?|gives?|makes?|costs?|helps?|saves?|says?|go|goes|stays?|comes?|keeps?|holds?|"
    "counts?|reads?|uses?|brings?|runs?|works?|shows?|sets?|lets?|turns?|switches|means?|sees?"
)
_ACTED_UPON = "kernels?|profiles?|hosts?|drivers?|reports?|machines?"
FORMS = {
    # What the pronoun stands for is in another sentence or another field: name it.
    "begins with a pronoun": r"^(?:It|They)\b"
    rf"|^(?:This|These|That|Those|Such|Both|One|Who|Whoever) (?:{_VERBS})\b",
    # Say which program, person or thing.
    "a subject without a name": r"\b[Ww]hoever\b"
    r"|(?:^|[,;:] |\b(?:and|or|but|for|by|to|of) )who (?!is\b)[a-z]+s\b"
    r"|\b(?:one|those|such) (?:that|who) (?:has|have|had) (?:it|them|one)\b",
    # Kernels are not told and settings are not had: the actor is what acts.
    "no actor": rf"\b(?:{_ACTED_UPON}) (?:is|are) (?:told|asked)\b"
    r"|\b(?:is|are|can be|cannot be|to be) had\b|\bhears? (?:of|nothing)\b",
    # Disabled, more expensive, unmitigated, fragmented, ignores, has no effect.
    "not the field's term": r"(?i)\basleep\b|\bdearer\b|\bopens? (?:one|a) hole\b|\bstays? open\b"
    r"|\bso long\b|\bha(?:s|ve) (?:no|a) say\b|(?<!A )\bpass(?:es)? over\b|\bmakes? nothing of\b"
    r"|\bin pieces\b|\bheld off\b|\bof no use\b|\bnowadays\b",
    "a double negation": r"\bnot (?:un(?!der)[a-z]+|without)\b|\bnothing (?:but|else than)\b"
    r"|\bno [a-z]+ but (?:a|the)\b",
    "rather than": r"\brather\b[^.;]{0,60}\bthan\b",
    "clever": r"\bworth naming\b|\bin one go\b|\bfor nothing\b|\bin earnest\b|\bas good as\b",
}
# The setting that has the cost, or the direction in which it lies. `Set:` is for lists and texts.
_SETTING = r"[\w.+-]+(?:, [\w.+-]+)*(?: or [\w.+-]+)?"
COST = re.compile(rf"(?:On|Off|Set|Raising it|Lowering it|{_SETTING}): |None\b")

_FORMS = {name: re.compile(pattern) for name, pattern in FORMS.items()}
_END = re.compile(r"(?<=[.!?])[\")]?\s+(?=[\w`\"(/\[*-])")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|vs|cf)\.$")
_LINK = re.compile(r"\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")


class Text(NamedTuple):
    """A text of a file: its field in a rule or profile, or the line that it begins in on a page."""

    field: str
    text: str
    line: int = 0


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line."""
    begun = ""
    for part in _END.split(" ".join(text.split())):
        begun = f"{begun} {part}".strip()
        if not _ABBREVIATED.search(begun):
            yield begun
            begun = ""
    if begun:
        yield begun


def faults(sentence: str) -> Iterator[str]:
    """Yield the name of each form that a sentence has and should not have."""
    plain = _CODE.sub("CODE", _LINK.sub("]", sentence))
    if len(re.findall(r"\w\S*", plain)) > MOST_WORDS:
        yield f"over {MOST_WORDS} words"
    for name, pattern in _FORMS.items():
        if pattern.search(plain):
            yield name


def of_toml(node: Any, field: str = "") -> Iterator[Text]:
    """Yield the texts of a rule or profile."""
    if isinstance(node, dict):
        for key, below in node.items():
            yield from of_toml(below, key)
    elif isinstance(node, list):
        for below in node:
            yield from of_toml(below, field)
    elif isinstance(node, str) and field in FIELDS:
        yield Text(field, node)


def of_markdown(page: str) -> Iterator[Text]:
    """Yield the paragraphs and items of a page, without code, tables and headings."""
    kept: list[str] = []
    begin, fenced = 0, False
    for number, line in enumerate([*page.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        item = re.match(r"\s*(?:[-*]|\d+\.) +", line)
        other = fence or fenced or not line.strip() or line.startswith(("#", "|", "<", "    "))
        if kept and (other or item):
            yield Text("", " ".join(kept), begin)
            kept = []
        if not other:
            begin = begin if kept else number
            kept.append(line[item.end() :] if item else line.strip())


def line_of(sentence: str, raw: str) -> int:
    """Return the first line of a file with the beginning of a sentence; 1 if it is not found."""
    words = [re.escape(word).replace('"', r'\\?"') for word in sentence.split()[:12]]
    found = re.search(r"[\s\\]+".join(words), raw)
    return raw.count("\n", 0, found.start()) + 1 if found else 1


def held(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the form and the sentence of each fault of a file."""
    raw = path.read_text(encoding="utf-8")
    for field, text, line in (
        of_markdown(raw) if path.suffix == ".md" else of_toml(tomli.loads(raw))
    ):
        if field == "cost" and not COST.match(text):
            yield line_of(text, raw), "a cost of no setting", " ".join(text.split())
        for sentence in sentences(text):
            for form in faults(sentence):
                yield line or line_of(sentence, raw), form, sentence


def files() -> list[Path]:
    """Return the files that are read where none is named."""
    folders = ("rules", "profiles", "software")
    data = [path for folder in folders for path in (ROOT / folder).rglob("*.toml")]
    return sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *data])


def main(words: list[str]) -> int:
    """Print the faults of the named files, or of all."""
    wrong = False
    for path in [Path(word).resolve() for word in words] or files():
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
        for line, form, text in held(path):
            print(f"{name}:{line}: {form}: {text}")
            wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
