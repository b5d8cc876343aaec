"""The floors of the package: an import goes down, never up and never round.

Imports inside functions count, and those for type checkers.
"""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from .cases import each

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
# The rooms of the engine, likewise; what stands in none is above them all.
ENGINE = (("effective",), ("remedy", "names"), ("judgement",), ("diagnose",), ("plan",))
ENGINE_HEIGHT = {room: height for height, rooms in enumerate(ENGINE) for room in rooms}
MOST_FLOORS = 8
"""How high a room of the engine is built at most: what more there is is a room of its own."""
# Whom a room may not ask although it stands higher than they do.
FORBIDDEN = {"engine": {"tree", "files", "cache"}}
# Whom a room may ask, where that is less than all below it; and what modules of it may besides.
ALLOWED = {"output": {"errors", "record", "repository", "model"}}
EXTRA = {
    "output.html": {"files"},  # its own style and script
}
# What the engine may use of os: no more than names of paths.
PURE_OF_OS = {"path"}
IMPURE = {"glob", "io", "pathlib", "shutil", "socket", "subprocess", "tempfile", "urllib"}
ROOT_MODULES = 8
# Modules of the engine that tests of other names hold. None comes to them.
HELD_BY_OTHERS = {
    "boot_line", "cpulists", "fragment", "fragment_plan", "inputs",
    "kernel_facts", "next_boot", "state",
}  # fmt: skip
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


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports."""
    return {name: imported(path) - {name} for name, path in MODULES.items() if name != "__init__"}


def room(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


@each("module", [name for name in MODULES if name != "__init__"])
def test_imports_go_down(module: str) -> None:
    here = room(module)
    up = [
        other
        for other in graph()[module]
        if room(other) != here
        and (HEIGHT[room(other)] >= HEIGHT[here] or room(other) in FORBIDDEN.get(here, ()))
    ]
    assert not up


@pytest.mark.parametrize("module", EXTRA)
def test_an_exception_is_needed(module: str) -> None:
    assert EXTRA[module] == {room(other) for other in graph()[module]} & EXTRA[module]


@each("module", [name for name in MODULES if room(name) in ALLOWED])
def test_an_output_sees_a_report_and_nothing_else(module: str) -> None:
    here = room(module)
    allowed = ALLOWED[here] | EXTRA.get(module, set())
    assert {other for other in graph()[module] if room(other) not in {here, *allowed}} == set()


def touches_the_disk(code: str) -> set[str]:
    """What in the code asks the system for anything: modules, names of os, `open`."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.split(".")[0] in IMPURE}
            found |= {"os as" for a in node.names if a.name == "os" and a.asname}
        elif isinstance(node, ast.ImportFrom):
            top = (node.module or "").split(".")[0]
            found |= {top} & IMPURE
            found |= {a.name for a in node.names if node.module == "os"} - PURE_OF_OS
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os":
            found |= {node.attr} - PURE_OF_OS
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os.path":
            found |= {node.attr} - {"basename", "dirname", "join", "normpath", "split"}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id == "open":
            found.add(node.id)
    return found


@each(
    "code",
    ["open(x)", "import io", "from subprocess import run", "os.open(x)", "os.environ",
     "from os import scandir", "os.path.exists(x)", "import os as o", "def f():\n    import glob"],
)  # fmt: skip
def test_what_touches_the_disk_is_seen(code: str) -> None:
    assert touches_the_disk(code)


@each("module", [name for name in MODULES if room(name) == "engine"])
def test_the_engine_touches_no_disk(module: str) -> None:
    assert touches_the_disk(MODULES[module].read_text()) == set()


def test_no_import_goes_round() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


def test_the_root_holds_the_leaves_alone() -> None:
    assert len(list(PACKAGE.glob("*.py"))) == ROOT_MODULES


def test_the_product_knows_nothing_of_the_lab() -> None:
    for path in MODULES.values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] != "lab", path
            elif isinstance(node, ast.Import):
                assert all(alias.name.split(".")[0] != "lab" for alias in node.names), path


def engine_room(module: str) -> str:
    """The room of the engine that a module stands in; empty for what stands above them."""
    parts = module.split(".")
    return parts[1] if parts[0] == "engine" and parts[1] in ENGINE_HEIGHT else ""


@each("module", [name for name in MODULES if name.startswith("engine.")])
def test_imports_within_the_engine_go_down(module: str) -> None:
    here = engine_room(module)
    others = [name for name in graph()[module] if name.startswith("engine.")]
    assert not [
        other
        for other in others
        if here
        and engine_room(other) != here
        and ENGINE_HEIGHT.get(engine_room(other), MOST_FLOORS) >= ENGINE_HEIGHT[here]
    ]


@each("room", [*ENGINE_HEIGHT, ""])
def test_no_room_of_the_engine_is_a_tower(room: str) -> None:
    @cache
    def floor(module: str) -> int:
        below = (name for name in graph()[module] if name.startswith("engine."))
        return 1 + max((floor(name) for name in below if engine_room(name) == room), default=0)

    modules = [name for name in MODULES if name.startswith("engine.") and name != "engine"]
    assert max(floor(name) for name in modules if engine_room(name) == room) <= MOST_FLOORS


def test_each_module_of_the_engine_has_tests_of_its_own() -> None:
    modules = {path.stem for path in (PACKAGE / "engine").rglob("*.py")} - {"__init__"}
    files = (Path(__file__).parent / "engine").glob("test_*.py")
    assert modules - {path.stem.removeprefix("test_") for path in files} == HELD_BY_OTHERS
