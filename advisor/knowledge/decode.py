"""Compiled documents (load.py) to the model's types."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from advisor.model.component import Component, Place
from advisor.model.evidence import Candidate, Evidence
from advisor.model.parameter import Parameter, Reader, Remark
from advisor.model.profile import Advice, Needing, Option, Profile, Stance, Strength
from advisor.model.rules import Fact, Name, Protection, Rename, Source
from advisor.model.tunable import (
    Default,
    Interpretation,
    Measurement,
    Member,
    Tunable,
    TunableNotes,
    Unnamed,
    Value,
)

if TYPE_CHECKING:
    from advisor.model.software import Function, Program
    from advisor.model.symptom import Symptom

Document = dict[str, Any]
NOTES_KEYS = frozenset(
    ("summary", "history", "when_not", "names", "verified", "since", "source", "effects")
)
"""What of a tunable's document are its notes."""
RECORD = "record "
"""How the lines of effects begin that name a record of the lab."""
_WISHES = ("want", "accept", "avoid")


def tunable(document: Document) -> Tunable:
    """A tunable from its compiled document, whether its notes are still in that or not."""
    fields = {key: part for key, part in document.items() if key not in NOTES_KEYS}
    fields["values"] = tuple(map(_value, fields.pop("value", ())))
    fields["members"] = tuple(
        Member(**_shows(_fields(member, "boot_on", "boot_off", "kept")))
        for member in fields.pop("member", ())
    )
    fields["interpret"] = tuple(
        Interpretation(**_fields(cause, "names")) for cause in fields.get("interpret", ())
    )
    fields["choice"] = tuple(fields.get("choice", ()))
    default = fields.get("default", "")
    if isinstance(default, dict):
        fields["default"] = next((value for value, when in default.items() if when is None), "")
        known = ((value, when) for value, when in default.items() if when is not None)
        fields["defaults"] = tuple(Default(value, when) for value, when in known)
    parameters = fields.get("parameter", "")
    if not isinstance(parameters, str):
        fields["parameter"], fields["flag"] = parameters
    fields["unnamed"] = tuple(
        Unnamed(tuple(one["of"]), tuple(one["gives"].items()), one.get("only_if"))
        for one in fields.get("unnamed", ())
    )
    return Tunable(**fields)


def notes(document: Document) -> TunableNotes:
    """A tunable's notes from those parts of its document."""
    fields = _sourced(document, "names")
    lines = (line for line in fields.get("effects", ()) if not line.startswith(RECORD))
    fields["effects"] = tuple(map(_measurement, lines))
    return TunableNotes(**fields)


def _measurement(line: str) -> Measurement:
    """A quoted effect: EVIDENCE ADDRESS | CONTEXT | NUMBERS."""
    head, context, numbers = line.split(" | ", 2)
    evidence, _, source = head.partition(" ")
    return Measurement(numbers, context, evidence, source)


def _fields(document: Document, *lists: str) -> Document:
    """The fields of a record: these lists as tuples, empty ones where the document has none."""
    return {**document, **{key: tuple(document.get(key, ())) for key in lists}}


def _sourced(document: Document, *lists: str) -> Document:
    """Likewise, of a record with sources."""
    fields = _fields(document, *lists)
    fields["sources"] = tuple(Source(**source) for source in fields.pop("source", ()))
    return fields


def _remarked(fields: Document) -> Document:
    """The fields of a record with its remarks."""
    remarks = fields.pop("remark", ())
    return {**fields, "remarks": tuple(Remark(**_fields(one, "values")) for one in remarks)}


