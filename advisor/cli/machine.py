"""`machine`, which is also what `kernel-advisor` alone does: a machine on one screen."""

from __future__ import annotations

import sys

from advisor.cli.command import command
from advisor.cli.options import KNOWLEDGE, OUTPUT, SUBJECT, Request
from advisor.cli.printing import emit, targets
from advisor.errors import InputError
from advisor.model.evidence import Signs
from advisor.model.kernel import Machine
from advisor.model.screen import Screen
from advisor.output import SCREEN_FORMATS

MOST_PROFILES = 5
_HERE = "/"
_FEW = 3
_FORMATS = "text, json, markdown or html."


@command(
    SUBJECT.hosts,
    KNOWLEDGE.rules,
    KNOWLEDGE.profiles,
    OUTPUT.format.but(help=_FORMATS),
    OUTPUT.write,
    OUTPUT.output,
)
def machine(request: Request) -> int:
    """Show this machine on one screen. Runs also if no command is given."""
    wanted = targets(request.output, SCREEN_FORMATS)
    # It is about the machine, wherever it is asked: settings are for those who audit.
    request = request._replace(policy=request.policy._replace(no_settings=True))
    screens = [_of_host(request, host) for host in request.subject.hosts] or [_here(request)]
    for target in wanted:
        emit(target, screens)
    return 0


def _here(request: Request) -> Screen:
    """This machine; what can be said of it where no Linux can be seen."""
    if sys.platform != "linux":
        return _blank(f"this machine runs {sys.platform}, not Linux")
    try:
        return _of_host(request, _HERE)
    except InputError as error:
        if error.where != _HERE:
            raise
        return _blank(
            "no kernel was found here: /boot has no configuration, and /proc shows no kernel "
            "(for example in a chroot)"
        )


def _blank(note: str) -> Screen:
    return Screen("", "", None, Machine(), Signs(""), notes=(note,))


def _of_host(request: Request, folder: str) -> Screen:
    """The host in that folder. Raises InputError."""
    from advisor.cli.auditor import Auditor
    from advisor.engine.screen import screen, shown
    from advisor.inputs.host.root import reasons

    host = Auditor(request).host(folder)
    report = host.as_asked()
    signs = host.fits.signs if host.fits else Signs("")
    judged = tuple(profile.id for profile in report.profiles)
    alone = [
        report if judged == (name,) else host.report((name,), "")
        for name in shown(report, MOST_PROFILES)
    ]
    unread = host.fits.unread if host.fits else {}
    sentences = [f"{', '.join(paths[:_FEW])}: {why}" for why, paths in reasons(unread)]
    return screen(host.release, report, alone, signs, sentences)
