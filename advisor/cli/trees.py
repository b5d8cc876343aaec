"""What commands ask a kernel tree.

Where an `arch` is asked for, an empty one is that of the request or of the configuration.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.inputs.config import KernelConfig
from advisor.inputs.machine import arch_of, kernel_of, source_arch
from advisor.inputs.subject import agreed_arch
from advisor.knowledge.store import Knowledge
from advisor.model.report import Report
from advisor.model.subject import Subject
from advisor.progress import busy

if TYPE_CHECKING:
    from advisor.cli.options import Request
    from advisor.tree.check import KnownNames
    from advisor.tree.kbuild import Build
    from advisor.tree.kept import TreeAnswers, TreeQuestion
    from advisor.tree.kerneltree import KernelTree


def open_for(request: Request, config: KernelConfig | None, arch: str = "") -> KernelTree:
    """The tree with the configuration loaded. Raises TreeError or UsageError."""
    # Kconfiglib is imported by those commands only that need it.
    from advisor.tree.kerneltree import Access, open_tree

    options = request.tree
    with _loading():
        arch = arch or arch_for(request, config)
        _agreed(request)
        access = Access(options.allow_root, options.run_toolchain, not options.no_cache)
        return open_tree(options.tree or "", arch, config, access)


def audited_in_tree(
    subject: Subject,
    config: KernelConfig,
    request: Request,
    judge: Callable[[Subject], Report],
    arch: str = "",
) -> tuple[Report, TreeAnswers]:
    """The report on the subject as its tree completes it, and the answers that prove it.

    Raises TreeError or UsageError.
    """
    within, answers = in_tree(subject, config, request, arch)
    report = judge(within)
    answers.save()
    return report._replace(proof="model", tree=answers.use), answers


def in_tree(
    subject: Subject, config: KernelConfig, request: Request, arch: str = ""
) -> tuple[Subject, TreeAnswers]:
    """The subject as its tree completes it, and what answers it, to be saved in the end.

    Raises TreeError or UsageError.
    """
    from advisor.tree.kept import TreeAnswers

    answers = TreeAnswers(question_of(request, config, arch), config)
    completed = answers.config()
    return subject._replace(config=completed, kernel=answers.version, tree=answers), answers


def question_of(request: Request, config: KernelConfig, arch: str = "") -> TreeQuestion:
    """The tree to ask about the configuration. Raises UsageError."""
    from advisor.tree.kept import TreeQuestion

    options = request.tree
    arch = arch or arch_for(request, config)
    _agreed(request)
    return TreeQuestion(
        options.tree or "", arch, options.run_toolchain, not options.no_cache, _loading,
        options.allow_root, symbols_of(options.allow),
    )  # fmt: skip


def symbols_of(names: Iterable[str]) -> tuple[str, ...]:
    """Symbols as Kconfig has them, with or without CONFIG_ before them."""
    return tuple(name.removeprefix("CONFIG_") for name in names)


def _agreed(request: Request) -> None:
    """Raises UsageError where --kernel names another version than the tree has; TreeError.

    6.12 agrees with a tree of 6.12.117.
    """
    from advisor.tree.files import tree_version

    named = kernel_of(request.subject.kernel)
    if named is None:
        return
    told = tree_version(request.tree.tree or "", request.tree.allow_root)
    parts = named.text.split("-")[0].count(".") + 1
    if named.numbers[:parts] != told.numbers[:parts]:
        hint = f"leave out --kernel: the tree is Linux {told.text}"
        raise UsageError("differs from the version of the tree", where="--kernel", hint=hint)


def arch_for(request: Request, config: KernelConfig | None) -> str:
    """The architecture that the user names, else that of the configuration.

    Raises UsageError, and ContradictionError where both are told and differ.
    """
    arch = arch_of(request.machine.arch) if request.machine.arch else None
    if config:
        arch = agreed_arch(arch, config)
    if arch is None:
        hint = "give --arch x86, arm64, ..."
        raise UsageError("the architecture is not known", where="--tree", hint=hint)
    return arch


@contextmanager
def _loading() -> Iterator[None]:
    with busy("reading the kernel tree"):
        yield
    # The tree stays to the end of the process: to look for garbage in it takes a fifth of the time.
    gc.freeze()


@contextmanager
def proving(
    request: Request, config: KernelConfig | None
) -> Iterator[tuple[Build, KernelConfig, str]]:
    """A build folder, the configuration refreshed there, and the ARCH of both.

    Raises TreeError or UsageError.
    """
    from advisor.tree.kbuild import make_arch
    from advisor.tree.proof import refreshed

    text = config.text if config else ""
    arch = make_arch(arch_for(request, config), text)
    name = config.path if config else "defaults"
    tree, allowed = request.tree.tree or "", request.tree.allow_root
    with refreshed(text, name, arch, tree, allowed) as (build, base):
        yield build, base, arch


def names_in(tree: KernelTree, knowledge: Knowledge) -> KnownNames:
    """What is known of names that the tree may not have."""
    from advisor.tree.check import KnownNames

    now = partial(_now, tree=tree, knowledge=knowledge)
    fate = partial(_fate, tree=tree, knowledge=knowledge)
    return KnownNames(tree.renames, now, knowledge.price, fate)


def _now(symbol: str, value: str, tree: KernelTree, knowledge: Knowledge) -> tuple[str, ...]:
    """The names to write in the tree for a symbol that it does not have: all of them."""
    names = tuple(filter(tree.defines, knowledge.names_now(symbol, value)))
    successor = knowledge.successor(symbol)
    if successor and names[:1] and names[0] in successor.new:
        return tuple(filter(tree.defines, successor.new))
    return names[:1]


def _fate(symbol: str, tree: KernelTree, knowledge: Knowledge) -> str:
    """That the tree does not have a symbol, and what became of it, or what it may mean."""
    from advisor.knowledge.existence import Standing, standing

    rename = knowledge.rename(symbol)
    if rename and not rename.new:
        return f"is not in this tree: gone since {rename.since}. {rename.note}".rstrip()
    answer = standing(symbol, knowledge.catalogue, tree.version, source_arch(tree.arch))
    more = answer.text.partition(": ")[2]
    if answer.standing is Standing.OTHER_ARCH:
        return f"is of another architecture: {more}"
    if answer.standing is Standing.UNKNOWN:
        more = tree.near(symbol)
    return f"is not in this tree: {more}".removesuffix(": ")
