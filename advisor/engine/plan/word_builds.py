"""Rebuilds that would make an ignored word of the boot line count, and what speaks against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.effective.word_values import plain
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge_advice
from advisor.engine.remedy.remedies import lines_for
from advisor.engine.remedy.what_if import rebooted, world_with
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.finding import OPEN, Finding
from advisor.model.kernel import Word
from advisor.model.remedy import Change, Remedy, RemedyKind, Role, spelled_out
from advisor.model.state import Origin
from advisor.record import NamedTuple


class WordBuild(NamedTuple):
    """The lines of a rebuild after which the kernel reads a word, and whether the word still adds
    anything there."""

    lines: str
    adds: bool


def rebuilds(findings: Iterable[Finding], world: World) -> dict[str, WordBuild]:
    """Return the words that the kernel ignores and would read after a rebuild that a finding about
    them asks for; with that rebuild."""
    found: dict[str, WordBuild] = {}
    words = [w for w in world.line.own() if world.line.honours(plain(w)).cause == "built"]
    for finding in findings if words else ():
        changes = finding.remedies[0].changes
        spelled = (text for value in finding.tunable.values for text in value.boot)
        names = {finding.tunable.parameter, *map(parameter_name, spelled)}
        own = [word for word in words if word.name in names] if changes else []
        after = world_with(world, changes).line if own else world.line
        for word in own:
            ruling = after.honours(plain(word))
            if ruling.truth is True or (ruling.remark and ruling.remark.met):
                lines = spelled_out(c for c in changes if c.role is Role.ASKED)
                found[word.text] = WordBuild(lines, _adds(word, finding, world))
    return found


def _adds(word: Word, finding: Finding, world: World) -> bool:
    """Return whether the setting is another one without the word, once the finding's rebuild is
    done."""
    changes = finding.remedies[0].changes
    states = (
        after.state(finding.tunable.id)
        for after in (_rebuilt(world, changes), _rebuilt(world, changes, drop=(word.text,)))
    )
    with_it, without = (
        {*state.effective, *(text for text, _ in state.on)} if state else set() for state in states
    )
    return with_it != without


def contradicted(word: Word, findings: Iterable[Finding], world: World) -> Finding | None:
    """Return the first finding whose advice asks for the opposite of a kernel that reads the word;
    None if there is none, or if no line is known that such a kernel needs."""
    parameter = world.line.parameter(word)
    needs = parameter.only_if if parameter else None
    # Of several needs one is enough to contradict, even if no line is known for another.
    parts = condition.operands(needs) if condition.operator_of(needs) == "&" else (needs,)
    changes = [change for part in parts for change in lines_for(part, world) or ()]
    if not changes:
        return None
    after = _rebuilt(world, changes)
    lines = {word.text, *(f"CONFIG_{change.symbol}={change.new}" for change in changes)}
    for finding in findings:
        if finding.is_left or not _is_moved(finding, world, after):
            continue
        then = judge_advice(finding.advice, after)
        if then.verdict in OPEN and not lines.isdisjoint(_texts(then)):
            return finding
    return None


def _is_moved(finding: Finding, world: World, after: World) -> bool:
    """Return whether the kernel `after` a rebuild has another value of what the advice is about."""
    names = [option.tunable for option in finding.advice.options]
    return any(world.value(name) != after.value(name) for name in names)


def _texts(finding: Finding) -> Iterator[str]:
    """Yield the lines and words that make a setting other than as advised."""
    lines: list[Origin] = [line for _, line in finding.offending]
    for line in lines if finding.tunable.members else finding.state.origins:
        yield from line.text.split(" and ")


def _rebuilt(world: World, changes: Iterable[Change], drop: tuple[str, ...] = ()) -> World:
    """Return the world of a kernel with these changes, on its boot line without some words."""
    return rebooted(world, Remedy(RemedyKind.REBUILD, "", drop=drop, changes=tuple(changes)))
