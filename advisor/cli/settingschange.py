"""What a change does to what it is judged by: settings, waivers, rules, profiles and a baseline.

Nothing is taken for harmless but what is known to be: a waiver less, a shorter one, a finding less
in the baseline, one more profile, one more thing to fail on, one more file to judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from hashlib import sha256
from typing import Any

from advisor.cli.auditor import Auditor
from advisor.cli.options import Request
from advisor.cli.settings import Settings, Table
from advisor.cli.values import fail_on_of
from advisor.engine import fingerprint
from advisor.inputs.open import InputName, RepositoryFile, name_of
from advisor.model.finding import Diagnostic, Waiver, diagnostic
from advisor.model.kernel import Location
from advisor.model.policy import Policy
from advisor.model.review import SettingsChange, Standing
from advisor.output.escape import clipped
from advisor.record import NamedTuple

MOST = 20
"""So many of a change's items are told; the others are counted."""
_LONGEST = 300
_FEW = 3
_DIGITS = 32  # of 64: a label of GitHub has at most 50 characters
_MORE_IS_STRICTER = ("profile", "require", "must_judge")


class Deciding(NamedTuple):
    """What decides at one revision: settings, the baseline's entries, and the digests of all files
    within the repository that belong to it, those of rules and profiles apart."""

    settings: Settings | None
    baseline_path: str
    baseline: Mapping[str, Any]
    files: Mapping[str, str]
    rules: Mapping[str, str]

    @classmethod
    def by(cls, auditor: Auditor) -> Deciding:
        """That of an auditor. Raises InputError."""
        baseline, accepted = auditor.request.policy.baseline, auditor.accepted
        knowledge = auditor.request.knowledge
        settings = auditor.settings
        named = [*(settings.files if settings else ()), *([baseline] if baseline else ())]
        rules = _digests(_below((*knowledge.rules, *knowledge.profiles)))
        return cls(
            settings,
            accepted.baseline_path if accepted else "",
            accepted.baseline if accepted else {},
            {**_digests(named), **rules},
            rules,
        )


def _below(folders: Iterable[InputName]) -> Iterator[InputName]:
    """The files of rules and profiles in folders of the repository."""
    for folder in folders:
        if isinstance(folder, RepositoryFile):
            paths = (path for path in folder.below() if path.endswith(".toml"))
            yield from (folder._replace(path=path) for path in paths)


def _digests(files: Iterable[InputName]) -> dict[str, str]:
    return {
        file.path: sha256(file.content()).hexdigest()
        for file in files
        if isinstance(file, RepositoryFile)
    }


def compared(base: Deciding, head: Deciding) -> SettingsChange | None:
    """What became of the one in the other; None if nothing did that counts."""
    if base.files == head.files:
        return None
    items = [*_settings(base, head), *_baseline(base, head), *_rules(base, head)]
    if not items:
        return None
    weaker = [item for item in items if item.id == "policy-weaker"]
    # Those first that have to be accepted, each kind in the order of the file.
    items = weaker + [item for item in items if item.id != "policy-weaker"]
    first = base.settings is None and head.settings is not None
    standing = Standing.OPEN if weaker else Standing.FIRST if first else Standing.HARMLESS
    either = head.settings or base.settings
    path = either.top.location.path if either else items[0].location.path
    told = fingerprint.of_diagnostics(items[:MOST], path)
    return SettingsChange(path, standing, tuple(told), len(items) - len(told), _digest(base, head))


def _digest(base: Deciding, head: Deciding) -> str:
    """What stands for exactly this change: every file that decides, before and after."""
    files = sorted({*base.files, *head.files})
    pairs = [(path, base.files.get(path), head.files.get(path)) for path in files]
    return sha256(json.dumps(pairs).encode()).hexdigest()[:_DIGITS]


def _item(weaker: bool, place: Location, message: str, subject: str) -> Diagnostic:
    name = "policy-weaker" if weaker else "policy-changed"
    # So much of one that no other has to be left out of a comment for it.
    return diagnostic(name, place, clipped(message, _LONGEST), subject=subject)


# --- settings -------------------------------------------------------------------------------------


