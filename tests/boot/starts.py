"""The starts that are tried: kernels with the tool's own lines, and with wrong ones."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import tomli

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import index
from advisor.model.cmdline import parse_cmdline

from ..proofs import Mode, Proof, Proofs, Standing, digest
from ..shared import counted
from .machine import BASE, FACTS, KERNELS, OPTIONS, Booted, Kernels
from .readback import compare, reading, settings_shown
from .wordings import CAUSES, OTHERWISE, ROUNDS, SHARES, absent_words, idle_words, round_of_words

PROJECT = Path(__file__).resolve().parents[2]
PROFILES = sorted(path.stem for path in (PROJECT / "profiles").glob("*.toml"))
# The fewest tunables that a kernel must show, lest a reader that finds nothing go unnoticed.
FEWEST = 70
# Read before parameters are parsed (cmdline_find_option() under arch/x86), so that the kernel calls
# them unknown, and honours them all the same.
READ_BEFORE = {
    "nokaslr", "nopti", "pti", "nospectre_v2", "spectre_v2", "spectre_v2_user",
    "nospec_store_bypass_disable", "spec_store_bypass_disable", "split_lock_detect",
}  # fmt: skip
# What init gets as argument or environment has room for so many (init/main.c, MAX_INIT_ARGS).
ROOM = {"zzq{}=1": 31, "zzq{}": 32}


class Start(NamedTuple):
    """A kernel to start, and where its line is from.

    `source` is `profile` (the advice of the profile `what`), `round` (words that the rules know,
    the round of the number `what`), `absent` (those of which they say that the kernel does not
    know them), `line` (a line of wrong_lines.toml that begins with the word `what`, none for no
    word), `cause` (a line of CAUSES that begins with `what`), `idle` (words that are said to touch
    no tunable, the share of the number `what`), `full` and `overfull` (words of the form `what`, as
    many as init has room for, and one more).
    """

    kernel: str
    source: str
    what: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


class Claim(NamedTuple):
    """What becomes of one word of a line.

    `listed`: whether the kernel calls it unknown. `passed`: what of it comes to init. `message`: a
    pattern of what the kernel logs. `shows`: patterns of whole files, by path. `as_plain`: files
    that are as if the word were not there (with `exists:` in front: whether they are). `thread`: a
    kernel thread that it makes. `diagnostic`: what the tool says of the word, empty for nothing;
    `pending` where it does not say so yet.
    """

    word: str
    listed: bool = False
    passed: str = ""
    message: str = ""
    shows: Mapping[str, str] = {}
    as_plain: tuple[str, ...] = ()
    thread: str = ""
    diagnostic: str = ""
    pending: bool = False
    kernels: tuple[str, ...] = KERNELS

    def failures(self, booted: Booted, plain: Booted) -> Iterator[str]:
        """Where the kernel does something else."""
        if self.listed != (self.word in booted.unknown()):
            yield f"the kernel lists as unknown {sorted(booted.unknown())}"
        if self.passed and self.passed not in booted.passed_on():
            yield f"init gets {sorted(booted.passed_on())}"
        if self.message and not booted.message(self.message):
            yield f"no message {self.message!r}"
        if self.thread and self.thread not in booted.threads() - plain.threads():
            yield f"no thread {self.thread!r}, or not because of it"
        for path, pattern in self.shows.items():
            if not re.fullmatch(pattern, booted.text(path) or ""):
                yield f"{path} is {booted.text(path)!r}"
        for path in self.as_plain:
            if shown(path, booted) != shown(path, plain):
                yield f"{path} is {shown(path, booted)!r}, alone {shown(path, plain)!r}"


def shown(path: str, booted: Booted) -> str | bool | None:
    """What a file says, or whether it exists."""
    kind, _, name = path.rpartition(":")
    return booted.has(name) if kind else booted.text(name)


class WrongLine(NamedTuple):
    """A line of wrong_lines.toml; `differs` are the tunables that the tool does not foresee."""

    words: str
    differs: frozenset[str]
    claims: tuple[Claim, ...]


WRONG = {
    line["words"].split()[0]: WrongLine(
        line["words"], frozenset(line["differs"]), tuple(Claim(**claim) for claim in line["claim"])
    )
    for line in tomli.loads((Path(__file__).parent / "wrong_lines.toml").read_text())["line"]
}
STARTS = [
    *(Start(kernel, "profile", profile) for kernel in KERNELS for profile in PROFILES),
    *(Start(kernel, "round", str(number)) for kernel in KERNELS for number in range(ROUNDS)),
    *(Start(kernel, "absent") for kernel in KERNELS),
    *(Start(kernel, "line", first) for kernel in KERNELS for first in ("", *WRONG)),
    *(Start(kernel, "cause", first) for kernel in KERNELS for first in CAUSES),
    *(Start(KERNELS[1], "idle", str(share)) for share in range(SHARES)),
    *(Start(KERNELS[0], source, form) for source in ("full", "overfull") for form in ROOM),
]


def world(kernels: Kernels, kernel: str, line: str) -> World:
    """The tool's view of that kernel with that line on the machine that the tests start."""
    given = Given(machine=FACTS, cmdline=parse_cmdline(line))
    subject = read_subject(str(kernels.config(kernel)), given)
    return World(subject, index.load((), ()))


