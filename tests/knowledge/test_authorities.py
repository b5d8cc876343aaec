"""What authorities ask for: every ask is answered, every reason needed, and the page is as made."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from advisor.knowledge import authorities, folders
from tools.authorities import checks, document, fragment, page, tuned

from .. import corpus
from ..cases import each

ROOT = Path(__file__).parents[2]
KNOWLEDGE = corpus.knowledge()
PROFILES = KNOWLEDGE.ids("profiles")


@cache
def held() -> dict[str, list]:
    """What each profile says to its authorities."""
    return {name: list(authorities.held(name, KNOWLEDGE)) for name in PROFILES}


@pytest.mark.slow
@each("profile", PROFILES)
def test_each_profile_answers_all_that_its_authorities_ask(profile: str) -> None:
    assert held()[profile], "has no authority"
    for authority, rows in held()[profile]:
        assert [row.ask for row in rows if row.says == "open"] == [], authority.id


def test_an_authority_asks_for_something() -> None:
    """One that the program does not understand would pass all the rest."""
    empty = {one.id for rows in held().values() for one, asks in rows if not asks}
    assert empty == set()


def test_no_reason_is_kept_for_what_nobody_leaves_out() -> None:
    used = Counter(row.because for rows in held().values() for _, asks in rows for row in asks)
    _, leaves = authorities.listed()
    assert [one.asks for one in leaves if not used[one.because]] == []
    for one in leaves:
        assert set(one.profiles) <= set(PROFILES)


def test_what_is_left_out_is_left_out_pattern_by_pattern() -> None:
    left = [
        (row.ask, profile)
        for profile, rows in held().items()
        for _, asks in rows
        for row in asks
        if row.says in ("left", "void")
    ]
    for one in authorities.listed()[1]:
        for pattern in one.asks:
            alone = one._replace(asks=(pattern,))
            assert any(alone.concerns(*each) for each in left), pattern


@pytest.mark.parametrize(("guides", "least"), [("", 750), ("guide/", 350)])
def test_most_of_what_a_kernel_can_be_told_is_weighed(guides: str, least: int) -> None:
    """Of what guides ask for and somebody can set, of those that a person read too; the fragments
    ask for devices of a machine, and the checker for the absence of all that can be attacked."""
    says = Counter(
        row.says
        for rows in held().values()
        for one, asks in rows
        if one.id.startswith(guides) and not one.id.startswith(("kernel/", "checker/"))
        for row in asks
    )
    settable = says.total() - says["follows"] - says["void"]
    assert settable > least
    assert settable - says["left"] >= 0.9 * settable


@pytest.mark.slow
def test_the_page_is_as_made() -> None:
    versions = json.loads(Path(folders.data(authorities.FILE)).read_text())["versions"]
    assert (ROOT / "docs/evidence/authorities.md").read_text() == page(KNOWLEDGE, versions)


def test_what_a_profile_of_tuned_asks_for(tmp_path: Path) -> None:
    for name, text in {
        "base": "[sysctl]\nvm.swappiness = 30\n[disk]\nreadahead=>4096\n[service]\nx=stop\n",
        "mine": """
