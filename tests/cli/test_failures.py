"""Plans that fail on purpose: each failure in a table, with what is told of it, and none silent.

`FAILURES` is what happens to a host whose plan was applied, or while it is applied, and the reason
that `verify` then gives. `REFUSALS` is what the scripts or `verify` do not go on with.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from advisor.model.verify import Reason

from . import plans
from .plans import (
    ENTRY,
    EPP,
    MODPROBE,
    OTHER,
    RELEASE,
    SECOND_BOOT,
    SYSCTL,
    TMPFILES,
    WORD,
    WRITEBACK,
    rebooted,
    write,
)

SYSCTL_NAME = "vm.dirty_writeback_centisecs"
FEWEST = 25
"""How many failures there are at least."""


class Case:
    """A plan, and a host with the plan in effect; `closed`: permissions are to bind verify."""

    def __init__(self, plan: Path, root: Path, fixture: Callable[[str], Any]) -> None:
        self.plan = plan
        self.root = root
        self.fixture = fixture
        self.closed = False

    @property
    def bound(self) -> str:
        """What binds root to permissions."""
        return self.fixture("drop_override")

    def anew(self) -> Path:
        """The host as it was before the plan, with the word in its loader's entry."""
        shutil.rmtree(self.root)
        plans.on_entry(plans.host(self.root))
        return self.root

    def apply(self, **how: Any) -> subprocess.CompletedProcess[str]:
        """Runs apply.sh on the host."""
        return plans.run(self.plan / "apply.sh", self.root, "--yes", **how)

    def undo(self, *items: str) -> None:
        """Runs undo.sh on the host."""
        plans.undone(self.plan, self.root, *items)

    def in_log(self, old: str, new: str) -> None:
        """Has the log tell something else."""
        log = plans.state(self.plan, self.root) / "log"
        log.write_text(log.read_text().replace(old, new))


# --- what happens to a host ---------------------------------------------------------------------


def file_overrides(case: Case) -> None:
    write(case.root, OTHER, f"{SYSCTL_NAME} = 30")


def file_overrides_and_was_read(case: Case) -> None:
    file_overrides(case)
    write(case.root, WRITEBACK, "30")


def service_sets_it_at_boot(case: Case) -> None:
    root = case.root
    write(root, "etc/tuned/active_profile", "mine")
    write(root, "etc/tuned/profile_mode", "manual")
    write(root, "etc/tuned/mine/tuned.conf", f"[sysctl]\n{SYSCTL_NAME}=30\n")
    write(root, "usr/sbin/tuned", "")
    write(root, "usr/lib/systemd/system/tuned.service", "[Service]\nExecStart=/usr/sbin/tuned -l")
    write(root, "etc/systemd/system/multi-user.target.wants/tuned.service", "")
    sysctls = (root / SYSCTL).read_text()
    (root / SYSCTL).write_text(sysctls.replace("vm.dirty_writeback", "#vm.dirty_writeback"))


def service_writes_back(case: Case) -> None:
    service_sets_it_at_boot(case)
    write(case.root, WRITEBACK, "30")


def another_program_may_set_it(case: Case) -> None:
    root = case.root
    write(root, EPP.format(1), "power")
    write(root, "etc/tlp.conf", "CPU_ENERGY_PERF_POLICY_ON_AC=performance")
    write(root, "usr/sbin/tlp", "")
    write(root, "etc/systemd/system/multi-user.target.wants/tlp.service", "")
    write(root, "usr/lib/systemd/system/tlp.service", "[Service]\nExecStart=/usr/sbin/tlp init")


def file_is_gone(case: Case) -> None:
    (case.root / SYSCTL).unlink()


def line_is_gone(case: Case) -> None:
    text = (case.root / TMPFILES).read_text()
    (case.root / TMPFILES).write_text(text.replace("\nw ", "\n#w "))


def written_by_hand(case: Case) -> None:
    write(case.root, WRITEBACK, "999")


def module_is_not_loaded(case: Case) -> None:
    shutil.rmtree(case.root / "sys/module/snd_hda_intel")
    (case.root / "sys/module/other").mkdir(parents=True)


