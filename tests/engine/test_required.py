"""The remedy for a function of a program: one change, with all that it takes."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.conditions import remedy
from advisor.engine.remedy.rebuild import rebuild
from advisor.engine.remedy.remedies import least
from advisor.engine.remedy.what_if import Goal
from advisor.model.remedy import RemedyKind, spelled_out


@pytest.fixture
def helped(make_world, built_in):
    """The least that makes a function of a program work in a kernel of these lines."""

    def of(name, config, **told):
        tunable = built_in.tunable(f"requires/{name}")
        world = make_world(config, **told)
        return remedy(Goal(tunable, lambda value: value == "met", world), least)

    return of


def test_it_is_as_invasive_as_its_worst_part(helped):
    built = helped("systemd/oomd", "CGROUPS=y MEMCG=n PSI=y")
    assert (built.kind, spelled_out(built.changes)) == (RemedyKind.REBUILD, "MEMCG=y")
    word = helped("systemd/oomd", "CGROUPS=y MEMCG=y PSI=y PSI_DEFAULT_DISABLED=y")
    assert (word.kind, word.words) == (RemedyKind.BOOT, ("psi=1",))
    config = "SYSCTL=y NAMESPACES=y USER_NS=y PID_NS=y NET_NS=y IPC_NS=y"
    setting = helped("flatpak/sandbox", config, sysctl="user.max_user_namespaces = 0")
    assert setting.kind is RemedyKind.RUNTIME
    assert [one.key for one in setting.settings] == ["user.max_user_namespaces"]


def test_a_vendor_that_is_not_told_may_be_any(helped):
    config = "KVM=n KVM_INTEL=n KVM_AMD=n"
    assert {c.symbol for c in helped("kvm/guests", config).changes} == {
        "KVM", "KVM_INTEL", "KVM_AMD"
    }  # fmt: skip
    told = helped("kvm/guests", config, vendor="amd")
    assert {change.symbol for change in told.changes} == {"KVM", "KVM_AMD"}


def test_options_without_a_prompt_come_with_the_lines(helped):
    found = helped("docker/ftp", "NF_NAT=m NF_CONNTRACK_FTP=n NF_CONNTRACK_TFTP=n")
    assert spelled_out(found.changes) == "NF_CONNTRACK_FTP=y, NF_CONNTRACK_TFTP=y"


def test_a_line_that_no_configuration_offers_is_no_remedy(helped):
    found = helped("docker/cpusets", "CGROUPS=y SMP=n")
    assert isinstance(found, Blocked)
    assert found.reason.startswith("this configuration does not offer CPUSETS")


def test_a_line_that_another_one_may_bring_into_sight_is_told_as_unproven(helped):
    """NETFILTER alone does not offer what stands below NETFILTER_XTABLES."""
    config = "NET=y INET=y VETH=y BRIDGE=y NETFILTER=n"
    found = helped("docker/bridge-network", config)
    assert {"NETFILTER", "NF_TABLES"} <= {change.symbol for change in found.changes}
    assert found.left == (
        "NF_TABLES, NF_TABLES_IPV4 and 5 more may depend on further options: "
        "--tree DIR finds these",
    )  # fmt: skip
    offered = "MODULES=y NF_NAT=m NF_CONNTRACK_FTP=n NF_CONNTRACK_TFTP=n"
    assert helped("docker/ftp", offered).left == ()


def test_what_another_kernel_alone_has_is_no_change(helped):
    found = helped("wireguard/card", "NET=y INET=y", kernel="5.4.32")
    assert isinstance(found, Blocked)
    assert "a kernel that has WIREGUARD" in found.reason


def test_a_rebuild_takes_lines_alone(make_world, built_in):
    world = make_world("CGROUPS=y MEMCG=n PSI=n")
    found = rebuild(built_in.tunable("requires/systemd/oomd"), "met", world)
    assert spelled_out(found.changes) == "PSI=y, MEMCG=y"
    assert found.words == ()
