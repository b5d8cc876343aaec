"""A report as a page: facts, what should change, the diagnostics, and the rest by its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from advisor.model.disks import called
from advisor.model.kernel import Layer, Machine, assignment
from advisor.model.report import (
    ASIDE,
    Conflict,
    Diagnostic,
    Finding,
    Origin,
    Practice,
    Remedy,
    RemedyKind,
    Report,
    Role,
    Size,
    Verdict,
    Waiver,
)
from advisor.model.rules import Advice, Stance
from advisor.model.saying import HYPERVISORS
from advisor.model.summary import efforts, row
from advisor.output import phrases, summarywords
from advisor.output.page import (
    COUNT,
    LINE,
    LIST,
    OUT,
    Bars,
    Code,
    Document,
    Entry,
    Inline,
    Link,
    Page,
    Row,
    Section,
    joined,
    kept,
    marked,
    mode,
)

if TYPE_CHECKING:
    from advisor.model.lines import Edit
    from advisor.model.tree import TreeUse

Subject = Conflict | Finding | Diagnostic
"""What an entry is about."""


def document(reports: Sequence[Report], format: str) -> Document:
    """All reports, a page each, as a format tells them."""
    wanted = len(reports) > 1 and mode("overview", format) != OUT
    table: list[tuple[Inline, ...]] = [
        ((report.name,), (_kernel(report),), (phrases.verdict_line(report),))
        for report in (reports if wanted else ())
    ]
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
        report.failed, kept(_facts(report), format), tuple(_sections(report, format)),
    )  # fmt: skip


def _kernel(report: Report) -> str:
    return phrases.kernel(report.kernel, report.machine.arch, report.inferred)


def _facts(report: Report) -> Iterator[Row]:
    kernel = _kernel(report)
    if any(one.id == "host-no-config" for one in report.diagnostics):
        kernel += " (of no known configuration: what hangs on it is unknown)"
    elif not report.complete:
        kernel += " (a fragment or defconfig: what it does not name is unknown)"
    yield Row("subject", (f"{report.name}: {kernel}",), part="subject")
    yield Row("kernel", (kernel,), part="kernel")
    yield Row("merged", joined(((Code(name),) for name in report.merged), ", "), part="given")
    profiles = joined(((Code(profile.id),) for profile in report.profiles), ", ")
    none = "none: only what is given is checked (--profile names a workload)"
    yield Row("profile", profiles or marked(none))
    if report.recommended:
        from advisor.output import fits

        known = (one.profile for one in report.recommended)
        yield Row("fits", marked(fits.sentence(report), *known), part="given")
    no_line = "(not given, judged as empty)" if report.cmdline is None else "(empty)"
    yield Row("boot line", (Code(report.cmdline) if report.cmdline else no_line,), part="given")
    if report.built_in:
        yield Row("built in", (Code(report.built_in),), part="given")
    yield Row(
        "machine",
        tuple(filter(None, [machine_facts(report.machine, report.inferred.vendor)])),
        part="given",
    )
    in_use = "; ".join(f"{one.name} {one.text}" for one in report.in_use)
    yield Row("in use", tuple(filter(None, [in_use])), part="given")
    if report.hardened:
        yield Row("hardened", marked(phrases.hardened(report.hardened)), part="given")
    yield from proof(report.proof, report.tree)
    if report.profiles:
        yield Row("to do", (summarywords.to_do(efforts(report)),))
    if len(report.profiles) == 1:  # of several there is a table
        by_area = summarywords.areas(row(report, report.profiles[0].id))
        yield Row("by area", (by_area,), part="by area")
    yield outcome(report.failed)


def outcome(failed: bool) -> Row:
    """Whether the run fails for this page's sake."""
    return Row("outcome", ("fails" if failed else "passes",), part="outcome")


def proof(grade: str, use: TreeUse | None) -> Iterator[Row]:
    """What stands behind all that is said, and what the tree took for granted."""
    yield Row("proof", (Code(grade), f": {phrases.proof(grade, use)}"), part="given")
    if use:
        number = f": Linux {use.version}, {use.arch}"
        yield Row("tree", (Code(use.path), number), part="given")
        yield from (Row("warning", marked(text)) for text in use.warnings)
        yield Row("assumed", marked(phrases.assumed(use)), part="given")


