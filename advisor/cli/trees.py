"""What the commands do that ask a kernel tree, from their request to their exit code."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.inputs.config import KernelConfig, named_lines, read_config
from advisor.inputs.machine import arch_of, source_arch
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model.report import Report
from advisor.model.subject import Subject
from advisor.model.tree import LineOutcome, SymbolFacts, TreeUse
from advisor.output import Style
from advisor.progress import busy

if TYPE_CHECKING:
    from advisor.cli.request import TreeRequest
    from advisor.tree.kbuild import Build
    from advisor.tree.kept import TreeAnswers, TreeQuestion
    from advisor.tree.kerneltree import KernelTree


def open_for(request: TreeRequest, config: KernelConfig | None) -> KernelTree:
    """The tree with the configuration loaded. Raises TreeError or UsageError."""
    # Kconfiglib is imported by those commands only that need it.
    from advisor.tree.kerneltree import open_tree

    with _loading():
        arch = told_arch(request, config)
        return open_tree(request.tree, arch, config, run_toolchain=request.run_toolchain)


def audited_in_tree(
    subject: Subject, config: KernelConfig, request: TreeRequest, judge: Callable[[Subject], Report]
) -> tuple[Report, TreeAnswers]:
    """The report on the subject as its tree completes it, and the answers that prove it.

    Raises TreeError or UsageError.
    """
    from advisor.tree.kept import TreeAnswers

    answers = TreeAnswers(question_of(request, config), config)
    in_tree = subject._replace(config=answers.config(), kernel=answers.version, tree=answers)
    report = judge(in_tree)
    answers.save()
    return report._replace(proof="model", tree=answers.use), answers


def question_of(request: TreeRequest, config: KernelConfig) -> TreeQuestion:
    """The tree to ask about the configuration. Raises UsageError."""
    from advisor.tree.kept import TreeQuestion

    arch = told_arch(request, config)
    return TreeQuestion(request.tree, arch, request.run_toolchain, request.use_cache, _loading)


def told_arch(request: TreeRequest, config: KernelConfig | None) -> str:
    """The architecture that the user names, else that of the configuration. Raises UsageError."""
    named = arch_of(request.arch) if request.arch else None
    arch = request.make_arch or named or (config.arch if config else None)
    if arch is None:
        hint = "say --arch x86, arm64, ..."
        raise UsageError("the architecture is not told", where="--tree", hint=hint)
    return arch


@contextmanager
def _loading() -> Iterator[None]:
    with busy("reading the kernel tree"):
        yield
    # The tree stays to the end of the process: to look for garbage in it takes a fifth of the time.
    gc.freeze()


def check(
    fragment: str, request: TreeRequest, format_name: str, style: Style
) -> tuple[str, int, list[str]]:
    """The report on a fragment; 1 if one of its lines does not hold, else 0; wrong predictions."""
    from advisor.output import tree as output
    from advisor.tree.check import Names, check_fragment
    from advisor.tree.oracle import Oracle
    from advisor.tree.proof import NOT_VERIFIED, verify

    if format_name not in ("text", "json"):
        hint = "text or json"
        raise UsageError(f"there is no format {format_name!r}", where="--format", hint=hint)
    lines = read_config(fragment)
    config = read_config(request.config) if request.config else None
    with ExitStack() as stack:
        build = None
        if request.prove:
            build, config, request = stack.enter_context(proving(request, config))
        tree = open_for(request, config)
        oracle = Oracle(tree)
        knowledge = index.load()
        fate = partial(_fate, tree=tree, knowledge=knowledge)
        names = Names(tree.renames, knowledge.aliases, fate)
        results = check_fragment(tree, named_lines(lines), names)
        verified = verify(build, lines, oracle.predicted) if build else NOT_VERIFIED
    named = {r.renamed for r in results}
    effects = oracle.effects(tuple((r.symbol, r.value) for r in results))
    warnings = (*_other_version(tree, config), *verified.notes)
    ran = request.run_toolchain or request.prove
    checked = output.Checked(
        fragment=fragment,
        base=config.path if config else "the tree's defaults",
        proof="kbuild" if request.prove else "model",
        tree=TreeUse(request.tree, tree.version.text, tree.arch, ran, oracle.assumed, warnings),
        results=tuple(results),
        effects=tuple(effect for effect in effects if effect.symbol not in named),
    )
    render = output.check_text if format_name == "text" else output.check_json
    dropped = any(result.outcome is LineOutcome.DROPPED for result in results)
    return render(checked, style), int(dropped), list(verified.defects())


@contextmanager
def proving(
    request: TreeRequest, config: KernelConfig | None
) -> Iterator[tuple[Build, KernelConfig, TreeRequest]]:
    """A build folder, the configuration refreshed there, and the request for the same ARCH.

    Raises TreeError or UsageError.
    """
    from advisor.tree.kbuild import make_arch
    from advisor.tree.proof import refreshed

    text = config.text if config else ""
    arch = make_arch(told_arch(request, config), text)
    with refreshed(text, config.path if config else "defaults", arch, request.tree) as (
        build,
        base,
    ):
        yield build, base, request._replace(make_arch=arch)


def _fate(symbol: str, tree: KernelTree, knowledge: Knowledge) -> str:
    """What became of a symbol that the tree does not have, or what it may mean."""
    from advisor.knowledge.existence import Standing, standing

    rename = knowledge.rename(symbol)
    if rename and not rename.new:
        return f"gone since {rename.since}. {rename.note}".rstrip()
    answer = standing(symbol, knowledge.catalogue, tree.version, source_arch(tree.arch))
    if answer.standing is Standing.UNKNOWN:
        return tree.near(symbol)
    return answer.text.partition(": ")[2]


def _other_version(tree: KernelTree, config: KernelConfig | None) -> list[str]:
    if config is None or config.version is None:
        return []
    if config.version.numbers[:2] == tree.version.numbers[:2]:
        return []
    return [f"the configuration is of {config.version.text}, the tree is {tree.version.text}"]


def symbol_facts(name: str, request: TreeRequest) -> tuple[SymbolFacts | None, str]:
    """What the tree says of a symbol (None if it has no such), and the tree in words."""
    config = read_config(request.config) if request.config else None
    tree = open_for(request, config)
    plain = name.removeprefix("CONFIG_").rstrip("=")
    facts = tree.about(plain) or tree.about(tree.renames.get(plain, plain))
    return facts, f"{request.tree} (Linux {tree.version.text}, {tree.arch})"
