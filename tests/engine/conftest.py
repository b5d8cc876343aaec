"""A kernel with a boot line, as most tests of boot lines want it."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose

# As Debian's kernels have it, as far as these words ask.
CONFIG = {
    "SMP": "y", "NR_CPUS": "8192", "CPU_ISOLATION": "y", "NO_HZ_COMMON": "y", "NO_HZ_FULL": "y",
    "HIGH_RES_TIMERS": "y", "RCU_NOCB_CPU": "y", "RCU_EXPERT": "y", "TREE_RCU": "y",
    "PREEMPT_DYNAMIC": "y", "PREEMPT_VOLUNTARY": "y", "PREEMPT_NONE": "n", "PREEMPT": "n",
    "TRANSPARENT_HUGEPAGE": "y",
    "TRANSPARENT_HUGEPAGE_ALWAYS": "y", "NUMA": "y", "NUMA_BALANCING": "y", "CPU_MITIGATIONS": "y",
    "CPU_IDLE": "y", "CPU_IDLE_GOV_MENU": "y", "CPU_IDLE_GOV_LADDER": "y", "INTEL_IDLE": "y",
    "ACPI": "y", "ACPI_PROCESSOR": "y", "CPU_FREQ": "y", "X86_INTEL_PSTATE": "y",
    "X86_AMD_PSTATE": "y", "PCIEASPM": "y", "PCI": "y", "AMD_IOMMU": "y", "INTEL_IOMMU": "y",
    "IOMMU_SUPPORT": "y", "IRQ_FORCED_THREADING": "y", "HUGETLBFS": "y", "HUGETLB_PAGE": "y",
    "CGROUPS": "y", "MEMCG": "y", "SCSI": "m", "BLOCK": "y", "PM_SLEEP_SMP": "y", "SLUB": "y",
    "X86_TSC": "y", "64BIT": "y", "MITIGATION_SPECTRE_V2": "y", "VT": "y", "PRINTK": "y",
    "CPU_FREQ_GOV_PERFORMANCE": "y", "CPU_FREQ_GOV_SCHEDUTIL": "y", "PROC_SYSCTL": "y",
    "SLUB_DEBUG": "y", "DYNAMIC_DEBUG": "y",
}  # fmt: skip


@pytest.fixture
def world_of(make_world):
    def world(line, *, kernel="6.12.0", arch="x86", config=(), **machine):
        merged = {**CONFIG, **dict(config)}
        text = " ".join(f"{key}={value}" for key, value in merged.items() if value)
        return make_world(text, cmdline=line, kernel=kernel, arch=arch, **machine)

    return world


@pytest.fixture
def told(world_of):
    def tell(line, **more):
        return [(d.id, d.location.column) for d in diagnose(world_of(line, **more))]

    return tell
