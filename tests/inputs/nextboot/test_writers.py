"""What services write at a boot: who does, which value, and where that stands."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.read import Running, read_next
from advisor.model.cmdline import parse_cmdline

from ..host.hosts import write_host

CPUS = "/sys/devices/system/cpu/"
GOVERNOR = f"{CPUS}cpufreq/policy{{}}/scaling_governor"
FILES = (
    f"{CPUS}cpufreq/policy*/scaling_governor", f"{CPUS}intel_pstate/no_turbo",
    f"{CPUS}cpufreq/policy*/energy_performance_preference",
    "/sys/block/DEVICE/queue/scheduler", "/sys/block/DEVICE/queue/read_ahead_kb",
    "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/mm/ksm/run",
    "/sys/module/kvm/parameters/halt_poll_ns", "/sys/module/kvm/parameters/nx_huge_pages",
    "/sys/module/snd_hda_intel/parameters/power_save",
    "/sys/module/snd_hda_intel/parameters/power_save_controller",
    "/sys/firmware/acpi/platform_profile",
    "/sys/class/scsi_host/host*/link_power_management_policy",
)  # fmt: skip
KSM, HUGE_PAGES, KVM = FILES[6], FILES[5], FILES[7]


@pytest.fixture
def next_boot(tmp_path):
    """The next boot of a host with these files, that runs Linux 6.12.0-x on x86."""

    def reading(files):
        root = Root(str(write_host(tmp_path, files)))
        return read_next(root, Running("6.12.0-x", None, "x86"), ("vm.swappiness",), FILES)

    return reading


def values(after):
    return {key: one.value for key, one in after.writes.items()}


def owner(after, key, folder=""):
    return after.writes[key].owner.replace(str(folder), "")


def enabled(unit):
    return {f"/etc/systemd/system/multi-user.target.wants/{unit}.service": ""}


BATTERY = {"/sys/class/power_supply/BAT0/type": "Battery\n"}
MAINS = {"/sys/class/power_supply/AC/type": "Mains\n"}
DISKS = {
    "/sys/block/sda/queue/scheduler": "none\n", "/sys/block/sda/queue/rotational": "1\n",
    "/sys/block/nvme0n1/queue/scheduler": "none\n", "/sys/block/nvme0n1/queue/rotational": "0\n",
}  # fmt: skip
SDA, NVME = "/sys/block/sda/queue/scheduler", "/sys/block/nvme0n1/queue/scheduler"
POLICIES = {GOVERNOR.format(0): "x\n", GOVERNOR.format(1): "x\n"}


def profile(name, text, folder="/usr/lib/tuned"):
    return {f"{folder}/{name}/tuned.conf": text}


def tuned(active, *profiles, mode="manual"):
    files = {"/etc/tuned/active_profile": f"{active}\n", "/etc/tuned/profile_mode": f"{mode}\n"}
    for one in (enabled("tuned"), *profiles):
        files.update(one)
    return files


def test_tuned_merges_what_a_profile_includes(next_boot, tmp_path):
    base = "[main]\nsummary=x\n[cpu]\ngovernor=powersave\n[sysctl]\nvm.swappiness=10\nvm.a=1\n"
    own = "[main]\ninclude=base\n\n[cpu]\ngovernor=performance\n[vm]\ntransparent_hugepages=never\n"
    after = next_boot({**tuned("mine", profile("base", base), profile("mine", own)), **POLICIES})
    assert values(after) == {
        GOVERNOR.format(0): "performance", GOVERNOR.format(1): "performance",
        "vm.swappiness": "10", "vm.a": "1", HUGE_PAGES: "never",
    }  # fmt: skip
    assert owner(after, GOVERNOR.format(0), tmp_path) == (
        "TuneD's profile mine (/usr/lib/tuned/mine/tuned.conf:5)"
    )
    assert owner(after, "vm.a", tmp_path).endswith("(/usr/lib/tuned/base/tuned.conf:7)")


def test_tuneds_units_for_laptops(next_boot):
    text = (
        "[acpi]\nplatform_profile=balanced\n[audio]\ntimeout=10\nreset_controller=True\n"
        "[scsi_host]\nalpm=med_power_with_dipm\n"
    )
    after = next_boot(tuned("x", profile("x", text)))
    assert values(after) == {FILES[11]: "balanced", FILES[9]: "10", FILES[10]: "Y"}
    assert list(after.unsure) == [FILES[12]]
    after = next_boot(tuned("x", profile("x", "[acpi]\nplatform_profile=low-power|quiet\n")))
    assert list(after.unsure) == [FILES[11]]


def test_a_profile_of_etc_stands_in_for_one_of_its_name(next_boot):
    usr, etc = "[sysctl]\nvm.a=1\n", "[sysctl]\nvm.a=2\n"
    after = next_boot(tuned("x", profile("x", usr), profile("x", etc, "/etc/tuned")))
    assert values(after) == {"vm.a": "2"}


@pytest.mark.parametrize("own", ["[sysctl]\nreplace=1\nvm.b=2\n", "[sysctl]\ndrop=vm.a\nvm.b=2\n"])
def test_a_unit_may_replace_or_drop_what_was_there(next_boot, own):
    base = profile("base", "[sysctl]\nvm.a=1\n")
    after = next_boot(tuned("x", base, profile("x", f"[main]\ninclude=base\n{own}")))
    assert values(after) == {"vm.b": "2"}


@pytest.mark.parametrize(
    ("text", "written", "unsure"),
    [
        ("[sysctl]\nvm.swappiness=>10\n", {}, ["vm.swappiness"]),
        ("[sysctl]\nvm.swappiness=${x}\n", {}, ["vm.swappiness"]),
        ("[a]\ntype=sysctl\nuname_regex=aarch64\nvm.swappiness=1\n", {}, []),
        ("[a]\ntype=sysctl\nuname_regex=x86_64\nvm.swappiness=1\n", {"vm.swappiness": "1"}, []),
        ("[a]\ntype=sysctl\ncpuinfo_regex=AMD\nvm.swappiness=1\n", {}, ["vm.swappiness"]),
        ("[sysctl]\nenabled=0\nvm.swappiness=1\n", {}, []),
    ],
)
def test_what_hangs_on_what_tuned_finds_is_in_doubt(next_boot, text, written, unsure):
    after = next_boot(tuned("x", profile("x", text)))
    assert (values(after), list(after.unsure)) == (written, unsure)


def test_sysctls_of_etc_are_written_again_after_tuneds(next_boot):
    text = "[sysctl]\nvm.swappiness=10\n"
    files = {"/etc/sysctl.d/a.conf": "vm.swappiness = 30\n", **tuned("x", profile("x", text))}
    after = next_boot(files)
    assert values(after) == {"vm.swappiness": "30"}
    assert [(one.setting.value, one.value) for one in after.overridden] == [("10", "30")]
    after = next_boot({**files, "/etc/tuned/tuned-main.conf": "reapply_sysctl = 0\n"})
    assert values(after) == {"vm.swappiness": "10"}
    assert [(one.setting.value, one.value) for one in after.overridden] == [("30", "10")]


@pytest.mark.parametrize("change", [{"/etc/tuned/profile_mode": "auto\n"},
                                    {"/etc/tuned/active_profile": "\n"}])  # fmt: skip
def test_what_tuned_recommends_as_it_starts_is_not_guessed(next_boot, change):
    assert values(next_boot({**tuned("x", profile("x", "[sysctl]\nvm.a=1\n")), **change})) == {}


@pytest.mark.parametrize(
    ("action", "value"),
    [('ACTION=="add", ', "none"), ('ACTION=="add|change", ', None), ("", None),
     ('ACTION!="remove", ', None)],
)  # fmt: skip
def test_what_udev_sets_back_when_a_disk_changes_is_not_settled(next_boot, action, value):
    disk = profile("x", "[disk]\nelevator=none\n")
    rule = f'{action}KERNEL=="sd*", ATTR{{queue/scheduler}}="bfq"\n'
    after = next_boot({**tuned("x", disk), **DISKS, "/etc/udev/rules.d/60-x.rules": rule})
    assert values(after).get(SDA) == value
    assert (SDA in after.unsure) is (value is None)
    assert [(one.setting.value, one.value) for one in after.overridden] == [("bfq", "none")]


PPD = (
    "[main]\ndefault=balanced\nbattery_detection=true\n[profiles]\npower-saver=powersave\n"
    "balanced=balanced\nperformance=fast\n[battery]\nbalanced=slow\n"
)


@pytest.mark.parametrize(
    ("left", "supply", "value", "doubt"),
    [
        ("performance", BATTERY, "1", False),
        ("balanced", MAINS, "2", False),
        ("balanced", BATTERY, None, True),
        ("gone", MAINS, None, False),
    ],
)
def test_tuned_ppd_switches_what_was_active(next_boot, left, supply, value, doubt):
    profiles = [
        profile(name, f"[sysctl]\nvm.a={value}\n")
        for name, value in (("fast", 1), ("balanced", 2), ("slow", 3), ("own", 4))
    ]
    files = {**tuned("own", *profiles), **enabled("tuned-ppd"), **supply}
    ppd = {"/etc/tuned/ppd.conf": PPD, "/etc/tuned/ppd_base_profile": f"{left}\n"}
    after = next_boot({**files, **ppd})
    assert values(after).get("vm.a") == value
    assert ("vm.a" in after.unsure) is doubt
    # Without its configuration it does not start.
    broken = next_boot({**files, "/etc/tuned/ppd.conf": "x\n"})
    assert values(broken) == {"vm.a": "4"}


def test_a_service_that_nobody_starts_sets_nothing(next_boot, tmp_path):
    files = tuned("x", profile("x", "[sysctl]\nvm.a=1\n"))
    (link,) = enabled("tuned")
    del files[link]
    assert values(next_boot(files)) == {}
    (tmp_path / "etc/systemd/system").mkdir(parents=True)
    (tmp_path / "etc/systemd/system/tuned.service").symlink_to("/dev/null")
    assert values(next_boot(enabled("tuned"))) == {}


@pytest.mark.parametrize(
    "text",
    ["[main]\ninclude=x\n[sysctl]\nvm.a=1\n", "[main]\ninclude=y\n[sysctl]\nvm.a=1\n",
     "[main]\ninclude=../../x, -gone; x\n[sysctl]\nvm.a=1\n"],
)  # fmt: skip
def test_profiles_that_include_each_other_end(next_boot, text):
    after = next_boot(tuned("x", profile("x", text), profile("y", "[main]\ninclude=x\n")))
    assert values(after) == {"vm.a": "1"}


def test_tmpfiles(next_boot, tmp_path):
    text = (
        f"# comment\nw {KSM} - - - - 1\nw! /proc/sys/vm/a - - - - 2\nd /tmp/x - - - - 3\n"
        f"w {FILES[0]} - - - - performance\nw {HUGE_PAGES} - - - - %m\nw /sys/unnamed - - - - 1\n"
    )
    after = next_boot({"/etc/tmpfiles.d/a.conf": text, **POLICIES})
    assert values(after) == {
        KSM: "1", "vm.a": "2",
        GOVERNOR.format(0): "performance", GOVERNOR.format(1): "performance",
    }  # fmt: skip
    assert list(after.unsure) == [HUGE_PAGES]
    assert owner(after, KSM, tmp_path) == "/etc/tmpfiles.d/a.conf:2"


def test_of_two_services_without_an_order_neither_is_taken(next_boot):
    files = {
        "/etc/sysctl.d/a.conf": "vm.swappiness=1\n",
        "/etc/tmpfiles.d/a.conf": "w /proc/sys/vm/swappiness - - - - 2\n",
    }
    after = next_boot(files)
    assert (values(after), list(after.unsure)) == ({}, ["vm.swappiness"])


def test_options_of_modules_count_where_they_are_modules(next_boot):
    files = {
        "/etc/modprobe.d/a.conf": "options kvm halt_poll_ns=0 \\\n  nx_huge_pages=off\n"
        "options snd-hda-intel power_save=1\n#options kvm x=1\n",
        "/usr/lib/modules/6.12.0-x/modules.builtin": "kernel/sound/snd-hda-intel.ko\n",
    }
    after = next_boot(files)
    assert values(after) == {KVM: "0", FILES[8]: "off"}
    assert [(one.key, one.value) for one in after.built_in] == [("snd_hda_intel.power_save", "1")]


def test_the_boot_line_gives_modules_options_too(tmp_path):
    files = {"/etc/modprobe.d/a.conf": 'options kvm halt_poll_ns=0 nx_huge_pages="off"\n'}
    root = Root(str(write_host(tmp_path, files)))
    line = parse_cmdline("quiet kvm.halt-poll-ns=5")
    after = read_next(root, Running("6.12.0-x", line, "x86"), (), FILES)
    assert (values(after), list(after.unsure)) == ({FILES[8]: "off"}, [KVM])


SET = 'ATTR{queue/scheduler}="bfq"'


@pytest.mark.parametrize(
    ("rule", "written", "unsure"),
    [
        (f'SUBSYSTEM=="block", {SET}', [SDA, NVME], []),
        (f'KERNEL=="sd[a-z]|mmcblk*", {SET}', [SDA], []),
        (f'KERNEL!="sd*", {SET}', [NVME], []),
        (f'ACTION=="add|change", ATTR{{queue/rotational}}=="1", \\\n {SET}', [SDA], []),
        (f'ACTION=="remove", {SET}', [], []),
        (f'ACTION=="change", KERNEL=="sd*", {SET}', [], [SDA]),
        (f'SUBSYSTEM=="net", {SET}', [], []),
        (f'KERNEL=="sd*", ENV{{ID_X}}=="1", {SET}', [], [SDA]),
        (f'KERNEL=="sd*", PROGRAM=="/bin/x", {SET}', [], [SDA]),
        ('KERNEL=="sd*", ATTR{queue/scheduler}="$env{X}"', [], [SDA]),
        (f'KERNEL=="x", GOTO="end"\nKERNEL=="sd*", {SET}\nLABEL="end"', [], [SDA]),
        (f'# KERNEL=="sd*", {SET}', [], []),
        ('KERNEL=="sd*", RUN+="/bin/sh -c x"', [], []),
    ],
)
def test_rules_of_udev(next_boot, rule, written, unsure):
    after = next_boot({**DISKS, "/etc/udev/rules.d/60-x.rules": f"{rule}\n"})
    assert values(after) == dict.fromkeys(sorted(written), "bfq")
    assert list(after.unsure) == unsure


PREFERENCE = f"{CPUS}cpufreq/policy0/energy_performance_preference"
PSTATE = {
    GOVERNOR.format(0): "performance\n", PREFERENCE: "performance\n",
    f"{CPUS}cpu0/cpufreq/scaling_driver": "intel_pstate\n",
}  # fmt: skip
STATE = "/var/lib/power-profiles-daemon/state.ini"


@pytest.mark.parametrize(
    ("profile", "supply", "preference"),
    [
        ("performance", BATTERY, "performance"),
        ("power-saver", {}, "power"),
        ("balanced", MAINS, "balance_performance"),
        ("balanced", BATTERY, None),
        ("", MAINS, "balance_performance"),
    ],
)
def test_power_profiles_daemon_with_intels_driver(next_boot, profile, supply, preference):
    state = {STATE: f"[State]\nCpuDriver=intel_pstate\nProfile={profile}\n"} if profile else {}
    before = {"/etc/default/cpupower": "governor=performance\n", **enabled("cpupower")}
    after = next_boot({**enabled("power-profiles-daemon"), **PSTATE, **state, **supply, **before})
    assert values(after)[GOVERNOR.format(0)] == "powersave"
    assert values(after).get(PREFERENCE) == preference
    assert (PREFERENCE in after.unsure) is (preference is None)
    assert [(one.setting.by, one.value) for one in after.overridden] == [("cpupower", "powersave")]
    assert not {FILES[1]} & {*after.writes, *after.unsure}  # no_turbo is only read


def test_of_services_that_exclude_each_other_neither_is_sure(next_boot):
    files = tuned("x", profile("x", "[sysctl]\nvm.a=1\n[cpu]\ngovernor=performance\n"))
    after = next_boot({**files, **PSTATE, **enabled("power-profiles-daemon")})
    assert values(after) == {}
    why = "tuned or power-profiles-daemon, of which only one starts, may set the value"
    assert after.unsure["vm.a"] == after.unsure[GOVERNOR.format(0)] == why


def test_power_profiles_daemon_leaves_open_what_other_drivers_are_written(next_boot):
    state = {STATE: "[State]\nProfile=performance\n"}
    after = next_boot({**enabled("power-profiles-daemon"), **POLICIES, **state})
    assert after.unsure[GOVERNOR.format(0)] == (
        "power-profiles-daemon's profile performance may set it"
    )
    assert values(after) == {}


@pytest.mark.parametrize(
    ("unit", "key"),
    [("auto-cpufreq", GOVERNOR.format(0)), ("powertop", "vm.dirty_writeback_centisecs"),
     ("laptop-mode", "vm.laptop_mode"), ("com.system76.PowerDaemon", GOVERNOR.format(1))],
)  # fmt: skip
def test_what_other_programs_for_power_may_set_is_in_doubt(next_boot, unit, key):
    sysctls = "vm.dirty_writeback_centisecs = 700\nvm.laptop_mode = 5\n"
    files = {"/etc/sysctl.d/a.conf": sysctls, **POLICIES, **enabled(unit)}
    after = next_boot(files)
    assert key not in after.writes
    assert after.unsure[key] == f"{unit} may set it"


@pytest.mark.parametrize(
    "file",
    [{"/etc/default/cpupower": "governor='performance'\n"},
     {"/etc/sysconfig/cpupower": 'CPUPOWER_START_OPTS="frequency-set -g performance"\n'},
     {"/etc/cpupower-service.conf": "GOVERNOR=performance\n"}],
)  # fmt: skip
def test_cpupowers_service(next_boot, file):
    after = next_boot({**enabled("cpupower"), **POLICIES, **file})
    assert set(values(after).values()) == {"performance"}
    assert len(values(after)) == 2


def test_what_else_cpupower_sets(next_boot):
    text = "GOVERNOR='performance'\nPERF_BIAS=0\nEPP=power\n"
    file = "/etc/cpupower-service.conf"
    after = next_boot({**enabled("cpupower"), **PSTATE, file: text})
    assert values(after) == {GOVERNOR.format(0): "performance", PREFERENCE: "power"}
    assert values(next_boot({file: f"{text}FREQ=2GHz\n"})) == {PREFERENCE: "power"}


PATHS = st.sampled_from(
    ["/etc/sysctl.d/a.conf", "/etc/tmpfiles.d/a.conf", "/etc/udev/rules.d/a.rules",
     "/etc/modprobe.d/a.conf", "/etc/tlp.conf", "/etc/tuned/active_profile",
     "/etc/tuned/x/tuned.conf", "/boot/grub/grub.cfg", "/boot/grub/grubenv", "/etc/default/grub",
     "/boot/loader/loader.conf", "/boot/loader/entries/a.conf", "/boot/extlinux/extlinux.conf",
     "/boot/config.txt", "/boot/cmdline.txt", "/etc/default/cpupower", "/etc/sysctl.conf"]
)  # fmt: skip
PIECES = st.sampled_from(
    ["options ", "w /sys/kernel/mm/ksm/run - - - - ", 'ATTR{queue/scheduler}="', "[sysctl]\n",
     "x\n", "=", "include=x\n", "linux /v-1 ", "menuentry ", "{", "}", "set default=", "0>",
     "\0", "\\\n",
     "é", "*", "default ", "vm.swappiness=1\n", "${", "'", '"', "if ", "then ", "fi\n",
     "-", "[", "(?"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(PATHS, st.lists(PIECES, max_size=12).map("".join), max_size=6))
def test_whatever_stands_in_these_files_is_read(tmp_path_factory, files):
    folder = write_host(tmp_path_factory.mktemp("host"), {**enabled("tuned"), **enabled("tlp")})
    root = Root(str(write_host(folder, {**DISKS, **files})))
    read_next(root, Running("6.12", None, None), ("vm.swappiness",), FILES)


def test_links_without_end_and_folders_in_place_of_files(next_boot, tmp_path):
    (tmp_path / "etc/sysctl.d").mkdir(parents=True)
    (tmp_path / "etc/sysctl.d/a.conf").symlink_to("a.conf")
    (tmp_path / "etc/tmpfiles.d").symlink_to("../etc/tmpfiles.d")
    files = ("/boot/grub/grub.cfg/", "/etc/sysctl.conf/", "/etc/udev/rules.d/a.rules/")
    after = next_boot(dict.fromkeys(files, ""))
    assert after.writes == {}
