"""A host has two states, now and after its next boot: where they differ, a report says so."""

from __future__ import annotations

import json
import shutil

import pytest

from ..inputs.host.hosts import write_host

RELEASE = "6.12.0-x"
SERVER = ("-p", "server-throughput", "--fail-on", "never", "-f", "json")
GRUB = "menuentry 'Mine' {{\n linux /vmlinuz-{release} root=/dev/x {words}\n}}\n"


@pytest.fixture
def report(tmp_path, make_config, run_inside):
    """The report on a host with these files, whose kernel has these symbols on."""

    def reporting(files, *symbols, running=True, line="root=/dev/x quiet"):
        folder = tmp_path / "host"
        own = {"/proc/cmdline": f"{line}\n", "/proc/sys/kernel/osrelease": f"{RELEASE}\n"}
        write_host(folder, {**(own if running else {}), "/boot/": "", **files})
        lines = [f"CONFIG_{symbol}=y" for symbol in symbols]
        shutil.copy(make_config(*lines, kernel="6.12.0"), folder / f"boot/config-{RELEASE}")
        done = run_inside("audit", "--host", folder, *SERVER)
        assert done.code == 0, done.stderr
        (one,) = json.loads(done.stdout.replace(str(folder), ""))["reports"]
        return one

    return reporting


def told(report, name):
    return [one["message"] for one in report["diagnostics"] if one["id"] == name]


SWAPPINESS = {"/proc/sys/vm/swappiness": "60\n"}


def test_a_setting_that_is_another_one_at_boot(report):
    files = {**SWAPPINESS, "/etc/sysctl.d/99-x.conf": "\nvm.swappiness = 10\n"}
    assert told(report(files), "setting-drift") == [
        "vm.swappiness is 60 now (/proc/sys/vm/swappiness), and 10 after the next boot: "
        "/etc/sysctl.d/99-x.conf:2 sets it"
    ]


@pytest.mark.parametrize(("first", "said"), [("systemd", 2), ("init", 2), ("process_api", 0)])
def test_a_first_process_of_its_own_reads_no_such_files(report, first, said):
    files = {
        **SWAPPINESS, "/etc/sysctl.d/99-x.conf": "vm.swappiness = 10\n",
        "/proc/1/comm": f"{first}\n",
        "/proc/sys/vm/max_map_count": "9\n", "/etc/sysctl.d/1.conf": "vm.max_map_count = 8\n",
    }  # fmt: skip
    shown = report(files)
    assert len(told(shown, "setting-drift")) == said
    assert not told(shown, "setting-unkept")


@pytest.mark.parametrize(
    ("shown", "written"),
    [("60", "60"), ("60", "0x3c"), ("60", "074"), ("4096\t131072\t6291456", "4096 131072 6291456")],
)
def test_nothing_is_said_of_what_is_so_already(report, shown, written):
    files = {"/proc/sys/net/a": f"{shown}\n", "/etc/sysctl.d/1.conf": f"net.a = {written}\n"}
    assert told(report(files), "setting-drift") == []


def test_of_a_list_the_chosen_one_is_told(report):
    path = "/sys/block/sda/queue/scheduler"
    tmpfiles = {"/etc/tmpfiles.d/d.conf": f"w {path} - - - - none\n"}
    (message,) = told(report({**tmpfiles, path: "none [mq-deadline] bfq\n"}), "setting-drift")
    assert message.startswith(f"{path} is mq-deadline now ({path}), and none after the next boot")


@pytest.mark.parametrize(("shown", "said"), [(8, False), (20, False), (5, True)])
def test_what_the_kernel_raises_is_not_foretold(report, shown, said):
    path = "/sys/devices/system/cpu/intel_pstate/min_perf_pct"
    tmpfiles = {"/etc/tmpfiles.d/p.conf": f"w {path} - - - - 7\n"}
    assert bool(told(report({**tmpfiles, path: f"{shown}\n"}), "setting-drift")) is said


def test_nothing_is_said_of_what_is_not_there(report):
    assert told(report({"/etc/sysctl.d/1.conf": "net.gone = 1\n"}), "setting-drift") == []


def test_unknown_settings_drift_as_well(report):
    files = {"/proc/sys/kernel/x": "1\n", "/etc/sysctl.d/1.conf": "kernel.x = 2\n"}
    assert len(told(report(files), "setting-drift")) == 1


