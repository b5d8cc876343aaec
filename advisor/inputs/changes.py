"""Which files that changed between two revisions matter: configurations, fragments, boot lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice

from advisor.errors import InputError
from advisor.inputs import bootfiles, git
from advisor.inputs.bootfiles import BOOT_LINE, SYSCTLS, Format, candidate, matches, together, tuned
from advisor.inputs.unpack import CHUNK, collect, compression, decode, unpacked
from advisor.record import NamedTuple

_PLAIN = (bootfiles.PLAIN, *(one for one in bootfiles.FORMATS if one.plain))
BOOT_LINES = tuple(name for one in _PLAIN for name in one.names)
"""Names of files that hold a boot line as it is; those of the formats of bootfiles come on top."""
CONFIGURATION, FRAGMENT = "configuration", "fragment"
_HEAD = 1 << 20
"""So many bytes of what is packed tell what it is; a whole .config has a third of it."""
MOST = 10_000
"""So many files that matter are reviewed at once; more are no change that anybody reads."""
LARGEST, MOST_TEXT = 8 << 20, 2 << 30
"""The most bytes of one of their texts, unpacked, of which a whole .config has a third of one MiB;
and the most characters of all on both sides."""
_SETTING = re.compile(
    rb"^(?:CONFIG_\w+=(?:[ymn]\b|\"|-?[0-9])|# CONFIG_\w+ is not set[ \t\r]*$)", re.M | re.A
)
# What is written so nowhere but for Kconfig.
_TRISTATE = re.compile(rb"^(?:CONFIG_\w+=[ymn]\b|# CONFIG_\w+ is not set[ \t\r]*$)", re.M | re.A)
_MANY = 100
"""More settings than a text has that merely quotes some."""
# What people call configurations: one setting is enough there, however much else stands with it.
_NAMES = ("*.config", ".config", "*defconfig", "config-[0-9]*", "*.fragment")
# Of BOOT_LINES those whose readers take all that is there, whatever it begins with.
_NO_SCRIPTS = ("kernel/cmdline", "cmdline.txt", "cmdline.d/*.conf")
_OTHER = re.compile(rb"^(?!CONFIG_\w+=(?:[ymn]\b|\"|-?[0-9]))[ \t]*[^\s#]", re.M | re.A)


class Wanted(NamedTuple):
    """Patterns of paths. Without `include` every file is looked at; those of `must_judge` are
    configurations whatever they look like. `kinds` is what files are, by their paths, because the
    review itself rests on them."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    boot_lines: Sequence[str] = BOOT_LINES
    must_judge: Sequence[str] = ()
    kinds: Mapping[str, str] = {}

    def covers(self, path: str) -> bool:
        """Whether the file is to be looked at."""
        inside = not self.include or matches(path, self.include)
        return inside and not matches(path, self.exclude)


Texts = tuple[tuple[str, str], ...]
"""Files: path and text of each."""


class Changed(NamedTuple):
    """A file that matters: its text on both sides, None where it is not there, or is no file.

    `status` is added, deleted, changed or renamed; `kind` is CONFIGURATION (whole, or a fragment)
    BOOT_LINE or SYSCTLS, the latter two of a `format`. `problem` tells why a side cannot be read.
    `beside` are the files that give one line together, as they are read, on either side: paths and
    texts; it is empty where the file is alone. Of several that changed only the first is judged,
    with all that changed in the others, which name it in `judged_with`.
    """

    path: str
    old_path: str
    status: str
    kind: str
    old: str | None
    new: str | None
    problem: InputError | None = None
    format: Format | None = None
    beside: tuple[Texts, Texts] = ((), ())
    judged_with: str = ""


def is_configuration(head: bytes) -> bool:
    """Whether most of a text's lines, comments aside, set a symbol as Kconfig reads it, or a great
    many do: Kconfig passes over all others."""
    if b"CONFIG_" not in head:
        return False
    certain = len(_TRISTATE.findall(head))
    if certain >= _MANY:
        return True
    # To Kconfig the first line of a script is a comment like any other.
    if head.startswith(b"#!") and not certain:
        return False
    # A script or a patch that mentions symbols has more lines of another kind.
    settings = len(_SETTING.findall(head))
    return settings > len(_OTHER.findall(head))


