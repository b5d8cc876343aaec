"""`rules convert`: tables of examples become lines, and nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import KnowledgeError
from advisor.knowledge import index, module
from advisor.knowledge.catalogue import Catalogue
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files
from advisor.knowledge.violations import OLDER, OLDER_IN, violations
from advisor.lint.convert import convert, converted
from advisor.lint.convertkeys import with_keys
from advisor.lint.lint import lint

OLD = """\
id = "widget"
title = "Widget"
kind = "switch"
summary = "Whether widgets are built."
cost = "Not measured."

[[value]]
name = "on"
set = { WIDGET = "y" }

[[value]]
name = "off"
set = { WIDGET = "n" }

[[source]]
kind = "kconfig"
ref = "init/Kconfig:1"
kernel = "6.12"

[[example]]
config = "CONFIG_WIDGET=y"
effective = "on"

[[example]]
config = "# CONFIG_WIDGET is not set"
effective = "off"
"""
WORDS = "cpu " * 40


HEAD = 'id = "a"\ntitle = "A"\nsummary = "A."\n\n'


def rewritten(kind, text):
    if kind == "profile":
        return rewritten("", HEAD + text).removeprefix(HEAD)
    return converted(file(kind, text))


def file(kind, text):
    name = "widget.toml" if kind else "a.toml"
    return KnowledgeFile(kind or "profile", name, "area", text.encode())


def advice(name, *rest):
    """Advice that the schema takes, whose last key is one of the given ones."""
    keys = [
        'tunable = "x"',
        'stance = "want"',
        'strength = "could"',
        'why = "So."',
        'sources = ["doc a"]',
    ]
    return "\n".join(["[[advice]]", f'id = "{name}"', *keys, *rest, ""])


def example(config, verdict, *rest):
    return "\n".join(
        ["", "[[advice.example]]", f"config = '{config}'", f'verdict = "{verdict}"', *rest, ""]
    )


def test_a_tunable():
    new = rewritten("tunable", OLD)
    sources = 'sources = [\n    "kconfig init/Kconfig@6.12",\n]\n'
    lines = 'examples = [\n    "WIDGET=y -> on",\n    "WIDGET=n -> off",\n]\n\n[[value]]'
    assert f'cost = "Not measured."\n{sources}{lines}' in new
    assert new.endswith('set = { WIDGET = "n" }\n')
    assert rewritten("tunable", new) == new


@pytest.fixture
def older(own):
    """A folder whose rule is of an older form."""
    (own / "rules/area/widget.toml").write_text(OLD)
    return own


@pytest.mark.parametrize("path", ["", "rules", "rules/area/widget.toml"])
def test_an_older_key_is_told_with_the_command_and_goes_with_that(older, path, monkeypatch):
    index.load()  # kept for other runs, so made before the catalogue is another
    seen = Catalogue.seen  # the symbol of the small rule is one that was read
    monkeypatch.setattr(Catalogue, "seen", lambda self, name: seen(self, "PSI"))
    rule = older / "rules/area/widget.toml"
    with pytest.raises(KnowledgeError) as caught:
        lint([str(older / path)])
    command = f"instead (kernel-advisor rules convert {rule})"
    assert caught.value.problems == [
        (f"{rule}:20", f"example: an older key: write a line of `examples` {command}"),
        (f"{rule}:15", f"source: an older key: write a line of `sources` {command}"),
    ]
    assert [one.path for one in convert(str(older / path))] == [str(rule)]
    assert "2 examples" in lint([str(rule)])
    assert convert(str(older / path)) == []


def test_what_has_to_be_rewritten_by_hand_is_told(older):
    rule = older / "rules/area/widget.toml"
    rule.write_text(OLD.replace("CONFIG_WIDGET=y", "WIDGET=y"))
    with pytest.raises(KnowledgeError) as caught:
        convert(str(older))
    ((where, message),) = caught.value.problems
    assert where == f"{rule}:{rule.read_text().split('[[example]]')[0].count(chr(10)) + 1}"
    assert message.endswith(
        "an older key: write a line of `examples` by hand, because no program can convert it"
    )
    assert '"WIDGET=n -> off"' in rule.read_text()


@pytest.mark.parametrize(
    ("had", "has"),
    [
        ('sources = ["doc a"]', '    "doc a",\n    "kconfig init/Kconfig@6.12",\n'),
        ('sources = [\n    "doc a",\n]', '    "doc a",\n    "kconfig init/Kconfig@6.12",\n'),
    ],
)
def test_sources_go_behind_those_that_are_lines(had, has):
    new = rewritten("tunable", OLD.replace("cost", f"{had}\ncost", 1))
    assert f"sources = [\n{has}]\ncost" in new


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ('note = "where it is"', '"kconfig init/Kconfig@6.12 — where it is",'),
        ("note = 'a \"b\"'", "'kconfig init/Kconfig@6.12 — a \"b\"',"),
    ],
)
def test_a_source_keeps_its_note(key, line):
    text = OLD.replace('kernel = "6.12"', f'kernel = "6.12"\n{key}')
    assert f"    {line}\n" in rewritten("tunable", text)


def test_what_decides_becomes_a_note():
    text = OLD.replace('effective = "on"', 'effective = "on"\nby = "WIDGET=y"')
    assert '"WIDGET=y -> on — by WIDGET=y",' in rewritten("tunable", text)


def test_comments_stay_where_they_belong():
    text = (
        advice("a", "# of the key", 'want = ["y"]')
        + example("CONFIG_A=y", "ok", "# within", 'note = "x"  # behind')
        + "\n# of the second\n"
        + example("CONFIG_A=m", "ok").lstrip()
        + "\n# --- what follows ---\n\n"
        + advice("b")
        + "\n# between\n"
        + example("CONFIG_B=y", "ok")
        + "\n# loose\n"
        + example("CONFIG_B=m", "ok").replace("example]]", "example]]  # of the table")
    )
    assert rewritten("profile", text) == (
        advice("a", "# of the key", 'want = ["y"]', "examples = [")
        + '    # within\n    # behind\n    "A=y -> ok — x",\n'
        + '    # of the second\n    "A=m -> ok",\n]\n'
        + "\n# --- what follows ---\n\n"
        + advice("b", "examples = [")
        + '    "B=y -> ok",\n    # loose\n    # of the table\n    "B=m -> ok",\n]\n'
        + "\n# between\n"
    )


def test_the_list_stands_before_other_tables_and_takes_more():
    text = (
        advice("a", 'examples = [\n    "A=n -> change",\n]')
        + example("CONFIG_A=y", "ok")
        + 2 * '\n[[advice.any_of]]\ntunable = "x"\nwant = ["y"]\n'
    )
    new = rewritten("profile", text.replace('tunable = "x"\n', "", 1))
    assert '    "A=n -> change",\n    "A=y -> ok",\n]\n\n[[advice.any_of]]' in new


@pytest.mark.parametrize(
    "text",
    [
        advice("a") + example("A=y", "ok"),  # no line of a configuration
        advice("a", 'example = [{ config = "CONFIG_A=y", verdict = "ok" }]'),
    ],
)
def test_what_has_no_line_stays_as_it_is(text):
    assert rewritten("profile", text) == text


def test_what_is_quoted():
    text = (
        advice("a")
        + example('CONFIG_A="b c"', "ok")
        + example("CONFIG_A=y", "ok", f'note = "{WORDS}x"')
    )
    new = rewritten("profile", text)
    assert """    'A="b c" -> ok',\n    \"\"\"A=y -> ok\n       — cpu""" in new
    assert max(map(len, new.split("\n"))) <= 140


