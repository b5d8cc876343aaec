"""The one door: a file is read within bounds, and written whole or not at all."""

import ast
import io
import os
import re
import signal
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import files
from advisor.errors import InputError, OutputError
from advisor.inputs.unpack import unpacked

from .cases import each

PACKAGE = Path(files.__file__).parent


@pytest.mark.parametrize("limit", [3, 4, 1 << 20])
def test_a_file_is_read_whole(tmp_path: Path, limit: int) -> None:
    (tmp_path / "in").write_bytes(b"a\r\n")

    assert files.read(str(tmp_path / "in"), limit=limit) == b"a\r\n"


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"abc")

    with pytest.raises(files.TooLargeError):
        files.read(str(tmp_path / "in"), limit=2)


@pytest.mark.parametrize("limit", [10, 1 << 20])
def test_a_file_that_tells_no_size_is_read_within_the_limit_too(limit: int) -> None:
    path = f"/proc/{os.getpid()}/status"
    assert os.stat(path).st_size == 0

    if limit == 10:
        with pytest.raises(files.TooLargeError):
            files.read(path, limit=limit)
    else:
        assert files.read(path, limit=limit).startswith(b"Name:")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(files.NotRegularError):
        files.read(str(tmp_path / "pipe"), limit=10)
    with pytest.raises(files.NotRegularError):
        files.opened("/dev/zero")


def test_a_device_is_opened_where_one_may_be_named() -> None:
    with files.opened("/dev/zero", regular=False) as stream:
        assert stream.read(3) == b"\0\0\0"
        assert not files.is_regular(stream)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        files.read(str(tmp_path), limit=10)


def test_a_link_is_followed_unless_it_must_not_be(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("x")
    (tmp_path / "link").symlink_to("target")

    assert files.read(str(tmp_path / "link"), limit=10) == b"x"
    with pytest.raises(OSError, match="symbolic links"):
        files.read(str(tmp_path / "link"), limit=10, links=False)


def test_a_file_of_the_package_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert files.read_own("output", "html", "style.css")


def test_a_temporary_file_has_no_name(tmp_path: Path) -> None:
    with files.temporary(str(tmp_path)) as file:
        file.write(b"x")
        assert os.listdir(tmp_path) == []


def test_what_is_written_to_a_silenced_stream_goes_nowhere(tmp_path: Path) -> None:
    with open(tmp_path / "out", "w") as stream:
        files.silence(stream)
        stream.write("x")

    assert (tmp_path / "out").read_text() == ""


def test_a_file_is_written_whole_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    files.write_atomically(str(path), "näu\n")

    assert path.read_bytes() == "näu\n".encode()
    assert os.listdir(tmp_path) == ["out"]


def test_the_mode_follows_the_umask(tmp_path: Path) -> None:
    code = "import os, sys; os.umask(0o027); sys.path.insert(0, sys.argv[1]);"
    code += "from advisor.files import write_atomically; write_atomically(sys.argv[2], '')"
    root, path = str(Path(files.__file__).parents[1]), tmp_path / "out"

    subprocess.run([sys.executable, "-c", code, root, str(path)], check=True)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")

    files.write_atomically(str(tmp_path / "link"), "new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    files.write_atomically("/dev/null", "gone")

    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_what_utf8_cannot_hold_is_escaped(tmp_path: Path) -> None:
    files.write_atomically(str(tmp_path / "out"), "\udcff")

    assert (tmp_path / "out").read_text() == "\\udcff"


@pytest.mark.parametrize("name", ["none/out", "", "n\0ne"])
def test_what_cannot_be_written_is_an_output_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="cannot be written") as caught:
        files.write_atomically(f"{tmp_path}/{name}", "x")

    assert caught.value.hint
    assert os.listdir(tmp_path) == []


def test_a_failure_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "out"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OutputError, match="No space left"):
        files.write_atomically(str(path), "new")

    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


# What is replaced keeps who may read it


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640, 0o664, 0o755])
def test_what_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(mode)

    files.write_atomically(str(path), "new")

    assert (path.read_text(), mode_of(path)) == ("new", mode)


