"""Which words of a boot line may go beside the remedies: a word is redundant only while what makes
it so stays.

`nmi_watchdog=0` adds nothing to `nowatchdog`. Whoever follows the advice to take that away, and the
note on the other one, has a watchdog that another profile wants off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.engine.bootline import plain
from advisor.engine.remedies import rebooted
from advisor.engine.settle import needless
from advisor.engine.state import World
from advisor.model.report import Diagnostic, Finding, Remedy, RemedyKind, Verdict

_REDUNDANT = "parameter-redundant"


def while_redundant(
    diagnostics: Sequence[Diagnostic], findings: Iterable[Finding], world: World
) -> list[Diagnostic]:
    """The diagnostics; of a word that a remedy would make count, to leave it in beside that."""
    if not any(one.id == _REDUNDANT for one in diagnostics):
        return [*diagnostics]
    remedies = [
        remedy
        for finding in findings
        if finding.verdict is Verdict.CHANGE and finding.waived is None
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
