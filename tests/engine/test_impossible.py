"""A cause is a line that could have been otherwise on that kernel."""

from __future__ import annotations

import pytest


def causes(world, tunable):
    return [origin.text for origin in world.state(tunable).origins]


@pytest.mark.parametrize(
    ("lines", "told", "expected"),
    [
        # Mainline has it on arm64 since 6.12: before that no line could have it on.
        ("SMP=y", {"kernel": "5.10.7", "arch": "arm64"}, []),
        ("SMP=y ARCH_SUPPORTS_RT=y", {"kernel": "6.12.5", "arch": "arm64"},
         ["lack of CONFIG_PREEMPT_RT"]),
        ("SMP=y PREEMPT_RT=n", {"kernel": "5.10.7", "arch": "arm64"},
         ["# CONFIG_PREEMPT_RT is not set"]),
        # What only a patch had is no line of this kernel either.
        ("SMP=y", {"kernel": "4.19.2", "arch": "x86"}, []),
    ],
)  # fmt: skip
def test_what_no_line_could_have_on_is_no_cause(make_world, lines, told, expected):
    assert causes(make_world(lines, **told), "preempt-rt") == expected


def test_a_symbol_of_later_releases_is_no_cause(make_world):
    world = make_world("NET=y", kernel="3.10.14", arch="mips")
    assert causes(world, "bpf-jit") == []
    world = make_world("NET=y HAVE_EBPF_JIT=y BPF_JIT=n", kernel="6.1.8", arch="riscv")
    assert "# CONFIG_BPF_JIT is not set" in causes(world, "bpf-jit")


def test_a_symbol_of_earlier_releases_is_no_cause(make_world):
    world = make_world("TREE_RCU=y RCU_NOCB_CPU=y", kernel="5.15.3", arch="x86")
    assert causes(world, "rcu-offload") == []  # a choice until 4.12, a default again in 6.0


def test_what_the_file_shows_of_a_feature_leaves_its_lines_causes(make_world):
    world = make_world("PROC_FS=y KEXEC=y CRASH_DUMP=n", kernel="6.6.2", arch="x86")
    assert "# CONFIG_CRASH_DUMP is not set" in causes(world, "crash-dump")


@pytest.mark.parametrize(
    ("symbol", "release", "others"),
    [
        ("BLK_WBT", (4, 9), True),
        ("BLK_WBT", (4, 10), False),
        ("RCU_NOCB_CPU_ALL", (4, 12), False),
        ("RCU_NOCB_CPU_ALL", (4, 14), True),
        ("SMP", (2, 6), False),
    ],
)
def test_the_index_tells_the_releases_of_a_symbol(built_in, symbol, release, others):
    assert built_in.of_others(symbol, release) is others