def test_what_is_written_is_never_open_to_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen at each step of the writing, by an umask that would open everything."""
    path, seen = tmp_path / "out", []
    path.write_text("old")
    path.chmod(0o600)

    def seeing(name: str) -> None:
        whole = getattr(os, name)

        def step(*given: object, **named: object) -> object:
            done = whole(*given, **named)
            seen.extend((name, mode_of(file)) for file in tmp_path.iterdir())
            return done

        monkeypatch.setattr(os, name, step)

    for name in ("open", "fchown", "fchmod", "fsync", "replace"):
        seeing(name)
    umask = os.umask(0)
    try:
        files.write_atomically(str(path), "new")
    finally:
        os.umask(umask)

    assert len(seen) >= 9
    assert {mode for _, mode in seen} == {0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_what_is_replaced_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    os.chown(path, 65534, 65533)
    path.chmod(0o640)

    files.write_atomically(str(path), "new")

    assert (path.stat().st_uid, path.stat().st_gid, mode_of(path)) == (65534, 65533, 0o640)


@pytest.mark.parametrize(
    ("mode", "left"), [(0o640, 0o600), (0o664, 0o644), (0o604, 0o600), (0o660, 0o600)]
)
def test_another_group_gets_no_right_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, left: int
) -> None:
    def refused(descriptor: int, owner: int, group: int) -> None:
        raise PermissionError

    path, whole = tmp_path / "out", os.lstat
    path.write_text("old")
    path.chmod(mode)

    def of_another_group(name: str) -> os.stat_result:
        found = list(whole(name))
        found[stat.ST_GID] += 1
        return os.stat_result(found)

    monkeypatch.setattr(os, "fchown", refused)
    monkeypatch.setattr(os, "lstat", of_another_group)
    files.write_atomically(str(path), "new")

    assert mode_of(path) == left


NOBODY = (1 << 32) - 1


def acl(*entries: tuple[int, int, int]) -> bytes:
    """An ACL as the kernel keeps it (include/uapi/linux/posix_acl_xattr.h)."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


# The owner reads and writes, user 65534 reads, the group nothing: a mode of 0640.
SHARED = acl((1, 6, NOBODY), (2, 4, 65534), (4, 0, NOBODY), (16, 4, NOBODY), (32, 0, NOBODY))


@pytest.fixture
def acls(tmp_path: Path) -> Path:
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", SHARED)
    except OSError:
        pytest.skip("the file system has no ACLs")
    os.removexattr(tmp_path, "system.posix_acl_default")
    return tmp_path


def test_an_acl_is_kept(acls: Path) -> None:
    path = acls / "out"
    path.write_text("old")
    os.setxattr(path, "system.posix_acl_access", SHARED)
    assert mode_of(path) == 0o640  # which without the ACL lets the group read

    files.write_atomically(str(path), "new")

    assert os.getxattr(path, "system.posix_acl_access") == SHARED


def test_an_acl_of_the_folder_opens_no_file(acls: Path) -> None:
    path = acls / "out"
    path.write_text("old")
    path.chmod(0o640)
    os.setxattr(acls, "system.posix_acl_default", SHARED)

    files.write_atomically(str(path), "new")

    assert "system.posix_acl_access" not in os.listxattr(path)
    assert mode_of(path) == 0o640


# What a killed run leaves is swept

KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from advisor.files import write_atomically

os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(sys.argv[2], "half")
"""
# The same, but it stops there, and goes on when it is told to.
SLOW = """
import os, sys
sys.path.insert(0, sys.argv[1])
from advisor.files import write_atomically

