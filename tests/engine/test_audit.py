"""The whole way of one subject: what an audit costs, and what it leaves for later."""

from __future__ import annotations

from advisor.engine.audit import Policy, audit
from advisor.inputs import config
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import index


def test_no_line_is_looked_for_before_it_is_shown(make_config, monkeypatch):
    looked: list[str] = []
    number = config._Lines.number

    def counted(self, key, value):
        looked.append(key)
        return number(self, key, value)

    monkeypatch.setattr(config._Lines, "number", counted)
    path = str(make_config("CONFIG_HZ_250=y", "CONFIG_HZ=250"))
    knowledge = index.load()
    profiles = [knowledge.profile("server-throughput")]
    first, again = (
        audit(read_subject(path, Given()), knowledge, profiles, Policy(in_full=True))
        for _ in range(2)
    )
    assert looked == []
    assert first == again
    (finding,) = [f for f in first.findings if f.tunable.id == "timer-frequency"]
    (origin,) = finding.state.origins
    lines = read_config(path).text.split("\n")
    assert lines[origin.location.line - 1] == origin.text
    assert looked
