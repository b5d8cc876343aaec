"""Words of a boot line that the kernel makes nothing of: which may go, and which remedies need.

A word is redundant only while what makes it so stays: `nmi_watchdog=0` adds nothing to
`nowatchdog`, until somebody follows the advice to take that away. It is without effect only until a
kernel is built that reads it: `rcu_nocbs=2-3` does nothing without RCU_NOCB_CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.diagnose.bootline import diagnose_line
from advisor.engine.effective.word_values import plain
from advisor.engine.effective.world import World
from advisor.engine.plan.word_builds import WordBuild, contradicted, rebuilds
from advisor.engine.remedy.affected_words import needless
from advisor.engine.remedy.what_if import rebooted
from advisor.model.finding import Diagnostic, Finding, Verdict
from advisor.model.kernel import Severity
from advisor.model.remedy import Remedy, RemedyKind, lost_words

_REDUNDANT, _NOT_BUILT = "parameter-redundant", "parameter-not-built"
_SUPERSEDED, _REFUSED = "parameter-superseded", "parameter-value-refused"
_ERROR, _SURE = (Severity.ERROR,), (Severity.ERROR, Severity.WARNING)
# What is told of words that nothing comes of, and how surely. A word that only does harm is its
# owner's affair: the machine may need it, as one with broken firmware needs noapic.
_DEAD = {
    "parameter-void": _ERROR,
    _NOT_BUILT: _ERROR,
    "parameter-value-refused": _ERROR,
    "component-absent": _ERROR,
    "component-unknown": _ERROR,
    "parameter-too-new": _ERROR,  # what is less may have been backported
    "parameter-removed": _SURE,
    "parameter-wrong-arch": _SURE,
    "parameter-no-effect": _SURE,
    _REDUNDANT: (Severity.NOTE,),  # of what is not built: what is, may come to need it
}
_IF_VOID = ("parameter-void", "component-absent", "component-unknown", _REDUNDANT)


def without_dead_words(world: World, needed: frozenset[str]) -> tuple[World, list[Diagnostic]]:
    """Return the world with a boot line that holds no dead word, and what is wrong with those.

    One goes at a time, as of two that undo each other the second then counts; none goes that is
    among the `needed`, the texts of words.
    """
    gone: list[Diagnostic] = []
    while dead := _first_dead(world, needed):
        gone.append(dead)
        world = rebooted(world, Remedy(RemedyKind.BOOT, "", drop=(dead.subject,)))
    return world, gone


def _first_dead(world: World, needed: frozenset[str]) -> Diagnostic | None:
    own = {word.text: plain(word) for word in world.line.own() if word.text not in needed}
    for item in diagnose_line(world):
        if item.severity not in _DEAD.get(item.id, ()) or item.subject not in own:
            continue
        # Some words that others undo have an effect of another kind all the same, and what adds
        # nothing is no harm where the kernel reads it.
        if item.id not in _IF_VOID or world.line.honours(own[item.subject]).truth is False:
            return item
    return None


def awaited(findings: Iterable[Finding], world: World) -> dict[str, str]:
    """Return the words that the kernel ignores and would read after a rebuild that a finding about
    them asks for; with the lines of that rebuild. What adds nothing there is left out."""
    found = rebuilds(_asking(findings), world)
    return {text: build.lines for text, build in found.items() if build.adds}


def beside_remedies(
    diagnostics: Sequence[Diagnostic], findings: Sequence[Finding], world: World
) -> list[Diagnostic]:
    """Return the diagnostics; of words that a remedy would make count, to keep them for that. The
    newer name of a word that a remedy takes out is not told."""
    if not any(one.id in (_REDUNDANT, _NOT_BUILT, _SUPERSEDED, _REFUSED) for one in diagnostics):
        return [*diagnostics]
    gone = {word for one in _asking(findings) for word in _taken_out(one.remedies[0])}
    builds = rebuilds(_asking(findings), world)
    drops = [
        remedy
        for finding in _asking(findings)
        for remedy in finding.remedies
        if remedy.kind is RemedyKind.BOOT and remedy.drop
    ]
    told = []
    for one in diagnostics:
        if one.id == _NOT_BUILT:
            told.append(_of_ignored(one, builds, findings, world))
        elif one.id in (_REDUNDANT, _REFUSED):
            told.append(_while_others_stay(one, drops, world))
        elif one.id != _SUPERSEDED or one.subject not in gone:
            told.append(one)
    return told


def _of_ignored(
    one: Diagnostic, builds: dict[str, WordBuild], findings: Sequence[Finding], world: World
) -> Diagnostic:
    """Return the diagnostic of a word that the kernel ignores; its remedy is no rebuild that a
    profile is against, and keeps the word only for a rebuild in which it adds something."""
    if build := builds.get(one.subject):
        remedy = f"remove the parameter: the kernel built with {build.lines} does not need it"
        if build.adds:
            remedy = (
                f"keep the parameter if you build the kernel with {build.lines}; if not, "
                "remove the parameter"
            )
        return one._replace(remedy=remedy)
    word = next((w for w in world.line.words if w.text == one.subject), None)
    against = contradicted(word, findings, world) if word else None
    if against is None:
        return one
    advice = f"{against.advice.profile} ({against.tunable.title})"
    return one._replace(
        remedy=f"remove the parameter: it would contradict {advice} in a kernel that reads it"
    )


def _asking(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield those that ask for something which nobody waived."""
    for one in findings:
        if one.verdict is Verdict.CHANGE and one.waived is None and one.remedies:
            yield one


def _taken_out(remedy: Remedy) -> Iterator[str]:
    """Yield the words that a remedy takes out of the boot line, or of the one that is built in."""
    yield from remedy.drop
    for change in remedy.changes:
        yield from lost_words(change)


def _is_refused(one: Diagnostic, remedy: Remedy, world: World) -> bool:
    """Return whether the kernel still refuses the value of a diagnostic after a remedy."""
    still = diagnose_line(rebooted(world, remedy))
    return any((other.id, other.subject) == (_REFUSED, one.subject) for other in still)


def _while_others_stay(one: Diagnostic, drops: Iterable[Remedy], world: World) -> Diagnostic:
    """Return the diagnostic of a value that the kernel refuses, or of a word that adds nothing; if
    the word counts once a remedy has removed other words, that remedy is named."""
    word = next((w for w in world.line.own() if w.text == one.subject), None)
    for remedy in drops:
        if one.subject in remedy.drop:
            continue
        after, gone = rebooted(world, remedy), " ".join(remedy.drop)
        if one.id == _REFUSED:
            if not _is_refused(one, remedy, world):
                each = (remedy._replace(drop=(text,)) for text in remedy.drop)
                enough = (part.drop[0] for part in each if not _is_refused(one, part, world))
                gone = next(enough, gone)
                return one._replace(remedy=f"remove {gone}; if {gone} stays, {one.remedy}")
        elif word and not (needless(word, after) or after.line.honours(plain(word)).truth is False):
            return one._replace(
                remedy=f"remove this parameter only if {gone} stays: without {gone}, the "
                "parameter works"
            )
    return one
