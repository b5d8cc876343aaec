"""The sentences about a report that all formats share, and which findings a reader is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.model.finding import ASIDE, Conflict, Diagnostic, Finding, Verdict, Waiver
from advisor.model.kernel import Layer, Location, Severity
from advisor.model.plan import Omission
from advisor.model.profile import Advice, Needing, Strength
from advisor.model.remedy import (
    Instances,
    Remedy,
    RemedyKind,
    Role,
    Setting,
    lost_words,
    spelled_out,
)
from advisor.model.report import Report
from advisor.model.rules import Source
from advisor.model.state import Origin
from advisor.model.sysctl import FOLDER, key_of
from advisor.model.tunable import Tunable

if TYPE_CHECKING:
    from advisor.model.lines import Edit

ARROW = "->"
"""Between what was and what is; formats that can show an arrow put one there."""
NO_MENU = "(no menu)"
WHOLE = "--tree DIR, or the whole configuration"
"""The input that gives the symbols which a defconfig or fragment leaves to the kernel."""
# The option that gives an input which an audit misses.
_OPTIONS = {
    "cpus": "--cpus", "nodes": "--nodes", "memory": "--memory", "vendor": "--vendor",
    "virtual": "--guest or --bare-metal", "hypervisor": "--hypervisor", "efi": "--efi",
    "arch": "--arch", "kernel": "--kernel",
    "backports": "what this kernel's vendor backported", "boot": "the whole boot line",
    "release": "the release that added it", "cmdline": "--cmdline",
}  # fmt: skip


def of(report: Report, *verdicts: Verdict, runtime: bool = False) -> list[Finding]:
    """Return the findings of these verdicts that are not waived, the strongest first.

    Advice for run time only is left out, or with `runtime` the rest. Of findings that differ only
    in their profile the first is returned.
    """
    findings = (f for f in report.findings if f.verdict in verdicts and not f.waived)
    wanted = (finding for finding in findings if finding.runtime_only is runtime)
    ranked = sorted(wanted, key=lambda finding: finding.advice.strength.rank)
    if len(report.profiles) < 2:
        return ranked
    first: dict[tuple[object, ...], Finding] = {}
    for finding in ranked:
        first.setdefault(_content(finding), finding)
    return list(first.values())


def alike(finding: Finding, report: Report) -> list[Finding]:
    """Return the finding and those of other profiles that say the same, the strongest first."""
    if len(report.profiles) < 2:
        return [finding]
    content = _content(finding)
    same = [
        f for f in report.findings if f.tunable.id == finding.tunable.id and _content(f) == content
    ]
    return sorted(same, key=lambda each: (each is not finding, each.advice.strength.rank))


def sources(advice: Advice, arch: str | None) -> tuple[Source, ...]:
    """Return where the advice can be checked.

    Files of another architecture are left out if there are others: of arch/, where arm64 shares
    some with arm, and those named after a maker of x86's processors.
    """
    if arch is None:
        return advice.sources
    own = []
    for source in advice.sources:
        top, _, below = source.ref.partition("/")
        if top == "arch":
            mine = below.partition("/")[0] in (arch, arch.removesuffix("64"))
        else:
            name = source.ref.rpartition("/")[2]
            mine = arch == "x86" or not name.startswith(("intel", "amd"))
        own += [source] * mine
    return tuple(own) or advice.sources


def _content(finding: Finding) -> tuple[object, ...]:
    """Return what a reader is shown of a finding, but for its profile and the profile's reason.

    How profiles word what they want is no difference if the remedies are the same.
    """
    return (
        finding.tunable.id, finding.verdict, finding.now, finding.remedies or finding.wanted,
        finding.reason, finding.waived, finding.against, finding.uncapped,
    )  # fmt: skip


def cautions(one: Finding, report: Report) -> list[Diagnostic]:
    """Return the cautions about the words that a finding's first remedy drops."""
    dropped = one.remedies[0].drop if one.remedies else ()
    return [
        item
        for item in diagnostics(report)
        if item.id == "parameter-caution" and item.subject in dropped
    ]


