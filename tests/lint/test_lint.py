"""`lint` refuses knowledge without examples, and examples that do not hold."""

from __future__ import annotations

import re

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import folders
from advisor.knowledge.catalogue import Catalogue
from advisor.lint.lint import lint

RULE = "rules/area/widget.toml"
WISHES = "profiles/widgets.toml"
FIRST, SECOND = '    "WIDGET=y -> on",\n', '    "WIDGET=n -> off",\n'
OK, CHANGE = '    "WIDGET=y -> ok",\n', '    "WIDGET=n -> change",\n'
OF_RULE = f"examples = [\n{FIRST}{SECOND}]\n"
OF_ADVICE = f"examples = [\n{OK}{CHANGE}]\n"
ELSE = 'otherwise = "Whoever needs widgets: there are none."\n'


@pytest.fixture(autouse=True)
def _widget_is_known(monkeypatch):
    """The symbol of the small rule is one of the kernels that were read."""
    seen = Catalogue.seen
    known = {"WIDGET": "PSI", "GIZMO": "PSI"}
    monkeypatch.setattr(Catalogue, "seen", lambda self, name: seen(self, known.get(name, name)))


def problems(own):
    """What is wrong, without the line, which tests of load.py look at."""
    with pytest.raises(KnowledgeError) as caught:
        lint([str(own)])
    return [
        f"{where.removeprefix(f'{own}/').rpartition(':')[0]}: {message}"
        for where, message in caught.value.problems
    ]


def test_what_is_right_is_counted(own):
    assert lint([str(own)]) == "1 tunables, 0 parameters, 1 profiles, 4 examples: all right"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (RULE, OF_RULE, "", "'examples' is a required property"),
        (RULE, "-> off", "-> on", "example 2: the effective value is 'off', not 'on'"),
        (RULE, "-> on", "-> ?", "example 1: the effective value is 'on', not ''"),
        (RULE, "WIDGET=n ->", "6.x1.y | WIDGET=n ->", "examples: '6.x1.y' is no fact"),
        (WISHES, OK, "", "advice 'widget' has no example with the verdict 'ok'"),
        (WISHES, CHANGE, "", "advice 'widget' has no example with the verdict 'change'"),
        (
            WISHES,
            CHANGE,
            CHANGE + CHANGE.replace("-> change", "-> blocked"),
            "advice 'widget': example 3: the verdict is 'change', not 'blocked'; "
            "the present value is 'off'",
        ),
    ],
)
def test_a_wrong_or_missing_example(own, edit, name, old, new, message):
    edit(own / name, old, new)
    (found,) = problems(own)
    assert re.sub(r"(\.toml):\d+", r"\1", found).startswith(f"{name}: {message}")


def test_an_advice_without_any_example(own, edit):
    edit(own / WISHES, OF_ADVICE, "")
    assert problems(own) == [
        f"{WISHES}: advice 'widget' has no example with the verdict {verdict!r}"
        for verdict in ("change", "ok")
    ]


def test_a_wrong_example_is_also_a_missing_one(own, edit):
    edit(own / WISHES, "-> change", "-> ok")
    assert problems(own) == [
        f"{WISHES}: advice 'widget' has no example with the verdict 'change'",
        f"{WISHES}: advice 'widget': example 2: the verdict is 'change', not 'ok'; "
        "the present value is 'off'",
    ]


def test_examples_of_all_files_at_once(own, edit):
    edit(own / RULE, SECOND, SECOND.replace("=n", "=y"))
    edit(own / RULE, FIRST, FIRST.replace("-> on", "-> off"))
    edit(own / WISHES, OK, "")
    found = problems(own)
    assert [problem.partition(": ")[0] for problem in found] == [RULE, RULE, WISHES]


def test_neutral_advice_needs_no_example(own, edit):
    edit(own / WISHES, OF_ADVICE, "")
    edit(own / WISHES, 'stance = "want"', 'stance = "neutral"')
    edit(own / WISHES, ELSE, "")
    assert lint([str(own)]).endswith("2 examples: all right")


@pytest.mark.parametrize("verdict", ["unknown", "ok"])
def test_advice_for_run_time_only_is_unknown(own, edit, verdict):
    edit(own / RULE, 'set = { WIDGET = "y" }', 'sysfs = { "/sys/kernel/mm/ksm/run" = "1" }')
    edit(own / RULE, 'set = { WIDGET = "n" }', 'sysfs = { "/sys/kernel/mm/ksm/run" = "0" }')
    edit(own / RULE, "-> on", "-> ?")
    edit(own / RULE, "-> off", "-> ?")
    edit(own / WISHES, OK + CHANGE, OK.replace("-> ok", f"-> {verdict}"))
    if verdict == "unknown":
        assert lint([str(own)]).endswith("3 examples: all right")
    else:
        assert len(problems(own)) == 2


def test_folders_of_one_kind(own):
    rules, profiles = str(own / "rules"), str(own / "profiles")
    assert lint([rules]) == "1 tunables, 0 parameters, 0 profiles, 2 examples: all right"
    assert lint([rules, profiles]) == lint([str(own)])
    assert lint([rules, profiles + "/"]) == lint([str(own)])


