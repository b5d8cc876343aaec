"""Reads what the authorities of the profiles ask for into advisor/knowledge/data/authorities.json.

    python tools/authorities.py --tuned FOLDER --tree FOLDER --checker FOLDER
    (make authorities TUNED=… TREE=… CHECKER=…)
    python tools/authorities.py --page >docs/evidence/authorities.md

`rules/authorities.toml` says which there are. Of TuneD's profiles (`tuned/NAME`, in the folder that
its package installs) all that is a setting of the kernel is taken, with what a profile includes:
its sections cpu, vm, disk, audio, scsi_host, usb, sysctl, sysfs and bootloader, but those that hold
for one processor only; a profile's own word counts for one that it includes; of fragments that the
kernel has of its own (`kernel/NAME`, kernel/configs/NAME.config of a tree) each line; of its
documents (`doc/PATH`) the names of symbols and boot parameters. Only names and values are kept.
Of kernel-hardening-checker (`checker/NAME`, NAME.py of its package) each check is taken, but not
those of conditions: name and value. What guides elsewhere ask for (`guide/NAME`) stands in the list
itself.
Beside them stands what the kernel lists as hardening, for all and for each architecture.
"""

from __future__ import annotations

import argparse
import ast
import configparser
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from advisor.knowledge import authorities, folders, index
from advisor.knowledge.store import Knowledge
from advisor.model.explanation import Held

_FILES = {  # of TuneD's plugins: section, key, what it writes
    ("cpu", "governor"): "sysfs /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
    ("cpu", "energy_perf_bias"): "sysfs /sys/devices/system/cpu/cpu*/power/energy_perf_bias",
    ("cpu", "energy_performance_preference"): (
        "sysfs /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference"
    ),
    ("cpu", "no_turbo"): "sysfs /sys/devices/system/cpu/intel_pstate/no_turbo",
    ("cpu", "min_perf_pct"): "sysfs /sys/devices/system/cpu/intel_pstate/min_perf_pct",
    ("cpu", "force_latency"): ("sysfs /sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us"),
    ("vm", "transparent_hugepages"): "sysfs /sys/kernel/mm/transparent_hugepage/enabled",
    ("vm", "transparent_hugepage.defrag"): "sysfs /sys/kernel/mm/transparent_hugepage/defrag",
    ("disk", "readahead"): "sysfs /sys/block/DEVICE/queue/read_ahead_kb",
    ("disk", "elevator"): "sysfs /sys/block/DEVICE/queue/scheduler",
    ("audio", "timeout"): "sysfs /sys/module/snd_hda_intel/parameters/power_save",
    ("scsi_host", "alpm"): "sysfs /sys/class/scsi_host/host*/link_power_management_policy",
    ("usb", "autosuspend"): "sysfs /sys/module/usbcore/parameters/autosuspend",
}
_CHECKS = {"KconfigCheck": "config", "CmdlineCheck": "boot", "SysctlCheck": "sysctl"}
_HEAD = """\
# Authorities

What those ask for whose word on a workload counts, and what the profiles say to it: TuneD's
profiles (Debian's package, {tuned}), fragments and guides that the kernel has of its own (Linux
{tree}), kernel-hardening-checker's checks, and guides of vendors and programs. This page is made by
a program (`make authorities`), from their own files but for those of the last kind, which a person
read (`rules/authorities.toml`);
`kernel-advisor profiles show NAME --sources` prints a profile's part.

Where a profile agrees nothing more is said. Where it does not, its own reason stands beside: it
takes sides against (**differs**), says that it depends (*depends*), or leaves the matter out. What
is only named the profile weighs (names), or leaves out. A symbol that nobody is asked about comes
with others (follows), and what no mainline kernel of today can be told is void.

| profile | asks | agrees | names | depends | differs | left out | follows | void |
|---|---|---|---|---|---|---|---|---|
"""
_COLUMNS = ("agrees", "names", "neutral", "differs", "left", "follows", "void")
_WORDS = {"neutral": "*depends*", "differs": "**differs**", "left": "left out"}
_ISOLATED = re.compile(r"\$\{(isolated_cores\w*|no_balance_cores)\}")
_OTHERS = re.compile(r"\$\{(not_isolated_\w+|non_isolated_\w+)\}")


