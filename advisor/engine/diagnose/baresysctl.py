"""What to do about a sysctl that stands on the boot line by its bare name, which nothing reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.judge import satisfied_by
from advisor.engine.state import World
from advisor.model.kernel import Word
from advisor.model.report import ASIDE, Finding
from advisor.model.rules import Tunable


def remedy_of(word: Word, name: str, world: World, findings: Iterable[Finding]) -> str:
    """How to set the sysctl `name` to what the word says, which the kernel reads with `sysctl.`
    before the name since 5.8; or to take the word out, where the value would do nothing in this
    kernel, or what a profile asks for is another one."""
    value = word.value or ""
    for tunable in _set_by(name, world):
        if world.value(tunable.id) is None:
            return f"remove it: it would do nothing in this kernel ({tunable.title})"
        if _is_unwanted(tunable, name, value, world, findings):
            return "remove it: in force, it would be against what the profile asks for"
    if world.knowledge.sysctl_catalogue.refuses(name, value):
        switched = {"on": "1", "yes": "1", "off": "0", "no": "0"}
        value = switched.get(value.lower(), "NUMBER")
    meant = f"sysctl.{name}={value}"
    if world.line.honours(meant).truth is True:
        return f"write {meant}"
    return "set it in /etc/sysctl.d"


def _set_by(name: str, world: World) -> Iterator[Tunable]:
    # All rules are decoded for it, which few lines are worth: those that have such a word.
    for tunable in world.knowledge.tunables():
        if tunable.sysctl == name or any(name in dict(one.sysctl) for one in tunable.values):
            yield tunable


def _is_unwanted(
    tunable: Tunable, name: str, text: str, world: World, findings: Iterable[Finding]
) -> bool:
    """Whether advice that applies asks for another value than the one that the text gives."""
    named = (one.name for one in tunable.values if dict(one.sysctl).get(name) == text)
    value = next(named, text)
    options = (
        option
        for finding in findings
        if finding.verdict not in ASIDE
        for option in finding.advice.options
        if option.tunable == tunable.id
    )
    tests = (satisfied_by(option, world) for option in options)
    return any(test is not None and not test(value) for test in tests)
