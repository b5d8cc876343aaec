"""Changes of what is judged, made on the input itself: lines of a configuration, words, settings.

Nothing here asks the engine how it came to a state: a cause is taken back by its text and place.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from advisor.knowledge.store import Knowledge
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import (
    CommandLine,
    ConfigEntry,
    Configuration,
    Layer,
    Location,
    Locator,
    entry_of,
)
from advisor.model.remedy import Remedy, RemedyKind
from advisor.model.state import LACK, Origin
from advisor.model.subject import Subject
from advisor.model.tunable import Tunable

PLACE = Location("the changed line")
_LINES = ("CONFIG_", "# CONFIG_", f"{LACK} ")
_DIGITS = re.compile(r"\d+")


class Changed:
    """A configuration with other values: None takes the line out."""

    def __init__(self, base: Configuration, values: Mapping[str, str | None]) -> None:
        self._base = base
        self._values = values

    @property
    def complete(self) -> bool:
        return self._base.complete

    def symbols(self) -> Iterable[str]:
        yield from (name for name in self._base.symbols() if self._values.get(name, "") is not None)
        yield from (name for name in self._values if not self._base.shows(name))

    def shows(self, symbol: str) -> bool:
        if symbol in self._values:
            return self._values[symbol] is not None
        return self._base.shows(symbol)

    def get(self, symbol: str) -> str | None:
        return self._values[symbol] if symbol in self._values else self._base.get(symbol)

    def place(self, symbol: str) -> Location | Locator:
        return PLACE if symbol in self._values else self._base.place(symbol)

    def entry(self, symbol: str) -> ConfigEntry:
        if symbol in self._values:
            return entry_of(self._values[symbol], PLACE)
        return self._base.entry(symbol)


class Asked(Changed):
    """A configuration that keeps which symbols were asked for."""

    def __init__(self, base: Configuration) -> None:
        super().__init__(base, {})
        self.asked: dict[str, None] = {}

    def shows(self, symbol: str) -> bool:
        self.asked[symbol] = None
        return super().shows(symbol)

    def get(self, symbol: str) -> str | None:
        self.asked[symbol] = None
        return super().get(symbol)


class Edit(NamedTuple):
    """Lines of the configuration, the columns of words that are left out (of the boot line, and of
    the built-in one), words that are added, and settings of run time: None takes one back."""

    values: tuple[tuple[str, str | None], ...] = ()
    columns: frozenset[int] = frozenset()
    built_in: frozenset[int] = frozenset()
    words: tuple[str, ...] = ()
    settings: tuple[tuple[str, str | None], ...] = ()


def joined(edits: Iterable[Edit]) -> Edit:
    """All of them in one."""
    parts = list(edits)
    return Edit(
        tuple(pair for edit in parts for pair in edit.values),
        frozenset().union(*(edit.columns for edit in parts)),
        frozenset().union(*(edit.built_in for edit in parts)),
        tuple(dict.fromkeys(word for edit in parts for word in edit.words)),
        tuple(pair for edit in parts for pair in edit.settings),
    )


def edited(subject: Subject, edit: Edit) -> Subject:
    """The subject with the edit made."""
    values = dict(edit.values)
    if edit.built_in:
        values["CMDLINE"] = _shortened(subject.config.get("CMDLINE") or "", edit.built_in)
    config = Changed(subject.config, values) if values else subject.config
    sysctl, sysfs = dict(subject.sysctl), dict(subject.sysfs)
    for key, text in edit.settings:
        table = sysfs if key.startswith("/") else sysctl
        table.pop(key, None)
        if text is not None:
            table[key] = text, PLACE
    line = subject.cmdline
    if edit.columns or edit.words:
        line = _relined(line or CommandLine(""), edit)
    return subject._replace(config=config, cmdline=line, sysctl=sysctl, sysfs=sysfs)


def _relined(line: CommandLine, edit: Edit) -> CommandLine:
    kept = [word.text for word in line.words if word.column not in edit.columns]
    if not kept and edit.columns:
        kept = ["BOOT_IMAGE=/vmlinuz"]  # a boot loader that passes a line passes never an empty one
    return parse_cmdline(" ".join((*kept, *edit.words)), line.name)._replace(init=line.init)


def _shortened(value: str, columns: frozenset[int]) -> str:
    line = parse_cmdline(value.strip('"').replace('\\"', '"'), "CONFIG_CMDLINE", Layer.BUILT_IN)
    kept = [word.text for word in line.words if word.column not in columns]
    return '"' + " ".join((*kept, *line.for_init)).replace('"', '\\"') + '"'


# --- taking a cause back ------------------------------------------------------------------------


def taken_back(origins: Iterable[Origin], subject: Subject, knowledge: Knowledge) -> Iterator[Edit]:
    """The ways to take all of these causes back at once, one of each cause's own."""
    parts = [part for origin in origins for part in parts_of(origin)]
    for ways in product(*(list(_ways(origin, subject, knowledge)) for origin in parts)):
        yield joined(ways)


def parts_of(origin: Origin) -> Iterator[Origin]:
    """The lines that are named as one, since they are so together: of a group's member."""
    for text in origin.text.split(" and ") if origin.text.startswith(_LINES) else (origin.text,):
        layer = origin.layer if "CONFIG_" in text or len(text) == len(origin.text) else Layer.BOOT
        yield origin._replace(layer=layer, text=text)


