"""The command line that a kernel really gets, and which of its words it honours.

engine.joining says how built-in and boot line combine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from advisor.engine.joining import lines_of
from advisor.inputs.config import unquote
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.cmdline import parameter_name
from advisor.model.condition import Expr, Truth
from advisor.model.kernel import CommandLine, Layer, Word, count_of
from advisor.model.rules import Parameter, Remark
from advisor.model.saying import said
from advisor.model.subject import Subject
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.engine.cpulists import GivenList

_BACKPORTS = frozenset(("backports",))
RELEASE = frozenset(("release",))
_SHORTEST = 255  # characters, of four bytes at most; no kernel known keeps less than 1,023


class Ruling(NamedTuple):
    """Whether the kernel honours a word, and why not.

    `cause` is built, machine, arch, old, new, refused, void or obsolete; `remark` the rule's own
    words, where they are the cause. A cause beside a truth that is not known is a likely one.
    """

    truth: Truth
    cause: str = ""
    reason: str = ""
    remark: Remark | None = None


HONOURED = Ruling(True)


def _needs(needs: Expr) -> str:
    """What a parameter needs: by its symbols where they are all, else in words."""
    if all(kind == "on" for kind, *_ in condition.atoms(needs)):
        return f"needs {condition.show(needs)}"
    return f"counts only where {said(needs)}"


def room_of(subject: Subject, knowledge: Knowledge) -> int | None:
    """The most bytes of a line that the kernel keeps; None where that is not known."""
    arch, kernel = subject.machine.arch, subject.kernel
    most = None
    for limit in knowledge.limits(arch) if arch else ():
        # They stand from old to new: the last that the kernel has reached is its own.
        if not limit.since or (kernel and kernel.numbers >= numbers(limit.since)):
            value = subject.config.get(limit.symbol) if limit.symbol else None
            most = count_of(value) or limit.bytes
    return most - 1 if most else None


def _cut(lines: list[CommandLine], most: int | None) -> tuple[list[Word], list[Word]]:
    """The words of lines joined by a blank: those the kernel keeps, and those beyond its room."""
    kept: list[Word] = []
    lost: list[Word] = []
    start = 0
    for line in lines:
        if most is None:
            kept += line.words
        else:
            # How many bytes there are up to each of the characters, and in all.
            ends: Sequence[int] = range(len(line.text) + 1)
            if not line.text.isascii():
                sizes = (len(char.encode(errors="replace")) for char in line.text)
                ends = [0, *accumulate(sizes)]
            for word in line.words:
                beyond = start + ends[word.column - 1 + len(word.text)] > most
                (lost if beyond else kept).append(word)
            start += ends[-1] + 1
        if line.init:
            break  # whatever stands behind it is for init as well
    return kept, lost


class BootLine:
    """The words of one kernel's line, judged by the parameter database.

    `words` are those that it keeps, also `by_name`; `lost` are the words beyond its room.
    """

    def __init__(self, subject: Subject, knowledge: Knowledge, world: condition.Facts) -> None:
        lines = lines_of(subject)
        # To measure every word costs more than to see that the whole is short.
        short = sum(len(line.text) for line in lines) < _SHORTEST
        self.room = None if short else room_of(subject, knowledge)
        self.words, self.lost = _cut(lines, self.room)
        self._subject = subject
        self._knowledge = knowledge
        self._world = world
        self._rulings: dict[str, Ruling] = {}
        self._lists: list[GivenList] | None = None
        self.by_name: dict[str, list[Word]] = {}
        for word in self.words:
            self.by_name.setdefault(word.name, []).append(word)

    def honours(self, text: str) -> Ruling:
        """Whether this kernel would honour the word, wherever it stood."""
        if text not in self._rulings:
            self._rulings[text] = HONOURED  # what two words say of each other ends here
            self._rulings[text] = self._judge(text)
        return self._rulings[text]

    @property
    def has_read_lists(self) -> bool:
        """Whether anything asked for the CPU lists so far."""
        return self._lists is not None

    def own(self) -> list[Word]:
        """The words of the boot loader's line, without built-in ones."""
        return [word for word in self.words if word.layer is Layer.BOOT]

    def parameter(self, word: Word) -> Parameter | None:
        """What the rules know of the word's parameter."""
        return self._knowledge.parameter(word.name)

    def guards(self, word: Word) -> bool:
        """Whether the word protects, so that no remedy takes it out."""
        parameter = self.parameter(word)
        if not parameter or not parameter.guards or word.value in parameter.open:
            return False
        if condition.surely(parameter.open_where, self._world):
            return False
        if not parameter.stands_for or not word.value:
            return True
        compiled = unquote(self._subject.config.get(parameter.stands_for) or "")
        return not set(word.value.split(",")).issubset(compiled.split(","))

    def lists(self) -> list[GivenList]:
        """The CPU lists that the kernel would parse, and what becomes of each."""
        if self._lists is None:
            from advisor.engine.cpulists import given_lists

            self._lists = []  # what a list's rules ask of lists ends here
            words = (
                (word, parameter)
                for word in self.words
                if word.value is not None
                and (parameter := self.parameter(word))
                and parameter.type == "cpulist"
                and self.honours(plain(word)).truth is not False
            )
            self._lists = given_lists(words, self._world)
        return self._lists

    def remarks(self, text: str, *kinds: str) -> list[Remark]:
        """What the rules remark on the word in this world, of these kinds."""
        parameter, value = self._parted(text)
        return [
            remark
            for remark in (parameter.remarks if parameter else ())
            if remark.kind in kinds
            and (not remark.values or any(_is(value, known) for known in remark.values))
            and condition.evaluate(remark.when, self._world) is True
        ]

    def _parted(self, text: str) -> tuple[Parameter | None, str]:
        """What the rules know of a word's parameter, and its value as that compares it."""
        name, _, value = text.partition("=")
        parameter = self._knowledge.parameter(name.replace("-", "_"))
        return parameter, value.lower() if parameter and parameter.anycase else value

    def _judge(self, text: str) -> Ruling:
        parameter, value = self._parted(text)
        if parameter is None:
            return HONOURED
        ruling = self._existence(parameter) or self._word(parameter, value)
        if ruling.truth is not False:
            for remark in self.remarks(text, "void"):
                if not remark.still:
                    return Ruling(False, "void", remark.says, remark)
        return ruling

    def _existence(self, parameter: Parameter) -> Ruling | None:
        """A ruling if the parameter as a whole is not (or may not be) honoured."""
        subject, till = self._subject, parameter.obsolete
        if parameter.status and not (till and subject.is_before(numbers(till))):
            return Ruling(False, "obsolete", "has no effect any more")
        arch = self._subject.machine.arch
        if parameter.arch and arch and arch not in parameter.arch:
            return Ruling(
                False, "arch", f"is read on {', '.join(parameter.arch)} only, not on {arch}"
            )
        if parameter.arch and not arch:
            return Ruling(frozenset(("arch",)))
        if parameter.since and subject.is_before(numbers(parameter.since)):
            return self._too_new(parameter)
        if parameter.there and subject.is_before(numbers(parameter.there)):
            return self._between(parameter)
        if parameter.until and subject.is_since(numbers(parameter.until)):
            old = Ruling(False, "old", f"was removed in {parameter.until}")
            return self._built(parameter) if self._carries(parameter) else old
        return self._built(parameter)

    def _too_new(self, parameter: Parameter) -> Ruling | None:
        """A ruling on a parameter that mainline got after this kernel's version."""
        from advisor.engine import backports

        reason = came_with(parameter)
        if self._subject.kernel is None:
            # Its symbols tell about when it was made, not what stable or a vendor gave it.
            return Ruling(frozenset(("kernel",)), "new", reason)
        new, unsure = Ruling(False, "new", reason), Ruling(_BACKPORTS, "new", reason)
        of_stable = backports.stable_takes(parameter, self._knowledge)
        if not backports.may_have_any(self._subject):
            # A mere number stands for all patches of that release.
            given = of_stable and backports.shown(parameter, self._subject, self._knowledge)
            return self._built(parameter) if given else new
        built = self._built(parameter)
        # What is not compiled in is ignored whatever the version, and says so with certainty.
        if built and built.truth is False:
            return built
        if parameter.name not in self.by_name and not of_stable:
            return unsure  # a plan offers what is certain; why it is not need not be looked up
        known = backports.of_parameter(parameter, self._subject, self._knowledge)
        if known is backports.Backport.SHOWN:
            return built
        return new if known is backports.Backport.NONE else unsure

    def _between(self, parameter: Parameter) -> Ruling | None:
        """A ruling on a kernel that may be older or younger than the parameter."""
        from advisor.engine.backports import shown

        built = self._built(parameter)
        if built and built.truth is False:
            return built
        if shown(parameter, self._subject, self._knowledge):
            return built
        return Ruling(RELEASE, "new", came_with(parameter))

    def _carries(self, parameter: Parameter) -> bool:
        """Whether the configuration shows that a removed parameter's code was kept."""
        from advisor.engine.backports import may_have_any, shows

        on_line = parameter.name in self.by_name and may_have_any(self._subject)
        return on_line and shows(parameter.needs, self._subject, self._knowledge)

    def _built(self, parameter: Parameter) -> Ruling | None:
        """A ruling if what the parameter needs is not there, or may not be."""
        built = condition.evaluate(parameter.needs, self._world)
        if built is False:
            arch = self._subject.machine.arch
            if nowhere := self._nowhere(parameter):
                return Ruling(False, "arch", f"needs {nowhere}, which no kernel for {arch} has")
            on_any = condition.given(parameter.needs, ("vendor", "virtual", "hypervisor", "efi"))
            anywhere = condition.evaluate(on_any, self._world)
            cause = "built" if anywhere is False else "machine"
            here = condition.elsewhere(parameter.needs, self._world)
            return Ruling(False, cause, _needs(condition.lacking(here, self._world)))
        if condition.surely(parameter.unless, self._world):
            why = condition.deciding(parameter.unless, self._world)
            reason = f"does nothing where {said(why)}"
            return Ruling(False, "machine", reason)
        return None if built is True else Ruling(built)

    def _nowhere(self, parameter: Parameter) -> str:
        """Of a word on the line, the only symbol that its parameter needs, if no kernel of the
        architecture can have it on; else nothing."""
        if parameter.name not in self.by_name:
            return ""  # why a plan does not offer it need not be looked up
        tag, arch = condition.operator_of(parameter.needs), self._subject.machine.arch
        symbol = condition.term(parameter.needs)[1] if tag == "on" else ""
        never = symbol and self._knowledge.unreachable.never_on(symbol, None, arch)
        return symbol if never else ""

    def _word(self, parameter: Parameter, value: str) -> Ruling:
        if not parameter.words:
            # Of a type, only what surely is no value of it is refused.
            if value and parameter.type == "bool" and truth_of(value) is None:
                return Ruling(False, "refused", "is neither yes nor no (1, y, on; 0, n, off)")
            if value and parameter.type == "int" and not any(map(str.isdigit, value)):
                return Ruling(False, "refused", "is no number")
            return HONOURED
        # Several may match, as a word of the rules may end in *: one that holds is enough.
        for word, when in parameter.words:
            if _is(value, word):
                truth = condition.evaluate(when, self._world)
                if truth is not False:
                    return Ruling(truth)
                if self._may_be_newer(parameter, when):
                    reason = f"is accepted only where {said(when)}"
                    return Ruling(_BACKPORTS, "refused", reason)
        # A list of words (pci=nomsi,noaer) is honoured word by word.
        if (
            parameter.joined
            and "," in value
            and all(self._word(parameter, part).truth is True for part in value.split(","))
        ):
            return HONOURED
        accepted = [
            word or "(no value)"
            for word, when in parameter.words
            if condition.evaluate(when, self._world) is not False
        ]
        known = ", ".join(accepted) or "none in this kernel"
        return Ruling(False, "refused", f"is not accepted here; known words are {known}")

    def _may_be_newer(self, parameter: Parameter, when: Expr) -> bool:
        """Whether a value that is too new by the kernel's version may have been backported."""
        if not any(atom[0] == "fact" and atom[1] == "kernel" for atom in condition.atoms(when)):
            return False
        from advisor.engine.backports import of_value

        return of_value(parameter, when, self._subject, self._world, self._knowledge)

    def counting(self, name: str) -> list[Word]:
        """The words of one parameter that count: the last, the first or all that are honoured."""
        names = self._knowledge.spellings(name)
        if not any(n in self.by_name for n in names):
            return []
        words = [
            w for w in self.words if w.name in names and self.honours(plain(w)).truth is not False
        ]
        parameter = self._knowledge.parameter(name)
        if parameter and parameter.type == "cpulist":
            # Of a list the kernel may go by another one, or by none.
            counted = {given.word: given.counts for given in self.lists()}
            words = [kept for word in words if (kept := counted.get(word, word))]
        duplicates = parameter.duplicates if parameter else "last"
        if parameter and duplicates == "first":
            # A list may count as another word, which stands nowhere on the line.
            return self._first(words, parameter.anew) if parameter.anew else words[:1]
        return words if duplicates in ("flags", "accumulate") else words[-1:]

    def _first(self, words: list[Word], anew: tuple[str, ...]) -> list[Word]:
        """The first of these words, and the first behind each value of the parameters `anew`.

        A size of huge pages that was given a number before is ignored, and with it the number
        behind it (6.12, mm/hugetlb.c#hugepagesz_setup; so since 5.8).
        """
        return [word for word, _ in self.groups(words, anew)]

    def groups(self, words: list[Word], anew: tuple[str, ...]) -> list[tuple[Word, str]]:
        """Those of `words` that count, each with the value of the word of `anew` before it, which
        is empty where none is."""
        from advisor.model.sizes import memparse

        kept: list[tuple[Word, str]] = []
        given: set[object] = set()
        group, waiting = "", True
        for word in self.words:
            if word.name in anew:
                group = word.value or ""
                waiting = memparse(group) not in given
            elif waiting and word in words:
                kept.append((word, group))
                given.add(memparse(group))
                waiting = False
        return kept

    def matching(self, pattern: str) -> list[Word]:
        """The words that count and mean `pattern`: `nohz=off`, `nosmt`, `nohz_full=*`."""
        words = self.counting(parameter_name(pattern))
        if not words:
            return words  # the parameter need not be looked up
        _, kind = self._read_as(pattern)
        return [word for word in words if _means(word, pattern, kind)]

    def meaning(self, pattern: str) -> list[Word]:
        """All words that mean `pattern` and would count if those behind them were not there."""
        return [w for w in self.standing(pattern) if self.honours(plain(w)).truth is not False]

    def standing(self, pattern: str) -> list[Word]:
        """All words that mean `pattern`, also those that others keep from counting."""
        name, kind = self._read_as(pattern)
        names = self._knowledge.spellings(name)
        return [w for n in names for w in self.by_name.get(n, ()) if _means(w, pattern, kind)]

    def _read_as(self, pattern: str) -> tuple[str, str]:
        """The name of a word's parameter, and the type that it is read as."""
        name = parameter_name(pattern)
        parameter = self._knowledge.parameter(name)
        if parameter is None:
            return name, "string"
        # Of words joined by commas (cgroup_disable=rdma,memory) each part means what it says alone.
        if parameter.joined:
            return name, "joined"
        lettered = parameter.anycase and parameter.type in ("enum", "string")
        return name, "anycase" if lettered else parameter.type

    def spell(self, text: str) -> str:
        """The word under the name that this kernel honours (slab_max_order= or slub_max_order=)."""
        name, equals, value = text.partition("=")
        for spelling in self._knowledge.spellings(name):
            word = spelling + equals + value
            if self.honours(word).truth is True:
                return word
        return text


