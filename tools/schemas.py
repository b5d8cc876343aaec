"""Writes the schemas of all JSON outputs (advisor/output/schemas) from the tables of the encoders:
`make schemas`. Those of rules (advisor/knowledge/tables) get the same layout.

A field has the type of its annotation, or that of the function that makes it. DETAILS has what no
annotation tells: descriptions, bounds, texts of a few words, and the types of lambdas.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from advisor import model
from advisor.model.comparison import Comparison, Shift
from advisor.model.finding import Verdict
from advisor.model.kernel import Severity
from advisor.model.like import Likeness
from advisor.model.lines import ChangedLine
from advisor.model.measured import Ledger, Measured
from advisor.model.plan import File
from advisor.model.profile import Strength
from advisor.model.report import Report
from advisor.model.review import Review
from advisor.model.screen import Screen
from advisor.model.software import Abilities
from advisor.model.summary import Effort
from advisor.model.verify import Verified
from advisor.output import (
    abilityjson,
    diffjson,
    encoding,
    ledgerjson,
    likejson,
    planjson,
    review,
    screenjson,
    verifyjson,
)  # fmt: skip
from advisor.output import json as reportjson

FOLDER = Path(__file__).resolve().parents[1] / "advisor" / "output" / "schemas"
OF_RULES = FOLDER.parents[1] / "knowledge" / "tables"
WIDTH = 100
Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FROM_1: Schema = {"type": "integer", "minimum": 1}
FLAG: Schema = {"type": "boolean"}
OPTIONAL: Schema = {"optional": True}
"""Marks a field that documents have had since some time only, so that older ones still hold."""


def words(*names: Any) -> Schema:
    """A text that is one of these; of a member of an Enum its value."""
    return {"enum": [*dict.fromkeys(getattr(name, "value", name) for name in names)]}


def many(item: Schema, **more: Any) -> Schema:
    """An array."""
    return {"type": "array", **more, "items": item}


def fields(optional: Iterable[str] = (), /, **types: Any) -> Schema:
    """An object with these fields and no other."""
    required = [name for name in types if name not in optional]
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": types, **needed, "additionalProperties": False}


def counts(names: Iterable[str]) -> Schema:
    """An object with a number for each name."""
    return fields(**dict.fromkeys(names, COUNT))


def nullable(schema: Schema) -> Schema:
    """The schema, or null."""
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if "type" in schema:
        known = schema["type"]
        return {**schema, "type": [known, "null"] if isinstance(known, str) else known}
    return {"oneOf": [schema, {"type": "null"}]}


PROOF = words("database", "model", "kbuild")
TOTAL = nullable(fields(without={"type": "number"}, difference={"type": "number"}))

DOCUMENTS: dict[str, tuple[str, encoding.Shapes, str, type]] = {
    "can": ("What kernels can run, by kernel-advisor", abilityjson._SHAPES, "kernels", Abilities),
    "costs": (
        "What was measured of configurations, by kernel-advisor", ledgerjson.SHAPES, "ledgers",
        Ledger,
    ),
    "diff": (
        "Comparisons of kernel-advisor", {**ledgerjson.SHAPES, **diffjson.SHAPES}, "", Comparison,
    ),
    "like": ("Tunings tried on kernels", likejson._SHAPES, "tunings", Likeness),
    "machine": ("Machines at a glance", screenjson.SHAPES, "machines", Screen),
    "plan": ("Plans for machines", planjson.SHAPES, "plans", Report),
    "report": (
        "Reports of kernel-advisor", {**ledgerjson.SHAPES, **reportjson.SHAPES}, "reports", Report,
    ),
    "review": ("A review by kernel-advisor", review.SHAPES, "", Review),
    "verify": ("Plans held against hosts", verifyjson._SHAPES, "verified", Verified),
}  # fmt: skip
"""Each document: its title, the table of its encoder, and the array of records of that type; where
the array has no name a single record has its fields beside the document's own."""

