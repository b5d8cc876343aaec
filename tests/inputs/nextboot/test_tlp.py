"""What TLP sets at a boot: by its files, and by the power supplies that a machine has."""

from __future__ import annotations

import pytest

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.read import Running, read_next

from ..host.hosts import write_host

CPUS = "/sys/devices/system/cpu/"
GOVERNOR = f"{CPUS}cpufreq/policy0/scaling_governor"
PREFERENCE = f"{CPUS}cpufreq/policy0/energy_performance_preference"
BIAS = f"{CPUS}cpu0/power/energy_perf_bias"
SOUND = "/sys/module/snd_hda_intel/parameters/power_save"
VDA = "/sys/block/vda/queue/scheduler"
FILES = (
    GOVERNOR.replace("policy0", "policy*"), PREFERENCE.replace("policy0", "policy*"),
    BIAS.replace("cpu0", "cpu*"), f"{CPUS}intel_pstate/no_turbo", SOUND, f"{SOUND}_controller",
    "/sys/firmware/acpi/platform_profile", "/sys/block/DEVICE/queue/scheduler",
)  # fmt: skip
SUPPLIES = "/sys/class/power_supply"
DESKTOP = {f"{SUPPLIES}/": ""}
PLUGGED = {f"{SUPPLIES}/AC/type": "Mains\n"}
LAPTOP = {**PLUGGED, f"{SUPPLIES}/CMB0/type": "Battery\n"}
MOUSE = {f"{SUPPLIES}/hidpp_battery_0/type": "Battery\n",
         f"{SUPPLIES}/wacom/type": "Battery\n", f"{SUPPLIES}/wacom/scope": "Device\n"}  # fmt: skip
TLP = {
    "/etc/systemd/system/multi-user.target.wants/tlp.service": "",
    "/usr/share/tlp/defaults.conf": "TLP_ENABLE=1\nTLP_PERSISTENT_DEFAULT=0\n",
    GOVERNOR: "powersave\n", PREFERENCE: "power\n", BIAS: "6\n", VDA: "[none] mq-deadline\n",
}  # fmt: skip
BOTH = "CPU_SCALING_GOVERNOR_ON_AC=performance\nCPU_SCALING_GOVERNOR_ON_BAT=powersave\n"


@pytest.fixture
def tlp(tmp_path):
    """What TLP sets on a host with that text in tlp.conf and these files, and what is in doubt."""

    def reading(text, *others):
        files = {**TLP, "/etc/tlp.conf": text}
        for one in others:
            files.update(one)
        root = Root(str(write_host(tmp_path, files)))
        after = read_next(root, Running("6.12.0-x", None, "x86"), (), FILES)
        return {key: one.value for key, one in after.writes.items()}, after.unsure

    return reading


@pytest.mark.parametrize(
    ("more", "supplies", "governor"),
    [
        ("", DESKTOP, "performance"),
        ("", PLUGGED, "performance"),
        ("", MOUSE, None),
        ("", LAPTOP, None),
        ("", {}, None),
        ("", {**PLUGGED, f"{SUPPLIES}/ucsi0/type": "USB\n"}, None),
        ("TLP_DEFAULT_MODE=BAT\n", DESKTOP, "powersave"),
        ("TLP_DEFAULT_MODE=BAT\n", PLUGGED, "performance"),
        ("TLP_DEFAULT_MODE=bat\nTLP_PERSISTENT_DEFAULT=1\n", LAPTOP, "powersave"),
        ("TLP_PERSISTENT_DEFAULT=1\n", LAPTOP, None),
        ("TLP_PROFILE_AC=BAL\n", PLUGGED, "powersave"),
        ("TLP_PROFILE_AC=BAL\nTLP_PROFILE_BAT=SAV\n", LAPTOP, "powersave"),
        ("TLP_PROFILE_DEFAULT=PRF\nTLP_AUTO_SWITCH=0\n", LAPTOP, "performance"),
    ],
)
def test_which_mode_it_is_in(tlp, more, supplies, governor):
    written, unsure = tlp(BOTH + more, supplies)
    if supplies is MOUSE:
        governor = "performance"  # what feeds a mouse is none of the machine's
    assert written.get(GOVERNOR) == governor
    assert (GOVERNOR in unsure) is (governor is None)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("CPU_SCALING_GOVERNOR_ON_AC=powersave", True),
        ('CPU_SCALING_GOVERNOR_ON_AC="powersave"  ', True),
        ("CPU_SCALING_GOVERNOR_ON_AC='powersave'", False),
        (" CPU_SCALING_GOVERNOR_ON_AC=powersave", False),
        ("export CPU_SCALING_GOVERNOR_ON_AC=powersave", False),
        ("CPU_SCALING_GOVERNOR_ON_AC=powersave # always", False),
        ("#CPU_SCALING_GOVERNOR_ON_AC=powersave", False),
    ],
)
def test_lines_that_tlp_passes_over(tlp, line, counts):
    written, _ = tlp(f"CPU_SCALING_GOVERNOR_ON_AC=performance\n{line}\n", DESKTOP)
    assert written[GOVERNOR] == ("powersave" if counts else "performance")


