"""Which name a plan's file of sysctl.d has, beside files that set the same to another value."""

from __future__ import annotations

import json

import pytest

from ..cli import plans
from ..cli.plans import SYSCTL

LATE = "etc/sysctl.d/zz-kernel-advisor.conf"
NAME = "vm.dirty_writeback_centisecs"
ITEM = "power-saving/writeback-interval"
ANOTHER = f"{NAME} = 700"


@pytest.fixture
def planned(run_inside, tmp_path):
    """The host with these files, and the folder of a plan for it."""

    def of(files):
        root, folder = plans.host(tmp_path / "host"), tmp_path / "plan"
        for path, text in files.items():
            plans.write(root, path, text)
        result = run_inside("plan", "--host", root, *plans.PROFILE, "--into", folder)
        assert result.code == 0, result.stderr
        return root, folder

    return of


def held(folder):
    """What stands against the item that all files here are about."""
    (item,) = (item for item in plans.data(folder)["items"] if item["id"] == ITEM)
    return item["held"]


def paths(folder):
    return [str(path.relative_to(folder)) for path in folder.glob("etc/sysctl.d/*")]


@pytest.mark.parametrize(
    ("files", "path"),
    [
        # Read before: ours counts, whoever's it is.
        ({"etc/sysctl.d/50-mine.conf": ANOTHER}, SYSCTL),
        ({"usr/lib/sysctl.d/50-package.conf": ANOTHER}, SYSCTL),
        # A package's, read after: it would undo ours.
        ({"usr/lib/sysctl.d/99-package.conf": ANOTHER}, LATE),
        ({"usr/local/lib/sysctl.d/99-package.conf": ANOTHER}, LATE),
        # What it sets otherwise, or as ours does, is no reason.
        ({"usr/lib/sysctl.d/99-package.conf": "vm.swappiness = 1"}, SYSCTL),
        ({"usr/lib/sysctl.d/99-package.conf": f"{NAME} = 1500"}, SYSCTL),
        # An earlier plan's.
        ({LATE: ANOTHER}, LATE),
    ],
)
def test_the_file_is_read_after_what_it_overrides(planned, verifying, files, path):
    root, folder = planned(files)
    assert paths(folder) == [path]
    assert plans.data(folder)["files"]["sysctl.d"] == path
    assert held(folder) == ""
    dry = plans.run(folder / "apply.sh", root)
    assert "after the plan's file" not in dry.stdout
    plans.applied(folder, root)
    assert verifying(folder, root) == ("holds", "1500")
    plans.undone(folder, root)
    assert (root / path).exists() == (path in files)


@pytest.fixture
def verifying(run_inside):
    """How the setting stands, and which value the next boot has."""

    def of(folder, root):
        found = json.loads(run_inside("verify", folder, "--host", root, "-f", "json").stdout)
        (one,) = found["verified"]
        (check,) = (c for i in one["items"] if i["id"] == ITEM for c in i["checks"])
        return check["standing"], check["then"]

    return of


@pytest.mark.parametrize(
    "files",
    [
        {"etc/sysctl.d/99-mine.conf": ANOTHER},
        # No name of ours comes after this one.
        {"usr/lib/sysctl.d/zzz-package.conf": ANOTHER},
    ],
)
def test_a_file_of_a_person_keeps_its_say_and_is_named(planned, verifying, files):
    root, folder = planned(files)
    assert paths(folder) == [SYSCTL]
    (path,) = files
    hint = "override it in /etc" if path.startswith("usr") else "change it there"
    assert held(folder) == f"{root}/{path}:1 sets 700 at boot: {hint}"
    plans.applied(folder, root)
    assert verifying(folder, root) == ("fails", "700")


def test_the_files_name_of_an_earlier_plan_goes(planned):
    """The folder is the same: only one of both names is of the plan."""
    _, folder = planned({"usr/lib/sysctl.d/99-package.conf": ANOTHER})
    assert paths(folder) == [LATE]
    planned({"usr/lib/sysctl.d/99-package.conf": ""})
    assert paths(folder) == [SYSCTL]
