"""The table of lines: where in a kernel's files the anchors of sources stand.

`lines.gz` is text, made by `kernel-advisor rules lint --learn` from the trees that it reads:

    kernel-advisor-lines 1
    release 6.12.117
    kernel/time/Kconfig<tab>NO_HZ_IDLE<tab>87
    mm/memory.c<tab>do_swap_page<tab>0

The rows are of the release above them. Line 0 is that of a file which the tree's distribution has
patched: the anchor is there, and no line of the release is known.
"""

from __future__ import annotations

import functools

from advisor.knowledge.table import Table

Rows = dict[tuple[str, str], int]  # by path and anchor


class Lines(Table):
    """Lines by release, path and anchor. Raises KnowledgeError where the text is no such table."""

    file = "lines.gz"
    magic = "kernel-advisor-lines 1"

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text, path)
        self.releases: dict[str, Rows] = {}
        rows: Rows = {}
        for line in filter(None, text.split("\n")[1:]):
            if line.startswith("release "):
                rows = self.releases.setdefault(line.removeprefix("release "), {})
                continue
            try:
                name, anchor, number = line.split("\t")
                rows[name, anchor] = int(number)
            except ValueError as error:
                raise self._wrong(f"has the unreadable line {line[:60]!r}") from error

    def release(self, kernel: str) -> str:
        """Finds the release that was read for a kernel: 6.12.117 for 6.12; empty if none was."""
        fitting = (r for r in self.releases if r == kernel or ".".join(r.split(".")[:2]) == kernel)
        return next(fitting, "")

    def find(self, kernel: str, path: str, anchor: str) -> tuple[str, int] | None:
        """The release and line of an anchor as of a kernel, or None where that is not known."""
        release = self.release(kernel)
        line = self.releases.get(release, {}).get((path, anchor), 0)
        return (release, line) if line else None

    def text(self) -> str:
        """The file, unpacked: the same for the same rows, in whatever order they came."""
        rows = [self.magic]
        for release, lines in sorted(self.releases.items()):
            rows.append(f"release {release}")
            rows += [f"{path}\t{anchor}\t{line}" for (path, anchor), line in sorted(lines.items())]
        return "\n".join([*rows, ""])


@functools.cache
def built_in() -> Lines:
    """Reads the table of the built-in rules; empty if there is none. Raises KnowledgeError if
    damaged."""
    return Lines.load()
