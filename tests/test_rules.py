"""The built-in rules and profiles, file by file: schema, names, examples, sources.

`kernel-advisor rules lint` asks the same, and more shortly; here a failure names the file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine.judgement.judge import runtime_only
from advisor.errors import UsageError
from advisor.knowledge import folders, index
from advisor.knowledge.derive import derived
from advisor.knowledge.documents import Documents
from advisor.knowledge.files import profile_files, rule_files, software_files
from advisor.knowledge.load import compile_files
from advisor.knowledge.lookup import lookup
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge
from advisor.lint.examples import check_examples
from advisor.model import condition

from . import corpus
from .cases import each

RULES, PROFILES, _ = map(Path, folders.roots())
FILES = {
    str(Path(file.path).relative_to(RULES.parent)): file
    for file in (
        *rule_files(str(RULES)),
        *profile_files(str(PROFILES)),
        *software_files(folders.software()),
    )
}
TUNABLES = [Path(name).stem for name, file in FILES.items() if file.kind == "tunable"]
# A place in the kernel itself: its code, its Kconfig, its documentation, a change of it.
PRIMARY = {"kconfig", "code", "doc", "commit"}


def alone(name):
    """A file, with what holds for its folder beside what holds for all."""
    shared = FILES.get(f"{Path(name).parent}/repository.toml")
    return [shared, FILES[name]] if shared and shared != FILES[name] else [FILES[name]]


every_file = each("name", FILES, group=lambda name: str(Path(name).parent))


@pytest.fixture(scope="module")
def knowledge():
    """All of it, from the files as they are."""
    documents = compile_files(list(FILES.values()), check=False)
    sections = index.sections(documents)
    return corpus.remembering(Knowledge({**sections, **derived(sections)}))


@pytest.fixture(scope="module")
def documents():
    """The documents of one file, each compiled once."""
    found: dict[str, Documents] = {}

    def of(name):
        if name not in found:
            found[name] = compile_files(alone(name), check=False)
        return found[name]

    return of


def test_there_is_something_to_check():
    kinds = {file.kind for file in FILES.values()}
    assert kinds == {
        "tunable",
        "parameters",
        "names",
        "lifecycle",
        "successors",
        "symptoms",
        "components",
        "authorities",
        "protections",
        "kernel",
        "exceptions",
        "profile",
        "repository",
        "software",
        "modules",
    }


@every_file
def test_schema(name):
    compile_files(alone(name), check=True)


@every_file
def test_examples_hold(name, knowledge, documents):
    assert list(check_examples(knowledge, documents(name))) == []


def test_names_that_are_used_exist_and_nothing_runs_in_a_circle_or_stands_twice():
    documents = compile_files(list(FILES.values()), check=False)
    sections = index.sections(documents)
    check_references(Knowledge({**sections, **derived(sections)}), documents)


def sources(node):
    """Every source below a document."""
    if isinstance(node, list):
        return [source for part in node for source in sources(part)]
    if not isinstance(node, dict):
        return []
    below = [source for key, part in node.items() if key != "source" for source in sources(part)]
    return [*below, *node.get("source", [])]


@every_file
def test_every_source_is_one_click_away(name, knowledge, documents):
    from advisor.model.rules import Source

    found = documents(name)
    below = sources([*index.sections(found).values(), found.authorities])
    given = [source for source in below if isinstance(source, dict)]
    assert given or FILES[name].kind in (
        "lifecycle", "successors", "exceptions", "repository", "modules",
    )  # fmt: skip
    urls = [Source(**source).url for source in given]
    assert [url for url in urls if not url.startswith("https://")] == []
    assert [url for url in urls if any(space in url for space in " \t\n")] == []


@each("name", TUNABLES)
def test_every_tunable_has_a_primary_source(name, knowledge):
    assert PRIMARY & {source.kind for source in knowledge.notes(name).sources}


@each("name", TUNABLES)
def test_every_measured_effect_has_its_context(name, knowledge):
    for effect in knowledge.notes(name).effects:
        assert effect.context
        assert effect.source


@each("name", TUNABLES)
def test_every_value_that_can_be_set_is_in_an_example(name, knowledge, documents):
    named = (Path(path) for path in FILES if Path(path).stem == name)
    # Parameters may stand in a file of the same name.
    (file,) = (
        str(path) for path in named if path.parts[0] == "rules" and "parameters" not in path.parts
    )
    shown: set[str] = set()
    for example in documents(file).examples[f"tunable/{name}"]:
        effective = example["effective"]
        shown |= set(effective) if isinstance(effective, list) else {effective}
    spelled = [v.name for v in knowledge.tunable(name).values if v.sets or v.boot]
    assert [value for value in spelled if value not in shown] == []


def test_every_old_name_leads_somewhere(knowledge):
    """What `explain` sends its reader to is there."""
    lost = []
    for name in knowledge.ids("names"):
        for seen in knowledge.name(name).see:
            try:
                lookup(seen, knowledge)
            except UsageError:
                lost.append(f"{name}: see {seen}")
    for name in knowledge.ids("parameters"):
        renamed = knowledge.parameter(name).renamed
        if renamed and knowledge.parameter(renamed) is None:
            lost.append(f"{name}: renamed to {renamed}")
    assert lost == []


def test_no_symbol_is_renamed_in_a_circle(knowledge):
    for start in knowledge.ids("renames"):
        path = [start]
        while (rename := knowledge.rename(path[-1])) and rename.new:
            assert rename.new not in path, f"{' -> '.join(path)} -> {rename.new}"
            path.append(rename.new)


def test_every_tunable_is_known_by_its_own_names(knowledge):
    from advisor.knowledge.lookup import names_of

    for tunable in knowledge.tunables():
        for name in names_of(tunable, knowledge):
            if "*" not in name:
                assert tunable in lookup(name, knowledge).tunables, f"{tunable.id}: {name}"


# How much memory to set aside only the site knows: what is accepted beside it has a way.
_SIZED_BY_THE_SITE = {("diagnosis", "crash-dump", "on")}


def test_what_is_wanted_has_a_way(knowledge):
    """A line, a word, a file, or that words are left out: else it could only be called blocked."""
    without = set()
    for profile in map(knowledge.profile, knowledge.ids("profiles")):
        for advice in profile.advice:
            for option in advice.options:
                tunable = knowledge.tunable(option.tunable)
                left_out = {tunable.default, *(default.value for default in tunable.defaults)}
                for name in set(option.want) - left_out:
                    value = tunable.value(name)
                    if value and not (
                        value.sets or value.boot or value.reads or value.sysctl or value.sysfs
                    ):
                        without.add((profile.id, advice.id, name))
    assert without == _SIZED_BY_THE_SITE


def test_what_is_set_at_run_time_only_is_nothing_to_an_earlier_kernel(knowledge, make_world):
    """No line of a configuration tells that such a file or sysctl came later: the rule has to."""
    checked = 0
    for tunable in filter(runtime_only, knowledge.tunables()):
        since = knowledge.notes(tunable.id).since
        named = condition.symbols(tunable.only_if)
        symbols = [one for one in named if f"!{one}" not in condition.show(tunable.only_if)]
        if not since or any(_came_with(symbol, since, knowledge) for symbol in symbols):
            continue
        before = tuple(int(number) for number in since.split("."))
        earlier = f"{before[0]}.{before[1] - 1}" if before[1] else f"{before[0] - 1}.19"
        asked = [tuple(atom)[1:] for atom in condition.atoms(tunable.only_if) if atom[0] == "fact"]
        assert ("kernel", ">=", since) in asked, tunable.id
        config = " ".join(f"{symbol}=y" for symbol in symbols)
        world = make_world(config, kernel=earlier, knowledge=knowledge)
        assert world.evaluate(tunable.only_if) is False, tunable.id
        checked += 1
    assert checked > 8


def _came_with(symbol, since, knowledge):
    """Whether a configuration of an earlier kernel cannot name the symbol."""
    seen = knowledge.catalogue.seen(symbol)
    first = knowledge.catalogue.kernels[seen.spans()[0][0]].version
    return first.numbers >= tuple(int(number) for number in since.split("."))
