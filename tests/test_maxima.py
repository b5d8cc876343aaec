"""The largest honest inputs pass: a budget that stops a hostile one leaves room for these.

What is made here is as small as it can be: sparse files, links, and lines of one shape.
"""

from __future__ import annotations

import gzip

import pytest

from advisor.engine.effective.cpu_lists import LIST, MOST
from advisor.inputs.cpulist import read_list
from advisor.inputs.image import extract_ikconfig
from advisor.tree.kerneltree import open_tree

from .work import calls

CPUS = 10_000
CONFIG = "SMP=y NO_HZ_FULL=y CPU_ISOLATION=y RCU_NOCB_CPU=y NR_CPUS=10000"


def test_the_lists_of_ten_thousand_cpus_are_read(make_world):
    most = f"0-{CPUS - 1}"
    assert len(read_list(most, CPUS).cpus) == CPUS
    names = ("isolcpus", "nohz_full", "rcu_nocbs", "irqaffinity", "managed_irq")
    line = " ".join(f"{name}=1-{CPUS - 1}" for name in names)
    world = make_world(CONFIG, cmdline=line, cpus=CPUS)
    assert [given.cpu_list.beyond for given in world.line.lists()] == [None] * 4
    # Every word that takes a list, three times over.
    assert 3 * len(names) * max(CPUS, LIST) < MOST


@pytest.mark.slow
def test_five_thousand_waivers_are_held_against_an_audit(run_inside, make_config, tmp_path):
    make_config("CONFIG_HZ_250=y")
    one = '[[waiver]]\nrule = "psi"\nreason = "Known."\npath = "{}.config"\n'
    (tmp_path / "settings.toml").write_text("".join(map(one.format, range(5000))))
    words = ("audit", "config", "-p", "embedded-fastboot", "--settings", "settings.toml")
    result = run_inside(*words, "--fail-on", "never")
    assert (result.code, result.stderr) == (0, "")


@pytest.mark.slow
def test_an_image_of_150_mib_is_searched(tmp_path):
    text = b"# Linux/x86 6.12.0 Kernel Configuration\nCONFIG_IKCONFIG=y\n"
    path = tmp_path / "vmlinux"
    with path.open("wb") as image:
        image.write(b"\x7fELF")
        image.seek(150 << 20)  # a hole
        image.write(b"IKCFG_ST" + gzip.compress(text) + b"IKCFG_ED")
    with path.open("rb") as image:
        assert extract_ikconfig(image, "vmlinux") == text.decode()


@pytest.mark.slow
def test_a_tree_of_25_000_symbols_is_evaluated(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tree = tmp_path / "tree"
    symbol = 'config D{0}_{1}\n\ttristate "D"\n\tdepends on NET\n\tdefault m\n\n'
    files = {f"d{n}/Kconfig": "".join(symbol.format(n, m) for m in range(25)) for n in range(1000)}
    sources = "".join(f'source "{name}"\n' for name in files)
    files["Kconfig"] = f'mainmenu "M"\nconfig NET\n\tdef_bool y\n{sources}'
    files |= {"init/Kconfig": "\n", "arch/x86/Kconfig": "\n"}
    files["Makefile"] = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION =\n"
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    assert open_tree(str(tree), "x86", None).value("D999_24") == "y"


@pytest.mark.slow
def test_each_of_many_configurations_costs_the_same(run_inside, tmp_path):
    """5,000 in one run cost so many times what one does."""
    names = [f"{number}.config" for number in range(4)]
    for name in names:
        (tmp_path / name).write_text("CONFIG_HZ_250=y\n# CONFIG_HZ_1000 is not set\n")
    words = ("-p", "embedded-fastboot", "--kernel", "6.12", "--fail-on", "never")

    def cost(count):
        return calls(lambda: run_inside("audit", *names[:count], *words))

    cost(1)  # what is made once
    few, more, most = map(cost, (1, 2, 4))
    assert most - more < 2.2 * (more - few)
