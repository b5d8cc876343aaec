"""What the sections of an index hold beside the documents: derived from these when it is made.

What is looked up too often to be searched (aliases, choices, providers), and what is rarely read
(notes).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from advisor.knowledge import decode
from advisor.knowledge.catalogue import Catalogue
from advisor.knowledge.store import Packed, Sections, asked_files, record_names, unpacked
from advisor.model.kernel import ABSENT
from advisor.model.symptom import folded
from advisor.model.sysctl import FOLDER, key_of


def derived(packed: Sections) -> dict[str, dict[str, Any]]:
    """Derives these sections from those of the documents."""
    sections = {
        section: {name: unpacked(document) for name, document in documents.items()}
        for section, documents in packed.items()
    }
    aliases: dict[str, list[str]] = defaultdict(list)
    for rename in sections["renames"].values():
        if rename["new"]:
            aliases[rename["new"]].append(rename["old"])
            aliases[rename["old"]].append(rename["new"])
    spellings: dict[str, list[str]] = defaultdict(list)
    for parameter in sections["parameters"].values():
        if "renamed" in parameter:
            spellings[parameter["renamed"]].append(parameter["name"])
    choices = {
        member: tunable["choice"]
        for tunable in sections["tunables"].values()
        for member in tunable.get("choice", ())
    }
    unnamed: dict[str, dict[str, list[Any]]] = defaultdict(dict)
    for tunable in sections["tunables"].values():
        for one in tunable.get("unnamed", ()):
            for symbol, value in one["gives"].items():
                unnamed[symbol].update({of: [value, one.get("only_if")] for of in one["of"]})
    read_by = {
        name: {"program": reader["program"]}
        for reader in sections["readers"].values()
        for name in (*reader.get("names", ()), *(f"{p}*" for p in reader.get("prefixes", ())))
    }
    notes = {
        name: {key: part for key, part in document.items() if key in decode.NOTES_KEYS}
        for name, document in sections["tunables"].items()
    }
    catalogue, named = Catalogue.load(), _symbols(sections)
    return {
        "aliases": aliases,
        "spellings": spellings,
        "choices": choices,
        "unnamed": unnamed,
        "read_by": read_by,
        "named_in": {
            place["of"]: [component["id"], number]
            for component in map(unpacked, sections["components"].values())
            for number, place in enumerate(component["place"])
        },
        "notes": notes,
        "listed": _listed(sections),
        "rare": {
            name: one["rare"] for name, one in sections["protections"].items() if "rare" in one
        },
        "patches": {
            name: {"decides": document["decides"]}
            for name, document in sections["names"].items()
            if "decides" in document
        },
        "promptless": {name: [] for name in sorted(catalogue.promptless(named))},
        "releases": _releases(named, catalogue),
        "once_chosen": _once_chosen(sections, catalogue),
        "run_time": _run_time(sections),
        "providers": _providers(sections),
        "own": _own(sections),
        "alone": _alone(sections),
        "recorded": recorded(notes),
        "fits": {
            name: _fits(name, unpacked(one))
            for section in ("products", "profiles")
            for name, one in sections[section].items()
        },
        "programs_called": {
            called: [name]
            for name, one in sections["programs"].items()
            for called in (name, *one.get("names", ()))
        },
        "complaints": {
            folded(called): [name]
            for name, one in sections["symptoms"].items()
            for called in (name, *one.get("names", ()))
        },
    }


_SYMBOL = re.compile(r"\b[A-Z][A-Z0-9_]+\b")


def _releases(named: Iterable[str], catalogue: Catalogue) -> dict[str, list[list[int]]]:
    """Of the symbols that not all kernels have: the last release before the first that was read
    with it, and the first one after the last; empty where there is none."""
    releases = [[*known.version.numbers[:2]] for known in catalogue.kernels]
    found: dict[str, list[list[int]]] = {}
    for symbol in sorted(named):
        spans = seen.spans() if (seen := catalogue.seen(symbol)) else ()
        if spans and (spans[0][0] > 0 or spans[-1][1] < len(releases) - 1):
            before, after = releases[: spans[0][0]], releases[spans[-1][1] + 1 :]
            found[symbol] = [before[-1] if before else [], after[0] if after else []]
    return found


def _once_chosen(sections: Sections, catalogue: Catalogue) -> dict[str, list[Any]]:
    """Of what tunables set the members of choices that are not the tunable's own, as a choice that
    other symbols made before: the last release read before that, the last one, all members."""
    releases = [[*known.version.numbers[:2]] for known in catalogue.kernels]
    found: dict[str, list[Any]] = {}
    for tunable in sections["tunables"].values():
        ways = (way for value in tunable.get("value", ()) for way in _ways(value.get("set", ())))
        symbols = {symbol for way in ways for symbol, text in way.items() if text == "y"}
        for symbol in sorted(symbols - {*tunable.get("choice", ())}):
            if known := catalogue.choices_of(symbol):
                first, last = known[0][0], known[-1][0]
                members = {one for number, name in known for one in catalogue.members(name, number)}
                before = releases[first - 1] if first else []
                found[symbol] = [before, releases[last], sorted(members)]
    return found


def recorded(notes: Packed) -> dict[str, Any]:
    """The tunables of which the lab has records, by their notes."""
    return {name: [] for name, packed in notes.items() if record_names(unpacked(packed))}


def _places(sections: Sections) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Each way to a value of a tunable, sorted by id: where it stands, and what it sets."""
    for name, document in sorted(sections["tunables"].items()):
        for number, value in enumerate(document.get("value", ())):
            for way, sets in enumerate(_ways(value.get("set", ()))):
                yield {"tunable": name, "value": number, "way": way}, sets


