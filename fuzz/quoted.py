"""Folders of files that tests write as `{path: text}`, without running the tests.

What is constant in a file of tests is evaluated: names of the module, plain functions, names of a
test's own, parameters. What needs anything else is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_MOST_SETS = 12
"""So many sets of parameters of a test are used."""
Names = dict[str, Any]


@cache
def folders_of(path: Path) -> tuple[dict[str, str | bytes], ...]:
    """Every mapping of paths to texts of a file of Python."""
    module = ast.parse(path.read_text())
    names: Names = {}
    for node in module.body:
        with suppress(Exception):
            if isinstance(node, ast.Assign):
                _assign(node, names)
            elif isinstance(node, ast.FunctionDef) and not node.decorator_list:
                exec(compile(ast.Module([node], []), str(path), "exec"), names)
    found = [*_in(module.body, names)]
    for test in ast.walk(module):
        if isinstance(test, ast.FunctionDef):
            for more in [*_parameters(test, names)][:_MOST_SETS] or [{}]:
                found += _in(test.body, {**names, **more})
    return tuple({str(one): one for one in found}.values())


def _in(body: list[ast.stmt], names: Names) -> Iterator[dict[str, str | bytes]]:
    """Those of a block, whose own names are set on the way."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Dict | ast.Call | ast.BinOp):
                with suppress(Exception):
                    value = _value(node, names)
                    if _is_folder(value):
                        yield value
        if isinstance(statement, ast.Assign):
            with suppress(Exception):
                _assign(statement, names)


def _is_folder(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(key, str) for key in value)
        and all(isinstance(one, str | bytes) for one in value.values())
    )


def _assign(node: ast.Assign, names: Names) -> None:
    (target,) = node.targets
    value = _value(node.value, names)
    if isinstance(target, ast.Tuple):
        pairs = zip(target.elts, value, strict=True)
        names.update((one.id, own) for one, own in pairs if isinstance(one, ast.Name))
    elif isinstance(target, ast.Name):
        names[target.id] = value


def _value(node: ast.expr, names: Names) -> Any:
    return eval(compile(ast.Expression(node), "tests", "eval"), names)


def _parameters(test: ast.FunctionDef, names: Names) -> Iterator[Names]:
    """What `@each(names, values)` and `@pytest.mark.parametrize` give a test."""
    for node in test.decorator_list:
        with suppress(Exception):
            if isinstance(node, ast.Call) and len(node.args) == 2:
                named, values = (_value(argument, names) for argument in node.args)
                for one in values:
                    yield (
                        {named: one}
                        if isinstance(named, str)
                        else dict(zip(named, one, strict=True))
                    )
