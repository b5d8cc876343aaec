"""What becomes of each line that somebody wrote onto a base configuration.

With a tree, the tree says so for every line. Without one, the catalogue says which symbols the
base's kernel has, and the base which of them are visible: a whole .config has a line for each
symbol that a user can set (scripts/kconfig/confdata.c#conf_write of 6.12 writes all that are
visible).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.engine.effective.world import World
from advisor.engine.names import symbol_status
from advisor.engine.names.symbol_status import ELSEWHERE, MOST_TYPOS, REMOVE, STALE
from advisor.knowledge.existence import NameStatus, Standing
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Above, Configuration, Severity, assignment
from advisor.model.lines import FAILING, ChangedLine, LineKind
from advisor.model.rules import Rename
from advisor.model.subject import Subject
from advisor.model.tree import LineAnswer, Lines, TreeOracle, differ

OWN_SYMBOLS = 20
"""A kernel with so many symbols that no kernel read has, has code of its own: configurations of
distributions with patches for packaging or hardening alone name up to 15 (of 42 looked at)."""
_REMOVE_DERIVED = "remove the line, and set the symbols that decide its value"
_FORMS = {
    "bool": re.compile("[yn]"),
    "tristate": re.compile("[ymn]"),
    "int": re.compile("-?[0-9]+"),
    "hex": re.compile("(?:0[xX])?[0-9a-fA-F]+"),
    "string": re.compile('".*"', re.DOTALL),
}


def accounted(subject: Subject, knowledge: Knowledge) -> Subject:
    """Return the subject with the account of its lines, and without the values of those that fail.

    A tree has left these out itself.
    """
    if not subject.lines:
        return subject
    world = World(subject, knowledge)
    if tree := subject.tree:
        return subject._replace(lines=tuple(_in_tree(line, world, tree) for line in subject.lines))
    lines = []
    for line in map(_Book(world).account, subject.lines):
        if line.rule and not line.fragment:
            # Kconfig may have written a whole configuration with a patch at hand.
            severity = Severity.NOTE if line.severity is Severity.NOTE else Severity.WARNING
            lines.append(line._replace(severity=severity, value=line.asked))
        else:
            lines.append(line)
    void = {
        line.symbol: line
        for line in lines
        if line.kind in FAILING and line.fragment and differ(line.asked, line.value)
    }
    config = Corrected(subject.config, void) if void else subject.config
    return subject._replace(lines=tuple(lines), config=config)


class Corrected(Above):
    """A configuration without the values of lines that come to nothing (protocol Configuration).

    The place of a symbol is that of its line, also of one that comes to nothing.
    """

    def __init__(self, base: Configuration, lines: Mapping[str, ChangedLine]) -> None:
        super().__init__(base)
        self._lines = lines

    def symbols(self) -> Iterator[str]:
        """Return the symbols of the lines that count."""
        return filter(self.shows, self._base.symbols())

    def get(self, symbol: str) -> str | None:
        """Return the value; that of the base where the line comes to nothing."""
        line = self._lines.get(symbol)
        return self._base.get(symbol) if line is None else line.old


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
    """Return the line with the diagnostic; its value is that without it, until a tree says more."""
    return line._replace(
        kind=kind, value=line.old, why=why, rule=rule, severity=severity, remedy=remedy,
        instead=instead,
    )  # fmt: skip


def _useless(
    line: ChangedLine, kind: LineKind, rule: str, why: str, remedy: str = REMOVE
) -> ChangedLine:
    """Return a failing line that is to be taken out."""
    return _failing(line, kind, rule, why, remedy=remedy, instead=())


def _renamed(line: ChangedLine, name: str, rule: str, why: str, world: World) -> ChangedLine:
    """Return a line that is to be written under another name."""
    # Off under either name: the line is out of date, and harms nothing.
    off = line.asked == "n" and world.config.get(name) in (None, "n")
    return _failing(
        line, LineKind.RENAMED, rule, why, Severity.WARNING if off else Severity.ERROR,
        remedy=f"write {name}", instead=((name, line.asked or "n"),),
    )  # fmt: skip


def _unknown(line: ChangedLine, why: str, severity: Severity, remedy: str) -> ChangedLine:
    """Return a line about a symbol that no kernel has, with the name to write if one is near."""
    match = re.fullmatch(r"did you mean (\w+)\?", remedy)
    instead = ((match[1], line.asked or "n"),) if match else None
    return _failing(
        line, LineKind.UNKNOWN, "symbol-unknown", why, severity, remedy=remedy, instead=instead
    )


# --- without a tree -------------------------------------------------------------------------------


class _Book:
    """The accounts of a subject's lines by the catalogue and by what the base shows."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.subject = world.subject
        self.knowledge = world.knowledge
        self.asked = {line.symbol: line.asked or "n" for line in self.subject.lines}
        # The lines that change what is there, and so may bring or hide other symbols.
        self._moving = {
            line.symbol
            for line in self.subject.lines
            if line.old is not None and differ(line.old, line.asked)
        }
        self._typos = MOST_TYPOS

    def account(self, line: ChangedLine) -> ChangedLine:
        """Return the line with what becomes of it."""
        answer = symbol_status.status(line.symbol, self.world)
        if line.old is not None:  # the base shows that its kernel has the symbol
            if not differ(line.old, line.asked):
                return line._replace(kind=LineKind.ALREADY, value=line.old)
            return self._existing(line, answer)
        if not self.knowledge.catalogue.kernels:
            return line._replace(value=line.asked)
        if rename := symbol_status.past_rename(line.symbol, self.world):
            return self._stale(line, rename)
        if answer.standing is Standing.UNKNOWN:
            return self._unknown(line, answer)
        if answer.standing in ELSEWHERE:
            return self._absent(line, answer)
        if answer.standing is Standing.UNSURE:
            return line._replace(value=line.asked)
        if line.asked == "n":  # as it is off where it is hidden
            return line._replace(kind=LineKind.ALREADY)
        return self._existing(line, answer)

    def _stale(self, line: ChangedLine, rename: Rename) -> ChangedLine:
        """Return the account of a line whose symbol is renamed, or gone, by the rules."""
        why = symbol_status.renamed(rename).rstrip(": ")
        if rename.new:
            return _renamed(line, rename.new, STALE, why, self.world)
        if line.asked == "n":
            return line._replace(kind=LineKind.ALREADY)
        return _useless(line, LineKind.ABSENT, STALE, why)

    def _existing(self, line: ChangedLine, answer: NameStatus) -> ChangedLine:
        """Return the account of a line about a symbol that this kernel has."""
        exists = line._replace(kind=LineKind.EXISTS, value=line.asked)
        if not line.fragment:
            return exists
        others_move = not self._moving <= {line.symbol}
        if answer.standing is Standing.HIDDEN:
            if self._is_derived(line):
                return exists._replace(why="other lines switch this symbol on")
            if line.asked == "n" and others_move:  # as with BMP280=n beside BMP280_I2C=n
                why = "other lines must first disable the symbols that select this symbol"
                return exists._replace(kind=LineKind.VOID, why=why)
            void = _useless(line, LineKind.VOID, "symbol-void", answer.text, _REMOVE_DERIVED)
            # The value may follow from other lines all the same.
            return void._replace(value=line.asked) if others_move else void
        if wrong := self._wrong_value(line):
            return _failing(line, LineKind.DROPPED, "symbol-dropped", wrong)
        config = self.world.config
        # Comments on what is off may have been taken away from the base.
        is_hidden = line.old is None and any(
            config.get(symbol) == "n" for symbol in config.symbols() if symbol not in self.asked
        )
        if not is_hidden:
            return exists
        if others_move:
            lacks = "hidden in the base: a dependency is off, but other lines may enable it"
            return exists._replace(why=lacks)
        why = (
            f"{line.symbol} is hidden in the base configuration: one of its dependencies is off, "
            "and no other line enables that dependency"
        )
        remedy = "add the dependencies of the symbol; --tree DIR names them"
        return _failing(line, LineKind.DROPPED, "symbol-dropped", why, remedy=remedy)

    def _wrong_value(self, line: ChangedLine) -> str:
        """Return why a value is none of the symbol's type, if all kernels around agree on it."""
        types = {trait.type for trait in self.world.traits(line.symbol) or ()}
        name = types.pop() if len(types) == 1 else ""
        wrong = name in _FORMS and not _FORMS[name].fullmatch(line.asked or "n")
        return f"{line.symbol} is a {name}: {line.asked} is no value of that type" if wrong else ""

    def _is_derived(self, line: ChangedLine) -> bool:
        """Return whether other lines bring the line, as HZ_1000=y does HZ=1000."""
        pair, asked = (line.symbol, line.asked), self.asked.items()
        sets = (lines for tunable in self.knowledge.tunables() for value in tunable.values
                for lines in value.sets)  # fmt: skip
        return any(pair in lines and any(o != pair and o in asked for o in lines) for lines in sets)

    def _absent(self, line: ChangedLine, answer: NameStatus) -> ChangedLine:
        """Return the account of a line whose symbol other kernels or architectures have."""
        if answer.doubt and not line.fragment:  # the file itself shows that it was backported
            return line._replace(value=line.asked)
        why = answer.text + answer.doubt + self.knowledge.price(line.symbol)
        if names := symbol_status.names_here(line.symbol, self.world, line.asked or "n"):
            absent = _renamed(line, names[0], answer.standing.value, why, self.world)
        elif line.asked == "n":
            return line._replace(kind=LineKind.ALREADY)
        else:
            absent = _useless(line, LineKind.ABSENT, answer.standing.value, why)
        if not answer.doubt:
            return absent
        # The line may be right all the same: nobody is to take it out by a click.
        remedy = f"check whether this kernel has the symbol; if not, {absent.remedy}"
        return absent._replace(severity=Severity.WARNING, remedy=remedy, instead=None)

    def _unknown(self, line: ChangedLine, answer: NameStatus) -> ChangedLine:
        """Return the account of a line about a symbol that no kernel read has."""
        if names := symbol_status.names_here(line.symbol, self.world, line.asked or "n"):
            return _renamed(line, names[0], STALE, answer.text, self.world)
        self._typos -= 1
        remedy = symbol_status.remedy_of_unknown(line.symbol, self.world, self._typos >= 0)
        severity, why = Severity.ERROR, answer.text
        if line.asked == "n" and not remedy:
            severity = Severity.NOTE
        elif self._may_be_its_own(line.symbol, remedy):
            severity = Severity.WARNING
            why += "; a patch of this kernel may add it"
        remedy = (
            remedy
            or "remove the line if no patch adds the symbol (check with --tree DIR of that kernel)"
        )
        return _unknown(line, why, severity, remedy)

    def _may_be_its_own(self, symbol: str, remedy: str) -> bool:
        """Return whether a patch, a vendor or an unread release may have brought the symbol."""
        world, kernel = self.world, self.subject.kernel
        if world.is_patched(symbol) or kernel is None or self.knowledge.is_unread(kernel):
            return True
        if remedy:  # a name that it is near to is likelier
            return False
        known = self.knowledge.catalogue.names()
        base = (name for name in world.config.symbols() if name not in self.asked)
        own = sum(name not in known and not name.endswith("_VERSION") for name in base)
        return own >= OWN_SYMBOLS


