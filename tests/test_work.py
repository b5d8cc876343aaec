"""What hostile inputs cost: twice the input is twice the work, or the work is refused in a line.

Work is counted, in calls of functions or in bytes; the inputs are made here, of a few thousand
bytes each, by the patterns that made earlier versions hang.
"""

from __future__ import annotations

import gzip
import io
import re

import pytest

from advisor.engine.diagnose.values_apart import values_apart
from advisor.engine.effective.world import World
from advisor.engine.judgement.conflicts import broken
from advisor.engine.judgement.judge import judge
from advisor.errors import InputError, KnowledgeError, TreeError
from advisor.inputs.bootfiles import format_of, read
from advisor.inputs.bootfiles.tuned import LinearParser
from advisor.inputs.bootline import read_cmdline
from advisor.inputs.config import parse_config
from advisor.inputs.host.held import Held, Link
from advisor.inputs.host.root import Root
from advisor.inputs.host.snapshot import MOST_PATTERNS, files_of
from advisor.inputs.image import extract_ikconfig
from advisor.inputs.nextboot import tlp
from advisor.inputs.nextboot.grubmenu import Menu
from advisor.inputs.nextboot.udev import read_udev
from advisor.inputs.nextboot.writes import Writes
from advisor.inputs.subject import Given, subject_of
from advisor.inputs.unpack import CHUNK, unpacked
from advisor.knowledge import index, policies
from advisor.knowledge.sysctlcatalogue import SysctlCatalogue
from advisor.model.condition_parser import parse
from advisor.model.kernel import Location, Machine
from advisor.model.policy import Policy
from advisor.tree.files import TreeFiles
from advisor.tree.kconfig.values import number
from advisor.tree.toolchain import Toolchain

from . import corpus
from .cases import each
from .inputs.host.hosts import write_host
from .work import calls, grows_linearly, steps

EMPTY = gzip.compress(b"")


class Counted(io.BytesIO):
    """A file that counts the bytes that are read of it."""

    count = 0

    def read(self, size=-1, /):
        data = super().read(size)
        self.count += len(data)
        return data


# Packed files in a row


def test_empty_packed_files_in_a_row_are_read_once():
    stream = Counted(gzip.compress(b"CONFIG_A=y\n") + EMPTY * 5000)
    assert b"".join(unpacked(stream, "x")) == b"CONFIG_A=y\n"
    assert stream.count <= len(stream.getvalue()) + CHUNK


@each("head", [gzip.compress(b"a\0b"), b"\x7fELF" + bytes(100) + b"IKCFG_ST" + EMPTY])
def test_of_packed_files_in_a_row_an_image_unpacks_each_once(head):
    def make(size):
        def run():
            with pytest.raises(InputError):
                extract_ikconfig(io.BytesIO(head + EMPTY * size), "x")

        return run

    grows_linearly(make, 500)


def test_an_image_is_read_no_further_than_its_budget(monkeypatch):
    from advisor.inputs import image

    monkeypatch.setattr(image, "SIZE_LIMIT", 1 << 20)
    parts = (gzip.compress(bytes([n % 256]) * 4096) + b"x" * n for n in range(300))
    with pytest.raises(InputError, match="no configuration in the first 1 MiB"):
        extract_ikconfig(io.BytesIO(b"\0" + b"".join(parts)), "x")


# Conditions


