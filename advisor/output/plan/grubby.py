"""A boot line as a command of grubby, with which Fedora and its kin change boot entries.

It parts its arguments at blanks, whatever quotes say, puts them into regular expressions of sed
and grep, some versions without asking where a word begins, and has each parameter once
(update_args() of the grubby-bls script).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from advisor.model.cmdline import parse_cmdline
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import files, refuse, refuse_init
from advisor.output.plan.comments import boot_words, comment_lines, heading

_TAKEN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:,=/@%-]*")


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the command for each report."""
    return files(reports, _command)


def remarks(plan: Plan) -> list[str]:
    """Return what a reader has to know beside the words."""
    return ["grubby changes the entries of all kernels; run this as root."]


def _command(report: Report) -> Iterable[str]:
    plan = report.plan
    line = [word.text for word in parse_cmdline(plan.cmdline).words]
    kept = line[: len(line) - len(plan.words)]
    refuse("grubby", plan.words, lambda word: _unfit(word) or _taken_for(_key(word), word, line))
    refuse("grubby", plan.dropped, lambda word: _unfit(word) or _taken_for(word, word, kept))
    refuse_init("grubby", plan)
    yield from heading("Boot arguments", report)
    if not plan.words and not plan.dropped:
        yield from comment_lines("Nothing to change.")
        return
    for remark in remarks(plan):
        yield from comment_lines(remark)
    yield from boot_words(report)
    options = [("--remove-args", plan.dropped), ("--args", plan.words)]
    given = [f"{name}={' '.join(words)}" for name, words in options if words]
    yield shlex.join(["grubby", "--update-kernel=ALL", *given])


def _unfit(word: str) -> str:
    return "" if _TAKEN.fullmatch(word) else "a character that grubby does not take literally"


def _key(word: str) -> str:
    name, equals, _ = word.partition("=")
    return name + equals


def _taken_for(sought: str, word: str, line: list[str]) -> str:
    other = next((text for text in line if sought in text and text != word), None)
    return f"grubby may confuse the parameter with {other!r}" if other else ""