TEXTS = st.text(st.characters(exclude_categories=["C"]), max_size=30)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_any_example_says_the_same(pairs):
    text = advice("a")
    for config, note in pairs:
        quoted = [t.replace("\\", "\\\\").replace('"', '\\"') for t in (config, note)]
        text += example("CONFIG_A=y", "ok", f'cmdline = "{quoted[0]}"', f'note = "x{quoted[1]}"')
    new = tomli.loads(rewritten("profile", text))["advice"][0]
    assert len(new.get("examples", ())) + len(new.get("example", ())) == len(pairs)


def test_no_file_is_written_where_one_is_no_toml(older):
    own = older
    text = (own / "rules/area/widget.toml").read_text()
    (own / "rules/area/wrong.toml").write_text("a = \n")
    with pytest.raises(KnowledgeError) as caught:
        convert(str(own))
    assert caught.value.problems[0][0] == f"{own}/rules/area/wrong.toml:1"
    assert (own / "rules/area/widget.toml").read_text() == text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Widget"', 'titel = "Widget"', "titel: unknown key 'titel'"),
        ("[[value]]", 'examples = ["WIDGET -> on"]\n[[value]]', "examples: WIDGET: write WIDGET=y"),
    ],
)
def test_a_wrong_file_is_told(old, new, message):
    with pytest.raises(KnowledgeError) as caught:
        rewritten("tunable", OLD.replace(old, new, 1))
    assert caught.value.problems[0][1].startswith(message)


