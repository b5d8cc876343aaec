"""What is said of a kernel of one architecture speaks of no other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from advisor.model.finding import Finding, Verdict
from advisor.output.phrases import remedy

from .. import corpus

# Words that no other architecture has a meaning for.
_WORDS = re.compile(
    r"\b(intel\w*|amd\w*|x86\w*|tsc|mwait|hpet|c-states?|c1e?|c6|msr|tsx|l1tf|mds|vt-d|ept|nopti"
    r"|i915|xeon|epyc|ryzen|processor\.max_cstate)\b",
    re.IGNORECASE,
)
# Where x86 is named beside the others on purpose, or by a fragment that has a line of x86.
_KNOWN = {"preempt-rt", "spare-features"}


def texts(finding: Finding) -> Iterator[str]:
    """What a report says about an open finding."""
    yield from (finding.advice.why, finding.cost, finding.reason, finding.wanted)
    yield from (remedy(one, finding.tunable) for one in finding.remedies)
    amiss = dict(finding.offending)
    yield from (member.note for member in finding.tunable.members if member.symbol in amiss)


# What these files are called tells that their first lines are of another architecture.
FOREIGN = re.compile(r"_aarch64|_riscv64|s390x|mips")


@pytest.mark.corpus
@pytest.mark.skipif(
    not corpus.configurations(), reason="KERNEL_ADVISOR_CORPUS is not set; see make corpus"
)
@pytest.mark.parametrize("configuration", corpus.configurations(), indirect=True, scope="session")
def test_no_finding_of_another_architecture_speaks_of_x86(configuration: str) -> None:
    arch = corpus.configuration(configuration).arch
    assert arch not in (None, "x86") or not FOREIGN.search(configuration)
    if arch in (None, "x86"):
        return
    foreign = set()
    for machine in corpus.MACHINES:
        for report in corpus.reports(configuration, machine).values():
            for finding in report.findings:
                if finding.verdict not in (Verdict.CHANGE, Verdict.BLOCKED):
                    continue
                hits = {word for text in texts(finding) for word in _WORDS.findall(text or "")}
                if hits and finding.tunable.id not in _KNOWN:
                    foreign.add((finding.id, arch, *sorted(hits)))
    assert not foreign
