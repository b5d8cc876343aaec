"""`check`: which lines of anyone's fragments hold in a kernel tree."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli.options import (
    CHECK,
    KNOWLEDGE,
    MACHINE,
    OUTPUT,
    SUBJECT,
    TREE,
    Request,
    command,
)
from advisor.cli.printing import complain, names_and_files, put, style
from advisor.cli.trees import open_for, proving, symbols_of
from advisor.cli.values import by_kbuild
from advisor.errors import AdvisorError, UsageError
from advisor.inputs.config import named_lines, read_config
from advisor.inputs.machine import source_arch
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model.tree import LineOutcome, TreeUse

if TYPE_CHECKING:
    from advisor.output.tree import Checked
    from advisor.tree.kerneltree import KernelTree

_FORMATS = dict.fromkeys(("text", "json"), "advisor.output.tree")


@command(
    CHECK.fragments,
    TREE.tree.but(help="The kernel tree; nothing of it is run.", required=True),
    TREE.on,
    SUBJECT.whole,
    MACHINE.arch,
    TREE.run_toolchain,
    TREE.prove,
    TREE.allow_root,
    TREE.allow,
    KNOWLEDGE.rules,
    OUTPUT.format.but(help="text or json."),
    OUTPUT.write,
    OUTPUT.output,
    OUTPUT.verbose.but(help="List every line."),
)
def check(request: Request) -> int:
    """Which lines of a fragment take effect in a tree, and why not."""
    from advisor.output import tree

    prove, fragments = by_kbuild(request.tree), request.check.fragments
    if request.output.format not in _FORMATS:
        wrong = f"there is no format {request.output.format!r}"
        raise UsageError(wrong, where="--format", hint=" or ".join(_FORMATS))
    targets = names_and_files(request.output, _FORMATS)
    if len(fragments) > 1 and any(name == "json" for name, _ in targets):
        hint = "check them one by one"
        raise UsageError("json is for one fragment", where="--format", hint=hint)
    # Each alone: they may ask for the opposite.
    checks = [_checked(fragment, request, prove) for fragment in fragments]
    for name, path in targets:
        how = style(path, request.output.verbose)
        render = tree.check_text if name == "text" else tree.check_json
        put("\n".join(render(checked, how) for checked, _ in checks), path)
    defects = [line for _, lines in checks for line in lines]
    for line in defects:
        complain(line)
    if defects:
        return AdvisorError.exit_code
    results = (result for checked, _ in checks for result in checked.results)
    return int(any(result.outcome is LineOutcome.DROPPED for result in results))


def _checked(fragment: str, request: Request, prove: bool) -> tuple[Checked, list[str]]:
    """What became of a fragment's lines, and the predictions that the tree's tools refute."""
    from advisor.output.tree import Checked
    from advisor.tree.check import KnownNames, check_fragment
    from advisor.tree.oracle import Oracle
    from advisor.tree.proof import NOT_VERIFIED, verify

    options = request.tree
    lines = read_config(fragment)
    whole = request.subject.whole
    config = read_config(options.on, complete=whole) if options.on else None
    with ExitStack() as stack:
        build, arch = None, ""
        if prove:
            build, config, arch = stack.enter_context(proving(request, config))
        tree = open_for(request, config, arch)
        oracle, allowed = Oracle(tree), symbols_of(options.allow)
        knowledge = index.load(request.knowledge.rules)
        fate = partial(_fate, tree=tree, knowledge=knowledge)
        names = KnownNames(tree.renames, knowledge.names_now, fate)
        results = check_fragment(tree, named_lines(lines), names, allowed)
        verified = verify(build, lines, oracle.predicted) if build else NOT_VERIFIED
    renamed = {result.renamed for result in results}
    effects = oracle.effects(tuple((result.symbol, result.value) for result in results))
    warnings = tuple(verified.notes)
    if config and config.version and config.version.numbers[:2] != tree.version.numbers[:2]:
        own, other = tree.version.text, config.version.text
        warnings = (f"the configuration is of {other}, the tree is {own}", *warnings)
    ran, path = options.run_toolchain or prove, options.tree or ""
    checked = Checked(
        fragment=fragment,
        base=config.path if config else "the tree's defaults",
        proof="kbuild" if prove else "model",
        tree=TreeUse(path, tree.version.text, tree.arch, ran, oracle.assumed, warnings),
        results=tuple(results),
        effects=tuple(effect for effect in effects if effect.symbol not in renamed),
    )
    return checked, list(verified.defects())


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
