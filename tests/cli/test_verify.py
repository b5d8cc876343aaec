"""`verify`: what of a plan holds on a host, and of what does not hold, why."""

from __future__ import annotations

import json
import shutil

import pytest

from advisor.knowledge import schema
from advisor.model.verify import Reason

from ..cases import each
from ..shared import common_folder, made_once
from . import plans
from .plans import EPP, MODPROBE, RELEASE, SOUND, SYSCTL, TMPFILES, WORD, WRITEBACK

OTHER = "etc/sysctl.d/99-mine.conf"
ENTRY = "boot/loader/entries/x.conf"
SECOND_BOOT = "22222222-2222-2222-2222-222222222222"


@pytest.fixture
def plan(run_inside, tmp_path_factory):
    """The folder of the plan for such a host, written once; beside it is the host, as `root`."""

    def make(folder):
        host = plans.host(folder / "host")
        result = run_inside("plan", "--host", host, *plans.PROFILE, "--into", folder / "plan")
        assert result.code == 0, result.stderr
        plans.applied(folder / "plan", host)
        on_entry(host)

    return made_once(common_folder(tmp_path_factory, "verified") / "it", make) / "plan"


@pytest.fixture
def root(plan, tmp_path):
    """A host with the plan in effect, and its word in the boot loader's entry."""
    return shutil.copytree(plan.parent / "host", tmp_path / "host")


@pytest.fixture
def verify(run_inside, plan):
    """Runs `verify` of the plan on a host."""

    def run(root, *words):
        return run_inside("verify", plan, "--host", root, *words)

    return run


@pytest.fixture
def judged(verify):
    """The items of a host, by the tunable's name, and the exit code."""

    def run(root, *words):
        result = verify(root, "-f", "json", *words)
        (one,) = json.loads(result.stdout)["verified"]
        assert one["failed"] is (result.code == 1)
        return {item["tunable"]: item for item in one["items"]}, result.code

    return run


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f"{text}\n")


def on_entry(root):
    text = (root / ENTRY).read_text().rstrip("\n")
    (root / ENTRY).write_text(f"{text} {WORD}\n")


def rebooted(root):
    """As after a boot of the entry: its line, another id."""
    line = (root / ENTRY).read_text().splitlines()[-1].removeprefix("options ")
    write(root, "proc/cmdline", line)
    write(root, "proc/sys/kernel/random/boot_id", SECOND_BOOT)


# --- apply, verify, boot, verify, undo ----------------------------------------------------------


def test_a_plan_holds_once_applied_after_a_boot_and_no_more_when_taken_back(plan, tmp_path, judged):
    root = plans.host(tmp_path / "host")
    before = plans.files(root)
    items, code = judged(root)
    assert code == 1
    reasons = {item["checks"][0]["reason"] for item in items.values() if item["effort"] == "now"}
    assert reasons == {"not-applied"}

    plans.applied(plan, root)
    on_entry(root)
    items, code = judged(root)
    assert code == 0
    assert items["workqueue-power-efficient"]["standing"] == "waits"
    rebooted(root)
    items, code = judged(root)
    assert code == 0
    assert {item["standing"] for item in items.values() if item["counts"]} == {"holds"}

    plans.undone(plan, root)
    items, code = judged(root)
    assert code == 1
    assert items["writeback-interval"]["checks"][0]["reason"] == "taken-back"
    assert set(plans.files(root)) == set(before)


def test_the_page_says_asked_now_at_boot_and_why(run_inside, plan, root, tmp_path):
    write(root, OTHER, "vm.dirty_writeback_centisecs = 30")
    write(root, WRITEBACK, "30")
    shutil.copytree(plan, tmp_path / "plan")
    result = run_inside("verify", "plan", "--host", "host")
    assert (result.code, result.stderr) == (1, "")
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    assert (
        "COULD fails Writeback interval [writeback-interval] "
        "asked vm.dirty_writeback_centisecs = 1500 now 30 at boot 30 "
        f"why overridden: host/{OTHER}:1 sets 30"
    ) in text
    assert result.stdout.endswith("3 of 5 hold, 1 waits; 1 does not count.\n")


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_other_formats_say_the_same(verify, root, name):
    write(root, WRITEBACK, "999")
    result = verify(root, "-f", name)
    assert result.code == 1
    assert "value differs" in result.stdout
    assert "3 of 5 hold" in result.stdout


