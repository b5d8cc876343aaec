"""The sentences that all formats share: what is so now, by which line, what to do, the sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.model.kernel import (
    NOTHING_INFERRED,
    Inferred,
    KernelVersion,
    Layer,
    Location,
    Severity,
)
from advisor.model.report import (
    Conflict,
    Diagnostic,
    Finding,
    Hardened,
    Instances,
    Omission,
    Origin,
    Remedy,
    RemedyKind,
    Report,
    Role,
    Setting,
    Verdict,
    Waiver,
    spelled_out,
)
from advisor.model.rules import Advice, Source, Strength, Tunable

if TYPE_CHECKING:
    from advisor.model.lines import ChangedLine, Edit
    from advisor.model.tree import SideEffect, TreeUse

ARROW = "->"
"""Between what was and what is; formats that can show an arrow put one there."""
NO_MENU = "(no menu)"
WHOLE = "--tree DIR, or the whole configuration"
"""What tells the symbols that a defconfig or fragment leaves to the kernel."""
# Which option tells what an audit misses.
_FEW = 4
"""As many names as a line has room for."""
_OPTIONS = {
    "cpus": "--cpus", "nodes": "--nodes", "memory": "--memory", "vendor": "--vendor",
    "virtual": "--guest or --bare-metal", "hypervisor": "--hypervisor", "efi": "--efi",
    "arch": "--arch", "kernel": "--kernel",
    "backports": "what this kernel's vendor backported", "boot": "the whole boot line",
    "release": "the release that brought it",
}  # fmt: skip


def of(report: Report, *verdicts: Verdict, runtime: bool = False) -> list[Finding]:
    """The findings of these verdicts, the strongest first; run-time-only advice apart, without
    those that are waived, and of what several profiles say alike the first.
    """
    findings = (f for f in report.findings if f.verdict in verdicts and not f.waived)
    wanted = (finding for finding in findings if finding.runtime_only is runtime)
    ranked = sorted(wanted, key=lambda finding: finding.advice.strength.rank)
    if len(report.profiles) < 2:
        return ranked
    first: dict[tuple[object, ...], Finding] = {}
    for finding in ranked:
        first.setdefault(_said(finding), finding)
    return list(first.values())


def alike(finding: Finding, report: Report) -> list[Finding]:
    """The finding, and those of other profiles that say the same, the strongest first."""
    if len(report.profiles) < 2:
        return [finding]
    said = _said(finding)
    same = [f for f in report.findings if f.tunable.id == finding.tunable.id and _said(f) == said]
    return sorted(same, key=lambda each: (each is not finding, each.advice.strength.rank))


def sources(advice: Advice, arch: str | None) -> tuple[Source, ...]:
    """Where the advice can be checked; not in another architecture's files, if there is more."""
    own = tuple(one for one in advice.sources if not (arch and _is_of_another(one, arch)))
    return own or advice.sources


def _is_of_another(source: Source, arch: str) -> bool:
    """Whether a source is a file of another architecture; arm64 shares some with arm. What is named
    after a maker of x86's processors is x86's."""
    top, _, below = source.ref.partition("/")
    if top == "arch":
        return below.partition("/")[0] not in (arch, arch.removesuffix("64"))
    return arch != "x86" and source.ref.rpartition("/")[2].startswith(("intel", "amd"))


def _said(finding: Finding) -> tuple[object, ...]:
    """What a reader is told of a finding, but for who says it and why; where the same is to be
    done, how each words its wish is no difference."""
    waived, remedies = finding.waived, finding.remedies
    return (
        finding.tunable.id, finding.verdict, finding.now, remedies or finding.wanted,
        finding.reason, waived, finding.against, finding.uncapped,
    )  # fmt: skip


def told_by(item: Diagnostic, report: Report) -> str:
    """The advice whose first remedy takes out the word that the diagnostic cautions against; empty
    where there is none."""
    if item.id != "parameter-caution":
        return ""
    findings = (finding for finding in to_see(report) if finding.remedies)
    return next((f.id for f in findings if item.subject in f.remedies[0].drop), "")


def diagnostics(report: Report) -> list[Diagnostic]:
    """The diagnostics that are not waived."""
    return [item for item in report.diagnostics if not item.waived]


def waived(report: Report, *, baseline: bool) -> list[Finding | Diagnostic]:
    """What the baseline accepts, or what waivers do."""
    items: list[Finding | Diagnostic] = [*report.findings, *report.diagnostics]
    return [one for one in items if one.waived and one.waived.baseline is baseline]


