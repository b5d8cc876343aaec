"""Objects of a git repository as inputs. Nothing else runs git.

A repository may be hostile, and its configuration can name programs. Of the commands used here
(rev-parse, merge-base, ls-tree, cat-file, config, diff --raw; tried with git 2.39) that concerns
core.fsmonitor, hooks, external diffs and textconv, the filters through which `diff` reads a work
tree, submodules with a configuration of their own, and the transport that fetches what a partial
clone lacks: each is switched off.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from posixpath import join, normpath
from threading import Timer
from typing import IO

from advisor import files
from advisor.errors import InputError
from advisor.inputs.unpack import CHUNK, LIMIT
from advisor.model.numbers import whole_number
from advisor.record import NamedTuple

SECONDS = 300
"""How long git may take; a configuration file that is a pipe would make it wait for ever."""
_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null")
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # for a git that does not know the former
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    # Another content in the place of what a commit names is nobody's to give.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
}
_DIFF = (
    "diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-relative",
    "--ignore-submodules=all", "--no-color", "-O/dev/null", "--end-of-options",
)  # fmt: skip
KINDS = {"120000": "a symbolic link", "160000": "a submodule", "040000": "a directory"}
"""What else a path may be, by its mode."""
FILES = ("100644", "100755")
"""The modes of regular files."""
_DEEPER = "get the whole history: git fetch --unshallow, or fetch-depth: 0 for actions/checkout"


class FileChange(NamedTuple):
    """One changed path: `status` is A, D, M, R, or T (another kind of file).

    Paths are from the root of the repository, bytes that are no UTF-8 as surrogates; `old` is empty
    of an added file, `new` of a deleted one. Modes are git's; an id of zeros stands for a file of
    the work tree.
    """

    status: str
    old: str
    new: str
    old_mode: str = ""
    new_mode: str = ""
    old_id: str = ""
    new_id: str = ""


class _Answer(NamedTuple):
    code: int
    out: bytes
    error: str


def _command(words: Sequence[str], settings: Sequence[str] = ()) -> list[str]:
    options = [part for setting in (*_SETTINGS, *settings) for part in ("-c", setting)]
    return ["git", "--no-pager", *options, *words]


@contextmanager
def _started(command: list[str], errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The running command, ended when left. Raises InputError where there is no git."""
    pipe, environment = subprocess.PIPE, {**os.environ, **_ENVIRONMENT}
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=environment)
    except OSError as error:
        hint = "install git, or give the file itself"
        missing = isinstance(error, FileNotFoundError)
        message = "git is not installed" if missing else f"git cannot be run: {error.strerror}"
        raise InputError(message, hint=hint) from error
    # communicate() with a timeout would read without a limit.
    timer = Timer(SECONDS, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream:
                # What was not written any more is of no interest.
                with suppress(OSError):
                    stream.close()
        process.wait()


def _git(*words: str, settings: Sequence[str] = (), limit: int = LIMIT) -> _Answer:
    """Runs git. Raises InputError if it is not installed, or answers more than `limit`."""
    with files.temporary() as errors, _started(_command(words, settings), errors) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        out = process.stdout.read(limit + 1)
        if len(out) > limit:
            hint = "check whether the revision is right"
            raise InputError(f"the output of git {words[0]} exceeds {limit >> 20} MiB", hint=hint)
        code = process.wait()
        errors.seek(0)
        return _Answer(code, out, errors.read(CHUNK).decode(errors="replace").strip())


def _output(where: str, *words: str, settings: Sequence[str] = ()) -> str:
    """Runs git and gives what it prints, bytes that are no UTF-8 as surrogates. Raises
    InputError if it refuses."""
    answer = _git(*words, settings=settings)
    if answer.code:
        raise _refused(answer, where)
    return answer.out.decode("utf-8", "surrogateescape")


def _refused(answer: _Answer, where: str) -> InputError:
    """Makes the error for what git refuses, in its own words where it has some."""
    last = answer.error.splitlines()[-1:] or ["it was ended"]
    if "dubious ownership" in answer.error:
        hint = "if you trust the repository: git config --global --add safe.directory FOLDER"
        return InputError("git refuses a repository of another owner", where=where, hint=hint)
    if "not a git repository" in answer.error:
        return InputError(
            "no git repository is here", where=where, hint="run kernel-advisor in the clone"
        )
    if "work tree" in answer.error:
        return InputError("the repository has no work tree", where=where, hint="name HEAD too")
    reason = last[0].removeprefix("fatal: ").removeprefix("error: ")
    return InputError(f"git cannot read it: {reason}", where=where, hint="git fsck checks a clone")


def root() -> str:
    """Finds the folder of the work tree, empty in a bare repository. Raises InputError without
    one."""
    answer = _git("rev-parse", "--show-toplevel")
    if answer.code:
        if "work tree" in answer.error:
            return ""
        raise _refused(answer, "git")
    return os.fsdecode(answer.out.removesuffix(b"\n"))


def commit(revision: str) -> str:
    """Finds the id of the commit that a revision names. Raises InputError."""
    return _resolved(revision, "commit", revision)


def _resolved(revision: str, kind: str, where: str) -> str:
    # A dash would begin an option to a git that does not know --end-of-options.
    if not revision or revision.startswith("-") or "\0" in revision:
        hint = "give a commit, tag or branch"
        raise InputError(f"{revision!r} is no name of a revision", where=where, hint=hint)
    answer = _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{{kind}}}")
    if answer.code == 0:
        return answer.out.decode().strip()
    if any(words in answer.error for words in ("not a git repo", "dubious")):
        raise _refused(answer, where)
    hint = "git log shows the revisions; a shallow clone has only the newest revisions"
    raise InputError(f"git has no revision {revision!r} here", where=where, hint=hint)


