"""Whether a plan holds on a host, and of each thing that does not hold, why.

A reason is given only with evidence: a line of the log, of a file that is read at boot, or of the
configuration, or that something is not there. Causes that are looked at first exclude the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from advisor.engine.diagnose.next_boot import same_text, same_truth
from advisor.engine.effective.run_time import Files
from advisor.model.cmdline import parameter_name
from advisor.model.disks import called, kind_of
from advisor.model.kernel import Location
from advisor.model.numbers import within
from advisor.model.remedy import RemedyKind, is_variable
from advisor.model.sysctl import path_of
from advisor.model.verify import (
    AskedItem,
    AskedPlan,
    AskedSetting,
    Check,
    CheckedItem,
    Logged,
    Reason,
    Seen,
    Standing,
    Verified,
)

_PARAMETER = re.compile(r"/sys/module/([^/]+)/parameters/")
_DISK = re.compile(r"/sys/block/([^/]+)/")
_MODPROBE = "/modprobe.d/"
_UDEV = "/udev/"
_NO_WORD = "no such parameter"
_NO_FILE = "no such file"


def verify(plan: AskedPlan, seen: Seen, most: RemedyKind) -> Verified:
    """Hold each item of a plan against a host; those of more effort than `most` do not count."""
    host = _Host(seen)
    items = (
        CheckedItem(item, tuple(_checks(item, host)), item.kind.rank <= most.rank)
        for item in plan.items
    )
    return Verified(plan, seen, tuple(items))


def differences(plan: AskedPlan, seen: Seen) -> list[tuple[str, str, str]]:
    """Return by what the host is another machine than the plan's: what, the plan's, the host's."""
    pairs = (
        ("architecture", plan.arch, seen.arch),
        ("kernel release", plan.release, seen.release),
    )
    return [(what, asked, is_so) for what, asked, is_so in pairs if asked and is_so != asked]


def _checks(item: AskedItem, host: _Host) -> Iterator[Check]:
    # Where nobody knew whether it is a module, two files have the same.
    settings = {(one.key, one.disks): one for one in reversed(item.settings)}
    for setting in reversed(settings.values()):
        keys = _instances(setting, host)
        yield from (_of_file(key, setting, item, host) for key in keys)
        if not keys:
            yield _of_no_file(setting, item, host)
    for word in item.words:
        yield _of_word(word, host, is_wanted=True)
    for word in item.drop:
        if parameter_name(word) not in map(parameter_name, item.words):
            yield _of_word(word, host, is_wanted=False)
    for symbol, value in item.changes:
        yield _of_symbol(symbol, value, host)


class _Host:
    """What a host shows, with what is asked of it more than once."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.next = seen.next if seen.next and seen.next.told else None
        self.files = Files({key: (text, Location(key)) for key, text in seen.files.items()})
        self.last: dict[str, Logged] = {line.key: line for line in seen.log.lines}
        begins = [line for line in seen.log.lines if line.action == "begin"]
        self.begin = begins[-1] if begins else None
        files = (line for line in self.last.values() if line.action == "file" and line.error)
        # Without one of its files apply.sh sets nothing.
        self.stop = next(files, None)

    @property
    def has_booted(self) -> bool:
        """Whether it has booted since a script of the plan ran there."""
        return bool(self.begin and self.seen.boot and self.begin.boot != self.seen.boot)

    def logged(self, key: str) -> Logged | None:
        """Return what the scripts did last to a file, or to what its pattern names."""
        return self.last.get(key if key.startswith("/") else path_of(key))


# --- settings of run time -------------------------------------------------------------------------


def _instances(setting: AskedSetting, host: _Host) -> list[str]:
    """List the keys that the host has and could read, or not read; of disks those of the kinds."""
    seen = host.seen
    if not setting.key.startswith("/"):
        return [setting.key] if setting.key in (*seen.files, *seen.unread) else []
    paths = set(host.files.instances(setting.key).values())
    pattern = "/".join("*" if is_variable(part) else part for part in setting.key.split("/"))
    paths.update(path for path in seen.unread if fnmatchcase(path, pattern))
    return sorted(path for path in paths if _is_meant(path, setting, seen))


def _is_meant(path: str, setting: AskedSetting, seen: Seen) -> bool:
    found = _DISK.match(path) if setting.disks else None
    if not found:
        return not setting.disks
    turns = seen.files.get(f"/sys/block/{found[1]}/queue/rotational", "")
    return kind_of(found[1], turns) in setting.disks


def _of_file(key: str, setting: AskedSetting, item: AskedItem, host: _Host) -> Check:
    """Return the check of one file or sysctl that the host has."""
    shown = host.seen.files.get(key)
    now = None if shown is None else host.files.text(key)
    check = Check(key, setting.value, now, _then(key, host), Standing.HOLDS)
    is_so = shown is not None and _is_value(key, shown, setting, item)
    return (_kept if is_so else _not_so)(check, setting, item, host)


def _is_value(key: str, shown: str, setting: AskedSetting, item: AskedItem) -> bool:
    """Return whether a file shows what was asked for, perhaps in other words."""
    if same_text(shown, setting.value) or same_truth(key, shown, setting.value):
        return True
    forms = item.shows.get(setting.key, ())
    return any(shown == form or within(shown, form) is True for form in forms)


def _then(key: str, host: _Host) -> str | None:
    """Return the value that files write by the end of the next boot; None where no file tells."""
    written = host.next.writes.get(key) if host.next else None
    return written.value if written else None


def _kept(check: Check, setting: AskedSetting, item: AskedItem, host: _Host) -> Check:
    """Return the check of what is so now, with what becomes of it at the next boot."""
    after, key = host.next, check.key
    if after is None or not setting.file:
        return check
    if doubt := _doubt(key, setting, host):
        return check._replace(reason=Reason.OTHER_OWNER, evidence=doubt)
    written = after.writes.get(key)
    if written and not _is_value(key, written.value, setting, item):
        evidence = f"{written.owner} sets {written.value}"
        return _failing(check, Reason.OVERRIDDEN, evidence)
    if written or key in after.unsure:
        return check
    line = host.logged(key)
    if line and line.action == "restore":
        return _failing(check, Reason.TAKEN_BACK, str(line.place))
    evidence = _idle_option(key, host) or f"{setting.file} does not exist, or has no line for {key}"
    return _failing(check, Reason.NOT_KEPT, evidence)


def _idle_option(key: str, host: _Host) -> str:
    """Return what sets an option of a module that is built in, where it does nothing."""
    name = key.removeprefix("/sys/module/").replace("/parameters/", ".")
    options = host.next.built_in if host.next else ()
    return next(
        (f"{one.place} does nothing: the driver is built in, and reads {name}= on the boot line"
         for one in options if one.key == name), "",
    )  # fmt: skip


def _doubt(key: str, setting: AskedSetting, host: _Host) -> str:
    """Return what else may set a key at boot; empty where only the plan's own file may."""
    why = host.next.unsure.get(key, "") if host.next else ""
    return "" if setting.file and setting.file in why and not why.startswith("both ") else why


