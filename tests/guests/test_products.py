"""A product's plan, walked through with the distribution's kernel and the product itself.

The guest plans for itself (walk.sh), and starts the server before and with the plan (product.sh).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import SUITES, Guests
from .test_walk import Walk, is_told

WORDS = {"postgresql": "--shared-memory 512M", "redis": ""}
# What the plan sets that the server asks the kernel for.
ASKED = {
    "postgresql": ["/proc/sys/vm/nr_hugepages: 256"],
    "redis": [
        "/proc/sys/vm/overcommit_memory: 1",
        "/sys/kernel/mm/transparent_hugepage/enabled: always [madvise] never",
    ],
}

pytestmark = [pytest.mark.guest, pytest.mark.sampled]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("product", sorted(WORDS))
def test_a_product_gets_what_its_plan_sets(
    guests: Guests, tmp_path: Path, suite: str, product: str
) -> None:
    system, share = f"{suite}-products", tmp_path / "share"
    if not (guests.folder / f"{system}.disk").exists():
        pytest.skip(f"prepare.sh has not made {system}")
    product_script = (Path(__file__).parent / "product.sh").read_text()
    files = {"profiles": f"{product}\n", "words": WORDS[product], "product.sh": product_script}
    guests.run(system, share, "walk.sh", files)
    walk = Walk(share / product)
    assert (walk.folder / "done").exists()
    steps = "plan", "refused", "dry", "apply", "again", "plan.again", "lost", "undo", "undo.again"
    for name in steps:
        assert walk.code(name) == 0, (name, walk.text(name), walk.text(f"{name}.err"))

    # It is in force at once, and after a boot, until it is taken back.
    applied = walk.text("values.applied")
    assert set(ASKED[product]) <= set(applied.splitlines())
    assert walk.text("values.booted") == applied
    for step in ("applied", "booted"):
        for check in walk.verified(step):
            assert check["standing"] == "holds" or is_told(check), (step, check)
    assert walk.text("files.dry") == walk.text("files.after") == walk.text("files.before")
    for step in ("dry", "undone", "after"):
        assert walk.text(f"values.{step}") == walk.text("values.before"), step

    assert walk.code("product.booted") == 0
    told = [walk.text(f"product.{step}") for step in ("before", "booted")]
    CHECKS[product](*told)


def check_postgresql(before: str, booted: str) -> None:
    """Pages are taken, none of them from the small ones: huge_pages=on ends a start without."""
    assert "started: 0" not in before
    assert "could not map anonymous shared memory: Cannot allocate memory" in before
    assert "started: 0\n" in booted
    shown = dict(line.split(":", 1) for line in booted.splitlines() if ":" in line)
    pages = {name: int(shown[name]) for name in ("pages needed", "HugePages_Total")}
    taken = pages["HugePages_Total"] - int(shown["HugePages_Free"]) + int(shown["HugePages_Rsvd"])
    assert pages["HugePages_Total"] == 256
    assert taken == pages["pages needed"], booted


def check_redis(before: str, booted: str) -> None:
    """Redis warns of both settings before, and of neither with the plan."""
    for text in ("# WARNING Memory overcommit must be enabled!", "[overcommit]...WARNING",
                 "[THP]...WARNING"):  # fmt: skip
        assert text in before
        assert text not in booted
    assert "[overcommit]...OK\n[THP]...OK" in booted
    assert "started: 0\n" in booted
    assert "Background saving terminated with success" in booted


CHECKS = {"postgresql": check_postgresql, "redis": check_redis}
