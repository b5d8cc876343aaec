"""What becomes of each line that somebody wrote onto a base configuration.

A tree tells it of every line. Without one the catalogue tells which symbols the base's kernel has,
and the base itself what is visible in it: of each symbol that a user can set, a whole .config has
a line (scripts/kconfig/confdata.c#conf_write of 6.12 writes all that are visible).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.engine.bootline import numbers
from advisor.engine.diagnose.fragment import MOST_TYPOS, meant
from advisor.engine.state import World
from advisor.knowledge.existence import NameStatus, Standing, standing
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import (
    ConfigEntry,
    Configuration,
    Location,
    Locator,
    Severity,
    assignment,
    entry_of,
)
from advisor.model.lines import FAILING, ChangedLine, LineKind
from advisor.model.subject import Subject
from advisor.model.tree import LineAnswer, Lines, TreeOracle, differ

OWN_SYMBOLS = 20
"""So many symbols that no kernel read has are of a kernel with code of its own: configurations of
distributions with patches for packaging or hardening alone name up to 15 (of 42 looked at)."""
_ELSEWHERE = (Standing.REMOVED, Standing.TOO_NEW, Standing.OTHER_ARCH)
_FORMS = {
    "bool": re.compile("[yn]"),
    "tristate": re.compile("[ymn]"),
    "int": re.compile("-?[0-9]+"),
    "hex": re.compile("(?:0[xX])?[0-9a-fA-F]+"),
    "string": re.compile('".*"', re.DOTALL),
}


def accounted(subject: Subject, knowledge: Knowledge) -> Subject:
    """The subject with the account of its lines, and without the values of those that fail.

    A tree has left these out itself.
    """
    if not subject.lines:
        return subject
    world = World(subject, knowledge)
    if subject.tree:
        return subject._replace(lines=tuple(_in_tree(world, subject.tree)))
    lines = tuple(map(_of_whole, _Book(world).lines()))
    failing = {line.symbol: line for line in lines if _comes_to_nothing(line)}
    config = Corrected(subject.config, failing) if failing else subject.config
    return subject._replace(lines=lines, config=config)


def _comes_to_nothing(line: ChangedLine) -> bool:
    return line.kind in FAILING and line.fragment and differ(line.asked, line.value)


def _of_whole(line: ChangedLine) -> ChangedLine:
    """A line of a whole configuration, which Kconfig may have written with a patch at hand."""
    if line.fragment or not line.rule:
        return line
    severity = Severity.NOTE if line.severity is Severity.NOTE else Severity.WARNING
    return line._replace(severity=severity, value=line.asked)


class Corrected:
    """A configuration without the values of lines that come to nothing (protocol Configuration)."""

    def __init__(self, config: Configuration, lines: Mapping[str, ChangedLine]) -> None:
        self._config = config
        self._lines = lines
        self.complete = config.complete

    def symbols(self) -> Iterator[str]:
        """The symbols of those lines that count."""
        return filter(self.shows, self._config.symbols())

    def shows(self, symbol: str) -> bool:
        """Whether a line that counts names it."""
        return self.get(symbol) is not None

    def get(self, symbol: str) -> str | None:
        """The value; that of the base where the line comes to nothing."""
        line = self._lines.get(symbol)
        return self._config.get(symbol) if line is None else line.old

    def place(self, symbol: str) -> Location | Locator:
        """The place of the line, also of one that comes to nothing."""
        return self._config.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        """The value that counts, with the line's place."""
        if symbol not in self._lines:
            return self._config.entry(symbol)
        return entry_of(self.get(symbol), self._config.entry(symbol).location)


def _failing(  # noqa: PLR0913  # as many as a failing line has of its own
    line: ChangedLine,
    kind: LineKind,
    rule: str,
    why: str,
    severity: Severity = Severity.ERROR,
    *,
    remedy: str = "",
    instead: Lines | None = None,
) -> ChangedLine:
    """The line with what is wrong; it comes to the value without it, until a tree tells another."""
    return line._replace(
        kind=kind, value=line.old, why=why, rule=rule, severity=severity, remedy=remedy,
        instead=instead,
    )  # fmt: skip


# --- without a tree -------------------------------------------------------------------------------


