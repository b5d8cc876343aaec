"""Words about the console that another word of the line undoes, by the order in which they stand.

Read in 6.1 and 6.12: try_enable_preferred_console() of kernel/printk/printk.c, univ8250_console of
drivers/tty/serial/8250/8250_core.c, loglevel() of init/main.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.engine.diagnose.words import of_word
from advisor.engine.effective.world import World
from advisor.model.finding import Diagnostic
from advisor.model.kernel import Layer, Word

_LEVELS = ("quiet", "debug", "loglevel")
"""The parameters that set console_loglevel: the last word decides."""
_FOLLOWED = ("quiet", "debug")
"""Those that systemd, programs of the initramfs and splash screens read too (the manual page
kernel-command-line(7) of systemd), so that they do something whatever the kernel's log level is."""
_SERIAL = re.compile(r"(tty[A-Z]+)([0-9]+)(?:,.*)?")


def diagnose_consoles(words: Sequence[Word], world: World) -> Iterator[Diagnostic]:
    """Report the words about the console of which another one takes the effect."""
    honoured = [word for word in words if world.line.may_count(word)]
    yield from _levels([word for word in honoured if word.name in _LEVELS], world)
    yield from _lines([word for word in honoured if word.name == "console"], world)


def _levels(words: Sequence[Word], world: World) -> Iterator[Diagnostic]:
    for word in words[:-1]:
        last = words[-1]
        is_built_in = word.layer is not last.layer and word.layer is Layer.BUILT_IN
        if word.name in (last.name, *_FOLLOWED) or is_built_in:
            continue  # a repetition is told as such; the boot loader's line is there to win
        why = f"{last.text} comes later on the line, and replaces this log level of the console"
        yield of_word("parameter-duplicate", word, why, world, f"keep only {last.text}")


def _lines(words: Sequence[Word], world: World) -> Iterator[Diagnostic]:
    first: dict[str, tuple[str, Word]] = {}
    for word in words:
        if not (match := _SERIAL.fullmatch(word.value or "")):
            continue
        number, before = first.setdefault(match[1], (match[2], word))
        if number != match[2]:
            why = (
                f"the driver of {match[1]} has only one console, the first on the line "
                f"({before.text}); no kernel message goes to {match[1]}{match[2]}"
            )
            yield of_word(
                "parameter-void", word, why, world, f"keep only one console of {match[1]}"
            )
