"""`upgrade --carry-over`: what a configuration loses in a newer kernel's tree, had again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.auditor import Auditor
from advisor.cli.printing import complain, put, style
from advisor.cli.trees import names_in, symbols_of
from advisor.errors import AdvisorError
from advisor.inputs.config import KernelConfig, named_lines, parse_config
from advisor.model.comparison import Comparison, SymbolKind
from advisor.model.repair import Repair
from advisor.model.tree import TreeUse
from advisor.output import Style

if TYPE_CHECKING:
    from advisor.tree.check import KnownNames
    from advisor.tree.kbuild import Build
    from advisor.tree.kerneltree import KernelTree

_ON = ("y", "m")
_BASE = "the same configuration, completed by the tree"
_MISSING = (SymbolKind.LOST, SymbolKind.GONE, SymbolKind.UNTOLD)


def carry_over(
    config: KernelConfig,
    comparison: Comparison,
    tree: KernelTree,
    auditor: Auditor,
    build: Build | None = None,
) -> int:
    """Writes the fragment that gives what `config` had on and the tree does not; the exit code.

    The tree is the one in which the configuration was completed for the comparison. With `build`
    the tree's own tools prove the fragment, which is not written if a line of it does not hold.
    Raises OutputError and TreeError.
    """
    from advisor.output.plan import fixed
    from advisor.tree.carry import carried_over
    from advisor.tree.oracle import Oracle
    from advisor.tree.proof import NOT_VERIFIED, verify

    options, path = auditor.request.tree, auditor.request.upgrade.carry_over or ""
    oracle, names = Oracle(tree), names_in(tree, auditor.knowledge)
    told = {move.symbol for move in comparison.symbols if move.kind in _MISSING}
    lines = [
        line
        for line in named_lines(config)
        if line[1] in _ON and _is_missing(line[0], line[0] in told, tree, names)
    ]
    places = {symbol: place for symbol, _, place in named_lines(config)}
    lines += [(m.symbol, m.old or "y", places[m.split]) for m in comparison.symbols if m.split]
    # What protects something comes first, as on the page.
    security = {loss.symbol for loss in comparison.losses if loss.area == "security"}
    lines.sort(key=lambda line: line[0] not in security)
    was = {symbol: value for symbol, value, _ in named_lines(config)}
    had = carried_over(tree, was, lines, names, symbols_of(options.allow))
    grade = "kbuild" if build else "model"
    repair = Repair(config.path, _BASE, grade, TreeUse("", "", ""), "", had)
    verified = NOT_VERIFIED
    if build and repair.written():
        text = fixed.carried(repair, Style())
        verified = verify(build, parse_config(text, path, fragment=True), oracle.predicted)
    effects = oracle.effects(repair.written())
    version, ran = tree.version.text, options.run_toolchain or bool(build)
    use = TreeUse(options.tree or "", version, tree.arch, ran, oracle.assumed, verified.notes)
    oracle.rewind()
    for line in (*verified.lost(), *verified.defects()):
        complain(line)
    if verified.comparison.lost:
        return 1
    put(fixed.carried(repair._replace(tree=use, effects=effects), style(path)), path)
    again = sum(bool(line.lines) for line in had)
    complain(f"{path}: of {len(lines)} lost settings, {again} can be restored")
    return AdvisorError.exit_code if verified.comparison.differences else 0


def _is_missing(symbol: str, told: bool, tree: KernelTree, names: KnownNames) -> bool:
    """Whether what was on is off in the tree, under the name that it has there.

    Of what the tree does not know only that counts which the comparison has `told`, or whose name
    there is known.
    """
    if tree.defines(symbol):
        return tree.prompted(symbol) and tree.line(symbol) not in _ON
    new = names.now(symbol, "y")
    return any(tree.line(name) not in _ON for name in new) if new else told
