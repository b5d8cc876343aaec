"""Writes docs/evidence/architectures.md: what profiles say on each architecture.

    python tools/architectures.py FOLDER >docs/evidence/architectures.md

FOLDER holds configurations, anywhere below it: of each architecture the newest is taken, of several
of one version the first by name. Each is judged on a machine of which everything is told, so that
no advice waits for a fact. Advice speaks where it comes to anything but `not-applicable`. What
spoke once stands in architectures-before.txt, beside this program.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge
from advisor.inputs.config import read_config
from advisor.inputs.machine import machine_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model.condition import Expr, Facts, evaluate, operands, show
from advisor.model.finding import ASIDE, Finding
from advisor.model.kernel import Machine

ORDER = ("x86", "arm64", "arm", "riscv", "powerpc", "s390", "mips", "loongarch")
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
another. The reason is taken from the rules: what the setting's `only_if` needs and is not so here,
written as [conditions](../writing-rules.md#conditions) are, or what the advice says of where it
applies.

| setting | silent on | because |
|---|---|---|
"""


_BEFORE = """
## What fell silent

As many spoke on 23 November 2026, before the profiles were held against their authorities, in the
same configurations and on the same machine:

"""
_FELL = """
Each advice that spoke then and does not today:

| setting | of | silent on | because |
|---|---|---|---|
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
    profiles = map(knowledge.profile, sorted(knowledge.ids("profiles")))
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
    return finding.verdict not in ASIDE


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
        yield f"| `{tunable}` | {', '.join(arches)} | {_cell(why)} |"


Before = dict[tuple[str, str], list[str]]
"""Of each advice, by profile and name, the architectures that it spoke on."""


def before() -> Before:
    """What spoke once."""
    spoke: Before = {}
    for line in Path(__file__).with_name("architectures-before.txt").read_text().splitlines():
        if not line.startswith("#"):
            profile, arches, names = line.split(": ")
            where = [] if arches == "-" else arches.split()
            spoke |= {(profile, name): where for name in names.split()}
    return spoke


def table_before(spoke: Before) -> Iterator[str]:
    """The lines of the counts of then, a profile each."""
    yield "| profile | advice | " + " | ".join(ORDER) + " |"
    yield "|---|---:|" + "---:|" * len(ORDER)
    for profile in dict.fromkeys(profile for profile, _ in spoke):
        lists = [arches for (one, _), arches in spoke.items() if one == profile]
        counts = (str(sum(arch in arches for arches in lists)) for arch in ORDER)
        yield f"| {profile} | {len(lists)} | " + " | ".join(counts) + " |"


def fell_silent(columns: Sequence[Column], spoke: Before, knowledge: Knowledge) -> Iterator[str]:
    """A line for each setting and reason: which profiles' advice spoke there once."""
    where: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for (profile, name), arches in spoke.items():
        advice = next((a for a in knowledge.profile(profile).advice if a.id == name), None)
        for one in columns:
            found = (f for f in one.findings[profile] if f.id == f"{profile}/{name}")
            finding = next(found, None)
            if one.arch not in arches or (finding and speaks(finding)):
                continue
            why = "the profile asks it no more"
            if finding:
                why = reason(finding, one.world)
            elif advice:
                why = f"neutral today: {' '.join(advice.why.split())}"
            where[name, why].setdefault(profile, []).append(one.arch)
    for (name, why), lists in sorted(where.items()):
        for arches in dict.fromkeys(map(tuple, lists.values())):
            profiles = [profile for profile, here in lists.items() if tuple(here) == arches]
            cells = (f"`{name}`", _named(profiles, spoke), _named(arches, ORDER), _cell(why))
            yield f"| {' | '.join(cells)} |"


def _named(some: Sequence[str], every: Iterable[object]) -> str:
    names = {one[0] if isinstance(one, tuple) else one for one in every}
    return "all" if set(some) == names else ", ".join(some)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def reason(finding: Finding, world: World) -> str:
    """What is not so, of what the setting or the advice asks for."""
    exists = finding.tunable.only_if
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
    columns = [column(paths[arch], knowledge) for arch in ORDER if arch in paths]
    sys.stdout.write(_HEAD + "\n".join(table(columns)) + "\n")
    sys.stdout.write(_SILENT + "\n".join(silent(columns)) + "\n")
    spoke = before()
    sys.stdout.write(_BEFORE + "\n".join(table_before(spoke)) + "\n")
    sys.stdout.write(_FELL + "\n".join(fell_silent(columns, spoke, knowledge)) + "\n")


if __name__ == "__main__":
    main()
