"""The fragments that are tried, and what is held against the outcome of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from ..proofs import Mode, Proof, Proofs, Standing, digest
from ..shared import counted
from .advice import Advice, Advisor
from .kernels import (
    ARCHES,
    DEBIAN,
    OTHERS,
    PROJECT,
    TINY,
    VERSIONS,
    Base,
    Kernels,
    Lines,
    tree_digest,
)

PROFILES = tuple(sorted(path.stem for path in (PROJECT / "profiles").glob("*.toml")))
STRENGTHS = ("must", "should", "could")


class Cell(NamedTuple):
    """One fragment to try: whose advice, how weak, for which configuration, how proven."""

    profile: str
    base: Base
    strength: str
    proof: str = "database"

    def __str__(self) -> str:
        return f"{self.base} {self.profile} {self.strength} {self.proof}"


BASES = [
    Base(version, name)
    for version in VERSIONS
    for name in (*(f"{arch}-defconfig" for arch in ARCHES), *DEBIAN)
]
TRIED = [Cell(profile, base, "could") for base in BASES for profile in PROFILES]
TRIED += [
    Cell(profile, base, "could")
    for base in (
        Base("6.1", "x86_64-bad-ideas"),
        Base("6.12", "x86_64-bad-ideas"),
        Base("6.12", "x86_64-debug"),
        Base("6.12", TINY),
    )
    for profile in PROFILES
]
TRIED += [
    Cell(profile, Base("6.12", f"{arch}-defconfig"), "could")
    for arch in OTHERS
    for profile in PROFILES
]
TRIED += [cell._replace(proof="model") for cell in TRIED]
# What is left out there is what the others have in addition: one configuration of each will do.
TRIED += [
    Cell(profile, Base(version, "amd64"), "should") for version in VERSIONS for profile in PROFILES
]
# What is of one configuration stands together, for the worker that has its tree open.
TRIED.sort(key=lambda cell: cell.base)
# Six whole runs of merge_config.sh, of every version, architecture and proof. A defconfig leaves
# unnamed what is at its default, and realtime moves such defaults (EXPERT=y takes `default !EXPERT`
# away from lines of the defconfig), of which the script complains: so realtime is not among them.
MERGED = [
    Cell("server-throughput", Base("6.1", "x86_64-defconfig"), "could"),
    Cell("desktop-latency", Base("6.1", "arm64-defconfig"), "could"),
    Cell("diagnosis", Base("6.1", "x86_64-defconfig"), "could", "model"),
    Cell("power-saving", Base("6.12", "x86_64-defconfig"), "could"),
    Cell("diagnosis", Base("6.12", "arm64-defconfig"), "could"),
    Cell("server-throughput", Base("6.12", "arm64-defconfig"), "could", "model"),
]


class Outcome(NamedTuple):
    """All that came of a cell: the fragment, and what the kernel's own tools made of it."""

    cell: Cell
    before: dict[str, Any]
    fragment: str
    conf_log: str
    base: str
    result: str
    after: dict[str, Any]
    second: str

    def faults(self) -> list[str]:
        """All that does not hold of it, each in words."""
        # The smallest of all kernels hides most of Kconfig: what a fragment brings to light there,
        # by defaults of defaults, only a tree can tell; without one it is for a second run.
        settled = self.cell.base.name != TINY or self.cell.proof == "model"
        return [
            *(f"does not hold: {line}" for line in self.differences()),
            *(f"is not needed: {line}" for line in self.idle_lines()),
            *(f"conf warns: {line}" for line in self.warnings()),
            *(f"a comment names a symbol: {line}" for line in self.naming_comments()),
            *(f"is open without a line or cause: {name}" for name in self.passed_over()),
            *(f"is left: {name}" for name in self.left() if settled),
            *(f"in a second fragment: {line}" for line in settings(self.second) if settled),
        ]

    def differences(self) -> list[str]:
        """The lines of the fragment that do not hold, each with what stands instead."""
        missing = Lines.of(self.fragment).missing_in(Lines.of(self.result))
        return [f"{symbol}: {what}" for symbol, what in missing.items()]

    def idle_lines(self) -> list[str]:
        """Lines that change nothing; but a choice may name all the members that it offers."""
        base, result = Lines.of(self.base).values, Lines.of(self.result).values
        idle = []
        for symbol, value in Lines.of(self.fragment).values.items():
            if value == "n" and symbol not in base and symbol not in result:
                idle.append(f"{symbol}: switched off, and not offered")
            elif value != "n" and base.get(symbol) == value:
                idle.append(f"{symbol}: is {value} already")
        return idle

    def warnings(self) -> list[str]:
        """What conf says against a symbol of the fragment."""
        named = set(Lines.of(self.fragment).values)
        lines = [line for line in self.conf_log.splitlines() if "warning:" in line]
        return [
            line for line in lines if named & set(re.findall(r"\w+", line.partition("warning:")[2]))
        ]

    def naming_comments(self) -> list[str]:
        """Comments in which merge_config.sh would find a symbol."""
        lines = set(self.fragment.splitlines()) - set(settings(self.fragment))
        return [line for line in lines if "CONFIG_" in line]

    def passed_over(self) -> list[str]:
        """What is open although the fragment is empty and gives no cause."""
        if settings(self.fragment):
            return []
        return [finding["id"] for finding in self._open(self.before) if not self.omitted(finding)]

    def left(self) -> list[str]:
        """What a rebuild could still change afterwards."""
        return [
            f"{finding['id']}: is {finding['now']}, wanted {finding['wanted']}"
            for finding in self._open(self.after)
            if not self.omitted(finding)
        ]

    def answered(self) -> list[dict[str, Any]]:
        """What a rebuild of the base could change."""
        return self._open(self.before)

    def blocked(self) -> list[dict[str, Any]]:
        """What nothing can change."""
        return [one for one in self.before["findings"] if one["verdict"] == "blocked"]

    def _open(self, report: dict[str, Any]) -> list[dict[str, Any]]:
        """What a rebuild could change, down to the cell's strength."""
        strengths = STRENGTHS[: STRENGTHS.index(self.cell.strength) + 1]
        return [
            finding
            for finding in report["findings"]
            if finding["verdict"] == "change"
            and finding["strength"] in strengths
            and any(remedy["kind"] == "rebuild" for remedy in finding["remedies"])
        ]

    def omitted(self, finding: dict[str, Any]) -> bool:
        """Whether the fragment names this advice as not included, and gives a cause."""
        # Comments are wrapped, also at hyphens: blanks say nothing here.
        for block in self.fragment.split("# Not included:")[1:]:
            lines = block.split("\n\n")[0].splitlines()
            squashed = re.sub(r"\s", "", "".join(line.removeprefix("# ") for line in lines))
            if re.search(rf"\W{finding['strength']},{re.escape(finding['id'])}\W:.", squashed):
                return True
        return False


