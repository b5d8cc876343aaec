"""The files below /sys that C source makes: those of classes of devices, of kobjects, of disks.

No code is understood: a file that declares a class has the class's attributes, one that adds a
kobject to a known folder has the kobject's. Attributes of any other folder are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from advisor.lint.csource.source import c_files, read_source
from advisor.tree.files import TreeFiles

_HINT = re.compile(rb"_ATTR|NETDEVICE_SHOW|QUEUE_R[OW]_ENTRY")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:\\\r?\n|[^\n])*", re.MULTILINE)
_CLASS = re.compile(r"\bstruct class \w+ = \{\s*\.name\s*=\s*\"([\w-]+)\"")
_OF_DEVICE = re.compile(r"\b(?:DEVICE_ATTR(?:_[A-Z]+)*|NETDEVICE_SHOW_R[OW])\(\s*(\w+)\s*[,)]")
# The kernel's own folders, by the variable that holds each.
_ROOTS = {"kernel_kobj": "/sys/kernel", "mm_kobj": "/sys/kernel/mm", "fs_kobj": "/sys/fs",
          "NULL": "/sys"}  # fmt: skip
_KOBJECT = re.compile(r"\bkobject_create_and_add\(\"([\w-]+)\",\s*(\w+)\)")
_OF_KOBJECT = re.compile(r"\b(?:__ATTR(?:_R[OW]|_WO)?|KERNEL_ATTR_R[OW])\(\s*(\w+)\s*[,)]")
_OF_QUEUE = re.compile(r"\bQUEUE_R[OW]_ENTRY\(\s*\w+\s*,\s*\"(\w+)\"\s*\)")


def attributes(files: TreeFiles) -> Iterator[str]:
    """Yields the paths that the C files of a tree tell; what devices are called is `*`."""
    for path in c_files(files.root, ""):
        data = read_source(os.path.join(files.root, path))
        if path.endswith(".c") and _HINT.search(data):
            yield from paths(data.decode(errors="replace"))


def paths(text: str) -> Iterator[str]:
    """Yields the paths that one file tells."""
    text = _DEFINE.sub("", text)
    for name in _CLASS.findall(text):
        yield from (f"/sys/class/{name}/*/{one}" for one in _OF_DEVICE.findall(text))
    for name, parent in _KOBJECT.findall(text):
        if root := _ROOTS.get(parent):
            yield from (f"{root}/{name}/{one}" for one in _OF_KOBJECT.findall(text))
    yield from (f"/sys/block/*/queue/{one}" for one in _OF_QUEUE.findall(text))
