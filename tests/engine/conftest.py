"""Subjects and small knowledge for the engine's tests."""

from __future__ import annotations

import pytest
import tomli

from advisor.engine.state import World
from advisor.inputs.cmdline import parse_cmdline
from advisor.inputs.dotconfig import parse_config
from advisor.inputs.kernelversion import parse_version
from advisor.inputs.subject import Given, machine_of, subject_of
from advisor.inputs.sysctl import parse_sysctl
from advisor.knowledge import index
from advisor.knowledge.load import KnowledgeFile, compile_files
from advisor.knowledge.store import Knowledge, derived


@pytest.fixture(scope="session")
def built_in():
    return index.load()


@pytest.fixture
def make_world(built_in):
    """A world from the lines of a configuration (without CONFIG_) and what the user told."""

    def make(config="", *, cmdline=None, kernel="6.12.0", sysctl="", knowledge=None, **machine):
        complete = machine.pop("complete", True)
        lines = [
            f"# CONFIG_{line.removesuffix('=n')} is not set"
            if line.endswith("=n")
            else f"CONFIG_{line}"
            for line in config.split()
        ]
        text = "\n".join(lines or ["# CONFIG_NOTHING is not set"]) + "\n"
        given = Given(
            machine_of({"arch": "x86", **machine}),
            parse_version(kernel) if kernel else None,
            None if cmdline is None else parse_cmdline(cmdline),
            parse_sysctl(sysctl, "sysctl"),
        )
        return World(
            subject_of(parse_config(text, ".config", complete=complete), given),
            knowledge or built_in,
        )

    return make


@pytest.fixture
def make_knowledge():
    """Knowledge from TOML texts: {"rules/x/id.toml": text, "profiles/id.toml": text}."""

    def make(files):
        kinds = {"parameters": "parameters", "names": "names", "lifecycle": "lifecycle"}
        given = []
        for path, text in files.items():
            tomli.loads(text)
            kind = (
                "profile"
                if path.startswith("profiles/")
                else kinds.get(path.split("/")[1], "tunable")
            )
            given.append(KnowledgeFile(kind, path, "test", text.encode()))
        documents = compile_files(given, check=False)
        sections = {s: getattr(documents, s) for s in index.SECTIONS}
        return Knowledge({**sections, **derived(sections)})

    return make
