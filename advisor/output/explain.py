"""What `explain`, `profiles` and `rules` print: one name, one profile, one tunable, in words."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.condition import show
from advisor.model.explanation import (
    Architectures,
    CatalogueEntry,
    Described,
    Explanation,
    Opinion,
    Presence,
    Prompt,
    Span,
    Wish,
    Wishes,
)
from advisor.model.kernel import assignment
from advisor.model.rules import (
    Option,
    Parameter,
    Profile,
    Reader,
    Remark,
    Source,
    Stance,
    Tunable,
    TunableNotes,
    Value,
)
from advisor.output import Style
from advisor.output.escape import visible
from advisor.output.text import wrapped

_MOST = 4
# What a parameter given twice comes to; the last counts unless something is said.
_TWICE = {
    "last": "",
    "first": "the first counts",
    "flags": "of two lists for the same purpose the first counts",
    "accumulate": "all count",
}


def explain(found: Explanation, style: Style) -> str:
    """All that is known of a name."""
    blocks = [_history(found, style)] if found.name or found.rename else []
    if found.parameter:
        blocks.append(_parameter(found.parameter, style))
    blocks += [_tunable(tunable, style) for tunable in found.tunables]
    if found.reader:
        blocks.append(_reader(found.word, found.reader, style))
    if found.entry:
        blocks.append(_entry(found.entry, style))
    return "\n".join("\n".join(block) + "\n" for block in blocks)


def _reader(word: str, reader: Reader, style: Style) -> Iterable[str]:
    yield visible(f"{word} (boot word, read by {reader.program}, not by the mainline kernel)")
    yield from _told("what", reader.summary, style)
    yield from _sources(reader.sources, style)


def _history(found: Explanation, style: Style) -> Iterable[str]:
    if found.name:
        name = found.name
        yield visible(f"{name.name} ({name.kind}, no tunable of today's kernel)")
        yield from _told("history", name.history, style)
        yield from _told("today", name.today, style)
        if name.see:
            yield from _told("see", ", ".join(name.see), style)
        yield from _sources(name.sources, style)
    if found.rename:
        rename = found.rename
        what = f"became {rename.new}" if rename.new else "was removed"
        yield from _told(
            "lifecycle", f"{rename.old} {what} in {rename.since}. {rename.note}".strip(), style
        )
        yield from _sources(rename.sources, style)


def _entry(entry: CatalogueEntry, style: Style) -> Iterable[str]:
    """What kernel trees have of a symbol or parameter: what it is, where, and when."""
    kind = f"symbol, {' or '.join(entry.types)}" if entry.types else "boot parameter"
    yield visible(f"{entry.name} ({kind})")
    for label, text in _entry_facts(entry):
        if text:
            yield from _told(label, text, style)


def _entry_facts(entry: CatalogueEntry) -> Iterable[tuple[str, str]]:
    yield "kernels", "; ".join(map(_presence, entry.kernels))
    yield "on", _arches(entry.arches)
    yield "was", "; ".join(f"{what} in {_spans(spans)}" for what, spans in entry.types_before)
    if entry.prompt is Prompt.NONE:
        before = f"; with a prompt in {_spans(entry.prompt_before)}" if entry.prompt_before else ""
        yield "prompt", f"none: other symbols decide it{before}"
    elif entry.prompt is Prompt.OLD_NAME:
        yield "prompt", "none: an old name, whose value the kernel takes over"
    if choice := entry.choice:
        yield "choice", f"{', '.join(choice.members)} ({choice.arch}, {choice.kernel})"
    yield "read by", "; ".join(entry.read_by)
    yield "read in", f"{entry.trees} kernel trees, {entry.read[0]} to {entry.read[1]}"


def _presence(presence: Presence) -> str:
    """`4.19.78 to 6.8.0 (not in 4.14.177, gone in 6.9.0)`."""
    told = [f"not in {', '.join(presence.absent)}"] if presence.absent else []
    told += [f"gone in {presence.gone}"] if presence.gone else []
    span = _span(presence.span)
    return f"{span} ({', '.join(told)})" if told else span


def _span(span: Span) -> str:
    first, last = span
    return first if first == last else f"{first} to {last}"


def _spans(spans: Iterable[Span]) -> str:
    return ", ".join(map(_span, spans))


def _arches(arches: Architectures) -> str:
    """The architectures of the latest kernel that has it; of some, when they had it."""
    if not arches.missing:
        return "every architecture"
    if not arches.at_times and len(arches.missing) <= _MOST < len(arches.always):
        return f"every architecture but {', '.join(arches.missing)}"
    rows = [f"{', '.join(names)} ({_spans(spans)})" for names, spans in arches.at_times]
    if len(rows) > _MOST:
        rows[_MOST:] = [f"{len(rows) - _MOST} more rows of kernels"]
    return "; ".join(filter(None, (", ".join(arches.always), *rows)))


def _parameter(parameter: Parameter, style: Style) -> Iterable[str]:
    yield visible(f"{parameter.name}= (boot parameter, {parameter.type})")
    for label, text in _parameter_facts(parameter):
        if text:
            yield from _told(label, text, style)
    yield from _sources(parameter.sources, style)


def _parameter_facts(parameter: Parameter) -> Iterable[tuple[str, str]]:
    yield "what", parameter.summary
    yield "words", ", ".join(word or "(none)" for word, _ in parameter.words)
    yield "needs", show(parameter.needs) if parameter.needs is not None else ""
    yield "only on", ", ".join(parameter.arch)
    until = f", gone in {parameter.until}" if parameter.until else ""
    yield "kernels", f"since {parameter.since}{until}" if parameter.since else until.lstrip(", ")
    yield "status", "has no effect any more" if parameter.status else ""
    yield "today", f"renamed to {parameter.renamed}" if parameter.renamed else ""
    yield "advice", parameter.advice
    for remark in parameter.remarks:
        yield remark.kind, _remark(remark)
    yield "twice", _TWICE[parameter.duplicates]


def _remark(remark: Remark) -> str:
    """`0, deep where X: it ...`"""
    where = f"where {show(remark.when)}" if remark.when is not None else ""
    head = " ".join(filter(None, (", ".join(remark.values), where)))
    return f"{head}: {remark.says}" if head else remark.says


def _tunable(found: Described, style: Style) -> Iterable[str]:
    tunable, notes = found.tunable, found.notes
    yield visible(f"{tunable.title} [{tunable.id}]")
    facts = [*_facts(tunable, notes), ("others", found.practice)]
    facts += [_opinion(opinion, tunable) for opinion in found.opinions]
    for label, text in [*facts, ("checked", f"against Linux {notes.verified}")]:
        if text:
            yield from _told(label, text, style)
    yield from _sources(notes.sources, style)


def _facts(tunable: Tunable, notes: TunableNotes) -> Iterable[tuple[str, str]]:
    yield "what", notes.summary
    bare = [v for v in tunable.values if not (v.title or v.sets or v.boot or v.sysctl or v.sysfs)]
    for value in tunable.values:
        if value not in bare:
            yield "value", f"{value.name}: {_value(value)}"
    yield "also read", ", ".join(value.name for value in bare)
    yield "symbol", tunable.symbol
    yield "boot", tunable.parameter
    yield "run time", tunable.sysctl or tunable.sysfs
    for member in tunable.members:
        yield "member", f"{member.symbol}: {member.note}"
    yield "history", notes.history
    yield "cost", tunable.cost
    yield "not when", notes.when_not
    for effect in notes.effects:
        where = f"{effect.context} ({effect.evidence}, {effect.source})"
        yield "measured", f"{effect.numbers}: {where}"
    if not notes.effects:
        yield "measured", "not in any source these rules cite"


def _value(value: Value) -> str:
    parts = [value.title] if value.title else []
    if value.sets:
        parts.append(", ".join(assignment(symbol, text) for symbol, text in value.sets[0]))
    if value.boot:
        parts.append("boot: " + " ".join(value.boot).replace("{isolate}", "LIST"))
    parts += [f"run time: {key}={text}" for key, text in (*value.sysctl, *value.sysfs)]
    if value.cost:
        parts.append(f"cost: {value.cost}")
    return "; ".join(parts)


def _opinion(opinion: Opinion, tunable: Tunable) -> tuple[str, str]:
    advice, option = opinion
    what = f"{advice.strength.value} {advice.stance.value} {option.wanted(tunable)}"
    if advice.stance is Stance.NEUTRAL:
        what = "no opinion"
    elif advice.stance is Stance.AVOID:
        rather = f", rather {tunable.describe(option.want)}" if option.want else ""
        what = f"{advice.strength.value} avoid {tunable.describe(option.avoid)}{rather}"
    return "profile", f"{advice.profile}: {what}. {advice.why}"


def _sources(sources: Iterable[Source], style: Style) -> Iterable[str]:
    for source in sources:
        note = f" ({source.note})" if source.note else ""
        yield from _told("source", f"{source.url}{note}", style)


def _told(label: str, text: str, style: Style) -> Iterable[str]:
    """A fact behind its label, with room for the longest of them."""
    return wrapped(label, text, style, label_width=10)


def profiles(found: Iterable[Profile], style: Style) -> str:
    """All profiles, a line each."""
    lines: list[str] = []
    for profile in found:
        text = f"{profile.title}: {profile.summary}"
        lines += wrapped(profile.id, text, style, indent=0, label_width=20)
    return "\n".join(lines) + "\n"


def profile(found: Wishes, style: Style) -> str:
    """One profile: what it wants, how strongly, and why."""
    return "\n".join(_profile(found, style)) + "\n"


def _profile(found: Wishes, style: Style) -> Iterable[str]:
    yield visible(f"{found.profile.title} ({found.profile.id})")
    yield from wrapped("", found.profile.summary, style, label_width=0)
    for wish in sorted(found.wishes, key=_rank):
        advice = wish.advice
        titles = " or ".join(_asked(*option) for option in wish.options)
        label = "NEUTRAL" if advice.stance is Stance.NEUTRAL else advice.strength.value.upper()
        yield ""
        yield from wrapped(f"{label:7} {advice.stance.value}", titles, style, 0, 16)
        yield from _told("why", advice.why, style)
        if advice.cost:
            yield from _told("cost", advice.cost, style)
        yield from _sources(advice.sources[:1], style)


def _rank(wish: Wish) -> tuple[bool, int]:
    return wish.advice.stance is Stance.NEUTRAL, wish.advice.strength.rank


def _asked(option: Option, tunable: Tunable) -> str:
    return f"{tunable.title}: {option.wanted(tunable) or 'either is fine'}"


def rules(found: Iterable[Tunable], style: Style) -> str:
    """All tunables, a line each by area."""
    lines: list[str] = []
    area = ""
    for tunable in sorted(found, key=lambda t: (t.area, t.id)):
        if tunable.area != area:
            area = tunable.area
            lines += ["", area] if lines else [area]
        lines += wrapped(tunable.id, tunable.title, style, label_width=32)
    return "\n".join(lines) + "\n"


def rule(found: Described, style: Style) -> str:
    """One tunable in full."""
    return "\n".join(_tunable(found, style)) + "\n"
