"""What a team accepts: waivers that can match, the day, and baselines as files."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cli import accepted
from advisor.cli.accepted import BASELINE
from advisor.errors import InputError, KnowledgeError, UsageError
from advisor.model.finding import Waiver
from advisor.model.kernel import Location

from ..cases import each

RULES = {"psi": {"server"}, "server/psi": {"server"}, "hz": set(), "non-ascii": set()}


@each(
    ("waiver", "told"),
    [
        ({"rule": "psy"}, "there is no rule 'psy' (did you mean psi?)"),
        ({"rule": "x" * 90}, "there is no rule '" + "x" * 60 + "...'"),
        ({"rule": "psi", "profile": "sever"}, "there is no profile 'sever' (did you mean server?)"),
        ({"rule": "psi", "profile": "laptop"}, "laptop has no advice about psi"),
        ({"rule": "server/psi", "profile": "laptop"}, "laptop has no advice about server/psi"),
        ({"rule": "hz"}, "no profile has advice about hz"),
        ({"rule": "non-ascii", "profile": "server"}, "non-ascii is a diagnostic"),
    ],
    ids=str,
)
def test_a_waiver_that_can_match_nothing(waiver, told):
    wrong = Waiver(reason="r", location=Location("s.toml", 3), **waiver)
    right = Waiver("psi", "r", Location("s.toml", 1))
    with pytest.raises(KnowledgeError) as caught:
        accepted.check_waivers([right, wrong], {**RULES, "swap": {"laptop"}})
    ((where, message),) = caught.value.problems
    assert (where, message.startswith(told)) == ("s.toml:3", True)


@each(
    ("rule", "profile"),
    [("psi", ""), ("psi", "server"), ("server/psi", "server"), ("non-ascii", "")],
)
def test_a_waiver_that_can_match(rule, profile):
    found = Waiver(rule, "r", Location("s.toml", 3), profile=profile)
    accepted.check_waivers([found], RULES)


# --- the day --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epoch", "day"),
    [("0", "1970-01-01"), ("1782864000", "2026-07-01"), ("1782863999", "2026-06-30")],
)
def test_the_day_of_reproducible_builds(monkeypatch, epoch, day):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert accepted.today() == day


@pytest.mark.parametrize("epoch", ["x", "1.5", "9" * 14, "9" * 5000])
def test_a_wrong_day(monkeypatch, epoch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        accepted.today()


def test_today(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert re.fullmatch(r"2\d{3}-[01]\d-[0-3]\d", accepted.today())


# --- baselines ------------------------------------------------------------------------------------

ENTRY = {"fingerprint": "f", "id": "a/b", "path": "config", "state": ["on"]}


def test_a_baseline_is_read(tmp_path):
    path = tmp_path / "b.json"
    path.write_text("\ufeff" + json.dumps({"schema": BASELINE, "findings": [ENTRY], "more": 1}))
    assert accepted.read_baseline(str(path)) == {"f": ENTRY}


@pytest.mark.parametrize(
    "document",
    [
        "", " ", "[]", "1", "null", '"text"', "{}", "{", "[" * 5000, "1" * 5000,
        {"schema": "kernel-advisor/baseline/v2", "findings": []},
        {"schema": ["x"], "findings": []},
        {"schema": BASELINE},
        {"schema": BASELINE, "findings": {}},
        {"schema": BASELINE, "findings": [1]},
        *(
            {"schema": BASELINE, "findings": [{**ENTRY, key: value}]}
            for key, value in [
                ("fingerprint", None), ("fingerprint", []), ("id", 1), ("path", {}),
                ("state", "on"), ("state", None), ("state", [1]), ("state", [["on"]]),
            ]
        ),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_what_is_no_baseline(tmp_path, document):
    path = tmp_path / "b.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    with pytest.raises(InputError, match=r"b\.json: is (no baseline|empty)"):
        accepted.read_baseline(str(path))


def test_no_baseline_yet(tmp_path):
    with pytest.raises(InputError, match=r"no such file .kernel-advisor baseline writes a"):
        accepted.read_baseline(str(tmp_path / "absent"))


@given(st.text(max_size=60))
def test_any_text_is_a_baseline_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    with pytest.raises(InputError):
        accepted.read_baseline(str(path))
