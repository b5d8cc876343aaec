"""What `explain`, `profiles` and `rules` print: one name, one profile, one tunable, in words."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.errors import UsageError, near
from advisor.knowledge.lookup import Found, bare, lookup
from advisor.knowledge.store import Knowledge
from advisor.model.condition import show
from advisor.model.kernel import assignment
from advisor.model.rules import (
    Advice,
    Option,
    Parameter,
    Profile,
    Remark,
    Source,
    Stance,
    Tunable,
    Value,
)
from advisor.output import Style
from advisor.output.escape import visible
from advisor.output.text import wrapped

# What a parameter given twice comes to; the last counts unless something is said.
_TWICE = {
    "last": "",
    "first": "the first counts",
    "flags": "of two lists for the same purpose the first counts",
    "accumulate": "all count",
}


def explain(query: str, knowledge: Knowledge, style: Style) -> str:
    """All that is known of a name. Raises UsageError with near matches for an unknown one."""
    try:
        found = lookup(query, knowledge)
    except UsageError as error:
        tried = (_seen, query), (_read, query), (_parsed, query), (_seen, query.upper())
        if seen := next(filter(None, (told(name, knowledge, style) for told, name in tried)), None):
            return "\n".join(seen) + "\n"
        from advisor.output import existence

        catalogues = knowledge.catalogue, knowledge.parameter_catalogue
        raise existence.unknown(bare(query), *catalogues, error) from None
    blocks = [_history(found, style)] if found.name or found.rename else []
    if found.parameter:
        blocks.append(_parameter(found.parameter, style))
    exact = [t for t in found.tunables if t.id == found.query] or found.tunables
    blocks += [_tunable(tunable, knowledge, style) for tunable in exact]
    if found.rename or not found.tunables:
        blocks += [seen] if (seen := _seen(query, knowledge, style)) else []
    return "\n".join("\n".join(block) + "\n" for block in map(list, blocks))


def _seen(query: str, knowledge: Knowledge, style: Style) -> list[str]:
    """What the catalogue has of a symbol that is no rule's; nothing if no kernel read has it."""
    from advisor.output import existence

    seen = knowledge.catalogue.seen(bare(query))
    return list(existence.symbol(seen, knowledge.catalogue, style)) if seen else []


def _read(query: str, knowledge: Knowledge, style: Style) -> list[str]:
    """Which program of user space reads the boot word; nothing if none is known."""
    word = bare(query).replace("-", "_")
    reader = knowledge.reader(word)
    if reader is None:
        return []
    lines = [visible(f"{word} (boot word, read by {reader.program}, not by the mainline kernel)")]
    return [*lines, *_told("what", reader.summary, style), *_sources(reader.sources, style)]


def _parsed(query: str, knowledge: Knowledge, style: Style) -> list[str]:
    """What the catalogue has of a boot parameter; nothing if no kernel read has it."""
    from advisor.output import existence

    seen = knowledge.parameter_catalogue.seen(bare(query))
    return list(existence.parameter(seen, knowledge.parameter_catalogue, style)) if seen else []


def _history(found: Found, style: Style) -> Iterable[str]:
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


def _tunable(tunable: Tunable, knowledge: Knowledge, style: Style) -> Iterable[str]:
    yield visible(f"{tunable.title} [{tunable.id}]")
    opinions = [
        (advice, option)
        for profile in knowledge.ids("profiles")
        for advice in knowledge.profile(profile).advice
        for option in advice.options
        if option.tunable == tunable.id
    ]
    practice = knowledge.practice.told(tunable.id, None)
    facts = [*_facts(tunable), ("others", practice)]
    facts += [_opinion(*opinion, tunable) for opinion in opinions]
    for label, text in [*facts, ("checked", f"against Linux {tunable.verified}")]:
        if text:
            yield from _told(label, text, style)
    yield from _sources(tunable.sources, style)


def _facts(tunable: Tunable) -> Iterable[tuple[str, str]]:
    yield "what", tunable.summary
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
    yield "history", tunable.history
    yield "cost", tunable.cost
    yield "not when", tunable.when_not
    for effect in tunable.effects:
        where = f"{effect.context} ({effect.evidence}, {effect.source})"
        yield "measured", f"{effect.numbers}: {where}"
    if not tunable.effects:
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


def _opinion(advice: Advice, option: Option, tunable: Tunable) -> tuple[str, str]:
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


def profiles(name: str, knowledge: Knowledge, style: Style) -> str:
    """All profiles, a line each; or one: what it wants, how strongly, and why."""
    if name:
        return "\n".join(_profile(knowledge.profile(name), knowledge, style)) + "\n"
    lines: list[str] = []
    for found in map(knowledge.profile, knowledge.ids("profiles")):
        lines += wrapped(
            found.id, f"{found.title}: {found.summary}", style, indent=0, label_width=20
        )
    return "\n".join(lines) + "\n"


def _profile(profile: Profile, knowledge: Knowledge, style: Style) -> Iterable[str]:
    yield visible(f"{profile.title} ({profile.id})")
    yield from wrapped("", profile.summary, style, label_width=0)
    ranked = sorted(profile.advice, key=lambda a: (a.stance is Stance.NEUTRAL, a.strength.rank))
    for advice in ranked:
        titles = " or ".join(_asked(option, knowledge) for option in advice.options)
        label = "NEUTRAL" if advice.stance is Stance.NEUTRAL else advice.strength.value.upper()
        yield ""
        yield from wrapped(f"{label:7} {advice.stance.value}", titles, style, 0, 16)
        yield from _told("why", advice.why, style)
        if advice.cost:
            yield from _told("cost", advice.cost, style)
        yield from _sources(advice.sources[:1], style)


def _asked(option: Option, knowledge: Knowledge) -> str:
    tunable = knowledge.tunable(option.tunable)
    return f"{tunable.title}: {option.wanted(tunable) or 'either is fine'}"


def rules(name: str, knowledge: Knowledge, style: Style) -> str:
    """All tunables, a line each by area; or one in full. Raises UsageError for an unknown one."""
    if name:
        if name not in knowledge.ids("tunables"):
            hint = near(name, knowledge.ids("tunables")) or "see: kernel-advisor rules"
            raise UsageError(f"there is no rule {name!r}", where="rules show", hint=hint)
        return "\n".join(_tunable(knowledge.described(name), knowledge, style)) + "\n"
    lines: list[str] = []
    area = ""
    for tunable in sorted(knowledge.tunables(), key=lambda t: (t.area, t.id)):
        if tunable.area != area:
            area = tunable.area
            lines += ["", area] if lines else [area]
        lines += wrapped(tunable.id, tunable.title, style, label_width=32)
    return "\n".join(lines) + "\n"