[main]
include=base
[cpu]
governor=schedutil|powersave
[sysctl]
vm.swappiness=10
kernel.sem = "1 2 3"
[sysctl.thunderx]
type=sysctl
uname_regex=aarch64
kernel.numa_balancing=0
[bootloader]
cmdline_mine=+nohz=on isolcpus=${isolated_cores} ${cmd_x} irqaffinity=${not_isolated_c} quiet
""",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "tuned.conf").write_text(text)
    assert tuned(tmp_path, "mine") == {
        "sysctl vm.swappiness": "10",
        "sysfs /sys/block/DEVICE/queue/read_ahead_kb": "4096..",
        "sysfs /sys/devices/system/cpu/cpufreq/policy*/scaling_governor": "schedutil|powersave",
        "sysctl kernel.sem": "1 2 3",
        "boot nohz": "on",
        "boot isolcpus": "{isolate}",
        "boot irqaffinity": "{housekeeping}",
        "boot quiet": "",
    }


def test_what_a_fragment_asks_for() -> None:
    text = '# CONFIG_SLAB is not set\nCONFIG_KVM_GUEST=y\n# a remark\nCONFIG_NAME="x y"\n'
    assert list(fragment(text)) == ["config SLAB=n", "config KVM_GUEST=y", 'config NAME="x y"']


def test_what_a_document_names() -> None:
    text = "Boot with ``nohz_full=1-3`` or foo=1; see CONFIG_NO_HZ_FULL=y and CONFIG_*."
    assert list(document(text, {"nohz_full"})) == ["name CONFIG_NO_HZ_FULL", "name nohz_full="]


@each(
    ("profile", "ask", "says"),
    [
        ("realtime", "sysctl vm.stat_interval=10", "agrees"),
        ("realtime", "sysctl vm.stat_interval=1", "differs"),
        ("realtime", "boot isolcpus={isolate}", "agrees"),
        ("server-throughput", "sysctl net.core.somaxconn=2048..", "agrees"),
        ("server-throughput", "sysctl net.core.somaxconn=128", "differs"),
        ("server-throughput", "sysctl vm.swappiness=10", "neutral"),
        ("database", "sysfs /sys/kernel/mm/transparent_hugepage/defrag=always", "differs"),
        ("diagnosis", "config FUNCTION_TRACER=y", "agrees"),
        ("diagnosis", "config FUNCTION_TRACER=n", "differs"),
        ("realtime", "name CONFIG_PREEMPT_RT", "names"),
        ("realtime", "boot rcupdate.rcu_normal_after_boot=0", "differs"),
        ("realtime", "boot nohz=on", "neutral"),
        ("realtime", "config HAVE_BPF_JIT=y", "follows"),
        ("realtime", "name CONFIG_PREEMPT_COUNT", "follows"),
        ("virtualization-host", "boot cgroup_favordynmods=true", "neutral"),
        ("network-latency", "boot default_hugepagesz=1G", "neutral"),
        ("database", "sysctl net.core.somaxconn=512..", "agrees"),
        ("database", "sysctl net.core.somaxconn=512", "differs"),
        ("diagnosis", "config EVENT_TRACING=y", "follows"),
        ("realtime", "boot kthread_cpus=0", "void"),
        ("virtualization-guest", "config PTP_1588_CLOCK=y", "agrees"),  # for PTP_1588_CLOCK_KVM
        ("virtualization-guest", "config ACPI=y", "left"),  # one of two ways to more memory does
        ("realtime", "boot no_such_word", "open"),
        ("realtime", "sysctl no.such=1", "open"),
    ],
)
def test_what_a_profile_says(profile: str, ask: str, says: str) -> None:
    assert authorities.hold(ask, KNOWLEDGE.profile(profile), KNOWLEDGE).says == says


def test_most_checks_of_the_checker_are_weighed() -> None:
    says = Counter(
        row.says
        for one, rows in held()["hardening"]
        if one.id.startswith("checker/")
        for row in rows
    )
    assert says["agrees"] > 220
    assert says["agrees"] > says.total() - says["void"] - says["agrees"]


def test_what_a_check_asks_for() -> None:
    text = """
l += [KconfigCheck('a', 'kspp', 'X', 'y'), KconfigCheck('-', '-', 'EFI', 'is not set')]
l += [KconfigCheck('a', 'b', 'LSM', '*yama*'), KconfigCheck('a', 'b', 'Y', 'is not set')]
l += [CmdlineCheck('a', 'b', 'nosmt', 'is present'), CmdlineCheck('a', 'b', 'l1tf', 'is not off')]
l += [CmdlineCheck('a', 'b', 'nokaslr', 'is not set'), SysctlCheck('a', 'b', 'vm.x', '1')]
"""
    assert sorted(checks(text)) == [
        "boot nosmt",
        "config X=y",
        "config Y=n",
        "name CONFIG_LSM",
        "sysctl vm.x=1",
        "without l1tf=off",
        "without nokaslr",
    ]


@each(
    ("ask", "says"),
    [
        ("without mds=off", "agrees"),
        ("without nokaslr", "agrees"),
        ("boot nokaslr", "differs"),
        ("boot mds=off", "differs"),
    ],
)
def test_a_word_that_must_not_be_there(ask: str, says: str) -> None:
    assert authorities.hold(ask, KNOWLEDGE.profile("hardening"), KNOWLEDGE).says == says
