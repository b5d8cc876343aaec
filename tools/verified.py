"""Holds the rules against every kernel tree of a folder; prints the page's table.

    python tools/verified.py FOLDER

Every folder in FOLDER that holds a Kconfig file is taken for a tree. Each is judged by itself, so
that an exception which one of them does not need shows. Nothing is executed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from trees import trees_in

from advisor.errors import TreeError
from advisor.lint.trees import TreeOutcome, examine, read_rules


def main() -> int:
    """Prints the table, and what is wrong to stderr; ends with 1 if anything is."""
    trees = trees_in(Path(sys.argv[1]))
    print("| kernel | architecture | facts | boot parameters | contradictions | explained |")
    print("|---|---|---:|---|---:|---:|")
    failed = False
    for _, path in trees:
        rules = read_rules([])
        seen = []
        try:
            for outcome, view in examine(str(path), (), rules):
                print(row(outcome), flush=True)
                seen.append((view, outcome.sources))
                failed = failed or bool(outcome.contradictions)
                for found in outcome.contradictions:
                    print(f"{outcome.version} {outcome.arch}: {found}", file=sys.stderr)
        except TreeError as error:
            print(error, file=sys.stderr)
            failed = True
        for one in rules.exceptions.unneeded(seen):
            print(f"{path.name}: {one.place} explains nothing", file=sys.stderr)
            failed = True
    return int(failed)


def row(outcome: TreeOutcome) -> str:
    """A line of the table."""
    parameters = "checked" if outcome.sources else "no C source"
    counts = f"{len(outcome.contradictions)} | {len(outcome.explained)}"
    return f"| {outcome.version} | {outcome.arch} | {outcome.facts:,} | {parameters} | {counts} |"


if __name__ == "__main__":
    sys.exit(main())
