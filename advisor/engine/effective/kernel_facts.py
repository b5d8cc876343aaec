"""The facts of one subject: its symbols, words and settings, and what its machine and kernel are.

The World (world.py) adds the states of tunables, for which conditions may ask as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from advisor.engine.effective import run_time
from advisor.engine.effective.boot_line import BootLine
from advisor.engine.effective.reachable import never_on, reachable
from advisor.engine.effective.word_values import plain
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.condition import Expr, Fact, Facts, Truth
from advisor.model.kernel import Layer, Location, Word, assignment
from advisor.model.numbers import release_numbers, whole_number
from advisor.model.rules import Name
from advisor.model.state import LACK, Origin, State
from advisor.model.subject import Subject
from advisor.model.sysctl import FOLDER, key_of
from advisor.model.tunable import Member, Tunable

if TYPE_CHECKING:
    from advisor.engine.effective.overlay import Supposed
    from advisor.knowledge.catalogue import SymbolTraits

_NOTHING: frozenset[str] = frozenset()
# What would tell whether a word stands in a part of the line that nobody showed.
_ELSEWHERE = frozenset(("boot",))
_ENDLESS = 1 << 20  # no kernel has a higher number
# Fewer modules are there by a default alone, as VIRTIO_MEM in 5.10 (drivers/virtio/Kconfig).
_FEW = 3
_MANY = 1000
Self = TypeVar("Self", bound="KernelFacts")


class KernelFacts(Facts):
    """One subject, asked for facts.

    `opened` are the symbols that a plan switches on: what Kconfig gives others beside them counts.
    """

    def __init__(
        self, subject: Subject, knowledge: Knowledge, opened: frozenset[str] = frozenset()
    ) -> None:
        self.subject = subject
        self.opened = opened
        self.knowledge = knowledge
        self.config = reachable(subject, knowledge)
        self._elsewhere: dict[str, bool] = {}
        self._symbols: dict[str, str | None] = {}
        self._bringing: set[str] = set()
        self._decided: dict[str, str] | None = None
        self._few_modules: bool | None = None
        self._supposed: dict[tuple[object, ...], KernelFacts] = {}
        self.told_settings: Mapping[str, tuple[str, Origin]] | None = None
        self._written: Mapping[str, tuple[str, Origin]] | None = None
        self.files = run_time.Files(subject.sysfs, subject.lacking, subject.closed)
        self.line = BootLine(subject, knowledge, self)

    def after(self: Self, subject: Subject, opened: frozenset[str] | None = None) -> Self:
        """The world of this kernel changed, with what else a plan switches on."""
        world = type(self)(subject, self.knowledge, self.opened if opened is None else opened)
        if subject.sysctl is self.subject.sysctl:  # of many interfaces there are many lines
            world._written = self._written
        return world

    def supposing(self, config: Supposed) -> KernelFacts:
        """The world of this kernel with what its configuration leaves open."""
        if config.key not in self._supposed:
            self._supposed[config.key] = self.after(self.subject._replace(config=config))
        return self._supposed[config.key]

    @abstractmethod
    def value(self, name: str) -> State | None:
        """The state of a tunable, without the lines that decide it."""

    def takes_modules(self) -> bool:
        """Whether what may be a module can be one here, and is likely to reach the machine as one.

        A whole configuration of many lines in which hardly anything is a module is of a kernel that
        is started by itself, without /lib/modules.
        """
        if self.symbol("MODULES") == "n":
            return False
        if self._few_modules is None:
            config = self.subject.config
            modules = islice((name for name in config.symbols() if config.get(name) == "m"), _FEW)
            few = config.complete and len(tuple(modules)) < _FEW
            self._few_modules = few and sum(1 for _ in config.symbols()) >= _MANY
        return not self._few_modules

    def symbol(self, name: str) -> str | None:
        """A symbol's value, strings without quotes, under any of its names; `n` if absent."""
        if name in self._symbols:
            return self._symbols[name]
        value = self._symbol(name)
        # What two symbols bring each other is known only once both were asked.
        if value is not None or not self._bringing:
            self._symbols[name] = value
        return value

    def _symbol(self, name: str) -> str | None:
        get = self.config.get
        value = get(named) if (named := self._named(name)) else None
        if value is not None:
            if value == "y" and self._displaced(name):
                return "n"
            return value[1:-1] if value.startswith('"') else value
        if self.config.complete:
            return self._left_out(name)[1] or "n" if self.opened else "n"
        # A fragment that takes another member of a choice decides about this one as well.
        chosen = any(get(other) == "y" for other in self.knowledge.siblings(name))
        if chosen or self._absent(name):
            return "n"
        return self._left_out(name)[1] or ("y" if self._brought_by(name) else None)

    def _brought_by(self, name: str) -> list[str]:
        """Which symbols that are on have this one on in a fragment, as Kconfig's `select` does:
        itself where the architecture always has it."""
        if self.subject.tree or self.config.complete or name in self._bringing:
            return []
        self._bringing.add(name)
        kernel, arch = self.subject.kernel, self.subject.machine.arch
        # What the architecture always has brings itself; beside a module it may be one as well.
        known = self.knowledge.brought.by(name, kernel, arch)
        found = [by for by in known if by == name or self.symbol(by) == "y"]
        self._bringing.remove(name)
        return found

    def with_selected(self, needs: Expr) -> Truth:
        """Whether a condition holds, with the symbols that those of a plan select: a whole
        configuration has no line of these yet."""
        truth = self.evaluate(needs)
        if truth is not False or not self.opened or self.subject.tree or not self.config.complete:
            return truth
        by, told = self.knowledge.brought.by, (self.subject.kernel, self.subject.machine.arch)
        absent = (name for name in condition.symbols(needs) if self.config.get(name) is None)
        selected = [name for name in absent if not self.opened.isdisjoint(by(name, *told))]
        if not selected:
            return False
        from advisor.engine.effective.overlay import Overlay

        config = Overlay(self.config, dict.fromkeys(selected, "y"))
        return self.after(self.subject._replace(config=config)).evaluate(needs)

    def _left_out(self, name: str) -> tuple[str, str | None]:
        """What Kconfig gives a symbol that a fragment leaves out beside another that it sets, or a
        plan that switches that on, after that other symbol; no value where it is not known."""
        get, given = self.config.get, self.knowledge.unnamed(name)
        # A line about another member of its choice says that the default of that does not count.
        siblings = self.knowledge.siblings(name) if given else ()
        if not given or any(get(one) == "y" or self.config.shows(one) for one in siblings):
            return "", None
        # Of a whole configuration, only what is switched on has no line of it yet.
        for of, then in given.items():
            counts = of in self.opened or not self.config.complete
            if counts and get(of) in ("y", "m") and self.evaluate(then.only_if) is True:
                return of, then.value
        return "", None

    def _displaced(self, name: str) -> bool:
        """Whether a later line takes another member of the choice, as Kconfig reads a file."""
        taken = [one for one in self.knowledge.siblings(name) if self.config.get(one) == "y"]
        if len(taken) > 1:  # of which one may be in a later kernel's choice only
            taken = [one for one in taken if one == name or not self._comes_later(one)]
        return len(taken) > 1 and name != max(
            taken, key=lambda one: self.config.entry(one).location.line
        )

    def _comes_later(self, name: str) -> bool:
        """Whether this kernel surely has no such symbol of the mainline, told or by its symbols."""
        before, seen = self.subject.inferred.before, self.knowledge.catalogue.seen(name)
        if self.subject.kernel or before is None or seen is None:
            return self._absent(name)
        first = self.knowledge.catalogue.kernels[seen.spans()[0][0]].version
        return first.numbers >= before.numbers

    def _absent(self, name: str) -> bool:
        """Whether this kernel surely has no such symbol, which a fragment need not say."""
        if name not in self._elsewhere:
            from advisor.knowledge.existence import surely_absent

            catalogue, subject = self.knowledge.catalogue, self.subject
            told = subject.kernel, subject.machine.arch

            # What only a patch brings is there where it is named.
            self._elsewhere[name] = self.is_patched(name) or all(
                surely_absent(one, catalogue, *told)
                or self.never_on(one)
                or (one != name and not catalogue.seen(one))
                for one in (name, *self.knowledge.aliases(name))
            )
        return self._elsewhere[name]

    def never_on(self, name: str) -> bool:
        """Whether nothing can switch the symbol on in a kernel of this version and architecture."""
        return never_on(name, self.subject, self.knowledge)

    def is_elsewhere(self, name: str) -> bool:
        """Whether the symbol is in other kernels and in none that was read around this one, or off
        in all of these, so that at most a patch can have brought it here."""
        if self.never_on(name):
            return True
        if self.subject.kernel is None:
            return self._absent(name)
        catalogue, arch = self.knowledge.catalogue, self.subject.machine.arch
        seen, around = catalogue.seen(name), catalogue.around(self.subject.kernel, arch)
        if seen is None or not around:
            return False
        return not any(seen.kernels(arch) >> n & 1 for n in around)

    def other_releases(self, name: str) -> str:
        """When a symbol of a rule came or went, if that is not in this kernel's release, told or by
        its symbols; else nothing, also where that is not known."""
        subject, (before, after) = self.subject, self.knowledge.releases(name)
        oldest = subject.kernel or subject.inferred.after
        newest = subject.kernel or subject.inferred.before
        if before and newest and [*newest.numbers[:2]] <= before:
            return f"it was added after Linux {before[0]}.{before[1]}"
        if after and oldest and [*oldest.numbers[:2]] >= after:
            return f"it no longer exists in Linux {after[0]}.{after[1]} and later"
        return ""

    def decided_by(self, tunable: str) -> str:
        """The symbol of a patch that decides the tunable in its own way, where it is on."""
        if self._decided is None:
            self._decided = {
                name: symbol
                for patch, decides in self.knowledge.patches()
                if self.config.get(patch) == "y"
                for name, symbol in decides.items()
                if self.config.get(symbol) == "y"
            }
        return self._decided.get(tunable, "")

    def is_derived(self, name: str) -> bool:
        """Whether the symbol has no prompt in any kernel that was read around this one: what else
        is set decides it, and a line for it does nothing."""
        return self.knowledge.may_lack_prompt(name) and self.lacks_prompt(name)

    def lacks_prompt(self, name: str) -> bool:
        """The same of any symbol, for which the catalogue is read."""
        traits = self.traits(name) or ()
        return bool(traits) and not any(trait.prompt or trait.old for trait in traits)

    def traits(self, name: str) -> list[SymbolTraits] | None:
        """The definitions of a symbol in the kernels that were read around this one; None if none
        that was read has it, or the kernel is not known."""
        kernel, arch = self.subject.kernel, self.subject.machine.arch
        seen = self.knowledge.catalogue.seen(name) if kernel else None
        return seen.traits_around(kernel, arch) if seen and kernel else None

    def is_settled(self, name: str) -> bool:
        """Whether this architecture has the symbol unasked, as others ask for it: SMP on arm64."""
        if not self.is_derived(name) or self.subject.kernel is None:
            return False
        seen = self.knowledge.catalogue.seen(name)
        return bool(seen and any(one.prompt for one in seen.traits_around(self.subject.kernel)))

    def is_patched(self, name: str) -> bool:
        """Whether a patch brings the symbol, as the rules know, and mainline never had it."""
        known = self.knowledge.name(name)
        return known is not None and known.kind == "out-of-tree"

    def present(self, name: str) -> bool | None:
        """Whether the configuration names the symbol."""
        named = self.config.shows(self.spelled(name))
        return named or (False if self.config.complete or self._absent(name) else None)

    def spelled(self, name: str) -> str:
        """The name under which this configuration or tree has the symbol, else the name itself."""
        if named := self._named(name):
            return named
        aliases = self.knowledge.aliases(name)
        tree, kernel = self.subject.tree, self.subject.kernel
        if tree:
            # Where no line has it under any name, the tree says which of them a new line needs.
            return next(filter(tree.defines, (name, *aliases)), name) if aliases else name
        for alias in aliases if kernel else ():  # by the kernel's version
            rename = self.knowledge.rename(alias)
            if (
                kernel
                and rename
                and rename.new == name
                and kernel.numbers < release_numbers(rename.since)
            ):
                return alias
        return name

    def _named(self, name: str) -> str:
        """The name under which a line says something of the symbol; empty if none does."""
        get = self.config.get
        if get(name) is not None and not self._idle(name, name):
            return name
        for one in self.knowledge.aliases(name):
            if get(one) is not None and not self._idle(one, name):
                return one
        return ""

    def _idle(self, name: str, asked: str) -> bool:
        """Whether a fragment's line is under a name that its kernel no longer reads.

        Of a whole configuration each line counts: its own kernel wrote it. Where the version was
        not told, a name that only patches ever had does not stand for the one of the mainline.
        """
        rename = None if self.config.complete else self.knowledge.rename(name)
        if rename is None:
            return False
        if kernel := self.subject.kernel:
            return kernel.numbers >= release_numbers(rename.since)
        return name != asked and self.is_patched(name)

    def fact(self, name: str) -> Fact:
        """A fact of kernel or machine; the versions between which a kernel is whose own was not
        told."""
        if name == "kernel":
            _, after, before, _ = self.subject.inferred
            if self.subject.kernel or (after is None and before is None):
                return self.subject.kernel.numbers if self.subject.kernel else None
            return after.numbers if after else (0,), before.numbers if before else (_ENDLESS,)
        value: str | int | None = getattr(self.subject.machine, name)
        if name == "hypervisor" and value is None and self.subject.machine.virtual == "no":
            return "none"
        if name == "cpus" and isinstance(value, int) and "nr_cpus" in self.line.by_name:
            # What the line lowers the number to is what there can be.
            given = [word.value or "" for word in self.line.counting("nr_cpus")]
            least = [whole_number(text, longest=7) for text in given]
            return min(value, *filter(None, least), value)
        limits = name == "memory" and any(one in self.line.by_name for one in ("mem", "memmap"))
        if limits and isinstance(value, int):
            from advisor.engine.effective.memory_map import left

            words = (self.line.counting("mem"), self.line.counting("memmap"))
            return min(value, left(value, *words, is_x86=self.subject.machine.arch == "x86"))
        return value

    def boot(self, word: str) -> Truth:
        """Whether the word counts on the command line; of a part of one it may stand elsewhere.

        Of one that the kernel may not read it is open: what it needs may not be built, or it is too
        new by the version and may have been backported.
        """
        if words := self.line.matching(word):
            rulings = [self.line.honours(plain(one)) for one in words]
            if any(one.truth is True for one in rulings):
                return True
            return _NOTHING.union(*(condition.unknowns(one.truth) for one in rulings))
        line = self.subject.cmdline
        if line is not None and (line.part or line.name.endswith("/proc/cmdline")):
            return _ELSEWHERE if line.part else False
        return _ELSEWHERE if self.is_added(word) else False

    def is_added(self, word: str) -> bool:
        """Whether the machine's firmware adds the word to the line, which no file has."""
        return condition.surely(self.knowledge.fact("firmware-word", word).only_if, self)

    def shown(self, path: str, form: str) -> bool:
        """Whether a file of the running kernel shows that; of several, whether all do. What is set
        at run time a sysctl's file shows."""
        if path.startswith(FOLDER):
            told = self.settings().get(key_of(path))
            return told is not None and told[0] == form
        return self.files.show(path, form)

    def evaluate(self, expr: Expr) -> Truth:
        """The truth of a condition in this world."""
        return condition.evaluate(expr, self)

    def members(self, tunable: Tunable) -> Iterator[Member]:
        """The members of a group that are something to this machine."""
        for member in tunable.members:
            kept = any(map(self.line.matching, member.kept))
            if not kept and not condition.surely(member.unless, self):
                yield member

    def origin(self, symbol: str) -> Origin:
        """The line about a symbol, as this configuration spells it, or that there is none."""
        value = self.config.get(symbol)
        text = f"{LACK} CONFIG_{symbol}" if value is None else assignment(symbol, value)
        return Origin(Layer.COMPILED, text, self.config.place(symbol))

    def settings(self) -> Mapping[str, tuple[str, Origin]]:
        """What is set at run time: by `sysctl.*` words, and over these by what the user told; of
        numbers with a text behind them the numbers, which is what the kernel reads.

        Such words are read since 5.8, before init starts (fs/proc/proc_sysctl.c).
        """
        if self.told_settings is None:
            if self._written is None:
                self._written = {
                    key: (self.read_of(key, text), Origin(Layer.RUNTIME, f"{key}={text}", place))
                    for key, (text, place) in self.subject.sysctl.items()
                }
            by_words = {
                (key := word.name[7:].replace("/", ".")): (
                    self.read_of(key, word.value or ""), self.word_origin(word)
                )
                for word in self.line.words
                if word.name.startswith("sysctl.") and self.line.honours(plain(word)).truth
            }  # fmt: skip
            self.told_settings = {**by_words, **self._written}
        return self.told_settings

    def read_of(self, key: str, text: str) -> str:
        """What the kernel reads of what is written into a sysctl; see `SysctlCatalogue.read_of`."""
        first, *behind = [part.lstrip("-")[:1].isdigit() for part in text.split()] or [False]
        if not first or all(behind):
            return text
        return self.knowledge.sysctl_catalogue.read_of(key, text)

    def refuses(self, key: str, text: str) -> str:
        """Why no kernel that was read takes the text for the sysctl, or why this one, whose range
        is in its configuration, does not; empty if it does."""
        from advisor.knowledge.sysctlcatalogue import refuses

        if why := self.knowledge.sysctl_catalogue.refuses(key, text):
            return why
        fact = self.knowledge.fact("sysctl-range", key)
        ends = [self.symbol(name) or "" for name in fact.names]
        told = ends and all(whole_number(end) is not None for end in ends)
        if not told or self.evaluate(fact.only_if) is False:
            return ""
        return refuses(f"i:{'..'.join(ends)}", text)

    def told_by(self, symbol: str) -> list[str]:
        """The symbols whose lines tell of this one: under the name that the configuration has for
        it, or the others that a fragment sets and each of which switches it on."""
        if (self.opened or not self.config.complete) and not self._named(symbol):
            of, value = self._left_out(symbol)
            if value == "y":
                return [of]
            by = self._brought_by(symbol) if value is None else []
            if by and symbol not in by:
                return [*dict.fromkeys(chain.from_iterable(map(self.told_by, by)))]
        return [self.spelled(symbol)]

    def which_line(self, pattern: str) -> str:
        """In words, which line has a word that means the pattern: the built-in one or, as where
        none has it, the boot line."""
        layers = {word.layer for word in self.line.meaning(pattern)}
        return Layer.BUILT_IN.value if layers == {Layer.BUILT_IN} else Layer.BOOT.value

    def word_origin(self, word: Word) -> Origin:
        """A word of the command line as what makes something so."""
        return Origin(word.layer, word.text, self.place(word))

    def place(self, word: Word) -> Location:
        """Where a word of the command line stands."""
        if word.layer is Layer.BUILT_IN:
            return self.config.entry("CMDLINE").location
        line = self.subject.cmdline
        return line.place(word.column) if line else Location("", 1, word.column)

    def lacks(self, name: Name) -> bool:
        """Whether this kernel is one of those that have no longer what goes by that name, or never
        had it."""
        return self.evaluate(name.only_if) is not False

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """Possible values of a tunable; none where it does not exist here."""
        state = self.value(tunable)
        return (state.effective, state.missing) if state else ((), _NOTHING)
