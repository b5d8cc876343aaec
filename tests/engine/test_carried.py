"""A plan that is made again keeps what the files of an earlier one set."""

from __future__ import annotations

import json

import pytest

from ..cli import plans
from ..cli.plans import EPP, MODPROBE, SYSCTL, TMPFILES

SETTING = "vm.dirty_writeback_centisecs"
ITEM = "power-saving/writeback-interval"
LATE = "etc/sysctl.d/zz-kernel-advisor.conf"


@pytest.fixture
def again(run_inside, tmp_path):
    """Returns the folder of a plan for the host, made anew each time, and the words of the plan."""

    def make(root, *words):
        folder = tmp_path / f"plan-{len(list(tmp_path.glob('plan-*')))}"
        result = run_inside(
            "plan", "--host", root, *(words or plans.PROFILE), "--into", folder, "-f", "text"
        )
        assert result.code == 0, result.stderr
        return folder, result.stdout

    return make


@pytest.fixture
def root(tmp_path):
    return plans.host(tmp_path / "host")


def in_force(folder):
    return {item["id"]: item["in_force"] for item in plans.data(folder)["items"]}


def texts(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("etc/**/*") if path.is_file()}


def test_the_same_plan_is_the_same_again(root, again):
    first, _ = again(root)
    plans.applied(first, root)
    second, text = again(root)
    assert plans.data(second)["digest"] == plans.data(first)["digest"]
    assert texts(second) == texts(first)
    assert not any(in_force(first).values())
    of_run_time = [one for one in plans.data(second)["items"] if one["effort"] == "now"]
    assert [in_force(second)[one["id"]] for one in of_run_time] == [True] * len(of_run_time)
    assert f"/{SYSCTL} (1 setting), in force already" in " ".join(text.split())
    assert f"(could, power-saving): {SETTING} = 1500" in " ".join(text.split())
    assert "now: 0, boot: 1, rebuild: 1; in force: 4" in text
    done = plans.applied(second, root).stdout
    assert "loses a line" not in done
    assert "failed" not in done


def test_a_plan_of_more_profiles_keeps_what_the_first_one_set(root, again):
    plans.applied(again(root)[0], root)
    more, _ = again(root, "-p", "hardening", *plans.PROFILE)
    dry = plans.run(more / "apply.sh", root).stdout
    assert "loses a line" not in dry
    assert in_force(more)[ITEM]
    assert SETTING in (more / SYSCTL).read_text()
    assert "kernel.kptr_restrict" in (more / SYSCTL).read_text()


def test_what_profiles_do_not_ask_for_goes(root, again):
    plans.applied(again(root)[0], root)
    other, _ = again(root, "-p", "database")
    assert ITEM not in in_force(other)


def test_what_another_value_is_in_force_of_is_asked_for_again(root, again):
    plans.applied(again(root)[0], root)
    plans.write(root, EPP.format(0), "performance")
    plans.write(root, EPP.format(1), "performance")
    folder, _ = again(root)
    assert not in_force(folder)["power-saving/energy-performance-preference"]
    assert (folder / TMPFILES).exists()


def test_the_value_is_that_of_the_file(root, again):
    """Somebody chose another good value there."""
    first, _ = again(root)
    plans.applied(first, root)
    plans.write(root, SYSCTL, f"{SETTING} = 3000")
    plans.write(root, plans.WRITEBACK, "3000")
    folder, _ = again(root)
    assert in_force(folder)[ITEM]
    assert f"{SETTING} = 3000" in (folder / SYSCTL).read_text()


def test_a_good_value_of_somebody_elses_file_stays_there(root, again):
    plans.write(root, plans.OTHER, f"{SETTING} = 1500")
    plans.write(root, plans.WRITEBACK, "1500")
    folder, _ = again(root)
    assert ITEM not in in_force(folder)


def test_a_package_that_is_read_later_does_not_undo_it(root, again):
    """The first plan knew nothing of the host."""
    plans.applied(again(root)[0], root)
    plans.write(root, "usr/lib/sysctl.d/99-package.conf", f"{SETTING} = 700")
    folder, _ = again(root)
    assert in_force(folder)[ITEM]
    assert [path.name for path in folder.glob("etc/sysctl.d/*")] == ["zz-kernel-advisor.conf"]


def test_a_package_that_sets_the_same_later_takes_nothing_away(root, again):
    plans.applied(again(root)[0], root)
    plans.write(root, "usr/lib/sysctl.d/99-package.conf", f"{SETTING} = 1500")
    folder, _ = again(root)
    assert in_force(folder)[ITEM]


def test_the_later_name_stays(root, again):
    package = root / "usr/lib/sysctl.d/99-package.conf"
    plans.write(root, "usr/lib/sysctl.d/99-package.conf", f"{SETTING} = 700")
    plans.applied(again(root)[0], root)
    package.unlink()
    folder, _ = again(root)
    assert (folder / LATE).exists()
    assert in_force(folder)[ITEM]


def test_an_init_that_reads_no_such_files_leaves_them_to_plans(root, again):
    plans.write(root, "proc/1/comm", "tini")
    first, _ = again(root)
    plans.applied(first, root)
    second, _ = again(root)
    assert texts(second) == texts(first)
    assert in_force(second)[ITEM]


def test_an_option_of_a_module_stays(root, again):
    plans.applied(again(root)[0], root)
    folder, _ = again(root)
    assert "options snd_hda_intel power_save=10" in (folder / MODPROBE).read_text()


def test_verify_holds_what_was_kept(root, again, run_inside):
    plans.applied(again(root)[0], root)
    folder, _ = again(root)
    plans.applied(folder, root)
    result = run_inside("verify", folder, "--host", root, "--effort", "now", "-f", "json")
    (found,) = json.loads(result.stdout)["verified"]
    standings = {c["standing"] for i in found["items"] if i["counts"] for c in i["checks"]}
    assert standings <= {"holds", "waits"}
