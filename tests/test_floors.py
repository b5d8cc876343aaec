"""The floors of the package: an import goes down, never up and never round.

Imports inside functions count, and those for type checkers.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "advisor"
FLOORS = (
    ("errors", "record"),
    ("files", "progress", "repository"),
    ("cache",),
    ("model",),
    ("inputs",),
    ("tree", "knowledge"),
    ("engine",),
    ("output", "lint"),
    ("cli",),
    ("__main__",),
)
HEIGHT = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
# Whom a room may ask although it stands higher than they do.
FORBIDDEN = {"engine": {"tree"}}
ROOT_MODULES = 8
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, wherever it does, by their names in the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "advisor":
            module = (node.module or "").partition(".")[2]
            for alias in node.names:
                inner = f"{module}.{alias.name}".strip(".")
                found.add(inner if inner in MODULES else module)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {n.partition(".")[2] for n in names if n.split(".")[0] == "advisor"}
    return found - {""}  # the package itself has its version, and nothing else


GRAPH = {name: imported(path) - {name} for name, path in MODULES.items() if name != "__init__"}


def room(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


@pytest.mark.parametrize("module", GRAPH)
def test_imports_go_down(module: str) -> None:
    here = room(module)
    up = [
        other
        for other in GRAPH[module]
        if room(other) != here
        and (HEIGHT[room(other)] >= HEIGHT[here] or room(other) in FORBIDDEN.get(here, ()))
    ]
    assert not up


def test_no_import_goes_round() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


def test_the_root_holds_the_leaves_alone() -> None:
    assert len(list(PACKAGE.glob("*.py"))) == ROOT_MODULES
