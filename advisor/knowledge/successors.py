"""The lines of rules/successors.toml: which symbol took the place of which, and what was split off.

    KEXEC_VERIFY_SIG -> KEXEC_SIG 5.3.1 5.4.286 prompt help
    MICROCODE_INTEL in MICROCODE 6.4.6 6.6.21 object — Needs CPU_SUP_INTEL.
    MTD_NAND_ECC -> MTD_NAND_ECC_SW_HAMMING, MTD_NAND_ECC_SW_BCH 5.3.1 5.4.286 source

The old name, how it is now, the names to write in its place, the last tree that had the old one and
the next one that was read, the kinds of evidence, and a note where more than the name is another.

    ZRAM, CRYPTO_ZSTD with ZRAM_BACKEND_ZSTD 6.9.0 6.12.117 source — For zstd.

What these names gave together needs the new one as well, which is off by default.
"""

from __future__ import annotations

import re

from advisor.model.successor import Split, Successor

KINDS = {
    "object": "a Makefile builds the same object file for both symbols",
    "part": "the new symbol always builds what the old symbol built",
    "prompt": "both symbols have the same prompt",
    "help": "both help texts begin alike",
    "select": "the old symbol did nothing except select the new symbol",
    "default": "the tree gives the new symbol the value of the old symbol",
    "config": "in the tree's own configurations, the new symbol replaced the old symbol",
    "name": "both names are similar, in the same file or menu",
    "source": "the sources of both symbols were compared by hand",
    "patch": "the old symbol was found in a patch, but in no kernel source",
    "security": "not evidence: this symbol is a protection, so reports show its loss first",
}
"""What may speak for a successor, in the words of rules/successors.toml."""

_NAME = r"[A-Z0-9][A-Za-z0-9_]*"
_VERSION = r"[0-9]+(?:\.[0-9]+)+(?:-rc[0-9]+)?"
_NAMES = rf"{_NAME}(?:, {_NAME})*"
_EVIDENCE = rf"({_VERSION}) ({_VERSION})((?: (?:{'|'.join(KINDS)}))+)(?: — (.+))?"
_LINE = re.compile(rf"({_NAME}) (->|in) ({_NAMES}) {_EVIDENCE}")
_SPLIT = re.compile(rf"({_NAMES}) with ({_NAME}) {_EVIDENCE}")


def parse(line: str) -> Successor:
    """A line of the file. Raises ValueError if it has another form."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"{line[:80]!r}: not of the form OLD -> NEW LAST FIRST KIND [— NOTE]")
    old, how, new, last, first, kinds, note = match.groups()
    return Successor(
        old, tuple(new.split(", ")), how == "in", last, first, tuple(kinds.split()), note or ""
    )


def parse_split(line: str) -> Split:
    """A line about what was split off. Raises ValueError if it has another form."""
    match = _SPLIT.fullmatch(line)
    if match is None:
        raise ValueError(f"{line[:80]!r}: not of the form OLD with NEW LAST FIRST KIND [— NOTE]")
    old, new, last, first, kinds, note = match.groups()
    return Split(tuple(old.split(", ")), new, last, first, tuple(kinds.split()), note or "")