DETAILS: dict[str, Any] = {
    "Location.line": FROM_1,
    "Location.column": FROM_1,
    "like:Location.line": COUNT,
    "Machine.shared_memory": OPTIONAL,
    "Source.kernel": str | None,
    "Source.url": {"pattern": "^https://"},
    "can:Source.url": str,
    "Setting.layer": words("sysctl", "sysfs", "debugfs"),

    "Report.subject.inferred": fields(
        ["vendor_by"], **dict.fromkeys(("arch_by", "newer_than", "older_than"), nullable(TEXT)),
        vendor_by=TEXT,
    ),
    "Report.proof": PROOF,
    "Report.summary.change": counts(one.value for one in Strength),
    "Report.summary.verdicts": counts(one.in_v1 for one in Verdict),
    "Report.summary.diagnostics": counts(one.value for one in Severity),
    "Report.costs": (Ledger, "What was measured of all that is on, where that was asked for "
        "(--costs); the same as in costs.schema.json."),
    "Report.sizes": "sizes that only the site knows",
    "Report.in_use": (dict[str, str], "what a host that runs has in use: swap, control groups, "
        "huge pages, drivers"),
    "Report.built_in": ({"minLength": 1}, "the line in the configuration, where the kernel reads "
        "it beside the boot loader's or instead of it"),
    "Finding.fingerprint": {"pattern": "^[0-9a-f]{32}$"},
    "Finding.covered_by": "The id of the finding whose change settles this one as well. The "
        "verdict is then not-applicable.",
    "Finding.stance": words("want", "avoid", "keep"),
    "Finding.practice": str,
    "Finding.package": "a package of the kernel's distribution, whose kernel is as wanted",
    "Finding.needed_by": (list[str], "The requirements that are not met for want of this."),
    "Finding.uncapped": words("must", "should"),
    "like:Finding.strength": words("must", "should"),
    "State.on": list[reportjson._Member],
    "State.off": list[reportjson._Member],
    "State.instances": many(fields(["kind"], value=TEXT, kind=TEXT, count=FROM_1), minItems=2),
    "Way.text": str,
    "Way.needs": list[str],
    "Way.takes_away": list[str],
    "Way.loses": many(fields(symbol=TEXT, why=TEXT)),
    "Diagnostic.fingerprint": {"pattern": "^[0-9a-f]{32}$"},
    "Conflict.sides": list[reportjson._Side],
    "TreeUse.assumed": many(fields(subject=TEXT, value=TEXT, source=TEXT)),
    "Size.now": str,
    "Size.computed_from": dict[str, str],

    "Ledger.accounts": "One for each kernel that was measured, the nearest first.",
    "Account.open": "What the inputs do not tell of: seen from having it.",
    "Account.apart": "What does not carry over to this kernel: `note` says why.",
    "Account.sums": "Of the paid charges, by window, where there are several: one of each tunable.",
    "Account.sums_checked": "Records of several of the paid settings at once: how far such sums "
        "are right.",
    "Sum.takes": "An operation on that kernel as it is.",
    "Charge.here": "What the configuration has, in words.",
    "Charge.other": "What that was held against.",
    "Charge.protects": "Whether it is protection that is bought.",
    "Charge.note": "What belongs to the figures, or why they say nothing here.",
    "Measured.name": "The record: KERNEL/TUNABLE=VALUE.",
    "Measured.member": "Of a group: the member; else empty.",
    "Measured.none": "Windows without effect.",
    "Measured.boot": TOTAL,
    "Measured.memory": "kB that the kernel takes more.",
    "Measured.size": (TOTAL, "Bytes of the kernel's sections (text, data, bss) without, and more; "
        "of a kernel that was built."),
    "Measured.repeat": "The command that measures it again.",
    "Window.without": "Kernel instructions of an operation with `other`.",
    "Window.difference": "How many more with `here`.",
    "Window.spread": "What seeds differ by.",

    "Comparison.profiles": many(fields(
        id=TEXT,
        status=words(
            "worse", "mixed", "worse, but waived", "improves", "more to do", "unclear", "no better",
            "as good as before", "unchanged",
        ),
        line=TEXT, **dict.fromkeys(("worse", "open", "better", "unsure", "still", "fine"), COUNT),
        waived={"description": "Advice that would count among the worse or open, were it not "
            "waived.", **COUNT},
    )),
    "Comparison.proof": PROOF,
    "Comparison.advice": list[Shift],
    "Comparison.words": many(fields(word=TEXT, added=FLAG)),
    "Comparison.run_time": many(fields(setting=TEXT, added=FLAG)),
    "Comparison.hidden": COUNT,
    "Movement.drift": words("worse", "mixed", "open", "better", "moved"),
    "Movement.was": str,
    "Movement.now": str,
    "Movement.members": many(fields(symbol=TEXT, on=FLAG)),
    "Movement.measured": (list[Measured], "The lab's records of the move: what the new setting "
        "takes more."),
    "Shift.remedies": list[reportjson._Way],
    "ChangedLine.line": COUNT,
    "ChangedLine.instead": list[str] | None,
    "DeviceIds.bus": words("pci", "usb", "acpi", "of"),

    "plan:Report.digest": {"pattern": "^[0-9a-f]{16}$"},
    "plan:Report.files": (dict[str, str], {"propertyNames": words(*File)}),
    "plan:Report.optional": COUNT,
    "Item.now": str | None,
    "Item.grounds": dict[str, str],
    "Item.in_force": (OPTIONAL, "Whether an earlier plan's files have it, and it holds."),
    "Kept.file": words("sysctl.d", "tmpfiles.d", "udev", "modprobe.d"),
    "Log.path": str,
    "Log.lines": COUNT,
    "CheckedItem.strength": words(*Strength),

    "Review.trusts_head": (OPTIONAL, "Whether the change's own settings decided (--trust-head)."),
    "Review.policy": (OPTIONAL, "What the change does to what it is judged by."),
    "SettingsChange.digest": "What stands for exactly this change, for --accept-policy.",
    "SettingsChange.own": (words("passes", "fails", "cannot be read"), "What the change comes to "
        "by its own settings."),
    "SettingsChange.items": (many({"type": "object"}), "Diagnostics as in "
        "kernel-advisor/report/v1: policy-weaker, policy-changed."),
    "SettingsChange.more": "How many items are not told.",
    "Entry.status": words("added", "deleted", "changed", "renamed"),
    "Entry.kind": words("configuration", "fragment", "boot line", "settings", "sysctl file"),
    "Entry.problem": str | None,
    "Entry.lines": list[ChangedLine],
    "Entry.report": (nullable({"type": "object"}), "That on the new side: an item of `reports` in "
        "kernel-advisor/report/v1."),
    "Entry.comparison": (nullable({"type": "object"}), "Where the file is on both sides: as in "
        "kernel-advisor/diff/v1."),
    "Edit.line": FROM_1,

    "Screen.fits": list[screenjson._Fit],
    "Screen.traits": many(fields(trait=TEXT, text=TEXT)),
    "Screen.efforts": (
        dict[str, Effort], {"propertyNames": words("now", "boot", "rebuild", "none")},
    ),

    "Answered.tunable": str | None,

    "Abilities.failed": "Whether the exit code is 1 for its sake.",
    "Abilities.clashes": (OPTIONAL, "What one program needs on and another one off."),
    "Ask.function": "Empty: the program's own list asks for the symbol, and no function of it "
        "needs that.",
    "Ability.version": "The version that was asked for; empty: the newest.",
    "Ability.read": "The version whose sources were read.",
    "Ability.asked": "The function that was asked for; empty: all.",
    "Ability.modules": "To be loaded for what can run.",
    "Ability.obsolete": "Symbols that this kernel does not have any more, and that count as there.",
    "Judged.kind": words("start", "function"),
    "Judged.answer": words("yes", "no", "not known", "not for this architecture"),
    "Judged.inputs": "Inputs that would tell.",
    "Fix.lines": "Lines of a fragment.",
    "Fix.words": "Words to add to the boot line.",
    "Fix.drop": "Words to take off the boot line.",
    "Fix.settings": "Sysctls, as NAME = VALUE.",
    "Fix.why": "Why nothing of this is enough.",
    "Fix.hidden": "Options of these lines whose dependencies are off.",
    "Fix.unproven": "Options whose dependencies other lines may enable: a kernel tree tells.",
}  # fmt: skip
"""What no annotation tells of a field of a record, by `RECORD.FIELD`, and of one document alone by
`DOCUMENT:RECORD.FIELD`: a type or a schema in place of the annotation, what a schema has beside the
type, or a text that describes the field; or one of the others together with such a text."""


