"""Kernels that are older than the protection against some flaw of processors."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose

BARE = "X86=y X86_64=y CPU_SUP_AMD=y CPU_MITIGATIONS=y"
AMD = f"{BARE} MITIGATION_IBPB_ENTRY=y"
KNOWN = "MITIGATION_RETPOLINE=y MITIGATION_RETHUNK=y MITIGATION_SRSO=y"
OLD_NAMES = (
    "X86_64=y CPU_SUP_AMD=y SPECULATION_MITIGATIONS=y RETPOLINE=y RETHUNK=y CPU_IBPB_ENTRY=y "
    "CPU_SRSO=y"
)


@pytest.mark.parametrize(
    ("config", "cmdline", "unknown"),
    [
        (f"{AMD} {KNOWN} MITIGATION_TSA=y", "", ""),
        (f"{AMD} {KNOWN} MITIGATION_TSA=n", "", ""),  # known, and switched off
        (f"{AMD} {KNOWN}", "", "MITIGATION_TSA"),
        (OLD_NAMES, "", "MITIGATION_TSA"),
        (f"{BARE} {KNOWN} MITIGATION_TSA=y", "", "MITIGATION_UNRET_ENTRY"),
        (
            f"{AMD} {KNOWN} MITIGATION_TSA=y CPU_SUP_INTEL=y MITIGATION_SPECTRE_BHI=y "
            "MITIGATION_RFDS=y MITIGATION_ITS=y",
            "",
            "MITIGATION_IBRS_ENTRY",
        ),
        (f"{AMD} MITIGATION_RETPOLINE=y", "", "MITIGATION_SRSO MITIGATION_TSA"),
        (f"{AMD} MITIGATION_RETPOLINE=y MITIGATION_RETHUNK=n", "", "MITIGATION_TSA"),
        (f"{AMD} {KNOWN} MITIGATION_TSA=y KVM=m", "", "MITIGATION_VMSCAPE"),
        (f"{AMD} {KNOWN}", "mitigations=off", "MITIGATION_TSA"),
        (f"{AMD} {KNOWN} MITIGATION_TSA=y KVM=m".replace("S=y", "S=n"), "", ""),
    ],
)
def test_what_a_whole_configuration_has_no_line_about(make_world, config, cmdline, unknown):
    world = make_world(config, kernel="5.15", arch="x86", cmdline=cmdline)
    found = [one.subject for one in diagnose(world) if one.id == "mitigation-unknown"]
    assert found == [unknown] * bool(unknown)


@pytest.mark.parametrize(
    ("kernel", "unknown"),
    [
        ("6.12", "MITIGATION_ITS MITIGATION_TSA MITIGATION_VMSCAPE"),
        ("6.15", "MITIGATION_TSA MITIGATION_VMSCAPE"),
        ("6.16", "MITIGATION_VMSCAPE"),
        ("7.1", ""),
    ],
)
def test_a_kernel_that_came_with_it_is_not_too_old_for_it(make_world, kernel, unknown):
    intel = "CPU_SUP_INTEL=y MITIGATION_SPECTRE_BHI=y MITIGATION_RFDS=y MITIGATION_IBRS_ENTRY=y"
    world = make_world(f"{AMD} {KNOWN} {intel} KVM=m", kernel=kernel, arch="x86")
    found = [one.subject for one in diagnose(world) if one.id == "mitigation-unknown"]
    assert found == [unknown] * bool(unknown)


@pytest.mark.parametrize(
    ("kernel", "line", "unknown"),
    [
        ("5.10.8", "ARM64=y", ["MITIGATE_SPECTRE_BRANCH_HISTORY"]),
        ("5.10.105", "MITIGATE_SPECTRE_BRANCH_HISTORY=y", []),
        ("6.12.0", "ARM64=y", []),
    ],
)
def test_arm64_before_branch_history_is_told(make_world, kernel, line, unknown):
    world = make_world(line, kernel=kernel, arch="arm64")
    assert [one.subject for one in diagnose(world) if one.id == "mitigation-unknown"] == unknown


def test_of_a_fragment_nothing_is_said(make_world):
    world = make_world(f"{AMD} {KNOWN}", kernel="6.12", arch="x86", complete=False)
    assert "mitigation-unknown" not in {one.id for one in diagnose(world)}
