"""One subject of an audit: a configuration, a boot line, and what the user tells beside them."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.inputs.config import KernelConfig, read_config
from advisor.model.kernel import CommandLine, KernelVersion, Location, Machine
from advisor.model.subject import Subject
from advisor.record import NamedTuple

_UNTOLD = Machine()


class Given(NamedTuple):
    """What the user tells beside the configuration; it wins over what the configuration tells."""

    machine: Machine = _UNTOLD
    kernel: KernelVersion | None = None
    cmdline: CommandLine | None = None
    sysctl: Mapping[str, tuple[str, Location]] = {}
    sysfs: Mapping[str, tuple[str, Location]] = {}
    lacking: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()


def read_subject(path: str, given: Given) -> Subject:
    """The subject of one configuration file. Raises InputError if it cannot be read."""
    return subject_of(read_config(path), given)


def subject_of(config: KernelConfig, given: Given) -> Subject:
    """The subject of a configuration already read."""
    machine = given.machine
    if machine.arch is None:
        machine = machine._replace(arch=config.arch)
    untold = machine.virtual != "no" and machine.hypervisor is None
    if untold and given.cmdline and _under_windows(given.cmdline):
        machine = machine._replace(virtual="guest", hypervisor="hyperv")
    return Subject(
        name=config.path,
        config=config,
        kernel=given.kernel or config.version,
        machine=machine,
        cmdline=given.cmdline,
        sysctl=given.sysctl,
        sysfs=given.sysfs,
        lacking=given.lacking,
        closed=given.closed,
        notes=config.notes,
        inferred=config.inferred,
        lines=config.lines() if config.complete else (),
    )


def _under_windows(line: CommandLine) -> bool:
    """Whether Windows starts this kernel: the word is for its init of WSL, and nobody else's."""
    return any(word.name == "WSL_ROOT_INIT" for word in (*line.words, *line.init))
