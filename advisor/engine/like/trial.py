"""A tuning, tried on a kernel: the worlds before and after, and what differs between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from advisor.engine.diagnose.bootline import diagnose_line
from advisor.engine.diagnose.sysctls import diagnose_settings
from advisor.engine.effective.components import takes
from advisor.engine.effective.run_time import of_machine
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge
from advisor.knowledge import paths
from advisor.knowledge.sysfs import is_same
from advisor.model.cmdline import parameter_name, parse_cmdline
from advisor.model.finding import Diagnostic, Finding
from advisor.model.kernel import ABSENT, PRESENT, CommandLine, Location
from advisor.model.like import Entry, Tuning
from advisor.model.nextboot import RIVALS
from advisor.model.profile import Profile
from advisor.model.state import Origin, State
from advisor.model.tunable import Tunable

_WORDS = "\0words"
"""What the words' places are called, which have their numbers in place of lines."""
_ANY = "ro"
_Key = TypeVar("_Key")
_One = TypeVar("_One")


class Trial:
    """A tuning on the kernel of a world; what a profile asks for counts in both."""

    def __init__(self, tuning: Tuning, world: World, profiles: Sequence[Profile]) -> None:
        self.tuning = tuning
        self.world = world
        self.profiles = profiles
        self.entries = [self._meant(entry) for entry in tuning.entries]
        self.settings = [one for one in self.entries if not (one.told or one.is_word)]
        self.words = [one for one in self.entries if one.is_word and not one.told]
        self._changed: dict[Entry, list[Tunable]] = {}

    def _meant(self, entry: Entry) -> Entry:
        """Return the entry as the program carries it out on this kernel."""
        world = self.world
        if entry.rather:
            known = world.knowledge.sysctl_name(entry.rather)
            if not (known and world.lacks(known)):
                entry = entry._replace(key=entry.rather)
        if entry.choices:
            names = world.knowledge.naming("sysfs")
            name = next((one for one in names if is_same(one, entry.key)), entry.key)
            offered = (
                one
                for one in entry.choices
                if takes("sysfs", name, one, world.knowledge, world) is not False
            )
            entry = entry._replace(value=next(offered, entry.value))
        return entry

    # --- the worlds -------------------------------------------------------------------------------

    @cached_property
    def as_booted(self) -> World:
        """The kernel with its own line, before anything is set at run time."""
        subject = self.world.subject
        return self.world.after(subject.anew(of_machine(subject.sysfs))._replace(next=None))

    @cached_property
    def booted(self) -> World:
        """The kernel that boots with the tuning's words, before anything is set at run time."""
        return self.with_words(self.words)

    @cached_property
    def alone(self) -> World:
        """That kernel with the tuning's settings, and nothing else, written at run time."""
        return self._written(self.booted)

    @cached_property
    def final(self) -> World:
        """The kernel with all that is known of its run time, under the tuning."""
        subject = self.world.subject._replace(cmdline=self.booted.subject.cmdline, next=None)
        return self._written(self.world.after(subject))

    def with_words(self, words: Sequence[Entry]) -> World:
        """The kernel that boots with these words behind its own."""
        if not self.words:
            return self.as_booted
        subject = self.as_booted.subject
        line = subject.cmdline or CommandLine("")
        # A line that nobody told has words all the same, or else the first one would change more
        # than it is about.
        texts = [word.text for word in line.words] or [_ANY]
        column = len(" ".join(texts)) + 2
        spans = [(1, Location(line.name, 1, 1))]
        for number, entry in enumerate(words):
            spans.append((column, Location(_WORDS, number, 1)))
            texts.append(entry.value)
            column += len(entry.value) + 1
        made = parse_cmdline(" ".join(texts), line.name)
        made = made._replace(init=line.init, spans=tuple(spans), part=line.part)
        return self.world.after(subject._replace(cmdline=made))

    def _written(self, world: World) -> World:
        """The world with the settings written, in their order: a later one takes the place of an
        earlier one, and of that which the kernel makes 0 for it."""
        subject = world.subject
        sysctl, sysfs = dict(subject.sysctl), dict(subject.sysfs)
        for entry in self.settings:
            if entry.unless_boot and entry.unless_boot in world.line.by_name:
                continue
            if not entry.key.startswith("/"):
                sysctl[entry.key] = entry.value, entry.place
                rival = RIVALS.get(entry.key)
                if rival in sysctl and entry.value != "0":
                    sysctl[rival] = "0", entry.place
                continue
            instances = world.files.instances(entry.key).values()
            for path in instances or (entry.key.replace("*", "0"),):
                sysfs[path] = entry.value, entry.place
        return world.after(subject._replace(sysctl=sysctl, sysfs=sysfs))

    # --- what an entry is about -------------------------------------------------------------------

    def tunables(self, entry: Entry) -> list[Tunable]:
        """List the rules' tunables that an entry sets; of a word those that it changes."""
        if entry.is_word:
            return [] if entry.told else self._changed_by(entry)
        if entry.key.startswith("/"):
            return paths.tunables_at(entry.key, self.world.knowledge)
        return self._by_sysctl.get(entry.key, [])

    @cached_property
    def _by_sysctl(self) -> dict[str, list[Tunable]]:
        every = self.world.knowledge.tunables()
        return _grouped((key, tunable) for tunable in every for key in tunable.sysctls)

    def _changed_by(self, word: Entry) -> list[Tunable]:
        """List what is another thing without a word, or else what the word alone changes; those
        first that the word is made for."""
        name = parameter_name(word.value)
        if word not in self._changed:
            found: list[Tunable] = []
            if self.world.knowledge.parameter(name):
                found = moved(self.with_words(self.words_but(word)), self.booted)
                found = found or moved(self.with_words(()), self.with_words([word]))

            def is_other(one: Tunable) -> bool:
                words = (word for value in one.values for word in value.boot)
                return name not in {one.parameter, *map(parameter_name, words)}

            self._changed[word] = sorted(found, key=is_other)
        return self._changed[word]

    def later(self, entry: Entry, key: str) -> list[Entry]:
        """List the settings of a key behind a setting."""
        number = self._numbers[id(entry)]
        return [one for one in self._by_key.get(key, ()) if self._numbers[id(one)] > number]

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(one): number for number, one in enumerate(self.settings)}

    @cached_property
    def _by_key(self) -> dict[str, list[Entry]]:
        return _grouped((one.key, one) for one in self.settings)

    def words_but(self, word: Entry) -> list[Entry]:
        """List the other words."""
        return [one for one in self.words if one is not word]

    def tunable(self, entry: Entry) -> Tunable | None:
        """Return the tunable whose state an entry changes, or else the first of which it is
        known."""
        there = [one for one in self.tunables(entry) if self.final.value(one.id)]
        known = [one for one in there if values(self.final, one)]
        changed = (one for one in known if values(self.final, one) != values(self.world, one))
        return next(changed, next(iter(known or there), None))

    def shown(self, entry: Entry) -> list[str]:
        """List what run time shows of the files that an entry names."""
        return [text for text, _ in self._read(entry)]

    def places(self, entry: Entry) -> tuple[Location, ...]:
        """Return where that was read, each place once."""
        return tuple(dict.fromkeys(origin.location for _, origin in self._read(entry)))

    def _read(self, entry: Entry) -> list[tuple[str, Origin]]:
        if not entry.key.startswith("/"):
            told = self.world.settings().get(entry.key)
            return [told] if told else []
        files = self.world.files
        read = ((files.text(one), files.origin(one)) for one in files.instances(entry.key).values())
        return [(text, origin) for text, origin in read if text not in (PRESENT, ABSENT)]

    # --- what is said of it -----------------------------------------------------------------------

    def diagnostics(self, entry: Entry) -> Iterable[Diagnostic]:
        """The diagnostics of a word or setting."""
        if entry.is_word:
            return self._of_words.get(self.words.index(entry), ())
        return self._of_settings.get(entry.key, ())

    @cached_property
    def _of_words(self) -> dict[int, list[Diagnostic]]:
        told = diagnose_line(self.booted) if self.words else ()
        here = (one for one in told if one.location.path == _WORDS)
        return _grouped((one.location.line, one) for one in here)

    @cached_property
    def _of_settings(self) -> dict[str, list[Diagnostic]]:
        return _grouped((one.subject, one) for one in diagnose_settings(self.alone))

    @cached_property
    def after(self) -> list[Finding]:
        """The advice of the profiles on the kernel under the tuning, without remedies."""
        return judge(self.final, self.profiles, lambda _: False)

    @cached_property
    def before(self) -> list[Finding]:
        """The advice of the profiles on the kernel as it is."""
        return judge(self.world, self.profiles)


def _grouped(pairs: Iterable[tuple[_Key, _One]]) -> dict[_Key, list[_One]]:
    found: dict[_Key, list[_One]] = {}
    for key, one in pairs:
        found.setdefault(key, []).append(one)
    return found


def values(world: World, tunable: Tunable) -> tuple[str, ...]:
    """Return the possible values of a tunable; none where nothing is known of it."""
    state: State | None = world.value(tunable.id)
    return state.effective if state else ()


def moved(before: World, after: World) -> list[Tunable]:
    """List the tunables that have other values in one world than in the other."""
    every = before.knowledge.tunables()
    return [one for one in every if values(before, one) != values(after, one)]
