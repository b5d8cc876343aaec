"""Whether the values in kernel-advisor.toml are what the options take, all of them at once.

Held before any configuration is read, since a wrong value may be for one that is not in this run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from advisor.errors import KnowledgeError, UsageError
from advisor.inputs.subject import kernel_of
from advisor.knowledge.store import Knowledge
from advisor.request import Request, filled, machine_by, weakest
from advisor.session import fail_on_of
from advisor.settings import Problem, Settings, Table

Check = tuple[str, Callable[[], object]]


def check_values(settings: Settings, knowledge: Knowledge) -> None:
    """Raises KnowledgeError naming every value that no option would take."""
    problems: list[Problem] = []
    for table in (settings.top, *settings.subjects):
        for key, check in _checks(table, settings.top, knowledge):
            try:
                check()
            except UsageError as error:
                name = key or error.where.removeprefix("--")
                problems.append((str(table.location), f"{name}: {error.message} ({error.hint})"))
    if problems:
        raise KnowledgeError(problems)


def _checks(table: Table, top: Table, knowledge: Knowledge) -> Iterator[Check]:
    """What refuses a wrong value, with its key; empty where the error says it."""
    told = filled(Request([], []), {"cpus": top.options.get("cpus"), **table.options})
    if told.cpus is None:
        # The command line may yet tell how many there are.
        told = told._replace(isolate=None)
    for name in told.profile:
        yield "", partial(knowledge.profile, name)
    if prefer := table.options.get("prefer"):
        yield "prefer", partial(knowledge.profile, prefer)
    yield "", partial(fail_on_of, told.fail_on)
    yield "", partial(weakest, told)
    yield "", partial(kernel_of, told.kernel)
    yield "", partial(machine_by, told)
