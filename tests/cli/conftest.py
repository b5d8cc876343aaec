"""What the tests of several commands share."""

from __future__ import annotations

import pytest


@pytest.fixture
def whole(make_config):
    """The text of a complete configuration of these lines."""

    def text(*lines):
        return make_config(*(line.rstrip("\n") for line in lines), name="scratch").read_text()

    return text
