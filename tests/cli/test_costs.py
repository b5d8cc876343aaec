"""`costs` as a user runs it."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_every_format_tells_the_same_charge(run_inside, make_config, form):
    result = run_inside("costs", str(make_config("CONFIG_PSI=y")), "--format", form)
    assert result.code == 0
    assert "sleep-wake" in result.stdout
    assert "Traceback" not in result.stderr


def test_a_bad_one_of_several_costs_a_line(run_inside, make_config, tmp_path):
    bad = tmp_path / "bad"
    bad.write_bytes(b"\0" * 100)
    result = run_inside("costs", str(bad), str(make_config("CONFIG_PSI=y")))
    assert result.code == 3
    assert "sleep-wake" in result.stdout
    assert "bad" in result.stderr


def test_a_fragment_without_architecture_has_nothing_measured(run_inside, tmp_path):
    path = tmp_path / "fragment"
    path.write_text("CONFIG_PSI=y\n")
    result = run_inside("costs", str(path), "--partial")
    assert result.code == 0
    assert "Nothing was measured" in result.stdout
