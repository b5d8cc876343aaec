"""The answer for each entry of a tuning: the first that holds, in the order a reader needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from posixpath import basename

from advisor.engine.diagnose.next_boot import is_so, same_text
from advisor.engine.effective.run_time import are_listed
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import lack
from advisor.engine.like.refused_files import refused
from advisor.engine.like.trial import Trial, moved, values
from advisor.engine.remedy.runtime_remedies import no_way
from advisor.errors import and_more, shortened
from advisor.knowledge import paths
from advisor.knowledge.sysfs import is_same
from advisor.model.finding import OPEN, Finding, Verdict
from advisor.model.kernel import Layer
from advisor.model.like import NOT_TOLD, Answer, Answered, Entry, Likeness, Ruling, System, Tuning
from advisor.model.nextboot import RIVALS, Written
from advisor.model.numbers import whole_number
from advisor.model.profile import Profile, Strength
from advisor.model.state import LACK
from advisor.model.tunable import Tunable, Value, is_other, other_text

# What a diagnostic of a word or setting comes to.
_ANSWERS = {
    "sysctl-unknown": Answer.NO_KNOB,
    "parameter-unknown": Answer.NO_KNOB,
    "parameter-removed": Answer.NO_KNOB,
    "parameter-too-new": Answer.NO_KNOB,
    "parameter-wrong-arch": Answer.NO_KNOB,
    "parameter-not-built": Answer.NO_KNOB,
    "component-absent": Answer.NO_EFFECT,
    "component-unknown": Answer.NO_EFFECT,
    "parameter-other-machine": Answer.NO_EFFECT,
    "parameter-value-refused": Answer.NO_EFFECT,
    "parameter-no-effect": Answer.NO_EFFECT,
    "parameter-void": Answer.NO_EFFECT,
    "parameter-elsewhere": Answer.NO_EFFECT,
    "sysctl-no-effect": Answer.NO_EFFECT,
    "sysctl-value-refused": Answer.NO_EFFECT,
    "cpulist-malformed": Answer.NO_EFFECT,
    "parameter-redundant": Answer.IN_FORCE,
    "parameter-duplicate": Answer.UNDONE,
}
_ON_LINE = "already on the boot line"


def like(tuning: Tuning, world: World, profiles: Sequence[Profile] = ()) -> Likeness:
    """Answer for each entry of a tuning what it does on the kernel of a world, and what advice of
    the profiles the tuning leaves out."""
    trial = Trial(tuning, world, profiles)
    subject, answers = world.subject, tuple(_answered(entry, trial) for entry in trial.entries)
    return Likeness(
        tuning,
        subject.name,
        subject.kernel,
        subject.machine.arch,
        tuple(profile.id for profile in profiles),
        answers,
        tuple(_left_out(trial)),
        breaks(tuning, answers),
        bool(are_listed(subject.sysctl)),
    )


def _answered(entry: Entry, trial: Trial) -> Answered:
    if entry.told:
        # By the tuning alone, but for a word that is there already.
        if entry.is_word and _is_on_line(entry, trial):
            return Answered(entry, Answer.IN_FORCE, "", _ON_LINE)
        return Answered(entry, entry.told.answer, "", entry.told.why)
    tunable = trial.tunable(entry)
    now = _now(entry, tunable, trial)
    ruling = _out_of_reach(entry, trial) or undone(entry, trial) or _idle(entry, trial)
    names = {one.id for one in trial.tunables(entry)} if trial.profiles and not ruling else set()
    open_ = (one for one in trial.after if names and one.verdict in OPEN)
    against = tuple(one.advice for one in open_ if one.tunable.id in names)
    musts = [one for one in against if one.strength is Strength.MUST]
    if musts:
        ruling = Ruling(Answer.AGAINST, f"{musts[0].profile}: {musts[0].why}")
    ruling = ruling or _implied(entry, tunable, trial) or _compared(entry, tunable, now, trial)
    now = "" if ruling.answer is Answer.NO_KNOB else now
    read = trial.places(entry) if now and not entry.is_word else ()
    return Answered(entry, ruling.answer, now, ruling.why, tunable, against, read)


def _is_on_line(entry: Entry, trial: Trial) -> bool:
    return any(word.text == entry.value for word in trial.world.line.words)


def _now(entry: Entry, tunable: Tunable | None, trial: Trial) -> str:
    """Return what is so now: the text that run time shows, or one that means as much; of a word
    what its tunable is, in words."""
    if shown := [] if entry.is_word else trial.shown(entry):
        return ", ".join(dict.fromkeys(shown))
    world = trial.with_words(()) if entry.is_word else trial.world
    state = world.value(tunable.id) if tunable else None
    if tunable is None or state is None or not state.effective:
        return ""
    if entry.is_word:
        return state.describe(tunable)
    texts = []
    for name in state.effective:
        value = tunable.value(name)
        pairs = value.settings if value else ()
        written = (text for key, text in pairs if _is_same(key, entry.key))
        words = f"{tunable.title}: {tunable.describe((name,))}" if value else name
        texts.append(next(written, words))
    return " or ".join(dict.fromkeys(texts))


# --- what keeps it from being so ------------------------------------------------------------------


def _out_of_reach(entry: Entry, trial: Trial) -> Ruling | None:
    """Return the ruling where this kernel has nothing that the entry could set, or takes no such
    value."""
    world = trial.world
    subject = world.subject
    if entry.is_word:
        return None if _is_on_line(entry, trial) else _diagnosed(entry, trial)
    if why := world.files.refuses(entry.key):
        return Ruling(Answer.NO_KNOB, why.replace(f" no {entry.key}", " none"))
    if entry.since and subject.is_since(entry.since) and not trial.shown(entry):
        release = ".".join(map(str, entry.since[:2]))
        return Ruling(Answer.NO_KNOB, f"the kernel has no such file since {release}")
    is_shown = bool(trial.shown(entry))
    if entry.key.startswith("/") and (ruling := refused(entry, world, is_shown=is_shown)):
        return ruling
    tunables = trial.tunables(entry)
    if tunables and all(world.evaluate(one.only_if) is False for one in tunables):
        # What a kernel shows is there, and of no use without what the rules ask for.
        answer = Answer.NO_EFFECT if trial.shown(entry) else Answer.NO_KNOB
        return Ruling(answer, lack(tunables[0], world))
    is_listed = are_listed(subject.sysctl) and entry.key in subject.sysctl
    if not is_listed and (ruling := _diagnosed(entry, trial)):
        return ruling
    return _no_way(entry, tunables, trial)


def _no_way(entry: Entry, tunables: Sequence[Tunable], trial: Trial) -> Ruling | None:
    """Return the ruling where this kernel has no way to write the value, or any, at run time."""
    for tunable in tunables:
        named = [one for one in tunable.values if _writes(one, entry)]
        wanted = [one.name for one in named if _writes(one, entry, entry.value)]
        if why := no_way(wanted, tunable, trial.booted):
            every = no_way([one.name for one in named], tunable, trial.booted)
            if every and not trial.shown(entry):
                return Ruling(Answer.NO_KNOB, why)
            is_so_anyway = set(values(trial.world, tunable)) <= set(wanted)
            return None if is_so_anyway else Ruling(Answer.NO_EFFECT, why)
    return None


def _writes(value: Value, entry: Entry, text: str = "") -> bool:
    """Return whether a value is written into the entry's file or sysctl, as that text if one is
    told."""
    return any(_is_same(key, entry.key) and text in ("", one) for key, one in value.settings)


def _is_same(key: str, other: str) -> bool:
    return key == other or (key.startswith("/") and is_same(key, other))


def _diagnosed(entry: Entry, trial: Trial) -> Ruling | None:
    """Return what the diagnostics say of an entry."""
    found = (one for one in trial.diagnostics(entry) if one.id in _ANSWERS)
    if (first := next(found, None)) is None:
        return None
    message = first.message
    for name in (entry.key, shortened(entry.key)):  # which stands beside it
        message = message.removeprefix(f"{name}: ")
    meant = f"; {first.remedy}" if first.remedy.startswith("did you mean") else ""
    return Ruling(_ANSWERS[first.id], f"{message}{meant}")


def _idle(entry: Entry, trial: Trial) -> Ruling | None:
    """Return the ruling where the kernel takes the value and it does nothing."""
    words = trial.booted.line.by_name.get(entry.unless_boot) if entry.unless_boot else None
    if words:
        why = f"TuneD does not set this entry if the boot line has {words[0].text}"
        return Ruling(Answer.NO_EFFECT, why)
    for tunable in () if entry.is_word else trial.tunables(entry):
        state = trial.alone.value(tunable.id)
        if state and state.why and state.runtime and state.runtime != state.effective:
            return Ruling(Answer.NO_EFFECT, state.why)
    return None


# --- what it comes to -----------------------------------------------------------------------------


def _implied(entry: Entry, tunable: Tunable | None, trial: Trial) -> Ruling | None:
    """Return the ruling where the value is so by another entry as well."""
    if entry.is_word:
        return None
    if same := next(iter(trial.later(entry, entry.key)), None):
        return Ruling(Answer.IMPLIED, f"{same.place} sets the same value")
    if tunable is None or not trial.words:
        return None
    worlds = (trial.with_words(()), trial.booted, trial.alone)
    before, by_words, after = (values(world, tunable) for world in worlds)
    if len(after) != 1 or by_words != after or before == after:
        return None
    state = trial.booted.state(tunable.id)
    lines = [one.text for one in state.origins if one.layer is Layer.BOOT] if state else []
    words = " and ".join(text for text in lines if not text.startswith(LACK))
    return Ruling(Answer.IMPLIED, f"by {words} on the boot line") if words else None


def _compared(entry: Entry, tunable: Tunable | None, now: str, trial: Trial) -> Ruling:
    """Return whether the value is so already, changes, or is not known."""
    if entry.is_word:
        return _word(entry, tunable, trial)
    world = trial.world
    if shown := trial.shown(entry):
        if all(_is_so(entry, text, world) for text in shown):
            return Ruling(Answer.IN_FORCE, _bound(entry))
        return _strange(tunable, trial) or Ruling(Answer.CHANGES)
    if tunable is None:
        # The lists lack files whose name the source puts together, as a macro of kyber does.
        is_known = not entry.key.startswith("/") or paths.is_known(entry.key, world.knowledge)
        why = NOT_TOLD if is_known else "this file is not in the lists of files that were read"
        return Ruling(Answer.UNKNOWN, why)
    before, wanted = values(world, tunable), values(trial.alone, tunable)
    if not before or (len(before) > 1 and set(wanted) & set(before)):
        state = world.value(tunable.id)
        missing = sorted(state.missing) if state else []
        why = f"the value depends on {', '.join(missing)}" if missing else NOT_TOLD
        return Ruling(Answer.UNKNOWN, why)
    if len(before) == 1 and _is_so(entry, now, world):
        return Ruling(Answer.IN_FORCE, _bound(entry) or "by default")
    if before == wanted:
        same_as = f"{now} has the same effect: {tunable.title}, {tunable.describe(before)}"
        return Ruling(Answer.IN_FORCE, same_as)
    return _strange(tunable, trial) or Ruling(Answer.CHANGES)


def _strange(tunable: Tunable | None, trial: Trial) -> Ruling | None:
    """Return the ruling where the value is none that the rules know: the kernel may refuse it."""
    wanted = values(trial.alone, tunable) if tunable else ()
    if not wanted or not all(map(is_other, wanted)):
        return None
    return Ruling(
        Answer.UNKNOWN, f"the rules do not describe the value {shortened(other_text(wanted[0]))}"
    )


def _word(entry: Entry, tunable: Tunable | None, trial: Trial) -> Ruling:
    """Return what a word comes to that this kernel reads."""
    if _is_on_line(entry, trial):
        return Ruling(Answer.IN_FORCE, _ON_LINE)
    if tunable is None:
        if trial.world.subject.cmdline is None:
            why = (
                "no rule describes what the parameter changes, and the present boot "
                "line is not known"
            )
            return Ruling(Answer.UNKNOWN, why)
        return Ruling(Answer.CHANGES, "not on the boot line yet")
    others = trial.words_but(entry)
    if not moved(trial.with_words(others), trial.booted):
        by = " and ".join(one.value for one in others if tunable in trial.tunables(one))
        return Ruling(Answer.IMPLIED, f"by {by or 'the other parameters'}")
    state = trial.booted.value(tunable.id)
    return Ruling(Answer.CHANGES, f"then {state.describe(tunable) if state else 'none'}")


def _is_so(entry: Entry, shown: str, world: World) -> bool:
    """Return whether a text is the entry's value, or beyond the end that the program keeps to."""
    if is_so(Written(entry.key, entry.value, entry.place), shown, world):
        return True
    number, end = whole_number(shown), whole_number(entry.value)
    if not entry.bound or number is None or end is None:
        return False
    return number >= end if entry.bound == ">" else number <= end


