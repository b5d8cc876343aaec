"""Which advice the next boot turns: followed now and then no more, or the other way round.

The next boot is a subject of its own, judged as any other, and only where something differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from advisor.engine.judge import judge_advice
from advisor.engine.runtime import Files, of_machine
from advisor.engine.state import World
from advisor.model.kernel import Location
from advisor.model.report import Finding, State, Verdict
from advisor.model.rules import Tunable
from advisor.model.subject import Subject

_FEW = 3
_DECIDED = (Verdict.OK, Verdict.CHANGE, Verdict.BLOCKED)


class Turns:
    """What is asked of the findings that a subject has now, and of those after its next boot."""

    def __init__(self, world: World, findings: Iterable[Finding]) -> None:
        self._world = world
        # What is waived asks for nothing.
        self._findings = [one for one in findings if one.verdict in _DECIDED and not one.waived]

    def set_by(self, key: str) -> str:
        """The advice that another value of a sysctl or file turns, as the end of a sentence."""
        files = Files({key: ("", Location(key))})

        def meant(finding: Finding) -> bool:
            return any(name == key or files.instances(name) for name in keys_of(finding.tunable))

        return self._told(meant)

    def booted(self) -> str:
        """Likewise, of another boot line."""
        return self._told(lambda finding: self._differs(finding, lambda state: state.boot))

    def compiled(self) -> str:
        """Likewise, of another kernel."""
        return self._told(lambda finding: self._differs(finding, lambda state: state.compiled))

    @cached_property
    def _then(self) -> World:
        return World(after_boot(self._world.subject), self._world.knowledge)

    def _differs(self, finding: Finding, layer: Callable[[State], tuple[str, ...]]) -> bool:
        now, then = finding.state, self._then.value(finding.tunable.id)
        return then is not None and layer(now) != layer(then)

    def _told(self, meant: Callable[[Finding], bool]) -> str:
        """`; then database is not content with swappiness`: nothing where nothing turns."""
        turned: dict[bool, dict[str, str]] = {True: {}, False: {}}
        for finding in filter(meant, self._findings):
            # Whether it is as wanted counts here, and no remedy.
            then = judge_advice(finding.advice, self._then, lambda _: False).verdict
            before, after = (one is Verdict.OK for one in (finding.verdict, then))
            if then in _DECIDED and before is not after:
                name = f"{finding.tunable.id} ({finding.advice.strength.value})"
                turned[after].setdefault(finding.tunable.id, name)
        parts = [
            f"{_listed(names.values())} {verb} {how}"
            for after, how in ((False, "no more as wanted"), (True, "as wanted"))
            if (names := turned[after])
            for verb in ("are" if len(names) > 1 else "is",)
        ]
        return f"; then {', and '.join(parts)}" if parts else ""


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _FEW} more" * (len(every) > _FEW)
    return ", ".join(every[:_FEW]) + more


def keys_of(tunable: Tunable) -> list[str]:
    """The sysctls and files by which a tunable is set or shown."""
    keys = [key for key in (tunable.sysctl, tunable.sysfs) if key]
    for value in tunable.values:
        keys += [key for key, _ in (*value.sysctl, *value.sysfs, *value.shows)]
    return list(dict.fromkeys(keys))


def after_boot(subject: Subject) -> Subject:
    """The subject as it will be after the next boot."""
    after = subject.next
    if after is None:
        return subject
    entry = after.entry
    line = entry.line if entry and entry.line and not entry.line.part else subject.cmdline
    written = {key: (one.value, one.place) for key, one in after.writes.items()}
    files = {key: value for key, value in written.items() if key.startswith("/")}
    return subject.anew({**of_machine(subject.sysfs), **files})._replace(
        config=after.config or subject.config,
        cmdline=line,
        sysctl={key: value for key, value in written.items() if not key.startswith("/")},
        notes=(),
        next=None,
    )
