"""rules/kernel.toml: facts about kernels that are no setting."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import index
from advisor.knowledge.files import rule_files
from advisor.knowledge.load import compile_files
from advisor.lint.lint import lint

from .. import corpus

FACT = """
[[fact]]
about = "works-with"
of = "TUN"
names = ["VHOST_NET"]
sources = ["kconfig drivers/vhost/Kconfig#VHOST_NET"]
"""
HUGE = """
[[fact]]
about = "huge-pages"
of = "x86"
names = ["2M", "1G"]
only_if = "arch = x86"
sources = ["code arch/x86/mm/hugetlbpage.c#arch_hugetlb_valid_size"]
"""


@pytest.fixture
def facts(tmp_path):
    """Writes the file into a folder of rules, which is given back."""

    def write(text):
        path = tmp_path / "rules/kernel.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path.parent

    return write


def test_a_fact_is_asked_for_by_what_it_is_about():
    knowledge = corpus.knowledge()
    assert knowledge.fact("works-with", "TUN").names == ("VHOST_NET",)
    assert knowledge.fact("works-with", "TUN") in knowledge.facts("works-with")
    assert "PROC_FS" in knowledge.fact("given").names
    assert knowledge.fact("works-with", "HZ").names == ()


def test_a_folder_of_rules_adds_facts_to_the_built_in_ones(facts):
    folder = facts(FACT.replace("TUN", "TAP").replace("VHOST_NET", "MACVTAP"))
    knowledge = index.load([str(folder)])
    assert knowledge.fact("works-with", "TAP").names == ("MACVTAP",)
    assert knowledge.fact("works-with", "TUN").names == ("VHOST_NET",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('about = "works-with"', 'about = "hearsay"', "'hearsay' is not one of"),
        ('of = "TUN"', "", "'of' is a required property"),
        ('names = ["VHOST_NET"]', "", "'names' is a required property"),
        ("sources", "source", "an older key"),
        ("VHOST_NET", "CONFIG-VHOST", "does not match"),
    ],
)
def test_what_is_no_fact_is_told(facts, old, new, message):
    folder = facts(FACT.replace(old, new))
    with pytest.raises(KnowledgeError, match=message):
        compile_files(list(rule_files(str(folder))), check=True)


def test_a_symbol_that_no_kernel_has_is_told_with_its_line(facts):
    folder = facts(FACT.replace('["VHOST_NET"]', '["VHOST_NETT"]'))
    with pytest.raises(KnowledgeError, match=r"kernel.toml:5: no kernel read .* VHOST_NETT; did"):
        lint([str(folder)])


def test_the_symbol_of_a_fact_is_checked_as_well(facts):
    folder = facts(FACT.replace('"TUN"', '"TUNN"'))
    with pytest.raises(KnowledgeError, match="no kernel read has the symbol TUNN"):
        lint([str(folder)])


def test_a_condition_names_only_tunables_that_exist(facts):
    folder = facts(HUGE.replace("arch = x86", "no-such-thing = on"))
    with pytest.raises(KnowledgeError, match="'no-such-thing', which is no tunable"):
        index.load([str(folder)])
