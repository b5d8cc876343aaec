"""`python -m fuzz.cover TARGET...`: how many of its modules' lines the inputs of each reach.

The inputs are the seeds, what fuzzing found and what the tests keep. Exits with 1 if a target
reaches less than LEAST of one of its modules, or an input is a finding.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from traceback import format_exc
from typing import Any

import coverage

LEAST = 70.0
"""The percentage of each of its modules' lines that a target has to reach."""
ROOT = Path(__file__).parents[1]
REGRESSIONS = ROOT / "tests" / "fuzz"
WORK = ROOT / "build" / "fuzz"


def inputs(name: str, target: Any) -> Iterator[bytes]:
    """The seeds of a target, what fuzzing found, and what is kept in the tests."""
    yield from target.seeds()
    for folder in (WORK / name / "corpus", REGRESSIONS / name):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            yield path.read_bytes()


def main(names: list[str]) -> int:
    """Prints a line a module; what runs when modules are loaded counts for every target."""
    measured = coverage.Coverage(data_file=None, include=[f"{ROOT}/advisor/*"], config_file=False)
    measured.start()
    from fuzz.targets import TARGETS

    for target in TARGETS.values():
        for module in target.modules:
            import_module(f"advisor.{module}")
    broken = 0
    for name in names or TARGETS:
        target = TARGETS[name]
        every = list(inputs(name, target))
        measured.switch_context(name)
        for data in every:
            broken += _is_finding(name, target, data)
        measured.switch_context("")
        for module, share in _shares(measured, name, target.modules):
            is_less = share < LEAST
            broken += is_less
            print(f"{name:26}{module:34}{share:5.1f} %{'  BROKEN' if is_less else ''}", flush=True)
    return int(broken > 0)


def _is_finding(name: str, target: Any, data: bytes) -> bool:
    try:
        target(data)
    except Exception:
        print(f"{name}: FINDING: {data[:200]!r}\n{format_exc(-3)}", flush=True)
        return True
    return False


def _shares(
    measured: coverage.Coverage, name: str, modules: tuple[str, ...]
) -> Iterator[tuple[str, float]]:
    for module in modules:
        spec = find_spec(f"advisor.{module}")
        assert spec is not None
        assert spec.origin is not None
        lines = set(measured.analysis2(spec.origin)[1])
        by_line: Mapping[int, list[str]] = measured.get_data().contexts_by_lineno(spec.origin)
        ran = {line for line, by in by_line.items() if not {"", name}.isdisjoint(by)}
        yield module, 100 * len(lines & ran) / max(len(lines), 1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
