"""Configurations as Kconfig reads them: conf_read_simple() of 6.12 and what it warns of."""

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.inputs import config as dotconfig
from advisor.inputs import configlines
from advisor.inputs.config import KernelConfig, parse_config, read_config
from advisor.model.diagnostics import severity_of
from advisor.model.kernel import Configuration, EntryState, InputNote, Location, Severity, unquote

from ..cases import each

HEADER = """#
# Automatically generated file; DO NOT EDIT.
# Linux/x86 6.12.117 Kernel Configuration
#
"""
SYMBOLS = "".join(f"CONFIG_S{i}=y\n" for i in range(dotconfig.MIN_COMPLETE))
FIRST, LAST = "CONFIG_INIT_ENV_ARG_LIMIT=32\n", "# CONFIG_DEBUG_KERNEL is not set\n"
HAVE = "".join(f"CONFIG_HAVE_{i}=y\n" for i in range(dotconfig.FEWEST_HAVE))
# Lines as they stand in real files, and two that only look so, in any order.
LINES = st.lists(
    st.sampled_from(
        ["CONFIG_A=y", "CONFIG_B=m", "CONFIG_C=n", "# CONFIG_A is not set", "# CONFIG_D is not set",
         'CONFIG_E="x=y # z"', "CONFIG_F=0x1f", "#", "# Memory", "", "##CONFIG_A is not set",
         "xxCONFIG_A is not set", '# CONFIG_G="x"', "# a=b"]
    )
)  # fmt: skip
# What oddly written lines are made of.
WORDS = st.sampled_from(
    ["CONFIG_", "# CONFIG_", "A", "B", "=", "y", "m", "n", '"', "\\", " is not set", "0", "0x", "f",
     " ", "#", "\n", "\r\n", "\r", "\0", "\u2028", "é", "-", "1"]
)  # fmt: skip


def config(text: str) -> KernelConfig:
    return parse_config(text, "x")


def one(text: str, symbol: str = "A") -> str | None:
    """The value of a symbol where the text also sets another."""
    return config(f"CONFIG_OTHER=y\n{text}\n").get(symbol)


def notes(text: str) -> list[tuple[str, Severity, int]]:
    found = config("CONFIG_O=y\n" + text).notes
    return [(n.id, n.severity or severity_of(n.id), n.location.line) for n in found]


@each(
    ("line", "value"),
    [
        ("CONFIG_A=y", "y"),
        ("CONFIG_A=m", "m"),
        ("CONFIG_A=n", "n"),
        ("# CONFIG_A is not set", "n"),
        ("CONFIG_A=1000", "1000"),
        ("CONFIG_A=-5", "-5"),
        ("CONFIG_A=0", "0"),
        ("CONFIG_A=0xffffffff81000000", "0xffffffff81000000"),
        ("CONFIG_A=0XF", "0XF"),
        ("CONFIG_A=1f", "1f"),
        ('CONFIG_A=""', '""'),
        ('CONFIG_A="a b=c # d"', '"a b=c # d"'),
        (r'CONFIG_A="a\"b"', r'"a\"b"'),
        (r'CONFIG_A="a\\"', r'"a\\"'),
        ('CONFIG_A="é"', '"é"'),
    ],
)
def test_a_value_is_kept_as_written(line: str, value: str) -> None:
    found = config(f"CONFIG_O=y\r\n{line}\r\n")

    assert found.get("A") == value
    assert found.notes == ()
    state = EntryState.NOT_SET if value == "n" else EntryState.SET
    assert found.entry("A") == (value, state, Location("x", 2))


@each(
    ("line", "value"),
    [
        ("CONFIG_A=yes", "y"),
        ("CONFIG_A=no", "n"),
        ("CONFIG_A=module", "m"),
        ("CONFIG_A=y # because", "y"),
        ("CONFIG_A=n ", "n"),
        ('CONFIG_A="b" # because', '"b"'),
        ('CONFIG_A="b""', '"b"'),
    ],
)
def test_what_kconfig_drops_of_a_value_is_told(line: str, value: str) -> None:
    assert one(line) == value
    assert notes(line) == [("trailing-text", Severity.WARNING, 2)]
    assert config(line).entry("A").location.line == 1


