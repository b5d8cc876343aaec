"""What a kernel can run, as a page: a line a program, and below it what to add."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import reduce

from advisor.errors import and_more
from advisor.model.software import Abilities, Ability, Answer, Fix, Judged, missing, shortly
from advisor.output import factwords, phrases
from advisor.output.page import (
    Code,
    Document,
    Inline,
    Page,
    Row,
    Section,
    codes,
    joined,
    listing,
    mode,
    most,
)

_FEW = 3
_COLUMNS = ("Program", "Answer", "To add")


def document(abilities: Sequence[Abilities], format: str) -> Document:
    """Return what each kernel can run, a page each."""
    return Document("What a kernel can run", "can", tuple(_page(one, format) for one in abilities))


def _page(abilities: Abilities, format: str) -> Page:
    where = factwords.kernel(abilities.kernel, abilities.arch)
    facts = (Row("subject", (f"{abilities.name}: {where}",), part="subject"),)
    if not format.startswith("text"):
        facts = (Row("kernel", (where,)),)
    return Page(
        abilities.name, ("What it can run: ", Code(abilities.name)), verdict(abilities),
        abilities.failed, facts, tuple(_sections(abilities, format)),
    )  # fmt: skip


def verdict(abilities: Abilities) -> str:
    """Return how many programs there are of each answer: `2 can run, 1 cannot.`"""
    counts = dict.fromkeys(Answer, 0)
    for one in abilities.programs:
        counts[one.answer] += 1
    said = {
        Answer.YES: "can run", Answer.PARTLY: "can run in part", Answer.NO: "cannot run",
        Answer.UNKNOWN: "not known", Answer.ELSEWHERE: "not for this architecture",
    }  # fmt: skip
    return f"{', '.join(f'{n} {said[a]}' for a, n in counts.items() if n)}."


def _sections(abilities: Abilities, format: str) -> Iterator[Section]:
    is_whole = format != "text"
    every = abilities.every and not format.endswith("--verbose")
    rows = [row for one in abilities.programs for row in _rows(one, every, is_whole)]
    cells = tuple(_cells(one) for one in abilities.programs)
    yield Section(
        "programs", "Programs", mode("programs", format), items=tuple(rows),
        columns=_COLUMNS, cells=cells,
    )  # fmt: skip
    yield from listing("clashes", "Programs with contradicting needs", _clashes(abilities), format)
    for one in abilities.programs:
        yield from listing("functions", f"{one.program.title}: functions", _functions(one), format)


# --- a program ------------------------------------------------------------------------------------


def sentence(one: Ability) -> str:
    """Return the answer in one line: `no: network namespaces (NET_NS is off)`."""
    if one.answer is Answer.NO:
        lacking = [j for j in one.lacking if j.function.is_start or one.asked]
        return f"no: {and_more([_lacking(judged) for judged in lacking], _FEW, '; ')}"
    if one.answer is Answer.UNKNOWN:
        unknown = [j for j in one.open if j.function.is_start or one.asked]
        inputs = frozenset().union(*(judged.inputs for judged in unknown))
        titles = and_more([judged.function.title for judged in unknown], _FEW)
        return f"not known: {titles} (give {give(inputs)})"
    if one.answer is Answer.ELSEWHERE:
        return f"{one.answer.value}: {_of([j for j in one.functions if j.answer is one.answer])}"
    if one.answer is Answer.PARTLY:
        return f"only without {and_more([_lacking(judged) for judged in one.lacking], _FEW, '; ')}"
    if one.modules:
        if len(one.modules) == 1:
            return f"yes, once the module {one.modules[0]} is loaded"
        return f"yes, once the modules {shortly(one.modules)} are loaded"
    return "yes"


def _of(elsewhere: Sequence[Judged]) -> str:
    """Return functions with their architectures: `Intel's drivers (x86)`."""
    told = (f"{one.function.title} ({', '.join(one.function.arch)})" for one in elsewhere)
    return and_more(tuple(told), _FEW)


def _clashes(abilities: Abilities) -> Iterator[Row]:
    """Yield each symbol that one program needs on and another one off, with what each says."""
    for clash in abilities.clashes:
        rows = tuple(Row("", (ask.told,)) for ask in clash.asks)
        yield Row("", (Code(clash.symbol),), rows)


def _lacking(judged: Judged) -> str:
    """Return a function, and why it is not there: `seccomp filters (SECCOMP is off)`."""
    title, _, _ = judged.function.title.partition(" (")
    return f"{title} ({missing(judged.lacks)})"


def give(inputs: frozenset[str]) -> str:
    """Return what has to be given for a program to be judged: options, or a whole configuration."""
    return phrases.inputs(inputs)


def _rows(one: Ability, every: bool, is_whole: bool) -> Iterator[Row]:
    """Yield the line of a program and, unless `every` program is told, what to add."""
    yield Row(_called(one), (sentence(one),))
    for label, text in () if every else _additions(one, is_whole or bool(one.asked)):
        yield Row("", (f"{label}: ", *text))


def _called(one: Ability) -> str:
    version = f"@{one.version}" if one.version else ""
    function = f":{one.asked}" if one.asked else ""
    return f"{one.program.id}{version}{function}"


def _cells(one: Ability) -> tuple[Inline, ...]:
    additions = [(f"{label}: ", *text) for label, text in _additions(one, is_whole=True)]
    return ((Code(_called(one)),), (sentence(one),), joined(additions, "; "))


def _additions(one: Ability, is_whole: bool) -> Iterator[tuple[str, Inline]]:
    """Yield what makes run what lacks something, by kind, first what is needed to start; and what
    may be given besides. Unless it is to be whole, a program that does not start has that alone,
    and one that does the first names of each kind, without what these need."""
    start = [judged for judged in one.lacking if judged.function.is_start]
    rest = [judged for judged in one.lacking if not judged.function.is_start]
    both = bool(start and rest)
    first, others = ("to start, ", "for the other functions, ") if both else ("", "")
    few = None if is_whole or start else most("names of a group", "text")
    told = reduce(Fix.plus, map(_fix, start), Fix())
    yield from _kinds(told, first, few)
    if both and not is_whole:
        yield f"for {phrases.counted(len(rest), 'other function')}", ("-v lists what to add",)
    else:
        yield from _kinds(reduce(Fix.plus, map(_fix, rest), Fix()).without(told), others, few)
    if one.answer is not Answer.ELSEWHERE and (elsewhere := one.elsewhere):
        yield Answer.ELSEWHERE.value, (_of(elsewhere),)
    for judged in one.lacking if is_whole or len(one.lacking) == 1 else start:
        if judged.function.instead:
            yield f"instead of {judged.function.title}", (judged.function.instead,)


def _kinds(fix: Fix, whose: str, few: int | None) -> Iterator[tuple[str, Inline]]:
    """Yield what to add, by kind, and of each the first few names (None: all)."""
    for label, texts in (
        ("rebuild with", fix.lines), ("add to the boot line", fix.words),
        ("remove from the boot line", fix.drop), ("set", settings(fix)),
    ):  # fmt: skip
        left = len(texts) - len(texts[:few])
        more = (f" and {left} more (-v lists them)",) if left else ()
        if texts:
            yield f"{whose}{label}", (*codes(texts[:few]), *more)
    if few is not None and any((fix.lines, fix.words, fix.drop, fix.settings)):
        return
    yield from ((f"{whose}needs", (text,)) for text in _needs(fix))


def _needs(fix: Fix) -> Iterator[str]:
    """Yield what the lines of a fix rest on, and why nothing is enough."""
    lines = {change.symbol for change in fix.changes}
    behind, derived = _parted(fix.hidden, lines)
    if behind:
        yield f"the dependencies of {shortly(behind)} (--tree DIR finds these)"
    if derived:
        yield f"other options, which switch on {shortly(derived)}"
    behind, derived = _parted(fix.unproven, lines)
    if behind:
        yield f"dependencies of {shortly(behind)} that no line here sets (--tree DIR finds these)"
    if derived:
        yield f"an option that switches on {shortly(derived)}, if these lines do not switch it on"
    if fix.why:
        yield "; ".join(fix.why)


def _parted(names: Sequence[str], lines: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the options that have a line, and those that have none."""
    own = [name for name in names if name in lines]
    return own, [name for name in names if name not in lines]


