"""What no schema can say: names that exist, words that the kernel reads, no circles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any

from advisor.errors import KnowledgeError, near
from advisor.knowledge.documents import Document, Documents, Problem
from advisor.knowledge.ownvalues import own_value_problems
from advisor.knowledge.store import Knowledge, record_names
from advisor.model import condition
from advisor.model.component import Component
from advisor.model.condition import Expr
from advisor.model.parameter import Parameter
from advisor.model.profile import Advice, Profile, Stance
from advisor.model.symptom import Symptom
from advisor.model.tunable import Tunable

# The names of values by kind of tunable, where its own list does not tell them; none: any.
_NAMES: dict[str, list[str]] = {
    "group": ["off", "partly", "on"],
    "number": [],
    "list": [],
    "text": [],
}


def check_references(knowledge: Knowledge, documents: Documents) -> None:
    """Checks that every name that these documents use exists in the knowledge. Raises
    KnowledgeError."""
    problems = _cycles(knowledge, documents)
    if not problems:
        for rule, messages in _by_rule(knowledge, documents):
            problems += placed(documents, rule, messages)
        for name, document in documents.profiles.items():
            problems += placed(documents, f"profile/{name}", _without(document, knowledge))
            problems += _profile_problems(knowledge.profile(name), knowledge, documents)
    if problems:
        raise KnowledgeError(problems)


def _by_rule(knowledge: Knowledge, documents: Documents) -> Iterator[tuple[str, Iterable[str]]]:
    """Yields each rule but those of profiles, with what is wrong with its names."""
    for name in documents.tunables:
        yield f"tunable/{name}", _tunable_problems(knowledge.tunable(name), knowledge)
        yield f"tunable/{name}", _record_problems(name, knowledge)
    for name in documents.parameters:
        yield f"parameter/{name}", _parameter_problems(knowledge.parameter(name), knowledge)
    for kind, entries in (("fact", documents.facts), ("name", documents.names)):
        for name, entry in entries.items():
            yield f"{kind}/{name}", expr_problems([entry.get("only_if")], knowledge)
    for name in documents.components:
        yield f"component/{name}", _component_problems(knowledge.component(name), knowledge)
    for name in documents.symptoms:
        yield f"symptom/{name}", _symptom_problems(knowledge.symptom(name), knowledge)
    for name in documents.programs:
        yield f"software/{name}", _program_problems(name, knowledge)
    for name, document in documents.readers.items():
        both = sorted(set(document.get("names", ())) & set(knowledge.ids("parameters")))
        told = (
            f"the name {word!r} is also a parameter of the kernel (rules/parameters)"
            for word in both
        )
        yield f"reader/{name}", told
        exprs = [remark.get("only_if") for remark in document.get("remark", ())]
        yield f"reader/{name}", expr_problems(exprs, knowledge)


def _program_problems(name: str, knowledge: Knowledge) -> Iterator[str]:
    program = knowledge.program(name)
    for called in program.names if program else ():
        other = knowledge.program(called)
        if other and other.id != name:
            yield f"the name {called!r} is also a name of the program {other.id}"
    for function in program.functions if program else ():
        needs = [*(part.needs for part in function.parts), function.instead_needs]
        yield from expr_problems(needs, knowledge)


def _symptom_problems(symptom: Symptom | None, knowledge: Knowledge) -> Iterator[str]:
    for name in (symptom.id, *symptom.names) if symptom else ():
        other = knowledge.symptom(name)
        if other and symptom and other.id != symptom.id:
            yield f"the name {name!r} is also a name of the symptom {other.id}"
    for cause in symptom.causes if symptom else ():
        if cause.tunable not in knowledge.ids("tunables"):
            hint = near(cause.tunable, knowledge.ids("tunables"))
            yield f"there is no tunable {cause.tunable!r}. {hint}".rstrip()
            continue
        tunable = knowledge.tunable(cause.tunable)
        names = _NAMES.get(tunable.kind, [value.name for value in tunable.values])
        for name in cause.values if names else ():
            if name not in names:
                yield f"{tunable.id} has no value {name!r}, only {', '.join(names)}"


def _record_problems(name: str, knowledge: Knowledge) -> Iterator[str]:
    """Records of the lab that the tunable names and cannot have."""
    notes = knowledge.document("notes", name) or {}
    for record in record_names(notes):
        if wrong := knowledge.measured.problem(record, name):
            yield wrong


def placed(documents: Documents, name: str, messages: Iterable[str]) -> list[Problem]:
    """Puts the rule's place before each message of what is wrong with it."""
    return [(documents.places[name], message) for message in messages]


# --- names ----------------------------------------------------------------------------------------