def _settings(base: Deciding, head: Deciding) -> Iterator[Diagnostic]:
    old, new = base.settings, head.settings
    if old is None and new is not None:
        waivers = f", {len(new.waivers)} waivers among them" if new.waivers else ""
        message = (
            f"the change adds the repository's first settings{waivers}; the settings take effect "
            "once the base contains them"
        )
        yield _item(False, new.top.location, message, "settings")
        return
    nothing = Table(old.top.location if old else Location(""))
    sides = [_tables(one) if one else {"": nothing} for one in (old, new)]
    for pattern in dict.fromkeys((*sides[0], *sides[1])):
        yield from _options(pattern, *(side.get(pattern) for side in sides))
    common = sides[0].keys() & sides[1].keys()
    if old and new and _order(old, common) != _order(new, common):
        # Of several that fit a path, the last counts.
        place = new.subjects[0].location
        yield _item(True, place, "the order of the subjects changed", "subject")
    yield from _waivers(old.waivers if old else (), new.waivers if new else ())
    yield from _policies(old.policies if old else (), new.policies if new else ())


def _tables(settings: Settings) -> dict[str, Table]:
    """The tables by their patterns; of several of one pattern what they come to together."""
    tables = {"": settings.top}
    for table in settings.subjects:
        before = tables.get(table.pattern)
        options = {**(before.options if before else {}), **table.options}
        tables[table.pattern] = table._replace(options=options)
    return tables


def _order(settings: Settings, patterns: Set[str]) -> list[tuple[str, list[str]]]:
    """Which of these subjects says what before which."""
    tables = (table for table in settings.subjects if table.pattern in patterns)
    return [(table.pattern, sorted(table.options)) for table in tables]


def _options(pattern: str, old: Table | None, new: Table | None) -> Iterator[Diagnostic]:
    table = new or old
    before, after = (one.options if one else {} for one in (old, new))
    for key in dict.fromkeys((*before, *after)):
        values = before.get(key), after.get(key)
        if (
            table is None
            or key in ("baseline", "waivers")
            or _plain(values[0]) == _plain(values[1])
        ):
            continue
        whose = f" of {pattern}" if pattern else ""
        told = " -> ".join("(nothing)" if one is None else _shown(one) for one in values)
        weaker = not _stricter(key, *values)
        yield _item(weaker, table.location, f"{key.replace('_', '-')}{whose}: {told}", key)


def _plain(value: Any) -> Any:
    """The value, a file of the repository by its name: that is in both revisions another one."""
    if isinstance(value, tuple) and not isinstance(value, RepositoryFile):
        return tuple(map(_plain, value))
    return name_of(value) if isinstance(value, RepositoryFile) else value


def _shown(value: Any) -> str:
    plain = _plain(value)
    return ", ".join(map(str, plain)) if isinstance(plain, tuple) else str(plain)


def _stricter(key: str, old: Any, new: Any) -> bool:
    """Whether an option's new value can only have more fail."""
    if key == "fail_on":
        return _fails(new) >= _fails(old)
    return key in _MORE_IS_STRICTER and old is not None and set(old) <= set(new or ())


def _fails(value: str | None) -> frozenset[str]:
    policy = Request().policy
    return fail_on_of(policy._replace(fail_on=value or policy.fail_on))


# --- waivers --------------------------------------------------------------------------------------


def _waivers(old: Sequence[Waiver], new: Sequence[Waiver]) -> Iterator[Diagnostic]:
    before, after = _by_scope(old), _by_scope(new)
    for scope, waivers in after.items():
        for number, waiver in enumerate(waivers):
            known = before.get(scope, [])
            yield from _waiver(known[number] if number < len(known) else None, waiver)
    for scope, waivers in before.items():
        for waiver in waivers[len(after.get(scope, ())) :]:
            message = f"the waiver of {waiver.rule} is gone"
            yield _item(False, waiver.location, message, waiver.rule)


def _by_scope(waivers: Iterable[Waiver]) -> dict[tuple[str, ...], list[Waiver]]:
    """Waivers by what they are for."""
    found: dict[tuple[str, ...], list[Waiver]] = {}
    for waiver in waivers:
        scope = waiver.rule, waiver.path, waiver.profile, waiver.subject
        found.setdefault(scope, []).append(waiver)
    return found


