"""The interpretation that keeps a module off in the text of a rule, as the key `module`."""

from __future__ import annotations

import re

import tomli

from advisor.knowledge import module
from advisor.knowledge.documents import Document
from advisor.knowledge.tomltext import Block, Kind, Statement, blocks_of, joined
from advisor.model.condition_parser import parse

_MODULE = re.compile(r"module_blacklist=(\w+)")


def with_module(text: str, toml: Document) -> str:
    """The text of a rule, which says `toml`, with `module` in place of its first interpretation,
    if that is what `module` stands for and nobody commented on it."""
    modules = _modules(toml)
    blocks = blocks_of(text)
    first = next((n for n, one in enumerate(blocks) if one.name == "interpret"), 0)
    if not modules or not first or _has_comments(blocks[first]):
        return text
    blocks[0] = blocks[0]._replace(body=_head(blocks[0].body, modules))
    new = joined(blocks, {first})
    return new if _said(tomli.loads(new)) == _said(toml) else text


def _modules(toml: Document) -> list[str]:
    """The modules of the first interpretation; none if `module` does not stand for it."""
    first = next(iter(toml.get("interpret", ())), {"only_if": ""})
    modules = list(dict.fromkeys(_MODULE.findall(first["only_if"])))
    if not modules or "module" in toml:
        return []
    try:
        expanded = module.interpretation(toml, modules)
        same = _parsed(expanded) == _parsed(first)
    except ValueError:  # a condition with a name, or a value without an m
        return []
    return modules if same else []


def _parsed(interpretation: Document) -> Document:
    return {**interpretation, "only_if": parse(interpretation["only_if"], {})}


def _has_comments(block: Block) -> bool:
    statements = (*block.above, *block.body)
    return any(one.kind is Kind.COMMENT or one.comment or one.remarks for one in statements)


def _head(body: list[Statement], modules: list[str]) -> list[Statement]:
    """The keys of a rule with `module` before `sources`, and the source that comes with it gone."""
    quoted = ", ".join(f'"{name}"' for name in modules)
    key = f"module = {quoted}" if len(modules) == 1 else f"module = [{quoted}]"
    at = next((n for n, one in enumerate(body) if one.name == "sources"), len(body))
    head = [*body[:at], Statement(Kind.KEY, (key,), "module"), *body[at:]]
    if at < len(body):
        rows = body[at].rows
        last = f'"{module.SOURCE_OF_FOLDER}",'
        if len(rows) > 3 and rows[-2].strip() == last:
            head[at + 1] = body[at]._replace(rows=(*rows[:-2], rows[-1]))
    return head


def _said(toml: Document) -> Document:
    """What a rule says, with `module` written out."""
    module.expand(toml)
    first, *others = toml["interpret"]
    said = {**toml, "interpret": [_parsed(first), *others]}
    lines = toml.get("sources", [])
    return {
        **said,
        "sources": [module.SOURCE if s == module.SOURCE_OF_FOLDER else s for s in lines],
    }
