"""One report: its head, and its sections in the order in which they matter."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.diagnostics import DIAGNOSTICS
from advisor.model.kernel import Machine
from advisor.model.report import Diagnostic, Finding, Report, Verdict
from advisor.model.rules import Stance
from advisor.model.tree import TreeUse
from advisor.output import phrases
from advisor.output.html.finding import accepted, folded, label, now, title, traits
from advisor.output.html.markup import Html, code, items, join, lines, link, pairs, tag, text
from advisor.record import NamedTuple


class Section(NamedTuple):
    """A part of a report: its id, its title with the count, and what it holds."""

    id: str
    title: str
    body: Html


def head(report: Report) -> Html:
    """What was judged, for whom, how it is known, and the verdict line."""
    kernel = phrases.kernel(report.kernel, report.machine.arch)
    if not report.complete:
        kernel += " (a fragment or defconfig: what it does not name is unknown)"
    profiles = join((join((p.title, " ", code(p.id))) for p in report.profiles), ", ")
    line = code(report.cmdline) if report.cmdline else ""
    given = "(empty)" if report.cmdline is not None else "(not given, judged as empty)"
    proof = f": {phrases.proof(report.proof, report.tree)}"
    facts = [
        ("Kernel", kernel),
        ("Profile" if len(report.profiles) == 1 else "Profiles", profiles or _NO_PROFILE),
        ("Boot line", line or given),
        ("Machine", _machine(report.machine)),
        ("Proof", join((code(report.proof), proof))),
        ("Tree", phrases.tree(report.tree) if report.tree else ""),
        *(("Warning", warning) for warning in (report.tree.warnings if report.tree else ())),
        ("Outcome", "fails" if report.failed else "passes"),
    ]
    verdict = tag("p", tag("strong", phrases.verdict_line(report)), class_="verdict")
    return lines(pairs(facts, class_="facts"), verdict)


_NO_PROFILE = "none: only what is given is checked (--profile names a workload)"


def _machine(machine: Machine) -> str:
    """What was told of the machine beside its architecture."""
    virtual = {"guest": "a virtual machine", "no": "bare metal"}
    efi = {"y": "booted by EFI", "n": "booted without EFI"}
    told = (
        f"{machine.cpus} CPUs" if machine.cpus is not None else "",
        f"isolated {machine.isolate}" if machine.isolate else "",
        f"{machine.nodes} NUMA nodes" if machine.nodes is not None else "",
        f"{machine.memory // 2**20} MiB of memory" if machine.memory is not None else "",
        f"vendor {machine.vendor}" if machine.vendor else "",
        virtual.get(machine.virtual or "", ""),
        efi.get(machine.efi or "", ""),
    )
    return ", ".join(filter(None, told)) or "(nothing told)"


def sections(report: Report, prefix: str) -> list[Section]:
    """The parts that have something to say; `prefix` makes their ids those of this report."""
    shown = _open(phrases.shown(report))
    blocked = _open(f for f in phrases.of(report, Verdict.BLOCKED) if f not in shown)
    unknown = _open(phrases.of(report, Verdict.UNKNOWN))
    runtime = _open(phrases.of(report, Verdict.UNKNOWN, runtime=True))
    waived = [finding for finding in report.findings if finding.waived]
    right = _open(phrases.of(report, Verdict.OK))
    absent = _open(phrases.of(report, Verdict.NOT_APPLICABLE))
    found = [item for item in report.diagnostics if not item.waived]
    excused = [item for item in report.diagnostics if item.waived]
    parts = (
        ("conflicts", "Conflicts", len(report.conflicts), _conflicts(report)),
        ("change", "What should change", len(shown), _table(shown, report, prefix)),
        ("findings", "Each of them in full", len(shown), _full(shown, report, prefix)),
        ("diagnostics", "Diagnostics of the inputs", len(found), _diagnostics(found)),
        ("blocked", "Situational, but blocked", len(blocked), _full(blocked, report, prefix)),
        ("unknown", "Not known", len(unknown), _unknown(unknown, report, prefix)),
        ("runtime", "At run time only", len(runtime), _runtime(runtime, report, prefix)),
        ("accepted", "Accepted", len(waived) + len(excused),
         lines(_waived(waived, report, prefix), _diagnostics(excused))),
        ("right", "Already right", len(right), _right(right, report)),
        ("absent", "Not applicable", len(absent), _absent(absent, report)),
    )  # fmt: skip
    counted = [
        Section(prefix + name, f"{heading}: {count}", body) for name, heading, count, body in parts
    ]
    last = Section(f"{prefix}tree", "Taken from the tree", _tree(report))
    return [section for section in (*counted, last) if section.body]


def _open(findings: Iterable[Finding]) -> list[Finding]:
    """Those that nobody has accepted."""
    return [finding for finding in findings if not finding.waived]


def _conflicts(report: Report) -> Html:
    return lines(
        *(
            tag(
                "div",
                tag("h4", conflict.title, Html(" "), code(conflict.subject)),
                items(phrases.conflict_sides(conflict)),
                class_="entry",
                data_kind="conflict",
                data_profile=" ".join(advice.profile for advice, _ in conflict.sides),
            )
            for conflict in report.conflicts
        )
    )


_COLUMNS = ("Strength", "Setting", "Now", "Wanted", "Least invasive remedy")


def _table(findings: list[Finding], report: Report, prefix: str) -> Html:
    """The overview: a line each, which leads to the whole finding."""
    if not findings:
        return tag("p", "Nothing.") if report.profiles else Html("")
    columns = tag("tr", *(tag("th", name, scope="col") for name in _COLUMNS))
    rows = []
    for finding in findings:
        key = prefix + finding.id
        do = f"But {finding.reason}"
        if finding.remedies:
            do = phrases.remedy(finding.remedies[0], finding.tunable)
        who = tag("span", finding.advice.profile, class_="who")
        named = tag("a", finding.tunable.title, href=f"#{key}")
        if len(report.profiles) > 1:
            named = join((named, Html(" "), who))
        cells = [
            tag("td", what, data_label=name)
            for name, what in zip(_COLUMNS[2:], (finding.now, finding.wanted, do), strict=True)
        ]
        setting = tag("th", named, scope="row")
        rows.append(tag("tr", tag("td", label(finding)), setting, *cells, data_for=key))
    caption = tag("caption", "What should change, the strongest advice first")
    return tag("table", caption, tag("thead", columns), tag("tbody", lines(*rows)))


def _full(findings: Iterable[Finding], report: Report, prefix: str) -> Html:
    return lines(*(folded(f, report, f.verdict.value, prefix) for f in findings))


def _unknown(findings: list[Finding], report: Report, prefix: str) -> Html:
    hints = items(
        join((f"{count} more could be judged with ", code(name) if name[0] == "-" else name))
        for name, count in phrases.missing(findings)
    )
    full = (folded(f, report, "unknown", prefix, f.reason or f.now) for f in findings)
    return lines(hints, *full)


def _runtime(findings: list[Finding], report: Report, prefix: str) -> Html:
    """What no input here shows: it is advice, not a finding."""
    full = []
    for finding in findings:
        do = phrases.instructions(finding) or finding.wanted
        full.append(folded(finding, report, "runtime", prefix, do))
    return lines(*full)


def _waived(findings: list[Finding], report: Report, prefix: str) -> Html:
    reasons = (f.waived.reason if f.waived else "" for f in findings)
    full = (
        folded(f, report, "accepted", prefix, reason)
        for f, reason in zip(findings, reasons, strict=True)
    )
    return lines(*full)


def _diagnostics(found: list[Diagnostic]) -> Html:
    return lines(*map(_diagnostic, found))


def _diagnostic(item: Diagnostic) -> Html:
    severity = item.severity.value
    badge = tag("strong", severity, class_=f"badge {severity}")
    place = tag("span", phrases.where(item.location), class_="state")
    heading = tag("h4", badge, Html(" "), code(item.id), Html(" "), place)
    rows = (
        ("What", item.message),
        ("Do", item.remedy),
        ("Accepted", accepted(item.waived) if item.waived else ""),
        ("Meaning", DIAGNOSTICS[item.id].meaning),
        ("Source", link(item.source, item.source) if item.source else ""),
    )
    kind = "accepted" if item.waived else "diagnostic"
    return tag("div", heading, pairs(rows), class_="entry", data_kind=kind, data_strength=severity)


def _listed(findings: Iterable[Finding], what: Iterable[Html], report: Report, kind: str) -> Html:
    """A folded list with a line for each finding."""
    found = [
        tag("li", title(finding, report), ": ", shown, **traits(finding, kind))
        for finding, shown in zip(findings, what, strict=True)
    ]
    if not found:
        return Html("")
    listed = tag("ul", Html("\n"), lines(*found), Html("\n"))
    return tag("details", tag("summary", "As a list"), listed, class_="list")


def _right(findings: list[Finding], report: Report) -> Html:
    return _listed(findings, (_kept(f, report.name) for f in findings), report, "ok")


def _kept(finding: Finding, path: str) -> Html:
    shown = now(finding, path)
    if finding.advice.stance is Stance.KEEP and finding.advice.cost:
        return join((shown, f"; kept at this cost: {finding.advice.cost}"))
    return shown


def _absent(findings: list[Finding], report: Report) -> Html:
    return _listed(findings, (text(f.reason) for f in findings), report, "absent")


def _tree(report: Report) -> Html:
    """What was taken for granted in the tree, and what a plan changes there by itself."""
    effects = phrases.effects(report.plan.effects or (), all_of_them=True)
    told = [f"side effects, {title}: {names}" for title, names in effects]
    if report.tree is None:
        return items(told)
    assumed = tag("p", f"Taken for granted: {phrases.assumed(report.tree)}.")
    return lines(items(told), assumed, _answers(report.tree))


def _answers(use: TreeUse) -> Html:
    answers = items(
        join((code(subject), " = ", code(value), f", {origin}"))
        for subject, value, origin in use.assumed
    )
    if not answers:
        return answers
    return tag("details", tag("summary", "Answers of tools"), answers, class_="list")
