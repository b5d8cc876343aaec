"""The boot line that a kernel has in itself: the Kconfig settings for what a plan adds.

How it combines with the boot loader's line, read in 6.12: arch/x86/kernel/setup.c (before it);
arch/arm/kernel/atags_parse.c, drivers/of/fdt.c (arm, arm64), arch/loongarch/kernel/setup.c,
arch/powerpc/kernel/prom_init.c and arch/riscv/kernel/pi/cmdline_early.c (CMDLINE_EXTEND behind
it, CMDLINE_FORCE instead of it, else a fallback).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.engine.effective.boot_line import room_of
from advisor.engine.effective.world import World
from advisor.engine.judgement.conflicts import demands, shared_test
from advisor.engine.judgement.judge import judge_advice
from advisor.engine.plan.fragment_plan import by_strength, is_followed, judged_again, omitted, ways
from advisor.engine.plan.idle_words import awaited, without_dead_words
from advisor.engine.remedy.boot_remedies import boot_remedy, comes_back
from advisor.engine.remedy.what_if import cleared, rebooted
from advisor.inputs.builtin_cmdline import place_of_built_in
from advisor.model.cmdline import lasting, parse_cmdline
from advisor.model.finding import OPEN, Conflict, Diagnostic, Finding, Verdict
from advisor.model.kernel import CommandLine, quoted, unquote
from advisor.model.plan import BuiltIn, Omission, Plan, Step
from advisor.model.profile import Strength
from advisor.model.remedy import RemedyKind

UNWANTED = "another selected profile conflicts with this change"
"""Why a plan leaves out a change that conflicts with what a profile asks for."""
# The architectures whose combining was read for this.
_READ = ("x86", "arm", "arm64", "loongarch", "powerpc", "riscv")


def built_in_line(
    added: Sequence[str], dropped: Sequence[str], line: Sequence[str], world: World
) -> BuiltIn:
    """The built-in line with what a plan adds to a boot line, nothing else of it changed.

    As a fallback it has to hold the whole line, if it holds nothing yet, or the line says again
    what it holds.
    """
    subject = world.subject
    place = place_of_built_in(subject) if subject.machine.arch in _READ else ""
    if not place or not (added or dropped):
        return BuiltIn(place=place)
    built_in = parse_cmdline(unquote(world.config.get("CMDLINE") or ""))
    own = [*(word.text for word in built_in.words), *built_in.for_init]
    if place == "fallback" and (not own or not set(own).isdisjoint(added)):
        words = lasting(line)
    else:
        kept = [word for word in own if word not in dropped]
        words = [*cleared(kept, added, world), *added]
    lines = [("CMDLINE", quoted(" ".join(words)))]
    if place == "before" and world.config.get("CMDLINE_BOOL") != "y":
        lines.insert(0, ("CMDLINE_BOOL", "y"))
    if words == own:
        lines = []
    return BuiltIn(tuple(lines), tuple(words), place, room_of(world.knowledge, world))


def plan_bootline(
    findings: list[Finding],
    conflicts: Iterable[Conflict],
    world: World,
    weakest: Strength,
    keep: frozenset[str] | None = None,
) -> Plan:
    """The boot line that gives what no rebuild is needed for, merged into the present one.

    The user's words keep their order, and what is added stands behind them, sorted by name. Those
    that the kernel makes nothing of go, but for the texts in `keep`; all stay where it is None.
    """
    draft = _LineDraft(findings, world)
    firm, weaker = by_strength(findings, conflicts, weakest)
    while draft.extend(firm):  # a word that goes can make room for what was void beside it
        pass
    old = dict.fromkeys(word.text for word in world.line.own())
    dead: list[Diagnostic] = []
    if keep is not None:
        further = {word.text for word in draft.after.line.own()} - old.keys()
        needed = keep.union(awaited(findings, world), further)
        draft.after, dead = without_dead_words(draft.after, needed)
    new = {word.text: word.name for word in draft.after.line.own()}
    added = sorted((text for text in new if text not in old), key=lambda text: new[text])
    dropped = tuple(text for text in old if text not in new)
    given = world.subject.cmdline or CommandLine("")
    staying = [word.text for word in given.words if word.text not in dropped]
    line = [*staying, *added, *given.for_init]
    # What further words of the line have undone.
    lost = (s.finding for s in draft.steps if not is_followed(s.finding.advice, draft.after))
    undone = [
        omitted(one, "other parameters of this boot line would undo this change") for one in lost
    ]
    return Plan(
        steps=tuple(draft.steps),
        words=tuple(added),
        dropped=dropped,
        dead=tuple(dead),
        cmdline=" ".join(line),
        built_in=built_in_line(added, dropped, line, world),
        omissions=(*draft.omissions, *undone),
        optional=sum(draft.open(finding) is not None for finding in weaker),
    )


class _LineDraft:
    """A boot line while it grows, and the world as it will be with it."""

    def __init__(self, findings: list[Finding], world: World) -> None:
        self.omissions: list[Omission] = []
        self.after = world
        self._demands = demands(findings)
        self.steps: list[Step] = []

    def open(self, finding: Finding) -> Finding | None:
        """The finding as it is by now, if what stands on the line does not satisfy it."""
        fresh = judged_again(finding, self.after)
        if fresh.verdict is Verdict.CHANGE:
            suits_all = shared_test(fresh.tunable.id, self._demands, self.after)
            joint = suits_all and judge_advice(finding.advice, self.after, suits_all)
            fresh = joint if joint and joint.verdict is Verdict.CHANGE else fresh
        return fresh if fresh.verdict in OPEN else None

    def extend(self, findings: Iterable[Finding]) -> bool:
        """Adds the words for each open finding that can be had so; whether there was one."""
        self.omissions = []
        before = len(self.steps)
        for finding in findings:
            done = {step.finding.id for step in self.steps}
            if finding.id in done or not (fresh := self.open(finding)):
                continue
            remedies = (
                boot_remedy(names, goal)
                for _, goal, names in ways(fresh, fresh, RemedyKind.BOOT, self._demands, self.after)
                if self.after.value(goal.tunable.id) and not comes_back(goal)
            )
            if remedy := next(filter(None, remedies), None):
                self.after = rebooted(self.after, remedy)
                self.steps.append(Step(fresh, remedy))
            else:
                # Whether it takes two steps was asked of the finding itself.
                asked = finding if finding.second_step else fresh
                self.omissions.append(_left_out(asked, self.after))
        return len(self.steps) > before


def _left_out(finding: Finding, after: World) -> Omission:
    """Why no word of the line gives it, and what would give it otherwise."""
    if after.line.lost:  # and what it has lost already no further word can bring back
        full = f"the boot line is too long: the kernel keeps only its first {after.line.room} bytes"
        return omitted(finding, full)
    if not finding.remedies:
        return omitted(finding, finding.reason)
    remedy = finding.remedies[0]
    if remedy.kind is RemedyKind.BOOT:
        return omitted(finding, UNWANTED)
    at_run_time = remedy.kind is RemedyKind.RUNTIME
    reason = "is set at run time" if at_run_time else "needs a rebuild"
    return omitted(finding, reason, remedy._replace(rebuilt_by=""))
