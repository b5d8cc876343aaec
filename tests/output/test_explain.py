"""`explain` of a symbol or boot parameter that no rule names, and of a name that is nearly one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from advisor.knowledge.catalogue import MAGIC, Catalogue
from advisor.knowledge.parametercatalogue import ParameterCatalogue

from ..cases import each

EXAMPLE = Path(__file__).parents[2] / "examples" / "x86_64-6.12.config.xz"
TEXT = f"""\
{MAGIC}
kernel 6.1.0 arm arm64 ia64 mips um x86
kernel 6.6.0 arm arm64 ia64 mips um x86
kernel 6.9.0 arm arm64 mips riscv um x86
[symbols]
ARM_THING	bp arm,arm64 6.1.0..
BAG_10	bp:BAG_10 6.1.0..
BAG_9	bp:BAG_10 6.1.0..
EVERYWHERE	t- 6.1.0;tp 6.6.0..
FADED	bp 6.1.0;b- 6.6.0..
FETCHED	bp !um 6.1.0..
FRESH	ip x86 6.9.0..
GONE	b- x86 6.1.0;bp x86 6.6.0
HANDED_ON	bo 6.1.0..
HOLE	bp 6.1.0,6.9.0..
LATE	tp x86 6.1.0;tp mips,x86 6.6.0..
NOSMT_THING	bp 6.1.0..
SPLIT	ip 6.1.0;hp x86 6.6.0..;ip !x86 6.6.0..
"""
PARAMETERS = f"""\
{MAGIC}
kernel 6.1.0 arm x86
kernel 6.9.0 arm x86
[parameters]
gone	s= 6.1.0
mod.on	m 6.1.0..
spell_out	e x86 6.1.0;s= x86 6.9.0..
"""


@pytest.fixture
def explained(run_inside, tmp_path, monkeypatch):
    """What is printed of a name, on one line, and the error if there is one."""
    path = tmp_path / "catalogue.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    monkeypatch.setattr(Catalogue, "location", lambda: str(path))
    parameters = tmp_path / "parameters.gz"
    parameters.write_bytes(gzip.compress(PARAMETERS.encode()))
    monkeypatch.setattr(ParameterCatalogue, "location", lambda: str(parameters))

    def run(name):
        result = run_inside("explain", name)
        return result.code, " ".join((result.stdout or result.stderr).split())

    return run


READ = "read in 3 kernel trees, 6.1.0 to 6.9.0"


@each(
    ("name", "told"),
    [
        (
            "CONFIG_EVERYWHERE",
            f"EVERYWHERE (symbol, tristate) kernels 6.1.0 to 6.9.0 on every architecture {READ}",
        ),
        ("arm_thing", "ARM_THING (symbol, bool) kernels 6.1.0 to 6.9.0 on arm, arm64"),
        ("FETCHED=m", "on every architecture except um"),
        ("BAG_9", "choice BAG_9, BAG_10 (x86, 6.9.0)"),
        ("FADED", "prompt none (other symbols set the value); with a prompt in 6.1.0"),
        ("FRESH", "kernels 6.9.0 (not in 6.6.0) on x86"),
        ("GONE", "kernels 6.1.0 to 6.6.0 (gone in 6.9.0) on x86"),
        ("HANDED_ON", "prompt none (an old name, whose value the kernel gives to the new name)"),
        ("HOLE", "kernels 6.1.0 (not in 6.6.0); 6.9.0 (not in 6.6.0)"),
        ("LATE", "on x86; mips (6.6.0 to 6.9.0)"),
        ("SPLIT", "SPLIT (symbol, hex or int)"),
    ],
)
def test_a_symbol_of_no_rule(explained, name, told):
    code, text = explained(name)
    assert (code, told in text) == (0, True), text
    assert text.endswith(READ)


@each(
    ("name", "hint"),
    [
        ("CONFIG_EVERYWHRE", "(did you mean EVERYWHERE?)"),
        ("EVERYWHERE_X", "(did you mean EVERYWHERE?)"),
        ("nohz_ful", "nohz_full"),
        ("mod.onn", "(did you mean mod.on?)"),
    ],
)
def test_a_name_that_nobody_knows(explained, name, hint):
    code, text = explained(name)
    assert (code, hint in text) == (2, True), text
    assert "of these rules, nor of the 3 kernels read" in text


@each(
    ("name", "told"),
    [
        (
            "mod.on=1",
            "mod.on (boot parameter) kernels 6.1.0 to 6.9.0 on every architecture "
            "read by module parameter",
        ),
        ("spell-out", "on x86 read by __setup(), with a value"),
        ("gone", "gone (boot parameter) kernels 6.1.0 (gone in 6.9.0)"),
        ("GONE", "GONE (symbol, bool)"),
    ],
)
def test_a_boot_parameter_of_no_rule(explained, name, told):
    code, text = explained(name)
    assert (code, told in text) == (0, True), text
    assert "read in 2 kernel trees, 6.1.0 to 6.9.0" in text or "symbol" in text


def test_a_damaged_catalogue_of_parameters(explained, tmp_path):
    (tmp_path / "parameters.gz").write_bytes(b"nothing")
    code, text = explained("mod.on")
    assert (code, "parameters.gz: is damaged" in text) == (4, True)


def test_what_a_rule_says_is_enough(explained):
    assert READ not in explained("HZ_1000")[1]


def test_a_removal_that_the_rules_know_comes_with_what_was_read(explained, tmp_path):
    text = TEXT.replace("GONE\t", "NO_HZ_FULL_ALL\t")
    (tmp_path / "catalogue.gz").write_bytes(gzip.compress(text.encode()))
    code, told = explained("NO_HZ_FULL_ALL")
    assert code == 0
    assert "NO_HZ_FULL_ALL was removed in 4.17" in told
    assert READ in told


def test_a_damaged_catalogue(explained, tmp_path):
    (tmp_path / "catalogue.gz").write_bytes(b"nothing")
    code, text = explained("EVERYWHERE")
    assert (code, "catalogue.gz: is damaged" in text) == (4, True)


def test_a_damaged_catalogue_stops_the_audit_of_a_fragment(explained, tmp_path, run_inside):
    (tmp_path / "catalogue.gz").write_bytes(b"nothing")
    (tmp_path / "fragment").write_text("CONFIG_HZ_1000=y\n")
    result = run_inside("audit", "fragment", "--profile", "server-throughput")
    assert (result.code, "lint --learn makes the file again" in result.stderr) == (4, True)


def test_a_whole_configuration_needs_no_catalogue(explained, tmp_path, run_inside):
    (tmp_path / "catalogue.gz").write_bytes(b"nothing")
    result = run_inside("audit", str(EXAMPLE), "-p", "server-throughput", "--fail-on", "never")
    assert (result.code, result.stderr) == (0, "")


def test_without_a_catalogue(explained, tmp_path):
    (tmp_path / "catalogue.gz").unlink()
    code, text = explained("EVERYWHERE")
    assert (code, text.count("nor of the")) == (2, 0)