def tuned(folder: Path, name: str) -> dict[str, str]:
    """What a profile of TuneD asks for, with what it includes: `KIND KEY`, and the value."""
    parser = configparser.ConfigParser(
        interpolation=None, strict=False, delimiters=("=",), comment_prefixes=("#", ";")
    )
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # as its documentation has it
    parser.read(folder / name / "tuned.conf", encoding="utf-8")
    asks: dict[str, str] = {}
    for included in filter(None, parser.get("main", "include", fallback="").split(",")):
        asks |= tuned(folder, included.strip())
    for section in map(parser.__getitem__, parser.sections()):
        if "uname_regex" not in section and "cpuinfo_regex" not in section:
            for key, value in section.items():
                asks |= _setting(section.get("type", section.name), key, _plain(value))
    return asks


def _setting(kind: str, key: str, value: str) -> dict[str, str]:
    if (kind, key) in _FILES:
        return {_FILES[kind, key]: {"true": "1", "false": "0"}.get(value, value)}
    if kind == "sysctl" and "." in key:
        return {f"sysctl {key}": value}
    if kind == "sysfs" and key.startswith("/"):
        return {f"sysfs {key}": value}
    if kind == "bootloader" and key.startswith("cmdline"):
        words = (word.partition("=") for word in value.lstrip("+").split() if "${" not in word)
        return {f"boot {name}": given if equals else "" for name, equals, given in words}
    return {}


def _plain(value: str) -> str:
    """A value with our templates for TuneD's variables, and `2048..` for at least 2048."""
    value = _OTHERS.sub("{housekeeping}", _ISOLATED.sub("{isolate}", value.strip().strip('"')))
    value = re.sub(r"\$\{managed_irq\}", "managed_irq,domain,", value)
    value = re.sub(r"\$\{cmd_isolcpus\}", " isolcpus={isolate}", value)
    value = re.sub(r"\$\{f:\w+:\{(isolate|housekeeping)\}\}", r"{\1}", value)
    return re.sub(r"^>(.*)$", r"\1..", value)


def fragment(text: str) -> Iterator[str]:
    """The lines of a fragment of a configuration, as `config X=y`."""
    for line in text.splitlines():
        if found := re.match(r"CONFIG_(\w+)=(.+)|# CONFIG_(\w+) is not set", line):
            yield f"config {found[1]}={found[2]}" if found[1] else f"config {found[3]}=n"


def hardening(tree: Path) -> dict[str, list[str]]:
    """What a tree lists as hardening, sorted: by architecture (a folder of arch/), `` for all."""
    lists = {"": tree / "kernel/configs/hardening.config"}
    for path in sorted(tree.glob("arch/*/configs/hardening.config")):
        lists[path.parts[-3]] = path
    return {arch: sorted(set(fragment(path.read_text()))) for arch, path in lists.items()}


def document(text: str, known: set[str]) -> Iterator[str]:
    """The names of symbols and boot parameters in a document, as `name X`."""
    for name in re.findall(r"\bCONFIG_([A-Z0-9_]+[A-Z0-9])\b", text):
        yield f"name CONFIG_{name}"
    for name in re.findall(r"(?<![\w./-])([a-z][\w.]*)=", text):
        if name in known:
            yield f"name {name}="


