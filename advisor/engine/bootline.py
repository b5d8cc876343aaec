"""The command line that a kernel really gets, and which of its words it honours.

How built-in and boot line combine, read in 6.12: arch/x86/kernel/setup.c (built-in first),
drivers/of/fdt.c early_init_dt_scan_chosen() (CMDLINE_EXTEND behind, CMDLINE_FORCE alone, else
only where the boot loader passes nothing).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor import condition
from advisor.inputs.cmdline import parse_cmdline
from advisor.knowledge.store import Knowledge
from advisor.model import Expr, Layer, Parameter, Remark, Subject, Truth, Word

if TYPE_CHECKING:
    from typing import NamedTuple

    from advisor.engine.cpulists import GivenList
else:
    from advisor.record import NamedTuple

_TRUE = ("1", "y", "yes", "on", "true", "t")
_FALSE = ("0", "n", "no", "off", "false", "f")


class Ruling(NamedTuple):
    """Whether the kernel honours a word, and why not.

    `cause` is built, machine, arch, old, new, refused, void or obsolete; `remark` the rule's own
    words, where they are the cause.
    """

    truth: Truth
    cause: str = ""
    reason: str = ""
    remark: Remark | None = None


HONOURED = Ruling(True)


def built_in(subject: Subject) -> tuple[Word, ...]:
    """The words of CONFIG_CMDLINE, if this kernel has one."""
    text = subject.config.get("CMDLINE")
    if not text or len(text) < 3 or not _may_count(subject):
        return ()
    line = parse_cmdline(text[1:-1].replace('\\"', '"'), "CONFIG_CMDLINE", Layer.BUILT_IN)
    return line.words


def without(value: str, words: set[str]) -> str:
    """The quoted value of CONFIG_CMDLINE without these words."""
    line = parse_cmdline(value[1:-1].replace('\\"', '"'))
    kept = " ".join(word.text for word in line.words if word.text not in words)
    escaped = kept.replace('"', '\\"')
    return f'"{escaped}"'


def _may_count(subject: Subject) -> bool:
    # x86, arm and powerpc have a switch beside the string; the others take any that is not empty.
    return subject.config.get("CMDLINE_BOOL") != "n" and (
        subject.machine.arch != "x86" or subject.config.get("CMDLINE_BOOL") == "y"
    )


def effective_words(subject: Subject) -> tuple[Word, ...]:
    """All words the kernel gets, in the order in which it reads them."""
    own = built_in(subject)
    given = subject.cmdline.words if subject.cmdline else ()
    get = subject.config.get
    if not own:
        return given
    if "y" in (get("CMDLINE_OVERRIDE"), get("CMDLINE_FORCE")):
        return own
    if get("CMDLINE_EXTEND") == "y":
        return given + own
    if subject.machine.arch == "x86":
        return own + given
    return given or own


class BootLine:
    """The words of one kernel's line, judged by the parameter database."""

    def __init__(self, subject: Subject, knowledge: Knowledge, world: condition.World) -> None:
        self.words = effective_words(subject)
        self._subject = subject
        self._knowledge = knowledge
        self._world = world
        self._rulings: dict[str, Ruling] = {}
        self._lists: list[GivenList] | None = None
        self._by_name: dict[str, list[Word]] = {}
        for word in self.words:
            self._by_name.setdefault(word.name, []).append(word)

    def honours(self, text: str) -> Ruling:
        """Whether this kernel would honour the word, wherever it stood."""
        found = self._rulings.get(text)
        if found is None:
            self._rulings[text] = HONOURED  # what two words say of each other ends here
            found = self._rulings[text] = self._judge(text)
        return found

    def parameter(self, word: Word) -> Parameter | None:
        """What the rules know of the word's parameter."""
        return self._knowledge.parameter(word.name)

    def lists(self) -> list[GivenList]:
        """The CPU lists that the kernel would parse, and what becomes of each."""
        if self._lists is None:
            from advisor.engine.cpulists import given_lists

            self._lists = []  # what a list's rules ask of lists ends here
            self._lists = given_lists(self, self._world)
        return self._lists

    def remarks(self, text: str, *kinds: str) -> list[Remark]:
        """What the rules remark on the word in this world, of these kinds."""
        name, _, value = text.partition("=")
        parameter = self._knowledge.parameter(name.replace("-", "_"))
        found = parameter.remarks if parameter else ()
        return [
            remark
            for remark in found
            if remark.kind in kinds
            and (not remark.values or any(_is(value, known) for known in remark.values))
            and condition.evaluate(remark.when, self._world) is True
        ]

    def _judge(self, text: str) -> Ruling:
        name, equals, value = text.partition("=")
        parameter = self._knowledge.parameter(name.replace("-", "_"))
        if parameter is None:
            return HONOURED
        ruling = self._existence(parameter) or self._word(parameter, value if equals else "")
        if ruling.truth is not False:
            for remark in self.remarks(text, "void"):
                return Ruling(False, "void", remark.says, remark)
        return ruling

    def _existence(self, parameter: Parameter) -> Ruling | None:
        """A ruling if the parameter as a whole is not (or may not be) honoured."""
        if parameter.status:
            return Ruling(False, "obsolete", "has no effect any more")
        arch = self._subject.machine.arch
        if parameter.arch and arch and arch not in parameter.arch:
            return Ruling(
                False, "arch", f"is read on {', '.join(parameter.arch)} only, not on {arch}"
            )
        age = self._age(parameter)
        if age:
            return age
        built = condition.evaluate(parameter.needs, self._world)
        if built is False:
            anywhere = condition.evaluate(_on_any_machine(parameter.needs), self._world)
            cause = "built" if anywhere is False else "machine"
            return Ruling(False, cause, f"needs {condition.show(parameter.needs)}")
        if built is not True:
            return Ruling(built)
        return None

    def _age(self, parameter: Parameter) -> Ruling | None:
        kernel = self._subject.kernel
        if kernel is None:
            return None
        if parameter.since and kernel.numbers < numbers(parameter.since):
            # Stable and vendor kernels carry backports: a number alone does not tell there.
            if kernel.patch or "-" in kernel.text:
                return Ruling(frozenset(("kernel",)))
            return Ruling(False, "new", f"exists since {parameter.since} only")
        if parameter.until and kernel.numbers >= numbers(parameter.until):
            return Ruling(False, "old", f"was removed in {parameter.until}")
        return None

    def _word(self, parameter: Parameter, value: str) -> Ruling:
        if not parameter.words:
            return HONOURED
        for word, when in parameter.words:
            if _is(value, word):
                truth = condition.evaluate(when, self._world)
                if truth is not False:
                    return Ruling(truth)
        # A list of words (mitigations=auto,nosmt) is honoured word by word.
        if "," in value and all(
            self._word(parameter, part).truth is True for part in value.split(",")
        ):
            return HONOURED
        accepted = [
            word or "(no value)"
            for word, when in parameter.words
            if condition.evaluate(when, self._world) is not False
        ]
        known = ", ".join(accepted) or "none in this kernel"
        return Ruling(False, "refused", f"is not accepted here; known words are {known}")

    def counting(self, name: str) -> list[Word]:
        """The words of one parameter that count: the last, the first or all that are honoured."""
        names = self._knowledge.spellings(name)
        if not any(n in self._by_name for n in names):
            return []
        found = [
            w for w in self.words if w.name in names and self.honours(plain(w)).truth is not False
        ]
        parameter = self._knowledge.parameter(name)
        if parameter and parameter.type == "cpulist":
            found = self._kept(found)
        duplicates = parameter.duplicates if parameter else "last"
        if duplicates == "first":
            return found[:1]
        return found if duplicates in ("flags", "accumulate") else found[-1:]

    def _kept(self, found: list[Word]) -> list[Word]:
        """Of words with CPU lists, what the kernel goes by."""
        outcome = {given.word: given.counts for given in self.lists()}
        counted = (outcome.get(word, word) for word in found)
        return [word for word in counted if word]

    def matching(self, pattern: str) -> list[Word]:
        """The words that count and mean `pattern`: `nohz=off`, `nosmt`, `nohz_full=*`."""
        name, _, _ = pattern.partition("=")
        name = name.replace("-", "_")
        parameter = self._knowledge.parameter(name)
        kind = parameter.type if parameter else "string"
        return [w for w in self.counting(name) if _means(w, pattern, kind)]

    def spell(self, text: str) -> str:
        """The word under the name that this kernel honours (slab_max_order= or slub_max_order=)."""
        name, equals, value = text.partition("=")
        for spelling in self._knowledge.spellings(name):
            word = spelling + equals + value
            if self.honours(word).truth is True:
                return word
        return text


