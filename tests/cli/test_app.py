"""The command as its user meets it: exit codes, one clear line for each failure, clean outputs."""

from __future__ import annotations

import errno
import fcntl
import gzip
import json
import lzma
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from advisor import __version__
from advisor.cli import app
from advisor.output.markdown import marker

COMMANDS = (
    "audit",
    "fragment",
    "cmdline",
    "check",
    "explain",
    "profiles",
    "rules",
    "completion",
    "machine",
)
SERVER = ("--profile", "server-throughput")
TEXT = b"CONFIG_WIDGET=y\n" * 4000


def assert_refused(result, code, *parts):
    """The exit code, nothing on stdout, and one line on stderr that says all of this."""
    assert result.code == code
    assert result.stdout == ""
    assert_one_line(result.stderr, *parts)


def assert_one_line(stderr, *parts):
    assert stderr.startswith("kernel-advisor: ")
    assert stderr.endswith("\n")
    assert stderr.count("\n") == 1
    assert "Traceback" not in stderr
    assert [part for part in parts if part not in stderr] == []


# --- 0 and 1: the verdict -------------------------------------------------------------------------

OFF = "# CONFIG_WIDGET is not set"


@pytest.mark.parametrize(
    ("line", "strength", "fail_on", "code"),
    [
        ("CONFIG_WIDGET=y", "must", None, 0),
        (OFF, "must", None, 1),
        (OFF, "should", None, 0),
        (OFF, "should", "should", 1),
        (OFF, "must", "could", 1),
        (OFF, "could", "should", 0),
        (OFF, "must", "never", 0),
        (OFF, "must", "error", 0),
        ("", "must", None, 0),  # blocked: the kernel has no such symbol
        ("", "must", "blocked", 1),
        ("", "must", "must,unknown", 0),
        ("CONFIG_BROKEN=maybe", "must", None, 1),
        ("CONFIG_BROKEN=maybe", "must", "must", 0),
        ("CONFIG_TWICE=y\nCONFIG_TWICE=m", "must", None, 0),
        ("CONFIG_TWICE=y\nCONFIG_TWICE=m", "must", "warning", 1),
    ],
)
def test_findings_decide_between_0_and_1(
    run_inside, make_config, own, widgets, edit, line, strength, fail_on, code
):
    edit(own / "profiles/widgets.toml", 'strength = "must"', f'strength = "{strength}"')
    make_config(line)
    options = [] if fail_on is None else ["--fail-on", fail_on]
    result = run_inside("audit", "config", *widgets, *options)
    assert (result.code, result.stderr) == (code, "")
    assert result.stdout.startswith("subject   config: Linux 6.12.0, x86\n")


@pytest.mark.parametrize(("fail_on", "code"), [("must,error", 0), ("unknown", 1)])
def test_a_fragment_is_audited_as_unknown(run_inside, tmp_path, widgets, fail_on, code):
    (tmp_path / "fragment").write_text("CONFIG_OTHER=y\n")
    result = run_inside("audit", "fragment", *widgets, "--format", "json", "--fail-on", fail_on)
    (report,) = json.loads(result.stdout)["reports"]
    assert (result.code, result.stderr) == (code, "")
    assert not report["subject"]["complete"]
    assert [finding["verdict"] for finding in report["findings"]] == ["unknown"]


def test_the_verdict_of_a_real_process(run_command, make_config, widgets):
    make_config(OFF)
    result = run_command("audit", "config", *widgets)
    assert (result.code, result.stderr) == (1, "")
    assert result.stdout.endswith("\nmust: 1, should: 0, could: 0\n")


@pytest.mark.parametrize("command", ["fragment", "cmdline"])
def test_a_conflict_is_refused(run_inside, make_config, own, widgets, edit, command):
    other = own / "profiles/no-widgets.toml"
    other.write_text((own / "profiles/widgets.toml").read_text())
    edit(other, 'id = "widgets"', 'id = "no-widgets"')
    edit(other, 'want = ["on"]', 'want = ["off"]')
    make_config("CONFIG_WIDGET=y")
    result = run_inside(command, "config", *widgets, "--profile", "no-widgets")
    assert_refused(result, 1, "Widget", "widgets wants on", "no-widgets wants off", "--prefer")
    settled = run_inside(
        command, "config", *widgets, "--profile", "no-widgets", "--prefer", "widgets"
    )
    assert settled.code == 0


