"""The index: all knowledge in one file, so that a run parses no TOML and checks no schema.

A wheel carries it; a checkout keeps it in the user's cache folder and makes it again when a rule
file changes. It is used only if this version of the tool made it, from the files as they are, and
if its content is intact.

Format: a line `kernel-advisor-index 38 <version> <state of the files> <sum of the rest>`, a line of
JSON that tells the name of each section and how many bytes it has, and the sections one behind the
other: a line of the names of its documents, with tabs between, and each document a line of JSON. So
a run parts only the sections it needs. The sections `aliases`, `spellings`, `choices`,
`once_chosen`, `unnamed`, `read_by`, `named_in`, `notes`, `listed`, `patches`, `promptless`,
`releases`, `run_time`, `providers`, `own`, `alone`, `recorded`, `fits`, `programs_called` and
`complaints` are derived from the others.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import advisor
from advisor.cache import cache_path, digest, keep, packed, read_intact, read_own
from advisor.files import write_atomically
from advisor.knowledge import folders
from advisor.knowledge.decode import NOTES_KEYS
from advisor.knowledge.store import Knowledge, Packed, Sections

if TYPE_CHECKING:
    from advisor.inputs.open import InputName
    from advisor.knowledge.documents import Documents

_MAGIC = "kernel-advisor-index 38"
SECTIONS = (
    "tunables", "profiles", "products", "parameters", "names", "renames", "successors", "splits",
    "readers", "components", "protections", "symptoms", "facts", "programs", "modules",
)  # fmt: skip
_OF_PROFILES = ("profiles", "products")


def load(rules: Iterable[InputName] = (), profiles: Iterable[InputName] = ()) -> Knowledge:
    """The built-in knowledge, with that of further directories over it.

    Raises KnowledgeError if a file of these is wrong.
    """
    rules, profiles = list(rules), list(profiles)
    if not rules and not profiles:
        return Knowledge(_built_in())
    from advisor.knowledge import schema
    from advisor.knowledge.load import compile_folders
    from advisor.knowledge.references import check_references

    schema.need()
    documents = compile_folders(rules, profiles, check=True)
    knowledge = with_built_in(documents)
    check_references(knowledge, documents)
    return knowledge


def with_built_in(documents: Documents) -> Knowledge:
    """The built-in knowledge, with these documents over it, whose references are not checked."""
    from advisor.knowledge.derive import derived, recorded

    carried = _built_in()
    merged: dict[str, Packed] = {
        name: {**carried[name], **own} for name, own in sections(documents).items()
    }
    rest = derived(merged)
    # Of the built-in tunables the notes are kept apart from the rest.
    own = {name: rest["notes"][name] for name in documents.tunables}
    rest["notes"] = {**carried["notes"], **own}
    rest["recorded"] = recorded(rest["notes"])
    return Knowledge({**merged, **rest})


def _built_in() -> Sections:
    rules, profiles, carried = folders.roots()
    software = folders.software()
    # The files of a wheel do not change, and their times are those of the installation.
    if (content := read_intact(carried, _mark("wheel"))) is not None:
        return _Parted(content)
    # The tables of data/ too: the lines of sources are looked up in them when the index is made.
    watched = (rules, profiles, software, folders.data())
    state = digest("".join(map(_state, watched)).encode("utf-8", "surrogateescape"))
    path = cache_path("index", os.path.abspath(rules))
    if (content := read_own(path, _mark(state))) is not None:
        return _Parted(content)
    sections = pack(rules, profiles, software, check=True)
    keep(path, _mark(state), _content(sections))
    return sections


def _state(folder: str) -> str:
    """Names, sizes and times of all files below a folder."""
    return "\n".join(
        _state(entry.path)
        if entry.is_dir()
        else f"{entry.path} {entry.stat().st_size} {entry.stat().st_mtime_ns}"
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)
    )


def pack(rules: str, profiles: str, software: str, *, check: bool) -> dict[str, dict[str, str]]:
    """The sections of an index of these folders; with `check`, schemas and references checked.

    Raises KnowledgeError if a file is wrong.
    """
    from advisor.knowledge.derive import derived
    from advisor.knowledge.load import compile_folders

    documents = compile_folders([rules], [profiles], [software], check=check)
    plain = sections(documents)
    rest = derived(plain)
    if check:
        from advisor.knowledge.references import check_references

        check_references(Knowledge({**plain, **rest}), documents)
    plain["tunables"] = {
        name: {key: part for key, part in document.items() if key not in NOTES_KEYS}
        for name, document in documents.tunables.items()
    }
    return {
        section: {name: json.dumps(part, separators=(",", ":")) for name, part in packed.items()}
        for section, packed in {**plain, **rest}.items()
    }


def sections(documents: Documents) -> dict[str, Packed]:
    """The documents by section; profiles of one product have a section of their own."""
    of_all = documents.profiles.items()
    products = {name: one for name, one in of_all if one.get("role") == "product"}
    profiles = {name: one for name, one in of_all if one.get("role") != "product"}
    others = {name: getattr(documents, name) for name in SECTIONS if name not in _OF_PROFILES}
    return {**others, "profiles": profiles, "products": products}


def build(root: str, path: str) -> None:
    """Writes the index of the rules, profiles and programs below `root` to `path`, for the
    wheel."""
    folders = (os.path.join(root, name) for name in ("rules", "profiles", "software"))
    sections = pack(*folders, check=False)
    write_atomically(path, packed(_mark("wheel"), _content(sections)))


def _mark(state: str) -> str:
    return f"{_MAGIC} {advisor.__version__} {state}"


def _content(sections: Mapping[str, Mapping[str, str]]) -> bytes:
    texts = {section: _joined(documents).encode() for section, documents in sections.items()}
    table = json.dumps({section: len(text) for section, text in texts.items()})
    return b"".join((table.encode(), b"\n", *texts.values()))


def _joined(documents: Mapping[str, str]) -> str:
    """A section: the names of its documents in a line, and each document; empty if it has none."""
    if not documents:
        return ""
    return "".join(f"{line}\n" for line in ("\t".join(documents), *documents.values()))


class _Parted(dict[str, Packed]):
    """Sections by name, each decoded and parted into its documents when it is first asked for."""

    def __init__(self, content: bytes) -> None:
        at = content.index(b"\n") + 1
        self._content = content
        self._places: dict[str, slice] = {}
        for section, length in json.loads(content[:at]).items():
            self._places[section] = slice(at, at + length)
            at += length

    def __missing__(self, section: str) -> Packed:
        text = self._content[self._places[section]].decode()
        self[section] = parted = {}
        at = text.find("\n") + 1
        for name in text[: at - 1].split("\t") if text else ():
            end = text.index("\n", at)  # which skips to it, where split looks at each character
            parted[name] = text[at:end]
            at = end + 1
        return parted
