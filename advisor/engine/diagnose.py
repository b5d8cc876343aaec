"""Problems of the inputs themselves, which need no profile."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.bootline import Ruling, numbers, plain
from advisor.engine.state import World
from advisor.model import (
    Diagnostic,
    EntryState,
    Name,
    Parameter,
    Severity,
    Source,
    Word,
)

# What a ruling's cause is called as a diagnostic, and how bad it is.
_CAUSES = {
    "built": ("parameter-not-built", Severity.ERROR),
    "machine": ("parameter-other-machine", Severity.NOTE),
    "arch": ("parameter-wrong-arch", Severity.ERROR),
    "new": ("parameter-too-new", Severity.ERROR),
    "old": ("parameter-removed", Severity.ERROR),
    "refused": ("parameter-value-refused", Severity.ERROR),
    "obsolete": ("parameter-no-effect", Severity.WARNING),
    "void": ("parameter-void", Severity.ERROR),
}
_REMARKS = {
    "redundant": ("parameter-redundant", Severity.NOTE),
    "caution": ("parameter-caution", Severity.WARNING),
}


def diagnose(world: World) -> list[Diagnostic]:
    """What is odd in the configuration's text, on the command line, and about stale symbols."""
    subject = world.subject
    notes = [*subject.notes, *(subject.cmdline.notes if subject.cmdline else ())]
    found = [Diagnostic(n.id, n.severity, n.location, n.message) for n in notes]
    for word in world.line.words:
        found += _of_word(word, world)
    found += _duplicates(world)
    if any(_is_list(word, world) for word in world.line.words):
        from advisor.engine.cpulists import diagnose_lists

        found += diagnose_lists(world)
    found += _stale_symbols(world)
    found += _stale_sysctls(world)
    if not world.config.complete:
        from advisor.engine.standing import misplaced

        found += misplaced(world)
    return found


def _is_list(word: Word, world: World) -> bool:
    parameter = world.knowledge.parameter(word.name)
    return parameter is not None and parameter.type == "cpulist"


def _of_word(word: Word, world: World) -> Iterator[Diagnostic]:
    parameter = world.knowledge.parameter(word.name)
    if parameter is None:
        known = world.knowledge.name(word.name)
        if known and known.kind in ("parameter", "out-of-tree") and _gone(known, world):
            message = f"{word.text}: no kernel parameter today. {known.history}"
            yield Diagnostic(
                "parameter-unknown", Severity.WARNING, world.place(word), message, known.today,
                _first(known.sources),
            )  # fmt: skip
        return
    ruling = world.line.honours(plain(word))
    if ruling.truth is False:
        yield _ignored(word, parameter, ruling, world)
    elif parameter.renamed and world.line.honours(parameter.renamed + "=").truth is True:
        message = f"{word.name} is the old name of {parameter.renamed}"
        yield Diagnostic(
            "parameter-superseded", Severity.NOTE, world.place(word), message,
            parameter.advice or f"write {parameter.renamed}", _first(parameter.sources),
        )  # fmt: skip
    if ruling.truth is not False:
        for remark in world.line.remarks(plain(word), *_REMARKS):
            name, severity = _REMARKS[remark.kind]
            yield Diagnostic(
                name, severity, world.place(word), f"{word.text}: {remark.says}", remark.remedy,
                _first(parameter.sources),
            )  # fmt: skip


def _ignored(word: Word, parameter: Parameter, ruling: Ruling, world: World) -> Diagnostic:
    name, severity = _CAUSES[ruling.cause]
    subject = f"{word.text}: " + (f"{word.value!r} " if ruling.cause == "refused" else "")
    message = f"{subject}{ruling.reason}"
    if ruling.cause in ("built", "arch", "machine"):
        message += "; it is ignored here"
    if ruling.cause == "refused" and parameter.refusal:
        message += f' (the kernel logs "{parameter.refusal}")'
    remedy = parameter.advice or "remove it"
    if ruling.remark:
        remedy = ruling.remark.remedy or remedy
    return Diagnostic(name, severity, world.place(word), message, remedy, _first(parameter.sources))


def _duplicates(world: World) -> Iterator[Diagnostic]:
    by_name: dict[str, list[Word]] = {}
    for word in world.line.words:
        by_name.setdefault(word.name, []).append(word)
    for name, given in by_name.items():
        parameter = world.knowledge.parameter(name)
        if parameter is None or parameter.duplicates in ("accumulate", "flags"):
            continue
        if parameter.list and parameter.list.default:
            continue  # such lists tell for themselves which of them count
        if len({word.value for word in given}) > 1:
            yield from _duplicate(parameter, given, world)


def _duplicate(parameter: Parameter, given: list[Word], world: World) -> Iterator[Diagnostic]:
    counting = world.line.counting(parameter.name)
    idle = [word for word in given if word not in counting]
    if counting and idle:
        counts = f"{counting[0].text} counts (the {parameter.duplicates} one wins)"
        yield Diagnostic(
            "parameter-duplicate",
            Severity.WARNING,
            world.place(idle[0]),
            f"{parameter.name} is given {len(given)} times; {counts}",
            f"keep only {counting[0].text}",
            _first(parameter.sources),
        )


def _stale_symbols(world: World) -> Iterator[Diagnostic]:
    """In a fragment, symbols that a rename or removal left behind; a kernel writes none itself."""
    if world.config.complete or world.subject.kernel is None:
        return
    for old in world.knowledge.ids("renames"):
        entry = world.config.entry(old)
        rename = world.knowledge.rename(old) if entry.state is not EntryState.ABSENT else None
        if rename and world.subject.kernel.numbers >= numbers(rename.since):
            what = (
                f"is {rename.new} since {rename.since}"
                if rename.new
                else f"is gone since {rename.since}"
            )
            yield Diagnostic(
                "symbol-stale", Severity.WARNING, entry.location, f"{old} {what}", rename.note,
                _first(rename.sources),
            )  # fmt: skip


def _gone(name: Name, world: World) -> bool:
    """Whether this kernel is one of those without it."""
    kernel = world.subject.kernel
    return not (name.until and kernel) or kernel.numbers >= numbers(name.until)


def _stale_sysctls(world: World) -> Iterator[Diagnostic]:
    """Run-time settings that old guides pass on and today's kernel does not have."""
    for key, (_, location) in world.subject.sysctl.items():
        known = world.knowledge.name(key)
        if known and _gone(known, world):
            message = f"{key}: no setting of today's kernel. {known.history}"
            yield Diagnostic(
                "sysctl-unknown", Severity.WARNING, location, message, known.today,
                _first(known.sources),
            )  # fmt: skip


def _first(sources: tuple[Source, ...]) -> str:
    return sources[0].url if sources else ""
