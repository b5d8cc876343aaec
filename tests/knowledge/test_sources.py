"""Sources as lines and as tables, the repository's defaults, and the table of lines."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import sources
from advisor.knowledge.files import profile_files, rule_files
from advisor.knowledge.lines import Lines
from advisor.knowledge.load import built_in_defaults, compile_files
from advisor.knowledge.sources import Defaults
from advisor.model.rules import Source

from ..cases import each

LINES = """\
kernel-advisor-lines 1
release 6.12.117
kernel/sched/core.c\tsched_init\t8400
mm/memory.c\tdo_swap_page\t0
"""


@each(
    ("line", "table"),
    [
        ("kconfig init/Kconfig", {"ref": "init/Kconfig"}),
        ("kconfig init/Kconfig#PSI", {"ref": "init/Kconfig#PSI"}),
        ("code mm/a.c#f:2@6.1.5", {"ref": "mm/a.c#f:2", "kernel": "6.1.5"}),
        ("doc Documentation/x.rst@6.1 — a — b", {"kernel": "6.1", "note": "a — b"}),
        ("vendor https://a.org/#b@6.1 — c", {"ref": "https://a.org/#b@6.1", "note": "c"}),
        ("mail https://lore.kernel.org/r/1@b", {"ref": "https://lore.kernel.org/r/1@b"}),
        ("commit 0123456789ab", {"ref": "0123456789ab"}),
    ],
)
def test_a_line_says_what_a_table_says(line, table):
    found = sources.parse(line)
    assert found["kind"] == line.partition(" ")[0]
    assert {key: found[key] for key in table} == table
    assert set(found) <= {"kind", "ref", *table}


@each(
    ("line", "message"),
    [
        ("book init/Kconfig", "'book' is no kind of source; the kinds are kconfig, code, doc"),
        ("kconfig", "'' is no PATH#ANCHOR@VERSION"),
        ("code init/main.c # start", "is no PATH#ANCHOR@VERSION: write"),
        ("code init/main.c@six", "is no PATH#ANCHOR@VERSION"),
        ("code init/main.c — ", "no note after the dash"),
        ("commit init/main.c", "is not the 12 to 40 digits of a commit's hash"),
        ("vendor example.org", "is not an https:// address, which a vendor needs"),
    ],
)
def test_what_is_no_source_is_told(line, message):
    with pytest.raises(ValueError, match=message):
        sources.parse(line)


def test_the_line_of_an_anchor_is_of_the_release_that_was_read():
    table = Lines(LINES)
    assert table.find("6.12", "kernel/sched/core.c", "sched_init") == ("6.12.117", 8400)
    assert table.find("6.12.117", "kernel/sched/core.c", "sched_init") == ("6.12.117", 8400)
    assert table.find("6.1", "kernel/sched/core.c", "sched_init") is None
    assert table.find("6.12.5", "kernel/sched/core.c", "sched_init") is None
    assert table.find("6.12", "mm/memory.c", "do_swap_page") is None  # a patched file
    assert table.text() == LINES


@pytest.mark.parametrize("text", ["another 1\n", "kernel-advisor-lines 1\nrelease 6.1\na\tb\n"])
def test_a_damaged_table_of_lines_is_told(text):
    with pytest.raises(KnowledgeError, match="makes the file again"):
        Lines(text, "lines.gz")


def test_no_file_is_an_empty_table(tmp_path):
    assert Lines.load(str(tmp_path / "lines.gz")).releases == {}


def test_a_link_opens_at_the_line_of_its_release():
    known = sources.compiled(
        {"kind": "code", "ref": "kernel/sched/core.c#sched_init"},
        Defaults("6.12", "6.12.117", {}),
        Lines(LINES).find,
    )
    assert Source(**known).url.endswith("/kernel/sched/core.c?h=v6.12.117#n8400")
    patched = sources.compiled(
        {"kind": "code", "ref": "mm/memory.c#do_swap_page", "kernel": "6.12"},
        Defaults("7.0", "7.0.1", {}),
        Lines(LINES).find,
    )
    assert Source(**patched).url.endswith("/mm/memory.c?h=v6.12")


RULE = """\
id = "widget"
title = "Widget"
kind = "switch"
summary = "Whether there are widgets."
sources = ["kconfig init/Kconfig", "code init/main.c@5.4 — where they begin"]
examples = ["WIDGET=y -> on", "X=y -> off"]
value = [{ name = "on", set = { WIDGET = "y" } }, { name = "off", set = { WIDGET = "n" } }]
"""


@pytest.fixture
def compiled(tmp_path):
    def compile_rule(text=RULE, repository=None):
        folder = tmp_path / "rules"
        (folder / "area").mkdir(parents=True, exist_ok=True)
        (folder / "area/widget.toml").write_text(text)
        if repository:
            (folder / "repository.toml").write_text(repository)
        return compile_files(list(rule_files(str(folder))), check=True).tunables["widget"]

    return compile_rule


def test_lines_take_the_built_in_kernel(compiled):
    default = built_in_defaults()
    widget = compiled()
    assert [(s["ref"], s["kernel"], s.get("note")) for s in widget["source"]] == [
        ("init/Kconfig", default.kernel, None),
        ("init/main.c", "5.4", "where they begin"),
    ]
    assert "sources" not in widget
    assert widget["verified"] == default.verified


def test_a_folder_of_ones_own_may_say_its_kernel(compiled):
    widget = compiled(repository='kernel = "6.1"\nverified = "6.1.192"\n')
    assert [source["kernel"] for source in widget["source"]] == ["6.1", "5.4"]
    assert widget["verified"] == "6.1.192"


def test_what_it_leaves_open_is_the_built_in_one(compiled):
    widget = compiled(repository='kernel = "6.1"\n')
    assert widget["verified"] == built_in_defaults().verified


@pytest.mark.parametrize(
    ("repository", "message"),
    [('kernel = "six"', "'six' does not match"), ('kernl = "6.1"', "unknown key 'kernl'")],
)
def test_a_wrong_repository_file_is_told(compiled, repository, message):
    with pytest.raises(KnowledgeError, match=message):
        compiled(repository=repository)


def test_a_wrong_line_of_sources_is_told_where_it_stands(compiled):
    text = RULE.replace('["kconfig init/Kconfig", ', '[\n    "kconfig init/Kconfig",\n    ')
    with pytest.raises(KnowledgeError, match=r"widget\.toml:7: sources: 'book' is no kind"):
        compiled(text.replace('"code init', '"book init'))


NAMED = """[conditions]
small-machine = "cpus < 4"
small-guest = "virtual = guest && (small-machine || xen-control-domain)"
"""


def test_a_condition_stands_for_what_its_name_says(compiled):
    text = RULE.replace("value =", 'only_if = "!small-guest"\nvalue =', 1)
    small = ["fact", "cpus", "<", "4"]
    xen = ["&", ["fact", "virtual", "=", "no"], ["fact", "hypervisor", "=", "xen"]]
    guest = ["&", ["fact", "virtual", "=", "guest"], ["|", small, xen]]
    assert compiled(text, NAMED)["only_if"] == ["!", guest]


@pytest.mark.parametrize(
    ("named", "place"),
    [
        (NAMED.replace("cpus < 4", "cpus <"), "repository.toml:2: conditions.small-machine: "),
        (
            NAMED.replace("small-machine =", "tiny-machine ="),
            "repository.toml:3: .*'small-machine'",
        ),
        (NAMED.replace("small-machine", "Small"), "repository.toml:1: conditions: 'Small'"),
    ],
)
def test_what_is_wrong_with_a_named_condition_is_said_where_it_stands(compiled, named, place):
    with pytest.raises(KnowledgeError, match=place):
        compiled(RULE, named)


def test_a_rule_without_any_source_is_told(compiled):
    text = "".join(line for line in RULE.splitlines(True) if not line.startswith("sources"))
    with pytest.raises(KnowledgeError, match="'sources' is a required property"):
        compiled(text)


def test_a_folder_of_profiles_has_a_repository_of_its_own(tmp_path):
    (tmp_path / "repository.toml").write_text('kernel = "6.1"\n')
    (tmp_path / "mine.toml").write_text(
        'id = "mine"\ntitle = "Mine"\nsummary = "Mine."\n[[advice]]\nid = "psi"\n'
        'tunable = "psi"\nstance = "neutral"\nstrength = "could"\nwhy = "Mine."\n'
        'sources = ["kconfig init/Kconfig"]\n'
    )
    documents = compile_files(list(profile_files(str(tmp_path))), check=True)
    assert documents.profiles["mine"]["advice"][0]["source"][0]["kernel"] == "6.1"