def test_a_line_that_another_file_overrides(report):
    files = {
        "/proc/sys/vm/swappiness": "1\n",
        "/usr/lib/sysctl.d/10-a.conf": "vm.swappiness = 10\nnet.vendor = 1\n",
        "/etc/sysctl.d/99-b.conf": "vm.swappiness = 1\nnet.vendor = 2\n",
    }
    assert told(report(files), "setting-overridden") == [
        "vm.swappiness = 10 is overridden: /etc/sysctl.d/99-b.conf:1 sets 1"
    ]


def test_a_name_in_a_file_that_no_kernel_has(report):
    """Nothing sets it at boot, and nothing says so: neither sysctl nor the kernel."""
    files = {
        "/proc/sys/vm/swappiness": "60\n",
        "/etc/sysctl.d/9.conf": "vm.swappines = 10\nnet.vendors.own = 1\n",
    }
    shown = report(files)
    (found,) = (one for one in shown["diagnostics"] if one["id"] == "sysctl-unknown")
    assert (found["path"], found["line"]) == ("/etc/sysctl.d/9.conf", 1)
    assert "vm.swappiness" in found["remedy"]


def test_what_drifts_names_the_advice_that_it_turns(report):
    files = {
        "/proc/sys/kernel/numa_balancing": "1\n", "/sys/devices/system/node/online": "0-1\n",
        "/etc/sysctl.d/9.conf": "kernel.numa_balancing = 0\n",
        "/boot/grub/grub.cfg": GRUB.format(release=RELEASE, words="mitigations=off"),
    }  # fmt: skip
    symbols = ("NUMA", "NUMA_BALANCING", "NUMA_BALANCING_DEFAULT_ENABLED", "CPU_MITIGATIONS", "SMP",
               "X86_64", "MULTIUSER")  # fmt: skip
    shown = report(files, *symbols)
    (setting,) = told(shown, "setting-drift")
    (line,) = told(shown, "line-drift")
    assert setting.endswith("sets it; then numa-balancing (could) is no longer as wanted")
    assert "; then cpu-mitigations (must) is no longer as wanted" in line


def test_sysctl_conf_without_a_link_to_it(report):
    files = {
        **SWAPPINESS,
        "/etc/sysctl.conf": "vm.swappiness = 1\n",
        "/usr/lib/systemd/systemd": "",
    }
    (message,) = told(report(files), "sysctl-conf-unread")
    assert message.startswith("vm.swappiness = 1 is not set at boot")


LRU = ("LRU_GEN",)


def test_what_was_set_by_hand_is_lost(report):
    files = {"/sys/kernel/mm/lru_gen/enabled": "0x0007\n"}
    (message,) = told(report(files, *LRU), "setting-unkept")
    assert "Multi-generational LRU is enabled now" in message
    assert "the value after the next boot is built, not enabled" in message
    assert told(report(files, *LRU, "LRU_GEN_ENABLED"), "setting-unkept") == []


def test_a_default_that_only_the_machine_tells_is_not_guessed(report):
    files = {"/proc/sys/kernel/nmi_watchdog": "0\n", "/proc/sys/vm/min_free_kbytes": "12345\n"}
    assert told(report(files, "HARDLOCKUP_DETECTOR"), "setting-unkept") == []


def menu(words, release=RELEASE):
    return {"/boot/grub/grub.cfg": GRUB.format(words=words, release=release)}


def test_a_boot_line_that_differs(report):
    line = "BOOT_IMAGE=/vmlinuz root=/dev/x quiet nohz=off"
    (message,) = told(report(menu("quiet nosmt"), line=line), "line-drift")
    assert "nohz=off is gone, nosmt is new" in message
    assert "default entry 'Mine' of GRUB" in message
    assert told(report(menu("quiet nohz=off"), line=line), "line-drift") == []


def test_words_that_no_loader_passes_are_no_drift(report):
    line = "BOOT_IMAGE=/vmlinuz mitigations=off bootconfig root=/dev/x quiet"
    assert told(report(menu("bootconfig quiet"), line=line), "line-drift") == []