def _is(value: str, known: str) -> bool:
    """Whether a value is one of the rules' words, which may end in `*`."""
    return value == known or (known.endswith("*") and value.startswith(known[:-1]))


def plain(word: Word) -> str:
    """The word without quotes, its name as the kernel compares it."""
    return word.name if word.value is None else f"{word.name}={word.value}"


def _means(word: Word, pattern: str, kind: str) -> bool:
    _, equals, wanted = pattern.partition("=")
    if not equals:
        return word.value is None or kind == "flag"  # whose handler reads no value
    if wanted == "*":
        return word.value is not None
    value = word.value if word.value is not None else ("1" if kind == "bool" else "")
    if kind == "bool":
        return truth_of(value) is not None and truth_of(value) == truth_of(wanted)
    if kind == "int":
        return _number(value) == _number(wanted)
    if kind == "anycase":
        value, wanted = value.lower(), wanted.lower()
    parts = [value, *(value.split(",") if kind == "joined" else ())]
    return any(_is(part, wanted) for part in parts)


def truth_of(text: str) -> bool | None:
    """A boolean word as kstrtobool() reads it, by its first letters; None for anything else."""
    low = text[:2].lower()
    if low[:1] in ("1", "y", "t") or low == "on":
        return True
    return False if low[:1] in ("0", "n", "f") or low == "of" else None


def _number(text: str) -> int | str:
    try:
        return int(text, 0)
    except ValueError:
        return text


def came_with(parameter: Parameter) -> str:
    """Since when kernels have it, behind the word."""
    if not parameter.there:
        return f"exists since {parameter.since} only"
    return f"came with a release from {parameter.since} to {parameter.there}"


def numbers(version: str) -> tuple[int, int, int]:
    """`6.12` as (6, 12, 0)."""
    parts = [int(part) for part in version.split(".")[:3]]
    return parts[0], parts[1] if len(parts) > 1 else 0, parts[2] if len(parts) > 2 else 0
