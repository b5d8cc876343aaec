"""Files in which people keep boot lines, and settings of run time: what is literal in them.

One module a format. Nothing is run, expanded or looked up: what the program that reads a file
would compute is told as not readable here, with its place. What output/plan/ writes is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from importlib import import_module

from advisor.errors import InputError
from advisor.inputs.bootfiles.gathered import BootFile, Gathered
from advisor.record import NamedTuple

BOOT_LINE, SYSCTLS = "boot line", "sysctl file"
"""What a file of one of the formats is called."""
LARGEST = 1 << 18
"""More characters than that are no file that people write."""


_ANSIBLE = (
    r"(?:^|[{,])[ \t-]*[\"']?[\w.]{0,80}(?:cmdline|kargs|boot_?args|bootloader_settings|sysctl"
    r"|kernel_settings_sysfs|(?:kernel|boot)_?(?:args|arguments|params|parameters|options|opts))"
    r"[\w.]{0,80}[\"']?[ \t]*:"
)
_ANSIBLE_FOLDERS = (
    "group_vars", "host_vars", "defaults", "vars", "tasks", "handlers", "playbooks",
)  # fmt: skip
_ANSIBLE_FILES = (
    *(f"{folder}/*.{end}" for folder in _ANSIBLE_FOLDERS for end in ("yml", "yaml")),
    "group_vars/all",
)


class Format(NamedTuple):
    """A format of files: the `names` (patterns of paths) that tell it, and what reads it.

    `signs` find lines that only this format has, if all of them do; a file of one of the `often`
    names is of the format if it has such lines. `line` tells whether it always holds a boot line,
    `plain` whether it is nothing else, `part` whether other files bring more of the line that the
    kernel gets; `kind` is what a reader calls such a file.
    """

    id: str
    reader: str
    names: tuple[str, ...] = ()
    often: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    line: bool = True
    plain: bool = False
    part: bool = False
    kind: str = BOOT_LINE

    def named(self, path: str) -> bool:
        """Whether the name alone tells the format."""
        return matches(path, self.names)

    def seen(self, text: str) -> bool:
        """Whether the text has a line of the format."""
        return bool(self.signs) and all(re.search(sign, text, re.M) for sign in self.signs)


FORMATS = (
    Format(
        "grub", "grub", ("default/grub", "default/grub.d/*.cfg", "grub.d/*.cfg"),
        signs=(r"^[ \t]*(?:export[ \t]+)?GRUB_CMDLINE_LINUX(?:_DEFAULT)?\+?=",),
    ),
    Format(
        "sysctl.d", "sysctls", ("sysctl.d/*.conf", "sysctl.conf", "sysctl.conf.d/*.conf"),
        line=False, kind=SYSCTLS,
    ),
    Format("kernel-install", "plain.read_all", ("kernel/cmdline",), plain=True),
    Format("raspberry-pi", "plain.read_first", ("cmdline.txt",), plain=True),
    Format(
        "bootc", "bootc", ("kargs.d/*.toml",), signs=(r"^[ \t]*[\"']?kargs[\"']?[ \t]*=[ \t]*\[",),
        part=True,
    ),
    Format(
        "tuned", "tuned", ("tuned.conf",), ("tuned/*.conf", "tuned.conf.*"),
        signs=(r"^\[(?:bootloader|sysctl|sysfs|vm)\]",), line=False, part=True,
    ),
    Format(
        "bls", "bls", ("loader/entries/*.conf",),
        signs=(r"^[ \t]*options[ \t]+\S", r"^[ \t]*(?:title|linux|efi|initrd)[ \t]+\S"),
    ),
    Format(
        "modprobe.d", "modprobe", ("modprobe.d/*.conf", "modprobe.conf"),
        signs=(r"^options[ \t]+\S+[ \t]+\S+=",), line=False, part=True,
    ),
    Format(
        "extlinux", "extlinux",
        ("extlinux.conf", "syslinux.cfg", "isolinux.cfg", "pxelinux.cfg/*", "extlinux/*.conf"),
        signs=(r"(?i)^[ \t]*append[ \t]+\S",),
    ),
    Format(
        "u-boot", "uboot", ("uEnv.txt", "armbianEnv.txt"),
        ("*.env", "*env.txt", "*Env*.txt"),
        signs=(r"^(?:bootargs|optargs|extraargs)=|^\w+=.*\bsetenv bootargs\b",),
    ),
    Format(
        "u-boot-script", "uboot.read_script", ("boot.cmd", "boot.scr.txt"),
        ("*.cmd", "*boot*.txt"), signs=(r"^[ \t]*(?:env set|setenv)[ \t]+(?:-f[ \t]+)?bootargs\b",),
    ),
    Format(
        "grubby", "grubby", (), ("*.sh", "*.bash", "*.ks", "*grubby*"),
        signs=(r"\bgrubby\b", r"--(?:remove-)?args\b"), part=True,
    ),
    Format(
        "nixos", "nix", (), ("*.nix",),
        signs=(r"\bkernelParams\b|\bboot[ \t]*\.[ \t]*kernel\b|\bkernel[ \t]*\.[ \t]*sysctl\b",),
        line=False, part=True,
    ),
    Format(
        "ansible", "ansible", (), _ANSIBLE_FILES, signs=(_ANSIBLE,), line=False, part=True,
    ),
)  # fmt: skip
SYSCTL_D = next(one for one in FORMATS if one.id == "sysctl.d")
PLAIN = Format("plain", "plain", ("*.cmdline", "cmdline", "cmdline.d/*.conf"), plain=True)
"""A line as it is: dracut, systemd-stub."""


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern fits the path from the root, or its end behind a slash."""
    return any(fnmatchcase(path, p) or fnmatchcase(path, f"*/{p}") for p in patterns)


