"""What mitigations= comes to, as mitigations_parse_cmdline() reads it since 6.17."""

from __future__ import annotations

import pytest

from advisor.engine.effective.attack_vectors import parts_of, together
from advisor.inputs.bootline import line_of


@pytest.mark.parametrize(
    ("value", "taken", "rest"),
    [
        ("auto", "auto", ""),
        ("auto,nosmt", "auto,nosmt", ""),
        ("auto,nosmt,no_user_user", "auto,nosmt,no_user_user", ""),
        (
            "auto,no_user_user,no_kernel,no_guest_host",
            "auto,no_user_user",
            "no_kernel,no_guest_host",
        ),
        ("offline", "off", "line"),
        ("auto;no_user_kernel", "auto", ";no_user_kernel"),
        (",no_user_user", ",no_user_user", ""),
        ("none", "", "none"),
    ],
)
def test_what_the_kernel_takes_of_a_value(value: str, taken: str, rest: str) -> None:
    parts = parts_of(value, has_vectors=True)
    assert (parts.taken, parts.rest) == (taken, rest)


def test_architectures_without_vectors_take_the_mode_alone() -> None:
    parts = parts_of("off,no_user_user", has_vectors=False)
    assert (parts.taken, parts.rest) == ("off", ",no_user_user")


@pytest.mark.parametrize(
    ("line", "value", "text"),
    [
        ("mitigations=auto,no_user_user mitigations=auto", "auto,no_user_user", 0),
        ("mitigations=auto mitigations=off", "off", 1),
        ("mitigations=auto,no_cross_thread mitigations=auto,nosmt", "auto,nosmt", 0),
        (
            "mitigations=off mitigations=auto",
            "auto,no_user_kernel,no_user_user,no_cross_thread,no_guest_host,no_guest_guest",
            0,
        ),
    ],
)
def test_words_add_up(line: str, value: str, text: int) -> None:
    words = line_of(line, "line").words
    [word] = together(words, has_vectors=True)
    assert (word.value, word.text) == (value, words[text].text)
    assert together(words[-1:], has_vectors=False)[0].text == words[-1].text
