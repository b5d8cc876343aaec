"""What distributions compile in: counted, kept, told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.errors import KnowledgeError
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import folders, practice
from advisor.knowledge.practice import Practices
from advisor.lint.practice import count
from advisor.model.kernel import Machine

from .. import corpus


def subjects(*values, arch="x86"):
    for number, value in enumerate(values):
        text = f"CONFIG_HZ_{value}=y\nCONFIG_HZ={value}\nCONFIG_SMP=y\n"
        config = parse_config(text, str(number), complete=True)
        yield subject_of(config, Given(machine=Machine(arch=arch)))


def test_values_are_counted_by_architecture():
    knowledge = corpus.knowledge()
    found = [*subjects(250, 1000, 1000), *subjects(100, arch="arm64")]
    text = count(found, knowledge, "2026-11")
    assert count(reversed(found), knowledge, "2026-11") == text
    document = json.loads(text)
    assert document["configurations"] == {"arm64": 1, "x86": 3}
    assert document["tunables"]["timer-frequency"] == {
        "arm64": {"100": 1},
        "x86": {"1000": 2, "250": 1},
    }
    told = Practices(document).summary
    expected = "of 3 x86 configurations: 1000 in 2, 250 in 1 (distributions, read in 2026-11)"
    assert told("timer-frequency", "x86") == told("timer-frequency", None) == expected
    assert told("timer-frequency", "arm64") == ""  # one is no practice
    assert told("no-such", "x86") == ""
    in_numbers = Practices(document).of
    assert in_numbers("timer-frequency", "x86") == (expected, 3, (("1000", 2), ("250", 1)))
    assert in_numbers("timer-frequency", "arm64") == in_numbers("no-such", "x86") == ("", 0, ())


@pytest.mark.slow
def test_what_is_kept_is_told_by_explain(run_inside):
    result = run_inside("explain", "timer-frequency")
    assert "x86 configurations: 1000 in" in " ".join(result.stdout.split())


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"read": 1'])
def test_a_damaged_file_is_named(monkeypatch, tmp_path, text):
    (tmp_path / practice.FILE).write_text(text)
    monkeypatch.setattr(folders, "data", lambda name: str(tmp_path / name))
    with pytest.raises(KnowledgeError, match="cannot be read"):
        practice.built_in()


@pytest.mark.slow
def test_the_command_counts(run_inside, tmp_path):
    out = tmp_path / "practice.json"
    examples = Path(__file__).parents[2] / "examples"
    files = [examples / "x86_64-6.12.config.xz", examples / "arm64-6.12.config.xz"]
    assert run_inside("lint", "--practice", "2026-11", *files, "-o", str(out)).code == 0
    assert json.loads(out.read_text())["configurations"] == {"arm64": 1, "x86": 1}
    assert run_inside("lint", "--practice", "lately", *files).code == 2