def format_of(path: str, text: str | None = None) -> Format | None:
    """Finds the format of a file by its name, or by a line of its text; None if it has none of
    these.

    Without a text, only what a name alone tells is known.
    """
    if named := next((one for one in (*FORMATS, PLAIN) if one.named(path)), None):
        return named
    if text is None:
        return None
    return next((one for one in FORMATS if one.seen(text)), None)


def candidates(path: str) -> list[Format]:
    """Lists the formats that files of such a name often have."""
    return [one for one in FORMATS if matches(path, one.often)]


def candidate(path: str, text: str) -> Format | None:
    """Finds the format of a file whose name often stands for one; None if its text has no line
    of it."""
    return next((one for one in candidates(path) if one.seen(text)), None)


def read(text: str, path: str, format: Format, arch: str | None = None) -> BootFile:
    """Reads what is literal in a file; `arch` is the kernel's architecture, if it is known.

    Raises InputError where the text is none of the format, or larger than any such file.
    """
    return read_together([(path, text)], format, arch)


def read_together(
    files: Sequence[tuple[str, str]], format: Format, arch: str | None = None
) -> BootFile:
    """Reads what is literal in files of one format that belong together: their paths and texts.

    It is called after the first. Raises InputError as `read`.
    """
    into: Gathered | None = None
    for path, text in files:
        into = into or Gathered(path, arch, several=len(files) > 1)
        into.name = path
        if len(text) > LARGEST:
            hint = "give a handwritten file, not a generated one"
            raise InputError(f"more than {LARGEST >> 10} KiB of text", where=path, hint=hint)
        if "\0" in text:
            hint = "write it as text"
            raise InputError("contains a zero byte, and is not text", where=path, hint=hint)
        module, _, function = format.reader.partition(".")
        reader = getattr(import_module(f"{__name__}.{module}"), function or "read")
        reader(text.replace("\r\n", "\n"), into)
    file = into.result(format.line) if into else BootFile(None)
    if format.part and file.cmdline:
        file = file._replace(cmdline=file.cmdline._replace(part=True))
    return file
