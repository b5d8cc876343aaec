"""Fedora's and CentOS's folders of one file a symbol (redhat/configs of kernel-ark).

    common/generic/CONFIG_BUG                  on all architectures
    common/generic/x86/CONFIG_BUG              over it, on x86
    fedora/generic/CONFIG_BUG                  over those of common, if named behind it

Source: redhat/configs/priority.* and build_configs.sh there: generic, then each deeper folder.
"""

from __future__ import annotations

import os
import re

from advisor.inputs.policylists.asked import Items, Unsaid, files_of, lines_of, on_arches
from advisor.inputs.policylists.fragment import items
from advisor.model.kernel import Location

_ARCHES = {
    "x86": ("x86",), "x86_64": ("x86",), "arm": ("arm", "arm64"), "aarch64": ("arm64",),
    "powerpc": ("powerpc",), "ppc64le": ("powerpc",), "s390x": ("s390",), "riscv": ("riscv",),
    "riscv64": ("riscv",), "generic": (),
}  # fmt: skip
_TOPS = ("common", "fedora", "ark", "rhel")
_SYMBOL = re.compile(r"CONFIG_\w+")


def asked(top: str) -> Items:
    """What the files of a folder ask for, those of deeper ones behind the others; what is of a
    variant, as debug or rt, is told by its folder. Raises InputError."""
    left: dict[str, int] = {}
    for path in sorted(files_of(top), key=lambda one: (one.count("/"), one)):
        folder, name = os.path.split(path)
        if not _SYMBOL.fullmatch(name):
            continue
        parts = os.path.relpath(folder, top).split(os.sep)
        parts = [part for part in parts if part not in (".", *_TOPS[:1])]
        if other := next((part for part in parts if part not in _ARCHES), ""):
            below = os.path.join(top, *parts[: parts.index(other) + 1])
            left[below] = left.get(below, 0) + 1
            continue
        yield from on_arches(items(lines_of(path)), _ARCHES[parts[-1]] if parts else ())
    yield from (
        Unsaid(
            Location(folder),
            f"{count} files of a variant were not imported: "
            "to import these files too, name their folder",
        )
        for folder, count in left.items()
    )