def test_the_order_of_its_files(tlp):
    later = {
        "/etc/tlp.d/10.conf": "NMI_WATCHDOG=1\n",
        "/etc/tlp.d/90.conf": "NMI_WATCHDOG=2\n",
        "/etc/tlp.d/.99.conf": "NMI_WATCHDOG=3\n",
        "/etc/tlp.d/99.bak": "NMI_WATCHDOG=4\n",
    }
    assert tlp("", later)[0] == {"kernel.nmi_watchdog": "2"}
    assert tlp("NMI_WATCHDOG=0\n", later)[0] == {"kernel.nmi_watchdog": "0"}


@pytest.mark.parametrize("text", ["TLP_ENABLE=0\n", "TLP_ENABLE=no\n", 'TLP_ENABLE=""\n'])
def test_it_sets_nothing_where_it_is_not_enabled(tlp, text):
    assert tlp(f"{text}NMI_WATCHDOG=0\n") == ({}, {})


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("MAX_LOST_WORK_SECS_ON_AC=20", dict.fromkeys(
            ("vm.dirty_expire_centisecs", "vm.dirty_writeback_centisecs"), "2000")),
        ("MAX_LOST_WORK_SECS_ON_AC=0", {}),
        ("MAX_LOST_WORK_SECS_ON_AC=x", {}),
        ("DISK_IDLE_SECS_ON_AC=2", {"vm.laptop_mode": "2"}),
        ("CPU_BOOST_ON_AC=0", {f"{CPUS}intel_pstate/no_turbo": "1"}),
        ("CPU_BOOST_ON_AC=yes", {}),
        ("CPU_HWP_ON_AC=normal", {PREFERENCE: "default"}),
        ("SOUND_POWER_SAVE_ON_AC=0\nSOUND_POWER_SAVE_CONTROLLER=Y",
         {SOUND: "0", f"{SOUND}_controller": "N"}),
        ("SOUND_POWER_SAVE=10\nSOUND_POWER_SAVE_CONTROLLER=Y",
         {SOUND: "10", f"{SOUND}_controller": "Y"}),
        ('DISK_DEVICES="sda vda"\nDISK_IOSCHED="mq-deadline bfq"', {VDA: "bfq"}),
        ('DISK_DEVICES="vda"\nDISK_IOSCHED="keep bfq"', {}),
        ('DISK_DEVICES="sda"\nDISK_DEVICES+="vda"\nDISK_IOSCHED="_ bfq"', {VDA: "bfq"}),
    ],
)  # fmt: skip
def test_what_a_setting_writes(tlp, text, written):
    assert tlp(f"{text}\n", DESKTOP)[0] == written


def test_what_cannot_be_told_is_in_doubt(tlp):
    _, unsure = tlp('DISK_DEVICES="ata-X_1"\nDISK_IOSCHED="bfq"\n', DESKTOP)
    assert "ata-X_1" in unsure[VDA]
    _, unsure = tlp('PLATFORM_PROFILE_ON_AC="balanced-performance performance"\n', DESKTOP)
    assert "several" in unsure["/sys/firmware/acpi/platform_profile"]


def test_what_its_missing_defaults_would_set_is_in_doubt(tlp, tmp_path):
    assert "kernel.nmi_watchdog" not in tlp("", DESKTOP)[1]
    (tmp_path / "usr/share/tlp/defaults.conf").unlink()
    root = Root(str(tmp_path))
    after = read_next(root, Running("6.12.0-x", None, "x86"), (), FILES)
    assert after.unsure["kernel.nmi_watchdog"] == "TLP may set it"


def test_a_processor_without_a_preference_has_a_bias(tmp_path):
    files = {
        **TLP,
        "/etc/tlp.conf": "CPU_ENERGY_PERF_POLICY_ON_AC=balance_performance\n",
        **DESKTOP,
    }
    del files[PREFERENCE]
    root = Root(str(write_host(tmp_path, files)))
    after = read_next(root, Running("6.12.0-x", None, "x86"), (), FILES)
    assert BIAS in after.unsure


@pytest.mark.parametrize(
    ("before", "lost"), [("700", [("700", "2000 or 6000", "TLP")]), ("6000", []), ("2000", [])]
)
def test_what_another_file_sets_counts_with_no_supply(tmp_path, before, lost):
    files = {
        **TLP, **LAPTOP,
        "/etc/sysctl.d/a.conf": f"vm.dirty_writeback_centisecs = {before}\n",
        "/etc/tlp.conf": "MAX_LOST_WORK_SECS_ON_AC=20\nMAX_LOST_WORK_SECS_ON_BAT=60\n",
    }  # fmt: skip
    root = Root(str(write_host(tmp_path, files)))
    after = read_next(root, Running("6.12.0-x", None, "x86"), (), FILES)
    assert [(one.setting.value, one.value, one.by) for one in after.overridden] == lost
    assert "vm.dirty_writeback_centisecs" in after.unsure
