"""Run-time settings that do nothing, from `--sysctl` and from `sysctl.` words of the boot line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.diagnose.sysctls import diagnose_settings
from advisor.engine.judgement.judge import judge

from ..cases import each

ERROR, WARNING, NOTE = "error", "warning", "note"


def told(world):
    return [(d.id, d.severity.value, d.subject) for d in diagnose(world)]


@each(
    ("setting", "remedy"),
    [
        ("vm.swapiness=10", "did you mean vm.swappiness?"),
        ("kernel.swappiness=10", "did you mean vm.swappiness?"),
        ("vm.page_cluster=0", "did you mean vm.page-cluster?"),
        ("net.core.somaxcon=1024", "did you mean net.core.somaxconn?"),
        ("kernel.Panic_on_oops=1", "did you mean kernel.panic_on_oops?"),
    ],
)
def test_a_slip_of_the_keyboard(make_world, setting, remedy):
    (only,) = diagnose(make_world("SMP=y", sysctl=setting))
    assert (only.id, only.severity.value, only.remedy) == ("sysctl-unknown", ERROR, remedy)
    (only,) = diagnose(make_world("SMP=y", sysctl=setting, kernel="5.4"))  # which was not read
    assert only.severity.value == WARNING


@each(
    ("setting", "config", "kernel", "is_lacking"),
    [
        ("kernel.unprivileged_userns_clone=0", "SMP=y", "6.12", True),
        ("kernel.unprivileged_userns_clone=0", "SECURITY_PERF_EVENTS_RESTRICT=y", "6.12", False),
        ("net.ipv4.tcp_tw_recycle=1", "SMP=y", "6.12", True),
        ("kernel.sched_min_granularity_ns=1", "SMP=y", "5.4", False),
        ("kernel.sched_min_granularity_ns=1", "SMP=y", "6.12", True),
        ("kernel.exec-shield=1", "SMP=y", "2.6.32", True),
    ],
)
def test_names_of_old_guides_and_of_patches(make_world, setting, config, kernel, is_lacking):
    found = [*diagnose_settings(make_world(config, sysctl=setting, kernel=kernel))]
    expected = [("sysctl-unknown", WARNING)] if is_lacking else []
    assert [(one.id, one.severity.value) for one in found] == expected
    assert all("kernels that were read" not in one.message for one in found)


@each(
    ("config", "cmdline", "lacking"),
    [
        ("IPV6=n", None, ["net.ipv6.conf.all.accept_ra"]),
        ("IPV6=y", "ipv6.disable=1", ["net.ipv6.conf.all.accept_ra"]),
        ("IPV6=y", "ipv6.disable_ipv6=1", []),
        ("IPV6=m", "quiet", []),
    ],
)
def test_a_kernel_without_ipv6_has_none_of_its_sysctls(make_world, config, cmdline, lacking):
    given = "net.ipv6.conf.all.accept_ra=0\nnet.ipv4.ip_forward=1"
    found = diagnose_settings(make_world(f"NET=y INET=y {config}", sysctl=given, cmdline=cmdline))
    assert [one.subject for one in found] == lacking


@each(
    ("setting", "kernel", "severity"),
    [
        ("vm.dirty_ratio=400", "6.12", ERROR),
        ("vm.dirty_ratio=ten", "6.12", ERROR),
        ("vm.swappiness=201", "6.18.3", ERROR),
        ("vm.swappiness=0xff", "6.12", ERROR),
        ("vm.swappiness=150", "5.4", None),
        ("vm.swappiness=201", "5.4", NOTE),
        ("vm.swappiness=201", "7.2.99", NOTE),
        ("vm.swappiness=200", "6.12", None),
        ("vm.swappiness=0x10", "6.12", None),
        ("vm.overcommit_memory=3", "6.12", ERROR),
        ("net.ipv4.tcp_rmem=4096 131072 6291456", "6.12", None),
        ("net.ipv4.tcp_rmem=4096\t131072\t6291456", "6.12", None),
        ("net.ipv4.conf.eth0.rp_filter=1", "6.12", None),
        ("net.core.default_qdisc=fq", "6.12", None),
        ("kernel.core_pattern=|/usr/bin/core %p", "6.12", None),
        # As the kernel shows what was never set.
        ("vm.dirty_background_bytes=0", "6.12", None),
        ("kernel.msg_next_id=-1", "6.12", None),
        # Of a variable that is written when the driver starts the range is not known.
        ("dev.i915.oa_max_sample_rate=100000", "6.12", None),
        ("vm.swappiness=" + "9" * 5000, "6.12", ERROR),
    ],
)
def test_values(make_world, setting, kernel, severity):
    key = setting.partition("=")[0]
    expected = [("sysctl-value-refused", severity, key)] if severity else []
    config = "SMP=y SWAP=y NET=y NET_SCHED=y NET_SCH_FQ=y INET=y"
    assert told(make_world(config, sysctl=setting, kernel=kernel)) == expected


@each(
    ("key", "kernel", "expected"),
    [
        ("kernel.sched_child_runs_first", "6.1.50", False),
        ("kernel.sched_child_runs_first", "6.12.43", True),
        ("vm.defrag_mode", "6.12.43", True),
        ("vm.defrag_mode", "6.1.50", True),
        ("vm.defrag_mode", "6.18.3", False),  # between two that were read
        ("vm.defrag_mode", "7.1.5", False),
        ("kernel.keys.maxkeys", "6.1.50", False),  # in a table of 6.1 that cannot be read
        ("net.ipv6.conf.eth0.force_forwarding", "6.12.43", True),
    ],
)
def test_what_is_gone_or_not_there_yet(make_world, key, kernel, expected):
    found = told(make_world("SMP=y", sysctl=f"{key}=1", kernel=kernel))
    assert found == ([("sysctl-unknown", NOTE, key)] if expected else [])


def test_what_old_guides_pass_on(make_world):
    world = make_world("SMP=y", sysctl="kernel.sched_latency_ns=1")
    assert told(world) == [("sysctl-unknown", WARNING, "kernel.sched_latency_ns")]


def test_what_nobody_knows_is_counted_once(make_world):
    keys = ["vm.anon_min_ratio", "net.netfilter.nf_log.2", "kernel.sched_bore", "dev.my.own"]
    (only,) = diagnose(make_world("SMP=y", sysctl="".join(f"{key}=1\n" for key in keys)))
    assert (only.severity.value, only.subject) == (NOTE, "others")
    assert only.message.startswith("4 settings are not judged, because the kernels whose sysctls ")
    assert only.message.endswith(
        "vm.anon_min_ratio, net.netfilter.nf_log.2, kernel.sched_bore, ..."
    )


def test_what_a_kernel_shows_it_has(make_world):
    """The output of sysctl -a is no wish: of its names and values nothing is wrong."""
    shown = "kernel.osrelease=6.12.43\nvm.swapiness=1\nvm.defrag_mode=1\nvm.dirty_ratio=400\n"
    assert told(make_world("SMP=y", sysctl=shown)) == []
    with_word = make_world(
        "SMP=y PROC_SYSCTL=y", sysctl=shown, cmdline="sysctl.vm.overcommit_memory=5"
    )
    assert told(with_word) == [("sysctl-value-refused", ERROR, "vm.overcommit_memory")]


def test_words_of_the_boot_line(make_world):
    line = "sysctl.vm.swapiness=10 sysctl.vm.swappiness=500"
    found = [
        (d.id, d.location.column, d.subject)
        for d in diagnose(make_world("PROC_SYSCTL=y", cmdline=line))
    ]
    assert sorted(found) == [
        ("sysctl-unknown", 1, "vm.swapiness"),
        ("sysctl-value-refused", 24, "vm.swappiness"),
    ]


@each(
    ("word", "kernel", "remedy"),
    [
        ("vm.swappiness=1", "6.12", "write sysctl.vm.swappiness=1"),
        ("kernel.print-fatal-signals=1", "6.12", "write sysctl.kernel.print-fatal-signals=1"),
        ("vm.swappiness=1", "5.4", "set the sysctl in a file of /etc/sysctl.d"),
    ],
)
def test_a_sysctl_without_its_prefix(make_world, word, kernel, remedy):
    (only,) = diagnose(make_world("PROC_SYSCTL=y SWAP=y", cmdline=word, kernel=kernel))
    assert (only.id, only.severity.value, only.remedy) == ("parameter-unknown", ERROR, remedy)


def test_a_sysctl_without_its_prefix_that_is_not_worth_it(make_world):
    """It would do nothing here, or what the profile warns of."""
    (idle,) = diagnose(make_world("PROC_SYSCTL=y", cmdline="vm.swappiness=1"))
    assert (
        idle.remedy
        == "remove the parameter: this sysctl would do nothing in this kernel (Swappiness)"
    )
    world = make_world("PROC_SYSCTL=y", cmdline="vm.vfs_cache_pressure=0")
    for names, remedy in (
        (["database"], "remove the parameter: its correct form, sysctl."),
        ([], "write sysctl.vm.vfs_"),
    ):
        profiles = [world.knowledge.profile(name) for name in names]
        (only,) = diagnose(world, judge(world, profiles))
        assert only.remedy.startswith(remedy)


@each(
    ("word", "remedy"),
    [
        ("kptr_restrict=0", "write sysctl.kernel.kptr_restrict=0"),
        ("swappiness=1", "keep the parameter only if init"),  # one word: it may be anybody's
        ("rp_filter=1", "keep the parameter only if init"),  # of several folders
        ("kptr_restrict", "keep the parameter only if init"),
    ],
)
def test_a_sysctl_without_its_folder(make_world, word, remedy):
    (only,) = diagnose(make_world("PROC_SYSCTL=y", cmdline=word, kernel="6.12"))
    assert only.id == "parameter-unknown"
    assert only.remedy.startswith(remedy)


KEYS = st.text("abvmkernel_.-*[(0123\u00e9 ", min_size=1, max_size=300).map(lambda key: f"vm.{key}")
VALUES = st.one_of(
    st.text(max_size=40), st.from_regex(r"-?(0x)?[0-9a-f]{1,60}( [0-9]{1,9}){0,3}", fullmatch=True)
)


@settings(max_examples=60)
@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_setting_has_an_answer(built_in, pairs):
    from advisor.engine.effective.world import World
    from advisor.inputs.config import parse_config
    from advisor.inputs.subject import Given, subject_of
    from advisor.model.kernel import Location, parse_version

    config = parse_config("CONFIG_SMP=y\n", ".config", complete=True)
    given = Given(
        kernel=parse_version("6.12"),
        sysctl={key: (value, Location("sysctl", 1)) for key, value in pairs.items()},
    )
    for one in diagnose(World(subject_of(config, given), built_in)):
        assert one.id in ("sysctl-unknown", "sysctl-value-refused")
        assert len(one.message) < 1000


@each(
    ("setting", "kernel", "found"),
    [
        ("net.ipv4.tcp_low_latency=1", "6.12", [("sysctl-no-effect", WARNING)]),
        ("net.ipv4.tcp_low_latency=1", "4.9", []),
        ("net.ipv4.tcp_adv_win_scale=2", "6.12", [("sysctl-no-effect", WARNING)]),
        ("net.ipv4.tcp_adv_win_scale=2", "6.1", []),
        ("net.ipv4.route.max_size=1000000", "6.12", [("sysctl-no-effect", WARNING)]),
        # What `sysctl -a` printed has every setting.
        ("kernel.ostype=Linux\nnet.ipv4.tcp_low_latency=0", "6.12", []),
    ],
)
def test_what_the_kernel_takes_and_nothing_reads(make_world, setting, kernel, found):
    world = make_world("SMP=y RETPOLINE=y", sysctl=setting, kernel=kernel)
    assert [(one.id, one.severity.value) for one in diagnose(world)] == found


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("10  # low", "10"),
        ("10 ;x", "10"),
        ("10\t# low", "10"),
        ("0x10 and more", "0x10"),
        ("10# low", None),
        ("10;", None),
        ("# low", None),
        ("1O", None),
    ],
)
@pytest.mark.parametrize("line", ["", "sysctl.vm.swappiness"])
def test_a_number_ends_at_the_first_blank(make_world, value, read, line):
    """proc_get_long() takes it and leaves the rest; a comment is no comment behind a value."""
    given = {"cmdline": f'{line}="{value}"'} if line else {"sysctl": f"vm.swappiness = {value}"}
    world = make_world("SWAP=y PROC_SYSCTL=y", kernel="6.12.0", **given)
    text, origin = world.settings()["vm.swappiness"]
    ids = [found.id for found in diagnose_settings(world)]
    assert (text, ids) == ((read, []) if read else (value, ["sysctl-value-refused"]))
    assert value in origin.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("net.core.default_qdisc", "fq    # pacing"),
        ("kernel.core_pattern", "10 # low"),
        ("net.ipv4.tcp_rmem", "4096 131072 6291456"),
        ("no.such_name", "10 # low"),
    ],
)
def test_a_text_is_taken_whole(make_world, name, value):
    world = make_world("SWAP=y", sysctl=f"{name} = {value}")
    assert world.settings()[name][0] == value


def test_the_state_has_the_number_that_the_kernel_takes(make_world):
    states = [
        make_world("SWAP=y", sysctl=f"vm.swappiness = {value}").state("swappiness").effective
        for value in ("10", "10  # low", "60")
    ]
    assert states[0] == states[1] != states[2]


BITS = "MMU=y ARCH_MMAP_RND_BITS=18 ARCH_MMAP_RND_BITS_MIN=18 ARCH_MMAP_RND_BITS_MAX=24"


@each(
    ("arch", "bits", "severities", "effective"),
    [
        ("arm64", "24", [], ("24",)),
        ("arm64", "32", [ERROR], ("18",)),
        ("arm64", "12", [ERROR], ("18",)),
        ("riscv", "32", [], ("32",)),  # the kernel raises the most at boot
    ],
)
def test_a_range_that_the_configuration_has(make_world, arch, bits, severities, effective):
    world = make_world(BITS, sysctl=f"vm.mmap_rnd_bits={bits}", arch=arch, kernel="6.12.4")
    refused = [one for one in diagnose(world) if one.id == "sysctl-value-refused"]
    assert [one.severity.value for one in refused] == severities
    assert all(
        "limits: ARCH_MMAP_RND_BITS_MIN and ARCH_MMAP_RND_BITS_MAX" in o.message for o in refused
    )
    assert world.value("mapping-randomness").effective == effective


@each(
    ("setting", "config", "is_lacking"),
    [
        ("net.core.busy_poll=50", "NET=y PREEMPT_RT=y", True),
        ("net.core.busy_poll=50", "NET=y NET_RX_BUSY_POLL=y", False),
        ("kernel.numa_balancing=1", "NUMA=y PREEMPT_RT=y", True),
        ("vm.mmap_rnd_compat_bits=16", "MMU=y", True),
        ("vm.mmap_rnd_compat_bits=16", "MMU=y HAVE_ARCH_MMAP_RND_COMPAT_BITS=y", False),
    ],
)
def test_what_the_configuration_leaves_out(make_world, setting, config, is_lacking):
    found = told(make_world(config, sysctl=setting, kernel="6.12.4"))
    expected = [("sysctl-unknown", WARNING, setting.partition("=")[0])]
    assert found == (expected if is_lacking else [])
