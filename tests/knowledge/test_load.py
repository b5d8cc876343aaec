"""Rule files that are wrong: each problem with its file and line, and all of them at once."""

from __future__ import annotations

import re

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import index
from advisor.knowledge.files import profile_files, rule_files
from advisor.knowledge.load import compile_files

PARAMETER = """\
[[parameter]]
name = "widget"
summary = "Switches widgets."
type = "enum"
words = ["on", "off"]
sources = ["code init/main.c@6.12"]
"""
NAME = """\
[[name]]
name = "gizmo"
kind = "symbol"
history = "What widgets were called."
today = "WIDGET."
sources = ["code init/main.c@6.12"]
"""
RENAME = """\
[[rename]]
old = "GIZMO"
new = "WIDGET"
since = "6.0"
"""


def put(own, name, text):
    path = own / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def schema_problems(own):
    """The problems of all these files, their paths relative to the folder."""
    files = [*rule_files(str(own / "rules")), *profile_files(str(own / "profiles"))]
    with pytest.raises(KnowledgeError) as caught:
        compile_files(files, check=True)
    return [(where.removeprefix(f"{own}/"), message) for where, message in caught.value.problems]


def reference_problems(own):
    """Likewise, with what index.load asks beyond the schema."""
    with pytest.raises(KnowledgeError) as caught:
        index.load([str(own / "rules")], [str(own / "profiles")])
    return [(where.removeprefix(f"{own}/"), message) for where, message in caught.value.problems]


def line_at(own, where):
    path, _, line = where.rpartition(":")
    return (own / path).read_text("utf-8", "replace").splitlines()[int(line) - 1]


RULE = "rules/area/widget.toml"
REPOSITORY = "rules/repository.toml"
WISHES = "profiles/widgets.toml"


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "message"),
    [
        (RULE, "cost", "x-y = 1\ncost", "x-y = 1", "x-y: unknown key 'x-y'; the known"),
        (RULE, 'name = "off"', 'name = "off"\nco = 1', "co = 1", "value.1.co: unknown key"),
        (RULE, 'kind = "switch"', "kind = 5", "kind = 5", "kind: 5 is not one of"),
        (RULE, 'kind = "switch"', 'kind = "s"', 'kind = "s"', "kind: 's' is not one of"),
        (RULE, "{ WIDGET = \"n\" }", "[]", "set = []", "value.1.set: "),
        (RULE, "{ WIDGET = \"n\" }", "7", "set = 7", "value.1.set: the value matches none of"),
        (RULE, '"kconfig', '"see', 'sources = ["see init/Kconfig@6.12"]', "sources: 'see' is no"),
        (RULE, '"WIDGET=n -> off"', "1", "    1,", "examples.1: 1 is not of type"),
        (RULE, 'title = "Widget"\n', "", 'id = "widget"', "'title' is a required property"),
        (RULE, 'id = "widget"', 'id = "wodget"', 'id = "wodget"', "the file's name, 'widget'"),
        (WISHES, 'id = "widgets"', 'id = "wishes"', 'id = "wishes"', "file's name, 'widgets'"),
        (WISHES, '"must"', '"shall"', 'strength = "shall"', "advice.0.strength: 'shall'"),
        (WISHES, 'want = ["on"]', 'wnt = ["on"]', 'wnt = ["on"]', "advice.0.wnt: unknown key"),
        (WISHES, 'want = ["on"]', 'want = "on"', 'want = "on"', "advice.0.want: 'on' is not of"),
        (WISHES, "-> change", "-> no", '    "WIDGET=n -> no",', "examples: 'no' is no verdict"),
        (RULE, "cost", 'only_if = "A &&"\ncost', 'only_if = "A &&"', "only_if: the cond"),
        (RULE, 'name = "off"', 'name = "off"\nwhen = "(A"', 'when = "(A"', "when: the parenthesis"),
        (RULE, 'name = "off"', 'name = "off"\nrequires = "a b"', 'requires = "a b"', "requires: "),
        (RULE, '"on"', '"on"\nboot_only_if = "A ="', 'boot_only_if = "A ="', "the comparison"),
        (WISHES, 'why =', 'only_if = "cpus"\nwhy =', 'only_if = "cpus"', "needs a comparison"),
        (WISHES, 'why =', 'unless = "x > 1"\nwhy =', 'unless = "x > 1"', "no symbol, fact or"),
        (RULE, 'title = "Widget"', "title = Widget", "title = Widget", "is no TOML"),
        (RULE, 'title = "Widget"', 'title = "Widget', 'title = "Widget', "is no TOML"),
        (RULE, 'kind = "switch"', 'id = "again"', 'id = "again"', "is no TOML"),
        (REPOSITORY, '"6.12"', '"6.12\\n"', 'kernel = "6.12\\n"', "kernel: '6.12\\n' does not"),
        (REPOSITORY, '"6.12"', f'"6.{"9" * 5000}"', f'kernel = "6.{"9" * 5000}"', "kernel: '6.99"),
    ],
)  # fmt: skip
def test_a_problem_is_told_with_its_line(own, edit, name, old, new, line, message):
    edit(own / name, old, new)
    ((where, told),) = schema_problems(own)
    assert where.startswith(f"{name}:")
    assert message in told
    assert line_at(own, ":".join(where.split(":")[:2])) == line


