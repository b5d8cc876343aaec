"""How the kernel reads the CPU lists of boot parameters, as far as that is more than `cpulist`; the
sources are those of the parameters (rules/parameters)."""

from __future__ import annotations

from advisor.model.condition_parser import parse
from advisor.model.parameter import ListRules

_APART = parse("kernel >= 5.18")
_UNEQUAL = (
    'the kernel ignores this parameter and logs "Housekeeping: nohz_full= must match isolcpus="'
)
_READ_EARLY = "kernel >= 5.2 && (arch = arm64 || arch = arm || arch = riscv || arch = xtensa)"

RULES = {
    "nohz_full": ListRules(
        default=("nohz",),
        apart=_APART,
        unequal=_UNEQUAL,
        refused="the kernel drops the whole list, so every CPU keeps its tick",
        all="the kernel keeps the boot CPU for its own work, whatever the list says",
        first="the kernel removes the boot CPU again, because this CPU keeps the time or no other "
        "CPU is present yet",
        first_when=parse(f"PM_SLEEP_SMP && !PM_SLEEP_SMP_NONZERO_CPU || {_READ_EARLY}"),
        same="isolcpus",
        differs="a CPU in only one of the two lists is isolated only from the tick, or only from "
        "load balancing",
    ),
    "isolcpus": ListRules(
        flags=(
            ("nohz", parse("kernel >= 4.15")),
            ("domain", parse("kernel >= 4.15")),
            ("managed_irq", parse("kernel >= 5.6")),
        ),
        default=("domain",),
        apart=_APART,
        unequal=_UNEQUAL,
        strict=parse("kernel < 5.8"),
        needs=(("nohz", parse("NO_HZ_FULL")),),
        skips="the kernel ignores the flag",
        refused="the kernel drops the whole list and isolates no CPU",
        all="the kernel keeps the boot CPU for itself, whatever the list says",
        first="the kernel removes the boot CPU again, because no other CPU is present yet when "
        "this architecture reads the line",
        first_when=parse(_READ_EARLY),
    ),
    "irqaffinity": ListRules(
        refused="the kernel keeps the CPUs before the error, adds the boot CPU, and ignores the "
        "rest of the list",
        instead="0",
        outside="interrupts of devices go to these CPUs",
    ),
    "rcu_nocbs": ListRules(
        refused="the kernel drops the whole list and offloads all CPUs",
        instead="all",
        within="nohz_full",
        contained="the callbacks of these CPUs are handed to threads anyway",
    ),
    "workqueue.unbound_cpus": ListRules(refused="the kernel drops the whole list"),
}
"""The rules of each parameter whose list has some."""
