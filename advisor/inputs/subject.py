"""One subject of an audit: a configuration, a boot line, and what the user tells beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.condition import size
from advisor.errors import UsageError, near
from advisor.inputs.dotconfig import KernelConfig, read_config
from advisor.inputs.kernelversion import parse_version
from advisor.inputs.machine import ARCHITECTURES, architecture
from advisor.model import CommandLine, KernelVersion, Location, Machine, Subject
from advisor.record import NamedTuple

_UNTOLD = Machine()


class Given(NamedTuple):
    """What the user tells beside the configuration; it wins over what the configuration tells."""

    machine: Machine = _UNTOLD
    kernel: KernelVersion | None = None
    cmdline: CommandLine | None = None
    sysctl: Mapping[str, tuple[str, Location]] = {}


def read_subject(path: str, given: Given) -> Subject:
    """The subject of one configuration file. Raises InputError if it cannot be read."""
    return subject_of(read_config(path), given)


def subject_of(config: KernelConfig, given: Given) -> Subject:
    """The subject of a configuration already read."""
    machine = given.machine
    if machine.arch is None:
        machine = machine._replace(arch=config.arch)
    return Subject(
        name=config.path,
        config=config,
        kernel=given.kernel or config.version,
        machine=machine,
        cmdline=given.cmdline,
        sysctl=given.sysctl,
        notes=config.notes,
    )


def machine_of(options: Mapping[str, Any], base: Machine = _UNTOLD) -> Machine:
    """The machine that options describe, over a base. Raises UsageError for a wrong value."""
    found = {key: value for key, value in options.items() if value is not None}
    if "memory" in found:
        found["memory"] = _memory(found["memory"])
    if "arch" in found:
        found["arch"] = arch_of(found["arch"])
    machine = base._replace(**found)
    return _divided(machine) if machine.isolate is not None else machine


def _divided(machine: Machine) -> Machine:
    """The machine with its CPUs parted into isolated ones and the others. Raises UsageError."""
    from advisor.inputs.cpulist import read_list, show_list

    def wrong(message: str, hint: str) -> UsageError:
        return UsageError(message, where="--isolate", hint=hint)

    if machine.cpus is None:
        raise wrong("needs the number of CPUs", "add --cpus N, or --this-machine")
    found = read_list(machine.isolate or "", machine.cpus)
    if found.problem or not found.cpus:
        problem = found.problem or f"there are {machine.cpus} CPUs, 0 to {machine.cpus - 1}"
        raise wrong(f"{machine.isolate!r} is no list of CPUs: {problem}", "say 2-7 or 2,4,8-15")
    if 0 in found.cpus:
        raise wrong("CPU 0 boots, keeps the time and takes interrupts", "leave it out of the list")
    others = set(range(machine.cpus)) - found.cpus
    return machine._replace(isolate=show_list(found.cpus), housekeeping=show_list(others))


def _memory(text: str) -> int:
    try:
        if (found := size(text)) > 0:
            return found
    except ValueError:
        pass
    raise UsageError(f"{text!r} is no size of memory", where="--memory", hint="say 32G or 512M")


def arch_of(text: str) -> str:
    """The architecture that --arch names. Raises UsageError."""
    try:
        return architecture(text)
    except ValueError as error:
        hint = near(text, ARCHITECTURES) or "say x86, arm64, riscv, powerpc, s390, loongarch ..."
        raise UsageError(f"{text!r} is no architecture", where="--arch", hint=hint) from error


def kernel_of(text: str | None) -> KernelVersion | None:
    """The version that --kernel names. Raises UsageError."""
    try:
        return parse_version(text) if text else None
    except ValueError as error:
        hint = "say 6.12, 6.12-rc1 or 5.14.0-427.el9.x86_64"
        raise UsageError(f"{text!r} is no kernel version", where="--kernel", hint=hint) from error
