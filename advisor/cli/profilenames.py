"""The profiles that -p names, be it by an everyday name or by one that is nearly right."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from advisor.cli.options import Request
from advisor.cli.printing import complain
from advisor.errors import shortened
from advisor.knowledge.store import Knowledge

_ALIKE = 0.8
_SHORTEST = 3


def named(request: Request, knowledge: Knowledge, quiet: bool = False) -> Request:
    """The request with the ids of the profiles that it names; unless `quiet`, stderr tells which
    were taken for which. What is no profile's stays."""
    names = [name for given in request.knowledge.profile for name in _names(given)]
    ids = {name: profile_of(name, knowledge) for name in names}
    prefer = request.knowledge.prefer
    for name, one in ids.items():
        if one != name and not quiet:
            complain(f"--profile {shortened(name)}: read as the profile {one}")
    profile = tuple(ids.values())
    # What it is called beside --profile it may be called here.
    prefer = ids.get(prefer) or (profile_of(prefer, knowledge) if prefer else "")
    own = request.knowledge._replace(profile=profile, prefer=prefer)
    return request._replace(knowledge=own)


def _nearly(plain: str, names: Mapping[str, list[str]]) -> list[str]:
    """The profiles of the everyday names that are nearly this one."""
    close = difflib.get_close_matches(plain, names, n=2, cutoff=_ALIKE)
    return [*dict.fromkeys(profile for name in close for profile in names[name])]


def _names(given: str) -> list[str]:
    """The names that a comma joins, as `-p database,systemd`."""
    return [name.strip() for name in given.split(",") if name.strip()] or [given]


def profile_of(name: str, knowledge: Knowledge) -> str:
    """The id of the only profile that a name can mean: its id, what it is called every day, how its
    id begins, or what is nearly one of these; else the name itself."""
    ids = knowledge.profile_ids()
    if name in ids:
        return name
    plain = name.strip().lower()
    for found in (
        [one for one in ids if one == plain],
        knowledge.called(plain),
        [one for one in ids if one.startswith(plain) and len(plain) >= _SHORTEST],
        difflib.get_close_matches(plain, ids, n=2, cutoff=_ALIKE),
        _nearly(plain, knowledge.everyday()),
    ):
        if found:
            return found[0] if len(found) == 1 else name
    return name
