"""The profiles of a host where nobody names one: those that its files recommend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from advisor.engine.recommend import recommend
from advisor.inputs.host.signs import read_signs
from advisor.knowledge.store import Knowledge
from advisor.model.evidence import Recommendation, Sign, Signs
from advisor.model.profile import Strength
from advisor.model.report import Report
from advisor.model.sysctl import release_of
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.cli.options import Request
    from advisor.inputs.host.read import Host

_REALTIME = "realtime-kernel"


class Fitting(NamedTuple):
    """A host's signs, the profiles that they recommend, and what else could not be read for that,
    with the reasons."""

    signs: Signs
    profiles: tuple[Recommendation, ...]
    unread: dict[str, str]


def fitting(host: Host, knowledge: Knowledge) -> Fitting:
    """What fits the host, by its files and its configuration."""
    told = set(host.root.unread)
    signs = read_signs(host.root)
    if host.config.get("PREEMPT_RT") == "y" and not signs.trait(_REALTIME):
        sign = Sign("trait", _REALTIME, "the kernel is built with PREEMPT_RT")
        signs = signs._replace(signs=(sign, *signs.signs))
    profiles = tuple(recommend(knowledge.candidates(), signs))
    unread = {path: why for path, why in host.root.unread.items() if path not in told}
    return Fitting(signs, profiles, unread)


def with_profiles(request: Request, names: Iterable[str], prefer: str) -> Request:
    """The request with these profiles, and the one that settles what they dispute."""
    return request._replace(
        knowledge=request.knowledge._replace(profile=tuple(names), prefer=prefer)
    )


class OneHost(NamedTuple):
    """A host as it was read, what fits it where nobody named a profile, and what makes its report:
    for some profiles (none: those that were named) and the one that is preferred (empty: none)."""

    host: Host
    fits: Fitting | None
    report: Callable[[tuple[str, ...], str], Report]

    @property
    def release(self) -> str:
        """What its kernel calls itself; empty where none runs."""
        return release_of(self.host.runtime.sysctl)

    def as_asked(self) -> Report:
        """The report on the profiles that were named, else on those that fit."""
        if self.fits is None:
            return self.report((), "")
        return self._together(self.fits.profiles)._replace(recommended=self.fits.profiles)

    def _together(self, profiles: Iterable[Recommendation]) -> Report:
        """The report on the clear ones that go together: a profile that contradicts one that fits
        better in more than trifles, which that one settles, is left to who asks for it."""
        clear = [one.profile for one in profiles if one.clear]
        # Profiles of one's own may take the place of the neutral one: then only inputs are checked.
        chosen = tuple(clear[:1])
        made = self.report(chosen, "")
        for name in clear[1:]:
            names = (*chosen, name)
            trial = self.report(names, "")
            if any(conflict.counts(Strength.SHOULD) for conflict in trial.conflicts):
                continue
            if trial.conflicts:
                trial = self.report(names, chosen[0])
            if not trial.conflicts:
                chosen, made = names, trial
        return made
