"""What files below /sys show of a tunable: the values that fit, on how many instances each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from advisor.model.condition import Expr, Truth, within
from advisor.model.disks import OfKind, kind_of
from advisor.model.kernel import ABSENT, PRESENT, Layer, Location
from advisor.model.report import LACK, Instances, Origin, Setting, State, is_variable
from advisor.model.rules import Tunable, Value
from advisor.record import NamedTuple

Names = tuple[str, ...]
Counts = tuple[tuple[str, int], ...]
Told = tuple[str, Location]
# All of a text, or what it says of a flaw within the flaw: `...; BHI: Not affected`.
_UNAFFECTED = r"(?:^|(?<=; )\S+: )Not affected(?=;|$)"
FLAWS = "/sys/devices/system/cpu/vulnerabilities/"
"""Below this a file for each flaw that the kernel knows of says what is done about it."""
Kinds = tuple[OfKind, ...]
_DEBUGFS = "/sys/kernel/debug/"
_LOCKDOWN = "/sys/kernel/security/lockdown"
_DISK = "/sys/block/DEVICE/"
_PARAMETER = re.compile(r"(/sys/module/([^/]+))/parameters/")
_TURNS = "/sys/block/{}/queue/rotational"
Evaluate = Callable[[Expr], Truth]
# The one in force of several: `always [madvise] never`, and in debugfs `none (voluntary) full`.
_CHOSEN = r"(?:^|\s)\[(\S+)\](?=\s|$)"
_CHOSEN_IN_DEBUGFS = r"(?:^|\s)\((\S+)\)(?=\s|$)"
# What a file that holds a truth value takes for one (lib/kstrtox.c#kstrtobool, read in 6.12).
_TRUTHS = {
    **dict.fromkeys(("y", "t", "1", "on"), True),
    **dict.fromkeys(("n", "f", "0", "of", "off"), False),
}


class Shown(NamedTuple):
    """What files show of one tunable: the possible values, with the line for each, and what would
    narrow them; `counts` says of how many instances each value is, where they differ, and `kinds`
    of how many disks of each kind. With `presence` it is only told by files being there, or not.
    """

    values: Names = ()
    missing: frozenset[str] = frozenset()
    origins: tuple[Origin, ...] = ()
    counts: Counts = ()
    kinds: Kinds = ()
    presence: bool = False


def of_machine(told: Mapping[str, Told]) -> dict[str, Told]:
    """Of files whose text was told what is so whatever a kernel is told: which flaws the processor
    has, and not what is done about them."""
    return {
        path: ("; ".join(re.findall(_UNAFFECTED, text)) or "affected", place)
        for path, (text, place) in told.items()
        if path.startswith(FLAWS)
    }


class Files:
    """The files below /sys whose text was told, found by a pattern of their path.

    Of those that a rule names the kernel may be `lacking` some, sysctls as well, and of others it
    may be `closed` what they hold.
    """

    def __init__(
        self,
        told: Mapping[str, Told],
        lacking: frozenset[str] = frozenset(),
        closed: frozenset[str] = frozenset(),
    ) -> None:
        self._told = told
        self._lacking = lacking
        self._closed = closed
        self._by_name: dict[str, list[str]] = {}
        self._instances: dict[str, dict[Names, str]] = {}
        for path in told:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def __bool__(self) -> bool:
        return bool(self._told)

    def text(self, path: str) -> str:
        """What the file shows; of several words, the one in force."""
        text = self._told[path][0]
        chosen = re.findall(_CHOSEN, text)
        if not chosen and path.startswith(_DEBUGFS) and text not in (PRESENT, ABSENT):
            chosen = re.findall(_CHOSEN_IN_DEBUGFS, text)
        return str(chosen[0]) if len(chosen) == 1 else text

    def kind(self, disk: str) -> str:
        """The kind of a disk, by its name below /sys/block."""
        return kind_of(disk, self._told.get(_TURNS.format(disk), ("", None))[0])

    def show(self, pattern: str, form: str) -> bool:
        """Whether all files of the pattern that were told show that, one at least."""
        texts = [self.text(path) for path in self.instances(pattern).values()]
        return bool(texts) and all(_same(text, form) for text in texts)

    def offer(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Whether files list each of these texts, by the pattern of their paths, as one that can be
        written: `always [madvise] never` does, for all instances that were told."""
        return all(self._lists(pattern, text) for pattern, text in pairs)

    def _lists(self, pattern: str, text: str) -> bool:
        texts = {path: self._told[path][0] for path in self.instances(pattern).values()}
        return bool(texts) and all(
            told != self.text(path) and text in re.sub(r"[\[\]()]", "", told).split()
            for path, told in texts.items()
        )

    def refuses(self, path: str) -> str:
        """Why the kernel refuses to have the file or sysctl written; empty if nothing told tells
        so.

        Whatever of debugfs can be written is closed to all in a kernel that is locked down
        (fs/debugfs/file.c#debugfs_locked_down, read in 6.1 and 6.12).
        """
        if path in self._lacking:
            return self._why_lacking(path)
        if not path.startswith(_DEBUGFS) or _LOCKDOWN not in self._told:
            return ""
        mode = self.text(_LOCKDOWN)
        if mode not in ("integrity", "confidentiality"):
            return ""
        return f"the kernel is locked down ({mode}, {_LOCKDOWN}): nothing of debugfs can be written"

    def _why_lacking(self, name: str) -> str:
        """Why there is nothing to be written. What a module has is there once that is loaded."""
        found = _PARAMETER.match(name)
        if found and self._told.get(found[1], ("", None))[0] == ABSENT:
            return f"the module {found[2]} is not loaded: there is no {found[1]}"
        return f"the running kernel has no {name}"

    def none_of(self, pattern: str) -> bool:
        """Whether nothing has such a file: no instance was told, and none is closed."""
        return pattern not in self._closed and not self.instances(pattern)

    def origin(self, path: str) -> Origin:
        """The line about the file."""
        text, place = self._told[path]
        line = f"{LACK} {path}" if text == ABSENT else f"{path}={text}"
        return Origin(Layer.RUNTIME, line, place)

    def instances(self, pattern: str) -> dict[Names, str]:
        """The told files that a rule's path names, each by what its variable parts stand for."""
        if pattern not in self._instances:
            self._instances[pattern] = self._matching(pattern)
        return self._instances[pattern]

    def _matching(self, pattern: str) -> dict[Names, str]:
        if pattern in self._told:
            return {(): pattern}
        name = pattern.rpartition("/")[2]
        near = self._told if "*" in name else self._by_name.get(name, ())
        expression = _expression(pattern) if near else None
        if expression is None:
            return {}
        matches = ((path, expression.fullmatch(path)) for path in near)
        return {match.groups(): path for path, match in matches if match}


