"""Tables of examples in the text of a file as lines of `examples`.

Comments stay where they belong. What no line can say stays a table.
"""

from __future__ import annotations

import re
import textwrap

from advisor.knowledge import examplelines
from advisor.knowledge.load import EXAMPLES, Document, example_holders
from advisor.knowledge.tomltext import Block, Kind, Statement, blocks_of, joined

_WIDTH = 140
_INDENT = "    "
_PARTS = re.compile(r" (?=(?:\||->|—) )")


def said(kind: str, toml: Document) -> tuple[list[list[str]], Document]:
    """What a file says: the examples in either form, in no order, and all the rest."""
    examples = []
    for holder, _, key in example_holders(kind, toml):
        tables = [examplelines.plain(one) for one in holder.pop("example", ())]
        tables += [examplelines.parse(one, key) for one in holder.pop("examples", ())]
        examples.append(sorted(repr(sorted(one.items())) for one in tables))
    return examples, toml


def with_lines(text: str, kind: str, toml: Document) -> str:
    """The text of a file of that kind, which says `toml`, with its examples as lines."""
    owner, _ = EXAMPLES[kind]
    blocks = blocks_of(text)
    owners = [n for n, one in enumerate(blocks) if one.name == owner]
    holders = list(example_holders(kind, toml))
    if len(owners) != len(holders):  # lists of inline tables
        return text
    removed: set[int] = set()
    for start, end, (holder, _, key) in zip(
        owners, [*owners[1:], len(blocks)], holders, strict=True
    ):
        mine = [n for n in range(start + 1, end) if _is_example(blocks[n].name, owner)]
        if mine and len(mine) == len(holder["example"]):
            taken, items = _items([blocks[n] for n in mine], holder["example"], key)
            if items and (body := _with_items(blocks[start].body, items)):
                blocks[start] = blocks[start]._replace(body=body)
                removed.update(mine[n] for n in taken)
    return joined(blocks, removed)


def _is_example(name: str, owner: str) -> bool:
    return name == (f"{owner}.example" if owner else "example")


def _items(blocks: list[Block], examples: list[Document], key: str) -> tuple[list[int], list[str]]:
    """Which of these tables become items of a list, and the rows of that list."""
    taken, rows = [], []
    loose: list[Statement] = []
    for number, (block, example) in enumerate(zip(blocks, examples, strict=True)):
        item = None if any(s.remarks for s in block.body) else _item(example, key)
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


def _with_items(body: list[Statement], items: list[str]) -> list[Statement] | None:
    """The keys of a table with these items in its list `examples`; None where it is in one row."""
    had = [n for n, one in enumerate(body) if one.name == "examples" and one.kind is Kind.KEY]
    if not had:
        return [*body, Statement(Kind.KEY, ("examples = [", *items, "]"), "examples")]
    rows = body[had[0]].rows
    if rows[-1].strip() != "]" or not rows[-2].split("#")[0].rstrip().endswith(("[", ",")):
        return None
    more = body[had[0]]._replace(rows=(*rows[:-1], *items, rows[-1]))
    return [*body[: had[0]], more, *body[had[0] + 1 :]]


# --- items ----------------------------------------------------------------------------------------


def _item(example: Document, key: str) -> list[str] | None:
    """The rows of an example as an item of a list; None where no line can say the same."""
    text = examplelines.line(example, key)
    if text is None or not text.isprintable():
        return None
    # The quote in which a text stands as it reads; none if neither will do.
    quote = '"' if '"' not in text and "\\" not in text else "" if "'" in text else "'"
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
