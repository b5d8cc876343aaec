"""A whole plan as a page: what to do in which file, then each change, then what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.disks import called
from advisor.model.plan import EFFORTS, File, Item
from advisor.model.profile import Advice
from advisor.model.remedy import RemedyKind
from advisor.model.report import Report
from advisor.model.tunable import Tunable
from advisor.output import factwords, findingpage, phrases
from advisor.output.page import (
    Code,
    Document,
    Entry,
    Inline,
    Page,
    Row,
    Section,
    codes,
    joined,
    kept,
    listing,
    marked,
    mode,
)
from advisor.output.plan import filelines

_TITLES = {"now": "Now", "boot": "At the next boot", "rebuild": "By a rebuild"}
_NOTE = (
    "Nothing is changed yet. --into DIR writes these files. sh DIR/apply.sh then lists the "
    "changes, and makes them as root with --yes. kernel-advisor verify DIR checks the changes, "
    "and sh DIR/undo.sh --yes takes them back. "
)
_LINE = "The file cmdline has the new boot line; --format grub (or grubby, bootc ...) writes it as "
_LINE += "the boot loader's settings."
_NO_LINE = (
    "The file cmdline has only the new parameters, because no boot line was given (--cmdline)."
)


def document(reports: Sequence[Report], format: str) -> Document:
    """Return a page for each plan, without what the format leaves out."""
    pages = tuple(page(report, format) for report in reports)
    return Document("A plan", "plan", pages)


def page(report: Report, format: str) -> Page:
    """Return the page of one plan."""
    titles = ", ".join(profile.title for profile in report.profiles)
    return Page(
        report.name, (f"Plan: {titles}: ", Code(report.name)), verdict(report), False,
        kept(_facts(report), format), tuple(_sections(report, format)), _note(report),
    )  # fmt: skip


def _note(report: Report) -> Inline:
    """Return what to do with the plan."""
    plan = report.plan
    line = ""
    if plan.words or plan.dropped:
        line = _NO_LINE if report.cmdline is None else _LINE
    if all(item.in_force for item in plan.items):
        return ()
    return marked(f"{_NOTE}{line}".strip(), "sh DIR/apply.sh", "sh DIR/undo.sh --yes")


def verdict(report: Report) -> str:
    """Return how many changes take which effort: `now: 3, boot: 1, rebuild: 0; in force: 2`."""
    items, omissions = report.plan.items, report.plan.omissions
    text = ", ".join(f"{name}: {len(_of(items, name))}" for name in EFFORTS)
    counts = ("in force", sum(item.in_force for item in items)), ("left out", len(omissions))
    return "; ".join((text, *(f"{name}: {number}" for name, number in counts if number)))


def _of(items: Iterable[Item], effort: str) -> list[Item]:
    """Return the items of an effort that change something."""
    return [one for one in items if one.remedy.kind.effort == effort and not one.in_force]


def _facts(report: Report) -> Iterator[Row]:
    kernel = factwords.kernel(report.kernel, report.machine.arch, report.inferred)
    yield Row("subject", (f"{report.name}: {kernel}",), part="subject")
    yield Row("kernel", (kernel,), part="kernel")
    yield Row("profile", codes(profile.id for profile in report.profiles))
    yield Row("proof", (Code(report.proof), f": {factwords.proof(report.proof, report.tree)}"))
    yield from _files(report)
    if report.plan.optional:
        yield Row("optional", (f"{report.plan.optional} more with '--strength could'",))


def _files(report: Report) -> Iterator[Row]:
    """Yield what to do by effort: in which file, how much, and how that counts now."""
    plan = report.plan
    for file in (File.SYSCTL, File.TMPFILES, File.UDEV, File.MODPROBE):
        if lines := plan.kept_by(file):
            number = phrases.counted(len(lines), "setting")
            is_new = any(file in item.files and not item.in_force for item in plan.items)
            how = (", ", *_how(file)) if is_new else (", in force already",)
            yield Row("now", (Code(f"/{plan.path(file)}"), f" ({number})", *how))
    if by_hand := plan.kept_by(None):
        yield Row(
            "by hand", (f"{phrases.counted(len(by_hand), 'setting')} that no file makes permanent",)
        )
    if plan.words or plan.dropped:
        yield Row("boot", joined(_line_texts(plan.words, plan.dropped), "; "))
    symbols = {change.symbol for step in plan.steps for change in step.remedy.changes}
    if symbols:
        number = phrases.counted(len(symbols), "symbol")
        name = Code(plan.path(File.FRAGMENT))
        yield Row("rebuild", (name, f": {number}, merged by merge_config.sh"))
    if all(item.in_force for item in plan.items):
        yield Row(
            "to do", ("nothing: all that the profiles ask for is already set, or is blocked",)
        )


def _how(file: File) -> Inline:
    """Return how a file comes to count without a reboot."""
    return (
        ("then ", Code(filelines.APPLY[file]))
        if file in filelines.APPLY
        else ("read when a module is loaded",)
    )


def _line_texts(words: Sequence[str], dropped: Sequence[str]) -> Iterator[Inline]:
    if words:
        yield "add to the boot line: ", Code(" ".join(words))
    if dropped:
        yield "remove from the boot line: ", Code(" ".join(dropped))


def _sections(report: Report, format: str) -> Iterator[Section]:
    for effort, title in _TITLES.items():
        if items := _of(report.plan.items, effort):
            entries = tuple(_entry(item, report, format) for item in items)
            columns = ("Setting", "Now", "Change", "File")
            yield Section(
                "changes", title, mode("changes", format), len(items), entries, columns=columns
            )
    yield from listing(
        "in force", "Already in force, and also in the plan's files", _in_force(report), format
    )
    yield from listing(
        "left out", "Left out", _left_out(report), format, len(report.plan.omissions)
    )


def _in_force(report: Report) -> Iterator[Row]:
    for item in report.plan.items:
        if item.in_force:
            yield Row("", (_lead(item.finding.tunable, item.finding.advice), *_change(item)))


def _left_out(report: Report) -> Iterator[Row]:
    for one in report.plan.omissions:
        yield Row("", marked(_lead(one.tunable, one.advice) + phrases.omission(one)))


def _lead(tunable: Tunable, advice: Advice) -> str:
    return f"{tunable.title} ({advice.strength.value}, {advice.profile}): "


def _entry(item: Item, report: Report, format: str) -> Entry:
    finding, advice = item.finding, item.finding.advice
    strength, tunable = advice.strength.value, finding.tunable
    title = tunable.title + (f" of {called(advice.disks)}" if advice.disks else "")
    who = ", ".join(item.profiles) if len(report.profiles) > 1 else ""
    now = marked(finding.now or "not read")
    paths = map(report.plan.path, item.files)
    files = codes(f"{'/' if 'etc' in path else ''}{path}" for path in paths)
    return Entry(
        finding.id, "change", strength, title, tunable.id, item.remedy.kind.effort, who, strength,
        item.profiles, tunable.area, kept(_rows(item, report, now), format),
        (now, _change(item), files or ("none",)), _change(item),
        turn=findingpage.turn(finding, report.name),
    )  # fmt: skip


def _change(item: Item) -> Inline:
    """Return what is set: lines of files, words of the boot line, or symbols."""
    if item.remedy.kind is RemedyKind.RUNTIME:
        return codes((f"{s.key} = {s.value}" for s in item.remedy.settings), "; ")
    return findingpage.remedy(item.remedy, item.finding)


def _rows(item: Item, report: Report, now: Inline) -> Iterator[Row]:
    finding = item.finding
    yield Row("now", now, part="now and wanted")
    yield Row("do", findingpage.remedy(item.remedy, finding))
    yield from findingpage.lasting(item.kept, item.finding)
    if item.remedy.drop and (item.remedy.words or item.remedy.changes):
        yield Row("drop", codes(item.remedy.drop, " "))
    yield Row("why", marked(finding.advice.why))
    yield from (Row("against", marked(text)) for text in phrases.against(finding, report))
    yield Row("but", marked("; ".join(filter(None, (finding.reason, item.remedy.held)))))
    yield Row("cost", marked(phrases.cost(finding.cost, finding.tunable)))
    yield from findingpage.sources(finding.advice, report.machine.arch)
