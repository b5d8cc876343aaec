"""What rules and profiles claim to be work per operation, held against the records.

`work` names windows of the lab. In a [[value]] or [[member]] of a rule: having it takes more kernel
instructions there; in an advice of a profile: what it does not want does. An empty list says that
it makes no difference in any window. Whatever else a cost or reason is (time, latency, power,
safety, contention) has no `work`, and the lab says nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomli

from .effects import Effect, effects
from .record import Record, all_of, kernels

ROOT = Path(__file__).parents[1]
# What a strength takes: so much of an operation, in one of the windows that are named.
_LEAST = {"must": 0.1, "should": 0.01, "could": 0.0}


class Claim(NamedTuple):
    """Of which tunable (with `.SYMBOL` of a member), which windows, and what stands on either side.

    With `value` it is that value that takes more than another one; else what is not in `good` (if
    `bad` is given, what is in that) takes more than what is. `strength` is an advice's.
    """

    place: str
    tunable: str
    windows: tuple[str, ...]
    value: str = ""
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    strength: str = ""

    def sign(self, record: Record) -> int:
        """1 where the record's setting is what takes more, -1 where that is what it was held
        against, and 0 where the record is of something else."""
        setting = record.setting
        of = setting.tunable if self.value else setting.tunable.partition(".")[0]
        if of != self.tunable:
            return 0
        if self.value and setting.value in setting.against.split(" or "):
            return 1  # a switch at run time, which rules call the same on and off
        sides = (self._is_heavy(setting.value), self._is_heavy(setting.against))
        return {(True, False): 1, (False, True): -1}.get(sides, 0)

    def _is_heavy(self, name: str) -> bool:
        """Of a side of a record: whether it is what the claim says takes more."""
        if self.value:
            return name == self.value
        return name in self.bad if self.bad else name not in self.good


def claims(root: Path = ROOT) -> Iterator[Claim]:
    """All that the rules and profiles below a folder make."""
    for path in sorted((root / "rules").rglob("*.toml")):
        rule = tomli.loads(path.read_text())
        where = str(path.relative_to(root))
        for value in rule.get("value", ()):
            if "work" in value:
                yield Claim(f"{where}: {value['name']}", rule["id"], tuple(value["work"]),
                            value["name"])  # fmt: skip
        for member in rule.get("member", ()):
            if "work" in member:
                name = f"{rule['id']}.{member['symbol']}"
                yield Claim(f"{where}: {member['symbol']}", name, tuple(member["work"]), "on")
    for path in sorted((root / "profiles").glob("*.toml")):
        for advice in tomli.loads(path.read_text()).get("advice", ()):
            if "work" in advice:
                yield _of_advice(f"{path.relative_to(root)}: {advice['id']}", advice)


def _of_advice(place: str, advice: Mapping[str, Any]) -> Claim:
    good = (*advice.get("want", ()), *advice.get("accept", ()))
    return Claim(place, advice["tunable"], tuple(advice["work"]), "", good,
                 tuple(advice.get("avoid", ())), advice["strength"])  # fmt: skip


def problems(every: Iterator[Claim] | Sequence[Claim] | None = None) -> Iterator[str]:
    """A line for each claim that no record bears out."""
    by_kernel = [all_of(kernel) for kernel in kernels()]
    for claim in claims() if every is None else every:
        found: dict[str, list[float]] = {}
        signs = 0
        for base, *others in by_kernel:
            for record in others:
                if sign := claim.sign(record):
                    signs += 1
                    for effect in effects(base, record):
                        if effect.found:
                            found.setdefault(effect.window, []).append(sign * _share(effect))
        if not signs:
            yield f"{claim.place}: no record of {claim.tunable} says what its `work` claims"
        else:
            yield from (f"{claim.place}: {text}" for text in _contradictions(claim, found))


def _share(effect: Effect) -> float:
    """As a part of the operation; of one that took nothing, many times as much."""
    share = effect.share
    return share if share is not None else effect.difference


def _contradictions(claim: Claim, found: Mapping[str, Sequence[float]]) -> Iterator[str]:
    if not claim.windows:
        if found:
            yield f"claims that it makes no difference, and it does in {', '.join(sorted(found))}"
        return
    for window in claim.windows:
        shares = found.get(window, ())
        if not shares or max(shares) <= 0:
            yield f"claims work in {window}, where no record has more"
    largest = max((max(found.get(w, (0.0,))) for w in claim.windows), default=0.0)
    least = _LEAST.get(claim.strength, 0.0)
    if claim.strength and largest < least:
        yield f"{claim.strength} takes {least:.0%} of an operation, and {largest:.1%} is the most"
