"""Every profile on the configurations that distributions and phones really ship.

KERNEL_ADVISOR_CORPUS names a folder of them; there is none in the project. A test looks at one
configuration with all profiles, and reports all that is wrong there; the reports of a configuration
are made once for its tests and the census.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from advisor.engine.plan.boot_line_plan import plan_bootline
from advisor.engine.plan.fragment_plan import plan_fragment, side_effects
from advisor.knowledge import schema
from advisor.model import condition
from advisor.model.profile import Strength
from advisor.output import FORMATS, Style, renderer
from advisor.output.plan import fragment

from .. import corpus

GIVEN = os.environ.get("KERNEL_ADVISOR_CORPUS")
# Those of the folder itself, first of all as in the census, so that pytest puts both together.
CORPUS = [
    name for name, path in corpus.configurations().items() if path.parent == Path(GIVEN or "")
]
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not GIVEN, reason="KERNEL_ADVISOR_CORPUS is not set; see make corpus"),
]
of_each = pytest.mark.parametrize("configuration", CORPUS, indirect=True, scope="session")
# The widest label of a report with its indent: a word that begins there cannot go further left.
MARGIN = 16


@pytest.fixture
def knowledge():
    return corpus.knowledge()


@pytest.fixture
def subject(configuration):
    return corpus.world(configuration, "untold").subject


@pytest.fixture
def reports(configuration):
    return corpus.reports(configuration, "untold")


def test_the_corpus_is_there():
    assert len(CORPUS) > 0, f"no file in {GIVEN} has config in its name"


@of_each
def test_it_is_read_as_a_complete_configuration(subject):
    assert subject.config.complete
    assert subject.kernel is not None
    assert subject.machine.arch is not None
    assert subject.notes == ()


def opens(change):
    return change.old is not None and change.new not in ("n", change.old)


@of_each
def test_what_a_rebuild_needs_is_there_or_is_opened(reports, subject, knowledge):
    """A symbol the configuration does not show appears only with another one that is turned on."""
    shown, wrong = subject.config, []
    remedies = [
        (finding, remedy)
        for report in reports.values()
        for finding in report.findings
        for remedy in finding.remedies
    ]
    for finding, remedy in remedies:
        opened = any(map(opens, remedy.changes)) or remedy.beside
        for change in remedy.changes:
            # What comes on by itself with another symbol is switched off by name.
            brings = knowledge.unnamed(change.symbol)
            brought = any(
                other.symbol in brings and brings[other.symbol].value == "y"
                for other in remedy.changes
            )
            right = (
                change.old == shown.get(change.symbol),
                opened or change.old is not None,
                change.old is not None or change.new != "n" or brought,
            )
            wrong += [] if all(right) else [f"{finding.id}: {change.symbol}: {right}"]
    assert wrong == []


@of_each
def test_the_changes_above_are_those_that_open_it(reports):
    """That a rule may be followed "after the other changes" is so if its conditions name one."""
    wrong = []
    for report in reports.values():
        remedies = [(f, remedy) for f in report.findings for remedy in f.remedies]
        above = {c.symbol for _, remedy in remedies for c in remedy.changes if opens(c)}
        for finding, remedy in remedies:
            absent = [change for change in remedy.changes if change.old is None]
            if absent and not any(map(opens, remedy.changes)):
                tunable = finding.tunable
                values = [part.requires for part in (*tunable.values, *tunable.members)]
                named = {s for e in (tunable.requires, *values) for s in condition.symbols(e)}
                wrong += [] if named & above else [f"{finding.id}: {remedy}"]
    assert wrong == []


@of_each
def test_every_line_that_is_named_is_the_line(reports, subject):
    text, wrong = subject.config, []
    for finding in (finding for report in reports.values() for finding in report.findings):
        states = [*finding.state.origins, *(by for _, by in finding.state.on + finding.state.off)]
        for origin in states:
            symbol = origin.text.removeprefix("# ").removeprefix("CONFIG_").partition("=")[0]
            symbol = symbol.removesuffix(" is not set")
            if origin.layer.value == "compiled" and text.get(symbol) is not None:
                is_it = text.entry(symbol).location == origin.location
                wrong += [] if is_it else [f"{finding.id}: {origin}"]
    assert wrong == []


@of_each
def test_json_fits_its_schema(configuration, reports):
    """Of every third profile, other ones for each configuration: to hold one takes 40 ms."""
    problems = {}
    for name in list(reports)[CORPUS.index(configuration) % 3 :: 3]:
        document = json.loads(renderer("json")([reports[name]], Style()))
        if found := list(schema.problems("report", document, "advisor.output")):
            problems[name] = found
    assert problems == {}


@of_each
def test_the_text_report_stays_within_80_columns(reports):
    wide = []
    for name, report in reports.items():
        for verbose in (False, True):
            for line in renderer("text")([report], Style(verbose=verbose)).splitlines():
                word = line.rsplit(" ", 1)[-1]
                if " - - - - " in line:  # a line of tmpfiles.d is not parted
                    continue
                if len(line) > 80 and len(line) - len(word) > MARGIN:
                    wide.append(f"{name}: {line}")
    assert wide == []


@of_each
def test_every_format_is_plain_text(reports):
    wrong = {}
    for format in FORMATS:
        for name, report in reports.items():
            text = renderer(format)([report], Style(verbose=True))
            odd = {c for c in set(text) if not c.isprintable() and c not in "\n\u200b"}
            if odd or not text.endswith("\n"):
                wrong[format, name] = odd
    assert wrong == {}


def symbols_of(text):
    """The symbols that a fragment sets, each line of which merge_config.sh can read."""
    symbols = []
    for line in (line for line in text.splitlines() if "CONFIG_" in line):
        if line.startswith("# "):
            name, space, rest = line[2:].partition(" ")
            assert (space + rest) == " is not set", line
        else:
            name, equals, value = line.partition("=")
            quoted = len(value) > 1 and value[0] == value[-1] == '"'
            assert equals, line
            assert quoted or value in ("y", "m") or value.lstrip("-")[:1].isdigit(), line
        assert name.startswith("CONFIG_"), line
        symbols.append(name)
    return symbols


@of_each
def test_a_fragment_is_one_that_merge_config_can_read(configuration, reports):
    """That of all strengths, in which are the lines of the others."""
    world = corpus.world(configuration, "untold")
    for name, report in reports.items():
        plan = plan_fragment(list(report.findings), [], world, Strength.COULD)
        planned = report._replace(plan=plan._replace(effects=side_effects(plan, world)))
        symbols = symbols_of(fragment.render([planned], Style()))
        assert sorted(set(symbols)) == sorted(symbols), name


@of_each
def test_a_boot_line_is_one_line(configuration, reports):
    world = corpus.world(configuration, "untold")
    lines = {
        name: plan_bootline(list(report.findings), [], world, Strength.COULD, frozenset()).cmdline
        for name, report in reports.items()
    }
    assert {name: line for name, line in lines.items() if not line.isprintable()} == {}
    assert lines == {name: " ".join(line.split()) for name, line in lines.items()}
