"""The remedy for a sysctl on the boot line under its bare name, which the kernel does not read."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import satisfied_by
from advisor.model.kernel import Word
from advisor.model.report import ASIDE, Finding
from advisor.model.rules import Tunable


def remedy_of(word: Word, name: str, world: World, findings: Iterable[Finding]) -> str:
    """Return how to set the sysctl `name` to the word's value: since 5.8 the kernel reads it with
    `sysctl.` before the name. Or, if the value would have no effect in this kernel, or a profile
    asks for another one, return to take the word out."""
    value = word.value or ""
    # Few lines have such a word: only these pay for decoding all rules.
    for tunable in world.knowledge.tunables():
        if name not in tunable.sysctls:
            continue
        if world.value(tunable.id) is None:
            return f"remove it: it would do nothing in this kernel ({tunable.title})"
        if _is_unwanted(tunable, name, value, world, findings):
            return "remove it: as a sysctl it would contradict what the profile asks for"
    if world.knowledge.sysctl_catalogue.refuses(name, value):
        switched = {"on": "1", "yes": "1", "off": "0", "no": "0"}
        value = switched.get(value.lower(), "NUMBER")
    meant = f"sysctl.{name}={value}"
    if world.line.honours(meant).truth is True:
        return f"write {meant}"
    return "set it in /etc/sysctl.d"


def _is_unwanted(
    tunable: Tunable, name: str, text: str, world: World, findings: Iterable[Finding]
) -> bool:
    """Return whether advice that applies asks for another value than the one of the text."""
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
