"""Makes records: starts the kernel without a setting and with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from advisor.errors import UsageError

from . import barred, together
from .check import problems_of
from .effects import SEEDS, effects, unrest
from .guest import digest_of
from .images import Image, carried
from .machine import Kernel, Lab
from .record import RECORDS, Made, Record, all_of, differing, only_one_ran, ran, read, record_of
from .run import Run
from .settings import CONTROL, NOTHING, Setting
from .witness import functions_of, seen, witness_of

# The kernel as it is, which all are held against, is counted with all of these at which it rests.
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
        made = self._made(self.run(NOTHING, BASE_SEEDS[0]))
        return record_of(NOTHING, made, self._at_rest(NOTHING, self._kernel, made))

    def record(self, setting: Setting, base: Record, image: Image | None = None) -> Record:
        """The record of a setting, or of what the `image` of it is. Raises UsageError where it may
        have none, or nothing shows that it was in effect."""
        self.check_allowed(setting)
        kernel = image.kernel if image else self._kernel
        runs = self._at_rest(setting, kernel, base.made, base.seeds, SEEDS)
        plain = {seed: self.run(NOTHING, seed) for seed in runs}
        witness = seen(setting, next(iter(plain.values())), next(iter(runs.values())))
        if witness is None and image:
            witness = carried(setting, self._kernel, kernel)
        if witness is None:
            raise UsageError(f"{setting.name}: nothing in the guest shows that it was in effect")
        found = record_of(setting, base.made, runs, witness)
        shown = [effect.window for effect in effects(base, found) if effect.found]
        before, after = list(plain.values()), list(runs.values())
        known = functions_of(setting.tunable)
        found = found._replace(
            functions=differing(before, after, shown),
            ran=only_one_ran(before, after) if image and not known else ran(before, after, known),
            built=image.built if image else None,
        )
        if wrong := list(problems_of(found, base)):
            raise UsageError(f"{setting.name}: {'; '.join(wrong)}")
        return found

    def _at_rest(
        self,
        setting: Setting,
        kernel: Kernel,
        made: Made,
        seeds: Sequence[int] = BASE_SEEDS,
        most: int = len(BASE_SEEDS),
    ) -> dict[int, Run]:
        """The runs of those seeds at which the kernel was at rest, so many at most; where there are
        too few, of the first ones. By the phase of the clock, what windows leave for later falls
        into others, or does not."""
        runs: dict[int, Run] = {}
        rested: dict[int, Run] = {}
        for seed in seeds:
            runs[seed] = self.run(setting, seed, kernel)
            if _rests(record_of(setting, made, {seed: runs[seed]})):
                rested[seed] = runs[seed]
            if len(rested) == most:
                break
        return rested if len(rested) >= SEEDS else dict(list(runs.items())[:most])

    def together(self, name: str, settings: Sequence[Setting], base: Record) -> Record:
        """The record of several settings at once. Raises UsageError where one of them has no record
        of its own, or nothing shows that it was in effect."""
        whole = together.setting_of(name, settings)
        runs = self._at_rest(whole, self._kernel, base.made, base.seeds, SEEDS)
        plain = {seed: self.run(NOTHING, seed) for seed in runs}
        first = next(iter(runs))
        every = {one.name: seen(one, plain[first], runs[first]) for one in settings}
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
        if why := barred.unreached(setting.tunable, setting.way):
            raise UsageError(f"{setting.name} is out of reach: {why}")
        if not setting.lines and setting != CONTROL and witness_of(setting.tunable) is None:
            raise UsageError(f"{setting.name}: no witness is known", hint="lab/witnesses.toml")

    def run(self, setting: Setting, seed: int, kernel: Kernel | None = None) -> Run:
        """One start, of the kernel as it is or another one."""
        self._say(f"{setting.name if setting.tunable else 'as it is'}, seed {seed}")
        line = setting.line_on(self._kernel.name)
        return self._lab.run(kernel or self._kernel, line, setting.arguments, seed)

    def _made(self, run: Run) -> Made:
        return made_with(self._lab, self._kernel, run)


def _rests(record: Record) -> bool:
    return not any(unrest(record))


def made_with(lab: Lab, kernel: Kernel, run: Run) -> Made:
    """With what a run was made."""
    version = run.shown["/proc/version"][0]
    release, debian = version.split()[2], re.search(r"Debian (\S+) \(\d{4}-", version)
    package = f"linux-image-{release} {debian[1]}" if debian else kernel.source
    guest = lab.guest(kernel)
    return Made(
        kernel.name, release, package, digest_of(kernel.image), guest.initramfs_digest,
        guest.plugin_digest, lab.qemu(kernel), " ".join(kernel.platform.machine),
    )  # fmt: skip
