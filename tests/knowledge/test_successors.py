"""The lines of successors.toml: what they say, and what follows from several of them."""

from __future__ import annotations

import pytest

from advisor.knowledge.successors import parse, parse_split
from advisor.model.successor import Split, Successor

from ..cases import each

FILES = {
    "rules/lifecycle/a.toml": """
[[rename]]
old = "SECOND"
new = "THIRD"
since = "6.0"
""",
    "rules/successors/a.toml": """
successor = [
  "FIRST -> SECOND 5.4.286 5.10.89 object",
  "THIRD in FOURTH 6.6.21 6.12.117 part — Smaller.",
  "PAIR -> ONE, OTHER 6.6.21 6.12.117 source",
]
""",
}


def test_a_line_says_what_is_what_now():
    assert parse("A in B, C 5.4.286 5.5.0-rc1 object help — Has a price.") == Successor(
        "A", ("B", "C"), True, "5.4.286", "5.5.0-rc1", ("object", "help"), "Has a price."
    )
    assert parse("A -> B 5.4.286 5.10.89 prompt").became == "is B now"
    assert parse("A in B 5.4.286 5.10.89 prompt").became == "is a part of B now"


@each(
    "line",
    [
        "A B 5.4.286 5.10.89 prompt",
        "A -> 5.4.286 5.10.89 prompt",
        "A -> B 5.4.286 prompt",
        "A -> B 5.4.286 5.10.89",
        "A -> B 5.4.286 5.10.89 hearsay",
        "A -> B 5.4.286 5.10.89 prompt, no dash",
    ],
)
def test_a_line_of_another_form_is_refused(line):
    with pytest.raises(ValueError, match="not of the form"):
        parse(line)


def test_names_follow_each_other_through_both_files(make_knowledge):
    knowledge = make_knowledge(FILES)
    assert knowledge.became("FIRST") == ["SECOND", "THIRD", "FOURTH"]
    assert knowledge.names_now("FIRST") == ["FOURTH", "THIRD", "SECOND"]
    assert knowledge.became("PAIR") == ["ONE", "OTHER"]
    assert knowledge.became("FOURTH") == []
    assert (knowledge.price("THIRD"), knowledge.price("FIRST")) == (". Smaller", "")


def test_what_is_a_part_now_cannot_be_switched_off(make_knowledge):
    knowledge = make_knowledge(FILES)
    assert knowledge.names_now("THIRD", "y") == ["SECOND", "FOURTH"]
    assert knowledge.names_now("THIRD", "n") == ["SECOND"]


def test_explain_names_the_successor(run_inside):
    assert "KEXEC_VERIFY_SIG is KEXEC_SIG now" in run_inside("explain", "KEXEC_VERIFY_SIG").stdout
    patched = run_inside("explain", "CONFIG_LOCK_DOWN_KERNEL")
    assert (patched.code, "is SECURITY_LOCKDOWN_LSM now" in patched.stdout) == (0, True)


def test_a_line_says_what_was_split_off():
    assert parse_split("A, B with C 6.6.21 6.12.117 source object — For D.") == Split(
        ("A", "B"), "C", "6.6.21", "6.12.117", ("source", "object"), "For D."
    )
    with pytest.raises(ValueError, match="not of the form OLD with NEW"):
        parse_split("A -> C 6.6.21 6.12.117 source")


def test_control_groups_and_the_legacy_tables_are_known_to_be_split_off(built_in):
    known = {(split.old, split.new) for split in built_in.splits()}
    assert known > {
        (("MEMCG",), "MEMCG_V1"),
        (("CPUSETS",), "CPUSETS_V1"),
        (("IP_NF_FILTER",), "NETFILTER_XTABLES_LEGACY"),
    }
