"""Making foreign text harmless: file names, values and boot words may hold anything."""

from __future__ import annotations

import re

# Spelt out: the module string compiles an expression that nothing here needs.
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_SAFE = frozenset(_PLAIN + " =,+-/()'\"?;%")
# What a code span shows as it is, on both sites and inside a table.
_SPAN = r"""(?! )[\w =,+\-/()'"?;%.:#*]+(?<! )"""
_ADDRESS = frozenset(_PLAIN + "-._~:/?#=&%+,;@")
_ACTIVE = frozenset("\\`*_[]<>&|~#!{}$@^")
# Signs that GitHub or GitLab turn into mentions and references, also when written as entities.
_REFERENCE = r"([@#!$%~&^])(?=\w)"


def visible(text: str) -> str:
    """Return one line of text, with control and direction characters made visible."""
    if text.isprintable():
        return text
    parted = text.replace("\n", " ").replace("\t", " ")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in parted)


def clipped(text: str, most: int) -> str:
    """Return text of at most that many characters, with three dots at a cut end."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def code(text: str) -> str:
    """Return text as inline code that stays inert in a Markdown table on GitHub and GitLab.

    A code span where it can hold the text, else HTML's own tag with every other sign as a character
    reference, which Markdown does not interpret. Nobody is mentioned inside either.
    """
    line = visible(text)
    if re.fullmatch(_SPAN, line) and "www." not in line.lower():
        return f"`{line}`"
    safe = _SAFE if "www." in line.lower() else _SAFE | {"."}
    signs = "".join(c if c in safe or ord(c) > 126 else f"&#{ord(c)};" for c in line)
    # Within a word an underscore is no sign of emphasis.
    return f"<code>{re.sub('(?<=[A-Za-z0-9])&#95;(?=[A-Za-z0-9])', '_', signs)}</code>"


def address(target: str) -> str:
    """Return the target of a link in Markdown, with what could end it percent-encoded."""
    from urllib.parse import quote

    return "".join(c if c in _ADDRESS else quote(c, errors="replace") for c in target)


def prose(text: str) -> str:
    """Return text for Markdown and HTML: no markup, tag, mention, link or line break."""
    parted = re.sub(_REFERENCE, "\\1\u200b", visible(" ".join(text.split())))
    line = "".join(f"&#{ord(c)};" if c in _ACTIVE else c for c in parted)
    return line.replace("://", "&#58;//").replace("www.", "www&#46;")


def comment(text: str) -> str:
    """Return text for a comment of a fragment, without what merge_config.sh takes for a symbol.

    merge_config.sh of 6.1 and 6.12 searches comments as well for words that begin with CONFIG_.
    """
    line = visible(" ".join(text.split()))
    while "CONFIG_" in line:
        line = line.replace("CONFIG_", "")
    return line
