"""Drift: where what holds now on a host is not what its files say of the next boot.

The next boot is a subject of its own, asked as any other. It is made, and asked of a tunable, only
where something of it differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.runtime import Files
from advisor.engine.state import World
from advisor.engine.turns import Turns, after_boot, keys_of
from advisor.errors import shortened
from advisor.model.cmdline import lasting
from advisor.model.condition import within
from advisor.model.kernel import Layer
from advisor.model.nextboot import Entry, NextBoot, Overridden, Written
from advisor.model.report import Diagnostic, Finding, State, diagnostic
from advisor.model.rules import Tunable

_FEW = 12
# What a loader, or the firmware before it, adds to a line by itself.
_ADDED = frozenset(("BOOT_IMAGE", "initrd"))
# What a module's parameter that is a truth value takes (lib/kstrtox.c#kstrtobool).
_TRUTHS = {"y": True, "1": True, "on": True, "n": False, "0": False, "off": False}
# What kernels, drivers or user space set by themselves, whatever their defaults are.
_SELF_SET = frozenset(("kernel.perf_event_max_sample_rate", "kernel.ns_last_pid"))
# What the kernel raises to the lowest share that the processor has, which only it knows
# (drivers/cpufreq/intel_pstate.c#store_min_perf_pct, read in 6.1 and 6.12).
_RAISED = frozenset(("/sys/devices/system/cpu/intel_pstate/min_perf_pct",))
# What a kernel that starts sets by its configuration and line alone, whatever the machine: other
# defaults are computed, or a vendor's patch has another one.
_SET_ONCE = (
    "bpf-for-users", "congestion-control", "cpufreq-governor", "hung-task-timeout", "ksm",
    "multigen-lru", "oops-panic", "panic-timeout", "preemption-model", "printk-timestamps",
    "queueing-discipline", "schedstats", "transparent-hugepages", "zswap",
)  # fmt: skip
# With less memory huge pages are off (mm/huge_memory.c#hugepage_init of 6.12: 512 MB).
_LITTLE = 1 << 30


def drift(world: World, findings: Iterable[Finding] = ()) -> Iterator[Diagnostic]:
    """What differs between now and the next boot, which of these findings that turns, and what
    does not count there."""
    subject = world.subject
    after = subject.next
    if after is None:
        return
    turns = Turns(world, findings)
    if after.entry and after.runs:
        yield from _of_kernel(after, after.entry, turns)
        yield from _of_line(world, after.entry, turns)
    named = _names(world)
    if after.runs:
        yield from _of_settings(world, after, turns)
        if after.told and (after.config or not _is_another(after)):
            yield from _unkept(world, after)
    yield from (_overridden(one) for one in after.overridden if _is_told(one, named, after))
    for one in after.unread:
        message = (
            f"{one.key} = {shortened(one.value)} is not set at boot: systemd-sysctl reads sysctl.d "
            f"alone, and nothing in it leads to this file"
        )
        yield diagnostic("sysctl-conf-unread", one.place, message, subject=one.key)
    for one in after.built_in:
        message = (
            f"{one.key}={shortened(one.value)} does nothing here: that is built into the kernel "
            f"that boots, and reads the boot line alone"
        )
        remedy = f"put {one.key}={one.value} on the boot line"
        yield diagnostic("module-option-idle", one.place, message, remedy, subject=one.key)
    for note in after.notes:
        yield diagnostic(note.id, note.location, note.message, subject=note.subject)


def _of_kernel(after: NextBoot, entry: Entry, turns: Turns) -> Iterator[Diagnostic]:
    if not _is_another(after):
        return
    message = (
        f"Linux {after.running} runs, and the next boot starts {entry.release}: {_called(entry)}"
    )
    if after.config is None:
        message += "; no configuration of that one is kept here"
    else:
        message += turns.compiled()
    yield diagnostic("kernel-drift", entry.place, message, subject=entry.release)


def _is_another(after: NextBoot) -> bool:
    """Whether another kernel boots than runs."""
    release = after.entry.release if after.entry else ""
    return bool(release and after.running) and release != after.running


def _called(entry: Entry) -> str:
    title = f" {shortened(entry.title)!r}" if entry.title else ""
    why = f" ({entry.why})" if entry.why else ""
    return f"the default entry{title} of {entry.loader}{why}"


def _of_line(world: World, entry: Entry, turns: Turns) -> Iterator[Diagnostic]:
    """The words that only one of both lines has; of a part of a line, those that it has."""
    line, own = entry.line, world.subject.cmdline
    if line is None or own is None:
        return
    now = lasting(word.text for word in (*own.words, *own.init))
    then = lasting(word.text for word in (*line.words, *line.init))
    # /proc/cmdline has what is built into the kernel, and what a bootconfig adds, as well.
    built_in = {word.text for word in world.line.words if word.layer is Layer.BUILT_IN}
    added = line.part or "bootconfig" in now
    gone = [word for word in dict.fromkeys(now) if word not in {*then, *built_in} and not added]
    new = [word for word in dict.fromkeys(then) if word not in now]
    parts = [f"{_few(words)} is {how}" for words, how in ((gone, "gone"), (new, "new")) if words]
    if parts:
        place = line.place(line.words[0].column) if line.words else entry.place
        first = next((w for w in line.words if w.text in new), None)
        place = line.place(first.column) if first else place
        message = f"the boot line of the next boot differs: {', '.join(parts)}; {_called(entry)}"
        message += turns.booted()
        yield diagnostic("line-drift", place, message, subject=" ".join([*gone, *new])[:200])


def _few(words: list[str]) -> str:
    more = f" and {len(words) - _FEW} more" * (len(words) > _FEW)
    return " ".join(map(shortened, words[:_FEW])) + more


def _of_settings(world: World, after: NextBoot, turns: Turns) -> Iterator[Diagnostic]:
    """The settings that are written at boot, and are others now."""
    for key, one in after.writes.items():
        shown = after.now.get(key)
        if shown is None or key in _SELF_SET or is_so(one, shown[0], world):
            continue
        if key in _RAISED and (_number(one.value) or 0) < (_number(shown[0]) or 0):
            continue
        now = Files({key: shown}).text(key)
        message = (
            f"{key} is {shortened(now)} now ({shown[1]}), and {shortened(one.value)} after "
            f"the next boot: {one.owner} sets it{turns.set_by(key)}"
        )
        remedy = f"correct {one.place}, or set it now as that does"
        yield diagnostic("setting-drift", one.place, message, remedy, subject=key)


def is_so(one: Written, shown: str, world: World) -> bool:
    """Whether what is shown is what is written, also where a file shows it in other words."""
    if same(shown, one.value):
        return True
    if not one.key.startswith("/"):
        return False
    truths = {_TRUTHS.get(text.lower()) for text in (shown, one.value)}
    if "/parameters/" in one.key and len(truths) == 1 and None not in truths:
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


def same(shown: str, written: str) -> bool:
    """Whether a file shows what was written into it: numbers in any spelling, of several the one
    in brackets."""
    if shown.split() == written.split() or f"[{written}]" in shown.split():
        return True
    ours, theirs = ([_number(part) for part in text.split()] for text in (shown, written))
    return None not in ours and ours == theirs


def _number(text: str) -> int | None:
    """A number as the kernel reads it, whose leading 0 is octal (lib/kstrtox.c#kstrtoull)."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if not digits.isascii() or len(digits) > 30:
        return None
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[:1] == "0" else 10
    try:
        return sign * int(digits, base)
    except ValueError:
        return None


def _unkept(world: World, after: NextBoot) -> Iterator[Diagnostic]:
    """The tunables that somebody set at run time, and that no file sets again."""
    then: World | None = None
    for name in _SET_ONCE:
        tunable = world.knowledge.tunable(name)
        keys = keys_of(tunable)
        if any(key in after.writes or key in after.unsure for key in keys):
            continue
        now = world.state(name)
        if now is None or len(now.effective) != 1 or not _is_shown(now):
            continue
        then = then or World(after_boot(world.subject), world.knowledge)
        state = then.state(name)
        if state and _differs(tunable, now, state, world):
            yield _lost(tunable, now, state)


def _lost(tunable: Tunable, now: State, then: State) -> Diagnostic:
    origin = now.origins[0]
    message = (
        f"{origin.text} now, and no file that was read sets it: {tunable.title} is "
        f"{tunable.describe(now.effective)}, and after the next boot "
        f"{tunable.describe(then.effective)} ({then.origins[0].text}), unless a program sets it"
    )
    return diagnostic("setting-unkept", origin.location, message, subject=tunable.id)


def _is_shown(state: State) -> bool:
    return bool(state.origins) and state.origins[0].layer is Layer.RUNTIME


def _differs(tunable: Tunable, now: State, then: State, world: World) -> bool:
    """Whether a kernel that starts surely shows something else than is shown now."""
    if len(then.effective) != 1 or then.missing or not then.origins:
        return False
    if now.effective == then.effective or same(now.effective[0], then.effective[0]):
        return False
    if tunable.id == "transparent-hugepages" and (world.subject.machine.memory or 0) < _LITTLE:
        return False
    if tunable.sysctl or tunable.sysfs:
        return True
    value = next((one for one in tunable.values if one.name == then.effective[0]), None)
    shown = {origin.text for origin in now.origins}
    forms = [f"{key}={text}" for key, text in (*value.sysctl, *value.sysfs)] if value else []
    forms += [f"{key}={text}" for key, texts in value.shows for text in texts] if value else []
    return bool(forms) and shown.isdisjoint(forms)


def _names(world: World) -> frozenset[str]:
    return frozenset(world.knowledge.run_time_names("sysctl"))


def _is_told(one: Overridden, named: frozenset[str], after: NextBoot) -> bool:
    """Whether a setting that does not count is one that a rule names, or of an administrator."""
    key = one.setting.key
    both = "/etc/" in one.setting.place.path and ("/etc/" in one.place.path or bool(one.by))
    return key in named or key.startswith("/") or both


def _overridden(one: Overridden) -> Diagnostic:
    what = f"{one.setting.key} = {shortened(one.setting.value)}"
    if one.setting.by:
        what += f", of {one.setting.by},"
    if one.value is None:
        message = f"{what} is not set: {one.place} has this file's name, and is read in its place"
    else:
        who = Written("", "", one.place, one.by).owner
        message = f"{what} is overridden: {who} sets {shortened(one.value)}"
    return diagnostic("setting-overridden", one.setting.place, message, subject=one.setting.key)
