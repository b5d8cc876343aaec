"""The kernels of the lab: Debian's in one folder, those that it builds in another."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from advisor.errors import UsageError

from . import images, lean, package
from .images import Image
from .lean import Builder, Say
from .machine import Kernel, kernel_of
from .record import Record


class Bench:
    """Hands out kernels; the lean one and what differs from it are built when they are asked for.

    `kernels` is the folder that make kernels fills, `folder` the lab's own.
    """

    def __init__(self, kernels: Path, folder: Path, say: Say) -> None:
        self._kernels, self._folder, self._say = kernels, folder, say

    @cached_property
    def _builder(self) -> Builder:
        return Builder(self._folder, self._say)

    def kernel(self, name: str) -> Kernel:
        """A kernel as it is. Raises UsageError where it is not at hand and cannot be built."""
        return self._builder.base() if name == lean.NAME else kernel_of(name, self._kernels)

    def image(self, base: Kernel, setting: str) -> Image | None:
        """The setting where it is another image's; None where that kernel has it by other means."""
        if base.name == lean.NAME and setting != "control=on":
            return images.of_build(self._builder, setting)
        return images.of_pair(base, setting, self._kernels)

    def started(self, record: Record) -> Kernel:
        """The kernel that a record was counted on, built where it is another image of the lean one
        and not at hand."""
        base = self.kernel(record.made.kernel)
        image = self.image(base, record.name) if record.built else None
        return image.kernel if image else base

    def packaged(self, record: Record, file: Path) -> Kernel:
        """The same out of a package file: the kernel itself, or what is built of the sources in it,
        in a folder of their own. Raises UsageError where the file does not have it."""
        folder = self._folder / "packages"
        if record.made.kernel != lean.NAME:
            return package.kernel(file, record, folder)
        archive = package.archive(file, record, folder)
        builder = Builder(folder / archive.name.removesuffix(".tar.xz"), self._say, archive)
        base = builder.base()
        return images.of_build(builder, record.name).kernel if record.built else base

    def has(self, record: Record) -> bool:
        """Whether that kernel is at hand, with nothing built."""
        if record.made.kernel == lean.NAME:
            name = record.name if record.built else lean.AS_IT_IS
            return lean.kernel_in(self._folder, name).image.is_file()
        try:
            self.started(record)
        except UsageError:
            return False
        return True