@each(
    ("text", "message"),
    [
        ("(" * 3000 + "SMP" + ")" * 3000, "more than 64 nested parentheses"),
        ("!" * 500 + "SMP", "more than 64 nested parentheses"),
        ("!" * 15000 + "SMP", "more than 1000 terms"),
        (" || ".join(["SMP"] * 80_000), "more than 1000 terms"),
        ("kernel >= 6.x", "'6.x' at column 11 does not have the form of 6.12"),
        ("kernel >= 6.²", "does not have the form of 6.12"),
        ("kernel >= " + "9" * 5000, "does not have the form of 6.12"),
        ("memory >= 4X", "'4X' at column 11 does not have the form of 32G"),
        ("memory >= " + "9" * 5000 + "G", "does not have the form of 32G"),
        ("cpus >= ²", "does not have the form of 64"),
        ("nodes = many", "does not have the form of 64"),
        ("HZ >= " + "9" * 5000, "is not a number such as 1000 or 0x40"),
        ("HZ >= 25O", "is not a number such as 1000 or 0x40"),
    ],
    ids=str,
)
def test_a_condition_that_nobody_wrote_to_be_read_is_refused(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(text)


def test_conditions_within_each_other_are_counted_with_what_they_hold():
    named = {"c0": parse("SMP")}
    for level in range(9):
        named[f"c{level + 1}"] = parse(f"c{level} && c{level}", named)
    with pytest.raises(ValueError, match="more than 1000 terms"):
        parse("c9 && c9", named)


def test_a_condition_of_many_terms_is_parsed_in_one_pass():
    grows_linearly(lambda n: lambda: parse(" || ".join(["SMP"] * n)), 400)
    parse("(" * 60 + " && ".join(["HZ >= 250"] * 900) + ")" * 60)


def test_names_below_a_folder_of_rules_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("advisor.knowledge.files.MOST_NAMES", 10)
    for name in "abcdef":
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").touch()
    with pytest.raises(KnowledgeError, match="more than 10 files and folders"):
        index.load(rules=[str(tmp_path)])


def test_a_profiles_wrong_condition_is_told_with_its_line(tmp_path):
    (tmp_path / "mine.toml").write_text(
        'id = "mine"\ntitle = "T"\nsummary = "S."\n[[advice]]\nid = "a"\ntunable = "tick-mode"\n'
        'want = ["idle"]\nstance = "want"\nstrength = "could"\nwhy = "w"\n'
        'sources = ["vendor https://example.org/a"]\nonly_if = "kernel >= 6.x"\n'
    )
    with pytest.raises(KnowledgeError, match="does not have the form of") as raised:
        index.load(profiles=[str(tmp_path)])
    assert raised.value.where == f"{tmp_path}/mine.toml:12"


# A host's files


def menu(text, entries=0):
    read = []

    def bls(menu_):
        return []

    def source(file):
        read.append(file)
        return text, file

    found = Menu("grub.cfg", {}, lambda _: False, bls, source)
    found.read(text)
    return found, read


LINE = "menuentry 'L' {\n linux /boot/vmlinuz-6.12 %s\n}\n"


def test_a_menu_that_sources_a_file_again_and_again_reads_it_once():
    _, read = menu("source $prefix/a.cfg\n" * 200)
    assert read == ["a.cfg"]


def test_words_that_variables_come_to_are_counted():
    text = "set a='" + "x " * 20_000 + "'\n" + "set b=$a\n" * 300
    found, _ = menu(text + LINE % "quiet")
    assert found.entries == []  # nothing behind it is certain, and nothing is claimed
    assert found.values["default"] is None


def test_a_line_of_a_menu_has_an_end():
    found, _ = menu("set a='" + "x " * 20_000 + "'\n" + LINE % ("$a " * 3000))
    assert len(found.entries[0].words) < 70_000


def test_the_menu_of_five_hundred_kernels_is_read():
    text = "set root=hd0\n" + "".join(
        LINE % (f"root=UUID={n} ro quiet ${{tuned_params}} " + "a=b " * 20) for n in range(500)
    )
    found, _ = menu(text)
    assert len(found.entries) == 500
    assert all(one.certain for one in found.entries)


def rules_for(tmp_path, text):
    root = Root(
        str(
            write_host(
                tmp_path,
                {
                    "/etc/udev/rules.d/9.rules": text,
                    "/sys/block/sda/queue/scheduler": "[none]\n",
                },
            )
        )
    )
    into = Writes(root, ("/sys/block/DEVICE/queue/scheduler",))
    read_udev(root, into)
    return root, into


def test_a_rule_of_udev_is_held_against_a_device_once(tmp_path):
    names = "|".join(f"a{n}*" for n in range(300))

    def make(size):
        text = f'KERNEL=="sda|{names}", ' + 'ATTR{queue/scheduler}="none",' * size + "\n"
        folder = tmp_path / f"{size}-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return lambda: rules_for(folder, text)

    grows_linearly(make, 100)


def test_alternatives_of_a_rule_of_udev_are_counted(tmp_path, monkeypatch):
    from advisor.inputs.nextboot import udev

    monkeypatch.setattr(udev, "_MOST_TESTS", 10_000)
    names = "|".join(f"a{n}*" for n in range(200))
    root, into = rules_for(tmp_path, f'KERNEL!="{names}", ATTR{{queue/scheduler}}="none"\n')
    assert not into.written
    assert "more rules and devices" in next(iter(root.unread.values()))


@each(
    ("line", "value"),
    [('A="1"', "1"), ("A=1 ", "1 "), ('A="1"  ', "1"), ("A=1\t ", "1"), ("A=1!", None)],
)
def test_there_is_one_way_to_read_a_line_of_tlp(line, value):
    found = tlp._LINE.fullmatch(line)
    assert (found and found[3]) == value
    # What may follow the value begins with what no value has.
    assert tlp._LINE.pattern.endswith(r"""_.:-]*)(?:(?:"|[^\S ])\s*)?""")


def test_tuneds_options_are_read_as_configparser_does():
    text = "[a]\nx = 1 # c\n y\nzed  =  two words  \n[b]\nempty =\n"
    parser = LinearParser(delimiters=("=",), inline_comment_prefixes=("#",))
    parser.read_string(text)
    assert {name: dict(parser[name]) for name in parser.sections()} == {
        "a": {"x": "1\ny", "zed": "two words"}, "b": {"empty": ""},
    }  # fmt: skip
    # Nothing of the expression that is used may be repeated next to what takes the same signs.
    assert "*?" not in parser._optcre.pattern


def test_names_with_a_star_of_a_snapshot_are_counted():
    absent = "".join(f"absent /proc/sys/vm/a{n}*b\n" for n in range(MOST_PATTERNS + 1))
    with pytest.raises(InputError, match=f"more than {MOST_PATTERNS} patterns"):
        files_of(f"kernel-advisor snapshot 1\n{absent}end\n".encode(), "x")


@each("target", ["a/" * 100_000, "a/" * 3000, "/" * 5000], ids=len)
def test_a_link_longer_than_a_path_can_be_leads_nowhere(target):
    host = Held("x", {"sys/block": Link(target), "a": b""})
    names = []
    work = calls(lambda: names.extend(host.names("/sys/block")))
    assert names == []
    assert work < 3000
    assert host.unread == {"/sys/block": "file name too long"}


def test_links_that_lead_back_and_forth_are_counted(monkeypatch):
    from advisor.inputs.host import root

    monkeypatch.setattr(root, "MOST_ENTRIES", 5000)
    links = {f"l{n}": Link("a/../" * 500 + f"l{n + 1}") for n in range(39)}
    host = Held("x", {**links, "a/b": b""})
    assert not host.has("/l0/x")
    assert host.text("/a/b") is None  # all is spent


# What a change brings to a review


def boot_file(path, text):
    return read(text, path, format_of(path, text))


def test_sets_within_each_other_are_walked_once():
    def make(size):
        text = "boot.kernelParams = [];" + "{" * size + "a=1;" * size
        return lambda: boot_file("configuration.nix", text)

    grows_linearly(make, 300, steps)


def test_a_setting_in_sets_within_each_other_is_found():
    text = '{ x = { y = 1; }; boot = { kernel = { sysctl = { "vm.swappiness" = 5; }; };\n'
    found = boot_file("configuration.nix", text + 'kernelParams = [ "quiet" ]; }; }')
    assert found.cmdline.text == "quiet"
    assert found.sysctl["vm.swappiness"][0] == "5"


def test_a_name_may_not_stand_for_a_list_without_end():
    text = "let x = [ " + '"" ' * 2000 + "]; in { boot.kernelParams = x" + " ++ x" * 2000 + "; }"
    with pytest.raises(InputError, match="more than 65536 characters"):
        boot_file("configuration.nix", text)


def test_here_documents_without_end_are_looked_for_once():
    def make(size):
        text = "".join(f"cat <<A{n}\n" for n in range(size)) + 'GRUB_CMDLINE_LINUX="quiet"\n'
        return lambda: boot_file("etc/default/grub", text)

    grows_linearly(make, 500)


@each(
    ("text", "line"),
    [
        ('cat <<E\nGRUB_CMDLINE_LINUX="a"\nE\nGRUB_CMDLINE_LINUX="b"\n', "b"),
        ('cat <<-E\n\tGRUB_CMDLINE_LINUX="a"\n\tE\nGRUB_CMDLINE_LINUX="b"\n', "b"),
        ('cat <<E\n\tE\nGRUB_CMDLINE_LINUX="a"\nE', ""),
        ('cat <<E <<F\nE\nGRUB_CMDLINE_LINUX="a"\nF\nGRUB_CMDLINE_LINUX="b"\n', "b"),
        ('E\ncat <<E\nGRUB_CMDLINE_LINUX="b"\n', "b"),
    ],
)
def test_here_documents_end_where_a_shell_ends_them(text, line):
    found = boot_file("etc/default/grub", text)
    assert (found.cmdline.text if found.cmdline else "") == line


# Settings of run time


def test_a_name_is_held_against_the_patterns_that_end_alike():
    """What `sysctl -a` of a host with hundreds of interfaces has: 32 names for each of them."""
    catalogue = SysctlCatalogue.load()
    catalogue.seen("net.ipv4.conf.a.rp_filter")
    names = [f"net.ipv4.conf.veth{n}.rp_filter" for n in range(1000)]
    assert all(catalogue.seen(name).name == "net.ipv4.conf.*.rp_filter" for name in names)
    # A name is looked up by halving the catalogue: some twenty steps.
    assert calls(lambda: [catalogue.seen(name) for name in names]) < 50 * len(names)
    assert catalogue.seen("net.ipv4.conf." + "a" * 300 + ".rp_filter") is None


# Trees


@pytest.fixture
def tree(tmp_path):
    for n in range(12):
        (tmp_path / f"l{n}").symlink_to(".")
    return TreeFiles(str(tmp_path))


def test_names_that_patterns_match_are_counted(tree):
    with pytest.raises(TreeError, match="its patterns match more than 50000 names"):
        tree.check_source("*/*/*/*/*/*/*/*/Kconfig*", "Kconfig:1")


def test_a_pattern_names_what_glob_names(tree, tmp_path):
    (tmp_path / "a").mkdir()
    for name in ("Kconfig", "Kconfig.x", ".Kconfig"):
        (tmp_path / "a" / name).write_text("")
    assert tree.matches("a/*") == ["a/Kconfig", "a/Kconfig.x"]
    assert tree.matches("a/.K*") == ["a/.Kconfig"]
    assert tree.matches("[ab]/K*g") == ["a/Kconfig"]
    assert tree.matches("a/none") == tree.matches("a/Kconfig/*") == []
    assert tree.matches("a/Kconfig") == ["a/Kconfig"]


@each(
    ("text", "base", "value"),
    [
        ("12", 10, 12), ("-5x", 10, -5), ("0x1F", 16, 31), ("1f", 16, 31), ("", 10, 0),
        ("abc", 10, 0), ("²", 10, 0), ("0x", 16, 0), ("0" * 40 + "7", 10, 7),
        ("9" * 5000, 10, (1 << 63) - 1), ("-" + "9" * 5000, 10, -(1 << 63)),
    ],
    ids=str,
)  # fmt: skip
def test_a_number_is_what_strtoll_makes_of_it(text, base, value):
    assert number(text, base) == value


def test_expr_of_numbers_without_end_is_no_answer():
    digits = "9" * 5000
    assert Toolchain(None).answer(f"expr {digits} + 1", "") == ""
    assert Toolchain(None).answer("expr 4 + 1", "") == "5"


# Boot lines


def test_the_words_of_a_line_are_looked_at_once(make_world):
    def make(count):
        world = make_world(cmdline=" ".join(["dyndbg=x", *["a=b"] * count]))
        world.line.words  # noqa: B018  # parsed before it is counted
        return lambda: list(values_apart(world))

    grows_linearly(make, 200)  # of which x86 keeps all


def test_sysctls_are_read_once_for_all_worlds(make_world, monkeypatch):
    lines = "".join(f"net.ipv4.conf.e{n}.rp_filter = 1\n" for n in range(100))
    world = make_world(sysctl=lines)
    told = world.settings()
    monkeypatch.setattr(World, "read_of", lambda *_: pytest.fail("read again"))
    assert world.after(world.subject._replace(cmdline=None)).settings() == told


def test_a_change_is_held_against_the_policies_that_it_touches():
    def make(count):
        names = [f"OURS_{number}" for number in range(count)]
        place = Location("kernel-advisor.toml", 1)
        asked = [
            Policy(name, "symbol", name, ("y",), "ours", place, out_of_tree=True) for name in names
        ]
        lines = (f"CONFIG_{name}=y\n" for name in names[::2])
        others = (f"# CONFIG_{name} is not set\n" for name in names[1::2])
        config = parse_config("".join((*lines, *others)), ".config")
        known = policies.known(asked, corpus.knowledge())
        world = World(subject_of(config, Given(Machine(arch="x86"))), known)
        findings = judge(world, [policies.profile(asked)])
        return lambda: broken(findings, world)

    grows_linearly(make, 100)


def test_a_line_that_no_kernel_keeps_is_refused():
    line = "a=b " * 20_000
    with pytest.raises(InputError, match="boot line of more than 65536 characters"):
        read_cmdline(line)
    with pytest.raises(InputError, match="built-in boot line of more than 65536") as raised:
        parse_config(f'CONFIG_A=y\nCONFIG_CMDLINE="{line}"\n', "x")
    assert raised.value.where == "x:2"
    assert read_cmdline("a=b " * 16_000).words


@each(
    "line", ["isolcpus=0-65535 nohz_full=0-65535 " * 20, "isolcpus=5 " * 300], ids=["cpus", "lists"]
)
def test_cpu_lists_of_a_line_are_counted(make_world, line):
    world = make_world("S390=y CPU_ISOLATION=y NO_HZ_FULL=y SMP=y", cmdline=line, arch="s390")
    with pytest.raises(InputError, match="too many CPU lists"):
        world.line.lists()
