"""A report in numbers: the same for a profile alone and beside others."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Verdict
from advisor.model.summary import Cell, Effort, Row, efforts, row
from advisor.output import Style, factwords, phrases, text

from .. import corpus

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def audited():
    """The report of an example of many mistakes, under profiles."""
    knowledge = corpus.knowledge()
    name = "examples/x86_64-6.12-bad-ideas.config.xz"
    given = Given(cmdline=parse_cmdline("quiet nohz=off"))
    configuration = parse_config(lzma.decompress((ROOT / name).read_bytes()).decode(), name)
    subject = subject_of(configuration, given)

    def run(*profiles):
        return audit(subject, knowledge, [knowledge.profile(p) for p in profiles], Policy())

    return run


def test_a_row_is_of_one_profile(audited):
    both = audited("desktop-latency", "power-saving")
    for name in ("desktop-latency", "power-saving"):
        wanted = {
            finding.tunable.id
            for finding in both.findings
            if finding.advice.profile == name and finding.verdict is Verdict.CHANGE
        }
        cells = row(both, name).cells
        assert sum(cell.due + cell.could for cell in cells) == len(wanted) > 0


def test_each_tunable_is_one_effort(audited):
    report = audited("desktop-latency", "power-saving")
    changed = {f.tunable.id for f in report.findings if f.verdict is Verdict.CHANGE}
    assert sum(one.due + one.could for one in efforts(report)) == len(changed)


def test_words():
    ways = (Effort("now", 3, 2), Effort("boot", 1, 0), Effort("rebuild", 4, 1))
    said = "3 now, 1 at the next boot, 4 by a rebuild; 3 more are optional"
    assert factwords.to_do((*ways, Effort("none", 0, 0))) == said
    assert factwords.to_do((Effort("now", 0, 2),)) == "nothing required; optional: 2 now"
    assert factwords.to_do((Effort("boot", 1, 1),)) == "1 at the next boot; 1 more is optional"
    assert factwords.to_do(()) == "nothing"
    assert factwords.to_do((), 34) == "nothing (34 not known)"
    optional = factwords.to_do((Effort("now", 0, 2),), 34)
    assert optional == "nothing required (34 not known); optional: 2 now"
    assert factwords.to_do((Effort("boot", 1, 1),), 34) == "1 at the next boot; 1 more is optional"
    unread = factwords.to_do((Effort("now", 1, 0), Effort("boot", 0, 1)), unread=1)
    assert unread == "1 now, 1 at run time (current value not known); 1 more is optional"
    cells = (Cell("boot", 0, 1, 3), Cell("mm", 2, 1, 0), Cell("net", 0, 0, 1))
    assert factwords.areas(Row("a", cells)) == "mm 3 (2 must), boot 1, 4 could"
    assert factwords.areas(Row("a", ())) == "nothing differs"


def test_one_profile_has_no_table_of_areas(audited):
    sections = {s.part for s in _sections(audited("desktop-latency"))}
    assert "areas" not in sections
    assert "areas" in {s.part for s in _sections(audited("desktop-latency", "power-saving"))}


def _sections(report):
    from advisor.output import auditpage

    return auditpage.page(report, "text").sections


def test_what_to_do_stands_out_where_colours_are_wanted(audited):
    report = audited("desktop-latency")
    painted = text.render([report], Style(colour=True))
    assert "\033[1m do " in painted
    assert "\033" not in text.render([report], Style())


@pytest.mark.parametrize("width", [40, 80, 100])
def test_in_brief_a_finding_is_its_whole_remedy(audited, width):
    report = audited("desktop-latency", "power-saving")
    document = text.render([report], Style(width=width, brief=True))
    lines = document.splitlines()
    told = [line for line in lines if line.startswith(("MUST", "SHOULD", "COULD"))]
    changes = [f for f in phrases.to_see(report) if f.verdict is Verdict.CHANGE]
    assert len(told) == len(phrases.to_see(report)) >= len(changes) > 0
    assert {line.split()[1] for line in told} <= {"now", "boot", "build", "--"}
    whole = " ".join(document.replace(" \\\n", "\n").split())  # as a shell joins a command
    for one in changes:
        layer, do = phrases.brief(one)
        assert f"{layer} {' '.join(do.split())} [{one.tunable.id}]" in whole
    short = [line for line in told if all(len(word) < width - 14 for word in line.split())]
    assert max(map(len, short)) <= width
    assert lines[-1] == text.render([report], Style()).splitlines()[-1]
    assert not any(line.lstrip().startswith(("why ", "now ")) for line in lines)


def test_what_scrolled_away_on_a_terminal_is_named_again_at_its_end(audited):
    """In a pipe, and where it all fits, nothing is said twice."""
    report = audited("desktop-latency", "power-saving")
    whole = text.render([report], Style()).splitlines()
    assert text.render([report], Style(height=len(whole) + 1)).splitlines() == whole
    lines = text.render([report], Style(height=24)).splitlines()
    start = lines.index("In short:")
    assert [*lines[: start - 1], lines[-1]] == whole
    short = lines[start + 1 : -1]
    assert 1 < len([line for line in short if not line.startswith(" ")]) <= 5
    assert short[0].startswith(("MUST", "ERROR"))
    assert all(len(line) <= 80 for line in short)
