"""A report as a page: facts, what should change, the diagnostics, and the rest by its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.model.kernel import Layer, Machine, assignment
from advisor.model.report import (
    Conflict,
    Diagnostic,
    Finding,
    Origin,
    Remedy,
    RemedyKind,
    Report,
    Role,
    Verdict,
    Waiver,
)
from advisor.model.rules import Advice, Stance
from advisor.output import phrases
from advisor.output.page import (
    COUNT,
    LIST,
    OUT,
    Code,
    Document,
    Entry,
    Inline,
    Link,
    Page,
    Row,
    Section,
    joined,
    marked,
    mode,
    told,
)

if TYPE_CHECKING:
    from advisor.model.tree import TreeUse


def document(reports: Sequence[Report], format: str) -> Document:
    """All reports, a page each, as a format tells them."""
    table: list[tuple[Inline, ...]] = []
    if len(reports) > 1 and mode("overview", format) != OUT:
        for report in reports:
            kernel = phrases.kernel(report.kernel, report.machine.arch)
            table.append(((report.name,), (kernel,), (phrases.verdict_line(report),)))
    return Document(
        "Kernel audit", "audit", tuple(page(report, format) for report in reports),
        columns=("Configuration", "Kernel", "Verdict"), table=tuple(table),
        names=tuple(range(len(table))),
    )  # fmt: skip


def page(report: Report, format: str) -> Page:
    """One report, without what the format does not tell."""
    titles = ", ".join(profile.title for profile in report.profiles) or "Configuration"
    return Page(
        report.name, (f"{titles}: ", Code(report.name)), phrases.verdict_line(report),
        report.failed, told(_facts(report), format), tuple(_sections(report, format)),
    )  # fmt: skip


_NO_PROFILE = "none: only what is given is checked (--profile names a workload)"


def _facts(report: Report) -> Iterator[Row]:
    kernel = phrases.kernel(report.kernel, report.machine.arch)
    if not report.complete:
        kernel += " (a fragment or defconfig: what it does not name is unknown)"
    yield Row("subject", (f"{report.name}: {kernel}",), part="subject")
    yield Row("kernel", (kernel,), part="kernel")
    profiles = joined(((Code(profile.id),) for profile in report.profiles), ", ")
    yield Row("profile", profiles or marked(_NO_PROFILE))
    yield Row("boot line", _line(report.cmdline))
    yield Row("machine", (machine,) if (machine := machine_facts(report.machine)) else ())
    yield from proof(report.proof, report.tree)
    yield Row("outcome", ("fails" if report.failed else "passes",), part="outcome")


def _line(cmdline: str | None) -> Inline:
    if cmdline:
        return (Code(cmdline),)
    return ("(not given, judged as empty)" if cmdline is None else "(empty)",)


def proof(grade: str, use: TreeUse | None) -> Iterator[Row]:
    """What stands behind all that is said, and what the tree took for granted."""
    yield Row("proof", (Code(grade), f": {phrases.proof(grade, use)}"))
    if use:
        number = f": Linux {use.version}, {use.arch}"
        yield Row("tree", (Code(use.path), number))
        yield from (Row("warning", marked(text)) for text in use.warnings)
        yield Row("assumed", marked(phrases.assumed(use)))


def machine_facts(machine: Machine) -> str:
    """What was told of the machine beside its architecture."""
    virtual = {"guest": "a virtual machine", "no": "bare metal"}
    efi = {"y": "booted by EFI", "n": "booted without EFI"}
    facts = (
        phrases.counted(machine.cpus, "CPU") if machine.cpus is not None else "",
        f"isolated {machine.isolate}" if machine.isolate else "",
        phrases.counted(machine.nodes, "NUMA node") if machine.nodes is not None else "",
        f"{machine.memory // 2**20} MiB of memory" if machine.memory is not None else "",
        f"vendor {machine.vendor}" if machine.vendor else "",
        virtual.get(machine.virtual or "", ""),
        efi.get(machine.efi or "", ""),
    )
    return ", ".join(filter(None, facts))


# --- sections -------------------------------------------------------------------------------------


def _sections(report: Report, format: str) -> Iterator[Section]:
    """The parts that have something to say, in the order in which they matter."""
    changes = phrases.shown(report)
    blocked = [f for f in phrases.of(report, Verdict.BLOCKED) if f not in changes]
    unknown = phrases.of(report, Verdict.UNKNOWN)
    runtime = phrases.of(report, Verdict.UNKNOWN, runtime=True)
    waived = [f for f in report.findings if f.waived and not f.waived.baseline]
    known = [f for f in report.findings if f.waived and f.waived.baseline]
    excused = [d for d in report.diagnostics if d.waived and not d.waived.baseline]
    before = [d for d in report.diagnostics if d.waived and d.waived.baseline]
    parts: tuple[tuple[str, str, list[Conflict] | list[Finding], list[Diagnostic]], ...] = (
        ("conflicts", "Conflicts", list(report.conflicts), []),
        ("changes", "What should change", changes, []),
        ("diagnostics", "Diagnostics of the inputs", [], phrases.diagnostics(report)),
        ("blocked", "Situational, but blocked", blocked, []),
        ("unknown", "Not known", unknown, []),
        ("runtime", "At run time only", runtime, []),
        ("waived", "Waived", waived, excused),
        ("baseline", "In the baseline", known, before),
        ("right", "Already right", phrases.of(report, Verdict.OK), []),
        ("absent", "Not applicable", phrases.of(report, Verdict.NOT_APPLICABLE), []),
    )
    for part, title, found, diagnostics in parts:
        if section := _section(part, title, [*found, *diagnostics], report, format):
            yield section
        if part == "unknown" and unknown:
            yield Section("hints", "What would tell more", mode("hints", format), items=tuple(
                Row("unknown", marked(f"{count} more could be judged with {name}"))
                for name, count in phrases.missing(unknown)
            ))  # fmt: skip
    yield from _of_tree(report, format)


_CELLS = {
    "changes": ("Setting", "Now", "Wanted", "Least invasive remedy"),
    "diagnostics": ("Diagnostic", "Where", "What", "Remedy"),
}


def _section(
    part: str,
    title: str,
    found: Sequence[Conflict | Finding | Diagnostic],
    report: Report,
    format: str,
) -> Section | None:
    how = mode(part, format)
    if not found or how == OUT:
        return None
    if how == COUNT:
        return Section(part, title, how, len(found))
    entries = tuple(_entry(one, part, report, format) for one in found)
    return Section(part, title, how, len(found), entries, columns=_CELLS.get(part, ()))


def diagnostics(found: Iterable[Diagnostic], title: str, format: str) -> Iterator[Section]:
    """A section of diagnostics, if there are some."""
    if entries := tuple(_diagnostic(item, format) for item in found):
        part = "diagnostics"
        how = mode(part, format)
        yield Section(part, title, how, len(entries), entries, columns=_CELLS[part])


def _of_tree(report: Report, format: str) -> Iterator[Section]:
    """What a plan changes in the tree by itself, and what was taken for granted of its tools."""
    effects = phrases.effects(report.plan.effects or (), all_of_them=True)
    lines = tuple(Row("", marked(f"{title}: {names}")) for title, names in effects)
    if lines and mode("effects", format) != OUT:
        yield Section("effects", "Side effects of a rebuild", LIST, items=lines)
    if report.tree and report.tree.assumed and mode("answers", format) != OUT:
        answers = tuple(
            Row("", (Code(subject), " = ", Code(value), f", {source}"))
            for subject, value, source in report.tree.assumed
        )
        yield Section("answers", "Answers of tools", LIST, len(answers), items=answers)


# --- entries --------------------------------------------------------------------------------------


def _entry(one: Conflict | Finding | Diagnostic, part: str, report: Report, format: str) -> Entry:
    if isinstance(one, Finding):
        return _finding(one, part, report, format)
    if isinstance(one, Diagnostic):
        return _diagnostic(one, format)
    sides = tuple(Row("", marked(side)) for side in phrases.conflict_sides(one))
    who = tuple(advice.profile for advice, _ in one.sides)
    return Entry(one.subject, "conflict", "conflict", one.title, one.subject, profiles=who,
                 rows=(Row("", (), sides),))  # fmt: skip


_KINDS = {
    "blocked": "blocked", "unknown": "unknown", "runtime": "runtime", "waived": "accepted",
    "baseline": "accepted", "right": "ok", "absent": "absent",
}  # fmt: skip


def _finding(finding: Finding, part: str, report: Report, format: str) -> Entry:
    advice, tunable = finding.advice, finding.tunable
    strength = advice.strength.value
    return Entry(
        finding.id, _KINDS.get(part, finding.verdict.value), strength, tunable.title, tunable.id,
        finding.verdict.value, advice.profile if len(report.profiles) > 1 else "", strength,
        (advice.profile,), tunable.area, told(_rows(finding, report), format),
        _cells(finding, report.name), _gist(finding, part, report.name, mode(part, format)),
    )  # fmt: skip


def _cells(finding: Finding, path: str) -> tuple[Inline, ...]:
    do = do_of(finding) or marked(f"but {finding.reason}")
    return now(finding, path), marked(finding.wanted), do


def do_of(finding: Finding) -> Inline:
    """The least invasive remedy, where there is one."""
    return next((remedy(one, finding) for one in finding.remedies), ())


def _gist(finding: Finding, part: str, path: str, how: str) -> Inline:
    """The finding in a line."""
    if part in ("right", "waived", "baseline"):
        state = now(finding, path) or marked(finding.reason)
        if finding.waived:
            return joined((state, _reason(finding.waived)), "; ")
        if finding.advice.stance is Stance.KEEP and finding.advice.cost:
            return (*state, "; kept at this cost: ", *marked(finding.advice.cost))
        return state
    if part == "runtime":
        do = joined(map(_command, finding.remedies), " or ") or marked(finding.wanted)
        cost = f" Cost: {finding.cost}" if finding.cost else ""
        return (*do, ". ", *marked(finding.advice.why + cost)) if how == LIST else do
    return marked(finding.reason or finding.now)


def _command(item: Remedy) -> Inline:
    return joined(((Code(phrases.command(one)),) for one in item.settings), "; ")


def _rows(finding: Finding, report: Report) -> Iterator[Row]:
    """Everything about a finding."""
    state, waiver = finding.state, finding.waived
    if waiver:
        yield Row("waived", _waived(waiver))
    yield from _now(finding, report.name)
    yield Row("layers", (_layers(finding),), part="layers") if _layers(finding) else Row("", ())
    yield Row("note", marked(state.why))
    yield Row("wanted", marked(finding.wanted))
    yield Row("why", marked(finding.advice.why))
    yield from remedies(finding)
    yield Row("but", marked(finding.reason))
    if finding.missing:
        options = " and ".join(name for name, _ in phrases.missing([finding]))
        yield Row("ask", marked(options))
    yield Row("cost", marked(finding.cost))
    yield Row("others", (report.practice.get(finding.tunable.id, ""),), part="others")
    yield from sources(finding.advice)
    yield Row("advice", (Code(finding.id),), part="advice")


def _now(finding: Finding, path: str) -> Iterator[Row]:
    """What is effective, by which lines; of a group, by which members."""
    wrong = tuple(
        Row("", (Code(symbol), f": {note}; ", *_origin(line, path)))
        for symbol, note, line in phrases.members(finding)
    )
    yield Row("now", now(finding, path), wrong)
    amiss = dict(finding.offending)
    names = [symbol for symbol, _ in (*finding.state.on, *finding.state.off)]
    right = joined(((Code(symbol),) for symbol in names if symbol not in amiss), ", ")
    yield Row("right", right, part="members as wanted")


def now(finding: Finding, path: str) -> Inline:
    """`250 Hz, by CONFIG_HZ_250=y (line 345)`: what is effective, if that is known, and why."""
    if not finding.now or finding.tunable.members:
        return (finding.now,) if finding.now else ()
    return (finding.now, ", ", *by_lines(finding.state.origins, path))


def by_lines(origins: Iterable[Origin], path: str, between: str = " and ") -> Inline:
    """`by CONFIG_HZ_250=y (line 345)`: the lines that make a setting so, if it has some."""
    lines = joined((_origin(line, path) for line in origins), between)
    return ("by ", *lines) if lines else ("by default",)


def _origin(line: Origin, path: str) -> Inline:
    return Code(line.text), f" ({phrases.at(line, path)})"


def _layers(finding: Finding) -> str:
    """What each layer says by itself, where more than one has something to say."""
    state, tunable = finding.state, finding.tunable
    layers = (
        (Layer.COMPILED, state.compiled),
        (Layer.BOOT, state.boot),
        (Layer.RUNTIME, state.runtime),
    )
    said = [f"{layer.value}: {tunable.describe(names)}" for layer, names in layers if names]
    return "; ".join(said) if len(said) > 1 and not tunable.members else ""


def remedies(finding: Finding) -> Iterator[Row]:
    """The ways to the wanted value, the least invasive first."""
    for number, item in enumerate(finding.remedies):
        part = "further remedies" if number else ""
        yield Row("or" if number else "do", remedy(item, finding), part=part, copied=_lines(item))
        if item.words and item.drop:
            yield Row("drop", joined(((Code(word),) for word in item.drop), " "), part=part)
        if item.changes:
            yield Row("before", _before(item), part="lines to copy")


def remedy(item: Remedy, finding: Finding) -> Inline:
    """The sentence of a remedy, with what to type or set as code."""
    known: Iterable[str] = (change.symbol for change in item.changes)
    if item.kind is RemedyKind.RUNTIME:
        known = map(phrases.command, item.settings)
    elif item.kind is RemedyKind.BOOT:
        known = (" ".join(item.words), " ".join(item.drop))
    return marked(phrases.remedy(item, finding.tunable), *known)


def _lines(item: Remedy) -> tuple[str, ...]:
    return tuple(assignment(change.symbol, change.new) for change in item.changes)


def _before(item: Remedy) -> Inline:
    """What the lines replace, and which of them others need."""
    was = ", ".join(f"{change.symbol}={change.old or 'absent'}" for change in item.changes)
    roles = [
        f"{name}: {', '.join(change.symbol for change in item.changes if change.role is role)}"
        for role, name in ((Role.DEPENDENCY, "needed for it"), (Role.SIBLING, Role.SIBLING.value))
        if any(change.role is role for change in item.changes)
    ]
    return marked("; ".join((was, *roles)), *(change.symbol for change in item.changes))


def sources(advice: Advice) -> Iterator[Row]:
    """Where the advice can be checked."""
    for source in advice.sources:
        kernel = f" (Linux {source.kernel})" if source.kernel else ""
        note = marked(f": {source.note}") if source.note else ()
        yield Row("source", (Link(source.ref, source.url), kernel, *note), part="source")


def _waived(waiver: Waiver) -> Inline:
    """Why something is accepted as it is, by whom, until when, and where that is written."""
    return (*_reason(waiver), "; ", Code(phrases.where(waiver.location)))


def _reason(waiver: Waiver) -> Inline:
    known = "it was there before (baseline)" if waiver.baseline else ""
    return marked("; ".join(filter(None, (phrases.waiver(waiver), known))))


def _diagnostic(item: Diagnostic, format: str) -> Entry:
    severity, what = item.severity.value, marked(item.message, item.subject)
    do = marked(phrases.do(item), item.subject)
    rows = (
        Row("what", what),
        Row("do", do),
        Row("waived", _waived(item.waived) if item.waived else ()),
        Row("meaning", _meaning(item) if mode("meaning", format) != OUT else ()),
        Row("source", (Link(item.source, item.source),) if item.source else (), part="source"),
    )
    place = phrases.where(item.location)
    gist = joined((what, _reason(item.waived)), "; ") if item.waived else what
    return Entry(
        "", "accepted" if item.waived else "diagnostic", severity, item.id, place,
        strength=severity, rows=told(rows, format), cells=((Code(place),), what, do), gist=gist,
    )  # fmt: skip


def _meaning(item: Diagnostic) -> Inline:
    from advisor.model.diagnostics import DIAGNOSTICS

    parts = DIAGNOSTICS[item.id].meaning.split("`")  # what stands between two of them is code
    return tuple(Code(part) if at % 2 else part for at, part in enumerate(parts) if part)
