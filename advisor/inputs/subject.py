"""One subject of an audit: a configuration, a boot line, and what the user tells beside them."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.errors import ContradictionError
from advisor.inputs.builtin_cmdline import without_built_in
from advisor.inputs.config import ARCH_SYMBOLS, KernelConfig, read_config
from advisor.model.kernel import CommandLine, KernelVersion, Location, Machine
from advisor.model.subject import Subject
from advisor.record import NamedTuple

_UNTOLD = Machine()
_VENDORS = {"CPU_SUP_INTEL": "intel", "CPU_SUP_AMD": "amd"}
# Of arch/x86/Kconfig.cpu, read in 6.1, 6.12 and 7.2.
_OTHERS = (
    "CPU_SUP_HYGON", "CPU_SUP_CENTAUR", "CPU_SUP_ZHAOXIN", "CPU_SUP_CYRIX_32", "CPU_SUP_UMC_32",
    "CPU_SUP_TRANSMETA_32", "CPU_SUP_VORTEX_32",
)  # fmt: skip


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
    machine = given.machine._replace(arch=agreed_arch(given.machine.arch, config))
    inferred = config.inferred
    if machine.vendor is None and config.complete and (symbol := _built_for(config)):
        machine = machine._replace(vendor=_VENDORS[symbol])
        inferred = inferred._replace(vendor=symbol)
    untold = machine.virtual != "no" and machine.hypervisor is None
    if untold and given.cmdline and _under_windows(given.cmdline):
        machine = machine._replace(virtual="guest", hypervisor="hyperv")
    subject = Subject(
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
        inferred=inferred,
        lines=config.lines() if config.complete else (),
    )
    return without_built_in(subject)


def agreed_arch(named: str | None, config: KernelConfig) -> str | None:
    """The architecture that the user names, else the configuration's own. Raises
    ContradictionError."""
    own = config.arch
    if named is None or own is None or named == own:
        return named or own
    place = config.header()
    if not place.line:
        symbols = (name for name, arch in ARCH_SYMBOLS.items() if arch == own)
        place = config.entry(next(filter(config.get, symbols), "")).location
    hint = f"leave out --arch and --this-machine, or name a configuration for {named}"
    raise ContradictionError(
        f"is a configuration for {own}, but the options say {named}", where=str(place), hint=hint
    )


def _built_for(config: KernelConfig) -> str:
    """The symbol of the vendor whose processors alone the kernel is built for: it starts on others
    as on any that it does not know (arch/x86/kernel/cpu/common.c#get_cpu_vendor, 6.12)."""
    built = [name for name in (*_VENDORS, *_OTHERS) if config.get(name) == "y"]
    return built[0] if len(built) == 1 and built[0] in _VENDORS else ""


def _under_windows(line: CommandLine) -> bool:
    """Whether Windows starts this kernel: the word is for its init of WSL, and nobody else's."""
    return any(word.name == "WSL_ROOT_INIT" for word in (*line.words, *line.init))
