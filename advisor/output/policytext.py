"""Policies as text: as tables of kernel-advisor.toml, as a fragment, as a list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from advisor import __version__
from advisor.model.kernel import Location, assignment
from advisor.model.policy import Policy
from advisor.output.escape import comment, visible


def toml(policies: Sequence[Policy], unsaid: Sequence[tuple[Location, str]], title: str) -> str:
    """Return the policies as kernel-advisor.toml has them, and as comments what they cannot say."""
    short = [one for one in policies if one.kind == "symbol" and one.name == one.about]
    rows = [f"# {len(policies)} policies by kernel-advisor {__version__}: {visible(title)}"]
    if short:
        rows += ["", "[policies]", *map(_row, short)]
    for policy in policies:
        if policy not in short:
            rows += ["", "[[policy]]", *_table(policy)]
    if unsaid:
        rows += ["", f"# {len(unsaid)} entries could not be written as policies:"]
        rows += (f"# {visible(str(place))}: {visible(why)}" for place, why in unsaid)
    return "\n".join(rows) + "\n"


def _row(policy: Policy) -> str:
    fields = (f"{key} = {value}" for key, value in _fields(policy))
    return f"{policy.name} = {{ {', '.join(fields)} }}"


def _table(policy: Policy) -> Iterator[str]:
    if policy.name != policy.about:
        yield f"name = {_quoted(policy.name)}"
    yield f"{policy.kind} = {_quoted(policy.about)}"
    yield from (f"{key} = {value}" for key, value in _fields(policy))


def _fields(policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the keys of a policy that are set, with their values as TOML writes them."""
    if len(policy.values) == 1:
        yield "value", _quoted(policy.values[0])
    elif policy.values:
        yield "values", f"[{', '.join(map(_quoted, policy.values))}]"
    for key in ("when", "path", "reason", "owner", "source"):
        if text := getattr(policy, key):
            yield key, _quoted(text)
    if policy.out_of_tree:
        yield "out-of-tree", "true"


def _quoted(text: str) -> str:
    """Return a basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def fragment(policies: Iterable[Policy], title: str) -> str:
    """Return a fragment of what policies ask of symbols; what they ask of the boot line and at run
    time stands in it as comments."""
    rows = [f"# Policies of {comment(title)}, by kernel-advisor {__version__}"]
    for policy in policies:
        rows += ["", *(f"# {comment(text)}" for text in _remarks(policy))]
        if policy.kind == "symbol" and not policy.when:
            rows.append(assignment(policy.about, _first(policy)))
    return "\n".join(rows) + "\n"


def _remarks(policy: Policy) -> Iterator[str]:
    reason = f": {policy.reason}" if policy.reason else ""
    yield f"{policy.id}{reason}"
    if policy.kind != "symbol" or policy.when:
        where = f", if {policy.when}" if policy.when else ""
        yield f"Not written here: {demand(policy)}{where}"


def demand(policy: Policy) -> str:
    """Return what a policy asks for: `HZ_1000 = y`, `mitigations=auto on the boot line`."""
    if policy.kind == "condition":
        return policy.about
    if policy.kind == "parameter":
        words = [f"{policy.about}={value}" for value in policy.values] or [policy.about]
        return f"{' or '.join(words)} on the boot line"
    return f"{policy.about} = {' or '.join(policy.values)}"


def _first(policy: Policy) -> str:
    """Return the value that is written of those that will do."""
    value = policy.values[0]
    low, dots, high = value.partition("..")
    return low or high if dots and f"{low}{high}".lstrip("-").isdigit() else value


def table(policies: Sequence[Policy]) -> str:
    """Return each policy in a line: its id, what it asks for, where, and why."""
    rows = [(one.id, demand(one), _scope(one), one.reason or one.source) for one in policies]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(3)]
    padded = (
        [f"{part:{width}}" for part, width in zip(row[:3], widths, strict=True)] + [row[3]]
        for row in rows
    )
    return "".join(f"{visible('  '.join(parts)).rstrip()}\n" for parts in padded)


def _scope(policy: Policy) -> str:
    return "; ".join(filter(None, (policy.path, policy.when)))
