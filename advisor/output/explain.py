"""What `explain`, `profiles` and `rules` print: one name, one profile, one tunable, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.model.condition import show
from advisor.model.explanation import (
    Architectures,
    Authority,
    CatalogueEntry,
    Described,
    Explanation,
    Held,
    Prompt,
    Span,
    Wishes,
)
from advisor.model.kernel import assignment
from advisor.model.parameter import Parameter
from advisor.model.profile import Profile, Stance
from advisor.model.rules import Source
from advisor.model.symptom import Suspect, Symptom
from advisor.model.tunable import Tunable, Value, worded
from advisor.output import Style, costs, phrases
from advisor.output.escape import visible
from advisor.output.text import wrapped

_MOST = 4
_RUN = "run"
# Whether a setting can be the cause of a symptom, as it is.
_GUILTY = {True: "can be the cause", None: "to check", False: "not the cause"}
_UNREAD = ", unless set at run time"
_MISSING = "not the cause, because this kernel does not have the setting"
# What a parameter given twice comes to; the last counts unless something is said.
_TWICE = {
    "last": "",
    "first": "the first one takes effect",
    "flags": "of two lists for the same purpose, only the first takes effect",
    "sized": "the first parameter after each hugepagesz= takes effect",
    "parts": "the last one takes effect; since 6.17, an attack vector is excluded if any of "
    "the parameters excludes it",
    "reserving": "of parameters with the same ending, the last takes effect",
    "accumulate": "all take effect",
}


Facts = Iterable[tuple[str, str]]
"""Labels with what is known; nothing is printed of an empty text."""


def explain(explanation: Explanation, style: Style) -> str:
    """Return all that is known of a name."""
    parts = _symptom(explanation) if explanation.symptom else _parts(explanation)
    return "\n".join(block(heading, facts, style) for heading, facts in parts)


def block(heading: str, facts: Facts, style: Style) -> str:
    """Return a heading, if there is one, and a line for each fact."""
    lines = [visible(heading)] if heading else []
    for label, text in facts:
        if text and label == _RUN:  # in one line, so that it can be copied
            lines.append(f"  {label:10}{visible(text)}")
        elif text:
            lines += wrapped(label, text, style, label_width=10)  # room for the longest label
    return "\n".join(lines) + "\n"


def _parts(known: Explanation) -> Iterator[tuple[str, Facts]]:
    """Yield each kind of knowledge, under a heading."""
    if known.name or known.rename:
        name = known.name
        no_tunable = "no tunable of today's kernel"
        yield f"{name.name} ({name.kind}, {no_tunable})" if name else "", _history(known)
    if new := known.successor:
        facts = [("lifecycle", f"{new.old} {new.became}. {new.note}".strip())]
        if "patch" not in new.kinds:
            between = f"{new.last} (the last kernel known to have {new.old}) and {new.first}"
            facts.append(("between", between))
        yield "", facts
    if parameter := known.parameter:
        heading = f"{parameter.name}= (boot parameter, {parameter.type})"
        yield heading, _parameter(parameter, known.searched)
    for one in known.tunables:
        yield f"{one.tunable.title} [{one.tunable.id}]", _tunable(one)
    if reader := known.reader:
        by = f"read by {reader.program}, not by the mainline kernel"
        facts = [("what", reader.summary), *sources(reader.sources)]
        yield f"{known.word} (boot parameter, {by})", facts
    if entry := known.entry:
        kind = f"symbol, {' or '.join(entry.types)}" if entry.types else entry.kind
        yield f"{entry.name} ({kind})", _entry(entry)
    if known.file:
        says = "Known kernels have this file, but no rule describes it."
        yield f"{known.file} (file of a running kernel)", [("what", says)]


def _symptom(known: Explanation) -> Iterator[tuple[str, Facts]]:
    """Yield a symptom, its causes with their state in a kernel if there is one, and its sources."""
    symptom = known.symptom
    assert symptom is not None
    facts = [("first", symptom.first), (_RUN, symptom.run), ("also", ", ".join(symptom.names))]
    if known.subject:
        facts.append(("here", _counted(known.suspects, known.subject)))
    yield f"{symptom.title} [{symptom.id}]", facts
    for number, one in enumerate(known.suspects, 1):
        yield f"{number}. {one.tunable.title} [{one.tunable.id}]", _suspect(one, known.subject)
    yield "", sources(symptom.sources)


def _suspect(one: Suspect, subject: str) -> Facts:
    values, tunable = one.cause.values, one.tunable
    words = [value if tunable.value(value) else tunable.describe((value,)) for value in values]
    yield "if", " or ".join(words)
    yield "seen", one.cause.tell
    yield _RUN, one.cause.run
    if one.looked_at:
        unread = _UNREAD if one.guilty is False and one.may_run_otherwise() else ""
        here = f"{_now(one, subject)}: {_GUILTY[one.guilty]}{unread}"
        yield "here", here if one.state else _MISSING


def _now(one: Suspect, subject: str) -> str:
    """Return what a suspect is set to, and by which lines: `hpet, by clocksource=hpet (…)`."""
    state = one.state
    now = state.describe(one.tunable) if state else ""
    if state is None or not now:
        return "not known"
    lines = [f"{line.text} ({phrases.at(line, subject)})" for line in state.origins]
    return f"{now}, by {' and '.join(lines)}" if lines else now


def _counted(suspects: Iterable[Suspect], subject: str) -> str:
    """Return how many suspects can be the cause in a kernel, with their numbers."""
    sure: dict[bool | None, list[str]] = {}
    for number, one in enumerate(suspects, 1):
        sure.setdefault(one.guilty, []).append(str(number))
    parts = [f"{_GUILTY[which]}: {', '.join(sure[which])}" for which in _GUILTY if which in sure]
    return f"in {subject}: {'; '.join(parts)}"


def symptoms(known: Iterable[Symptom], style: Style) -> str:
    """Return all symptoms, a line each."""
    rows = [(one.id, one.title) for one in known]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}  {title}\n" for name, title in rows)


def _history(known: Explanation) -> Facts:
    if name := known.name:
        yield "history", name.history
        yield "today", name.today
        yield "see", ", ".join(name.see)
        yield from sources(name.sources)
    if rename := known.rename:
        what = f"became {rename.new}" if rename.new else "was removed"
        yield "lifecycle", f"{rename.old} {what} in {rename.since}. {rename.note}".strip()
        yield from sources(rename.sources)


def _entry(entry: CatalogueEntry) -> Facts:
    """Yield what kernel trees have of a name: what it is, where, and when."""
    kernels = []
    for presence in entry.kernels:  # `4.19.78 to 6.8.0 (not in 4.14.177, gone in 6.9.0)`
        notes = [f"not in {', '.join(presence.absent)}"] if presence.absent else []
        notes += [f"gone in {presence.gone}"] if presence.gone else []
        kernels.append(_span(presence.span) + (f" ({', '.join(notes)})" if notes else ""))
    yield "kernels", "; ".join(kernels)
    yield "on", _arches(entry.arches)
    yield "was", "; ".join(f"{what} in {_spans(spans)}" for what, spans in entry.types_before)
    if entry.prompt is Prompt.NONE:
        before = f"; with a prompt in {_spans(entry.prompt_before)}" if entry.prompt_before else ""
        yield "prompt", f"none (other symbols set the value){before}"
    elif entry.prompt is Prompt.OLD_NAME:
        yield "prompt", "none (an old name, whose value the kernel gives to the new name)"
    if choice := entry.choice:
        yield "choice", f"{', '.join(choice.members)} ({choice.arch}, {choice.kernel})"
    yield "read by", "; ".join(entry.read_by)
    yield "takes", entry.takes
    yield "read in", f"{entry.trees} kernel trees, {entry.read[0]} to {entry.read[1]}"


def _span(span: Span) -> str:
    first, last = span
    return first if first == last else f"{first} to {last}"


def _spans(spans: Iterable[Span]) -> str:
    return ", ".join(map(_span, spans))


def _arches(arches: Architectures) -> str:
    """Return the architectures of the latest kernel that has a name, and when others had it."""
    if not arches.missing:
        return "every architecture"
    if not arches.at_times and len(arches.missing) <= _MOST < len(arches.always):
        return f"every architecture except {', '.join(arches.missing)}"
    rows = [f"{', '.join(names)} ({_spans(spans)})" for names, spans in arches.at_times]
    if len(rows) > _MOST:
        rows[_MOST:] = [f"{len(rows) - _MOST} more groups of architectures"]
    return "; ".join(filter(None, (", ".join(arches.always), *rows)))


def _parameter(parameter: Parameter, searched: tuple[str, str] | None) -> Facts:
    yield "what", parameter.summary
    yield "words", ", ".join(word or "(none)" for word, _ in parameter.words)
    yield "needs", show(parameter.only_if) if parameter.only_if is not None else ""
    yield "only on", ", ".join(parameter.arch)
    yield "not where", show(parameter.unless) if parameter.unless is not None else ""
    until = f", gone in {parameter.until}" if parameter.until else ""
    since = f"since {parameter.since}"
    if parameter.there:
        since = f"since one of the releases {parameter.since} to {parameter.there}"
    yield "kernels", f"{since}{until}" if parameter.since else until.lstrip(", ")
    yield "status", f"has no effect from {parameter.obsolete} on" if parameter.obsolete else ""
    yield "today", f"renamed to {parameter.renamed}" if parameter.renamed else ""
    yield "advice", parameter.advice
    for remark in parameter.remarks:
        where = f"where {show(remark.only_if)}" if remark.only_if is not None else ""
        head = " ".join(filter(None, (", ".join(remark.values), where)))
        yield remark.kind, f"{head}: {remark.says}" if head else remark.says
    yield "twice", _TWICE[parameter.duplicates]
    if searched:
        first, last = searched
        log = "log the parameter as unknown ('Unknown kernel command line parameters'), but use it"
        yield "log", f"kernels from {first} to {last} {log}"
    yield from sources(parameter.sources)


def _tunable(described: Described) -> Facts:
    tunable, notes = described.tunable, described.notes
    yield "what", notes.summary
    bare = [v for v in tunable.values if not (v.title or v.sets or v.boot or v.sysctl or v.sysfs)]
    for value in tunable.values:
        if value not in bare:
            yield "value", f"{value.name}: {_value(value)}"
    yield "also read", ", ".join(value.name for value in bare)
    yield "symbol", tunable.symbol
    yield "boot", tunable.parameter
    yield "run time", tunable.sysctl or tunable.sysfs
    yield "shown by", tunable.shows
    for member in tunable.members:
        yield "member", ": ".join(filter(None, (member.symbol, member.note)))
    yield "history", notes.history
    yield "cost", tunable.cost
    yield "not when", notes.when_not
    for effect in notes.effects:
        where = f"{effect.context} ({effect.evidence}, {effect.source})"
        yield "measured", f"{effect.numbers}: {where}"
    for record in notes.records:
        yield from zip(("lab", "repeat"), costs.explained(record), strict=True)
    # No number without its context, and where there is none, that is told.
    nothing = not (notes.effects or notes.records)
    yield "measured", "not in any source that these rules cite" if nothing else ""
    yield "others", described.practice
    for advice, option in described.opinions:
        what = f"{advice.strength.value} {advice.stance.value} {option.wanted(tunable)}"
        if advice.stance is Stance.NEUTRAL:
            what = "no opinion"
        elif advice.stance is Stance.AVOID:
            rather = f", rather {tunable.describe(option.want)}" if option.want else ""
            what = f"{advice.strength.value} avoid {tunable.describe(option.avoid)}{rather}"
        yield "profile", f"{advice.profile}: {what}. {worded(advice.why)}"
    yield "checked", f"against Linux {notes.verified}"
    yield from sources(notes.sources)


def _value(value: Value) -> str:
    # The row's label is the name already: `idle (no tick on idle CPUs)`.
    title = value.title.removeprefix(f"{value.name} (")
    parts = [title if title == value.title else title.removesuffix(")")] if title else []
    if value.sets:
        parts.append(", ".join(assignment(symbol, text) for symbol, text in value.sets[0]))
    if value.boot:
        ways = [" ".join(value.boot).replace("{isolate}", "LIST"), *value.boot_else]
        parts.append(f"boot: {' or '.join(ways)}")
    parts += [f"run time: {key}={text}" for key, text in value.settings]
    if value.cost:
        named = {"on": "On", "off": "Off"}.get(value.name, value.name)  # the line names it already
        parts.append(f"cost: {value.cost.removeprefix(f'{named}: ')}")
    return "; ".join(parts)


def sources(known: Iterable[Source]) -> Facts:
    """Yield the address of each source, with its note."""
    for source in known:
        yield "source", f"{source.url} ({source.note})" if source.note else source.url


def profiles(profiles: Iterable[Profile], style: Style) -> str:
    """Return all profiles, a line each."""
    lines: list[str] = []
    for profile in profiles:
        text = f"{profile.title}: {profile.summary}"
        lines += wrapped(profile.id, text, style, indent=0, label_width=20)
    return "\n".join(lines) + "\n"


def profile(known: Wishes, style: Style) -> str:
    """Return one profile: what it wants, how strongly, and why."""
    lines = [visible(f"{known.profile.title} ({known.profile.id})")]
    lines += wrapped("", known.profile.summary, style, label_width=0)
    by_strength = sorted(known.wishes, key=lambda wish: wish.advice.strength.rank)
    for wish in sorted(by_strength, key=lambda wish: wish.advice.stance is Stance.NEUTRAL):
        advice = wish.advice
        wanted = ((tunable.title, option.wanted(tunable)) for option, tunable in wish.options)
        titles = " or ".join(f"{title}: {text or 'the choice is yours'}" for title, text in wanted)
        label = "NEUTRAL" if advice.stance is Stance.NEUTRAL else advice.strength.value.upper()
        # The titles tell what is wanted, also of what is to be avoided.
        stance = Stance.WANT if advice.stance is Stance.AVOID else advice.stance
        neutral = stance is Stance.NEUTRAL
        lines += (
            "",
            *wrapped(label if neutral else f"{label:7} {stance.value}", titles, style, 0, 16),
        )
        needing = ", ".join(one.called for one in advice.needed_by)
        facts = [
            ("why", worded(advice.why)), ("needed by", needing),
            ("harms", advice.otherwise), ("others", advice.practice),
            ("cost", advice.cost),
            *sources(advice.sources[:1]),
        ]  # fmt: skip
        lines.append(block("", facts, style).rstrip("\n"))
    return "\n".join(lines) + "\n"


# What a profile says to an ask, in words.
_SAYS = {
    "neutral": "depends",
    "names": "weighs it",
    "left": "leaves it out",
    "void": "void",
    "follows": "follows",
    "open": "says nothing",
}


def authorities(
    profile: Profile, held: Iterable[tuple[Authority, Iterable[Held]]], style: Style
) -> str:
    """Return what each authority of a profile asks for, and how the profile follows it."""
    lines = [visible(f"{profile.title} ({profile.id})")]
    for authority, asks in held:
        lines += ["", visible(authority.title), authority.source.url]
        for one in asks:
            ask, by = one.ask.partition(" ")[2], f" [{one.advice.id}]" if one.advice else ""
            lines += wrapped(_SAYS.get(one.says, one.says), f"{ask}{by}", style, 2, 15)
            if one.says in ("neutral", "differs", "left", "void"):
                why = one.because or (one.advice.why if one.advice else "")
                lines += wrapped("", why.strip(), style, 2, 15)
    if len(lines) == 1:
        lines += ["", "No authority is listed for this profile."]
    return "\n".join(lines) + "\n"


def rules(tunables: Iterable[Tunable], style: Style) -> str:
    """Return all tunables, a line each by area."""
    lines: list[str] = []
    area = ""
    for tunable in sorted(tunables, key=lambda t: (t.area, t.id)):
        if tunable.area != area:
            area = tunable.area
            lines += ["", area] if lines else [area]
        lines += wrapped(tunable.id, tunable.title, style, label_width=32)
    return "\n".join(lines) + "\n"


def rule(described: Described, style: Style) -> str:
    """Return one tunable in full."""
    tunable = described.tunable
    return block(f"{tunable.title} [{tunable.id}]", _tunable(described), style)
