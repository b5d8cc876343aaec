"""Settings that another image has, not another boot line: kernels that the lab builds, and pairs
that Debian ships of one source."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from advisor.engine.effective.world import World
from advisor.errors import InputError, UsageError
from advisor.inputs.config import KernelConfig, read_config
from advisor.inputs.subject import Given, read_subject
from advisor.inputs.unpack import compression
from advisor.knowledge import index
from advisor.model.cmdline import parse_cmdline

from .fragment import OPTION, Asked, asked, fragment, lines_of
from .guest import digest_of
from .lean import Builder, sizes
from .machine import Kernel, kernel_of
from .record import Built
from .settings import Setting
from .witness import IN_IMAGE, PACKED, Seen, told, witness_of

# Kernels that Debian builds from the same source with another configuration: kernel, setting, the
# option that is meant, and the other kernel.
_PAIRS = (("amd64-6.12", "preempt-rt=on", ("PREEMPT_RT", "y"), "rt-6.12"),)


class Image(NamedTuple):
    """A setting, the kernel that has it, and what tells it from the kernel as it is."""

    setting: Setting
    kernel: Kernel
    built: Built


def of_pair(base: Kernel, name: str, kernels: Path) -> Image | None:
    """The setting as another kernel of Debian's has it, if one has. Raises UsageError where that
    one is not at hand, or has something else."""
    for kernel, setting, line, other in _PAIRS:
        if (kernel, setting) == (base.name, name):
            return _image(asked(name), (line,), base, kernel_of(other, kernels))
    return None


def of_build(builder: Builder, name: str) -> Image:
    """The setting on the lean kernel, built where it is not there, with the advisor's fragment.

    Raises UsageError where the advisor has none, or the kernel then has something else.
    """
    base, wanted = builder.base(), asked(name)
    text = builder.kept(name, digest_of(base.config))
    text = text or fragment(wanted, base.config, builder.source)
    kernel = builder.with_fragment(name, text)
    return _image(wanted, lines_of(text), base, kernel)


def _image(
    wanted: Asked, lines: tuple[tuple[str, str], ...], base: Kernel, kernel: Kernel
) -> Image:
    before, after = (_value(wanted, one) for one in (base, kernel))
    if wanted.value != after or before == after:
        raise UsageError(f"{wanted.name}: built as {after or 'nothing'}, beside {before}")
    sides = [sizes(one) for one in (base, kernel)]
    setting = Setting(wanted.tunable, wanted.value, before, lines=lines)
    built = Built(
        digest_of(kernel.image),
        tuple(moved(read_config(str(base.config)), read_config(str(kernel.config)))),
        {name: (sides[0][name], size) for name, size in sides[1].items() if name in sides[0]},
    )
    return Image(setting, kernel, built)


def moved(base: KernelConfig, other: KernelConfig) -> list[tuple[str, str, str]]:
    """The options that differ, with both values, `n` for "is not set", empty for what is not in
    the file at all."""
    names = sorted({*base.symbols(), *other.symbols()})
    pairs = ((name, _shown(base, name), _shown(other, name)) for name in names)
    return [(name, before, after) for name, before, after in pairs if before != after]


def _shown(config: KernelConfig, symbol: str) -> str:
    value = config.get(symbol)
    return "" if value is None else value


def _value(wanted: Asked, kernel: Kernel) -> str:
    """What a kernel has of it, as it is asked for: by the engine, of an option by its file."""
    if wanted.symbol:
        state = read_config(str(kernel.config)).get(wanted.symbol) or "n"
        named = wanted.tunable.startswith(OPTION)
        return state if named else {"y": "on", "n": "off"}.get(state, state)
    platform = kernel.platform
    given = Given(machine=platform.facts, cmdline=parse_cmdline(platform.line))
    state_here = World(read_subject(str(kernel.config), given), index.load((), ())).state(
        wanted.tunable
    )
    return " or ".join(state_here.effective) if state_here else ""


def packing(image: bytes) -> str:
    """How an image for x86 is packed, by the payload that its header names (boot.rst, 6.12)."""
    sectors, payload = image[0x1F1], int.from_bytes(image[0x248:0x24C], "little")
    start = (sectors + 1) * 512 + payload
    return compression(image[start : start + 16])


def carried(setting: Setting, base: Kernel, kernel: Kernel) -> Seen | None:
    """What the two images themselves say that they were built with, where both say it."""
    known = witness_of(setting.tunable)
    if known and known.where == PACKED:
        return Seen(PACKED, *(packing(one.image.read_bytes()) for one in (base, kernel)))
    try:
        sides = [read_config(str(one.image)) for one in (base, kernel)]
    except InputError:
        return None
    before, after = (told([(s, one.get(s) or "n") for s, _ in setting.lines]) for one in sides)
    return Seen(IN_IMAGE, before, after)
