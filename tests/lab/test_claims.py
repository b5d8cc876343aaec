"""What rules and profiles claim to be work per operation, held against the records."""

from __future__ import annotations

import pytest

from lab import claims
from lab.claims import Claim
from lab.effects import effects
from lab.record import all_of, kernels

from ..cases import each


@pytest.mark.slow
def test_the_records_bear_out_what_is_claimed():
    every = list(claims.claims())
    assert {claim.place.partition("/")[0] for claim in every} == {"rules", "profiles"}
    assert list(claims.problems(every)) == []


def test_every_window_that_is_named_is_one():
    known = {one.window for kernel in kernels() for one in effects(*all_of(kernel)[:1] * 2)}
    assert {window for claim in claims.claims() for window in claim.windows} <= known


PSI = Claim("here", "psi", ("sleep-wake",), "on")


@pytest.mark.slow
@each(
    ("claim", "message"),
    [
        (PSI, ""),
        (PSI._replace(value="built"), "claims work in sleep-wake, where no record has more"),
        (PSI._replace(windows=("getppid",)), "claims work in getppid"),
        (PSI._replace(windows=()), "makes no difference, and it does in"),
        (Claim("here", "task-delay-accounting", (), "on"), ""),
        (PSI._replace(tunable="turbo"), "no record of turbo"),
        (PSI._replace(value="", good=("built", "off"), strength="must"), ""),
        (PSI._replace(value="", good=("on",), strength="must"), "claims work in sleep-wake"),
        (Claim("here", "tcp-timestamps", ("tcp-round-trip",), "", ("off",), (), "could"), ""),
        (
            Claim("here", "tcp-timestamps", ("tcp-round-trip",), "", ("off",), (), "should"),
            "should takes 1% of an operation, and 0.5% is the most",
        ),
        (Claim("here", "tsc-trust", ("clock-read",), "", ("automatic",), ("unstable",)), ""),
        (Claim("here", "hardening.HARDENED_USERCOPY", ("stat",), "on"), ""),
        (Claim("here", "hardening.HARDENED_USERCOPY", ("stat",), "off"), "claims work in stat"),
        (Claim("here", "hardening", ("stat",), "", ("off",)), ""),
        (Claim("here", "audit", ("getppid",), "on"), ""),
    ],
)
def test_what_no_record_bears_out_is_said(claim, message):
    problems = list(claims.problems([claim]))
    assert bool(problems) == bool(message)
    assert message in "".join(problems)


def test_claims_are_read_from_values_members_and_advice(tmp_path):
    rule = (
        'id = "x"\n[[value]]\nname = "on"\nwork = ["stat"]\n[[value]]\nname = "off"\n'
        '[[member]]\nsymbol = "Y"\nwork = []\n'
    )
    profile = (
        '[[advice]]\nid = "a"\ntunable = "x"\nstrength = "must"\nwant = ["off"]\n'
        'accept = ["none"]\navoid = ["on"]\nwork = ["stat"]\n'
    )
    for folder, text in (("rules/area/x", rule), ("profiles/p", profile)):
        path = tmp_path / f"{folder}.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    value, member, advice = claims.claims(tmp_path)
    assert (value.tunable, value.value, value.windows) == ("x", "on", ("stat",))
    assert (member.tunable, member.value, member.windows) == ("x.Y", "on", ())
    assert (advice.good, advice.bad, advice.strength) == (("off", "none"), ("on",), "must")