def test_a_file_that_is_not_utf8(own):
    path = own / RULE
    path.write_bytes(path.read_bytes().replace(b'"Widget"', b'"Wi\xffget"'))
    assert schema_problems(own) == [(f"{RULE}:2", "is not UTF-8")]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("rules/parameters/a.toml", PARAMETER, 'name = "widget"'),
        ("rules/names.toml", NAME, 'name = "gizmo"'),
        ("rules/lifecycle.toml", RENAME, 'old = "GIZMO"'),
    ],
)
def test_an_entry_that_stands_twice(own, name, text, line):
    put(own, name, f"{text}\n{text}")
    ((where, told),) = schema_problems(own)
    assert re.search(rf"'\w+' is defined twice, first in .*/{name}:[12]$", told)
    assert (own / name).read_text().count(line) == 2
    lines = (own / name).read_text().splitlines()
    # The line itself, or the header above it.
    assert lines.index(line) < int(where.rpartition(":")[2]) - 1
    assert line in lines[int(where.rpartition(":")[2]) - 1 :][:2]


def test_a_parameter_that_stands_in_two_files(own):
    put(own, "rules/parameters/a.toml", PARAMETER)
    put(own, "rules/parameters/b.toml", PARAMETER)
    ((where, told),) = schema_problems(own)
    assert where == "rules/parameters/b.toml:1"
    assert told.endswith("/rules/parameters/a.toml:1")


def test_an_id_that_stands_in_two_folders(own):
    put(own, "rules/other/widget.toml", (own / RULE).read_text())
    ((where, told),) = schema_problems(own)
    assert where == "rules/other/widget.toml:1"
    assert told.startswith("'widget' is defined twice, first in ")
    assert told.endswith(f"/{RULE}:1")


def test_all_problems_of_all_files_at_once(own, edit):
    rule = (own / RULE).read_text()
    edit(own / RULE, 'kind = "switch"', "kind = 5")
    edit(own / RULE, 'name = "on"', "name = 1")
    edit(own / RULE, 'title = "Widget"', 'titel = "Widget"')
    edit(own / WISHES, '"must"', '"shall"')
    put(own, "rules/area/broken.toml", "x = = 1")
    put(own, "rules/area/conditions.toml", rule.replace('id = "widget"', 'id = "conditions"'))
    edit(own / "rules/area/conditions.toml", 'name = "on"', 'name = "on"\nwhen = "A B"')
    edit(own / "rules/area/conditions.toml", 'name = "off"', 'name = "off"\nwhen = "!"')
    (own / "rules/area/latin.toml").write_bytes(b'id = "latin"\ntitle = "\xe4"\n')
    found = schema_problems(own)
    assert [where for where, _ in found] == [
        "rules/area/broken.toml:1",
        "rules/area/conditions.toml:15",
        "rules/area/conditions.toml:20",
        "rules/area/latin.toml:2",
        f"{RULE}:1",  # no title
        f"{RULE}:2",  # but a titel
        f"{RULE}:3",
        f"{RULE}:14",
        f"{WISHES}:9",
    ]


