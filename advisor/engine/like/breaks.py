"""What a program makes of a tuning of which the kernel lacks a setting.

- TuneD 2.20 (plugins/plugin_sysctl.py, plugin_scheduler.py, base.py): writes the rest. Its verify
  holds the text None against the value, so that one missing sysctl fails the whole profile, with
  --ignore-missing too. Of [sysfs] it reads what is there.
- systemd-sysctl 252 (src/sysctl/sysctl.c): a warning each, and success without --strict.
- sysctl -p of procps 4.0 (src/sysctl.c): an error each, and a failure in the end.
- systemd-tmpfiles 252 (src/tmpfiles/tmpfiles.c): opens what is there, and says nothing otherwise.
- saptune 3.2 (system/sysctl.go, system/sys.go): a warning each.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.model.like import Answer, Answered, System, Tuning

_MOST = 3
_SAID = {
    System.TUNED: (
        "TuneD sets the rest, and tuned-adm verify fails for the whole profile: {} cannot be read"
    ),
    System.SYSCTL_D: (
        "systemd-sysctl warns of {} and sets the rest; sysctl -p sets the rest and fails"
    ),
    System.TMPFILES_D: "systemd-tmpfiles says nothing of {}",
    System.SAPTUNE: "saptune warns of {} and sets the rest",
}


def breaks(tuning: Tuning, answers: Iterable[Answered]) -> str:
    """Return what becomes of the tuning as a whole; empty where nothing is missing, or counts."""
    missing = [one.entry for one in answers if one.answer is Answer.NO_KNOB]
    names = [one.key for one in missing if not one.is_word]
    if tuning.system is System.TUNED:
        # What TuneD looks for by its name, there or not.
        looked_for = (one for one in missing if one.rather or not one.key.startswith("/"))
        names = [one.label or one.key for one in looked_for if not one.is_word]
    if not names or tuning.system not in _SAID:
        return ""
    rest = len(names) - _MOST
    more = f" and {rest} more" if rest > 0 else ""
    return _SAID[tuning.system].format(", ".join(names[:_MOST]) + more)
