"""Building HTML: what is not marked as such is escaped, so that nothing foreign is ever markup."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from advisor.output.escape import visible

_VOID = frozenset(("meta", "input"))


class Html(str):
    """A piece of HTML; any other text is escaped where it becomes part of one."""

    __slots__ = ()


def text(value: str) -> Html:
    """Text as it is to be read, on one line, with control and direction characters visible."""
    return value if isinstance(value, Html) else Html(escape(visible(value)))


def join(parts: Iterable[str], between: str = "") -> Html:
    """The parts, each escaped where it is no HTML yet."""
    return Html(text(between).join(map(text, parts)))


def tag(name: str, /, *content: str, **attributes: str | bool) -> Html:
    """An element. Of an attribute's name, `_` is written `-` and one at its end is left out.

    True is an attribute without value; an empty one, or False, is left out.
    """
    told = "".join(_attribute(key, value) for key, value in attributes.items() if value)
    end = "" if name in _VOID else f"{join(content)}</{name}>"
    return Html(f"<{name}{told}>{end}")


def _attribute(key: str, value: str | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(str(value))}"'


def lines(*parts: str) -> Html:
    """The parts that are there, a line each, so that the file can be read as well."""
    return Html("\n".join(text(part) for part in parts if part))


def code(value: str) -> Html:
    """A word of a configuration, boot line or shell."""
    return tag("code", value)


def items(parts: Iterable[str], **attributes: str | bool) -> Html:
    """A list; nothing where there is nothing to list."""
    found = [tag("li", part) for part in parts]
    return tag("ul", Html("\n"), lines(*found), Html("\n"), **attributes) if found else Html("")


def pairs(rows: Iterable[tuple[str, str]], **attributes: str | bool) -> Html:
    """Names with what each means, without those of which nothing is told."""
    told = [lines(tag("dt", name), tag("dd", what)) for name, what in rows if what]
    return tag("dl", Html("\n"), lines(*told), Html("\n"), **attributes)


def link(target: str, shown: str) -> Html:
    """A link that tells nobody where it is from; what is no web address is only shown."""
    if not target.startswith(("https://", "http://")):
        return text(shown)
    return tag("a", shown, href=target, rel="noreferrer")
