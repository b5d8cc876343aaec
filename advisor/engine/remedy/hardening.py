"""Recommendations for hardened kernels, compared with a subject and with the advice on it.

The facts are those of rules/protections.toml. Advice that would undo a protection of the subject
says so, and is no more than COULD, unless it is the profile's purpose. Protections that the subject
lacks are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from advisor.engine.effective.world import World
from advisor.model.finding import OPEN, Against, Finding, Verdict
from advisor.model.kernel import Layer, Word
from advisor.model.profile import Stance, Strength
from advisor.model.remedy import RemedyKind, Role
from advisor.model.report import Hardened
from advisor.model.rules import Listed
from advisor.model.state import LACK

_OFF = (None, "n")
WHOLE = 4
"""How many options that no distribution sets a kernel has that is hardened as a whole."""


def weighed(finding: Finding, world: World) -> Finding:
    """Return the finding with the protections that it goes against, and weaker by that."""
    if finding.verdict not in OPEN or finding.advice.stance is Stance.KEEP:
        return finding  # advice of stance keep is for protection itself
    against = tuple(dict.fromkeys(_against(finding, world)))
    if not against:
        return finding
    advice = finding.advice
    if advice.purpose or advice.strength is Strength.COULD or not any(one.caps for one in against):
        return finding._replace(against=against)
    weaker = advice._replace(strength=Strength.COULD)
    return finding._replace(against=against, advice=weaker, uncapped=advice.strength)


def without_lacking(finding: Finding, world: World) -> Finding:
    """Return the finding; not applicable if it asks for hardening that was never built in, or that
    cannot be built.

    No workload decides on these, unlike on hardening that the boot line or a setting of run time
    takes back, and on hardening that a profile says no kernel of its kind may be without.
    """
    if finding.advice.stance is not Stance.KEEP or finding.verdict not in OPEN:
        return finding
    state = finding.state
    lines = [line for _, line in finding.offending] + list(state.origins)
    if any(one.layer is not Layer.COMPILED and not one.text.startswith(LACK) for one in lines):
        return finding
    if finding.tunable.members and not (state.on or state.off or state.missing):
        reason = "this kernel has no option of this setting"
        return finding._replace(verdict=Verdict.NOT_APPLICABLE, reason=reason, remedies=())
    if finding.advice.strength is Strength.MUST:
        return finding
    changes = [change for remedy in finding.remedies for change in remedy.changes]
    asked = [change for change in changes if change.role is Role.ASKED]
    known = [(change.new, world.knowledge.listed(change.symbol)) for change in asked]
    if not known or not all(one and not one.always and _fits(new, one) for new, one in known):
        return finding
    what = "which options of this feature are built" if state.on else "whether it is built"
    reason = f"the owner chooses {what}; the choice does not depend on the workload"
    return finding._replace(verdict=Verdict.NOT_APPLICABLE, reason=reason, remedies=())


def hardened(world: World) -> Hardened | None:
    """Return which options that no distribution sets the subject has, if these are so many that it
    is hardened as a whole."""
    if any(world.symbol(name) == "y" for name in world.knowledge.fact("hunts-bugs").names):
        return None
    rare = world.knowledge.rare()
    has = tuple(text for names in rare if (text := _has(names, world)))
    return Hardened(has, len(rare)) if len(has) >= WHOLE else None


def protects(word: Word, world: World) -> bool:
    """Return whether recommendations have the word on the boot line."""
    listed = world.knowledge.listed(word.name)
    return listed is not None and _fits(word.value, listed)


def _has(names: list[str], world: World) -> str:
    """Return the word or line that gives the subject one of these names; words come first."""
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
    # Few are patterns, and compiling one costs more than comparing all others.
    return text in listed.values or any(
        fnmatchcase(text, pattern) for pattern in listed.values if "*" in pattern or "?" in pattern
    )


def _against(finding: Finding, world: World) -> Iterator[Against]:
    """Return the protections that are in force now, and not once the advice is followed by the
    nearest remedy, or by another one to the same value."""
    for remedy in finding.remedies:
        if remedy.value != finding.remedies[0].value:
            continue
        for change in remedy.changes:
            listed = world.knowledge.listed(change.symbol)
            if listed is None or _fits(change.new, listed):
                continue
            is_off = change.old in _OFF and (change.old or world.config.complete)
            if _fits(change.old, listed) if change.old else is_off and "n" in listed.values:
                yield _one(change.symbol, change.old or "n", listed, world)
        yield from (one for word in remedy.drop if (one := _of_text(word, world)))
    if finding.remedies and finding.remedies[0].kind is RemedyKind.REBUILD:
        return
    # A line that another layer overrules stays written, and is undone all the same.
    lines = [line for _, line in finding.offending]
    for line in lines if finding.tunable.members else finding.state.origins:
        texts = line.text.split(" and ")
        yield from (one for text in texts if (one := _of_text(text, world)))


def _of_text(text: str, world: World) -> Against | None:
    """Return the recommendation for a line of a configuration, a word, or a sysctl's line."""
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
