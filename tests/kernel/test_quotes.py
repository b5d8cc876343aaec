"""The documentation shows what the command really prints in a real tree.

Between `<!-- $ in VERSION: COMMAND -->` and `<!-- end -->`, in a folder that holds the tree of that
version as `linux`, Debian's configuration as `.config`, that of its 6.1 as `old.config`, and the
fragment below as `x.config`.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from .kernels import PROJECT, Base
from .tools import clean, run

pytestmark = pytest.mark.kernel

PAGES = sorted(
    page
    for page in (PROJECT / "README.md", *(PROJECT / "docs").rglob("*.md"))
    if "<!-- $ in " in page.read_text()
)
QUOTE = re.compile(
    r"<!-- \$ in (?P<version>\S+): kernel-advisor (?P<words>.*?)(?: \| head -(?P<head>\d+))? -->\n"
    r"```\w*\n(?P<shown>.*?)```\n<!-- end -->",
    re.DOTALL,
)
FRAGMENT = """\
CONFIG_LATENCYTOP=y
CONFIG_HZ_1000=y
CONFIG_RETPOLINE=y
CONFIG_RCU_LAZY=y
# CONFIG_PERF_EVENTS is not set
CONFIG_KASAN_INLINE=y
"""


def printed(match: re.Match[str], kernels, folder: Path) -> str:
    version = match["version"]
    folder.mkdir()
    (folder / "linux").symlink_to(kernels.tree(version))
    (folder / ".config").write_text(kernels.base(Base(version, "amd64")).read_text())
    (folder / "old.config").write_text(kernels.base(Base("6.1", "amd64")).read_text())
    (folder / "x.config").write_text(FRAGMENT)
    command = [sys.executable, "-m", "advisor", *shlex.split(match["words"])]
    environment = clean({"PYTHONPATH": str(PROJECT), "XDG_CACHE_HOME": str(folder)})
    lines = run(command, folder, environment, 1).splitlines(keepends=True)
    head = match["head"]
    return "".join([*lines[: int(head)], "...\n"] if head else lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quotes_are_what_the_command_prints_in_a_tree(page, kernels, tmp_path):
    text = fresh = page.read_text()
    for number, match in enumerate(QUOTE.finditer(text)):
        block = match[0]
        start, end = (offset - match.start() for offset in match.span("shown"))
        output = printed(match, kernels, tmp_path / str(number))
        fresh = fresh.replace(block, block[:start] + output + block[end:])
    if os.environ.get("UPDATE_GOLDEN"):
        page.write_text(fresh)
    # Debian's next point release has other line numbers and counts, and says the same.
    assert re.sub(r"\d+", "0", fresh) == re.sub(r"\d+", "0", page.read_text())
