"""What a kernel tree's own merge_config.sh and conf make of a fragment: runs code of the tree.

All of it runs in a scratch folder (make's O=); nothing is written into the source.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from advisor import files
from advisor.errors import InputError, TreeError
from advisor.inputs.config import naming, parse_config
from advisor.inputs.machine import native_arch
from advisor.model.kernel import unquote
from advisor.tree import host as kbuildhost
from advisor.tree.files import TreeFiles, find_arch, find_tree
from advisor.tree.kconfig.text import printable
from advisor.tree.process import wait

TIMEOUT = 300
"""How many seconds each of the three commands may take; a slow machine needs 20."""
TAIL = 15
"""How many lines of a failed command's output its error tells."""
_MOST_OUTPUT = 1 << 20

# The first that scripts/kconfig/Makefile has: both take defaults for what is new, and ask nothing.
_TARGETS = ("olddefconfig", "oldnoconfig")  # since 3.7, since 2.6.36
_I386 = re.compile(r"^(?:CONFIG_X86_32=y|CONFIG_64BIT=n|# CONFIG_64BIT is not set)", re.MULTILINE)
_COMPILER = re.compile(r'^CONFIG_CC_VERSION_TEXT=(".*")', re.MULTILINE)
_MERGE = "scripts/kconfig/merge_config.sh"
_HEADERS = re.compile(r"std\w{1,9}\.h: No such file|'std\w{1,9}\.h' file not found")


class Proof(NamedTuple):
    """What really comes out, symbol by symbol (strings quoted, `n` for "is not set").

    `base` is the configuration alone, refreshed by this machine's tools, and `base_text` its file;
    `result` that one with the fragment merged. Both answer the tree's questions about compilers
    alike, so a prediction has to start from `base_text` as well, with the tree opened for
    `make_arch()`, and to drop the base's line of each of `symbols_named()`, as the merge does even
    where conf then rejects the fragment's: whatever still differs from `result` is a mistake.
    `warnings` are those of conf that name a symbol of the fragment, `notes` what else to know of
    the run, `log` all output of the merge and of the last make.
    """

    base: dict[str, str]
    result: dict[str, str]
    base_text: str
    result_text: str
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    log: str


def make_arch(arch: str, config: str) -> str:
    """ARCH for make: the folder under arch/, but x86_64 or i386 for x86.

    Where the configuration does not tell, it is x86_64, as Kconfig's own default. The other
    folders with two word sizes are values of ARCH under which the configuration decides.
    """
    if arch != "x86":
        return arch
    return "i386" if _I386.search(config) else "x86_64"


def prove(tree: str, arch: str, config: str, fragment: str, *, timeout: float = TIMEOUT) -> Proof:
    """Refreshes `config` (the text of a .config), merges `fragment`, and makes the result.

    See `building`.
    """
    with building(tree, arch, config, timeout=timeout) as build:
        return build.proof(fragment)


@contextmanager
def building(
    tree: str, arch: str, config: str, *, timeout: float = TIMEOUT, allowed: Iterable[str] = ()
) -> Iterator[Build]:
    """A scratch folder in which `config` (the text of a .config) is refreshed; it goes at the end.

    A merge starts from the refreshed configuration: for a complete .config of this kernel the
    same, whereas what a defconfig leaves out is settled before the fragment can move its default.
    An empty `config` stands for the tree's defaults. `timeout` is in seconds, for each command;
    links of the tree may lead into the folders `allowed` too.
    Raises TreeError if the tree is none or not clean, if a tool is missing, a path unfit, or a
    command fails or takes too long.
    """
    with kbuildhost.scratch_folder() as scratch:
        build = Build(find_tree(tree, allowed), arch, config, scratch, timeout)
        try:
            build.refresh()
            yield build
        except OSError as error:
            hint = "set TMPDIR to a folder with 100 MB to spare"
            message = f"cannot use the scratch folder: {error.strerror or error}"
            raise TreeError(message, where=scratch, hint=hint) from error


