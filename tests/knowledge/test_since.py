"""Parameters of the boot line that came later than a kernel, or may have come later."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.bootline import diagnose_line
from advisor.lint.known import other_first


@pytest.mark.parametrize(
    ("word", "kernel"),
    [("cryptomgr.notests=1", "4.4.94"), ("iommu.passthrough=1", "4.9.30")],
)
def test_an_older_kernel_is_offered_none_of_it(make_world, word, kernel):
    world = make_world("CRYPTO_MANAGER=y CRYPTO_MANAGER2=y IOMMU_API=y", kernel=kernel)
    assert world.line.honours(word).truth is not True


@pytest.mark.parametrize(
    ("kernel", "truth"),
    [
        ("3.10", False),
        ("3.16", frozenset(("release",))),
        ("4.4", True),
        ("5.10", True),
    ],
)
def test_between_two_kernels_read_it_is_open_whether_a_word_is_there(make_world, kernel, truth):
    # First in 4.0 or before: not in 3.14, and in 4.0 and 4.4.
    world = make_world("KALLSYMS=y", kernel=kernel)
    assert world.line.honours("initcall_blacklist=foo").truth == truth


def test_a_word_of_which_it_is_open_is_a_note(make_world):
    world = make_world("KALLSYMS=y", kernel="3.16", cmdline="initcall_blacklist=foo")
    (one,) = diagnose_line(world)
    assert (one.id, one.severity.value) == ("parameter-too-new", "note")
    assert "came with a release from 3.15 to" in one.message
    assert "3.16 is one of those between, and was not read" in one.message


@pytest.mark.parametrize(
    ("kernel", "severity"),
    [
        ("5.4", "error"),  # a release as mainline made it
        ("5.4.90", "note"),  # stable is given such words: 6.1.192 has it
        ("6.1.60", "note"),
    ],
)
def test_a_word_for_a_fault_of_processors_may_be_in_a_patched_kernel(make_world, kernel, severity):
    world = make_world("CPU_MITIGATIONS=y", kernel=kernel, cmdline="spec_rstack_overflow=off")
    told = [one for one in diagnose_line(world) if one.id == "parameter-too-new"]
    assert [one.severity.value for one in told] == [severity]


def test_what_the_nearest_kernel_of_its_series_has_is_there(make_world):
    world = make_world("X86=y", kernel="4.14.200", arch="x86", cmdline="mds=off")
    assert world.line.honours("mds=off").truth is True


@pytest.mark.parametrize(
    ("name", "since", "there", "says"),
    [
        ("initcall_blacklist", "", "", "is not in 2.6.38, and first in 4.4.155"),
        ("initcall_blacklist", "3.15", "4.0", ""),
        ("initcall_blacklist", "3.6", "", "is not in 3.10.99, after 3.6"),
        ("psi", "5.2", "", "is in 4.20.0 already, before 5.2"),
        ("mds", "5.2", "", ""),  # 4.14.177 has it, which stable was given
        ("quiet", "", "", ""),
    ],
)
def test_a_rule_says_since_when_as_the_kernels_read_show(built_in, name, since, there, says):
    catalogue = built_in.parameter_catalogue
    parameter = built_in.parameter(name)._replace(since=since, there=there)
    told = other_first(parameter, catalogue.seen(name).kernels(), catalogue)
    assert told.startswith(says)
    assert bool(told) == bool(says)
