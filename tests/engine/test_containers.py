"""Hosts of containers, and what systemd asks: what fails without is told, and nothing that went."""

from __future__ import annotations

from advisor.engine.audit import Policy, audit
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Finding, Verdict
from advisor.model.kernel import Machine
from advisor.model.profile import Strength
from advisor.model.report import Report
from advisor.output import phrases

from .. import corpus

KNOWLEDGE = corpus.knowledge()
NETWORK = (
    "CONFIG_NET=y\nCONFIG_INET=y\nCONFIG_NETFILTER=y\nCONFIG_NF_CONNTRACK=m\nCONFIG_NF_NAT=m\n"
)
LEGACY = """\
CONFIG_IP_NF_IPTABLES=m
CONFIG_IP_NF_FILTER=m
CONFIG_IP_NF_NAT=m
CONFIG_IP_NF_MANGLE=m
CONFIG_IP_NF_TARGET_MASQUERADE=m
"""


def report(config: str, *profiles: str, line: str = "", whole: bool | None = None) -> Report:
    text = f"# Linux/x86 6.12.117 Kernel Configuration\n{config}"
    given = Given(Machine(arch="x86"), None, parse_cmdline(line))
    subject = subject_of(parse_config(text, ".config", complete=whole), given)
    return audit(subject, KNOWLEDGE, [KNOWLEDGE.profile(name) for name in profiles], Policy())


def changes(told: Report) -> dict[str, Finding]:
    return {one.advice.id: one for one in told.findings if one.verdict is Verdict.CHANGE}


def test_a_kernel_of_a_telephone_is_told_why_no_container_starts() -> None:
    config = (
        "CONFIG_NAMESPACES=y\nCONFIG_SYSVIPC=y\n# CONFIG_PID_NS is not set\nCONFIG_NET=y\n"
        "CONFIG_NET_NS=y\n# CONFIG_IPC_NS is not set\nCONFIG_UTS_NS=y\n"
        "# CONFIG_POSIX_MQUEUE is not set\n"
    )
    told = changes(report(config, "container-host"))
    musts = {name for name, one in told.items() if one.advice.strength is Strength.MUST}
    assert {"namespaces", "posix-message-queues"} <= musts


def test_swap_of_groups_is_asked_of_no_kernel_that_has_no_option_for_it() -> None:
    told = report("CONFIG_CGROUPS=y\nCONFIG_MEMCG=y\nCONFIG_SWAP=y\n", "container-host")
    said = " ".join(str(one) for one in told.findings)
    assert "MEMCG_SWAP" not in said


def test_docker_needs_the_raw_table_where_no_nftables_is_there() -> None:
    """Translation works without it: it is told among the matches, not as a lack of filters."""
    without = f"{NETWORK}{LEGACY}# CONFIG_IP_NF_RAW is not set\n# CONFIG_NF_TABLES is not set\n"
    told = changes(report(without, "container-host"))
    assert "address-translation" not in told
    assert "IP_NF_RAW" in dict(told["firewall-matches"].offending)
    there = without.replace("# CONFIG_IP_NF_RAW is not set", "CONFIG_IP_NF_RAW=m")
    assert "IP_NF_RAW" not in str(changes(report(there, "container-host")).get("firewall-matches"))


def test_budgets_of_real_time_groups_are_told_once_for_both_profiles() -> None:
    config = "CONFIG_CGROUPS=y\nCONFIG_CGROUP_SCHED=y\nCONFIG_RT_GROUP_SCHED=y\n"
    told = report(config, "container-host", "systemd")
    shown = [one.tunable.id for one in phrases.of(told, Verdict.CHANGE)]
    assert shown.count("rt-group-sched") == 1
    assert not told.conflicts


def test_a_line_that_keeps_modules_of_a_group_out_is_told_and_no_rebuild_is_made_up() -> None:
    config = f"CONFIG_MODULES=y\n{NETWORK}CONFIG_NETDEVICES=y\nCONFIG_NET_CORE=y\nCONFIG_VETH=m\n"
    config += "CONFIG_BRIDGE=m\nCONFIG_NETFILTER_ADVANCED=y\nCONFIG_BRIDGE_NETFILTER=m\n"
    told = report(config, "container-host", line="module_blacklist=nouveau,veth")
    found = next(one for one in told.findings if one.advice.id == "container-network")
    ((name, origin),) = found.offending
    assert (name, origin.text) == ("VETH", "module_blacklist=nouveau,veth")
    assert found.verdict is Verdict.BLOCKED
    assert "with module_blacklist=nouveau,veth, the kernel" in found.reason


def test_one_fragment_has_all_that_filters_open(make_world) -> None:
    """No line is about any of it before, and Kconfig asks for all of it after NETFILTER=y."""
    config = """MODULES=y NET=y INET=y IPV6=y NETFILTER=n NETDEVICES=y NET_CORE=y VETH=n BRIDGE=n"""
    world = make_world(config, kernel="6.12.117", arch="x86")
    profiles = [KNOWLEDGE.profile("container-host")]
    policy = Policy(plan="fragment", weakest=Strength.COULD)
    plan = audit(world.subject, KNOWLEDGE, profiles, policy).plan
    lines = {one.symbol for step in plan.steps for one in step.remedy.changes}
    assert lines >= {
        "NETFILTER_XT_MATCH_ADDRTYPE", "NETFILTER_XT_TARGET_MASQUERADE", "IP_NF_TARGET_REJECT",
        "BRIDGE_NETFILTER", "NF_TABLES_IPV6", "NF_TABLES_INET", "NFT_FIB_INET", "NETFILTER_XT_SET",
    }  # fmt: skip


def test_what_a_rebuild_leaves_out_for_want_of_modules_is_told() -> None:
    config = f"CONFIG_CHECKPOINT_RESTORE=y\nCONFIG_MODULES=y\n{NETWORK}"
    config += "CONFIG_INET_DIAG=m\nCONFIG_INET_UDP_DIAG=m\n"
    config += "CONFIG_UNIX=y\n# CONFIG_UNIX_DIAG is not set\n# CONFIG_NETLINK_DIAG is not set\n"
    told = report(config, "container-host", line="nomodule", whole=True)
    (remedy,) = changes(told)["socket-monitoring"].remedies
    assert [f"{c.symbol}={c.new}" for c in remedy.changes] == ["UNIX_DIAG=y", "NETLINK_DIAG=y"]
    assert [reason.partition(":")[0] for reason in remedy.left] == ["INET_DIAG", "INET_UDP_DIAG"]
