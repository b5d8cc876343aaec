"""Hatchling's hook: the wheel carries the index of all rules and profiles."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class IndexHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's generic has no public parameter
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from advisor.knowledge import index

        path = os.path.join(tempfile.mkdtemp(), "index.json")
        index.build(self.root, path)
        build_data["force_include"][path] = "advisor/_data/index.json"
