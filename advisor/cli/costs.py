"""`costs`: of what a configuration has, what the lab measured."""

from __future__ import annotations

from advisor.cli.options import CONFIGS, KNOWLEDGE, MACHINE, OUTPUT, SUBJECT, Request, command
from advisor.cli.printing import complain, emit, targets
from advisor.cli.values import given_by
from advisor.errors import InputError
from advisor.output import COST_FORMATS


@command(
    CONFIGS,
    *SUBJECT.without("merge", "hosts"),
    *MACHINE,
    KNOWLEDGE.rules,
    *OUTPUT.without("all", "verbose"),
)
def costs(request: Request) -> int:
    """Of what a configuration has, what the lab measured."""
    from advisor.engine.costs import ledger
    from advisor.engine.state import World
    from advisor.inputs.config import read_config
    from advisor.inputs.subject import subject_of
    from advisor.knowledge import index

    wanted = targets(request.output, COST_FORMATS)
    knowledge = index.load(request.knowledge.rules)
    given = given_by(request)
    paths = request.subject.configs
    ledgers, failures = [], 0
    for path in paths:
        try:
            config = read_config(path, complete=request.subject.whole)
        except InputError as error:
            if len(paths) == 1:
                raise
            complain(str(error))
            failures += 1
            continue
        if len(config) and not ((given.machine.arch or config.arch) and config.version):
            from advisor.knowledge.inference import infer

            infer(config, knowledge.catalogue, given.machine.arch)
        ledgers.append(ledger(World(subject_of(config, given), knowledge)))
    if ledgers:
        for target in wanted:
            emit(target, ledgers)
    return InputError.exit_code if failures else 0