class Writer:
    """Makes the schemas of the records of one document, each once."""

    def __init__(self, document: str, shapes: encoding.Shapes, asked: set[str]) -> None:
        self.document = document
        self.asked = asked
        self.shapes = shapes
        self.defs: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """The schema of a type."""
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if origin in {types.UnionType, typing.Union}:
            return nullable(self.of(next(one for one in parts if one is not type(None))))
        if origin in {tuple, list, frozenset}:
            return many(self.of(parts[0]))
        if origin and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        plain = {str: "string", bool: "boolean", int: "integer", float: "number"}
        if hint in plain:
            return {"type": plain[hint]}
        shape = self.shapes.get(hint)
        if issubclass(hint, Enum):
            return words(*map(shape, hint)) if callable(shape) else words(*hint)
        if callable(shape):  # the text of a version, the id of a profile
            return TEXT
        name = hint.__name__.strip("_")
        if name not in self.defs:
            self.defs[name] = {}  # keeps its place before those of its fields
            self.defs[name] = self.object(hint, name, shape or " ".join(hint._fields))
        return {"$ref": f"#/$defs/{name}"}

    def object(self, record: Any, path: str, shape: encoding.Fields) -> Schema:
        """The schema of the object that a record, or a part of it, becomes."""
        found: Schema = {}
        optional: list[str] = []
        for word, how in encoding.pairs_of(shape):
            name, sign, attribute = encoding.parts_of(word)
            if isinstance(how, (str, tuple)):
                schema = self.object(record, f"{path}.{name}", how)
            else:
                schema = self.field(f"{path}.{name}", record, how or attribute, sign)
            if sign == "*":
                inner = self.defs[schema["$ref"].rpartition("/")[2]]
                found |= inner["properties"]
                optional += [key for key in inner["properties"] if key not in inner["required"]]
                continue
            if schema.pop("optional", False) or sign == "?":
                optional.append(name)
            found[name] = schema
        return fields(optional, **found)

    def field(self, key: str, record: Any, how: Any, sign: str) -> Schema:
        """The schema of a field: of an attribute, or of what a function makes of the record."""
        schema: Schema = {}
        key = own if (own := f"{self.document}:{key}") in DETAILS else key
        self.asked.add(key)
        detail = DETAILS.get(key, {})
        for part in detail if isinstance(detail, tuple) else (detail,):
            if isinstance(part, str):
                schema["description"] = part
            else:
                schema |= part if isinstance(part, dict) else self.of(part)
        if not schema.keys() & {"type", "enum", "$ref", "oneOf"}:
            hint = self.attribute(record, how) if isinstance(how, str) else hint_of(how)
            parts = typing.get_args(hint)
            if sign == "?" and type(None) in parts:  # left out where it is None
                (hint,) = {*parts} - {type(None)}
            schema = {**(hint if isinstance(hint, dict) else self.of(hint)), **schema}
        return nullable(schema) if sign == "|null" else schema

    def attribute(self, kind: Any, path: str) -> Any:
        """The type of an attribute, or of one of an attribute (`advice.strength`); of a member of
        an Enum its schema."""
        name, _, rest = path.partition(".")
        if issubclass(kind, Enum):
            return words(*(getattr(member, name) for member in kind))
        own = vars(kind)[name]
        hint = hint_of(own.fget) if isinstance(own, property) else hint_of(kind, name)
        if not rest:
            return hint
        return self.attribute(next(iter(typing.get_args(hint)), hint), rest)


