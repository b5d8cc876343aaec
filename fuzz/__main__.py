"""`python -m fuzz list | run | smoke | cover | seeds`: see README.md, or --help."""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fuzz.cover import REGRESSIONS, ROOT, WORK
from fuzz.seeds import LONGEST
from fuzz.target import remove_scratch
from fuzz.words import dictionary

ENOUGH = {False: 200_000, True: 20_000}
"""A target is done when coverage has not grown for so many executions; a whole way sooner."""
SECONDS = 300
"""An input that takes longer is a hang. The slowest seeds take a second of a processor."""
MEBIBYTES = 1536
_SMOKE = {False: (40, 200), True: (5, 2)}
"""So many seeds and mutations of a target are run in a smoke test."""
_COUNTED = re.compile(r"#(\d+)\s+\w+(?:\s+cov: (\d+))?")


def main() -> int:
    """Runs what the words say; 1 if a target has a finding or reaches too little."""
    parser = argparse.ArgumentParser(prog="python -m fuzz")
    add = parser.add_subparsers(dest="what", required=True).add_parser
    add("list", help="the targets and their modules")
    add("state", help="what was run so far, as a table")
    for name, about in (
        ("run", "fuzz until nothing new is found, or the time is up; then cover"),
        ("smoke", "the seeds, and some executions with a fixed seed; then cover"),
        ("cover", "the coverage of each target's modules by all inputs so far"),
    ):
        one = add(name, help=about)
        one.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
        one.add_argument("--minutes", type=float, default=10, help="for all of them together")
        one.add_argument("--jobs", type=int, default=2)
    add("seeds", help="write seeds and dictionaries as OSS-Fuzz takes them").add_argument("folder")
    given = parser.parse_args()
    return _COMMANDS[given.what](given)


def _targets(names: Iterable[str] = ()) -> dict[str, Any]:
    from fuzz.targets import TARGETS

    return {name: TARGETS[name] for name in names} or TARGETS


def _list(_given: argparse.Namespace) -> int:
    for name, target in _targets().items():
        print(f"{name:26}{' '.join(target.modules)}")
    return 0


def _state(_given: argparse.Namespace) -> int:
    """What was run so far, as a table of Markdown."""
    print("| target | executions | since coverage grew | seconds | done |\n|---|---|---|---|---|")
    for name, target in _targets().items():
        if state := _known(WORK / name):
            done = "yes" if state["idle"] >= ENOUGH[target.whole] else "no"
            print(
                f"| {name} | {state['runs']:,} | {state['idle']:,} | {state['seconds']} | {done} |"
            )
    return 0


def _known(folder: Path) -> dict[str, int]:
    """What earlier runs of the target of that folder did; empty if there was none."""
    file = folder / "state.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def _seeds(given: argparse.Namespace) -> int:
    import zipfile

    folder = Path(given.folder)
    for name, target in _targets().items():
        (folder / f"fuzz_{name}.dict").write_text(dictionary(target))
        with zipfile.ZipFile(folder / f"fuzz_{name}_seed_corpus.zip", "w") as packed:
            for number, seed in enumerate(target.seeds()):
                packed.writestr(str(number), seed)
    return 0


