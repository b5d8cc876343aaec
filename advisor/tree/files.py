"""The files of a kernel tree, which is not trusted: read within its folder and within limits."""

from __future__ import annotations

import fnmatch
import glob
import io
import os
import re
from collections.abc import Iterable, Mapping

from advisor.cache import digest
from advisor.errors import TreeError
from advisor.files import NotRegularError, TooLargeError, read
from advisor.inputs.budget import Budget
from advisor.inputs.machine import source_arch
from advisor.model.kernel import KernelVersion, parse_version
from advisor.tree.kconfig.text import printable

# Each several times what the largest tree read needs (7.1.5: 1,760 files, 6 MB, 12 deep).
FILE = 4 << 20
"""The most bytes of one Kconfig file."""
TOTAL = 64 << 20
"""The most bytes of all Kconfig files together, each counted as often as it is included."""
LINE = 16 << 10
"""The most characters of a line, with the lines that it continues on."""
FILES = 20_000
"""How many files may be included."""
NAMES = 50_000
"""How many names may be looked at for the patterns of `source` lines."""
DEPTH = 64
"""How deep files may include each other."""

DISTRUST = "no kernel needs that: do not trust this tree"
"""The hint for what only a tree that means harm would do."""
_KERNEL_HINT = "name the top folder of the kernel's source, which holds Kconfig and arch/"
# What else is configured with Kconfig: a word of its mainmenu, or a file at its top.
_OTHERS_BY_MENU = (
    ("U-Boot", "U-Boot"), ("Zephyr", "Zephyr"), ("Barebox", "barebox"), ("Xen/", "Xen"),
    ("Busybox", "BusyBox"), ("BusyBox", "BusyBox"), ("Buildroot", "Buildroot"),
    ("coreboot", "coreboot"), ("NuttX", "NuttX"), ("Espressif", "ESP-IDF"),
    ("OpenWrt", "OpenWrt"), ("uClibc", "uClibc"), ("Crosstool", "crosstool-NG"),
)  # fmt: skip
_OTHERS_BY_FILE = (
    ("Kconfig.zephyr", "Zephyr"), ("applets/busybox.mkll", "BusyBox"),
    ("support/config-fragments", "Buildroot"), ("Config.in", "Buildroot, BusyBox or OpenWrt"),
    ("src/Kconfig", "coreboot"), ("xen/Kconfig", "Xen"),
)  # fmt: skip
_MAINMENU = re.compile(r"^[ \t]*mainmenu[ \t]+(.*)$", re.MULTILINE)
_MAKEFILE = re.compile(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) *= *(\S*)", re.MULTILINE)


