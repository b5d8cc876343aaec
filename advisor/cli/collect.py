"""`collect`: a snapshot of a host in one file, or the script that takes one elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from advisor.cli.command import command
from advisor.cli.options import COLLECT, KNOWLEDGE, OUTPUT, SUBJECT, Request
from advisor.cli.printing import to_stdout
from advisor.errors import OutputError, UsageError

if TYPE_CHECKING:
    from advisor.inputs.host.taken import Take
    from advisor.knowledge.store import Knowledge


@command(
    *COLLECT,
    SUBJECT.hosts.but(help="Pack the host in this folder or archive, not this machine."),
    KNOWLEDGE.rules,
    KNOWLEDGE.profiles,
    OUTPUT.output,
)
def collect(request: Request) -> int:
    """Pack a host into one file, to audit it on another machine with --host. Masks secrets."""
    from advisor.knowledge import index

    if request.collect.script and request.subject.hosts:
        raise UsageError(
            "cannot be combined with --script: the script packs the host that runs it",
            where="--host",
            hint="leave out --host",
        )
    if len(request.subject.hosts) > 1:
        raise UsageError(
            "a snapshot has one host", where="--host", hint="run collect once for each host"
        )
    options = request.knowledge
    knowledge = index.load(options.rules, options.profiles)
    if request.collect.script:
        _write(_script(knowledge).encode(), request.output.output, text=True)
    else:
        host = (*request.subject.hosts, "/")[0]
        _write(_packed(_snapshot(knowledge, host)), request.output.output, text=False)
    return 0


def _processes(knowledge: Knowledge) -> frozenset[str]:
    """The names of processes that tell what a host is for."""
    from advisor.inputs.host.signs import NAMED

    evidence = [one for candidate in knowledge.candidates() for one in candidate.evidence]
    return NAMED | {name for one in evidence for name in one.processes}


def _takes(knowledge: Knowledge) -> tuple[Take, ...]:
    from advisor.inputs.host.taken import taken

    return taken(*map(knowledge.run_time_names, ("sysctl", "sysfs", "there")))


def _script(knowledge: Knowledge) -> str:
    from advisor.inputs.host.kernel import KEPT, RUNNING
    from advisor.inputs.host.script import script

    return script(_takes(knowledge), _processes(knowledge), (RUNNING, *KEPT))


def _snapshot(knowledge: Knowledge, host: str) -> bytes:
    from advisor.inputs.host.collect import snapshot_of
    from advisor.inputs.host.read import root_of

    return snapshot_of(root_of(host), _takes(knowledge), _processes(knowledge))


def _packed(text: bytes) -> bytes:
    """As gzip has it, without a name or a time."""
    import zlib

    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    return packer.compress(text) + packer.flush()


def _write(data: bytes, path: str | None, *, text: bool) -> None:
    """Writes to the file, or to standard output. Raises OutputError, and UsageError where a
    terminal would get what is not for it."""
    if path is not None:
        from advisor.files import write_atomically

        write_atomically(path, data)
    elif text:
        to_stdout(data.decode())
    elif sys.stdout is None or sys.stdout.isatty():
        hint = "write it with -o host.snapshot, or redirect the output"
        raise UsageError("a snapshot cannot be written to a terminal", where="--output", hint=hint)
    else:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except OSError as error:
            raise OutputError(f"cannot be written: {error.strerror}", where="<stdout>") from error
