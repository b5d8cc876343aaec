"""What a plan rests on and does not set: the part of its conditions that holds."""

from __future__ import annotations

import pytest

from advisor.model.remedy import RemedyKind

from ..cases import each
from .test_whole_plan import report_on

LINES = """SYSFS=y SWAP=y CPU_FREQ=y CPU_FREQ_GOV_PERFORMANCE=y HUGETLBFS=n TRANSPARENT_HUGEPAGE=y
TRANSPARENT_HUGEPAGE_ALWAYS=y"""
PAGES = "/sys/kernel/mm/transparent_hugepage"


@pytest.fixture
def items(make_world):
    """The items of a plan for a kernel of these lines that shows these values."""

    def of(profile, shown=""):
        subject = make_world(LINES, runtime=shown, cmdline="quiet").subject
        return report_on(subject, profile).plan.items

    return of


@pytest.fixture
def planned(items):
    """What each tunable of the plan rests on."""

    def of(profile, shown=""):
        return {item.finding.tunable.id: dict(item.grounds) for item in items(profile, shown)}

    return of


@each(("tunable", "rests"), [("swappiness", {"SWAP": "y"}), ("dirty-background-bytes", {})])
def test_symbols_are_those_of_what_holds(planned, tunable, rests):
    assert planned("database")[tunable] == rests


def test_values_count_that_the_plan_does_not_set(planned):
    shown = f"{PAGES}/enabled = [always] madvise never\n{PAGES}/khugepaged/max_ptes_none = 511"
    found = planned("mongodb", shown)["khugepaged-max-ptes-none"]
    assert found[f"{PAGES}/enabled"] == "always"
    assert f"{PAGES}/khugepaged/max_ptes_none" not in found


def test_values_do_not_count_that_the_plan_sets(planned):
    """With madvise the plan gives always, and so 0 for the other."""
    shown = f"{PAGES}/enabled = always [madvise] never\n{PAGES}/khugepaged/max_ptes_none = 511"
    found = planned("mongodb", shown)
    assert all(f"{PAGES}/enabled" not in one for one in found.values())


def test_a_rebuild_rests_on_nothing_that_runs(items):
    rebuilds = [i for i in items("database") if i.remedy.kind is RemedyKind.REBUILD]
    assert rebuilds
    assert all(item.grounds == () for item in rebuilds)
