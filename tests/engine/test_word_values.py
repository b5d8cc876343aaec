"""What words of the boot line say, by the types of their parameters."""

from __future__ import annotations

import pytest

from advisor.engine.effective.word_values import is_like, means, plain, truth_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.parameter import Parameter


@pytest.mark.parametrize(
    ("text", "truth"),
    [("1", True), ("Yes", True), ("on", True), ("0", False), ("No", False), ("OFF", False),
     ("o", None), ("2", None), ("", None)],
)  # fmt: skip
def test_a_boolean_is_read_by_its_first_letters(text, truth):
    assert truth_of(text) is truth


@pytest.mark.parametrize(
    ("word", "pattern", "kind", "means_it"),
    [
        ("nosmt", "nosmt", "flag", True),
        ("threadirqs=0", "threadirqs", "flag", True),
        ("nosmt=force", "nosmt", "enum", False),
        ("nohz_full=2-7", "nohz_full=*", "cpulist", True),
        ("nohz_full", "nohz_full=*", "cpulist", False),
        ("psi=yes", "psi=1", "bool", True),
        ("psi", "psi=1", "bool", True),
        ("psi=maybe", "psi=1", "bool", False),
        ("panic=0x10", "panic=16", "int", True),
        ("audit=2", "audit=1", "truth", True),
        ("idle=poll", "idle=p*", "enum", True),
        ("idle=Poll", "idle=poll", "enum", False),
    ],
)
def test_what_a_word_means(word, pattern, kind, means_it):
    (given,) = parse_cmdline(word).words
    assert means(given, pattern, Parameter(given.name, "", kind)) is means_it


def test_of_words_joined_by_commas_each_counts():
    (given,) = parse_cmdline("cgroup_disable=rdma,memory").words
    joined = Parameter("cgroup_disable", "", "enum", joined=True)
    assert means(given, "cgroup_disable=memory", joined)
    assert not means(given, "cgroup_disable=memory", joined._replace(joined=False))


def test_a_word_is_told_without_its_quotes():
    (given,) = parse_cmdline('rcu-nocbs="2-7"').words
    assert plain(given) == "rcu_nocbs=2-7"
    assert is_like("all", "all")
    assert is_like("2M", "2*")