@each(
    "value",
    ["Y", "maybe", "none", "1000 # HZ", "-x", "-", "-05", "0x", "0xg", "abc", "'y'", " y", "1_0",
     "²", "-²", '"', '"abc', '"abc\\"', '"abc\\', '"\\\\\\"', "$(shell,ls)"],
)  # fmt: skip
def test_a_value_of_no_type_is_ignored_and_an_error(value: str) -> None:
    assert one(f"CONFIG_A={value}") is None
    assert notes(f"CONFIG_A={value}") == [("invalid-value", Severity.ERROR, 2)]


def test_an_ignored_value_leaves_the_one_before() -> None:
    found = config("CONFIG_A=y\nCONFIG_A=Y\n")

    assert found.entry("A") == ("y", EntryState.SET, Location("x", 1))


@each(
    ("line", "severity"),
    [
        ("CONFIG_A=", Severity.ERROR),
        ("CONFIG_A", Severity.ERROR),
        ("CONFIG_A =y", Severity.ERROR),
        ("CONFIG_=y", Severity.ERROR),
        ("CONFIG_Ä=y", Severity.ERROR),
        (" CONFIG_A=y", Severity.ERROR),
        ("export CONFIG_A=y", Severity.ERROR),
        ("A=y", Severity.WARNING),
        ("<<<<<<< HEAD", Severity.WARNING),
        ("this is not set", Severity.WARNING),
        ("x CONFIG_A is not set", Severity.ERROR),
        ("xxCONFIG_A is not set", Severity.ERROR),
    ],
)
def test_a_line_kconfig_does_not_expect_is_told(line: str, severity: Severity) -> None:
    assert one(line) is None
    assert notes(line) == [("malformed-line", severity, 2)]


@each(
    ("header", "told"),
    [
        ("# Linux/arm 4.19.78 Kernel Configuration\n", 0),
        ("# Linux/arm 6.12.1 Kernel Configuration\n", 1),
        ("", 1),
    ],
)
def test_a_number_without_a_value_is_what_conf_wrote_up_to_6_7(header: str, told: int) -> None:
    config = parse_config(header + "CONFIG_A=y\nCONFIG_PHYS_OFFSET=\n", "x")
    assert config.get("PHYS_OFFSET") is None
    assert [note.id for note in config.notes] == ["malformed-line"] * told


@pytest.mark.parametrize("line", ["# CONFIG_A is not set ", "# CONFIG_A is not set # x=y"])
def test_not_set_must_end_the_line(line: str) -> None:
    assert one(line) is None
    assert notes(line) == [("malformed-line", Severity.WARNING, 2)]


@each(
    "line",
    [
        "", "#", "##", "# CONFIG_A", "#CONFIG_A is not set", "# CONFIG_A=y", "# a=b is not set",
        "# CONFIG_A-B is not set", "##CONFIG_A is not set", "#\tCONFIG_A is not set",
        "# the host is not set", '# CONFIG_A="certs/rhel.pem"', "# CONFIG_ is not set",
    ],
)  # fmt: skip
def test_other_comments_say_nothing(line: str) -> None:
    assert one(line) is None
    assert notes(line) == []
    assert len(config(f"CONFIG_O=y\n{line}")) == 1


def test_text_of_the_file_cannot_garble_a_message() -> None:
    (note,) = config("CONFIG_A=y\n{0}\x1b[31m" + "x" * 99).notes

    assert note.message == f"Kconfig ignores this line: '{{0}}?[31m{'x' * 52}...'"


def test_only_ten_malformed_lines_are_told_one_by_one() -> None:
    found = config("CONFIG_A=y\n" + "x\n" * 25).notes

    assert len(found) == 11
    assert found[-1].location.line == 11
    assert found[-1].message == "and 15 more lines with this problem below"


def test_the_last_of_several_values_wins_and_both_lines_are_told() -> None:
    found = config("CONFIG_A=y\nCONFIG_B=m\n# CONFIG_A is not set\n")

    assert found.entry("A") == ("n", EntryState.NOT_SET, Location("x", 3))
    message = "CONFIG_A is y in line 1 and n in line 3: the last wins"
    where = Location("x", 3)
    assert found.notes == (InputNote("duplicate-symbol", where, message, "CONFIG_A"),)


