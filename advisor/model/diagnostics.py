"""The one table of diagnostics: how bad each may be, what shows it, what it means, what to do.

docs/diagnostics.md shows the same table (a test compares them). An id never changes its meaning.
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

DIAGNOSTICS = {
    "line-too-long": Kind(
        _ERROR,
        _LINE,
        "The architecture keeps only so many bytes of the line (`COMMAND_LINE_SIZE`), the "
        "built-in one among them; the rest is cut off without a word.",
        "shorten the line, or move sysctl.* and module options into files",
    ),
    "line-overflows-init": Kind(
        _ERROR,
        _LINE,
        "The kernel passes words that it does not know on to init, and panics when there "
        "are more than it has room for (31 of the form NAME=VALUE, 32 others).",
        "take out the words that nobody reads",
    ),
    "unbalanced-quote": Kind(
        _ERROR, _LINE, "A quote is not closed: everything behind it is one word."
    ),
    "quotes-lost": Kind(
        _ERROR,
        _LINE,
        "A text with blanks stands without its quotes, as those of a shell or build recipe are "
        "gone: what is behind the first blank are words that no kernel knows.",
        "put the whole value in double quotes",
    ),
    "boot-file-unread": Kind(
        _WARNING,
        _LINE,
        "A place of a file of the boot loader, or of one that sets it up, that only the program "
        "which reads it can make sense of: a variable, a condition, a command. What comes of it "
        "is not judged.",
        "write the words as they are, or give the line that comes of it with --cmdline",
    ),
    "control-character": Kind(_ERROR, _LINE, "A control character: the line ends or breaks there."),
    "non-ascii": Kind(
        _WARNING,
        _LINE,
        "No kernel parameter has characters outside ASCII; often a dash or quote of a "
        "text processor.",
    ),
    "parameter-for-init": Kind(
        _WARNING,
        _LINE,
        "A kernel parameter behind `--`: init gets it, the kernel does not read it.",
        "write it before the --",
    ),
    "parameter-unknown": Kind(
        _ANY,
        _LINE,
        "No kernel read knows the name. An error where a name is near that may be meant; "
        "a warning where its module has no such parameter; else a note, as it may be for init "
        "or a module from elsewhere. Names that user space reads (systemd, dracut, Android, "
        "...) are known and not told.",
    ),
    "parameter-removed": Kind(
        _ANY, _LINE, "This kernel does not have the parameter any more.", "remove it"
    ),
    "parameter-too-new": Kind(
        _ANY,
        _LINE,
        "This kernel does not have it yet. A warning where a kernel with patches may have been "
        "given it and nothing shows that; a note where its vendor carries features, or where "
        "stable kernels took the word. What the configuration shows goes before the version.",
        "remove it",
    ),
    "parameter-wrong-arch": Kind(
        (*_ERROR, *_WARNING), _LINE, "It is read on other architectures only.", "remove it"
    ),
    "parameter-other-machine": Kind(
        _NOTE,
        _LINE,
        "It is for another vendor's CPUs, for guests, or against a flaw that this processor does "
        "not have; harmless here.",
        "remove it",
    ),
    "parameter-not-built": Kind(
        _ERROR, _LINE, "The code that reads it was not compiled in.", "remove it"
    ),
    "parameter-value-refused": Kind(
        (*_ERROR, *_NOTE),
        _LINE,
        "The kernel does not accept this value, and goes on as without the word. A note where the "
        "value is only too new, and such a kernel may have been given it.",
        "remove it",
    ),
    "parameter-no-effect": Kind(
        _WARNING, _LINE, "It is still accepted and does nothing.", "remove it"
    ),
    "parameter-superseded": Kind(_NOTE, _LINE, "The old name of a parameter."),
    "parameter-void": Kind(_ERROR, _LINE, "Another word or setting undoes it.", "remove it"),
    "parameter-redundant": Kind(_NOTE, _LINE, "It adds nothing to what is so anyway.", "remove it"),
    "parameter-caution": Kind(
        _WARNING, _LINE, "It does something else than its name suggests, or harm.", "remove it"
    ),
    "parameter-elsewhere": Kind(
        _NOTE,
        _LINE,
        "This kernel was built without what reads the word; programs of an initramfs may read it.",
    ),
    "parameter-duplicate": Kind(
        _WARNING, _LINE, "Given more than once, with different values: which one counts."
    ),
    "component-absent": Kind(
        _ERROR,
        _NAMES,
        "A value names something that this kernel does not have: a security module, compressor, "
        "governor, queueing discipline, file system (`rules/components.toml`). What the kernel "
        "does instead is told.",
    ),
    "component-unknown": Kind(
        _ERROR,
        _NAMES,
        "A value names what no kernel has: a slip of the keyboard, a typographic quote or a "
        "comment that is part of the value.",
    ),
    "component-module": Kind(
        _WARNING,
        _NAMES,
        "A value names a module, and is read before modules can be loaded from the root file "
        "system: only one in the initramfs counts.",
    ),
    "component-not-started": Kind(
        _NOTE,
        _CONFIG,
        "A security module is built, and the list that starts them (`CONFIG_LSM`, `lsm=`) does "
        "not name it.",
    ),
    "memory-short": Kind(
        _ANY,
        _MEMORY,
        "What is set aside or cut off leaves no memory, or there is not so much: huge pages by "
        "number and size, `crashkernel=`, `mem=`, `log_buf_len=`. A note where the machine's "
        "memory is not known.",
    ),
    "cpulist-differs": Kind(
        _WARNING,
        _LIST,
        "Two lists that belong together are not the same, or name the same CPUs for the opposite.",
        "give both the same list, or only one of them",
    ),
    "cpulist-malformed": Kind(
        _ERROR,
        _LIST,
        "No list, or a range that does not ascend; what the kernel makes of it.",
        "write it as 2-7,10: ascending, without blanks",
    ),
    "cpulist-beyond": Kind(
        _ERROR,
        _LIST,
        "It names a CPU that the machine (`--cpus`) or the kernel (`NR_CPUS`) cannot "
        "have. Most parameters drop such a list whole.",
        "give CPUs that the machine has",
    ),
    "cpulist-all": Kind(
        _WARNING,
        _LIST,
        "No CPU is left for the kernel's own work.",
        "leave one CPU or more out of it",
    ),
    "cpulist-boot-cpu": Kind(
        _WARNING, _LIST, "The boot CPU is in a list that cannot have it.", "leave CPU 0 out of it"
    ),
    "cpulist-flag": Kind(_WARNING, _LIST, "An unknown word before the list.", "take the word out"),
    "sysctl-unknown": Kind(
        _ANY,
        _SYSCTL,
        "A sysctl that this kernel does not have, by `--sysctl` or a `sysctl.` word of the boot "
        "line. An error where a name is near that may be meant, a warning where old guides pass "
        "it on, a note where it is gone or not there yet by the trees read; one note counts those "
        "that no tree read has, as modules and vendors add their own.",
    ),
    "sysctl-no-effect": Kind(
        _WARNING,
        _SYSCTL,
        "A sysctl that the kernel still takes, so as not to break old files, and that no code "
        "reads.",
        "take it out",
    ),
    "sysctl-memory": Kind(
        (*_ERROR, *_WARNING),
        (Input.MEMORY, *_SYSCTL),
        "A sysctl that gives something memory does not go with the memory there is: "
        "`vm.min_free_kbytes` leaves nothing or is next to nothing, `net.ipv4.tcp_mem` or "
        "`udp_mem` holds nothing back, as bytes written for pages do not.",
    ),
    "sysctl-value-refused": Kind(
        (*_ERROR, *_NOTE),
        _SYSCTL,
        "A sysctl does not take this value: no number, or out of its range. A note where the "
        "kernel is older or newer than those that were read.",
        "give a value in its range",
    ),
    "host-unread": Kind(
        _NOTE,
        _HOST,
        "Files of a host that rules name, and that are there and cannot be read. What they would "
        "show is judged by the configuration and the boot line.",
        "run it as root, which may read more",
    ),
    "host-no-config": Kind(
        _NOTE,
        _HOST,
        "No configuration of a host's kernel was found, and no module was loaded to get at one: "
        "what hangs on it is unknown.",
        "name the configuration, or an image of the kernel, as CONFIG, beside --cmdline",
    ),
    "compressed-twice": Kind(
        _WARNING,
        _HOST,
        "zswap compresses pages that go to swap, and all swap there is compresses them again "
        "(zram): that costs twice the time, and holds back what zram would hold.",
        "leave zswap off where zram is the swap",
    ),
    "flaw-left-open": Kind(
        _WARNING,
        _HOST,
        "The running kernel calls flaws of its processor open (`Vulnerable` in "
        "/sys/devices/system/cpu/vulnerabilities), though nothing was told to leave them so: it "
        "lacks the microcode, or a hypervisor does not show what the processor has.",
        "install the processor's newest microcode or firmware, and start anew",
    ),
    "scheduler-replaced": Kind(
        _NOTE,
        _HOST,
        "A BPF program schedules the ordinary tasks (sched_ext): settings of the scheduler that "
        "it took the place of (slices, migration, autogroups) say nothing of them.",
        "read what is said of these settings as for the time without that program",
    ),
    "zswap-idle": Kind(
        _NOTE,
        _HOST,
        "zswap is on, and the host has no swap: it compresses only what goes there.",
        "give it swap, or leave zswap out of account",
    ),
    "host-container": Kind(
        _NOTE,
        _HOST,
        "It runs in a container: the kernel is that of the host, whose settings it shows, and "
        "the files are the container's own.",
        "run it on the host itself",
    ),
    "host-not-running": Kind(
        _NOTE,
        _HOST,
        "No kernel runs from these files: the boot line is that of the boot loader's default "
        "entry, and sysctls are those that files set at boot. What else is set is not known.",
        "name /, or a folder that has its proc and sys, for what holds now",
    ),
    "kernel-drift": Kind(
        _NOTE,
        _HOST,
        "Another kernel runs than the boot loader's default entry starts.",
        "make the entry of this kernel the default, or start the other one",
    ),
    "line-drift": Kind(
        _WARNING,
        _HOST,
        "The boot loader's default entry has another line than the running kernel was given: what "
        "rests on these words holds until the next boot, or from then on.",
        "write into the boot loader's files what shall stay; what is new comes with a reboot",
    ),
    "line-not-in-menu": Kind(
        _WARNING,
        _HOST,
        "A word of `/etc/default/grub` that GRUB's default entry does not have: it was made "
        "before.",
        "run update-grub, or grub2-mkconfig; entries of BLS are changed with grubby",
    ),
    "setting-drift": Kind(
        _WARNING,
        _HOST,
        "A setting of run time is another one than a file sets at boot: somebody changed it since, "
        "or the file was changed and not applied.",
    ),
    "setting-unkept": Kind(
        _NOTE,
        _HOST,
        "A setting of run time is another one than kernel and boot line make it, and no file that "
        "was read sets it at boot: it is lost then, unless a program sets it.",
        "write it into a file of /etc/sysctl.d or /etc/tmpfiles.d if it shall stay",
    ),
    "setting-overridden": Kind(
        _NOTE,
        _HOST,
        "A line of a file that does not count at boot: another one sets the same, or a file of the "
        "same name is read in place of this one.",
        "remove one of both",
    ),
    "module-option-idle": Kind(
        _WARNING,
        _HOST,
        "An option in modprobe.d of what the kernel that boots has built in, which modprobe never "
        "loads.",
    ),
    "sysctl-conf-unread": Kind(
        _WARNING,
        _HOST,
        "A setting of `/etc/sysctl.conf` on a system whose systemd reads no such file: there is no "
        "link to it in `/etc/sysctl.d`, as Debian has none since 13.",
        "move it into a file of /etc/sysctl.d",
    ),
    "next-boot-unknown": Kind(
        _NOTE,
        _HOST,
        "Which kernel and line the boot loader starts by itself cannot be told from its files.",
        "look at its menu, or run it as root, which may read more",
    ),
    "kernel-newer": Kind(
        _NOTE,
        _CONFIG,
        "The kernel is newer than the newest one that was read: what it renamed, removed or added "
        "is not known.",
        "give its source with --tree, which tells its symbols",
    ),
    "mitigation-unknown": Kind(
        _NOTE,
        _CONFIG,
        "This kernel predates the protection against some flaws of processors: its configuration "
        "has no line about their options.",
        "take a newer release: of the same stable branch if it has the protection, else of a "
        "later branch",
    ),
    "kernel-patched": Kind(
        _NOTE,
        _CONFIG,
        "The kernel was built with a patch that changes what settings mean: of those that it "
        "decides in its own way nothing is said.",
        "look at the documents of the patch",
    ),
    "malformed-line": Kind(
        (*_ERROR, *_WARNING),
        _CONFIG,
        "A line that Kconfig ignores, or that some versions of it read otherwise.",
        "write it as CONFIG_NAME=value or # CONFIG_NAME is not set; the report says how",
    ),
    "trailing-text": Kind(_WARNING, _CONFIG, "Text behind a value."),
    "invalid-value": Kind(
        (*_ERROR, *_WARNING), _CONFIG, "A value that is none of the symbol's type."
    ),
    "invalid-utf8": Kind(_WARNING, _CONFIG, "Bytes that are no UTF-8."),
    "duplicate-symbol": Kind(
        _WARNING, _CONFIG, "Two lines about a symbol with different values; the last counts."
    ),
    "choice-overruled": Kind(
        _WARNING,
        _CONFIG,
        "Two lines take members of one choice: Kconfig keeps the last.",
        "remove the line, or the later one",
    ),
    "built-in-line-fallback": Kind(
        _NOTE,
        _CONFIG,
        "The kernel takes the line in `CMDLINE` only where the boot loader passes none, which was "
        "not told: what is judged by its words holds only there.",
        "give the boot loader's line with --cmdline",
    ),
    "config-of-a-build": Kind(
        _NOTE,
        _CONFIG,
        "The file is what a build is given, such as Fedora's and RHEL's kernel-*.config: it names "
        "thousands of symbols, and none that Kconfig derives.",
        "give the .config that make olddefconfig writes from it",
    ),
    "symbol-unknown": Kind(
        _ANY,
        _FRAGMENT,
        "In a fragment: a symbol of no kernel read; a misspelt one where a name is near. An error "
        "where the configuration that it is merged into is given, whose kernel has no such symbol.",
    ),
    "symbol-removed": Kind(
        _ANY,
        _FRAGMENT,
        "In a fragment: this kernel does not have it any more. An error beside its base.",
    ),
    "symbol-too-new": Kind(
        _ANY,
        _FRAGMENT,
        "In a fragment: this kernel does not have it yet. An error beside its base.",
    ),
    "symbol-other-arch": Kind(
        (*_ERROR, *_NOTE),
        _FRAGMENT,
        "In a fragment: only other architectures have it. An error beside its base.",
    ),
    "symbol-stale": Kind(
        (*_ERROR, *_WARNING),
        _FRAGMENT,
        "In a fragment: the old name of a symbol. An error beside its base.",
    ),
    "symbol-void": Kind(
        _ERROR,
        _FRAGMENT,
        "In a fragment on its base: the symbol has no prompt, so that no line sets it.",
        "remove the line, and set what it follows",
    ),
    "symbol-dropped": Kind(
        _ERROR,
        _FRAGMENT_IN_TREE,
        "In a fragment on its base: Kconfig does not keep the line, as the symbol is hidden there, "
        "takes no such value, or is decided by others. A tree tells all of them.",
        "add what it depends on, or remove the line",
    ),
    "unknown-symbol": Kind(_NOTE, _TREE, "The tree does not define it."),
    "renamed-symbol": Kind(_NOTE, _TREE, "The tree takes the line for that of a new name."),
    "out-of-range": Kind(_WARNING, _TREE, "A number beyond the symbol's range."),
    "waiver-expired": Kind(
        _WARNING,
        _WAIVERS,
        "The day until which a waiver holds is over: its findings are back.",
        "decide anew: follow the advice, or give it another date",
    ),
    "waiver-unused": Kind(
        _WARNING,
        _WAIVERS,
        "A waiver matches nothing that is found where it should.",
        "take it out, or correct its rule, path or subject",
    ),
    "baseline-outdated": Kind(
        _NOTE,
        _BASELINE,
        "Findings of the baseline are gone: write it again, so that they stay away.",
        "write it again, so that they stay away",
    ),
    "policy-weaker": Kind(
        _ERROR,
        _REVISIONS,
        "A change brings a waiver, or settings, rules, profiles or a baseline by which less would "
        "fail, or may: it is judged by those of the base until somebody else accepts them.",
        "take it out, or have it accepted by who may (docs/ci.md)",
    ),
    "policy-changed": Kind(
        _NOTE,
        _REVISIONS,
        "A change of settings, waivers or a baseline by which nothing less fails, or of the first "
        "settings of a repository; it counts when it is part of the base.",
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
