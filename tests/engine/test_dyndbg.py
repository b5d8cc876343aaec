"""What the kernel refuses of the queries of dyndbg=."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.diagnose.dyndbg import refusal
from advisor.engine.diagnose.inputs import diagnose

CONFIG = "DYNAMIC_DEBUG=y DYNAMIC_DEBUG_CORE=y"


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("+p", ""), ("=_", ""), ("-pmfslt", ""), ("", ""), ("# a comment", ""),
        ("file fs/* +p", ""), ("file a.c line 10-20 +p # why", ""), ("line -9 +p", ""),
        ("format 'a # b' +p # '", ""),
        ("format 'two words' +p", ""), ('format "two words" module m +p', ""),
        ("p", "it ends with 'p', not with flags such as +p"),
        ("file a.c", "it ends with 'a.c', not with flags such as +p"),
        ("+xpy", "'xy' is none of the flags p m f s l t _"),
        ("a.c +p", "a keyword has no value"),
        ("fil a.c +p", "'fil' is none of the keywords func, file, module, format, line, class"),
        ("file a.c file b.c +p", "the keyword file is given twice"),
        ("line ten +p", "'ten' is neither a line number nor a range of lines"),
        ("format 'two words +p", "a quote is not closed"),
        ("file a func b module c format d line 1 +p", "it has more than 9 words"),
    ],
)  # fmt: skip
def test_what_the_kernel_refuses(query, why):
    assert refusal(query) == why


@given(st.text(alphabet="+-=pxfile \"'#;\\"))
def test_each_text_is_taken_or_refused(text):
    assert isinstance(refusal(text), str)


@pytest.mark.parametrize(
    ("line", "remedies"),
    [
        ("dyndbg", []),  # which means +p
        ("usbcore.dyndbg", []),
        ('dyndbg="file a.c +p; module m =_"', []),
        ('dyndbg="file a.c +p; module m"', ["write 'module m +p', all in double quotes"]),
        ("usbcore.dyndbg=p", ["write '+p', all in double quotes"]),
        ("dyndbg=module,usbcore,+p", ["write 'module usbcore +p', all in double quotes"]),
        ("i915.dyndbg=+pz", ["write '+p', all in double quotes"]),
        ("dyndbg='file a_x +p'", ['write dyndbg="file a_x +p"; the boot loader may remove the '
                                  'quotes']),
        ("dyndbg=1", ["write 'file NAME +p', all in double quotes"]),
        ("dyndbg=module usbcore_x +p", ['write dyndbg="module usbcore_x +p"; the boot loader may '
                                        'remove the quotes']),
    ],
)  # fmt: skip
def test_each_query_that_is_refused_is_reported(make_world, line, remedies):
    assert [found.remedy for found in diagnose(make_world(CONFIG, cmdline=line))] == remedies


def test_nothing_is_reported_of_queries_that_nobody_reads(make_world):
    (found,) = diagnose(make_world("DYNAMIC_DEBUG=n DYNAMIC_DEBUG_CORE=n", cmdline="dyndbg=p"))
    assert found.id == "parameter-not-built"