os.fsync = lambda descriptor: (print("there", flush=True), input())
write_atomically(sys.argv[2], "slow")
"""


def command(code: str, path: Path) -> list[str]:
    return [sys.executable, "-c", code, str(PACKAGE.parent), str(path)]


def gone() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_what_a_killed_run_left_is_swept_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    path.write_text("old")
    for _ in range(2):
        done = subprocess.run(command(KILLED, path), check=False)
        assert done.returncode == -signal.SIGKILL
        assert path.read_text() == "old"
        # The second one has swept what the first one left.
        (stray,) = (name for name in os.listdir(tmp_path) if name != "out.html")
        assert re.fullmatch(r"\.out\.html\.\d+\.[0-9a-f]{8}", stray)

    files.write_atomically(str(path), "new")

    assert os.listdir(tmp_path) == ["out.html"]
    assert path.read_text() == "new"


@pytest.mark.parametrize("old", [False, True])
def test_what_a_living_run_writes_is_left_alone(tmp_path: Path, old: bool) -> None:
    path = tmp_path / "out"
    with subprocess.Popen(
        command(SLOW, path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "there\n"
        (name,) = os.listdir(tmp_path)
        if old:  # as after days, or with the number of a process that is gone elsewhere
            os.utime(tmp_path / name, (0, 0))
            os.rename(tmp_path / name, tmp_path / (other := f".out.{gone()}.0123abcd"))
        files.write_atomically(str(path), "new")
        assert sorted(os.listdir(tmp_path)) == sorted([other if old else name, "out"])
        if old:
            os.rename(tmp_path / other, tmp_path / name)
        process.communicate("\n")

    assert process.returncode == 0
    assert path.read_text() == "slow"
    assert os.listdir(tmp_path) == ["out"]


def test_a_number_that_another_process_has_now_is_waited_for_a_day(tmp_path: Path) -> None:
    stray = tmp_path / f".out.{os.getppid()}.0123abcd"
    stray.write_text("half")

    files.write_atomically(str(tmp_path / "out"), "new")
    assert stray.exists()

    os.utime(stray, (0, 0))
    files.write_atomically(str(tmp_path / "out"), "new")
    assert not stray.exists()


def test_the_number_of_this_process_is_no_reason_to_wait(tmp_path: Path) -> None:
    """In a container each run may have the same."""
    stray = tmp_path / f".out.{os.getpid()}.0123abcd"
    stray.write_text("half")

    files.write_atomically(str(tmp_path / "out"), "new")

    assert not stray.exists()


@pytest.mark.parametrize(
    "name",
    ["out.{}.0123abcd", ".out.{}.0123abc", ".out.{}.0123ABCD", ".out.{}.0123abcd~", ".out.swp",
     ".out.x{}.0123abcd", ".other.{}.0123abcd", ".out.{}.0123abcd.new", ".outer.{}.0123abcd",
     ".out.0{}.0123abcd", ".out.9999999999.0123abcd"],
)  # fmt: skip
def test_what_another_program_wrote_is_left_alone(tmp_path: Path, name: str) -> None:
    stray = tmp_path / name.format(gone())
    stray.write_text("theirs")
    os.utime(stray, (0, 0) if "9999999999" not in name else None)

    files.write_atomically(str(tmp_path / "out"), "new")

    assert stray.read_text() == "theirs"


def test_what_is_no_file_of_our_own_is_left_alone(tmp_path: Path) -> None:
    number = gone()
    (tmp_path / f".out.{number}.00000001").mkdir()
    (tmp_path / f".out.{number}.00000002").symlink_to("elsewhere")
    (tmp_path / "elsewhere").write_text("x")
    left = {f".out.{number}.00000001", f".out.{number}.00000002", "elsewhere", "out"}
    if os.geteuid() == 0:
        (tmp_path / f".out.{number}.00000003").write_text("")
        os.chown(tmp_path / f".out.{number}.00000003", 65534, 65534)
        left.add(f".out.{number}.00000003")

    files.write_atomically(str(tmp_path / "out"), "new")

    assert set(os.listdir(tmp_path)) == left


# Modules that open files, with what else of them may be used: all else is forbidden, by its name
# behind a dot and as a name that is imported.
OPENERS = {
    "bz2": {"BZ2Decompressor"},
    "codecs": {"BOM_UTF8"},
    "fileinput": set(),
    "gzip": set(),
    "io": {"BytesIO", "StringIO", "TextIOWrapper"},
    "importlib.resources": set(),
    "linecache": set(),
    "lzma": {"FORMAT_ALONE", "FORMAT_XZ", "LZMADecompressor", "LZMAError"},
    "mmap": set(),
    "pathlib": set(),
    "pkgutil": set(),
    "shutil": {"which"},
    "tarfile": set(),
    "tempfile": {"TemporaryDirectory", "gettempdir"},
    "zipfile": set(),
}
# Of os, what opens a file or changes one; listing, making and asking of folders are free.
OF_OS = {
    "open", "fdopen", "openpty", "mkfifo", "mknod", "truncate", "ftruncate", "unlink", "remove",
    "rename", "renames", "replace", "link", "symlink", "chmod", "chown", "read", "write", "pread",
    "pwrite", "sendfile", "copy_file_range",
}  # fmt: skip
OF_PATHS = {"read_text", "read_bytes", "write_text", "write_bytes"}


def may_open(module: str, name: str) -> bool:
    """Whether a name of a module opens a file, or is a module that does."""
    whole = f"{module}.{name}"
    return (
        (module == "os" and name in OF_OS)
        or (module in OPENERS and name not in OPENERS[module])
        or (whole in OPENERS and not OPENERS[whole])
    )


def past_the_door(code: str) -> list[str]:
    """What in the code opens a file by itself."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and node.id == "open" and isinstance(node.ctx, ast.Load):
            found.append(node.id)
        elif isinstance(node, ast.Attribute):
            module = ast.unparse(node.value)
            if node.attr in OF_PATHS or may_open(module, node.attr):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found += [a.name for a in node.names if may_open(module, a.name)]
        elif isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.asname or not OPENERS.get(a.name, {""})]
    return found


