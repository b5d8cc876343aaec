"""Building HTML: what is not marked as such is escaped, so that nothing foreign is ever markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from advisor.output.escape import visible

# Elements that have no end tag, of those that are made here.
_VOID = frozenset(("meta", "input"))
# Where browsers end a line within a word, and what is short enough for any screen.
_PARTED = re.compile("[-/?]")
_NAME = re.compile(r"\S{1,32}")
# Where a longer one may end a line.
_ENDS = re.compile(r"(?<=\S,)(?=\S)|(?<=[A-Za-z0-9_]{12})(?==)")


class Html(str):
    """A piece of HTML; any other text is escaped where it becomes part of one."""

    __slots__ = ()


def text(value: str) -> Html:
    """Return escaped text on one line, with control and direction characters visible."""
    return value if isinstance(value, Html) else Html(escape(visible(value)))


def join(parts: Iterable[str], between: str = "") -> Html:
    """Return the parts, each escaped if it is no HTML yet."""
    return Html(text(between).join(map(text, parts)))


def tag(name: str, /, *content: str, **attributes: str | bool) -> Html:
    """Return an element. In an attribute's name `_` becomes `-`, and one at its end is left out.

    True is an attribute without value; an empty one, or False, is left out.
    """
    traits = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    start = "".join(
        f" {key}" if value is True else f' {key}="{text(str(value))}"'
        for key, value in traits
        if value
    )
    end = "" if name in _VOID else f"{join(content)}</{name}>"
    return Html(f"<{name}{start}>{end}")


def lines(*parts: str) -> Html:
    """Return the parts that are not empty, a line each, so that people can read the file."""
    return Html("\n".join(text(part) for part in parts if part))


def code(value: str) -> Html:
    """Return a word of a configuration, boot line or shell.

    A short name stays whole, where a browser would end a line; a longer one may end its line before
    `=` or behind a comma.
    """
    if _NAME.fullmatch(value):
        return tag("code", value, class_="whole" if _PARTED.search(value) else "")
    return tag("code", join(map(text, _ENDS.split(value)), Html("<wbr>")))


def items(parts: Iterable[str], **attributes: str | bool) -> Html:
    """Return a list, or nothing if it has no items."""
    rows = [tag("li", part) for part in parts]
    return tag("ul", Html("\n"), lines(*rows), Html("\n"), **attributes) if rows else Html("")


def pairs(rows: Iterable[tuple[str, str]], **attributes: str | bool) -> Html:
    """Return names with their meanings, without those that have none."""
    named = [lines(tag("dt", name), tag("dd", what)) for name, what in rows if what]
    return tag("dl", Html("\n"), lines(*named), Html("\n"), **attributes)


def link(target: str, name: str) -> Html:
    """Return a link that sends no referrer; what is no web address is only shown."""
    if not target.startswith(("https://", "http://")):
        return text(name)
    return tag("a", name, href=target, rel="noreferrer")