# --- the key `module` -----------------------------------------------------------------------------

RULE = OLD.replace('WIDGET = "y"', 'WIDGET = "m"').replace(
    '\n[[source]]\nkind = "kconfig"\nref = "init/Kconfig:1"\nkernel = "6.12"\n', ""
)
SOURCES = f'sources = [\n    "doc a",\n    "{module.SOURCE_OF_FOLDER}",\n]\n'
OFF = """\
[[interpret]]
names = ["on"]
target = "off"
when = '''
WIDGET = m && (boot(nomodule=1) || boot(module_blacklist=widget))'''
why = "the boot line prevents the module widget from being loaded"
"""


def with_interpretation(text=OFF):
    return RULE.replace("\n[[value]]", f"{SOURCES}\n[[value]]", 1) + "\n" + text


def test_the_interpretation_of_a_module_becomes_a_key():
    new = rewritten("tunable", with_interpretation())
    assert "interpret" not in new
    assert 'module = "widget"\nsources = [\n    "doc a",\n]\n' in new
    assert rewritten("tunable", new) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("WIDGET = m", "GIZMO = m"),
        ("nomodule=1", "nopv"),
        ("the module", "its module"),
        ('target = "off"', 'target = "off"  # as it is'),
        ("[[interpret]]", "# Why.\n[[interpret]]"),
        (
            "[[interpret]]",
            '[[interpret]]\ntarget = "on"\nwhen = "WIDGET"\nwhy = "so"\n\n[[interpret]]',
        ),
        ("WIDGET = m", "named && WIDGET = m"),
    ],
)
def test_another_interpretation_stays(old, new):
    assert "[[interpret]]" in rewritten("tunable", with_interpretation(OFF.replace(old, new)))


def test_a_source_in_another_place_stays():
    text = with_interpretation().replace('    "doc a",\n', "")
    new = rewritten("tunable", text)
    assert f'sources = [\n    "{module.SOURCE_OF_FOLDER}",\n]' in new
    assert 'module = "widget"' in new


# --- boot parameters ------------------------------------------------------------------------------

PARAMETER = """\
[[parameter]]
name = "widget"
summary = "Switches widgets."
type = "bool"
status = "obsolete"
obsolete = "5.0"
touches = []
sources = ["code init/main.c"]
examples = ["6.12 | | widget=1 -> parameter-void"]

[[parameter.remark]]
kind = "void"
met = true
says = "gadget does it"

[[parameter.remark]]
kind = "void"
says = "gadget undoes it"
still = true
"""