@each(
    "code",
    [
        "open(path)", "stream = open", "import os\nos.open(path, 0)", "from os import open as o",
        "import io\nio.open(path)", "import io\nio.FileIO(path)", "from io import open",
        "os.fdopen(0)", "Path(path).read_text()", "from pathlib import Path", "import pathlib",
        "resources.files(x).joinpath(y).read_text()", "from importlib import resources",
        "import importlib.resources", "import gzip\ngzip.open(path)", "from lzma import open",
        "import codecs\ncodecs.open(path)", "from tempfile import NamedTemporaryFile",
        "import tempfile\ntempfile.mkstemp()", "os.replace(a, b)", "os.unlink(a)", "import os as o",
        "import mmap", "import io as i", "def f():\n    def g():\n        open(x)",
    ],
)  # fmt: skip
def test_what_opens_a_file_is_seen(code: str) -> None:
    assert past_the_door(code)


@each(
    "code",
    ["self.open(x)", "class A:\n    open: int", "open_input(x)", "read_text(x)", "os.scandir(x)",
     "text.replace(a, b)", "import lzma\nlzma.LZMADecompressor()",
     "from io import StringIO", "import os", "os.stat(x)"],
)  # fmt: skip
def test_what_opens_none_is_free(code: str) -> None:
    assert past_the_door(code) == []


@each("name", sorted({str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py")} - {"files.py"}))
def test_no_other_module_opens_a_file(name: str) -> None:
    assert past_the_door((PACKAGE / name).read_text()) == []


def test_a_file_that_has_nothing_yet_is_not_waited_for() -> None:
    """/proc/kmsg is a regular file, and keeps who reads it until the kernel says something."""
    assert files.now(b"") == b""
    with pytest.raises(BlockingIOError, match="a read would block"):
        files.now(None)
    with pytest.raises(InputError, match="a read would block"):
        list(unpacked(Waiting(), "kmsg"))


class Waiting(io.RawIOBase):
    """A stream that has nothing yet."""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes | None:
        return None


def test_a_folder_is_written_and_what_is_stale_goes(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "plan"
    files.write_folder(str(folder), {"a/b": "one", "c": "two", "d/e/f": "three"})
    (folder / "mine").write_text("kept")

    files.write_folder(str(folder), {"c": "four"}, ["a/b", "d/e/f", "never/there"])

    found = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert found == {"c", "mine"}
    assert (folder / "c").read_text() == "four"


def test_a_full_disk_leaves_a_folder_as_it_was(tmp_path: Path) -> None:
    """The second file is larger than a file of the process may be."""
    folder = tmp_path / "plan"
    files.write_folder(str(folder), {"a": "before", "b": "before"})
    code = (
        "import resource, signal; from advisor.files import write_folder;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10));"
        f"write_folder({str(folder)!r}, {{'a': 'after', 'b': 'x' * 11}}, ['c'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "cannot be written: File too large" in done.stderr
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "a": "before",
        "b": "before",
    }


def test_a_folder_that_was_made_goes_where_nothing_can_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "plan"
    with pytest.raises(OutputError):
        files.write_folder(str(folder), {"a": "one", "a/b": "two"})
    assert list(tmp_path.iterdir()) == []