def diagnostics(report: Report) -> list[Diagnostic]:
    """Return the diagnostics that are not waived."""
    return [item for item in report.diagnostics if not item.waived]


def waived(report: Report, *, baseline: bool) -> list[Finding | Diagnostic]:
    """Return what the baseline accepts, or what waivers accept."""
    items: list[Finding | Diagnostic] = [*report.findings, *report.diagnostics]
    return [one for one in items if one.waived and one.waived.baseline is baseline]


def against(finding: Finding, report: Report) -> list[str]:
    """Return the recommendations that a finding goes against, a sentence for each source.

    `the kernel's hardening.config, which asks for KFENCE=y: what is written beside an object ...`
    The sentence says that the advice is weaker, unless the report says so of all advice.
    """
    settings: dict[tuple[str, str], list[str]] = {}
    for one in finding.against:
        settings.setdefault((one.who, one.why), []).append(one.setting)
    end = "; decide which recommendation matters more here"
    if finding.uncapped:
        end = (
            ""
            if report.hardened
            else f"; this lowers the strength from '{finding.uncapped.value}' to 'could'"
        )
    return [
        f"{who}, which asks for {' and '.join(names)}: {why}{end}"
        for (who, why), names in settings.items()
    ]


def needed_by(needing: Iterable[Needing]) -> str:
    """Return which programs do not start without what an advice wants, and which functions of
    others do not work, as `can` takes them; empty where none is known."""
    starts = {one.called: None for one in needing if one.is_start}
    rest = (one.called for one in needing if not one.is_start and one.program not in starts)
    told = (f"by {', '.join(starts)} to start" * bool(starts), f"for {', '.join(rest)}")
    return "; ".join(text for text in told if text not in ("", "for "))


def waiver(item: Waiver) -> str:
    """Return the reason of a waiver: `the reason (owner: platform; until 2027-06-30)`."""
    more = [f"owner: {item.owner}"] * bool(item.owner)
    more += [f"until {item.expires}"] * bool(item.expires)
    return item.reason.rstrip(".") + (f" ({'; '.join(more)})" if more else "")


def to_see(report: Report) -> list[Finding]:
    """Return what a reader has to see: changes, and blocked ones of more than COULD.

    The strongest come first: a MUST that is blocked says more than any SHOULD.
    """
    blocked = (f for f in of(report, Verdict.BLOCKED) if f.advice.strength is not Strength.COULD)
    return sorted([*of(report, Verdict.CHANGE), *blocked], key=lambda f: f.advice.strength.rank)


def unread(report: Report) -> list[Finding]:
    """Return what must be set at run time, where no input shows the value of run time."""
    findings = of(report, Verdict.UNKNOWN, runtime=True)
    return [one for one in findings if one.advice.strength is Strength.MUST]


def right(report: Report) -> list[Finding]:
    """Return what is already right, each setting of a profile once.

    A setting of which the same profile wants something else is left out.
    """
    open_ones = {(f.advice.profile, f.tunable.id) for f in to_see(report)}
    first: dict[tuple[object, ...], Finding] = {}
    for finding in of(report, Verdict.OK):
        key = (finding.advice.profile, finding.tunable.id)
        if key not in open_ones:
            first.setdefault((*key, finding.advice.disks, finding.now), finding)
    return list(first.values())


def absent(report: Report) -> list[Finding]:
    """Return what asks for nothing here, each setting of a profile once.

    A setting of which the same profile's other advice applies is left out.
    """

    def key(finding: Finding) -> tuple[object, ...]:
        return finding.advice.profile, finding.tunable.id, finding.advice.disks

    applying = {key(finding) for finding in report.findings if finding.verdict not in ASIDE}
    first: dict[tuple[object, ...], Finding] = {}
    for finding in of(report, *ASIDE):
        if key(finding) not in applying:
            first.setdefault(key(finding), finding)
    return list(first.values())


def counted(number: int, name: str) -> str:
    """Return a number with its noun: `1 error`, `2 errors`."""
    return f"{number} {name}{'s' * (number != 1)}"