OLD_KEYS = {
    "tunable": (
        '''exists = "A"  # since when
[[value]]
name = "on"
when = "WIDGET"
boot_when = "B"
"runtime_when" = "C"

[[defaults]]
value = "on"
when = """
A
&& B"""
''',
        '''only_if = "A"  # since when
[[value]]
name = "on"
when = "WIDGET"
boot_only_if = "B"
"runtime_only_if" = "C"

[[defaults]]
value = "on"
only_if = """
A
&& B"""
''',
    ),
    "parameters": (
        """[[parameter]]
name = "nohz_full"
needs = "A"
words = ["x", { word = "when", when = "C" }, {when="D", word = "y"}]

[parameter.list]
refused = "so"

[[parameter.remark]]
when = "needs = \\"when\\""
""",
        """[[parameter]]
name = "nohz_full"
only_if = "A"
words = ["x", { word = "when", only_if = "C" }, {only_if="D", word = "y"}]

[[parameter.remark]]
only_if = "needs = \\"when\\""
""",
    ),
}


@pytest.mark.parametrize("kind", OLD_KEYS)
def test_keys_get_their_names_of_today(kind):
    old, today = OLD_KEYS[kind]
    assert with_keys(kind, old, tomli.loads(old)) == today
    assert with_keys(kind, today, tomli.loads(today)) == today


def test_the_rules_of_a_list_that_the_program_does_not_know_stay():
    text = OLD_KEYS["parameters"][0].replace("nohz_full", "widgets")
    assert "[parameter.list]" in with_keys("parameters", text, tomli.loads(text))


@pytest.mark.parametrize(
    ("key", "new"),
    [
        ('exists = "PSI"', "only_if"),
        ('[[interpret]]\ntarget = "off"\nwhy = "so"\nwhen = "PSI"', "only_if"),
    ],
)
def test_an_older_name_is_told_with_the_one_of_today(own, key, new):
    rule = own / "rules/area/widget.toml"
    text = rule.read_text()
    rule.write_text(f"{key}\n{text}" if "[[" not in key else f"{text}\n{key}\n")
    with pytest.raises(KnowledgeError) as caught:
        lint([str(rule)])
    ((where, message),) = caught.value.problems
    old = key.splitlines()[-1]
    assert where == f"{rule}:{rule.read_text().splitlines().index(old) + 1}"
    command = f"instead (kernel-advisor rules convert {rule})"
    assert message.endswith(f"{old.split()[0]}: an older key: write `{new}` {command}")
    convert(str(rule))
    assert old.replace(old.split()[0], new) in rule.read_text()


def test_the_page_has_each_older_key():
    page = (Path(__file__).parents[2] / "docs/writing-rules.md").read_text()
    table = page.partition("\n## Older forms\n")[2]
    shown = {"example": "[[example]]", "source": "[[source]]"}
    for key, now in OLDER.items():
        row = next(row for row in table.splitlines() if shown.get(key, f"`{key}") in row)
        assert all(word in row for word in re.findall("`(.*?)`", now))


def test_the_page_has_each_older_key_of_a_table():
    page = (Path(__file__).parents[2] / "docs/writing-rules.md").read_text()
    rows = page.partition("\n## Older forms\n")[2].splitlines()
    for key, now in OLDER_IN.items():
        last = key.rpartition(".")[2]
        words = re.findall("`(.*?)`", now)
        found = [row for row in rows if re.search(rf"[`\[.]{last}\b", row)]
        assert any(all(word in row for word in words) for row in found), key


