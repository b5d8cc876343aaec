"""Older keys of boot parameters in the text of a file, as those of today say the same."""

from __future__ import annotations

from advisor.knowledge.load import KINDS_OF_REMARKS, Document
from advisor.knowledge.tomltext import Block, Kind, Statement, blocks_of, joined

_NOW = {key: kind for kind, (_, key) in KINDS_OF_REMARKS.items()}


def with_parameter_keys(kind: str, text: str, _: Document) -> str:
    """The text with a kind of remark for each mark of one, and no status beside `obsolete`."""
    if kind != "parameters":
        return text
    return joined([_today(block) for block in blocks_of(text)], set())


def _today(block: Block) -> Block:
    keys = {s.name for s in block.body if s.kind is Kind.KEY}
    if block.name == "parameter" and {"status", "obsolete"} <= keys:
        return block._replace(body=[s for s in block.body if s.name != "status"])
    mark = next((key for key in _NOW if key in keys), "")
    if block.name != "parameter.remark" or not mark:
        return block
    row = Statement(Kind.KEY, (f'kind = "{_NOW[mark]}"',), "kind")
    kept = [row if s.name == "kind" else s for s in block.body if s.name != mark]
    return block._replace(body=kept)