def _bound(entry: Entry) -> str:
    verb = {">": "lowers", "<": "raises"}.get(entry.bound, "")
    return f"TuneD never {verb} the value" if verb else ""


# --- advice ---------------------------------------------------------------------------------------


def _left_out(trial: Trial) -> Iterator[Finding]:
    """Yield the findings that ask for a change, and which no entry is about."""
    told = {one.id for entry in trial.entries for one in trial.tunables(entry)}
    for finding in trial.before if trial.profiles else ():
        names = {option.tunable for option in finding.advice.options}
        is_weak = finding.advice.strength is Strength.COULD
        if finding.verdict is Verdict.CHANGE and not is_weak and not names & told:
            yield finding


# --- what is set behind it ------------------------------------------------------------------------


# Programs write in this order at boot: the kernel reads its line; systemd-sysctl, systemd-tmpfiles;
# TuneD; saptune. TuneD then writes again what the sysctl files of /etc set (reapply_sysctl).
_RANKS = {
    System.BOOT_LINE: 0, System.SYSCTL_D: 1, System.SETTINGS: 1, System.TMPFILES_D: 2,
    System.TUNED: 3, System.SAPTUNE: 4,
}  # fmt: skip


def undone(entry: Entry, trial: Trial) -> Ruling | None:
    """Return the ruling where something that is set later takes the value away."""
    if entry.is_word:
        return None
    rivals = trial.later(entry, RIVALS.get(entry.key, ""))
    behind = [one for one in trial.later(entry, entry.key) if not same_text(one.value, entry.value)]
    behind += [one for one in rivals if one.value != "0" != entry.value]
    if behind:
        return Ruling(Answer.UNDONE, f"{behind[0].place} sets {behind[0].text}")
    return _by_host(entry, trial)


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