def checks(text: str) -> Iterator[str]:
    """What the checks of kernel-hardening-checker's module ask for; conditions (`-`) left out."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 4:
            given = [one.value for one in node.args if isinstance(one, ast.Constant)]
            if node.func.id in _CHECKS and "-" not in given:
                yield _check(_CHECKS[node.func.id], str(given[2]), str(given[3]))


def _check(kind: str, name: str, expected: str) -> str:
    if expected == "MAX" or "*" in expected or (kind, expected) == ("config", "is present"):
        return f"name {'CONFIG_' if kind == 'config' else ''}{name}"
    if kind == "config":
        return f"config {name}={'n' if expected == 'is not set' else expected}"
    if expected in ("is not set", "is not off"):
        return f"without {name}" + ("=off" if expected == "is not off" else "")
    return f"{kind} {name}" if expected == "is present" else f"{kind} {name}={expected}"


def extract(folders: dict[str, Path]) -> dict[str, list[str]]:
    """What each authority asks for, by its id, sorted; those that no folder was given for not."""
    known = set(index.load().ids("parameters"))
    asked: dict[str, list[str]] = {}
    found: Iterable[str]
    for one in authorities.listed()[0]:
        kind, _, name = one.id.partition("/")
        if kind == "tuned" and (folder := folders.get("tuned")):
            asks = tuned(folder, name).items()
            found = (f"{key}={value}" if value else key for key, value in asks)
        elif kind == "kernel" and (folder := folders.get("tree")):
            found = fragment((folder / "kernel/configs" / f"{name}.config").read_text())
        elif kind == "doc" and (folder := folders.get("tree")):
            found = document((folder / "Documentation" / name).read_text(), known)
        elif kind == "checker" and (folder := folders.get("checker")):
            found = checks((folder / f"{name}.py").read_text())
        else:
            continue
        asked[one.id] = sorted(set(found))
    return asked


def page(knowledge: Knowledge, versions: dict[str, str]) -> str:
    """docs/evidence/authorities.md. The same rules give the same bytes."""
    counts, parts, total = [], [], Counter[str]()
    for name in knowledge.ids("profiles"):
        authorities_ = list(authorities.held(name, knowledge))
        says = Counter(one.says for _, rows in authorities_ for one in rows)
        total += says
        counts.append(_counted(f"[{name}](#{name})", says))
        parts.append(f"\n## {name}\n")
        for authority, rows in authorities_:
            parts.append(f"\n### {authority.title}\n\n[Source]({authority.source.url}).\n")
            parts.append("\n| asks for | the profile | because |\n|---|---|---|\n")
            parts += map(_row, rows)
    counts.append(_counted("all", total))
    return _HEAD.format(**versions) + "".join(counts + parts)


def _counted(name: str, says: Counter[str]) -> str:
    cells = (name, says.total(), *(says[column] for column in _COLUMNS))
    return f"| {' | '.join(map(str, cells))} |\n"


def _row(held: Held) -> str:
    ask = held.ask.partition(" ")[2].replace("|", "\\|")
    reason = held.because if held.says in ("left", "void") else ""
    if held.advice and held.says in ("neutral", "differs"):
        reason = held.advice.why.strip()
    weighed = f" (`{held.advice.id}`)" if held.advice else ""
    reason = reason.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    return f"| `{ask}` | {_WORDS.get(held.says, held.says)}{weighed} | {reason} |\n"


def main() -> int:
    """Runs it; see above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tuned", type=Path)
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--checker", type=Path)
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    path = Path(folders.data(authorities.FILE))
    known = json.loads(path.read_text()) if path.exists() else {"versions": {}, "asks": {}}
    if given.page:
        sys.stdout.write(page(index.load(), known["versions"]))
        return 0
    for kind, folder in (("tuned", given.tuned), ("tree", given.tree)):
        if folder:
            known["versions"][kind] = version(kind, folder)
    if given.tree:
        known["hardening"] = hardening(given.tree)
    known["asks"] |= extract({k: v for k, v in vars(given).items() if isinstance(v, Path)})
    read = [one.id for one in authorities.listed()[0] if not one.asks]
    known["asks"] = {name: known["asks"][name] for name in read}
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return 0


def version(kind: str, folder: Path) -> str:
    """The release that a folder is of: a tree's by its Makefile, TuneD's by its Python package."""
    if kind == "tree":
        makefile = (folder / "Makefile").read_text()
        parts = re.findall(r"^(?:VERSION|PATCHLEVEL|SUBLEVEL) = (\d+)", makefile, re.M)
        return ".".join(parts)
    numbers = (folder.parent / "python3/dist-packages/tuned/version.py").read_text()
    return ".".join(re.findall(r"TUNED_VERSION_\w+ = (\d+)", numbers))


if __name__ == "__main__":
    sys.exit(main())
