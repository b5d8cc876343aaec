"""The diagnostic of a word of the boot line, and the kinds that rules name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.errors import shortened
from advisor.model.finding import Diagnostic, diagnostic
from advisor.model.rules import Source, address

if TYPE_CHECKING:
    from advisor.engine.effective.world import World
    from advisor.model.kernel import Severity, Word

REMARKS = {
    "void": "parameter-void",
    "redundant": "parameter-redundant",
    "caution": "parameter-caution",
    "elsewhere": "parameter-elsewhere",
}
"""The diagnostic of each kind of remark in the rules."""
# The parser of the line, which passes words that the kernel does not know to init.
READING = Source("code", "init/main.c", "6.12", "unknown_bootoption()").url


def of_word(  # noqa: PLR0913, PLR0917  # as many as a diagnostic has fields
    name: str,
    word: Word,
    text: str,
    world: World,
    remedy: str = "",
    severity: Severity | None = None,
    source: str | None = None,
) -> Diagnostic:
    """Return the diagnostic of that id: the word, `: `, and the text, or a text that begins with
    the word itself. If no source is given, it is that of the word's parameter."""
    if source is None:
        parameter = world.line.parameter(word)
        source = address(parameter.sources, world.subject.machine.arch) if parameter else ""
    named = text.removeprefix("with ").startswith((f"{word.text} ", f"{word.text}, "))
    message = text if named else f"{shortened(word.text)}: {text}"
    return diagnostic(name, world.place(word), message, remedy, source, word.text, severity)