class TreeFiles:
    """Reads the files of one tree, and nothing that is not in its folder once links are followed.

    Links may also lead into the folders `allowed`, as the user says (vendors' modules beside a
    tree); what a link leads to is read within these limits all the same.
    `digests` are those of all files read so far, `listed` the files that each pattern of a
    `source` line matched: together they tell whether a later reading would find the same.
    Raises TreeError for whatever leaves the folder, cannot be read, or exceeds a limit.
    """

    def __init__(self, path: str, allowed: Iterable[str] = ()) -> None:
        self.path = path
        self.root = os.path.realpath(path)
        # Escaped only if need be: for an escaped part the folder above it is listed.
        self.pattern_prefix = glob.escape(self.root) if glob.has_magic(self.root) else self.root
        self.pattern_prefix = os.path.join(self.pattern_prefix, "")
        roots = (self.root, *map(os.path.realpath, allowed))
        self._roots = tuple(root.rstrip("/") + "/" for root in roots)
        self._folders = {"": self.root}
        self._count = 0
        self._total = 0
        self._names = Budget(NAMES)
        self.digests: dict[str, str] = {}
        self.listed: dict[str, list[str]] = {}

    def lines(self, name: str, where: str) -> list[str]:
        """The lines of a Kconfig file, each with its line break; counts towards the limits."""
        text = self.text(name, where)
        self._count += 1
        # Included twice is parsed twice: a small tree can thus make much work.
        self._total += len(text)
        if self._count > FILES:
            raise _limit(f"more than {FILES} files are included", where)
        if self._total > TOTAL:
            raise _limit(f"more than {TOTAL >> 20} MiB of Kconfig files", where)
        lines = io.StringIO(text, newline=None).readlines()
        if lines and len(max(lines, key=len)) > LINE:
            number = next(i for i, line in enumerate(lines, 1) if len(line) > LINE)
            where = f"{printable(name)}:{number}"
            raise _limit(f"a line of more than {LINE >> 10} KiB", where)
        return lines

    def text(self, name: str, where: str = "") -> str:
        """The whole of a regular file of the tree; bytes that are no UTF-8 are replaced."""
        folder, _, last = name.rpartition("/")
        if last in ("", ".", ".."):
            folder, last = name, "."
        path, label = f"{self._folder(folder, where)}/{last}", printable(name)
        if os.path.islink(path):
            path = self._resolved(path, name, where)
        try:
            # Links were followed above; one that takes the file's place now is refused.
            data = read(path, limit=FILE, links=False)
        except NotRegularError as error:
            message, hint = (
                f"{label} is no regular file",
                "the tree is damaged, or no kernel source",
            )
            raise TreeError(message, where=where or label, hint=hint) from error
        except TooLargeError as error:
            raise _limit(f"{label} has more than {FILE >> 20} MiB", where or label) from error
        except (OSError, ValueError) as error:
            raise _unreadable(name, error, where) from error
        self.digests[name] = digest(data)
        return data.decode(errors="replace")

    def has(self, name: str) -> bool:
        """Whether the tree has that file or folder."""
        return os.path.exists(os.path.join(self.root, name))

    def names(self, folder: str) -> list[str]:
        """What a folder of the tree holds, sorted."""
        try:
            return sorted(os.listdir(self._folder(folder, "")))
        except OSError as error:
            raise _unreadable(folder, error) from error

    def check_source(self, pattern: str, where: str, *, optional: bool = False) -> None:
        """Raises TreeError if what a `source` line names, or may match, is not in the tree."""
        plain = ".." not in pattern and pattern[:1] != "/" and not glob.has_magic(pattern)
        if plain and not optional:
            return
        pattern = os.path.normpath(pattern)
        if pattern.startswith(("/", "..")):
            raise _leaves(pattern, where)
        self.listed[pattern] = self.matches(pattern, where)

    def matches(self, pattern: str, where: str = "") -> list[str]:
        """The files of the tree that a pattern of glob matches, sorted.

        Before a folder is listed it is known to be in the tree; what is listed counts towards the
        limits, since links may lead to the same folders again and again.
        """
        found, folders = [""], pattern.split("/")
        for number, part in enumerate(folders, 1):
            found = [name for folder in found for name in self._named(folder, part, where)]
            for name in found if number < len(folders) else ():
                self._resolved(os.path.join(self.root, name), name, where)
        return sorted(found)

    def _named(self, folder: str, part: str, where: str) -> list[str]:
        """The paths of what is in a folder, by a part of a pattern."""
        path = os.path.join(self.root, folder)
        if not glob.has_magic(part):
            names = [part] if os.path.lexists(os.path.join(path, part)) else []
        else:
            try:
                names = os.listdir(path)
            except OSError:  # a file, or closed to who asks
                names = []
        if not self._names.spend(1 + len(names)):
            raise _limit(f"its patterns match more than {NAMES} names", where)
        if glob.has_magic(part):
            names = [name for name in names if name[:1] != "." or part[:1] == "."]
            names = fnmatch.filter(names, part)
        return [os.path.join(folder, name) for name in names]

    def unchanged(self, digests: Mapping[str, str], listed: Mapping[str, list[str]]) -> bool:
        """Whether the tree is as it was when these were noted; if so they count as read now."""
        before = dict(self.digests)
        try:
            for name in digests:
                self.text(name)
            if self.digests == digests and all(
                self.matches(pattern) == names for pattern, names in listed.items()
            ):
                self.listed.update(listed)
                return True
        except TreeError:
            pass
        self.digests = before
        return False

    def _folder(self, name: str, where: str) -> str:
        """The real path of a folder; of each folder once, since most hold a single file."""
        real = self._folders.get(name)
        if real is None:
            parent, _, last = name.rpartition("/")
            path = f"{self._folder(parent, where)}/{last}"
            if last in ("", ".", "..") or os.path.islink(path):
                path = self._resolved(path, name, where)
            real = self._folders[name] = path
        return real

    def _resolved(self, path: str, name: str, where: str) -> str:
        """The path with its links followed; raises TreeError if that leaves the tree."""
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError) as error:
            raise _unreadable(name, error, where) from error
        if not f"{real}/".startswith(self._roots):
            raise _leaves(name, where, real)
        return real