def test_words_that_are_not_in_the_menu_yet(report):
    files = {**menu("quiet"), "/etc/default/grub": 'GRUB_CMDLINE_LINUX="quiet nosmt"\n'}
    (message,) = told(report(files), "line-not-in-menu")
    assert message == "nosmt is not on the line of GRUB's default entry (/boot/grub/grub.cfg)"


def test_another_kernel_boots(report):
    (message,) = told(report(menu("quiet", "6.13.0-y")), "kernel-drift")
    assert message.startswith("Linux 6.12.0-x runs, and the next boot starts Linux 6.13.0-y")
    assert "no configuration of Linux 6.13.0-y was found" in message
    assert told(report(menu("quiet")), "kernel-drift") == []


def test_without_a_kernel_that_runs_the_files_are_what_there_is(report):
    files = {**menu("quiet nosmt"), "/etc/sysctl.d/1.conf": "vm.swappiness = 10\n"}
    one = report(files, running=False)
    assert one["subject"]["cmdline"] == "root=/dev/x quiet nosmt"
    (message,) = told(one, "host-not-running")
    assert "the default entry 'Mine' of GRUB (/boot/grub/grub.cfg:1)" in message
    assert not {d["id"] for d in one["diagnostics"]} & {"line-drift", "setting-drift"}


def test_where_nothing_tells_the_loader_that_is_said(report):
    assert told(report({}), "next-boot-unknown") == ["this host has no file of a boot loader"]


SWITCHED = {
    "/sys/kernel/mm/lru_gen/enabled": "0x0007\n",
    "/etc/tmpfiles.d/lru.conf": "w /sys/kernel/mm/lru_gen/enabled - - - - y\n",
}


def finding(report, tunable):
    return next(one for one in report["findings"] if one["tunable"]["id"] == tunable)


def test_a_value_has_an_owner_also_where_a_file_shows_it_in_other_words(report):
    one = report(SWITCHED, *LRU)
    assert told(one, "setting-drift") == told(one, "setting-unkept") == []
    files = {
        **SWITCHED,
        "/sys/kernel/mm/lru_gen/enabled": "0x0000\n",
        "/etc/tmpfiles.d/lru.conf": "w /sys/kernel/mm/lru_gen/enabled - - - - n\n",
    }
    one = finding(report(files, *LRU), "multigen-lru")
    origin = next(one for one in one["state"]["origins"] if one["layer"] == "run time")
    assert origin["by"] == "/etc/tmpfiles.d/lru.conf:1"


def test_a_remedy_says_who_would_set_it_back(report):
    files = {
        "/sys/kernel/mm/lru_gen/enabled": "0x0000\n",
        "/etc/tmpfiles.d/lru.conf": "w /sys/kernel/mm/lru_gen/enabled - - - - n\n",
    }
    remedy = finding(report(files, *LRU), "multigen-lru")["remedies"][0]
    assert remedy["kind"] == "runtime"
    assert remedy["held"] == "/etc/tmpfiles.d/lru.conf:1 sets n at boot: change it there"


def test_a_remedy_of_many_files_says_who_may_set_one_back(report):
    policy = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
    files = {
        policy: "schedutil\n", "/usr/share/tlp/defaults.conf": "TLP_ENABLE=1\n",
        "/etc/systemd/system/multi-user.target.wants/tlp.service": "",
        "/etc/tlp.conf": "CPU_SCALING_GOVERNOR_ON_AC=schedutil\n"
        "CPU_SCALING_GOVERNOR_ON_BAT=powersave\n",
    }  # fmt: skip
    symbols = ("CPU_FREQ", "X86_INTEL_PSTATE", "CPU_FREQ_GOV_PERFORMANCE")
    remedy = finding(report(files, *symbols), "cpufreq-governor")["remedies"][0]
    assert "policy*" in remedy["settings"][0]["key"]
    why = "TLP sets it according to the power supply (/etc/tlp.conf:1)"
    assert remedy["held"] == f"{why} at boot, and may undo this change"


def test_an_option_of_what_is_built_in(report):
    files = {
        "/etc/modprobe.d/a.conf": "options kvm halt_poll_ns=0\n",
        f"/usr/lib/modules/{RELEASE}/modules.builtin": "kernel/arch/x86/kvm/kvm.ko\n",
    }
    (message,) = told(report(files), "module-option-idle")
    assert message.startswith("kvm.halt_poll_ns=0 has no effect in this file")
