"""Writes docs/architectures.md: how much of each profile speaks on each architecture, and why not.

    python tools/architectures.py FOLDER >docs/architectures.md   (make architectures FOLDER=…)

FOLDER holds configurations, anywhere below it: of each architecture the newest is taken, of several
of one version the first by name. Each is judged on a machine of which everything is told, so that
no advice waits for a fact. Advice speaks where it comes to anything but `not-applicable`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from advisor.engine.judge import judge
from advisor.engine.state import World
from advisor.inputs.config import read_config
from advisor.inputs.machine import machine_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import folders, index
from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr, Facts, evaluate, operands, show
from advisor.model.kernel import Machine
from advisor.model.report import Finding, Verdict

_ORDER = ("x86", "arm64", "arm", "riscv", "powerpc", "s390", "mips", "loongarch")
_VENDORS = {"x86": "intel", "arm64": "arm"}
_HEAD = """\
# Architectures

How many pieces of advice of each profile speak on an architecture: come to anything but
`not-applicable`. This page is made by a program (`make architectures`) from one configuration of
Debian for each, on a machine of which everything is told (16 processors, two NUMA nodes, 64 GB, no
guest, CPUs to isolate): what is silent here is so because this kernel, or the architecture, has no
such thing. Neutral advice is not counted.

"""
_SILENT = """
## What is silent, and why

Each setting that a profile weighs on one of these architectures and has nothing to say of on
another. The reason is taken from the rules: what the setting's `exists` needs and is not so here,
written as [conditions](writing-rules.md#conditions) are, or what the advice says of where it
applies.

| setting | silent on | because |
|---|---|---|
"""


class Column(NamedTuple):
    """An architecture, the configuration that stands for it, and what each profile comes to."""

    arch: str
    name: str
    version: str
    world: World
    findings: dict[str, list[Finding]]


def column(path: Path, knowledge: Knowledge) -> Column:
    """What the advice of all profiles comes to in a configuration."""
    config = read_config(str(path))
    subject = subject_of(config, Given(_machine(config.arch)))
    world = World(subject, knowledge)
    profiles = map(knowledge.profile, sorted(p.stem for p in Path(folders.roots()[1]).glob("*")))
    findings = {profile.id: judge(world, [profile]) for profile in profiles}
    name = path.name.removeprefix("config.").removesuffix(".xz")
    return Column(
        config.arch or "", name, subject.kernel.text if subject.kernel else "", world, findings
    )


def _machine(arch: str | None) -> Machine:
    facts = {"cpus": 16, "nodes": 2, "memory": "64G", "isolate": "2-15", "efi": "y"}
    vendor = _VENDORS.get(arch or "", "other")
    return machine_of({**facts, "vendor": vendor, "virtual": "no"})


def newest(folder: Path) -> dict[str, Path]:
    """Of each architecture the newest configuration below the folder."""
    best: dict[str, tuple[tuple[int, ...], str, Path]] = {}
    for path in sorted(folder.rglob("config*")):
        if not path.is_file():
            continue
        config = read_config(str(path))
        key = config.version.numbers if config.version else ()
        if config.arch and (config.arch not in best or key > best[config.arch][0]):
            best[config.arch] = (key, path.name, path)
    return {arch: path for arch, (_, _, path) in best.items()}


def table(columns: Sequence[Column]) -> Iterator[str]:
    """The lines of the counts, a profile each, and of the configurations."""
    yield "| profile | advice | " + " | ".join(c.arch for c in columns) + " |"
    yield "|---|---:|" + "---:|" * len(columns)
    for profile in columns[0].findings:
        total = len(columns[0].findings[profile])
        spoken = (str(sum(map(speaks, c.findings[profile]))) for c in columns)
        yield f"| {profile} | {total} | " + " | ".join(spoken) + " |"
    yield ""
    made = (f"- {c.arch}: {c.version}, `{c.name}`" for c in columns)
    yield "The configurations are those of Debian's packages `linux-config-*`:\n"
    yield from made


def speaks(finding: Finding) -> bool:
    """Whether it says anything of this kernel."""
    return finding.verdict is not Verdict.NOT_APPLICABLE


def silent(columns: Sequence[Column]) -> Iterator[str]:
    """A line for each setting and reason: where it is silent though another one is not."""
    every = (f for c in columns for found in c.findings.values() for f in found)
    spoken = {f.id for f in every if speaks(f)}
    quiet: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in columns:
        found = [f for each in one.findings.values() for f in each if f.id in spoken]
        # Of a setting that any advice speaks of here the architecture is not silent.
        heard = {f.tunable.id for f in found if speaks(f)}
        reasons: dict[str, str] = {}
        for finding in found:
            if finding.tunable.id not in heard:
                reasons.setdefault(finding.tunable.id, reason(finding, one.world))
        for tunable, why in reasons.items():
            quiet[tunable, why].append(one.arch)
    for (tunable, why), arches in sorted(quiet.items()):
        yield f"| `{tunable}` | {', '.join(arches)} | {why.replace('|', chr(92) + '|')} |"


def reason(finding: Finding, world: World) -> str:
    """What is not so, of what the setting or the advice asks for."""
    exists = finding.tunable.exists
    if exists is not None and evaluate(exists, world) is False:
        return f"needs `{show(failing(exists, world))}`"
    return finding.reason or "no value of it is to be had"


def failing(expr: Expr, facts: Facts) -> Expr:
    """Of a condition that is false, the parts that are."""
    if expr is not None and expr[0] in ("&", "|"):
        false = [e for e in operands(expr) if evaluate(e, facts) is False]
        parts = tuple(failing(e, facts) for e in (false[:1] if expr[0] == "&" else false))
        return parts[0] if len(parts) == 1 else (expr[0], *parts)
    return expr


def main() -> None:
    """Prints the page."""
    paths = newest(Path(sys.argv[1]))
    knowledge = index.load()
    columns = [column(paths[arch], knowledge) for arch in _ORDER if arch in paths]
    sys.stdout.write(_HEAD + "\n".join(table(columns)) + "\n")
    sys.stdout.write(_SILENT + "\n".join(silent(columns)) + "\n")


if __name__ == "__main__":
    main()