TABLES = [
    (
        "kernel",
        """
# How long.
[[limit]]
arch = "s390"
bytes = 4096  # with the zero
since = "6.1"
symbol = "COMMAND_LINE_SIZE"
sources = ["doc a"]

[[added]]
word = "a=b"
only_if = "present(PSI)"
sources = ["doc a"]

[[fact]]
about = "given"
symbols = [
    "PSI",  # of pressure
]
sources = ["doc a"]
""",
        """
# How long.
[[fact]]
about = "boot-line"
of = "s390 since 6.1"
names = ["COMMAND_LINE_SIZE", "4096"]
only_if = "arch = s390 && kernel >= 6.1"
# with the zero
sources = ["doc a"]

[[fact]]
about = "firmware-word"
of = "a=b"
only_if = "present(PSI)"
sources = ["doc a"]

[[fact]]
about = "given"
names = [
    "PSI",  # of pressure
]
sources = ["doc a"]
""",
    ),
    (
        "components",
        """
[[component]]
id = "a"
title = "a"
anycase = true
names = [
  { name = "capability" },
  # A module.
  { name = "lockdown", only_if = "PSI", waits = true, starts_only_if = "NET" },
  { name = "a-b", only_if = "NET", unless = "boot(a=0) || NET", exclusive = true },
]
sources = ["doc a"]

[[component.place]]
boot = "lsm"
separator = ","
starts = true
otherwise = "so"

[[component.place]]
sysfs = "/sys/a"
ends = ","
otherwise = "so"
""",
        """
[[component]]
id = "a"
title = "a"
exclusive = { a-b = "!(boot(a=0) || NET)" }
waits = { lockdown = "!NET" }
names = { capability = "", lockdown = "PSI", a-b = "NET" }
# A module.
sources = ["doc a"]

[[component.place]]
of = "boot lsm"
form = "NAME,NAME"
otherwise = "so"

[[component.place]]
of = "sysfs /sys/a"
form = "NAME,OPTIONS"
otherwise = "so"
""",
    ),
    (
        "software",
        """id = "widget"
title = "A"
summary = "A."
version = "1"
sources = ["doc a"]

# Of the script.
[[list]]
of = "https://example.org/a"
names = "PSI"

[[unasked]]
names = "PSI"
kind = "obsolete"
after = "6.1"
why = "so"

[[function]]
id = "a"
title = "a"
why = "So."
sources = ["doc a"]
examples = ["PSI=y -> yes", "PSI=n -> no"]

[[function.part]]
name = "control groups"
needs = "PSI"

[[function.part]]
name = "more"
needs = "NET"
""",
        """id = "widget"
title = "A"
summary = "A."
version = "1"
sources = ["doc a"]
# Of the script.
lists = { "https://example.org/a" = "PSI" }

[[unasked]]
names = "PSI"
kind = "obsolete 6.1"
why = "so"

[[function]]
id = "a"
title = "a"
why = "So."
sources = ["doc a"]
examples = ["PSI=y -> yes", "PSI=n -> no"]
needs = { "control groups" = "PSI", more = "NET" }
""",
    ),
    (
        "protections",
        """
[[whole]]
least = 4

[[protection]]
id = "a"
why = "so"
""",
        """
[[protection]]
id = "a"
why = "so"
""",
    ),
]


@pytest.mark.parametrize(("kind", "old", "new"), TABLES)
def test_tables_get_the_form_of_today(kind, old, new):
    assert rewritten(kind, old).strip() == new.strip()
    assert rewritten(kind, new) == new
    with pytest.raises(KnowledgeError) as caught:
        compile_files([file(kind, old)], check=True)
    told = [message for _, message in caught.value.problems]
    assert all("an older key: write " in one for one in told if "is a required" not in one)
    compile_files([file(kind, new)], check=True)


TABLES_OF_KEYS = [
    (
        "tunable",
        f'flag = "b=c"\ndefault = "5"\nparameter = "a"\n{OLD}'
        '\n[[defaults]]\nvalue = "3"\nonly_if = "PSI"\n',
        ('default = { 3 = "PSI", 5 = "" }', 'parameter = ["a", "b=c"]'),
    ),
    (
        "profile",
        f"product = true\n{HEAD}{advice('a')}",
        ('role = "product"',),
    ),
    (
        "parameters",
        """
[[parameter]]
name = "a"
summary = "A."
type = "enum"
words = ["b", { word = "c.d", only_if = "PSI" }]
touches = []
sources = ["doc a"]
""",
        ('words = { b = "", "c.d" = "PSI" }',),
    ),
]


@pytest.mark.parametrize(("kind", "old", "rows"), TABLES_OF_KEYS)
def test_keys_with_conditions_become_tables(kind, old, rows):
    name = "a.toml" if kind == "profile" else "widget.toml"
    new = converted(file(kind, old)._replace(path=name))
    assert all(row in new.splitlines() for row in rows)
    assert converted(file(kind, new)._replace(path=name)) == new


