"""The files of rules, profiles and programs: which there are, and what TOML each holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from advisor.errors import KnowledgeError
from advisor.files import TooLargeError, read
from advisor.inputs.open import InputName, RepositoryFile, name_of
from advisor.knowledge.documents import Document
from advisor.knowledge.tomltext import locate

# The files at the top of a folder of rules that hold no tunable.
_TOP = (
    "names", "lifecycle", "successors", "components", "authorities", "protections", "symptoms",
    "kernel", "exceptions", "repository",
)  # fmt: skip
_BOOT_LINE = "commandline"
"""The file of what is known of the boot line as a whole, beside `kernel`."""
REPOSITORY = "repository.toml"
_SOFTWARE = "software"
MOST_NAMES = 20_000
"""The most names below a folder of rules; the built-in ones are some hundred files."""
_LARGEST = 1 << 20


class KnowledgeFile(NamedTuple):
    """One TOML file: what kind of knowledge it holds, where it is, and its bytes.

    `folder` is the folder of rules or profiles that it was found in, whose `repository.toml` holds
    for it.
    """

    kind: str
    path: str
    area: str
    content: bytes
    folder: str = ""


def rule_files(directory: InputName) -> Iterator[KnowledgeFile]:
    """The rule files below a directory, sorted, with the programs in its folder `software`. Raises
    KnowledgeError if it cannot be read."""
    for path in _toml_files(directory):
        area, _, name = _within(directory, path).replace(os.sep, "/").rpartition("/")
        if area == _SOFTWARE:
            yield _software_file(path, directory)
            continue
        kind = "parameters" if area == "parameters" else "tunable"
        if not area and (stem := name.removesuffix(".toml")) in (*_TOP, _BOOT_LINE):
            kind = "kernel" if stem == _BOOT_LINE else stem
        content = content_of(path)
        yield KnowledgeFile(kind, name_of(path), area or "local", content, name_of(directory))


def profile_files(directory: InputName) -> Iterator[KnowledgeFile]:
    """The profile files below a directory, sorted. Raises KnowledgeError if it cannot be read."""
    for path in _toml_files(directory):
        kind = "repository" if _within(directory, path) == REPOSITORY else "profile"
        yield KnowledgeFile(kind, name_of(path), "", content_of(path), name_of(directory))


def software_files(directory: InputName) -> Iterator[KnowledgeFile]:
    """The files of programs below a directory, sorted. Raises KnowledgeError if it cannot be
    read."""
    yield from (_software_file(path, directory) for path in _toml_files(directory))


def _software_file(path: InputName, directory: InputName) -> KnowledgeFile:
    name = os.path.basename(name_of(path)).removesuffix(".toml")
    kind = name if name in ("modules", "repository") else "software"
    return KnowledgeFile(kind, name_of(path), "", content_of(path), name_of(directory))


def loose_file(path: str) -> KnowledgeFile:
    """A file that is in no folder of rules or profiles: what kind it is, its tables tell."""
    content = content_of(path)
    tables = {
        b"[[advice]]": "profile",
        b"[[parameter]]": "parameters",
        b"[[function]]": "software",
    }
    kind = next((kind for table, kind in tables.items() if table in content), "tunable")
    return KnowledgeFile(kind, path, "local", content)


def _within(directory: InputName, path: InputName) -> str:
    return os.path.relpath(name_of(path), name_of(directory))


def _toml_files(directory: InputName) -> list[InputName]:
    if isinstance(directory, RepositoryFile):
        within = directory.below()
        return [
            directory._replace(path=path, called="") for path in within if path.endswith(".toml")
        ]
    if not os.path.isdir(directory):
        raise KnowledgeError([(directory, "is no directory of rules or profiles")])
    return sorted(path for path in _paths_below(directory) if path.endswith(".toml"))


def _paths_below(directory: str) -> Iterator[str]:
    """The files below a directory. Raises KnowledgeError for more than MOST_NAMES names."""
    count = 0
    for folder, below, names in os.walk(directory):
        count += len(below) + len(names)
        if count > MOST_NAMES:
            problem = f"has more than {MOST_NAMES} files and folders: name the folder of the rules"
            raise KnowledgeError([(directory, problem)])
        yield from (os.path.join(folder, name) for name in names)


def content_of(path: InputName) -> bytes:
    """The bytes of a file. Raises KnowledgeError."""
    try:
        if isinstance(path, RepositoryFile):
            content = path.content()
            if len(content) > _LARGEST:
                raise TooLargeError(_LARGEST)
            return content
        return read(path, limit=_LARGEST)
    except TooLargeError as error:
        problem = "is larger than a rule or profile can be (1 MiB)"
        raise KnowledgeError([(name_of(path), problem)]) from error
    except OSError as error:
        raise KnowledgeError([(name_of(path), f"cannot be read: {error.strerror}")]) from error


def toml_of(file: KnowledgeFile) -> Document:
    """The TOML of a file. Raises KnowledgeError."""
    import tomli

    try:
        text = file.content.decode("utf-8")
        toml = tomli.loads(text)
    except UnicodeDecodeError as error:
        line = file.content.count(b"\n", 0, error.start) + 1
        raise KnowledgeError([(f"{file.path}:{line}", "is not UTF-8")]) from error
    except (ValueError, RecursionError) as error:
        # Beside TOMLDecodeError, numbers too long and tables too deep.
        line = getattr(error, "lineno", 1)
        raise KnowledgeError([(f"{file.path}:{line}", f"is no TOML: {error}")]) from error
    # TOML has 64 bits. tomli reads more, of which Python cannot make a message.
    left: list[tuple[list[str | int], Any]] = [([], toml)]
    for path, value in left:
        if isinstance(value, (dict, list)):
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            left += (([*path, key], one) for key, one in entries)
        elif isinstance(value, int) and value.bit_length() > 63:
            where = f"{file.path}:{locate(text, path)}"
            raise KnowledgeError([(where, "is no TOML: an integer of more than 64 bits")])
    return toml
