"""Files of one system that give one line, or one set of settings, together, and in which order.

- GRUB: default/grub, then default/grub.d/*.cfg (grub-mkconfig of Debian's grub2 2.06).
- bootc: the files of one kargs.d by their names (get_kargs_in_root() of bootc's kargs.rs).
- cmdline.d: the files of one folder by their names (getcmdline() of dracut 059's dracut-lib.sh).
- sysctl.d: those of all folders by their names; of one name the first of etc, run, usr/local/lib
  and usr/lib counts, and hides the others (sysctl.d(5) of systemd 252).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from posixpath import basename, dirname

from advisor.inputs.folders import RUNTIME, folders

MOST = 100
"""More files than that are not read together."""
_SYSCTL_FOLDERS = [folder.lstrip("/") for folder in folders("sysctl.d")]
_SYSCTL_FOLDERS.insert(1, f"{RUNTIME.lstrip('/')}/sysctl.d")
_ROOTED = re.compile(rf"(?:(.*?)/)??({'|'.join(map(re.escape, _SYSCTL_FOLDERS))})/[^/]+\.conf")
_GRUB = re.compile(r"(?:(.*)/)?etc/default/grub(?:\.d/[^/]+\.cfg)?")
_FOLDERS = re.compile(r"(.*/)?(?:usr/lib/bootc/kargs\.d/[^/]+\.toml|etc/cmdline\.d/[^/]+\.conf)")


def root_of(path: str) -> str | None:
    """Names the group of files that this one is read together with; None if it stands alone."""
    if match := _GRUB.fullmatch(path):
        return f"grub:{match[1] or ''}"
    if match := _ROOTED.fullmatch(path):
        return f"sysctl.d:{match[1] or ''}"
    return f"folder:{dirname(path)}" if _FOLDERS.fullmatch(path) else None


def folders_of(path: str) -> list[str]:
    """Lists the folders, and files, in which the files of its group may be."""
    if match := _GRUB.fullmatch(path):
        base = f"{match[1]}/etc/default/grub" if match[1] else "etc/default/grub"
        return [base, f"{base}.d"]
    if match := _ROOTED.fullmatch(path):
        return [f"{match[1]}/{one}".lstrip("/") if match[1] else one for one in _SYSCTL_FOLDERS]
    return [dirname(path)]


def in_order(paths: Iterable[str]) -> list[str]:
    """Lists the files of a group that are read, in the order in which they are read."""
    first: dict[str, str] = {}
    for path in sorted(paths, key=_rank):
        first.setdefault(basename(path), path)
    return sorted(
        first.values(), key=lambda path: (not path.endswith("default/grub"), basename(path))
    )


def _rank(path: str) -> tuple[int, str]:
    match = _ROOTED.fullmatch(path)
    return (_SYSCTL_FOLDERS.index(match[2]) if match else 0), path
