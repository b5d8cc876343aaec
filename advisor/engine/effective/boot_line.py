"""Which words the kernel honours of its command line (builtin_cmdline.py puts that together)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from advisor.engine.effective import components
from advisor.engine.effective.word_values import is_like, means, plain, truth_of
from advisor.inputs.builtin_cmdline import lines_of
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.condition import Expr, Truth
from advisor.model.kernel import Layer, Word, unquote
from advisor.model.numbers import count_of, release_numbers
from advisor.model.parameter import Parameter, Remark
from advisor.model.rules import Fact
from advisor.model.saying import said
from advisor.model.subject import Subject
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.engine.effective import huge_pages
    from advisor.engine.effective.cpu_lists import GivenList


_BACKPORTS = frozenset(("backports",))
RELEASE = frozenset(("release",))
_SHORTEST = 255  # characters, of four bytes at most; no kernel known keeps less than 1,023


class Ruling(NamedTuple):
    """Whether the kernel honours a word, and why not.

    `cause` is built, machine, arch, old, new, refused, named, void or obsolete; `remark` is the
    rule's remark, if that is the cause. A cause beside a truth that is not known is a likely one.
    """

    truth: Truth
    cause: str = ""
    reason: str = ""
    remark: Remark | None = None


HONOURED = Ruling(True)


def limit_of(knowledge: Knowledge, facts: condition.Facts) -> Fact | None:
    """Return the fact that tells how long a boot line may be: of several that hold the last, which
    is that of the newest kernel."""
    known = reversed(knowledge.facts("boot-line"))
    return next((one for one in known if condition.surely(one.only_if, facts)), None)


def room_of(knowledge: Knowledge, facts: condition.Facts) -> int | None:
    """Return the most bytes of a line that the kernel keeps; None if that is not known."""
    limit = limit_of(knowledge, facts)
    # A symbol tells where a configuration can set it; the closing zero is one of the bytes.
    names = limit.names if limit else ()
    sizes = (count_of(name) or count_of(facts.symbol(name)) for name in names)
    most = next(filter(None, sizes), None)
    return most - 1 if most else None


class PlannedFacts(condition.Facts, Protocol):
    """The facts of a kernel, or of what a plan makes of it."""

    def with_selected(self, needs: Expr) -> Truth:
        """Whether a condition holds, with what the symbols of the plan select."""


class BootLine:
    """The `words` that a kernel keeps of its line, also `by_name`, and those `lost` at its end."""

    def __init__(self, subject: Subject, knowledge: Knowledge, world: PlannedFacts) -> None:
        lines = lines_of(subject)
        # Measuring every word costs more than seeing that the whole is short.
        short = sum(len(line.text) for line in lines) < _SHORTEST
        self.room = None if short else room_of(knowledge, world)
        self.words: list[Word] = []
        self.lost: list[Word] = []
        end = 0  # in bytes
        for line in lines:
            position = 0  # in characters
            for word in line.words:
                behind = word.column - 1 + len(word.text)
                end += len(line.text[position:behind].encode(errors="replace"))
                position = behind
                beyond = self.room is not None and end > self.room
                (self.lost if beyond else self.words).append(word)
            end += len(line.text[position:].encode(errors="replace")) + 1
            if line.init:
                break  # all words behind it are for init as well
        self._subject = subject
        self._knowledge = knowledge
        self._world = world
        self._rulings: dict[str, Ruling] = {}
        self._lists: list[GivenList] | None = None
        self.by_name: dict[str, list[Word]] = {}
        for word in self.words:
            self.by_name.setdefault(word.name, []).append(word)

    def honours(self, text: str) -> Ruling:
        """Judge whether this kernel would honour the word, wherever it stood."""
        if text not in self._rulings:
            # It ends the recursion of words whose rules name each other.
            self._rulings[text] = HONOURED
            self._rulings[text] = self._judge(text)
        return self._rulings[text]

    def ruling(self, word: Word) -> Ruling:
        """Judge whether this kernel honours the word."""
        return self.honours(plain(word))

    def may_count(self, word: Word) -> bool:
        """Return whether the kernel honours the word, or may do so."""
        return self.ruling(word).truth is not False

    @property
    def has_read_lists(self) -> bool:
        """Return whether `lists` was called before."""
        return self._lists is not None

    def own(self) -> list[Word]:
        """Return the words of the boot loader's line, without built-in ones."""
        return [word for word in self.words if word.layer is Layer.BOOT]

    def parameter(self, word: Word) -> Parameter | None:
        """Return the parameter of the word, if the rules have it."""
        return self._knowledge.parameter(word.name)

    def guards(self, word: Word) -> bool:
        """Return whether the word protects, so that no remedy takes it out."""
        parameter = self.parameter(word)
        if not parameter or not parameter.guards:
            return False
        if condition.evaluate(parameter.guards_if, self._world) is False:
            return False
        symbol = self._knowledge.list_of(parameter.name)
        if not symbol or not word.value:
            return True
        compiled = unquote(self._subject.config.get(symbol) or "")
        return not set(word.value.split(",")).issubset(compiled.split(","))

    def lists(self) -> list[GivenList]:
        """Return the CPU lists that the kernel would parse, and what becomes of each."""
        if self._lists is None:
            from advisor.engine.effective.cpu_lists import given_lists

            self._lists = []  # ends the recursion of lists whose rules name lists
            words = (
                (word, parameter)
                for word in self.words
                if word.value is not None and (parameter := self.parameter(word))
                if parameter.type == "cpulist" and self.may_count(word)
            )
            self._lists = [
                one._replace(sure=self.ruling(one.word).truth is True)
                for one in given_lists(words, self._world)
            ]
        return self._lists

    def remarks(self, text: str, *kinds: str) -> list[Remark]:
        """Return the remarks of these kinds that the rules have on the word in this kernel."""
        parameter, value = self._parted(text)
        return [
            remark
            for remark in (parameter.remarks if parameter else ())
            if remark.kind in kinds
            and (not remark.values or any(is_like(value, known) for known in remark.values))
            and condition.evaluate(remark.only_if, self._world) is True
        ]

    def _parted(self, text: str) -> tuple[Parameter | None, str]:
        """Return the parameter of a word, and the value as the parameter compares it."""
        name, _, value = text.partition("=")
        parameter = self._knowledge.parameter(name.replace("-", "_"))
        return parameter, value.lower() if parameter and parameter.anycase else value

    def _judge(self, text: str) -> Ruling:
        parameter, value = self._parted(text)
        if parameter is None:
            return HONOURED
        ruling = self._existence(parameter)
        if ruling is None or (ruling.truth is not False and not ruling.cause):
            # Whoever the kernel is for, it takes no value that it refuses.
            word = self._word(parameter, value)
            ruling = word if ruling is None or word.truth is False else ruling
        if ruling.truth is True:
            known, world = self._knowledge, self._world
            truth = components.takes("boot", parameter.name, value, known, world)
            if truth is not True:
                return Ruling(
                    truth, "" if truth else "named", "names a component that is not in this kernel"
                )
        if ruling.truth is not False:
            for remark in self.remarks(text, "void"):
                if not remark.still:
                    return Ruling(False, "void", remark.says, remark)
        return ruling

    def _existence(self, parameter: Parameter) -> Ruling | None:
        """Return a ruling if the kernel does not, or may not, honour the parameter at all."""
        subject = self._subject
        if parameter.obsolete and not subject.is_before(release_numbers(parameter.obsolete)):
            return Ruling(False, "obsolete", "has no effect any more")
        arch = subject.machine.arch
        if parameter.arch and arch not in parameter.arch:
            reason = f"is read on {', '.join(parameter.arch)} only, not on {arch}"
            return Ruling(False, "arch", reason) if arch else Ruling(frozenset(("arch",)))
        if parameter.since and subject.is_before(release_numbers(parameter.since)):
            return self._newer(parameter, surely=True)
        if parameter.there and subject.is_before(release_numbers(parameter.there)):
            return self._newer(parameter, surely=False)
        if parameter.until and subject.is_since(release_numbers(parameter.until)):
            from advisor.engine.effective import backports

            # The configuration may show that the code of a removed parameter was kept.
            on_line = parameter.name in self.by_name and backports.may_have_any(subject)
            if not (on_line and backports.shows(parameter.only_if, subject, self._knowledge)):
                return Ruling(False, "old", f"was removed in Linux {parameter.until}")
        return self._built(parameter)

    def _newer(self, parameter: Parameter, *, surely: bool) -> Ruling | None:
        """Return the ruling on a parameter that is surely newer than the kernel, or may be."""
        from advisor.engine.effective import backports

        subject, knowledge = self._subject, self._knowledge
        reason = f"exists only since Linux {parameter.since}"
        if parameter.there:
            reason = f"was added in one of the releases {parameter.since} to {parameter.there}"
        new = Ruling(False, "new", reason)
        if surely and subject.kernel is None:
            # Its symbols show about when it was made, not what stable or a vendor gave it.
            return new._replace(truth=frozenset(("kernel",)))
        of_stable = backports.stable_takes(parameter, knowledge)
        # A mere number stands for all patches of that release.
        is_release = surely and not backports.may_have_any(subject)
        if is_release and not of_stable:
            return new
        built = self._built(parameter)
        # A parameter that is not compiled in is surely ignored, whatever the version.
        if not is_release and built and built.truth is False:
            return built
        given = is_release or not surely or of_stable or parameter.name in self.by_name
        if given and backports.shown(parameter, subject, knowledge):
            return built
        if is_release:
            return new
        # A plan offers only what is certain: why a word is not need not be looked up.
        known = backports.of_parameter(parameter, subject, knowledge) if surely and given else None
        if known is backports.Backport.NONE:
            return new
        return new._replace(truth=_BACKPORTS if surely else RELEASE)

    def _built(self, parameter: Parameter) -> Ruling | None:
        """Return a ruling if what the parameter needs is not there, or may not be."""
        built = self._world.with_selected(parameter.only_if)
        if built is False:
            arch = self._subject.machine.arch
            # Why a plan does not offer a parameter need not be looked up.
            given = parameter.name in self.by_name
            alone = given and condition.operator_of(parameter.only_if) == "on"
            symbol = condition.term(parameter.only_if)[1] if alone else ""
            if symbol and self._knowledge.unreachable.never_on(symbol, None, arch):
                return Ruling(False, "arch", f"needs {symbol}, which no kernel for {arch} has")
            on_any = condition.given(parameter.only_if, ("vendor", "virtual", "hypervisor", "efi"))
            anywhere = condition.evaluate(on_any, self._world)
            cause = "built" if anywhere is False else "machine"
            here = condition.elsewhere(parameter.only_if, self._world)
            lacking = condition.lacking(here, self._world)
            # By its symbols if these are all that it lacks, else in words.
            symbols = all(kind == "on" for kind, *_ in condition.atoms(lacking))
            text = condition.show(lacking) if symbols else said(lacking)
            return Ruling(False, cause, f"{'needs' if symbols else 'has an effect only if'} {text}")
        if condition.surely(parameter.unless, self._world):
            why = said(condition.deciding(parameter.unless, self._world))
            return Ruling(False, "machine", f"has no effect if {why}")
        return None if built is True else Ruling(built)

    def takes(self, text: str, parameter: Parameter) -> bool:
        """Return whether a kernel with all that the parameter needs may take the word's value."""
        return self._word(parameter, self._parted(text)[1]).truth is not False

    def _word(self, parameter: Parameter, value: str) -> Ruling:
        """Judge the value by the words that the parameter accepts, or by its type."""
        if not parameter.words:
            # Only what surely is no value of the type is refused.
            if value and parameter.type == "bool" and truth_of(value) is None:
                return Ruling(False, "refused", "is not a boolean value (1, y, on; 0, n, off)")
            if value and parameter.type in ("int", "truth") and not any(map(str.isdigit, value)):
                return Ruling(False, "refused", "is no number")
            return HONOURED
        # Several may match, as a word of the rules may end in *: one that holds is enough.
        for word, when in parameter.words:
            if is_like(value, word):
                truth = condition.evaluate(when, self._world)
                if truth is not False:
                    return Ruling(truth)
                if any([*atom[:2]] == ["fact", "kernel"] for atom in condition.atoms(when)):
                    from advisor.engine.effective.backports import of_value

                    # The value is too new for the kernel, and may have been backported.
                    if of_value(parameter, when, self._subject, self._world, self._knowledge):
                        reason = f"is accepted only if {said(when)}"
                        return Ruling(_BACKPORTS, "refused", reason)
        # A list of words (pci=nomsi,noaer) is honoured word by word.
        parts = value.split(",") if parameter.joined else []
        if len(parts) > 1 and all(self._word(parameter, part).truth is True for part in parts):
            return HONOURED
        accepted = [
            word or "(no value)"
            for word, when in parameter.words
            if condition.evaluate(when, self._world) is not False
        ]
        known = (
            f"known values are {', '.join(accepted)}" if accepted else "no accepted value is known"
        )
        return Ruling(False, "refused", f"is not accepted by this kernel; {known}")

    def counting(self, name: str) -> list[Word]:
        """Return the words of one parameter that count: the last, the first or all honoured."""
        names = self._knowledge.spellings(name)
        if not any(n in self.by_name for n in names):
            return []
        words = [word for word in self.words if word.name in names and self.may_count(word)]
        parameter = self._knowledge.parameter(name)
        if parameter and parameter.type == "cpulist":
            # The kernel may go by another list, which stands nowhere on the line, or by none.
            counted = {given.word: given.counts for given in self.lists()}
            words = [kept for word in words if (kept := counted.get(word, word))]
        duplicates = parameter.duplicates if parameter else "last"
        if duplicates == "sized":
            return [pool.counted for pool in self.huge_pages(words).pools if pool.counted]
        if duplicates == "first":
            return words[:1]
        if duplicates == "reserving":
            from advisor.engine.effective import crash_memory

            return crash_memory.reserving(words, self._subject)
        if duplicates == "parts" and self.vectors is not None:
            from advisor.engine.effective import attack_vectors

            return attack_vectors.together(words, has_vectors=self.vectors)
        return words if duplicates in ("flags", "accumulate") else words[-1:]

    @property
    def vectors(self) -> bool | None:
        """Return whether this kernel can leave single attack vectors open, as x86 alone can; None
        if it does not read mitigations= part by part."""
        return self._subject.machine.arch == "x86" if self._subject.is_since((6, 17, 0)) else None

    def huge_pages(self, counts: Sequence[Word]) -> huge_pages.Asked:
        """Return what the line's words about huge pages come to, with these numbers alone."""
        from advisor.engine.effective import huge_pages

        words = (word for word in self.words if word.name != "hugepages" or word in counts)
        return huge_pages.asked_by(words, self._knowledge, self._world, self._subject.kernel)

    def matching(self, pattern: str) -> list[Word]:
        """Return the words that count and mean `pattern`: `nohz=off`, `nosmt`, `nohz_full=*`."""
        return self._meaning(self.counting(parameter_name(pattern)), pattern)

    def meaning(self, pattern: str) -> list[Word]:
        """Return all words that mean `pattern` and would count without the words behind them."""
        names = self._knowledge.spellings(parameter_name(pattern))
        words = [word for name in names for word in self.by_name.get(name, ())]
        return [word for word in self._meaning(words, pattern) if self.may_count(word)]

    def _meaning(self, words: list[Word], pattern: str) -> list[Word]:
        """Return those of one parameter's words that mean `pattern`."""
        if not words:
            return words  # the parameter need not be looked up
        parameter = self._knowledge.parameter(parameter_name(pattern))
        flag = pattern.partition("=")[2]
        if parameter and parameter.list and flag in dict(parameter.list.flags):
            return [g.counts for g in self.lists() if g.counts in words and flag in g.purposes]
        return [word for word in words if means(word, pattern, parameter)]

    def spell(self, text: str) -> str:
        """Return the word under the name that this kernel honours (slab_max_order=)."""
        name, equals, value = text.partition("=")
        words = (spelling + equals + value for spelling in self._knowledge.spellings(name))
        return next((word for word in words if self.honours(word).truth is True), text)
