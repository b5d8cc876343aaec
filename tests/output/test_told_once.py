"""What several say of one thing is told once: advice and diagnostic of a word, and two profiles."""

from __future__ import annotations

import pytest


@pytest.fixture
def told(run_inside, make_config):
    """The report of a boot line under profiles, as text."""

    def report(cmdline, *profiles):
        lines = ["# Linux/x86 6.12.117 Kernel Configuration", "CONFIG_X86_64=y", "CONFIG_PCI=y"]
        lines += ["CONFIG_PCIEASPM=y", "CONFIG_PCIEASPM_DEFAULT=y"]
        path = make_config(*lines)
        chosen = [word for name in profiles for word in ("-p", name)]
        words = ("audit", str(path), *chosen, "--cmdline", cmdline, "--fail-on", "never")
        return run_inside(*words).stdout

    return report


def test_a_word_that_advice_takes_out_is_explained_there(told):
    text = told("pcie_aspm=off", "hpc-compute")
    assert text.count("remove pcie_aspm=off") == 1
    assert "parameter-caution" not in text
    (block,) = [one for one in text.split("\n\n") if "[pcie-aspm" in one]
    assert "note   pcie_aspm=off does not switch link power saving off" in block


def test_without_such_advice_the_diagnostic_tells_all(told):
    text = told("pcie_aspm=off", "diagnosis")
    (block,) = [one for one in text.split("\n\n") if "parameter-caution" in one]
    assert "remove the parameter" in block


def test_two_profiles_with_one_remedy_are_one_finding(told):
    text = told("pcie_aspm=force", "power-saving", "desktop-latency")
    assert text.count("remove pcie_aspm=force") == 1
    assert "power-saving, desktop-latency" in text


def test_one_reason_why_a_word_adds_nothing_is_enough(run_inside, make_config):
    head = "# Linux/x86 6.12.117 Kernel Configuration"
    off = "# CONFIG_NUMA_BALANCING_DEFAULT_ENABLED is not set"
    path = make_config(head, "CONFIG_NUMA=y", "CONFIG_NUMA_BALANCING=y", off)
    words = (
        "audit",
        str(path),
        "--cmdline",
        "numa_balancing=disable",
        "--cpus",
        "4",
        "--nodes",
        "1",
    )
    assert run_inside(*words).stdout.count("parameter-redundant") == 1


def test_advice_on_disks_of_one_kind_says_so(run_inside, make_config):
    head = "# Linux/x86 6.12.117 Kernel Configuration"
    path = make_config(head, "CONFIG_BLOCK=y", "CONFIG_SYSFS=y", "CONFIG_MQ_IOSCHED_DEADLINE=y")
    text = run_inside("audit", str(path), "-p", "server-throughput", "-v").stdout
    assert [line for line in text.splitlines() if "I/O scheduler" in line] == [
        "  - I/O scheduler (could): echo none > /sys/block/DEVICE/queue/scheduler or echo",
        "  - I/O scheduler of rotating disks (could): echo mq-deadline >",
    ]


def test_what_is_not_known_says_what_would_tell_it(run_inside, make_config):
    path = make_config("# Linux/x86 6.12.117 Kernel Configuration", "CONFIG_X86_64=y",
                       "CONFIG_SMP=y", "CONFIG_MMU=y", "CONFIG_CPU_IDLE=y",
                       "# CONFIG_ACPI_PROCESSOR is not set", "CONFIG_INTEL_IDLE=y")  # fmt: skip
    text = run_inside("audit", str(path), "-p", "power-saving", "-v").stdout
    words = " ".join(text.split())
    assert (
        "CPU idle driver for this processor (must): built or missing; to find out, add --vendor"
        in words
    )
