"""What real machines showed of their frequencies, and what the engine makes of that."""

from __future__ import annotations

import pytest

from advisor.inputs.host.facts import read_facts
from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import read_settings

from .hosts import MACHINES, recorded, write_host

CONFIG = """
SMP=y CPU_FREQ=y CPU_FREQ_DEFAULT_GOV_SCHEDUTIL=y X86_INTEL_PSTATE=y X86_AMD_PSTATE=y
X86_ACPI_CPUFREQ=y"""
FREQUENCY = ("cpufreq-driver", "cpufreq-governor", "energy-performance-preference")


@pytest.mark.parametrize(
    ("name", "vendor", "cpus", "frequency"),
    [
        ("amd-epyc-7451", "amd", 96, ["acpi-cpufreq", "performance", ""]),
        ("amd-laptop-on-battery", "amd", None, ["amd-pstate-active", "driver", "power"]),
        ("arm64-cpufreq-dt", None, None, ["other", "schedutil", None]),
        (
            "dell-xps-15-9530", "intel", None,
            ["intel-pstate-active", "performance", "performance"],
        ),
        (
            "hp-elitebook-840-g10", "intel", 20,
            ["intel-pstate-active", "driver", "balance_performance"],
        ),
        ("intel-i7-1165g7", "intel", 8, ["intel-pstate-active", "driver", "balance_power"]),
        ("lenovo-x1-yoga-g8", "intel", None, ["intel-pstate-passive", "schedutil", "power"]),
        ("nvidia-dgx-spark", "arm", 20, ["other", "performance", None]),
        ("qualcomm-phone", "arm", 8, ["other", "other (walt)", None]),
        (
            "steam-deck", "amd", None,
            ["amd-pstate-active", "driver", "balance_performance performance"],
        ),
        (
            "thinkpad-t14-amd", "amd", None,
            ["amd-pstate-passive amd-pstate-guided", "schedutil", ""],
        ),
    ],
)  # fmt: skip
def test_how_their_clocks_are_set(make_world, built_in, tmp_path, name, vendor, cpus, frequency):
    root = Root(str(write_host(tmp_path, recorded(name, MACHINES))))
    facts = read_facts(root)
    assert (facts.vendor, facts.cpus) == (vendor, cpus)
    shown = read_settings(root, [], built_in.run_time_names("sysfs")).sysfs
    runtime = "\n".join(f"{path} = {text}" for path, (text, _) in shown.items() if "/sys/" in path)
    world = make_world(CONFIG, runtime=runtime, arch=facts.arch or "x86", vendor=vendor)
    states = map(world.state, FREQUENCY)
    assert [state and " ".join(state.effective) for state in states] == frequency


def test_all_records_are_asked():
    rows = test_how_their_clocks_are_set.pytestmark[0].args[1]
    assert [row[0] for row in rows] == sorted(path.stem for path in MACHINES.iterdir())
