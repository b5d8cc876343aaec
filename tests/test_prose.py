"""tools/prose.py finds what it says it finds, and what costs name are values of their tunables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.knowledge.index import load
from tests.cases import each
from tools import prose

ROOT = Path(__file__).parent.parent


@each(
    ("sentence", "form"),
    [
        ("It saves power.", "begins with a pronoun"),
        ("This costs a little.", "begins with a pronoun"),
        ("The log names whoever reads it.", "a subject without a name"),
        ("For speed, who measures switches it off.", "a subject without a name"),
        ("Old kernels are told so.", "no actor"),
        ("A second dump cannot be had.", "no actor"),
        ("KFENCE is built and asleep.", "not the field's term"),
        ("Dearer system calls.", "not the field's term"),
        ("A driver is not unlike a module.", "a double negation"),
        ("Take the module rather than the built-in driver.", "rather than"),
        ("None worth naming.", "clever"),
        ("The " + "very " * 24 + "end.", "over 25 words"),
    ],
)
def test_a_form_is_found(sentence, form):
    assert list(prose.faults(sentence)) == [form]


@each(
    "sentence",
    [
        "On: the kernel contains a compiler.",
        "This kernel has no modules.",
        "A pass over every allocation.",
        "The option is not under Kconfig's control.",
        "See [the page](" + "a b " * 20 + ") and `" + "word " * 20 + "`.",
    ],
)
def test_a_plain_sentence_is_left_alone(sentence):
    assert not list(prose.faults(sentence))


def test_sentences_end_where_a_reader_ends_them():
    text = "Up to 6.1, e.g. Debian's, it fails. isolcpus=\nkeeps it off! [More](x.md). The end."
    assert list(prose.sentences(text)) == [
        "Up to 6.1, e.g. Debian's, it fails.",
        "isolcpus= keeps it off!",
        "[More](x.md).",
        "The end.",
    ]


def test_a_cost_names_the_setting_that_has_it():
    for cost in (
        "On: power.",
        "none, lazy or full: time.",
        "Raising it: memory.",
        "None noticeable.",
    ):
        assert prose.COST.match(cost)
    for cost in ("Power and heat.", "Some time: a little.", "Memory: 8 MB."[:6]):
        assert not prose.COST.match(cost)


def test_pages_are_read_by_paragraph_without_code_and_tables():
    page = "# It is\n\nOne\ntwo.\n\n- It is.\n\n```\nIt is.\n```\n\n| It is. |\n"
    assert [(text, line) for _, text, line in prose.of_markdown(page)] == [
        ("One two.", 3),
        ("It is.", 6),
    ]


def test_a_fault_has_file_line_form_and_sentence(tmp_path):
    rule = tmp_path / "x.toml"
    rule.write_text(
        'title = "X"\ncost = """\nMore power, \\\nand heat."""\nhistory = "Fine. It is old."\n'
    )
    command = [sys.executable, ROOT / "tools" / "prose.py", rule]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"{rule}:3: a cost of no setting: More power, and heat.",
        f"{rule}:5: begins with a pronoun: It is old.",
    ]


@pytest.fixture(scope="module")
def knowledge():
    return load()


def named(cost):
    """The settings that a cost begins with, if it names any."""
    found = prose.COST.match(cost)
    words = found[0].removesuffix(": ") if found and not cost.startswith("None") else ""
    return (
        []
        if words in ("Set", "Raising it", "Lowering it")
        else words.replace(" or ", ", ").split(", ")
    )


def test_what_a_cost_names_is_a_value_of_its_tunable(knowledge):
    """A number's value may stand for itself; On and Off are the values on and off."""
    costs = [(one, one.cost) for one in knowledge.tunables()]
    costs += [(one, value.cost) for one in knowledge.tunables() for value in one.values]
    for profile in map(knowledge.profile, knowledge.ids("profiles")):
        for advice in profile.advice:
            costs += [(knowledge.tunable(o.tunable), advice.cost) for o in advice.options]
    wrong = []
    for tunable, cost in costs:
        values = {value.name for value in tunable.values}
        for name in filter(None, named(cost)):
            if values and {"On": "on", "Off": "off"}.get(name, name) not in values:
                wrong.append((tunable.id, cost))
    assert not wrong
