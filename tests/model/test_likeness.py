"""What a wrong name may mean: a slip of the keyboard is found, another name is not guessed."""

from __future__ import annotations

import random
from itertools import chain

import pytest

from advisor.errors import UsageError
from advisor.knowledge.lookup import explain, lookup, names_of
from advisor.model.likeness import distance, slipped

from ..cases import each

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def known(built_in):
    """All names of the rules, of four letters or more."""
    ids = (i for section in ("names", "parameters", "renames") for i in built_in.ids(section))
    tunables = (names_of(t, built_in) for t in built_in.tunables())
    return sorted(name for name in {*ids, *chain(*tunables)} if len(name) > 3)


def slip(name, dice):
    """The name with one letter more, less, wrong or swapped behind its first, no digit's."""
    places = [at for at in range(1, len(name)) if name[at].isalpha()]
    if not places:
        return name
    at, letter = dice.choice(places), dice.choice(LETTERS)
    letter = letter.upper() if name == name.upper() else letter
    kind = dice.randrange(4)
    if kind == 3 and name[at - 1].isalpha() and at > 1:
        return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]
    return name[:at] + ("", letter, letter + name[at])[kind % 3] + name[at + 1 :]


@pytest.mark.parametrize(("slips", "least"), [(1, 0.93), (2, 0.8)])
def test_a_slip_is_found(known, slips, least):
    dice = random.Random(slips)
    long = [name for name in known if len(name) >= 8]
    tried = found = 0
    for name in dice.sample(long, 250):
        wrong = name
        for _ in range(slips):
            wrong = slip(wrong, dice)
        if wrong in known:
            continue
        tried += 1
        found += name in slipped(wrong, known)
    assert found >= least * tried


@each(
    "name",
    [
        "SBX", "XENO_OPT_NOTEST", "SCHED_QOS", "TCP_CONG_BRUTAL", "SECURITY_FOO", "ZZ_TOP",
        "BCACHEFS_X", "MY_VENDOR_BOARD", "LRNG", "MARCHX", "HZ_1001", "nopony", "vendor_boot",
    ],
)  # fmt: skip
def test_another_name_is_not_guessed(built_in, name):
    with pytest.raises(UsageError) as refused:
        explain(name, built_in)
    assert "did you mean" not in refused.value.hint


@each("name", ["CACHY", "DXGKRNL", "xenomai", "WINESYNC", "IPIPE", "SCHED_PDS"])
def test_what_is_known_of_patches_is_told(built_in, name):
    known = lookup(name, built_in).name
    assert (known.kind, bool(known.sources)) == ("out-of-tree", True)


@each(
    ("one", "other", "count"),
    [("", "", 0), ("ab", "ba", 1), ("abc", "ab", 1), ("ab", "xaby", 2), ("abc", "xyz", 3)],
)
def test_distance(one, other, count):
    assert (distance(one, other), distance(other, one)) == (count, count)
