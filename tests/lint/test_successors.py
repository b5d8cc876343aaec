"""The lines of successors.toml against the catalogue, and the tool that finds candidates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.errors import KnowledgeError
from advisor.lint.lint import lint

ROOT = Path(__file__).parents[2]
RIGHT = "KEXEC_VERIFY_SIG -> KEXEC_SIG 5.3.1 5.4.286 prompt"


@pytest.fixture
def refused(tmp_path):
    """What lint says of a file with these lines; nothing where they are right."""

    def run(*lines):
        path = tmp_path / "rules/successors.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(("successor = [", *(f'  "{line}",' for line in lines), "]\n")))
        try:
            lint([str(tmp_path / "rules")])
        except KnowledgeError as error:
            return [(place.rpartition(":")[2], says) for place, says in error.problems]
        return []

    return run


def test_what_the_catalogue_has_so_is_right(refused):
    assert refused(RIGHT) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            RIGHT.replace("5.3.1", "4.19.78"),
            "was last seen in 4.19.78; in the catalogue of symbols: 5.3",
        ),
        (RIGHT.replace("5.4.286", "5.10.89"), "KEXEC_SIG exists before 5.10.89"),
        (RIGHT.replace("5.4.286", "5.4.1"), "the kernel 5.4.1 was not read"),
        (RIGHT.replace("-> KEXEC_SIG", "-> KEXEC_SIGN"), "KEXEC_SIGN is not in 5.4.286"),
        (RIGHT.replace("5.4.286", "5.0.1"), "5.3.1 is not before 5.0.1"),
        ("NO_SUCH_NAME -> KEXEC_SIG 5.3.1 5.4.286 prompt", "in the catalogue of symbols: never"),
        (f"{RIGHT} patch", "KEXEC_VERIFY_SIG is not only in a patch"),
        ("RETPOLINE -> MITIGATION_RETPOLINE 6.8.0 6.9.0 prompt", "is in lifecycle.toml as well"),
        ("KEXEC_VERIFY_SIG is KEXEC_SIG", "not of the form"),
    ],
)
def test_a_wrong_line_is_refused_at_its_place(refused, line, says):
    ((place, told),) = refused("MTD_NAND -> MTD_RAW_NAND 5.0.1 5.3.1 object", line)
    assert place == "3"
    assert says in told


SPLIT = "MEMCG with MEMCG_V1 6.9.0 6.12.117 source"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (SPLIT, ""),
        (SPLIT.replace("6.9.0", "6.9.1"), "the kernel 6.9.1 was not read"),
        (SPLIT.replace("6.9.0", "6.8.0"), "6.12.117 is not the next kernel read after 6.8.0"),
        (SPLIT.replace("6.9.0 6.12.117", "6.12.117 6.13.7"), "MEMCG_V1 is not new in 6.13.7"),
        (SPLIT.replace("MEMCG with", "MEMCG, NO_SUCH_NAME with"), "NO_SUCH_NAME is not in 6.9.0"),
        (SPLIT.replace("with", "->"), "not of the form OLD with NEW"),
    ],
)
def test_what_was_split_off_is_held_against_the_catalogue(refused, line, says):
    problems = refused(f'{RIGHT}"]\nsplit = [\n"{line}')
    assert [place for place, _ in problems] == (["4"] if says else [])
    assert all(says in told for _, told in problems)


RULE = """
id = "signed"
title = "Signed kernels"
kind = "switch"
summary = "Whether a kernel that is loaded must be signed."
sources = ["kconfig arch/Kconfig#KEXEC_SIG"]
examples = ["KEXEC_SIG=y -> on", "KEXEC_SIG=n -> off"]

[[value]]
name = "on"
set = { KEXEC_SIG = "y" }

[[value]]
name = "off"
set = { KEXEC_SIG = "n" }
"""


def test_a_name_that_a_state_rests_on_is_read_under_its_old_name_too(refused, tmp_path):
    """What only `upgrade` knew to be the same was taken for absent by the rule."""
    rule = tmp_path / "rules/security/signed.toml"
    rule.parent.mkdir(parents=True)
    rule.write_text(RULE)
    ((_, told),) = refused(RIGHT)
    assert told.startswith("tunable/signed reads KEXEC_SIG, but not its old name")


def test_a_name_that_comes_back_to_itself_is_refused(refused):
    lines = (RIGHT, "KEXEC_SIG -> KEXEC_VERIFY_SIG 7.2.13 5.3.1 prompt")
    assert any("lead back to" in says for _, says in refused(*lines))


KCONFIG = """
mainmenu "Kernel"
config OBJECT_{0}
	bool "prompt {0}"
config TEXT_{0}
	bool "the prompt of both"
config STAYS
	bool "stays"
{1}
"""
GONE = 'config PIECE\n\tbool "a piece"\nconfig ALONE\n\tbool "none has this"\n'


def test_the_tool_finds_what_took_a_place(make_tree, tmp_path):
    for version, name, more, piece in (
        ("5.1.0", "OLD", GONE, "mod-$(CONFIG_PIECE) += piece.o"),
        ("5.2.0", "NEW", "", "mod-y += piece.o"),
    ):
        makefile = f"obj-$(CONFIG_OBJECT_{name}) += a.o\nobj-$(CONFIG_STAYS) += mod.o\n{piece}\n"
        files = {"Kconfig": KCONFIG.format(name, more), "lib/Makefile": makefile}
        (tmp_path / "trees").mkdir(exist_ok=True)
        make_tree(tmp_path / "trees" / version, files, version)
    words = (sys.executable, ROOT / "tools/successors.py", tmp_path / "trees", "--arch", "x86")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert {(row[3], row[4]): row[5] for row in rows} == {
        ("OBJECT_OLD", "OBJECT_NEW"): "object",
        ("PIECE", "STAYS"): "part",
        ("TEXT_OLD", "TEXT_NEW"): "prompt",
    }
    assert {(row[1], row[2]) for row in rows} == {("5.1.0", "5.2.0")}
