"""A cause is a line that could have been otherwise on that kernel."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.judge import judge_advice
from advisor.model.finding import Verdict


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
    ("symbol", "kernel", "when"),
    [
        ("BLK_WBT", "4.9.3", "it was added after Linux 4.9"),
        ("BLK_WBT", "4.10.0", ""),
        ("RCU_NOCB_CPU_ALL", "4.12.0", ""),
        ("RCU_NOCB_CPU_ALL", "4.14.0", "it no longer exists in Linux 4.14 and later"),
        ("SMP", "2.6.39", ""),
    ],
)
def test_the_index_tells_the_releases_of_a_symbol(make_world, symbol, kernel, when):
    assert make_world("NET=y", kernel=kernel, arch="x86").other_releases(symbol) == when


@pytest.fixture
def verdict_of(make_world, built_in):
    def of(profile, advice, lines, **told):
        world = make_world(lines, **told)
        (one,) = [one for one in built_in.profile(profile).advice if one.id == advice]
        finding = judge_advice(one, world)
        return finding.verdict, finding.reason

    return of


@pytest.mark.parametrize(
    ("profile", "advice", "lines", "kernel", "expected"),
    [
        ("realtime", "efi-runtime", "EFI=y", "3.10.0",
         (Verdict.NOT_APPLICABLE, "EFI_DISABLE_RUNTIME is not in this kernel: "
          "it was added after Linux 5.17")),
        ("network-latency", "bpf-jit", "NET=y MODULES=y NETFILTER_XT_MATCH_BPF=m", "3.10.14",
         (Verdict.BLOCKED, "needs HAVE_BPF_JIT, which this configuration does not offer")),
        # Protection that a kernel is too old for is lacking all the same.
        ("power-saving", "cpu-mitigations", "SMP=y", "4.1.2",
         (Verdict.BLOCKED, "this kernel is older than the first mitigation: only a newer "
          "kernel, of its branch or a later one, has any")),
    ],
)  # fmt: skip
def test_what_is_younger_than_the_kernel(verdict_of, profile, advice, lines, kernel, expected):
    assert verdict_of(profile, advice, lines, kernel=kernel, arch="x86") == expected


def test_words_that_are_younger_than_the_kernel(verdict_of):
    told = {"kernel": "3.10.0", "arch": "x86", "cpus": 8, "isolate": "4-7"}
    verdict, reason = verdict_of("realtime", "irq-affinity", "SMP=y", **told)
    assert verdict is Verdict.NOT_APPLICABLE
    assert reason == "irqaffinity=0-3 exists only since Linux 4.6"


def test_a_file_that_could_say_nothing_else_is_no_cause(make_world):
    world = make_world("SMP=y", kernel="5.4.2", arch="arm64", sysctl="kernel.numa_balancing = 0")
    assert causes(world, "numa-balancing") == []