def module_is_not_loaded_and_no_file_has_the_option(case: Case) -> None:
    module_is_not_loaded(case)
    (case.root / MODPROBE).write_text("")


def module_is_not_there(case: Case) -> None:
    module_is_not_loaded_and_no_file_has_the_option(case)
    write(case.root, f"lib/modules/{RELEASE}/modules.dep", "kernel/other.ko:")


def symbol_is_off(case: Case) -> None:
    config = case.root / f"boot/config-{RELEASE}"
    text = config.read_text()
    for name in ("SND_HDA_INTEL", "PM"):
        text = text.replace(f"CONFIG_{name}=m\n", f"# CONFIG_{name} is not set\n")
    config.write_text(text.replace("CONFIG_PM=y\n", "# CONFIG_PM is not set\n"))
    shutil.rmtree(case.root / "sys/bus/pci")


def device_is_not_there(case: Case) -> None:
    shutil.rmtree(case.anew() / "sys/bus/pci")
    plans.applied(case.plan, case.root)


def entry_is_not_changed(case: Case) -> None:
    text = (case.root / ENTRY).read_text()
    (case.root / ENTRY).write_text(text.replace(f" {WORD}", ""))


def host_has_not_booted(_: Case) -> None:
    """The entry has the word, and the line of this boot does not."""


def another_entry_was_booted(case: Case) -> None:
    write(case.root, "proc/sys/kernel/random/boot_id", SECOND_BOOT)


def value_is_clamped(case: Case) -> None:
    write(case.root, WRITEBACK, "1400")
    case.in_log("=1500\t=1500", "=1500\t=1400")


def snapshot_lacks_it(case: Case) -> None:
    (case.root / WRITEBACK).unlink()


def file_cannot_be_read(case: Case) -> None:
    (case.root / WRITEBACK).chmod(0)
    case.closed = True


def file_is_read_only(case: Case) -> None:
    """As files below /sys are that only tell, or all of them in a container."""
    (case.anew() / WRITEBACK).chmod(0o444)
    assert case.apply(before=case.bound).returncode == 1


def kernel_refuses_the_value(case: Case) -> None:
    """It fails in the middle of a write: what stands in the log is what `dd` said."""
    case.anew()
    plans.applied(case.plan, case.root)
    write(case.root, WRITEBACK, "500")
    case.in_log("=500\t=1500\t=1500\t-", "=500\t=1500\t-\tInvalid argument")


def kernel_is_locked_down(case: Case) -> None:
    kernel_refuses_the_value(case)
    told = "Operation not permitted: the kernel is locked down, which Secure Boot may do"
    case.in_log("Invalid argument", told)


def sysctl_is_not_there(case: Case) -> None:
    (case.anew() / WRITEBACK).unlink()
    plans.applied(case.plan, case.root)


def nothing_was_applied(case: Case) -> None:
    case.anew()


def disk_is_full_in_the_middle(case: Case) -> None:
    """The log has what came before, and the file that could not be written; no value was set."""
    case.anew()
    folder = case.root / "etc/modprobe.d"
    folder.chmod(0o555)
    assert case.apply(before=case.bound).returncode == 1
    folder.chmod(0o755)
    case.in_log("Permission denied", "No space left on device")


def root_is_read_only(case: Case) -> None:
    (case.anew() / "var").mkdir(mode=0o555)
    assert case.apply(before=case.bound).returncode == 1


def applied_twice(case: Case) -> None:
    plans.applied(case.plan, case.root)


def taken_back(case: Case) -> None:
    case.undo()


def taken_back_twice(case: Case) -> None:
    case.undo()
    case.undo()


def an_item_is_taken_back(case: Case) -> None:
    case.undo("writeback-interval")


def taken_back_after_a_manual_change(case: Case) -> None:
    """undo.sh leaves what somebody else set."""
    write(case.root, WRITEBACK, "999")
    case.undo()
    assert (case.root / WRITEBACK).read_text() == "999\n"


