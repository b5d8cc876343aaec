"""Sets what `can` says of kernels beside what programs did on them (programs.sh).

    python tests/guests/trials.py DEST

A row is a function that went otherwise than `can` says. Below the rows of a kernel stands what it
could do and could not, a program a line, as docs/evidence/programs.md has it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from advisor.engine.effective.world import World
from advisor.engine.requirements import UNSEEN, Modules, judged
from advisor.inputs.config import read_config
from advisor.inputs.machine import machine_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import parse_version
from advisor.model.software import Answer, missing


def main(dest: Path) -> None:
    """Prints how often both agree, and each row in which they do not."""
    knowledge = index.load(())
    for results in sorted((dest / "results").iterdir()):
        if results.suffix in (".console", ".told"):
            continue
        world, modules = kernel(dest / "root", results, knowledge)
        rows, alike = [], 0
        for went, name, told in trials(results):
            ours, why = said(name, world, modules, with_start=not went)
            if (ours is Answer.YES) is went:
                alike += 1
            else:
                rows.append(f"  {name}\t{ours.value} ({why})\t{'it works' if went else told}\n")
        print(f"{results.name}: {alike} alike, {len(rows)} otherwise\n{''.join(rows)}", end="")
        print("\n".join(table(results)))


def table(results: Path) -> Iterator[str]:
    """Yields a line of a table for each program: the functions that worked, and those that did
    not."""
    programs: dict[str, tuple[list[str], list[str]]] = {}
    for went, name, _ in trials(results):
        program, _, function = name.partition(":")
        programs.setdefault(program, ([], []))[not went].append(function)
    for program, (works, fails) in sorted(programs.items()):
        yield f"| {program} | {', '.join(works)} | {', '.join(fails)} |"


def kernel(root: Path, results: Path, knowledge: Knowledge) -> tuple[World, Modules]:
    """Reads the kernel that was booted, and which modules are installed for it."""
    release = results.name
    folder, config = root / "lib/modules" / release, root / f"boot/config-{release}"
    read = read_config(str(config if config.exists() else folder / "config"))
    line = results.read_text().partition("\n")[0].removeprefix("line ")
    facts = {"virtual": "guest", "hypervisor": "kvm"} if read.arch == "x86" else {}
    version = parse_version(release.partition("+")[0].partition("-fc")[0])
    subject = subject_of(read, Given(machine_of(facts), version, parse_cmdline(line)))
    if not (folder / "modules.dep").exists():
        return World(subject, knowledge), UNSEEN
    rows = (folder / "modules.dep").read_text().splitlines()
    names = (Path(row.partition(":")[0]).name.partition(".ko")[0] for row in rows)
    installed = frozenset(name.replace("-", "_") for name in names)
    return World(subject, knowledge), Modules(None, installed)


def trials(results: Path) -> Iterator[tuple[bool, str, str]]:
    """Yields whether each trial went well, its name and what it printed at last."""
    for row in results.read_text().splitlines():
        kind, _, rest = row.partition(" ")
        if kind in ("yes", "no"):
            name, _, told = rest.partition(": ")
            yield kind == "yes", name, told.strip()


def said(name: str, world: World, modules: Modules, *, with_start: bool) -> tuple[Answer, str]:
    """Returns what `can` says of a function, and why. A function may work where the program does
    not start; where it does not work, either may be the reason."""
    program, _, asked = name.partition(":")
    found = world.knowledge.program(program)
    functions = [one for one in found.functions if one.id == asked] if found else []
    if found is None or not functions:
        sys.exit(f"{name} is no function of a program")
    answers = [judged(functions[0], world, modules)]
    if with_start:
        answers += [judged(one, world, modules) for one in found.functions if one.is_start]
    lacks = [lack for one in answers for lack in one.lacks]
    inputs = sorted(name for one in answers for name in one.inputs)
    worst = next((one.answer for one in answers if one.answer is Answer.NO), answers[0].answer)
    return worst, missing(lacks) or ", ".join(inputs)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