# --- in a tree ------------------------------------------------------------------------------------


def _in_tree(line: ChangedLine, world: World, tree: TreeOracle) -> ChangedLine:
    """Return the account of a line by the tree, which may have its symbol under a new name."""
    asked = line.asked or "n"
    answer = tree.line(line.symbol, asked)
    if not answer.name:
        return _missing(line, answer, world, tree)
    value = world.config.get(answer.name)
    line = line._replace(value=value)
    if answer.name != line.symbol:
        why = f"{line.symbol} is called {answer.name} in this tree"
        if not answer.why:  # the tree takes the old name for the new one
            renamed = _renamed(line, answer.name, STALE, why, world)
            return renamed._replace(severity=Severity.WARNING, value=value)
        renamed = _renamed(line, answer.name, STALE, f"{why}; {answer.why}", world)
        return renamed._replace(severity=Severity.ERROR)
    if not answer.why:
        same = not differ(line.old, asked)
        return line._replace(kind=LineKind.ALREADY if same else LineKind.EFFECTIVE)
    if not answer.prompted:
        if not line.fragment:  # Kconfig wrote it, and decides anew
            return line._replace(kind=LineKind.EXISTS)
        void = _useless(line, LineKind.VOID, "symbol-void", answer.why, _REMOVE_DERIVED)
        return void._replace(value=value)
    return _dropped(line, answer.why, world, tree)._replace(value=value)


