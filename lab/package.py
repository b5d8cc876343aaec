"""What a record was made with, out of a package file: for where Debian's archive has moved on.

https://snapshot.debian.org keeps every version. A package of a kernel has `boot/vmlinuz-RELEASE`
and `boot/config-RELEASE`, that of the sources `usr/src/linux-source-VERSION.tar.xz`.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from fnmatch import fnmatch
from pathlib import Path

from advisor.errors import UsageError

from .guest import digest_of
from .machine import Kernel
from .record import Record

_IMAGE, _CONFIG, _ARCHIVE = "boot/vmlinuz-*", "boot/config-*", "usr/src/linux-source-*.tar.xz"


def kernel(file: Path, record: Record, folder: Path) -> Kernel:
    """The kernel that a record was counted on, unpacked below the folder.

    Raises UsageError where the file has none, or another one than the record tells by its digest.
    """
    found = Kernel(record.made.kernel, folder / record.image[:24])
    found.folder.mkdir(parents=True, exist_ok=True)
    _unpack(file, {_CONFIG: found.config, _IMAGE: found.image})
    if (digest := digest_of(found.image)) != record.image:
        shutil.rmtree(found.folder)
        raise UsageError(
            f"its kernel is another one ({digest[:12]}...) than the record's "
            f"({record.image[:12]}...)",
            where=str(file),
            hint=f"the record is of {record.made.package}; without --package the kernel at hand is "
            "held against it",
        )
    return found


def archive(file: Path, record: Record, folder: Path) -> Path:
    """The archive of the sources that the kernel of a record was built of, below the folder.

    Raises UsageError where the file has none, or of another version.
    """
    package = " ".join(_said("-f", str(file), "Package", "Version").split()[1::2])
    of = record.made.package.partition(",")[0]
    if package != of:
        raise UsageError(f"it is {package}, and the record is of {of}", where=str(file))
    found = folder / f"{package.replace(' ', '_')}.tar.xz"
    if not found.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _unpack(file, {_ARCHIVE: found})
    return found


def _unpack(file: Path, wanted: dict[str, Path]) -> None:
    """Files of a package, each by a pattern of its name; all of them or none."""
    _said("-f", str(file), "Package")  # refuses what is no package
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as reader:  # fmt: skip
        made: list[Path] = []
        try:
            with tarfile.open(fileobj=reader.stdout, mode="r|") as members:
                for member in members:
                    for pattern, path in wanted.items():
                        if fnmatch(member.name.removeprefix("./"), pattern) and member.isfile():
                            made.append(_written(members, member, path))
        except tarfile.TarError:
            made = []
    if len(made) < len(wanted):
        for path in made:
            path.unlink()
        names = " and ".join(wanted)
        raise UsageError(f"no package of Debian with {names}", where=str(file))


def _written(members: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> Path:
    work = path.with_name(f"{path.name}.new")
    with work.open("wb") as out:
        shutil.copyfileobj(members.extractfile(member), out)  # type: ignore[arg-type]  # a file
    return work.rename(path)


def _said(*command: str) -> str:
    if not shutil.which("dpkg-deb"):
        raise UsageError("no dpkg-deb", hint="Debian's package dpkg")
    done = subprocess.run(["dpkg-deb", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(done.stderr.strip() or "no package of Debian", where=command[1])
    return done.stdout
