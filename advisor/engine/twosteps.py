"""A rebuild and then a second step, where neither alone gives what is wanted: a setting at run
time, or words on the boot line.

A BPF compiler built before 5.6 waits for its sysctl (kernel/bpf/core.c#bpf_jit_enable), which only
what is built has. nohz_full= is read by kernels with NO_HZ_FULL alone, which does nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.engine.features import rebuilt_for_words, with_words
from advisor.engine.hardening import weighed
from advisor.engine.judge import Test, satisfied_by, targets
from advisor.engine.rebuild import rebuild
from advisor.engine.remedies import runtime_remedy, untold_needs
from advisor.engine.state import World
from advisor.engine.what_if import rebooted, with_settings
from advisor.model.report import Finding, Remedy, RemedyKind, Verdict
from advisor.model.rules import Option, Tunable


def takes_two(finding: Finding) -> bool:
    """Whether a second step may do what a single one does not: where nothing else does, or nothing
    but a rebuild that gives what is merely accepted."""
    if finding.verdict is Verdict.BLOCKED:
        return True
    kinds = {remedy.kind for remedy in finding.remedies}
    settled = {name for option in finding.advice.options for name in option.accept}
    changes = finding.verdict is Verdict.CHANGE and kinds == {RemedyKind.REBUILD}
    return changes and finding.target in settled and finding.reason == ""


def in_two_steps(finding: Finding, world: World, allowed: Test | None = None) -> Finding:
    """The finding with both steps as its remedy, where it takes two of them and they close it;
    `allowed` narrows the values, where other profiles have a say as well."""
    if not takes_two(finding):
        return finding
    blocked = finding.verdict is Verdict.BLOCKED
    for option in finding.advice.options:
        good = _joint(satisfied_by(option, world), allowed)
        remedy = _both(option, good, world, blocked) if good else None
        if remedy:
            tunable, advice = world.knowledge.tunable(option.tunable), finding.advice
            value = tunable.value(remedy.value)
            remedied = finding._replace(
                verdict=Verdict.CHANGE,
                reason="" if world.config.complete else untold_needs(tunable, [remedy], world),
                target=remedy.value,
                remedies=(remedy,),
                cost=advice.cost or (value.cost if value else "") or tunable.cost,
            )
            return weighed(remedied, world)
    return finding


def _joint(good: Test | None, allowed: Test | None) -> Test | None:
    if good is None or allowed is None:
        return good
    satisfies, suits = good, allowed
    return lambda name: satisfies(name) and suits(name)


def _both(option: Option, good: Test, world: World, blocked: bool) -> Remedy | None:
    """The rebuild after which the first of the wanted values can be set, and is in force then; one
    that is merely accepted only where it is `blocked` otherwise."""
    tunable = world.knowledge.tunable(option.tunable)
    names = targets(option, tunable, good, world)
    for name in names if blocked else [one for one in names if one in option.want]:
        # A rebuild that does not do by itself may with what is written after it, or with the words
        # that the line takes then: `lsm=` has to name what is built.
        built = rebuild(tunable, name, world, alone=False) if blocked else None
        rebuilt = built if isinstance(built, Remedy) else None
        both = rebuilt and _then_written(rebuilt, tunable, good, world)
        both = both or rebuilt_for_words(tunable, name, good, world)
        both = both or (rebuilt and with_words(rebuilt, tunable, good, world))
        if both:
            return both
    return None


def _then_written(built: Remedy, tunable: Tunable, good: Test, world: World) -> Remedy | None:
    """A rebuild with what is written at run time after it."""
    after = rebooted(world, built)
    written = runtime_remedy(tunable, built.value, after)
    state = written and with_settings(after, written.settings).value(tunable.id)
    if written and state and state.effective and all(map(good, state.effective)):
        return built._replace(settings=written.settings)
    return None


def told_once(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; of two steps whose first is a rebuild that another finding asks for as well,
    only the second is told, and whose rebuild it comes after."""
    asked = [(finding, _lines(finding)) for finding in findings]
    rebuilds = [(one.tunable.title, lines) for one, lines in asked if not one.second_step]
    found = []
    for finding, lines in asked:
        if not (lines and finding.second_step):
            found.append(finding)
            continue
        other = next((title for title, others in rebuilds if lines <= others), "")
        rebuilds += [] if other else [(finding.tunable.title, lines)]
        remedies = (one._replace(rebuilt_by=other) for one in finding.remedies)
        found.append(finding._replace(remedies=tuple(remedies)))
    return found


def _lines(finding: Finding) -> set[tuple[str, str]]:
    """What the rebuild of a finding that asks for one sets."""
    waived = finding.waived is not None and not finding.waived.baseline
    if finding.verdict is not Verdict.CHANGE or waived:
        return set()
    return {(change.symbol, change.new) for one in finding.remedies for change in one.changes}
