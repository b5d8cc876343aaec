"""A parameter's `touches` and what the tunables read are one list."""

from __future__ import annotations

import functools

import pytest

from advisor.knowledge import index
from advisor.knowledge.derive import derived
from advisor.knowledge.documents import Documents
from advisor.knowledge.store import Knowledge
from advisor.lint import causes
from advisor.lint.causes import check_causes, readers


@pytest.fixture(scope="module")
def built_in(documents):
    """The built-in rules, of which it is found out once what reads each parameter."""
    sections = index.sections(documents)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(causes, "readers", functools.cache(readers))
        yield Knowledge({**sections, **derived(sections)}), documents


def refused(built_in, **changed):
    """What is refused where parameters said this of themselves; None is nothing at all."""
    knowledge, documents = built_in
    touches = {**documents.touches, **changed}
    touches = {name: tunables for name, tunables in touches.items() if tunables is not None}
    return [says for _, says in check_causes(knowledge, documents._replace(touches=touches))]


def test_readers_are_all_that_use_a_word_in_any_place(built_in):
    reading = causes.readers(built_in[0])
    assert "tick-mode" in reading["nohz"]  # as a word of a value
    assert "cstate-limit" in reading["idle"]  # in the condition of a cause
    assert "lockup-detectors" in reading["nowatchdog"]  # among words that mean the same
    assert "swappiness" in reading["sysctl.*"]  # as a sysctl, which a word may set
    assert "numa-balancing" in reading["sysctl.*"]


def test_what_is_said_must_be_what_is_read(built_in):
    reading = sorted(causes.readers(built_in[0])["nosmt"])
    assert refused(built_in, nosmt=reading) == []
    assert (
        f"the tunable {reading[0]!r} reads nosmt, but `touches` of nosmt does not name it"
        in refused(built_in, nosmt=[])
    )
    assert refused(built_in, nosmt=[*reading, "aio"]) == [
        "`touches` of nosmt names 'aio', which does not read nosmt"
    ]
    assert refused(built_in, nosmt=[*reading, "no-such"]) == [
        "`touches` of nosmt names 'no-such', which is no tunable"
    ]


def test_the_rules_keep_it_out_of_the_index(built_in):
    knowledge, documents = built_in
    assert isinstance(documents, Documents)
    assert all("touches" not in document for document in documents.parameters.values())
    assert set(documents.touches) <= set(knowledge.ids("parameters"))


def test_a_parameter_without_it_is_refused_unless_an_exception_says_why(built_in):
    assert refused(built_in, nosmt=None) == [
        "nosmt has no `touches` (write touches = [] if it touches nothing else)"
    ]
    assert "thp_anon" not in built_in[1].touches  # of which exceptions.toml says why
    told = ["the exception is not needed: thp_anon has `touches`"]
    assert refused(built_in, thp_anon=["huge-pages-64k"]) == told


def test_an_old_name_is_read_wherever_the_new_one_is(built_in):
    reading = causes.readers(built_in[0])
    assert reading["slub_nomerge"] == reading["slab_nomerge"] != set()
