"""The one table of diagnostics: how bad each may be, what shows it, what it means, what to do.

`make golden` writes it into docs/diagnostics.md. An id never changes its meaning.
"""

from __future__ import annotations

from enum import Enum

from advisor.model.kernel import Severity
from advisor.record import NamedTuple


class Input(Enum):
    """What a run may be given that shows diagnostics; the value is what documents call it."""

    CONFIGURATION = "configuration"
    FRAGMENT = "fragment"
    BOOT_LINE = "boot line"
    CPUS = "`--cpus`"
    MEMORY = "`--memory`"
    SYSCTL = "`--sysctl`"
    TREE = "`--tree`"
    WAIVERS = "waivers"
    BASELINE = "`--baseline`"
    REVISIONS = "`review`"
    HOST = "a host"
    REQUIRED = "`--require`"


class Kind(NamedTuple):
    """A kind of diagnostic.

    `severities` are those it can have: a single one always, of several the case decides. `inputs`
    are all that a run needs to show every case of it: one without them cannot tell that there is
    nothing of the kind. `meaning` is a sentence or two for formats that describe their rules, with
    names in backquotes. `remedy` is what to do where the case knows nothing better; where it is
    empty, each case says what to do, or there is nothing to be said.
    """

    severities: tuple[Severity, ...]
    inputs: tuple[Input, ...]
    meaning: str
    remedy: str = ""


_ERROR, _WARNING, _NOTE = ((severity,) for severity in Severity)
_ANY = (*_ERROR, *_WARNING, *_NOTE)
_CONFIG = (Input.CONFIGURATION,)
_FRAGMENT = (Input.FRAGMENT,)
_FRAGMENT_IN_TREE = (Input.FRAGMENT, Input.TREE)
_LINE = (Input.BOOT_LINE,)
_LIST = (Input.BOOT_LINE, Input.CPUS)
_MEMORY = (Input.BOOT_LINE, Input.MEMORY)
_SYSCTL = (Input.SYSCTL,)
_NAMES = (*_CONFIG, *_LINE, *_SYSCTL)
_TREE = (Input.TREE,)
_WAIVERS = (Input.WAIVERS,)
_BASELINE = (Input.BASELINE,)
_REVISIONS = (Input.REVISIONS,)
_HOST = (Input.HOST,)
_REQUIRED = (Input.REQUIRED,)

