"""Puts faults into the code, one at a time, and counts how many of them the tests find.

    python tools/mutants.py --count 150 --seed 1          (make mutants)

All happens in a copy of the repository. First every test runs once, with coverage that keeps which
test runs which line. Then each fault of a seeded sample is written into the copy, and at most TESTS
of the tests that run its line are run, the fastest first. A fault is killed if one of them fails.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
ROOMS = ("advisor/engine", "advisor/model", "advisor/inputs")
TESTS, SECONDS = 40, 60
FLIPPED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
NOT_RUN = {"annotation", "returns", "decorator_list"}  # parts of a node
# Tests in the process have their context from pytest-cov, processes that tests start from theirs.
COVERAGE = """\
[run]
source = {source}
parallel = true
data_file = {data}
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected
"""
PLUGIN = """\
import os

def pytest_sessionstart(session):
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ["COVERAGE_PROCESS_START"] = {config!r}
"""


class Mutant(NamedTuple):
    """A fault: what stands in a file in place of the bytes from `start` to `end`."""

    path: str
    start: int
    end: int
    lines: tuple[int, int]
    new: str

    def text(self) -> bytes:
        code = (ROOT / self.path).read_bytes()
        return code[: self.start] + self.new.encode() + code[self.end :]

    def __str__(self) -> str:
        old = (ROOT / self.path).read_bytes()[self.start : self.end].decode()
        return f"{self.path}:{self.lines[0]}: {' '.join(old.split())[:60]} -> {self.new[:60]}"


def faults(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Expressions of a node, each with what a fault puts in its place."""
    match node:
        case ast.Compare(ops=[op]):
            yield node, ast.Compare(node.left, [FLIPPED[type(op)]()], node.comparators)
        case ast.BoolOp(op=op):
            yield node, ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield node, node.operand
        case ast.Constant(value=bool(value)):
            yield node, ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield node, ast.Constant(value + 1)
        case ast.Constant(value=str(value)):
            yield node, ast.Constant(f"{value}1")
        case ast.Return(value=ast.expr() as old):
            yield from ((old, ast.Constant(value)) for value in (None, True, False))
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test, ast.UnaryOp(ast.Not(), test)
            yield from ((test, ast.Constant(value)) for value in (True, False))


def running(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run; no docstring, and no part of a text with fields."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.arguments():
            return
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if name not in NOT_RUN and isinstance(child, ast.AST):
                yield from running(child)


def mutants(path: Path) -> Iterator[Mutant]:
    """All faults for the functions of a file."""
    code = path.read_bytes()
    begins = [0]
    for line in code.splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    functions = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef))
    for node in (part for function in functions for one in function.body for part in running(one)):
        for old, new in faults(node):
            last, column = old.end_lineno or 0, old.end_col_offset or 0
            text = f"({ast.unparse(ast.fix_missing_locations(new))})"
            start, end = begins[old.lineno - 1] + old.col_offset, begins[last - 1] + column
            if ast.unparse(old) != ast.unparse(new):
                yield Mutant(str(path.relative_to(ROOT)), start, end, (old.lineno, last), text)


def sample(count: int, seed: int) -> list[Mutant]:
    """That many faults, the same for the same seed and code."""
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    found = sorted({mutant for path in files for mutant in mutants(path)})
    return sorted(random.Random(seed).sample(found, min(count, len(found))))


def run(folder: Path, *words: str, limit: int = 0) -> int:
    """Pytest's exit code in a copy; with a limit, at most so many seconds of processor time."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    env, quiet = {**os.environ, "PYTHONPATH": str(folder)}, subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=folder, env=env, stdin=quiet, stdout=quiet, start_new_session=True
    ) as process:
        if limit:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit))
        try:
            return process.wait(10 * limit if limit else None)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return -signal.SIGKILL


def copied(kept: Path, tests: list[str]) -> Path:
    """A copy of the repository in a folder, made once, beside it who runs which line."""
    folder, config, times = kept / "copy", kept / "coveragerc", kept / "times.xml"
    if times.exists():
        return folder
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    source = ",".join(str(folder / room) for room in ROOMS)
    config.write_text(COVERAGE.format(source=source, data=kept / "data"))
    (folder / "mutants_context.py").write_text(PLUGIN.format(config=str(config)))
    which = ["-m", "not kernel and not boot and not laws", "-n", "auto", "--dist", "worksteal"]
    contexts = ["-p", "mutants_context", "--cov-context=test", f"--cov-config={config}"]
    run(folder, *tests, *which, *contexts, "--cov", "--cov-report=", f"--junitxml={times}")
    return folder


def passed(kept: Path) -> dict[str, float]:
    """The tests that pass without a fault, and their seconds."""
    cases = ElementTree.parse(kept / "times.xml").iter("testcase")
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": float(
            case.get("time", 0)
        )
        for case in cases
        if not any(child.tag in ("failure", "error", "skipped") for child in case)
    }


def tests_of(mutant: Mutant, data: CoverageData, path: Path, times: dict[str, float]) -> list[str]:
    """The tests to try a fault with, the fastest first: TESTS of them, in half of SECONDS."""
    contexts, (first, last) = data.contexts_by_lineno(str(path)), mutant.lines
    named = {context for line in range(first, last + 1) for context in contexts.get(line, ())}
    phase = re.compile(r"\|(run|setup|teardown)$| \((call|setup|teardown)\)$")
    known = sorted({phase.sub("", context) for context in named} & times.keys())
    random.Random(str(mutant)).shuffle(known)
    taken, spent = [], 0.0
    for name in known[:TESTS]:
        spent += times[name]
        if not taken or spent <= SECONDS / 2:
            taken.append(name)
    return sorted(taken, key=lambda name: times[name])


def fate(mutant: Mutant, folder: Path, tests: list[str]) -> str:
    """What becomes of a fault with these tests."""
    if not tests:
        return "survived"
    path = folder / mutant.path
    path.write_bytes(mutant.text())
    (folder / "selected").write_text("\n".join(tests))
    code = run(folder, "-x", "@selected", limit=SECONDS)
    shutil.copy2(ROOT / mutant.path, path)
    return "survived" if code == 0 else "timeout" if code < 0 else "killed"


def main() -> None:
    """Prints what becomes of each fault, and the share that is killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kept", type=Path, help="keeps the copy, and who runs which line there")
    parser.add_argument("tests", nargs="*", help="the tests, if not all of them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        kept = (options.kept or Path(temporary)).resolve()
        kept.mkdir(exist_ok=True)
        folder, times, fates = copied(kept, options.tests), passed(kept), Counter[str]()
        data = CoverageData(str(kept / "data"))
        data.read()
        for mutant in sample(options.count, options.seed):
            tests = tests_of(mutant, data, folder / mutant.path, times)
            result = fate(mutant, folder, tests)
            fates[result] += 1
            print(f"{result:8} {len(tests):2} tests  {mutant}", flush=True)
    rate = 100 * fates["killed"] / max(1, fates.total())
    print(f"{dict(fates)}: {rate:.1f} % killed, seed {options.seed}")


if __name__ == "__main__":
    main()