def test_the_document_meets_its_schema(verify, root):
    for words in ((), ("--effort", "rebuild"), ("--effort", "now")):
        data = json.loads(verify(root, "-f", "json", *words).stdout)
        assert list(schema.problems("verify", data, "advisor.output")) == []
    known = schema.schema("verify", "advisor.output")
    checks = known["properties"]["verified"]["items"]["properties"]["items"]["items"]["properties"]
    reasons = checks["checks"]["items"]["properties"]["reason"]["enum"]
    assert reasons == [*(reason.value for reason in Reason), None]
    assert all(reason.text for reason in Reason)


def test_quiet_is_one_line(verify, root):
    assert verify(root, "--quiet").stdout == "kernel-advisor: 4 of 5 hold, 1 waits\n"
    write(root, WRITEBACK, "999")
    result = verify(root, "--quiet")
    assert result.code == 1
    assert result.stdout.startswith(
        "kernel-advisor: 3 of 5 hold, 1 waits; not: writeback-interval: value differs: "
    )
    assert result.stdout.count("\n") == 1


def test_a_rebuild_counts_only_when_asked_for(judged, root):
    items, code = judged(root)
    assert (items["rcu-lazy"]["counts"], items["rcu-lazy"]["standing"], code) == (
        False, "fails", 0,
    )  # fmt: skip
    items, code = judged(root, "--effort", "rebuild")
    assert (items["rcu-lazy"]["counts"], code) == (True, 1)
    assert items["rcu-lazy"]["checks"][0]["reason"] == "not-built"
    config = root / f"boot/config-{RELEASE}"
    lines = [f"{check['key']}={check['asked']}" for check in items["rcu-lazy"]["checks"]]
    names = [line.partition("=")[0] for line in lines]
    kept = [
        line
        for line in config.read_text().splitlines()
        if not any(f"CONFIG_{name}" in line.split("=")[0].split() for name in names)
    ]
    config.write_text("\n".join([*kept, *(f"CONFIG_{line}" for line in lines)]) + "\n")
    items, code = judged(root, "--effort", "rebuild")
    assert (items["rcu-lazy"]["standing"], code) == ("holds", 0)


def test_boot_items_do_not_count_for_now(judged, root):
    items, code = judged(root, "--effort", "now")
    assert (items["workqueue-power-efficient"]["counts"], code) == (False, 0)


# --- failures on purpose, each with its reason --------------------------------------------------


def file_overrides(root):
    write(root, OTHER, "vm.dirty_writeback_centisecs = 30")


def file_overrides_at_boot(root):
    write(root, OTHER, "vm.dirty_writeback_centisecs = 30")
    write(root, WRITEBACK, "30")


def file_is_gone(root):
    (root / SYSCTL).unlink()


def line_is_gone(root):
    text = (root / TMPFILES).read_text()
    (root / TMPFILES).write_text(text.replace("\nw ", "\n#w "))


def written_by_hand(root):
    write(root, WRITEBACK, "999")


def module_is_not_loaded(root):
    shutil.rmtree(root / "sys/module/snd_hda_intel")
    (root / "sys/module/other").mkdir(parents=True)
    (root / MODPROBE).write_text("")


def module_is_not_there(root):
    module_is_not_loaded(root)
    write(root, f"lib/modules/{RELEASE}/modules.dep", "kernel/other.ko:")


def symbol_is_off(root):
    config = root / f"boot/config-{RELEASE}"
    text = config.read_text()
    for name in ("SND_HDA_INTEL", "PM"):
        text = text.replace(f"CONFIG_{name}=m\n", f"# CONFIG_{name} is not set\n")
    config.write_text(text.replace("CONFIG_PM=y\n", "# CONFIG_PM is not set\n"))
    shutil.rmtree(root / "sys/bus/pci")


def line_is_not_changed(root):
    text = (root / ENTRY).read_text()
    (root / ENTRY).write_text(text.replace(f" {WORD}", ""))


def another_entry_was_booted(root):
    write(root, "proc/sys/kernel/random/boot_id", SECOND_BOOT)


def another_program_may_set_it(root):
    write(root, EPP.format(1), "power")
    write(root, "etc/tlp.conf", "CPU_ENERGY_PERF_POLICY_ON_AC=performance")
    write(root, "usr/sbin/tlp", "")
    write(root, "etc/systemd/system/multi-user.target.wants/tlp.service", "")
    write(root, "usr/lib/systemd/system/tlp.service", "[Service]\nExecStart=/usr/sbin/tlp init")


