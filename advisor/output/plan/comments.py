"""Comments of generated files: what made the file, from what, for whom."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.model.finding import Finding
from advisor.model.plan import Plan
from advisor.model.remedy import Remedy
from advisor.model.report import Report
from advisor.output import factwords, phrases, treewords
from advisor.output.escape import comment

if TYPE_CHECKING:
    from advisor.model.tree import SideEffect


def heading(what: str, report: Report) -> list[str]:
    """Return `# Fragment by kernel-advisor 1.0.0: realtime`, and the kernel it is for; no date."""
    profiles = ", ".join(profile.id for profile in report.profiles)
    kernel = factwords.kernel(report.kernel, report.machine.arch, report.inferred)
    made = comment_lines(f"{what} by kernel-advisor {__version__}: {profiles}")
    return [*made, *comment_lines(f"For {report.name}: {kernel}")]


def comment_lines(text: str) -> list[str]:
    """Return the text as comment lines of up to 78 columns, whatever it holds."""
    # A broken address is none, and a name such as x86-64 reads badly on two lines.
    lines = textwrap.wrap(comment(text), 76, break_long_words=False, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def reasons(finding: Finding, remedy: Remedy, report: Report) -> Iterator[str]:
    """Yield what a change sets, who asks for it, why, the cost, and a source."""
    advice = finding.advice
    value = finding.tunable.value(remedy.value)
    told = finding.tunable.describe((remedy.value,))
    yield from comment_lines(
        f"{finding.tunable.title}: {told} [{advice.strength.value}, {advice.key}]"
    )
    yield from comment_lines(advice.why)
    if cost := advice.cost or (value.cost if value else "") or finding.tunable.cost:
        yield from comment_lines(f"Cost: {phrases.cost(cost, finding.tunable)}")
    for text in phrases.against(finding, report):
        yield from comment_lines(f"Against: {text}")
    for source in phrases.sources(advice, report.machine.arch)[:1]:
        yield f"# Source: {comment(source.url)}"


def boot_words(report: Report) -> Iterator[str]:
    """Yield, of each change of the boot line, its words and the reasons."""
    plan = report.plan
    for one in plan.items if plan.whole else plan.steps:
        added = [word for word in one.remedy.words if word in plan.words]
        dropped = [word for word in one.remedy.drop if word in plan.dropped]
        if added or dropped:
            words = [*added, *(["without", *dropped] if dropped else [])]
            yield from ("#", *comment_lines(f"{' '.join(words)}:"))
            yield from reasons(one.finding, one.remedy, report)


def for_a_rebuild(plan: Plan) -> Iterator[str]:
    """Yield what a file that builds no kernel says of the lines of a rebuild."""
    if plan.steps:
        yield "This file omits changes that need a rebuild: use --format fragment for them."


def by_hand(plan: Plan, keeper: str) -> Iterator[str]:
    """Yield the settings of run time that no file, or option, keeps."""
    for one in plan.kept_by(None):
        yield f"No {keeper} makes {one.setting.key} = {one.setting.value} permanent: {one.why}."


def effect_lines(effects: Sequence[SideEffect], verbose: bool) -> Iterator[str]:
    """Yield the side effects of a fragment, if it has some."""
    if groups := treewords.effects(effects, all_of_them=verbose):
        yield "#"
        yield from comment_lines("Side effects of the lines below, in this tree:")
        for title, items in groups:
            yield from comment_lines(f"- {title}: {items}")
