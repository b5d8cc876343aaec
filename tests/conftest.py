"""Fixtures that run the command, as a process or within the test's, and that write its inputs."""

from __future__ import annotations

import functools
import gc
import io
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import tomli
from hypothesis import settings

from advisor.cache import cache_path
from advisor.engine.effective.world import World
from advisor.inputs.config import parse_config
from advisor.inputs.machine import machine_of
from advisor.inputs.runtime import parse_runtime
from advisor.inputs.subject import Given, subject_of
from advisor.inputs.sysctl import parse_sysctl
from advisor.knowledge import folders, index
from advisor.knowledge.derive import derived
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files
from advisor.knowledge.store import Knowledge, Sections
from advisor.knowledge.table import Table
from advisor.lint import lint
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import parse_version

from . import corpus
from .proofs import MODE, Mode, digest, summary
from .shared import common_folder, made_once

# How long one example takes tells of the machine and what else it does, not of what is tested.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")

MAKEFILE = "VERSION = {}\nPATCHLEVEL = {}\nSUBLEVEL = {}\nEXTRAVERSION =\n"
PROJECT = Path(__file__).resolve().parents[1]

# One rule that each verdict can be had of: WIDGET=y is ok, off is change, absent is blocked, and
# in a fragment absent is unknown.
TUNABLE = """\
id = "widget"
title = "Widget"
kind = "switch"
summary = "Whether widgets are built."
# What a rule says.
cost = "Not measured."
sources = ["kconfig init/Kconfig@6.12"]
examples = [
    "WIDGET=y -> on",
    "WIDGET=n -> off",
]

[[value]]
name = "on"
set = { WIDGET = "y" }

[[value]]
name = "off"
set = { WIDGET = "n" }
"""
PROFILE = """\
id = "widgets"
title = "Widgets"
summary = "Wants widgets."

[[advice]]
id = "widget"
tunable = "widget"
stance = "want"
strength = "must"
want = ["on"]
why = "Widgets are needed."
otherwise = "Whoever needs widgets: there are none."
sources = ["kconfig init/Kconfig@6.12"]
examples = [
    "WIDGET=y -> ok",
    "WIDGET=n -> change",
]
"""
# prctl(PR_CAPBSET_DROP) of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: then permissions bind root.
DROP = "import ctypes\nfor cap in (1, 2): ctypes.CDLL(None).prctl(24, cap, 0, 0, 0)"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("proofs")
    group.addoption("--prove", action="store_true", help="prove what no list has, and keep it")
    group.addoption("--seed", default="", help="chooses the proofs to make again")
    group.addoption("--again", type=int, default=0, help="how many of each kind to make again")
    group.addoption(
        "--share", type=int, default=1, help="runs one in so many of those marked sampled"
    )
    group.addoption("--new", type=int, default=10, help="the most of each kind to prove anew")


def pytest_configure(config: pytest.Config) -> None:
    names = ("--prove", "--seed", "--again", "--new")
    config.stash[MODE] = Mode(*(config.getoption(name) for name in names))


@pytest.hookimpl(trylast=True)  # of those that -k and -m leave
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out of what is marked `sampled` all but a share, chosen by the seed: one at least."""
    seed, share = config.getoption("--seed"), config.getoption("--share")
    sampled = [item for item in items if item.get_closest_marker("sampled")]
    sampled.sort(key=lambda item: digest(seed, item.nodeid))
    left_out = sampled[-(-len(sampled) // share) :]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Exempts what is loaded by now from garbage collection: it stays until the end."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter) -> None:
    reports = [one for many in terminalreporter.stats.values() for one in many]
    for line in summary(one for one in reports if isinstance(one, pytest.TestReport)):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def proof_mode(request) -> Mode:
    """How this run proves."""
    return request.config.stash[MODE]


class Result(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    stdout: str
    stderr: str


def ended(code: int, stdout: str, stderr: str) -> Result:
    """The result of a command; a test in which it ends as a bug fails, whatever it expects."""
    assert code != 70, f"exit code 70: {stderr}"
    return Result(code, stdout, stderr)


class Repository:
    """A git repository on the disk, and what a test does with it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words) -> str:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", *identity, *map(os.fspath, words)],
            cwd=self.root,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode(errors="surrogateescape").strip()

    def write(self, files) -> None:
        """Writes files; one whose content is None is taken away."""
        for name, content in files.items():
            path = self.root / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files=None) -> str:
        """Commits these files and all that changed; the commit's id."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """The home of all commands, of all workers of a run; the index of the rules is in it."""

    def make(folder):
        corpus.knowledge()  # which leaves the index in the user's own folder
        made = Path(cache_path("index", os.path.abspath(folders.roots()[0])))
        if made.is_file():
            kept = folder / "cache/kernel-advisor"
            kept.mkdir(parents=True)
            shutil.copy(made, kept)

    return made_once(common_folder(tmp_path_factory, "homes") / "home", make)


@pytest.fixture(scope="session")
def documents(tmp_path_factory):
    """The documents of the built-in rules as `lint` reads them: once for all workers of a run."""

    def make(folder):
        (folder / "documents").write_bytes(pickle.dumps(lint.read([])[1]))

    folder = made_once(common_folder(tmp_path_factory, "read") / "documents", make)
    return pickle.loads((folder / "documents").read_bytes())


@pytest.fixture(scope="session")
def environment(home):
    """All that a command sees of the environment."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "PYTHONPATH": str(PROJECT),
        # Where coverage is measured, it is measured in the command's processes too.
        **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
    }


