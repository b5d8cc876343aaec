"""Which boot loader starts a host, and what it starts by itself.

Where files of several are there, the one of them that has the running kernel's line, or that says
so itself: LoaderInfo, which systemd-boot and GRUB since 2.12 set. Else that is not told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase

from advisor.errors import InputError
from advisor.inputs.bootfiles.apart import WORD
from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.bls import BlsEntry, in_systemds_order, matching, read_entries
from advisor.inputs.nextboot.grub import DEFAULTS, Found, defaults_line, read_grub
from advisor.inputs.nextboot.line import line_of, release_of
from advisor.inputs.nextboot.stub import read_image
from advisor.model.cmdline import lasting
from advisor.model.kernel import CommandLine, Location
from advisor.model.nextboot import Entry

_PARTITIONS = ("/efi", "/boot/efi", "/boot")
_VARIABLE = "/sys/firmware/efi/efivars/{}-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
_FIRMWARE = ("/boot/firmware", "/boot")
_EXTLINUX = ("/boot/extlinux/extlinux.conf", "/extlinux/extlinux.conf",
             "/boot/syslinux/syslinux.cfg")  # fmt: skip
LARGEST = 1 << 18


def read_loader(root: Root, running: CommandLine | None) -> Found:
    """Finds what starts by itself there; `running` is the line of the kernel that runs."""
    found = [(name, told) for name, read in _READERS if (told := read(root))]
    if not found and running is None and (line := defaults_line(root)):
        # A root that was copied without /boot: what grub-mkconfig will write into the menu.
        why = "this host has no other boot loader files"
        return Found(Entry("GRUB", Location(root.called(DEFAULTS)), line=line, why=why))
    if not found:
        unread = sorted(path for path in root.unread if path.startswith(("/boot", "/efi")))
        why = f"{unread[0]} cannot be read" if unread else "this host has no file of a boot loader"
        return Found(None, why)
    if len(found) == 1:
        return _because(found[0][1], "the only boot loader with files here")
    info = variable(root, "LoaderInfo")
    by_itself = [told for name, told in found if info.startswith(name)]
    if len(by_itself) == 1:
        return _because(by_itself[0], f"it started this kernel: LoaderInfo is {info}")
    alike = [told for _, told in found if told.entry and _is_line(told.entry.line, running)]
    if len(alike) == 1:
        why = "the only boot loader whose entry has the running kernel's boot line"
        return _because(alike[0], why)
    names = " and ".join(name for name, _ in found)
    return Found(
        None, f"this host has files of {names}, and nothing shows which boot loader starts"
    )


def _because(found: Found, why: str) -> Found:
    return found._replace(entry=found.entry._replace(why=why)) if found.entry else found


def _is_line(line: CommandLine | None, running: CommandLine | None) -> bool:
    if line is None or running is None:
        return False
    own, other = (lasting(word.text for word in each.words) for each in (line, running))
    return own == other


def variable(root: Root, name: str) -> str:
    """Reads a variable of the boot loader's; empty where it is not set."""
    # Four bytes of attributes, then UTF-16.
    text = root.text(_VARIABLE.format(name)) or ""
    return text[4:].replace("\0", "").strip()


def _systemd_boot(root: Root) -> Found | None:
    """Picks the entry as src/boot/boot.c#config_select_default_entry of systemd 257 does."""
    conf = next((p for part in _PARTITIONS if root.has(p := f"{part}/loader/loader.conf")), "")
    if not conf and not any(root.has(f"{part}/EFI/systemd") for part in _PARTITIONS):
        return None
    folders = [f"{part}/loader/entries" for part in _PARTITIONS]
    entries = in_systemds_order([one for folder in folders for one in read_entries(root, folder)])
    images = [p for part in _PARTITIONS for p in root.matching(f"{part}/EFI/Linux/*.efi")]
    default = _default(root.text(conf, LARGEST) or "") if conf else ""
    named = [variable(root, name) for name in ("LoaderEntryOneShot", "LoaderEntryDefault")]
    for wanted in (*named, default):
        pattern = variable(root, "LoaderEntryLastBooted") if wanted == "@saved" else wanted
        if pattern and (chosen := next(matching(entries, pattern), None)):
            return Found(_entry(chosen))
        if pattern and (fitting := [path for path in images if _is_called(path, pattern)]):
            return _image(root, fitting, others=False)
    if images:
        return _image(root, images, others=bool(entries))
    left = [one for one in entries if one.tries != 0] or entries
    if not left:
        return Found(None, "systemd-boot has no entry that can be read here")
    return Found(_entry(left[0]))


