"""SARIF: valid, the same bytes for the same input, and each region the line that is meant."""

from __future__ import annotations

import itertools
import json
import os
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import cmarkgfm
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.finding import CONFLICT
from advisor.model.kernel import Location
from advisor.model.tree import TreeUse
from advisor.output import Style, renderer, sarif
from advisor.repository import RepositoryPaths

ROOT = Path(__file__).parent.parent.parent
BAD = "examples/x86_64-6.12-bad-ideas.config.xz"
OLD = "@examples/old-guide.cmdline"
SCHEMA = Path(__file__).parent / "sarif.schema.json"
OFFICIAL = os.environ.get("KERNEL_ADVISOR_SARIF_SCHEMA")
PROFILES = ("server-throughput", "diagnosis", "realtime", "desktop-latency", "power-saving")
PLAIN = Style()
LINE = "quiet preempt=full nohz=off fastboot elevator=noop isolcpus=3-1 nohz_full=1-3 idle=poll"
HOSTILE = "{0} [x](https://evil.example) <img src=x> \x1b[31m \ud800 zzz=\u202e"


def document(*reports, style=PLAIN):
    return json.loads(sarif.render(reports, style))


def results(found):
    (run,) = found["runs"]
    return run["results"]


def locations(result):
    return [*result["locations"], *result.get("relatedLocations", [])]


@pytest.fixture(scope="module")
def validators():
    """The schema of what is written, and the standard's own where KERNEL_ADVISOR_SARIF_SCHEMA
    names it: no package has it that can be installed beside ours."""
    found = [jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))]
    if OFFICIAL:
        schema = json.loads(Path(OFFICIAL).read_text())
        checker = jsonschema.Draft4Validator.FORMAT_CHECKER
        found.append(jsonschema.Draft4Validator(schema, format_checker=checker))
    return found


@pytest.fixture(scope="module")
def problems(validators):
    def of(found):
        return [error.message for each in validators for error in each.iter_errors(found)]

    return of


@pytest.fixture(scope="module")
def many(make_report, waive):
    """Two reports: a boot line from a file, a conflict and a waiver; and a broken fragment."""
    line = "quiet preempt=full fastboot elevator=noop nohz=off 'odd"
    first = make_report("server-throughput", "power-saving", line=line, line_name="boot/line")
    text = "CONFIG_HZ_1000=y\nCONFIG_HZ_1000=n\nnonsense\nCONFIG_NOBODY=y\n" + "bad\n" * 60
    second = make_report("desktop-latency", text=text, name="fragment", line=HOSTILE)
    return waive(first, "server-throughput/tick-mode", "parameter-unknown"), second


def test_it_is_valid(many, problems):
    found = document(*many)
    assert problems(found) == []
    assert len(results(found)) > 40
    assert problems(document()) == []


@pytest.mark.skipif(not OFFICIAL, reason="KERNEL_ADVISOR_SARIF_SCHEMA is not set")
def test_the_official_schema_is_the_official_schema(validators):
    """So that another file under the variable's name does not pass for it."""
    schema = validators[1].schema
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    assert len(schema["definitions"]) > 50


def test_a_schema_that_is_not_met_is_noticed(many, problems):
    found = document(*many)
    results(found)[0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert problems(found)


def test_the_command_writes_it(run_inside, problems):
    words = ["audit", BAD, "-p", "power-saving", "--cmdline", OLD, "-f", "sarif"]
    found = json.loads(run_inside(*words, cwd=ROOT).stdout)
    assert problems(found) == []
    uris = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in results(found)
        for place in locations(result)
    }
    assert uris == {BAD, OLD[1:]}


def test_the_same_input_gives_the_same_bytes_from_any_folder(run_inside, tmp_path):
    """Also by absolute paths; nothing tells where the repository lies."""
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/sub").mkdir()
    (tmp_path / "repo/a b%.config").write_bytes((ROOT / BAD).read_bytes())
    (tmp_path / "repo/line").write_text((ROOT / OLD[1:]).read_text())
    words = ["-p", "server-throughput", "-p", "diagnosis", "-f", "sarif", "--cmdline"]
    relative = run_inside("audit", "a b%.config", *words, "@line", cwd=tmp_path / "repo")
    config, line = tmp_path / "repo/a b%.config", tmp_path / "repo/line"
    absolute = run_inside("audit", config, *words, f"@{line}", cwd=tmp_path / "repo/sub")
    assert relative == absolute
    assert str(tmp_path) not in absolute.stdout
    assert '"uri": "a%20b%25.config"' in absolute.stdout