def test_the_same_value_twice_is_no_matter() -> None:
    found = config("CONFIG_A=n\n# CONFIG_A is not set\n")

    assert found.notes == ()
    assert found.entry("A").location.line == 2


def test_an_absent_symbol_has_no_line() -> None:
    assert config("CONFIG_A=y").entry("B") == (None, EntryState.ABSENT, Location("x"))


def test_symbols_stand_in_the_order_of_the_file() -> None:
    found = config("CONFIG_B=y\n# CONFIG_A is not set\nCONFIG_C=1\n")

    assert list(found.symbols()) == ["B", "A", "C"]
    assert len(found) == 3


@each(
    ("header", "version", "arch"),
    [
        ("# Linux/x86 6.12.117 Kernel Configuration", "6.12.117", "x86"),
        ("# Linux/x86_64 6.12.0-144.el10 Kernel Configuration", "6.12.0-144.el10", "x86"),
        ("# Linux/i386 3.2.0 Kernel Configuration", "3.2.0", "x86"),
        ("# Linux/arm64 6.18.0-rc3 Kernel Configuration", "6.18.0-rc3", "arm64"),
        ("# Linux/sparc64 6.1.0 Kernel Configuration", "6.1.0", "sparc"),
        ("# Linux kernel version: 2.6.38", "2.6.38", None),
        ("# Armbian defconfig generated with 6.18", "6.18", None),
        ("# Linux/x86_64 4.1.15 - MIB Kernel Configuration", "4.1.15", "x86"),
        ("# Linux/x86 unknown Kernel Configuration", "", "x86"),
        ("# Linux Kernel Configuration", "", None),
    ],
)
def test_the_header_tells_version_and_architecture(
    header: str, version: str, arch: str | None
) -> None:
    found = config(f"#\n# Automatically generated file; DO NOT EDIT.\n{header}\n#\nCONFIG_A=y\n")

    assert (found.version.text if found.version else "") == version
    assert found.arch == arch


@each(
    ("first", "arch"), [("# x86_64", "x86"), ("# s390", "s390"), ("# board", None), ("s390", None)]
)
def test_a_first_line_of_the_architecture_alone_tells_it(first: str, arch: str | None) -> None:
    assert config(f"{first}\nCONFIG_A=y\n").arch == arch
    assert config(f"CONFIG_A=y\n{first}\n").arch is None


@each(
    ("symbol", "arch"),
    [
        ("X86", "x86"), ("ARM64", "arm64"), ("ARM", "arm"), ("RISCV", "riscv"), ("PPC", "powerpc"),
        ("S390", "s390"), ("LOONGARCH", "loongarch"), ("MIPS", "mips"), ("ARCH_X", None),
    ],
)  # fmt: skip
def test_else_a_symbol_tells_the_architecture(symbol: str, arch: str | None) -> None:
    assert config(f"CONFIG_{symbol}=y\n").arch == arch
    assert config(f"# CONFIG_{symbol} is not set\n").arch is None


@each(
    ("text", "complete"),
    [
        (HEADER + FIRST + SYMBOLS + LAST, True),
        ("# Linux/x86 6.12.117 Kernel Configuration\n" + FIRST + SYMBOLS + LAST, True),
        ("# Automatically generated make config: don't edit\n" + FIRST + SYMBOLS + LAST, True),
        (FIRST + HAVE + SYMBOLS + LAST, True),
        (FIRST + HAVE + SYMBOLS + "CONFIG_TRACING_SUPPORT=y\n", True),
        (FIRST + HAVE + SYMBOLS + "CONFIG_FRAME_WARN=2048\n", True),
        (HEADER + SYMBOLS, False),  # pasted over a fragment
        (HEADER + FIRST + SYMBOLS, False),  # cut off
        (HEADER + SYMBOLS + LAST, False),
        (SYMBOLS, False),
        (SYMBOLS + HAVE, False),
        (FIRST + SYMBOLS + LAST, False),
        (FIRST + HAVE.partition("\n")[2] + SYMBOLS + LAST, False),
        (FIRST + HAVE + LAST, False),
        (HEADER + FIRST + LAST, False),
        # Comments and texts are no symbols.
        (SYMBOLS + "".join(f"# {line}\n" for line in (FIRST + HAVE + LAST).split("\n")), False),
        (FIRST + SYMBOLS + LAST + HAVE.replace("=y", " is not set").replace("C", "# C", 1), False),
    ],
)
def test_what_kconfig_derives_makes_it_complete(text: str, complete: bool) -> None:
    assert config(text).complete is complete
    assert parse_config(text, "x", complete=not complete).complete is not complete