def against(finding: Finding, report: Report) -> list[str]:
    """What a finding goes against, a sentence for each who says so and why; that it is weaker for
    it only where the report does not say so of all.

    `the kernel's hardening.config, which says KFENCE=y: what is written beside an object ...`
    """
    settings: dict[tuple[str, str], list[str]] = {}
    for one in finding.against:
        settings.setdefault((one.who, one.why), []).append(one.setting)
    end = "; choose which of both weighs more"
    if finding.uncapped:
        end = "" if report.hardened else f"; so it is a could, no {finding.uncapped.value}"
    return [
        f"{who}, which says {' and '.join(names)}: {why}{end}"
        for (who, why), names in settings.items()
    ]


def hardened(item: Hardened) -> str:
    """How a subject is spoken to that is hardened as a whole, with the first few reasons."""
    more = [f"{len(item.settings) - _FEW} more"] if len(item.settings) > _FEW else []
    names = ", ".join((*item.settings[:_FEW], *more))
    return (
        f"beyond distributions, by {len(item.settings)} of {item.total} recommended settings that "
        f"few of them have ({names}): advice that would weaken what is recommended is at most a "
        "could, unless the profile is for that"
    )


def waiver(item: Waiver) -> str:
    """`the reason (owner: platform; until 2027-06-30)`."""
    more = [f"owner: {item.owner}"] * bool(item.owner)
    more += [f"until {item.expires}"] * bool(item.expires)
    return item.reason.rstrip(".") + (f" ({'; '.join(more)})" if more else "")


def to_see(report: Report) -> list[Finding]:
    """What a reader has to see: changes, and what should be changed but cannot be."""
    blocked = (f for f in of(report, Verdict.BLOCKED) if f.advice.strength is not Strength.COULD)
    return [*of(report, Verdict.CHANGE), *blocked]


def right(report: Report) -> list[Finding]:
    """What is already right; a setting of which a profile wants something else is not right to it,
    though another of its advice is met, and several that find the same right are told once.
    """
    open_ones = {(f.advice.profile, f.tunable.id) for f in to_see(report)}
    first: dict[tuple[object, ...], Finding] = {}
    for finding in of(report, Verdict.OK):
        key = (finding.advice.profile, finding.tunable.id)
        if key not in open_ones:
            first.setdefault((*key, finding.advice.disks, finding.now), finding)
    return list(first.values())


