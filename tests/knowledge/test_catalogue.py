"""The catalogue: what it says of a name, what it refuses, and what trees make of it."""

from __future__ import annotations

import gzip

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import catalogue
from advisor.knowledge.catalogue import Catalogue, SymbolTraits
from advisor.lint.learn import learn
from advisor.model.kernel import parse_version

from ..cases import each

TEXT = """\
kernel-advisor-catalogue 1
kernel 5.14.0-rc5 arm x86
kernel 5.14.0 arm x86
kernel 6.1.0 arm riscv x86
kernel 6.8.2 arm riscv x86
[symbols]
ALWAYS	bp 5.14.0-rc5..
COUNT_100	bp:COUNT_100 6.1.0..
COUNT_1000	bp:COUNT_100 !arm 6.1.0..
COUNT_20	ip 5.14.0-rc5..
COUNT_250	bp:COUNT_100 6.1.0;bp:COUNT_200 6.8.2..
GAPPED	t- 5.14.0-rc5,6.1.0
GONE	b- 5.14.0-rc5..5.14.0;bp 6.1.0
MOVED	sp arm 5.14.0-rc5..6.1.0;ho !x86 6.8.2..
NEW_NAME	up 6.8.2..
"""


@pytest.fixture
def small():
    return Catalogue(TEXT, "catalogue.gz")


def names(small, bits):
    return catalogue.spelled_kernels(bits, [kernel.version.text for kernel in small.kernels])


@each(
    ("symbol", "arch", "kernels"),
    [
        ("ALWAYS", None, "5.14.0-rc5.."),
        ("ALWAYS", "riscv", "6.1.0.."),
        ("GAPPED", None, "5.14.0-rc5,6.1.0"),
        ("GONE", "x86", "5.14.0-rc5..6.1.0"),
        ("MOVED", None, "5.14.0-rc5.."),
        ("MOVED", "arm", "5.14.0-rc5.."),
        ("MOVED", "riscv", "6.8.2.."),
        ("MOVED", "x86", ""),
        ("COUNT_1000", "arm", ""),
        ("ALWAYS", "never-read", "5.14.0-rc5.."),
    ],
)
def test_the_kernels_of_a_symbol(small, symbol, arch, kernels):
    assert names(small, small.seen(symbol).kernels(arch)) == kernels


def test_spans_pass_over_kernels_not_read_for_the_architecture(small):
    assert small.seen("GAPPED").spans() == [(0, 0), (2, 2)]
    assert small.seen("GONE").spans("riscv") == [(2, 2)]
    assert small.seen("ALWAYS").spans() == [(0, 3)]


def test_traits(small):
    assert small.seen("GONE").traits(0) == [SymbolTraits("bool", False, False, "")]
    assert small.seen("GONE").traits(2) == [SymbolTraits("bool", True, False, "")]
    assert small.seen("MOVED").traits(3) == [SymbolTraits("hex", False, True, "")]
    assert small.seen("COUNT_100").traits(3)[0].choice == "COUNT_100"
    assert small.seen("NEW_NAME").traits(3)[0].type == "unknown"
    assert small.seen("MOVED").arches(3) == {"arm", "riscv"}


def test_members_of_a_choice_in_one_kernel(small):
    assert small.members("COUNT_100", 2) == ["COUNT_100", "COUNT_250", "COUNT_1000"]
    assert small.members("COUNT_100", 3) == ["COUNT_100", "COUNT_1000"]
    assert small.members("COUNT_100", 3, "arm") == ["COUNT_100"]


@each(
    ("version", "around"),
    [
        ("5.10", ["5.14.0-rc5"]),
        ("5.14", ["5.14.0", "5.14.0-rc5"]),
        ("5.14.21", ["5.14.0"]),
        ("5.19", ["5.14.0", "6.1.0"]),
        ("6.1.99", ["6.1.0"]),
        ("6.8.0", ["6.1.0", "6.8.2"]),
        ("6.8.3", ["6.8.2"]),
        ("6.8", ["6.8.2"]),
        ("7.0", ["6.8.2"]),
    ],
)
def test_the_kernels_read_around_another(small, version, around):
    found = [small.kernels[n].version.text for n in small.around(parse_version(version))]
    assert sorted(found) == around


def test_a_kernel_is_bracketed_by_those_read_for_its_architecture(small):
    assert small.around(parse_version("5.19"), "riscv") == [2]


