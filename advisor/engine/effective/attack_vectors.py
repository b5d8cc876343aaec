"""What the words of mitigations= come to where the kernel reads them part by part, since 6.17.

Read in 7.1 and 7.2: mitigations_parse_global_opt() and mitigations_parse_cmdline() of kernel/cpu.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from advisor.model.kernel import Word
from advisor.record import NamedTuple

_MODES = ("auto,nosmt", "auto", "off")
_SMT = "no_cross_thread"
# Those about guests stand last, so that `auto,no_guest_*` is a value that names them alone.
_VECTORS = ("no_user_kernel", "no_user_user", _SMT, "no_guest_host", "no_guest_guest")


class Parts(NamedTuple):
    """The parts of one value that the kernel takes, and the rest, which it logs and ignores."""

    mode: str
    vectors: tuple[str, ...]
    rest: str = ""

    @property
    def taken(self) -> str:
        """The value without its rest."""
        return ",".join((self.mode, *self.vectors))


def parts_of(value: str, *, has_vectors: bool) -> Parts:
    """Return what the kernel takes of a value: a mode that it begins with, then vectors up to the
    first unknown one."""
    mode = next((one for one in _MODES if value.startswith(one)), "")
    comma, given = value[len(mode) : len(mode) + 1], value[len(mode) + 1 :].split(",")
    if comma != "," or not has_vectors:
        return Parts(mode, (), value[len(mode) :])
    known = next((n for n, one in enumerate(given) if one not in _VECTORS), len(given))
    return Parts(mode, tuple(given[:known]), ",".join(given[known:]))


def together(words: Sequence[Word], *, has_vectors: bool) -> list[Word]:
    """Return a word with the value that all these words come to: the last mode counts, and a
    vector that one of them takes off stays off. Its text is that of the word that decides."""
    mode, dropped, decides = "", set[str](), words[-1:]
    for word in words:
        parts = parts_of(word.value or "", has_vectors=has_vectors)
        mode = parts.mode or mode
        off = {*parts.vectors, *(_VECTORS if mode == "off" and has_vectors else ())}
        if mode == "auto,nosmt" and _SMT not in parts.vectors:
            dropped.discard(_SMT)
        if off - dropped:
            decides = [word]
        dropped |= off
    vectors = () if mode == "off" else (one for one in _VECTORS if one in dropped)
    value = ",".join((mode, *vectors))
    return [word._replace(value=value) for word in decides if value]
