"""One finding, told in full: what is so now, what is wanted, why, and every way to get there."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.kernel import Layer, assignment
from advisor.model.report import Change, Finding, Origin, Remedy, RemedyKind, Report, Role, Waiver
from advisor.model.rules import Tunable
from advisor.output import phrases
from advisor.output.html.markup import (
    Html,
    block,
    code,
    items,
    join,
    lines,
    pairs,
    source,
    tag,
    text,
)


def traits(finding: Finding, kind: str) -> dict[str, str]:
    """What the filter knows of a finding."""
    return {
        "data_kind": kind,
        "data_strength": finding.advice.strength.value,
        "data_profile": finding.advice.profile,
        "data_area": finding.tunable.area,
    }


def title(finding: Finding, report: Report) -> Html:
    """The setting with its id, and whose advice it is where there are several profiles."""
    who = tag("span", finding.advice.profile, class_="who") if len(report.profiles) > 1 else ""
    named = (text(finding.tunable.title), code(finding.tunable.id), who)
    return join(filter(None, named), Html(" "))


def label(finding: Finding) -> Html:
    """`must change`, the strength as a badge."""
    strength = finding.advice.strength.value
    badge = tag("strong", strength, class_=f"badge {strength}")
    return join((badge, Html(" "), tag("span", finding.verdict.value, class_="state")))


def folded(finding: Finding, report: Report, kind: str, prefix: str, gist: str = "") -> Html:
    """The finding under its heading, closed at first; `gist` is what a closed one tells."""
    head = tag("h4", label(finding), Html(" "), title(finding, report))
    more = tag("span", gist, class_="gist") if gist else ""
    # The id stands inside, since browsers open what a link leads into.
    body = tag("div", told(finding, report), id=prefix + finding.id)
    summary = tag("summary", head, more)
    return tag("details", Html("\n"), lines(summary, body), **traits(finding, kind))


def told(finding: Finding, report: Report) -> Html:
    """Everything about a finding, as names and meanings."""
    tunable, advice = finding.tunable, finding.advice
    rows: list[tuple[str, str]] = [
        ("Accepted", accepted(finding.waived) if finding.waived else ""),
        ("Now", now(finding, report.name)),
        ("Layers", _layers(finding)),
        ("Note", finding.state.why),
        ("Wanted", finding.wanted),
        ("Why", advice.why),
        ("Remedy" if len(finding.remedies) == 1 else "Remedies", _ladder(finding)),
        ("But", finding.reason),
        ("Would tell", _missing(finding)),
        ("Cost", finding.cost),
        ("Others", report.practice.get(tunable.id, "")),
        ("Sources", items(map(source, advice.sources))),
        ("Advice", code(finding.id)),
    ]
    return pairs(rows)


def now(finding: Finding, path: str) -> Html:
    """What is effective, by which lines; of a group, by which members."""
    if finding.tunable.members:
        return join((text(finding.now), _members(finding, path)))
    by = join((_origin(item, path) for item in finding.state.origins), " and ")
    told = join(("by ", by)) if by else text(phrases.origins(finding, path))
    return join(filter(None, (finding.now, told)), ", ")


def _origin(item: Origin, path: str) -> Html:
    where = phrases.origin(item, path).removeprefix(item.text)
    return join((code(item.text), where))


def _members(finding: Finding, path: str) -> Html:
    """The members that are not as wanted with their lines, the others by name."""
    state = finding.state
    origins = dict((*state.on, *state.off))
    wrong = [(symbol, note) for symbol, note, _ in phrases.members(finding, path)]
    listed = items(
        join((code(symbol), f": {note}; ", _origin(origins[symbol], path)))
        for symbol, note in wrong
    )
    others = [symbol for symbol in origins if symbol not in dict(wrong)]
    if not others:
        return listed
    names = join(map(code, others), ", ")
    return join((listed, tag("p", "As wanted: ", names, class_="minor")))


def _layers(finding: Finding) -> str:
    """What each layer says by itself, where more than one has something to say."""
    state, tunable = finding.state, finding.tunable
    layers = (
        (Layer.COMPILED, state.compiled),
        (Layer.BOOT, state.boot),
        (Layer.RUNTIME, state.runtime),
    )
    told = [f"{layer.value}: {tunable.describe(names)}" for layer, names in layers if names]
    return "; ".join(told) if len(told) > 1 and not tunable.members else ""


def _ladder(finding: Finding) -> Html:
    steps = [tag("li", _remedy(remedy, finding.tunable)) for remedy in finding.remedies]
    if len(steps) < 2:
        return Html(steps[0].removeprefix("<li>").removesuffix("</li>")) if steps else Html("")
    return tag("ol", Html("\n"), lines(*steps), Html("\n"))


def _remedy(remedy: Remedy, tunable: Tunable) -> Html:
    """The sentence of a remedy, and what to copy for it."""
    if remedy.kind is not RemedyKind.REBUILD:
        what = phrases.instruction(remedy, tunable)
        how = phrases.remedy(remedy, tunable).removesuffix(what)
        shown = join((how, code(what)))
    else:
        shown = text(phrases.remedy(remedy, tunable))
    parts = [shown]
    if remedy.words and remedy.drop:
        parts.append(join((" in place of ", join(map(code, remedy.drop), " "))))
    if remedy.changes:
        parts.append(block(assignment(item.symbol, item.new) for item in remedy.changes))
        parts.append(_before(remedy.changes))
    if remedy.left:
        parts.append(tag("p", "Out of its reach: ", "; ".join(remedy.left), class_="minor"))
    return join(parts)


def _before(changes: Iterable[Change]) -> Html:
    """What the lines replace, and which of them others need."""
    changes = tuple(changes)
    old = ", ".join(f"{item.symbol}={item.old or 'absent'}" for item in changes)
    roles = [
        f"{name}: {', '.join(item.symbol for item in changes if item.role is role)}"
        for role, name in ((Role.DEPENDENCY, "needed for it"), (Role.SIBLING, Role.SIBLING.value))
        if any(item.role is role for item in changes)
    ]
    return tag("p", "; ".join((f"Before: {old}", *roles)), class_="minor")


def _missing(finding: Finding) -> str:
    if not finding.missing:
        return ""
    return " and ".join(name for name, _ in phrases.missing([finding]))


def accepted(waiver: Waiver) -> Html:
    """Why something is accepted as it is, by whom, until when, and where that is written."""
    told = [waiver.reason]
    if waiver.baseline:
        told.append("it was there before (baseline)")
    if waiver.owner:
        told.append(f"owner {waiver.owner}")
    if waiver.expires:
        told.append(f"up to and including {waiver.expires}")
    where = code(phrases.where(waiver.location))
    return join(("; ".join(filter(None, told)), "; ", where))
