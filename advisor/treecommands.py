"""What the commands do that ask a kernel tree, from their request to their exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.inputs.dotconfig import KernelConfig, read_config
from advisor.inputs.machine import architecture
from advisor.output import Style

if TYPE_CHECKING:
    from advisor.inputs.kconfigfacts import SymbolFacts
    from advisor.inputs.kerneltree import KernelTree
    from advisor.run import TreeRequest


def open_for(request: TreeRequest) -> tuple[KernelTree, KernelConfig | None]:
    """The tree with the configuration loaded. Raises TreeError, InputError or UsageError."""
    # Kconfiglib is imported by those commands only that need it.
    from advisor.inputs.kerneltree import open_tree

    config = read_config(request.config) if request.config else None
    arch = _arch(request.arch) or (config.arch if config else None)
    if arch is None:
        hint = "say --arch x86, arm64, ..."
        raise UsageError("the architecture is not told", where="--tree", hint=hint)
    tree = open_tree(request.tree, arch, config, run_toolchain=request.run_toolchain)
    return tree, config


def _arch(name: str | None) -> str | None:
    try:
        return architecture(name) if name else None
    except ValueError as error:
        raise UsageError(f"{name!r} is no architecture", where="--arch") from error


def check(fragment: str, request: TreeRequest, format_name: str, style: Style) -> tuple[str, int]:
    """The report on a fragment, and 1 if one of its lines does not hold, else 0."""
    from advisor.engine.check import Outcome, check_fragment
    from advisor.output import tree as output

    if format_name not in ("text", "json"):
        hint = "text or json"
        raise UsageError(f"there is no format {format_name!r}", where="--format", hint=hint)
    lines = read_config(fragment)
    tree, config = open_for(request)
    results = check_fragment(tree, lines, list(lines.symbols()), tree.renames)
    checked = output.Checked(
        fragment=fragment,
        base=config.path if config else "the tree's defaults",
        tree=f"{request.tree} (Linux {tree.version.text}, {tree.arch})",
        results=tuple(results),
        assumptions=tuple((a.subject, a.value, a.source) for a in tree.assumptions),
        warnings=tuple(_other_version(tree, config)),
    )
    render = output.check_text if format_name == "text" else output.check_json
    dropped = any(result.outcome is Outcome.DROPPED for result in results)
    return render(checked, style), int(dropped)


def _other_version(tree: KernelTree, config: KernelConfig | None) -> list[str]:
    if config is None or config.version is None:
        return []
    if config.version.numbers[:2] == tree.version.numbers[:2]:
        return []
    return [f"the configuration is of {config.version.text}, the tree is {tree.version.text}"]


def symbol_facts(name: str, request: TreeRequest) -> tuple[SymbolFacts | None, str]:
    """What the tree says of a symbol (None if it has no such), and the tree in words."""
    tree, _ = open_for(request)
    plain = name.removeprefix("CONFIG_").rstrip("=")
    facts = tree.about(plain) or tree.about(tree.renames.get(plain, plain))
    return facts, f"{request.tree} (Linux {tree.version.text}, {tree.arch})"
