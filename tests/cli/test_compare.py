"""`diff` and `upgrade`, as a user runs them, on real configurations and on hostile ones."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from advisor.knowledge.schema import problems

EXAMPLES = Path(__file__).parents[2] / "examples"
X86 = EXAMPLES / "x86_64-6.12.config.xz"
BAD = EXAMPLES / "x86_64-6.12-bad-ideas.config.xz"
OLD = EXAMPLES / "x86_64-6.1.config.xz"
# For tests of what no profile has a say in: without a name, fourteen are judged.
ONE = ("-p", "systemd")

# What took the place of other symbols, as a kernel of today has it.
SUCCESSORS = """\
config MTD_RAW_NAND
	tristate "raw NAND"
config KEXEC_SIG
	bool "signatures"
	depends on KEYS
config KEYS
	bool "keys"
config NF_NAT
	def_tristate y
"""


@pytest.fixture
def diff(run_inside):
    return lambda *words: run_inside("diff", *words)


def test_nothing_changed(diff):
    result = diff(X86, X86, "-p", "server-throughput")
    assert result.code == 0
    assert "the inputs are the same on both sides" in result.stdout


def test_html_shows_what_each_layer_says_before_and_now(diff):
    """Where more than the configuration has a say; the layer that decides is marked."""
    line = ("--new-cmdline", "preempt=full quiet", "--old-cmdline", "quiet")
    page = diff(X86, X86, "-p", "server-throughput", *line, "-f", "html").stdout
    (table,) = re.findall(r'<table class="layers">(.*?)</table>', page, re.DOTALL)
    rows = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in table.split("<tr>")[1:]]
    voluntary, full = (
        "voluntary (tasks yield at preemption points)",
        "full (nearly everywhere in the kernel)",
    )
    assert rows == [
        ["", "compiled", "boot line", "in force"],
        ["Before", f"<strong>{voluntary}</strong>", "\u2013", voluntary],
        ["Now", voluntary, f"<strong>{full}</strong>", full],
    ]
    text = diff(X86, X86, "-p", "server-throughput", *line, "-f", "markdown").stdout
    assert "**layers:** boot line: \u2013 \u2192 full" in text


def test_what_got_worse_fails(diff):
    result = diff(X86, BAD, "-p", "server-throughput")
    assert result.code == 1
    verdict = "server-throughput: worse 6 (must 3, should 3); worse: security features 23; "
    verdict += "lost: other features 1; "
    verdict += "security settings moved: 2; "
    assert result.stdout.endswith(f"{verdict}new diagnostics: 1 warning\n")


def test_and_not_if_it_was_asked_not_to(diff):
    assert diff(X86, BAD, "-p", "server-throughput", "--fail-on", "never").code == 0


def test_the_way_back_is_better(diff):
    result = diff(BAD, X86, "-p", "server-throughput")
    assert result.code == 0
    assert "server-throughput  improves: " in result.stdout
    assert "WORSE" not in result.stdout


def test_without_a_profile_all_are_told_and_none_fails(diff):
    result = diff(X86, BAD)
    assert result.code == 0
    for name in ("database", "desktop-latency", "power-saving", "realtime"):
        assert f"\n{name} " in result.stdout


def test_a_fragment_is_merged_onto_the_other_side(diff, tmp_path):
    (tmp_path / "f.config").write_text("CONFIG_HZ_250=y\n")
    result = diff(X86, "f.config", "-p", "desktop-latency")
    assert "1000 ticks a second" in result.stdout
    assert "250 ticks a second, by CONFIG_HZ_250=y (f.config:1)" in result.stdout
    assert "\nlost features" not in result.stdout


def test_two_fragments_on_one_base(diff, tmp_path):
    (tmp_path / "a.config").write_text("CONFIG_HZ_250=y\n")
    (tmp_path / "b.config").write_text("CONFIG_HZ_300=y\n")
    result = diff("a.config", "b.config", "--base", X86, "-p", "desktop-latency")
    assert "was    250 ticks a second" in result.stdout
    assert "now    300 ticks a second, by CONFIG_HZ_300=y (b.config:1)" in result.stdout


def test_two_fragments_alone_tell_what_they_can(diff, tmp_path):
    (tmp_path / "a.config").write_text("CONFIG_HZ_250=y\n")
    (tmp_path / "b.config").write_text("CONFIG_HZ_1000=y\n")
    result = diff("a.config", "b.config", "--kernel", "6.12", "--arch", "x86")
    assert result.code == 0
    assert "250 ticks a second" in result.stdout
    assert "symbols that it does not name" in " ".join(result.stdout.split())


def test_a_defconfig_is_no_fragment(diff, tmp_path):
    (tmp_path / "my_defconfig").write_text("CONFIG_HZ_250=y\n")
    result = diff(X86, "my_defconfig", "-p", "desktop-latency", "--fail-on", "never")
    assert "note      my_defconfig: a fragment or defconfig" in result.stdout


def test_a_configuration_without_its_first_lines_is_whole(diff, tmp_path):
    text = lzma.decompress(X86.read_bytes()).decode()
    (tmp_path / "headless").write_text("".join(text.splitlines(keepends=True)[5:]))
    result = diff(X86, "headless", "-p", "desktop-latency", "--fail-on", "never")
    assert "a fragment or defconfig" not in result.stdout
    partial = diff("headless", BAD, "--partial", "-p", "desktop-latency", "--fail-on", "never")
    assert "a fragment or defconfig" in " ".join(partial.stdout.split())


def test_the_members_of_a_group_have_their_lines(diff):
    shown = diff(X86, BAD, "-p", "server-throughput").stdout
    assert "by CONFIG_DEBUG_ATOMIC_SLEEP=y (line" in shown


def test_a_base_is_for_fragments(diff):
    result = diff(X86, BAD, "--base", X86)
    assert result.code == 2
    assert "--base: has no effect" in result.stderr


def test_two_boot_lines(diff):
    lines = ["--old-cmdline", "quiet", "--new-cmdline", "quiet mitigations=off nohz_fulll=1-3"]
    result = diff(X86, X86, "-p", "server-throughput", *lines)
    assert result.code == 1
    assert "switched off at boot, by mitigations=off (boot line, column 7)" in result.stdout
    assert "remove the parameter: nohz_full needs NO_HZ_FULL" in result.stdout
    assert "  - +mitigations=off" in result.stdout


@pytest.mark.parametrize(
    "words", [(X86, BAD), (X86, BAD, "-p", "realtime"), (OLD, X86), (X86, X86)]
)
def test_json_is_of_its_schema_and_the_same_every_time(diff, words):
    result = diff(*words, "--format", "json", "--fail-on", "never")
    assert list(problems("diff", json.loads(result.stdout), "advisor.output")) == []
    assert diff(*words, "--format", "json", "--fail-on", "never").stdout == result.stdout


def test_several_formats_in_one_run(diff, tmp_path):
    diff(X86, BAD, "--write", "json=d.json", "--write", "markdown=d.md")
    assert json.loads((tmp_path / "d.json").read_text())["schema"] == "kernel-advisor/diff/v1"
    assert (tmp_path / "d.md").read_text().startswith("<!-- kernel-advisor:diff -->\n")


def test_a_revision_has_the_settings_of_its_path(run_inside, repository, make_config):
    """The boot line that kernel-advisor.toml gives to these paths counts on both sides."""
    text = make_config("CONFIG_PREEMPT_DYNAMIC=y", "CONFIG_PREEMPT=y", name="scratch").read_text()
    settings = '[[subject]]\npath = "configs/*"\ncmdline = "preempt=none"\n'
    repository.commit({"configs/a.config": text, "kernel-advisor.toml": settings})
    words = ["diff", "HEAD:configs/a.config", "configs/a.config"]
    result = run_inside(*words, cwd=repository.root)
    assert result.code == 0, result.stderr
    assert "boot line preempt=none\n" in result.stdout
    assert "the inputs are the same on both sides" in result.stdout


# --- Markdown ---------------------------------------------------------------------------------


def rendered(markdown):
    return cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)


def test_the_comment_renders_as_one_table_with_folded_reasons(diff):
    text = diff(X86, BAD, "-p", "power-saving", "-f", "markdown").stdout
    html = rendered(text)
    assert text.splitlines()[0] == "<!-- kernel-advisor:diff -->"
    assert text.count("<details>") == text.count("</details>") == html.count("<details>")
    assert html.count("<table>") == 2  # what moved, and the diagnostics
    assert "<td><strong>worse</strong></td>" in html


HOSTILE = "`</code>|<script>alert(1)</script>@everyone #1 ![x](http://e.example) <!-- x -->"


def test_nothing_breaks_out_of_the_comment(diff, tmp_path):
    text = lzma.decompress(X86.read_bytes()).decode()
    name = "a|b@everyone`<b>.config"
    hostile = text.replace(
        "# CONFIG_CMDLINE_BOOL is not set", f'CONFIG_CMDLINE_BOOL=y\nCONFIG_CMDLINE="{HOSTILE}"'
    )
    hostile = hostile.replace('CONFIG_LOCALVERSION=""', f'CONFIG_LOCALVERSION="{HOSTILE}"')
    assert hostile.count(HOSTILE) == 2
    (tmp_path / name).write_text(hostile)
    lines = ["--new-cmdline", f"quiet {HOSTILE} preempt=full"]
    shown = diff(X86, name, *lines, "--format", "markdown").stdout
    html = rendered(shown)
    for tag in ("<script", "<b>", "<img", "</code>|"):
        assert tag not in html
    assert 'href="http://e.example"' not in html
    assert shown.count("<!--") == 1
    assert "@everyone" not in shown
    cells = [line for line in shown.splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in cells} == {6}


def test_a_comment_has_room_and_counts_what_it_leaves_out(diff, tmp_path):
    text = lzma.decompress(X86.read_bytes()).decode()
    words = " ".join(f"word{number}={'x' * 200}" for number in range(300))
    (tmp_path / "a.config").write_text(text)
    (tmp_path / "line").write_text(words)
    result = diff("a.config", BAD, "--new-cmdline", "@line", "--format", "markdown")
    assert len(result.stdout.encode()) <= 60_000
    assert re.search(r"^- and \d+ more$", result.stdout, re.MULTILINE)


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere", X86], "nowhere: no such file"),
        ([X86, "nowhere"], "nowhere: no such file"),
        ([X86, __file__], "not a kernel configuration"),
        ([X86, X86, "--base", "frag"], "frag: is not a complete configuration"),
    ],
)
def test_a_side_that_is_none_is_named(diff, tmp_path, words, told):
    (tmp_path / "frag").write_text("CONFIG_A=y\n")
    result = diff(*words)
    assert result.code == 3
    assert told in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-p", "nobody"], "there is no profile 'nobody'"),
        (["--format", "sarif"], "there is no format 'sarif'"),
        (["--write", "sarif=x"], "does not name a format and a file"),
        (["--fail-on", "rain"], "'rain' is not in the list"),
    ],
)
def test_wrong_options(diff, words, told):
    result = diff(X86, BAD, *words)
    assert result.code == 2
    assert told in result.stderr


# --- upgrade ----------------------------------------------------------------------------------

KCONFIG = """\
mainmenu "Test"
config X86
	def_bool y