def _not_so(check: Check, setting: AskedSetting, item: AskedItem, host: _Host) -> Check:
    """Return the check of what is not as asked for: the first cause that has evidence."""
    key, seen, line = check.key, host.seen, host.logged(check.key)
    if check.now is None:
        return _failing(check, Reason.UNREADABLE, seen.unread.get(key, ""))
    if line and line.action == "restore":
        return _failing(check, Reason.TAKEN_BACK, str(line.place))
    written = host.next.writes.get(key) if host.next else None
    sets_it = written is not None and _is_value(key, written.value, setting, item)
    if _MODPROBE in setting.file and sets_it and written and not host.has_booted:
        evidence = f"{written.owner} takes effect once the module is loaded again"
        return check._replace(
            standing=Standing.WAITS, reason=Reason.NEEDS_REBOOT, evidence=evidence
        )
    if line and (told := _by_kernel(check, line)):
        return told
    if written and not sets_it:
        return _failing(check, Reason.OVERRIDDEN, f"{written.owner} sets {written.value}")
    if doubt := _doubt(key, setting, host):
        return _failing(check, Reason.OTHER_OWNER, doubt)
    if line and line.action == "set":
        evidence = (
            f"apply.sh read back {line.read} ({line.place}); the value has changed since then"
        )
        return _failing(check, Reason.DIFFERS, evidence)
    if written and sets_it:
        evidence = f"{written.owner} sets it at boot; apply.sh sets it now"
        return _failing(check, Reason.NEEDS_REBOOT, evidence)
    return _without_trace(check, setting, host)


def _by_kernel(check: Check, line: Logged) -> Check | None:
    """Return the check of what the kernel refused, or made another value of, as the log has it."""
    if line.error:
        return _failing(check, Reason.REFUSED, f"{line.error} ({line.place})")
    if line.action == "set" and check.now is not None and same_text(check.now, line.read):
        evidence = f"apply.sh wrote {check.asked}, and read back {line.read} ({line.place})"
        return _failing(check, Reason.CLAMPED, evidence)
    return None


def _without_trace(check: Check, setting: AskedSetting, host: _Host) -> Check:
    """Return the check of what is not as asked for, where no line of a file or log tells why."""
    if not setting.file:
        evidence = (
            "no file sets this value, and the log does not name the setting: set "
            f"{setting.value} yourself"
        )
        return _failing(check, Reason.DIFFERS, evidence)
    if host.begin is None:
        return _failing(check, Reason.NOT_APPLIED, f"there is no {host.seen.log.place}")
    if stop := host.stop:
        evidence = f"apply.sh stopped at {stop.key}: {stop.error} ({stop.place})"
        return _failing(check, Reason.NOT_APPLIED, evidence)
    return _failing(check, Reason.DIFFERS, "the log has no line about this setting")


