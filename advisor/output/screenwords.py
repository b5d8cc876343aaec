"""What is said of a machine at a glance, in the words that all formats share."""

from __future__ import annotations

from advisor.model.evidence import Recommendation
from advisor.model.screen import Screen
from advisor.output import factwords, fits, phrases

_GUEST = "virtualization-guest"
"""What is said of a machine and not of its work."""
_NEXT = (
    ("kernel-advisor audit", "all findings, reasons and sources"),
    ("kernel-advisor audit -p NAME", "for other work: db, gaming, realtime"),
)
_ELSEWHERE = (
    ("kernel-advisor audit CONFIG -p NAME", "any configuration file"),
    ("kernel-advisor --host FOLDER", "a mounted system, or a copy of its files"),
)


def heading(screen: Screen) -> str:
    """Return the kernel and its system in one line."""
    release = screen.release or (screen.kernel.text if screen.kernel else "of unknown version")
    facts = (f"Linux {release}", screen.machine.arch or "", screen.signs.system)
    return ", ".join(filter(None, facts))


def machine(screen: Screen) -> str:
    """Return what kind of machine it is, what shows that, and its size."""
    signs, facts = screen.signs, screen.machine
    by = f" ({signs.told_by})" if signs.told_by else ""
    texts = [f"{signs.machine or 'nothing tells what kind of machine this is'}{by}"]
    if facts.cpus is not None:
        texts.append(phrases.counted(facts.cpus, "CPU"))
    if facts.memory is not None:
        gib = facts.memory / 2**30
        size = f"{gib:.{int(gib < 10)}f} GiB" if gib >= 1 else f"{facts.memory >> 20} MiB"
        texts.append(f"{size} of memory")
    text = ", ".join(texts)
    return text[:1].upper() + text[1:]


def shown(screen: Screen) -> list[Recommendation]:
    """Return the recommendations of the profiles that the matrix has."""
    of = {one.profile: one for one in screen.fits}
    return [of[row.profile] for row in screen.rows]


def work(screen: Screen) -> str:
    """Return that nothing shows what the machine is for, if only its kind is clear."""
    clear = [one.profile for one in shown(screen) if one.clear and one.reasons]
    return f"{fits.NOTHING_SPECIAL[:1].upper()}{fits.NOTHING_SPECIAL[1:]}." * (clear == [_GUEST])


def why(one: Recommendation, screen: Screen) -> str:
    """Return why a profile fits, and how surely."""
    if not one.reasons:
        return f"{fits.NOTHING_SPECIAL} (for general use)"
    if not one.clear:
        return f"perhaps: {fits.reason(one)}"
    if one.profile not in screen.together:
        return f"contradicts {screen.together[0]}: {fits.reason(one)}"
    return fits.reason(one)


def unknown(screen: Screen) -> str:
    """Return how much could not be judged, of the profile for which that is most."""
    row = max(screen.rows, key=lambda row: row.unknown, default=None)
    if row is None or not row.unknown:
        return ""
    pieces = phrases.counted(row.unknown, "setting")
    return f"Not known: {pieces} of {row.profile} (audit -v says why)"


def sums(screen: Screen) -> str:
    """Return how much there is to do, and how."""
    to_do = factwords.to_do(screen.efforts)
    text = f"to do: {to_do}"
    counts = ((screen.errors, "error"), (screen.warnings, "warning"))
    wrong = ", ".join(phrases.counted(count, word) for count, word in counts if count)
    return "; ".join(filter(None, (text[:1].upper() + text[1:], wrong)))


def steps(screen: Screen) -> list[tuple[str, str]]:
    """Return what to type next, and what that shows."""
    host = f" --host {screen.name}" if screen.rows and screen.name != "/" else ""
    return [(f"{words}{host}", text) for words, text in (_NEXT if screen.rows else _ELSEWHERE)]