@each(
    ("wrong", "near"),
    [
        ("ALWASY", ["ALWAYS"]),
        ("ALWAY", ["ALWAYS"]),
        ("ALLWAYS", ["ALWAYS"]),
        ("ALWAXS", ["ALWAYS"]),
        ("NEWNAME", ["NEW_NAME"]),
        ("new_name", ["NEW_NAME"]),
        ("COUNT_300", []),  # another number is another thing, not a slip
        ("COUNT_10O", ["COUNT_100"]),
        ("UNLIKE", []),
        ("GOXE", []),
    ],
)
def test_typos(small, wrong, near):
    assert small.typo(wrong) == near


@each(
    ("wrong", "near"),
    [
        ("EXT4_POSIX_ACL", ["EXT4_FS_POSIX_ACL"]),
        ("NETFILTER_MATCH_CONNTRACK", ["NETFILTER_XT_MATCH_CONNTRACK"]),
        ("IP_NF_MASQUERADE", ["IP_NF_TARGET_MASQUERADE"]),
        ("DM_REQ_CRYPT", []),  # a vendor's own, and no slip of DM_CRYPT
        ("6LOWPAN_UDP", []),  # 6LOWPAN_GHC_UDP or 6LOWPAN_NHC_UDP
        ("USB_ISP", []),  # USB_ISP1760_HCD has another last part
    ],
)
def test_a_part_that_is_missing(built_in, wrong, near):
    assert built_in.catalogue.typo(wrong) == near


@each(
    ("name", "other", "models"),
    [
        ("RTL8723CS", "RTL8723BS", True),
        ("SOC_K1X", "SOC_K1", True),
        ("RTL_8723CS", "RTX_8723CS", False),
        ("EX4_FS", "EXT4_FS", False),
        ("COUNT_10O", "COUNT_100", False),
    ],
)
def test_two_models_are_no_slip(name, other, models):
    assert catalogue._other_model(name, other) is models


@each(
    ("name", "other", "is_word"),
    [
        ("ROCKCHIP_OPP", "ROCKCHIP_OTP", True),
        ("ROCKCHIP_OPT", "ROCKCHIP_OTP", False),
        ("ROCKCHIP_OT", "ROCKCHIP_OTP", False),
        ("OPP", "OTP", False),
    ],
)
def test_another_word_of_the_kernel_is_no_slip(name, other, is_word):
    assert catalogue._other_word(name, other, {"ROCKCHIP", "OPP", "OTP", "OT", "PM"}) is is_word


def test_near_names_look_alike(small):
    assert small.near("ALWAYS_X") == ["ALWAYS"]
    assert small.near("COUNT_300") == []
    assert small.near("NOTHING_LIKE_IT") == []


def test_a_catalogue_of_another_kind():
    with pytest.raises(KnowledgeError, match=r"has no section \[symbols\]"):
        Catalogue(TEXT.replace("[symbols]", "[parameters]"))


# --- the file -------------------------------------------------------------------------------------


def test_no_file_is_an_empty_catalogue(tmp_path):
    found = Catalogue.load(str(tmp_path / "none.gz"))
    assert (found.kernels, found.seen("HZ"), found.near("HZ")) == ((), None, [])


PACKED = gzip.compress(TEXT.encode(), mtime=0)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"plain text",
        PACKED[:-20],
        PACKED[:80] + b"\0\0" + PACKED[82:],
        gzip.compress(b"something else\n", mtime=0),
        gzip.compress(TEXT.replace("catalogue 1", "catalogue 2").encode(), mtime=0),
        gzip.compress(TEXT.replace("kernel 6.1.0", "kernel six").encode(), mtime=0),
        gzip.compress(b"\xff", mtime=0),
    ],
)
def test_a_damaged_file(tmp_path, content):
    path = tmp_path / "catalogue.gz"
    path.write_bytes(content)
    with pytest.raises(KnowledgeError, match="lint --learn makes the file again") as raised:
        Catalogue.load(str(path))
    assert (raised.value.exit_code, raised.value.where) == (4, str(path))


@each(
    ("old", "new"),
    [
        ("ALWAYS\tbp 5.14.0-rc5..", "ALWAYS"),
        ("ALWAYS\tbp 5.14.0-rc5..", "ALWAYS\tbp 4.4.."),
        ("ALWAYS\tbp 5.14.0-rc5..", "ALWAYS\tbp"),
        ("ALWAYS\tbp 5.14.0-rc5..", "ALWAYS\tbp arm x86 6.1.0"),
    ],
)
def test_a_line_that_says_nothing(old, new):
    assert old in TEXT
    catalogue = Catalogue(TEXT.replace(old, new))
    with pytest.raises(KnowledgeError, match="facts"):
        assert [catalogue.names(), catalogue.seen("ALWAYS")]


# --- learning -------------------------------------------------------------------------------------

