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


@each(
    ("typed", "meant", "first"),
    [
        ("Operation not permitted", "not-permitted", "rt-group-sched"),
        ("chrt", "no-realtime", "rt-group-sched"),
        ("SCHED_RR", "no-realtime", "rt-group-sched"),
        ("Cannot allocate memory", "cannot-allocate", "map-count-limit"),
        ("mmap", "cannot-allocate", "map-count-limit"),
        ("Unknown kernel command line parameters", "unknown-boot-words", "split-lock-mitigation"),
    ],
)
def test_the_words_of_an_error_lead_to_its_cause(knowledge, typed, meant, first):
    found = lookup.explain(typed, knowledge)
    assert (found.symptom.id, found.suspects[0].tunable.id) == (meant, first)


@each(
    ("typed", "meant"),
    [
        ("audio crackles", "audio-crackle"),
        ("high pings", "high-ping"),
        ("system freezes", "freeze"),
        ("clocksource: Marking clocksource 'tsc' as unstable", "clock-drift"),
        ("sched: RT throttling activated", "no-realtime"),
        ("watchdog: BUG: soft lockup - CPU#3 stuck for 22s!", "cpu-stuck"),
    ],
)
def test_plurals_and_lines_of_the_log(knowledge, typed, meant):
    assert lookup.explain(typed, knowledge).symptom.id == meant


def test_a_word_that_the_kernel_lists_as_unknown_and_follows(knowledge):
    """damentz/liquorix-package#223: arch/x86/kernel/cpu/intel.c searches the line for it."""
    known = lookup.explain("split_lock_detect", knowledge)
    assert known.searched == ("5.7.14", "7.0.0")
    assert lookup.explain("quiet", knowledge).searched is None  # also an early_param()


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