def test_what_a_build_is_given_is_told_from_what_comes_of_it() -> None:
    off = "".join(f"# CONFIG_S{number} is not set\n" for number in range(1000))
    (note,) = config("# arm64\n" + off).notes
    assert note.id == "config-of-a-build"
    assert note.message.startswith("the file has 1,000 symbols, but none that Kconfig sets")
    assert config(off.partition("\n")[2]).notes == ()
    assert config(FIRST + off).notes == ()  # cut off: Kconfig wrote it
    assert parse_config(off, "x", complete=False).notes == ()


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("# Armbian defconfig generated with 6.18", "6.18"),
        ("# Armbian defconfig generated with 6.6.88", "6.6.88"),
        ("# Armbian defconfig generated with care", None),
        ("# defconfig for 6.18 boards", None),
        ("# Built with 6.18", None),
    ],
)
def test_a_defconfig_may_say_with_which_kernel_it_was_generated(
    line: str, version: str | None
) -> None:
    found = parse_config(f"{line}\nCONFIG_SYSVIPC=y\n", "x")
    assert (found.version.text if found.version else None) == version
    assert found.header().line == (version is not None)


def test_symbols_tell_the_architecture_before_the_header() -> None:
    assert config(HEADER + "CONFIG_ARM64=y\n").arch == "arm64"
    assert config(HEADER + "# CONFIG_ARM64 is not set\n").arch == "x86"


def test_it_is_what_the_engine_asks_for() -> None:
    asked: Configuration = config("CONFIG_A=y")
    assert [asked.shows("A"), asked.shows("B"), asked.complete] == [True, False, False]


@each(
    ("text", "where"),
    [("", "x"), ("\n", "x"), ("# nothing\n", "x"), ("hello\n", "x"), ("\nCONFIG_A=\n", "x:2")],
)
def test_without_a_symbol_it_says_what_was_expected(text: str, where: str) -> None:
    with pytest.raises(InputError, match="not a kernel configuration") as caught:
        config(text)

    assert caught.value.hint.startswith("expected a .config")
    assert caught.value.where == where


def test_a_fragment_of_wrong_values_only_is_read_and_told() -> None:
    found = config("CONFIG_A=Y\n")
    assert (len(found), [note.id for note in found.notes]) == (0, ["invalid-value"])


@each(
    ("value", "text"),
    [
        ('"abc"', "abc"),
        ('""', ""),
        (r'"a\"b\\c"', r'a"b\c'),
        (r'"\a\\\"', 'a\\'),
        ("y", "y"),
        ("", ""),
        ('"', '"'),
        ('"a', '"a'),
    ],
)  # fmt: skip
def test_quotes_and_backslashes_are_taken_off(value: str, text: str) -> None:
    assert unquote(value) == text


@given(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])))
def test_a_quoted_string_comes_back(text: str) -> None:
    quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    found = config(f"CONFIG_A={quoted}\nCONFIG_B=y\n")

    assert found.notes == ()
    assert unquote(found.get("A") or "") == text


@given(st.one_of(st.text(), st.lists(WORDS).map("".join)))
def test_no_text_is_too_much(text: str) -> None:
    try:
        found = config(text)
    except InputError:
        return
    lines = text.replace("\r\n", "\n").split("\n")
    for symbol in found.symbols():
        entry = found.entry(symbol)
        assert entry.value is not None
        # The line that is named is one that holds the symbol.
        assert f"CONFIG_{symbol}" in lines[entry.location.line - 1]


@given(st.one_of(LINES.map("\n".join), st.lists(WORDS).map("".join)))
def test_the_quick_way_finds_what_the_thorough_one_does(text: str) -> None:
    text = text.replace("\r\n", "\n")
    quick = configlines.read_clean(text)
    reader = configlines.Reader("x", text)

    if quick is not None:
        assert quick == reader.values
        assert reader.notes() == []
        found = KernelConfig("x", text, quick)
        assert {s: found.entry(s[7:]).location.line for s in quick} == reader.lines