def _waiver(old: Waiver | None, new: Waiver) -> Iterator[Diagnostic]:
    where = f" for {new.path}" if new.path else ""
    if old is None:
        message = f"a waiver of {new.rule}{where}: {new.reason}"
        yield _item(True, new.location, message, new.rule)
    elif old.expires != new.expires:
        until = f"until {new.expires}" if new.expires else "for ever"
        longer = not new.expires or bool(old.expires and old.expires < new.expires)
        message = f"the waiver of {new.rule}{where} is now valid {until}"
        yield _item(longer, new.location, message, new.rule)
    elif (old.reason, old.owner) != (new.reason, new.owner):
        message = f"the waiver of {new.rule}{where} has another reason or owner: {new.reason}"
        yield _item(False, new.location, message, new.rule)


# --- policies -------------------------------------------------------------------------------------


def _policies(old: Iterable[Policy], new: Iterable[Policy]) -> Iterator[Diagnostic]:
    before, after = _by_name(old), _by_name(new)
    for name, policies in after.items():
        yield from _policy(before.get(name, []), policies)
    for name, policies in before.items():
        if name not in after:
            yield _item(True, policies[0].location, f"policy/{name} is gone", f"policy/{name}")


def _by_name(policies: Iterable[Policy]) -> dict[str, list[Policy]]:
    """Policies by their name, of which the last counts that fits a path."""
    found: dict[str, list[Policy]] = {}
    for policy in policies:
        found.setdefault(policy.name, []).append(policy)
    return found


def _policy(old: list[Policy], new: list[Policy]) -> Iterator[Diagnostic]:
    last, demands = new[-1], [[one.demand for one in policies] for policies in (old, new)]
    if demands[0] != demands[1]:
        # One of the same name on another path takes that path from those before it.
        told = " -> ".join(", ".join(map(_asked, one)) or "(nothing)" for one in (old, new))
        yield _item(bool(old), last.location, f"{last.id}: {told}", last.id)
    elif [_words(one) for one in old] != [_words(one) for one in new]:
        message = f"{last.id} has another reason, owner or source: {last.reason}"
        yield _item(False, last.location, message, last.id)


def _asked(policy: Policy) -> str:
    """What a policy asks for, in a few words."""
    where = f" on {policy.path}" if policy.path else ""
    return (" or ".join(policy.values) or policy.about) + where


def _words(policy: Policy) -> tuple[str, str, str]:
    return policy.reason, policy.owner, policy.source


# --- baseline, rules and profiles -----------------------------------------------------------------


def _baseline(base: Deciding, head: Deciding) -> Iterator[Diagnostic]:
    if base.settings is None and not base.baseline_path and head.settings is not None:
        return  # it came with the first settings
    more = [
        entry["id"]
        for key, entry in head.baseline.items()
        if not set(entry["state"]) <= set(base.baseline.get(key, {"state": ()})["state"])
        or key not in base.baseline
    ]
    gone = [entry["id"] for key, entry in base.baseline.items() if key not in head.baseline]
    place = Location(head.baseline_path or base.baseline_path)
    if more:
        message = f"the baseline accepts {len(more)} more findings: {_first(more)}"
        yield _item(True, place, message, "baseline")
    if gone:
        message = f"{len(gone)} findings of the baseline are gone: {_first(gone)}"
        yield _item(False, place, message, "baseline")


def _rules(base: Deciding, head: Deciding) -> Iterator[Diagnostic]:
    if base.settings is None and not base.rules and head.settings is not None:
        return
    both = {*base.rules.items()} ^ {*head.rules.items()}
    if paths := sorted({path for path, _ in both}):
        count = "a file" if len(paths) == 1 else f"{len(paths)} files"
        message = f"{count} of rules or profiles changed: {_first(paths)}"
        yield _item(True, Location(paths[0]), message, "rules")


def _first(names: Iterable[str]) -> str:
    names = sorted(dict.fromkeys(names))
    return ", ".join(names[:_FEW]) + (", ..." if len(names) > _FEW else "")
