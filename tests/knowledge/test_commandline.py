"""rules/commandline.toml: who reads which words, and how long a line may be."""

from __future__ import annotations

import pytest

from advisor.engine.effective.boot_line import room_of
from advisor.engine.effective.world import World
from advisor.errors import KnowledgeError
from advisor.inputs.config import parse_config
from advisor.knowledge import index
from advisor.knowledge.derive import derived
from advisor.knowledge.files import rule_files
from advisor.knowledge.load import compile_files
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Machine, parse_version
from advisor.model.subject import Subject

SOURCE = 'sources = ["vendor https://example.org/manual"]\n'
LIMITS = f"""
[[fact]]
about = "boot-line"
of = "riscv"
names = ["1024"]
only_if = "arch = riscv"
{SOURCE}
[[fact]]
about = "boot-line"
of = "riscv since 7.1"
names = ["RISCV_LINE", "2048"]
only_if = "arch = riscv && kernel >= 7.1"
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


@pytest.mark.parametrize(
    ("arch", "kernel", "config", "room"),
    [
        ("riscv", "6.12.0", "", 1023),
        ("riscv", None, "", 1023),
        ("riscv", "7.1.0", "", 2047),
        ("riscv", "7.1.0", "CONFIG_RISCV_LINE=512\n", 511),
        ("x86", "7.1.0", "", None),
        (None, "7.1.0", "", None),
    ],
)
def test_how_long_a_line_may_be(compiled, arch, kernel, config, room):
    knowledge = compiled(LIMITS)[0]
    subject = Subject(
        name="config",
        config=parse_config(config, "config", fragment=True),
        machine=Machine(arch=arch),
        kernel=parse_version(kernel) if kernel else None,
    )
    assert room_of(knowledge, World(subject, knowledge)) == room


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LIMITS.replace('"1024"', '"many"'), "'many' does not match"),
        (LIMITS.replace("1024", "0"), "'0' does not match"),
        (READERS.replace('"grow"', '"gr-ow"'), "'gr-ow' does not match"),
        (
            READERS.replace('names = ["splash", "grow"]\nprefixes = ["tree."]', ""),
            "'names' is a required property or 'prefixes'",
        ),
        (LIMITS.replace(" since 7.1", ""), "'boot-line riscv' is defined twice"),
    ],
)
def test_what_is_wrong_is_told(compiled, text, message):
    with pytest.raises(KnowledgeError, match=message):
        compiled(text)


def test_a_word_of_the_kernel_is_for_no_other_reader(compiled):
    _, documents = compiled(READERS)
    sections = {name: dict(one) for name, one in index.sections(documents).items()}
    sections["parameters"] = {"splash": {"name": "splash", "summary": "", "type": "flag"}}
    with pytest.raises(KnowledgeError, match="'splash' is also a parameter of the kernel"):
        check_references(Knowledge({**sections, **derived(sections)}), documents)


@pytest.mark.slow
def test_the_built_in_list_is_there(documents):
    assert len([name for name in documents.facts if name.startswith("boot-line ")]) > 5
