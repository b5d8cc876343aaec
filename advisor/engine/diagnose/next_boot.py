"""Drift: differences between what holds now on a host and what its files set at the next boot.

The next boot is a subject of its own, judged as any other, and only where something differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from advisor.engine.effective.run_time import TRUTHS, Files, of_machine
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import judge_advice
from advisor.errors import and_more, shortened
from advisor.model.cmdline import lasting
from advisor.model.finding import Diagnostic, Finding, Verdict, diagnostic
from advisor.model.kernel import Layer, Location
from advisor.model.nextboot import Entry, NextBoot, Overridden, Written
from advisor.model.numbers import kernel_number, within
from advisor.model.state import State
from advisor.model.tunable import Tunable

_MOST_WORDS = 12
_MOST_NAMES = 3
_DECIDED = (Verdict.OK, Verdict.CHANGE, Verdict.BLOCKED)
# Words that a loader, or the firmware before it, adds to a line by itself.
_ADDED = frozenset(("BOOT_IMAGE", "initrd"))
# Settings that kernels, drivers or user space set by themselves, whatever their defaults are.
_SELF_SET = frozenset(("kernel.perf_event_max_sample_rate", "kernel.ns_last_pid"))
# The kernel raises it to the lowest share that the processor has, which only the kernel knows
# (drivers/cpufreq/intel_pstate.c#store_min_perf_pct, read in 6.1 and 6.12).
_RAISED = frozenset(("/sys/devices/system/cpu/intel_pstate/min_perf_pct",))
# Tunables that a kernel sets at its start by its configuration and line alone, whatever the
# machine: other defaults are computed, or a vendor's patch has another one.
_SET_ONCE = (
    "bpf-for-users", "congestion-control", "cpufreq-governor", "hung-task-timeout", "ksm",
    "multigen-lru", "oops-panic", "panic-timeout", "preemption-model", "printk-timestamps",
    "queueing-discipline", "schedstats", "transparent-hugepages", "zswap",
)  # fmt: skip
# With less memory huge pages are off (mm/huge_memory.c#hugepage_init of 6.12: 512 MB).
_LITTLE = 1 << 30


def drift(world: World, findings: Iterable[Finding] = ()) -> Iterator[Diagnostic]:
    """Report what differs between now and the next boot, which of these findings that changes, and
    which files have no effect at boot."""
    after = world.subject.next
    if after is None:
        return
    turns = _Turns(world, after, findings)
    release = after.entry.release if after.entry else ""
    is_another = bool(release and after.running) and release != after.running
    if after.runs:
        if after.entry and is_another:
            yield _of_kernel(after, after.entry, turns)
        if after.entry:
            yield from _of_line(world, after.entry, turns)
        yield from _of_settings(world, after, turns)
        if after.told and (after.config or not is_another):
            yield from _unkept(world, after, turns)
    named = frozenset(world.knowledge.run_time_names("sysctl"))
    yield from _overridden(after.overridden, named)
    for one in after.unread:
        message = (
            f"{one.key} = {shortened(one.value)} is not set at boot: systemd-sysctl reads only "
            "sysctl.d, which has no link to this file"
        )
        yield diagnostic("sysctl-conf-unread", one.place, message, subject=one.key)
    for one in after.built_in:
        message = (
            f"{one.key}={shortened(one.value)} has no effect in this file: the code is built into "
            "the kernel that boots, and reads only the boot line"
        )
        remedy = f"put {one.key}={one.value} on the boot line"
        yield diagnostic("module-option-idle", one.place, message, remedy, subject=one.key)
    for note in after.notes:
        yield diagnostic(note.id, note.location, note.message, note.remedy, subject=note.subject)


class _Turns:
    """The advice that is followed now and not after the next boot, or the other way round."""

    def __init__(self, world: World, after: NextBoot, findings: Iterable[Finding]) -> None:
        self._now = world
        self._after = after
        # A finding that is waived asks for nothing.
        self._findings = [one for one in findings if one.verdict in _DECIDED and not one.waived]

    @cached_property
    def then(self) -> World:
        """Return the world after the next boot."""
        now, after = self._now.subject, self._after
        line = after.entry.line if after.entry else None
        written = {key: (one.value, one.place) for key, one in after.writes.items()}
        files = {key: value for key, value in written.items() if key.startswith("/")}
        subject = now.anew({**of_machine(now.sysfs), **files})._replace(
            config=after.config or now.config,
            cmdline=line if line and not line.part else now.cmdline,
            sysctl={key: value for key, value in written.items() if not key.startswith("/")},
            notes=(),
            next=None,
        )
        return World(subject, self._now.knowledge)

    def set_by(self, key: str) -> str:
        """Return the advice that another value of a sysctl or file turns, to end a sentence."""
        files = Files({key: ("", Location(key))})
        return self._turned(
            one
            for one in self._findings
            if any(name == key or files.instances(name) for name in _keys_of(one.tunable))
        )

    def differing(self, layer: Callable[[State], tuple[str, ...]]) -> str:
        """Return the advice that another boot line, or kernel, turns: the layer of its tunable."""
        return self._turned(
            one
            for one in self._findings
            if (then := self.then.value(one.tunable.id)) and layer(one.state) != layer(then)
        )

    def _turned(self, findings: Iterable[Finding]) -> str:
        """Return `; then swappiness (should) is no longer as wanted`; empty if no advice turns."""
        turned: dict[bool, dict[str, str]] = {False: {}, True: {}}
        for finding in findings:
            # Only the verdict counts here, so no remedy is looked for.
            then = judge_advice(finding.advice, self.then, lambda _: False).verdict
            before, after = (one is Verdict.OK for one in (finding.verdict, then))
            if then in _DECIDED and before is not after:
                name = f"{finding.tunable.id} ({finding.advice.strength.value})"
                turned[after].setdefault(finding.tunable.id, name)
        parts = [
            f"{and_more([*names.values()], _MOST_NAMES)} {'are' if len(names) > 1 else 'is'} "
            f"{'as wanted' if after else 'no longer as wanted'}"
            for after, names in turned.items()
            if names
        ]
        return f"; then {', and '.join(parts)}" if parts else ""


def _keys_of(tunable: Tunable) -> list[str]:
    """Return the sysctls and files by which a tunable is set or shown."""
    keys = [key for key in (tunable.sysctl, tunable.sysfs) if key]
    for value in tunable.values:
        keys += [key for key, _ in (*value.settings, *value.shows)]
    return list(dict.fromkeys(keys))


def _of_kernel(after: NextBoot, entry: Entry, turns: _Turns) -> Diagnostic:
    message = (
        f"Linux {after.running} runs, and the next boot starts Linux {entry.release}: "
        f"{_called(entry)}"
    )
    if after.config is None:
        message += f"; no configuration of Linux {entry.release} was found"
    else:
        message += turns.differing(lambda state: state.compiled)
    return diagnostic("kernel-drift", entry.place, message, subject=entry.release)


def _called(entry: Entry) -> str:
    title = f" {shortened(entry.title)!r}" if entry.title else ""
    why = f" ({entry.why})" if entry.why else ""
    return f"the default entry{title} of {entry.loader}{why}"


def _of_line(world: World, entry: Entry, turns: _Turns) -> Iterator[Diagnostic]:
    """Report the words that only one of both lines has; of a part of a line, those that it adds."""
    line, own = entry.line, world.subject.cmdline
    if line is None or own is None:
        return
    now = lasting(word.text for word in (*own.words, *own.init))
    then = lasting(word.text for word in (*line.words, *line.init))
    # /proc/cmdline also has the words built into the kernel, and those that a bootconfig adds.
    built_in = {word.text for word in world.line.words if word.layer is Layer.BUILT_IN}
    added = line.part or "bootconfig" in now
    gone = [word for word in dict.fromkeys(now) if word not in {*then, *built_in} and not added]
    new = [word for word in dict.fromkeys(then) if word not in now]
    parts = [
        f"{and_more(list(map(shortened, words)), _MOST_WORDS, ' ')} is {how}"
        for words, how in ((gone, "gone"), (new, "new"))
        if words
    ]
    if parts:
        place = line.place(line.words[0].column) if line.words else entry.place
        first = next((w for w in line.words if w.text in new), None)
        place = line.place(first.column) if first else place
        message = f"the boot line of the next boot differs: {', '.join(parts)}; {_called(entry)}"
        message += turns.differing(lambda state: state.boot)
        yield diagnostic("line-drift", place, message, subject=" ".join([*gone, *new])[:200])


def _of_settings(world: World, after: NextBoot, turns: _Turns) -> Iterator[Diagnostic]:
    """Report the settings that have another value now than the one written at boot."""
    for key, one in after.writes.items():
        shown = after.now.get(key)
        if shown is None or key in _SELF_SET or is_so(one, shown[0], world):
            continue
        if key in _RAISED and (kernel_number(one.value) or 0) < (kernel_number(shown[0]) or 0):
            continue
        now = Files({key: shown}).text(key)
        message = (
            f"{key} is {shortened(now)} now ({shown[1]}), and {shortened(one.value)} after "
            f"the next boot: {one.owner} sets it{turns.set_by(key)}"
        )
        remedy = f"correct {one.place}, or set {shortened(one.value)} now"
        yield diagnostic("setting-drift", one.place, message, remedy, subject=key)


def is_so(one: Written, shown: str, world: World) -> bool:
    """Return whether a file or sysctl shows the value written, perhaps in other words."""
    if same_text(shown, world.read_of(one.key, one.value)):
        return True
    if not one.key.startswith("/"):
        return False
    if same_truth(one.key, shown, one.value):
        return True
    files = Files({one.key: (shown, one.place)})
    text = files.text(one.key)
    for tunable in world.knowledge.tunables():
        for value in tunable.values:
            paths = [path for path, text in value.sysfs if text == one.value]
            forms = [form for path, forms in value.shows if path in paths for form in forms]
            if forms and any(files.instances(path) for path in paths):
                return any(text == form or within(text, form) is True for form in forms)
    return text == one.value


def same_truth(key: str, shown: str, written: str) -> bool:
    """Return whether a parameter of a module shows the truth value written, in another spelling."""
    truths = {TRUTHS.get(text.lower()) for text in (shown, written)}
    return "/parameters/" in key and len(truths) == 1 and None not in truths


def same_text(shown: str, written: str) -> bool:
    """Return whether a file shows the text written into it: numbers in any spelling, and of several
    words the one in brackets."""
    if shown.split() == written.split() or f"[{written}]" in shown.split():
        return True
    ours, theirs = ([kernel_number(part) for part in text.split()] for text in (shown, written))
    return None not in ours and ours == theirs


def _unkept(world: World, after: NextBoot, turns: _Turns) -> Iterator[Diagnostic]:
    """Report the tunables that somebody set at run time, and that no file sets again."""
    for name in _SET_ONCE:
        tunable = world.knowledge.tunable(name)
        if any(key in after.writes or key in after.unsure for key in _keys_of(tunable)):
            continue
        now = world.state(name)
        if now is None or len(now.effective) != 1 or not now.origins:
            continue
        origin = now.origins[0]
        then = turns.then.state(name) if origin.layer is Layer.RUNTIME else None
        if then and _differs(tunable, now, then, world):
            message = (
                f"{tunable.title} is {tunable.describe(now.effective)} now ({origin.text}), but no "
                "file that was read sets this at boot. If no program sets it, the value after the "
                f"next boot is {tunable.describe(then.effective)} ({then.origins[0].text})"
            )
            yield diagnostic("setting-unkept", origin.location, message, subject=name)


def _differs(tunable: Tunable, now: State, then: State, world: World) -> bool:
    """Return whether a kernel that starts surely shows another value than now."""
    if len(then.effective) != 1 or then.missing or not then.origins:
        return False
    if now.effective == then.effective or same_text(now.effective[0], then.effective[0]):
        return False
    if tunable.id == "transparent-hugepages" and (world.subject.machine.memory or 0) < _LITTLE:
        return False
    if tunable.sysctl or tunable.sysfs:
        return True
    value = tunable.value(then.effective[0])
    shown = {origin.text for origin in now.origins}
    forms = [f"{key}={text}" for key, text in value.settings] if value else []
    forms += [f"{key}={text}" for key, texts in value.shows for text in texts] if value else []
    return bool(forms) and shown.isdisjoint(forms)


def _overridden(settings: Iterable[Overridden], named: frozenset[str]) -> Iterator[Diagnostic]:
    """Report the settings without effect that a rule names, or that are the administrator's."""
    for one in settings:
        key, path = one.setting.key, one.setting.place.path
        both = "/etc/" in path and ("/etc/" in one.place.path or bool(one.by))
        if not (key in named or key.startswith("/") or both):
            continue
        what = f"{key} = {shortened(one.setting.value)}"
        if one.setting.by:
            what += f", of {one.setting.by},"
        if one.value is None:
            message = (
                f"{what} is not set: {one.place} has the same file name, and replaces this file"
            )
        else:
            who = Written("", "", one.place, one.by).owner
            message = f"{what} is overridden: {who} sets {shortened(one.value)}"
        yield diagnostic("setting-overridden", one.setting.place, message, subject=key)
