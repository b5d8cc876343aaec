"""The ways to a wanted value without a rebuild: at run time, and on the boot line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from advisor.engine.impossible import is_capability
from advisor.engine.joining import place_of_built_in
from advisor.engine.state import World
from advisor.engine.what_if import cleared, merged, rebooted, world_with
from advisor.inputs.config import unquote
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.kernel import Layer
from advisor.model.report import LACK, Origin, Remedy, RemedyKind, Setting, State
from advisor.model.rules import LIST, Tunable, extended, filled
from advisor.model.saying import said

Test = Callable[[str], bool]
_NOTHING: frozenset[str] = frozenset()
# What a condition asks beside symbols, as a sentence has it.
_FACTS = {
    "arch": "the architecture", "kernel": "the version", "cpus": "the number of CPUs",
    "nodes": "the number of NUMA nodes", "memory": "the amount of memory",
    "vendor": "the vendor of the processors", "virtual": "whether it is a guest",
    "hypervisor": "what it is a guest of",
    "efi": "whether it boots by EFI", "backports": "what its vendor backported",
    "release": "the release that brought it",
}  # fmt: skip


def runtime_remedy(
    tunable: Tunable, name: str, world: World, may_lack: bool = False
) -> Remedy | None:
    """The run-time path to a value, where this kernel has it and lets it be written.

    Of a fragment, or where no configuration is known, only where its lines tell so, or a file that
    lists what can be written, unless what they do not tell `may_lack`.
    """
    remedy = _written(tunable, name, world, may_lack)
    return None if remedy is None or _refused(remedy, world) else remedy


def refusals(tunable: Tunable, names: Iterable[str], world: World) -> list[str]:
    """Why this kernel lets nobody write these values where it has a run-time path to them."""
    ways = (_written(tunable, name, world, may_lack=False) for name in names)
    reasons = (_refused(remedy, world) for remedy in ways if remedy)
    return list(dict.fromkeys(filter(None, reasons)))


def no_way(names: Iterable[str], tunable: Tunable, world: World) -> str:
    """What this kernel lacks to have these values set at run time, where all of them need something
    that it surely has not."""
    known = list(filter(None, map(tunable.value, names)))
    conditions = [value.runtime_when for value in known]
    if not known or any(world.evaluate(one) is not False for one in conditions):
        return ""
    lacks = (said(condition.lacking(one, world)) for one in conditions)
    return f"it can be set only where {' or '.join(dict.fromkeys(lacks))}"


def _refused(remedy: Remedy, world: World) -> str:
    return next(filter(None, (world.files.refuses(one.key) for one in remedy.settings)), "")


def _written(tunable: Tunable, name: str, world: World, may_lack: bool) -> Remedy | None:
    """The run-time path to a value, where this kernel has it, whether or not it may be written."""
    value = tunable.value(name)
    if value is not None:
        pairs = [*value.sysctl, *value.sysfs]
    elif name == tunable.default and not name[:1].isdigit():
        pairs = []  # "the kernel's own choice" is nothing that can be written
    else:
        number = name.partition("..")[0]
        pairs = [(path, number) for path in (tunable.sysctl, tunable.sysfs) if path]
    allowed = world.evaluate(value.runtime_when) if value else True
    missing = condition.unknowns(allowed)
    partial = not world.config.complete and not may_lack
    if not pairs or allowed is False or "arch" in missing:
        return None
    if partial and any(name.isupper() for name in missing) and not world.files.offer(pairs):
        return None
    return Remedy(RemedyKind.RUNTIME, name, settings=tuple(Setting(*pair) for pair in pairs))


def at_stake(remedy: Remedy, tunable: Tunable, world: World) -> frozenset[str]:
    """What would tell whether this machine takes what the remedy writes at run time."""
    value = tunable.value(remedy.value)
    when = value.runtime_when if value and remedy.kind is RemedyKind.RUNTIME else None
    return condition.unknowns(world.evaluate(when))


def untold_needs(tunable: Tunable, remedies: Sequence[Remedy], world: World) -> str:
    """What has to be on for a rebuild, the only or first way, and of which a fragment says nothing;
    empty if there is no such thing."""
    first = remedies[0] if remedies else None
    if first is None or first.kind is not RemedyKind.REBUILD:
        return ""
    value = tunable.value(first.value)
    requires = value.requires if value else tunable.requires
    missing = condition.unknowns(world_with(world, first.changes).evaluate(requires))
    names = sorted(name for name in missing & {*_to_be_on(requires)} if not _goes_on(name, world))
    return f"the rebuild needs {' and '.join(names)} too, of which no line tells" if names else ""


def _goes_on(name: str, world: World) -> bool:
    """Whether a symbol is on that no defconfig names: what a told architecture has, where it can be
    on at all, and what it does not ask for as others do (SMP on arm64)."""
    if name in world.knowledge.fact("given").names or name.startswith("HAVE_"):
        return True
    if world.subject.kernel is None or world.subject.machine.arch is None:
        return False
    return is_capability(name) or world.is_settled(name)


def _to_be_on(requires: Expr) -> Iterator[str]:
    """The symbols that a condition wants on, not those that it wants off."""
    tag = condition.operator_of(requires)
    if tag in ("&", "|"):
        for part in condition.operands(requires):
            yield from _to_be_on(part)
    elif tag == "on":
        yield condition.term(requires)[1]


def boot_change(
    tunable: Tunable, targets: Iterable[str], state: State, good: Test, world: World
) -> Remedy | None:
    """The change of the boot line that gives a wanted value, where a boot of what is there does not
    (comes_back): dropping words, or adding some."""
    replaced = _replaced(world)
    shorter = _without_built_in(tunable, state, world) if replaced else None
    if shorter and gives(shorter, tunable, good, world):
        return shorter
    for candidate in _boot_candidates(tunable, targets, state, world):
        remedy = candidate
        if replaced and candidate.words:
            words = tuple(merged(replaced, candidate.words, world))
            own = () if world.subject.cmdline else set(replaced) - set(candidate.words)
            repeats = tuple(word for word in words if word in own)
            remedy = candidate._replace(words=words, repeats=repeats)
        if gives(remedy, tunable, good, world):
            return _settled(remedy, tunable, good, world)
    return None


def comes_back(tunable: Tunable, good: Test, world: World) -> bool:
    """Whether a boot of what is there gives a wanted value, against what run time shows now."""
    told = world.subject.sysctl or world.subject.sysfs
    return bool(told) and gives(Remedy(RemedyKind.BOOT, ""), tunable, good, world)


def _replaced(world: World) -> list[str]:
    """The built-in words that the first word on the boot loader's empty line would replace."""
    if world.line.own() or place_of_built_in(world.subject) != "fallback":
        return []
    return [word.text for word in world.line.words]