config KEPT
	bool "kept"
config LOST
	bool "lost"
	depends on MISSING
config DRIVER
	tristate "driver"
	depends on LOST
menu "Things"
config NEWER
	bool "newer"
	default y
endmenu
"""


@pytest.fixture
def upgraded(run_inside, make_config, make_tree, tmp_path):
    def run(*words, lines=("CONFIG_KEPT=y", "CONFIG_LOST=y", "CONFIG_DRIVER=m", "CONFIG_OLD=y")):
        config = make_config(*lines, kernel="6.1.0")
        tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}, "6.12.0")
        return run_inside("upgrade", config, "--tree", tree, *words)

    return run


def test_an_upgrade_tells_what_is_lost_and_why(upgraded):
    result = upgraded()
    assert result.code == 0, result.stderr
    assert "Linux 6.1.0, x86 -> Linux 6.12.0, x86" in result.stdout
    assert "LOST: needs MISSING (Kconfig:8)" in result.stdout
    assert "DRIVER: needs LOST (Kconfig:11)" in result.stdout
    lost = result.stdout.index("LOST: needs")
    assert lost < result.stdout.index("DRIVER: needs")  # the cause first
    assert "KEPT" not in result.stdout


def test_and_what_is_gone_and_new(upgraded):
    document = json.loads(upgraded("--format", "json").stdout)
    symbols = {move["symbol"]: move for move in document["symbols"]}
    assert symbols["OLD"]["kind"] == "gone"
    assert (symbols["NEWER"]["kind"], symbols["NEWER"]["menu"]) == ("new", "Things")
    assert (symbols["LOST"]["needs"], symbols["LOST"]["where"]) == ("MISSING", "Kconfig:8")


def test_what_has_another_name_now_is_carried_or_lost_with_the_line_to_write(
    run_inside, make_config, make_tree, tmp_path
):
    kconfig = f"\n{SUCCESSORS}"
    lines = ("MTD_NAND=m", "KEXEC_VERIFY_SIG=y", "NF_NAT=y", "NF_NAT_IPV4=y", "BLK_DEV_RSXX=m")
    config = make_config(*(f"CONFIG_{line}" for line in lines), kernel="4.19.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": kconfig}, "6.6.0")
    words = ("upgrade", config, "--tree", tree, *ONE)
    document = json.loads(run_inside(*words, "--format", "json").stdout)
    symbols = {move["symbol"]: move for move in document["symbols"]}
    kinds = [symbols[name]["kind"] for name in ("MTD_NAND", "KEXEC_VERIFY_SIG", "BLK_DEV_RSXX")]
    assert kinds == ["lost", "lost", "gone"]
    told = "is MTD_RAW_NAND now, which is not on: write CONFIG_MTD_RAW_NAND=m"
    assert symbols["MTD_NAND"]["why"] == told
    why = symbols["KEXEC_VERIFY_SIG"]["why"]
    assert why.startswith("is KEXEC_SIG now, which is not on: write CONFIG_KEXEC_SIG=y. The kernel")
    assert why.endswith("; KEXEC_SIG needs KEYS (Kconfig:6)")
    assert {"symbol": "KEXEC_VERIFY_SIG", "area": "security", "gone": False} in document["losses"]
    carried = {"old": "NF_NAT_IPV4", "new": "NF_NAT", "value": "y", "part": True, "note": ""}
    assert document["renamed"] == [carried]
    text = run_inside(*words).stdout
    assert text.startswith("worse     security features lost: KEXEC_VERIFY_SIG\n")
    assert text.index("- KEXEC_VERIFY_SIG: is") < text.index("- MTD_NAND: is")


def test_the_menus_of_an_old_configuration_are_those_of_its_neighbours(
    run_inside, make_config, make_tree, tmp_path
):
    kconfig = 'menu "Block devices"\nconfig A\n\tbool "a"\nconfig B\n\tbool "b"\nendmenu\n'
    title = ("#", "# Protocols", "#")  # a comment of the menu before, which has no end up to 5.1
    lines = (*title, "CONFIG_A=y", "CONFIG_BLK_DEV_RSXX=m", "CONFIG_B=y")
    config = make_config(*lines, kernel="4.19.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": kconfig}, "6.6.0")
    words = ("upgrade", config, "--tree", tree, *ONE, "--format", "json")
    found = json.loads(run_inside(*words).stdout)
    (gone,) = [move for move in found["symbols"] if move["symbol"] == "BLK_DEV_RSXX"]
    assert (gone["kind"], gone["menu"]) == ("gone", "Block devices")


def test_what_is_lost_is_carried_over(run_inside, make_config, make_tree, tmp_path):
    kconfig = f"""
