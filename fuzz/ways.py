"""Targets of whole ways: from what is given to every output, and what is written read back."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from zlib import crc32

from advisor.errors import InputError
from advisor.inputs import bootfiles, plans
from advisor.output import BOOT_FORMATS, DIFF_FORMATS, FORMATS
from fuzz.hosts import hosts, plans_written, snapshots
from fuzz.seeds import all_of, contents, example, folders, texts
from fuzz.target import FindingError, Target, bundled, command, files_in, written
from fuzz.trees import TARGETS as OF_TREES
from fuzz.trees import tree_of

TARGETS: dict[str, Target] = {}
PROFILES = ("server-throughput", "container-host", "desktop-latency", "power-saving", "realtime",
            "virtualization-host", "network-latency", "embedded-fastboot")  # fmt: skip
_OTHERS = b"".join(re.findall(rb"# CONFIG_\w+ is not set\n", example("x86_64-6.12", 5)))
"""So many lines that the configuration counts as a whole one."""
_HEAD = (
    b"#\n# Automatically generated file; DO NOT EDIT.\n# Linux/x86 6.12.0 Kernel Configuration\n#\n"
)
_JSON = ("json", "sarif", "gitlab")


def _chosen(files: dict[str, bytes], what: str, of: Sequence[str]) -> str:
    """One of these, as the first byte of a file says."""
    first = files.get(what, b"")[:1]
    return of[first[0] % len(of)] if first else of[0]


def _profile(files: dict[str, bytes]) -> str:
    return _chosen(files, "profile", PROFILES)


def _with_config(data: bytes) -> tuple[Path, dict[str, bytes]]:
    files = files_in(data)
    config = files.pop("config", b"")
    if not config.startswith(b"#\n# Auto"):
        config = _HEAD + config + _OTHERS
    return written({**files, "config": config}), files


def _in_turn(formats: dict[str, str], data: bytes, *words: str, folder: Path) -> int:
    """Runs a command that writes one of the formats, as the input says: what is for a program, a
    program can read."""
    names = [name for name in formats if name != "fragment"]
    name = names[crc32(data) % len(names)]
    path = folder / f"out.{name}"
    code, _ = command(*words, f"--write={name}={path.name}", folder=folder)
    if path.exists():  # else it ended in an error
        body = path.read_bytes().decode()
        if name in _JSON:
            json.loads(body)
        elif name == "junit":
            ElementTree.fromstring(body)
        elif controls := {letter for letter in body if letter < " " and letter != "\n"}:
            raise FindingError(f"{name} has the control characters {controls!r}")
    return code


def _audit(data: bytes) -> None:
    folder, files = _with_config(data)
    told = [f"--{name}={name}" for name in ("sysctl", "runtime") if name in files]
    line = ["--cmdline=@line.cmdline"] if "line.cmdline" in files else []
    words = ("config", "--profile", _profile(files), *told, *line)
    if crc32(data) % 8:
        other = ("--profile", PROFILES[crc32(data) // 512 % len(PROFILES)], "--fail-on=should")
        _in_turn(
            FORMATS, data, "audit", *words, *(other if crc32(data) % 4 == 1 else ()), folder=folder
        )
    else:
        command("fragment", *words[:3], "--arch=x86", "--whole", folder=folder)


def _subjects() -> Iterator[bytes]:
    odd = b'quiet dyndbg="file a.c +p" a=$HOME b=`id` c="d e" isolcpus=2-7 mitigations=off\n'
    lines = all_of([odd], contents("examples/*.cmdline"), texts("tests/inputs/test_bootline.py"))
    configs = [example(name, 48) for name in ("x86_64-6.12", "arm64-6.12", "x86_64-6.12-hardened")]
    for number, line in enumerate(lines):
        yield bundled({
            "profile": bytes((number % len(PROFILES),)), "line.cmdline": line,
            "runtime": b"vm.swappiness = 10\nkernel.nmi_watchdog = 0\n",
            "config": configs[number % len(configs)][:6000],
        })  # fmt: skip


TARGETS["way-audit"] = Target(
    _audit,
    ("engine.audit", "inputs.subject", *(f"output.{name}" for name in (
        "text", "json", "markdown", "html", "sarif", "github", "gitlab", "junit", "plan.fragment",
        "auditpage", "findingpage", "escape",
    ))),
    # The digest chooses the format and the share of the advice: each subject several times.
    lambda: [
        one + bundled({"variant": bytes((number,))})
        for one in _subjects()
        for number in range(len(FORMATS))
    ],
    whole=True,
)  # fmt: skip


def _boot_formats(data: bytes) -> None:
    folder, files = _with_config(data)
    (folder / "line.cmdline").touch()
    name = _chosen(files, "format", [*BOOT_FORMATS])
    words = ("config", "--profile", _profile(files), "--cmdline=@line.cmdline", "-f", name)
    code, out = command("cmdline", *words, folder=folder)
    form = next((one for one in (*bootfiles.FORMATS, bootfiles.PLAIN) if one.id == name), None)
    if code == 0 and form:
        _read_back(form.names[0] if form.names else name, out, form)


def _read_back(path: str, body: str, form: bootfiles.Format) -> None:
    """Reads what the product has written; that it cannot is a finding."""
    try:
        bootfiles.read(body, path, form, "x86")
    except InputError as error:
        raise FindingError(f"{form.id} is written and cannot be read: {error}") from error


TARGETS["way-boot-formats"] = Target(
    _boot_formats,
    ("output.plan.grubby", "output.plan.bootc", "output.plan.tuned",
     "output.plan.plain", "output.plan.kernelinstall", "output.plan.kconfig"),
    lambda: [
        bundled({"format": bytes((number,))}) + one
        for one in _subjects()
        for number in range(len(BOOT_FORMATS))
    ],
    whole=True,
)  # fmt: skip


def _plan(data: bytes) -> None:
    folder, files = _with_config(data)
    line = ["--cmdline=@line.cmdline"] if "line.cmdline" in files else []
    words = ("config", "--profile", _profile(files), "--strength=could", *line)
    code, _ = command("plan", *words, "--into", "plan", folder=folder)
    if code not in (0, 1) or not (folder / "plan").is_dir():
        return
    plans.read_plan(str(folder / "plan"))
    for path in sorted((folder / "plan").rglob("*")):
        name = str(path.relative_to(folder / "plan"))
        if path.is_file() and (form := bootfiles.format_of(name)):
            _read_back(name, path.read_text(), form)


TARGETS["way-plan"] = Target(
    _plan,
    ("cli.plan", "inputs.plans", "engine.plan.whole_plan", "output.planpage",
     "output.planjson", "output.plan.items"),
    lambda: [*_subjects()],
    whole=True,
)  # fmt: skip


def _verify(data: bytes) -> None:
    files = files_in(data)
    plan = {"plan.json": files.pop("plan.json", b"{}")}
    folder = written(
        {"plan/plan.json": plan["plan.json"], **{f"host/{n}": b for n, b in files.items()}}
    )
    _in_turn(DIFF_FORMATS, data, "verify", "plan", "--host", "host", "--anyway", folder=folder)


TARGETS["way-verify"] = Target(
    _verify,
    ("cli.verify", "inputs.host.seen", "output.verifypage", "output.verifyjson"),
    plans_written, whole=True,
)  # fmt: skip


def _host(data: bytes) -> None:
    folder = written({f"host/{name}": body for name, body in files_in(data).items()})
    if crc32(data) % 4:
        words = ("audit", "--host", "host", "--profile", PROFILES[0])
        _in_turn(FORMATS, data, *words, folder=folder)
    else:
        _in_turn(DIFF_FORMATS, data, "machine", "--host", "host", folder=folder)
    for name in [*files_in(data)][:1]:  # a file in place of a folder
        command("audit", "--host", f"host/{name}", "--profile", PROFILES[0], folder=folder)


TARGETS["way-host"] = Target(
    _host,
    ("inputs.host.read", "inputs.nextboot.read", "inputs.host.root", "cli.machine"),
    lambda: hosts()[::4],
    whole=True,
)


def _snapshot(data: bytes) -> None:
    folder = written({"host.snapshot": data})
    words = ("audit", "--host", "host.snapshot", "--profile", PROFILES[0])
    _in_turn(FORMATS, data, *words, folder=folder)


TARGETS["way-snapshot"] = Target(_snapshot, ("inputs.host.snapshot",), snapshots, whole=True)


def _tree(data: bytes) -> None:
    files = files_in(data)
    top = tree_of(data, "tree")
    config = files.get(".config", b"CONFIG_BASE=y\n")
    folder = written({"config": _HEAD + config, "fragment": files.get("fragment", config)})
    words = ("--tree", top, "--arch", "x86")
    audit = ("audit", "config", "--profile", PROFILES[0])
    _in_turn(FORMATS, data, *audit, *words, folder=folder)
    command("check", "fragment", "--on", "config", *words, folder=folder)
    command("check", "fragment", "--on", "config", "--fix", *words, folder=folder)
    upgrade = ("upgrade", "config", "--to", top, "--arch", "x86")
    _in_turn(DIFF_FORMATS, data, *upgrade, folder=folder)


TARGETS["way-tree"] = Target(
    _tree,
    (
        "tree.kerneltree",
        "tree.kept",
        "tree.keptparse",
        "tree.check",
        "tree.fix",
        "cli.check",
        "cli.trees",
    ),
    lambda: list(OF_TREES["kconfig"].seeds())[::3],
    OF_TREES["kconfig"].words,
    whole=True,
)


def _settings(data: bytes) -> None:
    folder, _ = _with_config(data)
    _in_turn(FORMATS, data, "audit", "config", folder=folder)


TARGETS["way-settings"] = Target(
    _settings,
    ("cli.settings",),
    lambda: [
        bundled({"kernel-advisor.toml": one, "config": "CONFIG_SMP=y\nCONFIG_HZ_1000=y\n"})
        for one in all_of(
            contents("examples/kernel-advisor.toml"),
            texts("tests/cli/test_settings.py", "tests/cli/test_waivers.py"),
        )
    ],
    whole=True,
)


def _diff(data: bytes) -> None:
    files = files_in(data)
    sides = {name: files.get(name, b"") for name in ("old", "new")}
    folder = written({name: _HEAD + body + _OTHERS for name, body in sides.items()})
    words = ("diff", "old", "new", "--profile", _profile(files))
    _in_turn(DIFF_FORMATS, data, *words, folder=folder)


TARGETS["way-diff"] = Target(
    _diff,
    ("engine.compare", "output.diffpage", "output.diffwords", "output.diffjson"),
    lambda: [
        bundled({"old": example(old, 48)[:7000], "new": example(new, 48)[:7000]})
        for old, new in (("x86_64-6.1", "x86_64-6.12"), ("arm64-6.1", "arm64-6.12"),
                         ("x86_64-6.12", "x86_64-6.12-debug"))
    ],
    whole=True,
)  # fmt: skip


def _own_rules(data: bytes) -> None:
    files = files_in(data)
    config = _HEAD + files.pop("config", b"CONFIG_WIDGET=y\n") + _OTHERS
    folder = written({"rules/.k": b"", "profiles/.k": b"", **files, "config": config})
    own = ("--rules", "rules", "--profiles", "profiles", "--profile", "widgets")
    _in_turn(FORMATS, data, "audit", "config", *own, folder=folder)


def _widgets() -> list[bytes]:
    tests = Path(__file__).parents[1] / "tests" / "conftest.py"
    tunable, profile = (one for one in texts(str(tests.relative_to(tests.parents[1])))
                        if one.startswith((b'id = "widget"', b'id = "widgets"')))  # fmt: skip
    files = {"rules/area/widget.toml": tunable, "profiles/widgets.toml": profile}
    others = folders("tests/knowledge/*.py", "tests/lint/*.py")
    return [bundled(files), *[one for one in others if b"=== profiles/" in one][::4]]


TARGETS["way-own-rules"] = Target(
    _own_rules,
    ("knowledge.files", "knowledge.load", "knowledge.references", "knowledge.index"),
    _widgets,
    whole=True,
)

# What a review is of: two commits, made by one process of git.


def _imported(files: dict[str, bytes], mark: int, parent: str) -> bytes:
    body = b"".join(
        b"M 100644 inline %s\ndata %d\n%s\n" % (json.dumps(name).encode(), len(one), one)
        for name, one in files.items()
    )
    head = b"commit refs/heads/%s\nmark :%d\ncommitter A <a@example.org> 0 +0000\ndata 1\nx\n"
    return (
        head % (b"main" if mark == 1 else b"topic", mark) + parent.encode() + b"deleteall\n" + body
    )


def _repository(data: bytes) -> Path | None:
    files = {name: body for name, body in files_in(data).items() if not name.startswith(".git")}
    base = {name[5:]: body for name, body in files.items() if name.startswith("base/")}
    head = {name[5:]: body for name, body in files.items() if name.startswith("head/")}
    folder = written({})
    made = subprocess.run(["git", "init", "--quiet", "."], cwd=folder, check=False)
    stream = _imported(base, 1, "") + _imported({**base, **head}, 2, "from :1\n") + b"done\n"
    words = ["git", "fast-import", "--quiet", "--done"]
    done = subprocess.run(words, cwd=folder, input=stream, capture_output=True, check=False)
    return None if made.returncode or done.returncode else folder


def _review(data: bytes) -> None:
    # Where OSS-Fuzz runs a target, programs may be missing.
    if shutil.which("git") and (folder := _repository(data)):
        words = ("review", "main", "topic", "--profile", PROFILES[0])
        _in_turn(FORMATS, data, *words, folder=folder)
        command("review", "main", "--profile", PROFILES[0], folder=folder)  # the work tree
        for name in ("topic:a.config", "topic:./cmdline"):
            command("audit", name, "--profile", PROFILES[0], folder=folder)


def _repositories() -> list[bytes]:
    found = []
    names = ("cli/test_review", "cli/test_trust", "cli/test_bootfiles", "cli/test_kinds",
             "inputs/test_changes")  # fmt: skip
    for one in folders(*(f"tests/{name}.py" for name in names)):
        files = files_in(one)
        both = {
            f"base/{name}": b"quiet\n" if n % 2 else body
            for n, (name, body) in enumerate(files.items())
        }
        found.append(bundled({**both, **{f"head/{name}": body for name, body in files.items()}}))
    config = example("x86_64-6.12", 64)
    lines = {"base/a.config": config, "head/a.config": config.replace(b"=y", b"=m"),
             "base/cmdline": "quiet", "head/cmdline": "quiet mitigations=off"}  # fmt: skip
    return [bundled(lines), *found]


TARGETS["way-review"] = Target(
    _review,
    ("inputs.git", "inputs.changes", "cli.review", "output.review"),
    _repositories,
    whole=True,
)
