"""The queries of dyndbg=, and which of them the kernel refuses.

Read in 6.1, where the flag s is not there yet, and 6.12: ddebug_exec_queries(), ddebug_tokenize(),
ddebug_parse_flags() and ddebug_parse_query() of lib/dynamic_debug.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.engine.diagnose.words import of_word
from advisor.engine.effective.world import World
from advisor.errors import shortened
from advisor.model.finding import Diagnostic
from advisor.model.kernel import Severity, Word
from advisor.model.rules import Source

_SOURCE = Source("code", "lib/dynamic_debug.c", "6.12", "ddebug_parse_query()").url
_FLAGS = "pmfslt_"
_KEYWORDS = ("func", "file", "module", "format", "line", "class")
_MOST_WORDS = 9
_WORD = re.compile(r"\"[^\"]*\"|'[^']*'|[^\"'\s]\S*")
_LINES = re.compile(r"\d*(-\d*)?", re.ASCII)


def is_dyndbg(word: Word) -> bool:
    """Return whether dynamic debugging reads the word: dyndbg, or that of a module."""
    return word.name == "dyndbg" or word.name.endswith(".dyndbg")


def diagnose_dyndbg(word: Word, world: World) -> Iterator[Diagnostic]:
    """Report the queries of a word that the kernel refuses; the others it carries out."""
    if word.value is None or world.line.honours("dyndbg").truth is False:
        return  # without a value the word means +p
    for query in re.split(r"[;\n]", word.value[:4096]):
        if why := refusal(query):
            text = query.strip()
            head, blank, flags = text.rpartition(" ")
            known = "".join(one for one in flags if one in f"+-={_FLAGS}")
            tried = (text.replace(",", " "), f"+{text}", f"{text} +p", f"{head}{blank}{known}")
            meant = next((one for one in tried if one and not refusal(one)), "file NAME +p")
            remedy = f"write '{meant}', all in double quotes"
            says, id = (
                f"the kernel refuses '{shortened(text)}', because {why}",
                "parameter-value-refused",
            )
            yield of_word(id, word, says, world, remedy, Severity.ERROR, _SOURCE)


def refusal(query: str) -> str:
    """Return why the kernel refuses a query; empty if it takes it."""
    comments = (found.start() for found in _WORD.finditer(query) if found[0][0] == "#")
    text = query[: next(comments, None)].strip()
    if not text:
        return ""
    words = _WORD.findall(text)
    if _WORD.sub("", text).strip():
        return "a quote is not closed"
    if len(words) > _MOST_WORDS:
        return f"it has more than {_MOST_WORDS} words"
    *pairs, flags = (word.strip("\"'") for word in words)
    if flags[:1] not in ("+", "-", "="):
        return f"it ends with '{flags}', not with flags such as +p"
    if unknown := flags[1:].translate(dict.fromkeys(map(ord, _FLAGS))):
        return f"'{unknown}' is none of the flags {' '.join(_FLAGS)}"
    return _refused_pairs(pairs)


def _refused_pairs(words: list[str]) -> str:
    """Return what is wrong with the keywords and their values."""
    if len(words) % 2:
        return "a keyword has no value"
    keywords = words[::2]
    for keyword, value in zip(keywords, words[1::2], strict=True):
        if keyword not in _KEYWORDS:
            return f"'{keyword}' is none of the keywords {', '.join(_KEYWORDS)}"
        if keywords.count(keyword) > 1:
            return f"the keyword {keyword} is given twice"
        if keyword == "line" and not _LINES.fullmatch(value):
            return f"'{value}' is neither a line number nor a range of lines"
    return ""
