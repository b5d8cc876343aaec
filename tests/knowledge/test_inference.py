"""What symbols tell of a configuration whose header does not."""

from __future__ import annotations

import pytest

from advisor.inputs.config import parse_config
from advisor.knowledge.catalogue import Catalogue
from advisor.knowledge.inference import infer

from ..cases import each

# Five kernels; of NEW_n and GONE_n the first came, and the second went, with kernel n.
HEAD = "".join(f"kernel 6.{n}.0 arm64 um x86\n" for n in range(1, 6))
ALL = [f"ALL_{n}\tbp 6.1.0.." for n in range(400)]
NEW = [f"NEW_{n}_{i}\tbp 6.{n}.0.." for n in range(2, 6) for i in range(20)]
GONE = [f"GONE_{n}_{i}\tbp 6.1.0..6.{n - 1}.0" for n in range(2, 6) for i in range(20)]
NAMES = [
    "ARCH_BOARD\tbp arm64 6.1.0..",
    "ARM_ONLY\tbp arm64 6.1.0..",
    "ARM_TOO\tbp arm64,um 6.1.0..",
    "MOVED\tbp arm64 6.1.0..6.2.0;bp x86 6.3.0..",
    "NOT_UM\tbp !um 6.1.0..",
    "UM_CONSOLE\tbp um 6.1.0..",
    "UM_ONLY\tbp um 6.1.0..",
    "X86_64\tbp um,x86 6.1.0..",
    "X86_ONLY\tt- x86 6.1.0..",
    "X86_ONLY_NOW\tbp x86 6.1.0..",
    "X86_OTHER\tbp x86 6.1.0..",
    "X86_OR_UM\tbp um,x86 6.1.0..",
]


@pytest.fixture(scope="module")
def catalogue():
    names = "\n".join(sorted(ALL + NEW + GONE + NAMES))
    return Catalogue(f"kernel-advisor-catalogue 1\n{HEAD}[symbols]\n{names}\n")


@pytest.fixture
def inferred(catalogue):
    def of(*lines, arch=None, complete=False):
        text = "".join(f"CONFIG_{line}\n" for line in lines)
        config = parse_config(text, "x", complete=complete)
        infer(config, catalogue, arch)
        return config

    return of


@each(
    ("lines", "arch", "symbol"),
    [
        (["ALL_1=y", "X86_ONLY=m", "X86_OTHER=y"], "x86", "X86_ONLY"),
        (["X86_OR_UM=y", "X86_ONLY=y", "NOT_UM=y"], "x86", "X86_ONLY"),
        (["ALL_1=y", "ARCH_BOARD=y"], "arm64", "ARCH_BOARD"),
        (["X86_OR_UM=y"], None, ""),
        # One thing that a single architecture has may stand in a fragment for all, under both
        # of its names as well.
        (["ALL_1=y", "X86_ONLY=m"], None, ""),
        (["X86_OR_UM=y", "X86_ONLY=y"], None, ""),
        (["NOT_UM=y", "X86_OR_UM=y"], None, ""),
        (["X86_ONLY=y", "X86_ONLY_NOW=y"], None, ""),
        (["ARCH_BOARD=y", "X86_ONLY=y"], None, ""),
        # For several architectures, or a mistake: nothing is claimed.
        (["X86_ONLY=y", "ARM_ONLY=y"], None, ""),
        (["X86_ONLY=n", "ALL_1=y"], None, ""),
        (['X86_ONLY="y"'], None, ""),
        (["ALL_1=y"], None, ""),
        # What user-mode Linux shares with the machine that it runs on is the machine's.
        (["X86_64=y"], "x86", "X86_64"),
        (["X86_64=y", "UM_ONLY=y"], None, ""),
        (["X86_64=y", "UM_ONLY=y", "UM_CONSOLE=y"], "um", "UM_ONLY"),
        # Some kernel had it on another one.
        (["MOVED=y"], None, ""),
        (["MOVED=y", "X86_OR_UM=y", "X86_ONLY=y", "NOT_UM=y"], "x86", "X86_ONLY"),
        (["OF_NO_KERNEL=y", "ARCH_BOARD=y"], "arm64", "ARCH_BOARD"),
        (["OF_NO_KERNEL=y"], None, ""),
    ],
)
def test_the_one_architecture_that_has_all_symbols(inferred, lines, arch, symbol):
    config = inferred(*lines)
    assert (config.arch, config.inferred.symbol) == (arch, symbol)


def test_what_is_told_counts(inferred):
    config = inferred("X86_ONLY=y", arch="arm64")
    assert (config.arch, config.inferred.symbol) == (None, "")
    config = inferred("ARM64=y", "X86_ONLY=y")
    assert (config.arch, config.inferred.symbol) == ("arm64", "")


def names(rows, *numbers):
    symbols = [row.partition("\t")[0] for row in rows]
    return [f"{symbol}=y" for symbol in symbols if symbol.split("_")[1] in numbers]


COMMON = names(ALL, *map(str, range(400)))


def span(config):
    return tuple(version and version.text for version in config.inferred[1:3])


@each(
    ("lines", "expected"),
    [
        (names(NEW, "2", "3") + names(GONE, "4", "5"), ("6.2.0", "6.4.0")),
        (names(GONE, "2", "3", "4", "5"), (None, "6.2.0")),
        (names(NEW, "2", "3", "4", "5"), ("6.4.0", None)),
        ([], (None, None)),
        # A few symbols of later kernels are backports, or of a patch.
        (names(NEW, "2", "3") + names(GONE, "4", "5") + ["NEW_5_1=y"], ("6.2.0", "6.4.0")),
        # So many are no backports, and there is no kernel that has both.
        (names(NEW, "5") + names(NEW, "4") + names(GONE, "2") * 3, (None, None)),
    ],
)
def test_a_whole_configuration_is_of_the_kernels_that_have_its_symbols(inferred, lines, expected):
    assert span(inferred(*COMMON, *lines, complete=True)) == expected


def test_of_a_fragment_no_kernel_is_inferred(inferred):
    """Its lines may be older than the kernel, or newer."""
    lines = names(NEW, "2", "3") + names(GONE, "4", "5")
    assert span(inferred(*COMMON, *lines)) == (None, None)


def test_a_configuration_of_no_kernel_is_of_none(inferred):
    assert span(inferred(*(f"OF_NO_{n}=y" for n in range(300)), complete=True)) == (None, None)


def test_an_empty_catalogue_tells_nothing():
    config = parse_config("CONFIG_A=y\n", "x", complete=True)
    infer(config, Catalogue("kernel-advisor-catalogue 1\n"))
    assert (config.arch, span(config)) == (None, (None, None))