def _is_called(path: str, pattern: str) -> bool:
    return fnmatchcase(path.rpartition("/")[2].lower(), pattern.lower())


def _image(root: Root, images: list[str], others: bool) -> Found:
    """Reads the image that systemd-boot starts, if there is only one: the order of several
    depends on the .osrel of each."""
    path = images[0]
    if others or len(images) > 1:
        return Found(None, f"nothing shows whether systemd-boot starts {path} or another entry")
    found = read_image(root, path)
    if not found or ".cmdline" not in found:
        return Found(None, f"{root.called(path)} has no boot line of its own that can be read")
    place = Location(root.called(path))
    words = [(word[0], place) for word in WORD.finditer(found[".cmdline"])]
    line = line_of(words, place.path)
    title = path.rpartition("/")[2]
    return Found(Entry("systemd-boot", place, title, found.get(".uname", ""), line))


def _default(text: str) -> str:
    found = re.findall(r"^[ \t]*default[ \t]+(\S+)", text, re.M)
    return str(found[-1]) if found else ""


def _entry(one: BlsEntry) -> Entry:
    line = line_of(one.options, one.path)
    release = release_of(one.keys.get("linux", "")) or one.keys.get("version", "")
    title = one.keys.get("title", one.id)
    return Entry("systemd-boot", Location(one.path), title, release, line)


def _extlinux(root: Root) -> Found | None:
    path = next((path for path in _EXTLINUX if root.has(path)), "")
    text = root.text(path, LARGEST) if path else None
    if text is None or "\0" in text:
        return None
    from advisor.inputs.bootfiles import extlinux

    into = Gathered(root.called(path))
    try:
        extlinux.read(text.replace("\r\n", "\n"), into)
    except InputError as error:
        return Found(None, error.message)
    line = into.result(always=True).cmdline
    kernels = re.findall(r"(?im)^[ \t]*(?:linux|kernel)[ \t]+(\S+)", text)
    release = release_of(kernels[0]) if len(set(kernels)) == 1 else ""
    return Found(Entry("extlinux", Location(root.called(path)), "", release, line))


def _raspberry(root: Root) -> Found | None:
    """Reads the line that the firmware of a Raspberry Pi passes on: the one line of cmdline.txt.
    The firmware adds words that no file has, so it is a part of a line."""
    for folder in _FIRMWARE:
        if not root.has(f"{folder}/config.txt"):
            continue
        config = root.text(f"{folder}/config.txt", LARGEST) or ""
        named = re.findall(r"^[ \t]*cmdline=(\S+)", config, re.M)
        if len(set(named)) > 1 or (named and "[" in config.partition("cmdline=")[0]):
            several = root.called(f"{folder}/config.txt")
            why = f"the board decides which cmdline= of {several} applies"
            return Found(None, why)
        path = f"{folder}/{named[0] if named else 'cmdline.txt'}"
        text = root.text(path, 1 << 14)
        if text is None or "\0" in text:
            continue
        from advisor.inputs.bootfiles import plain

        place = Location(root.called(path), 1)
        into = Gathered(place.path)
        plain.read_first(text, into)
        line = into.result(always=True).cmdline
        line = line and line._replace(part=True)
        return Found(Entry("the Raspberry Pi's firmware", place, "", "", line))
    return None


_READERS: tuple[tuple[str, Callable[[Root], Found | None]], ...] = (
    ("GRUB", read_grub),
    ("systemd-boot", _systemd_boot),
    ("extlinux", _extlinux),
    ("Raspberry Pi", _raspberry),
)
