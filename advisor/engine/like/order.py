"""Which entries something undoes that is set behind them: a later entry, or a file of the host.

Programs write in this order at boot: the kernel reads its line; systemd-sysctl, systemd-tmpfiles;
TuneD; saptune. TuneD then writes again what the sysctl files of /etc set (reapply_sysctl).
"""

from __future__ import annotations

from posixpath import basename

from advisor.engine.diagnose.next_boot import same_text
from advisor.engine.like.trial import Trial
from advisor.errors import shortened
from advisor.model.like import Answer, Entry, Ruling, System
from advisor.model.nextboot import RIVALS, Written

_RANKS = {
    System.BOOT_LINE: 0, System.SYSCTL_D: 1, System.SETTINGS: 1, System.TMPFILES_D: 2,
    System.TUNED: 3, System.SAPTUNE: 4,
}  # fmt: skip


def undone(entry: Entry, trial: Trial) -> Ruling | None:
    """Return the ruling where something that is set later takes the value away."""
    return None if entry.is_word else _by_tuning(entry, trial) or _by_host(entry, trial)


def _by_tuning(entry: Entry, trial: Trial) -> Ruling | None:
    for one in trial.later(entry, entry.key):
        if not same_text(one.value, entry.value):
            return Ruling(Answer.UNDONE, f"{one.place} sets {one.text}")
    for one in trial.later(entry, RIVALS.get(entry.key, "")):
        if one.value != "0" != entry.value:
            return Ruling(Answer.UNDONE, f"{one.place} sets {one.text}")
    return None


def _by_host(entry: Entry, trial: Trial) -> Ruling | None:
    world, rank = trial.world, _RANKS[trial.tuning.system]
    after = world.subject.next
    if after is None:
        return None
    for key in (entry.key, *world.files.instances(entry.key).values()):
        one = after.writes.get(key)
        if one and not same_text(one.value, entry.value) and _is_later(one, trial):
            return Ruling(Answer.UNDONE, f"{one.owner} sets {shortened(one.value)}")
        if rank < _RANKS[System.TUNED] and (why := after.unsure.get(key)):
            return Ruling(Answer.UNDONE, f"{why} at boot")
    return None


def _is_later(one: Written, trial: Trial) -> bool:
    """Return whether a value is written after those of the tuning."""
    path, tuning = one.place.path, trial.tuning
    if tuning.system is System.TUNED:
        return not one.by and "/etc/" in path and not one.key.startswith("/")
    if one.by:
        return _RANKS[tuning.system] < _RANKS[System.TUNED]
    if _RANKS[tuning.system] != _RANKS[System.SYSCTL_D]:
        return False
    if one.key.startswith("/") or "/tmpfiles.d/" in path:
        return True
    return basename(path) > basename(next(iter(tuning.files), ""))
