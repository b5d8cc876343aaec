"""What each tunable is set to, and by which line: compiled, then boot line, then run time."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine.bootline import BootLine, numbers, plain
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.condition import Expr, Truth
from advisor.model.kernel import Layer, Location, Word, assignment
from advisor.model.report import Origin, State
from advisor.model.rules import Member, Name, Tunable, Value
from advisor.model.subject import Subject
from advisor.record import NamedTuple

Values = tuple[str, ...]
_NOTHING: frozenset[str] = frozenset()


class Reading(NamedTuple):
    """The answer of one layer: possible values, what would narrow them, and the lines."""

    values: Values = ()
    missing: frozenset[str] = _NOTHING
    origins: tuple[Origin, ...] = ()


SILENT = Reading()


def _state(tunable: Tunable, world: World) -> State | None:
    if world.evaluate(tunable.exists) is False:
        return None
    if tunable.kind == "group":
        return _group(tunable, world)
    layers = (compiled(tunable, world), _boot(tunable, world), _runtime(tunable, world))
    decisive = next((layer for layer in reversed(layers) if layer.values), SILENT)
    if decisive is layers[1] and decisive.missing:
        # The kernel may not honour the word: what was compiled stays possible.
        joined = dict.fromkeys(decisive.values + layers[0].values)
        decisive = decisive._replace(values=tuple(joined))
    final, why = _interpreted(tunable, decisive, world)
    return State(
        tunable.id,
        final.values,
        compiled=layers[0].values,
        boot=layers[1].values,
        runtime=layers[2].values,
        origins=decisive.origins,
        missing=final.missing,
        why=why,
    )


def compiled(tunable: Tunable, world: World) -> Reading:
    """What the configuration alone gives."""
    if tunable.symbol:
        return _compiled_number(tunable, world)
    values: list[str] = []
    missing = _NOTHING
    for value in tunable.values:
        expr = value.when if value.when is not None else _as_condition(value)
        if expr is None:
            continue
        truth = world.evaluate(expr)
        if truth is False:
            continue
        values.append(value.name)
        if truth is True:
            return Reading(tuple(values), missing, _config_origins(value, world))
        missing |= truth
    if tunable.default:
        values.append(tunable.default)
        return Reading(tuple(dict.fromkeys(values)), missing, ())
    return Reading(tuple(values), missing)


def _as_condition(value: Value) -> Expr:
    alternatives = []
    for pairs in value.sets:
        terms = [["on", s] if v == "m" else ["sym", s, "=", v] for s, v in pairs]
        alternatives.append(["&", *terms])
    return ["|", *alternatives] if alternatives else None


def _compiled_number(tunable: Tunable, world: World) -> Reading:
    symbol = world.spelled(tunable.symbol)
    value = world.config.get(symbol)
    if value is None:
        missing = _NOTHING if world.config.complete else frozenset((tunable.symbol,))
        return Reading((tunable.default,) if tunable.default else (), missing)
    return Reading((value.strip('"'),), _NOTHING, (world.origin(symbol),))


def _config_origins(value: Value, world: World) -> tuple[Origin, ...]:
    """The line that makes a value so: of its assignments, else of what its condition names."""
    named = [symbol for symbol, _ in value.sets[0]] if value.sets else []
    if value.when is not None:
        named += condition.symbols(value.when)
    found = _telling(named, "n", world) or _telling(named, None, world)
    return (found,) if found else ()


def _telling(named: list[str], unlike: str | None, world: World) -> Origin | None:
    """The first line about one of these symbols, of those that do not say `unlike`."""
    for symbol in map(world.spelled, named):
        if world.config.get(symbol) not in (None, unlike):
            return world.origin(symbol)
    return None


def _word_origin(word: Word, world: World) -> Origin:
    return Origin(word.layer, word.text, world.place(word))


def _boot(tunable: Tunable, world: World) -> Reading:
    if not world.line.words:
        return SILENT
    if tunable.parameter:
        words = world.line.counting(tunable.parameter)
        if not words:
            return SILENT
        missing = _doubts(words, world)
        text = ",".join(w.value if w.value is not None else "" for w in words)
        return Reading((text,), missing, tuple(_word_origin(w, world) for w in words))
    best: tuple[int, Value, list[Word]] | None = None
    for value in tunable.values:
        words = _spelled_on_line(value, world)
        if words and (best is None or max(map(_place, words)) > best[0]):
            best = max(map(_place, words)), value, words
    if best is None:
        return SILENT
    _, value, words = best
    missing = _doubts(words, world)
    allowed = world.evaluate(value.boot_when)
    if allowed is False:
        return SILENT
    if isinstance(allowed, frozenset):
        missing |= allowed
    return Reading((value.name,), missing, tuple(_word_origin(w, world) for w in words))


def _place(word: Word) -> int:
    return word.column + (0 if word.layer is Layer.BUILT_IN else 1 << 20)


def _doubts(words: list[Word], world: World) -> frozenset[str]:
    missing = _NOTHING
    for word in words:
        truth = world.line.honours(word.text).truth
        if isinstance(truth, frozenset):
            missing |= truth
    return missing


def _spelled_on_line(value: Value, world: World) -> list[Word]:
    """The words on the line that give this value; empty if one of them is missing."""
    for pattern in (value.boot, *value.reads):
        found: list[Word] = []
        for word in pattern:
            matches = world.line.matching(word)
            if not matches:
                break
            found += matches
        else:
            if found:
                return found
    return []


def _runtime(tunable: Tunable, world: World) -> Reading:
    given = world.settings()
    if not given:
        return SILENT
    if tunable.sysctl in given:
        text, origin = given[tunable.sysctl]
        return Reading((text,), _NOTHING, (origin,))
    for value in tunable.values:
        pairs = value.sysctl
        if pairs and all(key in given and given[key][0] == text for key, text in pairs):
            return Reading((value.name,), _NOTHING, (given[pairs[0][0]][1],))
    return SILENT


def _interpreted(tunable: Tunable, reading: Reading, world: World) -> tuple[Reading, str]:
    """The reading with the names that mean something else here replaced, and why."""
    why = ""
    for rule in tunable.interpret:
        if not any(map(rule.concerns, reading.values)):
            continue
        truth = world.evaluate(rule.when)
        if truth is False:
            continue
        values: list[str] = []
        for name in reading.values:
            if not rule.concerns(name):
                values.append(name)
            else:
                values += [rule.target] if truth is True else [name, rule.target]
        missing = reading.missing | (truth if isinstance(truth, frozenset) else _NOTHING)
        reading = reading._replace(values=tuple(dict.fromkeys(values)), missing=missing)
        why = rule.why
    return reading, why


def _group(tunable: Tunable, world: World) -> State:
    on: list[tuple[str, Origin]] = []
    off: list[tuple[str, Origin]] = []
    missing = _NOTHING
    for member in tunable.members:
        truth, origin = member_state(member, world)
        if isinstance(truth, frozenset):
            missing |= truth
        elif truth:
            on.append((member.symbol, origin))
        elif world.present(member.symbol):
            off.append((member.symbol, origin))
    values: Values = ("off" if not on else "partly" if off else "on",)
    if missing:
        values = tuple(dict.fromkeys((*values, "partly" if on else "on")))
    return State(tunable.id, values, compiled=values, on=tuple(on), off=tuple(off), missing=missing)


def member_state(member: Member, world: World) -> tuple[Truth, Origin]:
    """Whether a group's member is on, and the line that makes it so."""
    for words, truth in ((member.boot_off, False), (member.boot_on, True)):
        for word in words:
            if found := world.line.matching(word):
                return truth, _word_origin(found[-1], world)
    truth_here = world.evaluate(member.when if member.when is not None else ["on", member.symbol])
    named = [member.symbol]
    if member.when is not None:
        named += condition.symbols(member.when)
    # What makes it on is a line that sets something; what makes it off may be any.
    line = _telling(named, "n" if truth_here is True else None, world)
    return truth_here, line or world.origin(named[0])