def counted(number: int, name: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {name}{'s' * (number != 1)}"


def kernel(
    version: KernelVersion | None, arch: str | None, inferred: Inferred = NOTHING_INFERRED
) -> str:
    """`Linux 6.12.117, x86`; of what was not told, what its symbols tell."""
    by = f" (by its symbols, such as {inferred.symbol})" if inferred.symbol else ""
    number = version.text if version else f"({_between(inferred)})"
    return f"Linux {number}, {arch or '(architecture not told)'}{by}"


def _between(inferred: Inferred) -> str:
    """Which kernels the symbols allow."""
    bounds = (("newer than", inferred.after), ("older than", inferred.before))
    known = " and ".join(f"{than} {version.text}" for than, version in bounds if version)
    return f"version not told; by its symbols {known}" if known else "version not told"


def origin(item: Origin, path: str) -> str:
    """`CONFIG_HZ_250=y (line 345)`, `preempt=full (boot line, column 7)`."""
    return f"{item.text} ({at(item, path)})"


def at(item: Origin, path: str) -> str:
    """`line 345`, `boot line, column 7`: where the line stands that makes a setting so."""
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
    """`.config:345`; on a boot line that is one line, `--cmdline, column 7`, else `grub:6`."""
    one = location.column and location.line <= 1
    return f"{location.path}, column {location.column}" if one else str(location)


def members(finding: Finding) -> list[tuple[str, str, Origin]]:
    """Of a group, each member that is not as wanted: symbol, what it does, and the line; what has
    no option of its own is named by what it does."""
    notes = {member.symbol: member.note for member in finding.tunable.members}
    return [(symbol, notes.get(symbol, ""), line) for symbol, line in finding.offending]


_WAYS = {
    RemedyKind.RUNTIME: "at run time: ",
    RemedyKind.BOOT: "on the boot line, no rebuild: ",
    RemedyKind.REBUILD: "rebuild with ",
}


_VENDORS = {"intel": "Intel", "amd": "AMD"}


def remedy(item: Remedy, tunable: Tunable) -> str:
    """`on the boot line, no rebuild: preempt=none`: how, and what; `on AMD, at run time: ...`."""
    machine = f"on {_VENDORS[item.vendor]}, " if item.vendor else ""
    held = f" ({item.held})" if item.held else ""
    way = "" if item.rebuilt_by else _WAYS[item.kind]
    return machine + way + instruction(item, tunable) + held


def edit(item: Edit) -> str:
    """`in line 5 of FILE write PREEMPT_VOLUNTARY=y instead of PREEMPT=y`."""
    if not item.now:
        return f"take out line {item.line} of {item.path}: {item.was}"
    return f"in line {item.line} of {item.path} write {', '.join(item.now)} instead of {item.was}"


def instruction(item: Remedy, tunable: Tunable) -> str:
    """What a remedy does: a command, the words of a boot line, or the symbols of a rebuild."""
    if item.kind is RemedyKind.RUNTIME:
        text = "; ".join(map(command, item.settings))
    elif item.kind is RemedyKind.BOOT:
        text = _words(item) or f"remove {' '.join(item.drop)}"
    else:
        text = _rebuild(item, tunable)
    return f"{text}, after the changes above" if item.beside else text


def _words(item: Remedy) -> str:
    """The words that a remedy adds to a boot line."""
    text = " ".join(word for word in item.words if word not in item.repeats)
    if item.repeats:
        text += " (where the boot loader passes no line, with the words of the built-in one)"
    return text


def _rebuild(item: Remedy, tunable: Tunable) -> str:
    """`NO_HZ_FULL=y instead of NO_HZ_IDLE; then on the boot line: nohz_full=4-7`; only the second
    step, where the rebuild is told as another finding's or in the lines of a fragment."""
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
    """What a shell of root takes."""
    if setting.layer == "sysctl":
        return f"sysctl -w {setting.key}={setting.value}"
    # A shell redirects to one file only.
    into = "| tee" if setting.instances is Instances.ALL else ">"
    return " ".join(part for part in ("echo", setting.value, into, setting.key) if part)


def _symbols(item: Remedy, tunable: Tunable) -> str:
    """`HZ_1000=y instead of HZ_250`, `LATENCYTOP=y (with DEBUG_KERNEL=y)`."""
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
    return f"{text} (with {needed})" if needed else text


def omission(item: Omission) -> str:
    """Why a plan does not give what is wanted, and what would."""
    if item.remedy is None:
        return item.reason
    return f"{item.reason}: {instruction(item.remedy, item.tunable)}"


# Remedies of rules are free text ("from 6.6 on thermal.crt=-1 does so"), and nothing but its first
# word tells that one is an instruction. A test reads all remedies there are: a new verb fails it.
VERBS = frozenset(
    (
        "add", "audit", "build", "cap", "change", "check", "choose", "correct", "decide", "delete",
        "did", "drop", "find", "fix", "give", "hold", "install", "keep", "leave", "let", "list",
        "look", "make", "move", "name", "pass", "put", "quote", "raise", "read", "remove", "rename",
        "replace", "run", "say", "set", "shorten", "spell", "start", "switch", "take", "use",
        "wait", "write",
    )
)  # fmt: skip


def do(item: Diagnostic) -> str:
    """What to do about a diagnostic: where its remedy only says how things are, it is behind that.

    `remove it; from 6.6 on thermal.crt=-1 does so`
    """
    text = item.remedy.strip()
    if not text or text.split()[0].rstrip(":;,.").lower() in VERBS:
        return text
    # A line of a configuration is one of many; a word of a boot line is what the message is about.
    what = "remove the line" if item.id.startswith("symbol-") else "remove it"
    return f"{what}{'.' if text[:1].isupper() else ';'} {text}"


def missing(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """Which inputs would tell more, and how many findings each would settle; each input once."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts.update(_options(finding) or [WHOLE])
    return sorted(counts.items())


def _options(finding: Finding) -> set[str]:
    """The options that tell what the finding misses, of which each would tell more."""
    return {_OPTIONS[name] for name in finding.missing if name in _OPTIONS}


def unknown(finding: Finding) -> str:
    """`built or missing; --vendor tells which`: what is not known, and the option that tells it,
    where no line is missing besides."""
    if finding.reason or not finding.missing or not finding.missing <= _OPTIONS.keys():
        return finding.reason or finding.now
    return f"{finding.now}; {' or '.join(sorted(_options(finding)))} tells which"


def conflict_sides(conflict: Conflict) -> list[str]:
    """`server-throughput wants off: why`, for each side; of profiles that say the same, once."""
    sides: dict[tuple[str, str], list[str]] = {}
    for advice, wanted in conflict.sides:
        sides.setdefault((wanted, advice.why), []).append(advice.profile)
    return [
        f"{' and '.join(names)} want{'s' * (len(names) == 1)} {wanted}: {why}"
        for (wanted, why), names in sides.items()
    ]


MOST_EFFECTS = 12
"""How many side effects of a kind are named, where not all are asked for."""
MOST_LOST = 3
"""Likewise of what one remedy takes away."""


def proof(grade: str, use: TreeUse | None) -> str:
    """What stands behind a grade of proof."""
    if use is None:
        return "from the rules' own facts; no kernel tree was read"
    if grade == "kbuild":
        return "made by the tree's own merge_config.sh and conf, as foreseen"
    ran = "its questions to the compiler were run" if use.ran else "nothing of the tree was run"
    return f"the tree's Kconfig, evaluated; {ran}"


def tree(use: TreeUse) -> str:
    """`~/linux: Linux 6.12.117, x86`."""
    return f"{use.path}: Linux {use.version}, {use.arch}"


def assumed(use: TreeUse) -> str:
    """How many answers of tools were taken for granted, and those that nothing records by name."""
    if use.ran:
        return f"{len(use.assumed)} answers of tools, as they gave them"
    guessed = [f"{s}={value}" for s, value, source in use.assumed if "recorded" not in source]
    recorded = len(use.assumed) - len(guessed)
    more = f"; by default {first(guessed)}" if guessed else ""
    return f"{recorded} answers of tools, as the configuration records them{more}"


def first(items: Sequence[str], most: int = MOST_EFFECTS) -> str:
    """The first of them, and how many more there are."""
    more = f", and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def effects(effects: Sequence[SideEffect], *, all_of_them: bool) -> list[tuple[str, str]]:
    """Each group of side effects in words, lost ones first: (title with the count, symbols)."""
    if not effects:
        return []
    from advisor.model.tree import Effect  # which no audit without a tree needs

    groups: dict[str, list[str]] = {"lost": [], "lost with them": [], "new": [], "derived": []}
    # What is only hidden now matters least.
    for one in sorted(effects, key=lambda e: e.kind is Effect.DERIVED and e.new is None):
        if one.kind is Effect.NEW:
            groups["new"].append(f"{one.symbol}={one.new}")
        elif one.kind is Effect.DERIVED:
            groups["derived"].append(changed(one.symbol, one.old, one.new))
        elif one.root:
            cause = f"needs {one.why}" if one.why else f"{one.old} before"
            groups["lost"].append(f"{one.symbol} ({cause})")
        else:
            groups["lost with them"].append(one.symbol)
    return [
        (f"{title}: {len(items)}", first(items, len(items) if all_of_them else MOST_EFFECTS))
        for title, items in groups.items()
        if items
    ]


def losses(lost: Sequence[SideEffect]) -> str:
    """`DRM_I915 (needs !PREEMPT_RT), and 6 more; with them 13`: what a remedy takes away."""
    roots = [
        f"{one.symbol} (needs {one.why})" if one.why else one.symbol for one in lost if one.root
    ]
    others = len(lost) - len(roots)
    return first(roots, MOST_LOST) + (f"; with them {others}" if others else "")


def changed(symbol: str, old: str | None, new: str | None) -> str:
    """`HZ 250 -> 1000`; None is a symbol that is not shown."""
    return f"{symbol} {old or 'hidden'} {ARROW} {new or 'hidden'}"


def account(line: ChangedLine) -> str:
    """`RETPOLINE=y (line 3): renamed, comes to n`: what becomes of a changed line."""
    what = f"{line.symbol}={line.asked}" if line.asked else line.symbol
    text = f"{what} ({line.location}): {line.kind.value}"
    if line.kind.name == "TAKEN_OUT":
        return f"{text}; {changed(line.symbol, line.old, line.value)}"
    from advisor.model.tree import differ  # which an audit of a configuration does not need

    if line.rule and differ(line.asked, line.value):
        text += f", comes to {line.value or 'nothing'}"
    if line.instead:
        text += f"; write {', '.join(f'{name}={value}' for name, value in line.instead)}"
    elif line.why and not line.rule:
        text += f": {line.why}"
    return text


def verdict_line(report: Report) -> str:
    """`must: 0, should: 3, could: 2; blocked: 1; diagnostics: 1 error`."""
    changes = Counter(f.advice.strength for f in of(report, Verdict.CHANGE))
    # Of advice everything is counted, also nothing; the rest only where there is some.
    severities = Counter(d.severity for d in diagnostics(report))
    parts = [", ".join(f"{s.value}: {changes[s]}" for s in Strength)] if report.profiles else []
    further = {
        "blocked": len(of(report, Verdict.BLOCKED)),
        "conflicts": len(report.conflicts),
        "diagnostics": ", ".join(
            counted(severities[s], s.value) for s in Severity if severities[s]
        ),
        "waived": len(waived(report, baseline=False)),
        "in the baseline": len(waived(report, baseline=True)),
    }
    parts += [f"{name}: {number}" for name, number in further.items() if number]
    return "; ".join(parts) or "diagnostics: none"
