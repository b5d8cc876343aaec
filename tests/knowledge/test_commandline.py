"""rules/commandline.toml: who reads which words, and how long a line may be."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import index
from advisor.knowledge.derive import derived
from advisor.knowledge.load import compile_files, rule_files
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge

SOURCE = 'sources = ["vendor https://example.org/manual"]\n'
LIMITS = f"""
[[limit]]
arch = "riscv"
bytes = 1024
{SOURCE}
[[limit]]
arch = "riscv"
bytes = 2048
since = "7.1"
{SOURCE}
"""
READERS = """
[[reader]]
program = "the init of wood"
summary = "Starts trees."
names = ["splash", "grow"]
prefixes = ["tree."]
{reader}
[[reader]]
program = "the root"
summary = "Digs."
prefixes = ["tree.root."]
{reader}
""".format(reader=SOURCE.format("reader"))


@pytest.fixture
def compiled(tmp_path):
    def compile_text(text):
        path = tmp_path / "rules/commandline.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        documents = compile_files(list(rule_files(str(path.parent))), check=True)
        sections = index.sections(documents)
        return Knowledge({**sections, **derived(sections)}), documents

    return compile_text


@pytest.mark.parametrize(
    ("word", "program"),
    [
        ("splash", "the init of wood"),
        ("splashy", None),
        ("tree.leaf", "the init of wood"),
        ("tree.", "the init of wood"),
        ("tree", None),
        ("tree.root.depth", "the root"),
    ],
)
def test_who_reads_a_word(compiled, word, program):
    reader = compiled(READERS)[0].reader(word)
    assert (reader.program if reader else None) == program


def test_the_limits_of_an_architecture(compiled):
    limits = compiled(LIMITS)[0].limits("riscv")
    assert [(limit.bytes, limit.since) for limit in limits] == [(1024, ""), (2048, "7.1")]
    assert compiled(LIMITS)[0].limits("x86") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LIMITS.replace('"7.1"', '"seven"'), "'seven' does not match"),
        (LIMITS.replace("bytes = 1024", "bytes = 0"), "0 is less than the minimum of 1"),
        (READERS.replace('"grow"', '"gr-ow"'), "'gr-ow' does not match"),
        (
            READERS.replace('names = ["splash", "grow"]\nprefixes = ["tree."]', ""),
            "'names' is a required property or 'prefixes'",
        ),
        (LIMITS.replace('since = "7.1"', ""), "'riscv' is defined twice"),
    ],
)
def test_what_is_wrong_is_told(compiled, text, message):
    with pytest.raises(KnowledgeError, match=message):
        compiled(text)


def test_a_word_of_the_kernel_is_for_no_other_reader(compiled):
    _, documents = compiled(READERS)
    sections = {name: dict(one) for name, one in index.sections(documents).items()}
    sections["parameters"] = {"splash": {"name": "splash", "summary": "", "type": "flag"}}
    with pytest.raises(KnowledgeError, match="'splash' is a parameter of the kernel"):
        check_references(Knowledge({**sections, **derived(sections)}), documents)


@pytest.mark.slow
def test_the_built_in_list_is_there(documents):
    assert len(documents.limits) > 5
