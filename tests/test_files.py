"""The one door: a file is written whole or not at all."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import files
from advisor.errors import OutputError


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