config MODULES
	def_bool y
	modules
{SUCCESSORS}config HYPER
	bool "hypervisor"
config DRIVER
	bool "driver"
	depends on BROKEN
"""
    lines = ("HYPER=m", "MTD_NAND=m", "KEXEC_VERIFY_SIG=y", "NF_NAT=y", "NF_NAT_IPV4=y", "DRIVER=y")
    config = make_config(*(f"CONFIG_{line}" for line in lines), kernel="4.19.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": kconfig}, "6.6.0")
    words = ("upgrade", config, "--tree", tree, *ONE)
    result = run_inside(*words, "--carry-over", "carried")
    plain = run_inside(*words)
    # The page is the same, whatever is written beside it.
    assert (result.code, result.stdout) == (plain.code, plain.stdout)
    assert "carried: of 4 lost settings, 3 can be restored" in result.stderr
    heading, had, rest = (tmp_path / "carried").read_text().split("\n\n")
    assert heading.startswith("# Carried over by kernel-advisor ")
    assert [row for row in had.splitlines() if row.startswith("CONFIG_")] == [
        "CONFIG_KEYS=y",
        "CONFIG_KEXEC_SIG=y",  # what protects comes first
        "CONFIG_HYPER=y",
        "CONFIG_MTD_RAW_NAND=m",
    ]
    for told in (
        "# Needed for KEXEC_VERIFY_SIG:\nCONFIG_KEYS=y\n# Was KEXEC_VERIFY_SIG=y: ",
        "# Was HYPER=m: HYPER is a bool in this tree: m is no value of a bool\nCONFIG_HYPER=y\n",
        "# Was MTD_NAND=m: MTD_NAND is called MTD_RAW_NAND in this tree\nCONFIG_MTD_RAW_NAND=m",
    ):
        assert told in had
    assert rest.startswith("# Not included: DRIVER=y: DRIVER needs BROKEN (Kconfig:")


LEGACY = """
config MODULES
	def_bool y
	modules
