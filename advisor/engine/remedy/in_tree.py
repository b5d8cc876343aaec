"""The Kconfig changes that a wish takes, as the kernel's own tree works them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.engine.effective.overlay import Overlay
from advisor.engine.effective.world import World
from advisor.engine.remedy.blocked import Attempt, Blocked
from advisor.engine.remedy.modules import brought_along
from advisor.model.remedy import Change, Role

if TYPE_CHECKING:
    from advisor.model.tree import Lines, TreeOracle


def proven(changes: list[Change], world: World, modules: bool = False) -> Attempt:
    """Return the changes with what the tree needs for them, and the choices' other members, by
    name. Where `modules` serve as well, what can only be a module is made one."""
    tree, config = world.subject.tree, world.config
    if not changes or tree is None:
        return ()
    from advisor.model.tree import ONLY_A_MODULE

    lines = config.lines if isinstance(config, Overlay) else ()
    wanted = tuple((change.symbol, change.new) for change in changes)
    keep = world.subject.keep | world.subject.guarded
    answer = tree.achieve(lines, wanted, keep, world.subject.settled)
    turned: set[str] = set()
    while answer.reason and answer.missed not in turned:
        if (answer.missed, "m") in wanted:
            # What is selected by something built in cannot be a module, and y serves as well.
            other = "y"
        elif modules and (answer.missed, "y") in wanted and ONLY_A_MODULE in answer.reason:
            other = "m"
        else:
            break
        turned.add(answer.missed)
        wanted = tuple((s, other if s == answer.missed else value) for s, value in wanted)
        answer = tree.achieve(lines, wanted, keep, world.subject.settled)
    if answer.reason:
        programs = (one for one in world.knowledge.facts("program") if one.of in answer.reason)
        hint = next((f": {one.says}" for one in programs), "")
        return Blocked(f"{answer.reason}{hint}", answer.missed)
    changes = [
        *(Change(s, config.get(s), value, Role.DEPENDENCY) for s, value in answer.needed),
        *(change._replace(new=new) for change, (_, new) in zip(changes, wanted, strict=True)),
    ]
    lighter = brought_along(tuple(changes), world)
    if lighter != tuple(changes):
        further = tuple((change.symbol, change.new) for change in lighter)
        answer = tree.achieve(lines, further, keep, world.subject.settled)
        changes = changes if answer.reason or answer.needed else [*lighter]
    return (*changes, *_members_given_up(changes, lines, world, tree))


def _members_given_up(
    changes: list[Change], lines: Lines, world: World, tree: TreeOracle
) -> Iterable[Change]:
    """Yield the other members that the choices show then, each of them off by name."""
    after = (*lines, *((change.symbol, change.new) for change in changes))
    named = {symbol for symbol, _ in after}
    for change in changes:
        if change.new == "y":
            for member in tree.members(after, change.symbol):
                if member not in named:
                    named.add(member)
                    yield Change(member, world.config.get(member), "n", Role.SIBLING)