def _value(document: Document) -> Value:
    fields = _fields(document, "boot", "boot_else")
    sets = fields.pop("set", [])
    # One table, or several as alternatives.
    fields["sets"] = tuple(tuple(s.items()) for s in ([sets] if isinstance(sets, dict) else sets))
    fields["reads"] = tuple(map(tuple, fields.get("reads", ())))
    fields["sysfs"] = tuple(fields.get("sysfs", {}).items())
    # One text, or the one that is written with those that mean as much.
    forms = {
        key: (texts,) if isinstance(texts, str) else tuple(texts)
        for key, texts in fields.get("sysctl", {}).items()
    }
    fields["sysctl"] = tuple((key, texts[0]) for key, texts in forms.items())
    fields["texts"] = tuple((key, texts[1:]) for key, texts in forms.items() if texts[1:])
    return Value(**_shows(fields))


def _shows(fields: Document) -> Document:
    shows = fields.get("shows", {}).items()
    return {**fields, "shows": tuple((path, tuple(texts)) for path, texts in shows)}


def program(document: Document) -> Program:
    """A program from its compiled document."""
    from advisor.model.software import Program, Unasked

    fields = _sourced(document, "names")
    fields["functions"] = tuple(map(_function, fields.pop("function")))
    fields["unasked"] = tuple(
        Unasked(**{**one, **_kind(one["kind"]), "names": tuple(one["names"].split())})
        for one in fields.pop("unasked", ())
    )
    return Program(**fields)


def _kind(text: str) -> Document:
    """`obsolete 5.1`: the kind, and the kernel from which on it is so."""
    kind, _, after = text.partition(" ")
    return {"kind": kind, "after": after}


def _function(document: Document) -> Function:
    from advisor.model.software import Function, Part

    fields = _sourced(document, "arch")
    needs = fields.pop("needs", None)
    parts = needs if isinstance(needs, dict) else {"": needs}
    fields["parts"] = tuple(Part(name, expr) for name, expr in parts.items())
    ((fields["instead"], fields["instead_needs"]),) = _conditional(
        names if isinstance(names := fields.get("instead", ""), dict) else [names]
    ).items()
    return Function(**fields)


def parameter(document: Document) -> Parameter:
    """A boot parameter from its compiled document."""
    fields = _sourced(document, "arch")
    # Each with the condition under which the kernel takes it.
    fields["words"] = tuple(_conditional(fields.get("words", ())).items())
    if isinstance(guards := fields.get("guards"), list):  # a condition
        fields |= {"guards": True, "guards_if": guards}
    if fields["type"] == "cpulist":
        from advisor.knowledge.cpulists import RULES

        fields["list"] = RULES.get(fields["name"])
    fields["since"], _, fields["there"] = fields.get("since", "").partition("..")
    return Parameter(**_remarked(fields))


def _conditional(names: Any) -> Document:
    """Names with their conditions, as a table or a list of those that need none."""
    return dict(names) if isinstance(names, dict) else dict.fromkeys(names)


def profile(
    document: Document, inherited: tuple[Advice, ...], function: Callable[[str], Document]
) -> Profile:
    """A profile with what it inherits, but for what it replaces by the same id or leaves out. The
    documents of programs' functions are asked by their names."""
    own = tuple(_advice(advice, document["id"], function) for advice in document["advice"])
    own = tuple(one._replace(purpose=one.purpose or _is_required(one, document)) for one in own)
    replaced = {*(advice.id for advice in own), *document.get("without", ())}
    # What is inherited counts as this profile's own, so that waivers name the profile in use.
    kept = tuple(a._replace(profile=document["id"]) for a in inherited if a.id not in replaced)
    extends = tuple(document.get("extends", ()))
    return Profile(document["id"], document["title"], document["summary"], kept + own, extends)


def candidate(document: Document) -> Candidate:
    """A profile with what speaks for it, from what of its document is about that."""
    lists = ("units", "processes", "traits", "unless")
    return Candidate(
        profile=document["profile"],
        title=document["title"],
        evidence=tuple(Evidence(**_fields(one, *lists)) for one in document["evidence"]),
        extends=tuple(document["extends"]),
        neutral=document.get("role") == "fallback",
    )