def two_plans(case: Case) -> None:
    """The later one sets the same sysctl, in a file that is read later."""
    write(case.root, "etc/sysctl.d/91-kernel-advisor-too.conf", f"{SYSCTL_NAME} = 3000")
    write(case.root, WRITEBACK, "3000")


def kernel_was_updated_without_the_driver(case: Case) -> None:
    """Another kernel of the same release name, built without it."""
    rebooted(case.root)
    module_is_not_there(case)


class Failure(NamedTuple):
    """What happens, which tunable it strikes, how it stands then, the reason, and a part of the
    evidence; `code` is that of verify."""

    happens: Callable[[Case], None]
    tunable: str
    reason: str
    evidence: str
    standing: str = "fails"

    @property
    def code(self) -> int:
        return int(self.standing == "fails")


_WRITEBACK, _EPP = "writeback-interval", "energy-performance-preference"
_SOUND, _WORD = "audio-codec-power-saving", "workqueue-power-efficient"
FAILURES = [
    Failure(file_overrides, _WRITEBACK, "overridden", f"{OTHER}:1 sets 30"),
    Failure(file_overrides_and_was_read, _WRITEBACK, "overridden", f"{OTHER}:1 sets 30"),
    Failure(service_sets_it_at_boot, _WRITEBACK, "overridden", "TuneD's profile mine"),
    Failure(service_writes_back, _WRITEBACK, "overridden", "TuneD's profile mine"),
    Failure(two_plans, _WRITEBACK, "overridden", "91-kernel-advisor-too.conf:1 sets 3000"),
    Failure(another_program_may_set_it, _EPP, "other-owner", "TLP"),
    Failure(file_is_gone, _WRITEBACK, "not-kept", f"/{SYSCTL} does not exist, or has no line for"),
    Failure(line_is_gone, _EPP, "not-kept", f"/{TMPFILES} does not exist, or"),
    Failure(written_by_hand, _WRITEBACK, "differs", "apply.sh read back 1500 ("),
    Failure(module_is_not_loaded, _SOUND, "not-loaded", "modules.dep has the module", "waits"),
    Failure(module_is_not_loaded_and_no_file_has_the_option, _SOUND, "not-loaded", "modules.dep"),
    Failure(module_is_not_there, _SOUND, "not-built", "has no snd_hda_intel"),
    Failure(kernel_was_updated_without_the_driver, _SOUND, "not-built", "has no snd_hda_intel"),
    Failure(symbol_is_off, "pci-device-power", "not-built", "PM is not set ("),
    Failure(device_is_not_there, "pci-device-power", "no-instance", "there is no /sys", "holds"),
    Failure(entry_is_not_changed, _WORD, "not-in-entry", f"x.conf) lacks {WORD}"),
    Failure(host_has_not_booted, _WORD, "needs-reboot", "matches the plan", "waits"),
    Failure(another_entry_was_booted, _WORD, "needs-reboot", "another entry was booted"),
    Failure(value_is_clamped, _WRITEBACK, "clamped", "read back 1400 ("),
    Failure(file_is_read_only, _WRITEBACK, "refused", "Permission denied ("),
    Failure(kernel_refuses_the_value, _WRITEBACK, "refused", "Invalid argument ("),
    Failure(kernel_is_locked_down, _WRITEBACK, "refused", "the kernel is locked down"),
    Failure(sysctl_is_not_there, _WRITEBACK, "absent", "no such file ("),
    Failure(snapshot_lacks_it, _WRITEBACK, "not-recorded", f"shows no {SYSCTL_NAME}"),
    Failure(file_cannot_be_read, _WRITEBACK, "unreadable", "permission denied"),
    Failure(nothing_was_applied, _WRITEBACK, "not-applied", "there is no "),
    Failure(root_is_read_only, _WRITEBACK, "not-applied", "there is no "),
    Failure(disk_is_full_in_the_middle, _SOUND, "not-applied", "No space left on device"),
    Failure(taken_back, _WRITEBACK, "taken-back", "/log:"),
    Failure(taken_back_twice, _WRITEBACK, "taken-back", "/log:"),
    Failure(an_item_is_taken_back, _WRITEBACK, "taken-back", "/log:"),
    Failure(
        taken_back_after_a_manual_change, _WRITEBACK, "differs", "the value has changed since then"
    ),
    Failure(applied_twice, _WRITEBACK, "", "", "holds"),
]


