"""The huge pages of the boot line and of vm.nr_hugepages, against the memory and each other."""

from __future__ import annotations

from advisor.engine.diagnose.reserved_pages import diagnose_reserved

from ..cases import each

PAGES = "vm.nr_hugepages"
SHORT = "memory-short"


@each(
    ("arch", "line", "number", "facts", "expected"),
    [
        ("x86", "quiet", 20480, {"memory": "16G"}, [("sysctl-memory", "error")]),
        ("x86", "quiet", 4096, {"memory": "16G"}, []),
        (
            "x86", "hugepagesz=1G hugepages=12", 2048, {"memory": "16G"},
            [("sysctl-memory", "error")],
        ),
        ("x86", "hugepagesz=1G hugepages=2", 2048, {"memory": "16G"}, []),
        ("x86", "hugepages=4096", 2048, {}, [("setting-overridden", "note")]),
        ("x86", "hugepages=2048", 2048, {}, []),
        (
            "s390", "hugepagesz=1M hugepages=4096", 2048,
            {"memory": "64G", "shared_memory": "32G"},
            [("setting-overridden", "note"), (SHORT, "warning")],
        ),
        (
            "s390", "hugepagesz=1M hugepages=32768", 32768,
            {"memory": "64G", "shared_memory": "32G"}, [],
        ),
    ],
)  # fmt: skip
def test_huge_pages_at_run_time(make_world, arch, line, number, facts, expected):
    setting = f"{PAGES}={number}"
    world = make_world(
        "HUGETLBFS=y", cmdline=line, arch=arch, sysctl=setting, kernel="6.12.4", **facts
    )
    assert [(d.id, d.severity.value) for d in diagnose_reserved(world)] == expected
