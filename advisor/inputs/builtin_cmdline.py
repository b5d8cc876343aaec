"""How the built-in command line and the boot loader's make up the one that a kernel gets.

Read in 6.12: arch/x86/kernel/setup.c (built-in first), arch/mips/kernel/setup.c (behind, or first
with MIPS_CMDLINE_BUILTIN_EXTEND), and the other architectures as drivers/of/fdt.c
early_init_dt_scan_chosen() does (CMDLINE_EXTEND behind, CMDLINE_FORCE alone, else only where the
boot loader passes nothing). A boot loader of 32-bit arm that passes ATAGs instead of a device tree
gets the extension in front (atags_parse.c).
"""

from __future__ import annotations

from functools import lru_cache

from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import CommandLine, Layer, Location, quoted, unquote
from advisor.model.subject import Subject


def built_in(subject: Subject) -> CommandLine | None:
    """The line in CONFIG_CMDLINE, if this kernel has one."""
    get = subject.config.get
    text, switch = get("CMDLINE"), get("CMDLINE_BOOL")
    # x86, arm and powerpc have a switch beside the string; the others take any that is not empty.
    off = switch == "n" or (subject.machine.arch == "x86" and switch != "y")
    if not text or len(text) < 3 or off:
        return None
    return _parsed(text)


@lru_cache(maxsize=16)
def _parsed(value: str) -> CommandLine:
    """The line in a value, parsed once: every world that an audit looks at asks for it."""
    return parse_cmdline(unquote(value), "CONFIG_CMDLINE", Layer.BUILT_IN)


def without_words(value: str, words: set[str]) -> str:
    """The quoted value of CONFIG_CMDLINE without these words."""
    return quoted(parse_cmdline(unquote(value)).without(words))


def lines_of(subject: Subject) -> list[CommandLine]:
    """The lines that make up what the kernel gets, in the order in which it reads them."""
    own, given = built_in(subject), subject.cmdline
    passed = [given] if given else []
    if own is None:
        return passed
    combined = {"instead": [own], "before": [own, *passed], "behind": [*passed, own]}
    fallback = passed if given and given.words else [own]
    return combined.get(place_of_built_in(subject), fallback)


def without_built_in(subject: Subject) -> Subject:
    """The subject with the boot loader's line alone, where the line is that of a running kernel:
    /proc/cmdline also shows the words that are built in, in their place.

    What stands there otherwise, as another kernel was running, or a bootconfig has words in front,
    is the boot loader's.
    """
    own, line = built_in(subject), subject.cmdline
    if own is None or line is None or not line.name.endswith("/proc/cmdline"):
        return subject
    text, words, place = line.text, own.text.strip(), place_of_built_in(subject)
    if place == "before" and f"{text} ".startswith(f"{words} "):
        start, rest = len(words) + 1, text[len(words) + 1 :]
    elif place == "behind" and f" {text}".endswith(f" {words}"):
        start, rest = 0, text.removesuffix(words).rstrip()
    elif place == "fallback" and text.strip() == words:
        start, rest = 0, ""
    else:
        return subject
    spans = ((1, Location(line.name, 1, start + 1)),)
    loaders = parse_cmdline(rest, line.name)._replace(part=line.part, spans=spans)
    return subject._replace(cmdline=loaders)


def place_of_built_in(subject: Subject) -> str:
    """Where a built-in line stands, as BuiltIn.place tells: `before`, `behind`, `instead` of the
    boot loader's, or a `fallback` for it.
    """
    get, arch = subject.config.get, subject.machine.arch
    if "y" in (get("CMDLINE_OVERRIDE"), get("CMDLINE_FORCE"), get("CMDLINE_OVERWRITE")):
        return "instead"
    if arch == "x86" or get("MIPS_CMDLINE_BUILTIN_EXTEND") == "y":
        return "before"
    return "behind" if arch == "mips" or get("CMDLINE_EXTEND") == "y" else "fallback"
