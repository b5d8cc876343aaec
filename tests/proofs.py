"""What was proven, kept by content, so that only what is new has to be proven again.

A list of proofs (tests/proven/*.txt) has a line for each:

    SUBJECT ASKED OUTCOME KEY

SUBJECT is a digest of what the proof was made with (a tree and a configuration; a kernel, its
machine and how it is read), ASKED of what was given to it, OUTCOME of what came out; KEY tells
people which it is. A line is written only for a proof that passed, and only by `make prove`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).parent / "proven"


class Standing(Enum):
    """What the list says of a proof that is asked for."""

    KEPT = "kept"  # of just this subject and question
    OLDER = "of an older package"  # of this question and another subject
    NEW = "new"


class Proof(NamedTuple):
    """One line of a list."""

    subject: str
    asked: str
    outcome: str
    key: str

    def __str__(self) -> str:
        return " ".join(self)


class Mode(NamedTuple):
    """How this run proves: `seed` chooses `again` kept proofs to be made again.

    `write` keeps what was proven; else at most `new` are proven that no list has, and more fail.
    """

    write: bool
    seed: str
    again: int
    new: int

    def runs(self, standing: Standing, again: bool) -> bool:
        """Whether a proof of that standing is to be made."""
        return again or standing is Standing.NEW or (self.write and standing is Standing.OLDER)

    def spends(self, standing: Standing) -> bool:
        """Whether a proof of that standing counts as one of the new ones that a run may make."""
        return standing is Standing.NEW and not self.write

    def sample(self, keys: Iterable[str]) -> set[str]:
        """The keys of those to prove again, by the seed."""
        if self.write:
            return set()
        chosen = sorted(keys, key=lambda key: digest(self.seed, key))
        return set(chosen[: self.again])


MODE = pytest.StashKey[Mode]()


class Proofs:
    """A list of proofs on the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._journal = path.with_suffix(".new")
        self._proofs = {proof.key: proof for proof in self._read()}

    def find(self, key: str) -> Proof | None:
        return self._proofs.get(key)

    def standing(self, key: str, subject: str, asked: str) -> Standing:
        """How far the list proves what comes of that question and subject."""
        proof = self._proofs.get(key)
        if proof is None or proof.asked != asked:
            return Standing.NEW
        return Standing.KEPT if proof.subject == subject else Standing.OLDER

    def keep(self, proof: Proof) -> None:
        """Adds a proof that passed: what is interrupted afterwards keeps it."""
        self._proofs[proof.key] = proof
        with open(self._journal, "ab", buffering=0) as file:
            file.write(f"{proof}\n".encode())  # one write: workers do not mix their lines

    def rewrite(self, header: Iterable[str], keys: Iterable[str]) -> None:
        """Writes the list anew, sorted, with what was kept since; of these keys only."""
        proofs = {proof.key: proof for proof in self._read()}
        lines = [str(proofs[key]) for key in sorted(set(keys) & set(proofs))]
        written = self._path.with_suffix(".tmp")
        written.write_text("".join(f"{line}\n" for line in [*map("# {}".format, header), *lines]))
        os.replace(written, self._path)
        self._journal.unlink(missing_ok=True)

    def known(self, keys: Iterable[str]) -> int:
        """How many of these keys have a proof by now, by all workers."""
        return len({proof.key for proof in self._read()} & set(keys))

    def _read(self) -> Iterator[Proof]:
        for path in (self._path, self._journal):
            if path.exists():
                for line in path.read_text().splitlines():
                    if line and not line.startswith("#"):
                        yield Proof(*line.split(" ", 3))


def digest(*parts: str | bytes) -> str:
    """A short digest of some texts."""
    found = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(b"%d:" % len(data) + data)
    return found.hexdigest()[:16]


def told(item: pytest.Item, kind: str, what: str) -> None:
    """Notes how a proof came about, for the summary at the end of the run."""
    item.user_properties.append(("proof", f"{kind}: {what}"))


def summary(reports: Iterable[pytest.TestReport]) -> list[str]:
    """How many proofs came about in which way, a line a kind."""
    counts: dict[str, Counter[str]] = {}
    for report in reports:
        for name, value in report.user_properties:
            if name == "proof" and report.when == "call":
                kind, _, what = str(value).partition(": ")
                counts.setdefault(kind, Counter())[what] += 1
    return [
        f"{kind}: {sum(found.values())}, of which "
        + ", ".join(f"{number} {what}" for what, number in sorted(found.items()))
        for kind, found in sorted(counts.items())
    ]