# --- what a program makes of missing settings -----------------------------------------------------


_MOST = 3
# What programs do about a setting that the kernel lacks:
# - TuneD 2.20 (plugins/plugin_sysctl.py, plugin_scheduler.py, base.py): writes the rest. Its verify
#   holds the text None against the value, so that one missing sysctl fails the whole profile, with
#   --ignore-missing too. Of [sysfs] it reads what is there.
# - systemd-sysctl 252 (src/sysctl/sysctl.c): a warning each, and success without --strict.
# - sysctl -p of procps 4.0 (src/sysctl.c): an error each, and a failure in the end.
# - systemd-tmpfiles 252 (src/tmpfiles/tmpfiles.c): opens what is there, and says nothing otherwise.
# - saptune 3.2 (system/sysctl.go, system/sys.go): a warning each.
_SAID = {
    System.TUNED: (
        "TuneD sets the other entries, but tuned-adm verify fails for the whole profile: "
        "{} cannot be read"
    ),
    System.SYSCTL_D: (
        "systemd-sysctl warns about {} and sets the other entries; "
        "sysctl -p sets the other entries, but reports an error"
    ),
    System.TMPFILES_D: "systemd-tmpfiles reports nothing about {}",
    System.SAPTUNE: "saptune warns about {} and sets the other entries",
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
    return _SAID[tuning.system].format(and_more(names, _MOST))
