"""The machine a kernel shall run on, as the options describe it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from advisor.errors import UsageError, near
from advisor.model.kernel import KernelVersion, Machine, parse_version
from advisor.model.numbers import size

# uname's machine to the kernel's source architecture (scripts/subarch.include, read in 6.12).
_ARCHITECTURES = {
    "x86_64": "x86", "i686": "x86", "i586": "x86", "i386": "x86", "amd64": "x86",
    "aarch64": "arm64", "riscv64": "riscv", "riscv32": "riscv", "s390x": "s390",
    "ppc64le": "powerpc", "ppc64": "powerpc", "ppc": "powerpc", "loongarch64": "loongarch",
    "mips64": "mips", "sh4": "sh", "sparc64": "sparc",
}  # fmt: skip
# ARCH to its folder under arch/, as the top Makefile of 6.12 and older ones set SRCARCH.
_SOURCE_ARCH = {
    "x86_64": "x86", "i386": "x86", "sparc64": "sparc", "sparc32": "sparc",
    "parisc64": "parisc", "sh64": "sh", "tilepro": "tile", "tilegx": "tile",
}  # fmt: skip
# The folders of arch/, in any kernel since 2.6.38.
ARCHITECTURES = (
    "alpha", "arc", "arm", "arm64", "avr32", "blackfin", "c6x", "cris", "csky", "frv", "h8300",
    "hexagon", "ia64", "loongarch", "m32r", "m68k", "metag", "microblaze", "mips", "mn10300",
    "nds32", "nios2", "openrisc", "parisc", "powerpc", "riscv", "s390", "score", "sh", "sparc",
    "tile", "um", "unicore32", "x86", "xtensa",
)  # fmt: skip
# Of a smaller number of bytes a unit was forgotten.
_LEAST_MEMORY = 16 << 20
MOST_CPUS = 1 << 16
"""More than any architecture's NR_CPUS can be: 8192 on x86 and powerpc (read in 6.12)."""


def architecture(name: str) -> str:
    """The kernel's name of an architecture: `x86_64` and `amd64` are x86, `armv7l` is arm.

    Raises ValueError for a name that is none.
    """
    name = name.strip().lower()
    folder = "arm" if name.startswith("armv") else _ARCHITECTURES.get(name, name)
    if folder not in ARCHITECTURES:
        raise ValueError(name)
    return folder


def source_arch(arch: str) -> str:
    """Names the folder under arch/ that make's ARCH takes: `x86_64` is x86."""
    return _SOURCE_ARCH.get(arch, arch)


def native_arch() -> str | None:
    """The architecture of the running system; None if the kernel has none of that name."""
    with suppress(ValueError):
        return architecture(os.uname().machine)
    return None


_UNTOLD = Machine()


def machine_of(options: Mapping[str, Any], base: Machine = _UNTOLD) -> Machine:
    """Builds the machine that options describe, over a base. Raises UsageError for a wrong
    value."""
    traits = {key: value for key, value in options.items() if value is not None}
    for name in ("memory", "shared_memory"):
        if name in traits:
            traits[name] = _memory_of(traits[name], f"--{name.replace('_', '-')}")
    if "arch" in traits:
        traits["arch"] = arch_of(traits["arch"])
    for fact in ("cpus", "nodes"):
        if (traits.get(fact) or 0) > MOST_CPUS:
            hint = f"give a number up to {MOST_CPUS}"
            raise UsageError(f"{traits[fact]} is too large", where=f"--{fact}", hint=hint)
    machine = base._replace(**traits)
    if (machine.shared_memory or 0) > (machine.memory or machine.shared_memory or 0):
        raise UsageError("is more than the memory", where="--shared-memory", hint="write less")
    return _divided(machine) if machine.isolate is not None else machine


def _divided(machine: Machine) -> Machine:
    """The machine with its CPUs parted into isolated ones and the others. Raises UsageError."""
    from advisor.inputs.cpulist import read_list, show_list

    def wrong(message: str, hint: str) -> UsageError:
        return UsageError(message, where="--isolate", hint=hint)

    if machine.cpus is None:
        raise wrong("needs the number of CPUs", "add --cpus N, or --this-machine")
    isolated, problem, _ = read_list(machine.isolate or "", machine.cpus)
    if problem or not isolated:
        problem = problem or f"there are {machine.cpus} CPUs, 0 to {machine.cpus - 1}"
        raise wrong(
            f"{machine.isolate!r} is not a list of CPUs: {problem}", "write 2-7 or 2,4,8-15"
        )
    if 0 in isolated:
        raise wrong(
            "CPU 0 boots the kernel, keeps the time and handles interrupts", "leave CPU 0 out"
        )
    others = set(range(machine.cpus)) - isolated
    return machine._replace(isolate=show_list(isolated), housekeeping=show_list(others))


def _memory_of(text: str, where: str) -> int:
    with suppress(ValueError):
        count = size(text)
        if 0 < count < _LEAST_MEMORY and text.strip().upper()[-1:] not in "MGT":
            number = text.strip("kK ")
            hint = f"write {number}G or {number}M"
            raise UsageError(f"{text!r} is {count} bytes", where=where, hint=hint)
        if count > 0:
            return count
    raise UsageError(f"{text!r} is not a memory size", where=where, hint="write 32G or 512M")


def arch_of(text: str) -> str:
    """The architecture that --arch names. Raises UsageError."""
    try:
        return architecture(text)
    except ValueError as error:
        hint = near(text, ARCHITECTURES) or "write x86, arm64, riscv, powerpc, s390, loongarch ..."
        raise UsageError(f"{text!r} is no architecture", where="--arch", hint=hint) from error


def kernel_of(text: str | None) -> KernelVersion | None:
    """The version that --kernel names. Raises UsageError."""
    try:
        return parse_version(text) if text else None
    except ValueError as error:
        hint = "write 6.12, 6.12-rc1 or 5.14.0-427.el9.x86_64"
        raise UsageError(
            f"{text!r} is not a kernel version", where="--kernel", hint=hint
        ) from error