def _providers(sections: Sections) -> dict[str, dict[str, Any]]:
    """Of each symbol that a tunable's value sets to y or m, where that stands: of several the one
    that sets the fewest beside it."""
    best: dict[str, tuple[int, dict[str, Any]]] = {}
    for place, sets in _places(sections):
        for symbol in (symbol for symbol, text in sets.items() if text in ("y", "m")):
            if symbol not in best or len(sets) < best[symbol][0]:
                best[symbol] = len(sets), place
    return {symbol: place for symbol, (_, place) in best.items()}


def _own(sections: Sections) -> dict[str, dict[str, Any]]:
    """Finds, for each symbol that alone is a whole way to a tunable's value, where that way
    stands."""
    found: dict[str, dict[str, Any]] = {}
    for place, sets in _places(sections):
        if len(sets) == 1 and "y" in sets.values():
            found.setdefault(next(iter(sets)), place)
    return found


def _alone(sections: Sections) -> dict[str, dict[str, Any]]:
    """Finds, for each symbol that is a member of a group by itself and requires something, where
    that stands."""
    return {
        member["symbol"]: {"tunable": name, "member": number}
        for name, document in sorted(sections["tunables"].items())
        for number, member in enumerate(document.get("member", ()))
        if member.get("symbol") and member.get("requires") and member.get("when") is None
    }


def _ways(sets: Any) -> list[dict[str, str]]:
    return [sets] if isinstance(sets, dict) else [*sets]


def _symbols(sections: Sections) -> set[str]:
    """The symbols that the tunables name."""
    named: set[str] = set()
    for document in sections["tunables"].values():
        named.update(_SYMBOL.findall(json.dumps(document)))
    return named


_PRESENCE = frozenset(("*", ABSENT))


def _run_time(sections: Sections) -> dict[str, list[str]]:
    """The names by which tunables are set, by their layer, with those of files that show them; and
    under `there` the files of which it counts whether they are there, which are read only where
    what they hold counts as well."""
    names: dict[str, set[str]] = {"sysctl": set(), "sysfs": set(), "there": set()}
    for section in ("tunables", "profiles", "products", "parameters", "programs"):
        for document in sections[section].values():
            for layer in ("sysctl", "sysfs"):
                names[layer].add(document.get(layer, ""))
            for path in asked_files(document):
                names["sysctl" if path.startswith(FOLDER) else "sysfs"].add(key_of(path))
            shows = document.get("shows", "")
            names["sysfs"].update([shows] if isinstance(shows, str) else ())
            for value in document.get("value", ()):
                for layer in ("sysctl", "sysfs"):
                    names[layer].update(value.get(layer, {}))
            for part in (*document.get("value", ()), *document.get("member", ())):
                for path, forms in part.get("shows", {}).items():
                    names["there"].update([path] * (ABSENT in forms))
                    names["sysfs"].update([path] * any(form not in _PRESENCE for form in forms))
    # Where a module is loaded its parameters are there, but for those that nobody may see.
    names["there"].update(filter(None, map(_module, names["sysfs"])))
    return {layer: _widest(found - {""}) for layer, found in names.items()}


def _module(path: str) -> str:
    """The folder of the module whose parameter the file shows; empty for any other file."""
    module, _, name = path.partition("/parameters/")
    return module if name and module.startswith("/sys/module/") else ""


def _widest(paths: set[str]) -> list[str]:
    """Leaves out the paths that another path stands for as well, and sorts the rest."""
    wide = [path for path in paths if "*" in path.rpartition("/")[2]]
    covered = {
        path
        for other in wide
        for path in paths - {other}
        if path.count("/") == other.count("/") and fnmatchcase(path, other)
    }
    return sorted(paths - covered)


def _fits(name: str, document: dict[str, Any]) -> dict[str, Any]:
    """What of a profile's document tells whom it fits, and how it is called."""
    return {
        "profile": name,
        **{key: document.get(key, []) for key in ("extends", "names", "evidence")},
        **{key: document[key] for key in ("title", "role") if key in document},
    }


def _listed(sections: Sections) -> dict[str, Any]:
    """What protections list, by the name of each setting."""
    listed: dict[str, Any] = {}
    for protection in sections["protections"].values():
        for kind in ("fragment", "config", "boot", "sysctl"):
            for line in protection.get(kind, ()):
                name, _, values = line.partition("=")
                listed["sysctl " * (kind == "sysctl") + name] = {
                    "in": protection["id"],
                    "values": values.split("|"),
                    "own": kind == "fragment",
                    "always": protection.get("always", False),
                }
    return listed