# --- 2: usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["fragment", *SERVER], ["CONFIG", "fragment --help"]),
        (["audit", "config", *SERVER, "--format", "pdf"], ["'pdf'", "text, json, markdown"]),
        (["audit", "config", *SERVER, "--fromat", "json"], ["--fromat", "--format"]),
        (["audit", "config", *SERVER, "--write", "pdf=x"], ["--write", "'pdf=x'", "FORMAT=FILE"]),
        (["audit", "config", *SERVER, "--write", "json"], ["--write", "'json'", "FORMAT=FILE"]),
        (["audit", "config", *SERVER, "--write", "json="], ["--write", "'json='", "FORMAT=FILE"]),
        (["audit", "config", *SERVER, "--fail-on", "shuld"], ["--fail-on", "shuld", "should"]),
        (["audit", "config", *SERVER, "--fail-on", "must,"], ["--fail-on", "any of must"]),
        (["audit", "config", *SERVER, "--vendor", "cyrix"], ["--vendor", "'cyrix'", "intel, amd"]),
        (["audit", "config", *SERVER, "--hypervisor", "qemu"], ["'qemu'", "kvm, xen"]),
        (
            ["audit", "config", *SERVER, "--hypervisor", "kvm", "--bare-metal"],
            ["--hypervisor", "leave out one"],
        ),
        (["audit", "config", *SERVER, "--prefer", "diagnosis"], ["--prefer", "'diagnosis'"]),
        (["audit", "config", *SERVER, "--cpus", "0"], ["--cpus"]),
        (["audit", "config", *SERVER, "--cpus", "many"], ["--cpus", "'many'"]),
        (["audit", "config", *SERVER, "--memory", "much"], ["--memory", "'much'", "32G"]),
        (["audit", "config", *SERVER, "--kernel", "latest"], ["--kernel", "'latest'", "6.12-rc1"]),
        (["fragment", "config", *SERVER, "--strength", "shall"], ["--strength", "must, should"]),
        (["fragment", "config", "config", *SERVER], ["takes one configuration", "--merge"]),
        (["fragment", "config", *SERVER, "--format", "json"], ["--format"]),
        (["cmdline", "config", *SERVER, "--strength", "wish"], ["--strength", "'wish'"]),
        (["explain"], ["NAME", "explain --help"]),
        (["explain", "NO_HZ_FUL"], ["'NO_HZ_FUL'", "did you mean", "NO_HZ_FULL"]),
        (["explain", "qqq"], ["'qqq'", "kernel-advisor rules"]),
        (["rules", "show", "timer-frequenzy"], ["did you mean timer-frequency?"]),
        (["rules", "show", "qqq"], ["'qqq'", "kernel-advisor rules"]),
        (["rules", "show"], ["show needs an ID", "rules show ID"]),
        (["rules", "list"], ["'list'", "rules show ID"]),
        (["profiles", "show"], ["show needs an ID", "profiles show ID"]),
        (["adit"], ["'adit'", "audit"]),
        (["--verson"], ["--verson", "--version"]),
    ],
    ids=" ".join,
)
def test_wrong_usage(run_inside, make_config, words, parts):
    make_config()
    assert_refused(run_inside(*words), 2, *parts)


PROFILES = """\
  container-host        Host of containers
  database              Database server
  desktop-latency       Desktop latency
  diagnosis             Diagnosis and profiling
  embedded-fastboot     Embedded, fast boot
  hana                  SAP HANA
  hardening             Hardening
  hpc-compute           High-performance computing
  kubelet               Kubernetes' kubelet
  mongodb               MongoDB, 8.0 and later
  mongodb-7             MongoDB, 7.0 and earlier
  mysql                 MySQL
  network-latency       Network latency
  network-throughput    Network throughput
  nginx                 nginx
  oracle                Oracle Database
  postgresql            PostgreSQL
  power-saving          Power saving
  realtime              Real time
  redis                 Redis
  server-throughput     Server throughput
  systemd               systemd
  virtualization-guest  Virtual machine (guest)
  virtualization-host   Virtualization host
"""


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["audit", "config"], ["--profile: is missing", "audit --help"]),
        (["audit", "config", "-p", "qqq"], ["--profile", "'qqq'", "one of these"]),
        (
            ["audit", "config", "-p", "network"],
            ["--profile", "'network'", "did you mean network-latency"],
        ),
        (["profiles", "show", "guest-of-a-host"], ["'guest-of-a-host'"]),
    ],
    ids=" ".join,
)
def test_without_a_profile_that_is_known_all_are_listed(run_inside, make_config, words, parts):
    make_config()
    result = run_inside(*words)
    first, _, others = result.stderr.partition("\n")
    assert (result.code, result.stdout, others) == (2, "", PROFILES)
    assert_one_line(f"{first}\n", *parts)


