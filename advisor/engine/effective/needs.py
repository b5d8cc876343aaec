"""Whether what a program needs is met. Only what is known tells that it is not."""

from __future__ import annotations

from typing import Literal

from advisor.engine.effective.kernel_facts import KernelFacts
from advisor.model import condition
from advisor.model.condition import Expr, Fact, Facts, Truth
from advisor.model.sysctl import FOLDER, key_of, path_of


def met(expr: Expr, world: KernelFacts) -> Truth:
    """Return the truth of what a program needs. Where only a setting of run time could make it
    true and nobody told that one, it is the path of its file, which would tell."""
    truth = world.evaluate(expr)
    return condition.evaluate(expr, _Untold(world)) if truth is False else truth


class _Untold(Facts):
    """A world in which files of the running kernel that nobody told may show anything."""

    def __init__(self, world: KernelFacts) -> None:
        self._world = world

    def symbol(self, name: str) -> str | None:
        return self._world.symbol(name)

    def present(self, name: str) -> bool | None:
        return self._world.present(name)

    def fact(self, name: str) -> Fact:
        return self._world.fact(name)

    def boot(self, word: str) -> Truth:
        return self._world.boot(word)

    def shown(self, path: str, form: str) -> Truth:
        return self._world.shown(path, form) or self._untold([path])

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        values, missing = self._world.effective(tunable)
        if not values and not missing and self._world.value(tunable) is not None:
            known = self._world.knowledge.tunable(tunable)
            missing = self._untold([*map(path_of, known.sysctls), *known.files]) or missing
        return values, missing

    def _untold(self, paths: list[str]) -> frozenset[str] | Literal[False]:
        return frozenset(filter(self._is_untold, paths)) or False

    def _is_untold(self, path: str) -> bool:
        """Whether nobody told what the file shows, nor that the running kernel lacks it."""
        world, key = self._world, key_of(path)
        told = key in world.settings() if path.startswith(FOLDER) else world.files.instances(path)
        return not told and not world.subject.lacking & {path, key}
