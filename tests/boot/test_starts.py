"""The boot lines that the tool writes, those it could write, and wrong ones, on real kernels.

A start that was proven with just this kernel, line and prediction is not made again, but for a
sample (starts.py).
"""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose

from ..proofs import told
from .machine import KERNELS, Kernels
from .starts import ROOM, STARTS, WRONG, Claim, Start, line_of, told_of, world

pytestmark = pytest.mark.boot

CASES = [
    pytest.param(Start(kernel, "line", first), claim, id=f"{kernel}-{claim.word}")
    for first, wrong in WRONG.items()
    for claim in wrong.claims
    for kernel in claim.kernels
]


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_a_kernel_is_as_predicted(request, prover, start):
    how, faults = prover.prove(start)
    told(request.node, "starts", how)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("start", "claim"), CASES)
def test_the_tool_says_so(kernels: Kernels, start: Start, claim: Claim) -> None:
    found = told_of(world(kernels, start.kernel, line_of(kernels, start)), claim.word)
    if claim.pending:
        # Strict, so that a claim that came true is noticed: take `pending` away then.
        assert claim.diagnostic not in found
    else:
        assert (claim.diagnostic in found) if claim.diagnostic else not found


@pytest.mark.parametrize("form", ROOM)
def test_the_tool_says_what_init_has_no_room_for(kernels: Kernels, form: str) -> None:
    for source in ("full", "overfull"):
        line = line_of(kernels, Start(KERNELS[0], source, form))
        told = {found.id for found in diagnose(world(kernels, KERNELS[0], line))}
        assert ("line-overflows-init" in told) == (source == "overfull")
