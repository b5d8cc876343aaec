"""The status of a symbol in one kernel, and what is to be done about one that it has not."""

from __future__ import annotations

import pytest

from advisor.engine.names import symbol_status
from advisor.knowledge.existence import Standing

from ..cases import each


@each(
    ("symbol", "kernel", "standing"),
    [
        ("PSI", "6.12.0", Standing.HERE),
        ("MITIGATION_RETPOLINE", "6.12.0", Standing.HERE),
        ("MITIGATION_RETPOLINE", "6.1.0", Standing.TOO_NEW),
        ("RETPOLINE", "6.12.0", Standing.REMOVED),
        ("ARM64_PAN", "6.12.0", Standing.OTHER_ARCH),
        ("NO_SUCH_THING_AT_ALL", "6.12.0", Standing.UNKNOWN),
    ],
)
def test_a_symbol_has_one_status_in_a_kernel(make_world, symbol, kernel, standing):
    world = make_world("SMP=y", kernel=kernel)
    assert symbol_status.status(symbol, world).standing is standing
    assert symbol_status.is_here(symbol, world) is (standing is Standing.HERE)


@pytest.mark.parametrize(("kernel", "names"), [("6.12.0", ["NF_NAT"]), (None, [])])
def test_the_names_of_today_are_those_that_this_kernel_has(make_world, kernel, names):
    world = make_world("SMP=y", kernel=kernel)
    assert symbol_status.names_here("NF_NAT_IPV4", world) == names


@each(("kernel", "past"), [("6.8.0", False), ("6.9.0", True), ("6.12.0", True), (None, False)])
def test_a_rename_is_past_from_its_release_on(make_world, kernel, past):
    rename = symbol_status.past_rename("RETPOLINE", make_world("SMP=y", kernel=kernel))
    assert bool(rename) is past
    if rename:
        assert symbol_status.renamed(rename).startswith(
            "RETPOLINE is called MITIGATION_RETPOLINE since 6.9: On x86, "
        )


@each(
    ("symbol", "kernel", "may_be_typo", "remedy"),
    [
        ("RETPOLINE", None, True, "write MITIGATION_RETPOLINE, its name since 6.9"),
        (
            "USER_NS_UNPRIVILEGED",
            "6.12.0",
            True,
            "Not in mainline: in mainline kernels, USER_NS decides",
        ),
        ("DEBUG_KERNELL", "6.12.0", True, "did you mean DEBUG_KERNEL?"),
        ("DEBUG_KERNELL", "6.12.0", False, ""),
        ("NO_SUCH_THING_AT_ALL", "6.12.0", True, ""),
    ],
)
def test_what_to_do_about_a_name_that_no_kernel_has(
    make_world, symbol, kernel, may_be_typo, remedy
):
    world = make_world("SMP=y", kernel=kernel)
    found = symbol_status.remedy_of_unknown(symbol, world, may_be_typo)
    assert found.startswith(remedy)
    assert bool(found) is bool(remedy)