def settings(text: str) -> list[str]:
    """The lines that set something."""
    return [line for line in text.splitlines() if re.match(r"(# )?CONFIG_", line)]


class Merge(NamedTuple):
    """What merge_config.sh said of a fragment for a defconfig, and made of it."""

    fragment: str
    log: str
    stale: frozenset[str]  # what the defconfig asks for in vain, whatever is merged


class Trial:
    """One cell on its way: the fragment, what the lists say of it, and its outcome."""

    def __init__(self, kernels: Kernels, cell: Cell, advisor: Advisor) -> None:
        self._kernels = kernels
        self._advisor = advisor
        self.cell = cell
        self.base = kernels.base(cell.base)
        self.before, self.fragment = self._advise()

    def standing(self, proofs: Proofs) -> Standing:
        return proofs.standing(str(self.cell), self._subject(), self._asked())

    def predicted(self) -> Outcome:
        """The outcome if the tree's conf does what the advisor foresees."""
        if not settings(self.fragment):
            return self._unchanged()
        result = self.foreseen()
        return self._outcome("", result, self._advise(result))

    def foreseen(self) -> str:
        """The configuration that the advisor expects conf to write."""
        return self._advisor.predicted(self.fragment)

    def made(self) -> Outcome:
        """The outcome as merge_config.sh and conf make it."""
        if not settings(self.fragment):
            return self._unchanged()
        cell, kernels = self.cell, self._kernels
        # Two tests may make one cell: of its own, and of those that a run proves again.
        folder = Path(mkdtemp(prefix=f"cell-{str(cell).replace(' ', '-')}-", dir=kernels.work))
        written = folder / "fragment.config"
        written.write_text(self.fragment)
        kernels.merge(cell.base.version, folder, self.base, written)
        log = kernels.olddefconfig(cell.base.version, cell.base.arch, folder)
        result = (folder / ".config").read_text()
        return self._outcome(log, result, self._advise(result))

    def unforeseen(self, outcome: Outcome) -> list[str]:
        """Symbols that conf made something else of than the advisor expects."""
        told, made = (Lines.of(text).values for text in (self.foreseen(), outcome.result))
        return [symbol for symbol in {*told, *made} if told.get(symbol) != made.get(symbol)]

    def by_command(self) -> Advice:
        """The advice for the configuration as the command gives it, in a process of its own."""
        cell = self.cell
        written = self._kernels.work / f"command-{str(cell).replace(' ', '-')}"
        tree = ["--tree", str(self._kernels.tree(cell.base.version)), "--no-cache"]
        report = self._kernels.advisor(
            "audit", str(self.base), "--profile", cell.profile, "--strength", cell.strength,
            "--format", "json", "--write", f"fragment={written}",
            *(tree if cell.proof == "model" else []),
        )  # fmt: skip
        report = report.replace(str(self.base), "config")
        return Advice(json.loads(report)["reports"][0], written.read_text())

    def proof(self, outcome: Outcome) -> Proof:
        """What to keep of an outcome without faults."""
        assert not outcome.faults()
        known = known_by(outcome.result, self.unforeseen(outcome))
        return Proof(self._subject(), self._asked(), known, str(self.cell))

    def mispredicted(self, outcome: Outcome) -> list[str]:
        """Where the advisor expects something else without its being the compiler's to say."""
        wrong = set(self.unforeseen(outcome))
        if wrong:
            wrong -= self._advisor.guesses(self.fragment)
        return [f"conf makes something else of {symbol}" for symbol in sorted(wrong)]

    def _advise(self, text: str | None = None) -> Advice:
        cell = self.cell
        return self._advisor.advise(cell.profile, cell.strength, cell.proof, text)

    def _unchanged(self) -> Outcome:
        text = self.base.read_text()
        return self._outcome("", text, Advice(self.before, self.fragment))

    def _outcome(self, log: str, result: str, after: Advice) -> Outcome:
        base = self.base.read_text()
        return Outcome(self.cell, self.before, self.fragment, log, base, result, *after)

    def _subject(self) -> str:
        tree = tree_digest(self._kernels.tree(self.cell.base.version), self.cell.base.arch)
        return digest(tree, Lines.of(self.base.read_text()).digest())

    def _asked(self) -> str:
        return digest(*settings(self.fragment))


