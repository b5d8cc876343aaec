"""The whole way of one subject: what an audit costs, and what it leaves for later."""

from __future__ import annotations

from advisor.engine.audit import Policy, audit
from advisor.inputs import config
from advisor.inputs.config import parse_config, read_config
from advisor.inputs.subject import Given, read_subject, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Machine
from advisor.output.phrases import right, to_see

from .. import corpus


def test_no_line_is_looked_for_before_it_is_shown(make_config, monkeypatch):
    looked: list[str] = []
    number = config._Lines.number

    def counted(self, key, value):
        looked.append(key)
        return number(self, key, value)

    monkeypatch.setattr(config._Lines, "number", counted)
    path = str(make_config("CONFIG_HZ_250=y", "CONFIG_HZ=250"))
    knowledge = corpus.knowledge()
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


def test_a_size_that_only_the_site_knows_is_told_with_what_is_set():
    known = corpus.knowledge()
    config = parse_config("CONFIG_HUGETLBFS=y\nCONFIG_HUGETLB_PAGE=y\n", "c", complete=True)
    given = Given(Machine(arch="x86"), None, parse_cmdline("hugepages=512"))
    profiles = [known.profile("database"), known.profile("virtualization-host")]
    sizes = {
        s.tunable.id: s for s in audit(subject_of(config, given), known, profiles, Policy()).sizes
    }
    pages = sizes["hugetlb-pages"]
    assert pages.state.effective == ("512",)
    assert [profile for profile, _ in pages.computed] == ["database", "virtualization-host"]
    without = parse_config("# CONFIG_HUGETLBFS is not set\n", "c", complete=True)
    report = audit(subject_of(without, Given(Machine(arch="x86"))), known, profiles, Policy())
    assert "hugetlb-pages" not in [size.tunable.id for size in report.sizes]


def test_what_should_change_is_not_already_right_as_well():
    known = corpus.knowledge()
    text = "CONFIG_TRANSPARENT_HUGEPAGE=y\nCONFIG_TRANSPARENT_HUGEPAGE_ALWAYS=y\n"
    subject = subject_of(parse_config(text, "c", complete=True), Given(Machine(arch="x86")))
    report = audit(subject, known, [known.profile("database")], Policy())
    assert "transparent-hugepages" in [f.tunable.id for f in to_see(report)]
    assert "transparent-hugepages" not in [f.tunable.id for f in right(report)]
