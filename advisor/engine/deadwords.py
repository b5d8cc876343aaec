"""Words of a boot line that a kernel surely makes nothing of, which a plan need not carry on."""

from __future__ import annotations

from advisor.engine.bootline import plain
from advisor.engine.diagnose.bootline import diagnose_line
from advisor.engine.state import World
from advisor.engine.what_if import rebooted
from advisor.model.kernel import Severity
from advisor.model.report import Diagnostic, Remedy, RemedyKind

_ERROR, _SURE = (Severity.ERROR,), (Severity.ERROR, Severity.WARNING)
# What is told of such words, and how surely. A word that only does harm is its owner's affair: the
# machine may need it, as one with broken firmware needs noapic.
_DEAD = {
    "parameter-void": _ERROR,
    "parameter-not-built": _ERROR,
    "parameter-value-refused": _ERROR,
    "parameter-too-new": _ERROR,  # what is less may have been backported
    "parameter-removed": _SURE,
    "parameter-wrong-arch": _SURE,
    "parameter-no-effect": _SURE,
    "parameter-redundant": (Severity.NOTE,),  # of what is not built: what is, may come to need it
}
_IF_VOID = ("parameter-void", "parameter-redundant")


def without_dead_words(world: World, needed: frozenset[str]) -> tuple[World, list[Diagnostic]]:
    """The world with a boot line that holds no dead word, and what is wrong with those it held.

    One goes at a time, as of two that undo each other the second then counts; none goes that is
    among the `needed`, the texts of words.
    """
    gone: list[Diagnostic] = []
    while dead := _first(world, needed):
        gone.append(dead)
        world = rebooted(world, Remedy(RemedyKind.BOOT, "", drop=(dead.subject,)))
    return world, gone


def _first(world: World, needed: frozenset[str]) -> Diagnostic | None:
    own = {word.text: plain(word) for word in world.line.own() if word.text not in needed}
    for item in diagnose_line(world):
        if item.severity not in _DEAD.get(item.id, ()) or item.subject not in own:
            continue
        # Some words that others undo have an effect of another kind all the same, and what adds
        # nothing is no harm where the kernel reads it.
        if item.id not in _IF_VOID or world.line.honours(own[item.subject]).truth is False:
            return item
    return None
