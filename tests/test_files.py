"""The one door: a file is read within bounds, and written whole or not at all."""

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import files
from advisor.errors import OutputError

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "code",
    ["self.open(x)", "class A:\n    open: int", "open_input(x)", "read_text(x)", "os.scandir(x)",
     "text.replace(a, b)", "import lzma\nlzma.LZMADecompressor()",
     "from io import StringIO", "import os", "os.stat(x)"],
)  # fmt: skip
def test_what_opens_none_is_free(code: str) -> None:
    assert past_the_door(code) == []


@pytest.mark.parametrize(
    "name", sorted({str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py")} - {"files.py"})
)
def test_no_other_module_opens_a_file(name: str) -> None:
    assert past_the_door((PACKAGE / name).read_text()) == []
