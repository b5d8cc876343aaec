"""Tables of older rules in the text of a file, as those of today say the same.

A function a table makes of its older keys those of today. It is applied to the document and to the
text, so that what a rewritten file says is known before it is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import tomli

from advisor.knowledge.documents import Document
from advisor.knowledge.tomltext import Block, Kind, Statement, blocks_of, joined

Today = Callable[[Document], Document]
_WIDTH = 120
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def today(kind: str, toml: Document) -> Document:
    """The document of a file with the tables of today; lists of tables are sorted."""
    for (of, name), (new, change) in _TABLES.items():
        if of == kind and not name:
            toml = change(toml)
        elif of == kind:
            for holder, key in list(_holders(toml, name.split("."))):
                tables = [*filter(None, map(change, holder.pop(key)))]
                if tables:
                    last = new.rpartition(".")[2]
                    holder[last] = [*holder.get(last, ()), *tables]
    sorted_toml: Document = _sorted(toml)
    return sorted_toml


def with_tables(kind: str, text: str, toml: Document) -> str:
    """The text of a file, which says `toml`, with the tables of today; the text itself where the
    new one would not say the same."""
    blocks = blocks_of(text)
    removed: set[int] = set()
    for (of, name), (new, change) in _TABLES.items():
        owners = [number for number, block in enumerate(blocks) if block.name == name]
        held = _holders(toml, name.split(".")) if name else [({"": [toml]}, "")]
        tables = [table for holder, key in held for table in holder[key]]
        if of != kind or len(owners) != len(tables):  # lists of inline tables
            continue
        for number, table in zip(owners, tables, strict=True):
            changed = change(table)
            gone = {f"{name}.{key}".lstrip(".") for key in table.keys() - changed.keys()}
            inner = [n for n in _inner(blocks, number) if blocks[n].name in gone]
            notes = [row for n in inner for row in _comments(blocks[n])]
            blocks[number] = _rewritten(blocks[number], table, changed, new, notes)
            removed.update(inner if changed else [number, *inner])
    result = joined(blocks, removed)
    return result if _sorted(tomli.loads(result)) == today(kind, tomli.loads(text)) else text


def _holders(node: Document, path: list[str]) -> Iterator[tuple[Document, str]]:
    """The tables of a document that hold a list of tables at this path, and its key."""
    key, *rest = path
    found = node.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return
    if not rest and found:
        yield node, key
    for one in found if rest else ():
        yield from _holders(one, rest)


def _sorted(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _sorted(part) for key, part in sorted(node.items())}
    if isinstance(node, list) and node and all(isinstance(one, dict) for one in node):
        return sorted(map(_sorted, node), key=repr)
    return node


def _inner(blocks: list[Block], number: int) -> Iterator[int]:
    """The tables below a table."""
    start = f"{blocks[number].name}.".lstrip(".")
    for n in range(number + 1, len(blocks)):
        if not blocks[n].name.startswith(start):
            return
        yield n


def _comments(block: Block) -> Iterator[str]:
    for statement in (*block.above, *block.body):
        rows = statement.rows if statement.kind is Kind.COMMENT or statement.remarks else ()
        yield from (row.strip() for row in rows if row.strip().startswith("#"))
        if statement.comment and not statement.remarks:
            yield statement.comment


def _rewritten(block: Block, had: Document, has: Document, name: str, notes: list[str]) -> Block:
    """A table with the keys that `has` in place of those that it `had`; what comes new stands
    where the first key goes, or last."""
    body: list[Statement] = []
    new = [key for key in has if key not in had or has[key] != had[key]]
    kept = {key for key in has if key not in new}
    for statement in block.body:
        key = statement.name.strip("\"'")
        if statement.kind is Kind.TABLE:
            row = statement.rows[0].replace(block.name, name, 1)
            body.append(statement._replace(rows=(row,), name=name))
        elif statement.kind is not Kind.KEY or key in kept:
            body.append(statement)
        elif same := [one for one in new if one not in had and has[one] == had[key]]:
            row = statement.rows[0].replace(statement.name, same[0], 1)
            at = new.index(same[0])
            body += [_statement(key, has[key]) for key in new[:at]]
            body.append(statement._replace(rows=(row, *statement.rows[1:]), name=same[0]))
            new = new[at + 1 :]
        else:
            body += _note(_comments(block._replace(above=[], body=[statement])))
            body += _note(notes)
            body += [_statement(key, has[key]) for key in new if _is_short(key, has[key])]
            notes, new = [], [key for key in new if not _is_short(key, has[key])]
    body += _note(notes)
    body += [_statement(key, has[key]) for key in new if _is_short(key, has[key])]
    for key in (key for key in new if not _is_short(key, has[key])):
        lines = [f"{_key(inner)} = {_value(part)}" for inner, part in has[key].items()]
        body.append(Statement(Kind.KEY, ("", f"[{name}.{key}]".replace("[.", "["), *lines), key))
    return block._replace(name=name, body=body)


def _note(comments: Any) -> list[Statement]:
    return [Statement(Kind.COMMENT, (text,)) for text in comments]


def _statement(key: str, value: Any) -> Statement:
    row = f"{_key(key)} = {_value(value)}"
    if isinstance(value, list) and len(row) > _WIDTH:
        return Statement(
            Kind.KEY, (f"{_key(key)} = [", *(f"    {_value(v)}," for v in value), "]"), key
        )
    return Statement(Kind.KEY, (row,), key)


def _is_short(key: str, value: Any) -> bool:
    """Whether a value is no table, or one that fits in a line, as TOML wants it."""
    return not isinstance(value, dict) or len(f"{key} = {_value(value)}") <= _WIDTH


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_value(part)}' for key, part in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str) and '"' in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)


# --- what became of each table ------------------------------------------------------------------


def _fact(table: Document) -> Document:
    """The names that a fact is about had a key for each kind of them."""
    kinds = ("symbols", "prefixes", "menus", "sizes")
    return {"names" if key in kinds else key: part for key, part in table.items()}


def _limit(table: Document) -> Document:
    """The length of a boot line is a fact."""
    arch, since = table["arch"], table.get("since")
    return {
        "about": "boot-line",
        "of": f"{arch} since {since}" if since else arch,
        "names": [*filter(None, [table.get("symbol")]), str(table["bytes"])],
        "only_if": f"arch = {arch} && kernel >= {since}" if since else f"arch = {arch}",
        "sources": table["sources"],
    }


def _added(table: Document) -> Document:
    """A word that firmware adds is a fact."""
    rest = {key: part for key, part in table.items() if key != "word"}
    return {"about": "firmware-word", "of": table["word"], **rest}


def _component(table: Document) -> Document:
    """Names are keys, with what they need; marks of them are lists of conditions."""
    rest = {key: part for key, part in table.items() if key not in ("names", "anycase")}
    if not isinstance(table["names"], list):
        return table
    names = {one["name"]: one for one in table["names"]}
    unless = {
        "exclusive": {n: one.get("unless", "") for n, one in names.items() if "exclusive" in one},
        "waits": {n: one.get("starts_only_if", "") for n, one in names.items() if "waits" in one},
    }
    marks = {
        key: {name: _negated(part) for name, part in marked.items()}
        for key, marked in unless.items()
        if marked
    }
    return {**rest, **marks, "names": {n: one.get("only_if", "") for n, one in names.items()}}


def _negated(condition: str) -> str:
    is_atom = re.fullmatch(r"[\w.]+|boot\([^()]*\)", condition)
    return f"!{condition}" if is_atom else f"!({condition})" if condition else ""


def _place(table: Document) -> Document:
    """The kind of a place stands before its name, and its form is one text."""
    layers = [layer for layer in ("boot", "sysctl", "sysfs", "config") if layer in table]
    if not layers:
        return table
    new = {"of": f"{layers[0]} {table[layers[0]]}"}
    if "separator" in table:
        new["form"] = f"NAME{table['separator']}NAME"
    if "ends" in table:
        new["form"] = f"NAME{table['ends']}OPTIONS"
    gone = (*layers, "separator", "ends", "starts")
    return {**new, **{key: part for key, part in table.items() if key not in gone}}


def _tunable(table: Document) -> Document:
    """Effects are lines, defaults a table, and the folder tells the kernel of the last check."""
    gone = ("effect", "verified", "defaults", "flag")
    new = {key: part for key, part in table.items() if key not in gone}
    if "defaults" in table:
        others = {table["default"]: ""} if "default" in table else {}
        new["default"] = {**{one["value"]: one["only_if"] for one in table["defaults"]}, **others}
    if "flag" in table:
        new["parameter"] = [table["parameter"], table["flag"]]
    lines = [
        f"record {one['record']}"
        if "record" in one
        else f"{one['evidence']} {one['source']} | {one['context']} | {one['numbers']}"
        for one in table.get("effect", ())
    ]
    return {**new, "effects": [*table.get("effects", ()), *lines]} if lines else new


def _program(table: Document) -> Document:
    """The lists of names are a table by their addresses."""
    new = {key: part for key, part in table.items() if key != "list"}
    lists = {one["of"]: one["names"] for one in table.get("list", ())}
    return {**new, "lists": {**table.get("lists", {}), **lists}} if lists else new


def _unasked(table: Document) -> Document:
    """The kernel from which on something is obsolete stands behind that word."""
    new = {key: part for key, part in table.items() if key != "after"}
    return {**new, "kind": f"{table['kind']} {table['after']}"} if "after" in table else new


def _function(table: Document) -> Document:
    """The parts of a function are a table of what they need, and so is what may stand instead."""
    new = {key: part for key, part in table.items() if key not in ("part", "instead_needs")}
    if "instead_needs" in table:
        new["instead"] = {table["instead"]: table["instead_needs"]}
    needs = {one["name"]: one["needs"] for one in table.get("part", ())}
    return {**new, "needs": needs} if needs else new


def _parameter(table: Document) -> Document:
    """Words with conditions are a table."""
    words = table.get("words", ())
    if not any(isinstance(word, dict) for word in words if isinstance(words, list)):
        return table
    told = [{"word": word, "only_if": ""} if isinstance(word, str) else word for word in words]
    return {**table, "words": {one["word"]: one["only_if"] for one in told}}


def _profile(table: Document) -> Document:
    """The marks of a profile are its role."""
    roles = {"product": "product", "neutral": "fallback"}
    role = [role for key, role in roles.items() if key in table]
    new = {key: part for key, part in table.items() if key not in roles}
    return {**new, "role": role[0]} if role else new


_TABLES: dict[tuple[str, str], tuple[str, Today]] = {
    ("kernel", "fact"): ("fact", _fact),
    ("kernel", "limit"): ("fact", _limit),
    ("kernel", "added"): ("fact", _added),
    ("protections", "whole"): ("whole", lambda _: {}),
    ("tunable", ""): ("", _tunable),
    ("profile", ""): ("", _profile),
    ("parameters", "parameter"): ("parameter", _parameter),
    ("software", ""): ("", _program),
    ("software", "unasked"): ("unasked", _unasked),
    ("software", "function"): ("function", _function),
    ("components", "component.place"): ("component.place", _place),
    ("components", "component"): ("component", _component),
}
