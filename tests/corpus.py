"""The real configurations that tests are held over, none of which is in the project.

KERNEL_ADVISOR_CORPUS names a folder of those of distributions and phones. Those from the wild lie
beside it in `configs-wild`, or where KERNEL_ADVISOR_WILD says, and those that fresh readers judged
in `configs-unread`; `partial` in both has defconfigs and fragments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import pytest

from advisor.engine import audit
from advisor.engine.audit import Policy
from advisor.engine.effective.world import World
from advisor.inputs.config import KernelConfig, read_config
from advisor.inputs.machine import machine_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge import folders
from advisor.knowledge.index import load
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Machine
from advisor.model.report import Report
from advisor.model.subject import Subject

_PATTERNS = ("*config*", "*.fragment*")


def profiles() -> list[str]:
    """The ids of the built-in profiles."""
    return sorted(path.stem for path in Path(folders.roots()[1]).glob("*.toml"))


@cache
def knowledge() -> Knowledge:
    """The built-in rules and profiles."""
    return remembering(load())


def remembering(knowledge: Knowledge) -> Knowledge:
    """The same knowledge, which reads the notes of a tunable once and not each time."""
    vars(knowledge)["notes"] = cache(knowledge.notes)
    return knowledge


@cache
def configurations() -> dict[str, Path]:
    """All configurations there are, by their names; none without KERNEL_ADVISOR_CORPUS."""
    return {path.name.split(".config")[0].removesuffix(".xz"): path for path in _paths()}


def _paths() -> Iterator[Path]:
    given = os.environ.get("KERNEL_ADVISOR_CORPUS")
    if not given:
        return
    yield from sorted(Path(given).glob(_PATTERNS[0]))
    wild = Path(os.environ.get("KERNEL_ADVISOR_WILD") or Path(given).parent / "configs-wild")
    unread = Path(given).parent / "configs-unread"
    for folder in (wild, wild / "partial", unread, unread / "partial"):
        found = (path for pattern in _PATTERNS for path in folder.glob(pattern))
        yield from sorted(path for path in found if path.is_file())


@cache
def configuration(name: str) -> KernelConfig:
    """One of them, read once; it goes by its name alone."""
    config = read_config(str(configurations()[name]))
    config.path = name
    return config


def subject(name: str, machine: str = "untold") -> Subject:
    """The subject of a configuration, on one of MACHINES."""
    config = configuration(name)
    return subject_of(config, Given(MACHINES[machine](config.arch)))


@lru_cache(2)
def world(name: str, machine: str) -> World:
    """The same subject as it is judged, which keeps the states that were found in it."""
    return audit._world(subject(name, machine), knowledge(), ())


@lru_cache(2)
def reports(name: str, machine: str) -> dict[str, Report]:
    """The reports on a configuration, by profile: of one world, as states are the same for all."""
    known, asked = knowledge(), world(name, machine)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(audit, "_world", lambda *_: asked)
        return {
            profile: audit.audit(asked.subject, known, [known.profile(profile)], Policy())
            for profile in profiles()
        }


def _untold(_: str | None) -> Machine:
    return Machine()


def _server(arch: str | None) -> Machine:
    """All that can be told of a machine, so that no advice waits for it."""
    vendor = {"x86": "intel", "arm64": "arm"}.get(arch or "", "other")
    facts = {"cpus": 16, "nodes": 2, "memory": "64G", "isolate": "2-15"}
    return machine_of({**facts, "vendor": vendor, "virtual": "no", "efi": "y"})


MACHINES = {"untold": _untold, "told": _server}