def origin(item: Origin, path: str) -> str:
    """Return a line and where it is: `CONFIG_HZ_250=y (line 345)`."""
    return f"{item.text} ({at(item, path)})"


def at(item: Origin, path: str) -> str:
    """Return where the line is that makes a setting so: `line 345`, `boot line, column 7`."""
    location = item.location
    if item.layer is Layer.RUNTIME and not location.line:
        # Of a host, where a setting is called as its file is.
        return f"{item.layer.value}, set by {item.by}" if item.by else str(item.layer.value)
    if item.layer is Layer.BOOT and location.line <= 1 and location.column:
        return f"boot line, column {location.column}"
    here = location.path == path and location.line
    line = f"line {location.line}" if here else str(location)
    return line if item.layer is Layer.COMPILED else f"{item.layer.value}, {line}"


def where(location: Location) -> str:
    """Return a location: `.config:345`, `grub:6`, or `--cmdline, column 7` of a boot line."""
    one = location.column and location.line <= 1
    return f"{location.path}, column {location.column}" if one else str(location)


_WAYS = {
    RemedyKind.RUNTIME: "until reboot: ",
    RemedyKind.BOOT: "on the boot line: ",
    RemedyKind.REBUILD: "rebuild with ",
}
_VENDORS = {"intel": "Intel", "amd": "AMD"}


def remedy(item: Remedy, tunable: Tunable) -> str:
    """Return how and what a remedy changes: `on the boot line: preempt=none`."""
    machine = f"on {_VENDORS[item.vendor]}, " if item.vendor else ""
    held = f" ({item.held})" if item.held else ""
    way = "" if item.rebuilt_by else _WAYS[item.kind]
    return machine + way + instruction(item, tunable) + held


_LAYERS = {RemedyKind.RUNTIME: "now", RemedyKind.BOOT: "boot", RemedyKind.REBUILD: "build"}


def brief(one: Finding) -> tuple[str, str]:
    """Return where the nearest remedy of a finding acts, and all that it changes: `boot` and
    `nohz=on without idle=poll`."""
    if one.edits:
        return "file", edit(one.edits[0])
    if not one.remedies:
        return "--", one.reason
    item = one.remedies[0]
    text = instruction(item, one.tunable)
    if item.drop and (item.words or item.changes):
        text += f"{', and boot' * bool(item.changes)} without {' '.join(item.drop)}"
    return _LAYERS[item.kind], f"on {_VENDORS[item.vendor]}: {text}" if item.vendor else text


def edit(item: Edit) -> str:
    """Return an edit: `in line 5 of FILE write PREEMPT_VOLUNTARY=y instead of PREEMPT=y`."""
    if not item.now:
        return f"remove line {item.line} of {item.path}: {item.was}"
    return f"in line {item.line} of {item.path} write {', '.join(item.now)} instead of {item.was}"


def instruction(item: Remedy, tunable: Tunable) -> str:
    """Return a remedy: a command, the words of a boot line, or the symbols of a rebuild."""
    if item.kind is RemedyKind.RUNTIME:
        text = "; ".join(map(command, item.settings))
    elif item.kind is RemedyKind.BOOT:
        text = _words(item) or f"remove {' '.join(item.drop)}"
    else:
        text = _rebuild(item, tunable)
    return f"{text}, after the other changes" if item.beside else text


def _words(item: Remedy) -> str:
    """Return the words that a remedy adds to a boot line."""
    text = " ".join(word for word in item.words if word not in item.repeats)
    if item.repeats:
        text += " (if the boot line is empty now, add the parameters of the built-in line as well)"
    return text


def _rebuild(item: Remedy, tunable: Tunable) -> str:
    """Return both steps: `NO_HZ_FULL=y instead of NO_HZ_IDLE; then on the boot line: nohz_full=4`.

    Only the second step is returned if another finding or the lines of a fragment have the first.
    """
    after = {
        "at run time": "; ".join(map(command, item.settings)),
        "on the boot line": _words(item),
    }
    then = [f"{where}: {what}" for where, what in after.items() if what]
    if item.rebuilt_by:
        return f"after the rebuild for {item.rebuilt_by}, {'; '.join(then)}"
    first = _symbols(item, tunable)
    return "; then ".join([first, *then] if first else then)