def _prepared(folder: Path, target: Any, most: int = 0) -> Path:
    """The folder of a target, with its seeds, evenly chosen if they are more than `most`, and its
    dictionary."""
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "seeds", ignore_errors=True)
    (folder / "seeds").mkdir()
    seeds = list(target.seeds())
    for number, seed in enumerate(seeds[:: 1 + len(seeds) // most] if most else seeds):
        (folder / "seeds" / f"{number:04}").write_bytes(seed)
    (folder / "words").write_text(dictionary(target))
    return folder


class _Progress:
    """How far a target is: executions, how many of them since coverage has grown, seconds. What
    earlier runs did counts too."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "state.json"
        known = _known(folder)
        self.runs, self.idle, self.reached, self._seconds = (
            known.get(name, 0) for name in ("runs", "idle", "reached", "seconds")
        )
        self._before, self._last, self._begun = self.runs, 0, time.monotonic()

    def saw(self, line: str) -> bool:
        """Takes a line of libFuzzer's; whether it is one that counts."""
        if not (found := _COUNTED.match(line)):
            return False
        now = int(found[1])
        self.idle += now - self._last
        self.runs, self._last = self._before + now, now
        if found[2] and int(found[2]) > self.reached:
            self.reached, self.idle = int(found[2]), 0
        return True

    def seconds(self) -> float:
        """How long this run takes so far."""
        return time.monotonic() - self._begun

    def keep(self) -> None:
        """Writes it down for the next run."""
        known = {"runs": self.runs, "idle": self.idle, "reached": self.reached,
                 "seconds": round(self._seconds + self.seconds())}  # fmt: skip
        self._file.write_text(json.dumps(known))


def _fuzzed(name: str, target: Any, folder: Path, options: list[str], seconds: float) -> str:
    """Runs a target until it has found nothing for long enough, or the time is up, or libFuzzer
    ends; what became of it."""
    progress = _Progress(folder)
    kept = [REGRESSIONS / name] if (REGRESSIONS / name).is_dir() else []
    command = [
        sys.executable, "-m", "fuzz.one", name,
        ",".join(f"advisor.{module}" for module in target.modules) or "advisor.inputs",
        *options, f"-dict={folder / 'words'}", f"-timeout={SECONDS}",
        f"-rss_limit_mb={MEBIBYTES}", f"-max_len={LONGEST}", f"-artifact_prefix={folder}/",
        *map(str, (folder / "corpus", folder / "seeds", *kept)),
    ]  # fmt: skip
    tail: list[str] = []
    process = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        errors="replace",
    )  # fmt: skip
    assert process.stderr is not None
    with process.stderr as lines:
        for line in lines:
            if not progress.saw(line):
                tail = [*tail[-60:], line]
            elif progress.idle >= ENOUGH[target.whole] or progress.seconds() > seconds:
                process.kill()
                break
    code = process.wait()
    remove_scratch(process.pid)
    progress.keep()
    if code > 0:
        (folder / "finding.txt").write_text("".join(tail))
        return f"FINDING: see {folder}"
    return "done" if progress.idle >= ENOUGH[target.whole] else ""


def _run(given: argparse.Namespace) -> int:
    """Those that are nearest to done come first: what they leave of their time is for the rest."""
    targets = _targets(given.targets)
    left = {
        name: ENOUGH[target.whole] - _known(WORK / name).get("idle", 0)
        for name, target in targets.items()
    }
    waiting = sorted(
        (name for name in left if left[name] > 0 or given.targets), key=left.__getitem__
    )
    end = time.monotonic() + given.minutes * 60

    def run(name: str) -> str:
        rest = end - time.monotonic()
        share = min(rest, rest * given.jobs / len(waiting))
        waiting.remove(name)
        folder = _prepared(WORK / name, targets[name])
        return _fuzzed(name, targets[name], folder, [], share) or "time is up"

    return int(_side_by_side(run, [*waiting], given.jobs) or _cover(given))


def _smoke(given: argparse.Namespace) -> int:
    """Whole ways are too slow for their coverage to be measured each time."""
    targets = _targets(given.targets)
    shutil.rmtree(WORK / "smoke", ignore_errors=True)

    def run(name: str) -> str:
        seeds, more = _SMOKE[targets[name].whole]
        folder = _prepared(WORK / "smoke" / name, targets[name], seeds)
        options = ["-seed=1", f"-runs={seeds + more}"]
        return _fuzzed(name, targets[name], folder, options, math.inf)

    given.targets = [name for name, target in targets.items() if not target.whole]
    return int(_side_by_side(run, targets, given.jobs) or _cover(given))


def _side_by_side(run: Callable[[str], str], names: Iterable[str], jobs: int) -> bool:
    """Runs each, so many at a time, and prints what became of them; whether one has a finding."""

    def told(name: str) -> bool:
        became = run(name)
        print(f"{name:26}{became}", flush=True)
        return became.startswith("FINDING")

    with ThreadPoolExecutor(jobs) as pool:
        return any([*pool.map(told, names)])


def _cover(given: argparse.Namespace) -> int:
    """Coverage is measured in a process of its own, from before the first module is loaded."""
    command = [sys.executable, "-m", "fuzz.cover", *given.targets]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "state": _state,
    "run": _run,
    "smoke": _smoke,
    "cover": _cover,
    "seeds": _seeds,
}

if __name__ == "__main__":
    raise SystemExit(main())
