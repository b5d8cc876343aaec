"""Real kernels for the tests: trees, configurations made with them, and the way of a fragment.

Needs the folder that prepare.sh fills, named by KERNEL_ADVISOR_TREES, and a C toolchain. Nothing is
written into the trees: every configuration is made in a build directory of its own (O=).
"""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

PROJECT = Path(__file__).resolve().parents[2]
CONFIGS = Path(os.environ.get("KERNEL_ADVISOR_CONFIGS", "/usr/src"))
VERSIONS = ("6.1", "6.12")
ARCHES = ("x86_64", "arm64")
# Debian's own configurations, by the name under which the tests show them.
DEBIAN = {
    "amd64": "config.amd64_none_amd64.xz",
    "cloud-amd64": "config.amd64_none_cloud-amd64.xz",
    "rt-amd64": "config.amd64_rt_amd64.xz",
}
# Fragments that make a bad start of the x86_64 defconfig (paths in the tree, or absolute).
SPOILED = {
    "x86_64-bad-ideas": str(PROJECT / "examples" / "bad-ideas.config"),
    "x86_64-debug": "kernel/configs/debug.config",
}
TINY = "x86_64-tiny"
PROFILES = tuple(sorted(path.stem for path in (PROJECT / "profiles").glob("*.toml")))

_LINE = re.compile(r"CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set")
# What a caller's environment could tell make or conf behind the tests' back.
_FOREIGN = re.compile(
    r"(KCONFIG|KBUILD|CONFIG|MAKE)\w*|MFLAGS|O|V|W|ARCH|SRCARCH|CROSS_COMPILE|LLVM\w*"
)
# Saves the environment that make gives to conf: its assignment runs while the file is parsed.
_SPY = """\
saved := $(shell,env -0 >$(SPY_OUTPUT))
config SPY
	def_bool y
"""

T = TypeVar("T")


class Base(NamedTuple):
    """A configuration to start from."""

    version: str
    name: str

    @property
    def arch(self) -> str:
        return "arm64" if self.name.startswith("arm64") else "x86_64"

    def __str__(self) -> str:
        return f"{self.version}-{self.name}"


class Cell(NamedTuple):
    """One fragment to try: whose advice, how weak, for which configuration, how proven."""

    profile: str
    base: Base
    strength: str
    proof: str = "database"

    def __str__(self) -> str:
        return f"{self.profile}-{self.strength}-{self.base}-{self.proof}"


class Lines(NamedTuple):
    """The settings of a fragment or .config: value by symbol, `n` where it says not set."""

    values: dict[str, str]

    @staticmethod
    def of(text: str) -> Lines:
        values: dict[str, str] = {}
        for line in text.splitlines():
            if match := _LINE.fullmatch(line):
                values[match[1] or match[3]] = match[2] if match[1] else "n"
        return Lines(values)

    def missing_in(self, final: Lines) -> dict[str, str]:
        """The settings that do not hold there, each with what stands instead.

        Absent is as good as not set.
        """
        return {
            symbol: f"asked {value}, got {final.values.get(symbol, 'nothing')}"
            for symbol, value in self.values.items()
            if final.values.get(symbol, "n" if value == "n" else None) != value
        }


class Outcome(NamedTuple):
    """All that came of a cell: the fragment, and what the kernel's own tools made of it."""

    cell: Cell
    before: dict[str, Any]
    fragment: str
    conf_log: str
    base: str
    result: str
    after: dict[str, Any]
    second: str

    def differences(self) -> list[str]:
        """The lines of the fragment that do not hold, each with what stands instead."""
        missing = Lines.of(self.fragment).missing_in(Lines.of(self.result))
        return [f"{symbol}: {what}" for symbol, what in missing.items()]

    def idle_lines(self) -> list[str]:
        """Lines that change nothing; but a choice may name all the members that it offers."""
        base, result = Lines.of(self.base).values, Lines.of(self.result).values
        idle = []
        for symbol, value in Lines.of(self.fragment).values.items():
            if value == "n" and symbol not in base and symbol not in result:
                idle.append(f"{symbol}: switched off, and not offered")
            elif value != "n" and base.get(symbol) == value:
                idle.append(f"{symbol}: is {value} already")
        return idle

    def omitted(self, finding: dict[str, Any]) -> bool:
        """Whether the fragment names this advice as not included, and gives a cause."""
        # Comments are wrapped, also at hyphens: blanks say nothing here.
        for block in self.fragment.split("# Not included:")[1:]:
            lines = block.split("\n\n")[0].splitlines()
            squashed = re.sub(r"\s", "", "".join(line.removeprefix("# ") for line in lines))
            if re.search(rf"\W{finding['strength']},{re.escape(finding['id'])}\W:.", squashed):
                return True
        return False