DIAGNOSTICS = {
    "line-too-long": Kind(
        _ERROR,
        _LINE,
        "The boot line, together with the built-in line, is longer than `COMMAND_LINE_SIZE` of the "
        "architecture. The kernel cuts off the end of the line without a message.",
        "shorten the line, or move sysctl.* and module options into files",
    ),
    "line-overflows-init": Kind(
        _ERROR,
        _LINE,
        "The kernel passes unknown parameters on to init. The kernel panics if more than 31 "
        "unknown parameters have the form NAME=VALUE, or more than 32 have another form.",
        "remove the parameters that no program reads",
    ),
    "unbalanced-quote": Kind(
        _ERROR,
        _LINE,
        "A quote is not closed: the rest of the line belongs to the same parameter.",
    ),
    "quotes-lost": Kind(
        _ERROR,
        _LINE,
        "A value with blanks lost its quotes in a shell or build recipe. The kernel reads the "
        "text after the first blank as separate, unknown parameters.",
        "put the whole value in double quotes",
    ),
    "boot-file-unread": Kind(
        _WARNING,
        _LINE,
        "A boot loader file, or its source such as `/etc/default/grub`, has a variable, condition "
        "or command. Only the program that reads the file can evaluate the variable, condition or "
        "command; the result is not judged.",
        "write the parameters literally, or give the resulting line with --cmdline",
    ),
    "boot-line-cut": Kind(
        _ERROR,
        _LINE,
        "The boot loader reads only the first line of the file. Parameters on further lines do "
        "not reach the kernel.",
        "write all parameters on the first line",
    ),
    "control-character": Kind(
        _ERROR,
        _LINE,
        "The boot line has a control character: the line ends or breaks at this character.",
    ),
    "non-ascii": Kind(
        _WARNING,
        _LINE,
        "A character outside ASCII, often a dash or quote of a text processor. No kernel "
        "parameter has such characters.",
    ),
    "parameter-for-init": Kind(
        _WARNING,
        _LINE,
        "A kernel parameter after `--`: init gets it, the kernel does not read it.",
        "write the parameter before the --",
    ),
    "parameter-unknown": Kind(
        _ANY,
        _LINE,
        "kernel-advisor knows no kernel with this parameter. The severity is `error` if a "
        "parameter has a similar name, `warning` if the module has no such parameter, and "
        "otherwise `note`. Init or an out-of-tree module may read the parameter. Names that user "
        "space reads (systemd, dracut, Android, ...) are not reported.",
    ),
    "parameter-removed": Kind(
        _ANY, _LINE, "This kernel does not have the parameter any more.", "remove the parameter"
    ),
    "parameter-too-new": Kind(
        _ANY,
        _LINE,
        "This kernel does not have the parameter yet. The finding is a warning if a patch may "
        "have added the parameter, but the configuration does not show backports. The finding is a "
        "note if the vendor backports features, or if the parameter was backported to stable "
        "kernels. Evidence in the configuration overrides the version.",
        "remove the parameter",
    ),
    "parameter-wrong-arch": Kind(
        (*_ERROR, *_WARNING),
        _LINE,
        "Only other architectures read the parameter.",
        "remove the parameter",
    ),
    "parameter-other-machine": Kind(
        _NOTE,
        _LINE,
        "The parameter is for another vendor's CPUs, for guests, or for a vulnerability that this "
        "processor does not have. The parameter is harmless here.",
        "remove the parameter",
    ),
    "parameter-not-built": Kind(
        _ERROR,
        _LINE,
        "The code that reads the parameter was not compiled in.",
        "remove the parameter",
    ),
    "parameter-value-refused": Kind(
        (*_ERROR, *_NOTE),
        _LINE,
        "The kernel does not accept this value and ignores the parameter. The finding is a note if "
        "newer kernels accept the value, and this kernel may have a backport.",
        "remove the parameter",
    ),
    "parameter-no-effect": Kind(
        _WARNING,
        _LINE,
        "The kernel still accepts the parameter, but the parameter has no effect.",
        "remove the parameter",
    ),
    "parameter-superseded": Kind(_NOTE, _LINE, "The old name of a parameter."),
    "parameter-void": Kind(
        _ERROR,
        _LINE,
        "Another parameter or setting makes the parameter ineffective.",
        "remove the parameter",
    ),
    "parameter-redundant": Kind(
        _NOTE,
        _LINE,
        "The kernel has the same setting without the parameter.",
        "remove the parameter",
    ),
    "parameter-caution": Kind(
        _WARNING,
        _LINE,
        "The parameter does harm, or does something other than its name suggests.",
        "remove the parameter",
    ),
    "parameter-elsewhere": Kind(
        _NOTE,
        _LINE,
        "This kernel was built without the code that reads the parameter; programs of an initramfs "
        "may read it.",
    ),
    "parameter-duplicate": Kind(
        _WARNING,
        _LINE,
        "A parameter is given more than once, with different values. The "
        "message says which value takes effect.",
    ),
    "component-absent": Kind(
        _ERROR,
        _NAMES,
        "A value names something that this kernel does not have: a security module, compressor, "
        "governor, queueing discipline or file system (`rules/components.toml`). The message says "
        "how the kernel treats the value.",
    ),
    "component-unknown": Kind(
        _ERROR,
        _NAMES,
        "A value names something that no kernel has: a typing error, a typographic quote, or a "
        "comment that is part of the value.",
    ),
    "component-module": Kind(
        _WARNING,
        _NAMES,
        "A value names a module, but the kernel reads the value before the root file system is "
        "mounted. The module must be in the initramfs.",
    ),
    "component-not-started": Kind(
        _NOTE,
        _CONFIG,
        "A security module is built, but the list of modules to start (`CONFIG_LSM`, `lsm=`) "
        "does not name it.",
    ),
    "memory-short": Kind(
        _ANY,
        _MEMORY,
        "The boot line reserves or removes more memory than the machine can spare. The check "
        "covers huge pages, `crashkernel=`, `mem=` and `log_buf_len=`. The finding is a note if "
        "the machine's memory is not known. Another case: `--shared-memory` needs more huge pages "
        "than are reserved.",
    ),
    "cpulist-differs": Kind(
        _WARNING,
        _LIST,
        "Two lists differ, although they must be equal. Another case: two lists with opposite "
        "purposes name the same CPUs.",
        "give both parameters the same list, or give only one of the parameters",
    ),
    "cpulist-malformed": Kind(
        _ERROR,
        _LIST,
        "The value is no list of CPUs, or a range does not ascend. The message says what the "
        "kernel does with the value.",
        "write the list as 2-7,10: ascending, without blanks",
    ),
    "cpulist-beyond": Kind(
        _ERROR,
        _LIST,
        "The list names a CPU that the machine (`--cpus`) or the kernel (`NR_CPUS`) cannot have. "
        "For most parameters, one such CPU makes the kernel drop the whole list.",
        "give CPUs that the machine has",
    ),
    "cpulist-all": Kind(
        _WARNING,
        _LIST,
        "No CPU is left for the kernel's own work.",
        "leave one CPU or more out of the list",
    ),
    "cpulist-boot-cpu": Kind(
        _WARNING,
        _LIST,
        "The boot CPU is in a list that must not contain it.",
        "leave CPU 0 out of the list",
    ),
    "cpulist-flag": Kind(
        _WARNING,
        _LIST,
        "The flag before the list of CPUs is unknown, or its feature is not built.",
        "remove the flag",
    ),
    "sysctl-unknown": Kind(
        _ANY,
        _SYSCTL,
        "This kernel does not have a sysctl that `--sysctl` or a `sysctl.` parameter of the boot "
        "line sets. The severity is `error` if a sysctl has a similar name. The finding is a "
        "warning if old guides recommend the sysctl, or if the code of the sysctl is not built. "
        "The finding is a note if only older or newer kernel trees have the sysctl. One note lists "
        "all sysctls that no tree has, because modules and vendors add sysctls.",
    ),
    "sysctl-no-effect": Kind(
        _WARNING,
        _SYSCTL,
        "The kernel still accepts this sysctl for the sake of old files, but no code reads it.",
        "remove the setting",
    ),
    "sysctl-memory": Kind(
        (*_ERROR, *_WARNING),
        (Input.MEMORY, *_SYSCTL),
        "A sysctl does not fit the machine's memory. `vm.min_free_kbytes` or `vm.nr_hugepages` "
        "leaves programs no memory, or `vm.min_free_kbytes` reserves almost nothing. "
        "`net.ipv4.tcp_mem` or `udp_mem` sets no limit, for example because its values are bytes "
        "instead of pages.",
    ),
    "sysctl-value-refused": Kind(
        (*_ERROR, *_NOTE),
        _SYSCTL,
        "The kernel refuses a sysctl's value: it is no number, or is out of range. Some ranges "
        "are in the configuration (`ARCH_MMAP_RND_BITS_MAX`). The finding is a note "
        "if the kernel is older or newer than the kernels that kernel-advisor knows.",
        "give a value in the sysctl's range",
    ),
    "host-unread": Kind(
        _NOTE,
        _HOST,
        "The host has files that rules need, but kernel-advisor cannot read them. Settings in "
        "files that cannot be read are judged by the configuration and the boot line.",
        "run kernel-advisor as root, which may read more",
    ),
    "host-no-config": Kind(
        _NOTE,
        _HOST,
        "No configuration of the host's kernel was found, and kernel-advisor loads no module to "
        "read the configuration. Settings that depend on the configuration are unknown.",
        "give the configuration, or an image of the kernel, as CONFIG, together with --cmdline",
    ),
    "compressed-twice": Kind(
        _WARNING,
        _HOST,
        "zswap compresses pages that go to swap, and the only swap is zram, which compresses "
        "them again. Compressing twice costs twice the time. zswap's pool holds pages that "
        "would otherwise be in zram.",
        "disable zswap if zram is the swap",
    ),
    "flaw-left-open": Kind(
        _WARNING,
        _HOST,
        "The running kernel reports unmitigated vulnerabilities (`Vulnerable` in "
        "/sys/devices/system/cpu/vulnerabilities), though no option or parameter disables the "
        "mitigations. The microcode is missing, or a hypervisor does not show the processor's "
        "features.",
        "install the processor's newest microcode or firmware, and reboot",
    ),
    "scheduler-replaced": Kind(
        _NOTE,
        _HOST,
        "A BPF program (sched_ext) schedules the ordinary tasks. Settings of the kernel's own "
        "scheduler (slices, migration, autogroups) have no effect on these tasks.",
        "ignore findings about the kernel's own scheduler while the BPF program runs",
    ),
    "zswap-idle": Kind(
        _NOTE,
        _HOST,
        "zswap is on, but the host has no swap: zswap compresses only pages that go to swap.",
        "add swap to the host, or ignore zswap",
    ),
    "host-container": Kind(
        _NOTE,
        _HOST,
        "kernel-advisor runs in a container. The kernel and its settings belong to the host, "
        "and the files belong to the container.",
        "run kernel-advisor on the host itself",
    ),
    "host-not-running": Kind(
        _NOTE,
        _HOST,
        "The files are not of a running system. The boot line is that of the boot loader's default "
        "entry. Sysctls have the values that files set at boot. Other settings are not known.",
        "give /, or a folder that contains proc and sys, to judge the present settings",
    ),
    "kernel-drift": Kind(
        _NOTE,
        _HOST,
        "The running kernel is not the one that the boot loader's default entry starts.",
        "make the running kernel's entry the default, or boot the default entry's kernel",
    ),
    "line-drift": Kind(
        _WARNING,
        _HOST,
        "The boot loader's default entry has another boot line than the running kernel. At "
        "the next boot, settings change if their boot parameters differ.",
        "write the parameters that you want to keep into the boot loader's files; reboot to apply "
        "the new parameters",
    ),
    "line-not-in-menu": Kind(
        _WARNING,
        _HOST,
        "A parameter of `/etc/default/grub` is missing in GRUB's default entry, which was "
        "generated earlier.",
        "run update-grub or grub2-mkconfig; change BLS entries with grubby",
    ),
    "setting-drift": Kind(
        _WARNING,
        _HOST,
        "A run-time setting differs from the value that a file sets at boot: the setting was "
        "changed after boot, or the file was changed and not applied.",
    ),
    "setting-unkept": Kind(
        _NOTE,
        _HOST,
        "A run-time setting differs from what the kernel and boot line set. kernel-advisor found "
        "no file that sets the setting at boot. The next boot loses the current value, unless a "
        "program sets it.",
        "write the value into a file of /etc/sysctl.d or /etc/tmpfiles.d to keep it",
    ),
    "setting-overridden": Kind(
        _NOTE,
        (*_SYSCTL, *_HOST),
        "A line of a file has no effect at boot: another line sets the same key, or a file of "
        "the same name is read instead of this file. Another case: `vm.nr_hugepages` replaces the "
        "number of huge pages that the boot line reserves.",
        "remove the line that has no effect, or remove what overrides this line",
    ),
    "module-option-idle": Kind(
        _WARNING,
        _HOST,
        "modprobe.d has an option for code that is built into the kernel of the next boot. "
        "modprobe never loads built-in code.",
    ),
    "sysctl-conf-unread": Kind(
        _WARNING,
        _HOST,
        "systemd does not read this setting of `/etc/sysctl.conf`, because `/etc/sysctl.d` has no "
        "link to the file. In Debian 13 and later, the link is missing.",
        "move the setting into a file of /etc/sysctl.d",
    ),
    "next-boot-unknown": Kind(
        _NOTE,
        _HOST,
        "The boot loader's files do not show which kernel and boot line are the default.",
        "look at the boot loader's menu, or run kernel-advisor as root, which may read more",
    ),
    "kernel-newer": Kind(
        _NOTE,
        _CONFIG,
        "The kernel is newer than all kernels that kernel-advisor knows. Names that this kernel "
        "changed, removed or added are not known.",
        "give the kernel's source with --tree, which shows its symbols",
    ),
    "mitigation-unknown": Kind(
        _NOTE,
        _CONFIG,
        "This kernel predates the mitigations of some processor vulnerabilities: its "
        "configuration has no line about the options of these mitigations.",
        "update to a newer release of this stable branch; if the branch lacks the mitigation, "
        "update to a later branch",
    ),
    "kernel-patched": Kind(
        _NOTE,
        _CONFIG,
        "The kernel was built with a patch that changes what settings mean. kernel-advisor "
        "does not judge these settings.",
        "read the patch's documentation",
    ),
    "programs-disagree": Kind(
        _NOTE,
        _REQUIRED,
        "A program given with `--require`, or its project's option list, requires a symbol. "
        "Another program or a profile needs the same symbol to be off.",
        "decide which program or profile matters more on this machine",
    ),
    "malformed-line": Kind(
        (*_ERROR, *_WARNING),
        _CONFIG,
        "A line that Kconfig ignores, or that some versions of Kconfig read differently.",
        "write the line as CONFIG_NAME=value or # CONFIG_NAME is not set, as the report says",
    ),
    "trailing-text": Kind(_WARNING, _CONFIG, "Text after a value."),
    "invalid-value": Kind(
        (*_ERROR, *_WARNING), _CONFIG, "A value that does not fit the symbol's type."
    ),
    "invalid-utf8": Kind(_WARNING, _CONFIG, "Bytes that are not UTF-8."),
    "duplicate-symbol": Kind(
        _WARNING, _CONFIG, "Two lines give a symbol different values; the last line counts."
    ),
    "choice-overruled": Kind(
        _WARNING,
        _CONFIG,
        "Two lines select members of one choice: Kconfig keeps the last.",
        "remove one of the two lines",
    ),
    "built-in-line-fallback": Kind(
        _NOTE,
        _CONFIG,
        "The kernel uses the line in `CMDLINE` only if the boot loader passes no line. The boot "
        "loader's line was not given. If the boot loader passes a line, the findings about the "
        "parameters in `CMDLINE` are not valid.",
        "give the boot loader's line with --cmdline",
    ),
    "config-of-a-build": Kind(
        _NOTE,
        _CONFIG,
        "The file is an input of a build, such as Fedora's and RHEL's kernel-*.config. The file "
        "has thousands of symbols, but none of the symbols that only Kconfig can set.",
        "give the .config file that 'make olddefconfig' writes from this file",
    ),
    "symbol-unknown": Kind(
        _ANY,
        _FRAGMENT,
        "In a fragment: kernel-advisor knows no kernel with this symbol. A similar name suggests "
        "a typing error. The finding is an error if the base configuration is given, because the "
        "kernel of the base does not have the symbol.",
    ),
    "symbol-removed": Kind(
        _ANY,
        _FRAGMENT,
        "In a fragment: a symbol that this kernel no longer has. The finding is an error if "
        "the base configuration is given.",
    ),
    "symbol-too-new": Kind(
        _ANY,
        _FRAGMENT,
        "In a fragment: a symbol that this kernel does not have yet. The finding is an error if "
        "the base configuration is given.",
    ),
    "symbol-other-arch": Kind(
        (*_ERROR, *_NOTE),
        _FRAGMENT,
        "In a fragment: a symbol that only other architectures have. The finding is an error "
        "if the base configuration is given.",
    ),
    "symbol-stale": Kind(
        (*_ERROR, *_WARNING),
        _FRAGMENT,
        "In a fragment: the old name of a symbol. The finding is an error if the base "
        "configuration is given.",
    ),
    "symbol-void": Kind(
        _ERROR,
        _FRAGMENT,
        "In a fragment with its base: the symbol has no prompt, so no line can set it.",
        "remove the line, and set the symbol that decides its value",
    ),
    "symbol-dropped": Kind(
        _ERROR,
        _FRAGMENT_IN_TREE,
        "In a fragment with its base: Kconfig drops the line, because the symbol is hidden, does "
        "not accept the value, or is set by other symbols. Only --tree finds all such lines.",
        "add the symbol's dependencies, or remove the line",
    ),
    "unknown-symbol": Kind(_NOTE, _TREE, "The tree does not define the symbol."),
    "renamed-symbol": Kind(
        _NOTE,
        _TREE,
        "The symbol has a new name in the tree; the line is read as if it had the new name.",
    ),
    "out-of-range": Kind(_WARNING, _TREE, "A number beyond the symbol's range."),
    "waiver-expired": Kind(
        _WARNING,
        _WAIVERS,
        "A waiver has expired and no longer covers its findings.",
        "decide again: follow the advice, or give the waiver another date",
    ),
    "waiver-unused": Kind(
        _WARNING,
        _WAIVERS,
        "A waiver matches none of the findings of this run.",
        "remove the waiver, or correct its rule, path or subject",
    ),
    "baseline-outdated": Kind(
        _NOTE,
        _BASELINE,
        "Findings of the baseline no longer occur. Write the baseline again, so that the "
        "report shows these findings as new if they return.",
        "write the baseline again",
    ),
    "policy-weaker": Kind(
        _ERROR,
        _REVISIONS,
        "A change to settings, waivers, rules, profiles or a baseline may reduce the number of "
        "failing findings. Until another person accepts the change, the files of the base apply.",
        "undo the change, or let an authorized person accept the change (docs/ci.md)",
    ),
    "policy-changed": Kind(
        _NOTE,
        _REVISIONS,
        "Settings, waivers or a baseline changed, and all failing findings still fail. Another "
        "case: a repository gets its first settings. The change takes effect once it is part of "
        "the base.",
    ),
}
"""By id."""


def severity_of(name: str) -> Severity:
    """The severity of a kind that has one alone. Raises KeyError, and ValueError for several."""
    (severity,) = DIAGNOSTICS[name].severities
    return severity


def is_about_acceptance(name: str) -> bool:
    """Whether the kind is about waivers or a baseline themselves, not about what is judged."""
    return not {Input.WAIVERS, Input.BASELINE}.isdisjoint(DIAGNOSTICS[name].inputs)
