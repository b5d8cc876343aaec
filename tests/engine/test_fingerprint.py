"""The keys by which findings and diagnostics are known again."""

from __future__ import annotations

import re

import pytest

from advisor.engine import fingerprint
from advisor.model.kernel import Location, Severity
from advisor.model.report import Diagnostic, Finding, State, Verdict
from advisor.model.rules import Advice, Stance, Strength, Tunable


def finding(name="hz", profile="server", value="100", verdict=Verdict.CHANGE):
    advice = Advice(name, profile, Stance.WANT, Strength.MUST, (), "")
    tunable = Tunable(name, "cpu", name, "choice")
    return Finding(advice.key, verdict, advice, tunable, State(name, (value,)))


def diagnostic(kind="parameter-unknown", subject="quite", line=1, message="wrong"):
    where = Location("--cmdline", 1, line)
    return Diagnostic(kind, Severity.ERROR, where, message, subject=subject)


def key(item, path="config"):
    of = fingerprint.of_findings if isinstance(item, Finding) else fingerprint.of_diagnostics
    (found,) = of([item], path)
    return found


def test_they_never_change():
    """Baselines hold them: another value here makes every finding of every team new."""
    assert key(finding()) == "8c68b80d5dbbf3b57144c2a6ffb27f9e"
    assert key(diagnostic()) == "f16f13d03cf89b76d76728506fcf5f13"


@pytest.mark.parametrize(
    "other", [finding(value="250"), finding(verdict=Verdict.BLOCKED)], ids=["value", "verdict"]
)
def test_what_makes_no_other_finding(other):
    assert key(other) == key(finding())


@pytest.mark.parametrize("other", [finding(name="psi"), finding(profile="laptop")])
def test_what_makes_another_finding(other):
    assert key(other) != key(finding())


def test_the_path_is_part_of_it():
    assert key(finding(), "a") != key(finding(), "b")
    assert key(diagnostic(), "a") != key(diagnostic(), "b")


def test_a_diagnostic_is_known_by_what_it_is_about():
    assert key(diagnostic(line=7, message="still wrong")) == key(diagnostic())
    assert key(diagnostic(subject="queit")) != key(diagnostic())
    assert key(diagnostic(kind="parameter-void")) != key(diagnostic())


def test_equal_diagnostics_are_counted():
    twice = fingerprint.of_diagnostics([diagnostic(), diagnostic(line=9)], "config")
    assert len(set(twice)) == 2
    assert twice[0] == key(diagnostic())
    between = [diagnostic(), diagnostic(subject="other"), diagnostic(line=9)]
    assert fingerprint.of_diagnostics(between, "config")[::2] == twice


@pytest.mark.parametrize("path", ["", "caf\xe9", "\udcff", "a\nb", "x" * 5000])
def test_any_path_gives_32_hex_digits(path):
    assert re.fullmatch("[0-9a-f]{32}", key(finding(), path))


def test_without_the_fast_module_they_are_the_same():
    from hashlib import blake2b

    assert key(finding()) == blake2b(b"server/hz\0config", digest_size=16).hexdigest()
