"""A boot line as a file for /usr/lib/bootc/kargs.d of a bootable container image.

The keys are kargs and match-architectures, by Rust's names, and no other is allowed; the words
are appended to the line of the machine (crates/lib/src/bootc_kargs.rs of bootc).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import anything, files, opening, refuse, refuse_init, with_dropped
from advisor.output.plan.comments import boot_words, comment_lines

# Of other architectures the file says nothing, and bootc then takes it for all.
_MACHINES = {"x86": "x86_64", "arm64": "aarch64"}


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the file for each report."""
    return files(reports, _file)


def remarks(plan: Plan) -> list[str]:
    """Return what a reader has to know beside the words."""
    left = (
        "This file cannot remove parameters. Remove these from the image's other files, or on the "
        "machine with rpm-ostree kargs --delete"
    )
    place = "Copy it into the image as /usr/lib/bootc/kargs.d/50-kernel-advisor.toml."
    return [place, *with_dropped(left, plan)]


def _file(report: Report) -> Iterable[str]:
    plan = report.plan
    refuse("bootc", plan.words, anything)
    refuse_init("bootc", plan)
    yield from opening("Kernel arguments", report, remarks(plan))
    yield from boot_words(report)
    if not plan.words:
        yield from comment_lines("Nothing to add.")
    # JSON's strings are strings of TOML, but for a delete sign, which is refused above.
    items = "".join(f"\n    {json.dumps(word, ensure_ascii=False)}," for word in plan.words)
    yield f"kargs = [{items}\n]" if items else "kargs = []"
    if machine := _MACHINES.get(report.machine.arch or ""):
        yield f'match-architectures = ["{machine}"]'