def _expression(pattern: str) -> re.Pattern[str] | None:
    """A path in which `*` is a part of a name, and a name in capitals one or several names.

    None where it has neither.
    """
    parts = pattern.split("/")
    if not any("*" in part or is_variable(part) for part in parts):
        return None
    written = (
        "(.+)" if is_variable(part) else re.escape(part).replace(r"\*", "([^/]*)") for part in parts
    )
    return re.compile("/".join(written))


# What a value asks of a file that shall be there, or shall not.
_THERE = frozenset(("*", ABSENT))


def shown(tunable: Tunable, below: Names, files: Files, evaluate: Evaluate) -> Shown:
    """What the files show of the tunable, which the layers below set to one of these values.

    Nothing where no file of it was told.
    """
    found: dict[Names, tuple[int, list[Origin]]] = {}
    missing: frozenset[str] = frozenset()
    known: dict[Names, tuple[Names, frozenset[str]]] = {}
    patterns = _patterns(tunable)
    forms, only = _forms(tunable), True
    presence = _of_presence(tunable, forms)
    asked = {path for path, texts in forms.items() if texts & _THERE}
    # What no thing has tells nothing about any: a machine without frequency scaling has no policy.
    nowhere = dict.fromkeys((p for p in patterns if _expression(p) and files.none_of(p)), None)
    each: list[tuple[Names, Names]] = []
    for thing, paths in _things(patterns, files):
        texts = {pattern: files.text(path) for pattern, path in paths.items()}
        # Whether a file is there was told for another tunable: it says nothing of this one.
        texts = {p: t for p, t in texts.items() if p in asked or t not in (PRESENT, ABSENT)}
        if not texts:
            continue
        only &= all(path in presence or text == ABSENT for path, text in texts.items())
        key = (*texts, *texts.values())
        if key not in known:
            known[key] = _fitting(tunable, {**texts, **nowhere}, below, evaluate)
            missing |= known[key][1]
        names = known[key][0]
        count, origins = found.get(names, (0, [files.origin(paths[path]) for path in texts]))
        found[names] = count + 1, origins
        each.append((thing, names))
    counts = _counts([(names, count) for names, (count, _) in found.items()])
    disks = any(pattern.startswith(_DISK) for pattern in patterns)
    disks &= all(len(names) == 1 for _, names in each)
    return Shown(
        tuple(dict.fromkeys(name for names in found for name in names)),
        missing,
        tuple(dict.fromkeys(origin for _, origins in found.values() for origin in origins)),
        counts,
        _by_kind(each, files) if disks else (),
        bool(found) and only,
    )


