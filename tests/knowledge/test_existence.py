"""What a symbol is to a kernel that is known by its version only."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine.diagnose.fragment import FEW, WIDE
from advisor.engine.diagnose.inputs import diagnose
from advisor.knowledge.catalogue import MAGIC, Catalogue
from advisor.knowledge.existence import Standing, standing
from advisor.model.kernel import parse_version

from ..cases import each

TEXT = f"""\
{MAGIC}
kernel 6.1.0 arm x86
kernel 6.6.0 arm x86
kernel 6.8.0 arm riscv x86
kernel 6.9.0 arm riscv x86
[symbols]
ADDED	bp 6.8.0..
ALONE	bp 6.6.0
ARM_ONLY	bp arm 6.1.0..
AWAY	bp 6.1.0,6.9.0..
BASIC	bp 6.1.0..
DERIVED	b- 6.1.0..
MOVED	bp arm 6.1.0..6.6.0;bp 6.8.0..
NEW_NAME	bp 6.9.0..
OLD_NAME	bp 6.1.0..6.8.0
REMOVED	bp 6.1.0..6.6.0
SHOWN	b- 6.1.0;bp 6.6.0..
TAKEN_OVER	bo 6.1.0..
"""
LIFECYCLE = '[[rename]]\nold = "OLD_NAME"\nnew = "NEW_NAME"\nsince = "6.9"\n'


@pytest.fixture
def small():
    return Catalogue(TEXT)


@each(
    ("symbol", "kernel", "arch", "found", "words"),
    [
        ("BASIC", "6.1.200", "x86", Standing.HERE, ""),
        ("BASIC", None, None, Standing.UNSURE, ""),
        (
            "BAISC",
            "6.1",
            "x86",
            Standing.UNKNOWN,
            "in none of the 4 kernels that were read (6.1.0 to 6.9.0)",
        ),
        ("BAISC", None, None, Standing.UNKNOWN, "in none of the 4 kernels that were read"),
        ("BAISC", "7.0", None, Standing.UNKNOWN, "(6.1.0 to 6.9.0, all older than this kernel)"),
        ("REMOVED", "6.6.30", "x86", Standing.HERE, ""),
        ("REMOVED", "6.7", "x86", Standing.UNSURE, ""),
        ("REMOVED", "6.8", "x86", Standing.REMOVED, "last seen in 6.6.0, gone in 6.8.0"),
        ("REMOVED", "7.0", None, Standing.REMOVED, "not in Linux 7.0: last seen in 6.6.0"),
        ("ADDED", "6.6", "x86", Standing.TOO_NEW, "first seen in 6.8.0, not in 6.6.0"),
        ("ADDED", "5.4", "x86", Standing.TOO_NEW, "not in Linux 5.4: first seen in 6.8.0"),
        ("ADDED", "6.7", "x86", Standing.UNSURE, ""),
        ("ADDED", "7.0", "x86", Standing.HERE, ""),
        ("ALONE", "6.1", None, Standing.TOO_NEW, "first seen in 6.6.0 alone, not in 6.1.0"),
        ("AWAY", "6.6", "x86", Standing.REMOVED, "and in no kernel that was read between them"),
        ("ARM_ONLY", "6.8", "x86", Standing.OTHER_ARCH, "for x86: seen on arm only"),
        ("ARM_ONLY", "6.8", None, Standing.HERE, ""),
        ("MOVED", "6.6", "x86", Standing.OTHER_ARCH, "for x86: seen on arm only"),
        ("MOVED", "6.7", "x86", Standing.UNSURE, ""),
        ("MOVED", "5.10", "riscv", Standing.HERE, ""),
        ("DERIVED", "6.8", "x86", Standing.HIDDEN, "has no prompt"),
        ("SHOWN", "6.1", "x86", Standing.HIDDEN, "has no prompt"),
        ("SHOWN", "6.2", "x86", Standing.HERE, ""),
        ("TAKEN_OVER", "6.8", "x86", Standing.HERE, ""),
    ],
)
def test_standing(small, symbol, kernel, arch, found, words):
    answer = standing(symbol, small, parse_version(kernel) if kernel else None, arch)
    assert answer.standing is found
    assert words in answer.text


def test_what_lies_between_kernels_read_for_an_architecture_is_not_told():
    lines = ["kernel 6.1.0 arm x86", "kernel 6.6.0 x86", "kernel 6.9.0 arm x86", "[symbols]"]
    gap = Catalogue("\n".join([MAGIC, *lines, "SHORT\tbp 6.6.0", ""]))
    assert standing("SHORT", gap, parse_version("6.6"), "arm").standing is Standing.UNSURE
    assert standing("SHORT", gap, parse_version("6.6"), "x86").standing is Standing.HERE


@each(
    ("symbol", "kernel", "doubt"),
    [
        ("ADDED", "6.6", ""),
        ("ADDED", "6.6.0-rc3", ""),
        ("ADDED", "6.6.1", "backported"),
        ("ADDED", "6.6.0-427.el9.x86_64", "backported"),
        ("ADDED", "6.2", ""),
        ("ADDED", "6.2.16", "backported"),
        ("AWAY", "6.6.9", "backported"),
        ("REMOVED", "6.8.12", ""),
        ("ALONE", "6.1", "patched"),
        ("ALONE", "6.9", "patched"),
    ],
)
def test_patched_kernels_may_have_what_came_later(small, symbol, kernel, doubt):
    answer = standing(symbol, small, parse_version(kernel), "x86")
    assert doubt in answer.doubt
    assert bool(doubt) is bool(answer.doubt)


@pytest.fixture
def told(make_world, make_knowledge, small):
    """The diagnostics of a fragment's lines, as `id severity symbol's line: remedy`."""

    def run(config, **options):
        knowledge = make_knowledge({"rules/lifecycle/a.toml": LIFECYCLE})
        knowledge.catalogue = small
        world = make_world(config, knowledge=knowledge, complete=False, **options)
        return [
            (d.id, d.severity.value, d.location.line, d.remedy)
            for d in diagnose(world)
            if d.id.startswith("symbol-")
        ]

    return run


@pytest.mark.parametrize(
    ("line", "kernel", "expected"),
    [
        ("BAISC=y", "6.8.0", ("symbol-unknown", "warning", 2, "did you mean BASIC?")),
        ("BAISC=n", "6.8.0", ("symbol-unknown", "warning", 2, "did you mean BASIC?")),
        ("BAISC=y", None, ("symbol-unknown", "warning", 2, "did you mean BASIC?")),
        ("VENDOR=y", "6.8.0", ("symbol-unknown", "note", 2, "")),
        ("REMOVED=y", "6.8.0", ("symbol-removed", "warning", 2, "")),
        ("REMOVED=n", "6.8.0", None),
        ("REMOVED=y", None, None),
        ("ADDED=m", "6.6.0", ("symbol-too-new", "warning", 2, "")),
        ("ADDED=m", "6.6.22", ("symbol-too-new", "note", 2, "")),
        ("ADDED=n", "6.6.0", None),
        (
            "NEW_NAME=y",
            "6.8.0",
            ("symbol-too-new", "warning", 2, "write OLD_NAME, its name in this kernel"),
        ),
        (
            "NEW_NAME=n",
            "6.8.0",
            ("symbol-too-new", "warning", 2, "write OLD_NAME, its name in this kernel"),
        ),
        ("ARM_ONLY=y", "6.8.0", ("symbol-other-arch", "note", 2, "")),
        ("DERIVED=y", "6.8.0", None),  # merge_config.sh is told derived values too: HZ=1000
        ("TAKEN_OVER=y", "6.8.0", None),
    ],
)
def test_a_line_of_a_fragment(told, line, kernel, expected):
    assert told(f"BASIC=y {line}", kernel=kernel) == ([expected] if expected else [])


def test_what_may_be_a_backport_is_said(make_world, make_knowledge, small):
    world = make_world("ADDED=m", kernel="6.6.22", knowledge=make_knowledge({}), complete=False)
    world.knowledge.catalogue = small
    (found,) = diagnose(world)
    assert found.message.endswith("first seen in 6.8.0, not in 6.6.0, unless it was backported")


def test_what_the_rules_tell_is_not_told_again(told):
    """OLD_NAME is stale by the rules' own list, which names the successor and a source."""
    assert [found[0] for found in told("OLD_NAME=y", kernel="6.9.0")] == ["symbol-stale"]


def test_a_patch_that_the_rules_know_is_explained(make_world, built_in):
    world = make_world("FASTBOOT=y", complete=False)
    (found,) = diagnose(world)
    assert (found.id, found.severity.value) == ("symbol-unknown", "warning")
    assert found.remedy == built_in.name("FASTBOOT").today


def test_a_complete_configuration_is_left_alone(make_world, built_in):
    world = make_world("PREEMPT_VOLUNTRAY=y VENDOR=y RETPOLINE=y", knowledge=built_in)
    assert diagnose(world) == []


def test_many_lines_are_counted_the_likely_slips_first(told, make_world, make_knowledge, small):
    count = FEW + 14
    lines = [f"VENDOR_{letter}=y" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: count - 1]]
    found = told(" ".join([*lines, "BAISC=y"]))
    assert len(found) == 1 + FEW + 1
    assert found[0] == ("symbol-unknown", "warning", count, "did you mean BASIC?")
    assert {severity for _, severity, *_ in found[1:]} == {"note"}
    world = make_world(" ".join(lines), knowledge=make_knowledge({}), complete=False)
    world.knowledge.catalogue = small
    assert (
        "and 13 more such lines: VENDOR_D, VENDOR_E, VENDOR_F, ..." in diagnose(world)[-1].message
    )


def test_a_name_without_end_costs_nothing(make_world, make_knowledge, small):
    world = make_world("A" * 100_000 + "=y", knowledge=make_knowledge({}), complete=False)
    world.knowledge.catalogue = small
    (found,) = diagnose(world)
    assert found.message.startswith("A" * 60 + "... is in none of the 4 kernels that were read")


def test_a_near_name_that_this_kernel_has_is_preferred(told):
    assert told("OLDNAME=y NEWNAME=y", kernel="6.8.0") == [
        ("symbol-unknown", "warning", 1, "did you mean OLD_NAME?"),
        ("symbol-unknown", "warning", 2, "did you mean NEW_NAME?"),
    ]


def test_without_a_catalogue_nothing_is_said(make_world, make_knowledge):
    knowledge = make_knowledge({})
    knowledge.catalogue = Catalogue(MAGIC)
    assert diagnose(make_world("BAISC=y", knowledge=knowledge, complete=False)) == []
    answer = standing("BASIC", knowledge.catalogue, None)
    assert answer.text == "BASIC is not known: no kernel was read"


# --- the catalogue that is shipped ----------------------------------------------------------------


@each(
    ("symbol", "kernel", "arch", "found", "words"),
    [
        (
            "PREEMPT_VOLUNTRAY",
            "6.12",
            "x86",
            Standing.UNKNOWN,
            "kernels that were read (2.6.38 to ",
        ),
        ("RETPOLINE", "6.8", "x86", Standing.HERE, ""),
        ("RETPOLINE", "6.9", "x86", Standing.REMOVED, "last seen in 6.8.0, gone in 6.9.0"),
        ("MITIGATION_RETPOLINE", "6.8", "x86", Standing.TOO_NEW, "first seen in 6.9.0, not in 6.8"),
        ("MITIGATION_RETPOLINE", "6.9", "x86", Standing.HERE, ""),
        ("MITIGATION_RETPOLINE", "6.9", "arm64", Standing.OTHER_ARCH, "seen on x86 only"),
        ("PREEMPT_LAZY", "6.12", "x86", Standing.TOO_NEW, "first seen in 6.13.7, not in 6.12.117"),
        ("PREEMPT_LAZY", "6.13", "x86", Standing.HERE, ""),
        ("IOSCHED_CFQ", "4.20", "x86", Standing.HERE, ""),
        ("IOSCHED_CFQ", "5.2", "x86", Standing.REMOVED, "last seen in 4.20.0, gone in 5.0.1"),
        ("IOSCHED_CFQ", "6.12", None, Standing.REMOVED, "last seen in 4.20.0, gone in 5.0.1"),
        ("HZ_PERIODIC", "3.10", "x86", Standing.HERE, ""),
        ("HZ_PERIODIC", "3.6", "x86", Standing.TOO_NEW, "not in 3.6.0"),
        ("HZ_PERIODIC", "3.8", "x86", Standing.UNSURE, ""),
        ("ARM_LPAE", "6.12", "x86", Standing.OTHER_ARCH, "seen on arm only"),
        ("X86_TSC", "6.12", "x86", Standing.HIDDEN, "no prompt"),
        ("SCHED_MUQSS", "6.12", "x86", Standing.TOO_NEW, "first seen in 6.18.2 alone"),
        ("SCHED_MUQSS", "7.1", "x86", Standing.REMOVED, "in 6.18.2 alone, gone in 6.19.0"),
        ("BCACHEFS_FS", "6.17", "x86", Standing.UNSURE, ""),
    ],
)
def test_real_symbols(built_in, symbol, kernel, arch, found, words):
    answer = standing(symbol, built_in.catalogue, parse_version(kernel), arch)
    assert answer.standing is found
    assert words in answer.text


def test_a_choice_and_a_type_that_changed(built_in):
    catalogue = built_in.catalogue
    members = [catalogue.members("HZ_100", catalogue.around(parse_version("6.12"))[0], "x86")]
    assert members == [["HZ_100", "HZ_250", "HZ_300", "HZ_1000"]]
    old, new = (catalogue.around(parse_version(text))[0] for text in ("6.6", "6.13"))
    assert catalogue.seen("PREEMPT_RT").traits(old)[0].choice == "PREEMPT_NONE"
    assert catalogue.seen("PREEMPT_RT").traits(new)[0].choice == ""


def test_all_versions_and_architectures_are_recorded_in_less_than_a_megabyte(built_in):
    catalogue = built_in.catalogue
    assert len(catalogue.kernels) >= 31
    assert {"x86", "arm64", "riscv", "loongarch"} <= catalogue.kernels[-1].arches
    assert len(Path(catalogue.path).read_bytes()) < 1 << 20
    assert list(catalogue.names()) == sorted(catalogue.names())


def test_a_list_for_many_kernels_is_told_as_numbers(told, make_world, make_knowledge, small):
    """But for a name that should be another one, which the list does not have yet."""
    lines = [f"VENDOR_{number}_THING=y" for number in range(WIDE)]
    found = told(" ".join([*lines, "REMOVED=y", "BAISC=y"]), kernel="6.8.0")
    assert [(kind, remedy) for kind, _, _, remedy in found] == [
        ("symbol-unknown", "did you mean BASIC?"), ("symbol-unknown", ""), ("symbol-removed", ""),
    ]  # fmt: skip
    both = told(" ".join([*lines, "OLD_NAME=y", "NEW_NAME=y"]), kernel="6.9.0")
    assert [kind for kind, *_ in both] == ["symbol-stale", "symbol-unknown"]
    world = make_world(" ".join(lines), knowledge=make_knowledge({}), complete=False)
    world.knowledge.catalogue = small
    (one,) = diagnose(world)
    assert one.message.startswith(
        "100 lines name symbols that no known kernel has: VENDOR_0_THING, "
    )
