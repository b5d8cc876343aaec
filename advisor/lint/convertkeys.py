"""Older keys in the text of a file, as those of today say the same."""

from __future__ import annotations

import re
from typing import Any

from advisor.knowledge.cpulists import RULES
from advisor.knowledge.documents import Document
from advisor.knowledge.load import KINDS_OF_REMARKS
from advisor.knowledge.tomltext import Block, Kind, Path, Statement, blocks_of, joined
from advisor.knowledge.violations import table_of

_LIST = "parameter.list"
# By the kind of a file and the table: the keys of today that had another name once, with that.
_OLD = {
    ("tunable", ""): {"only_if": "exists"},
    ("tunable", "value"): {"boot_only_if": "boot_when", "runtime_only_if": "runtime_when"},
    ("tunable", "member"): {"told_only_if": "told_where"},
    ("parameters", "parameter"): {"only_if": "needs"},
    ("components", "component"): {"only_if": "exists"},
}
_OLD_OF_OTHERS = {"only_if": "when"}
_KINDS = {key: kind for kind, (_, key) in KINDS_OF_REMARKS.items()}


def with_keys(kind: str, text: str, toml: Document) -> str:
    """The text with the keys of today: the older names replaced, a kind of remark for each mark of
    one, no status beside `obsolete`, and no rules of CPU lists."""
    blocks = [_renamed(kind, block) for block in blocks_of(text)]
    if kind != "parameters":
        return joined(blocks, set())
    lists = {n for n, block in enumerate(blocks) if block.name == _LIST}
    return joined([_marked(block) for block in blocks], lists if _are_known(toml) else set())


def _are_known(toml: Document) -> bool:
    """Whether the program itself has the rules of all CPU lists that a file has some for."""
    return all(one["name"] in RULES for one in toml["parameter"] if "list" in one)


def with_old_names(kind: str, node: Any, path: Path = ()) -> Any:
    """The same document with the names that keys had once."""
    if isinstance(node, list):
        return [with_old_names(kind, part, path) for part in node]
    if not isinstance(node, dict):
        return node
    table = table_of(path)
    old_names = _old_names(kind, table)
    return {
        old_names.get(key, key): with_old_names(kind, part, (*path, key))
        for key, part in node.items()
        if f"{table}.{key}" != _LIST
    }


def _old_names(kind: str, table: str) -> dict[str, str]:
    return _OLD.get((kind, table), _OLD_OF_OTHERS)


def _renamed(kind: str, block: Block) -> Block:
    """A table with the names of today for its keys, and for those of tables within its lines."""
    body = []
    for statement in block.body:
        rows, name = statement.rows, statement.name
        within = f"{block.name}.{name}".lstrip(".")
        for new, old in _old_names(kind, block.name).items():
            if old == name.strip("\"'"):
                name = new
                rows = (re.sub(rf"^(\s*[\"']?){old}\b", rf"\1{new}", rows[0]), *rows[1:])
        for new, old in _old_names(kind, within).items():
            found = re.compile(rf"([{{,]\s*){old}(\s*=\s*['\"])")
            rows = tuple(found.sub(rf"\1{new}\2", row) for row in rows)
        body.append(statement._replace(rows=rows, name=name))
    return block._replace(body=body)


def _marked(block: Block) -> Block:
    keys = {s.name for s in block.body if s.kind is Kind.KEY}
    if block.name == "parameter" and {"status", "obsolete"} <= keys:
        return block._replace(body=[s for s in block.body if s.name != "status"])
    mark = next((key for key in _KINDS if key in keys), "")
    if block.name != "parameter.remark" or not mark:
        return block
    row = Statement(Kind.KEY, (f'kind = "{_KINDS[mark]}"',), "kind")
    kept = [row if s.name == "kind" else s for s in block.body if s.name != mark]
    return block._replace(body=kept)
