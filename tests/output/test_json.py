"""The JSON report: valid against the schema in the package, versioned, and stable."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from advisor.knowledge import schema
from tools import schemas

ROOT = Path(__file__).parent.parent.parent
X86 = "examples/x86_64-6.12.config.xz"
BAD = "examples/x86_64-6.12-bad-ideas.config.xz"
LINE = "quiet preempt=full nohz_full=1 fastboot elevator=noop 'odd"


WORDS = pytest.mark.parametrize(
    "words",
    [
        [X86, "-p", "server-throughput"],
        [BAD, "-p", "power-saving", "--cmdline", LINE, "--cpus", "4"],
        [X86, BAD, "-p", "server-throughput", "-p", "power-saving"],
        ["examples/bad-ideas.config", "-p", "desktop-latency"],
    ],
    ids=["plain", "boot line", "two subjects in conflict", "a fragment"],
)


@WORDS
def test_it_is_valid(words, run_inside):
    result = run_inside("audit", *words, "--format", "json", cwd=ROOT)
    assert list(schema.problems("report", json.loads(result.stdout), "advisor.output")) == []


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("advisor/*/schemas/*.json")), ids=lambda p: p.stem
)
def test_a_schema_is_one(path):
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


@pytest.mark.parametrize("name", schemas.DOCUMENTS)
def test_a_schema_of_an_output_is_as_its_encoder_has_it(name):
    """`make schemas` writes it again."""
    text = (schemas.FOLDER / f"{name}.schema.json").read_text()
    assert text == f"{schemas.text_of(schemas.schema_of(name))}\n"


@pytest.mark.parametrize("path", sorted(schemas.OF_RULES.iterdir()), ids=lambda path: path.stem)
def test_a_schema_of_rules_has_a_line_for_each_key_that_fits_one(path):
    assert path.read_text() == f"{schemas.text_of(json.loads(path.read_text()))}\n"


def test_each_detail_of_a_schema_is_of_a_field_that_is_there():
    """A field that goes takes what `make schemas` says of it along."""
    asked = set()
    for name in schemas.DOCUMENTS:
        schemas.schema_of(name, asked)
    assert [key for key in schemas.DETAILS if key not in asked] == []


def _open(part):
    """The schema for a reader that passes over the keys that it does not know."""
    if isinstance(part, dict):
        known = {k: v for k, v in part.items() if (k, v) != ("additionalProperties", False)}
        return {key: _open(one) for key, one in known.items()}
    return [_open(one) for one in part] if isinstance(part, list) else part


@WORDS
def test_a_reader_of_the_first_schema_reads_it(words, run_inside):
    """The schema that version 1 began with stays as it is in tests/output/report-v1.schema.json."""
    first = json.loads((Path(__file__).parent / "report-v1.schema.json").read_text())
    result = run_inside("audit", *words, "--format", "json", cwd=ROOT)
    document = json.loads(result.stdout)
    jsonschema.validate(document, _open(first), jsonschema.Draft202012Validator)
    for report in document["reports"]:
        verdicts = Counter(finding["verdict"] for finding in report["findings"])
        assert {k: n for k, n in report["summary"]["verdicts"].items() if n} == verdicts


def test_what_is_covered_names_the_finding_that_covers_it(run_inside):
    words = ["audit", X86, "-p", "power-saving", "--cmdline", "idle=poll", "-f", "json"]
    (report,) = json.loads(run_inside(*words, cwd=ROOT).stdout)["reports"]
    by_id = {finding["id"]: finding for finding in report["findings"]}
    covered = [finding for finding in by_id.values() if "covered_by" in finding]
    assert covered
    for finding in covered:
        assert finding["verdict"] == "not-applicable"
        assert not finding["remedies"]
        assert by_id[finding["covered_by"]]["verdict"] == "change"


def test_each_origin_points_at_its_line(run_inside):
    """Reads the named line back: it holds the symbol that the report says it holds."""
    import lzma

    result = run_inside("audit", BAD, "-p", "server-throughput", "-f", "json", cwd=ROOT)
    (report,) = json.loads(result.stdout)["reports"]
    lines = lzma.decompress((ROOT / BAD).read_bytes()).decode().split("\n")
    states = [finding["state"] for finding in report["findings"]]
    origins = [o for s in states for o in s["origins"] + s["on"] + s["off"]]
    compiled = [o for o in origins if o["layer"] == "compiled" and o["line"]]
    assert len(compiled) > 30
    # What is so by several together is told with the first one's line.
    texts = [
        (lines[origin["line"] - 1], origin["text"].partition(" and ")[0]) for origin in compiled
    ]
    assert all(line == text for line, text in texts)


def test_a_fingerprint_survives_moved_lines(run_inside, make_config):
    def fingerprints(*lines):
        path = make_config(*lines)
        result = run_inside("audit", path.name, "-p", "power-saving", "-f", "json", cwd=path.parent)
        return [f["fingerprint"] for f in json.loads(result.stdout)["reports"][0]["findings"]]

    assert fingerprints("CONFIG_HZ_PERIODIC=y") == fingerprints(
        "CONFIG_X=y", "CONFIG_HZ_PERIODIC=y"
    )
