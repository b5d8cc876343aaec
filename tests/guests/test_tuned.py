"""A plan as a TuneD profile, taken and verified by TuneD itself (2.20 in Debian 12, 2.25 in 13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import PROJECT, SUITES, Guests

# What every kernel has; dirty-background-bytes makes a sysctl of the included profile 0.
ONLY = ("swappiness", "dirty-background-bytes", "map-count-limit", "aio-limit")

pytestmark = [pytest.mark.guest, pytest.mark.sampled]


@pytest.mark.parametrize("suite", SUITES)
def test_tuned_sets_the_profile_and_finds_it_in_force(
    guests: Guests, run_inside, tmp_path: Path, suite: str
) -> None:
    config = PROJECT / "examples/x86_64-6.12.config.xz"
    words = [word for name in ONLY for word in ("--only", name)]
    plan = run_inside(
        "plan", config, "-p", "database", "--strength", "could", *words, "-f", "tuned"
    )
    assert plan.code == 0, plan.stderr
    share = tmp_path / "share"
    guests.run(suite, share, "tuned.sh", {"tuned.conf": plan.stdout})
    log = (share / "log").read_text()
    assert (share / "active.txt").read_text().split() == [
        "Current",
        "active",
        "profile:",
        "kernel-advisor",
    ]
    assert (share / "values").read_text().split() == ["10", "262144", "67108864"]
    assert (share / "verify.code").read_text() == "0\n", log
