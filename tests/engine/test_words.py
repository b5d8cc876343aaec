"""The diagnostic of a word of the boot line."""

from __future__ import annotations

from advisor.engine.diagnose.words import of_word


def test_the_source_is_that_of_the_parameter_unless_another_is_given(make_world) -> None:
    world = make_world("PRINTK=y", cmdline="loglevel=7")
    (word,) = world.line.words
    found = of_word("parameter-void", word, "nobody reads it", world)
    parameter = world.line.parameter(word)
    assert (found.message, found.subject) == ("loglevel=7: nobody reads it", "loglevel=7")
    assert found.source == parameter.sources[0].url
    assert of_word("parameter-void", word, "x", world, source="y").source == "y"


def test_a_long_word_is_shortened_in_the_message_alone(make_world) -> None:
    world = make_world("PRINTK=y", cmdline=f"nosuch={'x' * 99}")
    (word,) = world.line.words
    found = of_word("parameter-void", word, "text", world)
    assert found.message.endswith("...: text")
    assert (found.subject, found.source) == (word.text, "")