def test_a_long_list_of_an_older_form_is_told_as_one():
    names = ", ".join(f'{{ name = "name-{n}" }}' for n in range(50))
    text = f'[[component]]\nid = "a"\ntitle = "a"\nnames = [{names}]\nsources = ["doc a"]\n'
    text += '\n[[component.place]]\nof = "boot lsm"\notherwise = "so"\n'
    with pytest.raises(KnowledgeError) as caught:
        compile_files([file("components", text)], check=True)
    ((_, message),) = caught.value.problems
    assert "names: an older key: write a table, `[component.names]` instead" in message
    assert '\n[component.names]\nname-0 = ""\n' in rewritten("components", text)


@pytest.mark.parametrize(
    ("kind", "text", "new"),
    [
        ("names", '[[name]]\nuntil = "5.0"', "`only_if` with `kernel >=`"),
        ("names", '[[name]]\nshown_by = ["A"]', "`only_if` with `!present(…)`"),
        ("components", '[[component]]\n[[component.place]]\nfree = ["none"]', "`form = "),
        ("components", "[[component]]\n[[component.place]]\nstays = true", "nothing (the lists"),
        ("tunable", 'until = "7.0"', "`only_if` with `kernel <`"),
        ("tunable", 'runs = "security-module"', "nothing (the component"),
        ("parameters", '[[parameter]]\nstands_for = "LSM"', "nothing (the component"),
        ("parameters", '[[parameter]]\nopen = ["0"]', "a condition of `guards`"),
        ("software", '[[unasked]]\nsources = ["doc a"]', "a line of the program's `sources`"),
    ],
)
def test_a_key_that_is_gone_is_told_with_its_line_and_what_stands_for_it(kind, text, new):
    told = dict(violations(file(kind, text), tomli.loads(text)))
    rows = text.splitlines()
    assert f"an older key: write {new}" in told[f"widget.toml:{len(rows)}"]


def test_what_no_program_converts_is_told_so(tmp_path):
    fact = '[[fact]]\nabout = "huge-pages"\nof = "x86"\nsizes = ["2M"]\nunless = "X86_32"\n'
    path = tmp_path / "rules/kernel.toml"
    path.parent.mkdir()
    path.write_text(f'{fact}sources = ["doc a"]\n')
    with pytest.raises(KnowledgeError) as caught:
        convert(str(path.parent))
    ((where, message),) = caught.value.problems
    assert where == f"{path}:5"
    assert message.endswith(
        "with that condition as `only_if`, by hand, because no program can convert it"
    )
    assert 'names = ["2M"]' in path.read_text()


def test_effects_become_lines():
    tables = """
[[effect]]
record = "cloud-6.12/widget=on"

# Of a cloud.
[[effect]]
numbers = "+5 %"
context = "a | b"
evidence = "vendor"
source = "https://example.org"
"""
    quoted = '"vendor https://example.org | a, b | +5 %"'
    lines = f'# Of a cloud.\neffects = ["record cloud-6.12/widget=on", {quoted}]\n'
    new = rewritten("tunable", f"verified = '6.12'\n{OLD}{tables.replace('a | b', 'a, b')}")
    assert lines in new
    assert "effect]]" not in new
    assert "verified" not in new


def test_marks_of_remarks_become_kinds_and_obsolete_is_enough():
    new = rewritten("parameters", PARAMETER)
    rows = [row for row in PARAMETER.split("\n") if not row.startswith(("status", "met", "still"))]
    expected = "\n".join(rows).replace('kind = "void"', 'kind = "covered"', 1)
    assert new == expected.replace('kind = "void"', 'kind = "partly-void"')
    assert rewritten("parameters", new) == new
    old, today = (
        compile_files([file("parameters", text)], check=False).parameters["widget"]
        for text in (PARAMETER, new)
    )
    assert today == {key: part for key, part in old.items() if key != "status"}


def test_a_status_alone_says_what_no_key_does():
    text = PARAMETER.replace('obsolete = "5.0"\n', "")
    assert 'status = "obsolete"' in rewritten("parameters", text)