def command(setting: Setting) -> str:
    """Return the command of root that makes a setting at run time."""
    if setting.layer == "sysctl":
        return f"sysctl -w {setting.key}={setting.value}"
    # A shell redirects to one file only.
    into = "| tee" if setting.instances is Instances.ALL else ">"
    return " ".join(part for part in ("echo", setting.value, into, setting.key) if part)


def _symbols(item: Remedy, tunable: Tunable) -> str:
    """Return the symbols of a rebuild: `HZ_1000=y instead of HZ_250`, `A=y (with B=y)`."""
    aims = [change for change in item.changes if change.role is Role.ASKED]
    given_up = [change.symbol for change in item.takes_away if change.old == "y"]
    chosen = [change for change in aims if change.symbol in tunable.choice]
    if given_up and chosen and not tunable.members:  # such as PREEMPT_RT_FULL beside PREEMPT
        given_up += [c.symbol for c in aims if (c.old, c.new) == ("y", "n") and c not in chosen]
    # The values that follow from a choice go without saying, a group's other members do not.
    others = [change for change in aims if change not in chosen and tunable.members]
    text = spelled_out(chosen if given_up and chosen else aims)
    if given_up:
        text += f" instead of {', '.join(given_up)}"
    if given_up and chosen and others:
        text += f", {spelled_out(others)}"
    # Other members of a choice that are off already are in the fragment alone.
    moved = (change for change in item.needs if change.new != "n" or change.old not in ("n", None))
    needed = spelled_out(moved)
    # What a built-in line loses is the remedy; what it keeps has to stand in the new line.
    lost = [word for change in aims for word in lost_words(change)]
    text += f" (without {' '.join(lost)})" if lost else ""
    return f"{text} (with {needed})" if needed else text


def omission(item: Omission) -> str:
    """Return why a plan does not give what is wanted, and what would."""
    if item.remedy is None:
        return item.reason
    return f"{item.reason}: {instruction(item.remedy, item.tunable)}"


# Remedies of rules are free text ("since 6.6, write thermal.crt=-1"), and nothing but its first
# word tells that one is an instruction. A test reads all remedies there are: a new verb fails it.
VERBS = frozenset(
    (
        "add", "apply", "audit", "build", "cap", "change", "check", "choose", "correct", "decide",
        "delete", "did", "disable", "drop", "enable", "find", "fix", "give", "hold", "ignore",
        "install", "keep", "leave", "let", "list", "look", "make", "move", "name", "pass", "put",
        "quote", "raise", "read", "remove", "rename", "replace", "run", "say", "set", "shorten",
        "spell", "start", "switch", "take", "undo", "update", "use", "wait", "write",
    )
)  # fmt: skip


def do(item: Diagnostic) -> str:
    """Return what to do about a diagnostic: `remove the parameter; write thermal.crt=-1`."""
    text = item.remedy.strip()
    if not text or text.split()[0].rstrip(":;,.").lower() in VERBS:
        return text
    # A line of a configuration is one of many; a word of a boot line is what the message is about.
    what = "remove the line" if item.id.startswith("symbol-") else "remove the parameter"
    if item.id.startswith("sysctl-"):
        what = "remove the setting"
    return f"{what}{'.' if text[:1].isupper() else ';'} {text}"


