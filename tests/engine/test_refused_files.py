"""Files below /sys that a kernel lacks or ignores, and numbers that it does not take."""

from __future__ import annotations

import pytest

from advisor.engine.like.refused_files import refused
from advisor.model.kernel import Location
from advisor.model.like import Answer, Entry

PTES = "/sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_"
QUEUE = "/sys/block/sda/queue/"
TOLERANT = "/sys/devices/system/machinecheck/machinecheck*/tolerant"
BEYOND = "the file accepts 0 to {}; the kernel refuses this value and keeps the present one"
GONE = "no kernel since 6.1 has this file; 5.17 has it"
LOW = "the file exists only with BLK_DEV_THROTTLING_LOW, which 6.9 has and 6.12 does not"
IGNORED = "since 6.4, the kernel takes any value and ignores it"


@pytest.mark.parametrize(
    ("config", "told", "path", "value", "answer", "why"),
    [
        # By the number of small pages in a huge one.
        ("X86_64=y", {}, f"{PTES}none", "65536", Answer.NO_EFFECT, BEYOND.format(511)),
        ("X86_64=y", {}, f"{PTES}swap", "512", Answer.NO_EFFECT, BEYOND.format(511)),
        ("X86_64=y", {}, f"{PTES}shared", "-1", Answer.NO_EFFECT, BEYOND.format(511)),
        ("X86_64=y", {}, f"{PTES}none", "511", None, ""),
        ("ARM64_16K_PAGES=y", {"arch": "arm64"}, f"{PTES}none", "2047", None, ""),
        ("ARM64_16K_PAGES=y", {"arch": "arm64"}, f"{PTES}none", "2048", Answer.NO_EFFECT,
         BEYOND.format(2047)),
        ("ARM64_64K_PAGES=y", {"arch": "arm64"}, f"{PTES}none", "8191", None, ""),
        ("SMP=y", {"arch": "powerpc"}, f"{PTES}none", "65536", None, ""),
        # By the release, and by what is built.
        ("X86_MCE=y", {}, TOLERANT, "3", Answer.NO_KNOB, GONE),
        ("X86_MCE=y", {"kernel": "5.15.100"}, TOLERANT, "3", None, ""),
        ("SMP=y", {}, f"{QUEUE}throttle_sample_time", "9", Answer.NO_KNOB, LOW),
        ("BLK_DEV_THROTTLING_LOW=y", {"kernel": "6.1.0"}, f"{QUEUE}throttle_sample_time", "9",
         None, ""),
        ("SMP=y", {}, f"{QUEUE}io_poll_delay", "0", Answer.NO_EFFECT, IGNORED),
        ("SMP=y", {"kernel": "6.1.0"}, f"{QUEUE}io_poll_delay", "0", None, ""),
        ("SMP=y", {}, f"{QUEUE}nr_requests", "0", None, ""),
    ],
)  # fmt: skip
def test_a_file_by_what_the_kernel_does(make_world, config, told, path, value, answer, why):
    entry = Entry(path, value, Location("tuned.conf", 1))
    found = refused(entry, make_world(config, **told), is_shown=False)
    assert (found.answer if found else None, found.why if found else "") == (answer, why)


def test_a_file_that_the_kernel_shows_is_there(make_world):
    entry = Entry(TOLERANT, "3", Location("tuned.conf", 1))
    assert refused(entry, make_world("X86_MCE=y"), is_shown=True) is None
