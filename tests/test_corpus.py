"""Every profile on the configurations that distributions and phones really ship.

KERNEL_ADVISOR_CORPUS names a folder of them; there is none in the project.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import folders, index, schema
from advisor.model import condition
from advisor.model.report import Verdict
from advisor.model.rules import Strength
from advisor.output import FORMATS, Style, renderer
from advisor.output.plan import fragment

GIVEN = os.environ.get("KERNEL_ADVISOR_CORPUS")
CORPUS = sorted(Path(GIVEN).glob("*config*")) if GIVEN else []
pytestmark = pytest.mark.skipif(not GIVEN, reason="KERNEL_ADVISOR_CORPUS is not set")
PROFILES = sorted(path.stem for path in Path(folders.roots()[1]).glob("*.toml"))
# The widest label of a report with its indent: a word that begins there cannot go further left.
MARGIN = 16
every_config = pytest.mark.parametrize("config", CORPUS, ids=lambda path: path.name)
every_profile = pytest.mark.parametrize("profile", PROFILES)


@pytest.fixture(scope="module")
def knowledge():
    return index.load()


@pytest.fixture(scope="module")
def subject():
    """Each configuration, read once, under its name alone."""
    read = {}

    def of(path):
        if path not in read:
            with pytest.MonkeyPatch.context() as patched:
                patched.chdir(path.parent)
                read[path] = read_subject(path.name, Given())
        return read[path]

    return of


@pytest.fixture
def report(config, profile, knowledge, subject):
    return audit(subject(config), knowledge, [knowledge.profile(profile)], Policy())


def test_the_corpus_is_there():
    assert len(CORPUS) > 0, f"no file in {GIVEN} has config in its name"


@every_config
def test_it_is_read_as_a_complete_configuration(config, subject):
    found = subject(config)
    assert found.config.complete
    assert found.kernel is not None
    assert found.machine.arch is not None
    assert found.notes == ()


def opens(change):
    return change.old is not None and change.new not in ("n", change.old)


@every_config
@every_profile
def test_what_a_rebuild_needs_is_there_or_is_opened(report, config, subject, knowledge):
    """A symbol the configuration does not show appears only with another one that is turned on."""
    shown = subject(config).config
    for finding in report.findings:
        for remedy in finding.remedies:
            opened = any(map(opens, remedy.changes)) or remedy.beside
            for change in remedy.changes:
                assert change.old == shown.get(change.symbol), f"{finding.id}: {change.symbol}"
                assert opened or change.old is not None, f"{finding.id}: {change.symbol}"
                # What comes on by itself with another symbol is switched off by name.
                brings = knowledge.unnamed(change.symbol)
                brought = any(
                    other.symbol in brings and brings[other.symbol].value == "y"
                    for other in remedy.changes
                )
                set_by_name = change.old is not None or change.new != "n" or brought
                assert set_by_name, f"{finding.id}: {change.symbol}"


def test_the_changes_above_are_those_that_open_it(knowledge, subject):
    """That a rule may be followed "after the changes above" is so if its conditions name one."""
    wrong = []
    for path in CORPUS:
        for name in PROFILES:
            report = audit(subject(path), knowledge, [knowledge.profile(name)], Policy())
            remedies = [(f, remedy) for f in report.findings for remedy in f.remedies]
            above = {c.symbol for _, remedy in remedies for c in remedy.changes if opens(c)}
            for finding, remedy in remedies:
                absent = [change for change in remedy.changes if change.old is None]
                if absent and not any(map(opens, remedy.changes)):
                    tunable = finding.tunable
                    values = [part.requires for part in (*tunable.values, *tunable.members)]
                    named = {s for e in (tunable.requires, *values) for s in condition.symbols(e)}
                    wrong += [] if named & above else [f"{path.name}: {finding.id}: {remedy}"]
    assert wrong == []


@every_config
@every_profile
def test_every_line_that_is_named_is_the_line(report, config, subject):
    text = subject(config).config
    for finding in report.findings:
        states = [*finding.state.origins, *(by for _, by in finding.state.on + finding.state.off)]
        for origin in states:
            symbol = origin.text.removeprefix("# ").removeprefix("CONFIG_").partition("=")[0]
            symbol = symbol.removesuffix(" is not set")
            if origin.layer.value == "compiled" and text.get(symbol) is not None:
                assert text.entry(symbol).location == origin.location


@every_config
@every_profile
def test_json_fits_its_schema(report):
    document = json.loads(renderer("json")([report], Style()))
    assert list(schema.problems("report", document, "advisor.output")) == []


@every_config
@every_profile
@pytest.mark.parametrize("verbose", [False, True], ids=["short", "verbose"])
def test_the_text_report_stays_within_80_columns(report, verbose):
    for line in renderer("text")([report], Style(verbose=verbose)).splitlines():
        word = line.rsplit(" ", 1)[-1]
        assert len(line) <= 80 or len(line) - len(word) <= MARGIN, line


@every_config
@every_profile
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_plain_text(report, format):
    text = renderer(format)([report], Style(verbose=True))
    assert text.endswith("\n")
    assert [c for c in text if not c.isprintable() and c not in "\n\u200b"] == []


@every_config
@every_profile
@pytest.mark.parametrize("weakest", Strength, ids=lambda strength: strength.value)
def test_a_fragment_is_one_that_merge_config_can_read(config, profile, weakest, knowledge, subject):
    policy = Policy(plan="fragment", weakest=weakest)
    planned = audit(subject(config), knowledge, [knowledge.profile(profile)], policy)
    lines = fragment.render([planned], Style()).splitlines()
    settings = [line for line in lines if "CONFIG_" in line]
    symbols = []
    for line in settings:
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
    assert sorted(set(symbols)) == sorted(symbols)


@every_config
@every_profile
def test_a_boot_line_is_one_line(config, profile, knowledge, subject):
    policy = Policy(plan="cmdline", weakest=Strength.COULD)
    planned = audit(subject(config), knowledge, [knowledge.profile(profile)], policy)
    assert planned.plan.cmdline.isprintable()
    assert planned.plan.cmdline == " ".join(planned.plan.cmdline.split())


def verdicts(profile, knowledge, subject):
    """What a profile finds in each configuration, a line for each."""
    lines = []
    for path in CORPUS:
        found = audit(subject(path), knowledge, [knowledge.profile(profile)], Policy()).findings
        told = [
            f"{finding.tunable.id} {finding.advice.strength.value}"
            + (" blocked" if finding.verdict is Verdict.BLOCKED else "")
            for finding in found
            if finding.verdict in (Verdict.CHANGE, Verdict.BLOCKED)
        ]
        lines.append(
            f"{path.name.partition('.config')[0]}: {', '.join(sorted(told)) or 'nothing'}\n"
        )
    return "".join(lines)


@every_profile
def test_verdicts_are_as_they_were_frozen(profile, knowledge, subject):
    """A rule that changes shows here what that means for real configurations; `make golden`."""
    frozen = Path(__file__).parent / "golden" / "corpus" / f"{profile}.txt"
    found = verdicts(profile, knowledge, subject)
    if os.environ.get("UPDATE_GOLDEN"):
        frozen.parent.mkdir(exist_ok=True)
        frozen.write_text(found)
    assert found == frozen.read_text()