def test_the_quick_way_is_taken_for_what_kconfig_wrote() -> None:
    text = HEADER + '# CONFIG_A="rhel.pem"\n#\n# Memory\n#\n\n# CONFIG_B is not set\nCONFIG_C=-1\n'

    assert configlines.read_clean(text) == {"CONFIG_B": "n", "CONFIG_C": "-1"}


@pytest.mark.slow
def test_a_very_long_line_is_read() -> None:
    value = '"' + '\\"' * 5_000_000 + '"'

    assert one(f"CONFIG_A={value}") == value
    assert one(f"CONFIG_A={value[:-1]}") is None


def test_a_file_is_read_packed_or_not(tmp_path: Path) -> None:
    path = tmp_path / "config"
    for data in (SYMBOLS.encode(), gzip.compress(SYMBOLS.encode())):
        path.write_bytes(data)
        assert len(read_config(str(path))) == dotconfig.MIN_COMPLETE


def test_standard_input_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"CONFIG_A=y\n")))

    assert read_config("-").entry("A").location == Location("<stdin>", 1)


def test_bytes_that_are_no_utf8_are_a_note(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b'CONFIG_A=y\nCONFIG_B="\xe4"\n')
    found = read_config(str(path))

    assert found.get("B") == '"\ufffd"'
    assert [(n.id, n.severity or severity_of(n.id), n.location.line) for n in found.notes] == [
        ("invalid-utf8", Severity.WARNING, 2)
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xff\xfeC\0O\0", "is UTF-16"),
        (b"\0" * 100, "is a binary file, but not a kernel image"),
        (b"CONFIG_A=y\n" * 10_000 + b"\0", "is a binary file, not text"),
    ],
)
def test_what_is_no_configuration_is_one_error(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(data)

    with pytest.raises(InputError, match=message):
        read_config(str(path))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_image_gives_its_configuration(tmp_path: Path, pack: type[bytes]) -> None:
    path = tmp_path / "vmlinux"
    carried = gzip.compress((HEADER + FIRST + SYMBOLS + LAST).encode())
    path.write_bytes(pack(b"\x7fELF" + bytes(99) + b"IKCFG_ST" + carried + b"IKCFG_ED"))
    found = read_config(str(path))

    assert found.complete
    assert found.entry("S0").location == Location(str(path), 6)


CORPUS = os.environ.get("KERNEL_ADVISOR_CORPUS", "")


@pytest.mark.skipif(not CORPUS, reason="KERNEL_ADVISOR_CORPUS names no folder of configurations")
def test_real_configurations_are_clean_and_complete() -> None:
    paths = sorted(Path(CORPUS).glob("*.config*"))

    assert paths
    for path in paths:
        found = read_config(str(path))
        assert (found.notes, found.complete) == ((), True), path.name
        assert found.version, path.name
        assert found.arch in ("x86", "arm64", "riscv"), path.name


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("CONFIG_NFS_FS = y", "write CONFIG_NFS_FS=y"),
        ("  CONFIG_NFS_FS=m", "write CONFIG_NFS_FS=m"),
        ("export CONFIG_NFS_FS=m", "write CONFIG_NFS_FS=m"),
        ('CONFIG_NAME : "x y"', 'write CONFIG_NAME="x y"'),
        ("NFS_FS=y", "write CONFIG_NFS_FS=y"),
        ("CONFIG_LOGO", "write CONFIG_LOGO=y, or '# CONFIG_LOGO is not set'"),
        ("CONFIG_LOGO=", "write CONFIG_LOGO=y, or '# CONFIG_LOGO is not set'"),
        ("CONFIG_LOGO is not set", "write '# CONFIG_LOGO is not set'"),
        (
            "# CONFIG_LOGO is not set # x",
            "write '# CONFIG_LOGO is not set', and move the text behind it to another line",
        ),
        ("Dear kernel, be fast", "remove the line, or begin it with #"),
        ("CONFIG_A" + " " * 100_000 + "!", "remove the line, or begin it with #"),
    ],
)
def test_a_line_that_kconfig_ignores_has_a_remedy(line, remedy):
    (note,) = parse_config(f"CONFIG_A=y\n{line}\n", "c").notes
    assert (note.id, note.location.line, note.remedy) == ("malformed-line", 2, remedy)
