"""Many cases in one test, where a case takes less time than pytest takes for a test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(
    names: str | tuple[str, ...],
    values: Iterable[Any],
    ids: Callable[[Any], Any] | Iterable[str] | None = None,
    group: Callable[[Any], str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like pytest.mark.parametrize, but one test that fails with a line for each case that fails.

    With `group` one test for each group that it puts the cases into. The cases share the fixtures
    of their test, so no case may change what another one sees.
    """
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    cases = [*values]
    labels = [*map(ids if callable(ids) else repr, cases)] if ids is None or callable(ids) else ids
    groups: dict[str, list[tuple[str, Any]]] = {}
    for label, case in zip(labels, cases, strict=True):
        row = (case,) if isinstance(names, str) and len(words) == 1 else case
        groups.setdefault(group(case) if group else "", []).append((str(label), row))

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def test(group: str = "", **fixtures: Any) -> None:
            wrong: list[tuple[str, Exception]] = []
            for label, row in groups[group]:
                try:
                    check(**dict(zip(words, row, strict=True)), **fixtures)
                except Exception as error:
                    wrong.append((label, error))
            told = [f"[{label}] {type(error).__name__}: {error}" for label, error in wrong]
            if told:
                raise AssertionError("\n".join(told)) from wrong[0][1]

        parameters = inspect.signature(check).parameters
        rest = [one for name, one in parameters.items() if name not in words]
        if group:
            rest.append(inspect.Parameter("group", inspect.Parameter.KEYWORD_ONLY))
        test.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("group", groups)(test) if group else test

    return decorate