def _without_built_in(tunable: Tunable, state: State, world: World) -> Remedy | None:
    """The line that says what the built-in one does, which it replaces, but for the words that
    decide; none where it would be empty, since the built-in one counts then."""
    wrong = {origin.text for origin in state.origins}
    kept = [
        word.text for word in world.line.words if word.text not in wrong or world.line.guards(word)
    ]
    if not kept or len(kept) == len(world.line.words):
        return None
    remedy = Remedy(RemedyKind.BOOT, "", words=tuple(kept))
    after = rebooted(world, remedy).value(tunable.id)
    return remedy._replace(value=next(iter(after.effective), "") if after else "")


def _settled(remedy: Remedy, tunable: Tunable, good: Test, world: World) -> Remedy:
    """The remedy with what it takes along, unless the value rests on that."""
    if not world.line.own():
        return remedy
    from advisor.engine.settle import settled

    whole = settled(remedy, world, rebooted)
    return whole if whole == remedy or gives(whole, tunable, good, world) else remedy


def gives(remedy: Remedy, tunable: Tunable, good: Test, world: World) -> bool:
    """Whether the tunable is as wanted after a boot with the change; of a group in a file that is
    not whole, every member that is told."""
    after = rebooted(world, remedy).value(tunable.id)
    if after is None or not after.effective:
        return False
    if tunable.kind == "group" and not world.config.complete and good(remedy.value):
        return bool(remedy.words or remedy.drop) and not (
            after.off if remedy.value == "on" else after.on
        )
    return all(map(good, after.effective))


def _boot_candidates(
    tunable: Tunable, targets: Iterable[str], state: State, world: World
) -> Iterable[Remedy]:
    drop = _droppable(state.origins, world)
    if drop:
        value = next(iter(world.built(tunable).values), "")
        yield from _shortened(tunable, Remedy(RemedyKind.BOOT, value, drop=drop), world)
    for name in targets:
        if tunable.kind == "group":
            yield from _group_words(tunable, name, state, world)
            continue
        words, others = boot_words(tunable, name, world), [*_other_words(tunable, name, world)]
        if words:
            remedy = _with_words(name, drop, words, world)
            yield _with_lists(remedy, world) if tunable.kind == "list" else remedy
        for word in others:
            yield _with_words(name, drop, (word,), world)
        if words and others:  # as many as it takes, the fewest first
            yield _with_words(name, drop, (*others, *words), world)
        if not (words or others or world.config.complete) and _is_open(tunable, name, world):
            return  # what a fragment leaves open is no reason to settle for another value


