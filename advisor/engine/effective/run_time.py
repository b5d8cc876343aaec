"""The values of a tunable that files below /sys show, and on how many instances each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from advisor.model.condition import Expr, Truth, unknowns
from advisor.model.disks import OfKind, kind_of
from advisor.model.kernel import ABSENT, PRESENT, Layer, Location
from advisor.model.numbers import within
from advisor.model.remedy import Instances, Setting, is_variable
from advisor.model.state import LACK, Origin, State
from advisor.model.tunable import Tunable, Value, other_value
from advisor.record import NamedTuple

Names = tuple[str, ...]
Counts = tuple[tuple[str, int], ...]
Told = tuple[str, Location]
# All of a text, or its part on a flaw within the flaw: `...; BHI: Not affected`.
_UNAFFECTED = r"(?:^|(?<=; )\S+: )Not affected(?=;|$)"
FLAWS = "/sys/devices/system/cpu/vulnerabilities/"
"""A folder with a file for each flaw that the kernel knows, which shows the mitigation."""
Kinds = tuple[OfKind, ...]
_DEBUGFS = "/sys/kernel/debug/"
_UNWRITABLE = frozenset(("kernel.osrelease", "kernel.ostype", "kernel.version"))
_LOCKDOWN = "/sys/kernel/security/lockdown"
_DISK = "/sys/block/DEVICE/"
_PARAMETER = re.compile(r"(/sys/module/([^/]+))/parameters/")
_TURNS = "/sys/block/{}/queue/rotational"
Evaluate = Callable[[Expr], Truth]
# The one in force of several: `always [madvise] never`, and in debugfs `none (voluntary) full`.
_CHOSEN = r"(?:^|\s)\[(\S+)\](?=\s|$)"
_CHOSEN_IN_DEBUGFS = r"(?:^|\s)\((\S+)\)(?=\s|$)"
# What a file that holds a truth value takes for one (lib/kstrtox.c#kstrtobool, read in 6.12).
TRUTHS = {
    **dict.fromkeys(("y", "t", "1", "on"), True),
    **dict.fromkeys(("n", "f", "0", "of", "off"), False),
}


class Reading(NamedTuple):
    """The answer of one layer: possible values of a tunable, and what would narrow them. Files that
    show them also give the line for each; `counts` is the number of instances with each value,
    where they differ, and `kinds` the number of disks of each kind. With `presence` only the
    existence of files shows the values."""

    values: Names = ()
    missing: frozenset[str] = frozenset()
    origins: tuple[Origin, ...] = ()
    counts: Counts = ()
    kinds: Kinds = ()
    presence: bool = False


def are_listed(settings: Mapping[str, object]) -> bool:
    """Return whether the settings are those that a kernel shows, as `sysctl -a` prints them:
    nobody can write some of these."""
    return not _UNWRITABLE.isdisjoint(settings)


def of_machine(told: Mapping[str, Told]) -> dict[str, Told]:
    """Return the part of the files that no setting changes: which flaws the processor has, and not
    the mitigations."""
    return {
        path: ("; ".join(re.findall(_UNAFFECTED, text)) or "affected", place)
        for path, (text, place) in told.items()
        if path.startswith(FLAWS)
    }


class Files:
    """The files below /sys whose text is known, found by a pattern of their path.

    The kernel may be `lacking` files and sysctls that a rule names; `closed` are files that could
    not be read.
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
        """Return what the file shows; of several words, the one in force."""
        text = self._told[path][0]
        chosen = re.findall(_CHOSEN, text)
        if not chosen and path.startswith(_DEBUGFS) and text not in (PRESENT, ABSENT):
            chosen = re.findall(_CHOSEN_IN_DEBUGFS, text)
        return str(chosen[0]) if len(chosen) == 1 else text

    def kind(self, disk: str) -> str:
        """Return the kind of a disk, by its name below /sys/block."""
        return kind_of(disk, self._told.get(_TURNS.format(disk), ("", None))[0])

    def show(self, pattern: str, form: str) -> bool:
        """Return whether all known files of the pattern show the text, one at least."""
        texts = [self.text(path) for path in self.instances(pattern).values()]
        return bool(texts) and all(_same(text, form) for text in texts)

    def offer(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Return whether all known files of each pattern list the text as one that can be written,
        as `always [madvise] never` does."""

        def lists(path: str, text: str) -> bool:
            told = self._told[path][0]
            return told != self.text(path) and text in re.sub(r"[\[\]()]", "", told).split()

        known = [(self.instances(pattern).values(), text) for pattern, text in pairs]
        return all(paths and all(lists(path, text) for path in paths) for paths, text in known)

    def refuses(self, path: str) -> str:
        """Return why the kernel refuses to have the file or sysctl written; empty if not known.

        In a kernel that is locked down nobody can write the files of debugfs
        (fs/debugfs/file.c#debugfs_locked_down, read in 6.1 and 6.12).
        """
        if path in self._lacking:
            found = _PARAMETER.match(path)
            if found and self._told.get(found[1], ("", None))[0] == ABSENT:
                return f"the module {found[2]} is not loaded: there is no {found[1]}"
            return f"the running kernel has no {path}"
        if not path.startswith(_DEBUGFS) or _LOCKDOWN not in self._told:
            return ""
        mode = self.text(_LOCKDOWN)
        if mode not in ("integrity", "confidentiality"):
            return ""
        return f"the kernel is locked down ({mode}, {_LOCKDOWN}): no file of debugfs can be written"

    def none_of(self, pattern: str) -> bool:
        """Return whether nothing has such a file: no instance is known, and none is closed."""
        return pattern not in self._closed and not self.instances(pattern)

    def origin(self, path: str) -> Origin:
        """Return the line about the file."""
        text, place = self._told[path]
        line = f"{LACK} {path}" if text == ABSENT else f"{path}={text}"
        return Origin(Layer.RUNTIME, line, place)

    def instances(self, pattern: str) -> dict[Names, str]:
        """Return the known files of a rule's path, by what its variable parts stand for."""
        if pattern in self._told:
            return {(): pattern}
        if pattern not in self._instances:
            name = pattern.rpartition("/")[2]
            near = self._told if "*" in name else self._by_name.get(name, ())
            expression = _expression(pattern) if near else None
            matches = ((p, expression.fullmatch(p)) for p in near) if expression else ()
            self._instances[pattern] = {found.groups(): path for path, found in matches if found}
        return self._instances[pattern]


def _expression(pattern: str) -> re.Pattern[str] | None:
    """Return the expression of a path in which `*` is a part of a name, and a name in capitals one
    or several names; None if it has neither."""
    parts = pattern.split("/")
    if not any("*" in part or is_variable(part) for part in parts):
        return None
    written = (
        "(.+)" if is_variable(part) else re.escape(part).replace(r"\*", "([^/]*)") for part in parts
    )
    return re.compile("/".join(written))


# The texts of a value by which a file has to exist, or must not.
_THERE = frozenset(("*", ABSENT))


def shown(tunable: Tunable, below: Names, files: Files, evaluate: Evaluate) -> Reading:
    """Return what the files show of the tunable, which the layers below set to one of these values:
    nothing if no file of it is known."""
    found: dict[Names, tuple[int, list[Origin]]] = {}
    missing: frozenset[str] = frozenset()
    known: dict[Names, tuple[Names, frozenset[str]]] = {}
    patterns = _patterns(tunable)
    presence, asked = _of_presence(tunable)
    only = True
    # A file that no thing has shows nothing: a machine without frequency scaling has no policy.
    nowhere = dict.fromkeys((p for p in patterns if _expression(p) and files.none_of(p)), None)
    each: list[tuple[Names, Names]] = []
    for thing, paths in _things(patterns, files):
        texts = {pattern: files.text(path) for pattern, path in paths.items()}
        # The existence of a file may be known for another tunable: it shows nothing of this one.
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
    differ = len(found) > 1 and all(len(names) < 2 for names in found)
    disks = any(pattern.startswith(_DISK) for pattern in patterns)
    disks &= all(len(names) == 1 for _, names in each)
    # The number of disks of each kind with each value.
    kinds = Counter((files.kind(t[0]), names[0]) for t, names in each if t) if disks else {}
    return Reading(
        tuple(dict.fromkeys(name for names in found for name in names)),
        missing,
        tuple(dict.fromkeys(origin for _, origins in found.values() for origin in origins)),
        tuple((names[0], count) for names, (count, _) in found.items()) if differ else (),
        tuple(OfKind(kind, value, number) for (kind, value), number in kinds.items()),
        bool(found) and only,
    )


def _things(patterns: Iterable[str], files: Files) -> list[tuple[Names, dict[str, str]]]:
    """Return the things that have such files (policies, disks), each with its paths by pattern, and
    with those of the whole machine."""
    things: dict[Names, dict[str, str]] = {}
    for pattern in patterns:
        for thing, path in files.instances(pattern).items():
            things.setdefault(thing, {})[pattern] = path
    whole = things.pop((), {})
    every = [(thing, {**whole, **paths}) for thing, paths in things.items()]
    return every or [((), whole)] * bool(whole)


def _patterns(tunable: Tunable) -> list[str]:
    """Return the paths of all files of a tunable, each once."""
    paths = [path for path in (tunable.sysfs, tunable.shows) if path]
    for value in tunable.values:
        paths += [path for path, _ in (*value.sysfs, *value.shows)]
    return list(dict.fromkeys(paths))


def _of_presence(tunable: Tunable) -> tuple[set[str], set[str]]:
    """Return the files of which no value needs more than that they exist, or do not, and all files
    of which a value needs that."""
    forms: dict[str, set[str]] = {}
    for value in tunable.values:
        for path, texts in value.shows:
            forms.setdefault(path, set()).update(texts)
    written = {path for value in tunable.values for path, _ in value.sysfs}
    presence = {path for path, texts in forms.items() if texts <= _THERE} - written
    return presence, {path for path, texts in forms.items() if texts & _THERE}


def _fitting(
    tunable: Tunable, texts: Mapping[str, str | None], below: Names, evaluate: Evaluate
) -> tuple[Names, frozenset[str]]:
    """Return the values that fit what the files show, and what would narrow them; the text of a
    file that no thing has is None."""
    shown = {path: text for path, text in texts.items() if text is not None}
    for path in (tunable.sysfs, tunable.shows):
        if path in shown:
            return (shown[path],), frozenset()
    fits = {value.name: _fits(value, texts) for value in tunable.values}
    sure = [value for value in tunable.values if fits[value.name]]
    # The values for all texts that show no other value.
    rest = tuple(value.name for value in sure if any(f == ("*",) for _, f in value.shows))
    sure = [value for value in sure if value.name not in rest]
    if len(sure) == 1:
        return (sure[0].name,), frozenset()
    if sure:  # of values of the same text those that can be set at run time here
        truths = [(value.name, evaluate(value.runtime_only_if)) for value in sure]
        possible = [(name, truth) for name, truth in truths if truth is not False] or truths
        missing = frozenset[str]()
        if len(possible) > 1:
            missing = missing.union(*(unknowns(truth) for _, truth in possible))
        return tuple(name for name, _ in possible), missing
    # Files that are not known may show the difference: the values from below stay possible.
    left = tuple(v.name for v in tunable.values if fits[v.name] is None and (v.sysfs or v.shows))
    kept = tuple(name for name in below if name in left)
    return kept or left or rest or tuple(
        dict.fromkeys(map(other_value, shown.values()))
    ), frozenset()


def _fits(value: Value, texts: Mapping[str, str | None]) -> bool | None:
    """Return whether the files show the value; None if some of them are not known."""
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


def _same(text: str, form: str) -> bool:
    """Return whether a text is that of a rule, in its range (`1..`), or has its word (`*a*`)."""
    if text == form:
        return True
    if "*" in form:
        return text not in ("", ABSENT) and fnmatchcase(text, form)
    if form in ("Y", "N", "y", "n"):
        return TRUTHS.get(text.lower()) is (form in "Yy")
    return within(text, form)


def undecided(state: State) -> str:
    """Return why files leave open which of several values it is; empty if they do not."""
    lines = [origin.text for origin in state.origins if origin.layer is Layer.RUNTIME]
    if not lines or state.missing:
        return ""
    return (
        "they differ"
        if state.counts
        else f"the files have different values, for example {lines[0]}"
    )


def of_disks(state: State, kinds: Iterable[str]) -> State | None:
    """Return the state of the disks of these kinds alone; None if there is none of them, and the
    state as it is if no disk is known."""
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
    """Return whether instances differ that all have to be as wanted: policies, not disks."""
    chosen = (Setting(path, "").instances is Instances.CHOSEN for path in _patterns(tunable))
    return bool(counts) and not any(chosen)
