"""What a tuning does on one kernel, as a page: its entries by their answers, then what it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from advisor.model.finding import Finding
from advisor.model.like import NOT_TOLD, Answer, Answered, Likeness
from advisor.model.profile import Strength
from advisor.output import factwords, findingpage
from advisor.output.page import (
    Code,
    Document,
    Inline,
    Page,
    Row,
    Section,
    codes,
    joined,
    kept,
    listing,
    marked,
    mode,
)

_GIVE = "--host, --sysctl FILE or --runtime FILE, to show present values"
_COLUMNS = ("Entry", "Now", "Why", "Where")
_TOLD = (
    Answer.AGAINST, Answer.CHANGES, Answer.NO_KNOB, Answer.NO_EFFECT, Answer.UNDONE,
    Answer.IMPLIED, Answer.UNKNOWN,
)  # fmt: skip
# The part of the page's table that says how much is told of the other answers.
_COUNTED = {Answer.IN_FORCE: "right", Answer.OUTSIDE: "absent"}


def document(likenesses: Sequence[Likeness], format: str) -> Document:
    """Return what each tuning does on each kernel, a page each."""
    pages = (
        Page(
            one.name, (f"{one.tuning.name} on ", Code(one.name)), verdict(one), one.failed,
            kept(_facts(one), format), tuple(_sections(one, format)),
        )
        for one in likenesses
    )  # fmt: skip
    return Document("A tuning on this kernel", "like", tuple(pages))


def verdict(one: Likeness) -> str:
    """Return how many entries have which answer: `12 entries: 7 change, 1 against a must.`"""
    counts = [(len(one.of(answer)), answer) for answer in (*_TOLD, *_COUNTED)]
    texts = (f"{number} {answer.verb}" for number, answer in counts if number)
    total = len(one.entries)
    return f"{total} {'entry' if total == 1 else 'entries'}: {', '.join(texts) or 'none'}."


def _facts(one: Likeness) -> Iterator[Row]:
    where = factwords.kernel(one.kernel, one.arch)
    yield Row("tuning", (one.tuning.name,))
    yield Row("files", codes(one.tuning.files))
    yield Row("kernel", (f"{one.name}: {where}",))
    yield Row("now", marked(_sources(one)))
    yield Row("profiles", codes(one.profiles))
    yield Row("but", marked(one.breaks))
    if not one.runs and any(entry.why == NOT_TOLD for entry in one.entries):
        yield Row("give", (_GIVE,))
    for remark in one.tuning.remarks:
        yield Row("not read", marked(remark))


def _sources(one: Likeness) -> str:
    """Return where the values now are from: `3 read in a.conf, 2 from the configuration`."""
    read = Counter(_source(answered) for answered in one.entries if answered.now)
    return ", ".join(f"{number} {source}" for source, number in read.items())


def _source(one: Answered) -> str:
    """Return what tells the value now; a running kernel by its host."""
    if not one.read:
        return "computed from the configuration and the boot line"
    path, line, _ = one.read[0]
    root = "" if line else re.split("/(?:proc|sys)/", path, maxsplit=1)[0]
    return f"read in {root or path}" if line or root else "read in the running kernel"


def _sections(one: Likeness, format: str) -> Iterator[Section]:
    for answer in _TOLD:
        if found := one.of(answer):
            yield Section(
                "entries", answer.text, mode("entries", format), len(found),
                items=tuple(map(_row, found)), columns=_COLUMNS, cells=tuple(map(_cells, found)),
            )  # fmt: skip
    for answer, part in _COUNTED.items():
        found = one.of(answer)
        yield from listing(part, answer.text, map(_row, found), format, len(found))
    left = map(_left_out, one.left_out)
    yield from listing(
        "left out", "Advice that the tuning leaves out", left, format, len(one.left_out)
    )


def _row(one: Answered) -> Row:
    """Return an entry in one line: `vm.swappiness = 10: now 60`."""
    said = joined((_now(one), marked(_why(one))), "; ")
    return Row("", (Code(one.entry.text), *((": ", *said) if said else ())))


def _now(one: Answered) -> Inline:
    """Return what is so now, of a word with what that is of."""
    if not one.now or one.answer is Answer.IN_FORCE:
        return ()
    of = f"{one.tunable.title}: " if one.entry.is_word and one.tunable else ""
    return (f"{of}now {one.now}",)


def _cells(one: Answered) -> tuple[Inline, ...]:
    read = f" ({one.read[0]})" if one.read else ""
    return (
        (Code(one.entry.text),),
        (f"{one.now}{read}",),
        marked(_why(one)),
        (str(one.entry.place),),
    )


def _why(one: Answered) -> str:
    """Return the reason, and the advice that the value is against."""
    rest = [] if one.answer is Answer.AGAINST else one.against
    texts = (
        f"contradicts advice of {advice.profile} ({advice.strength.value}): {advice.why}"
        for advice in rest
    )
    why = "" if one.why == NOT_TOLD else one.why
    return "; ".join(filter(None, (why, *texts)))


def _left_out(finding: Finding) -> Row:
    advice = finding.advice
    strength = "" if advice.strength is Strength.SHOULD else f", {advice.strength.value}"
    remedy = finding.remedies[0] if finding.remedies else None
    do: Inline = (": ", *findingpage.remedy(remedy, finding)) if remedy else ()
    return Row("", (f"{finding.tunable.title} [{finding.tunable.id}{strength}]", *do))
