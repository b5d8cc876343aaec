"""What words of the boot line set aside or cut off, against the memory of the machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.diagnose.bootline import SIZES
from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.model.sizes import memparse, shown

from ..cases import each

CONFIG = (
    "HUGETLBFS=y CRASH_RESERVE=y CRASH_CORE=y PRINTK=y LOG_BUF_SHIFT=17 64BIT=y SMP=y NR_CPUS=64"
)
SHORT, REFUSED = "memory-short", "parameter-value-refused"


def told(world):
    return [(d.id, d.severity.value, d.location.column) for d in diagnose(world)]


@each(
    ("text", "expected"),
    [
        ("1G", (1 << 30, "")),
        ("64k@1M", (1 << 16, "@1M")),
        ("0x10M,high", (16 << 20, ",high")),
        ("010K", (8 << 10, "")),
        ("089", (0, "89")),
        ("7E", (7 << 60, "")),
        ("12", (12, "")),
        ("12x", (12, "x")),
        ("G", (0, "G")),
        ("-1", (0, "-1")),
        ("", (0, "")),
    ],
)
def test_sizes_are_read_as_memparse_does(text, expected):
    assert memparse(text) == expected


@given(st.text(max_size=60) | st.from_regex(r"(0x)?[0-9a-f]{1,40}[KMGTPEkmgtpe]?.{0,5}"))
def test_memparse_takes_any_text(text):
    size, rest = memparse(text)
    assert size >= 0
    assert text.endswith(rest)


@given(st.integers(0, 1 << 70))
def test_a_size_in_words_has_a_unit(size):
    assert shown(size).endswith(("bytes", "KiB", "MiB", "GiB", "TiB"))


@each(
    ("line", "memory", "expected"),
    [
        ("hugepages=65536 default_hugepagesz=1G", "256G", [(SHORT, "error", 1)]),
        ("hugepages=65536 default_hugepagesz=1G", None, [(SHORT, "note", 1)]),
        # 128 GiB of the default size, and none of the other.
        ("hugepages=65536 hugepagesz=1G", "256G", [("parameter-caution", "warning", 17)]),
        ("hugepagesz=1G", "64G", [("parameter-caution", "warning", 1)]),
        ("default_hugepagesz=1G", "64G", []),
        ("mem=4G", "64G", [("parameter-caution", "warning", 1)]),
        ("mem=64G", "64G", []),
        ("mem=64M@0 mem=64M@0x8000000", "64G", []),  # regions, on architectures that have them
        ("hugepages=65536", "64G", [(SHORT, "error", 1)]),
        ("default_hugepagesz=1G hugepages=8", "32G", []),
        ("hugepagesz=1G hugepages=8 hugepagesz=2M hugepages=16384", "32G", [(SHORT, "error", 41)]),
        ("hugepagesz=1G hugepages=0:8,1:8", "16G", [(SHORT, "error", 15)]),
        ("hugepagesz=1G hugepages=0:8,1:8", "64G", []),
        (
            "hugepagesz=3M hugepages=4",
            "64G",
            [(REFUSED, "error", 1), ("parameter-void", "error", 15)],
        ),
        ("hugepages=99999999999999999999999999", "64G", [(SHORT, "error", 1)]),
        ("hugepages=many", "64G", []),
    ],
)
def test_huge_pages_in_their_order(make_world, line, memory, expected):
    machine = {"memory": memory} if memory else {}
    assert told(make_world(CONFIG, cmdline=line, **machine)) == expected


@each(
    ("arch", "config", "word", "refused"),
    [
        ("arm64", "ARM64_64K_PAGES=y", "hugepagesz=512M", False),
        ("arm64", "ARM64_64K_PAGES=y", "hugepagesz=1G", True),
        ("arm64", "ARM64_4K_PAGES=y", "hugepagesz=1G", False),
        ("s390", "", "hugepagesz=2M", True),
        ("s390", "", "hugepagesz=1M", False),
        ("powerpc", "", "hugepagesz=17M", False),  # whose sizes the machine decides
        ("powerpc", "PPC_BOOK3S_64=y", "hugepagesz=1G", False),
        ("powerpc", "PPC_BOOK3S_64=y", "disable_radix hugepagesz=16G", False),
        ("powerpc", "PPC_BOOK3S_64=y", "disable_radix hugepagesz=1G", True),
        ("x86", "X86_32=y", "hugepagesz=4M", False),
    ],
)
def test_sizes_of_an_architecture(make_world, arch, config, word, refused):
    world = make_world(f"{CONFIG} {config}", cmdline=f"{word} hugepages=1", arch=arch)
    found = [d.id for d in diagnose(world) if d.id != "parameter-caution"]
    assert found == ([REFUSED, "parameter-void"] if refused else [])


RANGES = "crashkernel=1G-4G:192M,4G-64G:256M"


@each(
    ("line", "memory", "expected"),
    [
        ("crashkernel=256M", "8G", None),
        ("crashkernel=256M@16M", "8G", None),
        ("crashkernel=512M,high crashkernel=72M,low", "8G", None),
        ("crashkernel=256M,hihg", "8G", (REFUSED, "error")),
        ("crashkernel=foo", "8G", (REFUSED, "error")),
        ("crashkernel=1G-2G", "8G", (REFUSED, "error")),
        ("crashkernel=4G-2G:64M", "8G", (REFUSED, "error")),
        ("crashkernel=8G", "8G", (SHORT, "error")),
        ("crashkernel=8G", None, None),
        (RANGES, "512M", (SHORT, "warning")),
        (RANGES, "8G", None),
        (RANGES, "3999M", None),  # rounded up to 128 MiB
        (RANGES + "@16M", "8G", None),
        (RANGES, None, None),
        ("crashkernel=2G-:512M", "64G", None),
        ("crashkernel=256", "8G", (SHORT, "error")),
        ("crashkernel=0", "8G", None),
        ("crashkernel=1G-:256M,high", "8G", (REFUSED, "error")),
        ("crashkernel=256M crashkernel=256M", "8G", None),
        ("crashkernel=1G-:0M", "64G", (SHORT, "warning")),
        ("mem=4", None, (SHORT, "error")),
        ("mem=4G", None, None),
        ("mem=nopentium", None, None),
        ("log_buf_len=4M", "8G", None),
        ("log_buf_len=4G", "64G", (SHORT, "warning")),
        ("log_buf_len=1G", "512M", (SHORT, "warning")),
        ("log_buf_len=128K", None, ("parameter-redundant", "note")),
    ],
)
def test_memory_that_is_kept_or_cut(make_world, line, memory, expected):
    machine = {"memory": memory} if memory else {}
    found = [found[:2] for found in told(make_world(CONFIG, cmdline=line, **machine))]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "crashkernel=1G-:0M",
            "the parameter gives 0 bytes for 8 GiB of memory: no memory is reserved",
        ),
        (
            "crashkernel=9G-:64M",
            "none of its ranges contains the machine's memory (8 GiB): no memory is reserved",
        ),
    ],
)
def test_why_nothing_is_kept_for_a_crash(make_world, line, says):
    (found,) = diagnose(make_world(CONFIG, cmdline=line, memory="8G"))
    assert found.message == f"{line}: {says}"


@given(
    st.sampled_from(sorted(SIZES)),
    st.text("0123456789xKMG:-,@.kh ", max_size=60),
    st.sampled_from([None, 1, 1 << 33]),
)
def test_any_value_has_an_answer(built_in, name, value, memory):
    from advisor.engine.effective.world import World
    from advisor.inputs.config import parse_config
    from advisor.inputs.subject import Given, subject_of
    from advisor.model.cmdline import parse_cmdline
    from advisor.model.kernel import Machine, parse_version

    text = "".join(f"CONFIG_{line}\n" for line in CONFIG.split())
    subject = subject_of(
        parse_config(text, ".config", complete=True),
        Given(
            Machine(arch="x86", memory=memory),
            parse_version("6.12"),
            parse_cmdline(f"hugepagesz=1G hugepages=1 {name}={value}"),
        ),
    )
    assert all(len(one.message) < 600 for one in diagnose(World(subject, built_in)))


# --- CPUs that the line isolates, and how many it leaves ----------------------------------------


@each(
    ("line", "isolate", "housekeeping"),
    [
        ("isolcpus=2-7 nohz_full=3-7", "2-7", "0-1"),
        ("nohz_full=3-7", "3-7", "0-2"),
        ("isolcpus=domain,managed_irq,2-7", "2-7", "0-1"),
        ("isolcpus=managed_irq,2-7", None, None),
        ("isolcpus=0-3", None, None),  # who boots is needed
        ("isolcpus=2-99", None, None),  # which the kernel drops
        ("quiet", None, None),
    ],
)
def test_the_isolated_cpus_of_the_line(make_world, built_in, line, isolate, housekeeping):
    from advisor.engine.audit import Policy, audit

    world = make_world("SMP=y CPU_ISOLATION=y NO_HZ_FULL=y", cmdline=line, cpus=8)
    machine = audit(world.subject, built_in, (), Policy()).machine
    assert (machine.isolate, machine.housekeeping) == (isolate, housekeeping)


def test_what_was_told_goes_before_the_line(make_world, built_in):
    from advisor.engine.audit import Policy, audit

    world = make_world("SMP=y CPU_ISOLATION=y", cmdline="isolcpus=2-7", cpus=8, isolate="4-7")
    assert audit(world.subject, built_in, (), Policy()).machine.isolate == "4-7"


def test_advice_that_waits_for_the_list_speaks(make_world, built_in):
    from advisor.engine.audit import Policy, audit

    def of(line):
        world = make_world("SMP=y CPU_ISOLATION=y", cmdline=line, cpus=8)
        report = audit(world.subject, built_in, [built_in.profile("realtime")], Policy())
        return {f.tunable.id: f for f in report.findings}

    waiting = of("quiet")["irq-affinity"]
    assert (waiting.verdict.value, waiting.reason) == (
        "not-applicable",
        "applies only with --isolate",
    )
    speaking = of("isolcpus=2-7")["irq-affinity"]
    assert speaking.remedies[0].words == ("irqaffinity=0-1",)


@each(
    ("line", "cpus"),
    [("nr_cpus=4", 4), ("nr_cpus=400", 8), ("nr_cpus=0", 8), ("nr_cpus=x", 8), ("quiet", 8)],
)
def test_cpus_that_the_line_leaves(make_world, line, cpus):
    assert make_world(CONFIG, cmdline=line, cpus=8).fact("cpus") == cpus


def test_a_list_beyond_the_cpus_that_the_line_leaves(make_world):
    world = make_world(CONFIG + " CPU_ISOLATION=y", cmdline="nr_cpus=4 isolcpus=2-7", cpus=8)
    assert told(world) == [("cpulist-beyond", "error", 11)]


@each(
    ("line", "arch", "left"),
    [
        ("mem=128M", "arm", 128 << 20),
        ("mem=39M@0x0", "mips", 39 << 20),
        ("mem=64M@0 mem=64M@0x8000000", "mips", 128 << 20),
        ("mem=64M mem=96M", "x86", 64 << 20),
        ("mem=2G", "x86", 512 << 20),
        ("mem=nopentium", "x86", 512 << 20),
        ("quiet", "x86", 512 << 20),
        ("memmap=256M", "x86", 256 << 20),
        ("memmap=256M", "xtensa", 512 << 20),
        ("mem=128M memmap=256M", "x86", 128 << 20),
        ("memmap=exactmap,640K@0,255M@1M", "x86", (255 << 20) + (640 << 10)),
        ("memmap=exactmap memmap=64M@0 memmap=64M@128M memmap=16M$32M", "x86", 128 << 20),
        ("memmap=64M@512M memmap=1M!256M", "x86", 512 << 20),
        ("memmap=exactmap", "x86", 512 << 20),
    ],
)
def test_memory_that_the_line_leaves(make_world, line, arch, left):
    world = make_world(CONFIG, cmdline=line)
    machine = world.subject.machine._replace(memory=512 << 20, arch=arch)
    world = World(world.subject._replace(machine=machine), world.knowledge)
    assert world.fact("memory") == left


@each(
    ("line", "says"),
    [
        ("hugepages=40960 memmap=64G!16G", "has 128 GiB, of which memmap= reserves 64 GiB"),
        ("hugepages=40960 memmap=32G$16G,48G!32G", "of which memmap= reserves 64 GiB"),
        ("hugepages=40960 mem=64G", "80 GiB, and the boot line leaves 64 GiB"),
        ("hugepages=40960 memmap=exactmap,3G@0,61G@4G", "80 GiB, and the boot line leaves 64 GiB"),
        # Below 4 GiB, and beyond what there is, may be a hole.
        ("hugepages=65000 memmap=3G$1G memmap=64G!129G", None),
        ("hugepages=32768 memmap=60G!16G", None),
        ("hugepages=40960", None),
    ],
)
def test_huge_pages_against_what_is_set_aside(make_world, line, says):
    found = [d for d in diagnose(make_world(CONFIG, cmdline=line, memory="128G")) if d.id == SHORT]
    assert [says in d.message for d in found] == ([True] if says else [])


def test_a_running_kernel_told_what_it_has_left(make_world):
    line = "hugepages=40960 memmap=64G!16G"
    for sysctl, number in (("vm.swappiness = 60", 1), ("kernel.osrelease = 6.12.1", 0)):
        world = make_world(CONFIG, cmdline=line, memory="128G", sysctl=sysctl)
        assert len([d for d in diagnose(world) if d.id == SHORT]) == number


@each(
    ("line", "expected"),
    [
        ("memmap=4G!12G", ["parameter-caution"]),
        ("memmap=64K$0x18690000", []),
        ("memmap=64Kx18690000", [REFUSED]),
        ("memmap=exactmap memmap=640K@0", []),
        ("memmap=1M%0x1000-1+2", []),
        ("memmap=all", [REFUSED]),
        ("memmap=4G@0,!4G", [REFUSED]),
    ],
)
def test_the_forms_of_a_memory_map(make_world, line, expected):
    assert [d.id for d in diagnose(make_world(CONFIG, cmdline=line))] == expected
    if expected == ["parameter-caution"]:
        built = make_world(f"{CONFIG} X86_PMEM_LEGACY=m", cmdline=line)
        assert not list(diagnose(built))


@each(
    ("setting", "memory", "expected"),
    [
        ("vm.min_free_kbytes=4194304", "4G", "error"),
        ("vm.min_free_kbytes=1048576", "4G", None),
        ("vm.min_free_kbytes=512", "4G", "warning"),
        ("vm.min_free_kbytes=512", "16M", None),
        ("vm.min_free_kbytes=512", None, None),
        ("net.ipv4.tcp_mem=4096 87380 16777216", "64G", "warning"),
        ("net.ipv4.udp_mem=8388608 12582912 16777216", "32G", "warning"),
        ("net.ipv4.tcp_mem=382000 509000 764000", "32G", None),
        ("net.ipv4.tcp_mem=4096 87380 16777216", None, None),
        ("net.ipv4.tcp_mem=16777216", "32G", None),
    ],
)
def test_settings_against_the_memory(make_world, setting, memory, expected):
    machine = {"memory": memory} if memory else {}
    world = make_world(f"{CONFIG} NET=y INET=y", sysctl=setting, **machine)
    assert [d.severity.value for d in diagnose(world) if d.id == "sysctl-memory"] == (
        [expected] if expected else []
    )


def test_a_word_of_the_line_is_held_against_the_memory_as_well(make_world):
    line = "mem=2G sysctl.vm.min_free_kbytes=2097152"
    world = make_world(f"{CONFIG} PROC_SYSCTL=y SYSCTL=y", cmdline=line, memory="8G")
    (found,) = [d for d in diagnose(world) if d.id == "sysctl-memory"]
    assert found.location.column == 8
    assert "the kernel keeps 2 GiB of 2 GiB free: no memory is left" in found.message


def test_pages_of_an_architecture(make_world):
    setting = "net.ipv4.tcp_mem=300000 400000 600000"
    worlds = [
        make_world(f"{CONFIG} ARM64_{size}K_PAGES=y", arch="arm64", sysctl=setting, memory="32G")
        for size in (4, 64)
    ]
    assert [any(d.id == "sysctl-memory" for d in diagnose(world)) for world in worlds] == [
        False,
        True,
    ]


def test_a_line_of_which_no_word_counts_comes_to_no_huge_page(make_world):
    world = make_world(
        f"{CONFIG} ARM64_4K_PAGES=y", arch="arm64", cmdline="hugepagesz=512M hugepages=4"
    )
    _, found = diagnose(world)
    assert found.message.endswith("the line reserves no huge page")


def test_sizes_and_numbers_that_were_parted_are_put_together_again(make_world):
    line = "quiet hugepagesz=1G hugepagesz=2M hugepages=32 hugepages=1024"
    (found,) = diagnose(make_world(CONFIG, cmdline=line, memory="64G"))
    assert (found.id, found.severity.value) == ("parameter-void", "error")
    assert "reserves 32 pages of 2 MiB and none of 1 GiB" in found.message
    assert found.remedy == "write hugepagesz=1G hugepages=32 hugepagesz=2M hugepages=1024"


@pytest.mark.parametrize(
    ("line", "arch", "told"),
    [
        ("crashkernel=256M,high crashkernel=72M,low", "x86", []),
        ("crashkernel=256M crashkernel=72M,low", "x86", []),
        (
            "crashkernel=1G crashkernel=256M",
            "x86",
            ["the kernel takes only the last parameter with the same ending, crashkernel=256M"],
        ),
        (
            "crashkernel=1G,high crashkernel=256M",
            "arm64",
            ["the kernel reads this parameter only if crashkernel=256M is not on the line"],
        ),
        (
            "crashkernel=72M,low",
            "x86",
            ["the parameter needs crashkernel=SIZE,high on the same line; no memory is reserved"],
        ),
        (
            "crashkernel=1G,high",
            "powerpc",
            ["the kernel for powerpc reads no parameter that ends in ',high'"],
        ),
        ("crashkernel=1G-2G:64M,2G-:128M crashkernel=72M,low", "x86", []),
    ],
)
def test_which_of_several_words_keep_memory_for_the_dump(make_world, line, arch, told):
    found = diagnose(make_world(CONFIG, cmdline=line, arch=arch, memory="8G"))
    assert [one.message.partition(": ")[2] for one in found] == told


def test_a_range_that_a_boot_loader_took_to_pieces(make_world):
    """GRUB puts nothing in the place of $0 where nobody escapes the $."""
    (alone,) = diagnose(make_world(CONFIG, cmdline="memmap=4G"))
    assert alone.message == "memmap=4G: a size alone removes all memory above 4 GiB, as mem= does"
    (found,) = diagnose(make_world(CONFIG, cmdline="memmap=64Kx18690000"))
    assert found.message.endswith(
        "64Kx18690000 is not a range: the kernel uses no memory above 64 KiB"
    )
    assert found.remedy.startswith("write memmap=64K$ADDRESS; GRUB interprets $")


@each(
    ("line", "size", "remedy"),
    [
        ("default_hugepagesz=1G hugepagesz=1G hugepages=16", "hugepagesz=1G",
         "write a smaller number of pages"),
        ("hugepagesz=1G hugepages=16", "hugepagesz=1G", "write a smaller number of pages"),
        ("default_hugepagesz=1G hugepages=16", "default_hugepagesz=1G",
         "write hugepagesz=SIZE before hugepages=; SIZE is the size that you mean"),
    ],
)  # fmt: skip
def test_too_many_pages_name_the_word_of_their_size(make_world, line, size, remedy):
    world = make_world(CONFIG, arch="x86", cmdline=line, memory="8G")
    (found,) = (one for one in diagnose(world) if one.id == SHORT)
    assert f"(by {size})" in found.message
    assert found.remedy == remedy