config NET
	def_bool y
config INET
	def_bool y
config NETFILTER
	def_bool y
config NF_CONNTRACK
	def_tristate m
config MEMCG
	bool "memory"
config MEMCG_V1
	bool "first version"
	depends on MEMCG
config XTABLES
	def_tristate m
config NETFILTER_XTABLES_LEGACY
	bool "legacy tables"
config IP_NF_IPTABLES_LEGACY
	tristate "legacy"
	depends on NETFILTER_XTABLES_LEGACY && XTABLES
config IP_NF_FILTER
	tristate "filter"
	depends on IP_NF_IPTABLES_LEGACY
config IP_NF_NAT
	tristate "nat"
	depends on IP_NF_IPTABLES_LEGACY
config IP_NF_MANGLE
	tristate "mangle"
	depends on IP_NF_IPTABLES_LEGACY
config IP_NF_RAW
	tristate "raw"
	depends on IP_NF_IPTABLES_LEGACY
config IP_NF_IPTABLES
	tristate "iptables"
config NF_TABLES
	tristate "nft"
config NF_TABLES_IPV4
	bool "nft"
config NFT_CT
	tristate "ct"
config NFT_NAT
	tristate "nat"
config NFT_MASQ
	tristate "masquerading"
"""


def test_what_an_installed_system_rests_on_is_lost_with_the_gate_of_it(
    run_inside, make_config, make_tree, tmp_path
):
    new = ("NF_TABLES=m", "NF_TABLES_IPV4=y", "NFT_CT=m", "NFT_NAT=m", "NFT_MASQ=m", "NET=y")
    old = ("MODULES=y", "INET=y", "NETFILTER=y", "MEMCG=y", "IP_NF_FILTER=m", "IP_NF_NAT=m")
    lines = (*new, *old, "NF_CONNTRACK=m", "IP_NF_IPTABLES=m")
    config = make_config(*(f"CONFIG_{line}" for line in lines), kernel="6.6.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": LEGACY}, "6.18.0")
    words = ("upgrade", config, "--tree", tree, "-p", "container-host")
    result = run_inside(*words, "--carry-over", "carried", "--fail-on", "should")
    text = " ".join(result.stdout.split())
    assert result.code == 1
    assert "lost other features: MEMCG_V1, NETFILTER_XTABLES_LEGACY" in text
    assert "container-host worse: Address translation by iptables on -> off" in text
    told = text[text.index("WORSE Address translation by iptables") :]
    assert "need NETFILTER_XTABLES_LEGACY, which is off" in told
    assert "programs that use the lost setting stop working; wanted on" in told
    assert "IP_NF_RAW=m (with IP_NF_IPTABLES_LEGACY=m, NETFILTER_XTABLES_LEGACY=y" in told
    assert "MEMCG_V1: was a part of MEMCG in 6.9.0, is a separate option in 6.12.117" in text
    carried = (tmp_path / "carried").read_text().splitlines()
    assert {"CONFIG_MEMCG_V1=y", "CONFIG_NETFILTER_XTABLES_LEGACY=y"} < {*carried}


def test_nothing_is_carried_over_at_the_price_of_what_is_kept(
    run_inside, make_config, make_tree, tmp_path
):
    """A driver that now excludes another one that is on, and a governor that excludes SMP."""
    kconfig = """
