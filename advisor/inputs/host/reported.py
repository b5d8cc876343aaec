"""What commands printed on a host, as an sos report keeps it, where the files themselves lack.

sos leaves most of /proc/sys out and keeps what `sysctl -a` and `uname -a` print
(sos/report/plugins/kernel.py of sos 4.0).
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from advisor.inputs.host.root import Root
from advisor.inputs.runtime import Settings
from advisor.inputs.sysctl import dotted
from advisor.model.kernel import Location

SYSCTL = "/sos_commands/kernel/sysctl_-a"
"""What `sysctl -a` printed, of a report of any kind."""
UNAME = "/sos_commands/kernel/uname_-a"
"""What `uname -a` printed."""
_MOST = 1 << 20
"""The most bytes of a command's output that are read."""
# Of uname -a: system, name of the host, release; behind these the version has words of its own.
_RELEASE = 2


def is_report(root: Root) -> bool:
    """Whether these are the files that a report chose: one that it lacks may be on the host."""
    return not root.runs and (root.has("/sos_commands") or root.has(UNAME))


def settings(root: Root, names: Iterable[str], known: Container[str]) -> Settings:
    """The sysctls of these names that a report shows, without those that are known, with the lines
    of it; a line that is no setting is left out."""
    wanted = {name for name in names if name not in known}
    found: Settings = {}
    text = root.text(SYSCTL, _MOST) if wanted and not root.runs else None
    for number, line in enumerate((text or "").split("\n"), 1):
        name, equals, value = line.partition("=")
        key = dotted(name.strip())
        if equals and key in wanted:
            found[key] = " ".join(value.split()), Location(root.called(SYSCTL), number)
    return found


def release(root: Root) -> str:
    """The release of the kernel as `uname -a` printed it; empty without a report."""
    words = _uname(root)
    return words[_RELEASE] if len(words) > _RELEASE else ""


def machine(root: Root) -> str:
    """The machine as `uname -a` of GNU printed it (before the name of the system, and before what
    some builds add of processor and platform); empty without a report."""
    words = _uname(root)
    return words[-2] if len(words) > _RELEASE + 2 else ""


def uname(root: Root) -> str:
    """What `uname -a` printed; empty without a report."""
    return "" if root.runs else root.text(UNAME) or ""


def _uname(root: Root) -> list[str]:
    """The words that `uname -a` printed on a Linux system."""
    words = uname(root).split()
    return words if words[:1] == ["Linux"] else []