def test_references_come_before_examples(own, edit, monkeypatch):
    """A profile without its rule is a wrong profile, not a crash, for the built-in ones too."""
    edit(own / WISHES, 'tunable = "widget"', 'tunable = "gizmo"')
    roots = (str(own / "rules"), str(own / "profiles"), str(own / "index.json"))
    monkeypatch.setattr(folders, "roots", lambda: roots)
    with pytest.raises(KnowledgeError) as caught:
        lint([])
    ((where, message),) = caught.value.problems
    assert where == f"{own / WISHES}:6"
    assert message.startswith("advice 'widget': there is no tunable 'gizmo'")


def test_a_wrong_example_is_told_at_its_line(own, edit):
    edit(own / RULE, SECOND, '    # why\n    """WIDGET=n\n       -> on""",\n')
    edit(own / WISHES, "-> change", "-> ok")
    edit(own / WISHES, OK, f"{OK}{OK}")
    with pytest.raises(KnowledgeError) as caught:
        lint([str(own)])
    assert [where for where, _ in caught.value.problems] == [
        f"{own / RULE}:11",
        f"{own / WISHES}:6",
        f"{own / WISHES}:17",
    ]


def test_the_command(own, edit, run_inside):
    result = run_inside("lint", own)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout == "1 tunables, 0 parameters, 1 profiles, 4 examples: all right\n"
    edit(own / RULE, "-> off", "-> on")
    result = run_inside("lint", own)
    assert (result.code, result.stdout) == (4, "")
    assert result.stderr == (
        f"kernel-advisor: {own / RULE}:10: example 2: the effective value is 'off', not 'on'\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (ELSE, "", "advice 'widget' is a `must`, but does not say in `otherwise` what goes wrong"),
        (
            ELSE,
            'otherwise = "There are none."\n',
            "advice 'widget': `otherwise` must name who is harmed, then a colon, then how",
        ),
        (
            f'strength = "must"\nwant = ["on"]\nwhy = "Widgets are needed."\n{ELSE}',
            'strength = "should"\nwant = ["on"]\nwhy = "x"\npractice = "They cost."\n',
            "advice 'widget' says in `practice` why most kernels differ, but not in `otherwise` "
            "what goes wrong in them",
        ),
        (
            f'want"\nstrength = "must"\nwant = ["on"]\nwhy = "Widgets are needed."\n{ELSE}',
            f'neutral"\nstrength = "could"\nwhy = "x"\npractice = "They cost."\n{ELSE}',
            "advice 'widget' is neutral: remove `practice`",
        ),
    ],
)
def test_strong_advice_answers_what_goes_wrong_and_for_whom(own, edit, old, new, message):
    edit(own / WISHES, old, new)
    assert problems(own) == [f"{WISHES}: {message}"]


# --- files ----------------------------------------------------------------------------------------


def test_a_file_is_checked_by_itself(own):
    (own / "rules/area/other.toml").write_text("wrong = ")
    assert lint([str(own / RULE)]) == "1 tunables, 0 parameters, 0 profiles, 2 examples: all right"
    assert lint([str(own / WISHES), str(own / RULE)]).startswith("1 tunables, 0 parameters, 1 prof")
    with pytest.raises(KnowledgeError, match="is no TOML"):
        lint([str(own)])


def test_only_what_is_wrong_with_the_file_is_told(own, edit):
    edit(own / RULE, "-> off", "-> on")
    edit(own / WISHES, CHANGE, "")
    with pytest.raises(KnowledgeError) as caught:
        lint([str(own / WISHES)])
    ((where, message),) = caught.value.problems
    assert where.startswith(f"{own}/{WISHES}:")
    assert "has no example with the verdict 'change'" in message


def test_a_file_knows_its_neighbours_and_the_built_in_rules(own, edit):
    edit(own / WISHES, 'tunable = "widget"', 'tunable = "wigdet"')
    with pytest.raises(KnowledgeError, match=r"no tunable 'wigdet'\. did you mean widget"):
        lint([str(own / WISHES)])
    edit(own / WISHES, 'tunable = "wigdet"', 'tunable = "psi"')
    with pytest.raises(KnowledgeError, match="this kernel does not offer PSI"):
        lint([str(own / WISHES)])


def test_a_file_may_be_named_twice(own):
    twice = [str(own / RULE), f"{own}/./{RULE}"]
    assert lint(twice) == "1 tunables, 0 parameters, 0 profiles, 2 examples: all right"


def test_a_file_of_no_folder_of_rules(own, tmp_path):
    (own / RULE).rename(tmp_path / "widget.toml")
    assert "1 tunables" in lint([str(tmp_path / "widget.toml")])
    (own / WISHES).rename(tmp_path / "widgets.toml")
    with pytest.raises(KnowledgeError, match="advice 'widget': there is no tunable 'widget'"):
        lint([str(tmp_path / "widgets.toml")])


@pytest.mark.slow
def test_a_built_in_file_is_checked_with_the_others():
    path = f"{folders.roots()[0]}/debug/bpf-jit.toml"
    assert lint([path]).startswith("1 tunables, 0 parameters, 0 profiles")


def test_an_unknown_key_has_its_line_and_a_suggestion(own, edit, run_inside):
    edit(own / RULE, 'set = { WIDGET = "y" }', 'requirse = "X"\nset = { WIDGET = "y" }')
    number = (own / RULE).read_text().split("\n").index('requirse = "X"') + 1
    told = run_inside("lint", own / RULE)
    assert told.code == 4
    message = "value.0.requirse: unknown key 'requirse'; did you mean requires?"
    assert told.stderr == f"kernel-advisor: own/{RULE}:{number}: {message}\n"
