"""What an evaluation asks a world for, and how each of it is taken back.

An input is a word of the command line, a setting of run time, a line of the configuration, or the
lack of a line or word. To take it back is to leave the word out, to give a switch its other value,
a choice another member, a number another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from advisor.engine.effective.impossible import impossible, is_capability
from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.engine.effective.overlay import Overlay
from advisor.inputs.builtin_cmdline import without_words
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Above, CommandLine, Layer, Word
from advisor.model.state import LACK, Origin
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.kernel import Configuration
    from advisor.model.subject import Subject

Value = TypeVar("Value")
Lines = tuple[tuple[str, str], ...]
_MOST_WAYS = 16
# What tells which of the lines counts decides about every word of them, and about no value.
_JOINING = frozenset(
    (
        "CMDLINE", "CMDLINE_BOOL", "CMDLINE_EXTEND", "CMDLINE_FORCE", "CMDLINE_OVERRIDE",
        "CMDLINE_OVERWRITE", "MIPS_CMDLINE_BUILTIN_EXTEND",
    )
)  # fmt: skip
WORDS, OWN, NAMED, REST = range(4)
"""The tiers in which inputs are tried."""


class _Keys(dict[str, Value]):
    """A mapping that keeps the keys it was asked for and has."""

    def __init__(self, base: Mapping[str, Value]) -> None:
        super().__init__(base)
        self.asked: set[str] = set()

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)

    def __getitem__(self, key: str) -> Value:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]  # of any type, as in a dict
        self.asked.add(key)
        return super().get(key, default)


class _Asked(Above):
    """A configuration that keeps the symbols it was asked for, in their order."""

    def __init__(self, base: Configuration) -> None:
        super().__init__(base)
        self.symbols_asked: dict[str, None] = {}

    def shows(self, symbol: str) -> bool:
        """As the configuration below."""
        self.symbols_asked[symbol] = None
        return self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        """As the configuration below."""
        self.symbols_asked[symbol] = None
        return self._base.get(symbol)


class Asked(NamedTuple):
    """What an evaluation asked for: symbols in their order, words, and settings of run time."""

    symbols: tuple[str, ...]
    words: tuple[Word, ...]
    settings: tuple[str, ...]


def asked_by(
    evaluate: Callable[[KernelFacts], object], parameters: Iterable[str], world: KernelFacts
) -> Asked:
    """What the evaluation asks a world for, and the words of these parameters."""
    config = _Asked(world.config)
    words: tuple[Word, ...] = ()
    while True:
        # A word that decides keeps others from being asked for: they are without it.
        traced = world.after(_rewritten(world.subject._replace(config=config), words, ()))
        names = traced.line.by_name = _Keys(traced.line.by_name)
        names.asked.update(parameters)
        settings = traced.told_settings = _Keys(traced.settings())
        evaluate(traced)
        if traced.line.has_read_lists:
            names.asked.update(given.word.name for given in traced.line.lists())
        more = [w for w in world.line.words if w.name in names.asked and w not in words]
        if not more:
            break
        words += (*more,)
    given = tuple(key for key in world.settings() if key in settings.asked)
    by_words = {world.settings()[key][1] for key in given}
    if by_words:
        words += tuple(word for word in world.line.words if world.word_origin(word) in by_words)
    return Asked(tuple(config.symbols_asked), words, given)


# --- each of it as an input ----------------------------------------------------------------------


class Input(NamedTuple):
    """An input: what it is called, when it is tried, and how it is taken back.

    A line of the configuration has other `lines`, several where it can be otherwise in several
    ways; else the `word` is left out, or the word `lacking` added, or the `setting` undone.
    """

    origin: Origin
    rank: tuple[int, ...]
    lines: tuple[Lines, ...] = ((),)
    word: Word | None = None
    lacking: str = ""
    setting: str = ""

    @property
    def is_set(self) -> bool:
        """Whether it is more than a lack, and no line that something is not set."""
        return not self.origin.text.startswith((LACK, "#"))


def words_asked(asked: Asked, world: KernelFacts) -> Iterator[Input]:
    """The words and settings of run time that were asked for."""
    for word in asked.words:
        yield Input(world.word_origin(word), (WORDS, word.column), word=word)
    for number, key in enumerate(asked.settings):
        origin = world.settings()[key][1]
        if origin.layer is Layer.RUNTIME:  # a word is an input of its own
            yield Input(origin, (WORDS, number), setting=key)


def line(  # noqa: PLR0913, PLR0917  # all that may be written instead of it
    symbol: str,
    world: KernelFacts,
    tier: int,
    order: tuple[int, int],
    texts: Iterable[str] = (),
    hidden: Mapping[str, Lines] = MappingProxyType({}),
) -> Iterator[Input]:
    """The line about a symbol as an input, or the lack of one; nothing where it can be no other:
    another symbol has to be set first, or nobody sets it. A text may be one of `texts`; with a
    symbol that is switched on those come into sight that are `hidden` behind it."""
    value = world.config.get(symbol)
    if symbol in _JOINING or (value is None and world.spelled(symbol) != symbol):
        return  # the configuration has another name for it
    if value is None and not world.config.complete:
        if world.symbol(symbol) != "n":
            return  # nobody told
        tier = REST
    if value is None and (is_capability(symbol) or impossible(symbol, world)):
        return
    members = [name for name in world.knowledge.siblings(symbol) if name != symbol]
    # A member that no line names is none of this kernel's choice, if others are.
    siblings = [*filter(world.config.shows, members)] or members
    is_taken = value in ("y", "m") and bool(siblings)
    less = value is None or is_capability(symbol)  # an architecture, and no person, sets it
    rank = (tier, less, not is_taken, order[0], value == "n", order[1])
    ways = tuple(_otherwise(symbol, value, siblings, texts))
    if value == "n" and symbol in hidden:
        ways += ((*ways[0], *hidden[symbol]),)
    yield Input(world.origin(symbol), rank, ways)


def _otherwise(
    symbol: str, value: str | None, siblings: Sequence[str], texts: Iterable[str]
) -> Iterator[Lines]:
    """The ways in which lines can say something else of a symbol."""
    if value in (None, "n"):
        yield ((symbol, "y"), *((name, "n") for name in siblings))
    elif value in ("y", "m"):
        for other in siblings:
            yield ((symbol, "n"), (other, "y"))
        if not siblings:
            yield ((symbol, "n"),)
        if value == "m":
            yield ((symbol, "y"),)
    elif value.startswith('"'):
        yield ((symbol, '"?"' if value == '""' else '""'),)
        yield from (((symbol, f'"{text}"'),) for text in texts)
    else:
        yield from (((symbol, number),) for number in ("0", "1", "1000000000"))


def without(taken: Sequence[Input], world: KernelFacts) -> Iterator[KernelFacts]:
    """The world with these inputs taken back, in each way there is, up to a number of ways."""
    subject = world.subject._replace(config=world.config)
    words = {one.word for one in taken if one.word}
    added = [one.lacking for one in taken if one.lacking]
    if words or added:
        subject = _rewritten(subject, words, added)
    if settings := {one.setting for one in taken if one.setting}:
        kept = {key: told for key, told in subject.sysctl.items() if key not in settings}
        subject = subject._replace(sysctl=kept)
    for way in islice(product(*(one.lines for one in taken)), _MOST_WAYS):
        lines: dict[str, str] = {}
        for symbol, value in (pair for part in way for pair in part):
            if value != "n" or symbol not in lines:  # what one takes another does not give up
                lines[symbol] = value
        config = Overlay(subject.config, lines) if lines else subject.config
        yield world.after(subject._replace(config=config))


def _rewritten(subject: Subject, dropped: Iterable[Word], added: Iterable[str]) -> Subject:
    """The subject with these words left out, of either line, and words added to the boot line."""
    dropped, added = set(dropped), [*added]
    if built_in_words := {word.text for word in dropped if word.layer is Layer.BUILT_IN}:
        shorter = without_words(subject.config.get("CMDLINE") or '""', built_in_words)
        subject = subject._replace(config=Overlay(subject.config, {"CMDLINE": shorter}))
    line = subject.cmdline
    if added or (line and not dropped.isdisjoint(line.words)):
        line = line or CommandLine("")
        kept = [word for word in line.words if word not in dropped]
        # A boot loader that passes a line never passes an empty one.
        more = " ".join(added) if kept or added else "BOOT_IMAGE=/vmlinuz"
        words = (*kept, *parse_cmdline(more, line.name).words)
        subject = subject._replace(cmdline=line._replace(words=words))
    return subject