def test_rules_and_results_are_sorted_and_belong_together(many):
    found = document(*many)
    rules = [rule["id"] for rule in found["runs"][0]["tool"]["driver"]["rules"]]
    assert rules == sorted(set(rules))
    assert {r["ruleId"] for r in results(found)} == set(rules)
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in results(found))

    def place(result):
        where = result["locations"][0]["physicalLocation"]
        region = where["region"]
        uri = unquote(where["artifactLocation"]["uri"])
        return uri, region["startLine"], region.get("startColumn", 0), result["ruleId"]

    assert all(place(one) <= place(other) for one, other in pairwise(results(found)))


def test_fingerprints_are_unique_and_survive_moved_lines(make_report, unpacked):
    text = unpacked(ROOT / BAD)
    one = document(make_report("diagnosis", text=text))
    other = document(make_report("diagnosis", text=f"# a comment\n\n{text}"))
    keys = [
        sorted(r["partialFingerprints"]["kernelAdvisor/v1"] for r in results(found))
        for found in (one, other)
    ]
    assert keys[0] == keys[1]
    twice = results(document(*[make_report("diagnosis", text=text)] * 2))
    assert len({r["partialFingerprints"]["kernelAdvisor/v1"] for r in twice}) == len(twice)


# --- places ---------------------------------------------------------------------------------------


def assert_place_holds(place, texts):
    """Reads the line back that a place names, and looks for what it says stands there."""
    where = place["physicalLocation"]
    line = texts[unquote(where["artifactLocation"]["uri"])][where["region"]["startLine"] - 1]
    text = place["message"]["text"]
    if column := where["region"].get("startColumn"):
        assert line[column - 1 :].startswith(text), place
    else:
        assert text in line, place


def assert_places_hold_what_they_say(found, texts):
    """All of a document; a place that names nothing is the first line. Gives how many name one."""
    places = [place for result in results(found) for place in locations(result)]
    named = [place for place in places if "message" in place]
    for place in named:
        assert_place_holds(place, texts)
    unnamed = [place["physicalLocation"]["region"] for place in places if place not in named]
    assert all(region == {"startLine": 1} for region in unnamed)
    return len(named)


def test_every_region_is_the_line_that_is_meant(make_report, unpacked, real_configs):
    line = (ROOT / OLD[1:]).read_text().rstrip("\n")
    named = 0
    for path, profile in zip(real_configs, itertools.cycle(PROFILES), strict=False):
        text = unpacked(path)
        texts = {path.name: text.split("\n"), "boot": [line]}
        report = make_report(profile, text=text, name=path.name, line=line, line_name="boot")
        named += assert_places_hold_what_they_say(document(report), texts)
    assert named > 10 * len(real_configs)


def test_what_stands_for_many_lines_names_none(make_report):
    """A count of further lines, and that of all words of a boot line."""
    text = "CONFIG_A=y\n" + "bad\n" * 60
    line = " ".join(f"zz{number}=1" for number in range(40))
    report = make_report(text=text, name="fragment", line=line, line_name="boot")
    found = document(report)
    lines = {"fragment": text.split("\n"), "boot": [line]}
    unnamed = [r["ruleId"] for r in results(found) if "message" not in r["locations"][0]]
    assert sorted(unnamed) == ["line-overflows-init", "malformed-line", "parameter-unknown"]
    for result in results(found):
        for place in locations(result):
            if "message" in place:
                assert_place_holds(place, lines)


def test_every_finding_with_a_line_names_it(make_report):
    """The message says which line it is, and the region begins there."""
    found = results(document(make_report("server-throughput")))
    by_rule = {result["ruleId"]: result for result in found}
    tick = by_rule["server-throughput/tick-mode"]
    assert "by CONFIG_HZ_PERIODIC=y (line 102)" in tick["message"]["text"]
    assert tick["locations"][0]["physicalLocation"]["region"] == {"startLine": 102}
    assert tick["message"]["text"].endswith(
        "Remedy: rebuild with NO_HZ_IDLE=y instead of HZ_PERIODIC"
    )


