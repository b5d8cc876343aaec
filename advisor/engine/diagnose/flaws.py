"""Flaws of the processor that stay open though nothing was switched off: by what a running kernel
shows, or as the kernel is older than the protection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.runtime import FLAWS
from advisor.engine.state import World
from advisor.model import condition
from advisor.model.kernel import Location
from advisor.model.report import OPEN, Diagnostic, Finding, diagnostic

_SWITCH, _SINGLE = "cpu-mitigations", "single-mitigations"
_OFF = frozenset(("off", "not-built"))
_GUEST = (
    "let the host have the newest microcode, and show this guest what its processor has (the CPU "
    "model of the hypervisor)"
)


def left_open(world: World) -> Iterator[Diagnostic]:
    """What is open for want of microcode, or of something that a hypervisor does not show."""
    switch = world.value(_SWITCH)
    if switch is None or not _OFF.isdisjoint(switch.effective):
        return  # which is a finding of its own
    off = _switched_off(world)
    found = [
        (path, text)
        for path in sorted(world.files.instances(f"{FLAWS}*").values())
        if (text := world.files.text(path)).startswith("Vulnerable") and path not in off
    ]
    if not found:
        return
    names = "; ".join(f"{path.removeprefix(FLAWS)}: {text}" for path, text in found)
    message = f"the kernel calls these open, though no option or word left them so: {names}"
    if "reduced" in switch.effective:
        message += " (mitigations= leaves out some kinds of attackers)"
    remedy = _GUEST if world.subject.machine.virtual == "guest" else ""
    place = world.files.origin(found[0][0]).location
    subject = " ".join(path.removeprefix(FLAWS) for path, _ in found)
    yield diagnostic("flaw-left-open", place, message, remedy, subject=subject)


def older(world: World, findings: Iterable[Finding] = ()) -> Iterator[Diagnostic]:
    """That a kernel that was built with mitigations does not know some of them yet, whatever the
    boot line says of the others; or any, where that is no finding."""
    if not {_SWITCH, _SINGLE} <= set(world.knowledge.ids("tunables")):
        return
    switch = world.value(_SWITCH)
    if switch is not None and switch.compiled == ("absent",):
        told = any(one.tunable.id == _SWITCH and one.verdict in OPEN for one in findings)
        # Of 32-bit Arm the smaller cores, which most machines with such kernels have, have no flaw.
        if not told and world.subject.machine.arch != "arm":
            yield _without_any(world)
        return
    if switch is None or "auto" not in switch.compiled:
        return
    members = world.knowledge.tunable(_SINGLE).members
    unknown = [
        member
        for member in members
        if condition.surely(member.told_where, world)
        and world.present(member.symbol) is False
        and not (member.told_as and world.present(member.told_as))
        and not condition.surely(member.unless, world)
    ]
    if unknown:
        names = ", ".join(
            f"{one.note} ({one.told_as or world.spelled(one.symbol)})" for one in unknown
        )
        message = (
            f"this kernel is older than the protection against {names}: one that has it has a "
            "line about the option"
        )
        yield diagnostic(
            "mitigation-unknown", Location(world.subject.name), message,
            subject=" ".join(member.symbol for member in unknown),
        )  # fmt: skip


def _without_any(world: World) -> Diagnostic:
    message = (
        "this kernel is older than the first protections against flaws of processors (Meltdown, "
        "Spectre), and has none of them"
    )
    place = Location(world.subject.name)
    return diagnostic("mitigation-unknown", place, message, subject=_SWITCH)


def ended(item: Diagnostic, after: World) -> bool:
    """Whether a change ended what a diagnostic told: with the mitigations left out no kernel has a
    line about any of them, and the same flaws are open."""
    if item.id != "mitigation-unknown":
        return True
    switch = after.value(_SWITCH)
    return switch is not None and "auto" in switch.compiled


def _switched_off(world: World) -> frozenset[str]:
    """The files of flaws whose own mitigation is not built, or off by a word."""
    state = world.value(_SINGLE)
    names = {name for name, _ in state.off} if state else set()
    members = world.knowledge.tunable(_SINGLE).members
    return frozenset(path for member in members if member.name in names for path, _ in member.shows)
