"""Policies in kernel-advisor.toml: a team's own lines, read and checked.

    [policies]
    HZ_1000 = { value = "y", reason = "our desktops", path = "configs/desktop-*" }
    LOG_BUF_SHIFT = { value = "17..20", reason = "the journal starts late" }

    [[policy]]
    parameter = "mitigations"
    values = ["auto", "auto,nosmt"]
    reason = "decided in the review of 2026"
    owner = "security@example.org"

A policy is about one of symbol, parameter, sysctl, sysfs and condition. Its name is the id of its
findings (`policy/NAME`); of several that fit a path and have one name the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from advisor.cli.settingsfile import (
    Problem,
    SettingsFile,
    is_pattern,
    is_scalar,
    is_scalars,
    is_switch,
    is_text,
    problems_of,
)
from advisor.errors import MOST_PROBLEMS, meant, shortened
from advisor.inputs.sysctl import dotted
from advisor.knowledge.catalogue import TYPES
from advisor.knowledge.references import expr_problems
from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.condition_parser import parse
from advisor.model.numbers import kernel_number
from advisor.model.policy import KINDS, SWITCH, Policy

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SYMBOL = re.compile(r"[A-Z0-9][A-Za-z0-9_]{0,199}")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  # a tab parts the numbers of a sysctl
_NUMBER = re.compile(r"-?[0-9]{1,20}")
_RANGE = re.compile(r"(-?[0-9]{1,20})?\.\.(-?[0-9]{1,20})?")
_HEX = re.compile(r"(0[xX])?[0-9a-fA-F]{1,16}")


_WORDS: dict[str, Callable[[Any], bool]] = {
    "value": is_scalar, "values": is_scalars, "reason": is_text, "owner": is_text,
    "source": is_text, "path": is_pattern, "when": is_text, "out-of-tree": is_switch,
}  # fmt: skip
_FIELDS = {**dict.fromkeys(KINDS, is_text), **_WORDS, "name": is_text}


# --- read -----------------------------------------------------------------------------------------


def read(files: Iterable[SettingsFile], problems: list[Problem]) -> list[Policy]:
    """The policies of these files, as far as they are some; what is wrong with the rest is added to
    the problems."""
    found: list[Policy] = []
    for file in files:
        found += (*_table(file, problems), *_list(file, problems))
    problems += islice(_twice(found), MOST_PROBLEMS)
    return found


def _table(file: SettingsFile, problems: list[Problem]) -> Iterator[Policy]:
    """The policies of `[policies]`, each by its symbol."""
    table = file.document.get("policies", {})
    for name, fields in table.items() if isinstance(table, dict) else ():
        if len(problems) > MOST_PROBLEMS:
            return
        at = "policies", name
        if not isinstance(fields, dict):
            hint = f'write {shortened(name)} = {{ value = "y", reason = "..." }}'
            problems.append((str(file.place(*at)), hint))
            continue
        wrong = list(problems_of(file, fields, _WORDS, *at))
        problems += wrong
        if not wrong:
            yield from _made(file, {"symbol": name, **fields}, problems, *at)


def _list(file: SettingsFile, problems: list[Problem]) -> Iterator[Policy]:
    """The policies of `[[policy]]`."""
    for number, table in file.tables("policy"):
        if len(problems) > MOST_PROBLEMS:
            return
        at = "policy", number
        wrong = list(problems_of(file, table, _FIELDS, *at))
        problems += wrong
        if not wrong:
            yield from _made(file, table, problems, *at)


def _made(
    file: SettingsFile, table: Mapping[str, Any], problems: list[Problem], *at: str | int
) -> Iterator[Policy]:
    place = file.place(*at)
    wrong = list(_wrong(table))
    problems += ((str(place), message) for message in wrong)
    if wrong:
        return
    kind = next(kind for kind in KINDS if kind in table)
    about = table[kind].strip()
    about = about.removeprefix("CONFIG_") if kind == "symbol" else about
    about = _name_of(about) if kind == "sysctl" else about
    values = table.get("values", [table["value"]] if "value" in table else [])
    yield Policy(
        table.get("name", about), kind, about, tuple(map(str, values)), table.get("reason", ""),
        place, table.get("path", ""), table.get("owner", ""), table.get("source", ""),
        table.get("out-of-tree", False), table.get("when", ""),
    )  # fmt: skip


def _wrong(table: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a policy whose fields are of the right types."""
    kinds = [kind for kind in KINDS if kind in table]
    if len(kinds) != 1:
        told = f"{' and '.join(kinds)}; make a policy for each" if kinds else "none of these keys"
        yield f"a policy needs one key of {', '.join(KINDS)}, but this policy has {told}"
        return
    (kind,) = kinds
    about = _name_of(table[kind]) if kind == "sysctl" else table[kind].removeprefix("CONFIG_")
    name = table.get("name", about)
    if not _NAME.fullmatch(name) or (kind == "condition" and "name" not in table):
        given = f"{shortened(name)!r} is no name" if "name" in table else "add the key 'name'"
        yield f"a policy needs a name of letters, digits, '.', '_' and '-': {given}"
    if kind == "symbol" and not _SYMBOL.fullmatch(table[kind].removeprefix("CONFIG_")):
        yield f"{shortened(table[kind])!r} is not a symbol such as HZ_1000"
    if "reason" not in table and "source" not in table:
        yield "a policy needs a reason, or a source that gives the reason"
    yield from _wrong_values(kind, table)


