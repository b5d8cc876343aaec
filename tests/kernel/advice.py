"""What the product says of configurations in one kernel tree, asked within this process.

The same as `audit --format json --write fragment=FILE --strength …` and, with a tree, `--tree TREE
--no-cache`: a sample of each run holds the two against each other. Here the rules are loaded once,
and a tree once for all profiles of a configuration: what it asks of a compiler is answered by that.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from advisor.cli.auditor import Auditor
from advisor.cli.options import (
    KnowledgeOptions,
    PolicyOptions,
    Request,
    SubjectOptions,
    TreeOptions,
)
from advisor.inputs.config import KernelConfig, parse_config
from advisor.model.report import Report
from advisor.output import FORMATS, Style, renderer
from advisor.tree import kerneltree
from advisor.tree.kerneltree import Access, KernelTree, open_tree
from advisor.tree.oracle import Oracle

from .kernels import Lines


class Advice(NamedTuple):
    """A report as its JSON, and the fragment of the same audit."""

    report: dict[str, Any]
    fragment: str


class Advisor:
    """Audits of one configuration, and of what becomes of it with fragments."""

    def __init__(self, tree: Path, config: Path) -> None:
        self._path = str(tree)
        self._config = parsed(config.read_text())

    @cached_property
    def _tree(self) -> KernelTree:
        assert self._config.arch
        return open_tree(self._path, self._config.arch, self._config)

    def offers(self, symbol: str) -> bool:
        """Whether a user decides about the symbol, and not by a choice."""
        return self.prompts(symbol) and not self._tree.choice(symbol)

    def prompts(self, symbol: str) -> bool:
        """Whether a user can be asked for the symbol, by itself or in a choice."""
        return self._tree.prompted(symbol)

    def predicted(self, fragment: str) -> str:
        """The .config that the tree's conf should make of the configuration with the fragment."""
        return self._foreseen(fragment)[0]

    def guesses(self, fragment: str) -> set[str]:
        """The symbols there of which the configuration cannot tell what the compiler would answer,
        since nothing was asked before the fragment.
        """
        return self._foreseen(fragment)[1]

    def _foreseen(self, fragment: str) -> tuple[str, set[str]]:
        self._tree.load(self._config)
        oracle = Oracle(self._tree)  # its lines stay in place as long as there is it
        after = oracle.predicted(tuple(Lines.of(fragment).values.items()))
        guesses = {entry.subject for entry in self._tree.assumptions if entry.source == "default"}
        # The header tells version and architecture.
        lines = self._config.text.splitlines()[:4]
        lines += [
            f"# CONFIG_{name} is not set" if value == "n" else f"CONFIG_{name}={value}"
            for name, value in after.items()
        ]
        del oracle
        return "\n".join([*lines, ""]), guesses

    def advise(self, profile: str, strength: str, grade: str, text: str | None = None) -> Advice:
        """The advice for the configuration, or for another of the same tree and toolchain."""
        config = self._config if text is None else parsed(text)
        tree = self._path if grade == "model" else None
        request = Request(
            subject=SubjectOptions(configs=(config.path,)),
            knowledge=KnowledgeOptions(profile=(profile,)),
            tree=TreeOptions(tree=tree, no_cache=True),
            policy=PolicyOptions(strength=strength, no_settings=True),
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kerneltree, "open_tree", self._loaded)
            report = Auditor(request, "fragment", in_full=True).report_on(config)
        assert (report.complete, report.conflicts, report.proof) == (True, (), grade)
        return Advice(
            json.loads(written("json", report))["reports"][0], written("fragment", report)
        )

    def _loaded(self, path: str, arch: str, config: KernelConfig, access: Access) -> KernelTree:
        """What stands in for opening the tree: it is open, and takes the configuration."""
        assert (path, arch, access) == (self._path, self._config.arch, Access())
        # What load() notes of the lines is what opening would have noted.
        self._tree.notes = self._tree.load(config)
        return self._tree


def parsed(text: str) -> KernelConfig:
    """A complete configuration of that text."""
    config = parse_config(text, "config")
    assert config.complete
    return config


def written(name: str, report: Report) -> str:
    """The report in that format."""
    assert name in FORMATS
    return renderer(name)([report], Style())
