"""The lines of `sources` to compiled documents of sources.

A line is `KIND PATH#ANCHOR[@VERSION][ — NOTE]`: where in which release of the kernel a fact is
read. An address (mail, vendor, measurement) or a commit stands in place of path, anchor and
version. A compiled document has the keys of a table `[[source]]` (kind, ref, kernel, note), and
`anchor`, `line` and `release` where there is an anchor and its line is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from advisor.knowledge.tomltext import Path
from advisor.model.condition_parser import Named
from advisor.record import NamedTuple

Document = dict[str, Any]
TREE = ("kconfig", "code", "doc")
"""The kinds whose `ref` is a path of the kernel's tree."""
GRAMMAR = '"KIND PATH#ANCHOR[@VERSION][ — NOTE]"'
_DASH = " — "
_PATH = r"[A-Za-z0-9_.+/-]+"
_IN_TREE = re.compile(rf"({_PATH})(?:#([^\s#@]+))?(?:@(\d+\.\d+(?:\.\d+)*))?")
_REFS = {
    "commit": (re.compile("[0-9a-f]{12,40}"), "the 12 to 40 digits of a commit's hash"),
    **dict.fromkeys(
        ("mail", "vendor", "measurement"), (re.compile(r"https://\S+"), "an https:// address")
    ),
}
KINDS = (*TREE, *_REFS)


class Defaults(NamedTuple):
    """What a folder's `repository.toml` says once for all of its files.

    `kernel` is the release that paths of sources are of; `verified` the kernel that tunables were
    last checked against; `conditions` those that have a name, parsed.
    """

    kernel: str
    verified: str
    conditions: Named


# The release and line of a path and anchor as of a kernel, where they are known.
Find = Callable[[str, str, str], "tuple[str, int] | None"]


def parse(text: str) -> Document:
    """A line of `sources` as a table `[[source]]` would have it. Raises ValueError.

    >>> parse("code kernel/sched/core.c#sched_init@6.1 — where it begins")
    {'kind': 'code', 'ref': 'kernel/sched/core.c#sched_init', 'kernel': '6.1', \
'note': 'where it begins'}
    """
    head, dash, note = text.partition(_DASH)
    kind, _, where = head.partition(" ")
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of source; the kinds are {', '.join(KINDS)}")
    if dash and not note.strip():
        raise ValueError(f"has no note after the dash: write {GRAMMAR}")
    source: Document = {"kind": kind, **_where(kind, where)}
    return {**source, "note": note} if dash else source


def _where(kind: str, text: str) -> Document:
    if kind in _REFS:
        pattern, what = _REFS[kind]
        if not pattern.fullmatch(text):
            raise ValueError(f"{text!r} is not {what}, which a {kind} needs")
        return {"ref": text}
    match = _IN_TREE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no PATH#ANCHOR@VERSION: write {GRAMMAR}")
    path, anchor, kernel = match.groups()
    source = {"ref": f"{path}#{anchor}" if anchor else path}
    return {**source, "kernel": kernel} if kernel else source


def compiled(source: Document, defaults: Defaults, find: Find) -> Document:
    """A table `[[source]]`, or a parsed line, with the folder's kernel, and its line if known."""
    done: Document = {"kind": source["kind"], "ref": source["ref"]}
    anchor = ""
    if source["kind"] in TREE:
        done["ref"], _, anchor = source["ref"].partition("#")
        done["kernel"] = source.get("kernel", defaults.kernel)
    done.update({key: source[key] for key in ("kernel", "note") if key in source})
    if anchor:
        done["anchor"] = anchor
        if place := find(done["kernel"], done["ref"], anchor):
            done["release"], done["line"] = place
    return done


def holders(node: Any, path: Path = ()) -> Iterator[tuple[Document, Path]]:
    """Every table of a TOML document that has sources, and the keys that lead to it."""
    if isinstance(node, list):
        for index, part in enumerate(node):
            yield from holders(part, (*path, index))
    elif isinstance(node, dict):
        if any(isinstance(node.get(key), list) for key in ("sources", "source")):
            yield node, path
        for key, part in node.items():
            if key not in ("example", "source", "sources"):
                yield from holders(part, (*path, key))
