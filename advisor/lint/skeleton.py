"""Skeletons of rules and profiles: what is known of a name is filled in, the rest is `TODO`.

What kernels have a name, and of what type it is, the catalogues tell; where it is defined, what it
needs and what it takes a kernel tree. `lint` refuses a file with a line each that is left to write.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable
from string import Template

from advisor.errors import OutputError, UsageError, meant
from advisor.files import read_own, write_atomically
from advisor.knowledge.catalogue import Kernel, Names, Seen
from advisor.knowledge.store import Knowledge
from advisor.knowledge.sysctlcatalogue import taken
from advisor.lint.definition import Definition
from advisor.model.tunable import Tunable
from advisor.record import NamedTuple

_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_SYMBOL = re.compile(r"(?:CONFIG_)?[A-Z0-9][A-Za-z0-9_]*")
_WORD = re.compile(r"\$\{(\w+)\}")
# By type of symbol: the kind of tunable, the quotes of a value, and two values.
_VALUES = {
    "int": ("number", "", "1", "2"),
    "hex": ("number", "", "0x1", "0x2"),
    "string": ("text", '"', "a", "b"),
}
_SOURCES = {
    "symbol": "kconfig PATH#NAME, the file that has its config line",
    "sysctl": "code PATH#NAME, the file that has the entry of its table",
    "parameter": "code PATH#NAME, the file that registers it",
}
_FEW = 3
_LAST_OF_SERIES = 19
"""No series since 3.0 ended before this release."""
_BOTH = ("0 to 1", "0 or 1", "a number from 0 to 1")

Find = Callable[[str, str], "Definition | None"]
"""Looks a name up in a kernel tree; what kind of name it is comes first."""


class Place(NamedTuple):
    """Where a skeleton goes: the folder of rules, the area in it, if it is named, and the tree to
    look names up in."""

    folder: str
    area: str = ""
    find: Find | None = None


def new_rule(name: str, place: Place, knowledge: Knowledge) -> str:
    """Writes a rule for a Kconfig symbol, a sysctl or a boot parameter; the file's path.

    Raises UsageError where the name is none of these, or has a rule; OutputError.
    """
    kind, seen = _kind(name, knowledge)
    _refuse_known(seen.name, kind, knowledge)
    found = place.find(kind, seen.name) if place.find else None
    if place.find and not found:
        hint = "name another tree or --arch, or leave out --tree"
        raise UsageError(f"the tree has no {kind} {seen.name}", where="--tree", hint=hint)
    words = {**_when(seen, kind, knowledge), "source": _source(seen.name, kind, found)}
    text = _FILLED[kind](seen, found, words, knowledge)
    area = place.area or (_area(found.path, knowledge) if found else "")
    area = "parameters" if kind == "parameter" else area
    return _written(text, os.path.join(place.folder, area), _id(seen.name))


def new_profile(name: str, folder: str, knowledge: Knowledge) -> str:
    """Writes a profile of that id into a folder of profiles; the file's path.

    Raises UsageError where the id is none, or taken; OutputError.
    """
    if not _ID.fullmatch(name):
        hint = "lowercase letters, digits and dashes, such as render-farm"
        raise UsageError(f"{name!r} is no id", where="profiles new", hint=hint)
    if name in knowledge.profile_ids():
        hint = f"kernel-advisor profiles show {name}"
        raise UsageError(f"there is a profile {name!r} already", where="profiles new", hint=hint)
    title = name.replace("-", " ").capitalize()
    return _written(_from_skeleton("profile", id=name, title=title), folder, name)


# --- what is known of the name --------------------------------------------------------------------


def _kind(name: str, knowledge: Knowledge) -> tuple[str, Seen]:
    """What a name is, and where it was seen. Raises UsageError if nowhere, with near names."""
    plain = name.removeprefix("CONFIG_").removesuffix("=")
    catalogues: tuple[tuple[str, Names], ...] = (
        ("symbol", knowledge.catalogue),
        ("sysctl", knowledge.sysctl_catalogue),
        ("parameter", knowledge.parameter_catalogue),
    )
    for kind, catalogue in catalogues:
        if seen := catalogue.seen(plain):
            # The catalogue of sysctls has `*` for what is named at run time.
            return kind, Seen(plain if kind == "sysctl" else seen.name, seen.facts, catalogue)
    if _SYMBOL.fullmatch(name):
        near = knowledge.catalogue.near(plain)
    else:
        near = knowledge.sysctl_catalogue.near(plain) or knowledge.parameter_catalogue.near(plain)
    hint = "name a symbol (PRINTK_CALLER), a sysctl (vm.swappiness) or a boot parameter (nohz)"
    hint = meant(near[:3]) or hint
    kind = "symbol" if _SYMBOL.fullmatch(name) else "sysctl or boot parameter"
    raise UsageError(f"no kernel read has the {kind} {plain}", where="rules new", hint=hint)


def _refuse_known(name: str, kind: str, knowledge: Knowledge) -> None:
    """Raises UsageError where a rule is about the name: one finding for one fact."""
    owner = next((t.id for t in knowledge.tunables() if t.id == _id(name) or _has(t, name)), "")
    if kind == "parameter":
        owner = name if knowledge.parameter(name) else ""
    if owner:
        show = f"kernel-advisor rules show {owner}"
        hint = f"kernel-advisor explain {name}" if kind == "parameter" else show
        message = f"{name} has a rule already: {owner}"
        raise UsageError(message, where="rules new", hint=hint)


def _has(tunable: Tunable, name: str) -> bool:
    """Whether the tunable sets the symbol or sysctl, and nothing else with it."""
    alone = (sets[0][0] for value in tunable.values for sets in value.sets if len(sets) == 1)
    members = (member.symbol for member in tunable.members)
    return name in {tunable.symbol, *tunable.sysctls, *tunable.choice, *members, *alone}


def _when(seen: Seen, kind: str, knowledge: Knowledge) -> dict[str, str]:
    """Since and until when kernels have the name, on which architectures, and what of that a
    configuration or a version shows."""
    catalogue = {
        "symbol": knowledge.catalogue,
        "sysctl": knowledge.sysctl_catalogue,
        "parameter": knowledge.parameter_catalogue,
    }[kind]
    kernels = catalogue.kernels
    first, last = seen.spans()[0][0], seen.spans()[-1][1]
    since = _release(kernels[first]) if first else ""
    until = _release(kernels[last + 1]) if last + 1 < len(kernels) else ""
    there = f"kernel >= {since}" if since else ""
    arches = sorted(seen.arches(last))
    few = arches if kind == "symbol" and len(arches) <= _FEW else []
    if kind == "symbol" and since:
        there = f"present({seen.name}) || {there}"
    gone = f"kernel < {until}" if until else ""
    parts = [*filter(None, (" || ".join(f"arch = {arch}" for arch in few), there, gone))]
    parts = [f"({part})" if "||" in part and len(parts) > 1 else part for part in parts]
    return {
        "id": _id(seen.name),
        "exists": " && ".join(parts),
        "since": since,
        "gap": _gap(kernels[first - 1], kernels[first]) if first else "",
        "until": until,
        "facts": " ".join([*few[:1], kernels[last].version.text]),
    }


def _release(kernel: Kernel) -> str:
    """The release that the kernel is of, without its patch level."""
    numbers = kernel.version.numbers
    return ".".join(map(str, numbers if numbers[:2] == (2, 6) else numbers[:2]))


def _gap(before: Kernel, first: Kernel) -> str:
    """A comment on a first release, where an earlier one may be the first; else nothing."""
    (major, minor, _), (later, minor_then, _) = before.version.numbers, first.version.numbers
    next_one = (major, minor + 1) == (later, minor_then)
    next_series = (major + 1, 0) == (later, minor_then) and minor >= _LAST_OF_SERIES
    if next_one or next_series:
        return ""
    return f"  # {before.version.text} does not have it; no kernel between the two was read"


def _source(name: str, kind: str, found: Definition | None) -> str:
    own = name.rpartition(".")[2]
    return found.place if found else f"TODO: {_SOURCES[kind]}".replace("NAME", own)


def _area(path: str, knowledge: Knowledge) -> str:
    """The area of most rules that were read in the same file, or else in the nearest folder."""
    pairs = [
        (source.ref, tunable.area)
        for tunable in knowledge.tunables()
        for source in knowledge.notes(tunable.id).sources
    ]
    while path:
        areas = [area for ref, area in pairs if ref == path or ref.startswith(f"{path}/")]
        if areas:
            return Counter(areas).most_common(1)[0][0]
        path = posixpath.dirname(path)
    return ""


# --- what is written ------------------------------------------------------------------------------


def _of_symbol(
    seen: Seen, found: Definition | None, words: dict[str, str], knowledge: Knowledge
) -> str:
    # What it was before may be another type: a rule is written for today's kernels.
    number = seen.spans()[-1][1]
    traits = seen.traits(number)[0]
    words["requires"] = _quoted(found.requires) if found else ""
    if traits.choice:
        members = knowledge.catalogue.members(traits.choice, number)
        return _of_choice(members, words)
    if traits.type not in _VALUES:
        built = seen.name if traits.type == "tristate" else ""
        return _from_skeleton("switch", symbol=seen.name, built=built, **words)
    kind, quote, *values = _VALUES[traits.type]
    takes = found.takes if found else ""
    limits = takes.split(" to ")
    if all(re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", one) for one in limits):
        values = limits
    first, second = values
    return _from_skeleton(
        "number", symbol=seen.name, kind=kind, takes=takes or f"a value of the type {traits.type}",
        first=f"{quote}{first}{quote}", second=f"{quote}{second}{quote}", first_value=first,
        second_value=second, **words,
    )  # fmt: skip


def _of_choice(members: list[str], words: dict[str, str]) -> str:
    """A value for each member, named by what its symbol has and the others have not."""
    common = posixpath.commonpath([m.replace("_", "/") for m in members]).replace("/", "_")
    names = [member.removeprefix(f"{common}_").lower().replace("_", "-") for member in members]
    pairs = list(zip(members, names, strict=True))
    needed = [f"requires = {words['requires']}"] * bool(words.pop("requires"))
    values = (
        ["", "[[value]]", f'name = "{name}"', f'set = {{ {member} = "y" }}', *needed]
        for member, name in pairs
    )
    return _from_skeleton(
        "choice",
        choice=f"[{', '.join(_quoted(member) for member in members)}]",
        examples="\n".join(f'    "{words["facts"]} | {m}=y -> {n}",' for m, n in pairs),
        values="\n".join(row for rows in values for row in rows),
        **words,
    )


def _of_sysctl(seen: Seen, _: Definition | None, words: dict[str, str], __: Knowledge) -> str:
    number = seen.spans()[-1][1]
    traits = next(fact.traits for fact in seen.facts if fact.kernels >> number & 1)
    takes = taken(traits)
    if takes in _BOTH:
        return _from_skeleton("sysctl-switch", sysctl=seen.name, **words)
    kind = "text" if traits[0] in "sl" else "number"
    low, _dots, high = traits.partition(":")[2].partition("..")
    first = "a" if kind == "text" else high or low or "1"
    return _from_skeleton("sysctl", sysctl=seen.name, kind=kind, takes=takes, first=first, **words)


def _of_parameter(seen: Seen, found: Definition | None, words: dict[str, str], _: Knowledge) -> str:
    number = seen.spans()[-1][1]
    traits = {fact.traits for fact in seen.facts if fact.kernels >> number & 1}
    told = found.takes if found else ""
    flag = "" if any("=" in one for one in traits) else "flag, "
    kind = told or f"TODO: {flag}bool, enum, int, size, cpulist or string"
    return _from_skeleton("parameter", name=seen.name, type=kind, **words)


_FILLED = {"symbol": _of_symbol, "sysctl": _of_sysctl, "parameter": _of_parameter}


def _id(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _quoted(text: str) -> str:
    """A text as a string of TOML; nothing for an empty one, so that its row is left out."""
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}" if text else ""


def _from_skeleton(file: str, /, **words: str) -> str:
    """Return the skeleton in a file with the words in place, without rows whose word is empty."""
    words["since"] = _quoted(words.get("since", "")) + words.get("gap", "")
    rows = read_own("lint", "skeletons", f"{file}.toml").splitlines(keepends=True)
    kept = (row for row in rows if all(words[one] for one in _WORD.findall(row)))
    return Template("".join(kept)).substitute(words)


def _written(text: str, folder: str, id_: str) -> str:
    path = os.path.join(folder, f"{id_}.toml")
    if os.path.lexists(path):
        hint = "remove it, or choose another name"
        raise UsageError("is there already", where=path, hint=hint)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        hint = "check the folder and its permissions"
        raise OutputError(f"cannot be made: {error.strerror}", where=folder, hint=hint) from error
    write_atomically(path, text)
    return path