def machine_facts(machine: Machine, built: str = "") -> str:
    """What was told of the machine beside its architecture, or is by what alone is `built`."""
    under = HYPERVISORS.get(machine.hypervisor or "")
    guest = f"a virtual machine under {under}" if under else "a virtual machine"
    metal = f"bare metal, the control domain of {under}" if under else "bare metal"
    virtual = {"guest": guest, "no": metal}
    efi = {"y": "booted by EFI", "n": "booted without EFI"}
    facts = (
        phrases.counted(machine.cpus, "CPU") if machine.cpus is not None else "",
        f"isolated {machine.isolate}" if machine.isolate else "",
        phrases.counted(machine.nodes, "NUMA node") if machine.nodes is not None else "",
        f"{machine.memory // 2**20} MiB of memory" if machine.memory is not None else "",
        f"vendor {machine.vendor}{f' (by {built}, no other)' * bool(built)}" * bool(machine.vendor),
        virtual.get(machine.virtual or "", ""),
        efi.get(machine.efi or "", ""),
    )
    return ", ".join(filter(None, facts))


# --- sections -------------------------------------------------------------------------------------


def _sections(report: Report, format: str) -> Iterator[Section]:
    """The parts that have something to say, in the order in which they matter."""
    yield from _areas(report, format)
    to_see = phrases.to_see(report)
    blocked = [f for f in phrases.of(report, Verdict.BLOCKED) if f not in to_see]
    unknown = phrases.of(report, Verdict.UNKNOWN)
    parts: tuple[tuple[str, str, Sequence[Subject]], ...] = (
        ("conflicts", "Conflicts", report.conflicts),
        ("changes", "What should change", to_see),
        ("diagnostics", "Diagnostics of the inputs", phrases.diagnostics(report)),
        ("blocked", "Situational, but blocked", blocked),
        ("unknown", "Not known", unknown),
        ("runtime", "At run time only", phrases.of(report, Verdict.UNKNOWN, runtime=True)),
        ("waived", "Waived", phrases.waived(report, baseline=False)),
        ("baseline", "In the baseline", phrases.waived(report, baseline=True)),
        ("right", "Already right", phrases.right(report)),
        ("absent", "Not applicable", phrases.of(report, *ASIDE)),
    )
    for part, title, subjects in parts:
        make = partial(_entry, part=part, report=report, format=format)
        yield from _section(part, title, subjects, format, make)
        if part == "unknown" and unknown and mode("hints", format) != OUT:
            yield Section("hints", "What would tell more", mode("hints", format), items=tuple(
                Row("unknown", marked(f"{count} more could be judged with {name}"))
                for name, count in phrases.missing(unknown)
            ))  # fmt: skip
    yield from _to_size(report, format)
    yield from _of_tree(report, format)
    yield from _bars_told(report, format)
    if report.ledger:
        from advisor.output import ledger

        yield from ledger.sections(report.ledger, format)


def _bars_told(report: Report, format: str) -> Iterator[Section]:
    """What a mark of a bar is, once, where a cost is told with one."""
    if not report.measured or report.ledger or mode("hints", format) == OUT:
        return
    from advisor.output import costs

    told = (report.measured.get(one.id, ()) for one in phrases.to_see(report))
    if any(costs.with_bar(record) for records in told for record in records):
        items = (Row("bars", (costs.LEGEND,)),)
        yield Section("hints", "What a bar tells", mode("hints", format), items=items)


def _areas(report: Report, format: str) -> Iterator[Section]:
    """What each profile wants otherwise by area, where profiles can be compared: of one alone its
    findings and their sum say it as briefly."""
    if len(report.profiles) > 1 and mode("areas", format) != OUT:
        rows = [row(report, profile.id) for profile in report.profiles]
        items = tuple(Row(one.profile, (summarywords.areas(one),)) for one in rows)
        names, cells = summarywords.matrix(rows)
        table = tuple(tuple((text,) for text in line) for line in cells)
        yield Section(
            "areas", "What differs, by area (!: some must)", mode("areas", format), items=items,
            columns=("Profile", *names), cells=table if names else (),
        )  # fmt: skip


def _to_size(report: Report, format: str) -> Iterator[Section]:
    """Sizes that only the site knows: what is set, by which line, and what to compute it from."""
    if not report.sizes or mode("sizes", format) == OUT:
        return
    items = tuple(
        Row("", (
            f"{size.tunable.title}: {size.state.describe(size.tunable) or 'not told'}",
            *((", ", *by_lines(size.state.origins, report.name)) if size.state.effective else ()),
            ". ", *marked(" ".join(_computed(size))),
        ))
        for size in report.sizes
    )  # fmt: skip
    yield Section("sizes", "Yours to size", LIST, len(items), items=items)


