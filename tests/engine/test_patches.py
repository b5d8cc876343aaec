"""Patches that change what settings mean: named once, and nothing is said of what they decide."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.judgement.judge import judge
from advisor.model.finding import Verdict

from .. import corpus

KNOWLEDGE = corpus.knowledge()
PATCHES = dict(KNOWLEDGE.patches())


@pytest.mark.parametrize("patch", PATCHES)
def test_what_a_patch_decides_is_known_and_not_judged(make_world, patch) -> None:
    decides = PATCHES[patch]
    assert set(decides) <= set(KNOWLEDGE.ids("tunables"))
    lines = " ".join(f"{symbol}=y" for symbol in {patch, *decides.values()})
    world = make_world(lines, kernel="4.9.9", arch="x86")
    profiles = [KNOWLEDGE.profile(name) for name in KNOWLEDGE.ids("profiles")]
    found = [finding for finding in judge(world, profiles) if finding.tunable.id in decides]
    assert {finding.verdict for finding in found} == (
        {Verdict.NOT_APPLICABLE} if decides else set()
    )
    told = [one for one in diagnose(world) if one.id == "kernel-patched"]
    assert [one.subject for one in told] == [patch]
    assert all(KNOWLEDGE.tunable(name).title in told[0].message for name in decides)


@pytest.mark.parametrize("patch", PATCHES)
def test_what_of_a_patch_is_off_decides_nothing(make_world, patch) -> None:
    plain = make_world("SMP=y", kernel="4.9.9", arch="x86")
    off = make_world(f"SMP=y {patch}=y", kernel="4.9.9", arch="x86")
    for name in PATCHES[patch]:
        assert not off.decided_by(name)
        assert off.state(name) == plain.state(name)
    assert not [one for one in diagnose(plain) if one.id == "kernel-patched"]
