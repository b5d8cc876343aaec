"""A machine on one screen, and hosts that are judged for what fits them."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from advisor.cli.app import _OF_A_MACHINE, described, with_command
from advisor.cli.machine import machine
from advisor.errors import InputError
from advisor.knowledge import schema

from ..inputs.host.hosts import recorded, write_host
from ..inputs.host.test_signs import BATTERY, GUEST, REAL, dmi, units

SCREENS = Path(__file__).parent / "screens"
EXAMPLE = Path(__file__).parents[2] / "examples/x86_64-6.12-bad-ideas.config.xz"
RELEASE = {"/proc/sys/kernel/osrelease": "6.12.0-x\n", "/proc/cmdline": "quiet\n"}
SYMBOLS = ("CPU_FREQ", "CPU_FREQ_GOV_PERFORMANCE", "CPU_FREQ_GOV_SCHEDUTIL",
           "CPU_FREQ_DEFAULT_GOV_SCHEDUTIL", "PREEMPT", "HZ_1000", "NUMA", "SMP")  # fmt: skip
SERVER = {
    **REAL, **dmi("Dell Inc.", "PowerEdge R650", "23"), "/proc/meminfo": "MemTotal: 33554432 kB\n",
    "/sys/devices/system/cpu/present": "0-63\n",
    "/etc/os-release": 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n',
    **units("system-postgresql.slice/postgresql@17-main.service", "redis.service", "cron.service"),
}  # fmt: skip
LAPTOP = {**REAL, **BATTERY, **dmi("LENOVO", "ThinkPad T14", "10"), **units("gdm.service")}


@pytest.fixture
def make_host(tmp_path, make_config, monkeypatch):
    """Writes a host below the folder of the test, where commands run, and gives its name."""
    monkeypatch.chdir(tmp_path)

    def make(files, *symbols, name="host"):
        folder = write_host(tmp_path / name, {**RELEASE, **files})
        (folder / "boot").mkdir(exist_ok=True)
        if not symbols:
            shutil.copy(EXAMPLE, folder / "boot/config-6.12.0-x")
            return name
        lines = [f"CONFIG_{symbol}=y" for symbol in (*SYMBOLS, *symbols)]
        shutil.move(make_config(*lines, kernel="6.12.0"), folder / "boot/config-6.12.0-x")
        return name

    return make


@pytest.fixture
def shown(run_inside):
    def show(*words):
        done = run_inside(*words)
        assert (done.code, done.stderr) == (0, "")
        return done.stdout

    return show


def fits_the_screen(text):
    """But for a command, which is of no use when it is cut."""
    lines = text.split("\n")
    told = [line for line in lines if not line.startswith("kernel-advisor ")]
    return lines.pop() == "" and len(lines) <= 24 and max(map(len, told)) <= 80


HOSTS = {
    "server": SERVER,
    "laptop": LAPTOP,
    "guest": GUEST,
    "nothing": {},
    "long": {
        **REAL, **dmi("M" * 200, "P" * 200, "23"), "/etc/os-release": f"PRETTY_NAME={'x' * 900}"
    },
    "hostile": {
        **REAL, **dmi("\x1b[31mRED", "\u202etxt"), **units("nginx.service\x1b[2J.service"),
        "/etc/os-release": 'PRETTY_NAME="\x1b]0;title\x07 \u202e system"\n',
    },
    "much": {
        **REAL, **BATTERY, "/sys/kernel/realtime": "1\n", "/sys/devices/system/cpu/isolated": "1\n",
        **units(*(f"{n}.service" for n in ("slurmd", "nginx", "haproxy", "vpp", "mysql", "sddm",
                                           "pvedaemon", "redis"))),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTS)
def test_golden_screens(make_host, shown, name):
    """Word for word; `make golden` writes them again."""
    text = shown("--host", make_host(HOSTS[name]))
    path = SCREENS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        SCREENS.mkdir(exist_ok=True)
        path.write_text(text)
    assert fits_the_screen(text)
    assert not set(text) & set("\x1b\x07\u202e")
    assert text == path.read_text()


@pytest.mark.parametrize("name", ["cloud-6.1", "cloud-6.12", "rt-6.12"])
def test_kernels_that_were_booted(tmp_path, shown, name):
    write_host(tmp_path / "host", recorded(name))
    text = shown("--host", tmp_path / "host")
    assert fits_the_screen(text)
    assert "Note: this host has no configuration of" in text
    assert "needs a change here" not in text


def test_what_is_not_known_is_not_called_right(tmp_path, shown):
    write_host(tmp_path / "host", RELEASE)
    assert "Not known: " in shown("--host", tmp_path / "host")


def test_where_no_kernel_runs_it_says_so(make_host, shown, tmp_path):
    host = make_host({**REAL, "/etc/systemd/system/multi-user.target.wants/nginx.service": ""})
    for name in ("proc/sys/kernel/osrelease", "proc/cmdline"):
        (tmp_path / host / name).unlink()
    text = shown("--host", host)
    assert "nginx is enabled (nginx.service)" in text
    assert text.count("no kernel runs") == 1


def test_the_json_is_valid(make_host, shown):
    words = [word for name in HOSTS for word in ("--host", make_host(HOSTS[name], name=name))]
    document = json.loads(shown(*words, "-f", "json"))
    assert list(schema.problems("machine", document, "advisor.output")) == []
    laptop = document["machines"][1]
    assert [one["profile"] for one in laptop["fits"] if one["audited"]] == [
        "power-saving",
        "desktop-latency",
    ]
    assert laptop["is"] == "a laptop"


def test_an_archive_is_shown_as_its_folder(make_host, shown, tmp_path):
    folder = make_host(SERVER)
    with tarfile.open(tmp_path / "host.tar", "w") as tar:
        tar.add(tmp_path / folder, ".")
    # Beside what to type next, in which the name stands.
    archive, same = (
        shown("--host", name).partition("kernel-advisor audit")[0] for name in ("host.tar", folder)
    )
    assert "PostgreSQL runs" in archive
    assert archive == same


def test_its_numbers_are_those_of_the_audit(make_host, run_inside, shown):
    host = make_host(SERVER)
    (screen,) = json.loads(shown("--host", host, "-f", "json"))["machines"]
    (audit,) = json.loads(run_inside("audit", "--host", host, "-f", "json").stdout)["reports"]
    assert audit["profiles"] == [one["profile"] for one in screen["fits"] if one["audited"]]
    differs = screen["differs"][0]
    for strength, count in audit["summary"]["change"].items():
        assert sum(cell[strength] for cell in differs["areas"]) == count
    assert sum(e["due"] + e["could"] for e in screen["efforts"].values()) == sum(
        audit["summary"]["change"].values()
    )


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_other_formats(make_host, shown, format):
    hosts = ("--host", make_host(SERVER), "--host", make_host(LAPTOP, name="other"))
    text = shown(*hosts, "-f", format)
    assert "PowerEdge R650" in text
    assert "power-saving" in text


def test_this_machine(run_command):
    done = run_command()
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == run_command("machine").stdout
    assert fits_the_screen(done.stdout)


def test_settings_do_not_count(tmp_path, make_host, run_inside):
    (tmp_path / "kernel-advisor.toml").write_text("nonsense = 1\n")
    assert run_inside("--host", make_host(SERVER)).code == 0


def test_where_no_linux_runs(shown, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    text = shown()
    assert text.startswith("this machine runs darwin, not Linux\n")
    assert "kernel-advisor audit CONFIG -p NAME" in text
    for format in ("json", "html", "markdown"):
        assert "darwin" in shown("-f", format)


def test_where_no_kernel_can_be_seen(shown, monkeypatch):
    """A chroot without /proc, as debootstrap leaves one: said, and not an error."""

    def no_host(folder, *_):
        raise InputError("contains neither a running nor an installed kernel", where=folder)

    monkeypatch.setattr("advisor.inputs.host.read.read_host", no_host)
    assert "no kernel was found here: /boot has no configuration" in " ".join(shown().split())


def test_no_such_host(run_inside, tmp_path):
    done = run_inside("--host", tmp_path / "none")
    assert (done.code, done.stdout) == (3, "")
    (tmp_path / "empty").mkdir()
    assert run_inside("--host", tmp_path / "empty").code == 3


def test_its_options_need_no_command():
    parameters = described(["machine"]).commands["machine"].params
    assert {name for one in parameters for name in one.opts} == _OF_A_MACHINE | {"--help-all"}
    assert with_command(["--host=x", "-f", "json"]) == ["machine", "--host=x", "-f", "json"]
    for words in (["--help"], ["-h"], ["--version"], ["audit"], ["--verson"]):
        assert with_command(words) == words
    assert machine.__doc__


# --- audit of a host without a profile ------------------------------------------------------------


def audited(run_inside, *words):
    done = run_inside("audit", *words, "-f", "json")
    (report,) = json.loads(done.stdout)["reports"]
    assert list(schema.problems("report", json.loads(done.stdout), "advisor.output")) == []
    return report


def test_a_host_is_judged_for_what_fits_it(make_host, run_inside):
    report = audited(run_inside, "--host", make_host(SERVER))
    assert report["profiles"] == ["database"]
    assert [(one["profile"], one["clear"]) for one in report["recommended"]] == [("database", True)]
    text = " ".join(run_inside("audit", "--host", "host").stdout.split())
    assert "fits database: PostgreSQL runs (postgresql@17-main.service)" in text


def test_a_laptop_with_a_desktop_is_in_no_conflict(make_host, run_inside):
    report = audited(run_inside, "--host", make_host(LAPTOP))
    assert (report["profiles"], report["conflicts"]) == (["power-saving", "desktop-latency"], [])


def test_what_contradicts_is_left_out_and_said(make_host, run_inside):
    host = make_host(SERVER, "PREEMPT_RT")
    report = audited(run_inside, "--host", host)
    assert (report["profiles"], report["conflicts"]) == (["realtime"], [])
    text = " ".join(run_inside("audit", "--host", host).stdout.split())
    assert "left out, because it contradicts these profiles: database (PostgreSQL runs" in text


def test_who_names_a_profile_gets_that(make_host, run_inside):
    report = audited(run_inside, "--host", make_host(SERVER), "-p", "realtime")
    assert report["profiles"] == ["realtime"]
    assert "recommended" not in report


def test_settings_name_profiles_too(make_host, run_inside, tmp_path):
    (tmp_path / "kernel-advisor.toml").write_text('profile = ["hpc-compute"]\n')
    assert audited(run_inside, "--host", make_host(SERVER))["profiles"] == ["hpc-compute"]


def test_a_guest_by_its_firmware_is_judged_as_one(make_host, run_inside):
    files = {"/proc/cpuinfo": "CPU implementer\t: 0x41\n", **dmi("Amazon EC2", "c7g.large")}
    host = make_host(files)
    for words in ([], ["-p", "database"]):
        report = audited(run_inside, "--host", host, *words)
        assert report["subject"]["machine"]["virtual"] == "guest"


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ("gaming", "desktop-latency"),
        ("DB", "database"),
        ("load balancer", "network-throughput"),
        ("server_throughput", "server-throughput"),
        ("server-througput", "server-throughput"),
        ("real", "realtime"),
    ],
)
def test_everyday_names(make_host, run_inside, name, one):
    done = run_inside("audit", "--host", make_host(REAL), "-p", name, "--fail-on", "never")
    assert done.stderr == f"kernel-advisor: --profile {name}: read as the profile {one}\n"
    assert f"profile   {one}\n" in done.stdout


def test_an_everyday_name_may_be_preferred(make_host, run_inside):
    words = ("--host", make_host(REAL), "-p", "server", "-p", "rt", "--prefer", "rt")
    done = run_inside("audit", *words, "--fail-on", "never")
    assert "profile   server-throughput, realtime\n" in done.stdout
    assert "\nCONFLICT" not in done.stdout


def test_without_a_neutral_profile_inputs_are_checked(make_host, run_inside, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/server-throughput.toml").write_text(
        'id = "server-throughput"\ntitle = "Ours"\nsummary = "Ours."\nadvice = []\n'
    )
    words = ("--host", make_host(REAL), "--profiles", "mine")
    assert audited(run_inside, *words)["profiles"] == []
    done = run_inside(*words)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("Linux 6.12.0-x")


def test_profiles_of_ones_own_have_evidence(make_host, run_inside, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/cron.toml").write_text(
        'id = "cron"\ntitle = "Cron"\nsummary = "Jobs."\nextends = ["server-throughput"]\n'
        'names = ["jobs"]\nadvice = []\n'
        '[[evidence]]\nweight = 9\ntitle = "Cron"\nunits = ["cron"]\n'
    )
    host = make_host(SERVER)
    report = audited(run_inside, "--host", host, "--profiles", "mine")
    assert report["profiles"] == ["cron", "database"]
    done = run_inside("audit", "--host", host, "--profiles", "mine", "-p", "jobs")
    assert "read as the profile cron" in done.stderr


def test_of_several_hosts_each_screen_names_its_own(make_host, shown):
    words = [word for name in ("db1", "db2") for word in ("--host", make_host(SERVER, name=name))]
    titles = [line for line in shown(*words).splitlines() if ": Linux " in line]
    assert [title.partition(": ")[0] for title in titles] == ["db1", "db2"]
    assert shown(*words[:2]).startswith("Linux ")


def test_five_findings_are_named_with_their_whole_title_and_the_shorter_remedies(make_host, shown):
    text = shown("--host", make_host(SERVER))
    assert "What matters most (5 of 14)\n" in text
    title = "CPU frequency governor: userspace (a program sets the clock), or the driver's own"
    told = f"SHOULD {title} algorithm (HWP, CPPC) now echo performance | tee \\ /sys/"
    assert told in " ".join(text.split())
    listed = text.partition("What matters most")[2].partition("\n\n")[0]
    assert len(re.findall(r"^(?:MUST|SHOULD) ", listed, re.M)) == 5
    assert all("=n, ... (" in line for line in listed.splitlines() if "..." in line)


def test_a_remedy_that_is_blocked_says_by_what(tmp_path, shown):
    write_host(tmp_path / "host", recorded("cloud-6.1"))
    text = " ".join(shown("--host", tmp_path / "host").split())
    assert "Clock source: hpet blocked: configuration and boot line already give the" in text


def test_the_screen_names_the_first_error_before_what_is_optional(make_host, shown):
    files = {"/etc/sysctl.d/1.conf": "vm.dirty_backgroud_ratio = 5\nvm.dirty_expire_centisec = 1\n"}
    listed = shown("--host", make_host({**LAPTOP, **files})).partition("What matters most")[2]
    badges = re.findall(r"^([A-Z]+) ", listed, re.M)
    assert badges.count("ERROR") == 1
    assert "COULD" not in badges[: badges.index("ERROR")]
    assert "        did you mean vm.dirty_background_ratio?\n" in listed


def test_the_screen_names_what_matters_most_with_its_remedy(make_host, shown):
    text = shown("--host", make_host(SERVER))
    assert "MUST    CPU vulnerability mitigations: left out of the kernel" in text
    assert "        build CPU_MITIGATIONS=y" in text
    assert len(text.splitlines()) <= 24
