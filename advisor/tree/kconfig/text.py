"""Lines of Kconfig files that the kernel's own parser takes and kconfiglib 14.1 does not."""

from __future__ import annotations

import re

# What lexer.l of 6.12 knows outside of macros; anything else it drops with a warning.
_KNOWN = re.compile(
    r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\#.*|\|\||&&|!=|<=|>=|[:+]=|[\w\s$()=!<>"'/.\\-])""",
    re.ASCII,
)
_LEADING = re.compile(r"\A(\s*)[^\w\s$\"'#-]+(?=[\s\w$#]|$)", re.ASCII)
_OPTION_ENV = re.compile(r"\s*option\s+env\s*=\s*\"?(\w+)\"?\s*(?:#.*)?$", re.ASCII)
# The old syntax, which names a variable of the environment without parentheses.
_DOLLAR = re.compile(r"\$(?:(\w+)|(?=\{))", re.ASCII)
DOLLAR = "\uff04"
"""Stands for a dollar of which kconfiglib would make an environment variable's value."""


def without_stray(line: str) -> str:
    """The line without the characters that the kernel's parser drops with a warning."""
    line = _LEADING.sub(r"\1", line, count=1)
    # Inside a macro the shell knows more than the lexer.
    return line if "$(" in line else "".join(_KNOWN.findall(line))


def option_env(line: str) -> str:
    """The variable that an `option env=` line names, else nothing."""
    match = _OPTION_ENV.match(line)
    return match[1] if match else ""


def old_variables(text: str, environment: dict[str, str]) -> str:
    """A string with `$NAME` expanded as before 4.18: from this environment, and no other."""
    return _DOLLAR.sub(lambda m: environment.get(m[1] or "", DOLLAR + (m[1] or "")), text)


def printable(words: str, most: int = 300) -> str:
    """What a tree says, fit for a message: without control characters, and not too long."""
    text = words if words.isprintable() else "".join(c if c.isprintable() else "?" for c in words)
    return text if len(text) <= most else text[:most] + "..."