@pytest.fixture
def case(run_inside, tmp_path_factory, tmp_path, request) -> Case:
    """A plan, and a host with the plan in effect."""
    plan = plans.verified(run_inside, tmp_path_factory)
    root = shutil.copytree(plan.parent / "host", tmp_path / "host")
    return Case(plan, root, request.getfixturevalue)


def judged(case: Case) -> tuple[dict[str, Any], int]:
    """The items of the host by the tunable's name, and the exit code."""
    words = ("verify", case.plan, "--host", case.root, "-f", "json")
    if case.closed:
        result = case.fixture("run_command")(*words, before=case.bound)
    else:
        result = case.fixture("run_inside")(*words)
    (one,) = json.loads(result.stdout)["verified"]
    assert one["failed"] is (result.code == 1)
    return {item["tunable"]: item for item in one["items"]}, result.code


def test_there_are_many_and_each_reason_is_among_them():
    assert len({one.happens for one in FAILURES}) == len(FAILURES) >= FEWEST
    assert {one.reason for one in FAILURES if one.reason} == {reason.value for reason in Reason}


@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: one.happens.__name__)
def test_a_failure_is_told_with_its_reason(case, failure):
    failure.happens(case)
    items, code = judged(case)
    assert code == failure.code, items[failure.tunable]["checks"]
    checks = items[failure.tunable]["checks"]
    told = [check for check in checks if check["standing"] == failure.standing]
    assert {check["reason"] or "" for check in told if check["reason"] or not failure.reason} == {
        failure.reason
    }
    assert all(failure.evidence in (check["evidence"] or "") for check in told if check["reason"])
    # Nothing that fails is without a reason and evidence, whatever else goes wrong with it.
    for item in items.values():
        for check in item["checks"]:
            assert check["standing"] == "holds" or (check["reason"] and check["evidence"])


# --- what is not gone on with -------------------------------------------------------------------


def other_kernel(case: Case) -> None:
    write(case.root, "proc/sys/kernel/osrelease", "6.12.118-test")


def other_architecture(case: Case) -> None:
    write(case.root, "proc/sys/kernel/arch", "aarch64")


def other_values(case: Case) -> None:
    write(case.anew(), WRITEBACK, "700")


def no_state(case: Case) -> None:
    (case.anew() / "var").mkdir(mode=0o555)


def no_room_for_a_file(case: Case) -> None:
    (case.anew() / "etc/modprobe.d").chmod(0o555)


def file_was_changed(case: Case) -> None:
    (case.root / SYSCTL).write_text("vm.swappiness = 3\n")


REFUSALS = [
    (other_kernel, 3, "the plan is for Linux 6.12.117-test, and this is 6.12.118-test"),
    (other_architecture, 3, "the plan is for x86, and this is arm64"),
    (other_values, 3, "it was 500 when the plan was made, and is 700"),
    (no_state, 1, "nothing was changed"),
    (no_room_for_a_file, 1, "stopped; no value was set"),
    (file_was_changed, 1, f"/{SYSCTL} was changed since apply.sh wrote it, and is left alone"),
]


@pytest.mark.parametrize(
    ("happens", "code", "told"), REFUSALS, ids=lambda one: getattr(one, "__name__", "")
)
def test_apply_refuses_and_says_why(case, happens, code, told):
    happens(case)
    result = case.apply(before=case.bound)
    assert result.returncode == code
    assert told in result.stdout + result.stderr


def test_verify_refuses_another_machine(case):
    other_kernel(case)
    result = case.fixture("run_inside")("verify", case.plan, "--host", case.root)
    assert (result.code, result.stdout) == (3, "")
    assert "(this host: " in result.stderr