def _fix(judged: Judged) -> Fix:
    return reduce(Fix.plus, (lack.fix for lack in judged.lacks), Fix()).opened()


def settings(fix: Fix) -> tuple[str, ...]:
    """Return the settings of run time as lines of a file of sysctl.d."""
    return tuple(f"{one.key} = {one.value}" for one in fix.settings)


def _functions(one: Ability) -> Iterator[Row]:
    """Yield each function with its answer, why it is needed, and the sources; and the symbols that
    count as there."""
    for judged in one.functions:
        function = judged.function
        said = missing(judged.lacks)
        if judged.answer is Answer.ELSEWHERE:
            said = ", ".join(function.arch)
        elif judged.inputs:
            said = f"give {give(judged.inputs)}"
        elif judged.modules:
            said = f"module{'s' * (len(judged.modules) > 1)} {', '.join(judged.modules)}"
        answer = f"{judged.answer.value}{f' ({said})' if said else ''}"
        below = [Row("", (function.why,))]
        below += [Row("", (source.url,)) for source in function.sources]
        yield Row("", (f"{function.title} [{function.id}]: {answer}",), tuple(below))
    for unasked in one.obsolete:
        names = ", ".join(unasked.names)
        yield Row("", (f"not needed since {unasked.after}: {names} ({unasked.why})",))
