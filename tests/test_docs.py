"""The documentation as a reader meets it: links lead somewhere, examples of shell are shell."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import cmarkgfm
import pytest

from .cases import each

ROOT = Path(__file__).parent.parent
FOLDERS = ("examples", "fuzz")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *(ROOT / f / "README.md" for f in FOLDERS)]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
PLACES = [(page, text) for page in PAGES for text in [FENCE.sub("", page.read_text())]]
LINKS = [
    (page, target)
    for page, text in PLACES
    for target in re.findall(r"\]\(([^)\s]+)\)", text)
    if not target.startswith(("https://", "http://"))
]


def fences(language):
    """The blocks of code in that language, but for those that the tool prints."""
    return [
        pytest.param(text, id=f"{page.name}-{number}")
        for page in PAGES
        for number, (found, text) in enumerate(FENCE.findall(page.read_text()))
        if found == language and " by kernel-advisor " not in text.splitlines()[0]
    ]


SHELL = fences("sh")
# Functions of a task are shell once BitBake has put in what stands in ${@...}.
TASKS = [
    pytest.param(re.sub(r"\$\{@.*?\)\}", "one two", task), id=name)
    for block in fences("bitbake")
    for task, name in re.findall(r"^((do_\w+)\(\) \{\n.*?^\})$", block.values[0], re.M | re.S)
]


def anchors(page):
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return [heading.replace(" ", "-") for heading in kept]


@each(("page", "target"), LINKS, ids=[f"{page.name}-{target}" for page, target in LINKS])
def test_a_link_leads_somewhere(page, target):
    path, _, anchor = target.partition("#")
    found = page.parent / path if path else page
    assert found.exists()
    if anchor:
        assert anchor in anchors(found)


def linked(start):
    """The files that a page links."""
    targets = [target.partition("#")[0] for page, target in LINKS if page == start]
    return {(start.parent / target).resolve() for target in targets if target}


def test_the_readme_leads_to_every_page():
    """Evidence has an index of its own, one step further."""
    first = linked(ROOT / "README.md")
    assert set((ROOT / "docs").glob("*.md")) - first == set()
    index = ROOT / "docs" / "evidence" / "README.md"
    assert index in first
    assert set(index.parent.glob("*.md")) - {index} - linked(index) == set()


@each("page", PAGES, ids=lambda page: page.name)
def test_a_page_comes_out_as_it_is_meant(page):
    """Every fence is closed, and every row of a table has the columns of its head."""
    text = page.read_text()
    html = cmarkgfm.github_flavored_markdown_to_html(text)
    shown = re.sub(r"<pre.*?</pre>|<code>.*?</code>", "", html, flags=re.S)
    assert "```" not in shown
    assert html.count("<pre") == len(FENCE.findall(text))
    tables = re.findall(r"(?:^\|.*\n)+", FENCE.sub("", text), re.M)
    assert html.count("<table>") == len(tables)
    for table in tables:
        rows = table.splitlines()
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1, rows[0]


@each("text", [case.values[0] for case in (*SHELL, *TASKS)])
def test_examples_of_shell_are_shell(text):
    done = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("text", [*SHELL, *TASKS])
def test_shellcheck_finds_nothing(text):
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    command = ["shellcheck", "--shell=sh", "--severity=warning", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.stdout == ""


@pytest.mark.parametrize("text", fences("make"))
def test_examples_of_makefiles_are_read(text, tmp_path):
    (tmp_path / "Makefile").write_text(f"{text}\nnothing: ;\n")
    command = [
        "make",
        "--warn-undefined-variables",
        "--dry-run",
        "nothing",
        "BR2_EXTERNAL_MINE_PATH=x",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_for_bash_is_clean():
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    script = ROOT / "advisor" / "shells" / "kernel-advisor.bash"
    command = ["shellcheck", "--shell=bash", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == ""