def tuned_sets_it(root):
    write(root, "etc/tuned/active_profile", "mine")
    write(root, "etc/tuned/profile_mode", "manual")
    write(root, "etc/tuned/mine/tuned.conf", "[sysctl]\nvm.dirty_writeback_centisecs=30\n")
    write(root, "usr/sbin/tuned", "")
    write(root, "usr/lib/systemd/system/tuned.service", "[Service]\nExecStart=/usr/sbin/tuned -l")
    write(root, "etc/systemd/system/multi-user.target.wants/tuned.service", "")
    sysctls = (root / SYSCTL).read_text()
    (root / SYSCTL).write_text(sysctls.replace("vm.dirty_writeback", "#vm.dirty_writeback"))


def the_kernel_made_less_of_it(root):
    write(root, WRITEBACK, "1400")
    (log,) = (root / "var/lib/kernel-advisor").glob("*/log")
    log.write_text(log.read_text().replace("=1500\t=1500", "=1500\t=1400"))


def not_in_this_snapshot(root):
    (root / WRITEBACK).unlink()


FAILURES = [
    (file_overrides, "writeback-interval", "overridden", f"{OTHER}:1 sets 30"),
    (file_overrides_at_boot, "writeback-interval", "overridden", f"{OTHER}:1 sets 30"),
    (file_is_gone, "writeback-interval", "not-kept", f"/{SYSCTL} is not there, or lacks"),
    (line_is_gone, "energy-performance-preference", "not-kept", f"/{TMPFILES} is not there, or"),
    (written_by_hand, "writeback-interval", "differs", "apply.sh read back 1500 ("),
    (module_is_not_loaded, "audio-codec-power-saving", "not-loaded", "modules.dep has it"),
    (module_is_not_there, "audio-codec-power-saving", "not-built", "has no snd_hda_intel"),
    (symbol_is_off, "pci-device-power", "not-built", "PM is not set ("),
    (line_is_not_changed, "workqueue-power-efficient", "not-in-entry", f"x.conf) lacks {WORD}"),
    (another_entry_was_booted, "workqueue-power-efficient", "needs-reboot", "another entry was"),
    (another_program_may_set_it, "energy-performance-preference", "other-owner", "TLP"),
    (tuned_sets_it, "writeback-interval", "overridden", "TuneD's profile mine"),
    (the_kernel_made_less_of_it, "writeback-interval", "clamped", "read back 1400 ("),
    (not_in_this_snapshot, "writeback-interval", "not-recorded", "shows no vm.dirty_writeback"),
]


