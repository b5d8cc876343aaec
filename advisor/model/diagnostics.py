"""What each diagnostic means, in a sentence or two: for formats that describe their rules.

docs/diagnostics.md shows the same texts (a test compares them).
"""

from __future__ import annotations

MEANINGS = {
    "line-too-long": (
        "The architecture keeps only so many bytes of the line (`COMMAND_LINE_SIZE`), the"
        " built-in one among them; the rest is cut off without a word."
    ),
    "line-overflows-init": (
        "The kernel passes words that it does not know on to init, and panics when there "
        "are more than it has room for (31 of the form NAME=VALUE, 32 others)."
    ),
    "unbalanced-quote": "A quote is not closed: everything behind it is one word.",
    "control-character": "A control character: the line ends or breaks there.",
    "non-ascii": (
        "No kernel parameter has characters outside ASCII; often a dash or quote of a "
        "text processor."
    ),
    "parameter-for-init": (
        "A kernel parameter behind `--`: init gets it, the kernel does not read it."
    ),
    "parameter-unknown": (
        "No kernel read knows the name. An error where a name is near that may be meant; "
        "a note where it may be a parameter of a module from elsewhere. Names that user "
        "space reads (systemd, dracut, Android, ...) are known and not told."
    ),
    "parameter-removed": "This kernel does not have the parameter any more.",
    "parameter-too-new": "This kernel does not have it yet.",
    "parameter-wrong-arch": "It is read on other architectures only.",
    "parameter-other-machine": (
        "It is for another vendor's CPUs, or only for guests; harmless here."
    ),
    "parameter-not-built": "The code that reads it was not compiled in.",
    "parameter-value-refused": (
        "The kernel does not accept this value, and goes on as without the word."
    ),
    "parameter-no-effect": "It is still accepted and does nothing.",
    "parameter-superseded": "The old name of a parameter.",
    "parameter-void": "Another word or setting undoes it.",
    "parameter-redundant": "It adds nothing to what is so anyway.",
    "parameter-caution": "It does something else than its name suggests, or harm.",
    "parameter-duplicate": "Given more than once, with different values: which one counts.",
    "cpulist-differs": "Two lists that belong together are not the same.",
    "cpulist-malformed": "No list, or a range that does not ascend; what the kernel makes of it.",
    "cpulist-beyond": (
        "It names a CPU that the machine (`--cpus`) or the kernel (`NR_CPUS`) cannot "
        "have. Most parameters drop such a list whole."
    ),
    "cpulist-all": "No CPU is left for the kernel's own work.",
    "cpulist-boot-cpu": "The boot CPU is in a list that cannot have it.",
    "cpulist-flag": "An unknown word before the list.",
    "sysctl-unknown": "A sysctl that old guides pass on and this kernel does not have.",
    "malformed-line": "A line that Kconfig ignores.",
    "trailing-text": "Text behind a value.",
    "invalid-value": "A value that is none of the symbol's type.",
    "invalid-utf8": "Bytes that are no UTF-8.",
    "duplicate-symbol": "Two lines about a symbol with different values; the last counts.",
    "symbol-unknown": (
        "In a fragment: a symbol of no kernel read; a misspelt one where a name is near."
    ),
    "symbol-removed": "In a fragment: this kernel does not have it any more.",
    "symbol-too-new": "In a fragment: this kernel does not have it yet.",
    "symbol-other-arch": "In a fragment: only other architectures have it.",
    "symbol-stale": "In a fragment: the old name of a symbol.",
    "unknown-symbol": "The tree does not define it.",
    "renamed-symbol": "The tree takes the line for that of a new name.",
    "out-of-range": "A number beyond the symbol's range.",
    "waiver-expired": "The day until which a waiver holds is over: its findings are back.",
    "waiver-unused": "A waiver matches nothing that is found where it should.",
    "baseline-outdated": (
        "Findings of the baseline are gone: write it again, so that they stay away."
    ),
}
"""By id."""