def _with_words(name: str, drop: tuple[str, ...], words: tuple[str, ...], world: World) -> Remedy:
    """The remedy that adds these words; those of the same parameters, in whose place they stand,
    go as well."""
    own = [word.text for word in world.line.own()]
    stay = {*cleared(own, words, world), *words}
    gone = dict.fromkeys((*drop, *(text for text in own if text not in stay)))
    return Remedy(RemedyKind.BOOT, name, words=words, drop=tuple(gone))


def _shortened(tunable: Tunable, remedy: Remedy, world: World) -> Iterable[Remedy]:
    """The remedy that leaves words out, and with what then decides left out as well, and so on:
    behind idle=halt, nohz=off may stand in the way of the same end."""
    while True:
        yield remedy
        after = rebooted(world, remedy)
        state = after.state(tunable.id)
        further = set(_droppable(state.origins, after)) - set(remedy.drop) if state else set()
        if not further:
            return
        drop = (word.text for word in world.line.own() if word.text in {*remedy.drop, *further})
        value = next(iter(after.built(tunable).values), "")
        remedy = remedy._replace(value=value, drop=tuple(dict.fromkeys(drop)))


def _with_lists(remedy: Remedy, world: World) -> Remedy:
    from advisor.engine.settle import with_lists

    return with_lists(remedy, world)


def _droppable(origins: Iterable[Origin], world: World) -> tuple[str, ...]:
    """Those that are words of the boot loader's line, and of which no remedy takes protection."""
    texts = {origin.text for origin in origins}
    return tuple(
        word.text
        for word in world.line.own()  # a built-in word takes a rebuild
        if word.text in texts and not world.line.guards(word)
    )


def _group_words(tunable: Tunable, name: str, state: State, world: World) -> Iterable[Remedy]:
    """Every member that is not as wanted, switched on the boot line; none if one cannot be."""
    wrong = dict(state.on if name == "off" else state.off)
    words: list[str] = []
    drop: list[str] = []
    for member in tunable.members:
        origin = wrong.get(member.name)
        if origin is None:
            continue
        switches = member.boot_off if name == "off" else member.boot_on
        if origin.layer is Layer.BOOT and not origin.text.startswith(LACK):
            # All words of the user's line that keep it from being so; there may be several.
            against = member.boot_on if name == "off" else member.boot_off
            words_against = (word for switch in against for word in world.line.matching(switch))
            drop += [word.text for word in words_against if word.layer is Layer.BOOT]
        elif switches and world.line.honours(switches[0]).truth is True:
            words.append(world.line.spell(switches[0]))
        else:
            return
    # One word may decide several members.
    added, dropped = (tuple(dict.fromkeys(texts)) for texts in (words, drop))
    yield Remedy(RemedyKind.BOOT, name, words=added, drop=dropped)


def boot_words(tunable: Tunable, name: str, world: World) -> tuple[str, ...]:
    """The words that give a value on this kernel's boot line, without those that are for another
    kernel's or machine's driver; empty where it would ignore all of them, or may ignore one."""
    value = tunable.value(name)
    if value and world.evaluate(value.boot_when) is not True:
        return ()
    truths = {word: world.line.honours(word).truth for word in spelled(tunable, name, world)}
    if not set(truths.values()) <= {True, False}:
        return ()
    return tuple(word for word, truth in truths.items() if truth is True)


def _other_words(tunable: Tunable, name: str, world: World) -> Iterator[str]:
    """The words of which each alone may give a value where those of its own do not count."""
    value = tunable.value(name)
    for word in value.boot_else if value else ():
        parameter, is_list, addition = word.partition(f"={LIST}")
        owned = _lists_of(parameter, world) if is_list else ()
        written = [f"{parameter}={extended(one, addition)}" for one in owned] if is_list else [word]
        yield from (one for one in written if world.line.honours(one).truth is True)


def _lists_of(name: str, world: World) -> list[str]:
    """The list that a parameter has on the line, or else the compiled one that it would replace;
    none where neither is known."""
    if given := world.line.counting(name):
        return [word.value or "" for word in given]
    parameter = world.knowledge.parameter(name)
    compiled = world.config.get(parameter.stands_for) if parameter else None
    return [unquote(compiled)] if compiled else []


def _is_open(tunable: Tunable, name: str, world: World) -> bool:
    """Whether symbols that were not told decide if the boot line can give the value."""
    value, words = tunable.value(name), spelled(tunable, name, world)
    truths = [world.line.honours(word).truth for word in words]
    truths += [world.evaluate(value.boot_when)] if value and words else []
    missing = _NOTHING.union(*map(condition.unknowns, truths))
    return False not in truths and any(name.isupper() for name in missing)


