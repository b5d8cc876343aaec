"""What keeps a setting of run time beyond the next boot, as a report shows it."""

from __future__ import annotations


def test_a_boot_parameter_keeps_what_debugfs_forgets(run_inside, make_config):
    lines = ("CONFIG_SMP=y", "CONFIG_DEBUG_FS=y", "CONFIG_PREEMPT=y", "CONFIG_PREEMPT_DYNAMIC=y",
             "CONFIG_ARCH_HAS_PREEMPT_LAZY=y", "# CONFIG_PREEMPT_LAZY is not set")  # fmt: skip
    path = make_config(*lines, kernel="7.2.13")
    text = run_inside("audit", str(path), "-p", "network-throughput").stdout
    rows = [line.split(maxsplit=1) for line in text.splitlines() if line.startswith(" ")]
    assert ["do", "until reboot: echo lazy > /sys/kernel/debug/sched/preempt"] in rows
    assert ["keep", "on the boot line: preempt=lazy"] in rows
    # What keeps it is no further way beside.
    assert ["or", "on the boot line: preempt=lazy"] not in rows
    line = ("--cmdline", "preempt=full")
    text = run_inside("audit", str(path), "-p", "network-throughput", *line).stdout
    assert " keep   on the boot line: preempt=lazy instead of preempt=full\n" in text