class Prover:
    """Decides for each cell how its outcome comes about, and holds it against what is known."""

    def __init__(self, kernels: Kernels, proofs: Proofs, mode: Mode) -> None:
        self._kernels = kernels
        self._proofs = proofs
        self._mode = mode
        self._again = mode.sample(map(str, TRIED))
        self._advisors: dict[Base, Advisor] = {}

    def trial(self, cell: Cell) -> Trial:
        if cell.base not in self._advisors:
            # A tree is some hundred megabytes: those of one configuration come one after another.
            tree, base = self._kernels.tree(cell.base.version), self._kernels.base(cell.base)
            self._advisors = {cell.base: Advisor(tree, base)}
        return Trial(self._kernels, cell, self._advisors[cell.base])

    def prove(self, cell: Cell) -> tuple[str, list[str]]:
        """How the cell's outcome came about, and all that is wrong with it."""
        trial, mode = self.trial(cell), self._mode
        standing = trial.standing(self._proofs)
        again = str(cell) in self._again
        if not mode.runs(standing, again):
            outcome = trial.predicted()
            kept = standing is Standing.KEPT
            moved = self._moved(cell, outcome, "as it is foreseen") if kept else []
            return standing.value, [*outcome.faults(), *moved]
        if mode.spends(standing) and counted(self._kernels.work / "new") > mode.new:
            return "not proven", [f"more than {mode.new} fragments have no proof: make prove"]
        outcome = trial.made()
        faults = [*outcome.faults(), *trial.mispredicted(outcome)]
        if again:
            faults += as_by_command(trial)
        if standing is Standing.KEPT:
            faults += self._moved(cell, outcome, "made again")
        elif mode.write and not faults:
            self._proofs.keep(trial.proof(outcome))
        return f"proven again ({standing.value})" if again else "proven", faults

    def _moved(self, cell: Cell, outcome: Outcome, how: str) -> list[str]:
        """Where the outcome is another than the one that was kept."""
        proof = self._proofs.find(str(cell))
        assert proof
        result = known_by(outcome.result, proof.outcome.split("-")[1:])
        if proof.outcome == result:
            return []
        return [f"{how}, the outcome is not the one that was proven ({proof}): {result}"]


def known_by(result: str, unforeseen: Iterable[str]) -> str:
    """What tells an outcome from others: a digest of its settings but for some, and those."""
    names = sorted(unforeseen)
    values = Lines.of(result).values
    rest = Lines({symbol: value for symbol, value in values.items() if symbol not in names})
    return "-".join([rest.digest(), *names])


def as_by_command(trial: Trial) -> list[str]:
    """Where the command gives something else than was found within this process."""
    report, fragment = trial.by_command()
    # A fingerprint is of the file's name, too.
    found, expected = (
        [{**finding, "fingerprint": ""} for finding in one["findings"]]
        for one in (report, trial.before)
    )
    same = found == expected
    faults = [] if same else ["audit prints another report than the library makes"]
    if settings(fragment) != settings(trial.fragment):
        faults.append("audit writes another fragment than the library makes")
    return faults