def relevant(changes: Iterable[git.FileChange], wanted: Wanted, blobs: git.Blobs) -> list[Changed]:
    """Lists the changes that matter, by path. A changed mode alone does not.

    Raises InputError if they are too many.
    """
    # What is moved out of sight is looked at as what it was.
    covered = (one for one in changes if any(wanted.covers(path) for path in _names(one)))
    files: list[Changed] = []
    size = 0
    for change in covered:
        if file := _relevant(change, change.new or change.old, wanted, blobs):
            size += len(file.old or "") + len(file.new or "")
            files.append(file)
        if len(files) > MOST or size > MOST_TEXT:
            most = f"more than {MOST} files, or {MOST_TEXT >> 30} GiB of text, to review"
            raise InputError(
                most, where="git", hint="split the change, or select a part of it with --include"
            )
    return sorted(files, key=lambda file: file.path)


def _names(change: git.FileChange) -> Iterable[str]:
    """Lists the file's new and old name, the new one first."""
    return dict.fromkeys(filter(None, (change.new, change.old)))


def _relevant(
    change: git.FileChange, path: str, wanted: Wanted, blobs: git.Blobs
) -> Changed | None:
    """Reads the file on both sides; of two problems it keeps the last one, and that of decoding
    rather than any other."""
    sides = (
        (change.old_id, change.old_mode, change.old),
        (change.new_id, change.new_mode, change.new),
    )
    data: list[bytes | None] = [None, None]
    problem = None
    for side, (identity, mode, name) in enumerate(sides):
        try:
            if mode in git.FILES:
                # An id of zeros: the work tree's file, which git has not read.
                known = identity.strip("0")
                data[side] = (
                    blobs.read(identity, name) if known else git.work_file(blobs.root, name)
                )
        except InputError as error:
            problem = error
    kinds = (_kind(data, name, wanted) for name in _names(change))
    kind, format = next((one for one in kinds if one[0]), ("", None))
    if change.new_mode in git.KINDS and matches(path, (*_NAMES, *wanted.boot_lines)):
        kind = kind or CONFIGURATION  # what it leads to now is read in the place of a file
    if kind and change.new_mode in git.KINDS:
        hint = "commit a regular file under this path, or remove the path"
        problem = InputError(f"is {git.KINDS[change.new_mode]} now", where=path, hint=hint)
    if not kind or (data[0] == data[1] and change.old == change.new and not problem):
        return None
    texts: list[str | None] = [None, None]
    for side, content in enumerate(data):
        try:
            texts[side] = None if content is None else _text(content, path, kind)
        except InputError as error:
            problem = error
    status = "renamed" if change.old != change.new else "changed"
    if change.old_mode not in git.FILES or change.new_mode not in git.FILES:
        status = "deleted" if change.old_mode in git.FILES else "added"
    old, new = texts
    return Changed(path, change.old or path, status, kind, old, new, problem, format)


def _kind(data: Iterable[bytes | None], path: str, wanted: Wanted) -> tuple[str, Format | None]:
    """Finds what either side is, and its format; empty if neither is of interest.

    A name that tells goes before the content, which anybody can fill up with other lines. The
    format is of both sides: a file that has lost its only line of one is no file of another.
    """
    if matches(path, wanted.must_judge):
        return CONFIGURATION, None
    known = wanted.kinds.get(path, "")
    if known == CONFIGURATION:
        return CONFIGURATION, None
    heads = [_head(content, path) for content in data if content is not None]
    named = bootfiles.format_of(path)
    if named and not named.plain:
        return named.kind, named
    texts = [content for content in heads if b"\0" not in content]
    decoded = [text.decode(errors="replace") for text in texts]
    often = bootfiles.candidates(path) and filter(None, map(partial(candidate, path), decoded))
    if found := next(iter(often), None):
        return found.kind, found
    # A name that the user gave may be of a file in any of the formats.
    seen = (bootfiles.format_of(path, text) for text in reversed(decoded))
    if known:
        plain = bootfiles.SYSCTL_D if known == SYSCTLS else bootfiles.PLAIN
        return known, named or next(filter(None, seen), plain)
    named_so = matches(path, _NAMES) and any(map(_SETTING.search, heads))
    if named_so or any(map(is_configuration, heads)):
        return CONFIGURATION, None
    no_script = any(not head.startswith(b"#!") for head in texts)
    if matches(path, _NO_SCRIPTS) or (no_script and matches(path, wanted.boot_lines)):
        return BOOT_LINE, named or next(filter(None, seen), bootfiles.PLAIN)
    return "", None


