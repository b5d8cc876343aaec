"""Holds the laws over everything: each configuration, profile and boot line.

    python -m tests.laws.hold          compares with exceptions.toml (make laws)
    python -m tests.laws.hold --keep   writes it

What fails has a key that is the same in all configurations (law, tunable or plan, how it fails), a
count, and a case in which it does, which is tried in every run of the tests.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import tomli

from advisor.inputs.runtime import parse_runtime
from advisor.model.cmdline import parse_cmdline
from advisor.model.subject import Subject

from .. import corpus
from .laws import Audited, Failure, causes, remedies

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXCEPTIONS = HERE / "exceptions.toml"
Key = tuple[str, str, str]


class Line(NamedTuple):
    """A boot line, what it is made for (no architecture: any), and what is written at run time."""

    name: str
    text: str
    arches: tuple[str, ...] = ()
    runtime: str = ""


class Case(NamedTuple):
    """One subject: a configuration, what is told of its machine, and a boot line (or none)."""

    config: str
    machine: str
    line: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class Found(NamedTuple):
    """A failure, and where."""

    case: Case
    failure: Failure


class Listed(NamedTuple):
    """What is known to fail: how often, a case, and the reason if it is to stay."""

    key: Key
    count: int
    case: Case
    reason: str = ""


@cache
def lines() -> dict[str, Line]:
    """The boot lines by name: real ones, and those with mistakes of the boot tests."""
    real = tomli.loads((HERE / "boot-lines.toml").read_text())["line"]
    wrong = tomli.loads((ROOT / "tests/boot/wrong_lines.toml").read_text())["line"]
    found = [
        *(
            Line(one["name"], _text(one), tuple(one.get("arches", ())), one.get("runtime", ""))
            for one in real
        ),
        *(Line(f"wrong-{number}", one["words"]) for number, one in enumerate(wrong, 1)),
    ]
    return {line.name: line for line in found}


def _text(line: dict[str, str]) -> str:
    return line["line"] if "line" in line else (ROOT / line["file"]).read_text().strip()


def cases(config: str) -> Iterator[Case]:
    """What is tried with a configuration: without a line on any machine, then with each line."""
    yield from (Case(config, machine) for machine in corpus.MACHINES)
    known = corpus.configuration(config)
    for line in lines().values() if known.complete else ():
        if not line.arches or known.arch in line.arches:
            yield Case(config, "told", line.name)


def subject_of(case: Case) -> Subject:
    """The subject of a case."""
    subject = corpus.subject(case.config, case.machine)
    if not case.line:
        return subject
    line = lines()[case.line]
    running = parse_runtime(line.runtime, "running")
    return subject._replace(
        cmdline=parse_cmdline(line.text), sysctl=running.sysctl, sysfs=running.sysfs
    )


def held(config: str) -> list[Found]:
    """Every failure of one configuration."""
    return [
        Found(case, failure) for case in cases(config) for failure in failures(case)
    ]  # fmt: skip


def failures(case: Case) -> Iterator[Failure]:
    """Every failure of one case; with a line, where the line makes a difference."""
    knowledge = corpus.knowledge()
    profiles = [knowledge.profile(name) for name in corpus.profiles()]
    plain = _plain(case.config) if case.line else None
    running = Audited(subject_of(case), knowledge)
    yield from causes(running.world, plain.world if plain else None)
    if case.machine == "told":
        yield from remedies(running, knowledge, profiles, plain)


@cache
def _plain(config: str) -> Audited:
    """What there is to find without a boot line."""
    return Audited(subject_of(Case(config, "told")), corpus.knowledge())


def counted(found: Iterable[Found]) -> dict[Key, Listed]:
    """The failures by key; each with its first case."""
    listed: dict[Key, Listed] = {}
    for case, failure in found:
        known = listed.get(failure.key, Listed(failure.key, 0, case))
        listed[failure.key] = known._replace(count=known.count + 1)
    return listed


def exceptions() -> dict[Key, Listed]:
    """What is known to fail."""
    if not EXCEPTIONS.exists():
        return {}
    listed = {}
    for one in tomli.loads(EXCEPTIONS.read_text()).get("exception", ()):
        key = one["law"], one["about"], one["kind"]
        listed[key] = Listed(key, one["count"], Case(*one["case"]), one.get("reason", ""))
    return listed


def differences(known: dict[Key, Listed], found: dict[Key, Listed]) -> Iterator[str]:
    """What fails otherwise than is known, a line each."""
    for key in sorted({*known, *found}):
        before = known[key].count if key in known else 0
        after = found[key].count if key in found else 0
        if before != after:
            word = "new" if not before else "gone" if not after else "count"
            case = found[key].case if key in found else known[key].case
            yield f"{word}: {' | '.join(key)}: {before} -> {after} (such as {case})"


def rendered(found: dict[Key, Listed]) -> str:
    """The text of exceptions.toml."""
    head = (
        "# Where the laws do not hold yet; `make laws KEEP=--keep` writes it, with each `reason`.\n"
        "# Counts are over all configurations, boot lines and profiles.\n"
    )
    return head + "".join(map(_table, (found[key] for key in sorted(found))))


def _table(one: Listed) -> str:
    fields = dict(zip(("law", "about", "kind"), map(_quoted, one.key), strict=True))
    fields["count"] = str(one.count)
    fields["case"] = f"[{', '.join(map(_quoted, filter(None, one.case)))}]"
    if one.reason:
        fields["reason"] = _quoted(one.reason)
    return "\n[[exception]]\n" + "".join(f"{key} = {value}\n" for key, value in fields.items())


def _quoted(text: str) -> str:
    return f'"{text}"'


def summary(found: dict[Key, Listed]) -> Iterator[str]:
    """How many fail, by law and kind."""
    sums: dict[tuple[str, str], list[int]] = {}
    for (law, about, kind), one in found.items():
        plan = "plan, " if about.endswith(" plan") else ""
        counts = sums.setdefault((law, plan + _class(kind)), [0, 0])
        counts[0] += 1
        counts[1] += one.count
    for (law, kind), (keys, count) in sorted(sums.items()):
        yield f"{law:9}{kind:42}{keys:5} keys{count:7} times"
    times = sum(one.count for one in found.values())
    yield f"{'in all':51}{len(found):5} keys{times:7} times"


def _class(kind: str) -> str:
    first, colon, _ = kind.partition(": ")
    return first.split(" ")[0] if first.startswith("opens") else first if colon else kind


def main() -> int:
    """Compares all with what is known, or keeps it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", action="store_true", help="write exceptions.toml")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    names = list(corpus.configurations())
    if not names:
        raise SystemExit("KERNEL_ADVISOR_CORPUS names no folder of configurations")
    with Pool(options.jobs) as pool:
        parts = []
        for number, part in enumerate(pool.imap(held, names), 1):
            parts.append(part)
            print(f"{number} of {len(names)}: {names[number - 1]}", file=sys.stderr)
    found = counted(one for part in parts for one in part)
    print("\n".join(summary(found)))
    if options.keep:
        reasons = {key: one.reason for key, one in exceptions().items()}
        kept = {k: one._replace(reason=reasons.get(k, "")) for k, one in found.items()}
        EXCEPTIONS.write_text(rendered(kept))
        return 0
    told = list(differences(exceptions(), found))
    print("\n".join(told) or "as it is known")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
