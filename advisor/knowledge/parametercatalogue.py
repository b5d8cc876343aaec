"""The catalogue of boot parameters: which names are read in which kernels' C source.

`data/parameters.gz` is written as catalogue.py tells, and has kernels of its own: those whose C
source was read. Dashes of a name are underscores, and a module parameter has its module before it.
The traits say what reads it:

    s  __setup()                      c  core_param()
    e  early_param()                  f  cmdline_find_option(), of x86
    m  module_param() and its like    o  boot code's own, as arm64's overrides

and `=` behind that: a value is needed. A name of `arch/X` is that architecture's only, all others
are everyone's; what is compiled in is not asked. One of `__setup()` without `=` also takes what
only begins so; the name counts as that word.

Names that no tree registers are none of it: `sysctl.*`, and what any module takes (GENERIC).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import reduce
from operator import or_

from advisor.knowledge.catalogue import Fact, Names, Seen, numbers
from advisor.model.kernel import KernelVersion
from advisor.model.likeness import alike, misspelled, slips

KINDS = {
    "s": "__setup()",
    "e": "early_param()",
    "c": "core_param()",
    "m": "module parameter",
    "f": "cmdline_find_option()",
    "o": "boot code",
}
GENERIC = ("dyndbg", "async_probe")
"""Parameters that the module loader reads for every module."""
_SHORTEST = 4  # of three letters everything is near to something
_LONGEST = 80
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_."
_MOST = 3  # of more, such as the modules that have a parameter `debug`, none is meant


class ParameterCatalogue(Names):
    """The boot parameters of kernels."""

    file = "parameters.gz"
    section = "parameters"

    def seen(self, name: str) -> Seen | None:
        """Where the parameter was seen; None if in no kernel read."""
        return super().seen(name.replace("-", "_"))

    def flag_before(self, name: str) -> str:
        """Finds the flag of `__setup()` without `=` that the name begins with, which takes it as
        well.

        Source: obsolete_checksetup() of init/main.c compares as many letters as the flag has.
        """
        longest = min(len(name) - 1, _LONGEST)
        heads = (name[:end] for end in range(longest, _SHORTEST - 1, -1))
        flags = (head for head in heads if any(f.traits == "s" for f in self.facts(head)))
        return next(flags, "")

    def surely_has(self, name: str, kernel: KernelVersion | None, arch: str | None) -> bool:
        """Whether the kernels read around this one all have the parameter; any, for None."""
        if kernel is None:
            return self._has(name, None, arch)
        around = self.around(kernel, arch)
        return bool(around) and all(self._has(name, {number}, arch) for number in around)

    def needs_value(self, name: str, kernel: KernelVersion | None, arch: str | None) -> bool:
        """Whether the kernels read around this one (all, for None) have it by `__setup("NAME=")`
        alone, which never compares equal without a value."""
        seen = self.seen(name)
        if seen is None or self.flag_before(name.replace("-", "_")):
            return False
        around = self.around(kernel, arch) if kernel else range(len(self.kernels))
        traits = {
            fact.traits
            for fact in seen.facts
            if fact.on(arch) and any(fact.kernels >> number & 1 for number in around)
        } - {"o"}  # boot code that looks at the line before, as of hugepages=
        return traits == {"s="}

    def knows_module(self, module: str) -> bool:
        """Whether any kernel read has a parameter of that module."""
        return f"\n{module.replace('-', '_')}." in self._body

    def near(
        self, name: str, kernel: KernelVersion | None = None, arch: str | None = None
    ) -> list[str]:
        """Lists the names that a wrong one may mean, preferably of this kernel and architecture.

        One slip of the keyboard away; else the same parameter of a module, if few have it; else
        what looks like it in many letters. Nothing for a short name.
        """
        name = name.replace("-", "_")
        if not _SHORTEST <= len(name) <= _LONGEST:
            return []
        known = self.names()
        here = set(self.around(kernel, arch)) if kernel else None
        for alternatives in (_slipped, _of_modules, _alike):
            others = alternatives(name, known)
            rather = [other for other in others if self._has(other, here, arch)] or others
            if 0 < len(rather) <= _MOST:
                return rather
        return []

    def searched(self, name: str) -> tuple[str, str] | None:
        """The first and last kernel of those whose code searches the line for it and registers no
        parameter: they log it as unknown, and follow it all the same."""
        seen, bits = self.seen(name), 0
        facts = seen.facts if seen else ()
        for fact in facts:
            for arch in fact.arches.split(",") if fact.traits[:1] == "f" else ():
                known = (one.kernels for one in facts if one.traits[0] in "sec" and one.on(arch))
                bits |= fact.kernels & ~reduce(or_, known, 0)
        found = [self.kernels[number].version.text for number in numbers(bits)]
        return (found[0], found[-1]) if found else None

    def _has(self, name: str, kernels: Set[int] | None, arch: str | None) -> bool:
        """Whether any of these kernels has the parameter; any that was read, for None."""
        seen = self.seen(name)
        bits = seen.kernels(arch) if seen else 0
        return bool(bits) if kernels is None else any(bits >> n & 1 for n in kernels)


def generic(name: str) -> bool:
    """Whether no kernel registers the name, yet reads it: a sysctl, or what every module takes."""
    module, _, own = name.rpartition(".")
    return name.startswith(("sysctl.", "sysctl/")) or (module != "" and own in GENERIC)


def kinds(facts: Iterable[Fact], number: int) -> list[str]:
    """Says what reads it in that kernel: `__setup(), with a value`."""
    readers = sorted({fact.traits for fact in facts if fact.kernels >> number & 1})
    return [
        KINDS.get(traits[:1], "unknown") + (", with a value" if traits[1:] == "=" else "")
        for traits in readers
    ]


def _slipped(name: str, known: Mapping[str, str]) -> list[str]:
    """Lists the names one slip away, in any case and with any underscore."""
    return misspelled(name, slips(name, _LETTERS), known)


def _of_modules(name: str, known: Mapping[str, str]) -> list[str]:
    """Lists the same parameter of modules: `nested` of kvm_intel and kvm_amd; if a module was
    named, of modules with a similar name."""
    module, dot, own = name.rpartition(".")
    ending = f".{own}"
    others = [other for other in known if other.endswith(ending)]
    if not dot:
        return others
    modules = [other.removesuffix(ending) for other in others]
    named = {*alike(module, modules), *slips(module, _LETTERS)}
    return [
        f"{other}{ending}" for other in modules if other in named or other.startswith(f"{module}_")
    ]


def _alike(name: str, known: Mapping[str, str]) -> list[str]:
    """Lists names that share many letters with this one: for a module's parameter, among that
    module's."""
    module, dot, own = name.rpartition(".")
    if not dot:
        return alike(name, (other for other in known if "." not in other))
    start = len(module) + 1
    names = (other[start:] for other in known if other.startswith(f"{module}."))
    return [f"{module}.{found}" for found in alike(own, names)]
