"""What kind of file a configuration is: whole or not, of which architecture, one or several."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

X86 = Path(__file__).parents[2] / "examples" / "x86_64-6.12.config.xz"
NEVER = ("--fail-on", "never")


@pytest.fixture
def audit(run_inside):
    """The report as JSON and as text, of an audit that fails for nothing."""

    def run(*words):
        shown = run_inside("audit", *words, "-p", "realtime", *NEVER)
        report = run_inside("audit", *words, "-p", "realtime", *NEVER, "--format", "json")
        assert (shown.code, shown.stderr, report.code) == (0, "", 0)
        (one,) = json.loads(report.stdout)["reports"]
        return one, " ".join(shown.stdout.split())

    return run


@pytest.fixture
def whole(tmp_path):
    """A whole configuration's lines behind its header."""
    return lzma.decompress(X86.read_bytes()).decode().splitlines(keepends=True)[5:]


def test_a_configuration_without_a_header_is_judged_as_with_it(audit, whole, tmp_path):
    (tmp_path / "stripped").write_text("### Do not edit\n" + "".join(whole))
    report, text = audit("stripped")
    expected, _ = audit(X86)
    verdicts = [
        {finding["id"]: finding["verdict"] for finding in one["findings"]}
        for one in (report, expected)
    ]
    differ = {name for name in verdicts[1] if verdicts[0][name] != verdicts[1][name]}
    assert (report["subject"]["complete"], report["subject"]["kernel"]) == (True, None)
    assert "version not known; by its symbols newer than 6.9.0 and older than 6.13.7), x86" in text
    # The range spans 6.12, where that one begins.
    assert differ == {"realtime/rt-runtime"}


