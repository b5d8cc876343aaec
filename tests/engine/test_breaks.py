"""What becomes of a tuning as a whole where a kernel lacks one of its settings."""

from __future__ import annotations

from advisor.engine.like.answers import breaks
from advisor.model.kernel import Location
from advisor.model.like import Answer, Answered, Entry, System, Tuning

from ..cases import each

PLACE = Location("x", 1)
SYSCTL = Entry("kernel.a", "1", PLACE)
FILE = Entry("/sys/a", "1", PLACE)
KNOB = Entry("/sys/kernel/debug/sched/a", "1", PLACE, "[scheduler] a", rather="kernel.sched_a")
WORD = Entry("a=1", "a=1", PLACE, is_word=True)


@each(
    ("system", "entries", "says"),
    [
        (
            System.TUNED, (SYSCTL, KNOB, FILE, WORD),
            "TuneD sets the other entries, but tuned-adm verify fails for the whole profile: "
            "kernel.a, [scheduler] a cannot be read",
        ),
        (System.TUNED, (FILE, WORD), ""),
        (
            System.SYSCTL_D, (SYSCTL,) * 5,
            "systemd-sysctl warns about kernel.a, kernel.a, kernel.a and 2 more and sets the "
            "other entries; sysctl -p sets the other entries, but reports an error",
        ),
        (System.TMPFILES_D, (FILE,), "systemd-tmpfiles reports nothing about /sys/a"),
        (
            System.SAPTUNE,
            (SYSCTL, FILE),
            "saptune warns about kernel.a, /sys/a and sets the other entries",
        ),
        (System.BOOT_LINE, (WORD,), ""),
    ],
)  # fmt: skip
def test_a_missing_setting(system, entries, says):
    tuning = Tuning("x", system, entries)
    missing = [Answered(entry, Answer.NO_KNOB) for entry in entries]
    assert breaks(tuning, missing) == says
    assert not breaks(tuning, [one._replace(answer=Answer.UNKNOWN) for one in missing])
