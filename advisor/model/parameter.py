"""Boot parameters as kernels read them, and words that programs of user space read."""

from __future__ import annotations

from advisor.model.condition import Expr
from advisor.model.rules import Source
from advisor.record import NamedTuple


class ListRules(NamedTuple):
    """What a parameter makes of a CPU list.

    `flags` may stand before it and say what the list is for, each where its condition holds;
    `default` is what it is for without them, and other words there are `skips`, or refuse the list
    where `strict` holds. A flag whose condition in `needs` does not hold refuses it too.
    A list that is for the same as an earlier one and not
    equal loses (`unequal`); unless lists are kept `apart` by what they are for, all later ones do.
    The consequence where the list is `refused` (and what the kernel takes `instead`), names `all`
    CPUs or the `first`, `differs` from that of `same`, or is not `outside` isolated CPUs. Where
    the list of the parameter `within` names all of its CPUs, it adds nothing (`contained`).
    """

    flags: tuple[tuple[str, Expr], ...] = ()
    default: tuple[str, ...] = ()
    strict: Expr = None
    needs: tuple[tuple[str, Expr], ...] = ()
    apart: Expr = None
    unequal: str = ""
    skips: str = ""
    refused: str = ""
    instead: str = ""
    all: str = ""
    first: str = ""
    first_when: Expr = None
    same: str = ""
    differs: str = ""
    outside: str = ""
    within: str = ""
    contained: str = ""


class Remark(NamedTuple):
    """What is to be said of a word that the kernel takes, if `only_if` holds, for these `values`.

    It is `void` (something else undoes it, at least what it is for: `still` where it does the
    rest), `redundant` (it adds nothing), calls for `caution` (it does something else than its name
    says, or harm), or `elsewhere`: this kernel leaves it to an initramfs. No `values` are any. A
    void one is `met` where what undoes it does as much.
    """

    kind: str
    says: str
    values: tuple[str, ...] = ()
    only_if: Expr = None
    remedy: str = ""
    still: bool = False
    met: bool = False


class Parameter(NamedTuple):
    """A boot parameter as this kernel's code reads it (rules/parameters/*.toml).

    `words` are the accepted values with the condition of each, empty where any is; several may be
    `joined` by commas, and written in `anycase`. `duplicates` is last, first, flags (the first list
    for each flag), sized (the first behind each hugepagesz=), parts (mitigations=) or accumulate;
    what `guards` is a protection that no remedy takes off, unless `guards_if` is false, or the list
    that it replaces has all that it names. It is parsed without effect from the kernel `obsolete`
    on. The kernel logs the `refusal` from `refusal_since` on.
    It is read for nothing where `unless` surely holds. `since` is the first kernel that may have
    it, and `there` the first that surely has, where no tree of the releases between was read.
    """

    name: str
    summary: str
    type: str
    only_if: Expr = None
    unless: Expr = None
    words: tuple[tuple[str, Expr], ...] = ()
    since: str = ""
    there: str = ""
    until: str = ""
    arch: tuple[str, ...] = ()
    joined: bool = False
    anycase: bool = False
    duplicates: str = "last"
    guards: bool = False
    guards_if: Expr = None
    renamed: str = ""
    obsolete: str = ""
    advice: str = ""
    refusal: str = ""
    refusal_since: str = ""
    list: ListRules | None = None
    remarks: tuple[Remark, ...] = ()
    sources: tuple[Source, ...] = ()


class Reader(NamedTuple):
    """A program of user space that reads words of the boot line (rules/commandline.toml); the
    values of its remarks are whole words."""

    program: str
    summary: str
    names: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    sources: tuple[Source, ...] = ()