KCONFIG = {
    "6.1.0": 'config OLD\n\tbool "old"\nconfig BOTH\n\tbool\n',
    "6.8.0": 'config BOTH\n\ttristate "both"\nchoice\n\tprompt "which"\n'
    'config ONE\n\tbool "one"\nconfig TWO\n\tbool "two"\nendchoice\n',
    "6.18.0": 'config BOTH\n\ttristate "both"\nconfig ONE\n\tbool\n\ttransitional\n',
}
LEARNT = """\
kernel-advisor-catalogue 1
kernel 6.1.0 arm x86
kernel 6.8.0 arm x86
kernel 6.18.0 arm x86
[symbols]
ARM_ONLY	hp arm 6.1.0..
BOTH	b- 6.1.0;tp 6.8.0..
OLD	bp 6.1.0
ONE	bp:ONE 6.8.0;bo 6.18.0..
TWO	bp:ONE 6.8.0
"""


@pytest.fixture
def trees(make_tree, tmp_path):
    """Small trees by version."""
    found = {}
    for version, kconfig in KCONFIG.items():
        files = {
            "Kconfig": 'source "init/Kconfig"\nsource "arch/$(SRCARCH)/Kconfig"\n',
            "init/Kconfig": kconfig,
            "arch/Kconfig": "",
            "arch/arm/Kconfig": 'config ARM_ONLY\n\thex "only"\n',
            "arch/README": "",
        }
        found[version] = make_tree(tmp_path / version, files, version)
    return found


def unpacked(path):
    return gzip.decompress(path.read_bytes()).decode()


@pytest.mark.slow
def test_what_trees_declare(trees, tmp_path, run_inside):
    path = tmp_path / "c.gz"
    result = run_inside("lint", "--learn", *trees.values(), "--output", path)
    assert (result.code, unpacked(path)) == (0, LEARNT)
    assert result.stdout.startswith("3 kernels, 5 symbols, ")
    assert result.stderr.count("is read, without C source\n") == 3
    assert "no parameters" in result.stdout
    assert not (tmp_path / "parameters.gz").exists()


@pytest.mark.slow
def test_one_after_the_other_in_any_order_gives_the_same_bytes(trees, tmp_path):
    together, apart = tmp_path / "together.gz", tmp_path / "apart.gz"
    learn(list(map(str, trees.values())), str(together), str)
    for version in ("6.18.0", "6.1.0", "6.8.0", "6.1.0"):
        learn([str(trees[version])], str(apart), str)
    assert apart.read_bytes() == together.read_bytes()


@pytest.mark.slow
def test_a_tree_that_changed_is_learnt_anew(trees, tmp_path):
    path = tmp_path / "c.gz"
    path.write_bytes(gzip.compress(LEARNT.encode()))
    (trees["6.1.0"] / "init/Kconfig").write_text("config BOTH\n\tbool\n")
    learn([str(trees["6.1.0"])], str(path), str)
    assert unpacked(path) == LEARNT.replace("OLD\tbp 6.1.0\n", "")


@pytest.mark.slow
def test_an_architecture_that_cannot_be_parsed_counts_as_not_read(trees, tmp_path):
    (trees["6.1.0"] / "arch/arm/Kconfig").write_text('source "none"\n')
    told = []
    learn([str(trees["6.1.0"])], str(tmp_path / "c.gz"), told.append)
    assert "arm is left out (" in told[0]
    assert "\nkernel 6.1.0 x86\n" in unpacked(tmp_path / "c.gz")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--learn"], 2, "no kernel tree is named"),
        (["6.1.0", "--output", "c.gz"], 2, "add --learn"),
        (["--learn", "6.1.0", "6.1.0"], 2, "are both Linux 6.1.0"),
        (["--learn", "missing"], 5, "no such folder"),
        (["--learn", "6.1.0", "--output", "no/such/folder"], 6, "cannot be written"),
        (
            ["--learn", "6.1.0", "--output", "parameters.gz"],
            2,
            "name of the file of the parameters",
        ),
    ],
)
def test_what_cannot_be_learnt(trees, tmp_path, run_inside, monkeypatch, words, code, message):
    monkeypatch.setattr(Catalogue, "location", lambda: str(tmp_path / "built-in.gz"))
    result = run_inside("lint", *words)
    assert (result.code, message in result.stderr) == (code, True)
    assert not (tmp_path / "built-in.gz").exists()


def test_trees_none_of_whose_architectures_can_be_parsed(trees, tmp_path, run_inside):
    (trees["6.1.0"] / "init/Kconfig").write_text('source "none"\n')
    result = run_inside("lint", "--learn", trees["6.1.0"], "--output", tmp_path / "c.gz")
    assert result.code == 5
    assert not (tmp_path / "c.gz").exists()
