"""A fragment proven by the tree's own tools, and held against the advisor's own prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from advisor.engine.proof import Comparison, compare
from advisor.inputs.dotconfig import KernelConfig, named_lines, parse_config
from advisor.progress import busy

if TYPE_CHECKING:
    from advisor.inputs.kbuild import Build
    from advisor.model import Lines

_MOST_DEFECTS = 10


class Verification(NamedTuple):
    """How lines and prediction compare with what came out, and what the tools said."""

    comparison: Comparison
    notes: tuple[str, ...] = ()

    def lost(self) -> Iterable[str]:
        """Each line of the fragment that did not hold, in words."""
        for symbol, asked, got in self.comparison.lost:
            yield f"{symbol}={asked} does not hold in the tree: it comes to {got or 'nothing'}"

    def defects(self) -> Iterable[str]:
        """What was predicted otherwise than it came out, in words."""
        wrong = self.comparison.differences
        for symbol, told, real in wrong[:_MOST_DEFECTS]:
            yield (
                f"a defect of kernel-advisor: it foresaw {symbol}={told or 'nothing'}, the tree's "
                f"tools made {real or 'nothing'}"
            )
        if wrong:
            yield f"symbols foreseen wrongly: {len(wrong)} (please report it)"


NOT_VERIFIED = Verification(Comparison((), ()))
"""Where no proof by the tree's tools was asked for."""


@contextmanager
def refreshed(text: str, name: str, arch: str, tree: str) -> Iterator[tuple[Build, KernelConfig]]:
    """A build folder of the tree, and the configuration as the tree's tools complete it there.

    Both sides then answer the tree's questions to the compiler alike. Raises TreeError.
    """
    from advisor.inputs.kbuild import building

    with ExitStack() as stack:
        with busy("make olddefconfig, in a scratch folder"):
            build = stack.enter_context(building(tree, arch, text))
        yield build, parse_config(build.base_text, name, complete=True)


def verify(
    build: Build, fragment: KernelConfig, predict: Callable[[Lines], Mapping[str, str]]
) -> Verification:
    """What the tree's own merge_config.sh and conf make of a fragment. Raises TreeError."""
    with busy("merge_config.sh and make olddefconfig, in a scratch folder"):
        proof = build.proof(fragment.text)
    lines = tuple((symbol, value) for symbol, value, _ in named_lines(fragment))
    comparison = compare(dict(lines), predict(lines), proof.result)
    return Verification(comparison, (*proof.notes, *proof.warnings))
