"""Programs that have to run (`--require`): judged, planned, compared and accepted as advice is."""

from __future__ import annotations

import json

import jsonschema
import pytest

from advisor.knowledge.schema import schema

from ..cases import each

MODULES = ("CONFIG_MODULES=y", *(f"CONFIG_{name}=m" for name in ("USB", "SND", "XFS_FS", "NFS_FS")))
CILIUM = (
    *MODULES, "CONFIG_X86_64=y", "CONFIG_NET=y", "CONFIG_INET=y", "CONFIG_BPF_SYSCALL=y",
    "CONFIG_BPF_JIT=y", "CONFIG_NET_CLS_BPF=m", "CONFIG_NET_CLS_ACT=y", "CONFIG_NET_SCH_INGRESS=m",
    "CONFIG_CGROUPS=y", "CONFIG_CGROUP_BPF=y", "CONFIG_PERF_EVENTS=y", "CONFIG_FIB_RULES=y",
    "CONFIG_VXLAN=m", "# CONFIG_GENEVE is not set",
)  # fmt: skip
AGENT, TUNNELS = "requires/cilium/agent", "requires/cilium/tunnels"


def without(*names):
    """Cilium's kernel with these options off."""
    off = {f"CONFIG_{name}" for name in names}
    return [
        f"# {line.partition('=')[0]} is not set" if line.partition("=")[0] in off else line
        for line in CILIUM
    ]


@pytest.fixture
def audit(run_inside, make_config):
    """Runs an audit of a kernel of these lines for Cilium."""

    def run(config=CILIUM, *options, require="cilium"):
        path = make_config(*config, kernel="6.12.43")
        return run_inside("audit", str(path), "--require", require, *options)

    return run


def found(result):
    (report,) = json.loads(result.stdout)["reports"]
    return {one["id"]: one for one in report["findings"]}


def test_what_a_program_needs_to_start_fails_the_audit(audit):
    result = audit(without("BPF_JIT"))
    assert result.code == 1
    assert "MUST    Cilium: the agent: does not work" in result.stdout
    assert "does not work (BPF_JIT is off)" in result.stdout
    assert "rebuild with BPF_JIT=y" in result.stdout


def test_what_one_function_needs_fails_only_where_that_is_asked_for(audit):
    lacking = without("VXLAN")
    assert (audit(lacking).code, audit(lacking, require="cilium:tunnels").code) == (0, 1)
    assert "COULD   Cilium: tunnels between nodes" in audit(lacking).stdout
    assert audit(require="cilium:tunnels").code == 0


def test_requirements_are_told_before_advice(audit):
    result = audit(without("BPF_JIT"), "--profile", "systemd")
    musts = [line for line in result.stdout.splitlines() if line.startswith("MUST")]
    assert "Cilium" in musts[0]
    assert len(musts) > 1


def test_an_older_kernel_fails_without_a_way(run_inside, make_config):
    path = make_config(*CILIUM, kernel="4.9.1")
    result = run_inside("audit", str(path), "--require", "cilium", "--format", "json")
    assert result.code == 1
    agent = found(result)[AGENT]
    assert (agent["verdict"], agent["remedies"]) == ("blocked", [])
    assert "Linux 5.10 or newer" in agent["reason"]


def test_a_version_of_the_program_counts(audit):
    assert audit(require="podman@5.2").code == 1
    assert "containers" in audit(require="podman@5.1").stdout


@each(
    ("word", "told"),
    [
        ("dokcer", "did you mean docker"),
        ("docker:swram", "did you mean swarm?"),
        ("", "can --list names all"),
    ],
)
def test_a_program_that_is_not_known_is_a_mistake(audit, word, told):
    result = audit(require=word)
    assert (result.code, result.stdout) == (2, "")
    assert "--require" in result.stderr
    assert told in result.stderr


@each("form", ["markdown", "html", "sarif", "github", "gitlab", "junit"])
def test_every_format_names_the_requirement(audit, form):
    result = audit(without("BPF_JIT"), "--format", form)
    assert result.code == 1
    assert AGENT in result.stdout or "Cilium: the agent" in result.stdout


