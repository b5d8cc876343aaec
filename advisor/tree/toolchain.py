"""What a tree's Kconfig files ask of the compiler and its companions, answered without running any.

A configuration records the answers it was made with (CC_IS_GCC, GCC_VERSION, AS_HAS_..., ...). What
none records is answered as the tools of DEFAULTS would: a recent GCC with binutils, no Rust.
"""

from __future__ import annotations

import operator
import re
import shlex
from collections.abc import Mapping
from typing import NamedTuple

from advisor.model.kernel import Configuration, unquote
from advisor.model.numbers import whole_number

RECORDED = "recorded in the configuration"
DEFAULT = "default"
RUN = "asked of the toolchain"

DEFAULTS = {
    "cc-name": "GCC", "cc-version": "140200", "cc-text": "gcc (GCC) 14.2.0",
    "as-name": "GNU", "as-version": "24400", "ld-name": "BFD", "ld-version": "24400",
    "pahole-version": "129", "rustc-version": "0", "rustc-llvm-version": "0",
}  # fmt: skip
"""The tools that are assumed where no configuration tells: GCC 14.2, binutils 2.44, pahole 1.29."""

# Questions with another answer than yes, by what their command contains; the first that fits.
_NO = re.compile(
    r"rust_is_available|rustc\b"  # no Rust
    r"|plugin-version\.h"  # the headers for plugins are rarely installed
    r"|import lxml|ML-DSA"  # Python's lxml, OpenSSL 3.5
    r"|grep -qi? (?:llvm|clang|lld|gold)\b"  # GNU tools
)
_CLANG_ONLY = re.compile(
    r" -mllvm |kcfi|-fcf-protection=branch -mretpoline|-mretpoline-external-thunk|-fexperimental"
    r"|-enable-trivial-auto-var-init|-flto=thin|-fdebug-info-for-profiling|-gz=none|-fbasic-block"
    r"|-fno-sanitize-ignorelist|-fsanitize=(?:memory|integer(?!-)|array-bounds|local-bounds|type)"
    r"|--param asan-|-fms-anonymous|-fsplit-machine-functions|-fsanitize-coverage-stack-depth"
)
_TEST = re.compile(r'\{ (.*); \} >/dev/null 2>&1 && echo "(.*)" \|\| echo "(.*)"', re.DOTALL)
_WORD = re.compile(r"set -- (.*) && echo \$([0-9])")
_DIGITS = 18
_NUMBER = f"[0-9]{{1,{_DIGITS}}}"
"""What fits into the numbers of a shell, and no other script's digits."""
_EXPR = re.compile(rf"expr ({_NUMBER}) ([-+*/]) ({_NUMBER})")
_OR_ECHO = re.compile(r"\|\| echo (\w+)$")
_GREP = re.compile(r"(.*?) \| (?:head -n ?1 \| )?grep -q (\S+)")


# Variables of the top Makefile: the tool of GNU, and that of LLVM.
_TOOLS = {
    "CC": ("gcc", "clang"), "LD": ("ld", "ld.lld"), "AR": ("ar", "llvm-ar"),
    "NM": ("nm", "llvm-nm"), "OBJCOPY": ("objcopy", "llvm-objcopy"),
}  # fmt: skip
_COMPARED = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt,
    "-le": operator.le, "-gt": operator.gt, "-ge": operator.ge,
}  # fmt: skip


class Assumption(NamedTuple):
    """An answer that stands for a tool of the kernel's build, and where it comes from.

    `subject` is the symbol or macro that asks; `source` is RECORDED, DEFAULT or RUN.
    """

    subject: str
    value: str
    source: str


class Question(NamedTuple):
    """A yes or no that only a tool can tell: what is asked, and the text for either answer."""

    command: str
    yes: str
    no: str


def question_of(command: str) -> Question | None:
    """What the command asks, if it is one of Kconfig.include's that print either of two texts."""
    match = _TEST.fullmatch(command)
    return Question(*match.groups()) if match else None


def tools_of_make(environment: Mapping[str, str]) -> dict[str, str]:
    """The tools that make would take: CROSS_COMPILE and LLVM of its environment decide."""
    gnu, llvm = environment.get("CROSS_COMPILE", ""), environment.get("LLVM", "")
    # LLVM=/path/ is a prefix, LLVM=-15 a suffix, anything else is "yes".
    before = llvm if llvm.endswith("/") else ""
    after = llvm if llvm.startswith("-") else ""
    if llvm:
        return {name: f"{before}{tool}{after}" for name, (_, tool) in _TOOLS.items()}
    return {"CROSS_COMPILE": gnu, **{name: gnu + tool for name, (tool, _) in _TOOLS.items()}}


