"""The knowledge at hand: documents by name, decoded to the model's types when asked for."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from advisor.errors import UsageError, meant, near, shortened
from advisor.knowledge import decode
from advisor.model.parameter import Parameter, Reader
from advisor.model.profile import REQUIRES, Advice, Profile
from advisor.model.rules import Fact, Listed, Name, Protection, Rename
from advisor.model.sysctl import FOLDER, key_of
from advisor.model.tunable import LeftOut, Member, Tunable, TunableNotes, Value

if TYPE_CHECKING:
    from advisor.knowledge.brought import Brought
    from advisor.knowledge.catalogue import Catalogue
    from advisor.knowledge.measured import Records
    from advisor.knowledge.parametercatalogue import ParameterCatalogue
    from advisor.knowledge.practice import Practices
    from advisor.knowledge.sysctlcatalogue import SysctlCatalogue
    from advisor.knowledge.sysfs import Sysfs
    from advisor.knowledge.unreachable import Unreachable
    from advisor.model.component import Component, Place
    from advisor.model.evidence import Candidate
    from advisor.model.kernel import KernelVersion
    from advisor.model.software import Program
    from advisor.model.successor import Split, Successor
    from advisor.model.symptom import Symptom
    from advisor.model.tree import Assignment

# Documents by name, each as JSON text or already read.
Packed = Mapping[str, Any]
Sections = Mapping[str, Packed]
Provider: TypeAlias = "tuple[Tunable, Value, tuple[Assignment, ...]]"

NEWEST = (7, 2)
"""The newest release in the catalogue of symbols, which an audit does not read for this alone."""


class Knowledge:
    """Tunables, profiles, parameters and whatever else rules hold, each looked up by name."""

    def __init__(self, sections: Sections) -> None:
        # Documents stay text until one is asked for: a run needs few of them.
        self._sections = sections
        self._tunables: dict[str, Tunable] = {}
        self._profiles: dict[str, Profile] = {}
        self._parameters: dict[str, Parameter | None] = {}
        self._facts: dict[str, Fact] = {}
        self._components: dict[str, Component] = {}
        self._lists: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)

    @cached_property
    def practice(self) -> Practices:
        """What distributions compile in; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.practice import built_in

        return built_in()

    @cached_property
    def measured(self) -> Records:
        """What the lab measured; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.measured import built_in

        return built_in()

    @cached_property
    def catalogue(self) -> Catalogue:
        """Which symbols exist in which kernels; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.catalogue import Catalogue

        return Catalogue.load()

    @cached_property
    def unreachable(self) -> Unreachable:
        """Which switches nothing can switch on; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.unreachable import Unreachable

        return Unreachable.load()

    @cached_property
    def brought(self) -> Brought:
        """Which switches something else has on; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.brought import Brought

        return Brought.load()

    @cached_property
    def parameter_catalogue(self) -> ParameterCatalogue:
        """Which kernels read which boot parameters; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.parametercatalogue import ParameterCatalogue

        return ParameterCatalogue.load()

    @cached_property
    def sysctl_catalogue(self) -> SysctlCatalogue:
        """Which kernels have which sysctls; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.sysctlcatalogue import SysctlCatalogue

        return SysctlCatalogue.load()

    @cached_property
    def sysfs(self) -> Sysfs:
        """Which files kernels have below /sys; read when asked for. Raises KnowledgeError."""
        from advisor.knowledge.sysfs import Sysfs

        return Sysfs.load()

    def is_unread(self, kernel: KernelVersion) -> bool:
        """Whether it is of a later release than any that was read; later patches are none."""
        return kernel.numbers[:2] > NEWEST

    def document(self, section: str, name: str) -> dict[str, Any] | None:
        """The compiled document of that name, or None."""
        document: dict[str, Any] | None = unpacked(self._sections[section].get(name))
        return document

    def ids(self, section: str) -> list[str]:
        """The names in `tunables`, `profiles`, `parameters` or another section, sorted."""
        return sorted(self._sections[section])

    def tunable(self, name: str) -> Tunable:
        """The tunable of that id. Raises KeyError."""
        if name not in self._tunables:
            document = self.document("tunables", name)
            self._tunables[name] = decode.tunable(document) if document else self._required(name)
        return self._tunables[name]

    def _required(self, name: str) -> Tunable:
        """The tunable that tells whether a function of a program works. Raises KeyError."""
        begun, _, function_id = name.removeprefix(REQUIRES).partition("/")
        program = self.program(begun) if name.startswith(REQUIRES) else None
        for function in program.functions if program else ():
            if program and function.id == function_id:
                from advisor.knowledge.required import tunable

                return tunable(program, function)
        raise KeyError(name)

    def extended(self, tunables: Iterable[Tunable]) -> Knowledge:
        """The same knowledge with tunables that no rule has, and with what they read at run
        time."""
        other = Knowledge(self._sections)
        vars(other).update(vars(self))
        tunables = list(tunables)
        other._tunables = {**self._tunables, **{one.id: one for one in tunables}}
        asked = {path for one in tunables for v in one.values for path in asked_files(v.when)}
        more = {
            "sysctl": {key_of(path) for path in asked if path.startswith(FOLDER)},
            "sysfs": {path for path in asked if not path.startswith(FOLDER)},
        }
        more["sysctl"].update(one.sysctl for one in tunables if one.sysctl)
        more["sysfs"].update(one.sysfs for one in tunables if one.sysfs)
        run_time = {layer: [*self.run_time_names(layer), *sorted(more[layer])] for layer in more}
        other._lists = defaultdict(dict, {**self._lists, "run_time": run_time})
        return other

    def notes(self, name: str) -> TunableNotes:
        """What the tunable of that id tells a reader: history, sources, effects."""
        document = self.document("notes", name) or {}
        notes = decode.notes(document)
        records = record_names(document)
        # Only names stand in the rules: nobody can type a figure.
        known = self.measured.by_name if records else {}
        return notes._replace(records=tuple(known[one] for one in records if one in known))

    def tunables(self) -> Iterator[Tunable]:
        """All tunables, sorted by id."""
        return map(self.tunable, self.ids("tunables"))

    def profile(self, name: str) -> Profile:
        """The profile of that id, of a workload or a product, with what it extends. Raises
        UsageError with near names, and all that there are."""
        if name not in self._profiles:
            document = self.document("profiles", name) or self.document("products", name)
            if document is None:
                raise self._no_profile(name)
            inherited: tuple[Advice, ...] = ()
            for parent in document.get("extends", ()):
                inherited += self.profile(parent).advice
            self._profiles[name] = decode.profile(document, inherited, self._function)
        return self._profiles[name]

    def _function(self, name: str) -> dict[str, Any]:
        """The document of a program's function, PROGRAM/FUNCTION; one that tells nothing where
        there is none, which the check of references refuses."""
        program, _, function = name.partition("/")
        functions: list[dict[str, Any]] = (self.document("programs", program) or {}).get(
            "function", []
        )
        nothing = {"title": "", "why": "", "source": []}
        return next((one for one in functions if one["id"] == function), nothing)

    def program(self, name: str) -> Program | None:
        """The program of that id or name, or None."""
        called = self._list("programs_called", name.lower())
        document = self.document("programs", called[0] if called else name)
        return decode.program(document) if document else None

    def modules_of(self, symbol: str) -> list[str]:
        """The modules that a symbol of programs is where it is m; none where that is not known."""
        document = self.document("modules", symbol)
        return document["names"] if document else []

    def program_names(self) -> list[str]:
        """All ids and names of programs, sorted."""
        return self.ids("programs_called")

    def profile_ids(self) -> list[str]:
        """The ids of all profiles, of workloads and of products, sorted."""
        return self.ids("fits")

    def candidates(self) -> list[Candidate]:
        """The profiles, each with what speaks for it on a host."""
        documents = (self.document("fits", name) for name in self.profile_ids())
        return [decode.candidate(document) for document in documents if document]

    def called(self, name: str) -> list[str]:
        """The profiles that go by an everyday name, in any case, with blanks or dashes."""
        plain = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
        return self.everyday().get(plain, [])

    def everyday(self) -> dict[str, list[str]]:
        """The profiles that go by each everyday name."""
        names: dict[str, list[str]] = {}
        for profile in self.profile_ids():
            for name in (self.document("fits", profile) or {})["names"]:
                names.setdefault(name, []).append(profile)
        return names

    def profile_lines(self) -> list[str]:
        """Each profile in a line: its id and title."""
        ids = self.profile_ids()
        width = max(map(len, ids))
        return [f"{one:{width}}  {(self.document('fits', one) or {})['title']}" for one in ids]

    def _no_profile(self, name: str) -> UsageError:
        known = near(name, (*self.profile_ids(), *self.everyday()))
        if called := self.called(name):
            known = meant(called)
        return UsageError(
            f"there is no profile {shortened(name)!r}",
            where="--profile",
            hint=known or "name one of these profiles",
            choices=self.profile_lines(),
        )

    def parameter(self, name: str) -> Parameter | None:
        """The boot parameter of that name (dashes as underscores), or None.

        A rule for `sysctl.*` is about all names that begin so.
        """
        if name not in self._parameters:
            document = self.document("parameters", name)
            if document is None and "." in name:
                document = self.document("parameters", f"{name.partition('.')[0]}.*")
            self._parameters[name] = decode.parameter(document) if document else None
        return self._parameters[name]

    def options(self, text: str) -> list[str]:
        """The words that have this as one of a parameter's own values: `pci=noacpi` for noacpi."""
        parameters = filter(None, map(self.parameter, self.ids("parameters")))
        return [
            f"{one.name}={text}" for one in parameters if any(text == word for word, _ in one.words)
        ]

    def spellings(self, name: str) -> list[str]:
        """The names by which one parameter is or was read: `name` first, then the old ones."""
        return [name, *self._list("spellings", name)]

    def aliases(self, symbol: str) -> list[str]:
        """Other names of the same symbol in older or newer kernels."""
        return self._list("aliases", symbol)

    def siblings(self, symbol: str) -> list[str]:
        """Lists the members of a symbol's choice, itself among them; nothing if it is in none."""
        return self._list("choices", symbol)

    def unnamed(self, symbol: str) -> Mapping[str, LeftOut]:
        """What Kconfig gives a symbol where a file that is not whole leaves it out, or once a plan
        switches on what it is an option of: by that other symbol."""
        values = unpacked(self._sections["unnamed"].get(symbol)) or {}
        return {of: LeftOut(*value) for of, value in values.items()}

    def _list(self, section: str, name: str) -> list[str]:
        known = self._lists[section]
        if name not in known:
            known[name] = unpacked(self._sections[section].get(name)) or []
        return known[name]

    def name(self, name: str) -> Name | None:
        """What is known of a name that is no setting of today's kernel, or None."""
        document = self.document("names", name)
        return decode.name(document) if document else None

    def is_named(self, symbol: str) -> bool:
        """Whether a rule knows the symbol, under another name or as that of a patch."""
        known = (self.name(symbol), self.rename(symbol), self.aliases(symbol), self.own(symbol))
        return any(known)

    def sysctl_name(self, key: str) -> Name | None:
        """What is known of a sysctl that is none of today's kernel, by its whole name or, as guides
        write it, without the folder."""
        if known := self.name(key):
            return known
        known = self.name(key.rpartition(".")[2])
        return known if known and known.kind in ("sysctl", "out-of-tree") else None

    def may_lack_prompt(self, symbol: str) -> bool:
        """Whether some kernel that was read has this symbol of a tunable without a prompt; for the
        others the catalogue need not be read."""
        return symbol in self._sections["promptless"]

    def releases(self, symbol: str) -> tuple[list[int], list[int]]:
        """Of a symbol of a tunable: the last release before the first that was read with it, and
        the first one after the last; empty where there is none. The catalogue knows more."""
        before, after = unpacked(self._sections["releases"].get(symbol, ((), ())))
        return [*before], [*after]

    def chosen_with(self, symbol: str, release: tuple[int, ...]) -> list[str]:
        """The members of the choice that a symbol of a tunable is in at that release, itself among
        them, where that is not the tunable's own choice; none if it is in none."""
        packed = self._sections["once_chosen"].get(symbol)
        if packed is None:
            return []
        before, last, members = unpacked(packed)
        return members if before < [*release] <= last else []

    def patches(self) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The patches that change what settings mean: by the symbol that shows one, the tunables
        that it decides in its own way, each with the symbol that does so where it is on."""
        for name in self.ids("patches"):
            yield name, (self.document("patches", name) or {})["decides"]

    def rename(self, symbol: str) -> Rename | None:
        """What became of a symbol that was renamed or removed, or None."""
        document = self.document("renames", symbol)
        return decode.rename(document) if document else None

    def successor(self, symbol: str) -> Successor | None:
        """What took the place of a symbol that is gone, or None."""
        document = self.document("successors", symbol)
        if document is None:
            return None
        from advisor.knowledge.successors import parse

        return parse(document["line"])

    def splits(self) -> list[Split]:
        """Lists what got an option of its own that is off by default."""
        from advisor.knowledge.successors import parse_split

        documents = (self.document("splits", name) for name in self.ids("splits"))
        return [parse_split(document["line"]) for document in documents if document]

    def became(self, symbol: str) -> list[str]:
        """Lists all names to write instead of a symbol that is gone, those of newer kernels
        last."""
        names = [symbol]
        for name in names:  # which grows
            rename, successor = self.rename(name), self.successor(name)
            new = (*(successor.new if successor else ()), rename.new if rename else "")
            names += [other for other in new if other and other not in names]
        return names[1:]

    def names_now(self, symbol: str, value: str = "y") -> list[str]:
        """What to write for a symbol in a kernel that has it not: other names of it, the latest of
        what took its place, and so on back. What is a part of it now cannot be switched off so."""
        successor = self.successor(symbol)
        part = successor is not None and successor.part and value == "n"
        after = () if part else reversed(self.became(symbol))
        return list(dict.fromkeys((*self.aliases(symbol), *after)))

    def price(self, symbol: str) -> str:
        """Says what else changes, beside the name, with what took a symbol's place, behind a
        full stop."""
        successor = self.successor(symbol)
        return f". {successor.note.rstrip('.')}" if successor and successor.note else ""

    def reader(self, word: str) -> Reader | None:
        """The program of user space that reads words of that name (dashes as underscores)."""
        known = self._sections["read_by"]
        # The longest prefix that is known: `rd.luks.` before `rd.`.
        ends = (f"{word[:end]}*" for end in range(len(word), 0, -1))
        key = word if word in known else next((name for name in ends if name in known), None)
        document = self.document("readers", unpacked(known[key])["program"]) if key else None
        return decode.reader(document) if document else None

    def component(self, name: str) -> Component:
        """The kind of thing of that id. Raises KeyError."""
        if name not in self._components:
            document = self.document("components", name)
            if document is None:
                raise KeyError(name)
            component = decode.component(document)
            words = (self.parameter(one.name) for one in component.places if one.layer == "boot")
            anycase = any(word.anycase for word in words if word)
            self._components[name] = component._replace(anycase=anycase)
        return self._components[name]

    def named_in(self, layer: str, name: str) -> tuple[Component, Place] | None:
        """What values of a parameter, sysctl or string name, and it as a place; None for others.

        The layer is `boot`, `sysctl`, `sysfs` (with the pattern of a path) or `config`.
        """
        found = self._sections["named_in"].get(f"{layer} {name}")
        if found is None:
            return None
        of, number = unpacked(found)
        component = self.component(of)
        return component, component.places[number]

    def list_of(self, parameter: str) -> str:
        """The string of the configuration whose list the words of a boot parameter replace; empty
        for a parameter that replaces none."""
        component, place = self.named_in("boot", parameter) or (None, None)
        if not component or not place or not place.is_list:
            return ""
        return next((one.name for one in component.places if one.layer == "config"), "")

    def naming(self, layer: str) -> list[str]:
        """The names of what takes such values in a layer, as `named_in` has them."""
        parted = (key.partition(" ") for key in self._sections["named_in"])
        return [name for of, _, name in parted if of == layer]

    def listed(self, name: str) -> Listed | None:
        """What is recommended to harden kernels of that symbol, boot parameter (dashes as
        underscores) or sysctl (`sysctl NAME`), or None."""
        document = self.document("listed", name)
        return (
            Listed(document["in"], tuple(document["values"]), document["own"], document["always"])
            if document
            else None
        )

    def protection(self, name: str) -> Protection:
        """The matter of hardening of that id. Raises KeyError."""
        document = self.document("protections", name)
        if document is None:
            raise KeyError(name)
        return decode.protection(document)

    def symptom(self, name: str) -> Symptom | None:
        """The symptom that people call so, in whatever spelling, or None."""
        from advisor.model.symptom import folded

        return self._symptom(self._list("complaints", folded(name)))

    def symptom_within(self, message: str) -> Symptom | None:
        """The symptom of whose names the message, such as a line of the log, has the longest of
        several words, in the singular or plural; None if it has none."""
        from advisor.model.symptom import plain_words

        if " " not in message.strip():
            return None  # one name is no message
        words = f" {plain_words(message)} "
        names = (one for one in self.ids("complaints") if " " in one)
        within = [one for one in names if f" {plain_words(one)} " in words]
        return self._symptom(self._list("complaints", max(within, key=len)) if within else [])

    def _symptom(self, called: list[str]) -> Symptom | None:
        document = self.document("symptoms", called[0]) if called else None
        return decode.symptom(document) if document else None

    def fact(self, about: str, of: str = "") -> Fact:
        """The fact about kernels of that kind, `of` that thing; an empty one if there is none."""
        name = f"{about} {of}" if of else about
        if name not in self._facts:
            self._facts[name] = decode.fact(self.document("facts", name) or {"about": about})
        return self._facts[name]

    def facts(self, about: str) -> list[Fact]:
        """All facts of that kind, in the order of the rules."""
        parted = (name.partition(" ") for name in self._sections["facts"])
        return [self.fact(about, of) for what, _, of in parted if what == about]

    def rare(self) -> list[list[str]]:
        """What is recommended and no distribution sets, by all names of each."""
        lists = (self._list("rare", protection) for protection in self._sections["rare"])
        return [names.split("|") for listed in lists for names in listed]

    def run_time_names(self, layer: str) -> list[str]:
        """The names by which tunables are set or shown at run time, sorted: of the layer `sysctl`
        or `sysfs` (paths, of which one may stand for many), and under `there` the paths of which
        it counts whether there is such a file: all that is read of a host's run time, but for what
        `inputs.host.settings.wanted` adds."""
        return self._list("run_time", layer)

    def is_measured(self, tunable: str) -> bool:
        """Whether the lab has records of that tunable; for the others they need not be read."""
        return tunable in self._sections["recorded"]

    def provider(self, symbol: str) -> Provider | None:
        """The tunable, value and assignments that set a symbol to y, if a rule has them: of several
        the one that sets the fewest beside it."""
        found = self.document("providers", symbol)
        if found is None:
            return None
        tunable = self.tunable(found["tunable"])
        value = tunable.values[found["value"]]
        return tunable, value, value.sets[found["way"]]

    def own(self, symbol: str) -> tuple[Tunable, Value] | None:
        """Finds the tunable and value whose one line is that symbol as y, if a rule has them."""
        found = self.document("own", symbol)
        if found is None:
            return None
        tunable = self.tunable(found["tunable"])
        return tunable, tunable.values[found["value"]]

    def member(self, symbol: str) -> Member | None:
        """Finds the member of a group that the symbol is by itself, with what it requires."""
        found = self.document("alone", symbol)
        return self.tunable(found["tunable"]).members[found["member"]] if found else None


def record_names(notes: Mapping[str, Any]) -> list[str]:
    """The names of the lab's records that a tunable's notes cite: all that there are of it."""
    lines = (line.partition(decode.RECORD) for line in notes.get("effects", ()))
    return [name for before, _, name in lines if not before]


def asked_files(part: Any) -> Iterator[str]:
    """The files that conditions of a document ask for."""
    if isinstance(part, list) and part[:1] == ["shown"]:
        yield part[1]
    elif isinstance(part, list | dict):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from asked_files(inner)


def unpacked(packed: Any) -> Any:
    """A document as it is, be it that an index has it as text."""
    return json.loads(packed) if isinstance(packed, str) else packed
