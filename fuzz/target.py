"""What a fuzz target is, and what several of them share: files out of bytes, and the command."""

from __future__ import annotations

import atexit
import copy
import functools
import gc
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock
from zlib import crc32

from advisor.errors import AdvisorError
from advisor.inputs.host.held import Entry, Held, Link
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge, unpacked
from advisor.knowledge.table import Table
from advisor.model.profile import Profile

ROOT = Path(__file__).parents[1]
MOST_FILES = 64
SHARES = 6
"""An input is judged by one of so many shares of the advice; its digest says by which."""
_share = ContextVar("share", default=0)
_BUG = 70
_INTERRUPTED = 130
_PREFIX = "kernel-advisor-fuzz-"
_LINK = b"-> "


class Target(NamedTuple):
    """What is run on each input, the modules of `advisor` that inputs have to reach, and what the
    first inputs are. A `whole` way is slower, and gives up after fewer executions."""

    run: Callable[[bytes], object]
    modules: tuple[str, ...]
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[str, ...] = ()
    whole: bool = False

    def __call__(self, data: bytes) -> None:
        """Runs one input. What is no error of the product's own classes is a finding: it goes
        on to the caller. What an earlier input left in the cache is gone."""
        _share.set(crc32(data) // 64 % SHARES)
        shutil.rmtree(scratch() / "home", ignore_errors=True)
        try:
            self.run(data)
        except AdvisorError as error:
            if error.exit_code == _BUG:
                raise
        except SystemExit as error:
            raise FindingError("it ends the process") from error


class FindingError(Exception):
    """What is wrong, though nothing was raised."""


def text(data: bytes) -> str:
    """The bytes as the readers get a text: what is no UTF-8 is replaced."""
    return data.decode(errors="replace")


# Several files in one input


def bundled(files: Mapping[str, Any]) -> bytes:
    """The files in one text: `=== PATH`, and below it what is in it; `-> TARGET` is a link."""
    return b"".join(
        b"=== %s\n%s" % (_line(path).rstrip(), _line(body)) for path, body in files.items()
    )


def _line(body: str | bytes) -> bytes:
    body = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else body
    return body if body.endswith(b"\n") else body + b"\n"


def files_in(data: bytes) -> dict[str, bytes]:
    """The files of such a text, by their paths without a slash in front."""
    parts = re.split(rb"^=== ", data, flags=re.M)[1 : MOST_FILES + 1]
    named = (part.partition(b"\n") for part in parts)
    return {text(path).strip("/"): body for path, _, body in named}


def held(data: bytes) -> Held:
    """The host that such a text holds, in memory."""
    entries: dict[str, Entry] = {}
    for path, body in files_in(data).items():
        is_link = body.startswith(_LINK)
        entries[path] = Link(text(body[len(_LINK) :].rstrip(b"\n"))) if is_link else body
    return Held("host", entries)


@functools.cache
def scratch() -> Path:
    """The folder of this process's files."""
    made = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_memory())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def _memory() -> str:
    """A folder in memory, where there is one: each input is a few files."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()


def remove_scratch(process: int) -> None:
    """Removes the folder of a process that has ended: libFuzzer ends it without a word."""
    for path in Path(_memory()).glob(f"{_PREFIX}{process}-*"):
        shutil.rmtree(path, ignore_errors=True)


def written(files: Mapping[str, bytes], folder: str = "in") -> Path:
    """A folder with these files and nothing else; those whose paths lead out are left out."""
    top = scratch() / folder
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    for name, body in files.items():
        path = top / name
        if (
            not name
            or ".." in path.parts
            or "\0" in name
            or path.is_absolute() != top.is_absolute()
        ):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if body.startswith(_LINK):
                path.symlink_to(text(body[len(_LINK) :].rstrip(b"\n")))
            else:
                path.write_bytes(body)
        except (OSError, ValueError):
            continue  # a name too long, or a file where a folder is needed
    return top


def file_of(data: bytes, name: str = "input") -> str:
    """A file of these bytes."""
    return str(written({name: data}, "one") / name)


# The command


@functools.cache
def knowledge() -> Knowledge:
    """The built-in rules and profiles."""
    return _load()


_load, _carried = index.load, index._built_in
_tables: Any = functools.cache(Table.__dict__["load"].__func__)
"""Each knowledge reads the tables of kernels anew, and most of an input's time went into that."""


@functools.cache
def _built_in() -> dict[str, dict[str, Any]]:
    """The built-in documents, parsed once."""
    return {
        section: {name: unpacked(one) for name, one in documents.items()}
        for section, documents in _carried().items()
    }


def _load_once(rules: Iterable[object] = (), profiles: Iterable[object] = ()) -> Knowledge:
    rules, profiles = list(rules), list(profiles)
    if rules or profiles:
        return _load(rules, profiles)  # type: ignore[arg-type]
    return _sampled(_share.get())


@functools.cache
def _sampled(share: int) -> Knowledge:
    """The built-in rules, with a share of each profile's advice, and of the tunables that states
    are told of: most of the time of a whole way goes into judging."""
    whole, found = knowledge(), copy.copy(knowledge())

    def profile(name: str) -> Profile:
        every = whole.profile(name)
        return every._replace(advice=every.advice[share::SHARES])

    def ids(section: str) -> list[str]:
        every = whole.ids(section)
        return every[share::SHARES] if section == "tunables" else every

    found.profile, found.ids = profile, ids  # type: ignore[method-assign]
    return found


@contextmanager
def _alone(folder: Path, words: Sequence[str]) -> Iterator[None]:
    """The command's words and folder, knowledge that is read once, and an environment in which
    nothing of the user's is seen."""
    knowledge()
    home = scratch() / "home"
    hidden = ("GIT_", "KERNEL_ADVISOR_")
    environment = {
        **{name: text for name, text in os.environ.items() if not name.startswith(hidden)},
        "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "COLUMNS": "80",
        "KERNEL_ADVISOR_TRACEBACK": "1", "SOURCE_DATE_EPOCH": "0",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    }  # fmt: skip
    before = os.getcwd()
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        for of, name, new in (
            (sys, "argv", ["kernel-advisor", *words]),
            (index, "load", _load_once),
            (index, "_built_in", _built_in),
            (Table, "load", classmethod(_tables)),
            (gc, "freeze", bool),  # a process that goes on would never free what a tree leaves
        ):
            stack.enter_context(mock.patch.object(of, name, new))
        stack.callback(os.chdir, before)
        os.chdir(folder)
        yield


def command(*words: str, folder: Path) -> tuple[int, str]:
    """Runs the command in that folder: its exit code, and what it prints.

    Raises FindingError where it says that it has a bug.
    """
    from advisor.cli import app

    out, errors = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with _alone(folder, words), redirect_stdout(out), redirect_stderr(errors):
        code = app.run()
        sys.stdout.flush()
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    if code == _BUG:
        raise FindingError(errors.getvalue())
    return code, out.buffer.getvalue().decode(errors="replace")