@pytest.mark.slow
def test_the_command_shows_each_problem_on_a_line(own, edit, run_inside, widgets, make_config):
    make_config()
    edit(own / RULE, 'kind = "switch"', "kind = 5")
    edit(own / WISHES, '"must"', '"shall"')
    result = run_inside("audit", "config", *widgets)
    assert (result.code, result.stdout) == (4, "")
    first, second = result.stderr.splitlines()
    assert first.startswith(f"kernel-advisor: own/{RULE}:3: kind: 5 is not one of")
    assert second.startswith(f"kernel-advisor: own/{WISHES}:9: advice.0.strength: 'shall'")


# --- names that lead nowhere ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (WISHES, 'tunable = "widget"', 'tunable = "wigdet"', "did you mean widget?"),
        (WISHES, 'tunable = "widget"', 'tunable = "qqq"', "no tunable 'qqq'."),
        (WISHES, 'want = ["on"]', 'want = ["maybe"]', "no value 'maybe', only on, off"),
        (WISHES, 'want = ["on"]', 'want = []', "the stance `want` needs a list `want`"),
        (WISHES, '"want"', '"avoid"', "the stance `avoid` needs a list `avoid`"),
        (WISHES, 'why =', 'only_if = "qq-q = on"\nwhy =', "'qq-q', which is no tunable."),
        (WISHES, 'why =', 'only_if = "tick-mode = x"\nwhy =', "'x', which is no value of the"),
        (WISHES, 'why =', 'only_if = "boot(qqq=1)"\nwhy =', "'qqq=1': the parameter qqq is not in"),
        (WISHES, 'summary =', 'extends = ["diagnose"]\nsummary =', "did you mean diagnosis?"),
        (WISHES, 'summary =', 'extends = ["qqq"]\nsummary =', "'qqq', which is no profile."),
        (RULE, 'cost =', 'only_if = "qq-q = on"\ncost =', "'qq-q', which is no tunable."),
        (RULE, 'cost =', 'default = "maybe"\ncost =', "'maybe', which is no value of"),
        (RULE, 'name = "on"', 'name = "yes"', "a switch needs the values `on` and `off`"),
        (RULE, 'name = "on"', 'name = "on"\nboot = ["qqq=1"]', "the parameter qqq is"),
        (RULE, 'name = "on"', 'name = "on"\nboot = ["preempt=soft"]', "preempt "
            "accepts only none, "),
        (RULE, 'name = "on"', 'name = "on"\nreads = [["qqq"]]', "'qqq': the parameter qqq is not"),
        (RULE, 'name = "on"', 'name = "off"', "value 'off' is defined twice"),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere(own, edit, name, old, new, message):
    edit(own / name, old, new)
    found = reference_problems(own)
    assert {where.rpartition(":")[0] for where, _ in found} <= {name, WISHES}
    (told,) = [told for where, told in found if message in told]
    assert told == told.strip()


@pytest.mark.parametrize(
    ("condition", "problem"),
    [
        ('only_if = "widget = off"', "no longer applies once widget has the wanted value 'on'"),
        ('only_if = "widget != on"', "no longer applies once widget has the wanted value 'on'"),
        ('unless = "widget = on"', "no longer applies once widget has the wanted value 'on'"),
        ('only_if = "widget = on"', "exclude every unwanted value of widget"),
        ('only_if = "cpus > 1 && widget = on"', "exclude every unwanted value of widget"),
    ],
)
def test_advice_that_rests_on_what_it_asks_for(own, edit, condition, problem):
    edit(own / WISHES, "why =", f"{condition}\nwhy =")
    ((where, told),) = reference_problems(own)
    assert where.startswith(WISHES)
    assert problem in told


