"""Findings, diagnostics and conflicts as entries of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from advisor.model.disks import called
from advisor.model.finding import Conflict, Diagnostic, Finding, Verdict, Waiver
from advisor.model.kernel import Layer, assignment
from advisor.model.plan import File, Kept
from advisor.model.profile import REQUIREMENT, Advice, Stance
from advisor.model.remedy import Remedy, RemedyKind, Role
from advisor.model.report import Practice, Report
from advisor.model.state import LACK, Origin
from advisor.output import phrases
from advisor.output.page import (
    FULL,
    LIST,
    OUT,
    Bars,
    Code,
    Entry,
    Inline,
    Link,
    Row,
    codes,
    joined,
    kept,
    lines,
    marked,
    mode,
    plain,
)

if TYPE_CHECKING:
    from advisor.model.lines import Edit


def conflict(one: Conflict) -> Entry:
    """Return a conflict of profiles as an entry."""
    who = tuple(advice.profile for advice, _ in one.sides)
    rows = (Row("", (), lines(phrases.conflict_sides(one))),)
    return Entry(
        one.subject, "conflict", "conflict", one.title, one.subject, profiles=who, rows=rows,
        gist=marked(one.title),
    )  # fmt: skip


_FOLDERS = {
    File.SYSCTL: "/etc/sysctl.d", File.TMPFILES: "/etc/tmpfiles.d",
    File.MODPROBE: "/etc/modprobe.d",
}  # fmt: skip
_KINDS = {
    "blocked": "blocked", "unknown": "unknown", "runtime": "runtime", "unread": "runtime",
    "waived": "accepted", "baseline": "accepted", "right": "ok", "absent": "absent",
}  # fmt: skip


def finding(one: Finding, part: str, report: Report, format: str) -> Entry:
    """Return a finding as an entry of the section `part`."""
    advice, tunable = one.advice, one.tunable
    strength, how = advice.strength.value, mode(part, format)
    same = phrases.alike(one, report)
    profiles = tuple(dict.fromkeys(each.advice.profile for each in same))
    title = tunable.title + (f" of {called(advice.disks)}" if advice.disks else "")
    if one.edits:
        do = _edit(one.edits[0])
    elif one.remedies:
        do = remedy(one.remedies[0], one)
    else:
        do = marked(f"but {one.reason}")
    return Entry(
        one.id, _KINDS.get(part, one.verdict.in_v1), strength, title, tunable.id,
        one.verdict.in_v1, ", ".join(profiles) if len(report.profiles) > 1 else "", strength,
        profiles, tunable.area, kept(_rows(one, same, report, format), format),
        (_now(one, report.name), marked(one.wanted), do),
        _gist(one, part, report.name, how), phrases.brief(one),
        turn(one, report.name) if how == FULL else "",
    )  # fmt: skip


def _gist(one: Finding, part: str, path: str, how: str) -> Inline:
    """Return the finding in a line."""
    if part in ("right", "waived", "baseline"):
        state = _now(one, path) or marked(one.reason)
        if one.waived:
            return joined((state, _reason(one.waived)), "; ")
        # What is merely accepted, such as that it is not built, costs nothing of that.
        accepted = {name for option in one.advice.options for name in option.accept}
        paid = one.advice.stance is Stance.KEEP and accepted.isdisjoint(one.state.effective)
        if paid and one.advice.cost:
            cost = phrases.cost(one.advice.cost, one.tunable)
            return (*state, "; kept, at this cost: ", *marked(cost))
        return state
    if part in ("runtime", "unread"):
        commands = (codes(map(phrases.command, each.settings), "; ") for each in one.remedies)
        do = joined(commands, " or ") or marked(one.wanted)
        cost = f" Cost: {phrases.cost(one.cost, one.tunable)}" if one.cost else ""
        return (*do, ". ", *marked(one.advice.why + cost)) if how == LIST else do
    return marked(phrases.unknown(one) if part == "unknown" else one.reason or one.now)


def _rows(one: Finding, same: Sequence[Finding], report: Report, format: str) -> Iterator[Row]:
    """Yield all facts about a finding; `same` are those of other profiles that say the same."""
    tunable = one.tunable
    if one.waived:
        yield Row("waived", _waived(one.waived))
    wrong = tuple(_offending(one, report.name))
    yield Row("now", _now(one, report.name), wrong, part="now and wanted")
    yield Row("wanted", marked(one.wanted), part="now and wanted")
    ways = remedies(one)
    yield from islice(ways, 1)
    lasts = [*lasting(report.kept.get(one.id, ()), one)]
    yield from lasts
    told = {plain(row.text) for row in lasts}
    yield from (row for row in ways if plain(row.text) not in told)
    yield from (Row("note", marked(c.message, c.subject)) for c in phrases.cautions(one, report))
    yield from (Row("against", marked(text)) for text in phrases.against(one, report))
    yield Row("but", marked(one.reason))
    if one.missing and one.verdict is Verdict.UNKNOWN:
        options = " and ".join(name for name, _ in phrases.missing([one]))
        yield Row("ask", marked(options))
    # What is built and a word switches off goes by the word: its symbol is on.
    amiss = (
        (
            Code(line.text if line.layer in (Layer.BOOT, Layer.BUILT_IN) else name),
            f" ({phrases.at(line, report.name)})",
        )
        for name, line in one.offending
    )
    yield Row("now", joined(amiss, ", "), part="places")
    yield from _layers(one)
    yield Row("note", marked(one.state.why))
    needing = dict.fromkeys(need for each in same for need in each.advice.needed_by)
    yield Row("needed", marked(phrases.needed_by(needing), *(need.called for need in needing)))
    reasons: dict[str, list[str]] = {}
    for each in same:
        reasons.setdefault(each.advice.why, []).append(each.advice.profile)
    for reason, profiles in reasons.items():
        who = f"{', '.join(profiles)}: " if len(reasons) > 1 else ""
        yield Row("why", marked(who + reason))
    for cost in dict.fromkeys(each.cost for each in same):
        yield Row("cost", marked(phrases.cost(cost, tunable)))
    if records := report.measured.get(one.id):
        from advisor.output import costs

        yield from costs.rows(records, is_whole=format != "text")
    practice = report.practice.get(tunable.id)
    if practice and practice.text:
        yield _practice(practice, one, same)
    arch = report.machine.arch
    yield from dict.fromkeys(row for each in same for row in sources(each.advice, arch))
    yield Row("advice", codes(each.id for each in same), part="advice")


def lasting(kept: Sequence[Kept], finding: Finding) -> Iterator[Row]:
    """Yield for each setting of run time the line that keeps it beyond the next boot, or why no
    file does and which boot parameter does."""
    if kept:
        from advisor.output.plan import filelines
    boots = (one for one in finding.remedies if one.kind is RemedyKind.BOOT and one.words)
    boot, drop = next(((one.words, one.drop) for one in boots), ((), ()))
    for one in kept:
        where = _FOLDERS.get(one.file) if one.file else None
        if boot and one.setting.layer == "debugfs":
            instead = (" instead of ", *codes(drop)) if drop else ()
            yield Row("keep", ("on the boot line: ", *codes(boot), *instead))
        elif not one.file:
            yield Row("keep", marked(f"run this command after each boot: {one.why}"))
        elif where is None:
            yield Row("keep", marked("kernel-advisor plan --format udev writes the udev rule"))
        else:
            because = f" ({one.why})" if one.why else ""
            yield Row("keep", (f"in {where}/: ", *codes(filelines.of(one), "; "), because))


def _offending(one: Finding, path: str) -> Iterator[Row]:
    """Yield each member of a group that is not as wanted, with the line that makes it so."""
    notes = {member.symbol: member.note for member in one.tunable.members}
    for symbol, line in one.offending:
        note = notes.get(symbol)
        named: Inline = (Code(symbol), f": {note}") if note else (symbol,)
        yield Row("", (*named, "; ", *_origin(line, path)))


def _layers(one: Finding) -> Iterator[Row]:
    """Yield the members of a group that are as wanted, and what each layer makes of a setting."""
    state, tunable = one.state, one.tunable
    members = {member.symbol for member in tunable.members}
    amiss = dict(one.offending)
    names = [name for name, _ in (*state.on, *state.off) if name not in amiss]
    right = joined(((Code(name) if name in members else name,) for name in names), ", ")
    yield Row("right", right, part="members as wanted")
    by_words = {line.layer for line in state.origins} & {Layer.BUILT_IN, Layer.BOOT}
    line = Layer.BUILT_IN if by_words == {Layer.BUILT_IN} else Layer.BOOT
    layers = {Layer.COMPILED: state.compiled, line: state.boot, Layer.RUNTIME: state.runtime}
    texts = [f"{layer.value}: {tunable.describe(by)}" for layer, by in layers.items() if by]
    if len(texts) > 1 and not tunable.members:
        yield Row("layers", ("; ".join(texts),), part="layers")


def _practice(practice: Practice, one: Finding, same: Sequence[Finding]) -> Row:
    """Return what distributions do, with each sentence of the profiles about that once."""
    sentences = (text for each in same for text in each.advice.practice.split(". "))
    once = dict.fromkeys(sentence.strip().removesuffix(".") for sentence in sentences)
    reasons = " ".join(f"{sentence}." for sentence in once if sentence)
    counts = tuple(
        (
            one.tunable.describe((value,)),
            number,
            "this kernel" if value in one.state.effective else "",
        )
        for value, number in practice.counts
    )
    bars = Bars(practice.total, counts) if counts else None
    text = marked(". ".join(filter(None, (practice.text, reasons))))
    return Row("others", text, part="others", bars=bars)


def _now(one: Finding, path: str) -> Inline:
    """Return what is effective, if known, and why: `250 Hz, by CONFIG_HZ_250=y (line 345)`."""
    if not _has_lines(one):
        return (one.now,) if one.now else ()
    return (one.now, ", ", *by_lines(one.state.origins, path))


def _has_lines(one: Finding) -> bool:
    """Return whether lines, or the default, make the setting so.

    A group tells the lines of its members, and what is missing for a program is told by name.
    """
    is_told = one.tunable.kind == REQUIREMENT and not one.state.origins
    return bool(one.now) and not one.tunable.members and not is_told


def turn(one: Finding, path: str) -> str:
    """Return the present value with its line's place, and the wanted one: `on (line 5) -> off`.

    A value whose title explains its name goes by the name.
    """
    now, wanted = one.now, one.wanted.replace(f"{one.tunable.title}: ", "")
    wanted = wanted.partition("; avoid ")[0]
    for value in one.tunable.values:
        if value.title.startswith((f"{value.name}: ", f"{value.name} (")):
            now, wanted = (text.replace(value.title, value.name) for text in (now, wanted))
    places = dict.fromkeys(
        line.text if line.text.startswith(LACK) else phrases.at(line, path)
        for line in one.state.origins
    )
    if _has_lines(one):
        now += f" ({phrases.first(tuple(places), 1) or 'default'})"
    return f" {phrases.ARROW} ".join(filter(None, (now, wanted)))


def by_lines(origins: Iterable[Origin], path: str, between: str = " and ") -> Inline:
    """Return the lines that make a setting so, if any: `by CONFIG_HZ_250=y (line 345)`."""
    lines = joined((_origin(line, path) for line in origins), between)
    return ("by ", *lines) if lines else ("by default",)


def _origin(line: Origin, path: str) -> Inline:
    return Code(line.text), f" ({phrases.at(line, path)})"


def remedies(one: Finding) -> Iterator[Row]:
    """Yield the ways to the wanted value, the least invasive first."""
    vendors: set[str] = set()
    for edit in one.edits:
        yield Row("do", _edit(edit))
    if one.package:
        yield Row("do", (Code(one.package.install), f" (a package of {one.package.distribution})"))
    for number, item in enumerate(one.remedies, len(one.edits) + bool(one.package)):
        # Every format has the first one for each machine that it may be.
        part = "further remedies" if item.vendor in vendors else ""
        vendors.add(item.vendor)
        copied = tuple(assignment(change.symbol, change.new) for change in item.changes)
        text = (*remedy(item, one), *_other_value(item, one))
        yield Row("or" if number else "do", text, part=part, copied=copied)
        if item.drop and (item.words or item.changes):
            yield Row("drop", codes(item.drop, " "), part=part)
        if item.lost:
            from advisor.output import treewords

            names = (each.symbol for each in item.lost)
            yield Row("loses", marked(treewords.losses(item.lost), *names), part=part)
        if item.changes:
            yield Row("before", _before(item), part="lines to copy")


def _other_value(item: Remedy, one: Finding) -> Inline:
    """Return what a remedy gives, if it is another accepted value than the first remedy gives."""
    if item.vendor or one.tunable.members or item.value == one.remedies[0].value:
        return ()
    given, first = (one.tunable.describe((v,)) for v in (item.value, one.remedies[0].value))
    return marked(f"; gives: {given}") if given and given != first else ()


def _edit(edit: Edit) -> Inline:
    return marked(phrases.edit(edit), edit.path, edit.was, *edit.now)


def remedy(item: Remedy, one: Finding) -> Inline:
    """Return the sentence of a remedy, with what to type or set as code."""
    text = phrases.remedy(item, one.tunable)
    if item.kind is RemedyKind.RUNTIME:
        commands = [phrases.command(each) for each in item.settings]
        before, _, after = text.partition("; ".join(commands))
        return tuple(filter(None, (*marked(before), *codes(commands, "; "), *marked(after))))
    known: Iterable[str] = (change.symbol for change in item.changes)
    if item.kind is RemedyKind.BOOT:
        known = (" ".join(item.words), " ".join(item.drop))
    return marked(text, *known)


def _before(item: Remedy) -> Inline:
    """Return what the changed lines were, and which of them others need."""
    texts = [", ".join(f"{change.symbol}={change.old or 'absent'}" for change in item.changes)]
    for role, name in ((Role.DEPENDENCY, "needed for it"), (Role.SIBLING, Role.SIBLING.value)):
        if symbols := [change.symbol for change in item.changes if change.role is role]:
            texts.append(f"{name}: {', '.join(symbols)}")
    return marked("; ".join(texts), *(change.symbol for change in item.changes))


def sources(advice: Advice, arch: str | None) -> Iterator[Row]:
    """Yield where the advice can be checked."""
    for source in phrases.sources(advice, arch):
        kernel = f" (Linux {source.kernel})" if source.kernel else ""
        note = marked(f": {source.note}") if source.note else ()
        yield Row("source", (Link(source.ref, source.url), kernel, *note), part="source")


def _waived(waiver: Waiver) -> Inline:
    """Return why something is accepted as it is, and where that is written."""
    return (*_reason(waiver), "; ", Code(phrases.where(waiver.location)))


def _reason(waiver: Waiver) -> Inline:
    before = "the finding existed before (baseline)" if waiver.baseline else ""
    return marked("; ".join(filter(None, (phrases.waiver(waiver), before))))


def diagnostic(item: Diagnostic, format: str) -> Entry:
    """Return a diagnostic as an entry."""
    severity, what = item.severity.value, marked(item.message, item.subject)
    do = marked(phrases.do(item), item.subject)
    meaning: Inline = ()
    if mode("meaning", format) != OUT:
        from advisor.model.diagnostics import DIAGNOSTICS

        parts = DIAGNOSTICS[item.id].meaning.split("`")  # code stands between two of them
        meaning = tuple(Code(part) if at % 2 else part for at, part in enumerate(parts) if part)
    rows = (
        Row("what", what),
        Row("do", do),
        Row("waived", _waived(item.waived) if item.waived else ()),
        Row("meaning", meaning),
        Row("source", (Link(item.source, item.source),) if item.source else (), part="source"),
    )
    place = phrases.where(item.location)
    between = ". " if plain(do)[:1].isupper() else "; "
    return Entry(
        "", "accepted" if item.waived else "diagnostic", severity, item.id, place,
        strength=severity, rows=kept(rows, format), cells=((Code(place),), what, do),
        gist=joined((what, _reason(item.waived)), "; ") if item.waived else what,
        brief=("", between.join(filter(None, map(plain, (what, do))))),
    )  # fmt: skip