config SMP
	bool "processors"
	default y
config KEPT
	bool "kept"
	depends on SMP
config LM90
	bool "the new driver"
config ADM1021
	bool "the old driver"
	depends on !LM90
config MAX6642
	bool "another old driver"
	depends on !LM90
choice
	prompt "governor"
config SCHEDUTIL
	bool "schedutil"
config ONDEMAND
	bool "ondemand"
	depends on !SMP
config USERSPACE
	bool "userspace"
endchoice
config FINE
	bool "fine"
"""
    on = ("SMP", "KEPT", "LM90", "ADM1021", "MAX6642", "ONDEMAND")
    config = make_config(*(f"CONFIG_{name}=y" for name in on), "CONFIG_FINE=m", kernel="4.19.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": kconfig}, "6.6.0")
    words = ("upgrade", config, "--tree", tree, *ONE, "--carry-over", "carried")
    assert "of 4 lost settings, 1 can be" in run_inside(*words).stderr
    text = (tmp_path / "carried").read_text()
    assert [row for row in text.splitlines() if "CONFIG_" in row] == ["CONFIG_FINE=y"]
    assert "Not included: ADM1021=y: it would remove LM90\n" in text
    assert "Not included: MAX6642=y: it would remove LM90\n" in text
    assert "Not included: ONDEMAND=y: it would remove SMP, KEPT\n" in text
    run_inside(*words, "--allow", "LM90")
    text = (tmp_path / "carried").read_text()
    assert "# CONFIG_LM90 is not set\nCONFIG_ADM1021=y\nCONFIG_MAX6642=y\n" in text


def test_the_machines_that_a_kernel_was_for_are_carried_over(
    run_inside, make_config, make_tree, tmp_path
):
    """Though what they now stand under was not there: no other machine's."""
    kconfig = """
config ARCH_BCM
	bool "Broadcom"
config ARCH_BCM2835
	bool "Raspberry Pi"
	depends on ARCH_BCM
config ARCH_OTHER
	bool "another"
config COMPILE_TEST
	bool "test build"
config DRIVER
	bool "its driver"
	depends on ARCH_BCM2835 || COMPILE_TEST
config STRANGE
	bool "of another machine"
	depends on ARCH_OTHER || COMPILE_TEST
"""
    on = ("ARCH_BCM2835", "DRIVER", "STRANGE")
    config = make_config(*(f"CONFIG_{name}=y" for name in on), kernel="5.4.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": kconfig}, "6.6.0")
    run_inside("upgrade", config, "--tree", tree, *ONE, "--carry-over", "carried")
    text = (tmp_path / "carried").read_text()
    lines = ["CONFIG_ARCH_BCM=y", "CONFIG_ARCH_BCM2835=y", "CONFIG_DRIVER=y"]
    assert [row for row in text.splitlines() if "CONFIG_" in row] == lines
    assert "Not included: STRANGE=y: STRANGE needs" in text


