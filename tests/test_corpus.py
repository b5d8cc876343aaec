"""Every profile on the configurations that distributions and phones really ship.

KERNEL_ADVISOR_CORPUS names a folder of them; there is none in the project. A test looks at one
configuration with all profiles, and reports all that is wrong there; the reports of a configuration
are made once for its tests, which pytest keeps together.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import folders, schema
from advisor.model import condition
from advisor.model.report import Verdict
from advisor.model.rules import Strength
from advisor.output import FORMATS, Style, renderer
from advisor.output.plan import fragment

from . import corpus

GIVEN = os.environ.get("KERNEL_ADVISOR_CORPUS")
CORPUS = sorted(Path(GIVEN).glob("*config*")) if GIVEN else []
pytestmark = pytest.mark.skipif(not GIVEN, reason="KERNEL_ADVISOR_CORPUS is not set")
PROFILES = sorted(path.stem for path in Path(folders.roots()[1]).glob("*.toml"))
FROZEN = Path(__file__).parent / "golden" / "corpus"
# The widest label of a report with its indent: a word that begins there cannot go further left.
MARGIN = 16


@pytest.fixture(scope="module")
def knowledge():
    return corpus.knowledge()


def read(path):
    """The subject of a configuration, under its name alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(path.parent)
        return read_subject(path.name, Given())


@pytest.fixture(scope="module", params=CORPUS, ids=lambda path: path.name)
def config(request):
    return request.param


@pytest.fixture(scope="module")
def subject(config):
    return read(config)


@pytest.fixture(scope="module")
def audited(subject, knowledge):
    """The reports of that configuration under a policy, by profile."""

    def of(policy):
        return {
            name: audit(subject, knowledge, [knowledge.profile(name)], policy) for name in PROFILES
        }

    return of


@pytest.fixture(scope="module")
def reports(audited):
    return audited(Policy())


def test_the_corpus_is_there():
    assert len(CORPUS) > 0, f"no file in {GIVEN} has config in its name"


def test_it_is_read_as_a_complete_configuration(subject):
    assert subject.config.complete
    assert subject.kernel is not None
    assert subject.machine.arch is not None
    assert subject.notes == ()


def opens(change):
    return change.old is not None and change.new not in ("n", change.old)


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


def test_the_changes_above_are_those_that_open_it(reports):
    """That a rule may be followed "after the changes above" is so if its conditions name one."""
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


def test_json_fits_its_schema(reports):
    problems = {}
    for name, report in reports.items():
        document = json.loads(renderer("json")([report], Style()))
        if found := list(schema.problems("report", document, "advisor.output")):
            problems[name] = found
    assert problems == {}


@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
def test_the_text_report_stays_within_80_columns(reports, verbose):
    wide = []
    for name, report in reports.items():
        for line in renderer("text")([report], Style(verbose=verbose)).splitlines():
            word = line.rsplit(" ", 1)[-1]
            if len(line) > 80 and len(line) - len(word) > MARGIN:
                wide.append(f"{name}: {line}")
    assert wide == []


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_plain_text(reports, format):
    wrong = {}
    for name, report in reports.items():
        text = renderer(format)([report], Style(verbose=True))
        odd = {c for c in set(text) if not c.isprintable() and c not in "\n\u200b"}
        if odd or not text.endswith("\n"):
            wrong[name] = odd
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


@pytest.mark.parametrize("weakest", Strength, ids=lambda strength: strength.value)
def test_a_fragment_is_one_that_merge_config_can_read(audited, weakest):
    for name, planned in audited(Policy(plan="fragment", weakest=weakest)).items():
        symbols = symbols_of(fragment.render([planned], Style()))
        assert sorted(set(symbols)) == sorted(symbols), name


def test_a_boot_line_is_one_line(audited):
    reports = audited(Policy(plan="cmdline", weakest=Strength.COULD))
    lines = {name: planned.plan.cmdline for name, planned in reports.items()}
    assert {name: line for name, line in lines.items() if not line.isprintable()} == {}
    assert lines == {name: " ".join(line.split()) for name, line in lines.items()}


def verdicts(config, report):
    """What a profile finds in a configuration, as a line."""
    told = [
        f"{finding.tunable.id} {finding.advice.strength.value}"
        + (" blocked" if finding.verdict is Verdict.BLOCKED else "")
        for finding in report.findings
        if finding.verdict in (Verdict.CHANGE, Verdict.BLOCKED)
    ]
    return f"{config.name.partition('.config')[0]}: {', '.join(sorted(told)) or 'nothing'}\n"


def frozen(profile):
    return (FROZEN / f"{profile}.txt").read_text().splitlines(keepends=True)


def test_verdicts_are_as_they_were_frozen(config, reports):
    """A rule that changes shows here what that means for real configurations; `make golden`."""
    begin = f"{config.name.partition('.config')[0]}: "
    found = {name: [verdicts(config, report)] for name, report in reports.items()}
    kept = {name: [ln for ln in frozen(name) if ln.startswith(begin)] for name in PROFILES}
    assert found == kept


def test_the_frozen_verdicts_are_of_these_configurations(knowledge):
    """Ahead of the others with UPDATE_GOLDEN, as it writes what they compare with."""
    if os.environ.get("UPDATE_GOLDEN"):
        FROZEN.mkdir(exist_ok=True)
        for name in PROFILES:
            profiles = [knowledge.profile(name)]
            lines = [
                verdicts(path, audit(read(path), knowledge, profiles, Policy())) for path in CORPUS
            ]
            (FROZEN / f"{name}.txt").write_text("".join(lines))
    for name in PROFILES:
        names = [line.partition(": ")[0] for line in frozen(name)]
        assert names == [path.name.partition(".config")[0] for path in CORPUS], name
