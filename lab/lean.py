"""The lean kernel of the lab, built from Debian's source, and kernels that one setting tells apart.

In its folder `source` is the unpacked archive, `kbuild` the one folder in which all are compiled,
one after another, each from a copy of the objects of the kernel as it is (`kbuild.base`), so that
make compiles only what the setting touches; `kernels/NAME` is what came of it. A kernel that is
there is not built again while its configuration is the same; a build that was interrupted goes on.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import tomli

from advisor.errors import InputError, UsageError
from advisor.inputs.config import parse_config

from .fragment import lines_of
from .guest import digest_of
from .machine import Kernel

NAME = "lean-6.12"
AS_IT_IS = "as-it-is"
_PACKAGE = "linux-source-6.12"
_ARCHIVE = Path("/usr/src/linux-source-6.12.tar.xz")
_FRAGMENT = Path(__file__).parent / "base.fragment"
_SETTINGS = Path(__file__).parent / "builds.toml"
_TOOLS = {
    "make": "make", "gcc": "gcc", "ld": "binutils", "flex": "flex", "bison": "bison", "bc": "bc",
    "size": "binutils",
}  # fmt: skip
# What of a build is told to the kernel, so that the same configuration makes the same image.
_SAME = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01 00:00:00 UTC", "KBUILD_BUILD_USER": "lab",
    "KBUILD_BUILD_HOST": "lab", "KBUILD_BUILD_VERSION": "1", "LC_ALL": "C",
}  # fmt: skip
_SECTIONS = ("text", "data", "bss")
Say = Callable[[str], None]


class Builder:
    """Builds, in its folder; one at a time, whoever else wants to."""

    def __init__(self, folder: Path, say: Say, archive: Path | None = None) -> None:
        """Of Debian's archive as it is installed, or another one. Raises UsageError where that, or
        a tool, is missing."""
        archive = archive or _ARCHIVE
        if not archive.is_file():
            raise UsageError(f"no {archive}", hint=f"Debian's package {_PACKAGE}")
        self._archive = archive
        for tool, package in _TOOLS.items():
            if not shutil.which(tool):
                raise UsageError(f"no {tool}", hint=f"Debian's package {package}")
        self._folder, self._say = folder, say
        self.source, self._objects = folder / "source", folder / "kbuild"
        self._plain = folder / "kbuild.base"
        folder.mkdir(parents=True, exist_ok=True)

    def base(self) -> Kernel:
        """The lean kernel as it is, built where it is not there."""
        text = _FRAGMENT.read_text()
        if self.kept(AS_IT_IS, self._stamp()) == text and self._plain.is_dir():
            return self.kernel(AS_IT_IS)
        with self._alone():
            kernel = self._built(AS_IT_IS, self._base_config())
            self._keep(AS_IT_IS, text, self._stamp())
            self._copy(self._objects, self._plain)
            return kernel

    def with_fragment(self, name: str, text: str) -> Kernel:
        """The lean kernel with that fragment merged, as `kernels/NAME`.

        Raises UsageError where a line of it does not hold, InputError where it does not compile.
        """
        base = self.kernel(AS_IT_IS).config
        if self.kept(name, digest_of(base)) == text and self.kernel(name).image.is_file():
            return self.kernel(name)
        with self._alone():
            self._keep(name, text, digest_of(base))
            self._start_from_base(name)
            fragment = self.kernel(name).folder / "fragment"
            script = str(self.source / "scripts/kconfig/merge_config.sh")
            objects = str(self._objects)
            self._run("sh", script, "-m", "-O", objects, str(base), str(fragment))
            self._make("olddefconfig")
            config = (self._objects / ".config").read_text()
            values = parse_config(config, name, complete=True)
            for symbol, value in lines_of(text):
                got = values.get(symbol) or "n"
                if got != value:
                    raise UsageError(f"{name}: {symbol}={value} does not hold: it comes to {got}")
            kernel = self._built(name, config)
            self._keep(name, text, digest_of(base))
            return kernel

    def kept(self, name: str, of: str) -> str:
        """The fragment that a kernel was, or is to be, built with, if it was made for what has that
        digest: the configuration of the kernel as it is. Else nothing."""
        folder = self.kernel(name).folder
        made_for = folder / "base"
        fits = made_for.is_file() and made_for.read_text() == of
        return (folder / "fragment").read_text() if fits else ""

    def _keep(self, name: str, text: str, of: str) -> None:
        folder = self.kernel(name).folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "fragment").write_text(text)
        (folder / "base").write_text(of)

    def kernel(self, name: str) -> Kernel:
        """The kernel of that name, whether it is there or not."""
        return kernel_in(self._folder, name)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else changes the folder of a build that runs."""
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._unpack()
            yield

    def _unpack(self) -> None:
        stamp, seen = self._stamp(), self._folder / "unpacked"
        if seen.is_file() and seen.read_text() == stamp:
            return
        self._say(f"unpacks {self._archive}")
        for folder in (self.source, self._objects, self._plain):
            shutil.rmtree(folder, ignore_errors=True)
        self.source.mkdir()
        self._run("tar", "-C", str(self.source), "--strip-components=1", "-xf", str(self._archive))
        seen.write_text(stamp)

    def _stamp(self) -> str:
        status = self._archive.stat()
        return f"{status.st_size} {int(status.st_mtime)}\n"

    def _start_from_base(self, name: str) -> None:
        """The objects of the kernel as it is, where those there are were made for another kernel
        than this one."""
        seen = self._objects / "made-for"
        if not (seen.is_file() and seen.read_text() == name):
            self._copy(self._plain, self._objects)
            seen.write_text(name)

    def _copy(self, objects: Path, to: Path) -> None:
        """All of a folder in the place of another, with the times that make goes by."""
        work = to.with_name(f"{to.name}.new")
        for folder in (work, to):
            shutil.rmtree(folder, ignore_errors=True)
        self._run("cp", "-a", str(objects), str(work))
        work.rename(to)

    def _base_config(self) -> str:
        self._objects.mkdir(exist_ok=True)
        self._make("alldefconfig", {"KCONFIG_ALLCONFIG": str(_FRAGMENT)})
        return (self._objects / ".config").read_text()

    def _built(self, name: str, config: str) -> Kernel:
        kernel = self.kernel(name)
        there = kernel.image.is_file() and self._plain.is_dir()
        if there and kernel.config.read_text() == config:
            return kernel
        self._say(f"builds {name}")
        self._make("bzImage", jobs=[f"-j{os.cpu_count() or 1}"])
        work = kernel.folder.with_name(f"{name}.new")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        shutil.copyfile(self._objects / "arch/x86/boot/bzImage", work / "vmlinuz")
        (work / "config").write_text(config)
        (work / "sizes").write_text(json.dumps(self._sizes()))
        (work / "package").write_text(_made_of(config))
        shutil.rmtree(kernel.folder, ignore_errors=True)
        work.rename(kernel.folder)
        return kernel

    def _sizes(self) -> dict[str, int]:
        said = self._run("size", str(self._objects / "vmlinux")).splitlines()[-1].split()
        return dict(zip(_SECTIONS, map(int, said), strict=False))

    def _make(
        self, target: str, extra: dict[str, str] | None = None, jobs: list[str] | None = None
    ) -> None:
        """One make in the folder of objects."""
        self._run(
            "nice", "-n", "19", "make", "-s", "-C", str(self.source), f"O={self._objects}",
            "ARCH=x86_64", *(jobs or []), target, environment={**_SAME, **(extra or {})},
        )  # fmt: skip

    def _run(self, *command: str, environment: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            command, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        if done.returncode:
            last = "\n".join(done.stderr.strip().splitlines()[-15:])
            raise InputError(f"{' '.join(command[:4])} ... ended with {done.returncode}\n{last}")
        return done.stdout


def kernel_in(folder: Path, name: str) -> Kernel:
    """The kernel of that name in a builder's folder, whether it is there or not."""
    return Kernel(NAME, folder / "kernels" / name)


def settings() -> list[str]:
    """All that `run --all-build` builds, in that order."""
    groups = tomli.loads(_SETTINGS.read_text())["build"]
    return [name for group in groups for name in group["settings"]]


def sizes(kernel: Kernel) -> dict[str, int]:
    """Bytes: of the image, and of a built kernel's sections."""
    found = {"image": kernel.image.stat().st_size}
    path = kernel.folder / "sizes"
    return {**json.loads(path.read_text()), **found} if path.is_file() else found


def _made_of(config: str) -> str:
    """The package of the source, and the compiler."""
    done = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", _PACKAGE],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    compiler = re.search(r'^CONFIG_CC_VERSION_TEXT="(.*)"$', config, re.MULTILINE)
    return f"{_PACKAGE} {done.stdout.strip()}, {compiler[1] if compiler else 'gcc'}"
