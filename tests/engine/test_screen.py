"""A host's screen: which diagnostics it counts, what its notes say, which profiles it shows."""

from __future__ import annotations

import pytest

from advisor.engine.screen import screen, shown
from advisor.model.evidence import Recommendation, Signs
from advisor.model.finding import Diagnostic, Waiver
from advisor.model.kernel import Location, Machine, Severity
from advisor.model.plan import Plan
from advisor.model.profile import Profile
from advisor.model.report import Report

SIGNS = Signs("a machine")
ASLEEP = "these files are not of a running system: run-time settings are not known"
WAIVER = Waiver("x", "accepted", Location("kernel-advisor.toml", 1))


PAIR = tuple(Profile(name, name, "", ()) for name in ("desktop-latency", "power-saving"))


def report(*diagnostics, profiles=PAIR, fits=()):
    """A report on profiles that go together, with these diagnostics and recommendations."""
    recommended = tuple(Recommendation(name, 5) for name in fits)
    return Report(
        "host", None, Machine(), True, None, profiles, (), diagnostics, (), Plan(),
        recommended=recommended,
    )  # fmt: skip


def diagnostic(name, severity, message="", waived=None):
    return Diagnostic(name, severity, Location("x"), message, waived=waived)


def test_open_diagnostics_are_counted_by_their_severity():
    found = screen(
        "6.12.0",
        report(
            diagnostic("a", Severity.ERROR),
            diagnostic("b", Severity.ERROR, waived=WAIVER),
            diagnostic("c", Severity.WARNING),
            diagnostic("d", Severity.WARNING),
            diagnostic("e", Severity.NOTE),
        ),
        [],
        SIGNS,
    )
    assert (found.errors, found.warnings) == (1, 2)


@pytest.mark.parametrize(
    ("release", "diagnostics", "notes"),
    [
        ("6.12.0", (), ()),
        ("", (), (ASLEEP,)),
        ("", (diagnostic("host-not-running", Severity.NOTE, "next boot"),), ("next boot",)),
        (
            "",
            (diagnostic("host-not-running", Severity.NOTE, "next boot", WAIVER),),
            (ASLEEP,),
        ),
        ("6.12.0", (diagnostic("host-unreadable", Severity.NOTE, "closed"),), ("closed",)),
        ("6.12.0", (diagnostic("word-unknown", Severity.NOTE, "odd"),), ()),
    ],
)
def test_notes_tell_what_was_read_and_whether_a_kernel_runs(release, diagnostics, notes):
    assert screen(release, report(*diagnostics), [], SIGNS).notes == notes


def test_notes_come_from_the_general_to_the_particular():
    read = diagnostic("host-unreadable", Severity.NOTE, "closed")
    signs = SIGNS._replace(place="in a container")
    found = screen("", report(read), [], signs, ["no units", "", "no processes"])
    assert found.notes == (ASLEEP, "in a container", "closed", "no units", "no processes")


def test_each_profile_alone_has_a_row_of_its_own():
    alone = [report(profiles=(profile,)) for profile in PAIR]
    found = screen("6.12.0", report(fits=["desktop-latency"]), alone, SIGNS)
    assert [row.profile for row in found.rows] == ["desktop-latency", "power-saving"]
    assert found.together == ("desktop-latency", "power-saving")
    assert [one.profile for one in found.fits] == ["desktop-latency"]
    assert [effort.way for effort in found.efforts] == ["now", "boot", "rebuild", "none"]


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, ["desktop-latency"]),
        (3, ["desktop-latency", "power-saving", "realtime"]),
        (9, ["desktop-latency", "power-saving", "realtime", "diagnosis"]),
    ],
)
def test_what_goes_together_is_shown_before_what_else_fits(most, expected):
    fits = ("realtime", "power-saving", "diagnosis", "desktop-latency")
    assert shown(report(fits=fits), most) == expected
