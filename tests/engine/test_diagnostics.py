"""No diagnostic is given that the table does not have, nor with another severity.

Over the examples of all rules and profiles, those of the project, and, with
KERNEL_ADVISOR_CORPUS, the configurations that distributions ship.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.inputs.bootline import read_cmdline
from advisor.inputs.config import parse_config, read_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import folders
from advisor.knowledge.files import profile_files, rule_files
from advisor.knowledge.load import compile_files
from advisor.lint.examples import example_subject
from advisor.model.diagnostics import DIAGNOSTICS
from advisor.model.finding import diagnostic
from advisor.model.kernel import Location, Severity

from .. import corpus

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
GIVEN = os.environ.get("KERNEL_ADVISOR_CORPUS")
CORPUS = sorted(Path(GIVEN).glob("*config*")) if GIVEN else []
LINES = sorted(EXAMPLES.glob("*.cmdline"))
# What a shipped configuration says where it is only a part of one.
MOST_LINES = 400


@pytest.fixture(scope="module")
def knowledge():
    return corpus.knowledge()


@pytest.fixture(scope="module")
def examples():
    """The subjects of all examples of rules and profiles."""
    rules, profiles, _ = folders.roots()
    documents = compile_files([*rule_files(rules), *profile_files(profiles)], check=False)
    return [example_subject(one) for found in documents.examples.values() for one in found]


def unknown(subject, knowledge):
    """What is told of a subject and is not in the table so."""
    return [
        (item.id, item.severity)
        for item in diagnose(World(subject, knowledge))
        if item.id not in DIAGNOSTICS or item.severity not in DIAGNOSTICS[item.id].severities
    ]


@pytest.mark.slow
def test_of_the_examples_of_rules(examples, knowledge):
    told = {item.id for one in examples for item in diagnose(World(one, knowledge))}
    assert {"parameter-not-built", "parameter-void", "parameter-caution"} <= told
    assert [wrong for one in examples for wrong in unknown(one, knowledge)] == []


@pytest.mark.parametrize("line", LINES, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "config", [*sorted(EXAMPLES.glob("*config*")), *CORPUS], ids=lambda path: path.name
)
def test_of_configurations_and_boot_lines(config, line, knowledge):
    given = Given(cmdline=read_cmdline(f"@{line}"))
    whole = read_config(str(config))
    part = "\n".join(whole.text.splitlines()[:MOST_LINES])
    for found in (whole, parse_config(part, "part", complete=False)):
        assert unknown(subject_of(found, given), knowledge) == []


def test_what_the_table_knows_need_not_be_said():
    made = diagnostic("waiver-unused", Location("x"), "nothing")
    assert (made.severity, made.remedy) == (
        Severity.WARNING, "remove the waiver, or correct its rule, path or subject",
    )  # fmt: skip
    other = diagnostic("malformed-line", Location("x"), "?", "rewrite it", severity=Severity.ERROR)
    assert (other.severity, other.remedy) == (Severity.ERROR, "rewrite it")


@pytest.mark.parametrize(("name", "error"), [("no-such", KeyError), ("malformed-line", ValueError)])
def test_what_the_table_does_not_know_is_refused(name, error):
    with pytest.raises(error):
        diagnostic(name, Location("x"), "?")
