"""Names that old guides pass on: told where this kernel does not have them, and only there."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose


@pytest.mark.parametrize(("kernel", "told"), [("6.12.0", True), ("5.10.0", False), (None, True)])
def test_a_sysctl_that_went(make_world, kernel, told):
    lines = "kernel.sched_latency_ns = 1\nvm.swappiness = 10\n"
    world = make_world("SMP=y SWAP=y", kernel=kernel, sysctl=lines)
    found = [(d.id, d.location.line) for d in diagnose(world)]
    assert found == ([("sysctl-unknown", 1)] if told else [])


@pytest.mark.parametrize(("kernel", "told"), [("6.12.0", True), ("4.19.0", False)])
def test_a_boot_word_that_went(make_world, kernel, told):
    world = make_world("SCSI=y", kernel=kernel, cmdline="quiet scsi_mod.use_blk_mq=1")
    assert [d.id for d in diagnose(world)] == (["parameter-unknown"] if told else [])
