"""A rebuild and then a setting at run time, where neither alone gives what is wanted.

A BPF compiler built before 5.6 waits for its sysctl (kernel/bpf/core.c#bpf_jit_enable), which only
what is built has.
"""

from __future__ import annotations

from advisor.engine.hardening import weighed
from advisor.engine.judge import Test, satisfied_by, targets
from advisor.engine.rebuild import rebuild
from advisor.engine.remedies import rebooted, runtime_remedy, untold_needs, with_settings
from advisor.engine.state import World
from advisor.model.report import Finding, Remedy, Verdict
from advisor.model.rules import Option


def in_two_steps(finding: Finding, world: World) -> Finding:
    """The finding, if it was blocked, with both steps as its remedy, if they close it."""
    if finding.verdict is not Verdict.BLOCKED:
        return finding
    for option in finding.advice.options:
        good = satisfied_by(option, world)
        remedy = _both(option, good, world) if good else None
        if remedy:
            told = "" if world.config.complete else untold_needs(finding.tunable, [remedy], world)
            remedied = finding._replace(
                verdict=Verdict.CHANGE, reason=told, target=remedy.value, remedies=(remedy,)
            )
            return weighed(remedied, world)
    return finding


def _both(option: Option, good: Test, world: World) -> Remedy | None:
    """The rebuild after which the first of the wanted values that has a run-time path can be
    written, and is in force then."""
    tunable = world.knowledge.tunable(option.tunable)
    for name in targets(option, tunable, good, world):
        built = rebuild(tunable, name, world, alone=False)
        if not isinstance(built, Remedy):
            continue
        after = rebooted(world, built)
        written = runtime_remedy(tunable, name, after)
        state = written and with_settings(after, written.settings).state(tunable.id)
        if written and state and state.effective and all(map(good, state.effective)):
            return built._replace(settings=written.settings)
    return None