def _dropped(line: ChangedLine, why: str, world: World, tree: TreeOracle) -> ChangedLine:
    """Return a line that the tree does not keep, with the further lines with which it would."""
    # The other lines stay as they are: only symbols that none of them names may be added.
    others = frozenset(one.symbol for one in world.subject.lines) - {line.symbol}
    wanted = (line.symbol, line.asked or "n")
    search = tree.achieve((), (wanted,), frozenset(), others)
    if search.reason or not search.needed:
        return _failing(line, LineKind.DROPPED, "symbol-dropped", why)
    added = ", ".join(assignment(*pair) for pair in search.needed)
    off = {symbol for symbol, value in search.needed if value == "n"}
    for symbol, value in search.needed:
        if value == "y":  # the other members of its choice go off
            off.update(world.knowledge.siblings(symbol))
    if given_up := sorted(symbol for symbol in off if world.config.get(symbol) in ("y", "m")):
        # Nobody who asks for a driver asks for another architecture.
        remedy = f"the line needs {added}, which would switch off {', '.join(given_up)}"
        return _failing(line, LineKind.DROPPED, "symbol-dropped", why, remedy=remedy)
    return _failing(
        line, LineKind.DROPPED, "symbol-dropped", why, remedy=f"add {added}",
        instead=(*search.needed, wanted),
    )  # fmt: skip


