"""Words that remedies put on a boot line, and the kernels that cannot know them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from advisor.knowledge.catalogue import numbers

OLDEST = (4, 4, 155)
# Stable kernels were given these words, at releases of their own.
GIVEN = {
    "bhi", "gather_data_sampling", "indirect_target_selection", "kpti", "l1tf", "mds",
    "mmio_stale_data", "no_entry_flush", "no_stf_barrier", "no_uaccess_flush", "nospectre_bhb",
    "nospectre_v1", "nospec_store_bypass_disable", "nosmt", "reg_file_data_sampling", "retbleed",
    "spec_rstack_overflow", "spec_store_bypass_disable", "spectre_bhi", "spectre_v2_user", "srbds",
    "ssbd", "tsa", "tsx_async_abort", "vmscape", "kvm_intel.vmentry_l1d_flush", "kvm.nx_huge_pages",
}  # fmt: skip
# Where the makefile of older kernels hides whose it is.
UNREAD = {"kvm.halt_poll_ns"}


def offered(knowledge) -> Iterator[str]:
    """The parameters of all words that remedies may add."""
    for tunable in knowledge.tunables():
        words = [word for value in tunable.values for word in value.boot]
        words += [word for one in tunable.members for word in (*one.boot_on, *one.boot_off)]
        yield from (word.partition("=")[0].replace("-", "_") for word in words)
        if tunable.parameter:
            yield tunable.parameter


def test_a_word_that_is_younger_than_the_oldest_kernels_says_since_when(built_in):
    catalogue = built_in.parameter_catalogue
    silent = []
    for name in sorted(set(offered(built_in)) - GIVEN - UNREAD):
        parameter, seen = built_in.parameter(name), catalogue.seen(name)
        if parameter is None or parameter.since or seen is None:
            continue
        if any(catalogue.seen(other) for other in built_in.spellings(name)[1:]):
            continue  # under its old name it was there
        first = catalogue.kernels[min(numbers(seen.kernels()))].version
        if first.numbers > OLDEST:
            silent.append(f"{name}: first read in {first.text}")
    assert not silent, "\n".join(silent)


@pytest.mark.parametrize(
    ("word", "kernel"),
    [("cryptomgr.notests=1", "4.4.94"), ("iommu.passthrough=1", "4.9.30")],
)
def test_an_older_kernel_is_offered_none_of_it(make_world, word, kernel):
    world = make_world("CRYPTO_MANAGER=y CRYPTO_MANAGER2=y IOMMU_API=y", kernel=kernel)
    assert world.line.honours(word).truth is not True
