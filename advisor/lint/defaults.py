"""The defaults that rules name, held against the initial values in one kernel tree's C source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.engine.effective.word_values import means
from advisor.lint.csource.initial import Initial, Initials
from advisor.lint.csource.sysctls import Sysctl
from advisor.lint.values import alone
from advisor.lint.view import Contradiction, TreeView
from advisor.model.cmdline import parse_cmdline
from advisor.model.tunable import Tunable, Value

_MODULE = re.compile(r"/sys/module/(\w+)/parameters/(\w+)")


class Defaults:
    """The initial values that the C source of one tree has for the defaults of rules."""

    def __init__(self, initials: Initials, sysctls: Mapping[str, Sysctl], view: TreeView) -> None:
        self._initials = initials
        self._sysctls = sysctls
        self._view = view

    def check(self, tunable: Tunable, cited: list[str]) -> list[Contradiction | None]:
        """Checks a tunable's default by each parameter and sysctl that has it; `cited` are files
        that its sources name. An empty list: there is a default, and no value to hold it against.
        """
        wanted = self._possible(tunable)
        return [
            self._against(tunable, name, initials, wanted)
            for name, initials in self._values(tunable, cited)
            if any(self._names(tunable, name, one, wanted) for one in initials)
        ]

    def applies(self, tunable: Tunable) -> bool:
        """Whether the tunable has a default in this tree."""
        return bool(self._view.possible(tunable.only_if) and self._possible(tunable))

    def _possible(self, tunable: Tunable) -> dict[str, str]:
        """The values that are the default in this tree, or may be; each with its line's text."""
        possible = {}
        for one in tunable.defaults:
            truth = self._view.truth(one.only_if)
            if truth is not False:
                possible[one.value] = f'value = "{one.value}"'
            if truth is True:
                return possible
        if tunable.default:
            possible.setdefault(tunable.default, f'default = "{tunable.default}"')
        return possible

    def _values(self, tunable: Tunable, cited: list[str]) -> Iterator[tuple[str, list[Initial]]]:
        """Yields each parameter and sysctl of a tunable with what its variable starts as."""
        ways = [way for value in tunable.values for way in (value.boot, *value.reads)]
        files = [path for value in tunable.values for path, _ in value.sysfs]
        modules = map(_MODULE.fullmatch, (tunable.sysfs, tunable.shows, *files))
        parameters = [tunable.parameter, *(way[0].partition("=")[0] for way in ways if way)]
        parameters += [".".join(match.groups()) for match in modules if match]
        for name in dict.fromkeys(filter(None, parameters)):
            yield name, self._initials.of_parameter(name, self._view.arch, cited)
        for name in tunable.sysctls:
            if sysctl := self._sysctls.get(name):
                yield name, self._initials.of_sysctl(sysctl, cited)

    def _names(
        self, tunable: Tunable, name: str, initial: Initial, wanted: Iterable[str]
    ) -> set[str]:
        """The values of a tunable that a parameter or sysctl means by what it starts as."""
        if not tunable.values:
            return {initial.value} if all(map(_is_number, (initial.value, *wanted))) else set()
        spelled = {
            value.name: self._is_read(value, name, initial.value) for value in tunable.values
        }
        built = any(value.built_when for value in tunable.values)
        if tunable.kind == "switch" and not built and [*spelled.values()].count(None) == 1:
            # One of on and off has no word of its own: it is what the other's words are not.
            other = any(spelled.values())
            spelled = {key: not other if read is None else read for key, read in spelled.items()}
        # What no word gives is a value beside all that the variable may be.
        named = all(spelled.get(value) is not None for value in wanted)
        return {key for key, read in spelled.items() if read} if named else set()

    def _is_read(self, value: Value, name: str, text: str) -> bool | None:
        """Whether a parameter or sysctl of that text gives the value; None if none of it does."""
        words = [word for word in alone(value) if word.partition("=")[0] == name]
        if not words and name not in dict((*value.sysctl, *value.texts)):
            return None
        (word,) = parse_cmdline(f"{name}={text}").words
        parameter = self._view.knowledge.parameter(name)
        return value.reads_as(name, text) or any(means(word, one, parameter) for one in words)

    def _against(
        self, tunable: Tunable, name: str, initials: list[Initial], wanted: dict[str, str]
    ) -> Contradiction | None:
        if any(self._names(tunable, name, one, wanted) & {*wanted} for one in initials):
            return None
        value, where = initials[0]
        default, line = next(iter(wanted.items()))
        says = f"the default is {default}"
        rule = f"tunable/{tunable.id}"
        return Contradiction("initial", rule, line, says, f"{name} starts as {value}", where)


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()
