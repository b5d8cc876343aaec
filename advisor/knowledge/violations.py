"""Where a file of rules does not fit the schema of its kind, and what to write instead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from advisor.knowledge.documents import Document, Problem
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.tomltext import Path, locate

OLDER = {
    **dict.fromkeys(("exists", "needs", "when"), "`only_if`"),
    "boot_when": "`boot_only_if`",
    "runtime_when": "`runtime_only_if`",
    "told_where": "`told_only_if`",
    "example": "a line of `examples`",
    "source": "a line of `sources`",
    "status": "`obsolete`, the first kernel in which it has no effect,",
    "still": "the kind `partly-void`",
    "met": "the kind `covered`",
}
"""The keys that rules and profiles had once, and what stands in their place."""
OLDER_IN = {
    "limit": "a `[[fact]]` about `boot-line`",
    "added": "a `[[fact]]` about `firmware-word`",
    **dict.fromkeys(
        (f"fact.{name}" for name in ("symbols", "prefixes", "menus", "sizes")), "`names`"
    ),
    "fact.unless": "a fact above this one, with that condition as `only_if`,",
    "whole": "nothing (the tool has the number)",
    **dict.fromkeys((f"place.{layer}" for layer in ("boot", "sysctl", "sysfs", "config")), "`of`"),
    **dict.fromkeys(("place.separator", "place.ends"), "`form`"),
    **dict.fromkeys(("place.starts", "place.stays"), "nothing (the lists have it)"),
    "place.free": '`form = "NAME or none"`',
    "parameter.list": "nothing (the tool has the rules of each CPU list)",
    "parameter.stands_for": "nothing (the component of the list has it)",
    "parameter.open": "a condition of `guards`",
    "parameter.open_only_if": "a condition of `guards`",
    "parameter.open_where": "a condition of `guards`",
    "parameter.words": "a table, `[parameter.words]`",
    "defaults": "a table, `[default]`",
    "flag": "a list of `parameter`",
    "until": "`only_if` with `kernel <`",
    "runs": "nothing (the component of the list has it)",
    "name.until": "`only_if` with `kernel >=`",
    "name.shown_by": "`only_if` with `!present(…)`",
    "function.instead_needs": "a table of `instead`",
    "function.part": "a table, `[function.needs]`",
    "product": "`role`",
    "neutral": "`role`",
    "verified": "`verified` of repository.toml",
    "effect": "a line of `effects`",
    "list": "a line of `[lists]`",
    "unasked.kind": "`obsolete` with the kernel",
    "unasked.after": "`obsolete` with the kernel",
    "unasked.sources": "a line of the program's `sources`",
    "component.names": "a table, `[component.names]`",
    "component.anycase": "`anycase` of the boot parameter",
}
"""Likewise the keys of one table, with its name."""
AN_OLDER_KEY = "an older key"
_UNKNOWN, _REQUIRED = "unknown key", "is a required property"
_OTHER_FORMS = ("is not of type 'object'", "is not of type 'string'", "'obsolete' does not match")
_FEWEST = 2
PLACEHOLDER = "TODO: "
"""How a text begins that is still to be written; behind it stands what."""


def violations(file: KnowledgeFile, toml: Document) -> Iterator[Problem]:
    """What is still to be written in a file, and where it does not fit the schema of its kind."""
    from advisor.knowledge import schema

    text = file.content.decode("utf-8")
    left = dict(placeholders(toml))
    for place, what in left.items():
        key = next(part for part in reversed(place) if isinstance(part, str))
        yield f"{file.path}:{locate(text, place)}", f"{key}: write {what}"
    problems = [one for one in schema.problems(file.kind, toml) if one[0] not in left]
    older = [_instead(path, message, file.path) for path, message in problems]
    for (path, message), instead in zip(problems, older, strict=True):
        # What is required is mostly what is written in place of an older key.
        if not instead and any(older) and message.endswith(_REQUIRED):
            continue
        dotted = ".".join(str(part) for part in path)
        says = instead or message
        yield f"{file.path}:{locate(text, path)}", f"{dotted}: {says}" if dotted else says
    name = os.path.basename(file.path).removesuffix(".toml")
    if file.kind in ("tunable", "profile", "software") and toml.get("id") not in (None, name):
        yield f"{file.path}:{locate(text, ('id',))}", f"`id` must be the file's name, {name!r}"
    if file.kind == "tunable" and 0 < len(toml.get("examples", ())) < _FEWEST and not any(older):
        message = "a tunable needs at least two examples, one for each value"
        yield f"{file.path}:{locate(text, ('examples',))}", f"examples: {message}"


def _instead(at: Path, message: str, path: str) -> str:
    """What to write in place of an older key; empty for what is none."""
    is_unknown = _UNKNOWN in message
    if not at or not (is_unknown or any(form in message for form in _OTHER_FORMS)):
        return ""
    of_table = ".".join(table_of(at).split(".")[-2:])
    new = OLDER_IN.get(of_table) or (OLDER.get(str(at[-1])) if is_unknown else None)
    convert = f"kernel-advisor rules convert {path}"
    return f"{AN_OLDER_KEY}: write {new} instead ({convert})" if new else ""


def placeholders(node: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts of a document that are still to be written: the path to each, and what to write."""
    if isinstance(node, str) and node.startswith(PLACEHOLDER):
        yield path, node.removeprefix(PLACEHOLDER)
    elif isinstance(node, dict | list):
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield from placeholders(part, (*path, key))


def table_of(path: Path) -> str:
    """The name of the table at a path: `parameter.remark`."""
    return ".".join(part for part in path if isinstance(part, str))