@pytest.fixture
def run_command(environment, tmp_path):
    """`python -m advisor` as a process of its own, in the test's folder.

    `before` is Python that runs first, in the same process.
    """

    def run(*words, cwd=None, stdin=b"", env=None, before="", python=()):
        command = [sys.executable, *python, "-m", "advisor", *map(str, words)]
        if before:
            code = f"{before}\nimport os, sys\nos.execv(sys.argv[1], sys.argv[1:])"
            command = [sys.executable, "-c", code, *command]
        # Where coverage is measured, the process says which test has started it (tools/mutants.py).
        names = [name for name in environment if name.startswith("COVERAGE_")]
        started_by = {"PYTEST_CURRENT_TEST": os.environ["PYTEST_CURRENT_TEST"]} if names else {}
        done = subprocess.run(
            command,
            cwd=cwd or tmp_path,
            env={**environment, **started_by, **(env or {})},
            input=stdin,
            capture_output=True,
            timeout=300,
            check=False,
        )
        return ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def run_inside(environment, tmp_path, monkeypatch, capsys):
    """The same without a process, where a process is not the point.

    The built-in knowledge is read once for all such runs, as it is the same for all.
    """
    from advisor.cli import app as cli

    for name in _SEEN_BY_COMMANDS:
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "XDG_CACHE_HOME", "TERM"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(index, "load", _load_once)
    monkeypatch.setattr(index, "_built_in", _built_in_once)

    def nearby(word):
        # By this name the knowledge of another test's folder of the same files is found again.
        is_own = isinstance(word, Path) and tmp_path / "own" in word.parents
        return os.path.relpath(word) if is_own else str(word)

    def run(*words, cwd=None, stdin=b"", env=None):
        with monkeypatch.context() as patched:
            for name, value in (env or {}).items():
                patched.setenv(name, value)
            if cwd:
                patched.chdir(cwd)
            patched.setattr(sys, "argv", ["kernel-advisor", *map(nearby, words)])
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            capsys.readouterr()
            code = cli.run()
            return ended(code, *capsys.readouterr())

    return run


# What a command asks the environment of the tests for, and a test has to name.
_SEEN_BY_COMMANDS = (
    "NO_COLOR", "FORCE_COLOR", "KERNEL_ADVISOR_TRACEBACK", "COLUMNS", "LINES", "SOURCE_DATE_EPOCH",
)  # fmt: skip
_FOLDERS = folders.roots(), folders.data()
_load, _built_in = index.load, index._built_in


def _load_once(rules=(), profiles=()):
    """Knowledge as runs before had it, of the same folders with the same files in them.

    A test may put others in the place of the built-in ones.
    """
    rules, profiles = list(rules), list(profiles)
    if _replaced():
        return _load(rules, profiles)
    if not rules and not profiles:
        return corpus.knowledge()
    key = tuple(tuple((str(name), _contents(str(name))) for name in of) for of in (rules, profiles))
    if key not in _loaded:
        _loaded[key] = _load(rules, profiles)
    return _loaded[key]


_loaded: dict[tuple[object, ...], Knowledge] = {}


def _contents(name):
    """The files below a folder, or the file of that name."""
    files = [path for path in (Path(name), *sorted(Path(name).rglob("*"))) if path.is_file()]
    return tuple((str(path), path.read_bytes()) for path in files)


def _replaced():
    """Whether a test has put other rules, profiles or tables in the place of the built-in ones."""
    if (folders.roots(), folders.data()) != _FOLDERS:
        return True
    return any(of.location() != os.path.join(_FOLDERS[1], of.file) for of in _tables(Table))


def _tables(of):
    """The kinds of tables that have a file, of all that are loaded."""
    return [of] * bool(of.file) + [one for sub in of.__subclasses__() for one in _tables(sub)]


def _built_in_once():
    return _built_in() if _replaced() else _sections()


@functools.cache
def _sections():
    return _built_in()


@pytest.fixture
def drop_override(tmp_path):
    """What `run_command` takes as `before`, so that permissions bind whoever runs the tests."""
    closed = tmp_path / "closed"
    closed.touch(mode=0o000)
    code = f"{DROP}\nimport os, sys\nos.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    reading = [sys.executable, "-c", code, "-c", f"open({str(closed)!r})"]
    refused = subprocess.run(reading, capture_output=True, check=False).returncode
    closed.unlink()
    if not refused:
        pytest.skip("no permissions bind this user, and its power to override them stays")
    return DROP