def advised(kernels: Kernels, kernel: str, profile: str) -> str:
    """The boot line that the command gives for a profile, as it prints it."""
    command = [
        sys.executable, "-m", "advisor", "cmdline", str(kernels.config(kernel)),
        "--profile", profile, "--strength", "could", "--cmdline", BASE, *OPTIONS,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def filling(form: str, more: int) -> list[str]:
    """Words of that form that fill init's room, and so many more."""
    words = [form.format(first + second) for first in "abc" for second in "abcdefghijklmnop"]
    return words[: ROOM[form] + more]


def line_of(kernels: Kernels, start: Start) -> str:
    """The boot line of a start."""
    if start.source == "profile":
        return advised(kernels, start.kernel, start.what)
    if start.source in ("absent", "round"):
        known = world(kernels, start.kernel, BASE)
        absent = start.source == "absent"
        words = absent_words(known) if absent else round_of_words(known, int(start.what))
    elif start.source == "idle":
        words = idle_words(world(kernels, start.kernel, BASE), int(start.what))
    elif start.source == "cause":
        words = [start.what, CAUSES[start.what]]
    elif start.source == "line":
        words = [WRONG[start.what].words] if start.what else []
    else:
        words = filling(start.what, more=int(start.source == "overfull"))
    return " ".join(filter(None, [BASE, *words]))


class Trial:
    """One start with its line, what the tool predicts of it, and what is wrong with that."""

    def __init__(self, kernels: Kernels, start: Start) -> None:
        self._kernels = kernels
        self.start = start
        self.line = line_of(kernels, start)
        self.world = world(kernels, start.kernel, self.line)

    def subject(self) -> str:
        """A digest of the kernel, the machine, and how the tunables are read from them."""
        return digest(self._kernels.digest(self.start.kernel), reading(self.world.knowledge))

    def asked(self) -> str:
        """A digest of the line, and of all that is claimed of it."""
        known = self.world
        states = ((name, known.state(name)) for name in known.knowledge.ids("tunables"))
        effective = (f"{name} {sorted(state.effective)}" for name, state in states if state)
        wrong = WRONG.get(self.start.what) if self.start.source == "line" else None
        claims = (repr((sorted(wrong.differs), self._claims(wrong))) if wrong else "",)
        return digest(self.line, *effective, *claims)

    def made(self) -> tuple[str, list[str]]:
        """A digest of what the kernel shows, and where that is not what is claimed."""
        start, booted = self.start, None
        try:
            booted = self._kernels.start(start.kernel, self.line)
        except AssertionError as error:
            if start.source != "overfull":
                return "", [str(error)]
            first = filling(start.what, more=1)[-1]
            panicked = re.search(f"Too many boot .* at `{first}'", str(error))
            return digest("panic"), [] if panicked else [str(error)]
        if start.source == "overfull":
            return "", ["the kernel starts all the same"]
        return digest(*settings_shown(self.world, booted)), list(self._faults(booted))

    def _faults(self, booted: Booted) -> Iterator[str]:
        source = self.start.source
        if booted.text("/proc/cmdline") != booted.line:
            yield f"/proc/cmdline is {booted.text('/proc/cmdline')!r}"
        if source in ("profile", "round"):
            yield from self._unknown(booted)
        if source in ("profile", "round", "line", "cause", "idle"):
            yield from self._mispredicted(booted)
        if source == "absent":
            yield from self._known(booted)
        if source == "line":
            yield from self._claimed(booted)

    def _unknown(self, booted: Booted) -> Iterator[str]:
        """What the kernel does not know or take of a line that the tool wrote."""
        for word in sorted(booted.unknown()):
            if word.partition("=")[0] not in READ_BEFORE:
                yield f"the kernel does not know {word}"
        if found := booted.message("Malformed early option"):
            yield found.string

    def _mispredicted(self, booted: Booted) -> Iterator[str]:
        wrong, count = compare(self.world, booted)
        differs = self._differs()
        yield from (text for text in wrong if text.partition(":")[0] not in differs)
        if count < FEWEST:
            yield f"the kernel shows {count} tunables only"

    def _differs(self) -> frozenset[str]:
        """The tunables that the kernel is known to show otherwise than the tool predicts."""
        if self.start.source == "line" and self.start.what:
            return WRONG[self.start.what].differs
        return OTHERWISE.get(self.start.what, frozenset())

    def _known(self, booted: Booted) -> Iterator[str]:
        """What the kernel knows although the rules say that it does not."""
        words = set(booted.line.removeprefix(BASE).split())
        assert 0 < len(words) <= min(ROOM.values())
        yield from (f"the kernel knows {word}" for word in words - booted.passed_on())

    def _claimed(self, booted: Booted) -> Iterator[str]:
        plain = self._kernels.start(self.start.kernel, BASE)
        if not self.start.what and booted.passed_on():
            yield f"init gets {sorted(booted.passed_on())} of an empty line"
        if self.start.what:
            for claim in self._claims(WRONG[self.start.what]):
                for text in claim.failures(booted, plain):
                    yield f"{claim.word}: {text}"

    def _claims(self, wrong: WrongLine) -> tuple[Claim, ...]:
        return tuple(claim for claim in wrong.claims if self.start.kernel in claim.kernels)


class Prover:
    """Decides for each start whether the kernel is started, and holds it against the list."""

    def __init__(self, kernels: Kernels, proofs: Proofs, mode: Mode) -> None:
        self._kernels = kernels
        self._proofs = proofs
        self._mode = mode
        self._again = mode.sample(map(str, STARTS))

    def prove(self, start: Start) -> tuple[str, list[str]]:
        """How it was found out what comes of the start, and all that is wrong with it."""
        key, mode = str(start), self._mode
        trial = Trial(self._kernels, start)
        subject, asked = trial.subject(), trial.asked()
        standing = self._proofs.standing(key, subject, asked)
        again = key in self._again
        if not mode.runs(standing, again):
            return standing.value, []
        if mode.spends(standing) and counted(self._kernels.work / "new") > mode.new:
            return "not proven", [f"more than {mode.new} starts have no proof: make prove"]
        outcome, faults = trial.made()
        kept = self._proofs.find(key)
        if standing is Standing.KEPT and kept and kept.outcome != outcome:
            faults.append(f"started again, it shows something else than was proven ({kept})")
        if mode.write and not faults:
            self._proofs.keep(Proof(subject, asked, outcome, key))
        return f"proven again ({standing.value})" if again else "proven", faults


def told_of(known: World, word: str) -> set[str]:
    """The diagnostics about a word, wherever it stands on the line."""
    columns = {given.column for given in known.line.words if given.text == word}
    return {found.id for found in diagnose(known) if found.location.column in columns}
