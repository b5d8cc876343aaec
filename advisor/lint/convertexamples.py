"""Tables of examples and of sources in the text of a file as lines of `examples` and `sources`.

Comments stay where they belong. What no line can say stays a table.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import TypeAlias

from advisor.knowledge import examplelines, sources
from advisor.knowledge.documents import Document
from advisor.knowledge.load import EXAMPLES, example_holders, expand_parameters
from advisor.knowledge.sources import TREE
from advisor.knowledge.tomltext import Block, Kind, Statement, blocks_of, joined
from advisor.lint.convertkeys import with_old_names

_WIDTH = 140
_INDENT = "    "
_ONE_ROW = re.compile(r"(\w+ = \[)\s*(\S.*?),?\s*\]")
# The line of the file, which an older source named.
_NUMBER = re.compile(r":[0-9]+$")
Item: TypeAlias = "list[str] | None"
"""The rows of an item, if there is a line for it."""
_PARTS = re.compile(r" (?=(?:\||->|—) )")


def said(kind: str, toml: Document) -> tuple[list[list[str]], Document]:
    """What a file says: the examples and sources in either form, in no order, and all the rest."""
    examples = []
    toml = with_old_names(kind, toml)
    if kind == "parameters":
        expand_parameters(toml)
        for one in toml["parameter"]:  # `obsolete` says it
            one.pop("status" if "obsolete" in one else "", None)
    for holder, _ in list(sources.holders(toml)):
        tables = [{**one, "ref": _ref(one)} for one in holder.pop("source", ())]
        tables += map(sources.parse, holder.pop("sources", ()))
        examples.append(sorted(repr(sorted(one.items())) for one in tables))
    for holder, _, key in example_holders(kind, toml):
        tables = [examplelines.plain(_today(one)) for one in holder.pop("example", ())]
        tables += [examplelines.parse(one, key) for one in holder.pop("examples", ())]
        examples.append(sorted(repr(sorted(one.items())) for one in tables))
    return examples, toml


def with_lines(kind: str, text: str, toml: Document) -> str:
    """The text of a file of that kind, which says `toml`, with its examples as lines."""
    if kind not in EXAMPLES:
        return text
    owner, key = EXAMPLES[kind]
    holders = [holder for holder, _, _ in example_holders(kind, toml)]
    return with_list(text, owner, holders, "example", lambda table: _item(table, key))


def with_sources(_: str, text: str, toml: Document) -> str:
    """The text of a file, which says `toml`, with its sources as lines."""
    for owner in {str(path[0]) if path else "" for _holder, path in sources.holders(toml)}:
        text = with_list(text, owner, toml[owner] if owner else [toml], "source", _source)
    return text


def with_list(
    text: str, owner: str, holders: list[Document], key: str, item: Callable[[Document], Item]
) -> str:
    """The text with the tables `key` of each holder as items of a list, whose name has an s more.

    The holders are the tables named `owner`; without a name it is the text itself. What `item` has
    no rows for stays a table.
    """
    blocks = blocks_of(text)
    owners = [n for n, one in enumerate(blocks) if one.name == owner]
    if len(owners) != len(holders):  # lists of inline tables
        return text
    name = f"{owner}.{key}" if owner else key
    removed: set[int] = set()
    for start, end, holder in zip(owners, [*owners[1:], len(blocks)], holders, strict=True):
        mine = [n for n in range(start + 1, end) if blocks[n].name == name]
        if mine and len(mine) == len(holder.get(key, ())):
            taken, items = _items([blocks[n] for n in mine], holder[key], item)
            if items and (body := _with_items(blocks[start].body, items, f"{key}s")):
                blocks[start] = blocks[start]._replace(body=body)
                removed.update(mine[n] for n in taken)
    return joined(blocks, removed)


def _items(
    blocks: list[Block], tables: list[Document], make: Callable[[Document], Item]
) -> tuple[list[int], list[str]]:
    """Which of these tables become items of a list, and the rows of that list."""
    taken, rows = [], []
    loose: list[Statement] = []
    for number, (block, table) in enumerate(zip(blocks, tables, strict=True)):
        item = None if any(s.remarks for s in block.body) else make(table)
        if item is None:
            loose = []
            continue
        taken.append(number)
        for statement in (*loose, *block.above, *block.body):
            if statement.kind is Kind.COMMENT:
                rows.append(f"{_INDENT}{statement.rows[0].strip()}")
            elif statement.comment:
                rows.append(f"{_INDENT}{statement.comment}")
        rows += item
        # A comment between two examples, with blank lines around it, goes with the second.
        loose = block.below if number + 1 < len(blocks) else []
    return taken, rows


def _with_items(body: list[Statement], items: list[str], name: str) -> list[Statement] | None:
    """The keys of a table with these items in a list of that name; None where they fit nowhere."""
    had = [n for n, one in enumerate(body) if one.name == name and one.kind is Kind.KEY]
    if not had:
        return [*body, Statement(Kind.KEY, (f"{name} = [", *items, "]"), name)]
    rows = body[had[0]].rows
    if len(rows) == 1 and (one := _ONE_ROW.fullmatch(rows[0])):
        rows = (one[1], f"{_INDENT}{one[2]},", "]")
    if rows[-1].strip() != "]" or not rows[-2].split("#")[0].rstrip().endswith(("[", ",")):
        return None
    more = body[had[0]]._replace(rows=(*rows[:-1], *items, rows[-1]))
    return [*body[: had[0]], more, *body[had[0] + 1 :]]


# --- items ----------------------------------------------------------------------------------------


def _today(example: Document) -> Document:
    """An example whose note says what decides, which had a key of its own."""
    note = "; ".join(filter(None, (example.get("note"), f"by {example.get('by')}")))
    rest = {key: part for key, part in example.items() if key != "by"}
    return {**rest, "note": note} if "by" in example else example


def _ref(source: Document) -> str:
    """The path and anchor of a source, or its address."""
    return _NUMBER.sub("", source["ref"]) if source["kind"] in TREE else str(source["ref"])


def _source(source: Document) -> Item:
    """The row of a source; None where no line can say the same."""
    ref = _ref(source)
    kernel = f"@{source['kernel']}" if source.get("kernel") and source["kind"] in TREE else ""
    note = f" — {source['note']}" if "note" in source else ""
    text = f"{source['kind']} {ref}{kernel}{note}"
    try:
        same = sources.parse(text) == {**source, "ref": ref}
    except ValueError:
        return None
    quote = _quote(text)
    return [f"{_INDENT}{quote}{text}{quote},"] if same and quote and text.isprintable() else None


def _item(example: Document, key: str) -> Item:
    """The rows of an example as an item of a list; None where no line can say the same."""
    text = examplelines.line(_today(example), key)
    if text is None or not text.isprintable():
        return None
    quote = _quote(text)
    if quote and len(_INDENT + text) + 3 <= _WIDTH:
        return [f"{_INDENT}{quote}{text}{quote},"]
    quote = 3 * (quote or "'")
    if quote in text or text.endswith(quote[0]):
        return None
    rows = _wrapped(text, _WIDTH - len(_INDENT) - len(quote) - 1 - len(quote))
    if examplelines.parse("\n".join(rows), key) != examplelines.parse(text, key):
        return None
    first, *more = rows
    indent = _INDENT + " " * len(quote)
    rows = [f"{_INDENT}{quote}{first}", *(indent + row for row in more)]
    return [*rows[:-1], f"{rows[-1]}{quote},"]


def _wrapped(text: str, width: int) -> list[str]:
    """The text in rows that begin with a part of it where that is possible."""
    rows = [""]
    facts, *parts = _PARTS.split(text)
    # Facts are too short for a row of their own.
    for part in [" ".join([facts, *parts[:1]]), *parts[1:]]:
        if len(rows[-1]) + 1 + len(part) <= width:
            rows[-1] = f"{rows[-1]} {part}".strip()
        else:
            rows += textwrap.wrap(part, width, break_long_words=False, break_on_hyphens=False)
    return [row for row in rows if row]


def _quote(text: str) -> str:
    """Return the quote in which a text stands as it reads; none if neither will do."""
    if '"' not in text and "\\" not in text:
        return '"'
    return "" if "'" in text else "'"
