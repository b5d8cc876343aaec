"""A machine at a glance: what it is, which profiles fit it, and how much they would change."""

from __future__ import annotations

from advisor.model.evidence import Recommendation, Signs
from advisor.model.kernel import KernelVersion, Machine
from advisor.model.report import Report
from advisor.model.summary import Effort, Row
from advisor.record import NamedTuple


class Screen(NamedTuple):
    """One host. Of its profiles, those in `together` are what an audit judges it by; `errors` and
    `warnings` count the diagnostics; `notes` say what is special about what was read, and what
    could not be. Where no kernel can be seen, `kernel` is None and there is nothing but notes;
    else `report` is the audit that all of it is from."""

    name: str
    release: str
    kernel: KernelVersion | None
    machine: Machine
    signs: Signs
    fits: tuple[Recommendation, ...] = ()
    together: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    efforts: tuple[Effort, ...] = ()
    errors: int = 0
    warnings: int = 0
    notes: tuple[str, ...] = ()
    report: Report | None = None
