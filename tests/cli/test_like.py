"""`like` as a user runs it: a tuning on a configuration, and on a host."""

from __future__ import annotations

import json

import jsonschema
import pytest

from advisor.knowledge.schema import schema
from advisor.model.like import Answer

from ..inputs.host.hosts import write_host

CONFIG = (
    "CONFIG_SYSCTL=y", "CONFIG_SYSFS=y", "CONFIG_SWAP=y", "CONFIG_SMP=y",
    "CONFIG_CPU_MITIGATIONS=y", "CONFIG_TRANSPARENT_HUGEPAGE=y",
    "CONFIG_TRANSPARENT_HUGEPAGE_ALWAYS=y",
    "# CONFIG_DETECT_HUNG_TASK is not set",
)  # fmt: skip
PROFILE = """\
[sysctl]
vm.swappiness = 10
kernel.hung_task_timeout_secs = 600
[vm]
transparent_hugepages = never
[script]
script = a.sh
"""
RELEASE = "6.12.0-test"


@pytest.fixture
def tuning(tmp_path):
    """A profile of TuneD that a kernel without one of its sysctls cannot pass."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "tuned.conf").write_text(PROFILE)
    return folder


@pytest.fixture
def host(tmp_path, make_config):
    """A host with that kernel, which runs, and a file that sets a sysctl again."""
    files = {
        "/proc/sys/kernel/osrelease": RELEASE,
        "/proc/version": f"Linux version {RELEASE}",
        "/proc/cmdline": "ro quiet",
        "/proc/sys/vm/swappiness": "60",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
        "/etc/sysctl.d/99-x.conf": "vm.swappiness = 30",
        "/usr/lib/systemd/systemd": "",
        "/usr/lib/tuned/mine/tuned.conf": PROFILE,
    }
    folder = write_host(tmp_path / "host", {path: f"{text}\n" for path, text in files.items()})
    (folder / "boot").mkdir()
    (folder / f"boot/config-{RELEASE}").write_text(make_config(*CONFIG).read_text())
    return folder


@pytest.fixture
def answers(run_inside):
    """The answers of a run by the entries' keys, after its document was held to the schema."""

    def run(*words, code=0):
        result = run_inside("like", *map(str, words), "-f", "json")
        assert result.code == code, result.stderr
        document = json.loads(result.stdout)
        jsonschema.validate(document, schema("like", "advisor.output"))
        (one,) = document["tunings"]
        assert one["failed"] is (code == 1)
        return {entry["key"]: entry for entry in one["entries"]}, one

    return run


THP = "/sys/kernel/mm/transparent_hugepage/enabled"


def test_a_profile_on_a_configuration(answers, tuning, make_config):
    found, whole = answers(tuning, make_config(*CONFIG))
    assert {key: one["answer"] for key, one in found.items()} == {
        "vm.swappiness": "not-known",
        "kernel.hung_task_timeout_secs": "no-such-knob",
        THP: "changes",
        "[script] script": "outside",
    }
    assert whole["breaks"].startswith("TuneD sets the other entries, but tuned-adm verify fails")
    assert whole["line"] == (
        "4 entries: 1 to change, 1 without a knob here, 1 not known, 1 outside the kernel."
    )


def test_a_name_on_a_host(answers, host):
    found, whole = answers("mine", "--host", host)
    assert found["vm.swappiness"]["answer"] == "undone"
    assert found["vm.swappiness"]["why"] == f"{host}/etc/sysctl.d/99-x.conf:1 sets 30"
    assert found[THP]["answer"] == "in-force"
    assert whole["tuning"]["files"] == [f"{host}/usr/lib/tuned/mine/tuned.conf"]


def test_a_must_fails(answers, make_config):
    found, whole = answers("mitigations=off", make_config(*CONFIG), "-p", "container-host", code=1)
    assert found["mitigations=off"]["answer"] == "against-must"
    assert found["mitigations=off"]["against"][0]["strength"] == "must"
    assert whole["left_out"]


def test_each_answer_is_in_the_schema():
    text = json.dumps(schema("like", "advisor.output"))
    assert all(f'"{answer.value}"' in text for answer in Answer)


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_people_read_it(run_inside, tuning, make_config, format):
    result = run_inside("like", str(tuning), str(make_config(*CONFIG)), "-v", "-f", format)
    assert result.code == 0
    assert "kernel.hung_task_timeout_secs = 600" in result.stdout
    assert "DETECT_HUNG_TASK" in result.stdout


def test_the_text(run_inside, tuning, make_config):
    result = run_inside("like", str(tuning), str(make_config(*CONFIG, name="x.config")))
    lines = result.stdout.splitlines()
    assert lines[0] == "tuning    TuneD's profile mine"
    assert f"  - {THP} = never: now always" in lines
    assert "give      --host, --sysctl FILE or --runtime FILE, to show present values" in lines
    assert lines[-1].startswith("4 entries: ")


def test_what_tells_the_values_now_is_named(run_inside, tuning, host, make_config, tmp_path):
    """The files of the tuning are told apart from what the values now were read in."""
    (tmp_path / "now.conf").write_text("vm.swappiness = 60\n")
    config, given = str(make_config(*CONFIG)), str(tmp_path / "now.conf")
    told = " ".join(run_inside("like", str(tuning), config, "--sysctl", given).stdout.split())
    assert f"files {tuning}/tuned.conf kernel" in told
    computed = "1 computed from the configuration and the boot line"
    assert f"now 1 read in {given}, {computed} but TuneD" in told
    told = " ".join(run_inside("like", "mine", "--host", str(host)).stdout.split())
    assert f"now 2 read in {host} but TuneD" in told


def test_each_value_now_has_its_place(answers, tuning, host, make_config):
    found, _ = answers("mine", "--host", host)
    assert [one["path"] for one in found["vm.swappiness"]["read"]] == [
        f"{host}/proc/sys/vm/swappiness"
    ]
    found, _ = answers(tuning, make_config(*CONFIG))
    assert (found[THP]["now"], found[THP]["read"]) == ("always", [])


def test_what_is_wrong_is_one_line(run_inside, make_config):
    for words, code in ((("nothing", str(make_config())), 2), (("nosmt=1", "no.config"), 3)):
        result = run_inside("like", *words)
        assert (result.code, result.stdout) == (code, "")
        assert len(result.stderr.splitlines()) == 1
