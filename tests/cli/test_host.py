"""Hosts as subjects: this machine, and folders laid out like one."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from advisor.engine.effective.world import World
from advisor.inputs.host.read import read_host
from advisor.inputs.subject import Given, subject_of
from advisor.model.kernel import Layer

from .. import corpus
from ..inputs.host.hosts import recorded, write_host

SERVER = ("-p", "server-throughput")
POLICY = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor"
RELEASE = {"/proc/sys/kernel/osrelease": "6.12.0-x\n"}
GOVERNORS = ("CPU_FREQ", "CPU_FREQ_GOV_PERFORMANCE", "CPU_FREQ_GOV_SCHEDUTIL",
             "CPU_FREQ_DEFAULT_GOV_SCHEDUTIL")  # fmt: skip


@pytest.fixture
def make_host(tmp_path, make_config):
    """Writes a host whose kernel has these symbols on."""

    def make(files, *symbols, name="host", kernel="6.12.0", arch="x86"):
        folder = write_host(tmp_path / name, {"/proc/cmdline": "quiet\n", **RELEASE, **files})
        release = (folder / "proc/sys/kernel/osrelease").read_text().strip()
        lines = [f"CONFIG_{symbol}=y" for symbol in symbols]
        (folder / "boot").mkdir(exist_ok=True)
        shutil.move(
            make_config(*lines, kernel=kernel, arch=arch), folder / f"boot/config-{release}"
        )
        return folder

    return make


@pytest.fixture
def judged(run_inside):
    """What a report on hosts comes to: its first finding on a tunable, or nothing."""

    def judge(*words):
        result = run_inside("audit", *words, "--fail-on", "never", "-f", "json")
        assert result.code == 0, result.stderr
        (report,) = json.loads(result.stdout)["reports"]
        return report

    return judge


def finding(report, tunable):
    return next((f for f in report["findings"] if f["tunable"]["id"] == tunable), None)


def test_what_was_switched_on_below_sys_is_on(make_host, judged):
    """multigen-lru: built, not enabled by the configuration, and enabled by hand."""
    symbols = ("LRU_GEN", "TRANSPARENT_HUGEPAGE", "TRANSPARENT_HUGEPAGE_ALWAYS")
    host = make_host(recorded("cloud-6.1"), *symbols, kernel="6.1.192")
    found = finding(judged("--host", host, *SERVER), "multigen-lru")
    assert (found["verdict"], found["state"]["effective"]) == ("ok", ["on"])
    huge_pages = finding(judged("--host", host, *SERVER), "transparent-hugepages")
    assert huge_pages["state"]["effective"] == ["never"]


BY_HAND = [
    ("cloud-6.1", "multigen-lru", "on"),
    ("cloud-6.1", "transparent-hugepages", "never"),
    ("cloud-6.12", "huge-page-defragmentation", "defer"),
    ("cloud-6.12", "ksm", "running"),
    ("cloud-6.1", "preemption-model", "none"),
    ("cloud-6.1", "rcu-grace-periods", "expedited"),
    ("cloud-6.1", "cpuidle-governor", "ladder"),
    ("rt-6.12", "zswap", "on"),
    ("cloud-6.1", "printk-timestamps", "off"),
    ("cloud-6.12", "swappiness", "10"),
    ("cloud-6.12", "io-scheduler", "none"),
    ("debian-11", "transparent-hugepages", "madvise"),
    ("debian-11", "ksm", "running"),
    ("debian-11", "io-scheduler", "mq-deadline"),
    ("debian-11", "printk-timestamps", "off"),
    ("debian-11", "congestion-control", "bbr"),
    ("debian-11", "swappiness", "7"),
    ("debian-11", "dirty-ratio", "40"),
    ("debian-12", "transparent-hugepages", "madvise"),
    ("debian-12", "multigen-lru", "on"),
    ("debian-12", "ksm", "running"),
    ("debian-12", "printk-timestamps", "off"),
    ("debian-12", "congestion-control", "bbr"),
    ("debian-12", "writeback-interval", "2000"),
    ("debian-12", "swappiness", "7"),
    ("debian-13-rt", "ksm", "running"),
    ("debian-13-rt", "io-scheduler", "mq-deadline"),
    ("debian-13-rt", "printk-timestamps", "off"),
    ("debian-13-rt", "congestion-control", "bbr"),
    ("debian-13", "transparent-hugepages", "madvise"),
    ("debian-13", "multigen-lru", "on"),
    ("debian-13", "ksm", "running"),
    ("debian-13", "io-scheduler", "mq-deadline"),
    ("debian-13", "printk-timestamps", "off"),
    ("debian-13", "congestion-control", "bbr"),
    ("debian-13", "swappiness", "7"),
    ("debian-13", "dirty-ratio", "40"),
    ("debian-13", "nvme-timeout", "60"),
    ("debian-13", "zswap", "built"),
    ("debian-sid", "transparent-hugepages", "madvise"),
    ("debian-sid", "ksm", "running"),
    ("debian-sid", "io-scheduler", "mq-deadline"),
    ("debian-sid", "printk-timestamps", "off"),
    ("debian-sid", "congestion-control", "bbr"),
    ("debian-sid", "dirty-ratio", "40"),
]
"""What was set in a booted kernel under /sys or /proc/sys, and what that makes of a tunable."""


def state_in(folder, kernel, tunable):
    """What the files of a booted kernel make of a tunable, without its configuration."""
    knowledge = corpus.knowledge()
    names = map(knowledge.run_time_names, ("sysctl", "sysfs"))
    host = read_host(str(write_host(folder, recorded(kernel))), *names)
    found = host.runtime
    given = Given(host.machine, host.version, host.cmdline, found.sysctl, found.sysfs)
    return World(subject_of(host.config, given), knowledge).state(tunable)


@pytest.mark.parametrize(("kernel", "tunable", "value"), BY_HAND)
def test_what_was_set_by_hand_is_what_runs(tmp_path, kernel, tunable, value):
    state = state_in(tmp_path, kernel, tunable)
    assert state.effective == (value,)
    assert state.origins[0].layer is Layer.RUNTIME


def test_disks_of_which_tlp_gave_each_another_scheduler(tmp_path):
    state = state_in(tmp_path, "debian-12", "io-scheduler")
    assert dict(state.counts) == {"bfq": 1, "none": 1}


def test_control_groups_within_others_are_counted(tmp_path):
    state = state_in(tmp_path, "rt-6.12", "cpuset-partition")
    assert dict(state.counts) == {"isolated": 1, "member": 1}


@pytest.mark.parametrize(
    ("first", "second", "verdict", "now"),
    [
        ("performance", "performance", "ok", "performance"),
        ("performance", "schedutil", "change", "performance on 1 of 2"),
        ("schedutil", "schedutil", "change", "schedutil"),
    ],
)
def test_a_governor_is_the_one_in_force(make_host, run_inside, judged, first, second, verdict, now):
    """As TuneD sets it, whatever was compiled in."""
    policies = {POLICY.format(0): f"{first}\n", POLICY.format(1): f"{second}\n"}
    host = make_host(policies, *GOVERNORS, arch="arm64")
    words = ("--host", host, *SERVER, "--bare-metal")
    found = finding(judged(*words), "cpufreq-governor")
    assert found["verdict"] == verdict
    text = run_inside("audit", *words, "--fail-on", "never", "-v").stdout
    assert now in " ".join(text.split())


def test_disks_that_differ_are_counted_by_their_kinds(make_host, judged):
    disks = {"nvme0n1": ("[none] bfq", 0), "nvme1n1": ("none [bfq]", 0), "sda": ("[bfq]", 1)}
    files = {
        f"/sys/block/{disk}/queue/{name}": f"{text}\n"
        for disk, texts in disks.items()
        for name, text in zip(("scheduler", "rotational"), texts, strict=True)
    }
    found = finding(judged("--host", make_host(files, "BLOCK"), *SERVER), "io-scheduler")
    assert found["state"]["instances"] == [
        {"value": "none", "count": 1, "kind": "nvme"},
        {"value": "bfq", "count": 1, "kind": "nvme"},
        {"value": "bfq", "count": 1, "kind": "rotating"},
    ]


@pytest.mark.parametrize(
    ("text", "parameter"),
    [("255\n", "255"), (None, "30")],
    ids=["loaded", "not loaded"],
)
def test_a_module_is_asked_what_it_took(make_host, text, parameter):
    """Set in modprobe.d: the boot line does not tell."""
    path = "/sys/module/nvme_core/parameters/io_timeout"
    folder = make_host({path: text} if text else {}, "NVME_CORE", "BLK_DEV_NVME")
    knowledge = corpus.knowledge()
    host = read_host(str(folder), *map(knowledge.run_time_names, ("sysctl", "sysfs")))
    given = Given(host.machine, host.version, host.cmdline, sysfs=host.runtime.sysfs)
    assert World(subject_of(host.config, given), knowledge).state("nvme-timeout").effective == (
        parameter,
    )


def test_a_boot_line_and_facts_are_the_hosts(make_host, judged):
    host = make_host(recorded("rt-6.12"), "PREEMPT_RT", kernel="6.12.117")
    report = judged("--host", host, *SERVER)
    subject = report["subject"]
    assert subject["cmdline"].endswith("isolcpus=2-3 nohz_full=2-3 intel_iommu=on")
    assert (subject["machine"]["cpus"], subject["machine"]["vendor"]) == (4, "amd")
    assert (subject["path"], subject["kernel"]) == (str(host), "6.12.117")


def test_options_come_before_what_a_host_tells(make_host, judged):
    host = make_host(recorded("rt-6.12"))
    report = judged("--host", host, *SERVER, "--cpus", "64", "--bare-metal", "--isolate", "8-63")
    machine = report["subject"]["machine"]
    assert (machine["cpus"], machine["virtual"], machine["isolate"]) == (64, "no", "8-63")


def test_several_hosts_and_configurations(make_host, make_config, run_inside):
    one, two = make_host({}, name="one"), make_host({"/proc/cmdline": "nohz=off\n"}, name="two")
    words = ("audit", make_config(), "--host", one, "--host", two, *SERVER, "-f", "json")
    done = run_inside(*words, "--fail-on", "never")
    subjects = [report["subject"] for report in json.loads(done.stdout)["reports"]]
    assert [subject["path"] for subject in subjects] == [str(make_config()), str(one), str(two)]
    assert [subject["cmdline"] for subject in subjects] == [None, "quiet", "nohz=off"]


def test_of_several_hosts_a_bad_one_costs_a_line(make_host, run_inside, tmp_path):
    done = run_inside("audit", "--host", make_host({}), "--host", tmp_path / "none", *SERVER)
    assert done.code == 3
    assert "no such folder" in done.stderr
    assert "subject" in done.stdout


def test_a_host_without_a_profile_has_its_boot_line_checked(make_host, run_inside):
    done = run_inside("audit", "--host", make_host({"/proc/cmdline": "nohz_ful=1\n"}))
    assert done.code == 1
    assert "parameter-unknown" in done.stdout


def test_without_a_configuration_the_rest_is_judged(tmp_path, judged):
    """And the report says so."""
    report = judged("--host", write_host(tmp_path / "host", recorded("cloud-6.12")), *SERVER)
    assert finding(report, "transparent-hugepages")["verdict"] == "change"
    (note,) = (d for d in report["diagnostics"] if d["id"] == "host-no-config")
    assert note["message"] == "this host has no configuration of 6.12.117+deb12-cloud-amd64"


def test_a_kernel_without_a_configuration_is_not_called_a_fragment(tmp_path, run_inside):
    host = write_host(tmp_path / "host", recorded("cloud-6.12"))
    text = run_inside("audit", "--host", host, *SERVER, "--fail-on", "never").stdout
    told = " ".join(text.partition("profile")[0].split())
    assert told.endswith("(configuration not known: settings that depend on it are unknown)")


def test_what_may_not_be_read_is_told_once(make_host, run_command, drop_override):
    host = make_host(recorded("cloud-6.1"))
    closed = host / "sys/kernel/debug"
    closed.chmod(0)
    try:
        done = run_command("audit", "--host", host, *SERVER, before=drop_override)
    finally:
        closed.chmod(0o755)
    told = " ".join(done.stdout.split())
    assert "/sys/kernel/debug/sched/base_slice_ns" in told
    assert "and 2 more: permission denied" in told
    assert done.stdout.count("host-unread") == 1


@pytest.mark.parametrize("option", ["--cmdline", "--sysctl", "--runtime"])
def test_what_a_host_tells_itself_is_not_told(make_host, make_config, run_inside, option):
    told = "quiet" if option == "--cmdline" else make_config()
    done = run_inside("audit", "--host", make_host({}), option, told, *SERVER)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("kernel-advisor: --host: cannot be combined with --cmdline, ")
    done = run_inside("audit", option, told, *SERVER)
    assert (done.code, done.stdout) == (2, "")
    assert "CONFIG: is missing" in done.stderr


def test_this_machine_needs_no_words(run_inside):
    """The same as the host /; whatever machine that is."""
    alone = run_inside("audit", *SERVER, "--fail-on", "never")
    named = run_inside("audit", "--host", "/", *SERVER, "--fail-on", "never")
    assert (alone.code, alone.stdout) == (named.code, named.stdout)
    if alone.code == 0:
        assert "subject   /: " in alone.stdout


def test_where_no_linux_runs_a_configuration_is_asked_for(run_inside, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    done = run_inside("audit", *SERVER)
    assert (done.code, done.stdout) == (2, "")
    assert "this machine runs darwin, not Linux" in done.stderr


def test_a_baseline_of_a_host(make_host, run_inside, tmp_path):
    host = make_host(recorded("cloud-6.1"), "LRU_GEN", kernel="6.1.192")
    baseline = tmp_path / "known.json"
    assert run_inside("baseline", "--host", host, *SERVER, "-o", baseline).code == 0
    done = run_inside(
        "audit", "--host", host, *SERVER, "--baseline", baseline, "--fail-on", "could"
    )
    assert done.code == 0