def _by_kind(each: Iterable[tuple[Names, Names]], files: Files) -> Kinds:
    """How many disks of each kind have which value; of each the name, and its one value."""
    numbers = Counter((files.kind(thing[0]), names[0]) for thing, names in each if thing)
    return tuple(OfKind(kind, value, number) for (kind, value), number in numbers.items())


def _things(patterns: Iterable[str], files: Files) -> list[tuple[Names, dict[str, str]]]:
    """The things that have such files (policies, disks): of each, the paths by their patterns, and
    those of the whole machine."""
    things: dict[Names, dict[str, str]] = {}
    for pattern in patterns:
        for thing, path in files.instances(pattern).items():
            things.setdefault(thing, {})[pattern] = path
    whole = things.pop((), {})
    every = [(thing, {**whole, **paths}) for thing, paths in things.items()]
    return every or [((), whole)] * bool(whole)


def _counts(found: list[tuple[Names, int]]) -> Counts:
    """How many instances have which value; nothing where they agree, or one leaves several open."""
    if len(found) < 2 or any(len(names) > 1 for names, _ in found):
        return ()
    return tuple((names[0], count) for names, count in found)


def _patterns(tunable: Tunable) -> list[str]:
    """The paths of all its files, each once."""
    paths = [path for path in (tunable.sysfs, tunable.shows) if path]
    for value in tunable.values:
        paths += [path for path, _ in (*value.sysfs, *value.shows)]
    return list(dict.fromkeys(paths))


def _forms(tunable: Tunable) -> dict[str, set[str]]:
    """Of each file that shows values, all that they ask of it."""
    forms: dict[str, set[str]] = {}
    for value in tunable.values:
        for path, texts in value.shows:
            forms.setdefault(path, set()).update(texts)
    return forms


def _of_presence(tunable: Tunable, forms: Mapping[str, set[str]]) -> frozenset[str]:
    """The files of which no value needs more than that they are there, or are not."""
    written = {path for value in tunable.values for path, _ in value.sysfs}
    return frozenset(path for path, texts in forms.items() if texts <= _THERE) - written


