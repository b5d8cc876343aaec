"""Where programs look for files of settings, the folder first that counts over the others."""

from __future__ import annotations

_PREFIXES = ("/etc", "/usr/local/lib", "/usr/lib", "/lib")
RUNTIME = "/run"
"""A folder like these, second to /etc, which is empty after a boot."""


def folders(kind: str) -> tuple[str, ...]:
    """Lists the folders of a kind, as `sysctl.d`, that kmod, procps, systemd and udev have in
    common.

    >>> folders("sysctl.d")[0], folders("udev/rules.d")[-1]
    ('/etc/sysctl.d', '/lib/udev/rules.d')
    """
    return tuple(f"{prefix}/{kind}" for prefix in _PREFIXES)


UNITS = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
"""Of systemd's units, and of the links by which these are started."""
