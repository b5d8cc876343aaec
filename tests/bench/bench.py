"""What a run costs: whole processes, in pairs, medians. `make bench`; nothing here is asserted.

The budget of one audit is 1.2 times `import typer` plus 20 ms, and 40 MiB; of many, 100 a second.
A boot line adds less than 5 ms to one.
With KERNEL_ADVISOR_TREES (tests/kernel/prepare.sh) also a proof in the tree of 6.12: 1.2 s, and
less than a warm `make olddefconfig` of the same configuration; again, from the cache: 0.3 s.
"""

from __future__ import annotations

import lzma
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RUNS = 21
PROOFS = 9
MANY = 200


def configuration(folder: Path) -> Path:
    """Debian 13's configuration of 11,463 lines from the corpus, else the largest example."""
    corpus = os.environ.get("KERNEL_ADVISOR_CORPUS")
    packed = ROOT / "examples" / "arm64-6.12.config.xz"
    if corpus:
        packed = Path(corpus) / "Debian_13_Trixie_x86_64.config.xz"
    path = folder / ".config"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    return path


LINE = (
    "BOOT_IMAGE=(hd0,gpt2)/vmlinuz-6.12.9 root=UUID=0a1b2c3d-1111 ro rootflags=subvol=root rhgb "
    "quiet mitigations=auto transparent_hugepage=madvise nohz_full=2-15 rcu_nocbs=2-15 "
    "isolcpus=managed_irq,domain,2-15 console=tty0 console=ttyS0,115200 intel_iommu=on iommu=pt "
    "default_hugepagesz=1G hugepagesz=1G hugepages=16 systemd.unified_cgroup_hierarchy=1"
)
LINES = {
    "a boot line": LINE,
    "a driver's word": f"{LINE} i915.enable_guc=3",
    "a misspelt word": f"{LINE} i915.enable_gcu=3",
}


def run(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {process.returncode}")
    return elapsed, usage.ru_maxrss / 1024


def spread(values: list[float], unit: str) -> str:
    """Median and range."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:8.1f} {unit}  ({low:.1f} to {high:.1f})"


def one(config: Path, environment: dict[str, str]) -> None:
    """One audit against the bare import of typer, turn by turn."""
    typer = [sys.executable, "-c", "import typer"]
    audit = [sys.executable, "-m", "advisor", "audit", str(config), "-p", "server-throughput"]
    for command in (typer, audit):
        run(command, environment)
    pairs = [(run(typer, environment), run(audit, environment)) for _ in range(RUNS)]
    base = [pair[0][0] * 1e3 for pair in pairs]
    full = [pair[1][0] * 1e3 for pair in pairs]
    budget = 1.2 * statistics.median(base) + 20
    print(f"import typer   {spread(base, 'ms')}")
    print(f"one audit      {spread(full, 'ms')}   budget {budget:.1f} ms")
    print(f"peak memory    {spread([pair[1][1] for pair in pairs], 'MiB')}   budget 40 MiB")


def boot_lines(config: Path, environment: dict[str, str]) -> None:
    """What boot lines add to one audit, turn by turn with an audit without any."""
    audit = [sys.executable, "-m", "advisor", "audit", str(config), "-p", "server-throughput"]
    given = {name: [*audit, "--cmdline", line] for name, line in LINES.items()}
    for command in (audit, *given.values()):
        run(command, environment)
    turns = [
        (run(audit, environment)[0], {n: run(c, environment)[0] for n, c in given.items()})
        for _ in range(RUNS)
    ]
    for name in given:
        added = [(told[name] - plain) * 1e3 for plain, told in turns]
        print(f"+ {name:15}{spread(added, 'ms')}   budget 5 ms")


def many(config: Path, environment: dict[str, str]) -> None:
    """Many configurations in one call."""
    copies = [config.with_name(f"{number}.config") for number in range(MANY)]
    for copy in copies:
        copy.write_bytes(config.read_bytes())
    names = [str(copy) for copy in copies]
    command = [sys.executable, "-m", "advisor", "audit", *names, "-p", "server-throughput"]
    rates = [MANY / run(command, environment)[0] for _ in range(5)]
    print(f"{MANY} audits     {spread(rates, 'a second')}   wanted 100 a second")


def proof(config: Path, tree: Path, environment: dict[str, str]) -> None:
    """A proof in a tree, the same from the cache, and make, turn by turn."""
    out = config.with_name("build")
    out.mkdir()
    (out / ".config").write_bytes(config.read_bytes())
    make = ["make", "-s", "-C", str(tree), f"O={out}", "ARCH=x86_64", "olddefconfig"]
    run(make, environment)
    base = [sys.executable, "-m", "advisor", "fragment", str(out / ".config"), "-p", "realtime"]
    again = [*base, "--tree", str(tree)]
    commands = {
        "proof in tree": ([*again, "--no-cache"], "budget 1200 ms"),
        "from the cache": (again, "budget 300 ms"),
        "olddefconfig": (make, "warm"),
    }
    environment = {**environment, "XDG_CACHE_HOME": str(config.parent)}
    for command, _ in commands.values():
        run(command, environment)
    turns = [
        {name: run(command, environment) for name, (command, _) in commands.items()}
        for _ in range(PROOFS)
    ]
    for name, (_, budget) in commands.items():
        print(f"{name:14} {spread([turn[name][0] * 1e3 for turn in turns], 'ms')}   {budget}")
    peak = [turn["proof in tree"][1] for turn in turns]
    print(f"its memory     {spread(peak, 'MiB')}")


def main() -> None:
    """All figures, with the machine they hold for."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        config = configuration(Path(folder))
        lines = config.read_text().count("\n")
        load = os.getloadavg()[0]
        print(f"Python {platform.python_version()}, {os.cpu_count()} CPUs, load {load:.1f}")
        print(f"configuration of {lines} lines, {RUNS} paired runs")
        one(config, environment)
        boot_lines(config, environment)
        many(config, environment)
        if trees := os.environ.get("KERNEL_ADVISOR_TREES"):
            proof(config, Path(trees) / "linux-source-6.12", environment)


if __name__ == "__main__":
    main()
