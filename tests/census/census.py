"""The census: what every profile's advice comes to in every real configuration.

A file a profile. A section begins with the advice and its strength; `*` is what it comes to in most
configurations, and each other line names one where it comes to something else: the verdict, and the
kinds of its remedies. Behind a bar stands what it comes to where the machine's facts are told, if
that differs. `make census` writes it.

    [timer-frequency] should
    * change rebuild
    Arch_x86_64 ok
    kata-arm64-5.4 unknown | blocked
"""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from advisor.model.finding import Finding
from advisor.model.report import Report

from .. import corpus
from ..proofs import digest

FOLDER = Path(__file__).parent / "profiles"
LIST = Path(__file__).parent / "configurations.txt"
Cells = dict[str, str]
"""What an advice comes to, by configuration."""
Census = dict[str, tuple[str, Cells]]
"""Strength and cells of each advice of a profile."""


def taken(name: str) -> dict[str, dict[str, tuple[str, str]]]:
    """What each advice comes to in a configuration, and its strength, by profile."""
    told = [corpus.reports(name, machine) for machine in corpus.MACHINES]
    return {profile: _taken(profile, [one[profile] for one in told]) for profile in told[0]}


def _taken(profile: str, reports: list[Report]) -> dict[str, tuple[str, str]]:
    """The strength is that of the profile, which a hardened kernel may weaken."""
    strengths = {one.id: one.strength.value for one in corpus.knowledge().profile(profile).advice}
    found = {}
    for parts in zip(*(report.findings for report in reports), strict=True):
        cells = dict.fromkeys(map(_cell, parts))
        advice = parts[0].advice.id
        found[advice] = strengths[advice], " | ".join(cells)
    return found


def together(found: dict[str, dict[str, dict[str, tuple[str, str]]]]) -> dict[str, Census]:
    """The census of each profile, of what was taken of each configuration."""
    kept: dict[str, Census] = {}
    for name, by_profile in found.items():
        for profile, advice in by_profile.items():
            census = kept.setdefault(profile, {})
            for key, (strength, cell) in advice.items():
                census.setdefault(key, (strength, {}))[1][name] = cell
    return kept


def _cell(finding: Finding) -> str:
    kinds = "+".join(remedy.kind.value for remedy in finding.remedies)
    return f"{finding.verdict.value} {kinds}".rstrip()


def rendered(census: Census) -> str:
    """The text of a profile's file."""
    return "\n\n".join(
        "\n".join((f"[{advice}] {strength}", *_lines(cells)))
        for advice, (strength, cells) in sorted(census.items())
    ) + "\n"  # fmt: skip


def _lines(cells: Cells) -> Iterator[str]:
    most = min(Counter(cells.values()).items(), key=lambda pair: (-pair[1], pair[0]))[0]
    yield f"* {most}"
    yield from (f"{name} {cell}" for name, cell in sorted(cells.items()) if cell != most)


def parsed(text: str, names: list[str]) -> Census:
    """The census in a profile's file, for these configurations."""
    census: Census = {}
    for section in filter(None, text.strip().split("\n\n")):
        head, *lines = section.splitlines()
        advice, strength = head[1:].split("] ")
        told = dict(line.split(" ", 1) for line in lines)
        census[advice] = strength, {name: told.get(name, told["*"]) for name in names}
    return census


def moves(profile: str, old: Census, new: Census) -> Iterator[str]:
    """What differs, a line each: `moved: CONFIG PROFILE ADVICE verdict -> verdict`."""
    for advice in sorted({*old, *new}):
        before, after = old.get(advice, ("", {})), new.get(advice, ("", {}))
        if not before[0] or not after[0]:
            yield f"{'lost' if before[0] else 'new'}: {profile} {advice}"
        elif before[0] != after[0]:
            yield f"strength: {profile} {advice} {before[0]} -> {after[0]}"
        for name, cell in before[1].items():
            if after[0] and cell != after[1][name]:
                yield f"moved: {name} {profile} {advice} {cell} -> {after[1][name]}"


class Listed(NamedTuple):
    """The digest of a configuration, and where it is on GitHub: `OWNER/NAME/COMMIT/PATH`."""

    digest: str
    address: str = ""


def listed() -> dict[str, Listed]:
    """The configurations of the census that was kept."""
    lines = (line.split() for line in LIST.read_text().splitlines())
    return {name: Listed(*rest) for name, *rest in lines}


def there() -> dict[str, str]:
    """The digests of those that there are now."""
    return {name: digest(_content(path)) for name, path in corpus.configurations().items()}


def _content(path: Path) -> bytes:
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def main() -> None:
    """Writes the census anew."""
    if not corpus.configurations():
        raise SystemExit("KERNEL_ADVISOR_CORPUS names no folder of configurations")
    FOLDER.mkdir(exist_ok=True)
    found = together({name: taken(name) for name in corpus.configurations()})
    kept = {FOLDER / f"{profile}.txt": rendered(census) for profile, census in found.items()}
    for path, text in kept.items():
        path.write_text(text)
    for path in set(FOLDER.iterdir()) - set(kept):
        path.unlink()
    LIST.write_text("".join(_lines_of_list()))


def _lines_of_list() -> Iterator[str]:
    """An address that is known stays, whatever the digest is: `fetch` compares them."""
    known = listed()
    for name, key in sorted(there().items()):
        address = known[name].address if name in known else ""
        yield f"{name} {key} {address}".rstrip() + "\n"


if __name__ == "__main__":
    main()
