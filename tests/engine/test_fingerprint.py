"""The keys by which findings and diagnostics are known again."""

from __future__ import annotations

import re

import pytest

from advisor.engine import fingerprint
from advisor.engine.audit import Policy, audit
from advisor.inputs.bootline import parse_cmdline
from advisor.inputs.subject import Given, read_subject
from advisor.model.finding import CONFLICT, Conflict, Diagnostic, Finding, Verdict
from advisor.model.kernel import Location, Severity
from advisor.model.profile import Advice, Stance, Strength
from advisor.model.state import State
from advisor.model.tunable import Tunable
from advisor.repository import RepositoryPaths

from .. import corpus


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
    return found.fingerprint


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


def keys(*items):
    return [item.fingerprint for item in fingerprint.of_diagnostics(items, "config")]


def test_equal_diagnostics_are_counted():
    twice = keys(diagnostic(), diagnostic(line=9))
    assert len(set(twice)) == 2
    assert twice[0] == key(diagnostic())
    assert keys(diagnostic(), diagnostic(subject="other"), diagnostic(line=9))[::2] == twice


def test_a_conflict_is_known_by_what_is_disputed():
    """As where formats showed it as a diagnostic of that id, and worked the key out."""
    found = fingerprint.of_conflicts([Conflict("hz", "Timer frequency", ())], "config")
    assert [one.fingerprint for one in found] == keys(diagnostic(CONFLICT, "hz"))


def test_an_audit_sets_them_under_the_name_in_the_repository(make_config, tmp_path):
    path = str(make_config("CONFIG_HZ_250=y", "CONFIG_HZ=250"))
    subject = read_subject(path, Given(cmdline=parse_cmdline("quite")))
    knowledge = corpus.knowledge()
    profiles = [knowledge.profile(name) for name in ("server-throughput", "desktop-latency")]
    paths = RepositoryPaths(str(tmp_path.parent), str(tmp_path))
    report = audit(subject, knowledge, profiles, Policy(paths=paths))
    assert report.path == f"{tmp_path.name}/config"
    assert report.findings
    assert report.diagnostics
    for items in (report.findings, report.diagnostics):
        assert [item.fingerprint for item in items] == [key(item, report.path) for item in items]


@pytest.mark.parametrize("path", ["", "caf\xe9", "\udcff", "a\nb", "x" * 5000])
def test_any_path_gives_32_hex_digits(path):
    assert re.fullmatch("[0-9a-f]{32}", key(finding(), path))


def test_without_the_fast_module_they_are_the_same():
    from hashlib import blake2b

    assert key(finding()) == blake2b(b"server/hz\0config", digest_size=16).hexdigest()
