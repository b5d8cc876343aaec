"""Which words of crashkernel= set memory aside."""

from __future__ import annotations

from ..cases import each


@each(
    ("line", "arch", "kernel", "reserving"),
    [
        ("crashkernel=256M", "x86", "6.12", ["crashkernel=256M"]),
        ("crashkernel=256M crashkernel=0", "x86", "6.12", []),
        ("crashkernel=foo", "x86", "6.12", []),
        ("crashkernel=128M,low", "x86", "6.12", []),
        ("crashkernel=512M,high crashkernel=0,low", "x86", "6.12", ["crashkernel=512M,high"]),
        ("crashkernel=1G-4G:64M,4G-:256M", "x86", "6.12", ["crashkernel=1G-4G:64M,4G-:256M"]),
        # arch/arm64/mm/init.c asked for no ending before 5.19; vendors took that into older ones.
        ("crashkernel=256M,high", "arm64", "4.19.249", []),
        ("crashkernel=256M,high", "arm64", "5.14.0-427.el9", ["crashkernel=256M,high"]),
        ("crashkernel=256M,high", "arm64", "6.1", ["crashkernel=256M,high"]),
        ("crashkernel=256M,high", "powerpc", "6.12", []),
        ("crashkernel=256M crashkernel=72M,low", "arm64", "4.19.249", ["crashkernel=256M"]),
        # Older kernels of Red Hat choose the size.
        ("crashkernel=auto", "x86", "4.18.0-553.el8_10", ["crashkernel=auto"]),
    ],
)
def test_words_that_set_memory_aside(make_world, line, arch, kernel, reserving):
    world = make_world(
        "KEXEC=y CRASH_CORE=y CRASH_RESERVE=y", cmdline=line, arch=arch, kernel=kernel
    )
    assert [word.text for word in world.line.counting("crashkernel")] == reserving