def missing(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """Return the inputs that are missing, and how many findings each of them would settle."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts.update(_options(finding) or _else(finding))
    return sorted(counts.items())


def _else(finding: Finding) -> list[str]:
    """Return what settles a finding that no option does; nothing if no input is missing for it."""
    key = finding.tunable.sysctl
    if not finding.missing and finding.runtime_only and key:
        return [f"--sysctl FILE with {key}"]
    return [WHOLE] if finding.missing else []


def _options(finding: Finding) -> set[str]:
    """Return the options that give what the finding misses."""
    return set(filter(None, map(_option, finding.missing)))


def _option(name: str) -> str:
    """Return the option that gives an input, by the name of a fact or the path of a file of the
    running kernel; empty for a symbol."""
    if name.startswith(FOLDER):
        return f"--sysctl FILE with {key_of(name)}"
    return f"--runtime FILE with {name}" if name.startswith("/") else _OPTIONS.get(name, "")


def inputs(missing: Iterable[str]) -> str:
    """Return what gives inputs that are missing: options, and for symbols the whole
    configuration."""
    options = sorted({_option(name) or "the whole configuration" for name in missing})
    told: dict[str, list[str]] = {}
    for option in options:  # one file has several settings
        file, with_, name = option.partition(" FILE with ")
        told.setdefault(f"{file}{with_}", []).append(name)
    return " and ".join(f"{option}{', '.join(names)}" for option, names in told.items())


def unknown(finding: Finding) -> str:
    """Return what is not known, and if options give it which.

    `on or off; to find out, add --vendor`
    """
    if not finding.reason and not finding.now and finding.missing:
        return f"{inputs(finding.missing)} would tell"
    if finding.reason or not finding.missing:
        return finding.reason or finding.now
    if len(finding.state.effective) == 1:
        names = first(sorted(finding.missing), 3)
        if all(map(_option, finding.missing)):
            names = " and ".join(sorted(_options(finding)))
        return f"{finding.now}; whether to change it depends on {names}"
    if not all(map(_option, finding.missing)):
        return finding.now
    return f"{finding.now}; to find out, add {' or '.join(sorted(_options(finding)))}"


def conflict_sides(conflict: Conflict) -> list[str]:
    """Return `server-throughput wants off. Why` for each side, once for profiles that agree."""
    sides: dict[tuple[str, str], list[str]] = {}
    for advice, wanted in conflict.sides:
        sides.setdefault((wanted, advice.why), []).append(advice.profile)
    return [
        f"{' and '.join(names)} want{'s' * (len(names) == 1)} {wanted}. {why}"
        for (wanted, why), names in sides.items()
    ]


MOST = 12
"""How many names a list has, unless more or fewer are asked for."""


def first(items: Sequence[str], most: int = MOST) -> str:
    """Return the first names, and how many more there are."""
    more = f", and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def cost(text: str, tunable: Tunable) -> str:
    """Return a cost in which values that are mere numbers have their titles:
    `3 (medium with device side): some old drives answer with timeouts`."""
    names, colon, rest = text.partition(": ")
    if not colon or not tunable.values:
        return text
    titled = [_titled(part, tunable) for part in re.split(r"(, | or )", names)]
    return f"{''.join(titled)}: {rest}"


def _titled(name: str, tunable: Tunable) -> str:
    value = tunable.value(name) if name.isdigit() else None
    title = re.split(r": |;? \(", value.title)[0] if value else ""
    return f"{name} ({title})" if title and name not in title else name


def verdict_line(report: Report) -> str:
    """Return the sum of a report: `must: 0, should: 3, could: 2; blocked: 1`."""
    changes = Counter(f.advice.strength for f in of(report, Verdict.CHANGE))
    # Of advice everything is counted, also nothing; the rest only where there is some.
    severities = Counter(d.severity for d in diagnostics(report))
    parts = [", ".join(f"{s.value}: {changes[s]}" for s in Strength)] if report.profiles else []
    told = ", ".join(counted(severities[s], s.value) for s in Severity if severities[s])
    # These stand in no list of diagnostics, and a reader who counts is told where.
    beside = {id(item) for one in to_see(report) for item in cautions(one, report)}
    further = {
        "blocked": len(of(report, Verdict.BLOCKED)),
        "conflicts": len(report.conflicts),
        "diagnostics": told + f" ({len(beside)} shown with a finding)" * bool(beside),
        "waived": len(waived(report, baseline=False)),
        "in the baseline": len(waived(report, baseline=True)),
    }
    parts += [f"{name}: {number}" for name, number in further.items() if number]
    return "; ".join(parts) or "diagnostics: none"