def merge_base(base: str, head: str) -> str:
    """Finds the commit at which two histories part. Raises InputError if they never meet."""
    answer = _git("merge-base", "--end-of-options", base, head)
    if answer.code == 0:
        return answer.out.decode().split()[0]
    if answer.code != 1:
        raise _refused(answer, f"{base}...{head}")
    shallow = _git("rev-parse", "--is-shallow-repository").out.strip() == b"true"
    message = "have no common commit" + (" in this shallow clone" if shallow else "")
    hint = _DEEPER if shallow else "--exact compares the two commits directly"
    raise InputError(f"{base[:12]} and {head[:12]} {message}", where="git", hint=hint)


def changed(base: str, head: str = "", *, exact: bool = False) -> list[FileChange]:
    """Lists what changed in `head` since it left `base`, as a pull request shows it.

    Without `head` it is the work tree, as far as git knows its files; `exact` compares with `base`
    itself. Raises InputError.
    """
    start = commit(base)
    end = commit(head) if head else ""
    if not exact:
        start = merge_base(start, end or commit("HEAD"))
    settings = () if end else _no_filters()
    revisions = (start, end) if end else (start,)
    return list(_changes(_output(f"{base}...{head}", *_DIFF, *revisions, "--", settings=settings)))


def _no_filters() -> list[str]:
    """Settings that empty every filter which `diff` would run on a file of the work tree."""
    settings = _output("git", "config", "--list", "--name-only", "-z").split("\0")
    names = {name for name in settings if name.startswith("filter.")}
    drivers = sorted({name.rpartition(".")[0] for name in names})
    if odd := [name for name in drivers if "=" in name or "\n" in name]:
        hint = "compare two commits, or rename the filter"
        message = f"git's configuration has a filter that cannot be disabled: {odd[0]!r}"
        raise InputError(message, hint=hint)
    off = ("clean=", "smudge=", "process=", "required=false")
    return [f"{driver}.{setting}" for driver in drivers for setting in off]


def _changes(raw: str) -> Iterator[FileChange]:
    """Those of `diff --raw -z`: `:MODE MODE ID ID STATUS`, then a path, or two of a renamed one."""
    fields = iter(raw.split("\0"))
    for head in fields:
        if head.startswith(":"):
            *traits, status = head[1:].split()
            kind, path = status[0], next(fields)
            old, new = (path, next(fields)) if kind in "RC" else (path, path)
            yield FileChange(kind, "" if kind == "A" else old, "" if kind == "D" else new, *traits)


def parted(name: str) -> tuple[str, str] | None:
    """Parts `REV:path` at the colon that git takes; None if it is no such name.

    Source: get_oid_with_context_1() of object-name.c: a colon within braces parts nothing.
    """
    depth = 0
    for place, letter in enumerate(name):
        if letter == "{":
            depth += 1
        elif letter == "}" and depth:
            depth -= 1
        elif letter == ":" and not depth:
            return (name[:place], name[place + 1 :]) if place else None
    return None


def read(name: str) -> bytes:
    """The content of the file that `REV:path` names, as `git show` reads it.

    Raises InputError if there is no such revision, path or file, or more than LIMIT bytes of it.
    """
    revision, path = parted(name) or ("", "")
    try:
        tree = _resolved(revision, "tree", name)
    except InputError as error:
        message = f"no such file, and {error.message}"
        raise InputError(message, where=name, hint=error.hint) from error
    return _blob(tree, from_root(path, name), name, revision)


def read_at(commit: str, path: str) -> bytes:
    """Reads the file at a path from the root, as that commit has it.

    Raises InputError if there is no such file, or more than LIMIT bytes of it.
    """
    tree = _resolved(commit, "tree", path)
    return _blob(tree, path, path, commit[:12])


