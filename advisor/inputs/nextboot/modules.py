"""modprobe.d: options of modules, where they are modules (modprobe.d(5)).

What is built in reads the boot line alone: such options do nothing, and are told.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.inputs.bootfiles.modprobe import statements
from advisor.inputs.folders import folders
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.files import LARGEST, drop_ins
from advisor.inputs.nextboot.writes import Writes
from advisor.model.kernel import CommandLine, Location
from advisor.model.nextboot import Written

_FOLDERS = folders("modprobe.d")
_IN_ETC = "/etc/modprobe.d/"
_MOST_BUILT_IN = 1 << 20


def read_modules(
    root: Root, release: str, line: CommandLine | None, into: Writes
) -> tuple[Written, ...]:
    """Gathers the parameters of modules, and gives those of an administrator that do nothing, as
    what is built in has none of modprobe's.

    What the boot line gives a module comes behind (libkmod-config.c#kmod_config_new).
    """
    on_line = {word.name for word in line.words} if line else set()
    idle: list[Written] = []
    built_in: frozenset[str] | None = None
    for one in _options(root):
        built_in = _built_in(root, release) if built_in is None else built_in
        module, _, name = one.key.partition(".")
        key = f"/sys/module/{module}/parameters/{name}"
        if one.key in on_line:
            into.doubt(key, f"the boot line has {one.key}")
        elif module not in built_in:
            into.write(key, one.value, one.place)
        elif _IN_ETC in one.place.path:
            idle.append(one)
    return tuple(idle)


def _options(root: Root) -> Iterator[Written]:
    """Yields the options that the files name: `kvm.halt_poll_ns`, with its value."""
    for path in drop_ins(root, _FOLDERS, ".conf"):
        for words, number in statements(root.text(path, LARGEST) or ""):
            for word in words[2:] if words[0][0] == "options" else ():
                name, _, value = word[0].partition("=")
                key = f"{words[1][0]}.{name}".replace("-", "_")
                yield Written(key, value.strip('"') or "Y", Location(root.called(path), number))


def _built_in(root: Root, release: str) -> frozenset[str]:
    """Lists what could be a module and is built in; nothing where no file shows that."""
    for folder in ("/usr/lib/modules", "/lib/modules"):
        text = root.text(f"{folder}/{release}/modules.builtin", _MOST_BUILT_IN) if release else None
        if text:
            names = (line.rpartition("/")[2].partition(".")[0] for line in text.split("\n"))
            return frozenset(name.replace("-", "_") for name in names)
    return frozenset()