@pytest.mark.parametrize("condition", ["cpus > 1 || widget = on", "!(cpus = 1 && widget = off)"])
def test_advice_may_count_what_is_as_wanted_already(own, edit, condition):
    edit(own / WISHES, "why =", f'only_if = "{condition}"\nwhy =')
    index.load([str(own / "rules")], [str(own / "profiles")])


def test_profiles_that_extend_each_other(own, edit):
    text = (own / WISHES).read_text()
    put(own, "profiles/gizmos.toml", text.replace('id = "widgets"', 'id = "gizmos"'))
    edit(own / "profiles/gizmos.toml", "summary =", 'extends = ["widgets"]\nsummary =')
    edit(own / WISHES, "summary =", 'extends = ["gizmos"]\nsummary =')
    ((where, told),) = reference_problems(own)
    assert where == "profiles/gizmos.toml:1"
    assert told == "its profiles in `extends` form a circle: gizmos -> widgets -> gizmos"


def test_a_profile_that_extends_itself(own, edit):
    edit(own / WISHES, "summary =", 'extends = ["widgets"]\nsummary =')
    ((where, told),) = reference_problems(own)
    assert (where, told) == (
        f"{WISHES}:1",
        "its profiles in `extends` form a circle: widgets -> widgets",
    )


def test_tunables_whose_conditions_ask_each_other(own, edit):
    text = (own / RULE).read_text()
    for name, asked in (
        ("a-widget", "b-widget"),
        ("b-widget", "c-widget"),
        ("c-widget", "a-widget"),
    ):
        path = put(own, f"rules/area/{name}.toml", text.replace('"widget"', f'"{name}"'))
        edit(path, "cost =", f'only_if = "WIDGET && !({asked} = off)"\ncost =')
    ((where, told),) = reference_problems(own)
    assert where == "rules/area/a-widget.toml:1"
    assert told.endswith("form a circle: a-widget -> b-widget -> c-widget -> a-widget")


def test_a_chain_of_conditions_is_no_circle(own, edit):
    text = (own / RULE).read_text()
    for name, asked in (
        ("a-widget", "c-widget"),
        ("b-widget", "c-widget"),
        ("c-widget", "tick-mode"),
    ):
        value = "idle" if asked == "tick-mode" else "off"
        path = put(own, f"rules/area/{name}.toml", text.replace('"widget"', f'"{name}"'))
        edit(path, "cost =", f'only_if = "!({asked} = {value})"\ncost =')
    assert index.load([str(own / "rules")]).tunable("a-widget").title == "Widget"


# --- folders of one's own -------------------------------------------------------------------------


def test_own_knowledge_stands_beside_the_built_in_one(own):
    built_in = index.load()
    both = index.load([str(own / "rules")], [str(own / "profiles")])
    for section, name in (("tunables", "widget"), ("profiles", "widgets")):
        assert set(both.ids(section)) == {*built_in.ids(section), name}
    assert both.tunable("widget").area == "area"
    assert both.tunable("timer-frequency") == built_in.tunable("timer-frequency")


def test_own_knowledge_replaces_the_built_in_one(own, edit):
    put(own, "rules/timer-frequency.toml", (own / RULE).read_text())
    edit(own / "rules/timer-frequency.toml", 'id = "widget"', 'id = "timer-frequency"')
    put(own, "profiles/diagnosis.toml", (own / WISHES).read_text())
    edit(own / "profiles/diagnosis.toml", 'id = "widgets"', 'id = "diagnosis"')
    put(own, "rules/parameters/mine.toml", PARAMETER.replace('"widget"', '"quiet"'))
    both = index.load([str(own / "rules")], [str(own / "profiles")])
    assert both.tunable("timer-frequency").title == "Widget"
    assert both.tunable("timer-frequency").area == "local"
    assert [advice.id for advice in both.profile("diagnosis").advice] == ["widget"]
    assert both.parameter("quiet").summary == "Switches widgets."
    assert index.load().tunable("timer-frequency").title == "Timer frequency (HZ)"


