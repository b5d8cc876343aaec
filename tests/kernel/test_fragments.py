"""Every fragment, merged by the tree's own merge_config.sh and completed by its own conf.

What was proven of just this fragment, configuration and tree is not made again, but for a sample:
the outcome is then what the advisor foresees, which must be the one that was proven, and all else
is held against that (cells.py).
"""

from __future__ import annotations

import pytest

from ..proofs import told
from .cells import TRIED

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("cell", TRIED, ids=str)
def test_a_fragment_does_what_it_says(request, prover, cell):
    how, faults = prover.prove(cell)
    told(request.node, "fragments", how)
    assert not faults, "\n".join(faults)
