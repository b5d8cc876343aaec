"""Makes records: starts the kernel without a setting and with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from advisor.errors import UsageError

from . import barred, together
from .check import problems_of
from .effects import effects
from .guest import digest_of
from .machine import MACHINE, Kernel, Lab
from .record import RECORDS, Made, Record, all_of, differing, ran, read, record_of
from .run import Run
from .settings import CONTROL, NOTHING, Setting
from .witness import functions_of, seen, witness_of

SEEDS = (1, 2, 3)
# The kernel as it is, which all are held against, is counted more often.
BASE_SEEDS = (1, 2, 3, 4, 5, 6)
Say = Callable[[str], None]


class Measurement:
    """What the lab makes of one kernel."""

    def __init__(self, lab: Lab, kernel: Kernel, say: Say) -> None:
        self._lab, self._kernel, self._say = lab, kernel, say

    def base(self) -> Record:
        """The kernel as it is: the record there is, if it was made with the same programs."""
        path = RECORDS / self._kernel.name / "as-it-is.json"
        if path.exists():
            kept = read(path)
            if kept.made == self._made(self.run(NOTHING, BASE_SEEDS[0])):
                return kept
        runs = {seed: self.run(NOTHING, seed) for seed in BASE_SEEDS}
        return record_of(NOTHING, self._made(runs[1]), runs, None)

    def record(self, setting: Setting, base: Record) -> Record:
        """The record of a setting. Raises UsageError where it may have none, or nothing shows that
        it was in effect."""
        self.check_allowed(setting)
        plain = {seed: self.run(NOTHING, seed) for seed in SEEDS}
        runs = {seed: self.run(setting, seed) for seed in SEEDS}
        witness = seen(setting, plain[1], runs[1])
        if witness is None:
            raise UsageError(f"{setting.name}: nothing in the guest shows that it was in effect")
        found = record_of(setting, base.made, runs, witness)
        shown = [effect.window for effect in effects(base, found) if effect.found]
        before, after = list(plain.values()), list(runs.values())
        found = found._replace(
            functions=differing(before, after, shown),
            ran=ran(before, after, functions_of(setting.tunable)),
        )
        if wrong := list(problems_of(found, base)):
            raise UsageError(f"{setting.name}: {'; '.join(wrong)}")
        return found

    def together(self, name: str, settings: Sequence[Setting], base: Record) -> Record:
        """The record of several settings at once. Raises UsageError where one of them has no record
        of its own, or nothing shows that it was in effect."""
        whole = together.setting_of(name, settings)
        plain = {seed: self.run(NOTHING, seed) for seed in SEEDS}
        runs = {seed: self.run(whole, seed) for seed in SEEDS}
        every = {one.name: seen(one, plain[1], runs[1]) for one in settings}
        members = {one: shown for one, shown in every.items() if shown}
        if lacking := ", ".join(sorted(set(every) - set(members))):
            raise UsageError(f"{whole.name}: nothing in the guest shows {lacking} in effect")
        found = record_of(whole, base.made, runs, None)._replace(members=members)
        shown = [effect.window for effect in effects(base, found) if effect.found]
        found = found._replace(
            functions=differing(list(plain.values()), list(runs.values()), shown)
        )
        singles = {record.name: record for record in all_of(self._kernel.name)}
        if wrong := [*problems_of(found, base), *together.problems(found, singles)]:
            raise UsageError(f"{whole.name}: {'; '.join(wrong)}")
        return found

    def check_allowed(self, setting: Setting) -> None:
        """Raises UsageError for what is barred, what no window shows, and what no witness is known
        of."""
        if why := barred.reason(setting.tunable):
            raise UsageError(f"{setting.name} is barred: {why}")
        if why := barred.unreached(setting.tunable):
            raise UsageError(f"{setting.name} is out of reach: {why}")
        if setting != CONTROL and witness_of(setting.tunable) is None:
            raise UsageError(f"{setting.name}: no witness is known", hint="lab/witnesses.toml")

    def run(self, setting: Setting, seed: int) -> Run:
        """One start."""
        self._say(f"{setting.name if setting.tunable else 'as it is'}, seed {seed}")
        return self._lab.run(self._kernel, setting.line, setting.arguments, seed)

    def _made(self, run: Run) -> Made:
        return made_with(self._lab, self._kernel, run)


def made_with(lab: Lab, kernel: Kernel, run: Run) -> Made:
    """With what a run was made."""
    version = run.shown["/proc/version"][0]
    release, debian = version.split()[2], re.search(r"Debian (\S+) \(\d{4}-", version)
    package = f"linux-image-{release} {debian[1]}" if debian else ""
    return Made(
        kernel.name, release, package, digest_of(kernel.image),
        lab.guest.initramfs_digest, lab.guest.plugin_digest, lab.qemu, " ".join(MACHINE),
    )  # fmt: skip
