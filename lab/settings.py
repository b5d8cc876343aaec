"""Settings as the rules spell them: what gives a kernel of the lab the value of a tunable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from advisor.engine.effective.world import World
from advisor.engine.remedy.boot_remedies import boot_words
from advisor.engine.remedy.runtime_remedies import runtime_remedy
from advisor.errors import UsageError
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import index
from advisor.model.cmdline import parse_cmdline
from advisor.model.tunable import Member, Tunable

from .machine import Kernel
from .platform import platform_of


class Setting(NamedTuple):
    """One setting: words of the boot line, and files of /sys or /proc with what is written there;
    or the `lines` of a fragment, which another image was built with.

    `tunable` is an id, with `.SYMBOL` behind it for one member of a group; `against` is what the
    engine takes the kernel to have without it.
    """

    tunable: str
    value: str
    against: str
    words: tuple[str, ...] = ()
    writes: tuple[tuple[str, str], ...] = ()
    lines: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """As it is asked for, in one word: a value of several numbers with `_` between them."""
        return f"{self.tunable}={self.value}".replace(" ", "_")

    @property
    def way(self) -> str:
        """How a kernel is given it: `build`, `run-time` or `boot`."""
        return "build" if self.lines else "run-time" if self.writes else "boot"

    def line_on(self, kernel: str) -> str:
        """The boot line of the kernel of that name, up to what init gets."""
        return " ".join([platform_of(kernel).line, *self.words])

    @property
    def arguments(self) -> tuple[str, ...]:
        """What init gets."""
        return tuple(f"write={path}={text}" for path, text in self.writes)


# Nothing: what all others are held against. And a word that no kernel knows: held against nothing,
# it shows what a record is worth.
NOTHING = Setting("", "", "")
CONTROL = Setting("control", "on", "", words=("lab.control=1",))
# In the place of a tunable: several settings at once (together.py).
TOGETHER = "together"


class Rules:
    """What the rules know of one kernel on the lab's machine."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._as_it_is = set(kernel.platform.line.split())
        self._knowledge = index.load((), ())
        self._world = self._with(())

    def _with(self, words: tuple[str, ...]) -> World:
        """The kernel with these words on its line."""
        platform = self._kernel.platform
        line = parse_cmdline(" ".join([platform.line, *words]))
        given = Given(machine=platform.facts, cmdline=line)
        return World(read_subject(str(self._kernel.config), given), self._knowledge)

    def setting(self, asked: str) -> Setting:
        """TUNABLE=VALUE, or GROUP.SYMBOL=on|off for a member of a group.

        By the boot line where that can give it, else at run time. Raises UsageError where the
        rules have no such tunable or value, or neither way.
        """
        name, equals, value = asked.partition("=")
        if asked == CONTROL.name:
            return CONTROL
        tunable_id, _, symbol = name.partition(".")
        if not (equals and value) or tunable_id not in self._knowledge.ids("tunables"):
            raise UsageError(f"{asked} is no setting", hint="TUNABLE=VALUE, as the rules have them")
        tunable = self._knowledge.tunable(tunable_id)
        if tunable.kind == "text":
            value = value.replace("_", " ")
        found = self._of_member(tunable, symbol, value) if symbol else self._of(tunable, value)
        if found is None:
            raise UsageError(
                f"{self._kernel.name} takes {asked} neither on its boot line nor at run time",
                hint=f"kernel-advisor explain {tunable_id}",
            )
        return found

    def all_boot(self) -> Iterator[Setting]:
        """Every named value that the boot line can give and the kernel does not have already."""
        for name in self._knowledge.ids("tunables"):
            tunable = self._knowledge.tunable(name)
            found = (self._of(tunable, value.name) for value in tunable.values)
            yield from (setting for setting in found if setting and setting.words)

    def _of(self, tunable: Tunable, value: str) -> Setting | None:
        words = boot_words(tunable, value, self._world) or self._also_read(tunable, value)
        state = self._world.state(tunable.id)
        against = " or ".join(state.effective) if state else ""
        if words and not set(words) <= self._as_it_is:
            return Setting(tunable.id, value, against, words=words)
        remedy = runtime_remedy(tunable, value, self._world)
        settings = remedy.settings if remedy else ()
        writes = tuple((path_of(setting.key), setting.value) for setting in settings)
        if not writes or not all(_is_path(path) for path, _ in writes):
            return None
        return Setting(tunable.id, value, against, writes=writes)

    def _also_read(self, tunable: Tunable, value: str) -> tuple[str, ...]:
        """Of the other words that mean the value, the first that do on this kernel."""
        known = tunable.value(value)
        for words in known.reads if known else ():
            if not any("*" in word for word in words):
                state = self._with(words).state(tunable.id)
                before = self._world.state(tunable.id)
                if state and before and state.effective == (value,) != before.effective:
                    return words
        return ()

    def _of_member(self, tunable: Tunable, symbol: str, value: str) -> Setting | None:
        member = next((m for m in tunable.members if m.symbol == symbol), None)
        words = _switches(member, value) if member else ()
        new = (word for word in words if word not in self._as_it_is)
        known = [word for word in new if self._world.line.honours(word).truth is True]
        if not member or not known:
            return None
        against = "off" if value == "on" else "on"
        return Setting(f"{tunable.id}.{symbol}", value, against, words=(known[0],))


# Of words that take any text, what the lab gives them.
_TEXTS = {"trace_event=*": "trace_event=sched"}


def _switches(member: Member, value: str) -> tuple[str, ...]:
    words = {"on": member.boot_on, "off": member.boot_off}.get(value, ())
    given = (_TEXTS.get(word, word) for word in words)
    return tuple(word for word in given if not word.endswith("*"))


def path_of(name: str) -> str:
    """The file of a setting: of a sysctl that in /proc/sys."""
    return name if name.startswith("/") else "/proc/sys/" + name.replace(".", "/")


def _is_path(path: str) -> bool:
    """Whether it names one file: not a device of the user's, not a pattern."""
    return not any(part in path for part in ("*", "DEVICE", "GROUP"))
