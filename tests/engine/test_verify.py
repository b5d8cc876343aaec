"""Whether each thing that a plan asks for holds: which files are meant, what counts as the same."""

from __future__ import annotations

from advisor.engine.verify import differences, verify
from advisor.inputs.config import KernelConfig
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Location
from advisor.model.nextboot import Entry, NextBoot, Written
from advisor.model.remedy import RemedyKind
from advisor.model.verify import (
    AskedItem,
    AskedPlan,
    AskedSetting,
    Log,
    Logged,
    Reason,
    Seen,
    Standing,
)

PLACE = Location("/var/lib/kernel-advisor/0/log")
SCHEDULER = "/sys/block/DEVICE/queue/scheduler"
RULES = "/etc/udev/rules.d/90-kernel-advisor.rules"
SYSCTLS = "/etc/sysctl.d/90-kernel-advisor.conf"
DISKS = {
    "/sys/block/nvme0n1/queue/scheduler": "[none] mq-deadline",
    "/sys/block/sda/queue/scheduler": "none [mq-deadline] bfq",
    "/sys/block/sda/queue/rotational": "1",
    "/sys/block/nvme0n1/queue/rotational": "0",
}


def seen(**other):
    """A host that shows nothing else than this."""
    empty = Seen(
        name="host", kernel=None, arch="x86", release="6.12", config=KernelConfig("c", "", {}),
        line=None, files={}, lacking=frozenset(), unread={}, next=None, loaded=None,
        installed=None, boot="b", log=Log(PLACE),
    )  # fmt: skip
    return empty._replace(**other)


def item(*settings, **other):
    base = AskedItem("p/a", "A", "a", "should", RemedyKind.RUNTIME, settings)
    return base._replace(**other)


def checks(one, host):
    plan = AskedPlan("plan.json", "0", "x86", "6.12", ("p",), (one,))
    (checked,) = verify(plan, host, RemedyKind.BOOT).items
    return checked.checks


def brief(found):
    return [(check.key, check.now, check.standing.value, check.reason) for check in found]


def test_of_disks_those_of_the_kinds_are_meant():
    setting = AskedSetting(SCHEDULER, "bfq", RULES, ("rotating",))
    host = seen(files=DISKS)
    (check,) = checks(item(setting), host)
    assert (check.key, check.now) == ("/sys/block/sda/queue/scheduler", "mq-deadline")
    assert check.standing is Standing.FAILS
    nvme = AskedSetting(SCHEDULER, "none", RULES, ("nvme",))
    assert brief(checks(item(nvme), host)) == [
        ("/sys/block/nvme0n1/queue/scheduler", "none", "holds", None)
    ]


def test_a_rule_for_what_is_not_there_now_holds():
    setting = AskedSetting(SCHEDULER, "none", RULES, ("nvme",))
    host = seen(lacking=frozenset((SCHEDULER,)))
    assert brief(checks(item(setting), host)) == [(SCHEDULER, None, "holds", Reason.NO_INSTANCE)]


def test_a_rule_for_disks_of_a_kind_holds_where_all_disks_are_of_others():
    setting = AskedSetting(SCHEDULER, "none", RULES, ("card",))
    (check,) = checks(item(setting), seen(files=DISKS))
    assert (check.standing, check.reason) == (Standing.HOLDS, Reason.NO_INSTANCE)
    assert check.evidence == "the machine has no SD or eMMC disks"


def test_what_is_to_be_set_by_hand_says_so():
    setting = AskedSetting(SCHEDULER, "none", "", ("nvme",))
    host = seen(files={**DISKS, "/sys/block/nvme0n1/queue/scheduler": "[kyber] none"})
    (check,) = checks(item(setting), host)
    assert (check.reason, "yourself" in check.evidence) == (Reason.DIFFERS, True)


def test_what_a_kernel_lacks_is_absent_not_built_or_a_module():
    setting = AskedSetting("net.netfilter.nf_conntrack_max", "1", SYSCTLS)
    lacking = frozenset((setting.key,))
    one = item(setting, symbols=("NF_CONNTRACK",))

    def reason(value, line):
        config = KernelConfig("c", f"{line}\n", {"CONFIG_NF_CONNTRACK": value})
        return checks(one, seen(lacking=lacking, config=config))[0].reason

    assert reason("y", "CONFIG_NF_CONNTRACK=y") is Reason.ABSENT
    assert reason("m", "CONFIG_NF_CONNTRACK=m") is Reason.NOT_LOADED
    assert reason("n", "# CONFIG_NF_CONNTRACK is not set") is Reason.NOT_BUILT
    assert checks(one, seen())[0].reason is Reason.NOT_RECORDED


def test_a_text_that_the_file_shows_instead_is_the_same():
    setting = AskedSetting("/sys/kernel/mm/lru_gen/enabled", "y")
    host = seen(files={setting.key: "0x0007"})
    assert checks(item(setting), host)[0].standing is Standing.FAILS
    shows = {setting.key: ("0x0007",)}
    assert checks(item(setting, shows=shows), host)[0].standing is Standing.HOLDS