def _on_any_machine(expr: Expr) -> Expr:
    """The condition with what it asks of the machine taken as given."""
    if expr[0] == "fact":
        return ["&"] if expr[1] in ("vendor", "virtual", "efi") else expr
    if expr[0] in "&|!":
        return [expr[0], *map(_on_any_machine, expr[1:])]
    return expr


def _is(value: str, known: str) -> bool:
    """Whether a value is one of the rules' words, which may end in `*`."""
    return value == known or (known.endswith("*") and value.startswith(known[:-1]))


def plain(word: Word) -> str:
    """The word without quotes, its name as the kernel compares it."""
    return word.name if word.value is None else f"{word.name}={word.value}"


def _means(word: Word, pattern: str, kind: str) -> bool:
    _, equals, wanted = pattern.partition("=")
    if not equals:
        return word.value is None or (kind == "flag" and word.value == "")
    if wanted == "*":
        return word.value is not None
    value = word.value if word.value is not None else ("1" if kind == "bool" else "")
    if kind == "bool":
        return truth_of(value) is not None and truth_of(value) == truth_of(wanted)
    if kind == "int":
        return _number(value) == _number(wanted)
    if wanted.endswith("*"):
        return value.startswith(wanted[:-1])
    return value == wanted


def truth_of(text: str) -> bool | None:
    """A boolean word as kstrtobool() reads it; None for anything else."""
    low = text.lower()
    return True if low in _TRUE else False if low in _FALSE else None


def _number(text: str) -> int | str:
    try:
        return int(text, 0)
    except ValueError:
        return text


def numbers(version: str) -> tuple[int, int, int]:
    """`6.12` as (6, 12, 0)."""
    parts = [int(part) for part in version.split(".")[:3]]
    return parts[0], parts[1] if len(parts) > 1 else 0, parts[2] if len(parts) > 2 else 0