DRIVERS = {
    "Kconfig": """
config BUS
	bool "bus"
config OFF
	bool "driver"
	depends on BUS && MISSING
config MUTE
	bool "one without a table"
	depends on MISSING
""",
    "drivers/Makefile": "obj-$(CONFIG_OFF) += off.o\nobj-$(CONFIG_MUTE) += mute.o\n",
    "drivers/pci/pci.c": "",
    "drivers/mute.c": "",
    "drivers/off.c": """
static const struct pci_device_id ids[] = {
	{ 0x10ec, 0x8139, ~0, ~0 }, { 0x10ec, 0x8138, ~0, ~0 }, { 1, 2, ~0, ~0 }, { 3, 4, ~0, ~0 }, { }
};
MODULE_DEVICE_TABLE(pci, ids);
""",
}


def test_an_upgrade_tells_the_devices_of_lost_drivers(run_inside, make_config, make_tree, tmp_path):
    lines = ("CONFIG_BUS=y", "CONFIG_OFF=m", "CONFIG_MUTE=m", "CONFIG_GONE=m")
    menu = ("#", "# Device Drivers", "#")
    config = make_config(*menu, *lines, "# end of Device Drivers", kernel="6.1.0")
    tree = make_tree(tmp_path / "tree", DRIVERS, "6.12.0")
    words = ("upgrade", config, "--tree", tree, *ONE)
    text = run_inside(*words, "--write", "json=found").stdout
    assert "with the devices that they support: 2" in text
    assert "- off (OFF): 4 PCI devices: 10ec:8139, 10ec:8138, 0001:0002, and 1 more\n" in text
    assert "- without a device table: mute\n" in text
    assert "- drivers not in this kernel: 1 more; --old-tree DIR names their devices" in text
    assert "0003:0004" in run_inside(*words, "--verbose").stdout
    document = json.loads((tmp_path / "found").read_text())
    assert list(problems("diff", document, "advisor.output")) == []
    ids = ["10ec:8139", "10ec:8138", "0001:0002", "0003:0004"]
    assert sorted(document["drivers"], key=lambda one: not one["devices"]) == [
        {"symbol": "OFF", "module": "off", "source": "drivers/off.c", "old": False, "unread": 0,
         "devices": [{"bus": "pci", "ids": ids}]},
        {"symbol": "MUTE", "module": "mute", "source": "drivers/mute.c", "old": False, "unread": 0,
         "devices": []},
    ]  # fmt: skip


