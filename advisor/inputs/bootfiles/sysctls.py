"""sysctl.d/*.conf and sysctl.conf, as sysctl(8) of procps 4.0 and systemd-sysctl 252 read them.

Both pass over a line that is no setting. What a template would fill in is told.
"""

from __future__ import annotations

from advisor.errors import InputError
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.sysctl import parse_sysctl

_TEMPLATES = ("{{", "{%", "${")


def read(text: str, into: Gathered) -> None:
    """Gathers the settings; lines that are none are told."""
    for number, line in enumerate(text.split("\n"), 1):
        if any(sign in line for sign in _TEMPLATES) and line.lstrip()[:1] not in ("#", ";"):
            into.computed(line, number, "a template")
            continue
        try:
            settings = parse_sysctl(line, into.name)
        except InputError:
            into.computed(line, number, _odd(line))
            continue
        for key, (value, _) in settings.items():
            into.sysctl(key, value, number)


def _odd(line: str) -> str:
    key, equals, _ = line.partition("=")
    bare = equals and len(key.split()) == 1
    return "not the name of a sysctl: it has no dot" if bare else "not a line KEY = VALUE"
