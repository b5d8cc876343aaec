"""sysctl.d/*.conf and sysctl.conf, as sysctl(8) of procps 4.0 and systemd-sysctl 252 read them."""

from __future__ import annotations

from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.sysctl import parse_sysctl


def read(text: str, into: Gathered) -> None:
    """Gathers the settings. Raises InputError with all the lines that are none."""
    for key, (value, place) in parse_sysctl(text, into.name).items():
        into.sysctl(key, value, place.line)
