"""Writes docs/evidence/causes.md: what the words of the boot line change, as the rules have it.

    python tools/causes.py >docs/evidence/causes.md

What a parameter says that it touches (`touches`) is the list; how each tunable reads it is taken
from the tunable: a cause (`interpret`), whether there is such a thing at all (`only_if`), a member
of a group, or a value that the word gives.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

from advisor.knowledge.documents import Documents
from advisor.knowledge.store import Knowledge
from advisor.lint.causes import words
from advisor.lint.lint import read
from advisor.model.condition import Expr, atoms
from advisor.model.parameter import Parameter
from advisor.model.tunable import Tunable

Row = tuple[str, str, str, str]
_HEAD = """\
# What boot words change

A word of the boot line sets something of its own, and some words decide what else is true: `nopv`
takes away all that a guest would use of its hypervisor, `pci=off` the drivers of PCI devices. This
page is made from the rules (`make causes`): for each boot parameter that they know, the settings
whose state depends on it, as the C code of the kernel has it. `kernel-advisor explain NAME` tells
more of each; [writing rules](../writing-rules.md#a-boot-parameter) says how it is written down.
"""
_CAUSES = """\
## Causes

Words that make another setting void, give it, or have a say in what it means.
"""
_SETTINGS = """\
## Settings

Words that set the thing itself. A sysctl on the boot line (`sysctl.NAME=VALUE`) is set before init
starts.
"""
_TABLE = "| parameter | changes | how | source |\n|---|---|---|---|\n"


def page(knowledge: Knowledge, documents: Documents) -> str:
    """The whole page. The same rules give the same bytes."""
    causes: list[Row] = []
    settings: list[Row] = []
    for name, touches in sorted(documents.touches.items()):
        for tunable in map(knowledge.tunable, touches):
            reasons = list(indirect(tunable, name, knowledge))
            rows = causes if reasons else settings
            rows.append(
                row(knowledge.parameter(name), tunable, reasons or direct(tunable, name, knowledge))
            )
    nothing = sorted(name for name, touches in documents.touches.items() if not touches)
    parts = [
        _HEAD,
        _CAUSES,
        _TABLE + lines(causes),
        _SETTINGS,
        _TABLE + lines(settings),
        f"## Parameters that touch nothing else\n\nOf {len(documents.parameters):,} parameters "
        f"{len(nothing):,} change the state of no setting that the rules know:\n",
        textwrap.fill(", ".join(f"`{name}`" for name in nothing), 100, break_on_hyphens=False)
        + "\n",
    ]
    open_ = [d for d in documents.exceptions.values() if d["check"] == "touches"]
    parts.append("## Parameters whose effect no rule can tell\n")
    parts += [f"- `{one['rule'].partition('/')[2]}`: {one['reason']}" for one in open_]
    return "\n".join([*parts, ""])


def row(parameter: Parameter | None, tunable: Tunable, reasons: list[str]) -> Row:
    """A parameter, what it changes, how, and where the kernel reads it."""
    assert parameter  # the rules name no other
    source = parameter.sources[0]
    link = f"[{source.ref.rpartition('/')[2]}]({source._replace(line=0).url})"
    arch = f" ({', '.join(parameter.arch)})" if parameter.arch else ""
    how = "; ".join(dict.fromkeys(reasons))
    return f"`{parameter.name}`{arch}", f"{tunable.title} (`{tunable.id}`)", how, link


def lines(rows: list[Row]) -> str:
    """The rows of a table."""
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in one)} |\n" for one in rows
    )


def indirect(tunable: Tunable, name: str, knowledge: Knowledge) -> Iterator[str]:
    """How else than by its own values a tunable reads the parameter of that name."""
    for cause in tunable.interpret:
        if asks(cause.only_if, name, knowledge):
            yield f"{described(tunable, cause.target)}: {cause.why.strip()}"
    if asks(tunable.only_if, name, knowledge):
        yield "decides whether there is such a thing"
    for member in tunable.members:
        for given, state in ((member.boot_on, "on"), (member.boot_off, "off")):
            if any(is_of(word, name, knowledge) for word in given):
                yield f"`{member.symbol}` {state}"
        if asks(member.when, name, knowledge):
            yield f"has a say in `{member.symbol}`"
    modules = [f"`{member.module}`" for member in tunable.members if member.module]
    if modules and name in ("nomodule", "module_blacklist"):
        yield f"keeps what is built as a module from being loaded: {', '.join(modules)}"


def direct(tunable: Tunable, name: str, knowledge: Knowledge) -> list[str]:
    """Which values the parameter of that name gives, or that it is one itself."""
    if tunable.parameter and is_of(tunable.parameter, name, knowledge):
        return ["is its value"]
    if tunable.flag and is_of(tunable.flag, name, knowledge):
        return [f"is its value with `{tunable.flag.partition('=')[2]}`"]
    found = []
    for value in tunable.values:
        patterns = [word for pattern in (value.boot, *value.reads) for word in pattern]
        given = [word for word in patterns if is_of(word, name, knowledge)]
        if given:
            shown = ", ".join(f"`{word}`" for word in dict.fromkeys(given))
            found.append(f"{shown}: {described(tunable, value.name)}")
        elif asks(value.when, name, knowledge) or asks(value.boot_only_if, name, knowledge):
            found.append(f"has a say in: {described(tunable, value.name)}")
    of_sysctl = [word for word in words(tunable) if word.startswith("sysctl.")]
    if not found and of_sysctl and is_of(of_sysctl[0], name, knowledge):
        return [", ".join(f"`{word}`" for word in dict.fromkeys(of_sysctl))]
    return found


def described(tunable: Tunable, value: str) -> str:
    """A value by its title, a name without one in quotes."""
    text = tunable.describe((value,)) if tunable.value(value) else value
    return f"“{text}”"


def asks(expr: Expr, name: str, knowledge: Knowledge) -> bool:
    """Whether a condition names a word of that parameter."""
    return any(atom[0] == "boot" and is_of(atom[1], name, knowledge) for atom in atoms(expr))


def is_of(word: str, name: str, knowledge: Knowledge) -> bool:
    """Whether a word sets that parameter, under any of its names."""
    parameter = knowledge.parameter(word.partition("=")[0].replace("-", "_"))
    return parameter is not None and name in knowledge.spellings(parameter.name)


if __name__ == "__main__":
    sys.stdout.write(page(*read([])[:2]))
