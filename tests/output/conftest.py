"""Reports made within the test's process, of real configurations and of hostile text."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Waiver
from advisor.model.kernel import Location

from .. import corpus

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
BAD = "x86_64-6.12-bad-ideas.config.xz"


@pytest.fixture(scope="session")
def knowledge():
    return corpus.knowledge()


@pytest.fixture(scope="session")
def unpacked():
    """The text of a configuration, packed or not."""

    def read(path):
        data = Path(path).read_bytes()
        return (lzma.decompress(data) if path.suffix == ".xz" else data).decode()

    return read


@pytest.fixture(scope="session")
def make_report(knowledge, unpacked):
    """Audits a text under a name; `line` is a boot line, from a file if `line_name` says so."""
    bad = unpacked(EXAMPLES / BAD)

    def make(*profiles, text=bad, name=BAD, line=None, line_name="--cmdline", fail_on=None):
        given = Given(cmdline=None if line is None else parse_cmdline(line, line_name))
        policy = Policy() if fail_on is None else Policy(frozenset(fail_on))
        wanted = [knowledge.profile(profile) for profile in profiles]
        return audit(subject_of(parse_config(text, name), given), knowledge, wanted, policy)

    return make


@pytest.fixture(scope="session")
def real_configs():
    """Those of examples/, and of KERNEL_ADVISOR_CORPUS where that is given."""
    folder = os.environ.get("KERNEL_ADVISOR_CORPUS")
    found = sorted(EXAMPLES.glob("*config*"))
    return found + (sorted(Path(folder).glob("*config*")) if folder else [])


@pytest.fixture(scope="session")
def waive():
    """The report with one finding and one diagnostic, or all of them, accepted."""
    waiver = Waiver(
        "any", "It is {meant} so.\n", Location("kernel-advisor.toml", 3), owner="@someone",
        expires="2030-01-31",
    )  # fmt: skip

    def accept(report, *rules):
        def accepted(item):
            return item._replace(waived=waiver) if not rules or item.id in rules else item

        return report._replace(
            findings=tuple(map(accepted, report.findings)),
            diagnostics=tuple(map(accepted, report.diagnostics)),
        )

    return accept
