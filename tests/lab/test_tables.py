"""The tables of docs/evidence/lab.md: in step with the records, and written by a command."""

from __future__ import annotations

import pytest

from advisor.errors import InputError
from lab import check, tables
from lab.__main__ import main
from lab.record import kernels

PLACES = "".join(f"<!-- lab: settings {kernel} -->\n<!-- end -->\n" for kernel in kernels())


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of its own, with places for the settings of all kernels."""
    found = tmp_path / "lab.md"
    found.write_text(f"# The lab\n\n{PLACES}\nAnd so on.\n")
    monkeypatch.setattr(tables, "PAGE", found)
    return found


@pytest.mark.slow
def test_the_page_has_the_tables_as_the_records_are():
    page = tables.PAGE.read_text()
    assert tables.filled(page) == page
    assert {part for part in tables.PARTS if f"<!-- lab: {part} " in page} == set(tables.PARTS)


def test_the_command_writes_them_and_nothing_else(page):
    assert main(["tables"]) == 0
    written = page.read_text()
    assert "| `audit=on` | +52.5 % |" in written
    assert written.startswith("# The lab\n\n<!-- lab: ")
    assert written.endswith("<!-- end -->\n\nAnd so on.\n")
    main(["tables"])
    assert page.read_text() == written


@pytest.mark.slow
def test_a_table_that_is_old_is_a_problem(page):
    stale = "lab.md: not what the records say; python -m lab tables writes it"
    assert list(check.problems()) == [stale]
    main(["tables"])
    assert tables.filled(page.read_text()) == page.read_text()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("settings amd64-6.12", "figures amd64-6.12", "no table figures amd64-6.12"),
        ("settings amd64-6.12", "settings amd64-5.4", "no table settings amd64-5.4"),
        ("lab: settings amd64-6.12", "", "no place for the settings of amd64-6.12"),
    ],
)
def test_a_marker_that_names_nothing_is_an_error(page, before, after, said):
    page.write_text(page.read_text().replace(before, after))
    with pytest.raises(InputError, match=said):
        tables.filled(page.read_text())
