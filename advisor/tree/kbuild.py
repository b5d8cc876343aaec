"""What a kernel tree's own merge_config.sh and conf make of a fragment: runs code of the tree.

All of it runs in a scratch folder (make's O=); nothing is written into the source.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from advisor import files
from advisor.errors import InputError, TreeError
from advisor.inputs.config import naming, parse_config, unquote
from advisor.inputs.machine import architecture
from advisor.tree import host as kbuildhost
from advisor.tree.files import find_arch, find_tree
from advisor.tree.kconfig.text import printable

TIMEOUT = 300
"""How many seconds each of the three commands may take; a slow machine needs 20."""
TAIL = 15
"""How many lines of a failed command's output its error tells."""
_MOST_OUTPUT = 1 << 20

# The first that scripts/kconfig/Makefile has: both take defaults for what is new, and ask nothing.
_TARGETS = ("olddefconfig", "oldnoconfig")  # since 3.7, since 2.6.36
_I386 = re.compile(r"^(?:CONFIG_X86_32=y|CONFIG_64BIT=n|# CONFIG_64BIT is not set)", re.MULTILINE)
_COMPILER = re.compile(r'^CONFIG_CC_VERSION_TEXT=(".*")', re.MULTILINE)
_HEADERS = re.compile(r"std\w+\.h: No such file|'std\w+\.h' file not found")


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
def building(tree: str, arch: str, config: str, *, timeout: float = TIMEOUT) -> Iterator[Build]:
    """A scratch folder in which `config` (the text of a .config) is refreshed; it goes at the end.

    A merge starts from the refreshed configuration: for a complete .config of this kernel the
    same, whereas what a defconfig leaves out is settled before the fragment can move its default.
    An empty `config` stands for the tree's defaults. `timeout` is in seconds, for each command.
    Raises TreeError if the tree is none or not clean, if a tool is missing, a path unfit, or a
    command fails or takes too long.
    """
    with kbuildhost.scratch_folder() as scratch:
        build = Build(tree, arch, config, scratch, timeout)
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

    def __init__(self, tree: str, arch: str, config: str, scratch: str, timeout: float) -> None:
        source = find_tree(tree)
        self._arch = find_arch(source, arch)
        if not source.has("scripts/kconfig/conf.c"):
            hint = "the whole source is needed, not the headers or a part of it"
            raise TreeError("has no scripts/kconfig/conf.c", where=tree, hint=hint)
        kbuildhost.check_path(source.root, tree, "move or copy the tree")
        kbuildhost.check_clean(source, self._arch, tree)
        self._environment = kbuildhost.environment(scratch)
        kbuildhost.check_tools(source, self._environment)
        self._config = config
        self._shown, self._root, self._scratch, self._timeout = tree, source.root, scratch, timeout
        makefile = source.text("scripts/kconfig/Makefile")
        known = [target for target in _TARGETS if re.search(rf"\b{target}\b", makefile)]
        if not known:
            message = "has neither of the targets olddefconfig and oldnoconfig"
            raise TreeError(message, where=tree, hint="2.6.36 is the oldest kernel to prove with")
        script = "scripts/kconfig/merge_config.sh"  # since 3.1
        self._script = source.text(script) if source.has(script) else ""
        self._words = [
            "make", "-s", "-C", source.root, f"O={scratch}",
            f"ARCH={make_arch(self._arch, config) if arch == self._arch else arch}", known[0],
        ]  # fmt: skip

    def refresh(self) -> None:
        """Makes `base_text`."""
        # An empty file too: without any, conf would take that of the running kernel.
        self._write(".config", self._config)
        self._make()
        self.base_text = self._read(".config")

    def proof(self, fragment: str) -> Proof:
        """What comes out of the refreshed configuration with the fragment merged."""
        base = self.base_text
        merged = self._merge(base, fragment)
        made = self._make()
        result = self._read(".config")
        return Proof(
            self._values(base), self._values(result), base, result,
            tuple(_naming(symbols_named(fragment), _blocks(made))),
            tuple(self._notes(self._config, base)),
            "".join(f"{line}\n" for line in (*merged, *made)),
        )  # fmt: skip

    def _make(self) -> list[str]:
        return self._run(self._words)

    def _merge(self, base: str, fragment: str) -> list[str]:
        """Puts both into .config, by the tree's script where it has one; returns what that says."""
        if not self._script:
            self._write(".config", _merged(base, fragment))
            return []
        self._write("base.config", base)
        self._write("fragment.config", fragment)
        # Up to 3.6 the script knows only the folder that it runs in.
        folder = ["-O", self._scratch] if '"-O"' in self._script else []
        script = f"{self._root}/scripts/kconfig/merge_config.sh"
        return self._run(["sh", script, "-m", *folder, "base.config", "fragment.config"])

    def _run(self, words: list[str]) -> list[str]:
        """The lines that a command prints; raises TreeError with the last of them if it fails."""
        name = f"make {words[-1]}" if words[0] == "make" else "merge_config.sh"
        with files.temporary(self._scratch) as output:
            try:
                code = _wait(words, self._scratch, self._environment, output, self._timeout)
            except OSError as error:
                message = f"cannot run {words[0]}: {error.strerror}"
                raise TreeError(message, where=self._shown, hint="check PATH") from error
            except subprocess.TimeoutExpired as error:
                message = _with_tail(f"{name} took more than {self._timeout:g} s", _lines(output))
                hint = "stopped; is the machine busy, or does the tree wait for something?"
                raise TreeError(message, where=self._shown, hint=hint) from error
            lines = _lines(output)
        if code:
            raise self._failed(name, code, lines)
        return lines

    def _failed(self, name: str, code: int, lines: list[str]) -> TreeError:
        text = "\n".join(lines)
        if "not clean" in text and "mrproper" in text:
            return kbuildhost.not_clean(self._shown, "says so itself")
        hint = f"to see it all: make -C TREE O=SCRATCH {' '.join(self._words[-2:])}"
        if _HEADERS.search(text):
            hint = "install libc6-dev, on Fedora glibc-devel: the C library's headers are missing"
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
        return TreeError(_with_tail(f"{name} {ended}", lines), where=self._shown, hint=hint)

    def _notes(self, config: str, base: str) -> Iterator[str]:
        """What the reader of a proof should know of its compiler."""
        # Older kernels ask no compiler before 4.18, and record none.
        now = _COMPILER.search(base)
        if not now:
            return
        told = printable(unquote(now[1]))
        chosen = self._environment.get("CROSS_COMPILE") or self._environment.get("LLVM")
        # Some makefiles under arch/ look for a cross compiler themselves.
        if not chosen and told.startswith("gcc ") and self._arch not in _native():
            yield (
                f"CROSS_COMPILE is not set: what the tree asks of a compiler for {self._arch} was "
                f"answered by this machine's, {told}"
            )
        before = _COMPILER.search(config)
        # The first word is the name under which the same compiler was called.
        if before and before[1].split()[1:] != now[1].split()[1:]:
            made = printable(unquote(before[1]))
            yield f"the configuration was made with {made}, the proof with {told}"

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
            config = parse_config(text, self._shown, complete=True)
        except InputError as error:
            message = f"{self._words[-1]} left no configuration behind"
            raise TreeError(message, where=self._shown, hint="is the tree complete?") from error
        return {symbol: config.get(symbol) or "n" for symbol in config.symbols()}


