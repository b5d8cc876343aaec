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


def breaks(tuning: Tuning, answers: Iterable[Answered]) -> str:
    """Return what becomes of the tuning as a whole; empty where nothing is missing, or counts."""
    missing = [one.entry for one in answers if one.answer is Answer.NO_KNOB]
    settings = [one for one in missing if not one.is_word]
    # What TuneD looks for by its name, there or not.
    named = [one for one in settings if one.rather or not one.key.startswith("/")]
    system = tuning.system
    if system is System.TUNED and named:
        labels = _few([one.label or one.key for one in named])
        return (
            "TuneD sets the rest, and tuned-adm verify fails for the whole profile: "
            f"{labels} cannot be read"
        )
    if system is System.SYSCTL_D and settings:
        return (
            f"systemd-sysctl warns of {_few([one.key for one in settings])} and sets the rest; "
            "sysctl -p sets the rest and fails"
        )
    if system is System.TMPFILES_D and settings:
        return f"systemd-tmpfiles says nothing of {_few([one.key for one in settings])}"
    if system is System.SAPTUNE and settings:
        return f"saptune warns of {_few([one.key for one in settings])} and sets the rest"
    return ""


def _few(names: list[str]) -> str:
    rest = len(names) - _MOST
    return ", ".join(names[:_MOST]) + (f" and {rest} more" if rest > 0 else "")