class Merge(NamedTuple):
    """What merge_config.sh said of a fragment for a defconfig, and made of it."""

    cell: Cell
    fragment: str
    log: str
    result: str
    stale: frozenset[str]  # what the defconfig asks for in vain, whatever is merged


class Kernels:
    """The trees, a build directory for each architecture, and what was made in them."""

    def __init__(self, trees: Path, work: Path) -> None:
        self._trees = trees
        self.work = work
        # The cells spend their time in processes; as many at once as there are processors.
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)
        self._futures: dict[object, Future[Any]] = {}

    def plan(self, cells: list[Cell], merges: list[Cell]) -> None:
        """Starts all that these need, what others wait for first."""
        cells = list(dict.fromkeys(cells + merges))
        bases = list(dict.fromkeys(cell.base for cell in cells))
        for version, arch in dict.fromkeys((base.version, base.arch) for base in bases):
            self._start(("build", version, arch), self._make_build, version, arch)
        for base in bases:
            self._start(base, self._make_base, base)
        for cell in cells:
            self._start(cell, self._make_outcome, cell)
        for cell in merges:
            self._start(("merge", cell), self._make_merge, cell)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _start(self, key: object, make: Callable[..., T], *arguments: Any) -> Future[T]:
        if key not in self._futures:
            self._futures[key] = self._pool.submit(make, *arguments)
        return self._futures[key]

    # Whoever asks from within the pool must ask only for what `plan` started earlier.

    def tree(self, version: str) -> Path:
        return self._trees / f"linux-source-{version}"

    def build(self, version: str, arch: str) -> Path:
        """A build directory that holds this architecture's defconfig and the tree's conf."""
        return self._start(("build", version, arch), self._make_build, version, arch).result()

    def base(self, base: Base) -> Path:
        """The configuration, refreshed by the tree's own olddefconfig."""
        return self._start(base, self._make_base, base).result()

    def outcome(self, cell: Cell) -> Outcome:
        return self._start(cell, self._make_outcome, cell).result()

    def merge_fully(self, cell: Cell) -> Merge:
        """merge_config.sh run to its end: it makes the configuration and compares the two."""
        return self._start(("merge", cell), self._make_merge, cell).result()

    def _make_build(self, version: str, arch: str) -> Path:
        out = self.work / f"build-{version}-{arch}"
        out.mkdir()
        self.make(version, arch, out, "defconfig")
        spy = self.work / f"spy-{version}-{arch}"
        spy.mkdir()
        (spy / "Kconfig").write_text(_SPY)
        words = (f"KBUILD_KCONFIG={spy}/Kconfig", f"KCONFIG_CONFIG={spy}/config")
        self.make(version, arch, out, "olddefconfig", *words, SPY_OUTPUT=f"{spy}/environment")
        return out

    def make(self, version: str, arch: str, out: Path, *words: str, **more: str) -> str:
        """`make` in the tree, all output in `out`."""
        command = ["make", "-s", "-C", str(self.tree(version)), f"O={out}", f"ARCH={arch}", *words]
        return run(command, out, clean({**more, **cross(arch)}))

    def olddefconfig(self, version: str, arch: str, folder: Path) -> str:
        """`make olddefconfig` for folder/.config without make: the same conf and environment.

        Returns what conf says. Saves half of make's time; test_kbuild.py compares the two.
        """
        conf = self.build(version, arch) / "scripts" / "kconfig" / "conf"
        saved = (self.work / f"spy-{version}-{arch}" / "environment").read_text().split("\0")
        environment = dict(pair.split("=", 1) for pair in saved if "=" in pair)
        for name in [
            name
            for name in environment
            if name.startswith(("MAKE", "SPY")) or name in ("MFLAGS", "O")
        ]:
            del environment[name]
        environment["KCONFIG_CONFIG"] = str(folder / ".config")
        return run([str(conf), "--olddefconfig", "Kconfig"], folder, environment)

    def _make_base(self, base: Base) -> Path:
        folder = self.work / f"base-{base}"
        folder.mkdir()
        target = folder / ".config"
        if base.name == TINY:
            self.make(base.version, base.arch, folder, "tinyconfig")
            return target
        if base.name in DEBIAN:
            target.write_bytes(debian(base))
        else:
            shutil.copy(self.build(base.version, base.arch) / ".config", target)
        if base.name in SPOILED:
            self.merge(base.version, folder, target, self.tree(base.version) / SPOILED[base.name])
        self.olddefconfig(base.version, base.arch, folder)
        return target

    def merge(self, version: str, folder: Path, base: Path, fragment: Path) -> None:
        """The tree's own merge_config.sh, merging into folder/.config."""
        # It makes its scratch files where it is run.
        script = self.tree(version) / "scripts" / "kconfig" / "merge_config.sh"
        run([str(script), "-m", "-O", str(folder), str(base), str(fragment)], folder, clean())

    def defconfig(self, version: str, arch: str) -> Path:
        """The file in the tree that `make defconfig` starts from."""
        name = "x86/configs/x86_64_defconfig" if arch == "x86_64" else "arm64/configs/defconfig"
        return self.tree(version) / "arch" / name

    def _make_merge(self, cell: Cell) -> Merge:
        version, arch = cell.base.version, cell.base.arch
        fragment = self.outcome(cell).fragment
        folder = self.work / f"merge-{cell}"
        # In a build directory, whose Makefile leads to the tree, nothing is written into the tree.
        shutil.copytree(self.build(version, arch), folder, symlinks=True)
        written = folder / "fragment.config"
        written.write_text(fragment)
        script = self.tree(version) / "scripts" / "kconfig" / "merge_config.sh"
        words = [str(script), str(self.defconfig(version, arch)), str(written)]
        log = run(words, folder, clean({"ARCH": arch, **cross(arch)}))
        before = Lines.of((self.build(version, arch) / ".config").read_text())
        stale = Lines.of(self.defconfig(version, arch).read_text()).missing_in(before)
        return Merge(cell, fragment, log, (folder / ".config").read_text(), frozenset(stale))

    def _make_outcome(self, cell: Cell) -> Outcome:
        base = self.base(cell.base)
        folder = self.work / f"cell-{cell}"
        folder.mkdir()
        before = self.audit(base, cell)
        fragment = self.advise(base, cell)
        if not Lines.of(fragment).values:
            text = base.read_text()
            return Outcome(cell, before, fragment, "", text, text, before, fragment)
        written = folder / "fragment.config"
        written.write_text(fragment)
        self.merge(cell.base.version, folder, base, written)
        conf_log = self.olddefconfig(cell.base.version, cell.base.arch, folder)
        result = folder / ".config"
        return Outcome(
            cell, before, fragment, conf_log, base.read_text(), result.read_text(),
            self.audit(result, cell), self.advise(result, cell),
        )  # fmt: skip

    def audit(self, config: Path, cell: Cell) -> dict[str, Any]:
        """The audit's report, as the command prints it."""
        reports = json.loads(
            self._advisor(
                "audit", str(config), "--profile", cell.profile, "--format", "json",
                *self._proof(cell),
            )
        )["reports"]  # fmt: skip
        assert len(reports) == 1
        assert reports[0]["proof"] == cell.proof
        found: dict[str, Any] = reports[0]
        return found

    def advise(self, config: Path, cell: Cell) -> str:
        """The fragment, as the command prints it."""
        return self._advisor(
            "fragment", str(config), "--profile", cell.profile, "--strength", cell.strength,
            *self._proof(cell),
        )  # fmt: skip

    def advise_line(self, config: Path, line: str, target: Path) -> None:
        """Writes the fragment with a built-in boot line for real time, beside that line."""
        self._advisor(
            "cmdline", str(config), "--profile", "realtime", "--strength", "could",
            "--cmdline", line, "--format", "kconfig", "--output", str(target),
        )  # fmt: skip

    def _proof(self, cell: Cell) -> list[str]:
        tree = str(self.tree(cell.base.version))
        return ["--tree", tree, "--no-cache"] if cell.proof == "model" else []

    def _advisor(self, *words: str) -> str:
        # Three hundred runs: compiled once, and outside the checkout.
        cache = clean({"PYTHONPYCACHEPREFIX": str(self.work / "pycache")})
        cache.pop("PYTHONDONTWRITEBYTECODE", None)
        return run([sys.executable, "-m", "advisor", *words], PROJECT, cache, 1)


