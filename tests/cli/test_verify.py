"""`verify`: what of a plan holds on a host, and of what does not hold, why."""

from __future__ import annotations

import json
import shutil

import pytest

from advisor.knowledge import schema
from advisor.model.verify import Reason

from ..cases import each
from . import plans
from .plans import EPP, OTHER, RELEASE, SOUND, WRITEBACK, on_entry, rebooted, write


@pytest.fixture
def plan(run_inside, tmp_path_factory):
    """The folder of the plan for such a host, written once; beside it is the host, as `root`."""
    return plans.verified(run_inside, tmp_path_factory)


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
        "COULD fails Writeback interval "
        "asked vm.dirty_writeback_centisecs = 1500 now 30 at boot 30 "
        f"why overridden: host/{OTHER}:1 sets 30 [writeback-interval]"
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
    reasons = known["$defs"]["Check"]["properties"]["reason"]["enum"]
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


# --- what holds all the same, or waits -----------------------------------------------------------


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
    assert f"kernel release {RELEASE} (this host: 6.12.118-test)" in result.stderr
    assert "--anyway" in result.stderr
    result = verify(root, "--anyway", "--quiet")
    assert result.code in {0, 1}
    assert "(this host: 6.12.118-test)" in result.stderr


@each(
    ("text", "message"),
    [
        ("", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "is no plan of this version"),
        ('{"schema": "kernel-advisor/can/v1"}', "is kernel-advisor/can/v1, not a plan"),
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
