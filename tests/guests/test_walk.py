"""A plan of each profile, walked through on systems that are started: apply, start, take back.

What the guest left (walk.sh) is judged here: after each step what files and values there are, and
what verify says.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from .. import corpus
from .conftest import PROJECT, SUITES, Guests

PROFILES = sorted(corpus.knowledge().ids("profiles"))
CONFIG = "x86_64-6.12.config.xz"
LINE = "root=/dev/ubda rw quiet"
# Why something of a plan for a whole kernel of x86 is not in force in User Mode Linux.
LACKING = {"absent", "not-built", "not-loaded", "no-instance"}

pytestmark = [pytest.mark.guest, pytest.mark.sampled]


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration of Debian's, that most of a profile can be planned for."""
    path = tmp_path_factory.mktemp("config") / "config"
    path.write_bytes(lzma.decompress((PROJECT / "examples" / CONFIG).read_bytes()))
    return path


class Walk:
    """What a walk of one profile left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()

    def code(self, name: str) -> int:
        return int(self.text(f"{name}.code"))

    def verified(self, name: str) -> list[dict]:
        """The checks of all items that count."""
        (one,) = json.loads(self.text(f"verify.{name}"))["verified"]
        return [check for item in one["items"] if item["counts"] for check in item["checks"]]

    def values(self, name: str, but: set[str]) -> list[str]:
        """The files with what each shows, but for these sysctls."""
        paths = tuple(f"/proc/sys/{key.replace('.', '/')}: " for key in but)
        lines = self.text(f"values.{name}").splitlines()
        return [line for line in lines if not line.startswith(paths)]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_plan_is_applied_started_with_and_taken_back(
    guests: Guests, config: Path, run_inside, tmp_path: Path, suite: str, profile: str
) -> None:
    share = tmp_path / "share"
    made = share / "plans" / profile
    words = ("--strength", "could", "--effort", "boot", "--cmdline", LINE)
    result = run_inside("plan", config, "-p", profile, *words, "--into", made)
    assert result.code == 0, result.stderr
    items = (made / "items.tsv").read_text()
    if "\nset\t" not in items and "\nadd\t" not in items:
        pytest.skip("this profile asks for nothing of this configuration")
    guests.run(suite, share, "walk.sh", {"profiles": f"{profile}\n"})
    walk = Walk(share / profile)
    assert (walk.folder / "done").exists()

    # Each symbol that the plan rests on and this kernel has otherwise is named.
    assert walk.code("refused") == (3 if "\nchanged " in f"\n{walk.text('refused')}" else 0)

    # Without --yes nothing is changed; twice is as once.
    assert walk.code("dry") == walk.code("apply") == walk.code("again") == 0, walk.text("apply")
    assert walk.text("files.dry") == walk.text("files.before")
    assert walk.text("values.dry") == walk.text("values.before")
    assert "\nset " not in walk.text("again")

    # What was set at run time the files set again at the next boot, by systemd and udev, but for
    # what a file of the system sets after ours: apply.sh and verify name that before.
    foretold = {
        check["key"] for check in walk.verified("applied") if check["reason"] == "overridden"
    }
    assert all(f" sets {key} = " in walk.text("dry") for key in foretold)
    applied, booted = (walk.values(name, foretold) for name in ("applied", "booted"))
    assert booted == applied
    for word in (made / "cmdline").read_text().split() if (made / "cmdline").exists() else ():
        assert word in walk.text("line.booted").split()
    for check in walk.verified("applied"):
        assert check["standing"] != "fails" or check["key"] in foretold or is_told(check), check
    for check in walk.verified("booted"):
        assert check["standing"] == "holds" or check["key"] in foretold or is_told(check), check

    # All is as before, byte for byte; before the next boot already.
    assert walk.code("undo") == walk.code("undo.again") == 0, walk.text("undo")
    assert walk.text("files.after") == walk.text("files.before")
    assert walk.text("values.undone") == walk.text("values.before")
    assert walk.text("values.after") == walk.text("values.before")
    assert not [check for check in walk.verified("undone") if not check["reason"]
                and check["standing"] != "holds"]  # fmt: skip


def test_a_guest_plans_for_itself_and_its_sysctls_are_read_last(
    guests: Guests, tmp_path: Path
) -> None:
    """A file of a package is read after 90-kernel-advisor.conf, as Debian 12's protect-links."""
    share = tmp_path / "share"
    files = {"profiles": "hardening\n", "99-package.conf": "kernel.dmesg_restrict = 0\n"}
    guests.run("bookworm", share, "walk.sh", files)
    walk = Walk(share / "hardening")
    assert (walk.folder / "done").exists()
    assert walk.code("plan") == 0, walk.text("plan.err")
    (path,) = (walk.folder / "made/etc/sysctl.d").iterdir()
    assert path.name == "zz-kernel-advisor.conf"

    # It is the machine of its own plan; nothing is read after its file.
    assert walk.code("refused") == walk.code("apply") == walk.code("again") == 0, walk.text("apply")
    assert "after the plan's file" not in walk.text("dry")
    key = "/proc/sys/kernel/dmesg_restrict"
    assert f"{key}: 0\n" in walk.text("values.before")
    applied = walk.text("values.applied")
    assert f"{key}: 1\n" in applied
    assert walk.text("values.booted") == applied
    assert walk.code("plan.again") == walk.code("lost") == 0, walk.text("lost")
    for check in walk.verified("booted"):
        assert check["standing"] == "holds" or is_told(check), check
    assert walk.text("files.after") == walk.text("files.before")
    # What the kernel never sets back is said before, and needs the next start.
    lasting = "/proc/sys/kernel/unprivileged_bpf_disabled"
    assert f"undo.sh cannot set {lasting} back, because the kernel refuses that" in walk.text("dry")
    failed = [line for line in walk.text("undo").splitlines() if line.startswith("failed")]
    assert [line.split()[1] for line in failed] == [lasting]
    key = lasting.removeprefix("/proc/sys/").replace("/", ".")
    assert walk.values("undone", {key}) == walk.values("before", {key})
    # The kernel computes it from the memory at each boot.
    computed = {"user.max_user_namespaces"}
    assert walk.values("after", computed) == walk.values("before", computed)


def is_told(check: dict) -> bool:
    """Whether verify says of what this kernel lacks, or only people set, what the reason is."""
    by_hand = check["reason"] == "differs" and "does not name the setting" in check["evidence"]
    # Before the loader's entry is changed it lacks the words.
    return check["reason"] in {*LACKING, "not-in-entry"} or by_hand
