"""Writes docs/kernel-advisor.1, the manual page, from the help of the commands themselves.

    python tools/manpage.py >docs/kernel-advisor.1

The exit codes are those of docs/commands.md. The macros are those of man(7), that every man knows.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from advisor import __version__
from advisor.cli.app import described

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {
    "NO_COLOR": "Set to anything: no colour, on a terminal either.",
    "FORCE_COLOR": "Set to anything: colour where stdout is no terminal too. NO_COLOR wins.",
    "TERM": "dumb: no colour, and no line of progress.",
    "XDG_CACHE_HOME": "The folder of caches, ~/.cache without it.",
    "SOURCE_DATE_EPOCH": "Seconds since 1970: the day that waivers are held against, not today.",
    "CROSS_COMPILE": "The compiler's prefix, as for make: for --run-toolchain and --prove kbuild.",
    "LLVM": "Likewise, for clang.",
    "KERNEL_ADVISOR_TRACEBACK": "Set to anything: where a bug happened, for a report of it.",
}
FILES = {
    "/boot/config-*": "Where most distributions put the configuration of an installed kernel.",
    "/proc/config.gz": "The configuration of the running kernel, if built with IKCONFIG_PROC.",
    "/proc/cmdline": "The boot line of the running kernel: --cmdline @/proc/cmdline.",
    "/proc/sys, /sys": "What is set there at run time, as far as rules name it.",
    "kernel-advisor.toml": "Options and waivers; the nearest up to the repository's root.",
    "~/.cache/kernel-advisor": "Answers of kernel trees, index of rules. May be deleted.",
}
EXAMPLES = {
    "What should change in the running kernel, for a desktop:": (
        "kernel-advisor audit --profile desktop-latency"
    ),
    "A fragment, proven in the tree that it is meant for:": (
        "kernel-advisor fragment .config --profile realtime --tree . -o rt.config"
    ),
    "Merge it:": "scripts/kconfig/merge_config.sh .config rt.config",
    "The boot line for GRUB:": (
        "kernel-advisor cmdline .config --profile power-saving --cmdline @/proc/cmdline -f grub"
    ),
    "What an old guide's word means today:": "kernel-advisor explain fastboot",
}


def page() -> str:
    """The whole page. No date stands in it: the same commands give the same bytes."""
    root = described([])
    sections = [
        f'.TH KERNEL\\-ADVISOR 1 "" "kernel\\-advisor {plain(__version__)}" "User Commands"',
        ".SH NAME",
        plain("kernel-advisor - audits a Linux kernel configuration and boot line"),
        ".SH SYNOPSIS",
        "\n.br\n".join(synopsis(name, one) for name, one in root.commands.items()),
        ".SH DESCRIPTION",
        *description(),
        ".SH COMMANDS",
        *(line for name, one in root.commands.items() for line in command(name, one)),
        ".SH EXIT STATUS",
        *terms(exit_codes()),
        ".SH ENVIRONMENT",
        *terms(ENVIRONMENT),
        ".SH FILES",
        *terms(FILES),
        ".SH EXAMPLES",
        *(line for title, words in EXAMPLES.items() for line in example(title, words)),
        ".SH SEE ALSO",
        ".BR kernel\\-command\\-line (7),",
        ".BR bootparam (7),",
        ".BR sysctl (8)",
    ]
    return "\n".join(sections) + "\n"


def description() -> list[str]:
    """What it does, in the words of the README's first lines."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return prose(text.split("\n\n")[1].replace("`", ""))


def synopsis(name: str, command) -> str:
    """A line of the synopsis: literal words bold, what stands for something in italics."""
    places = " ".join(argument(one) for one in command.params if not option(one))
    return f"\\fBkernel\\-advisor {plain(name)}\\fR [\\fIoptions\\fR] {places}".rstrip()


def option(parameter) -> bool:
    return parameter.param_type_name == "option"


def argument(parameter) -> str:
    name = plain(parameter.metavar or parameter.name.upper())
    if parameter.nargs == -1 and "..." not in name:
        name += "..."
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def command(name: str, described) -> list[str]:
    """A command: what it does, its arguments and its options."""
    lines = [f".SS {synopsis(name, described)}", *prose(described.help)]
    for one in described.params:
        if one.help and not getattr(one, "hidden", False):
            lines += [".TP", names(one) if option(one) else argument(one), *prose(text(one))]
    return lines


def names(parameter) -> str:
    """An option's names, and what kind of value it takes."""
    words = ", ".join(
        f"\\fB{plain(name)}\\fR" for name in [*parameter.opts, *parameter.secondary_opts]
    )
    if parameter.is_flag:
        return words
    return f"{words} \\fI{plain(parameter.metavar)}\\fR"


def text(parameter) -> str:
    default = parameter.default
    if option(parameter) and isinstance(default, str) and default:
        return f"{parameter.help} Default: {default}."
    return parameter.help


def exit_codes() -> dict[str, str]:
    """The table of docs/commands.md."""
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", text, re.M)
    return {code: meaning.replace("`", "") for code, meaning in rows}


def terms(meanings: dict[str, str]) -> list[str]:
    return [
        line
        for name, words in meanings.items()
        for line in (".TP", f".B {plain(name)}", *prose(words))
    ]


def example(title: str, words: str) -> list[str]:
    return [".TP", plain(title), ".nf", plain(words), ".fi"]


def prose(text: str) -> list[str]:
    """Text in lines of a length that is kind to differences."""
    lines = textwrap.wrap(text, 70, break_long_words=False, break_on_hyphens=False)
    return [plain(line) for line in lines]


def plain(text: str) -> str:
    """Text as roff shows it: nothing is a request, and every hyphen is one that can be copied."""
    special = {"\\": "\\e", "-": "\\-", "~": "\\(ti", "^": "\\(ha", "`": "\\(ga", "'": "\\(aq"}
    escaped = "".join(special.get(character, character) for character in text)
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


if __name__ == "__main__":
    sys.stdout.write(page())
