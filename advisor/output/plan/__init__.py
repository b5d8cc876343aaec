"""A boot line as boot loaders' tools take it: only what changes, where they keep the rest.

Every format first refuses what it cannot carry, so that none writes a broken file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from advisor.errors import UsageError
from advisor.model.cmdline import parse_cmdline
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output.plan.comments import comment_lines, heading

_MOST = 5
_CONTROL = re.compile(r"[\0-\x08\x0a-\x1f\x7f]")
# Bytes that are no text: surrogates from an argument, a replacement character from a file.
_UNDECODED = re.compile("[\ud800-\udfff\ufffd]")


def files(reports: Iterable[Report], lines: Callable[[Report], Iterable[str]]) -> str:
    """Return the lines of a file for each report, with a blank line between two files."""
    return "\n".join("\n".join(lines(report)) + "\n" for report in reports)


def with_dropped(remark: str, plan: Plan) -> list[str]:
    """Return what to do about the words that the plan removes, if there are some."""
    return [f"{remark}: {' '.join(plan.dropped)}"] if plan.dropped else []


def opening(what: str, report: Report, remarks: Iterable[str]) -> list[str]:
    """Return the comments at the top of a file: what made it, and the remarks."""
    return [*heading(what, report), *(line for text in remarks for line in comment_lines(text))]


def refuse(name: str, words: Iterable[str], unfit: Callable[[str], str]) -> None:
    """Raise UsageError with each word that the format cannot carry, and the reason by `unfit`."""
    reasons: dict[str, str] = {}
    for word in words:
        if _CONTROL.search(word):
            reasons[word] = "a line break or control character"
        elif reason := "not UTF-8" if _UNDECODED.search(word) else unfit(word):
            reasons[word] = reason
    if reasons:
        first = [f"{word!r} ({reason})" for word, reason in list(reasons.items())[:_MOST]]
        more = f", and {len(reasons) - _MOST} more" if len(reasons) > _MOST else ""
        raise UsageError(
            f"cannot write {', '.join(first)}{more}",
            where=f"--format {name}",
            hint="change these parameters, or give another format" if name != "plain" else "",
        )


def anything(word: str) -> str:
    """Return no reason: the `unfit` of a format that carries every word of a line."""
    return ""


def refuse_init(name: str, plan: Plan) -> None:
    """Raise UsageError if what a format appends would be behind `--`, which is for init."""
    if plan.words and parse_cmdline(plan.cmdline).init:
        raise UsageError(
            "appends to the boot line, but all parameters after '--' go to init",
            where=f"--format {name}",
            hint="set the boot line yourself; --format plain prints the line",
        )


def inside(words: Iterable[str], plan: Plan) -> dict[str, str]:
    """Return the words that are also part of a quoted word that stays, with that word."""
    staying = [w.text for w in parse_cmdline(plan.cmdline).words if " " in w.text]
    parted = {text: text.replace('"', " ").split(" ") for text in staying}
    return {word: text for word in words for text, parts in parted.items() if word in parts}