def _cycles(knowledge: Knowledge, documents: Documents) -> list[Problem]:
    """Profiles that extend what does not exist, and circles, through the built-in rules as well."""
    problems = []
    known = knowledge.profile_ids()
    for name, document in documents.profiles.items():
        for parent in document.get("extends", ()):
            if parent not in known:
                message = f"`extends` names {parent!r}, which is no profile. {near(parent, known)}"
                problems.append((documents.places[f"profile/{name}"], message.rstrip()))
    extends = {n: set((knowledge.document("fits", n) or {}).get("extends", ())) for n in known}
    tunables = knowledge.ids("tunables")
    named = {n: _tunables_named(knowledge.document("tunables", n)) for n in tunables}
    for kind, graph, what in (
        ("profile", extends, "profiles in `extends`"),
        ("tunable", named, "conditions"),
    ):
        if circle := _circle(graph):
            place = next(p for n in circle if (p := documents.places.get(f"{kind}/{n}")))
            problems.append((place, f"its {what} form a circle: {' -> '.join(circle)}"))
    return problems


def _without(document: Document, knowledge: Knowledge) -> Iterator[str]:
    """What a profile leaves out that it does not inherit."""
    parents = map(knowledge.profile, document.get("extends", ()))
    inherited = {advice.id for parent in parents for advice in parent.advice}
    for name in document.get("without", ()):
        if name not in inherited:
            hint = near(name, inherited)
            yield f"`without` names {name!r}, which the profile does not inherit. {hint}".rstrip()


