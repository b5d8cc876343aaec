"""`can` as a user runs it."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from advisor.knowledge.schema import schema

CARD = ("CONFIG_NET=y", "CONFIG_INET=y", "CONFIG_WIREGUARD=y")
NONE = ("CONFIG_NET=y", "CONFIG_INET=y", "# CONFIG_WIREGUARD is not set")


@pytest.fixture
def can(run_inside, make_config):
    """Runs `can` on a configuration of these lines."""

    def run(*words, config=CARD, options=()):
        return run_inside("can", *words, str(make_config(*config)), *options)

    return run


def test_what_is_there_is_a_yes(can):
    result = can("wireguard:card")
    assert result.code == 0
    assert "wireguard:card  yes\n" in result.stdout
    assert result.stdout.endswith("\n1 can run.\n")


def test_a_no_says_what_to_add_and_fails(can):
    result = can("wireguard", config=NONE)
    assert result.code == 1
    assert "no: WireGuard network cards (WIREGUARD is off)" in result.stdout
    assert "CONFIG_WIREGUARD=" in result.stdout
    assert "wireguard-dkms" in result.stdout


def test_a_function_that_is_missing_fails_where_it_is_asked_for(can):
    assert can("systemd:oomd", config=CARD).code == 1
    result = can("wireguard")
    assert (result.code, "only without" in result.stdout) == (0, True)


def test_rke2_has_an_answer_before_it_is_installed(can):
    """https://github.com/rancher/rke2/issues/296: a check before it is installed."""
    result = can("rke2", config=CARD)
    assert result.code == 1
    assert result.stdout.count("no: ") == 1
    assert "CONFIG_OVERLAY_FS=" in result.stdout


def test_a_module_is_named(can):
    result = can(
        "wireguard:card", config=("CONFIG_MODULES=y", "CONFIG_NET=y", "CONFIG_WIREGUARD=m")
    )
    assert result.code == 0
    assert "yes, once the module wireguard is loaded" in result.stdout


def test_what_is_not_known_fails_where_that_is_wished(can):
    config = ("CONFIG_KVM=m", "CONFIG_KVM_INTEL=m", "# CONFIG_KVM_AMD is not set")
    result = can("kvm:guests", config=config)
    assert result.code == 0
    assert "not known: guests (give --vendor)" in result.stdout
    assert can("kvm:guests", config=config, options=("--fail-on", "unknown")).code == 1
    assert can("kvm:guests", config=config, options=("--vendor", "intel")).code == 0
    assert can("kvm:guests", config=config, options=("--fail-on", "must")).code == 2


def test_all_programs_never_fail(can, built_in):
    result = can("--all", config=NONE)
    assert result.code == 0
    names = [line.split(" ")[0] for line in result.stdout.split("\n")]
    assert [name for name in built_in.ids("programs") if name not in names] == []
    assert "rebuild with" not in result.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("dokcer",), "did you mean docker"),
        (("docker:swram",), "did you mean swarm?"),
        (("docker@abc",), "write docker@"),
        (("docker@",), "write docker@"),
        (("zzzzzz",), "can --list names all"),
        ((), "'can --list' shows the programs"),
        (("docker", "--all"), "needs no NAME"),
    ],
)
def test_a_name_that_is_not_known_is_a_mistake(can, words, told):
    result = can(*words)
    assert (result.code, result.stdout) == (2, "")
    assert told in result.stderr


def test_names_beside_the_id_are_taken(can):
    assert can("wg-quick@1.0:card").stdout.count("wireguard@1.0:card  yes") == 1


def test_the_list_names_each_program(run_inside, built_in):
    result = run_inside("can", "--list")
    assert result.code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == built_in.ids("programs")


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_format_for_people_says_the_same(can, form):
    result = can("wireguard", config=NONE, options=("--format", form))
    assert result.code == 1
    assert "WireGuard network cards" in result.stdout
    assert "Traceback" not in result.stderr


def test_json_is_as_its_schema_says(can):
    result = can("wireguard", "systemd", "kvm", config=NONE, options=("--format", "json"))
    document = json.loads(result.stdout)
    jsonschema.validate(document, schema("can", "advisor.output"))
    (kernel,) = document["kernels"]
    assert kernel["failed"] is True
    first = kernel["programs"][0]
    assert (first["id"], first["answer"]) == ("wireguard", "no")
    (card, *_) = first["functions"]
    assert card["lacks"][0]["fix"]["lines"]


def test_verbose_lists_functions_and_what_counts_as_there(can):
    result = can("docker", config=CARD, options=("--verbose",))
    assert "MEMCG_SWAP" in result.stdout
    assert "[swarm]" in result.stdout