def test_wrong_usage_of_a_real_process(run_command, make_config):
    make_config()
    result = run_command("audit", "config", *SERVER, "--vendor", "cyrix")
    assert_refused(result, 2, "--vendor", "'cyrix'")


def test_help_lists_all_commands(run_command):
    result = run_command("--help")
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")
    assert [name for name in COMMANDS if f"\n  {name} " not in result.stdout] == []


# --- 3: inputs ------------------------------------------------------------------------------------


def cut(data):
    return data[: len(data) * 2 // 3]


def damaged(data):
    middle = len(data) // 2
    wrong = bytes(byte ^ 0xFF for byte in data[middle : middle + 8])
    return data[:middle] + wrong + data[middle + 8 :]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["is empty"]),
        (b"\n\n", ["not a kernel configuration"]),
        (b"# Linux/x86 6.12.0 Kernel Configuration\n", ["not a kernel configuration"]),
        (b"Dear kernel,\nplease be fast.\n", ["not a kernel configuration"]),
        (bytes(range(256)) * 64, ["is a binary file"]),
        (TEXT + b"\0", ["is a binary file"]),
        (TEXT.decode().encode("utf-16"), ["UTF-16", "iconv"]),
        (gzip.compress(b"", mtime=0), ["is empty"]),
        (cut(gzip.compress(TEXT, mtime=0)), ["gzip", "cut short", "again"]),
        (cut(lzma.compress(TEXT)), ["xz", "cut short", "again"]),
        (damaged(lzma.compress(TEXT)), ["xz", "damaged", "again"]),
        (gzip.compress(b"#" * ((64 << 20) + 1), 1, mtime=0), ["more than 64 MiB", "right file?"]),
    ],
    ids=[
        "empty", "blank", "header only", "prose", "binary", "nul", "utf-16", "empty gzip",
        "cut gzip", "cut xz", "damaged xz", "gzip bomb",
    ],
)  # fmt: skip
def test_what_is_no_configuration(run_inside, tmp_path, content, parts):
    (tmp_path / "input").write_bytes(content)
    assert_refused(run_inside("audit", "input", *SERVER), 3, "input:", *parts)


@pytest.mark.parametrize("command", ["audit", "fragment", "cmdline"])
def test_a_missing_file(run_inside, command):
    result = run_inside(command, "absent/config", *SERVER)
    assert_refused(result, 3, "absent/config: no such file", "check the path")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("folder", ["is a directory", "name a file in this directory"]),
        ("file/config", ["Not a directory"]),
        ("circle", ["cannot be read"]),
        ("x" * 300, ["too long"]),
        ("line\nbreak", ["no such file"]),
        ("\x1b[31mred", ["no such file"]),
    ],
)
def test_what_is_no_file(run_inside, tmp_path, name, parts):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    result = run_inside("audit", name, *SERVER)
    assert_refused(result, 3, *parts)
    assert result.stderr.removesuffix("\n").isprintable()


def test_an_unreadable_file(run_command, make_config, drop_override):
    make_config().chmod(0o000)
    result = run_command("audit", "config", *SERVER, before=drop_override)
    assert_refused(result, 3, "config: cannot be read: Permission denied", "its permissions")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--sysctl", "absent"], ["absent: no such file"]),
        (["--sysctl", "config"], ["config:1", "sysctl -a"]),
        (["--runtime", "absent"], ["absent: no such file"]),
        (["--runtime", "config"], ["config:1", "/sys/kernel/mm/lru_gen/enabled = 0x0007"]),
        (["--cmdline", "@absent"], ["absent: no such file"]),
    ],
    ids=" ".join,
)
def test_other_inputs(run_inside, make_config, tmp_path, options, parts):
    make_config().write_text("CONFIG_A=y\n")
    assert_refused(run_inside("audit", "config", *SERVER, *options), 3, *parts)


def test_a_fragment_can_have_no_fragment(run_inside, tmp_path):
    (tmp_path / "fragment").write_text("CONFIG_HZ_250=y\n")
    result = run_inside("fragment", "fragment", *SERVER)
    assert_refused(result, 3, "fragment: is not a complete configuration", "--tree TREE", "--whole")


def test_one_bad_configuration_of_many(run_inside, make_config, widgets):
    names = [make_config(OFF, name=f"config-{number:03}").name for number in range(200)]
    bad = names[77]
    make_config(name=bad).write_bytes(b"\0" * 100)
    result = run_inside("audit", *names, *widgets, "--format", "json")
    assert result.code == 3
    assert_one_line(result.stderr, f"{bad}: ", "is a binary file")
    paths = [report["subject"]["path"] for report in json.loads(result.stdout)["reports"]]
    assert paths == [name for name in names if name != bad]