def test_the_old_tree_tells_the_devices_of_what_is_gone(
    run_inside, make_config, make_tree, tmp_path
):
    menu = ("#", "# Device Drivers", "#")
    config = make_config(*menu, "CONFIG_GONE=m", "# end of Device Drivers", kernel="6.1.0")
    tree = make_tree(tmp_path / "tree", {**DRIVERS, "drivers/Makefile": ""}, "6.12.0")
    files = {**DRIVERS, "drivers/Makefile": "obj-$(CONFIG_GONE) += off.o\n"}
    old = make_tree(tmp_path / "old", files, "6.1.0")
    words = ("upgrade", config, "--tree", tree, *ONE, "--format", "json")
    document = json.loads(run_inside(*words, "--old-tree", old).stdout)
    (driver,) = document["drivers"]
    assert (driver["symbol"], driver["module"], driver["old"]) == ("GONE", "off", True)
    assert document["devices_untold"] == ""
    (old / "drivers/pci/pci.c").unlink()
    untold = json.loads(run_inside(*words, "--old-tree", old).stdout)["devices_untold"]
    assert untold == (
        "the old tree contains no driver sources: the devices of lost drivers are not known"
    )
    assert run_inside(*words, "--old-tree", "nowhere").code == 5


def test_an_upgrade_needs_a_tree_and_a_whole_configuration(run_inside, upgraded, tmp_path):
    upgraded()
    assert run_inside("upgrade", X86).code == 2
    (tmp_path / "frag").write_text("CONFIG_A=y\n")
    result = run_inside("upgrade", "frag", "--tree", tmp_path / "tree")
    assert result.code == 3
    assert "is not a complete configuration" in result.stderr
    assert run_inside("upgrade", X86, "--tree", tmp_path / "nowhere").code == 5


