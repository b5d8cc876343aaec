"""Sets the profile `hardening` beside kernel-hardening-checker, on the same configurations.

    python tools/hardened.py CHECKER CONFIG...

CHECKER is a checkout of kernel-hardening-checker; its Python runs here. The page goes to standard
output. A difference without a reason in this file ends in exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from advisor.inputs.config import read_config
from advisor.knowledge import index
from advisor.knowledge.authorities import Held, hold

PROFILE = "hardening"
_CHECKER = "import kernel_hardening_checker as checker; checker.main()"
_ABSENT = "this kernel, architecture or compiler has no such option"
# Why both differ, by the symbol, by the symbol and what the profile says, or by the advice.
_REASONS = """
ARCH_MMAP_RND_BITS not applicable: the profile asks x86 and arm64 kernels with pages of 4 KB
BINFMT_MISC: as a module it is off until root mounts the file system
CFI_CLANG: only Clang builds it
CPU_MITIGATIONS: this architecture has no mitigations=
CRYPTO_USER_API: it has no prompt: the profile judges the options that select it
DEBUG_FS: with DEBUG_FS_ALLOW_NONE nobody can mount it
DEBUG_NOTIFIERS: the checker accepts CFI_CLANG in its place; the profile asks for both
DEFAULT_MMAP_MIN_ADDR: on Arm 32768 is the most with COMPAT; the checker first wants COMPAT off
DEVMEM: with IO_STRICT_DEVMEM the file gives no memory of a device that a driver uses
HARDENED_USERCOPY: built, but off by HARDENED_USERCOPY_DEFAULT_ON=n
INIT_ON_FREE_DEFAULT_ON: PAGE_POISONING_ZERO zeroes nothing unless the boot line has page_poison=1
INTEL_IOMMU: built, but off unless the boot line or the firmware turns it on
IOMMU_DEFAULT_DMA_LAZY no: passthrough protects less than lazy flushing
IOMMU_DEFAULT_PASSTHROUGH no: the profile asks for strict flushing, not for any translation
KEXEC: KEXEC_HANDOVER, or an initramfs within the kernel, needs it
KEXEC_FILE: KEXEC_HANDOVER, or an initramfs within the kernel, needs it
KFENCE: built, but off: its sample interval is 0
KFENCE_SAMPLE_INTERVAL: the profile accepts any interval above 0
KSM: built, but it merges nothing until somebody writes 1 to /sys/kernel/mm/ksm/run
MODULE_SIG: the kernel checks signatures, but loads modules without one
SCHED_STACK_END_CHECK: the checker accepts VMAP_STACK in its place; the profile asks for both
SECURITY_YAMA not known: the profile judges kernel.yama.ptrace_scope, which no configuration tells
SECURITY_YAMA not applicable: the profile judges kernel.yama.ptrace_scope, which this kernel lacks
STRICT_DEVMEM: without IO_STRICT_DEVMEM the file gives the memory of devices in use
UBSAN_TRAP: the checker first wants the other modes of UBSAN off
iommu-default-domain: without the driver of an IOMMU the default has no effect
lockdown: built, but off unless the boot line asks for it
lsm: the profile asks for one module of mandatory access control in force, whatever else is listed
"""
REASONS = dict(line.split(": ", 1) for line in _REASONS.strip().splitlines())


class Row(NamedTuple):
    """One check of one configuration: what it asks for, what both say, and the judging advice."""

    symbol: str
    asked: str
    theirs: bool
    ours: str
    advice: str
    has_line: bool


def main() -> int:
    """Prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checker", type=Path)
    parser.add_argument("configs", nargs="+")
    given = parser.parse_args()
    rows = [row for path in given.configs for row in _rows(given.checker, path)]
    sys.stdout.write(page(rows, len(given.configs), _commit(given.checker)))
    return int(any(_why(row) == "" for row in rows if _differs(row)))


