"""What a kernel's own tools made of a fragment, against what it asks and what was predicted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Lost(NamedTuple):
    """A line of the fragment that did not hold; `got` is None if the symbol is not in the file."""

    symbol: str
    asked: str
    got: str | None


class Difference(NamedTuple):
    """A symbol that was predicted otherwise than it came out; None is "not in the file"."""

    symbol: str
    predicted: str | None
    real: str | None


class Comparison(NamedTuple):
    """The lines that did not hold, in the fragment's order, and the wrong predictions, by name."""

    lost: tuple[Lost, ...]
    differences: tuple[Difference, ...]


def compare(
    requested: Mapping[str, str], predicted: Mapping[str, str], result: Mapping[str, str]
) -> Comparison:
    """Both questions to a proof: does every line hold, and was all of it foreseen?

    Values are spelled as in a .config, `n` for "is not set". `requested` are the fragment's lines,
    under the names that they have in the tree. `predicted` is the whole configuration as the
    advisor's evaluation has it, `result` the one that came out. Toolchains answer differently, and
    a configuration records the answers of the one that made it: only a prediction that starts from
    the base as the proof refreshed it (Proof.base_text of inputs/kbuild.py) has asked the same
    tools, so that each difference left is a mistake of the evaluation.
    """
    lost = (
        Lost(symbol, asked, result.get(symbol))
        for symbol, asked in requested.items()
        if not _holds(asked, result.get(symbol))
    )
    differences = (
        Difference(symbol, predicted.get(symbol), result.get(symbol))
        for symbol in sorted({*predicted, *result})
        if predicted.get(symbol) != result.get(symbol)
    )
    return Comparison(tuple(lost), tuple(differences))


def _holds(asked: str, got: str | None) -> bool:
    """Absent is as good as not set; conf writes 0x before a hex number that lacks it."""
    return got == asked or (asked == "n" and got is None) or got == f"0x{asked}"
