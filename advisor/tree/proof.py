"""A fragment proven by the tree's own tools, and held against the advisor's own prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from advisor.inputs.config import KernelConfig, named_lines, parse_config
from advisor.progress import busy
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.tree import Lines
    from advisor.tree.kbuild import Build

_MOST_DEFECTS = 10


class ProofResult(NamedTuple):
    """The lines that did not hold, in the fragment's order, and the wrong predictions, by name."""

    lost: tuple[Lost, ...]
    differences: tuple[Difference, ...]


class Verification(NamedTuple):
    """How lines and prediction compare with what came out, and what the tools said."""

    comparison: ProofResult
    notes: tuple[str, ...] = ()

    def lost(self) -> Iterable[str]:
        """Each line of the fragment that did not hold, in words."""
        for symbol, wanted, got in self.comparison.lost:
            yield f"{symbol}={wanted} has no effect: the tree sets {symbol} to {got or 'nothing'}"

    def defects(self) -> Iterable[str]:
        """What was predicted otherwise than it came out, in words."""
        wrong = self.comparison.differences
        for symbol, predicted, real in wrong[:_MOST_DEFECTS]:
            yield (
                f"a bug of kernel-advisor: it predicted {symbol}={predicted or 'nothing'}, the "
                f"tree's tools made {real or 'nothing'}"
            )
        if wrong:
            yield f"symbols predicted wrongly: {len(wrong)} (please report it)"


NOT_VERIFIED = Verification(ProofResult((), ()))
"""Where no proof by the tree's tools was asked for."""


@contextmanager
def refreshed(
    text: str, name: str, arch: str, tree: str, allowed: Iterable[str] = ()
) -> Iterator[tuple[Build, KernelConfig]]:
    """A build folder of the tree, and the configuration as the tree's tools complete it there.

    Links of the tree may lead into the folders `allowed` too.
    Both sides then answer the tree's questions to the compiler alike. Raises TreeError.
    """
    from advisor.tree.kbuild import building

    with ExitStack() as stack:
        with busy("make olddefconfig, in a scratch folder"):
            build = stack.enter_context(building(tree, arch, text, allowed=allowed))
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


class Lost(NamedTuple):
    """A line of the fragment that did not hold; `got` is None if the symbol is not in the file.

    Values are spelled as in a .config, `n` for "is not set".
    """

    symbol: str
    value: str
    got: str | None


class Difference(NamedTuple):
    """A symbol that was predicted otherwise than it came out; None is "not in the file"."""

    symbol: str
    predicted: str | None
    real: str | None


def compare(
    requested: Mapping[str, str], predicted: Mapping[str, str], result: Mapping[str, str]
) -> ProofResult:
    """Both questions to a proof: does every line hold, and was all of it foreseen?

    Values are spelled as in a .config, `n` for "is not set". `requested` are the fragment's lines,
    under the names that they have in the tree. `predicted` is the whole configuration as the
    advisor's evaluation has it, `result` the one that came out. Toolchains answer differently, and
    a configuration records the answers of the one that made it: only a prediction that starts from
    the base as the proof refreshed it (Proof.base_text of inputs/kbuild.py) has asked the same
    tools, so that each difference left is a mistake of the evaluation.
    """
    lost = (Lost(symbol, value, result.get(symbol)) for symbol, value in requested.items())
    differences = (
        Difference(symbol, predicted.get(symbol), result.get(symbol))
        for symbol in sorted({*predicted, *result})
    )
    return ProofResult(
        # Absent is as good as not set; conf writes 0x before a hex number that lacks it.
        tuple(one for one in lost if (one.got or "n") not in (one.value, f"0x{one.value}")),
        tuple(one for one in differences if one.predicted != one.real),
    )