def test_json_is_as_its_schema_says(audit):
    result = audit(without("BPF_JIT", "VXLAN"), "--format", "json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, schema("report", "advisor.output"))
    (first,) = found(result)[AGENT]["remedies"]
    assert first["changes"][0]["symbol"] == "BPF_JIT"
    assert found(result)[TUNNELS]["strength"] == "could"


def test_the_fragment_has_the_lines_and_ends_the_finding(run_inside, make_config):
    path = make_config(*without("BPF_JIT", "VXLAN"), kernel="6.12.43")
    words = ("--require", "cilium:tunnels")
    result = run_inside("fragment", str(path), *words)
    lines = [line for line in result.stdout.splitlines() if line.startswith("CONFIG_")]
    assert lines == ["CONFIG_BPF_JIT=y", "CONFIG_VXLAN=m"]
    fixed = make_config(*CILIUM, kernel="6.12.43")
    again = run_inside("fragment", str(fixed), *words).stdout
    assert not any(line.startswith("CONFIG_") for line in again.splitlines())


def test_a_change_that_takes_a_program_away_says_so(run_inside, make_config, tmp_path):
    old = make_config(*CILIUM, kernel="6.12.43").rename(tmp_path / "old")
    new = make_config(*without("VXLAN", "BPF_JIT"), kernel="6.12.43").rename(tmp_path / "new")
    result = run_inside("diff", str(old), str(new), "--require", "cilium")
    told = " ".join(result.stdout.split())
    assert result.code == 1
    assert "removes Cilium: the agent (BPF_JIT is off)" in told
    assert "removes Cilium: tunnels between nodes (needs VXLAN or GENEVE)" in told
    back = run_inside("diff", str(new), str(old), "--require", "cilium")
    assert (back.code, "improves: Cilium: the agent does not work" in back.stdout) == (0, True)


@pytest.fixture
def settled(tmp_path, monkeypatch, make_config):
    """Writes settings beside a kernel without Cilium's tunnels, where the run starts."""

    def write(text, *off):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "kernel-advisor.toml").write_text(text)
        make_config(*without(*off), kernel="6.12.43").rename(tmp_path / "kernel.config")

    return write


def test_settings_name_what_has_to_run(settled, run_inside):
    settled('require = ["cilium:tunnels"]\n', "VXLAN")
    result = run_inside("audit", "kernel.config")
    assert (result.code, TUNNELS in result.stdout) == (1, True)
    settled('require = ["cillium"]\n')
    wrong = run_inside("audit", "kernel.config")
    assert (wrong.code, "did you mean cilium" in wrong.stderr) == (4, True)


def test_a_requirement_is_waived_by_its_id(settled, run_inside):
    waiver = f'[[waiver]]\nrule = "{TUNNELS}"\nreason = "native routing"\n'
    settled(f'require = ["cilium:tunnels"]\n{waiver}', "VXLAN")
    result = run_inside("audit", "kernel.config", "--verbose")
    assert (result.code, "native routing" in result.stdout) == (0, True)
    settled(f'require = ["cilium"]\n{waiver.replace("tunnels", "tunnel")}', "VXLAN")
    wrong = run_inside("audit", "kernel.config")
    assert (wrong.code, f"did you mean {TUNNELS}" in wrong.stderr) == (4, True)


def test_a_baseline_knows_what_was_missing(settled, run_inside):
    settled('require = ["cilium:tunnels"]\n', "VXLAN")
    run_inside("baseline", "kernel.config", "--output", "known.json")
    assert run_inside("audit", "kernel.config", "--baseline", "known.json").code == 0
    settled('require = ["cilium:tunnels"]\n', "VXLAN", "BPF_JIT")
    result = run_inside("audit", "kernel.config", "--baseline", "known.json")
    assert (result.code, AGENT in result.stdout) == (1, True)


HOST = ("CONFIG_NET=y", "CONFIG_SYSVIPC=y", "# CONFIG_POSIX_MQUEUE is not set")


def test_what_a_program_and_its_profile_ask_for_is_told_once(audit):
    """The profile's finding comes with the requirement, and names it."""
    config = (*MODULES, *HOST)
    options = ("--profile", "container-host", "--format", "json")
    findings = found(audit(config, *options, require="docker"))
    queues = findings["container-host/posix-message-queues"]
    assert queues["covered_by"] == "requires/docker/containers"
    assert queues["needed_by"][0] == "requires/docker/containers"
    alone = found(audit(config, *options, require="wireguard"))
    assert "covered_by" not in alone["container-host/posix-message-queues"]


