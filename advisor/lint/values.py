"""Values that a kernel takes and that none of a rule is: of a sysctl, or of a boot parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from advisor.engine.effective.word_values import means
from advisor.knowledge.store import Knowledge
from advisor.model.cmdline import parse_cmdline
from advisor.model.numbers import kernel_number
from advisor.model.parameter import Parameter
from advisor.model.tunable import Tunable, Value

_MOST = 16
"""The longest range of which every number is tried."""
_SAMPLE = (0, 1, 2, 3, 100)
"""What is tried of longer ranges: what switches and modes use, and a number beyond."""


def unnamed_values(
    tunable: Tunable, knowledge: Knowledge, touches: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Yield each sysctl or parameter of which the kernel takes a value that is none of the rule's.

    Of parameters only those that touch nothing else: others set what further rules are about.
    """
    for key in (key for key in tunable.sysctls if key != tunable.sysctl):
        for text in _numbers(key, knowledge):
            if not any(value.reads_as(key, text) for value in tunable.values):
                yield key, f"the kernel takes {key} = {text}, but the tunable has no such value"
                break
    # Of several parameters the last word wins, and one that changes nothing shall not.
    names = {word.partition("=")[0] for value in tunable.values for word in alone(value)}
    for name in names if len(names) == 1 else ():
        parameter = knowledge.parameter(name)
        patterns = [word for value in tunable.values for word in alone(value)]
        if parameter is None or parameter.joined or touches.get(name) != [tunable.id]:
            continue
        for text in _words(parameter):
            (word,) = parse_cmdline(f"{name}={text}").words
            if not any(means(word, one, parameter) for one in patterns):
                yield name, f"the kernel takes {name}={text}, but the tunable has no such value"
                break


def _numbers(key: str, knowledge: Knowledge) -> list[str]:
    """The numbers to try of a sysctl; none of a text."""
    seen = knowledge.sysctl_catalogue.seen(key)
    numbers: set[int] = set()
    for kind, _, span in (fact.traits.partition(":") for fact in (seen.facts if seen else ())):
        low, _, high = span.partition("..")
        if kind == "b":
            numbers |= {0, 1}
        elif kind in ("i", "u", "x"):
            first, last = kernel_number(low), kernel_number(high)
            if first is None or last is None or last - first > _MOST:
                numbers.update(_SAMPLE)
            else:
                numbers.update(range(first, last + 1))
    return [str(n) for n in sorted(numbers) if not knowledge.sysctl_catalogue.refuses(key, str(n))]


def alone(value: Value) -> list[str]:
    """The words that alone give the value."""
    return [way[0] for way in (value.boot, *value.reads) if len(way) == 1]


def _words(parameter: Parameter) -> list[str]:
    """The values to try of a parameter; none of a text or a truth value."""
    if parameter.words:
        return [word.removesuffix("*") for word, _ in parameter.words if word]
    return [*map(str, _SAMPLE)] if parameter.type in ("int", "truth") else []
