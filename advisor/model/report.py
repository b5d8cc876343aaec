"""The report: everything that an output may show of one subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.model.finding import Conflict, Diagnostic, Finding
from advisor.model.kernel import NOTHING_INFERRED, Inferred, KernelVersion, Machine
from advisor.model.plan import Kept, Plan
from advisor.model.profile import Profile
from advisor.model.state import State
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.model.evidence import Recommendation
    from advisor.model.lines import ChangedLine
    from advisor.model.measured import Ledger, Measured
    from advisor.model.subject import InUse
    from advisor.model.tree import TreeUse


class Practice(NamedTuple):
    """What distributions do about a tunable: in words, and of how many of their configurations how
    many have which value (none where too few were read)."""

    text: str
    total: int = 0
    counts: tuple[tuple[str, int], ...] = ()


class Hardened(NamedTuple):
    """What a subject has of the `total` recommended settings that distributions do not set, where
    that is so much that it is hardened as a whole."""

    settings: tuple[str, ...]
    total: int


class Size(NamedTuple):
    """A size that only the site knows: what it is, and what each profile has it computed from."""

    tunable: Tunable
    state: State
    computed: tuple[tuple[str, str], ...]


class Report(NamedTuple):
    """Everything an output may show of one subject; `cmdline` is None where none was given, and
    `sysctl` says whether run-time settings were.

    `failed` says whether something of a grade in `fail_on` is open, or profiles are in conflict.
    `lines` are those of a fragment on its base, with what becomes of each. Where nobody named the
    profiles, they are of the `recommended` ones those that go together.
    `proof` is `database` without a `tree`, else `model` or `kbuild`. `practice` tells by tunable
    what distributions do, where that was asked for. `path` is the name of the configuration within
    its repository, by which waivers, baselines and fingerprints know it; `inferred` and `merged`
    are as in Subject. `hardened` is set where the subject is hardened as a whole.
    `measured` are the lab's records of the changes that findings ask for, and `kept` the files that
    make their settings of run time last, by the findings' ids; `ledger` is there where it was asked
    for. `sizes` are what the profiles leave to the site.
    `in_use` is what a host that runs has in use, `built_in` the line in the configuration that the
    kernel reads beside the boot loader's, or instead of it. `release` is what uname -r tells of the
    kernel that runs, where one was told.
    """

    name: str
    kernel: KernelVersion | None
    machine: Machine
    complete: bool
    cmdline: str | None
    profiles: tuple[Profile, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
    conflicts: tuple[Conflict, ...]
    plan: Plan
    failed: bool = False
    proof: str = "database"
    tree: TreeUse | None = None
    practice: Mapping[str, Practice] = {}
    fail_on: frozenset[str] = frozenset()
    sysctl: bool = False
    path: str = ""
    inferred: Inferred = NOTHING_INFERRED
    merged: tuple[str, ...] = ()
    hardened: Hardened | None = None
    lines: tuple[ChangedLine, ...] = ()
    recommended: tuple[Recommendation, ...] = ()
    measured: Mapping[str, tuple[Measured, ...]] = {}
    kept: Mapping[str, tuple[Kept, ...]] = {}
    ledger: Ledger | None = None
    sizes: tuple[Size, ...] = ()
    in_use: tuple[InUse, ...] = ()
    built_in: str = ""
    release: str = ""