# --- odd, but a configuration ---------------------------------------------------------------------


@pytest.fixture
def audited(run_inside, widgets):
    """The report of an audit that reads its input without complaint."""

    def run(*words):
        result = run_inside("audit", "config", *widgets, *words, "--format", "json")
        assert result.code in (0, 1)
        assert result.stderr == "" or "--kernel" in words
        (report,) = json.loads(result.stdout)["reports"]
        return report

    return run


def diagnostics(report):
    return [(found["id"], found["severity"], found["line"]) for found in report["diagnostics"]]


def effective(report):
    (finding,) = report["findings"]
    return finding["state"]["effective"]


def test_bytes_that_are_not_utf8(audited, make_config):
    path = make_config("CONFIG_WIDGET=y", 'CONFIG_NAME="?"')
    path.write_bytes(path.read_bytes().replace(b'"?"', b'"\xff"'))
    report = audited()
    assert effective(report) == ["on"]
    assert diagnostics(report) == [("invalid-utf8", "warning", 6)]


def test_dos_line_ends_change_nothing(audited, make_config):
    path = make_config("CONFIG_WIDGET=y", 'CONFIG_NAME="x"')
    before = audited()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert audited() == before


@pytest.mark.parametrize("line", ['CONFIG_NAME="{}"', "{}", "# {}", "CONFIG_WIDGET=y{}"])
def test_a_line_of_ten_megabytes(run_inside, make_config, line):
    make_config(line.format("x" * 10_000_000))
    result = run_inside("audit", "config", *SERVER, "--fail-on", "never")
    assert (result.code, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("lines", "value", "last"),
    [
        (["CONFIG_WIDGET=y", "CONFIG_WIDGET=n"], ["off"], 6),
        (["CONFIG_WIDGET=y", OFF], ["off"], 6),
        ([OFF, "CONFIG_OTHER=y", "CONFIG_WIDGET=y"], ["on"], 7),
        (["CONFIG_WIDGET=y", "CONFIG_WIDGET=maybe"], ["on"], None),
    ],
)
def test_the_last_of_several_lines_wins(audited, make_config, lines, value, last):
    make_config(*lines)
    report = audited()
    assert effective(report) == value
    if last:
        assert diagnostics(report) == [("duplicate-symbol", "warning", last)]
        assert report["findings"][0]["state"]["origins"][0]["line"] == last


def test_the_same_line_twice_is_no_news(audited, make_config):
    make_config("CONFIG_WIDGET=y", "CONFIG_WIDGET=y")
    assert diagnostics(audited()) == []


def test_escaped_quotes_in_a_text(audited, make_config):
    make_config(r'CONFIG_NAME="say \"CONFIG_WIDGET=n\" \\"', "CONFIG_WIDGET=y")
    report = audited()
    assert effective(report) == ["on"]
    assert diagnostics(report) == []


@pytest.mark.parametrize("value", ["12x", "0xfog", "-", "1.5", "words", '"open', "1 000"])
def test_a_value_of_no_type(audited, make_config, value):
    make_config("CONFIG_WIDGET=y", f"CONFIG_NUMBER={value}")
    report = audited()
    assert effective(report) == ["on"]
    assert diagnostics(report) == [("invalid-value", "error", 6)]


VERSIONS = ["6.12", "6.12-rc1", "5.14.0-427.el9.x86_64", "4.18.0-147.5.1.el8_1", "6.6.30+rpt-v8"]


@pytest.mark.parametrize("version", VERSIONS)
def test_versions_in_a_header(audited, make_config, version):
    make_config("CONFIG_WIDGET=y", kernel=version, arch="arm64")
    subject = audited()["subject"]
    assert (subject["kernel"], subject["machine"]["arch"]) == (version, "arm64")
    assert subject["complete"]


@pytest.mark.parametrize("version", VERSIONS)
def test_versions_that_are_told_win(audited, make_config, version):
    make_config("CONFIG_WIDGET=y", kernel="3.10.0", arch="arm64")
    subject = audited("--kernel", version, "--arch", "aarch64")["subject"]
    assert (subject["kernel"], subject["machine"]["arch"]) == (version, "arm64")


def test_versions_decide_what_applies(audited, make_config, own, edit):
    edit(
        own / "profiles/widgets.toml", 'want = ["on"]', 'want = ["on"]\nonly_if = "kernel >= 6.12"'
    )
    make_config("CONFIG_WIDGET=y", kernel="6.12.0-rc1")
    verdicts = [
        audited(*options)["findings"][0]["verdict"]
        for options in ([], ["--kernel", "6.11.9"], ["--kernel", "5.14.0-427.el9.x86_64"])
    ]
    assert verdicts == ["ok", "not-applicable", "not-applicable"]


