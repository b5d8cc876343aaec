"""Kinds of disks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.model.disks import kind_of, spread

from ..cases import each


@each(
    ("name", "rotational", "kind"),
    [
        ("nvme10n2", "0", "nvme"),
        ("vdaa", "1", "virtual"),
        ("xvda", "0", "virtual"),
        ("mmcblk0boot0", "0", "card"),
        ("dm-0", "1", "combined"),
        ("md127", "0", "combined"),
        ("sdzz", "1", "rotating"),
        ("sda", "0", "solid-state"),
        ("sda", "", "scsi"),
        ("sr0", "1", "other"),
        ("nbd0", "0", "other"),
        ("", "", "other"),
    ],
)
def test_a_disk_is_of_the_kind_that_its_driver_names(name, rotational, kind):
    assert kind_of(name, rotational) == kind


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_every_disk_is_counted(disks):
    told = spread((kind_of(name, turns), "x", 1) for name, turns in disks)
    assert sum(int(part.split(" on ")[1].split()[0]) for part in told.split("; ")) == len(disks)
