"""`verify`: whether a plan holds on a host, and of what does not, why."""

from __future__ import annotations

from advisor.cli.command import command
from advisor.cli.options import OUTPUT, PLANNING, SUBJECT, VERIFY, Request
from advisor.cli.plan import effort_of
from advisor.cli.printing import complain, emit, put, targets
from advisor.errors import InputError, UsageError
from advisor.inputs.plans import read_plan
from advisor.output import VERIFY_FORMATS

_EFFORT = "Items to check, by effort: now, boot (default) or rebuild."


@command(
    *VERIFY,
    SUBJECT.hosts.but(help="Files of a host: /, a folder or a snapshot (default: /)."),
    PLANNING.effort.but(default="boot", help=_EFFORT),
    *OUTPUT.without("all", "verbose"),
    OUTPUT.verbose.but(help="Also list the items that pass the check."),
)
def verify(request: Request) -> int:
    """Check whether a plan holds on a host, and why an item does not hold."""
    from advisor.engine.verify import differences
    from advisor.engine.verify import verify as held
    from advisor.inputs.host.seen import read_seen

    wanted = targets(request.output, VERIFY_FORMATS)
    most = effort_of(request.planning.effort)
    if len(request.subject.hosts) > 1:
        hint = "run verify once for each host"
        raise UsageError("a plan is for one host", where="--host", hint=hint)
    plan = read_plan(request.verify.plan)
    seen = read_seen((*request.subject.hosts, "/")[0], plan)
    if differs := differences(plan, seen):
        texts = (
            f"{what} {asked} (this host: {is_so or 'not known'})" for what, asked, is_so in differs
        )
        message = f"{plan.path} is for {'; '.join(texts)}"
        if not request.verify.anyway:
            raise InputError(
                message, where=seen.name, hint="make a plan for this host, or add --anyway"
            )
        complain(message)
    result = held(plan, seen, most)
    if request.verify.quiet:
        from advisor.output.verifypage import line

        put(f"kernel-advisor: {line(result)}\n", request.output.output)
    else:
        for target in wanted:
            emit(target, [result], request.output.verbose)
    return 1 if result.failed else 0