class Build:
    """A build folder of one tree; nothing runs before all that is needed is known to be there.

    `base_text` is the configuration as the tree's tools refreshed it.
    """

    base_text: str

    def __init__(
        self, source: TreeFiles, arch: str, config: str, scratch: str, timeout: float
    ) -> None:
        tree = source.path
        self._arch = find_arch(source, arch)
        if not source.has("scripts/kconfig/conf.c"):
            hint = "the whole source is needed, not the headers or a part of it"
            raise TreeError("has no scripts/kconfig/conf.c", where=tree, hint=hint)
        kbuildhost.check_path(source.root, tree, "move or copy the tree")
        kbuildhost.check_clean(source, self._arch, tree)
        self._environment = kbuildhost.environment(scratch)
        kbuildhost.check_tools(source, self._environment)
        self._config = config
        self._path, self._root, self._scratch, self._timeout = tree, source.root, scratch, timeout
        makefile = source.text("scripts/kconfig/Makefile")
        known = [target for target in _TARGETS if re.search(rf"\b{target}\b", makefile)]
        if not known:
            message = "scripts/kconfig/Makefile has neither the target olddefconfig nor oldnoconfig"
            raise TreeError(message, where=tree, hint="--prove needs Linux 2.6.36 or newer")
        # Since 3.1.
        self._script = source.text(_MERGE) if source.has(_MERGE) else ""
        self._words = [
            "make", "-s", "-C", source.root, f"O={scratch}",
            f"ARCH={make_arch(self._arch, config) if arch == self._arch else arch}", known[0],
        ]  # fmt: skip

    def refresh(self) -> None:
        """Makes `base_text`."""
        # An empty file too: without any, conf would take that of the running kernel.
        self._write(".config", self._config)
        self._run(self._words)
        self.base_text = self._read(".config")

    def proof(self, fragment: str) -> Proof:
        """What comes out of the refreshed configuration with the fragment merged."""
        base = self.base_text
        merged: list[str] = []
        if self._script:
            self._write("base.config", base)
            self._write("fragment.config", fragment)
            # Up to 3.6 the script knows only the folder that it runs in.
            folder = ["-O", self._scratch] if '"-O"' in self._script else []
            words = [
                "sh",
                f"{self._root}/{_MERGE}",
                "-m",
                *folder,
                "base.config",
                "fragment.config",
            ]
            merged = self._run(words)
        else:  # what the script does: the base without what the fragment names, then the fragment
            named = symbols_named(fragment)
            kept = [line for line in base.splitlines() if not symbols_named(line) & named]
            self._write(".config", "\n".join([*kept, fragment]))
        made = self._run(self._words)
        result = self._read(".config")
        return Proof(
            self._values(base), self._values(result), base, result,
            tuple(_naming(symbols_named(fragment), made)),
            tuple(self._notes(self._config, base)),
            "".join(f"{line}\n" for line in (*merged, *made)),
        )  # fmt: skip

    def _run(self, words: list[str]) -> list[str]:
        """The lines that a command prints; raises TreeError with the last of them if it fails."""
        name = f"make {words[-1]}" if words[0] == "make" else "merge_config.sh"
        with files.temporary(self._scratch) as output:
            try:
                started = subprocess.Popen(
                    words, cwd=self._scratch, env=self._environment, stdin=subprocess.DEVNULL,
                    stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                )  # fmt: skip
                code = wait(started, self._timeout)
            except OSError as error:
                message = f"cannot run {words[0]}: {error.strerror}"
                raise TreeError(message, where=self._path, hint="check PATH") from error
            except subprocess.TimeoutExpired as error:
                message = _with_tail(f"{name} took more than {self._timeout:g} s", _lines(output))
                hint = "it was stopped; is the machine busy, or does the tree wait for something?"
                raise TreeError(message, where=self._path, hint=hint) from error
            lines = _lines(output)
        if code:
            raise self._failed(name, code, lines)
        return lines

    def _failed(self, name: str, code: int, lines: list[str]) -> TreeError:
        text = "\n".join(lines)
        if "not clean" in text and "mrproper" in text:
            return kbuildhost.not_clean(self._path, "says so itself")
        hint = f"to see the whole output: make -C TREE O=SCRATCH {' '.join(self._words[-2:])}"
        if _HEADERS.search(text):
            hint = "install libc6-dev, on Fedora glibc-devel: the C library's headers are missing"
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        return TreeError(_with_tail(f"{name} {ended}", lines), where=self._path, hint=hint)

    def _notes(self, config: str, base: str) -> Iterator[str]:
        """What the reader of a proof should know of its compiler."""
        # Older kernels ask no compiler before 4.18, and record none.
        now = _COMPILER.search(base)
        if not now:
            return
        compiler = printable(unquote(now[1]))
        chosen = self._environment.get("CROSS_COMPILE") or self._environment.get("LLVM")
        # User-mode Linux is a program of this machine's.
        native = (native_arch(), "um" if native_arch() == "x86" else "")
        # Some makefiles under arch/ look for a cross compiler themselves.
        if not chosen and compiler.startswith("gcc ") and self._arch not in native:
            yield (
                f"CROSS_COMPILE is not set: this machine's compiler, {compiler}, answered the "
                f"tree's compiler checks for {self._arch}"
            )
        before = _COMPILER.search(config)
        # The first word is the name under which the same compiler was called.
        if before and before[1].split()[1:] != now[1].split()[1:]:
            made = printable(unquote(before[1]))
            yield f"the configuration was made with {made}, the proof with {compiler}"

    def _write(self, name: str, text: str) -> None:
        path = os.path.join(self._scratch, name)
        files.replace(path, text.encode(errors="surrogateescape"))

    def _read(self, name: str) -> str:
        path = os.path.join(self._scratch, name)
        try:
            return files.read(path, limit=files.MOST).decode(errors="replace")
        except FileNotFoundError:
            return ""

    def _values(self, text: str) -> dict[str, str]:
        try:
            config = parse_config(text, self._path, complete=True)
        except InputError as error:
            message = f"{self._words[-1]} wrote no configuration"
            raise TreeError(message, where=self._path, hint="is the tree complete?") from error
        return {symbol: config.get(symbol) or "n" for symbol in config.symbols()}


def _lines(output: IO[bytes]) -> list[str]:
    """The last lines of what was written there, fit to print."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _MOST_OUTPUT))
    lines = output.read().decode(errors="replace").splitlines()
    return [printable(line.replace("\t", " ").rstrip()) for line in lines]


def _with_tail(message: str, lines: list[str]) -> str:
    """The message, and below it the last lines that are not empty."""
    tail = [line for line in lines if line][-TAIL:]
    return "\n  ".join([f"{message}:", *tail]) if tail else f"{message} and printed nothing"


def symbols_named(fragment: str) -> set[str]:
    """The symbols that the lines of a fragment set, with a value that Kconfig takes or not."""
    return {named[0] for named in map(naming, fragment.splitlines()) if named}


def _naming(symbols: set[str], lines: list[str]) -> Iterator[str]:
    """The warnings among these lines that name one of the symbols."""
    # conf indents the lines that continue a warning: joined again, they are one.
    for block in re.split(r"\n(?! )", "\n".join(lines)):
        words = re.findall(r"\w+", block)
        named = {word.removeprefix("CONFIG_") for word in words}
        if "warning" in map(str.lower, words) and symbols & named:
            yield " ".join(line.strip() for line in block.split("\n") if line.strip())