def test_members_of_a_group_are_related_locations(make_report):
    found = results(document(make_report("server-throughput")))
    (group,) = [r for r in found if r["ruleId"] == "server-throughput/debug-overhead"]
    names = [place["message"]["text"] for place in locations(group)]
    assert names[:2] == ["CONFIG_PROVE_LOCKING=y", "CONFIG_DEBUG_WW_MUTEX_SLOWPATH=y"]
    assert len(names) == 8
    assert [place["id"] for place in group["relatedLocations"]] == list(range(1, 8))


@pytest.mark.parametrize("name", ["--cmdline", "boot/line"])
def test_a_word_of_the_boot_line_is_in_its_file_if_there_is_one(make_report, name):
    found = results(
        document(make_report("server-throughput", line="quiet preempt=full", line_name=name))
    )
    (model,) = [r for r in found if r["ruleId"] == "server-throughput/preemption-model"]
    (place,) = locations(model)
    uri = place["physicalLocation"]["artifactLocation"]["uri"]
    region = place["physicalLocation"]["region"]
    assert "preempt=full (boot line, column 7)" in model["message"]["text"]
    if name == "--cmdline":
        assert (uri, region, "message" in place) == (BAD.split("/")[1], {"startLine": 1}, False)
    else:
        assert (uri, region) == (name, {"startLine": 1, "startColumn": 7})


def test_a_built_in_word_is_in_the_configuration(make_report):
    found = results(document(make_report()))
    (word,) = [r for r in found if r["ruleId"] == "parameter-no-effect"]
    (place,) = locations(word)
    assert place["physicalLocation"]["region"] == {"startLine": 482}
    assert place["message"]["text"] == "elevator=deadline"


def test_no_format_tells_where_the_files_lie(make_report, knowledge, unpacked):
    """Whatever is found in configurations that are named by their absolute paths."""
    profiles = [*knowledge.ids("profiles")]
    for path, asked in ((BAD, profiles), ("examples/arm64-6.12.config.xz", profiles[::4])):
        name, text = f"/home/me/{Path(path).name}", unpacked(ROOT / path)
        for profile in asked:
            report = make_report(profile, text=text, name=name, line=LINE, line_name="/home/me/l")
            for format in ("sarif", "github", "gitlab", "junit"):
                assert "/home/me" not in renderer(format)([report], PLAIN), f"{format} {profile}"


def test_what_the_tree_completed_does_not_tell_where_the_tree_lies(make_report):
    report = make_report("server-throughput")
    finding = next(f for f in report.findings if f.id == "server-throughput/tick-mode")
    (origin,) = finding.state.origins
    for path in ("as /home/me/linux completes it", "/home/me/kernel.config:3"):
        moved = origin._replace(place=Location(path))
        state = finding.state._replace(origins=(moved,))
        blocked = finding._replace(state=state, reason=f"A=y ({path}) prevents it")
        tree = TreeUse("/home/me/linux", "6.12.0", "x86")
        found = document(
            report._replace(findings=(blocked,), name="/home/me/kernel.config", tree=tree)
        )
        assert "/home/me" not in json.dumps(found)
        (result,) = [r for r in results(found) if r["ruleId"] == finding.id]
        assert "by CONFIG_HZ_PERIODIC=y; wanted:" in result["message"]["text"]


# --- what is shown --------------------------------------------------------------------------------


def test_what_is_open_is_shown_and_nothing_else(make_report):
    report = make_report("diagnosis", "network-latency", line="quiet latencytop")
    shown = {r["ruleId"]: r for r in results(document(report))}
    open_ones = {
        f.id
        for f in report.findings
        if f.grade in ("must", "should", "could")
        or (f.grade == "blocked" and f.advice.strength.value != "could")
    }
    others = {d.id for d in report.diagnostics} | ({CONFLICT} if report.conflicts else set())
    assert set(shown) == open_ones | others
    grades = {f.id: f.grade for f in report.findings}
    assert all(shown[name]["properties"]["grade"] == grades[name] for name in open_ones)
    assert {"must", "should", "could", "blocked"} <= {grades[name] for name in open_ones}


def test_weak_advice_that_is_blocked_is_left_out(make_report, unpacked):
    text = unpacked(ROOT / "examples/x86_64-6.12.config.xz")
    report = make_report("desktop-latency", text=text)
    weak = {
        f.id for f in report.findings if (f.grade, f.advice.strength.value) == ("blocked", "could")
    }
    assert weak
    assert not weak & {r["ruleId"] for r in results(document(report))}


