"""Problems of the inputs themselves, which need no profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.diagnose.choices import overruled
from advisor.engine.diagnose.components import diagnose_strings
from advisor.engine.effective.world import World
from advisor.inputs.builtin_cmdline import place_of_built_in
from advisor.model.finding import Diagnostic, Finding, diagnostic
from advisor.model.kernel import Layer, Location
from advisor.model.rules import address


def diagnose(world: World, findings: Iterable[Finding] = ()) -> list[Diagnostic]:
    """Report the problems of all inputs of the subject, and a line under the findings that may not
    count."""
    subject = world.subject
    diagnostics = [*_newer(world), *_patched(world)]
    notes = [*subject.notes, *(subject.cmdline.notes if subject.cmdline else ())]
    diagnostics += [
        diagnostic(n.id, n.location, n.message, n.remedy, subject=n.subject, severity=n.severity)
        for n in notes
    ]
    if world.line.words or world.line.lost:
        from advisor.engine.diagnose.bootline import diagnose_line

        diagnostics += diagnose_line(world, findings)
        diagnostics += _fallback(world, findings, diagnostics)
    diagnostics += overruled(world)
    diagnostics += [
        diagnostic(
            line.rule, line.location, line.why, line.remedy, subject=line.symbol,
            severity=line.severity,
        )
        for line in subject.lines if line.rule
    ]  # fmt: skip
    diagnostics += diagnose_strings(world)
    if world.settings() or subject.next:
        from advisor.engine.diagnose.sysctls import diagnose_settings

        diagnostics += diagnose_settings(world)
    if "vm.nr_hugepages" in world.settings() or subject.machine.shared_memory:
        from advisor.engine.diagnose.reserved_pages import diagnose_reserved

        diagnostics += diagnose_reserved(world)
    if world.config.complete:
        from advisor.engine.diagnose.flaws import older

        diagnostics += older(world, findings)
    if world.files:
        from advisor.engine.diagnose.flaws import left_open
        from advisor.engine.diagnose.inuse import used_in_vain

        diagnostics += left_open(world)
        diagnostics += used_in_vain(world)
    if subject.next:
        from advisor.engine.diagnose.next_boot import drift

        diagnostics += drift(world, findings)
    if not world.config.complete:
        from advisor.engine.diagnose.fragment import misplaced

        diagnostics += misplaced(world)
    return diagnostics


def _newer(world: World) -> Iterator[Diagnostic]:
    """Report that the kernel is newer than any that was read, unless its own tree is at hand."""
    subject = world.subject
    if subject.kernel and not subject.tree and world.knowledge.is_unread(subject.kernel):
        read = world.knowledge.catalogue.kernels
        last = f" ({read[-1].version.text})" if read else ""
        message = (
            f"Linux {subject.kernel.text} is newer than the newest known kernel{last}: "
            "the names that this kernel changed, removed or added are not known"
        )
        place = Location(subject.name)
        yield diagnostic("kernel-newer", place, message, subject=subject.kernel.text)


def _patched(world: World) -> Iterator[Diagnostic]:
    """Report built-in patches that change the meaning of settings."""
    for patch, decides in world.knowledge.patches():
        entry = world.config.entry(patch)
        known = world.knowledge.name(patch) if entry.value == "y" else None
        taken = [name for name in decides if known and world.decided_by(name)]
        titles = ", ".join(world.knowledge.tunable(name).title for name in taken)
        if known:
            of = f" These settings are not judged, because the patch controls them: {titles}."
            of *= bool(taken)
            message = f"{patch}: {' '.join(known.today.split())}{of}"
            source = address(known.sources)
            yield diagnostic(
                "kernel-patched", entry.location, message, source=source, subject=patch
            )


def _fallback(
    world: World, findings: Iterable[Finding], diagnostics: Iterable[Diagnostic]
) -> Iterator[Diagnostic]:
    """Report that the built-in line counts only if the boot loader passes none, if findings or
    diagnostics rest on it."""
    subject = world.subject
    if subject.cmdline or not subject.machine.arch or place_of_built_in(subject) != "fallback":
        return
    states = [finding.state for finding in findings]
    lines = [line for state in states for line in state.origins]
    lines += [line for state in states for _, line in (*state.on, *state.off)]
    rests = any(line.layer is Layer.BUILT_IN for line in lines)
    place = world.config.entry("CMDLINE").location
    if rests or any(one.location.line == place.line for one in diagnostics if place.line):
        message = (
            "the kernel uses this built-in line only if the boot loader passes no line. The boot "
            "loader's line was not given"
        )
        yield diagnostic("built-in-line-fallback", place, message, subject="CMDLINE")