def _computed(size: Size) -> Iterator[str]:
    """What each profile has it computed from; of one alone its name is no news."""
    for profile, text in size.computed:
        yield f"{profile}: {text}" if len(size.computed) > 1 else text


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


_CELLS = {
    "changes": ("Setting", "Now", "Wanted", "Least invasive remedy"),
    "diagnostics": ("Diagnostic", "Where", "What", "Remedy"),
}


def _section(
    part: str, title: str, subjects: Sequence[Any], format: str, make: Callable[[Any], Entry]
) -> Iterator[Section]:
    """A section with an entry for each subject, or their number alone; none without any."""
    how = mode(part, format)
    if subjects and how != OUT:
        entries = () if how == COUNT else tuple(map(make, subjects))
        if format.startswith("text"):
            entries = tuple(_meant_once(entries))
        columns = _CELLS.get(part, ()) if entries else ()
        yield Section(part, title, how, len(subjects), entries, columns=columns)


def _meant_once(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries, of which the first of each kind says what its kind means."""
    said: set[Row] = set()
    for entry in entries:
        rows = tuple(row for row in entry.rows if row.label != "meaning" or row not in said)
        said.update(row for row in rows if row.label == "meaning")
        yield entry._replace(rows=rows)


def diagnostics(items: Sequence[Diagnostic], title: str, format: str) -> Iterator[Section]:
    """A section of diagnostics, if there are some."""
    make = partial(_diagnostic, format=format)
    return _section("diagnostics", title, items, format, make)


# --- entries --------------------------------------------------------------------------------------


def _entry(one: Subject, part: str, report: Report, format: str) -> Entry:
    if isinstance(one, Finding):
        return _finding(one, part, report, format)
    if isinstance(one, Diagnostic):
        return _diagnostic(one, format, phrases.told_by(one, report))
    sides = tuple(Row("", marked(side)) for side in phrases.conflict_sides(one))
    who = tuple(advice.profile for advice, _ in one.sides)
    return Entry(one.subject, "conflict", "conflict", one.title, one.subject, profiles=who,
                 rows=(Row("", (), sides),), gist=marked(one.title))  # fmt: skip


_KINDS = {
    "blocked": "blocked", "unknown": "unknown", "runtime": "runtime", "waived": "accepted",
    "baseline": "accepted", "right": "ok", "absent": "absent",
}  # fmt: skip


def _title(finding: Finding) -> str:
    """The tunable's, and of which disks, where the advice is about some kinds alone."""
    disks = finding.advice.disks
    return finding.tunable.title + (f" of {called(disks)}" if disks else "")


def _finding(finding: Finding, part: str, report: Report, format: str) -> Entry:
    advice, tunable = finding.advice, finding.tunable
    strength = advice.strength.value
    profiles = tuple(dict.fromkeys(f.advice.profile for f in phrases.alike(finding, report)))
    do = do_of(finding) or marked(f"but {finding.reason}")
    return Entry(
        finding.id, _KINDS.get(part, finding.verdict.in_v1), strength, _title(finding), tunable.id,
        finding.verdict.in_v1, ", ".join(profiles) if len(report.profiles) > 1 else "", strength,
        profiles, tunable.area, kept(_rows(finding, report), format),
        (now(finding, report.name), marked(finding.wanted), do),
        do if mode(part, format) == LINE else _gist(finding, part, report.name, mode(part, format)),
    )  # fmt: skip


def do_of(finding: Finding) -> Inline:
    """The change of the line in a review, else the least invasive remedy, where there is one."""
    for edit in finding.edits:
        return _edit(edit)
    return next((remedy(one, finding) for one in finding.remedies), ())


def _gist(finding: Finding, part: str, path: str, how: str) -> Inline:
    """The finding in a line."""
    if part in ("right", "waived", "baseline"):
        state = now(finding, path) or marked(finding.reason)
        if finding.waived:
            return joined((state, _reason(finding.waived)), "; ")
        # What is merely accepted, such as that it is not built, costs nothing of that.
        accepted = {name for option in finding.advice.options for name in option.accept}
        paid = finding.advice.stance is Stance.KEEP and accepted.isdisjoint(finding.state.effective)
        if paid and finding.advice.cost:
            return (*state, "; kept at this cost: ", *marked(finding.advice.cost))
        return state
    if part == "runtime":
        commands = (
            joined(((Code(phrases.command(one)),) for one in remedy.settings), "; ")
            for remedy in finding.remedies
        )
        do = joined(commands, " or ") or marked(finding.wanted)
        cost = f" Cost: {finding.cost}" if finding.cost else ""
        return (*do, ". ", *marked(finding.advice.why + cost)) if how == LIST else do
    if part == "unknown":
        return marked(phrases.unknown(finding))
    return marked(finding.reason or finding.now)


def _rows(finding: Finding, report: Report) -> Iterator[Row]:
    """Everything about a finding."""
    state, waiver = finding.state, finding.waived
    if waiver:
        yield Row("waived", _waived(waiver))
    wrong = tuple(
        Row("", (*_named(symbol, note), "; ", *_origin(line, report.name)))
        for symbol, note, line in phrases.members(finding)
    )
    yield Row("now", now(finding, report.name), wrong)
    amiss = dict(finding.offending)
    names = [name for name, _ in (*state.on, *state.off) if name not in amiss]
    symbols = {member.symbol for member in finding.tunable.members}
    right = joined(((Code(name) if name in symbols else name,) for name in names), ", ")
    yield Row("right", right, part="members as wanted")
    yield Row("layers", tuple(filter(None, [_layers(finding)])), part="layers")
    yield Row("note", marked(state.why))
    yield Row("wanted", marked(finding.wanted))
    same = phrases.alike(finding, report)
    yield from _whys(same)
    yield from remedies(finding)
    yield from (Row("against", marked(text)) for text in phrases.against(finding, report))
    yield Row("but", marked(finding.reason))
    if finding.missing and finding.verdict is Verdict.UNKNOWN:
        options = " and ".join(name for name, _ in phrases.missing([finding]))
        yield Row("ask", marked(options))
    for cost in dict.fromkeys(each.cost for each in same):
        yield Row("cost", marked(cost))
    if records := report.measured.get(finding.id):
        from advisor.output import costs

        yield from map(costs.row, records)
    practice = report.practice.get(finding.tunable.id)
    if practice and practice.text:
        reasons = _once(each.advice.practice for each in same)
        said = marked(". ".join(filter(None, (practice.text, reasons))))
        yield Row("others", said, part="others", bars=_bars(practice, finding))
    arch = report.machine.arch
    yield from dict.fromkeys(row for each in same for row in sources(each.advice, arch))
    yield Row("advice", joined(((Code(each.id),) for each in same), ", "), part="advice")


def _whys(same: Sequence[Finding]) -> Iterator[Row]:
    """Why, by each profile that has a reason of its own."""
    by_reason: dict[str, list[str]] = {}
    for finding in same:
        by_reason.setdefault(finding.advice.why, []).append(finding.advice.profile)
    for reason, profiles in by_reason.items():
        who = f"{', '.join(profiles)}: " if len(by_reason) > 1 else ""
        yield Row("why", marked(who + reason))


def now(finding: Finding, path: str) -> Inline:
    """`250 Hz, by CONFIG_HZ_250=y (line 345)`: what is effective, if that is known, and why."""
    if not finding.now or finding.tunable.members:
        return (finding.now,) if finding.now else ()
    return (finding.now, ", ", *by_lines(finding.state.origins, path))


def by_lines(origins: Iterable[Origin], path: str, between: str = " and ") -> Inline:
    """`by CONFIG_HZ_250=y (line 345)`: the lines that make a setting so, if it has some."""
    lines = joined((_origin(line, path) for line in origins), between)
    return ("by ", *lines) if lines else ("by default",)


def _named(symbol: str, note: str) -> Inline:
    return (Code(symbol), f": {note}") if note else (symbol,)


def _origin(line: Origin, path: str) -> Inline:
    return Code(line.text), f" ({phrases.at(line, path)})"


def _once(texts: Iterable[str]) -> str:
    """The sentences of several texts, each of them once."""
    sentences = (sentence for text in texts for sentence in text.split(". "))
    kept = dict.fromkeys(sentence.strip().removesuffix(".") for sentence in sentences)
    return "".join(f"{sentence}. " for sentence in kept if sentence).strip()


def _bars(practice: Practice, finding: Finding) -> Bars | None:
    """How many distributions have which value, with what this kernel has marked."""
    if not practice.counts:
        return None
    own = finding.state.effective
    counts = (
        (finding.tunable.describe((value,)), number, "this kernel" if value in own else "")
        for value, number in practice.counts
    )
    return Bars(practice.total, tuple(counts))


def _layers(finding: Finding) -> str:
    """What each layer says by itself, where more than one has something to say."""
    state, tunable = finding.state, finding.tunable
    layers = {
        Layer.COMPILED: state.compiled, Layer.BOOT: state.boot, Layer.RUNTIME: state.runtime
    }  # fmt: skip
    texts = [f"{layer.value}: {tunable.describe(by)}" for layer, by in layers.items() if by]
    return "; ".join(texts) if len(texts) > 1 and not tunable.members else ""


def remedies(finding: Finding) -> Iterator[Row]:
    """The ways to the wanted value, the least invasive first."""
    told: set[str] = set()
    for edit in finding.edits:
        yield Row("do", _edit(edit))
    for number, item in enumerate(finding.remedies, len(finding.edits)):
        # The first for each machine that it may be stands in every format.
        part = "further remedies" if item.vendor in told else ""
        told.add(item.vendor)
        lines = tuple(assignment(change.symbol, change.new) for change in item.changes)
        yield Row("or" if number else "do", remedy(item, finding), part=part, copied=lines)
        if item.drop and (item.words or item.changes):
            yield Row("drop", joined(((Code(word),) for word in item.drop), " "), part=part)
        if item.lost:
            names = (one.symbol for one in item.lost)
            yield Row("loses", marked(phrases.losses(item.lost), *names), part=part)
        if item.changes:
            yield Row("before", _before(item), part="lines to copy")


def _edit(edit: Edit) -> Inline:
    return marked(phrases.edit(edit), edit.path, edit.was, *edit.now)


def remedy(item: Remedy, finding: Finding) -> Inline:
    """The sentence of a remedy, with what to type or set as code."""
    known: Iterable[str] = (change.symbol for change in item.changes)
    if item.kind is RemedyKind.RUNTIME:
        known = map(phrases.command, item.settings)
    elif item.kind is RemedyKind.BOOT:
        known = (" ".join(item.words), " ".join(item.drop))
    return marked(phrases.remedy(item, finding.tunable), *known)


def _before(item: Remedy) -> Inline:
    """What the lines replace, and which of them others need."""
    was = ", ".join(f"{change.symbol}={change.old or 'absent'}" for change in item.changes)
    roles = [
        f"{name}: {', '.join(change.symbol for change in item.changes if change.role is role)}"
        for role, name in ((Role.DEPENDENCY, "needed for it"), (Role.SIBLING, Role.SIBLING.value))
        if any(change.role is role for change in item.changes)
    ]
    return marked("; ".join((was, *roles)), *(change.symbol for change in item.changes))


def sources(advice: Advice, arch: str | None) -> Iterator[Row]:
    """Where the advice can be checked; not in another architecture's files, if there is more."""
    for source in phrases.sources(advice, arch):
        kernel = f" (Linux {source.kernel})" if source.kernel else ""
        note = marked(f": {source.note}") if source.note else ()
        yield Row("source", (Link(source.ref, source.url), kernel, *note), part="source")


def _waived(waiver: Waiver) -> Inline:
    """Why something is accepted as it is, by whom, until when, and where that is written."""
    return (*_reason(waiver), "; ", Code(phrases.where(waiver.location)))


def _reason(waiver: Waiver) -> Inline:
    before = "it was there before (baseline)" if waiver.baseline else ""
    return marked("; ".join(filter(None, (phrases.waiver(waiver), before))))


def _diagnostic(item: Diagnostic, format: str, advice: str = "") -> Entry:
    """A diagnostic; of a word that `advice` has taken out already, no more than what it does."""
    severity, what = item.severity.value, marked(item.message, item.subject)
    do: Inline = marked(phrases.do(item), item.subject)
    if advice:
        do = ("as ", Code(advice), " says")
    rows = (
        Row("what", what),
        Row("do", do),
        Row("waived", _waived(item.waived) if item.waived else ()),
        Row("meaning", _meaning(item.id) if not advice and mode("meaning", format) != OUT else ()),
        Row("source", (Link(item.source, item.source),) if item.source else (), part="source"),
    )
    place = phrases.where(item.location)
    gist = joined((what, _reason(item.waived)), "; ") if item.waived else what
    return Entry(
        "", "accepted" if item.waived else "diagnostic", severity, item.id, place,
        strength=severity, rows=kept(rows, format), cells=((Code(place),), what, do), gist=gist,
    )  # fmt: skip


def _meaning(id: str) -> Inline:
    from advisor.model.diagnostics import DIAGNOSTICS

    parts = DIAGNOSTICS[id].meaning.split("`")  # what stands between two of them is code
    return tuple(Code(part) if at % 2 else part for at, part in enumerate(parts) if part)
