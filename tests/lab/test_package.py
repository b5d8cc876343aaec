"""A record's kernel out of a package file, which has to be the one that it names."""

from __future__ import annotations

import shutil
import subprocess
from hashlib import sha256

import pytest

from advisor.errors import UsageError
from lab import package
from lab.record import RECORDS, read

pytestmark = pytest.mark.skipif(
    not shutil.which("dpkg-deb"), reason="needs dpkg-deb, of Debian's package dpkg"
)
IMAGE = b"an image"


@pytest.fixture
def record():
    """Of an image that is none, and of sources of that version."""
    kept = read(RECORDS / "cloud-6.12" / "audit=on.json")
    made = kept.made._replace(
        image=sha256(IMAGE).hexdigest(), package="linux-source-6.12 6.12.1-1, gcc 12"
    )
    return kept._replace(made=made)


@pytest.fixture
def debian(tmp_path):
    """Makes a package file with these files, as dpkg-deb does."""

    def make(name, files):
        root = tmp_path / "root"
        control = f"Package: {name}\nVersion: 6.12.1-1\nArchitecture: all\nMaintainer: a <a@b>\n"
        told = {"DEBIAN/control": f"{control}Description: none\n".encode(), **files}
        for path, text in told.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text)
        file = tmp_path / f"{name}.deb"
        subprocess.run(["dpkg-deb", "-b", str(root), str(file)], check=True, capture_output=True)
        return file

    return make


def test_the_kernel_and_its_configuration(debian, record, tmp_path):
    files = {"boot/vmlinuz-6.12.1": IMAGE, "boot/config-6.12.1": b"CONFIG_SMP=y\n"}
    kernel = package.kernel(debian("linux-image", files), record, tmp_path / "kernels")
    assert kernel.name == "cloud-6.12"
    assert kernel.image.read_bytes() == IMAGE
    assert kernel.config.read_text() == "CONFIG_SMP=y\n"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"boot/vmlinuz-1": b"other", "boot/config-1": b""}, "is another one"),
        ({"boot/vmlinuz-1": IMAGE}, "no package of Debian with"),
        ({"etc/vmlinuz-1": IMAGE, "boot/config-1": b""}, "no package of Debian with"),
    ],
)
def test_another_kernel_is_refused_and_not_kept(debian, record, tmp_path, files, says):
    file = debian("linux-image", files)
    with pytest.raises(UsageError, match=says) as raised:
        package.kernel(file, record, tmp_path / "kernels")
    assert raised.value.where == str(file)
    assert not [path for path in (tmp_path / "kernels").rglob("*") if path.is_file()]


@pytest.mark.parametrize("text", [None, b"", b"!<arch>\n"])
def test_what_is_no_package_is_refused(record, tmp_path, text):
    file = tmp_path / "file.deb"
    if text is not None:
        file.write_bytes(text)
    for reader in (package.kernel, package.archive):
        with pytest.raises(UsageError) as raised:
            reader(file, record, tmp_path / "kernels")
        assert raised.value.where == str(file)


def test_the_sources_of_that_version(debian, record, tmp_path):
    name = "usr/src/linux-source-6.12.tar.xz"
    file = debian("linux-source-6.12", {name: b"sources"})
    assert package.archive(file, record, tmp_path / "sources").read_bytes() == b"sources"
    other = record._replace(made=record.made._replace(package="linux-source-6.12 6.12.2-1, gcc"))
    with pytest.raises(UsageError, match=r"the record is of linux-source-6\.12 6\.12\.2-1"):
        package.archive(file, other, tmp_path / "sources")