def test_what_no_file_keeps_is_not_asked_of_the_next_boot():
    by_hand = AskedSetting("/sys/kernel/debug/x", "1")
    host = seen(files={by_hand.key: "1"}, next=NextBoot())
    assert checks(item(by_hand), host)[0].standing is Standing.HOLDS
    kept = by_hand._replace(file="/etc/tmpfiles.d/kernel-advisor.conf")
    assert checks(item(kept), host)[0].reason is Reason.NOT_KEPT
    # Where another first process than systemd runs, nobody knows what reads the files.
    untold = host._replace(next=NextBoot(told=False))
    assert checks(item(kept), untold)[0].standing is Standing.HOLDS


def test_an_own_rule_in_doubt_is_no_other_owner():
    setting = AskedSetting("/sys/block/DEVICE/queue/read_ahead_kb", "64", RULES, ("nvme",))
    key = "/sys/block/nvme0n1/queue/read_ahead_kb"
    for why, reason in (
        (f"a udev rule may set this value ({RULES}:3)", None),
        ("TLP may set it", Reason.OTHER_OWNER),
        (f"both {RULES}:3 and /etc/udev/rules.d/x.rules:1 set this value", Reason.OTHER_OWNER),
    ):
        host = seen(files={key: "64"}, next=NextBoot(unsure={key: why}))
        (check,) = checks(item(setting), host)
        assert (check.standing, check.reason) == (Standing.HOLDS, reason)


def test_of_a_parameter_that_two_files_keep_there_is_one_check():
    key = "/sys/module/x/parameters/y"
    both = (AskedSetting(key, "1", "/etc/modprobe.d/a.conf"), AskedSetting(key, "1", "/etc/t.conf"))
    assert len(checks(item(*both), seen(files={key: "Y"}))) == 1
    assert checks(item(*both), seen(files={key: "Y"}))[0].standing is Standing.HOLDS


def test_an_option_of_what_is_built_in_is_not_kept():
    file = "/etc/modprobe.d/kernel-advisor.conf"
    setting = AskedSetting("/sys/module/x/parameters/y", "1", file)
    idle = NextBoot(built_in=(Written("x.y", "1", Location(file, 3)),))
    (check,) = checks(item(setting), seen(files={setting.key: "1"}, next=idle))
    assert check.reason is Reason.NOT_KEPT
    assert check.evidence.startswith(
        f"{file}:3 does nothing: the driver is built in, and reads x.y= "
    )


def test_a_loaded_module_with_another_value_waits_until_it_is_loaded_again():
    key = "/sys/module/x/parameters/y"
    file = "/etc/modprobe.d/kernel-advisor.conf"
    after = NextBoot(writes={key: Written(key, "10", Location(file, 3))})
    refused = Logged("b", "set", key, "", "Permission denied", PLACE)
    begun = Logged("b", "begin", "", "", "", PLACE)
    host = seen(files={key: "0"}, next=after, log=Log(PLACE, (begun, refused)))
    (check,) = checks(item(AskedSetting(key, "10", file)), host)
    assert (check.standing, check.reason) == (Standing.WAITS, Reason.NEEDS_REBOOT)
    (check,) = checks(item(AskedSetting(key, "10", file)), host._replace(boot="c"))
    assert (check.standing, check.reason) == (Standing.FAILS, Reason.REFUSED)


def test_words_are_to_be_on_the_line_or_not():
    line, entry = (parse_cmdline(text) for text in ("quiet splash a=1", "quiet a=2"))
    after = NextBoot(entry=Entry("GRUB", Location("/boot/grub/grub.cfg", 9), line=entry))
    one = item(words=("a=2",), drop=("splash", "a=1"), kind=RemedyKind.BOOT)
    found = checks(one, seen(line=line, next=after))
    assert [(check.key, check.now, check.then) for check in found] == [
        ("a=2", "a=1", "a=2"), ("splash", "splash", "no such parameter"),
    ]  # fmt: skip
    assert {check.standing for check in found} == {Standing.WAITS}
    still = checks(one, seen(line=line, next=after._replace(entry=after.entry._replace(line=line))))
    assert [check.evidence.rpartition(") ")[2] for check in still] == [
        "lacks a=2", "still has splash",
    ]  # fmt: skip
    unknown = checks(one, seen(line=line))
    assert {check.reason for check in unknown} == {Reason.NOT_RECORDED}


def test_another_machine_differs_by_what_the_plan_names():
    plan = AskedPlan("plan.json", "0", "x86", "6.12", (), ())
    assert differences(plan, seen()) == []
    assert differences(plan, seen(arch="arm64")) == [("architecture", "x86", "arm64")]
    assert differences(plan._replace(release=""), seen(release="6.1")) == []
    assert differences(plan, seen(release="")) == [("kernel release", "6.12", "")]