def _name_of(sysctl: str) -> str:
    """A sysctl's name with dots, as far as it is one."""
    return dotted(sysctl) or sysctl


def _wrong_values(kind: str, table: Mapping[str, Any]) -> Iterator[str]:
    given = [key for key in ("value", "values") if key in table]
    if len(given) > 1:
        yield "a policy has 'value' or 'values', not both: write only 'values'"
    if kind == "condition" and given:
        yield "a policy about a condition takes no value: a condition is true or false"
    if kind in ("symbol", "sysctl", "sysfs") and not given:
        example = "y" if kind == "symbol" else "1"
        yield f'a policy about a {kind} needs a value, such as value = "{example}"'
    for text in (table[kind], *map(str, table.get("values", [table.get("value", "")]))):
        if _FORBIDDEN.search(text):
            yield f"{shortened(text)!r} has a control character"
        elif kind == "parameter" and re.search(r"[\s\"]", text):
            name = repr(shortened(text))
            yield f"{name}: a parameter of the boot line cannot contain blanks or quotes"


def _twice(policies: Iterable[Policy]) -> Iterator[Problem]:
    """Policies of one name that are for the same path."""
    seen: dict[tuple[str, str], Policy] = {}
    for policy in policies:
        first = seen.setdefault((policy.name, policy.path), policy)
        if first is not policy:
            message = (
                f"policy/{policy.name} exists already in {first.location}: "
                "give this policy another name"
            )
            yield str(policy.location), message


# --- checked against what is known ----------------------------------------------------------------


def problems(policies: Iterable[Policy], knowledge: Knowledge) -> list[Problem]:
    """What is wrong with the names and values of policies: such as no kernel could meet."""
    policies = list(policies)
    found = (
        (str(policy.location), message)
        for policy in policies
        for message in wrong(policy, knowledge)
    )
    # What was meant is looked for at length, so that nobody has a run do so for ever.
    return list(islice(chain(found, _rivals(policies, knowledge)), MOST_PROBLEMS + 1))


def wrong(policy: Policy, knowledge: Knowledge) -> Iterator[str]:
    """What is wrong with the name and values of one policy."""
    yield from _CHECKS[policy.kind](policy, knowledge)
    if policy.when:
        yield from _wrong_condition(policy.when, policy, knowledge)


def _rivals(policies: Iterable[Policy], knowledge: Knowledge) -> Iterator[Problem]:
    """Policies that want two members of one choice for the same path."""
    taken: dict[tuple[str, str], Policy] = {}
    for policy in policies:
        if policy.kind != "symbol" or policy.values != ("y",) or policy.when:
            continue
        for member in knowledge.siblings(policy.about):
            other = taken.get((member, policy.path))
            if other and member != policy.about:
                message = f"{policy.about} and {member} ({other.location}) cannot both be y"
                yield str(policy.location), f"{message}: they are members of one choice"
        taken[policy.about, policy.path] = policy