def _of_no_file(setting: AskedSetting, item: AskedItem, host: _Host) -> Check:
    """Return the check of a setting of which the host shows no file."""
    seen, key = host.seen, setting.key
    check = Check(key, setting.value, None, _then(key, host), Standing.FAILS)
    is_there = check.then is not None and same_text(check.then, setting.value)
    found = _PARAMETER.match(key)
    if found and (lack := _module(found[1], seen)):
        reason, evidence = lack
        waits = reason is Reason.NOT_LOADED and is_there
        standing = Standing.WAITS if waits else Standing.FAILS
        return check._replace(standing=standing, reason=reason, evidence=evidence)
    values = [(symbol, seen.config.get(symbol)) for symbol in item.symbols]
    for symbol, value in values:
        if value == "n" or (value is None and seen.config.complete):
            place = f"is not set ({seen.config.entry(symbol).location})" if value else ""
            evidence = f"{symbol} {place or 'is not in the configuration'}"
            return _failing(check, Reason.NOT_BUILT, evidence)
    line = host.logged(key)
    is_lacking = key in seen.lacking or bool(line and line.error == _NO_FILE)
    is_other = bool(setting.disks and host.files.instances(key))
    # A rule is for what may appear later.
    if is_other or (is_lacking and (setting.disks or _UDEV in setting.file)):
        kind = f"the machine has no {called(setting.disks)}"
        evidence = kind if is_other else f"there is no {key}"
        return check._replace(standing=Standing.HOLDS, reason=Reason.NO_INSTANCE, evidence=evidence)
    if is_lacking:
        for symbol, value in values:
            if value == "m":
                return _failing(check, Reason.NOT_LOADED, f"{symbol}=m, and there is no {key}")
        evidence = f"{_NO_FILE} ({line.place})" if line and line.error else f"there is no {key}"
        return _failing(check, Reason.ABSENT, evidence)
    return _failing(check, Reason.NOT_RECORDED, f"{seen.name} shows no {key}")


def _module(name: str, seen: Seen) -> tuple[Reason, str] | None:
    """Return why a module's parameters are not there; None where that is not known."""
    if seen.loaded is not None and name in seen.loaded:
        return None
    if seen.installed is None:
        return None
    if name in seen.installed:
        evidence = f"/sys/module/{name} does not exist, but modules.dep has the module"
        return Reason.NOT_LOADED, evidence
    return Reason.NOT_BUILT, f"modules.dep of {seen.release} has no {name}"


# --- the boot line, and symbols -------------------------------------------------------------------


def _of_word(word: str, host: _Host, *, is_wanted: bool) -> Check:
    """Return the check of a word that the boot line is to have, or is not to have."""
    name = parameter_name(word)
    entry = host.seen.next.entry if host.seen.next else None
    coming = entry.line if entry and entry.line and not entry.line.part else None
    found = [
        None if line is None else [one.text for one in line.words if one.name == name]
        for line in (host.seen.line, coming)
    ]
    is_right = [None if words is None else (word in words) is is_wanted for words in found]
    told = [None if words is None else " ".join(words) or _NO_WORD for words in found]
    asked = word if is_wanted else f"without {word}"
    check = Check(word, asked, told[0], told[1], Standing.HOLDS)
    where = f"{entry.loader}'s entry ({entry.place})" if entry else ""
    now, then = is_right
    if then is False:
        differs = "lacks" if is_wanted else "still has"
        return _failing(check, Reason.NOT_IN_ENTRY, f"{where} {differs} {word}")
    if now:
        return check
    if then and not host.has_booted:
        return check._replace(
            standing=Standing.WAITS,
            reason=Reason.NEEDS_REBOOT,
            evidence=f"{where} matches the plan",
        )
    if then:
        evidence = f"{where} matches the plan, but another entry was booted"
        return _failing(check, Reason.NEEDS_REBOOT, evidence)
    return _failing(check, Reason.NOT_RECORDED, "no file shows the boot line of the next boot")


def _of_symbol(symbol: str, value: str, host: _Host) -> Check:
    """Return the check of a symbol of the kernel that runs, and of the one that boots next."""
    seen = host.seen
    other = seen.next.config if seen.next and seen.next.config else seen.config
    now, then = (
        config.get(symbol) or ("n" if config.complete else None) for config in (seen.config, other)
    )
    check = Check(symbol, value, now, then, Standing.HOLDS)
    if now is None:
        return _failing(check, Reason.NOT_RECORDED, "no configuration of this kernel was found")
    if now == value:
        return check
    if then == value:
        evidence = f"the kernel that boots next has {symbol}={value}"
        waits = Standing.FAILS if host.has_booted else Standing.WAITS
        return check._replace(standing=waits, reason=Reason.NEEDS_REBOOT, evidence=evidence)
    evidence = f"{symbol}={now} in the configuration of {seen.release or 'this kernel'}"
    return _failing(check, Reason.NOT_BUILT, evidence)


def _failing(check: Check, reason: Reason, evidence: str) -> Check:
    return check._replace(standing=Standing.FAILS, reason=reason, evidence=evidence)
