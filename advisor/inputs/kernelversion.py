"""Kernel versions and releases, as `make kernelrelease`, `uname -r` and git tags write them."""

from __future__ import annotations

import re

from advisor.model import KernelVersion

# VERSION.PATCHLEVEL[.SUBLEVEL] and whatever EXTRAVERSION and LOCALVERSION add (top Makefile).
_RELEASE = r"v?(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?(?!\d)\S*"


def parse_version(text: str) -> KernelVersion:
    """The version that `text` begins with: `6.12-rc1` is 6.12.0, `2.6.38.8-foo` is 2.6.38.

    A leading `v`, as of a tag, is no part of it. Raises ValueError where there is none.
    """
    text = text.strip()
    match = re.fullmatch(_RELEASE, text, re.ASCII)
    if match is None:
        raise ValueError(f"not a kernel version such as 6.12.117 or 6.12-rc1: {text[:60]!r}")
    major, minor, patch = match.groups(default="0")
    return KernelVersion(int(major), int(minor), int(patch), text.removeprefix("v"))
