"""What looks like a secret on a boot line or in a file of settings, and is taken out of a snapshot.

One table for the tool and for the shell script: the expressions mean the same in Python and for
`sed -E`, where the leftmost match is the longest as well.
"""

from __future__ import annotations

import re

MASK = "***"


def _any_case(text: str) -> str:
    return "".join(f"[{c.upper()}{c}]" if c.isalpha() else c for c in text)


_SECRET = "|".join(
    map(_any_case, ("key", "passw", "passphrase", "pwd", "token", "secret", "psk", "credential"))
)
SECRET = f"({_SECRET})"
"""What the name of a sysctl has whose value is not taken."""
_NAME = f"[A-Za-z0-9_.-]*({_SECRET})[A-Za-z0-9_.-]*"
# A part of a word's value: no blank and no quote, or what quotes hold that do not end the word.
_HELD = """([^ \t"']|"[^"]+"|'[^']+')"""
_PLAIN_MASK = re.escape(MASK)
_START = f"^([ \t]*(password|password_[a-z0-9]+|{_any_case('cryptomount')}))[ \t].*$"
MASKS = (
    # GRUB's own passwords, with their users.
    (_START, rf"\1 {MASK}"),
    # A setting of a file: all the rest of the line.
    (f"^([ \t]*{_NAME}[ \t]+=).*$", rf"\1 {MASK}"),
    # Such as `pass=` and `smb.pass=`, and not `bypass=`.
    (rf"(^|[^A-Za-z0-9_.-])(([A-Za-z0-9_.-]*[_.-])?{_any_case('pass')}=){_HELD}+", rf"\1\2{MASK}"),
    # A word of a line, with what its quotes hold, wherever these begin.
    (rf'({_NAME}=)\\?"[^"]*"', rf"\1{MASK}"),
    (f"({_NAME}=){_HELD}+", rf"\1{MASK}"),
    # What follows a quote without an end.
    (rf"(={_PLAIN_MASK})[\"'][^\"']+$", r"\1"),
    # CHAP's names and passwords (dracut's netroot=iscsi:USER:PASSWORD@SERVER), and those of a URL.
    (f"({_any_case('iscsi')}:)[^@ \t\"']*@", rf"\1{MASK}@"),
    ("(://)[^/@ \t\"']*@", rf"\1{MASK}@"),
)
"""Expressions, and what stands for each match, of every line, one after another."""
ONLY_CONFIGURED = "^CONFIG_CMDLINE"
"""Of a configuration the lines that hold words of the boot line."""
COMMENT = ("^([ \t]*[#;]).*$", r"\1")
"""A comment, and what is left of it: its line, so that the numbers of others stay."""
_COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in MASKS]


def masked(line: str) -> str:
    """Hides what looks like a secret in a line."""
    for pattern, replacement in _COMPILED:
        line = pattern.sub(replacement, line)
    return line