def _is_required(advice: Advice, profile: Document) -> bool:
    """Return whether a program does not start without what the advice asks for: hardening that
    forbids it cannot make it optional."""
    is_program = profile.get("role") == "product" or any(one.is_start for one in advice.needed_by)
    return is_program and advice.strength is Strength.MUST


def _advice(document: Document, profile_id: str, function: Callable[[str], Document]) -> Advice:
    """A piece of advice, which names one tunable itself, or several in `any_of`."""
    if "needed_by" in document:
        document = _told(document, {name: function(name) for name in document["needed_by"]})
    fields = _sourced(document, "disks", "needed_by")
    several = fields.pop("any_of", ())
    fields["options"] = tuple(
        Option(
            option["tunable"],
            **{key: tuple(option.get(key, ())) for key in _WISHES},
            unless=option.get("unless") if several else None,  # else it is the advice's own
        )
        for option in several or [fields]
    )
    for key in ("tunable", *_WISHES):
        fields.pop(key, None)
    fields["stance"], fields["strength"] = Stance(fields["stance"]), Strength(fields["strength"])
    return Advice(profile=profile_id, **fields)


def _told(document: Document, functions: dict[str, Document]) -> Document:
    """The document of an advice with what the functions of programs that need it tell: why, what
    goes wrong otherwise, and who says so."""
    needing = [Needing(*_needing(name, one)) for name, one in functions.items()]
    told = {
        "why": next(iter(functions.values()))["why"],
        "otherwise": _otherwise(needing),
        "source": [source for one in functions.values() for source in one["source"]],
    }
    if document["stance"] == Stance.NEUTRAL.value:
        del told["otherwise"]  # nothing goes wrong without it
    own = {key: part for key, part in document.items() if part}
    return {**told, **own, "needed_by": needing}


def _needing(name: str, function: Document) -> tuple[str, str, str, bool, str]:
    program, _, identity = name.partition("/")
    last = function.get("versions", "").rpartition("..")[2]
    return program, identity, function["title"], function.get("kind") == "start", last


def _otherwise(needing: list[Needing]) -> str:
    """What goes wrong without what these functions need."""
    starts = ", ".join(dict.fromkeys(one.called for one in needing if one.is_start))
    rest = ", ".join(f"{one.program} ({one.title})" for one in needing if not one.is_start)
    told = [f"Programs that do not start: {starts}."] if starts else []
    return " ".join((*told, *([f"Functions that do not work: {rest}."] if rest else ())))


def name(document: Document) -> Name:
    """A name that is no setting, from its compiled document."""
    fields = _sourced(document, "see")
    return Name(**{**fields, "decides": tuple(document.get("decides", {}).items())})


def rename(document: Document) -> Rename:
    """A symbol's rename or removal, from its compiled document."""
    return Rename(**_sourced(document))


def reader(document: Document) -> Reader:
    """A program that reads the boot line, from its compiled document."""
    return Reader(**_remarked(_sourced(document, "names", "prefixes")))


def component(document: Document) -> Component:
    """A kind of thing that values name, from its compiled document."""
    fields = _sourced(document, "symbols")
    fields["places"] = tuple(_place(**place) for place in fields.pop("place"))
    return Component(**fields)


def _place(of: str, **rest: Any) -> Place:
    layer, _, name = of.partition(" ")
    return Place(layer, name, **rest)


def protection(document: Document) -> Protection:
    """A matter of hardening, from its compiled document; what it lists is looked up by name."""
    fields = _sourced({key: document[key] for key in ("id", "why", "source")})
    return Protection(by=document.get("by", ""), **fields)


def symptom(document: Document) -> Symptom:
    """A symptom with its causes, from its compiled document."""
    from advisor.model.symptom import Cause, Symptom

    fields = _sourced(document, "names")
    fields["causes"] = tuple(Cause(**_fields(one, "values")) for one in fields.pop("cause"))
    return Symptom(**fields)


def fact(document: Document) -> Fact:
    """A fact of the kernel, from its compiled document."""
    return Fact(**_sourced(document, "names"))