@each(
    ("require", "options", "told"),
    [
        (("k3s", "systemd"), (), "RT_GROUP_SCHED: k3s's own list of options enables this symbol"),
        (("k3s",), ("--profile", "realtime"), "needs this symbol to be off for the workload"),
        (("k3s",), (), ""),
        (("systemd",), ("--profile", "realtime"), ""),
    ],
)
def test_what_programs_do_not_agree_on_is_shown(run_inside, make_config, require, options, told):
    path = make_config(*MODULES, "CONFIG_CGROUPS=y", kernel="6.12.43")
    words = [word for name in require for word in ("--require", name)]
    result = run_inside("audit", str(path), *words, *options)
    assert ("programs-disagree" in result.stdout) is bool(told)
    assert told in " ".join(result.stdout.split())
    assert "NOTE    programs-disagree" in result.stdout or not told


@each(
    ("name", "told"),
    [
        ("requires/docker/swarm", ["only one function", "IP_VS", "can docker:swarm CONFIG"]),
        ("requires/k3s/kernel-defaults", ["judged only on request", "root_maxkeys"]),
        ("requires/docker", ["bridge-network: Docker bridge networks", "version 29.7"]),
        ("crun", ["[requires/podman]"]),
        ("nftables", ["[nftables]"]),
    ],
)
def test_requirements_are_explained(run_inside, name, told):
    result = run_inside("explain", name)
    assert result.code == 0
    for text in told:
        assert text in " ".join(result.stdout.split())


def test_a_requirement_that_is_not_there_is_told(run_inside):
    result = run_inside("explain", "requires/docker/swam")
    assert result.code == 2
    assert "did you mean swarm" in result.stderr


def test_a_policy_is_explained(run_inside, tmp_path):
    line = 'HZ_1000 = { value = "y", reason = "our desktops", owner = "kernel@example.org" }'
    (tmp_path / "kernel-advisor.toml").write_text(f"[policies]\n{line}\n")
    result = run_inside("explain", "policy/HZ_1000")
    assert result.code == 0
    for text in ("HZ_1000 = y", "our desktops", "kernel@example.org", "kernel-advisor.toml:2"):
        assert text in result.stdout
    wrong = run_inside("explain", "policy/HZ_100")
    assert (wrong.code, "did you mean policy/HZ_1000" in wrong.stderr) == (2, True)


OWN = """\
id = "frobd"
title = "Frob"
summary = "What it is."
version = "2.1"
sources = ["vendor https://example.org/"]

[[function]]
id = "frobs"
title = "frobs"
kind = "start"
needs = "SQUASHFS"
why = "Frobs are images."
sources = ["vendor https://example.org/"]
examples = ["SQUASHFS=m -> yes", "SQUASHFS=n -> no"]
"""


def test_programs_of_the_users_own_stand_in_their_rules(run_inside, make_config, tmp_path):
    path = str(make_config(*MODULES, "# CONFIG_SQUASHFS is not set", kernel="6.12.43"))
    (tmp_path / "own/software").mkdir(parents=True)
    (tmp_path / "own/software/frobd.toml").write_text(OWN)
    own = ("--rules", str(tmp_path / "own"))
    assert "no: frobs (SQUASHFS is off)" in run_inside("can", "frobd", path, *own).stdout
    assert "frobd" in run_inside("can", "--list", *own).stdout
    assert "[requires/frobd/frobs]" in run_inside("audit", path, "--require", "frobd", *own).stdout
    assert run_inside("can", "frobd", path).code == 2


def test_an_option_counts_only_where_it_is_asked_for(run_inside, make_config, tmp_path):
    path = make_config(*MODULES, "CONFIG_KEYS=y", kernel="6.12.43")
    (tmp_path / "s.conf").write_text("kernel.keys.root_maxkeys = 200\n")
    options = (str(path), "--sysctl", str(tmp_path / "s.conf"))
    asked = run_inside("can", "k3s:kernel-defaults", *options).stdout
    assert "kernel.keys.root_maxkeys = 1000000" in " ".join(asked.split())
    assert "root_maxkeys" not in run_inside("can", "k3s", *options).stdout