def _head(content: bytes, path: str) -> bytes:
    """A text, or the beginning of a packed one as far as it can be unpacked."""
    if not compression(content[:64]):
        return content
    pieces: list[bytes] = []
    with suppress(InputError):  # damaged: what stands before that tells as well
        pieces.extend(islice(unpacked(io.BytesIO(content), path), _HEAD // CHUNK))
    return b"".join(pieces)


def _text(content: bytes, path: str, kind: str) -> str:
    """Decodes the whole text. Raises InputError if it is none, or damaged; a boot line may be
    empty."""
    if kind in (BOOT_LINE, SYSCTLS) and not content.strip():
        return ""
    return decode(collect(unpacked(io.BytesIO(content), path), path, LARGEST))[0]


def joined(
    changed: Iterable[Changed], start: str, wanted: Wanted, blobs: git.Blobs
) -> list[Changed]:
    """The changes, each of a file that gives one line together with others beside these.

    `start` is the commit of the old side. Of the others it has those that did not change; one that
    cannot be read is left out. Raises InputError if git refuses.
    """
    changed = list(changed)
    groups: dict[str, list[Changed]] = {}
    for one in changed:
        if one.format and not one.problem and (root := together.root_of(one.path)):
            groups.setdefault(root, []).append(one)
    found: dict[str, Changed] = {}
    for root, group in groups.items():
        texts = dict(_unchanged(group[0].path, root, start, wanted, blobs))
        moved = {path for one in changed for path in (one.path, one.old_path)}
        texts = {path: text for path, text in texts.items() if path not in moved}
        if texts or len(group) > 1:
            found.update((one.path, one) for one in _together(group, texts))
    changed = [found.get(one.path, one) for one in changed]
    sides = {one.path: (one.old, one.new) for one in changed}
    return [_with_profiles(one, sides, start, blobs) for one in changed]


def _with_profiles(
    one: Changed, sides: Mapping[str, tuple[str | None, str | None]], start: str, blobs: git.Blobs
) -> Changed:
    """The change of a profile of TuneD with those that it includes, on either side."""
    if one.problem or not one.path.endswith("/tuned.conf"):
        return one
    old, new = (
        tuple(_profiles(one.path, text, number, sides, start, blobs).items())
        for number, text in enumerate((one.old, one.new))
    )
    return one._replace(beside=(old, new)) if len(old) > 1 or len(new) > 1 else one


def _profiles(  # noqa: PLR0913, PLR0917  # where to look
    path: str,
    text: str | None,
    number: int,
    sides: Mapping[str, tuple[str | None, str | None]],
    start: str,
    blobs: git.Blobs,
) -> dict[str, str]:
    """Lists a profile and those that it includes, each before what it stands above: the first that
    TuneD reads comes last. One that cannot be read is left out."""
    found: dict[str, str] = {}
    left = [(path, text)]
    while left and len(found) < together.MOST:
        name, text = left.pop()
        if text is None or name in found:
            continue
        found[name] = text
        with suppress(InputError):
            folder = name.removesuffix("/tuned.conf").rpartition("/")[0]
            for parent in tuned.included(tuned.units(text, name)):
                other = f"{folder}/{parent}/tuned.conf".lstrip("/")
                if other in sides:
                    left.append((other, sides[other][number]))
                elif re.fullmatch(r"[\w.-]+", parent, re.A):  # git is asked line by line
                    with suppress(InputError):
                        content = blobs.read(f"{start}:{other}", other)
                        left.append((other, _text(content, other, BOOT_LINE)))
    return found


def _together(group: list[Changed], texts: Mapping[str, str]) -> Iterator[Changed]:
    """The first of the group with both sides of all of it, and the others that name it."""
    before = {one.path: one.old for one in group if one.old is not None}
    after = {one.path: one.new for one in group if one.new is not None}
    sides = ({**texts, **before}, {**texts, **after})
    old, new = (tuple((p, side[p]) for p in together.in_order(side)) for side in sides)
    first = group[0]
    yield first._replace(beside=(old, new))
    yield from (one._replace(judged_with=first.path) for one in group[1:])


def _unchanged(
    path: str, root: str, start: str, wanted: Wanted, blobs: git.Blobs
) -> Iterator[tuple[str, str]]:
    """Lists the files of a group as the commit has them: path and text."""
    paths = [
        name
        for folder in together.folders_of(path)
        for name in git.files_below(start, folder)
        if together.root_of(name) == root and wanted.covers(name)
    ]
    # Git is asked line by line, and a blank would part the answer; nobody has so many drop-ins.
    paths = [name for name in paths if name.isprintable() and " " not in name]
    left = bootfiles.LARGEST
    for name in paths[: together.MOST]:
        with suppress(InputError):
            text = _text(blobs.read(f"{start}:{name}", name), name, BOOT_LINE)
            left -= len(text)
            if left < 0:
                return
            format = bootfiles.format_of(name) or bootfiles.PLAIN
            bootfiles.read(text, name, format)
            yield name, text