class World:
    """One subject, asked: answers conditions (condition.Facts), and keeps the states it found."""

    def __init__(self, subject: Subject, knowledge: Knowledge) -> None:
        self.subject = subject
        self.knowledge = knowledge
        self.config = subject.config
        self._states: dict[str, State | None] = {}
        self._compiled: dict[str, Reading] = {}
        self._settings: dict[str, tuple[str, Origin]] | None = None
        self.line = BootLine(subject, knowledge, self)

    def symbol(self, name: str) -> str | None:
        """A symbol's value, strings without quotes, under any of its names; `n` if absent."""
        value = self.config.get(name)
        if value is None:
            for alias in self.knowledge.aliases(name):
                value = self.config.get(alias)
                if value is not None:
                    break
            else:
                return "n" if self.config.complete else self._by_choice(name)
        return value[1:-1] if value.startswith('"') else value

    def _by_choice(self, name: str) -> str | None:
        """`n` for a member of a choice that a fragment decides for another one."""
        others = self.knowledge.siblings(name)
        return "n" if any(self.config.get(other) == "y" for other in others) else None

    def present(self, name: str) -> bool | None:
        """Whether the configuration names the symbol."""
        found = self.config.shows(self.spelled(name))
        return found or (False if self.config.complete else None)

    def spelled(self, name: str) -> str:
        """The name under which this configuration or tree has the symbol, else the name itself."""
        if self.config.get(name) is None:
            aliases = self.knowledge.aliases(name)
            for alias in aliases:
                if self.config.get(alias) is not None:
                    return alias
            tree = self.subject.tree
            if tree and aliases and not tree.defines(name):
                return next(filter(tree.defines, aliases), name)
        return name

    def fact(self, name: str) -> str | int | tuple[int, ...] | None:
        """A fact of kernel or machine."""
        if name == "kernel":
            return self.subject.kernel.numbers if self.subject.kernel else None
        found: str | int | None = getattr(self.subject.machine, name)
        return found

    def boot(self, word: str) -> bool:
        """Whether the word counts on the command line."""
        return bool(self.line.matching(word))

    def effective(self, tunable: str) -> tuple[Values, frozenset[str]]:
        """Possible values of a tunable; none where it does not exist here."""
        state = self.state(tunable)
        return (state.effective, state.missing) if state else ((), _NOTHING)

    def evaluate(self, expr: Expr) -> Truth:
        """The truth of a condition in this world."""
        return condition.evaluate(expr, self)

    def state(self, name: str) -> State | None:
        """The state of a tunable; None where this kernel has no such thing."""
        if name not in self._states:
            self._states[name] = None  # a cycle of conditions reads as "does not exist"
            self._states[name] = _state(self.knowledge.tunable(name), self)
        return self._states[name]

    def origin(self, symbol: str) -> Origin:
        """The line about a symbol, as this configuration spells it."""
        text = assignment(symbol, self.config.get(symbol) or "n")
        return Origin(Layer.COMPILED, text, self.config.place(symbol))

    def settings(self) -> Mapping[str, tuple[str, Origin]]:
        """What is set at run time: by `sysctl.*` words, and over these by what the user told.

        Such words are read since 5.8, before init starts (fs/proc/proc_sysctl.c).
        """
        if self._settings is None:
            words = [word for word in self.line.words if word.name.startswith("sysctl.")]
            found = {
                word.name[7:].replace("/", "."): (word.value or "", _word_origin(word, self))
                for word in words
                if self.line.honours(plain(word)).truth is not False
            }
            for key, (text, place) in self.subject.sysctl.items():
                found[key] = text, Origin(Layer.RUNTIME, f"{key}={text}", place)
            self._settings = found
        return self._settings

    def place(self, word: Word) -> Location:
        """Where a word of the command line stands."""
        if word.layer is Layer.BUILT_IN:
            return self.config.entry("CMDLINE").location
        line = self.subject.cmdline
        return Location(line.name if line else "", 1, word.column)

    def lacks(self, name: Name) -> bool:
        """Whether this kernel is one of those that have no longer what goes by that name."""
        kernel = self.subject.kernel
        return not (name.until and kernel) or kernel.numbers >= numbers(name.until)

    def built(self, tunable: Tunable) -> Reading:
        """What was compiled in, after interpretation, whatever the lines say."""
        if tunable.id not in self._compiled:
            reading = _interpreted(tunable, compiled(tunable, self), self)[0]
            self._compiled[tunable.id] = reading
        return self._compiled[tunable.id]