def test_without_a_header(audited, tmp_path):
    (tmp_path / "config").write_text("CONFIG_WIDGET=y\n")
    subject = audited()["subject"]
    assert (subject["kernel"], subject["machine"]["arch"], subject["complete"]) == (
        None, None, False,
    )  # fmt: skip
    subject = audited("--kernel", "6.12", "--arch", "riscv64")["subject"]
    assert (subject["kernel"], subject["machine"]["arch"], subject["complete"]) == (
        "6.12", "riscv", False,
    )  # fmt: skip


# --- 4: knowledge ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["audit", "config", *SERVER, "--rules", "absent"],
        ["fragment", "config", *SERVER, "--profiles", "absent"],
        ["explain", "HZ", "--rules", "absent"],
        ["lint", "absent"],
    ],
    ids=" ".join,
)
def test_a_missing_folder_of_rules(run_inside, make_config, words):
    make_config()
    assert_refused(run_inside(*words), 4, "absent: is no directory of rules or profiles")


@pytest.mark.parametrize("words", [["audit", "config"], ["fragment", "config"], ["lint", "own"]])
def test_a_wrong_rule(run_inside, make_config, own, widgets, edit, words):
    make_config()
    edit(own / "rules/area/widget.toml", 'kind = "switch"', 'kind = "wheel"')
    options = [] if words[0] == "lint" else widgets
    result = run_inside(*words, *options)
    assert_refused(result, 4, "own/rules/area/widget.toml:3: kind: 'wheel' is not one of")


# --- 6: outputs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["audit", "fragment", "cmdline"])
@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("absent/report", ["absent/report: cannot be written: No such file", "check the folder"]),
        ("folder", ["folder: cannot be written: Is a directory"]),
        ("file/report", ["file/report: cannot be written: Not a directory"]),
        ("/dev/full", ["/dev/full: cannot be written: No space left on device"]),
    ],
)
def test_where_nothing_can_be_written(
    run_inside, make_config, tmp_path, monkeypatch, command, target, parts
):
    make_config()
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("as it was")
    result = run_inside(command, "config", *SERVER, "--output", target)
    if command == "cmdline":  # its reasons are on stderr before
        result = result._replace(stderr=result.stderr.splitlines(keepends=True)[-1])
    assert_refused(result, 6, *parts)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config", "file", "folder"]
    assert (tmp_path / "file").read_text() == "as it was"


def test_a_folder_that_is_read_only(run_command, make_config, tmp_path, drop_override):
    make_config()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "report").write_text("as it was")
    folder.chmod(0o500)
    for target in ("folder/report", "folder/new"):
        words = ["audit", "config", *SERVER, "--output", target]
        result = run_command(*words, before=drop_override)
        assert_refused(result, 6, f"{target}: cannot be written: Permission denied")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"report": "as it was"}


# Without PYTHONDONTWRITEBYTECODE Python would leave the first bytes of a compiled module behind.
LIMIT = """
import os, resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
"""


def test_a_disk_that_gets_full_half_way(run_command, make_config, tmp_path):
    make_config()
    (tmp_path / "report").write_text("as it was")
    words = ["audit", "config", *SERVER, "--fail-on", "never"]
    assert len(run_command(*words).stdout) > 100
    for options in (["--output", "report"], ["--write", "json=report", "--output", "/dev/null"]):
        result = run_command(*words, *options, before=LIMIT)
        assert_refused(result, 6, f"report: cannot be written: {os.strerror(errno.EFBIG)}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config", "report"]
    assert (tmp_path / "report").read_text() == "as it was"