def _fitting(
    tunable: Tunable, texts: Mapping[str, str | None], below: Names, evaluate: Evaluate
) -> tuple[Names, frozenset[str]]:
    """The values that fit what the files show, and what would narrow them; None as a text is of a
    file that no thing has."""
    shown = {path: text for path, text in texts.items() if text is not None}
    for path in (tunable.sysfs, tunable.shows):
        if path in shown:
            return (shown[path],), frozenset()
    fits = {value.name: _fits(value, texts) for value in tunable.values}
    sure = [value for value in tunable.values if fits[value.name]]
    rest = tuple(value.name for value in sure if _takes_the_rest(value))
    sure = [value for value in sure if value.name not in rest]
    if sure:
        return _allowed(sure, evaluate) if len(sure) > 1 else ((sure[0].name,), frozenset())
    # Files that were not told may hold the difference: what they say below stays possible.
    left = tuple(v.name for v in tunable.values if fits[v.name] is None and (v.sysfs or v.shows))
    kept = tuple(name for name in below if name in left)
    return kept or left or rest or tuple(dict.fromkeys(shown.values())), frozenset()


def _allowed(values: list[Value], evaluate: Evaluate) -> tuple[Names, frozenset[str]]:
    """Of values that the same text may mean, those that can be had at run time here."""
    truths = [(value.name, evaluate(value.runtime_when)) for value in values]
    left = [(name, truth) for name, truth in truths if truth is not False] or truths
    missing: frozenset[str] = frozenset()
    if len(left) > 1:
        missing = missing.union(*(truth for _, truth in left if isinstance(truth, frozenset)))
    return tuple(name for name, _ in left), missing


def _fits(value: Value, texts: Mapping[str, str | None]) -> bool | None:
    """Whether the files show the value; None where some of them were not told."""
    wanted = {path: (text,) for path, text in value.sysfs}
    for path, forms in value.shows:
        wanted[path] = (*wanted.get(path, ()), *forms)
    answers = [
        any(_same(text, form) for form in forms) if text is not None else None
        for path, forms in wanted.items()
        if (text := texts.get(path)) is not None or path not in texts
    ]
    if False in answers:
        return False
    return None if None in answers or not answers else True


def _takes_the_rest(value: Value) -> bool:
    """Whether it is what files show that show no other value."""
    return any(forms == ("*",) for _, forms in value.shows)


def _same(text: str, form: str) -> bool:
    """Whether a text is the one of a rule, or within its range (`1..`), or has its word (`*a*`)."""
    if text == form:
        return True
    if "*" in form:
        return text not in ("", ABSENT) and fnmatchcase(text, form)
    if form in ("Y", "N", "y", "n"):
        return _TRUTHS.get(text.lower()) is (form in "Yy")
    return within(text, form)


def undecided(state: State) -> str:
    """Why files leave open which of several values it is; nothing where they do not."""
    lines = [origin.text for origin in state.origins if origin.layer is Layer.RUNTIME]
    if not lines or state.missing:
        return ""
    return "they differ" if state.counts else f"{lines[0]} is what several of them show"


def of_disks(state: State, kinds: Iterable[str]) -> State | None:
    """The state of the disks of these kinds alone; None where there is none of them, and as it is
    where no disk was told."""
    if not state.kinds:
        return state
    wanted = frozenset(kinds)
    left = tuple(one for one in state.kinds if one.kind in wanted)
    values = tuple(dict.fromkeys(one.value for one in left))
    if not values:
        return None
    numbers = {value: sum(one.number for one in left if one.value == value) for value in values}
    counts = tuple(numbers.items()) if len(values) > 1 else ()
    return state._replace(effective=values, runtime=values, counts=counts, kinds=left)


def all_count(tunable: Tunable, counts: Counts) -> bool:
    """Whether instances differ that all have to be as wanted: policies, not disks or groups."""
    chosen = (Setting(path, "").instances is Instances.CHOSEN for path in _patterns(tunable))
    return bool(counts) and not any(chosen)