@cache
def model_names() -> dict[str, Any]:
    """The types of the model, which a module may import for type checkers alone."""
    found: dict[str, Any] = {}
    for info in pkgutil.iter_modules(model.__path__, "advisor.model."):
        found |= vars(importlib.import_module(info.name))
    return {name: thing for name, thing in found.items() if isinstance(thing, type)}


def hint_of(thing: Any, name: str = "return") -> Any:
    """The type of a record's field, or what a function returns, from the annotation."""
    names = {**model_names(), **vars(sys.modules[thing.__module__])}
    return eval(thing.__annotations__[name], names)


def schema_of(document: str, asked: set[str] | None = None) -> Schema:
    """The schema of one document; `asked` gets the keys of DETAILS that its fields have."""
    title, shapes, array, record = DOCUMENTS[document]
    writer = Writer(document, shapes, set() if asked is None else asked)
    own = fields(
        schema={"const": f"kernel-advisor/{document}/v1"},
        tool=fields(name={"const": "kernel-advisor"}, version=TEXT),
    )
    whole = writer.of(record)
    if array:
        found = {array: many(whole)}
        own["properties"] |= found
        own["required"] += found
    else:
        inner = writer.defs.pop(record.__name__)
        own["properties"] |= inner["properties"]
        own["required"] += inner["required"]
    text = json.dumps([own, writer.defs])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"kernel-advisor/{document}/v1",
        "title": title,
        **own,
        "$defs": {n: one for n, one in writer.defs.items() if f'"#/$defs/{n}"' in text},
    }


def text_of(value: Any, indent: str = "", before: int = 0) -> str:
    """JSON with each value on one line that has room there, and else on lines of its own."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + before + len(line) < WIDTH or not isinstance(value, (dict, list)):
        return line
    inner = f"{indent} "
    if isinstance(value, list):
        parts = [text_of(one, inner) for one in value]
        opening, closing = "[]"
    else:
        names = {f"{json.dumps(name)}: ": one for name, one in value.items()}
        parts = [name + text_of(one, inner, len(name)) for name, one in names.items()]
        opening, closing = "{}"
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closing}"


if __name__ == "__main__":
    for name in DOCUMENTS:
        (FOLDER / f"{name}.schema.json").write_text(text_of(schema_of(name)) + "\n")
    for path in OF_RULES.iterdir():
        path.write_text(text_of(json.loads(path.read_text())) + "\n")