@pytest.mark.parametrize(
    ("redirection", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "is closed")],
)
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        (["audit", "config", *SERVER], ""), (["audit", "config", *SERVER], "1"),
        (["explain", "HZ"], ""), (["--version"], ""), (["--version"], "1"),
        (["audit", "--help"], ""), (["audit", "--help"], "1"),
    ],
)  # fmt: skip
def test_a_stdout_that_takes_nothing(
    environment, make_config, words, unbuffered, redirection, reason
):
    folder = make_config().parent
    command = ["sh", "-c", f'exec "$0" "$@" {redirection}', sys.executable, "-m", "advisor"]
    environment = {**environment, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        [*command, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if words[-1] == "--help" and redirection == ">&-":
        assert (done.returncode, done.stderr) == (0, "")  # Typer's own print leaves it out
        return
    assert done.returncode == 6
    assert_one_line(done.stderr, "<stdout>", reason)


@pytest.mark.parametrize(
    ("form", "unbuffered"),
    [("text", ""), ("text", "1"), ("json", "1"), ("sarif", ""), ("html", "1")],
)
def test_a_stdout_that_takes_a_part(environment, make_config, tmp_path, form, unbuffered):
    """With PYTHONUNBUFFERED Python itself leaves out the rest without an error."""
    make_config()
    words = ["-m", "advisor", "audit", "config", *SERVER, "--fail-on", "never", "--format", form]
    code = f"{LIMIT}\nimport sys\nos.execv(sys.argv[1], sys.argv[1:])"
    with open(tmp_path / "out", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", code, sys.executable, *words],
            cwd=tmp_path, env={**environment, "PYTHONUNBUFFERED": unbuffered},
            stdout=out, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (tmp_path / "out").stat().st_size == 100
    assert done.returncode == 6
    assert_one_line(done.stderr, "<stdout>", os.strerror(errno.EFBIG))


def test_a_pipe_that_does_not_wait(environment, make_config, tmp_path):
    make_config()
    words = ["audit", "config", *SERVER, "--fail-on", "never", "--format", "html"]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    environment = {**environment, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *words], cwd=tmp_path, env=environment,
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    os.close(reading)
    assert done.returncode == 6
    assert_one_line(done.stderr, "<stdout>", "without blocking")


def test_several_outputs_of_one_run(run_inside, make_config, tmp_path, widgets):
    make_config(OFF)
    (tmp_path / "report.md").write_text("old")
    result = run_inside(
        "audit", "config", *widgets,
        "--format", "json", "--write", "markdown=report.md", "--write", "json=report.json",
        "--write", "text=report.txt",
    )  # fmt: skip
    assert (result.code, result.stderr) == (1, "")
    assert (tmp_path / "report.json").read_text() == result.stdout
    assert json.loads(result.stdout)["reports"][0]["failed"]
    assert (tmp_path / "report.md").read_text().startswith(f"{marker('audit')}\n\n### Widgets: ")
    assert (tmp_path / "report.txt").read_text().startswith("subject   config: ")


@pytest.mark.parametrize("command", ["audit", "fragment", "cmdline"])
def test_a_file_gets_what_stdout_would(run_inside, make_config, tmp_path, command):
    make_config()
    words = [command, "config", *SERVER]
    printed = run_inside(*words)
    written = run_inside(*words, "--output", "file")
    assert (written.code, written.stdout) == (printed.code, "")
    assert (tmp_path / "file").read_text() == printed.stdout


# --- 70 and 130: what nobody wants ----------------------------------------------------------------

CRASH = """\
import sys
from advisor.cli import app
from advisor.output import explain

def crash(*_):
    raise RuntimeError("two\\nlines")

explain.explain = crash
sys.argv = ["kernel-advisor", "explain", "HZ"]
raise SystemExit(app.run())
"""


@pytest.fixture
def crash(environment):
    def run(**more):
        command = [sys.executable, "-c", CRASH]
        env = {**environment, **more}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    return run


def test_a_bug_is_one_line(crash):
    done = crash()
    assert (done.returncode, done.stdout) == (70, "")
    assert_one_line(done.stderr, "a bug: RuntimeError, two lines", "KERNEL_ADVISOR_TRACEBACK=1")


def test_a_bug_shows_its_traceback_when_asked(crash):
    done = crash(KERNEL_ADVISOR_TRACEBACK="1")
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert "in crash" in done.stderr


def reads_on(process):
    """Whether a process has read all that its stdin held, and sleeps until there is more."""
    held = struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4))[0]
    state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    assert state in "RSD", "the process has ended"
    return held == 0 and state == "S"


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_it_waits_for_stdin(environment):
    command = [sys.executable, "-m", "advisor", "audit", "-", *SERVER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        process.stdin.write(b"CONFIG_A=y\n")
        process.stdin.flush()
        while not reads_on(process):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        assert (process.returncode, process.stdout.read(), process.stderr.read()) == (130, b"", b"")
        process.stdin.close()


def test_an_interrupt_that_the_caller_ignores_is_ignored(environment):
    """As a shell has it for what runs in the background, and nohup's users want it."""
    code = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    command = [sys.executable, "-m", "advisor", "audit", "-", *SERVER]
    starter = [sys.executable, "-c", f"{code}; os.execv(sys.argv[1], sys.argv[1:])", *command]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(starter, env=environment, **pipes) as process:
        process.stdin.write(b"CONFIG_A=y\n")
        process.stdin.flush()
        while not reads_on(process):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, bool(out), err) == (0, True, b"")


@pytest.mark.parametrize(
    ("format", "many", "line", "code"),
    [
        ("text", 50, "CONFIG_WIDGET=y", 0), ("json", 10, OFF, 1),
        ("markdown", 20, OFF, 1), ("html", 4, "CONFIG_WIDGET=y", 0),
    ],
)  # fmt: skip
def test_a_reader_that_has_seen_enough(environment, make_config, widgets, format, many, line, code):
    """So many reports are more than pipe and reader hold (4 + 8 KiB): the command writes after the
    pipe is closed."""
    folder = make_config(line).parent
    words = ["audit", *["config"] * many, *widgets, "--format", format]
    command = [sys.executable, "-m", "advisor", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "pipesize": 4096}
    with subprocess.Popen(command, cwd=folder, env=environment, **pipes) as process:
        assert process.stdout.readline()
        process.stdout.close()
        process.wait(60)
        # The verdict is the same, and nothing complains.
        assert (process.returncode, process.stderr.read()) == (code, b"")


# --- what it looks like ---------------------------------------------------------------------------

COLOUR = "\x1b["


def on_a_terminal(words, folder, environment, columns=80):
    """What a command shows on a terminal of that width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "advisor", *words]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=slave) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # EIO: the other end is closed
                break
            if not piece:
                break
            shown += piece
        process.wait(60)
    os.close(master)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("more", "coloured"),
    [
        ({}, True),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
    ids=str,
)
def test_colour_on_a_terminal(environment, make_config, more, coloured):
    folder = make_config().parent
    words = ["audit", "config", *SERVER]
    shown = on_a_terminal(words, folder, {**environment, **more})
    assert shown.startswith("subject ")
    assert (COLOUR in shown) is coloured


@pytest.mark.parametrize(
    "words",
    [["explain", "A" * 100_000], ["audit", "--cpus", "9" * 5000, "x"], ["audit", "x" * 5000],
     ["frob" * 5000]],
    ids=["name", "number", "path", "command"],
)  # fmt: skip
def test_a_message_repeats_no_word_without_end(run_inside, words):
    result = run_inside(*words)
    assert result.code in (2, 3)
    assert 0 < len(result.stderr) < 2000


@pytest.mark.parametrize(
    ("more", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    ids=str,
)
def test_colour_in_a_pipe(run_inside, make_config, tmp_path, more, coloured):
    make_config()
    result = run_inside("audit", "config", *SERVER, "--write", "text=report", env=more)
    assert (COLOUR in result.stdout) is coloured
    assert COLOUR not in (tmp_path / "report").read_text()
    assert re.sub(r"\x1b\[[\d;]*m", "", result.stdout) == (tmp_path / "report").read_text()


@pytest.mark.parametrize(("columns", "used"), [(60, 60), (100, 100), (300, 100), (0, 80)])
def test_the_width_of_a_terminal(environment, make_config, columns, used):
    folder = make_config().parent
    words = ["audit", "config", *SERVER, "--verbose"]
    shown = on_a_terminal(words, folder, {**environment, "NO_COLOR": "1"}, columns)
    prose = [line for line in shown.splitlines() if "/" not in line]
    assert used - 10 < max(map(len, prose)) <= used


def test_what_is_brief_is_not_verbose(run_inside, make_config):
    result = run_inside("audit", make_config(), *SERVER, "--brief", "-v")
    assert (result.code, result.stdout) == (2, "")
    assert "--brief: contradicts --verbose" in result.stderr


@pytest.mark.parametrize("command", ["", *app.COMMANDS])
def test_help_fits_a_screen(run_inside, command):
    result = run_inside(*command.split(), "--help", env={"COLUMNS": "80"})
    assert (result.code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"Usage: kernel-advisor {command}".rstrip())
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40


@pytest.mark.parametrize("command", app.COMMANDS)
def test_help_shows_every_option_somewhere(run_inside, command):
    """The common ones; and where there are others, a line that says how to see all."""
    common, whole = (run_inside(*command.split(), word).stdout for word in ("--help", "--help-all"))
    described = app.described([command]).commands[command].params
    options = [name for one in described for name in one.opts if one.help and name[0] == "-"]
    shown = whole.replace(",", " ").split()
    assert [name for name in options if name not in shown] == ["--help-all"]
    last = f"kernel-advisor {command} --help-all shows all options."
    assert (common == whole) != common.endswith(f"\n\n{last}\n")


@pytest.mark.parametrize("words", [["lint"], ["rules", "lint"]], ids=" ".join)
def test_lint_stands_under_rules(run_inside, own, words):
    assert "no kernel read has the symbol WIDGET" in run_inside(*words, own).stderr
    assert run_inside(*words, "--help").stdout.startswith("Usage: kernel-advisor rules lint ")
    assert "lint" not in run_inside("--help").stdout


def test_version(run_command):
    assert run_command("--version") == (0, f"kernel-advisor {__version__}\n", "")


def test_stdin(run_command, make_config):
    path = make_config()
    words = ["--format", "json", *SERVER]
    named = run_command("audit", "config", *words)
    piped = run_command("audit", "-", *words, stdin=path.read_bytes())
    packed = run_command("audit", "-", *words, stdin=gzip.compress(path.read_bytes()))
    assert piped == packed
    assert (piped.code, piped.stderr) == (named.code, "")

    def findings(result):
        (report,) = json.loads(result.stdout)["reports"]
        return [(found["id"], found["verdict"]) for found in report["findings"]]

    assert findings(piped) == findings(named)
    assert json.loads(piped.stdout)["reports"][0]["subject"]["path"] == "<stdin>"


def test_an_empty_stdin(run_inside):
    assert_refused(run_inside("audit", "-", *SERVER), 3, "<stdin>: is empty")


def test_stdout_is_a_boot_line_and_nothing_else(run_inside, make_config):
    make_config()
    result = run_inside("cmdline", "config", *SERVER, "--cmdline", "quiet root=/dev/vda1")
    assert result.code == 0
    assert result.stdout.startswith("quiet root=/dev/vda1")
    assert result.stdout.count("\n") == 1
    lines = result.stderr.splitlines()
    assert lines[0].startswith("kernel-advisor: added: ")
    assert [line for line in lines if not line.startswith("kernel-advisor: ")] == []


def test_stdout_is_a_fragment_and_nothing_else(run_inside, make_config, widgets):
    make_config(OFF)
    result = run_inside("fragment", "config", *widgets)
    assert (result.code, result.stderr) == (0, "")
    lines = [line for line in result.stdout.splitlines() if not line.startswith("# ") and line]
    assert lines == ["CONFIG_WIDGET=y"]


IN_TURN = """\
import json, sys
from advisor.cli import app
for words in json.load(sys.stdin):
    sys.argv = ["kernel-advisor", *words]
    print(words, app.run())
"""


def test_the_same_input_gives_the_same_bytes(environment, make_config):
    """Each command in two processes, in which sets have another order."""
    folder = make_config("CONFIG_HZ_PERIODIC=y", "CONFIG_LOCK_STAT=y").parent
    make_config(name="other")
    commands = [
        *(["audit", "config", "other", *SERVER, "--format", f] for f in ("text", "json")),
        ["audit", "config", *SERVER, "--profile", "diagnosis", "--format", "markdown"],
        ["fragment", "config", *SERVER],
        ["cmdline", "config", *SERVER, "--cmdline", "nohz=off preempt=none"],
        ["explain", "PREEMPT"],
        ["profiles", "show", "diagnosis"],
        ["rules"],
    ]
    first, second = (
        subprocess.run(
            [sys.executable, "-c", IN_TURN],
            cwd=folder, env={**environment, "PYTHONHASHSEED": seed},
            input=json.dumps(commands).encode(), capture_output=True, check=True,
        ).stdout.decode()
        for seed in "12"
    )  # fmt: skip
    codes = [1, 1, 1, 0, 0, 0, 0, 0]
    ends = [f"{words} {code}\n" for words, code in zip(commands, codes, strict=True)]
    assert [end for end in ends if end not in first] == []
    assert first == second


def test_a_name_that_the_terminal_cannot_show(run_command, make_config):
    make_config(name="käse")
    words = ["audit", "käse", *SERVER, "--fail-on", "never"]
    result = run_command(*words, env={"PYTHONIOENCODING": "ascii"})
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith(r"subject   k\xe4se: Linux 6.12.0, x86")


def test_the_fragment_beside_the_report(run_inside, make_config, widgets, tmp_path):
    config = make_config("# CONFIG_WIDGET is not set")
    words = ["audit", config, *widgets, "--fail-on", "never"]
    result = run_inside(*words, "--write", "fragment=out.config")
    alone = run_inside("fragment", config, *widgets)
    assert (result.code, alone.code) == (0, 0)
    assert (tmp_path / "out.config").read_text() == alone.stdout
    assert "CONFIG_WIDGET=y" in alone.stdout
