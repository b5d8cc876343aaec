"""CPU lists: read as lib/bitmap-str.c does, and judged by what the parameters make of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.cpulists import read_list
from advisor.engine.diagnose import diagnose
from advisor.knowledge import index


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0", {0}),
        ("2-5", {2, 3, 4, 5}),
        ("1,3-4,7", {1, 3, 4, 7}),
        ("0-7:2/4", {0, 1, 4, 5}),
        ("all", set(range(8))),
        ("ALL", set(range(8))),
        ("all:1/2", {0, 2, 4, 6}),
        ("N", {7}),
        ("4-N", {4, 5, 6, 7}),
        (",1,,2,", {1, 2}),
        ("3-3", {3}),
    ],
)
def test_what_a_list_comes_to(text, cpus):
    assert read_list(text, 8) == (frozenset(cpus), "", None)


@pytest.mark.parametrize(
    "text", ["x", "1-", "-1", "5-2", "1-2-3", "0-7:3/2", "0-7:1/0", "n", "1;2"]
)
def test_a_list_that_is_none(text):
    assert read_list(text, 8).problem


@pytest.mark.parametrize(("text", "beyond"), [("8", 8), ("2-15", 15), ("0,9", 9), ("N,8", 8)])
def test_a_list_beyond_the_machine(text, beyond):
    assert read_list(text, 8) == (None, "", beyond)


@pytest.mark.parametrize("text", ["all", "2-N", "1,N"])
def test_what_only_the_machine_tells(text):
    assert read_list(text, None) == (None, "", None)


@given(st.sets(st.integers(0, 63), min_size=1))
def test_every_list_of_numbers_is_read(cpus):
    assert read_list(",".join(map(str, cpus)), 64).cpus == cpus


@given(st.text("0123456789-,:/Nal ", max_size=20))
def test_no_text_is_an_error(text):
    read_list(text, 8)


CONFIG = {
    "NO_HZ_FULL": "y", "CPU_ISOLATION": "y", "SMP": "y", "RCU_NOCB_CPU": "y", "NR_CPUS": "64",
    "PM_SLEEP_SMP": "y",
}  # fmt: skip


@pytest.fixture
def told(make_world):
    knowledge = index.load()

    def tell(line, cpus=16, **more):
        config = " ".join(f"{key}={value}" for key, value in {**CONFIG, **more}.items())
        world = make_world(config, cmdline=line, cpus=cpus, knowledge=knowledge)
        return [(d.id, d.location.column) for d in diagnose(world) if d.id.startswith("cpulist")]

    return tell


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nohz_full=2-15 isolcpus=2-15", []),
        ("quiet nohz_full=2-31", [("cpulist-beyond", 7)]),
        ("nohz_full=7-2", [("cpulist-malformed", 1)]),
        ("rcu_nocbs=0-40", [("cpulist-beyond", 1)]),
        ("nohz_full=0-15", [("cpulist-all", 1)]),
        ("isolcpus=0-15", [("cpulist-all", 1)]),
        ("nohz_full=0-7", [("cpulist-boot-cpu", 1)]),
        ("isolcpus=2-15 nohz_full=2-7", [("cpulist-differs", 15)]),
        ("nohz_full=2-7 isolcpus=domain,managed_irq,2-8", [("cpulist-differs", 15)]),
        ("isolcpus=domain,foo,2-15", [("cpulist-flag", 1)]),
        ("isolcpus=nohz,domain,2-15", []),
        ("rcu_nocbs", []),
        ("irqaffinity=0-1 nohz_full=2-15", []),
    ],
)
def test_lists_on_a_machine_of_sixteen(told, line, expected):
    assert told(line) == expected


def test_without_the_machine_the_kernels_own_limit_counts(told):
    assert told("nohz_full=2-15", cpus=None) == []
    assert told("nohz_full=2-99", cpus=None) == [("cpulist-beyond", 1)]


def test_a_kernel_that_may_start_elsewhere_keeps_cpu_0(told):
    assert told("nohz_full=0-7", PM_SLEEP_SMP_NONZERO_CPU="y") == []


def test_a_list_that_the_kernel_ignores_anyway_is_not_judged(told):
    assert told("nohz_full=99", NO_HZ_FULL="n") == []
