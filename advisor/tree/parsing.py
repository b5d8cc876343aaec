"""The parse of a kernel tree: of its files, with its commands run or answered, or kept."""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

from advisor.errors import TreeError
from advisor.model.kernel import KernelVersion
from advisor.tree.commands import commands
from advisor.tree.files import TreeFiles, find_arch
from advisor.tree.kconfig import values as kconfigvalues
from advisor.tree.kconfig.macros import Context
from advisor.tree.kconfig.parser import Parser
from advisor.tree.keptparse import KeptParse
from advisor.tree.toolchain import Toolchain


class Access(NamedTuple):
    """How a tree is read: links may lead into the folders `allowed` too; with `run_toolchain` the
    commands of the tree are run; with `use_cache` its parse is kept for the next run."""

    allowed: tuple[str, ...] = ()
    run_toolchain: bool = False
    use_cache: bool = False


def parse_tree(
    files: TreeFiles, arch: str, version: KernelVersion, toolchain: Toolchain, access: Access
) -> Parser:
    """The tree parsed for one architecture, or its parse of an earlier run."""
    folder = find_arch(files, arch)
    environment = {
        **toolchain.environment(),
        "ARCH": arch, "SRCARCH": folder, "UTS_MACHINE": arch,
        # The tree's own place is needed by its commands only: a value should not show it.
        "srctree": files.root if access.run_toolchain else ".",
        "SUBARCH": "x86" if folder == "um" else arch,
        "HEADER_ARCH": "x86" if folder == "um" else folder,
        "KERNELVERSION": version.text,
    }  # fmt: skip
    with commands(environment) if access.run_toolchain else nullcontext() as run:
        if run:
            environment.update(run.tools())
        context = Context(files, environment, toolchain, run)
        sources = [_text_or_nothing(files, name) for name in kconfigvalues.SOURCES]
        dialect = kconfigvalues.dialect(sources, version.numbers)
        kept = KeptParse(context, dialect) if access.use_cache and not run else None
        if kept and (known := kept.parser()):
            return known
        parser = Parser(context)
        parser.parse(dialect)
        if kept:
            kept.keep(parser)
    return parser


def _text_or_nothing(files: TreeFiles, name: str) -> str:
    """A file of scripts/kconfig, where it is there and fit to read."""
    name = f"scripts/kconfig/{name}"
    files.listed[name] = []
    try:
        files.listed[name] = files.matches(name)
        return files.text(name) if files.listed[name] else ""
    except TreeError:
        return ""