def test_a_profile_extends_a_built_in_one(own, edit):
    built_in = index.load().profile("power-saving")
    edit(own / WISHES, "summary =", 'extends = ["power-saving"]\nsummary =')
    edit(own / WISHES, 'id = "widget"\n', 'id = "timer-tick"\n')
    extended = index.load([str(own / "rules")], [str(own / "profiles")]).profile("widgets")
    assert {advice.profile for advice in extended.advice} == {"widgets"}
    names = [advice.id for advice in extended.advice]
    assert names == [*(a.id for a in built_in.advice if a.id != "timer-tick"), "timer-tick"]


def test_a_profile_overrides_an_inherited_advice(own, edit):
    inherited = index.load().profile("power-saving").advice[0].id
    edit(own / WISHES, "summary =", 'extends = ["power-saving"]\nsummary =')
    edit(own / WISHES, 'id = "widget"\n', f'id = "{inherited}"\n')
    extended = index.load([str(own / "rules")], [str(own / "profiles")]).profile("widgets")
    (advice,) = [advice for advice in extended.advice if advice.id == inherited]
    assert [option.tunable for option in advice.options] == ["widget"]


def test_the_same_id_in_two_given_folders_is_no_silent_winner(own, tmp_path):
    other = put(tmp_path / "other", RULE, (own / RULE).read_text())
    with pytest.raises(KnowledgeError) as caught:
        index.load([str(own / "rules"), str(other.parent)])
    ((where, told),) = caught.value.problems
    assert where == f"{other}:1"
    assert told == f"'widget' is defined twice, first in {own / RULE}:1"


def test_files_that_are_no_toml_are_left_alone(own):
    put(own, "rules/area/README.md", "= no TOML =")
    put(own, "rules/area/widget.toml.orig", "= no TOML =")
    assert index.load([str(own / "rules")]).tunable("widget").title == "Widget"


@pytest.mark.slow
def test_a_rule_is_data_and_runs_nothing(own, edit, run_command, tmp_path):
    code = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    for name in ("__init__.py", "widget.py", "conftest.py", "sitecustomize.py"):
        put(own, f"rules/{name}", code)
        put(own, f"rules/area/{name}", code)
    text = "$(touch ran) `touch ran` ${HOME} {cpus} {0.__class__} %(id)s %s {{ id }}"
    edit(own / RULE, '"Whether widgets are built."', f'"{text}"')
    result = run_command("explain", "widget", "--rules", own / "rules", cwd=own / "rules")
    assert (result.code, result.stderr) == (0, "")
    assert text in " ".join(result.stdout.split())
    assert not (tmp_path / "ran").exists()
    assert not (own / "rules" / "ran").exists()


@pytest.mark.parametrize("command", ["explain", "audit", "rules", "profiles"])
def test_a_rule_cannot_steer_the_terminal(own, edit, run_inside, make_config, widgets, command):
    hostile = r"\u001b[2J\u001b]0;owned\u0007 \u202etxt"
    for path, old in (
        (own / RULE, 'title = "Widget"'),
        (own / WISHES, 'title = "Widgets"'),
    ):
        edit(path, old, f'title = "{hostile}"')
    edit(own / WISHES, '"Widgets are needed."', f'"{hostile}"')
    make_config("# CONFIG_WIDGET is not set")
    words = {
        "explain": ["explain", "widget", *widgets[:4]],
        "audit": ["audit", "config", "--verbose", *widgets],
        "rules": ["rules", "show", "widget", *widgets[:2]],
        "profiles": ["profiles", "show", "widgets", *widgets[:4]],
    }[command]
    result = run_inside(*words)
    assert result.code in (0, 1)
    assert r"\x1b[2J" in result.stdout
    assert [c for c in result.stdout if not c.isprintable() and c != "\n"] == []
