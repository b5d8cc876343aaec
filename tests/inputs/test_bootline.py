"""The boot line in a file."""

from __future__ import annotations

import pytest

from advisor.errors import InputError
from advisor.inputs.bootline import read_cmdline


def test_a_file_is_read_without_its_line_end(tmp_path):
    path = tmp_path / "cmdline"
    path.write_text("quiet nohz=off\n")
    assert read_cmdline(f"@{path}").text == "quiet nohz=off"


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="missing"):
        read_cmdline(f"@{tmp_path}/missing")
