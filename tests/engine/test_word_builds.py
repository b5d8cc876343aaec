"""Words that the kernel ignores: whether a kernel is to be built that reads them."""

from __future__ import annotations

import pytest

from advisor.engine.audit import Policy, audit


@pytest.fixture
def remedy(make_world, built_in):
    """What to do about a word that a whole kernel ignores, under a profile."""

    def told(lines, word, profile, **facts):
        world = make_world(lines, cmdline=word, **{"kernel": "6.12.117", "arch": "x86", **facts})
        report = audit(world.subject, built_in, [built_in.profile(profile)], Policy())
        (text,) = (one.remedy for one in report.diagnostics if one.id == "parameter-not-built")
        return text

    return told


@pytest.mark.parametrize(
    ("lines", "word", "profile", "title"),
    [
        ("NUMA=y NUMA_BALANCING=n", "numa_balancing=enable", "hana", "Automatic NUMA balancing"),
        ("DEBUG_KERNEL=y DEBUG_KMEMLEAK=n", "kmemleak=on", "realtime", "Heavy kernel debugging"),
        ("KEXEC_CORE=y LKDTM=n HIBERNATION=n", "resume=/dev/sda2", "hardening",
         "Features that a single-purpose device rarely needs"),
        # One of two needs is enough, even if no line is known for the other.
        ("SMP=n", "isolcpus=1", "embedded-fastboot", "More than one CPU (SMP)"),
    ],
)  # fmt: skip
def test_no_profile_is_against_a_build_that_is_proposed(remedy, lines, word, profile, title):
    told = remedy(f"X86_64=y {lines}", word, profile, nodes=2, cpus=1 if "SMP=n" in lines else 4)
    advice = f"{profile} ({title})"
    assert told == f"remove the parameter: it would contradict {advice} in a kernel that reads it"


def test_a_build_that_no_profile_is_against_is_proposed(remedy):
    told = remedy("X86_64=y NUMA=y NUMA_BALANCING=n", "numa_balancing=enable", "desktop-latency")
    assert told == "build a kernel with NUMA_BALANCING=y, or remove the parameter"
    told = remedy("X86_64=y SWAP=y ZSWAP=n", "zswap.enabled=1", "hana")
    assert told == "build a kernel with ZSWAP=y, or remove the parameter"


@pytest.mark.parametrize(
    ("lines", "word", "built"),
    [
        ("SECURITY_LOCKDOWN_LSM=n", "lockdown=integrity",
         "SECURITY_LOCKDOWN_LSM=y, SECURITY_LOCKDOWN_LSM_EARLY=y, "
         "LOCK_DOWN_KERNEL_FORCE_CONFIDENTIALITY=y"),
        ("MODULE_SIG=n", "module.sig_enforce=1", "MODULE_SIG=y, MODULE_SIG_FORCE=y"),
    ],
)  # fmt: skip
def test_a_word_is_not_kept_for_a_kernel_that_needs_none(remedy, lines, word, built):
    told = remedy(f"X86_64=y SECURITY=y MODULES=y {lines}", word, "hardening")
    assert told == f"remove the parameter: the kernel built with {built} does not need it"