def test_lines_of_a_fragment_that_the_tree_does_not_keep_are_told(
    run_inside, make_config, make_tree, tmp_path
):
    config = make_config("CONFIG_KEPT=y", kernel="6.12.0")
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}, "6.12.0")
    (tmp_path / "f.config").write_text("CONFIG_LOST=y\nCONFIG_TYPO=y\nCONFIG_NEWER=y\n")
    words = ("diff", config, tmp_path / "f.config", "--tree", tree, *ONE)
    result = run_inside(*words, "--write", "json=found")
    assert "the same on both sides" not in result.stdout
    assert result.code == 1
    assert "LOST needs MISSING (Kconfig:8)" in result.stdout
    assert "TYPO is not in this tree" in result.stdout
    document = json.loads((tmp_path / "found").read_text())
    assert list(problems("diff", document, "advisor.output")) == []
    assert [(one["symbol"], one["value"]) for one in document["unheld"]] == [
        ("LOST", None),
        ("TYPO", None),
    ]


def test_a_boot_line_alone_that_cannot_be_judged_is_not_unchanged(run_inside, tmp_path):
    (tmp_path / "f.config").write_text("CONFIG_NET=y\n")
    words = ("--old-cmdline", "quiet", "--new-cmdline", "quiet mitigations=off")
    result = run_inside("diff", "f.config", "f.config", "-p", "realtime", *words)
    assert "\nrealtime: cannot be judged 1; security settings moved: " in result.stdout


def test_a_few_other_symbols_are_named(diff, make_config, tmp_path):
    symbols = [f"CONFIG_THING_{number}" for number in range(5)]
    old = make_config(*(f"{symbol}=1" for symbol in symbols), name="old.config")
    new = make_config(*(f"{symbol}=2" for symbol in symbols), name="new.config")
    assert "THING_4 1 -> 2" in diff(old, new, *ONE, "--write", "markdown=page").stdout
    markdown = (tmp_path / "page").read_text()
    assert "`THING_4` 1 \u2192 2" in markdown


def test_a_choice_that_another_member_has_loses_nothing(diff, make_config, tmp_path):
    names = ("LEGACY_VSYSCALL_XONLY", "LEGACY_VSYSCALL_NONE")
    lines = [(f"CONFIG_{a}=y", f"# CONFIG_{b} is not set") for a, b in (names, names[::-1])]
    sides = [make_config(*two, name=f"{n}.config") for n, two in enumerate(lines)]
    text = diff(*sides, *ONE, "--write", "json=found").stdout
    document = json.loads((tmp_path / "found").read_text())
    assert document["choices"] == [{"old": names[0], "new": names[1], "menu": ""}]
    assert document["symbols"] == []
    assert f"{names[0]} -> {names[1]}" in text


def test_what_a_later_patch_of_the_stable_series_lacks_is_gone(diff, make_config):
    old = make_config("CONFIG_CRYPTO_STATS=y", kernel="6.1.100", name="old.config")
    new = make_config("CONFIG_NET=y", kernel="6.12.43", name="new.config")
    document = json.loads(diff(old, new, *ONE, "-f", "json").stdout)
    kinds = {move["symbol"]: move["kind"] for move in document["symbols"]}
    assert kinds["CRYPTO_STATS"] == "gone"


def test_what_was_just_switched_off_needs_nothing(run_inside, make_config, make_tree, tmp_path):
    old = make_config("CONFIG_KEPT=y", kernel="6.12.0", name="old.config")
    new = make_config("# CONFIG_KEPT is not set", kernel="6.12.0", name="new.config")
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}, "6.12.0")
    result = run_inside("diff", old, new, "--tree", tree, *ONE)
    assert "  - (no menu): KEPT\n" in result.stdout
    assert "stays" not in result.stdout


def test_a_move_names_the_sources_of_its_own_architecture(diff, tmp_path):
    arm64 = EXAMPLES / "arm64-6.1.config.xz"
    single = tmp_path / "single"
    text = lzma.decompress(arm64.read_bytes()).decode()
    single.write_text(re.sub("CONFIG_NR_CPUS=.*", "CONFIG_NR_CPUS=2", text))
    told = diff(arm64, single, "-p", "server-throughput", "--cpus", "64", "-f", "markdown").stdout
    assert "arch/arm64/Kconfig" in told
    assert "arch/x86" not in told
