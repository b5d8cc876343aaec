"""Lists of settings that teams and vendors keep, as what they ask for: one module a format.

Each reads a text or a folder and runs nothing of it. What it cannot say is told with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from advisor.inputs.policylists.asked import Asked, Items, PolicyList, Unsaid

FORMATS = {
    "fragment": "a fragment; the comment directly above a line is the line's reason",
    "annotations": "Ubuntu's annotations (debian.master/config/annotations)",
    "ark": "Fedora's folders, one file per symbol (redhat/configs/common redhat/configs/fedora)",
    "android": "Android's base fragments and conditions (android-base*.config, .xml)",
    "kspp": "KSPP's recommendations: fragments, sysctls, boot lines",
    "kmeta": "Yocto's kernel metadata (.scc, .cfg)",
}
"""What can be read, and what it is."""


def read(form: str, paths: Sequence[str]) -> PolicyList:
    """What lists of that format ask for, the later ones over the earlier. Raises InputError, and
    KeyError for a format that is not known."""
    FORMATS[form]
    asked: Callable[[str], Items] = import_module(f"advisor.inputs.policylists.{form}").asked
    found = [item for path in paths for item in asked(path)]
    return PolicyList(
        tuple(one for one in found if isinstance(one, Asked)),
        tuple(one for one in found if isinstance(one, Unsaid)),
    )
