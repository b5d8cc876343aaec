"""What a team accepts, as it is read: its waivers held against the rules, and its baseline."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from advisor.engine.waivers import Accepted, entries
from advisor.errors import MOST_PROBLEMS, InputError, KnowledgeError, UsageError, near, shortened
from advisor.inputs.open import InputName, RepositoryFile, name_of, read_text
from advisor.knowledge.store import Knowledge
from advisor.model.diagnostics import DIAGNOSTICS
from advisor.model.finding import Waiver
from advisor.model.numbers import whole_number
from advisor.model.policy import Policy
from advisor.model.profile import POLICY, REQUIRES
from advisor.model.report import Report

BASELINE = "kernel-advisor/baseline/v1"
"""The schema that a baseline names."""

Rules = Mapping[str, Iterable[str]]
"""All that a waiver may name, with the profiles that have advice about it."""


def accepted(
    waivers: Sequence[Waiver],
    baseline: InputName | None,
    knowledge: Knowledge,
    policies: Iterable[Policy] = (),
) -> Accepted | None:
    """What waivers and the baseline in that file accept; None if there is nothing of the kind.

    Raises KnowledgeError for a waiver that can match nothing, and InputError.
    """
    if not waivers and baseline is None:
        return None
    if waivers:
        rules = rules_of(knowledge)
        rules.update({policy.id: {POLICY} for policy in policies})
        check_waivers(waivers, rules)
    known = read_baseline(baseline) if baseline else {}
    return Accepted(tuple(waivers), known, name_of(baseline or ""), today())


def rules_of(knowledge: Knowledge) -> dict[str, set[str]]:
    """All that a waiver may name, with the profiles that have advice about it."""
    rules: dict[str, set[str]] = {
        name: set() for name in (*knowledge.ids("tunables"), *DIAGNOSTICS)
    }
    for name in knowledge.profile_ids():
        for advice in knowledge.profile(name).advice:
            for rule in (advice.key, *(option.tunable for option in advice.options)):
                rules.setdefault(rule, set()).add(advice.profile)
    for program in filter(None, map(knowledge.program, knowledge.ids("programs"))):
        name = f"{REQUIRES}{program.id}"
        rules.update({f"{name}/{function.id}": {name} for function in program.functions})
    return rules


def check_waivers(waivers: Iterable[Waiver], rules: Rules) -> None:
    """Raises KnowledgeError for waivers that can never match anything."""
    profiles = {profile for named in rules.values() for profile in named}
    wrong = (
        (str(waiver.location), problem)
        for waiver in waivers
        if (problem := _never_matches(waiver, rules, profiles))
    )
    # What was meant is looked for at length, so that nobody has a run do so for ever.
    if problems := list(islice(wrong, MOST_PROBLEMS + 1)):
        raise KnowledgeError(problems)


def _never_matches(waiver: Waiver, rules: Rules, profiles: set[str]) -> str:
    """Why a waiver can match nothing; empty if it may."""
    rule, profile = waiver.rule, waiver.profile
    if rule not in rules:
        hint = near(rule, rules) or "the id of a finding, a tunable or a diagnostic"
        return f"there is no rule {shortened(rule)!r} ({hint})"
    if rule in DIAGNOSTICS:
        told = f"{rule} is a diagnostic, which belongs to no profile: remove the key 'profile'"
        return told if profile else ""
    if profile and profile not in profiles:
        hint = near(profile, profiles) or "see: kernel-advisor profiles"
        return f"there is no profile {shortened(profile)!r} ({hint})"
    if not rules[rule]:
        return f"no profile has advice about {rule}"
    return "" if profile in ("", *rules[rule]) else f"{profile} has no advice about {rule}"


def read_baseline(path: InputName) -> dict[str, Any]:
    """The entries of a baseline by fingerprint. Raises InputError."""
    hint, where = "kernel-advisor baseline writes a baseline", name_of(path)
    if not (isinstance(path, RepositoryFile) or os.path.lexists(path)):
        raise InputError("no such file", where=where, hint=hint)
    try:
        document = json.loads(read_text(path).removeprefix("\ufeff"))
        known = _entries(document)
    except (ValueError, RecursionError) as error:
        reason = shortened(str(error))
        raise InputError(f"is no baseline: {reason}", where=where, hint=hint) from error
    if known is None:
        raise InputError(f"is no baseline of the form {BASELINE}", where=where, hint=hint)
    return known


def _entries(document: Any) -> dict[str, Any] | None:
    """The entries by fingerprint; None if the document has not the form of a baseline."""
    if not isinstance(document, dict) or document.get("schema") != BASELINE:
        return None
    listed = document.get("findings")
    if not isinstance(listed, list) or not all(map(_is_entry, listed)):
        return None
    return {entry["fingerprint"]: entry for entry in listed}


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    state = entry.get("state")
    texts = [entry.get(key) for key in ("fingerprint", "id", "path")]
    return isinstance(state, list) and all(isinstance(text, str) for text in (*texts, *state))


def baseline_text(reports: Iterable[Report]) -> str:
    """The baseline of these reports; the same reports give the same text."""
    document = {"schema": BASELINE, "findings": entries(reports)}
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def today() -> str:
    """The day that expiry is held against: SOURCE_DATE_EPOCH if set, else today, in UTC."""
    # Who sets it for a build that can be repeated gets the same report whenever it runs.
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    try:
        if (seconds := whole_number(epoch)) is None:
            raise ValueError
        moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError) as error:
        hint = "give seconds since 1970, or unset the variable"
        raise UsageError(f"{epoch!r} is no time", where="SOURCE_DATE_EPOCH", hint=hint) from error
    return moment.date().isoformat()