def _native() -> tuple[str, ...]:
    """The folders under arch/ for which this machine's own compiler is right."""
    try:
        arch = architecture(os.uname().machine)
    except ValueError:
        return ()
    return (arch, "um") if arch == "x86" else (arch,)


def _wait(
    words: list[str], folder: str, environment: dict[str, str], output: IO[bytes], timeout: float
) -> int:
    """Runs a command to its end and returns its code; whatever stops it stops its children too."""
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
        stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            return process.wait(timeout)
        except BaseException:  # a timeout, or the user's Ctrl-C
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise


def _lines(output: IO[bytes]) -> list[str]:
    """The last lines of what was written there, fit to print."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _MOST_OUTPUT))
    lines = output.read().decode(errors="replace").splitlines()
    return [printable(line.replace("\t", " ").rstrip()) for line in lines]


def _with_tail(message: str, lines: list[str]) -> str:
    """The message, and below it the last lines that are not empty."""
    told = [line for line in lines if line][-TAIL:]
    return "\n  ".join([f"{message}:", *told]) if told else f"{message} and said nothing"


def symbols_named(fragment: str) -> set[str]:
    """The symbols that the lines of a fragment set, with a value that Kconfig takes or not."""
    found = map(naming, fragment.splitlines())
    return {symbol for symbol, _ in filter(None, found)}


def _merged(base: str, fragment: str) -> str:
    """The base without what the fragment names, then the fragment: what merge_config.sh does."""
    named = symbols_named(fragment)
    kept = [line for line in base.splitlines() if not symbols_named(line) & named]
    return "\n".join([*kept, fragment])


def _blocks(lines: Iterable[str]) -> Iterator[str]:
    """Each line with those that continue it, which are indented."""
    block: list[str] = []
    for line in lines:
        if block and not line.startswith(" "):
            yield " ".join(block)
            block = []
        if line.strip():
            block.append(line.strip())
    if block:
        yield " ".join(block)


def _naming(symbols: set[str], blocks: Iterable[str]) -> Iterator[str]:
    """The warnings among these that name one of the symbols."""
    for block in blocks:
        words = re.findall(r"\w+", block)
        if "warning" in map(str.lower, words) and symbols & {
            w.removeprefix("CONFIG_") for w in words
        }:
            yield block
