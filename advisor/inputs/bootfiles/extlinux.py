"""extlinux.conf, syslinux.cfg and files of pxelinux.cfg: what APPEND says.

Keywords count in any case. APPEND before the first LABEL is for those without one of their own
(doc/syslinux.txt of syslinux), a lone - is none; U-Boot knows that of labels alone
(boot/pxe_utils.c). The words are those of the default label, or of the only
one; of others it is told that they are not judged.
"""

from __future__ import annotations

import re

from advisor.inputs.bootfiles.bls import literal
from advisor.inputs.bootfiles.gathered import Gathered

_LINE = re.compile(r"[ \t]*(append|label|default|ontimeout)[ \t]+(?=\S)", re.I)


def read(text: str, into: Gathered) -> None:
    """Gathers the words of the entry that starts by itself."""
    default, label = "", ""
    appended: dict[str, tuple[str, int, int]] = {}
    labels: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not (found := _LINE.match(line)):
            continue
        keyword, rest = found[1].lower(), line[found.end() :].rstrip()
        if keyword == "append":
            appended[label] = line, found.end(), number
        elif keyword == "label":
            label = rest
            labels.append(rest)
        elif keyword == "default":
            default = rest
    chosen = default if default in labels else labels[0] if labels else ""
    line, start, number = appended.get(chosen) or appended.get("") or ("", 0, 1)
    if line[start:].strip() != "-":
        literal(line, start, number, into, "of U-Boot")
    others = {name: place for name, place in appended.items() if name not in ("", chosen)}
    for name, (line, start, number) in others.items():
        why = f"part of the entry {name[:40]}, which is not the default"
        into.computed(line[start:], number, why)