def host(root, loaded, installed):
    """Files of a host whose kernel has WireGuard as a module."""
    release = "6.12.0"
    for folder in ("proc/sys/kernel", "boot", f"lib/modules/{release}"):
        (root / folder).mkdir(parents=True)
    (root / "proc/sys/kernel/osrelease").write_text(f"{release}\n")
    (root / "proc/cmdline").write_text("quiet\n")
    paths = [f"kernel/drivers/net/{name}.ko.xz: kernel/x.ko\n" for name in installed]
    (root / f"lib/modules/{release}/modules.dep").write_text("".join(paths))
    for name in (*loaded, "kernel"):
        (root / "sys/module" / name).mkdir(parents=True)
    return root / "boot" / f"config-{release}"


@pytest.mark.parametrize(
    ("loaded", "installed", "told", "code"),
    [
        (["wireguard"], ["wireguard"], "wireguard:card  yes\n", 0),
        ([], ["wireguard"], "yes, once the module wireguard is loaded", 0),
        ([], ["veth"], "the module wireguard is not", 1),
    ],
)
def test_of_a_host_it_counts_what_is_loaded_and_installed(
    run_inside, make_config, tmp_path, loaded, installed, told, code
):
    place = host(tmp_path / "host", loaded, installed)
    make_config("CONFIG_MODULES=y", "CONFIG_NET=y", "CONFIG_WIREGUARD=m").rename(place)
    result = run_inside("can", "wireguard:card", "--host", str(tmp_path / "host"))
    assert told in result.stdout
    assert result.code == code


KCONFIG = """\
config MODULES
	bool "Modules"
	modules
config NET
	bool "Networking"
config INET
	bool "TCP/IP"
	depends on NET
config NETDEVICES
	bool "Network cards"
	depends on NET
config WIREGUARD
	tristate "WireGuard"
	depends on NETDEVICES && INET
"""


def test_a_tree_tells_what_a_line_depends_on(can, make_tree, tmp_path):
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG})
    config = ("CONFIG_NET=y", "CONFIG_INET=y", "# CONFIG_NETDEVICES is not set")
    without = can("wireguard:card", config=config)
    assert "the dependencies of WIREGUARD (--tree DIR finds these)" in " ".join(
        without.stdout.split()
    )
    result = can("wireguard:card", config=config, options=("--tree", str(tree)))
    assert (result.code, "--tree" in result.stdout) == (1, False)
    assert "CONFIG_NETDEVICES=y, CONFIG_WIREGUARD=y" in " ".join(result.stdout.split())


@pytest.mark.parametrize("options", [(), ("--verbose",)])
def test_dependencies_that_other_lines_may_bring_are_told(can, options):
    """A kernel of petitboot has no line about anything below NETFILTER."""
    config = ("CONFIG_NET=y", "CONFIG_INET=y", "CONFIG_VETH=y", "# CONFIG_NETFILTER is not set")
    result = can("docker:bridge-network", config=config, options=options)
    told = " ".join(result.stdout.split())
    assert "CONFIG_NETFILTER=y" in told
    assert re.search(r"dependencies of [A-Z0-9_, ]+ and \d+ more that no line here sets", told)


def test_programs_that_do_not_agree_are_shown_and_not_settled(can):
    result = can("k3s", "systemd")
    assert "programs with contradicting needs\n  - RT_GROUP_SCHED\n" in result.stdout
    assert "k3s's own list of options enables this symbol" in result.stdout
    assert "systemd needs this symbol to be off for real-time scheduling in units" in result.stdout
    assert "RT_GROUP_SCHED" not in can("k3s").stdout


def test_what_is_odd_in_the_line_is_told_on_stderr(can, tmp_path):
    """k3s-io/k3s#3283: words of a second line in cmdline.txt."""
    file = tmp_path / "cmdline.txt"
    file.write_text("root=/dev/sda1\ncgroup_enable=memory\n")
    result = can("wireguard:card", options=("--cmdline", f"@{file}"))
    assert "write all parameters on line 1: root=/dev/sda1 cgroup_enable=memory" in result.stderr


def test_a_way_round_is_told_only_where_it_can_be_gone(can):
    off = ("CONFIG_NET=y", "# CONFIG_IP_NF_IPTABLES is not set", "# CONFIG_NF_TABLES is not set")
    on = (*off[:2], "CONFIG_NF_TABLES=m", "CONFIG_NF_TABLES_IPV4=y", "CONFIG_NFT_COMPAT=m")
    verbose = ("--verbose",)
    told = [can("iptables", config=each, options=verbose).stdout for each in (off, on)]
    assert ["update-alternatives --set" in " ".join(one.split()) for one in told] == [False, True]
