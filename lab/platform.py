"""The machines of the lab: what a kernel of each architecture is started in."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from advisor.model.kernel import Machine


class Platform(NamedTuple):
    """One emulated machine with one processor, and what makes programs for it.

    `machine` are the words of qemu, `package` is Debian's that has it, `second` are the words for
    the second serial line, with the file that takes it for `{}`, `line` stands in front of every
    boot line, `facts` is the machine as the engine takes it, `compiler` makes the guest's program
    and comes with `compiler_packages`, `plugin` are the words that the plugin for its guests is
    compiled with.
    """

    machine: tuple[str, ...]
    package: str
    second: tuple[str, ...]
    line: str
    facts: Machine
    compiler: str
    compiler_packages: str
    plugin: tuple[str, ...]

    def report(self, file: Path) -> list[str]:
        """The words of qemu that bring the second serial line into that file."""
        return [word.format(file) for word in self.second]


# One instruction is one nanosecond of the guest's clock, idle time takes none, and all that is
# random comes from the seed. Enough memory for huge pages to be on by default (512 MB is not).
_ALIKE = (
    "-smp", "1", "-m", "1G", "-nodefaults", "-display", "none", "-no-reboot",
    "-rtc", "base=2026-01-01,clock=vm", "-icount", "shift=0,sleep=off",
)  # fmt: skip
# Addresses that change would blur the profile and shift figures by a percent; what mitigations cost
# is not in instructions (barred.toml).
_SAME = "nokaslr norandmaps"

X86 = Platform(
    ("qemu-system-x86_64", "-machine", "pc,hpet=off", "-accel", "tcg",
     "-cpu", "qemu64,+rdrand,-svm", *_ALIKE),
    "qemu-system-x86",
    ("-serial", "file:{}"),
    f"console=ttyS0 panic=-1 reboot=t {_SAME} tsc=reliable mitigations=off",
    Machine("x86", 1, 1, 1 << 30, "amd", "guest", "n"),
    "gcc",
    "gcc and libc6-dev",
    (),
)  # fmt: skip
ARM64 = Platform(
    ("qemu-system-aarch64", "-machine", "virt,gic-version=3", "-accel", "tcg",
     "-cpu", "neoverse-n1", *_ALIKE),
    "qemu-system-arm",
    # The board has one serial line; ttyS1 is the second of two on its bus.
    ("-chardev", "null,id=unused", "-device", "pci-serial,chardev=unused",
     "-chardev", "file,id=report,path={}", "-device", "pci-serial,chardev=report"),
    f"console=ttyAMA0 panic=-1 {_SAME} mitigations=off",
    Machine("arm64", 1, 1, 1 << 30, "arm", "guest", "n"),
    "aarch64-linux-gnu-gcc",
    "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross",
    ("-DAARCH64",),
)  # fmt: skip


def platform_of(kernel: str) -> Platform:
    """What the kernel of that name is started in: cloud-arm64-6.12 is one for arm64."""
    return ARM64 if "arm64" in kernel.split("-") else X86
