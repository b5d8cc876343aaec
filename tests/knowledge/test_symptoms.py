"""rules/symptoms.toml: what people complain of, and what a kernel says to it."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError, UsageError
from advisor.knowledge import lookup
from advisor.knowledge.index import load
from advisor.model.symptom import folded
from tests.cases import each

LEAST = 20


@pytest.fixture(scope="module")
def knowledge():
    return load()


@pytest.fixture(scope="module")
def symptoms(knowledge):
    return lookup.symptoms(knowledge)


def test_there_are_many_each_with_causes_that_can_be_told_apart(symptoms):
    assert len(symptoms) >= LEAST
    for one in symptoms:
        assert len(one.causes) > 1
        assert len({(cause.tunable, cause.tell) for cause in one.causes}) == len(one.causes)
        assert len({cause.tunable for cause in one.causes}) == len(one.causes), one.id
        assert one.sources


def test_a_symptom_is_found_by_every_name_in_any_spelling(symptoms, knowledge):
    for one in symptoms:
        for name in (one.id, *one.names, one.id.replace("-", "_").upper()):
            found = knowledge.symptom(name)
            assert found is not None, name
            assert found.id == one.id


def test_no_symptom_is_called_as_something_else_of_the_rules(symptoms, knowledge):
    for one in symptoms:
        for name in (one.id, *one.names):
            assert name == name.lower()
            with pytest.raises(UsageError):
                lookup.lookup(name, knowledge)


def test_names_are_compared_small_with_spaces():
    assert folded(" Slow_Boot-time ") == "slow boot time"


def test_a_wrong_name_brings_symptoms_to_mind(knowledge):
    for wrong, meant in (("strutter", "stutter"), ("slow bot", "slow boot")):
        with pytest.raises(UsageError) as error:
            lookup.explain(wrong, knowledge)
        assert meant in error.value.hint
    with pytest.raises(UsageError) as error:
        lookup.explain("qqqqqqqq", knowledge)
    assert error.value.hint == "see: kernel-advisor rules, or kernel-advisor explain symptoms"


@each(
    ("text", "wrong"),
    [
        ('tunable = "no-such"', "no tunable 'no-such'"),
        ('tunable = "tick-mode"\nvalues = ["sometimes"]', "tick-mode has no value 'sometimes'"),
    ],
)
def test_lint_refuses_what_does_not_exist(tmp_path, text, wrong):
    (tmp_path / "symptoms.toml").write_text(
        '[[symptom]]\nid = "odd"\ntitle = "Odd"\nfirst = "Look."\nrun = "dmesg"\n'
        'sources = ["code mm/vmstat.c"]\n[[symptom.cause]]\n'
        f'{text}\ntell = "Seen."\nrun = "dmesg"\n'
    )
    (tmp_path / "repository.toml").write_text('kernel = "6.12"\n')
    with pytest.raises(KnowledgeError, match=wrong):
        load([str(tmp_path)])