class _Book:
    """The accounts of a subject's lines by the catalogue and by what the base shows."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.subject = world.subject
        self.knowledge = world.knowledge
        self.asked = {line.symbol: line.asked or "n" for line in self.subject.lines}
        # What makes other symbols visible, or hides them.
        self._moving = any(
            line.old is not None and differ(line.old, line.asked) for line in self.subject.lines
        )
        self._typos = MOST_TYPOS

    def lines(self) -> Iterator[ChangedLine]:
        """Each line with its account."""
        return map(self._line, self.subject.lines)

    def _line(self, line: ChangedLine) -> ChangedLine:
        answer = standing(
            line.symbol, self.knowledge.catalogue, self.subject.kernel, self.subject.machine.arch
        )
        if line.old is not None:  # the base shows that its kernel has the symbol
            if not differ(line.old, line.asked):
                return line._replace(kind=LineKind.ALREADY, value=line.old)
            return self._existing(line, answer)
        if not self.knowledge.catalogue.kernels:
            return line._replace(value=line.asked)
        if stale := self._stale(line):
            return stale
        if answer.standing is Standing.UNKNOWN:
            return self._unknown(line, answer)
        if answer.standing in _ELSEWHERE:
            return self._absent(line, answer)
        if answer.standing is Standing.UNSURE:
            return line._replace(value=line.asked)
        if line.asked == "n":  # as it is off where it is hidden
            return line._replace(kind=LineKind.ALREADY)
        return self._existing(line, answer)

    def _existing(self, line: ChangedLine, answer: NameStatus) -> ChangedLine:
        """A line about a symbol that this kernel has."""
        exists = line._replace(kind=LineKind.EXISTS, value=line.asked)
        if not line.fragment:
            return exists
        if answer.standing is Standing.HIDDEN:
            if self._derived(line):
                return exists._replace(why="other lines bring it")
            if line.asked == "n" and self._moving:  # as with BMP280=n beside BMP280_I2C=n
                why = "off only where other lines take away what brings it"
                return exists._replace(kind=LineKind.VOID, why=why)
            remedy = "remove the line, and set what it follows"
            void = _failing(
                line, LineKind.VOID, "symbol-void", answer.text, remedy=remedy, instead=()
            )
            # The value may follow from other lines all the same.
            return void._replace(value=line.asked) if self._moving else void
        if wrong := self._wrong_value(line):
            return _failing(line, LineKind.DROPPED, "symbol-dropped", wrong)
        if line.old is not None or not self._shows_all():
            return exists
        if self._moving:
            lacks = "hidden in the base: it needs what is off there, which other lines may bring"
            return exists._replace(why=lacks)
        why = (
            f"{line.symbol} is hidden in the base configuration, as what it depends on is off "
            "there, and no other line changes that"
        )
        remedy = "add what it depends on; --tree tells what that is"
        return _failing(line, LineKind.DROPPED, "symbol-dropped", why, remedy=remedy)

    def _wrong_value(self, line: ChangedLine) -> str:
        """What is wrong with a value that is none of the symbol's type, as all kernels around have
        it."""
        subject, seen = self.subject, self.knowledge.catalogue.seen(line.symbol)
        if seen and subject.kernel:
            traits = seen.traits_around(subject.kernel, subject.machine.arch)
            types = {trait.type for trait in traits}
            name = types.pop() if len(types) == 1 else ""
            if name in _FORMS and not _FORMS[name].fullmatch(line.asked or "n"):
                return f"{line.symbol} is a {name}: {line.asked} is no value of it"
        return ""

    def _shows_all(self) -> bool:
        """Whether the base has a line also for what is off: comments may have been taken away."""
        config = self.world.config
        return any(
            config.get(symbol) == "n" for symbol in config.symbols() if symbol not in self.asked
        )

    def _derived(self, line: ChangedLine) -> bool:
        """Whether it stands beside the lines that bring it, as HZ=1000 does beside HZ_1000=y."""
        asked = {(symbol, value) for symbol, value in self.asked.items()}
        pair = (line.symbol, line.asked)
        sets = (lines for tunable in self.knowledge.tunables() for v in tunable.values
                for lines in v.sets)  # fmt: skip
        return any(pair in lines and any(o != pair and o in asked for o in lines) for lines in sets)

    def _stale(self, line: ChangedLine) -> ChangedLine | None:
        """A line about a symbol that the rules know to be renamed, or gone."""
        rename, kernel = self.knowledge.rename(line.symbol), self.subject.kernel
        if not rename or not kernel or kernel.numbers < numbers(rename.since):
            return None
        why = f"{line.symbol} is {rename.new or 'gone'} since {rename.since}: {rename.note}"
        if rename.new:
            return self._renamed(line, rename.new, "symbol-stale", why.rstrip(": "))
        if line.asked == "n":
            return line._replace(kind=LineKind.ALREADY)
        return _failing(
            line, LineKind.ABSENT, "symbol-stale", why.rstrip(": "), remedy="remove the line",
            instead=(),
        )  # fmt: skip

    def _renamed(self, line: ChangedLine, name: str, rule: str, why: str) -> ChangedLine:
        # Off under either name: the line is out of date, and harms nothing.
        off = line.asked == "n" and self.world.config.get(name) in (None, "n")
        return _renamed(line, name, rule, why, Severity.WARNING if off else Severity.ERROR)

    def _absent(self, line: ChangedLine, answer: NameStatus) -> ChangedLine:
        """A line about a symbol that other kernels or architectures have."""
        names = self._names_now(line)
        why = answer.text + answer.doubt + self.knowledge.price(line.symbol)
        if answer.doubt and not line.fragment:  # the file itself shows that it was backported
            return line._replace(value=line.asked)
        if names:
            renamed = self._renamed(line, names[0], answer.standing.value, why)
            return _doubted(renamed) if answer.doubt else renamed
        if line.asked == "n":
            return line._replace(kind=LineKind.ALREADY)
        absent = _failing(
            line, LineKind.ABSENT, answer.standing.value, why, remedy="remove the line", instead=()
        )
        return _doubted(absent) if answer.doubt else absent

    def _names_now(self, line: ChangedLine) -> list[str]:
        """The names under which this kernel has what the line is about."""
        names = self.knowledge.names_now(line.symbol, line.asked or "n")
        return [name for name in names if self._has(name)]

    def _has(self, name: str) -> bool:
        subject = self.subject
        answer = standing(name, self.knowledge.catalogue, subject.kernel, subject.machine.arch)
        return answer.standing is Standing.HERE

    def _unknown(self, line: ChangedLine, answer: NameStatus) -> ChangedLine:
        """A line about a symbol that no kernel read has."""
        if names := self._names_now(line):
            return self._renamed(line, names[0], "symbol-stale", answer.text)
        self._typos -= 1
        remedy = meant(line.symbol, self.world, self._typos >= 0)
        severity = Severity.ERROR
        why = answer.text
        if line.asked == "n" and not remedy:
            severity = Severity.NOTE
        elif self._may_be_its_own(line.symbol, remedy):
            severity = Severity.WARNING
            why += "; this kernel may have it of its own"
        remedy = remedy or "remove the line; if a patch brings it, --tree with that kernel shows so"
        return _failing(
            line, LineKind.UNKNOWN, "symbol-unknown", why, severity, remedy=remedy,
            instead=_meaning(remedy, line),
        )  # fmt: skip

    def _may_be_its_own(self, symbol: str, remedy: str) -> bool:
        """Whether a patch or vendor may have brought the symbol, or a release that nobody read."""
        world = self.world
        if world.is_patched(symbol):
            return True
        if self.subject.kernel is None or self.knowledge.is_unread(self.subject.kernel):
            return True
        if remedy:  # a name that it is near to is likelier
            return False
        known = self.knowledge.catalogue.names()
        base = (name for name in world.config.symbols() if name not in self.asked)
        own = sum(name not in known and not name.endswith("_VERSION") for name in base)
        return own >= OWN_SYMBOLS


def _doubted(line: ChangedLine) -> ChangedLine:
    """A line that may be right all the same: nobody is to take it out by a click."""
    remedy = f"look whether this kernel has it; if not, {line.remedy}"
    return line._replace(severity=Severity.WARNING, remedy=remedy, instead=None)


def _meaning(remedy: str, line: ChangedLine) -> Lines | None:
    """The line that is meant, where a single name is near."""
    match = re.fullmatch(r"did you mean (\w+)\?", remedy)
    return ((match[1], line.asked or "n"),) if match else None


def _renamed(
    line: ChangedLine, name: str, rule: str, why: str, severity: Severity = Severity.ERROR
) -> ChangedLine:
    return _failing(
        line, LineKind.RENAMED, rule, why, severity, remedy=f"write {name}",
        instead=((name, line.asked or "n"),),
    )  # fmt: skip


# --- in a tree ------------------------------------------------------------------------------------


def _in_tree(world: World, tree: TreeOracle) -> Iterator[ChangedLine]:
    for line in world.subject.lines:
        answer = tree.line(line.symbol, line.asked or "n")
        account = _told if answer.name else _missing
        yield account(line, answer, world, tree)


def _told(line: ChangedLine, answer: LineAnswer, world: World, tree: TreeOracle) -> ChangedLine:
    """A line about a symbol that the tree has, if only under a new name."""
    value = world.config.get(answer.name)
    line = line._replace(value=value)
    asked = line.asked or "n"
    if answer.name != line.symbol:
        why = f"{line.symbol} is {answer.name} in this tree"
        if not answer.why:  # which takes the old name for it
            renamed = _renamed(line, answer.name, "symbol-stale", why, Severity.WARNING)
            return renamed._replace(value=value)
        return _renamed(line, answer.name, "symbol-stale", f"{why}; {answer.why}")
    if not answer.why:
        same = not differ(line.old, asked)
        return line._replace(kind=LineKind.ALREADY if same else LineKind.EFFECTIVE)
    if not answer.prompted:
        if not line.fragment:  # Kconfig wrote it, and decides anew
            return line._replace(kind=LineKind.EXISTS)
        remedy = "remove the line, and set what it follows"
        void = _failing(line, LineKind.VOID, "symbol-void", answer.why, remedy=remedy, instead=())
        return void._replace(value=value)
    return _dropped(line, answer.why, world, tree)._replace(value=value)


def _dropped(line: ChangedLine, why: str, world: World, tree: TreeOracle) -> ChangedLine:
    """A line that the tree does not keep, with the further lines with which it would."""
    # The other lines stay as they are: only what none of them names may be added.
    others = frozenset(one.symbol for one in world.subject.lines) - {line.symbol}
    wanted = (line.symbol, line.asked or "n")
    search = tree.achieve((), (wanted,), frozenset(), others)
    if search.reason or not search.needed:
        return _failing(line, LineKind.DROPPED, "symbol-dropped", why)
    added = ", ".join(assignment(*pair) for pair in search.needed)
    if given_up := sorted(_given_up(search.needed, world)):
        # Nobody who asks for a driver asks for another architecture.
        remedy = f"it would take {added}, and give up {', '.join(given_up)}"
        return _failing(line, LineKind.DROPPED, "symbol-dropped", why, remedy=remedy)
    return _failing(
        line, LineKind.DROPPED, "symbol-dropped", why, remedy=f"add {added}",
        instead=(*search.needed, wanted),
    )  # fmt: skip


def _given_up(lines: Lines, world: World) -> set[str]:
    """What the configuration has, and those lines take from it: also other members of choices."""
    off = {symbol for symbol, value in lines if value == "n"}
    off.update(
        s for symbol, value in lines if value == "y" for s in world.knowledge.siblings(symbol)
    )
    return {symbol for symbol in off if world.config.get(symbol) in ("y", "m")}


def _missing(line: ChangedLine, answer: LineAnswer, world: World, tree: TreeOracle) -> ChangedLine:
    """A line about a symbol that the tree has under no name that it knows of itself."""
    symbol, knowledge, subject = line.symbol, world.knowledge, world.subject
    line = line._replace(old=None)
    rename = knowledge.rename(symbol)
    alias = next(filter(tree.defines, knowledge.names_now(symbol, line.asked or "n")), "")
    if alias:
        why = f"{symbol} is {alias} in this tree{knowledge.price(symbol)}"
        if rename and rename.new == alias:
            why = f"{why}, since {rename.since}: {rename.note}".rstrip(": ")
        if not tree.line(alias, line.asked or "n").prompted:
            return _failing(
                line, LineKind.ABSENT, "symbol-stale", f"{why}; that has no prompt",
                remedy="remove the line", instead=(),
            )  # fmt: skip
        off = line.asked == "n" and world.config.get(alias) in (None, "n")
        severity = Severity.WARNING if off else Severity.ERROR
        return _renamed(line, alias, "symbol-stale", why, severity)
    if line.asked == "n" and not answer.near:
        return line._replace(kind=LineKind.ALREADY)
    why = f"{symbol} is not in this tree"
    known = standing(symbol, knowledge.catalogue, subject.kernel, subject.machine.arch)
    if known.standing in _ELSEWHERE:
        detail = known.text.partition(": ")[2]
        return _failing(
            line, LineKind.ABSENT, known.standing.value, f"{why}: {detail}".rstrip(": "),
            remedy="remove the line", instead=(),
        )  # fmt: skip
    if rename and not rename.new:
        gone = f"{why}: gone since {rename.since}. {rename.note}".rstrip(". ")
        return _failing(
            line, LineKind.ABSENT, "symbol-stale", gone, remedy="remove the line", instead=()
        )
    remedy = answer.near or "remove the line"
    return _failing(
        line, LineKind.UNKNOWN, "symbol-unknown", why, remedy=remedy,
        instead=_meaning(remedy, line) if answer.near else (),
    )  # fmt: skip