def _commit(checker: Path) -> str:
    command = ["git", "-C", str(checker), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _rows(checker: Path, path: str) -> Iterator[Row]:
    """All checks of symbols of one configuration."""
    text = read_config(path).text
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "config")
        plain.write_text(text)
        theirs = _run(["-c", _CHECKER, "-c", str(plain), "-m", "json"], checker)
        audit = ["-m", "advisor", "audit", str(plain), "-p", PROFILE, "--format", "json"]
        (report,) = _run(audit, Path.cwd())["reports"]
    # An advice may stand once for each architecture: the one that applies here counts.
    others_first = sorted(report["findings"], key=lambda one: one["verdict"] != "not-applicable")
    findings = {finding["tunable"]["id"]: finding for finding in others_first}
    for check in theirs:
        if check["type"] == "kconfig":
            symbol = check["option_name"].removeprefix("CONFIG_")
            asked = "n" if check["desired_val"] == "is not set" else check["desired_val"]
            held = _held(f"config {symbol}={asked}")
            finding = findings.get(held.advice.options[0].tunable) if held.advice else None
            ours = _says(symbol, asked, finding) if finding else held.says
            has_line = re.search(rf"\bCONFIG_{symbol}\b", text) is not None
            advice = held.advice.id if finding and held.advice else ""
            yield Row(symbol, asked, check["check_result_bool"], ours, advice, has_line)


def _run(words: list[str], folder: Path) -> Any:
    command = [sys.executable, *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )  # fmt: skip
    return json.loads(done.stdout)


@cache
def _held(ask: str) -> Held:
    knowledge = index.load()
    return hold(ask, knowledge.profile(PROFILE), knowledge)


def _says(symbol: str, asked: str, finding: dict[str, Any]) -> str:
    """Whether the kernel is as asked (`yes`, `no`), or why that is not judged: of a group by the
    member."""
    on, off = ({one["symbol"] for one in finding["state"][side]} for side in ("on", "off"))
    if on | off:
        here, there = (off, on) if asked == "n" else (on, off)
        return "yes" if symbol in here else "no" if symbol in there else "not applicable"
    verdict = finding["verdict"]
    return {"ok": "yes", "change": "no", "blocked": "no", "not-applicable": "not applicable"}.get(
        verdict, "not known"
    )


def _differs(row: Row) -> bool:
    return bool(row.advice) and row.ours != ("yes" if row.theirs else "no")


def _why(row: Row) -> str:
    """The reason of a difference; empty if this file has none."""
    if not row.has_line:
        return _ABSENT
    keys = (f"{row.symbol} {row.ours}", row.symbol, row.advice)
    return next((REASONS[key] for key in keys if key in REASONS), "")


_PAGE = """\
# Hardening, beside kernel-hardening-checker

kernel-hardening-checker (commit {commit}) and the profile `hardening` judged {configs}
configurations of distributions and devices. This page has the checker's checks of symbols; a
program makes it (`make hardened`).
[Authorities](authorities.md#hardening) gives for each check what the profile says to it, and why.

| checks in all configurations | number |
|---|---|
| same result | {same} |
| other result: {absent_why} | {absent} |
| other result, for a reason of the next table | {named} |
| left out by the profile | {left} |
| about symbols that no kernel of today asks for, or that others select | {void} |

The checker compares the text of each line, and an option without a line fails. The profile judges
the state that the lines lead to. The checker and the profile differ in these checks:

| check | checker | profile | configurations | because |
|---|---|---|---|---|
{rows}
"""


def page(rows: list[Row], configs: int, commit: str) -> str:
    """The page: the sums, then each check of which both differ."""
    judged = [row for row in rows if row.advice]
    differing = [row for row in judged if _differs(row)]
    named = [row for row in differing if _why(row) != _ABSENT]
    says = Counter(row.ours for row in rows if not row.advice)
    kinds = Counter((row.symbol, row.asked, row.theirs, row.ours, _why(row)) for row in named)
    lines = (
        f"| `{symbol}={asked}` | {'OK' if theirs else 'FAIL'} | {ours} | {number} | {why} |"
        for (symbol, asked, theirs, ours, why), number in sorted(kinds.items())
    )
    return _PAGE.format(
        commit=commit,
        configs=configs,
        same=len(judged) - len(differing),
        absent_why=_ABSENT,
        absent=len(differing) - len(named),
        named=len(named),
        left=says["left"] + says["open"],
        void=says["void"] + says["follows"],
        rows="\n".join(lines),
    )


if __name__ == "__main__":
    sys.exit(main())