def _missing(line: ChangedLine, answer: LineAnswer, world: World, tree: TreeOracle) -> ChangedLine:
    """Return a line about a symbol that the tree has under no name that it knows of itself."""
    symbol, knowledge = line.symbol, world.knowledge
    line = line._replace(old=None)
    rename = knowledge.rename(symbol)
    alias = next(filter(tree.defines, knowledge.names_now(symbol, line.asked or "n")), "")
    if alias:
        why = f"{symbol} is called {alias} in this tree{knowledge.price(symbol)}"
        if rename and rename.new == alias:
            why = f"{why}, since {rename.since}: {rename.note}".rstrip(": ")
        if not tree.line(alias, line.asked or "n").prompted:
            return _useless(line, LineKind.ABSENT, STALE, f"{why}; {alias} has no prompt")
        return _renamed(line, alias, STALE, why, world)
    if line.asked == "n" and not answer.near:
        return line._replace(kind=LineKind.ALREADY)
    why = f"{symbol} is not in this tree"
    known = symbol_status.status(symbol, world)
    if known.standing in ELSEWHERE:
        detail = known.text.partition(": ")[2]
        why = f"{why}: {detail}".rstrip(": ")
        return _useless(line, LineKind.ABSENT, known.standing.value, why)
    if rename and not rename.new:
        gone = f"{why}: gone since {rename.since}. {rename.note}".rstrip(". ")
        return _useless(line, LineKind.ABSENT, STALE, gone)
    if answer.near:
        return _unknown(line, why, Severity.ERROR, answer.near)
    return _useless(line, LineKind.UNKNOWN, "symbol-unknown", why)
