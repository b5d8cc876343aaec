"""What the words about huge pages come to, in the order in which the kernel reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.effective.huge_pages import asked, in_words, number_of_pages
from advisor.model.cmdline import parse_cmdline

SIZES = (2 << 20, 1 << 30)


@pytest.mark.parametrize(
    ("line", "comes_to", "ignored"),
    [
        ("hugepages=5", "5 pages of 2 MiB", []),
        ("hugepages=1 hugepages=2", "1 page of 2 MiB", ["hugepages=2"]),
        ("hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=6",
         "4 pages of 1 GiB and 6 pages of 2 MiB", []),
        ("hugepagesz=1G hugepagesz=2M hugepages=32 hugepages=1024",
         "32 pages of 2 MiB and none of 1 GiB", ["hugepages=1024"]),
        ("hugepagesz=2M hugepages=1 hugepagesz=2048K hugepages=2",
         "1 page of 2 MiB", ["hugepagesz=2048K", "hugepages=2"]),
        # The default size may be named once more, as long as it has no number.
        ("default_hugepagesz=1G hugepagesz=1G hugepages=3", "3 pages of 1 GiB", []),
        ("default_hugepagesz=1G default_hugepagesz=2M hugepages=3", "none of 1 GiB",
         ["default_hugepagesz=2M", "hugepages=3"]),
        # The default size may be one that hugepagesz= named, and takes one number like any other.
        ("hugepagesz=1GB default_hugepagesz=1GB hugepages=6", "6 pages of 1 GiB", []),
        ("hugepagesz=1G hugepages=4 default_hugepagesz=1G hugepages=6", "4 pages of 1 GiB",
         ["hugepages=6"]),
        ("hugepagesz=1G hugepagesz=2M default_hugepagesz=1G hugepages=6",
         "6 pages of 2 MiB and none of 1 GiB", []),
        ("hugepagesz=1G hugepages=4 default_hugepagesz=2M hugepages=6",
         "4 pages of 1 GiB and 6 pages of 2 MiB", []),
        ("default_hugepagesz=1G hugepagesz=2M hugepages=6 hugepagesz=1G hugepages=2",
         "2 pages of 1 GiB and 6 pages of 2 MiB", []),
        # A number before all sizes is for the default one, and wins over a later one.
        ("hugepages=3 default_hugepagesz=1G", "3 pages of 1 GiB", []),
        ("hugepages=3 hugepagesz=2M hugepages=4", "3 pages of 2 MiB", ["hugepages=4"]),
        ("hugepages=3 default_hugepagesz=1G hugepages=4", "4 pages of 1 GiB", ["hugepages=3"]),
        ("hugepages=3 hugepagesz=1G", "3 pages of 2 MiB and none of 1 GiB", []),
        # Behind what is no size one number is lost, and the next is for the size before.
        ("hugepagesz=3M hugepages=1 hugepages=2", "2 pages of 2 MiB",
         ["hugepagesz=3M", "hugepages=1"]),
    ],
)  # fmt: skip
def test_a_number_goes_with_the_size_before_it(line, comes_to, ignored):
    found = asked(parse_cmdline(line).words, SIZES)
    assert in_words(found.pools) == comes_to
    assert [one.word.text for one in found.ignored] == ignored


@pytest.mark.parametrize(
    ("line", "comes_to", "ignored"),
    [
        ("hugepages=5", "5 pages of 2 MiB", []),
        # A number before all sizes is for the default one if that has none: later ones win.
        ("hugepages=16 hugepagesz=2M hugepages=32", "32 pages of 2 MiB", ["hugepages=16"]),
        ("default_hugepagesz=1G hugepages=4 hugepagesz=1G hugepages=8", "8 pages of 1 GiB",
         ["hugepages=4"]),
        ("default_hugepagesz=1G hugepagesz=1G hugepages=3", "3 pages of 1 GiB", []),
        ("hugepagesz=1G hugepages=4 default_hugepagesz=1G", "4 pages of 1 GiB", []),
        ("default_hugepagesz=1G hugepages=4", "no huge page", ["hugepages=4"]),
        ("default_hugepagesz=2M hugepages=4", "4 pages of 2 MiB", []),
        # The number of a repeated size is for the size that was added last.
        ("hugepagesz=2M hugepagesz=1G hugepagesz=2M hugepages=6",
         "6 pages of 1 GiB and none of 2 MiB", ["hugepagesz=2M"]),
        # No size behind a wrong one makes the number count again.
        ("hugepagesz=3M hugepagesz=2M hugepages=1 hugepages=2", "2 pages of 2 MiB",
         ["hugepagesz=3M", "hugepages=1"]),
    ],
)  # fmt: skip
def test_how_kernels_before_5_8_read_them(line, comes_to, ignored):
    found = asked(parse_cmdline(line).words, SIZES, is_old=True)
    assert in_words(found.pools) == comes_to
    assert [one.word.text for one in found.ignored] == ignored


WORDS = st.sampled_from(
    ("hugepages=1", "hugepages=2", "hugepagesz=2M", "hugepagesz=1G", "hugepagesz=3M",
     "default_hugepagesz=1G", "default_hugepagesz=2M", "quiet")
)  # fmt: skip


@given(st.lists(WORDS, max_size=9), st.sampled_from((SIZES, ())), st.booleans())
def test_each_number_counts_once_or_is_ignored(words, sizes, is_old):
    numbers = [word for word in parse_cmdline(" ".join(words)).words if word.name == "hugepages"]
    found = asked(parse_cmdline(" ".join(words)).words, sizes, is_old=is_old)
    counted = [pool.counted for pool in found.pools if pool.counted]
    ignored = [one.word for one in found.ignored if one.word.name == "hugepages"]
    assert sorted(counted + ignored) == sorted(numbers)
    assert len({pool.size for pool in found.pools}) == len(found.pools)


@pytest.mark.parametrize(
    ("value", "number"), [("512", 512), ("0:2,1:4", 6), ("many", 0), ("", 0), ("4,5", 4)]
)
def test_pages_are_counted_over_all_nodes(value, number):
    assert number_of_pages(value) == number