def test_a_conflict_is_shown_as_what_fails_the_run(make_report):
    report = make_report("server-throughput", "power-saving")
    found = [r for r in results(document(report)) if r["ruleId"] == CONFLICT]
    assert len(found) == len(report.conflicts) > 0
    assert {r["level"] for r in found} == {"error"}
    assert all("server-throughput wants" in r["message"]["text"] for r in found)


def test_what_is_waived_is_suppressed_with_its_reason(make_report, waive):
    report = waive(make_report("server-throughput"), "server-throughput/tick-mode")
    found = {r["ruleId"]: r["suppressions"] for r in results(document(report))}
    (suppression,) = found.pop("server-throughput/tick-mode")
    location = suppression.pop("location")["physicalLocation"]
    assert suppression == {
        "kind": "external",
        "status": "accepted",
        "justification": "It is {meant} so. (owner: @someone, until 2030-01-31)",
    }
    assert location["artifactLocation"]["uri"] == "kernel-advisor.toml"
    assert location["region"] == {"startLine": 3}
    assert set(map(str, found.values())) == {"[]"}


def test_a_rule_tells_why_and_where_it_can_be_checked(make_report):
    found = document(make_report("server-throughput", line="latencytop"))
    rules = {rule["id"]: rule for rule in found["runs"][0]["tool"]["driver"]["rules"]}
    must = rules["server-throughput/cpu-mitigations"]
    assert must["defaultConfiguration"] == {"level": "error"}
    assert must["helpUri"] in must["help"]["text"]
    html = cmarkgfm.github_flavored_markdown_to_html(must["help"]["markdown"])
    assert f'<a href="{must["helpUri"]}">' in html
    assert "<strong>Why:</strong>" in html
    assert "Why: " in must["help"]["text"]
    assert "Cost: " in must["help"]["text"]
    assert rules["parameter-unknown"]["name"] == "Parameter unknown"
    assert all("security-severity" not in rule["properties"] for rule in rules.values())


# --- hostile text ---------------------------------------------------------------------------------


def assert_inert(text):
    assert text.isprintable()
    assert "](" not in text
    assert "{" not in text.replace("{{", "")
    assert "}" not in text.replace("}}", "")


@given(text=st.text(min_size=1).filter(lambda text: "\n" not in text), name=st.text(min_size=1))
def test_no_text_of_an_input_is_a_link_or_a_placeholder(make_report, problems, text, name):
    report = make_report(text="CONFIG_A=y\n" * 3, name=name, line=f"{text} latencytop")
    found = document(report, style=Style(places=RepositoryPaths("/repo", "/repo")))
    assert problems(found) == []
    for result in results(found):
        assert_inert(result["message"]["text"])


def test_hostile_advice_stays_inert_in_markdown(make_report):
    report = make_report("server-throughput")
    finding = next(f for f in report.findings if f.grade == "must")
    advice = finding.advice._replace(why=HOSTILE, cost=HOSTILE, sources=())
    tunable = finding.tunable._replace(title=HOSTILE)
    hostile = finding._replace(advice=advice, tunable=tunable, alternatives=(tunable,))
    found = document(report._replace(findings=(hostile,), diagnostics=()))
    (rule,) = found["runs"][0]["tool"]["driver"]["rules"]
    html = cmarkgfm.github_flavored_markdown_to_html(rule["help"]["markdown"])
    assert "<img" not in html
    assert "<a " not in html
    assert "helpUri" not in rule
    for text in (rule["shortDescription"]["text"], rule["help"]["text"].replace("\n", "")):
        assert_inert(text)


@pytest.mark.parametrize("text", ["long " * 1000, "{" * 2000, "x" + "}" * 2000])
def test_long_text_is_cut_off(make_report, problems, text):
    report = make_report("server-throughput", line="z" * 3000 + "=1")
    finding = next(f for f in report.findings if f.grade == "must")
    long = finding._replace(advice=finding.advice._replace(why=text))
    found = document(report._replace(findings=(long,)))
    assert problems(found) == []
    told = found["runs"][0]["tool"]["driver"]["rules"][-1]["fullDescription"]["text"]
    assert told.endswith("...")
    assert_inert(told)
