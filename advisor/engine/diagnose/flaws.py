"""Flaws of the processor that stay open though no mitigation was switched off: a running kernel
shows them, or the kernel is older than the mitigation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.effective.run_time import FLAWS
from advisor.engine.effective.world import World
from advisor.model import condition
from advisor.model.finding import OPEN, Diagnostic, Finding, diagnostic
from advisor.model.kernel import Location

_SWITCH, _SINGLE = "cpu-mitigations", "single-mitigations"
_OFF = frozenset(("off", "not-built"))
_GUEST = (
    "install the newest microcode on the host, and choose a CPU model of the hypervisor that "
    "shows the processor's features to this guest"
)


def left_open(world: World) -> Iterator[Diagnostic]:
    """Report flaws that are open for lack of microcode, or of a feature that a hypervisor hides."""
    switch = world.value(_SWITCH)
    if switch is None or not _OFF.isdisjoint(switch.effective):
        return  # which is a finding of its own
    # The files of flaws whose own mitigation is not built, or off by a word.
    state = world.value(_SINGLE)
    names = {name for name, _ in state.off} if state else set()
    members = [one for one in world.knowledge.tunable(_SINGLE).members if one.name in names]
    off = {path for member in members for path, _ in member.shows}
    found = [
        (path, text)
        for path in sorted(world.files.instances(f"{FLAWS}*").values())
        if (text := world.files.text(path)).startswith("Vulnerable") and path not in off
    ]
    if not found:
        return
    flaws = "; ".join(f"{path.removeprefix(FLAWS)}: {text}" for path, text in found)
    message = (
        "the kernel reports these vulnerabilities as unmitigated, though no option or boot "
        f"parameter disables the mitigations: {flaws}"
    )
    if "reduced" in switch.effective:
        message += " (mitigations= excludes some attack vectors)"
    remedy = _GUEST if world.subject.machine.virtual == "guest" else ""
    place = world.files.origin(found[0][0]).location
    subject = " ".join(path.removeprefix(FLAWS) for path, _ in found)
    yield diagnostic("flaw-left-open", place, message, remedy, subject=subject)


def older(world: World, findings: Iterable[Finding] = ()) -> Iterator[Diagnostic]:
    """Report that a kernel with mitigations is older than some of them, whatever the boot line says
    of the others; or that it has none, if that is no finding."""
    place = Location(world.subject.name)
    if not {_SWITCH, _SINGLE} <= set(world.knowledge.ids("tunables")):
        return
    switch = world.value(_SWITCH)
    if switch is not None and switch.compiled == ("absent",):
        told = any(one.tunable.id == _SWITCH and one.verdict in OPEN for one in findings)
        # Most machines of 32-bit Arm with such kernels have smaller cores, which have no flaw.
        if not told and world.subject.machine.arch != "arm":
            message = (
                "this kernel is older than the first mitigations of processor vulnerabilities "
                "(Meltdown, Spectre), and has none of them"
            )
            yield diagnostic("mitigation-unknown", place, message, subject=_SWITCH)
        return
    if switch is None or "auto" not in switch.compiled:
        return
    members = world.knowledge.tunable(_SINGLE).members
    unknown = [
        member
        for member in members
        if condition.surely(member.told_only_if, world)
        and world.present(member.symbol) is False
        and not (member.told_as and world.present(member.told_as))
        and not condition.surely(member.unless, world)
    ]
    if unknown:
        names = ", ".join(
            f"{one.note} ({one.told_as or world.spelled(one.symbol)})" for one in unknown
        )
        message = (
            "this kernel predates these mitigations, and its configuration has no line about their "
            f"options: {names}"
        )
        subject = " ".join(member.symbol for member in unknown)
        yield diagnostic("mitigation-unknown", place, message, subject=subject)


def ended(item: Diagnostic, after: World) -> bool:
    """Return whether a change ended what a diagnostic reports: with the mitigations left out, no
    kernel has a line about any of them, and the same flaws are open."""
    if item.id != "mitigation-unknown":
        return True
    switch = after.value(_SWITCH)
    return switch is not None and "auto" in switch.compiled