def holds(commit: str, path: str) -> bool:
    """Whether the commit has anything at that path from the root. Raises InputError."""
    tree = _resolved(commit, "tree", path)
    return bool(_output(path, "ls-tree", "-z", "--full-tree", tree, "--", path))


def files_below(commit: str, folder: str) -> list[str]:
    """Lists the regular files below a folder (or the file itself) in that commit.

    Nothing of what is not there. Raises InputError if git refuses.
    """
    tree = _resolved(commit, "tree", folder)
    below = ("--", folder.rstrip("/")) if folder.strip("/.") else ()
    listed = _output(folder, "ls-tree", "-r", "-z", "--full-tree", tree, *below)
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return [path for head, _, path in entries if head.split()[0] in FILES]


def _blob(tree: str, path: str, name: str, revision: str) -> bytes:
    """The file of a tree, which is called by that name and revision in errors."""
    mode, blob = _entry(tree, path, name, revision)
    if mode in KINDS:
        hint = "name a regular file; for a link, name the file that the link points to"
        raise InputError(f"is {KINDS[mode]} in {revision}", where=name, hint=hint)
    size = _git("cat-file", "-s", blob)
    if size.code == 0 and (whole_number(size.out.decode().strip()) or 0) > LIMIT:
        hint = "is it the right file?"
        raise InputError(f"more than {LIMIT >> 20} MiB", where=name, hint=hint)
    answer = _git("cat-file", "blob", blob)
    if answer.code:
        raise _refused(answer, name)
    return answer.out


def from_root(path: str, name: str) -> str:
    """Gives the path from the root of the repository; a path of `.` or `..` is from the folder
    here."""
    if not path.startswith(("./", "../")):
        return path
    here = _output(name, "rev-parse", "--show-prefix").removesuffix("\n")
    full = normpath(join(here, path))
    if full.startswith(".."):
        hint = "check the number of ../ in the path"
        raise InputError("the path leaves the repository", where=name, hint=hint)
    return "" if full == "." else full


def _entry(tree: str, path: str, name: str, revision: str) -> tuple[str, str]:
    """The mode and id of a path in a tree."""
    if not path.strip("/"):
        return "040000", tree
    listed = _output(name, "ls-tree", "-z", "--full-tree", tree, "--", path.rstrip("/"))
    head, _, listed_path = listed.partition("\0")[0].partition("\t")
    if listed_path != path.rstrip("/"):
        hint = f"git ls-tree -r --name-only {revision} lists its files"
        raise InputError(f"{revision} has no file {path!r}", where=name, hint=hint)
    mode, _, blob = head.split()
    return mode, blob


class Blobs:
    """Reads many objects with one process; see `blobs`. `root` is the folder of the work tree."""

    def __init__(self, process: subprocess.Popen[bytes], top: str) -> None:
        self._process = process
        self.root = top

    def read(self, identity: str, where: str) -> bytes:
        """The content of a blob. Raises InputError if it is missing, or more than LIMIT bytes."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(identity.encode() + b"\n")
            stdin.flush()
        except BrokenPipeError:
            pass  # then there is no answer either
        # `ID blob SIZE`, or `ID missing`.
        header = stdout.readline().split()
        if len(header) != 3:
            hint = "if this is a partial clone, run git fetch --refetch"
            raise InputError(f"git has no object {identity[:12]}", where=where, hint=hint)
        size = whole_number(header[2].decode()) or 0
        if size > LIMIT:
            rest = size + 1
            while rest > 0 and (piece := stdout.read(min(rest, CHUNK))):
                rest -= len(piece)
            raise InputError(f"more than {LIMIT >> 20} MiB", where=where, hint="leave it out")
        return stdout.read(size + 1)[:-1]


@contextmanager
def blobs() -> Iterator[Blobs]:
    """What reads blobs by their ids. Raises InputError where there is no git."""
    top = root()
    with (
        files.temporary() as errors,
        _started(_command(("cat-file", "--batch")), errors) as process,
    ):
        yield Blobs(process, top)


def work_file(top: str, path: str) -> bytes:
    """The content of a file of the work tree whose folder is `top`. Raises InputError."""
    name = os.path.join(os.fsencode(top), path.encode("utf-8", "surrogateescape"))
    try:
        # A link or a pipe may have taken its place.
        return files.read(name, limit=LIMIT, links=False)
    except files.TooLargeError as error:
        hint = "leave it out"
        raise InputError(f"more than {LIMIT >> 20} MiB", where=path, hint=hint) from error
    except (OSError, ValueError) as error:
        raise files.unreadable(path, error) from error