def test_half_a_configuration_is_not_whole(audit, whole, tmp_path):
    header = "# Linux/x86 6.12.117 Kernel Configuration\n"
    (tmp_path / "half").write_text(header + "".join(whole[: len(whole) // 2]))
    assert audit("half")[0]["subject"]["complete"] is False
    assert audit("half", "--whole")[0]["subject"]["complete"] is True
    assert audit(X86, "--partial")[0]["subject"]["complete"] is False


def test_the_user_s_word_may_stand_in_the_settings(audit, run_inside, tmp_path):
    (tmp_path / "one").write_text("CONFIG_HZ_1000=y\n")
    (tmp_path / "two").write_text("CONFIG_HZ_1000=y\n")
    (tmp_path / "kernel-advisor.toml").write_text('[[subject]]\npath = "*one"\nwhole = true\n')
    assert [audit(name)[0]["subject"]["complete"] for name in ("one", "two")] == [True, False]
    assert audit("one", "--partial")[0]["subject"]["complete"] is False


def test_the_only_architecture_that_a_fragment_can_have(audit, tmp_path):
    path = tmp_path / "my_defconfig"
    path.write_text("CONFIG_ARCH_K3=y\nCONFIG_PREEMPT_RT=y\n")
    report, text = audit(path.name)
    assert report["subject"]["machine"]["arch"] == "arm64"
    assert "arm64 (by its symbols, such as ARCH_K3)" in text
    assert audit(path.name, "--arch", "riscv")[0]["subject"]["machine"]["arch"] == "riscv"
    path.write_text("CONFIG_ARCH_K3=y\nCONFIG_X86_X2APIC=y\n")
    assert audit(path.name)[0]["subject"]["machine"]["arch"] is None


def test_several_files_are_one(audit, run_inside, tmp_path):
    (tmp_path / "my_defconfig").write_text("CONFIG_PREEMPT_RT=y\nCONFIG_A=maybe\n")
    (tmp_path / "a.cfg").write_text("# RT\n# CONFIG_PREEMPT_RT is not set\n")
    (tmp_path / "b.cfg").write_text("CONFIG_PREEMPT_RT=y\nCONFIG_ARCH_K3=y\nCONFIG_B=maybe\n")
    report, text = audit("my_defconfig", "a.cfg", "b.cfg", "--merge")
    assert report["subject"]["path"] == "my_defconfig"
    assert report["subject"]["machine"]["arch"] == "arm64"
    assert "merged a.cfg, b.cfg" in text
    told = {one["path"] for one in report["diagnostics"] if one["id"] == "invalid-value"}
    assert told == {"my_defconfig", "b.cfg"}
    other = run_inside("audit", "my_defconfig", "b.cfg", "a.cfg", "--merge", "-p", "realtime")
    assert "off (a.cfg:2) -> on" in other.stdout
    assert "a.cfg" not in text.replace("merged a.cfg, b.cfg", "")


def test_one_bad_file_of_one_subject_refuses_it(run_inside, tmp_path):
    (tmp_path / "a").write_text("CONFIG_HZ_250=y\n")
    result = run_inside("audit", "a", "missing", "--merge", "-p", "realtime")
    assert (result.code, result.stdout) == (3, "")
    assert "missing" in result.stderr


def test_a_single_file_may_be_merged(audit, tmp_path):
    (tmp_path / "a").write_text("CONFIG_HZ_250=y\n")
    assert audit("a", "--merge")[0] == audit("a")[0]


@pytest.fixture
def parts(tmp_path, whole):
    """A whole configuration, and a fragment that changes its kind of preemption."""
    header = "# Linux/x86 6.12.117 Kernel Configuration\n"
    (tmp_path / "base.config").write_text(header + "".join(whole))
    (tmp_path / "rt.cfg").write_text("CONFIG_EXPERT=y\nCONFIG_PREEMPT_RT=y\n")
    return "base.config", "rt.cfg"


@pytest.mark.parametrize("command", ["fragment", "cmdline"])
def test_a_plan_is_for_one_subject(run_inside, parts, command):
    result = run_inside(command, *parts, "-p", "realtime")
    assert (result.code, result.stdout) == (2, "")
    assert "takes one configuration, not 2" in result.stderr
    assert "--merge" in result.stderr


def test_a_fragment_is_for_what_all_files_say(run_inside, parts):
    words = ("-p", "realtime", "--strength", "must")
    alone = run_inside("fragment", parts[0], *words)
    both = run_inside("fragment", *parts, "--merge", *words)
    assert (alone.code, both.code) == (0, 0)
    assert "\nCONFIG_PREEMPT_RT=y\n" in alone.stdout
    assert "CONFIG_PREEMPT_RT=y" not in both.stdout


def test_a_boot_line_is_for_what_all_files_say(run_inside, parts, tmp_path):
    (tmp_path / "off.cfg").write_text("# CONFIG_EFI is not set\n")
    alone = run_inside("cmdline", parts[0], "-p", "realtime")
    both = run_inside("cmdline", parts[0], "off.cfg", "--merge", "-p", "realtime")
    assert "efi=noruntime" in alone.stdout.split()
    assert "efi=noruntime" not in both.stdout.split()


def test_what_the_symbols_tell_is_in_the_data(audit, whole, tmp_path):
    (tmp_path / "stripped").write_text("".join(whole))
    (tmp_path / "k3.cfg").write_text("CONFIG_ARCH_K3=y\n")
    (tmp_path / "other.cfg").write_text("CONFIG_HZ_1000=y\n")
    assert audit("stripped")[0]["subject"]["inferred"] == {
        "arch_by": None,
        "newer_than": "6.9.0",
        "older_than": "6.13.7",
    }
    subject = audit("other.cfg", "k3.cfg", "--merge")[0]["subject"]
    assert subject["inferred"] == {"arch_by": "ARCH_K3", "newer_than": None, "older_than": None}
    assert subject["merged"] == ["k3.cfg"]
    assert {"inferred", "merged"}.isdisjoint(audit(X86)[0]["subject"])


def test_a_kernel_for_the_processors_of_one_vendor_tells_it(run_inside, tmp_path):
    text = "# Linux/x86 6.12.0 Kernel Configuration\nCONFIG_X86_64=y\nCONFIG_CPU_SUP_AMD=y\n"
    lines = "# CONFIG_CPU_SUP_INTEL is not set\n# CONFIG_CPU_SUP_HYGON is not set\n"
    (tmp_path / "amd").write_text(text + lines)
    options = ("--profile", "power-saving", "--fail-on", "never", "--whole")
    told = json.loads(run_inside("audit", "amd", *options, "--format", "json").stdout)
    (report,) = told["reports"]
    assert report["subject"]["machine"]["vendor"] == "amd"
    assert report["subject"]["inferred"]["vendor_by"] == "CPU_SUP_AMD"
    assert "vendor amd (only CPU_SUP_AMD is built)" in run_inside("audit", "amd", *options).stdout
    told = run_inside("audit", "amd", *options, "--vendor", "intel").stdout
    assert "vendor intel" in told
    assert "only CPU_SUP_AMD is built" not in told


def test_what_a_kind_means_is_said_once(run_inside, make_config):
    """Of ten such words in a verbose report the first says it."""
    words = ("audit", make_config(), "--cmdline", "nohz_full=1 foo=1 bar=2", "-v", "--no-settings")
    told = run_inside(*words).stdout
    assert told.count("parameter-unknown") == 2
    assert told.count("kernel-advisor knows no kernel with this parameter.") == 1
