"""The configuration that a test looks at: pytest keeps the tests of one together."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def configuration(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name
