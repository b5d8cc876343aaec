"""Boot lines, read as the kernel's next_arg() reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.cmdline import lasting, parse_cmdline, quote

from ..cases import each


def words(text):
    return [(word.name, word.value) for word in parse_cmdline(text).words]


@each(
    ("text", "expected"),
    [
        ("", []),
        ("  quiet \t splash ", [("quiet", None), ("splash", None)]),
        ("rcu-nocbs=1-3", [("rcu_nocbs", "1-3")]),
        ("a=b=c", [("a", "b=c")]),
        ("empty=", [("empty", "")]),
        ('dyndbg="file a.c +p"', [("dyndbg", "file a.c +p")]),
        ('"dyndbg=file a.c +p"', [("dyndbg", "file a.c +p")]),
        ('"two words"', [("two words", None)]),
        ("=odd", [("=odd", None)]),
        ("value=with-dash", [("value", "with-dash")]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_columns_count_from_one():
    assert [word.column for word in parse_cmdline("a  bc=1 d").words] == [1, 4, 9]


def test_what_follows_two_dashes_is_for_init():
    line = parse_cmdline("quiet -- single nohz=off")
    assert [word.name for word in line.words] == ["quiet"]
    assert [word.text for word in line.init] == ["single", "nohz=off"]


def test_two_dashes_with_a_value_are_a_word():
    assert words("--=x quiet") == [("--", "x"), ("quiet", None)]


@each(
    ("text", "note", "column"),
    [
        ('a="open b', "unbalanced-quote", 3),
        ("a\0b", "control-character", 2),
        ("caf\u00e9=1", "non-ascii", 4),
    ],
)
def test_what_the_kernel_would_misread_is_noted(text, note, column):
    (found,) = parse_cmdline(text).notes
    assert (found.id, found.location.column) == (note, column)


@pytest.mark.slow
def test_a_line_of_a_million_words_is_read():
    assert len(parse_cmdline("quiet " * 200_000).words) == 200_000


@given(st.text())
def test_any_text_is_a_line(text):
    line = parse_cmdline(text)
    again = parse_cmdline(" ".join(word.text for word in line.words))
    if text.count('"') % 2 == 0:
        assert [(w.name, w.value) for w in again.words] == [(w.name, w.value) for w in line.words]


@given(st.text(st.sampled_from("ab=-\"' \t\n\0\\\u00e9")))
def test_a_line_printed_is_read_as_the_same_line(text):
    line = parse_cmdline(text)
    again = parse_cmdline(" ".join([*(word.text for word in line.words), *line.for_init]))
    for read, given_ in ((again.words, line.words), (again.init, line.init)):
        assert [w._replace(column=0) for w in read] == [w._replace(column=0) for w in given_]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BOOT_IMAGE=/vmlinuz initrd=/x quiet", ["quiet"]),
        ("BOOT_IMAGE initrd_size=1", ["initrd_size=1"]),
    ],
)
def test_what_a_boot_loader_adds_is_left_out(text, expected):
    assert lasting(text.split()) == expected


plain = st.text(
    st.characters(codec="ascii", exclude_characters='" \t\n\r\v\f=', categories=["L", "N", "P"]),
    min_size=1,
)


@given(plain, st.text(st.characters(codec="ascii", exclude_characters='"', min_codepoint=32)))
def test_quoting_survives(name, value):
    text = f"{name}={value}"
    (word,) = parse_cmdline(quote(text)).words
    assert (word.name, word.value) == (name.replace("-", "_"), value)


def test_what_cannot_be_quoted_is_refused():
    with pytest.raises(ValueError, match="cannot be written on a boot line"):
        quote('a="b c"')