def _tunables_named(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set().union(*map(_tunables_named, node.values()))
    if not isinstance(node, list):
        return set()
    if len(node) == 4 and node[0] == "is":
        return {node[1]}
    return set().union(*map(_tunables_named, node))


def _circle(graph: dict[str, set[str]]) -> list[str]:
    """A circle in a graph, its first node at both ends; nothing if there is none."""
    try:
        TopologicalSorter({node: sorted(graph[node]) for node in sorted(graph)}).prepare()
    except CycleError as error:
        nodes: list[str] = error.args[1][:0:-1]  # told from the end, as a graph of predecessors
        first = nodes.index(min(nodes))
        return [*nodes[first:], *nodes[: first + 1]]
    return []


def _tunable_problems(tunable: Tunable, knowledge: Knowledge) -> Iterator[str]:
    names = [value.name for value in tunable.values]
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield f"the value {name!r} is defined twice"
    if tunable.kind == "switch" and not {"on", "off"} <= set(names):
        yield "a switch needs the values `on` and `off`"
    defaults = [one.value for one in tunable.defaults] + [tunable.default]
    used = list(filter(None, defaults)) if names else []
    used += [name for rule in tunable.interpret for name in (*rule.names, rule.target)]
    for name in sorted(set(used) - set(names)):
        yield f"`default` or `interpret` names {name!r}, which is no value of the tunable"
    yield from expr_problems([one.only_if for one in tunable.defaults], knowledge)
    for value in tunable.values:
        for word in (*value.boot, *value.boot_else, *(w for words in value.reads for w in words)):
            yield from _word_problems(word, knowledge)
        exprs = [value.when, value.requires, value.boot_only_if, value.runtime_only_if]
        yield from expr_problems(exprs, knowledge)
    for member in tunable.members:
        yield from expr_problems([member.when, member.unless, member.requires], knowledge)
        for word in (*member.boot_on, *member.boot_off, *member.kept):
            yield from _word_problems(word, knowledge)
    if tunable.parameter and knowledge.parameter(tunable.parameter) is None:
        yield f"parameter {tunable.parameter!r} is not in rules/parameters"
    yield from expr_problems([tunable.only_if, tunable.requires], knowledge)
    yield from expr_problems([rule.only_if for rule in tunable.interpret], knowledge)


def _word_problems(word: str, knowledge: Knowledge) -> Iterator[str]:
    name, _, value = word.partition("=")
    parameter = knowledge.parameter(name.replace("-", "_"))
    vendors = knowledge.name(name)
    if parameter is None and vendors and vendors.kind == "out-of-tree":
        return  # a word of some vendor's kernels
    if parameter is None:
        yield f"boot parameter {word!r}: the parameter {name} is not in rules/parameters"
    elif parameter.words and not value.endswith("*"):
        known = [known for known, _ in parameter.words]
        parts = value.split(",") if parameter.joined and value not in known else [value]
        for part in parts:
            if part not in known and not any(
                k.endswith("*") and part.startswith(k[:-1]) for k in known
            ):
                yield f"boot parameter {word!r}: {name} accepts only {', '.join(known)}"
    elif (found := knowledge.named_in("boot", parameter.name)) and value and "*" not in value:
        component, place = found
        for part in place.names(value):
            if part not in (*component.names, "..."):
                yield f"boot parameter {word!r}: no {component.title} is called {part!r}"


def expr_problems(exprs: Iterable[Expr], knowledge: Knowledge) -> Iterator[str]:
    """Yield what is wrong with the names that these conditions use."""
    for expr in exprs:
        for atom in condition.atoms(expr):
            if atom[0] == "boot":
                # A word for user space tells of the machine: WSL_ROOT_INIT, that Windows starts it;
                # one that a patch brings counts where the condition asks for the patch as well.
                word = atom[1].partition("=")[0]
                patched = knowledge.name(word)
                of_patch = patched and condition.symbols(patched.only_if)
                if not knowledge.reader(word) and not of_patch:
                    yield from _word_problems(atom[1], knowledge)
            elif atom[0] == "is":
                _, name, _, value = atom
                known = knowledge.ids("tunables")
                if name not in known:
                    hint = near(name, known)
                    yield f"a condition names {name!r}, which is no tunable. {hint}".rstrip()
                elif (tunable := knowledge.tunable(name)).values and not tunable.value(value):
                    yield f"a condition names {value!r}, which is no value of the tunable {name}"


def _parameter_problems(parameter: Parameter | None, knowledge: Knowledge) -> Iterator[str]:
    if parameter is None:
        return
    exprs = [
        parameter.only_if,
        parameter.unless,
        parameter.guards_if,
        *(when for _, when in parameter.words),
    ]
    exprs += [remark.only_if for remark in parameter.remarks]
    yield from expr_problems(exprs, knowledge)
    for value in (value for remark in parameter.remarks for value in remark.values):
        if parameter.words and not value.endswith("*"):
            yield from _word_problems(f"{parameter.name}={value}", knowledge)
    if parameter.renamed and knowledge.parameter(parameter.renamed) is None:
        yield f"its new name {parameter.renamed!r} is not in rules/parameters"


def _component_problems(component: Component, knowledge: Knowledge) -> Iterator[str]:
    yield from expr_problems(component.conditions, knowledge)
    for place in component.places:
        if place.layer == "boot" and knowledge.parameter(place.name) is None:
            yield f"parameter {place.name!r} is not in rules/parameters"


def _profile_problems(
    profile: Profile, knowledge: Knowledge, documents: Documents
) -> Iterator[Problem]:
    ids = [advice.id for advice in profile.advice]
    for advice in profile.advice:
        place = documents.places.get(f"profile/{profile.id}/{advice.id}")
        if place is None:  # inherited, and checked where it stands
            continue
        if ids.count(advice.id) > 1:
            yield place, f"advice {advice.id!r} is defined twice"
        for message in _advice_problems(advice, knowledge):
            yield place, f"advice {advice.id!r}: {message}"


def _advice_problems(advice: Advice, knowledge: Knowledge) -> Iterator[str]:
    yield from expr_problems(
        [advice.only_if, advice.unless, *(option.unless for option in advice.options)], knowledge
    )
    yield from _unknown_programs(advice, knowledge)
    for option in advice.options:
        if option.tunable not in knowledge.ids("tunables"):
            hint = near(option.tunable, knowledge.ids("tunables"))
            yield f"there is no tunable {option.tunable!r}. {hint}".rstrip()
            continue
        if advice.stance is Stance.AVOID and not option.avoid:
            yield "the stance `avoid` needs a list `avoid`"
        if advice.stance in (Stance.WANT, Stance.KEEP) and not option.want:
            yield f"the stance `{advice.stance.value}` needs a list `want`"
        tunable = knowledge.tunable(option.tunable)
        names = _NAMES.get(tunable.kind, [value.name for value in tunable.values])
        if advice.stance is not Stance.NEUTRAL and not advice.cost and not tunable.cost:
            for value in tunable.values:
                if value.name in option.want + option.accept and not value.cost:
                    yield f"no `cost` in the advice, in {tunable.id} or in its value {value.name!r}"
        for name in (*option.want, *option.accept, *option.avoid):
            if names and name not in names and name != "*":
                yield f"{option.tunable} has no value {name!r}, only {', '.join(names)}"
        yield from own_value_problems(advice, option, names)


def _unknown_programs(advice: Advice, knowledge: Knowledge) -> Iterator[str]:
    for one in advice.needed_by:
        if one.title:
            continue
        program = knowledge.program(one.program)
        functions = program.functions if program else ()
        known = [f"{one.program}/{function.id}" for function in functions]
        hint = near(f"{one.program}/{one.function}", known or knowledge.ids("programs"))
        asked = f"{one.program}/{one.function}"
        yield f"`needed_by` names {asked}, which is no function. {hint}".rstrip()
