"""Sets what `can` says beside what a program's own script says of the same configurations.

    python tools/checkscripts.py docker SCRIPT CONFIG...
    python tools/checkscripts.py lxc usr/bin/lxc-checkconfig CONFIG...

SCRIPT is moby's check-config.sh or lxc-checkconfig, as Debian's packages docker.io and lxc have it
(apt-get download, dpkg-deb -x; nothing is installed). A row is a symbol of which both differ, and
of how many configurations: docs/evidence/programs.md says who is right, and why.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from advisor.engine.effective.world import World
from advisor.engine.requirements import ability
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import index
from advisor.knowledge.store import Knowledge
from advisor.lint.requirements import names_needed
from advisor.model.kernel import Machine
from advisor.model.software import Ability, Answer

# `printf "Utsname namespace: " && is_enabled CONFIG_UTS_NS`
_LABEL = re.compile(r'printf "([^"]+): " && is_enabled (?:CONFIG_)?(\w+)')
_TOLD = re.compile(r"^[-\s]*(.+?): (enabled|missing|required)", re.MULTILINE)
Rows = dict[tuple[str, str, str], list[str]]
"""The configurations of which the script and `can` say so, by symbol and what each says."""


def main() -> None:
    """Prints the rows of all configurations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("script", type=Path)
    parser.add_argument("configs", nargs="+")
    given = parser.parse_args()
    knowledge = index.load(())
    rows: Rows = defaultdict(list)
    for path in given.configs:
        config = read_config(path)
        world = World(subject_of(config, Given(Machine())), knowledge)
        release = world.subject.kernel.text if world.subject.kernel else "6.12.0"
        says = told(given.script, config.text, release)
        program = knowledge.program(given.program)
        if program is None:
            parser.error(f"no program {given.program}")
        found = ability(program, world)
        rows["(all)", "", found.answer.value].append(path)
        for symbol, answer in says.items():
            for ours in differences(symbol, answer == "enabled", found, knowledge):
                rows[symbol, answer, ours].append(path)
    for (symbol, says_, ours), where in sorted(rows.items(), key=lambda row: row[0]):
        names = ", ".join(Path(one).name.partition(".config")[0] for one in where[:4])
        print(f"{symbol}\t{says_}\t{ours}\t{len(where)}\t{names}")


def told(script: Path, lines: str, release: str) -> dict[str, str]:
    """Returns what the script says of each symbol, if this is the kernel that runs."""
    labels = {f"CONFIG_{name}": name for name in re.findall(r"CONFIG_(\w+)", lines)}
    labels |= dict(_LABEL.findall(script.read_text()))
    with tempfile.TemporaryDirectory() as folder:
        config, uname = Path(folder, "config"), Path(folder, "uname")
        config.write_text(lines)
        uname.write_text(f"#!/bin/sh\necho {release}\n")
        uname.chmod(0o755)
        path = f"{folder}:{os.environ['PATH']}"
        environment = {"PATH": path, "CONFIG": str(config), "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        run = subprocess.run(
            ["sh", script, config], env=environment, capture_output=True, text=True, check=False
        )
    found = _TOLD.findall(run.stdout)
    return {
        labels.get(label, label.removeprefix("CONFIG_")): answer
        for label, answer in found
        if label in labels or label.startswith("CONFIG_")
    }


def differences(symbol: str, is_there: bool, found: Ability, knowledge: Knowledge) -> Iterator[str]:
    """Yields what `can` says otherwise of a symbol that the script finds or misses."""
    rests = [j for j in found.functions if symbol in names_needed(j.function, knowledge)]
    lacking = [one for one in rests if one.answer is Answer.NO]
    if is_there or lacking:
        return
    kinds = {name: one.kind for one in found.program.unasked for name in one.names}
    if symbol in kinds:
        yield f"not asked: {kinds[symbol]}"
    elif rests:
        yield ", ".join(f"{one.function.id}: {one.answer.value}" for one in rests)
    else:
        yield "not known"


if __name__ == "__main__":
    main()
