"""Words that are newer than the kernel's version: what the configuration, the kernels read and the
release tell of a backport.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.backports import Backport, may_have_any, of_parameter, vendor

GOVERNOR = "cpufreq.default_governor=powersave"
TOO_NEW, NOT_BUILT = "parameter-too-new", ("parameter-not-built", "error")


def told(world):
    return [(d.id, d.severity.value) for d in diagnose(world)]


@pytest.mark.parametrize(
    ("word", "kernel", "config", "expected"),
    [
        # What the configuration shows decides, whatever the version.
        ("preempt=none", "4.19.249", "SMP=y", NOT_BUILT),
        ("preempt=none", "4.18.0-553.el8_10.x86_64", "SMP=y", NOT_BUILT),
        ("preempt=none", "4.18.0-553.el8_10.x86_64", "PREEMPT_DYNAMIC=y PREEMPT_NONE=n", None),
        ("rcutree.enable_rcu_lazy=1", "6.1.192", "RCU_NOCB_CPU=y", NOT_BUILT),
        # The feature leaves no trace in a configuration.
        (GOVERNOR, "5.4.300", "CPU_FREQ=y", (TOO_NEW, "warning")),
        (GOVERNOR, "5.4.0-26-generic", "CPU_FREQ=y", (TOO_NEW, "warning")),
        # A tree of the series with as many patches was read, and lacks it.
        (GOVERNOR, "5.4.100", "CPU_FREQ=y", (TOO_NEW, "error")),
        # So was what mainline had at the time.
        (GOVERNOR, "5.4", "CPU_FREQ=y", (TOO_NEW, "error")),
        (GOVERNOR, "5.4-rc3", "CPU_FREQ=y", (TOO_NEW, "error")),
        # Vendors who carry features, by release, by name in the configuration, by symbol.
        (GOVERNOR, "4.18.0-80.el8.x86_64", "CPU_FREQ=y", (TOO_NEW, "note")),
        (GOVERNOR, "5.4.17-2136.uek", "CPU_FREQ=y", (TOO_NEW, "note")),
        (GOVERNOR, "5.4.300", 'CPU_FREQ=y LOCALVERSION="-android12-9"', (TOO_NEW, "note")),
        (GOVERNOR, "5.4.300", "CPU_FREQ=y ANDROID_VENDOR_HOOKS=y", (TOO_NEW, "note")),
        # What stable took: where the tree of the series has it, and where another one does.
        ("mitigations=off", "4.19.249", "CPU_MITIGATIONS=y", None),
        ("mitigations=off", "4.4.244", "X86=y RETPOLINE=y", (TOO_NEW, "note")),
        ("mitigations=off", "4.4", "X86=y RETPOLINE=y", (TOO_NEW, "error")),
    ],
)  # fmt: skip
def test_a_word_too_new_for_the_version(make_world, word, kernel, config, expected):
    assert told(make_world(config, cmdline=word, kernel=kernel)) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("4.18.0", ("parameter-value-refused", "error")),
        ("4.18.200", ("parameter-value-refused", "error")),  # stable takes no such feature
        ("4.18.0-553.el8_10.x86_64", ("parameter-value-refused", "note")),
    ],
)
def test_a_value_too_new_for_the_version(make_world, kernel, expected):
    world = make_world("PCI=y PCIEPORTBUS=y", cmdline="pcie_ports=dpc-native", kernel=kernel)
    assert told(world) == [expected]


def test_a_fragment_cannot_refute_it(make_world):
    world = make_world("SMP=y", cmdline="preempt=none", kernel="4.19.60", complete=False)
    # No tree of 4.19 has the symbol that it needs: certain, whatever else the file does not name.
    assert told(world) == [("parameter-not-built", "error")]
    world = make_world("SMP=y", cmdline="preempt=none", kernel="4.18.0-80.el8", complete=False)
    assert told(world) == [(TOO_NEW, "note")]


def test_what_is_not_certain_leaves_the_compiled_value_possible(make_world):
    config = "CPU_FREQ=y X86_ACPI_CPUFREQ=y ACPI_PROCESSOR=y CPU_FREQ_GOV_POWERSAVE=y"
    config += " CPU_FREQ_DEFAULT_GOV_PERFORMANCE=y"
    line = "cpufreq.default_governor=powersave"
    state = make_world(config, cmdline=line, kernel="5.4.300").state("cpufreq-governor")
    assert (set(state.effective), state.missing) == (
        {"powersave", "performance"},
        frozenset(("backports",)),
    )


def test_no_such_word_is_offered(make_world):
    world = make_world("CPU_FREQ=y", kernel="5.4.300")
    ruling = world.line.honours("cpufreq.default_governor=performance")
    assert ruling.truth == frozenset(("backports",))


def test_of_such_a_word_nothing_else_is_told(make_world):
    """What it would do beside others is no news about a word that most likely does nothing."""
    config = "TREE_RCU=y RCU_NOCB_CPU=y RCU_LAZY=y"
    (only,) = diagnose(
        make_world(config, cmdline="rcutree.enable_rcu_lazy=1", kernel="6.6.99", complete=False)
    )
    assert only.id == "parameter-too-new"


@pytest.mark.parametrize(
    ("config", "kernel", "expected"),
    [
        ("EFI=y EFI_FAKE_MEMMAP=y", "6.13.0-1.el10.x86_64", None),
        ("EFI=y", "6.13.0-1.el10.x86_64", ("parameter-removed", "error")),
        ("EFI=y EFI_FAKE_MEMMAP=y", "6.13", ("parameter-removed", "error")),
    ],
)
def test_a_removed_word_whose_code_was_kept(make_world, config, kernel, expected):
    world = make_world(config, cmdline="efi_fake_mem=1G@4G:0x10000", kernel=kernel)
    assert told(world) == ([expected] if expected else [])


@given(
    text=st.from_regex(r"[1-9]\.[0-9]{1,2}(\.[0-9]{1,3})?([-.][a-z0-9._-]{1,30})?", fullmatch=True)
)
def test_any_release_has_an_answer(built_in, text):
    from advisor.inputs.config import parse_config
    from advisor.inputs.machine import machine_of
    from advisor.inputs.subject import Given, subject_of
    from advisor.model.kernel import parse_version

    config = parse_config("CONFIG_SMP=y\n", ".config", complete=True)
    subject = subject_of(config, Given(machine_of({"arch": "x86"}), parse_version(text)))
    answer = of_parameter(built_in.parameter("preempt"), subject, built_in)
    assert answer in Backport
    assert (answer is Backport.NONE) or may_have_any(subject)
    assert isinstance(vendor(subject), str)
