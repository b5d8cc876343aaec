"""Dictionaries: words that mutations may put in, out of a target's modules and of the rules."""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fuzz.target import knowledge

_LONGEST = 40
_SHARE = 8


def dictionary(target: Any) -> str:
    """The words of a target as libFuzzer reads them, each once."""
    words = {*target.words, *_kernels(), *(word for name in target.modules for word in _in(name))}
    return "".join(f'"{_escaped(word)}"\n' for word in sorted(words) if word)


def _escaped(word: str) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word.encode("utf-8", "replace")
    )


@cache
def _in(module: str) -> frozenset[str]:
    """The short texts that a module compares with."""
    spec = find_spec(f"advisor.{module}")
    assert spec is not None
    assert spec.origin is not None
    nodes = ast.walk(ast.parse(Path(spec.origin).read_text()))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(one for one in texts if isinstance(one, str) and len(one) <= _LONGEST)


@cache
def _kernels() -> tuple[str, ...]:
    """Words of the kernel: some symbols, parameters, sysctls and files of /sys that rules name."""
    known = knowledge()
    run_time = (*known.run_time_names("sysctl"), *known.run_time_names("sysfs"))
    symbols = (f"CONFIG_{name}=y" for name in known.ids("aliases"))
    return tuple(sorted((*run_time, *known.ids("parameters"), *symbols))[::_SHARE])