def _leaves(name: str, where: str, real: str = "") -> TreeError:
    """`real` is where a link leads; what a `source` line itself names there is never read."""
    hint = "a kernel's Kconfig files stay in its tree: do not trust this tree"
    name = printable(name)
    message = f"{name} leads out of the tree"
    if real:
        message += f", to {printable(real)}"
        hint = "if that folder is yours, add --allow-root FOLDER; else do not trust this tree"
    return TreeError(message, where=where or name, hint=hint)


def _limit(message: str, where: str) -> TreeError:
    return TreeError(message, where=where, hint=DISTRUST)


def _unreadable(name: str, error: OSError | ValueError, where: str = "") -> TreeError:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    name = printable(name)
    hint = "is the tree complete, and are you allowed to read it?"
    return TreeError(f"cannot read {name}: {reason}", where=where or name, hint=hint)


def find_tree(path: str, allowed: Iterable[str] = ()) -> TreeFiles:
    """The files of the kernel tree in that folder; `allowed` as of TreeFiles.

    Raises TreeError if it cannot be read, or is no kernel's; another project's is named.
    """
    try:
        names = set(os.listdir(path))
    except FileNotFoundError as error:
        raise TreeError("no such folder", where=path, hint="check the path") from error
    except NotADirectoryError as error:
        hint = "if the file is an archive, unpack it and name the folder"
        raise TreeError("is a file, not a kernel tree", where=path, hint=hint) from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    files = TreeFiles(path, allowed)
    if other := _other_project(files, names):
        message = f"is {other}, not a Linux kernel"
        raise TreeError(message, where=path, hint=_KERNEL_HINT)
    if "Kconfig" not in names:
        raise TreeError("no Kconfig file in this folder", where=path, hint=_KERNEL_HINT)
    if not (files.has("init/Kconfig") and files.has("arch") and "Makefile" in names):
        message = "has a Kconfig file, but no init/Kconfig, arch/ and Makefile beside it"
        raise TreeError(message, where=path, hint=_KERNEL_HINT)
    return files


def _other_project(files: TreeFiles, names: set[str]) -> str:
    """The name of the project that the folder belongs to, if it is known and no kernel."""
    if "Kconfig" in names:
        match = _MAINMENU.search(files.text("Kconfig"))
        menu = match[1] if match else ""
        if "Linux" in menu:
            return ""
        for word, project in _OTHERS_BY_MENU:
            if word in menu:
                return project
    if "Kbuild" in names and files.has("init/Kconfig"):
        return ""
    return next((project for name, project in _OTHERS_BY_FILE if files.has(name)), "")


def tree_version(path: str, allowed: Iterable[str] = ()) -> KernelVersion:
    """The version of a kernel tree, as its top Makefile tells; raises TreeError."""
    return version_of(find_tree(path, allowed))


def version_of(files: TreeFiles) -> KernelVersion:
    """The version that the top Makefile tells; raises TreeError where it tells none."""
    # What is assigned again further down is not the version's: the first of a name counts.
    values = dict(reversed(_MAKEFILE.findall(files.text("Makefile"))))
    try:
        sublevel = f".{values['SUBLEVEL']}" if values.get("SUBLEVEL") else ""
        text = f"{values['VERSION']}.{values['PATCHLEVEL']}{sublevel}"
        return parse_version(text + values.get("EXTRAVERSION", ""))
    except (KeyError, ValueError) as error:
        message = "does not begin with VERSION and PATCHLEVEL"
        raise TreeError(message, where="Makefile", hint=_KERNEL_HINT) from error


def find_arch(files: TreeFiles, arch: str) -> str:
    """The folder of the architecture; raises TreeError if the tree has no such architecture."""
    folder = source_arch(arch)
    if re.fullmatch(r"[a-z0-9_]+", folder) and files.has(f"arch/{folder}/Kconfig"):
        return folder
    known = [name for name in files.names("arch") if files.has(f"arch/{name}/Kconfig")]
    hint = f"it has {', '.join(known)}" if known else _KERNEL_HINT
    raise TreeError(f"the tree has no architecture {arch!r}", where=f"arch/{folder}", hint=hint)
