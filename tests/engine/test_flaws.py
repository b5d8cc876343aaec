"""Kernels that are older than the protection against some flaw of processors."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.diagnose.inputs import diagnose
from advisor.model.finding import Verdict

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
            "MITIGATION_RFDS=y MITIGATION_ITS=y GDS_FORCE_MITIGATION=n",
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


@pytest.mark.parametrize(
    ("kernel", "config", "arch", "unknown"),
    [
        ("4.9.9", "X86=y", "x86", ["cpu-mitigations"]),
        ("4.9.90", "X86=y PAGE_TABLE_ISOLATION=y RETPOLINE=y", "x86", []),
        ("4.9.9", "ARM64=y", "arm64", ["cpu-mitigations"]),
        ("4.9.9", "ARM=y", "arm", []),
        # Branches before 5.10 got the code without the option.
        ("5.4.251", "X86_64=y CPU_SUP_INTEL=y RETPOLINE=y", "x86", ["BHI GDS RFDS ITS"]),
        # Gather data sampling came with an option of another name.
        (
            "5.4.281",
            "X86_64=y CPU_SUP_INTEL=y RETPOLINE=y GDS_FORCE_MITIGATION=n",
            "x86",
            ["BHI RFDS ITS"],
        ),
    ],
)
def test_a_kernel_older_than_all_of_them_is_told(make_world, kernel, config, arch, unknown):
    world = make_world(config, kernel=kernel, arch=arch)
    found = [one.subject for one in diagnose(world) if one.id == "mitigation-unknown"]
    names = [one.replace("MITIGATION_", "").replace("SPECTRE_", "") for one in found]
    assert names == unknown


def test_what_the_profile_says_of_it_is_told_once(make_world):
    world = make_world("X86=y", kernel="4.9.9", arch="x86")
    report = audit(world.subject, world.knowledge, [world.knowledge.profile("database")], Policy())
    (finding,) = (one for one in report.findings if one.tunable.id == "cpu-mitigations")
    assert finding.verdict is Verdict.BLOCKED
    assert "mitigation-unknown" not in {one.id for one in report.diagnostics}