def _symbol_problems(policy: Policy, knowledge: Knowledge) -> Iterator[str]:
    yield from _unknown_symbol(policy.about, policy.out_of_tree, knowledge)
    if policy.out_of_tree:
        return
    seen = knowledge.catalogue.seen(policy.about)
    types = {TYPES.get(fact.traits[:1], "unknown") for fact in seen.facts} if seen else set()
    if not types or "unknown" in types:
        return
    for value in policy.values:
        if not any(_is_of(value, one) for one in types):
            takes = " or ".join(dict.fromkeys(_TAKES[one] for one in sorted(types)))
            yield f"{policy.about} takes {takes}, not {shortened(value)!r}"


def _unknown_symbol(symbol: str, out_of_tree: bool, knowledge: Knowledge) -> Iterator[str]:
    catalogue = knowledge.catalogue
    if out_of_tree or catalogue.seen(symbol) or knowledge.is_named(symbol):
        return
    close = catalogue.near(symbol)
    hint = f"{meant(close[:3])} ".lstrip()
    yield (
        f"no kernel that was read has the symbol {shortened(symbol)} ({hint}"
        "if a patch adds the symbol, write out-of-tree = true)"
    )


_TAKES = {
    "bool": "y or n", "tristate": "y, m or n", "int": "a number, or a range such as 1..10",
    "hex": "a number such as 0x40", "string": "a text",
}  # fmt: skip


def _is_of(value: str, type: str) -> bool:
    """Whether a symbol of that type can have the value."""
    if type == "int":
        return bool(_NUMBER.fullmatch(value)) or _is_range(value)
    if type == "hex":
        return bool(_HEX.fullmatch(value))
    return type == "string" or (value in SWITCH and (value != "m" or type == "tristate"))


def _is_range(value: str) -> bool:
    match = _RANGE.fullmatch(value)
    low, high = match.groups() if match else (None, None)
    first, last = kernel_number(low or ""), kernel_number(high or "")
    return bool(low or high) and not (first is not None and last is not None and first > last)


def _parameter_problems(policy: Policy, knowledge: Knowledge) -> Iterator[str]:
    name, catalogue = policy.about, knowledge.parameter_catalogue
    known = knowledge.parameter(name.replace("-", "_")) or catalogue.seen(name)
    if "." in name or known or knowledge.reader(name) or policy.out_of_tree:
        return
    if close := catalogue.near(name):
        hint = meant(close[:3])
        yield f"no kernel that was read has the boot parameter {shortened(name)} ({hint})"


def _sysctl_problems(policy: Policy, knowledge: Knowledge) -> Iterator[str]:
    catalogue = knowledge.sysctl_catalogue
    if not catalogue.seen(policy.about) and (close := catalogue.typo(policy.about)):
        yield f"there is no sysctl {shortened(policy.about)} (did you mean {close[0]}?)"
    for value in policy.values:
        # Of a range each end has to be a number that the kernel takes.
        for end in filter(None, value.split("..") if _is_range(value) else [value]):
            if why := catalogue.refuses(policy.about, end):
                yield f"{policy.about} {why}, not {shortened(end)!r}"


def _file_problems(policy: Policy, _: Knowledge) -> Iterator[str]:
    if not policy.about.startswith("/sys/"):
        yield f"{shortened(policy.about)!r} is not a file below /sys such as /sys/kernel/mm/ksm/run"


def _condition_problems(policy: Policy, knowledge: Knowledge) -> Iterator[str]:
    return _wrong_condition(policy.about, policy, knowledge)


def _wrong_condition(text: str, policy: Policy, knowledge: Knowledge) -> Iterator[str]:
    try:
        parsed = parse(text)
    except ValueError as error:
        yield f"the condition cannot be read: {error}"
        return
    for symbol in condition.symbols(parsed):
        yield from _unknown_symbol(symbol, policy.out_of_tree, knowledge)
    yield from (
        one for one in expr_problems([parsed], knowledge) if not one.startswith("boot parameter")
    )


_CHECKS: dict[str, Callable[[Policy, Knowledge], Iterator[str]]] = {
    "symbol": _symbol_problems, "parameter": _parameter_problems, "sysctl": _sysctl_problems,
    "sysfs": _file_problems, "condition": _condition_problems,
}  # fmt: skip
