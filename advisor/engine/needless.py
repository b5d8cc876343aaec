"""Which words of a boot line may go beside the remedies: a word is redundant only while what makes
it so stays, and without effect only until a kernel is built that reads it.

`nmi_watchdog=0` adds nothing to `nowatchdog`. Whoever follows the advice to take that away, and the
note on the other one, has a watchdog that another profile wants off. `rcu_nocbs=2-3` does nothing
without RCU_NOCB_CPU; where a finding asks to build that for those CPUs, it is what comes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.bootline import plain
from advisor.engine.settle import needless
from advisor.engine.state import World
from advisor.engine.what_if import rebooted, world_with
from advisor.inputs.config import unquote
from advisor.model.cmdline import parameter_name
from advisor.model.kernel import Word
from advisor.model.report import (
    Diagnostic,
    Finding,
    Remedy,
    RemedyKind,
    Role,
    Verdict,
    spelled_out,
)
from advisor.model.rules import Tunable

_REDUNDANT, _NOT_BUILT = "parameter-redundant", "parameter-not-built"
_SUPERSEDED = "parameter-superseded"


def awaited(findings: Iterable[Finding], world: World) -> dict[str, str]:
    """The words that the kernel makes nothing of and would count after a rebuild that a finding
    about them asks for; with the lines of that rebuild."""
    found: dict[str, str] = {}
    words = [w for w in world.line.own() if world.line.honours(plain(w)).cause == "built"]
    for finding in _asked(findings) if words else ():
        if not finding.remedies:
            continue
        changes = finding.remedies[0].changes
        own = [word for word in words if _is_about(finding.tunable, word)]
        after = world_with(world, changes) if own and changes else None
        for word in own if after else ():
            if after and after.line.honours(plain(word)).truth is True:
                found[word.text] = spelled_out(c for c in changes if c.role is Role.ASKED)
    return found


def _asked(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Those that ask for something that nobody waived."""
    return (one for one in findings if one.verdict is Verdict.CHANGE and one.waived is None)


def _is_about(tunable: Tunable, word: Word) -> bool:
    spelled = (text for value in tunable.values for text in value.boot)
    return word.name == tunable.parameter or word.name in map(parameter_name, spelled)


def beside_rebuilds(
    diagnostics: Iterable[Diagnostic], findings: Iterable[Finding], world: World
) -> list[Diagnostic]:
    """The diagnostics; of a word that a rebuild asked for here would make count, to keep it."""
    lines = awaited(findings, world)
    return [
        one._replace(
            remedy=f"keep it for the kernel built with {lines[one.subject]}; else remove it"
        )
        if one.id == _NOT_BUILT and one.subject in lines
        else one
        for one in diagnostics
    ]


def without_old_names(
    diagnostics: Sequence[Diagnostic], findings: Iterable[Finding]
) -> list[Diagnostic]:
    """The diagnostics, without the newer name of a word that a remedy asked for takes out."""
    if not any(one.id == _SUPERSEDED for one in diagnostics):
        return [*diagnostics]
    gone = {
        word
        for finding in _asked(findings)
        for remedy in finding.remedies[:1]
        for word in _taken_out(remedy)
    }
    return [one for one in diagnostics if one.id != _SUPERSEDED or one.subject not in gone]


def _taken_out(remedy: Remedy) -> Iterator[str]:
    """The words that a remedy takes out of the boot line, or of the one that is built in."""
    yield from remedy.drop
    for change in remedy.changes:
        if change.symbol == "CMDLINE":
            old, new = (unquote(text or "").split() for text in (change.old, change.new))
            yield from (word for word in old if word not in new)


def while_redundant(
    diagnostics: Sequence[Diagnostic], findings: Iterable[Finding], world: World
) -> list[Diagnostic]:
    """The diagnostics; of a word that a remedy would make count, to leave it in beside that."""
    if not any(one.id == _REDUNDANT for one in diagnostics):
        return [*diagnostics]
    remedies = [
        remedy
        for finding in _asked(findings)
        for remedy in finding.remedies
        if remedy.kind is RemedyKind.BOOT and remedy.drop
    ]
    return [_beside(one, remedies, world) for one in diagnostics]


def _beside(one: Diagnostic, remedies: Iterable[Remedy], world: World) -> Diagnostic:
    word = next((w for w in world.line.own() if w.text == one.subject), None)
    if one.id != _REDUNDANT or word is None:
        return one
    for remedy in remedies:
        if word.text in remedy.drop:
            continue
        after = rebooted(world, remedy)
        if not needless(word, after) and after.line.honours(plain(word)).truth is not False:
            gone = " ".join(remedy.drop)
            return one._replace(remedy=f"take it out only if {gone} stays: without that it counts")
    return one