def spelled(tunable: Tunable, name: str, world: World) -> tuple[str, ...]:
    """The words for a value, under the names that this kernel knows."""
    value = tunable.value(name)
    words = [filled(word, world.subject.machine) for word in (value.boot if value else ())]
    # A number and a list of CPUs stand on the boot line as they are.
    as_it_is = name[:1].isdigit() or (tunable.kind == "list" and name != tunable.default)
    if value is None and tunable.parameter and as_it_is:
        words = [f"{tunable.parameter}={name.partition('..')[0]}"]
    plain = [word for word in words if word]
    return tuple(map(world.line.spell, plain)) if len(plain) == len(words) else ()


def unheard(tunable: Tunable, names: Iterable[str], world: World) -> list[str]:
    """Why this kernel would not follow the words for these values."""
    words = dict.fromkeys(word for name in names for word in spelled(tunable, name, world))
    rulings = [(word, world.line.honours(word)) for word in words]
    # What is void is explained by a sentence of the rules, which names the word itself.
    return [
        ruling.reason if ruling.cause == "void" else f"{word} {ruling.reason}"
        for word, ruling in rulings
        if ruling.truth is False
    ]


def is_too_new(tunable: Tunable, name: str, world: World) -> bool:
    """Whether all words for a value are of later releases than this kernel's."""
    rulings = [world.line.honours(word) for word in spelled(tunable, name, world)]
    return bool(rulings) and all(r.truth is False and r.cause == "new" for r in rulings)


def undecided(tunable: Tunable, names: Iterable[str], world: World) -> frozenset[str]:
    """What would tell whether there is a way to these values, where none can be offered yet."""
    missing: set[str] = set()
    for name in names:
        value = tunable.value(name)
        truths = [world.line.honours(word).truth for word in spelled(tunable, name, world)]
        truths += (
            [world.evaluate(when) for when in (value.boot_when, value.runtime_when)]
            if value
            else []
        )
        missing.update(*map(condition.unknowns, truths))
    told = {"kernel": world.subject.kernel, "arch": world.subject.machine.arch}
    # Whether a release has a backport no further number tells.
    missing -= {name for name, fact in told.items() if fact is not None}
    return frozenset(missing or (name for name, fact in told.items() if fact is None))


def with_line(remedy: Remedy, tunable: Tunable, good: Test, world: World) -> Remedy | str:
    """A rebuild that counts with the present boot line: without the words that would undo it, or
    why it would not count all the same.
    """
    while True:
        after = rebooted(world, remedy)
        state = after.value(tunable.id)
        if state is None or not state.effective or all(map(good, state.effective)):
            break
        state = after.state(tunable.id) or state
        if any(map(good, state.effective)):
            break
        wrong = state.on if remedy.value == "off" else state.off
        origins = (*state.origins, *(origin for _, origin in wrong))
        if not set(_droppable(origins, world)) - set(remedy.drop):
            # What is left of a group is told beside it.
            why = state.why or _undone_by(tunable, state, world)
            return why if why and not state.on else remedy
        remedy = _without(remedy, origins, world)
    if state and not all(map(good, state.effective)):
        # Where a word makes only doubtful what would be certain without it, it goes too.
        certain = _without(remedy, state.origins, world)
        remedy = certain if gives(certain, tunable, good, world) else remedy
    return _conditional(_settled(remedy, tunable, good, world), tunable, good, world)


def _undone_by(tunable: Tunable, state: State, world: World) -> str:
    """What on the boot line a rebuild does not win over, since it stays; empty if nothing is."""
    if tunable.kind == "group":
        return ""
    words = {word.text for word in world.line.own()}
    kept = [origin.text for origin in state.origins if origin.text in words]
    return f"{' and '.join(kept)} on the boot line would win over a rebuild" if kept else ""


def _without(remedy: Remedy, origins: Iterable[Origin], world: World) -> Remedy:
    """The remedy that also takes out what of these are words of the boot loader's line."""
    return remedy._replace(drop=tuple(dict.fromkeys((*remedy.drop, *_droppable(origins, world)))))


def said_of(name: str) -> str:
    """What would tell more, as a sentence has it: a symbol by its name, a fact in words."""
    return _FACTS.get(name, name)


def _conditional(remedy: Remedy, tunable: Tunable, good: Test, world: World) -> Remedy:
    """The remedy, and what it rests on that these inputs do not tell."""
    after, before = rebooted(world, remedy).value(tunable.id), world.value(tunable.id)
    if after is None or all(map(good, after.effective)):
        return remedy
    new = sorted(after.missing - (before.missing if before else frozenset()))
    names = " and ".join(map(said_of, new))
    told = f"whether a rebuild is enough rests on {names}, which these inputs do not tell"
    return remedy._replace(left=(*remedy.left, told)) if new else remedy