class Toolchain:
    """The tools of a configuration, or those of DEFAULTS; `used` are the facts that were asked."""

    def __init__(self, config: Configuration | None) -> None:
        self._config = config
        self._recorded = _recorded(config) if config else {}
        self._facts = {**DEFAULTS, **self._recorded}
        self.used: dict[str, Assumption] = {}

    def fact(self, name: str) -> str:
        """One of the names of DEFAULTS; that it was asked is noted in `used`."""
        source = RECORDED if name in self._recorded else DEFAULT
        self.used[name] = Assumption(name, self._facts[name], source)
        return self._facts[name]

    def environment(self) -> dict[str, str]:
        """What make would export of the tools; nothing of the caller's environment."""
        facts = self._facts
        return {
            "CC": "clang" if facts["cc-name"] == "Clang" else "gcc",
            "LD": "ld.lld" if facts["ld-name"] == "LLD" else "ld",
            "HOSTCC": "gcc", "HOSTCXX": "g++", "AR": "ar", "NM": "nm", "OBJCOPY": "objcopy",
            "RUSTC": "rustc", "BINDGEN": "bindgen", "PAHOLE": "pahole", "PYTHON3": "python3",
            "CC_VERSION_TEXT": facts["cc-text"], "RUSTC_VERSION_TEXT": "",
            "PAHOLE_VERSION": facts["pahole-version"],
            "CLANG_FLAGS": "", "USERCFLAGS": "", "USERLDFLAGS": "", "CROSS_COMPILE": "",
        }  # fmt: skip

    def recorded(self, symbol: str) -> str | None:
        """What the configuration says of the symbol, a string without its quotes; else None."""
        value = self._config.get(symbol) if self._config and symbol else None
        return None if value is None else unquote(value)

    def answer(self, command: str, symbol: str) -> str | Question:
        """What the shell command would print; a Question where only a tool can tell.

        `symbol` is the one whose definition asks: what is recorded of it is its answer.
        """
        if question := question_of(command):
            outcome = self._literal(question.command)
            return question if outcome is None else question.yes if outcome else question.no
        if match := _WORD.fullmatch(command):
            words, index = match[1].split(), whole_number(match[2]) or 0
            return words[index - 1] if 0 < index <= len(words) else ""
        if match := _EXPR.fullmatch(command):
            left, right = whole_number(match[1]) or 0, whole_number(match[3]) or 0
            if match[2] == "/":  # expr prints nothing for a division by zero
                return str(left // right) if right else ""
            return str({"+": left + right, "-": left - right, "*": left * right}[match[2]])
        recorded = self.recorded(symbol)
        if recorded is not None:
            self.used[symbol] = Assumption(symbol, recorded, RECORDED)
            return recorded
        return self._script(command)

    def guess(self, command: str) -> bool:
        """The answer to a question of which no configuration tells."""
        if _NO.search(command):
            return self.fact("cc-name") == "Clang" and "llvm" in command
        return not (_CLANG_ONLY.search(command) and self.fact("cc-name") == "GCC")

    def _script(self, command: str) -> str:
        """What a script of the tree would print; nothing for one that is not known."""
        for tool in ("cc", "as", "ld"):
            if f"/{tool}-version.sh" in command:
                version = self.fact(f"{tool}-version")
                # Up to 5.11 its input is the linker's output, and its answer is longer.
                if "|" in command:
                    return version + "0000"
                return f"{self.fact(f'{tool}-name')} {version}"
        for compiler in ("GCC", "Clang"):
            if f"/{compiler.lower()}-version.sh" in command:
                return self.fact("cc-version") if self.fact("cc-name") == compiler else "0"
        for name in ("pahole-version", "rustc-version", "rustc-llvm-version"):
            if f"/{name}.sh" in command:
                return self.fact(name)
        if match := _OR_ECHO.search(command):
            return match[1]
        return "0" if "-version.sh" in command else ""

    def _literal(self, command: str) -> bool | None:
        """The outcome of a command that compares what is known, or looks for a tool."""
        command = command.strip()
        if match := _GREP.fullmatch(command):
            return self._grep(match[1], match[2].strip("'\""))
        if re.search(r"[|&;<>`$]", command):
            return None
        try:
            words = shlex.split(command)
        except ValueError:
            return None
        if words[:2] == ["command", "-v"]:
            return True
        if words[:1] == ["["] and words[-1] == "]":
            words = ["test", *words[1:-1]]
        return _tested(words[1:]) if words[:1] == ["test"] else None

    def _grep(self, command: str, word: str) -> bool | None:
        """Whether the word is in what a tool says of itself, where that is known."""
        words = command.split()
        if words[:1] == ["echo"]:
            return word in command[4:]
        if words[1:] == ["--version"] and words[0] in ("gcc", "clang"):
            return word in self.fact("cc-text")
        if words[1:] == ["-v"] and words[0] in ("ld", "ld.lld"):
            return word == self.fact("ld-name")
        return None


def _recorded(config: Configuration) -> dict[str, str]:
    """The facts that a configuration records, by the names of DEFAULTS."""
    on = {
        "CC_IS_GCC": ("cc-name", "GCC"), "CC_IS_CLANG": ("cc-name", "Clang"),
        "AS_IS_GNU": ("as-name", "GNU"), "AS_IS_LLVM": ("as-name", "LLVM"),
        "LD_IS_BFD": ("ld-name", "BFD"), "LD_IS_LLD": ("ld-name", "LLD"),
    }  # fmt: skip
    facts = dict(fact for symbol, fact in on.items() if config.get(symbol) == "y")
    compiler = "CLANG_VERSION" if facts.get("cc-name") == "Clang" else "GCC_VERSION"
    linker = "LLD_VERSION" if facts.get("ld-name") == "LLD" else "LD_VERSION"
    versions = {
        "cc-version": compiler, "as-version": "AS_VERSION", "ld-version": linker,
        "pahole-version": "PAHOLE_VERSION", "rustc-version": "RUSTC_VERSION",
        "rustc-llvm-version": "RUSTC_LLVM_VERSION", "cc-text": "CC_VERSION_TEXT",
    }  # fmt: skip
    for name, symbol in versions.items():
        if (recorded := config.get(symbol)) is not None:
            facts[name] = unquote(recorded)
    return facts


def _tested(words: list[str]) -> bool | None:
    """The outcome of `test` on these words; None for what is not a comparison."""
    if len(words) == 2 and words[0] in ("-z", "-n"):
        return (words[1] == "") == (words[0] == "-z")
    if len(words) != 3:
        return None
    left, sign, right = words
    if sign in ("=", "==", "!="):
        return (left == right) is (sign != "!=")
    first, second = (whole_number(one, longest=_DIGITS) for one in (left, right))
    if sign not in _COMPARED or first is None or second is None:
        return None
    return bool(_COMPARED[sign](first, second))
