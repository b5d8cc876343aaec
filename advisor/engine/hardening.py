"""What is recommended to harden kernels, held against what a subject has and advice asks for.

The facts are those of rules/protections.toml. Advice that would undo what the subject has says
so, and is no more than COULD, unless it is the profile's purpose; of what the subject lacks nothing
is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from advisor.engine.state import World
from advisor.model.kernel import Layer, Word
from advisor.model.report import (
    LACK,
    OPEN,
    Against,
    Change,
    Finding,
    Hardened,
    Remedy,
    RemedyKind,
    Role,
    Verdict,
)
from advisor.model.rules import Listed, Stance, Strength

_OFF = (None, "n")


def weighed(finding: Finding, world: World) -> Finding:
    """The finding with what it goes against, and as weak as that makes it."""
    if finding.verdict not in OPEN:
        return finding
    if finding.advice.stance is Stance.KEEP:
        return finding  # which is for protection itself
    against = tuple(dict.fromkeys(_against(finding, world)))
    if not against:
        return finding
    advice = finding.advice
    if advice.purpose or advice.strength is Strength.COULD or not any(one.caps for one in against):
        return finding._replace(against=against)
    weaker = advice._replace(strength=Strength.COULD)
    return finding._replace(against=against, advice=weaker, uncapped=advice.strength)


def without_lacking(finding: Finding, world: World) -> Finding:
    """The finding, or that it does not apply: what hardens a kernel and was never built into it, or
    is not there to be built, is no matter of a workload, unlike what the boot line or a setting of
    run time takes back, and unlike what a profile says no kernel of its kind may be without.
    """
    open_ = finding.verdict in OPEN
    if finding.advice.stance is not Stance.KEEP or not open_ or _taken_back(finding):
        return finding
    state = finding.state
    if finding.tunable.members and not (state.on or state.off or state.missing):
        return finding._replace(
            verdict=Verdict.NOT_APPLICABLE,
            reason="this kernel has none of its options",
            remedies=(),
        )
    if finding.advice.strength is Strength.MUST:
        return finding
    changes = [change for remedy in finding.remedies for change in remedy.changes]
    asked = [change for change in changes if change.role is Role.ASKED]
    if not asked or not all(_is_listed(change, world) for change in asked):
        return finding
    what = "which of its options are built" if state.on else "whether it is built"
    reason = f"{what} is the owner's choice, which no workload decides"
    return finding._replace(verdict=Verdict.NOT_APPLICABLE, reason=reason, remedies=())


def _taken_back(finding: Finding) -> bool:
    """Whether something else than the configuration makes it what it should not be."""
    lines = [line for _, line in finding.offending] + list(finding.state.origins)
    return any(
        line.layer is not Layer.COMPILED and not line.text.startswith(LACK) for line in lines
    )


def _is_listed(change: Change, world: World) -> bool:
    listed = world.knowledge.listed(change.symbol)
    return listed is not None and not listed.always and _fits(change.new, listed)


def hardened(world: World) -> Hardened | None:
    """Of what no distribution sets, what the subject has, if that is so much that it is hardened as
    a whole."""
    if any(world.symbol(name) == "y" for name in world.knowledge.fact("hunts-bugs").names):
        return None
    least, rare = world.knowledge.rare()
    has = tuple(text for names in rare if (text := _has(names, world)))
    return Hardened(has, len(rare)) if least and len(has) >= least else None


def protects(word: Word, world: World) -> bool:
    """Whether it is recommended to have the word on the boot line."""
    listed = world.knowledge.listed(word.name)
    return listed is not None and _fits(word.value, listed)


def _has(names: list[str], world: World) -> str:
    """By what the subject has that for which these names stand; a word counts before symbols."""
    for name in names:
        if words := world.line.by_name.get(name):
            honoured = world.line.honours(words[-1].text).truth is not False
            return words[-1].text if honoured and protects(words[-1], world) else ""
    for name in names:
        listed = world.knowledge.listed(name)
        value = world.config.get(name) if listed else None
        if listed and value is not None and _fits(value, listed):
            return f"{name}={value}"
    return ""


def _fits(value: str | None, listed: Listed) -> bool:
    text = (value or "").strip('"')
    # Few are patterns, and each one compiled costs more than all that are compared.
    return text in listed.values or any(
        fnmatchcase(text, pattern) for pattern in listed.values if "*" in pattern or "?" in pattern
    )


def _against(finding: Finding, world: World) -> Iterator[Against]:
    """What is recommended, is so now, and is not so any more once the advice is followed: by the
    nearest remedy, or another to the same value."""
    for remedy in finding.remedies:
        if remedy.value != finding.remedies[0].value:
            continue
        yield from _by_change(remedy, world)
        yield from (one for word in remedy.drop if (one := _of_text(word, world)))
    rebuilt = finding.remedies and finding.remedies[0].kind is RemedyKind.REBUILD
    if not rebuilt:
        # What another layer overrules stays written, and is undone all the same.
        yield from (one for text in _deciding(finding) if (one := _of_text(text, world)))


def _by_change(remedy: Remedy, world: World) -> Iterator[Against]:
    for change in remedy.changes:
        listed = world.knowledge.listed(change.symbol)
        if listed is None or _fits(change.new, listed):
            continue
        is_off = change.old in _OFF and (change.old or world.config.complete)
        if _fits(change.old, listed) if change.old else is_off and "n" in listed.values:
            yield _one(change.symbol, change.old or "n", listed, world)


def _deciding(finding: Finding) -> Iterator[str]:
    """The lines that make it what it should not be."""
    amiss = [line for _, line in finding.offending]
    for line in amiss if finding.tunable.members else finding.state.origins:
        yield from line.text.split(" and ")


def _of_text(text: str, world: World) -> Against | None:
    """What is recommended of a line of a configuration, a word, or a sysctl's line."""
    if text.startswith("# CONFIG_"):
        name, value = text.removeprefix("# CONFIG_").partition(" ")[0], "n"
    else:
        name, _, value = (part.strip() for part in text.removeprefix("CONFIG_").partition("="))
    known = world.knowledge.listed
    listed = known(name) or known(name.replace("-", "_")) or known(f"sysctl {name}")
    return _one(name, value, listed, world) if listed and _fits(value, listed) else None


def _one(name: str, value: str, listed: Listed, world: World) -> Against:
    protection = world.knowledge.protection(listed.protection)
    return Against(
        f"{name}={value}" if value else name,
        protection.by,
        listed.fragment,
        protection.why,
        protection.sources,
    )
