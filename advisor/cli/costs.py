"""`costs`: of what a configuration has, what the lab measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.command import command
from advisor.cli.options import CONFIGS_OR_HOSTS, KNOWLEDGE, MACHINE, OUTPUT, SUBJECT, Request
from advisor.cli.printing import complain, emit, targets
from advisor.cli.values import given_by, host_by
from advisor.errors import InputError
from advisor.output import COST_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.inputs.config import KernelConfig
    from advisor.inputs.subject import Given
    from advisor.knowledge.store import Knowledge
    from advisor.model.measured import Ledger


@command(
    CONFIGS_OR_HOSTS,
    *SUBJECT.without("configs", "merge"),
    *MACHINE,
    KNOWLEDGE.rules,
    *OUTPUT.without("all", "verbose"),
)
def costs(request: Request) -> int:
    """Show the measured costs of the settings that are enabled."""
    from advisor.cli.audit import with_host
    from advisor.knowledge import index

    wanted = targets(request.output, COST_FORMATS)
    request = with_host(request)
    knowledge = index.load(request.knowledge.rules)
    subject = request.subject
    asked: list[tuple[Callable[[str, Request, Knowledge], Ledger], str]] = [
        *((_of_config, path) for path in subject.configs),
        *((_of_host, folder) for folder in subject.hosts),
    ]
    ledgers, failures = [], 0
    for of, path in asked:
        try:
            ledgers.append(of(path, request, knowledge))
        except InputError as error:
            if len(asked) == 1:
                raise
            complain(str(error))
            failures += 1
    if ledgers:
        for target in wanted:
            emit(target, ledgers)
    return InputError.exit_code if failures else 0


def _of_config(path: str, request: Request, knowledge: Knowledge) -> Ledger:
    from advisor.cli.mistakes import config_of

    config = config_of(path, complete=request.subject.whole)
    return _ledger(config, given_by(request), knowledge)


def _of_host(folder: str, request: Request, knowledge: Knowledge) -> Ledger:
    """Of a host what runs counts, and its boot line."""
    host, given = host_by(request, knowledge, folder)
    return _ledger(host.config, given, knowledge)._replace(name=host.name)


def _ledger(config: KernelConfig, given: Given, knowledge: Knowledge) -> Ledger:
    from advisor.engine.costs import ledger
    from advisor.engine.effective.world import World
    from advisor.inputs.subject import subject_of

    dated = given.kernel or config.version
    if len(config) and not ((given.machine.arch or config.arch) and dated):
        from advisor.knowledge.inference import infer

        infer(config, knowledge.catalogue, given.machine.arch)
    return ledger(World(subject_of(config, given), knowledge))