def with_dependents(edit: Edit, tunable: Tunable, subject: Subject) -> Iterator[Edit]:
    """The edit, and with it what a symbol that it switches on brings into sight: what the rule sets
    beside it and no line is about, which the configuration asks for only then."""
    yield edit
    on = {symbol for symbol, value in edit.values if value in ("y", "m")}
    for pairs in (pairs for value in tunable.values for pairs in value.sets):
        hidden = tuple(pair for pair in pairs if subject.config.get(pair[0]) is None)
        if on.intersection(dict(pairs)) and hidden:
            yield edit._replace(values=(*hidden, *edit.values))


def _ways(origin: Origin, subject: Subject, knowledge: Knowledge) -> Iterator[Edit]:
    if origin.layer is Layer.BOOT and origin.text.startswith(LACK):
        yield Edit(words=(origin.text.removeprefix(LACK).strip().replace("*", "1"),))
    elif origin.layer is Layer.BOOT:
        # A word beside a line of the configuration stands where the line does.
        words = subject.cmdline.words if subject.cmdline else ()
        columns = {word.column for word in words if word.text == origin.text}
        own = {origin.location.column}
        yield Edit(columns=frozenset(own if own & columns else columns or own))
    elif origin.layer is Layer.BUILT_IN:
        # All of the built-in line stands in one place: a word of it goes by its text.
        text = (subject.config.get("CMDLINE") or "").strip('"').replace('\\"', '"')
        words = parse_cmdline(text, "CONFIG_CMDLINE", Layer.BUILT_IN).words
        yield Edit(built_in=frozenset(w.column for w in words if w.text == origin.text))
    elif origin.layer is Layer.RUNTIME:
        key = origin.text.partition("=")[0]
        yield Edit(settings=tuple((one, None) for one in alike(key, subject)))
    else:
        symbol, value = symbol_and_value(origin.text)
        yield from (Edit(values) for values in otherwise(symbol, value, knowledge))


def alike(key: str, subject: Subject) -> Iterator[str]:
    """The setting itself, and the same file of other policies, disks and the like that says the
    same: one line stands for all of them."""
    yield key
    text, shape = subject.sysfs.get(key, ("", PLACE))[0], _DIGITS.sub("*", key)
    for other, (said, _) in subject.sysfs.items():
        if other != key and said == text and _DIGITS.sub("*", other) == shape:
            yield other


def symbol_and_value(text: str) -> tuple[str, str]:
    """`CONFIG_HZ=250`, `# CONFIG_HZ_250 is not set` and `lack of CONFIG_HZ_250`, parted."""
    if text.startswith("lack of CONFIG_"):
        return text.removeprefix("lack of CONFIG_"), "n"
    if text.startswith("# CONFIG_"):
        return text.removeprefix("# CONFIG_").removesuffix(" is not set"), "n"
    symbol, _, value = text.removeprefix("CONFIG_").partition("=")
    return symbol, value


def otherwise(
    symbol: str, value: str, knowledge: Knowledge
) -> Iterator[tuple[tuple[str, str | None], ...]]:
    """The lines that say something else of a symbol: a switch its other value, a choice another
    member, a number or a text its default, which no configuration tells: the line left out, or
    another one."""
    siblings = [name for name in knowledge.siblings(symbol) if name != symbol]
    if value == "n":
        yield ((symbol, "y"), *((name, "n") for name in siblings))
    elif value in ("y", "m"):
        for other in siblings:
            yield ((symbol, "n"), (other, "y"))
        if not siblings:
            yield ((symbol, "n"),)
        if value == "m":
            yield ((symbol, "y"),)
    elif value.startswith('"'):
        yield ((symbol, '""'),)
        yield ((symbol, None),)
    else:
        yield ((symbol, "1" if value in ("0", "0x0") else "0"),)
        yield ((symbol, None),)


# --- following a remedy -------------------------------------------------------------------------


def followed(remedies: Iterable[Remedy], subject: Subject) -> Subject:
    """The subject after all of these remedies, each as its text says it, and after a reboot if one
    of them needs it: that forgets what was written at run time before."""
    remedies = list(remedies)
    if any(map(reboots, remedies)):
        subject = rebooted(subject)
    for vendor in {remedy.vendor for remedy in remedies} - {""}:
        subject = subject._replace(machine=subject.machine._replace(vendor=vendor))
    return edited(subject, joined(_step(remedy, subject) for remedy in remedies))


def reboots(remedy: Remedy) -> bool:
    """Whether it takes a reboot."""
    return remedy.kind is not RemedyKind.RUNTIME


def rebooted(subject: Subject) -> Subject:
    """The subject without what was written at run time."""
    return subject._replace(sysctl={}, sysfs={})


def _step(remedy: Remedy, subject: Subject) -> Edit:
    words = subject.cmdline.words if subject.cmdline else ()
    drop = frozenset(word.column for word in words if word.text in remedy.drop)
    settings = ((key, s.value) for s in remedy.settings for key in instances(s.key, subject))
    return Edit(
        tuple((change.symbol, change.new) for change in remedy.changes),
        columns=drop,
        words=remedy.words,
        settings=tuple(settings),
    )


def instances(key: str, subject: Subject) -> list[str]:
    """The files that a rule's path names: all that were told of `policy*` and of DEVICE; where none
    was, one of them."""
    parts = ["*" if part.isalpha() and part.isupper() else part for part in key.split("/")]
    told = fnmatch.filter(subject.sysfs, "/".join(parts))
    return told or ["/".join(part.replace("*", "0") for part in parts)]