@pytest.mark.parametrize(
    ("spoil", "tunable", "reason", "evidence"),
    FAILURES,
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_failure_has_its_reason(judged, root, spoil, tunable, reason, evidence):
    spoil(root)
    items, code = judged(root)
    assert code == 1
    failing = [check for check in items[tunable]["checks"] if check["standing"] == "fails"]
    assert {check["reason"] for check in failing} == {reason}
    assert all(evidence in check["evidence"] for check in failing)
    others = [item for name, item in items.items() if item["counts"] and name != tunable]
    assert all(item["standing"] != "fails" for item in others if item["effort"] == "now")


def test_what_the_kernel_refused_is_told_from_the_log(plan, judged, tmp_path, drop_override):
    root = plans.host(tmp_path / "host")
    (root / WRITEBACK).chmod(0o444)
    assert plans.run(plan / "apply.sh", root, "--yes", before=drop_override).returncode == 1
    (check,) = judged(root)[0]["writeback-interval"]["checks"]
    assert (check["reason"], check["now"], check["then"]) == ("refused", "500", "1500")
    assert check["evidence"].startswith("Permission denied (")


def test_what_apply_did_not_find_is_told_from_the_log(plan, judged, tmp_path):
    root = plans.host(tmp_path / "host")
    (root / WRITEBACK).unlink()
    plans.applied(plan, root)
    (check,) = judged(root)[0]["writeback-interval"]["checks"]
    assert check["reason"] == "absent"
    assert check["evidence"].startswith("no such file (")


def test_what_cannot_be_read_is_told(plan, root, run_command, drop_override):
    (root / WRITEBACK).chmod(0)
    words = ("verify", plan, "--host", root, "-f", "json")
    result = run_command(*words, before=drop_override)
    (one,) = json.loads(result.stdout)["verified"]
    (check,) = next(i for i in one["items"] if i["tunable"] == "writeback-interval")["checks"]
    assert (check["reason"], check["evidence"]) == ("unreadable", "permission denied")


def test_an_option_of_a_module_waits_for_it_to_be_loaded(judged, root):
    shutil.rmtree(root / "sys/module/snd_hda_intel")
    (root / "sys/module/other").mkdir()
    items, code = judged(root)
    (check,) = items["audio-codec-power-saving"]["checks"]
    assert (check["standing"], check["reason"], check["then"], code) == (
        "waits", "not-loaded", "10", 0,
    )  # fmt: skip


def test_a_single_item_that_was_taken_back_is_told(plan, judged, root):
    plans.undone(plan, root, "writeback-interval")
    items, code = judged(root)
    (check,) = items["writeback-interval"]["checks"]
    assert (check["reason"], code) == ("taken-back", 1)
    del items["writeback-interval"]
    assert {item["standing"] for item in items.values() if item["counts"]} == {"holds", "waits"}


def test_only_the_files_that_differ_are_told(judged, root):
    write(root, EPP.format(1), "power")
    checks = judged(root)[0]["energy-performance-preference"]["checks"]
    assert [check["standing"] for check in checks] == ["holds", "fails"]


def test_a_value_in_other_words_holds(judged, root):
    write(root, SOUND, "0x0a")
    write(root, EPP.format(1), "performance [balance_power] power")
    assert judged(root)[1] == 0


# --- what is refused ----------------------------------------------------------------------------


def test_another_machine_is_refused_unless_said_otherwise(verify, root):
    write(root, "proc/sys/kernel/osrelease", "6.12.118-test")
    result = verify(root)
    assert (result.code, result.stdout) == (3, "")
    assert f"kernel release {RELEASE}, and this is 6.12.118-test" in result.stderr
    assert "--anyway" in result.stderr
    result = verify(root, "--anyway", "--quiet")
    assert result.code in {0, 1}
    assert "and this is 6.12.118-test" in result.stderr


@each(
    ("text", "message"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "is no plan of this version"),
        ('{"schema": "kernel-advisor/can/v1"}', "is kernel-advisor/can/v1, and no plan"),
        ('{"schema": "kernel-advisor/plan/v1", "plans": []}', "is no plan of this version"),
        ('{"schema": "kernel-advisor/plan/v1", "plans": [{"items": 3}]}', "is no plan of this"),
    ],
    ids=lambda case: case[1],
)
def test_what_is_no_plan_is_refused(text, message, run_inside, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(text)
    result = run_inside("verify", file)
    assert (result.code, result.stdout) == (3, "")
    assert message in result.stderr


@each(
    ("name", "value"),
    [("strength", "shoul"), ("effort", "never"), ("words", [3]), ("title", None), ("arch", 3),
     ("release", ["6.12"]), ("digest", {})],
)  # fmt: skip
def test_a_plan_with_something_else_in_a_field_is_refused(name, value, run_inside, plan, tmp_path):
    document = json.loads((plan / "plan.json").read_text())
    (one,) = document["plans"]
    item = one["items"][0]
    places = {"title": item["tunable"], "arch": one["subject"]["machine"]}
    places.update(dict.fromkeys(("release", "digest"), one))
    places.get(name, item)[name] = value
    (tmp_path / "plan.json").write_text(json.dumps(document))
    result = run_inside("verify", tmp_path)
    assert (result.code, result.stdout) == (3, "")
    assert "is no plan of this version" in result.stderr


def test_a_folder_without_a_plan_is_refused(run_inside, tmp_path):
    result = run_inside("verify", tmp_path)
    assert (result.code, result.stdout) == (3, "")
    assert "plan.json: no such file" in result.stderr


def test_a_snapshot_of_the_host_tells_the_same(run_inside, judged, root, tmp_path):
    (root / WRITEBACK).write_text("999\n")
    rebooted(root)
    file = tmp_path / "host.snapshot"
    assert run_inside("collect", "--host", root, "-o", file).code == 0
    told = [
        {name: (item["standing"], [check["reason"] for check in item["checks"]])
         for name, item in judged(host)[0].items()}
        for host in (root, file)
    ]  # fmt: skip
    assert told[0] == told[1]
    assert told[1]["writeback-interval"] == ("fails", ["differs"])


def test_a_plan_is_for_one_host(verify, root):
    result = verify(root, "--host", root)
    assert (result.code, result.stdout) == (2, "")


def test_a_log_that_was_cut_is_read_as_far_as_it_goes(plan, judged, root):
    file = plans.state(plan, root) / "log"
    file.write_bytes(file.read_bytes() + b"1111\tset\tpower-sav\xff")
    assert judged(root)[1] == 0