def debian(base: Base) -> bytes:
    """A configuration as Debian ships it."""
    with lzma.open(CONFIGS / f"linux-config-{base.version}" / DEBIAN[base.name]) as packed:
        return packed.read()


def cross(arch: str) -> dict[str, str]:
    """The cross compiler where there is one; without it the host's compiler answers for all."""
    prefix = "aarch64-linux-gnu-"
    return {"CROSS_COMPILE": prefix} if arch == "arm64" and shutil.which(f"{prefix}gcc") else {}


def clean(more: dict[str, str] | None = None) -> dict[str, str]:
    """The environment without what make and conf would take for an order."""
    kept = {name: value for name, value in os.environ.items() if not _FOREIGN.fullmatch(name)}
    return {**kept, "LC_ALL": "C", **(more or {})}


def run(words: list[str], folder: Path, environment: dict[str, str], *codes: int) -> str:
    """The output, errors included, of a command that ends with 0 or one of `codes`."""
    done = subprocess.run(
        words, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode in (0, *codes), (
        f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}"
    )
    return done.stdout


BASES = [
    Base(version, name)
    for version in VERSIONS
    for name in (*(f"{arch}-defconfig" for arch in ARCHES), *DEBIAN)
]
TRIED = [Cell(profile, base, "could") for base in BASES for profile in PROFILES]
TRIED += [
    Cell(profile, base, "could")
    for base in (
        Base("6.1", "x86_64-bad-ideas"),
        Base("6.12", "x86_64-bad-ideas"),
        Base("6.12", "x86_64-debug"),
        Base("6.12", TINY),
    )
    for profile in PROFILES
]
TRIED += [cell._replace(proof="model") for cell in TRIED]
# What is left out there is what the others have in addition: one configuration of each will do.
TRIED += [
    Cell(profile, Base(version, "amd64"), "should") for version in VERSIONS for profile in PROFILES
]
# The smallest of all kernels hides most of Kconfig: what a fragment brings to light there, by
# defaults of defaults, only a tree can tell; without one it is for a second run.
SETTLED = [cell for cell in TRIED if cell.base.name != TINY or cell.proof == "model"]
# Six whole runs of merge_config.sh, of every version, architecture and proof. A defconfig leaves
# unnamed what is at its default, and realtime moves such defaults (EXPERT=y takes `default !EXPERT`
# away from lines of the defconfig), of which the script complains: so realtime is not among them.
MERGED = [
    Cell("server-throughput", Base("6.1", "x86_64-defconfig"), "could"),
    Cell("desktop-latency", Base("6.1", "arm64-defconfig"), "could"),
    Cell("diagnosis", Base("6.1", "x86_64-defconfig"), "could", "model"),
    Cell("power-saving", Base("6.12", "x86_64-defconfig"), "could"),
    Cell("diagnosis", Base("6.12", "arm64-defconfig"), "could"),
    Cell("server-throughput", Base("6.12", "arm64-defconfig"), "could", "model"),
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `outcome`, `settled` or `merge` runs for every one."""
    for name, cells in (("outcome", TRIED), ("settled", SETTLED), ("merge", MERGED)):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, cells, ids=str, indirect=True, scope="session")


@pytest.fixture(scope="session")
def kernels(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kernels]:
    """The kernels, with all that the selected tests will ask for under way."""
    given = os.environ.get("KERNEL_ADVISOR_TREES")
    if not given:
        pytest.skip(
            "KERNEL_ADVISOR_TREES is not set (the folder that tests/kernel/prepare.sh fills)"
        )
    found = Kernels(Path(given).resolve(), tmp_path_factory.mktemp("kernels"))
    for version in VERSIONS:
        assert (found.tree(version) / "Kconfig").is_file(), (
            f"{found.tree(version)} is no kernel tree"
        )
    asked = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    cells = [params[name] for params in asked for name in ("outcome", "settled") if name in params]
    found.plan(cells, [params["merge"] for params in asked if "merge" in params])
    yield found
    found.close()


@pytest.fixture(scope="session")
def outcome(request: pytest.FixtureRequest, kernels: Kernels) -> Outcome:
    """What came of one cell."""
    return kernels.outcome(request.param)


@pytest.fixture(scope="session")
def settled(request: pytest.FixtureRequest, kernels: Kernels) -> Outcome:
    """Likewise, where nothing must be left to do."""
    return kernels.outcome(request.param)


@pytest.fixture(scope="session")
def merge(request: pytest.FixtureRequest, kernels: Kernels) -> Merge:
    """What merge_config.sh said of one cell's fragment."""
    return kernels.merge_fully(request.param)


@pytest.fixture(scope="session")
def base(kernels: Kernels) -> Callable[[str, str], Path]:
    """The refreshed configuration of that version and name."""
    return lambda version, name: kernels.base(Base(version, name))
