"""The boot line that a kernel has in itself: the Kconfig settings for what a plan adds.

How it combines with the boot loader's line, read in 6.12: arch/x86/kernel/setup.c (before it);
arch/arm/kernel/atags_parse.c, drivers/of/fdt.c (arm, arm64), arch/loongarch/kernel/setup.c,
arch/powerpc/kernel/prom_init.c and arch/riscv/kernel/pi/cmdline_early.c (CMDLINE_EXTEND behind
it, CMDLINE_FORCE instead of it, else a fallback).
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.engine.bootline import place_of_built_in, room_of
from advisor.engine.remedy import cleared
from advisor.engine.state import World
from advisor.inputs.cmdline import lasting, parse_cmdline
from advisor.inputs.dotconfig import quoted, unquote
from advisor.model import BuiltIn

# The architectures whose combining was read for this.
_READ = ("x86", "arm", "arm64", "loongarch", "powerpc", "riscv")


def built_in_line(
    added: Sequence[str], dropped: Sequence[str], line: Sequence[str], world: World
) -> BuiltIn:
    """The built-in line with what a plan adds to a boot line, nothing else of it changed.

    As a fallback it has to hold the whole line, if it holds nothing yet.
    """
    subject = world.subject
    place = place_of_built_in(subject) if subject.machine.arch in _READ else ""
    if not place or not (added or dropped):
        return BuiltIn(place=place)
    own = _words(world)
    if place == "fallback" and not own:
        words = lasting(line)
    else:
        kept = [word for word in own if word not in dropped]
        words = [*cleared(kept, added, world), *added]
    lines = [("CMDLINE", quoted(" ".join(words)))]
    if place == "before" and world.config.get("CMDLINE_BOOL") != "y":
        lines.insert(0, ("CMDLINE_BOOL", "y"))
    if words == own:
        lines = []
    return BuiltIn(tuple(lines), tuple(words), place, room_of(subject, world.knowledge))


def _words(world: World) -> list[str]:
    """What the built-in line holds now, with what is behind `--` on it."""
    line = parse_cmdline(unquote(world.config.get("CMDLINE") or ""))
    return [*(word.text for word in line.words), *line.for_init]