@pytest.fixture
def interruptible():
    """SIGINT interrupts this process, and those it starts, as in a terminal.

    What a shell starts in the background, and what it starts after `trap "" INT`, ignores it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def make_config(tmp_path):
    """Writes a complete configuration of these lines, and of as many others as one must have."""

    def make(*lines, name="config", kernel="6.12.0", arch="x86"):
        header = f"#\n# Automatically generated file; DO NOT EDIT.\n# Linux/{arch} {kernel}"
        others = [f"# CONFIG_UNRELATED_{number} is not set" for number in range(200)]
        others += ["CONFIG_INIT_ENV_ARG_LIMIT=32", "CONFIG_FRAME_WARN=2048"]
        path = tmp_path / name
        path.write_text(f"{header} Kernel Configuration\n#\n" + "\n".join([*lines, *others, ""]))
        return path

    return make


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A git repository, which is the current folder too, without the user's settings."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    root = tmp_path / "repository"
    root.mkdir()
    monkeypatch.chdir(root)
    return Repository(root)


@pytest.fixture
def own(tmp_path):
    """A folder with a rule and a profile of its own, both right."""
    root = tmp_path / "own"
    for name, text in {
        "rules/repository.toml": 'kernel = "6.12"\nverified = "6.12.117"\n',
        "rules/area/widget.toml": TUNABLE,
        "profiles/widgets.toml": PROFILE,
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "software").mkdir()
    return root


@pytest.fixture
def widgets(own):
    """The options that audit with that folder."""
    return ["--rules", own / "rules", "--profiles", own / "profiles", "--profile", "widgets"]


@pytest.fixture
def edit():
    """Replaces text in a file, and takes care that it was there, once."""

    def replace(path, old, new):
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
        path.write_text(text.replace(old, new))

    return replace


@pytest.fixture(scope="session")
def make_tree():
    """Writes a small kernel tree of that version into a folder; `files` come on top."""

    def make(root, files, version="6.12.0"):
        texts = {
            "Makefile": MAKEFILE.format(*version.split(".")),
            "init/Kconfig": "",
            "arch/x86/Kconfig": "",
            **files,
        }
        for name, text in texts.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root

    return make


@pytest.fixture(scope="session", autouse=True)
def read_once():
    """Each worker reads the tables of kernels once, as a command does, and not for each test.

    A table that a test names, or puts in the place of a built-in one, is read each time.
    """
    built_in = folders.data()
    tables: dict[type[Table], Table] = {}
    load_table = Table.load.__func__

    def load_once(cls, path=""):
        if path or cls.location() != os.path.join(built_in, cls.file):
            return load_table(cls, path)
        if cls not in tables:
            tables[cls] = load_table(cls)
        return tables[cls]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Table, "load", classmethod(load_once))
        yield


@pytest.fixture(scope="session")
def built_in():
    return corpus.knowledge()


@pytest.fixture
def make_world(built_in):
    """A world from the lines of a configuration (without CONFIG_) and what the user told."""

    def make(config="", *, cmdline=None, kernel="6.12.0", runtime="", knowledge=None, **machine):
        complete, sysctl = machine.pop("complete", True), machine.pop("sysctl", "")
        running = parse_runtime(runtime, "running")
        lines = [
            f"# CONFIG_{line.removesuffix('=n')} is not set"
            if line.endswith("=n")
            else f"CONFIG_{line}"
            for line in re.findall(r'(?:[^\s"]|"[^"]*")+', config)
        ]
        text = "\n".join(lines or ["# CONFIG_NOTHING is not set"]) + "\n"
        given = Given(
            machine_of({"arch": "x86", **machine}),
            parse_version(kernel) if kernel else None,
            None if cmdline is None else parse_cmdline(cmdline),
            {**parse_sysctl(sysctl, "sysctl"), **running.sysctl},
            running.sysfs,
        )
        return World(
            subject_of(parse_config(text, ".config", complete=complete), given),
            knowledge or built_in,
        )

    return make


@functools.cache
def compiled(files: tuple[tuple[str, str], ...]) -> Sections:
    """The sections of these files: to compile them takes longer than most tests do."""
    kinds = {"parameters": "parameters", "names": "names", "lifecycle": "lifecycle",
             "successors": "successors", "components.toml": "components"}  # fmt: skip
    given = []
    for path, text in files:
        tomli.loads(text)
        kind = (
            "profile" if path.startswith("profiles/") else kinds.get(path.split("/")[1], "tunable")
        )
        given.append(KnowledgeFile(kind, path, "test", text.encode()))
    documents = compile_files(given, check=False)
    sections = index.sections(documents)
    return {**sections, **derived(sections)}


@pytest.fixture
def make_knowledge():
    """Knowledge from TOML texts: {"rules/x/id.toml": text, "profiles/id.toml": text}."""
    return lambda files: Knowledge(compiled(tuple(files.items())))
