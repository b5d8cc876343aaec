"""Variables and tasks of Ansible: literal lists and scalars whose names say boot line or sysctl.

Names are people's own; known are those with cmdline, kargs, bootargs, or kernel or boot before
args, params, options and the like, bootloader_settings and kernel_settings_* of the Linux system
roles, names with sysctl, and the module sysctl (ansible.posix). Nothing is constructed
of the YAML and no alias is followed twice; what Jinja would compute is told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.inputs.bootfiles.apart import apart
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.sysctl import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import MappingNode, Node, ScalarNode

LARGEST = 1 << 17
"""More characters of YAML take too long, and no person writes them."""
_LINE = re.compile(
    r"cmdline|kargs|boot_?args|^bootloader_settings$"
    r"|(?:kernel|boot)_?(?:args|arguments|params|parameters|options|opts)"
)
# Of a file system below /boot: os_mnt_boot_options.
_MOUNT = re.compile(r"(?:^|_)(?:mnt|mount|fs|fstab)_")
# YAML 1.1 breaks lines where git, editors and YAML 1.2 do not.
_NO_BREAKS = dict.fromkeys(map(ord, "\x85\u2028\u2029"), " ")
_COMMANDS = ("GRUB_CMDLINE_LINUX", "grubby", "rpm-ostree kargs")


def read(text: str, into: Gathered) -> None:
    """Gathers what is literal. Raises InputError for what is no YAML, or where no reader of YAML
    is installed."""
    if len(text) > LARGEST:
        raise into.error(1, f"more than {LARGEST >> 10} KiB of YAML", "split the file")
    try:
        import yaml
    except ImportError as error:
        hint = "pip install 'kernel-advisor[yaml]'"
        raise InputError("needs PyYAML to be read", where=into.name, hint=hint) from error
    try:
        for document in yaml.compose_all(text.translate(_NO_BREAKS), yaml.SafeLoader):
            _Walk(into).walk(document)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise into.error(line, f"is no YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise into.error(1, "is not readable as YAML") from error


class _Walk:
    """Walks through a document, each node once."""

    def __init__(self, into: Gathered) -> None:
        self.into = into
        self._seen: set[int] = set()

    def walk(self, node: Node | None, section: str = "") -> None:
        """Gathers what is below a node; `section` is the name that tells what it is for."""
        if node is None or id(node) in self._seen:
            return
        self._seen.add(id(node))
        if node.id == "mapping":
            self._mapping(node, section)
        elif node.id == "sequence":
            for item in node.value:
                self.walk(item, section)
        elif section == "line":
            self._words(node)
        elif any(command in node.value for command in _COMMANDS):
            why = "a command or a line in an Ansible task"
            self.into.computed(node.value, node.start_mark.line + 1, why)
        elif section == "sysctl" and "=" in node.value:
            key, _, value = node.value.partition("=")
            self._setting(section, key.strip(), value.strip(), node)

    def _mapping(self, node: MappingNode, section: str) -> None:
        named = dict(_scalars(node))
        if section and "name" in named and ("value" in named or section == "line"):
            self._named(named, section)
            return
        for key, value in node.value:
            name = key.value if key.id == "scalar" else ""
            below = _section(name)
            if section == "line" and name == "kernel":
                continue
            if section in ("sysctl", "sysfs") and not below and value.id == "scalar":
                self._setting(section, name, value.value, value)
            else:
                self.walk(value, below or section)

    def _named(self, named: dict[str, ScalarNode], section: str) -> None:
        """Gathers a setting that is written as a name, a value and a state."""
        if "state" in named and named["state"].value == "absent":
            return
        name = named["name"]
        if section != "line":
            self._setting(section, name.value, named["value"].value, named["value"])
        elif "value" in named:
            self._words(name, f"={named['value'].value}")
        else:
            self._words(name)

    def _setting(self, section: str, key: str, value: str, node: Node) -> None:
        line = node.start_mark.line + 1
        if "{{" in key + value or "{%" in key + value:
            self.into.computed(f"{key}={value}", line, "a template of Ansible")
        elif section == "sysfs":
            self.into.sysfs(key, value, line)
        elif name := dotted(key):
            self.into.sysctl(name, value, line)

    def _words(self, node: ScalarNode, more: str = "") -> None:
        text, line = node.value + more, node.start_mark.line + 1
        if "{%" in text or node.tag.startswith("!"):
            self.into.computed(text, line, "a template of Ansible")
            return
        column = node.start_mark.column + 1 + (node.style in ("'", '"'))
        for start, word in apart(text, "{{", "}}"):
            if "{{" in word:
                self.into.computed(word, line, "a template of Ansible")
            else:
                self.into.words(word, line, column + start)


def _section(name: str) -> str:
    """Tells by a key's name what the values below it are for."""
    if "sysctl" in name:
        return "sysctl"
    if name == "kernel_settings_sysfs":
        return "sysfs"
    return "line" if _LINE.search(name) and not _MOUNT.search(name) else ""


def _scalars(node: MappingNode) -> Iterator[tuple[str, ScalarNode]]:
    for key, value in node.value:
        if key.id == "scalar" and value.id == "scalar":
            yield key.value, value
