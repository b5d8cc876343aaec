"""rules/components.toml: what is looked up by what, and what is refused."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import index
from advisor.knowledge.derive import derived
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge

TEXT = """
[[component]]
id = "widget-kind"
title = "kind of widget"
only_if = "WIDGET"
names = { round = "WIDGET_ROUND", square = "" }
sources = ["code mm/zswap.c#compressor"]

[[component.place]]
of = "sysctl kernel.widget"
otherwise = "the kernel keeps the old one"

[[component.place]]
of = "sysfs /sys/class/widget/DEVICE/kind"
form = "NAME,NAME"
early = "!BLK_DEV_INITRD"
otherwise = "the kernel keeps the old one"
"""


def compiled(text):
    file = KnowledgeFile("components", "rules/components.toml", "", text.encode())
    documents = compile_files([file], check=True)
    sections = index.sections(documents)
    knowledge = Knowledge({**sections, **derived(sections)})
    check_references(knowledge, documents)
    return knowledge


def test_what_takes_a_name_is_looked_up_by_its_own_name():
    knowledge = compiled(TEXT)
    component, place = knowledge.named_in("sysctl", "kernel.widget")
    assert (component.title, [*component.names]) == (
        "kind of widget",
        ["round", "square"],
    )
    assert (place.form, place.early) == ("", None)
    assert knowledge.named_in("boot", "kernel.widget") is None
    assert knowledge.naming("sysfs") == ["/sys/class/widget/DEVICE/kind"]
    assert knowledge.named_in("sysfs", "/sys/class/widget/DEVICE/kind")[1].early is not None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('of = "sysctl kernel.widget"\n', "", "'of' is a required property"),
        ('"sysctl kernel.widget"', '"boot no.such"', "'no.such' is not in rules/parameters"),
        ("square", '"a square"', "does not match"),
        ("WIDGET_ROUND", "widget = round", "which is no tunable"),
        ("WIDGET_ROUND", "WIDGET_ROUND &", "round: cannot read"),
        ('sources = ["code mm/zswap.c#compressor"]', "", "sources"),
        ('title = "kind of widget"\n', "", "'title' is a required property"),
    ],
)
def test_what_is_wrong_is_told(old, new, message):
    assert old in TEXT
    with pytest.raises(KnowledgeError, match=message):
        compiled(TEXT.replace(old, new))


def test_every_parameter_that_names_a_thing_is_one_of_the_rules(built_in):
    assert {"lsm", "zswap.compressor", "rootfstype"} <= {*built_in.naming("boot")}
    assert all(built_in.parameter(name) for name in built_in.naming("boot"))


def test_a_word_of_a_rule_names_what_there_is(built_in):
    from advisor.knowledge.references import _word_problems

    assert [*_word_problems("zswap.compressor=zstd", built_in)] == []
    assert [*_word_problems("lsm=...,apparmor,bpf", built_in)] == []
    (wrong,) = _word_problems("zswap.compressor=zsdt", built_in)
    place = "boot parameter 'zswap.compressor=zsdt'"
    assert wrong == f"{place}: no compressor of zswap is called 'zsdt'"
