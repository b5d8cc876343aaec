"""Compiled documents (load.py) to the model's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.model.rules import (
    Advice,
    Interpretation,
    Limit,
    ListRules,
    Measurement,
    Member,
    Name,
    Option,
    Parameter,
    Profile,
    Reader,
    Remark,
    Rename,
    Source,
    Stance,
    Strength,
    Tunable,
    TunableNotes,
    Value,
)

if TYPE_CHECKING:
    from advisor.model.tree import Assignment

Document = dict[str, Any]
NOTES_KEYS = frozenset(
    ("summary", "history", "when_not", "names", "verified", "since", "until", "source", "effect")
)
"""What of a tunable's document are its notes."""


def tunable(document: Document) -> Tunable:
    """A tunable from its compiled document, whether its notes are still in that or not."""
    fields = {key: part for key, part in document.items() if key not in NOTES_KEYS}
    fields["values"] = tuple(map(_value, fields.pop("value", ())))
    fields["members"] = tuple(map(_member, fields.pop("member", ())))
    fields["interpret"] = tuple(
        Interpretation(tuple(i.get("names", ())), i["target"], i["when"], i["why"])
        for i in fields.get("interpret", ())
    )
    fields["choice"] = tuple(fields.get("choice", ()))
    return Tunable(**fields)


def notes(document: Document) -> TunableNotes:
    """A tunable's notes from those parts of its document."""
    fields = {**document, "names": tuple(document.get("names", ()))}
    fields["sources"] = _sources(fields.pop("source", ()))
    fields["effects"] = tuple(Measurement(**e) for e in fields.pop("effect", ()))
    return TunableNotes(**fields)


def _value(document: Document) -> Value:
    fields = dict(document)
    sets = fields.pop("set", [])
    fields["sets"] = tuple(_pairs(s) for s in ([sets] if isinstance(sets, dict) else sets))
    for key in ("sysctl", "sysfs"):
        if key in fields:
            fields[key] = _pairs(fields[key])
    if "boot" in fields:
        fields["boot"] = tuple(fields["boot"])
    if "reads" in fields:
        fields["reads"] = tuple(map(tuple, fields["reads"]))
    return Value(**fields)


def _member(document: Document) -> Member:
    fields = dict(document)
    for key in ("boot_on", "boot_off"):
        fields[key] = tuple(fields.get(key, ()))
    return Member(**fields)


def _pairs(table: dict[str, str]) -> tuple[Assignment, ...]:
    return tuple(table.items())


def _sources(documents: Any) -> tuple[Source, ...]:
    return tuple(Source(**document) for document in documents)


def parameter(document: Document) -> Parameter:
    """A boot parameter from its compiled document."""
    fields = dict(document)
    fields["words"] = tuple(
        (word, None) if isinstance(word, str) else (word["word"], word["when"])
        for word in fields.get("words", ())
    )
    for key in ("arch", "anew"):
        fields[key] = tuple(fields.get(key, ()))
    if rules := fields.get("list"):
        tuples = {key: tuple(rules.get(key, ())) for key in ("flags", "default")}
        fields["list"] = ListRules(**{**rules, **tuples})
    fields["remarks"] = tuple(
        Remark(**{**remark, "values": tuple(remark.get("values", ()))})
        for remark in fields.pop("remark", ())
    )
    fields["sources"] = _sources(fields.pop("source", ()))
    return Parameter(**fields)


def profile(document: Document, inherited: tuple[Advice, ...] = ()) -> Profile:
    """A profile with what it inherits; advice of the same id replaces the inherited one."""
    own = tuple(_advice(advice, document["id"]) for advice in document["advice"])
    replaced = {advice.id for advice in own}
    kept = tuple(a._replace(profile=document["id"]) for a in inherited if a.id not in replaced)
    extends = tuple(document.get("extends", ()))
    return Profile(document["id"], document["title"], document["summary"], kept + own, extends)


def _advice(document: Document, profile_id: str) -> Advice:
    options = document.get("any_of") or [document]
    return Advice(
        id=document["id"],
        profile=profile_id,
        stance=Stance(document["stance"]),
        strength=Strength(document["strength"]),
        options=tuple(_option(option) for option in options),
        why=document["why"],
        when=document.get("when"),
        unless=document.get("unless"),
        ask=document.get("ask", ""),
        cost=document.get("cost", ""),
        sources=_sources(document.get("source", ())),
    )


def _option(document: Document) -> Option:
    return Option(
        document["tunable"],
        tuple(document.get("want", ())),
        tuple(document.get("accept", ())),
        tuple(document.get("avoid", ())),
    )


def name(document: Document) -> Name:
    """A name that is no setting, from its compiled document."""
    fields = {**document, "see": tuple(document.get("see", ()))}
    fields["sources"] = _sources(fields.pop("source", ()))
    return Name(**fields)


def rename(document: Document) -> Rename:
    """A symbol's rename or removal, from its compiled document."""
    fields = dict(document)
    fields["sources"] = _sources(fields.pop("source", ()))
    return Rename(**fields)


def limit(document: Document) -> Limit:
    """The length of a boot line on an architecture, from its compiled document."""
    fields = dict(document)
    fields["sources"] = _sources(fields.pop("source", ()))
    return Limit(**fields)


def reader(document: Document) -> Reader:
    """A program that reads the boot line, from its compiled document."""
    fields = dict(document)
    for key in ("names", "prefixes"):
        fields[key] = tuple(fields.get(key, ()))
    fields["sources"] = _sources(fields.pop("source", ()))
    return Reader(**fields)
