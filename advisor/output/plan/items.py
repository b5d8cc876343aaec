"""A plan as lines for its own scripts: a word for the kind, then fields, parted by tabs.

A shell takes several tabs for one, so that no field but the last may be empty: `-` stands for none.

    items 1                                     the version of this format
    plan DIGEST                                 by what apply.sh keeps the state of before
    arch ARCH, release RELEASE                  the machine it is for
    file FILE                                   a file below /etc to be put in its place
    line ITEM FILE TEXT                         a line of it, and the item that it is for
    set ITEM TURNS PATH RIVAL VALUE             a value to be written now, as TURNS of a disk says
    was ITEM PATH =VALUE =SHOWN                 what a file showed that is to have that value
    rests ITEM NAME =VALUE                      a symbol, or a file, that the item rests on
    hand ITEM TEXT, but ITEM TEXT               what no file keeps; what works against an item
    add ITEM WORD, drop ITEM WORD               words of the boot line
    rebuild ITEM                                what the fragment is for
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from advisor.model.nextboot import RIVALS
from advisor.model.plan import File, Item, Kept, Plan
from advisor.model.remedy import Instances, RemedyKind
from advisor.model.report import Report
from advisor.model.sysctl import path_of
from advisor.output import Style, phrases
from advisor.output.escape import visible
from advisor.output.plan import filelines, udev

_NONE = "-"
# What a shell may expand as it stands: * alone is a sign to it.
_PATH = re.compile(r"/(?:sys|proc/sys)/[\w./*:+@,=-]+", re.ASCII)


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the lines of each plan."""
    return "".join("".join(f"{line}\n" for line in _all(report)) for report in reports)


def digest(report: Report) -> str:
    """Return what a plan is known by: the machine that it is for, and all that it changes."""
    return hashlib.sha256("\n".join(_lines(report)).encode()).hexdigest()[:16]


def files(plan: Plan) -> list[File]:
    """List the files that a plan has something for."""
    used = {file for item in plan.items for file in item.files}
    return [file for file in File if file in used]


def _all(report: Report) -> Iterator[str]:
    yield "items\t1"
    yield f"plan\t{digest(report)}"
    yield from _lines(report)
    # Where that stands, and what was so, is of one machine, and the digest is not.
    for item in report.plan.items:
        yield from _found(item, report)
        # A person changes the boot line, and has to know what it takes away before the next boot.
        cost = item.finding.cost if item.remedy.words else ""
        for text in filter(None, (item.remedy.held, cost)):
            yield f"but\t{item.finding.id}\t{visible(text)}"


def _lines(report: Report) -> Iterator[str]:
    plan = report.plan
    yield f"arch\t{report.machine.arch or _NONE}"
    yield f"release\t{report.release or _NONE}"
    for path in map(plan.path, files(plan)):
        if path.startswith("etc/"):
            yield f"file\t{path}"
    for item in plan.items:
        yield from _of_item(item, plan)
    yield from _words(plan)
    yield from _grounds(plan)


def _of_item(item: Item, plan: Plan) -> Iterator[str]:
    """Yield what a change has: lines of files, values, what prevents it."""
    name = item.finding.id
    written: set[str] = set()
    for one in item.kept:
        for text in filelines.of(one):
            if one.file:
                yield f"line\t{name}\t{plan.path(one.file)}\t{text}"
        places = [] if one.setting.key in written else list(_places(one))
        written.add(one.setting.key)
        for turns, path in places:
            rival = path_of(RIVALS[one.setting.key])[1:] if one.setting.key in RIVALS else _NONE
            yield "\t".join(("set", name, turns, path, rival, one.setting.value))
        if one.file is None:
            yield f"hand\t{name}\t{visible(phrases.command(one.setting))} ({visible(one.why)})"
    if item.remedy.kind is RemedyKind.REBUILD:
        yield f"rebuild\t{name}"


def _grounds(plan: Plan) -> Iterator[str]:
    """Yield what the plan rests on, each once."""
    told: dict[str, str] = {}
    for item in plan.items:
        for name, value in item.grounds:
            is_path = name.startswith("/")
            if value.isprintable() and (not is_path or _PATH.fullmatch(name)):
                line = f"rests\t{item.finding.id}\t{name.removeprefix('/')}\t={value}"
                told.setdefault(name, line)
    yield from told.values()


def _found(item: Item, report: Report) -> Iterator[str]:
    """Yield what the host showed before; a configuration alone tells of no host."""
    if not report.release:
        return
    found = {path: (one.setting, shown) for one in item.kept for path, shown in one.found}
    for path, (setting, shown) in found.items():
        if _PATH.fullmatch(path) and shown.isprintable():
            value = " ".join(setting.value.split())
            yield f"was\t{item.finding.id}\t{path[1:]}\t={value}\t={' '.join(shown.split())}"


def _places(one: Kept) -> Iterator[tuple[str, str]]:
    """Yield which disks by whether they turn, and the path as a shell expands it, from the root."""
    key = one.setting.key
    path = path_of(key) if one.setting.layer == "sysctl" else key
    if not _PATH.fullmatch(path) or not one.setting.value.isprintable():
        return
    if one.setting.instances is not Instances.CHOSEN:
        yield _NONE, path[1:]
        return
    for names, turns in (udev.DISKS[kind] for kind in one.disks if kind in udev.DISKS):
        for name in names.split("|"):
            yield turns or _NONE, path[1:].replace("/DEVICE/", f"/{name}/")


def _words(plan: Plan) -> Iterator[str]:
    """Yield the words of the boot line, each with the item that it is for."""
    for kind, words in (("add", plan.words), ("drop", plan.dropped)):
        for word in words:
            yield f"{kind}\t{_whose(word, plan.items)}\t{visible(word)}"


def _whose(word: str, items: Iterable[Item]) -> str:
    for item in items:
        if word in (*item.remedy.words, *item.remedy.drop):
            return item.finding.id
    return _NONE
