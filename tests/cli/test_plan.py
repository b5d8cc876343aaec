"""`plan`: what it prints, which files it writes where, and which folders it leaves alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from advisor.knowledge import schema
from advisor.model.plan import File
from advisor.output import BOOT_FORMATS
from advisor.output.plan.containerfile import KARGS, NAME

from ..inputs.host.hosts import MACHINES, recorded, write_host

EXAMPLES = Path(__file__).parents[2] / "examples"
CONFIG = EXAMPLES / "x86_64-6.12.config.xz"
ALWAYS = ("README.md", "plan.json", "items.tsv", "apply.sh", "undo.sh")
SAVING = ("-p", "power-saving", "--vendor", "intel", "--bare-metal", "--strength", "could")


@pytest.fixture
def plan(run_inside):
    """Runs `plan` with these words, on an example unless they name something else."""

    def run(*words, on=(CONFIG, *SAVING)):
        return run_inside("plan", *on, *words)

    return run


@pytest.fixture
def folder(plan, tmp_path):
    """The folder of a plan that was written."""
    path = tmp_path / "made" / "plan"
    result = plan("--into", path)
    assert result.code == 0, result.stderr
    assert (
        result.stderr
        == f"kernel-advisor: the plan is in {path}: {path}/README.md says what to do\n"
    )
    return path


def files_in(folder):
    """The files below a folder, with what they hold."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def entries(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


# --- what it prints -----------------------------------------------------------------------------


def test_the_first_lines_say_what_to_do_in_which_file(plan):
    result = plan()
    assert (result.code, result.stderr) == (0, "")
    head = result.stdout.split("\n\n")[0]
    for file in (File.SYSCTL, File.TMPFILES, File.UDEV):
        assert f"/{file.paths[0]}" in head.replace("\n          ", " ")
    assert "add to the boot line" in head
    lines = [line for line in result.stdout.splitlines() if " - - - - " not in line]
    assert max(map(len, lines)) <= 80  # a line of tmpfiles.d is not parted


def test_a_plan_as_data_meets_the_schema(plan):
    data = json.loads(plan("-f", "json").stdout)
    assert list(schema.problems("plan", data, "advisor.output")) == []
    (one,) = data["plans"]
    efforts = [item["effort"] for item in one["items"]]
    assert efforts == sorted(efforts, key=["now", "boot", "rebuild"].index)
    for item in one["items"]:
        assert item["why"]
        assert item["sources"]
        assert all(bool(s["lines"]) is (s["file"] is not None) for s in item["settings"])
    written = {line for item in one["items"] for s in item["settings"] for line in s["lines"]}
    texts = [plan("-f", name).stdout for name in ("sysctl.d", "tmpfiles.d", "udev", "modprobe.d")]
    assert written == {line for text in texts for line in entries(text)}


@pytest.mark.parametrize(
    ("words", "efforts"),
    [
        (("--effort", "now"), {"now"}),
        (("--effort", "boot"), {"now", "boot"}),
        ((), {"now", "boot", "rebuild"}),
        (("--only", "workqueue-power-efficient"), {"boot"}),
    ],
)
def test_a_plan_goes_as_far_as_it_is_asked_to(plan, words, efforts):
    (one,) = json.loads(plan("-f", "json", *words).stdout)["plans"]
    assert {item["effort"] for item in one["items"]} == efforts


def test_what_is_excepted_is_in_no_file(plan):
    assert "vm.dirty_writeback_centisecs" in plan("-f", "sysctl.d").stdout
    result = plan("-f", "sysctl.d", "--except", "power-saving/writeback-interval")
    assert "vm.dirty_writeback_centisecs" not in result.stdout


@pytest.mark.parametrize("name", ["grub", "grubby", "kernel-install", "bootc", "tuned", "cmdline"])
def test_the_boot_line_is_written_for_every_loader(plan, name):
    result = plan("-f", name, "--cmdline", "quiet")
    assert (result.code, result.stderr) == (0, "")
    assert "workqueue.power_efficient" in result.stdout


@pytest.mark.parametrize("command", ["plan", "cmdline"])
@pytest.mark.parametrize(
    "name", ["grub", "grubby", "bootc", "tuned", "kconfig", "nixos", "ansible"]
)
def test_a_file_of_boot_words_says_what_each_is_for_and_costs(run_inside, name, command):
    """That of the EFI runtime can take away the way back, where systemd-boot counts boots."""
    if command == "cmdline" and name not in BOOT_FORMATS:
        pytest.skip("a format of plans alone")
    words = ("-p", "realtime", "--strength", "could", "--cmdline", "quiet", "-f", name)
    result = run_inside(command, CONFIG, *words)
    assert result.code == 0, result.stderr
    text = result.stdout.replace("\n# ", " ")
    assert "efi=noruntime: EFI runtime services: off [should, realtime/efi-runtime]" in text
    assert "systemd-boot's boot counting cannot mark a start as good" in text
    assert "drivers/firmware/efi/Kconfig" in text


def test_before_the_boot_line_is_changed_the_scripts_say_what_that_costs(plan, tmp_path):
    plan("--only", "efi-runtime", "--into", tmp_path / "made", on=(CONFIG, "-p", "realtime"))
    lines = (tmp_path / "made/items.tsv").read_text().splitlines()
    (but,) = [line for line in lines if line.startswith("but\t")]
    assert but.startswith("but\trealtime/efi-runtime\tOff: there are no EFI variables.")


def test_a_host_is_planned_for_with_what_it_shows(run_inside, tmp_path):
    host = write_host(tmp_path / "host", recorded("dell-xps-15-9530", MACHINES))
    result = run_inside("plan", "--host", host, *SAVING[:2], "-f", "json")
    assert result.code == 0, result.stderr
    (one,) = json.loads(result.stdout)["plans"]
    assert one["subject"]["path"] == str(host)
    assert any(item["now"] for item in one["items"])


def test_without_a_boot_line_the_file_has_the_words_alone(plan):
    said = "The file cmdline has only the new parameters"
    assert said in plan().stdout.replace("\n          ", " ")
    assert said not in plan("--cmdline", "quiet").stdout.replace("\n          ", " ")


def test_nothing_to_do_is_said(plan):
    result = plan("--only", "cpuidle-support", "--strength", "must")
    assert result.code == 0
    assert "nothing: all that the profiles ask for is already set" in result.stdout


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ("--effort", "soon"),
            2,
            "--effort: unknown value 'soon' (one of now, boot, ",
        ),
        (("--only", "swapines"), 2, "--only: these profiles have no advice about 'swapines'"),
        (("--except", "rcu-offlod"), 2, "did you mean rcu-offload?"),
        (("-f", "html"), 2, "there is no format 'html'"),
        (("-p", "network-latency"), 1, "the profiles disagree: "),
        (("--cmdline", 'a="b'), 3, "correct the line"),
    ],
)
def test_what_cannot_be_planned_is_refused(plan, tmp_path, words, code, message):
    into = tmp_path / "plan"
    result = plan(*words, "--into", into)
    assert (result.code, result.stdout) == (code, "")
    assert message in result.stderr
    assert not into.exists()


def test_a_plan_is_for_one(plan):
    for words in ((CONFIG,), ("--host", "/", "--host", "/")):
        result = plan(*words)
        assert (result.code, result.stdout) == (2, "")
        assert "plan: takes one configuration, not " in result.stderr


# --- the folder ---------------------------------------------------------------------------------


def test_a_folder_has_every_file_where_it_belongs(folder, plan):
    found = files_in(folder)
    own = (File.SYSCTL, File.TMPFILES, File.UDEV, File.CMDLINE, File.FRAGMENT)
    assert set(found) == {*ALWAYS, NAME, KARGS, *(file.paths[0] for file in own)}
    assert found[NAME] == plan("-f", "containerfile").stdout
    assert found[KARGS] == plan("-f", "bootc").stdout
    for file in own:
        assert found[file.paths[0]] == plan("-f", file.value).stdout
        assert file.paths[0] in found["README.md"]
    assert found["plan.json"] == plan("-f", "json").stdout
    assert stat.S_IMODE((folder / "etc").stat().st_mode) == 0o777 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_option_of_a_module_has_its_file(plan, tmp_path, make_config):
    into = tmp_path / "plan"
    lines = ("SND=y", "SND_HDA_INTEL=m", "PM=y", "MODULES=y", "SND_HDA_CODEC_REALTEK=m",
             "SND_HDA_POWER_SAVE_DEFAULT=0")  # fmt: skip
    config = make_config(*(f"CONFIG_{line}" for line in lines))
    result = plan("--into", into, on=(config, "-p", "power-saving", "--whole"))
    assert result.code == 0, result.stderr
    text = (into / File.MODPROBE.paths[0]).read_text()
    assert entries(text) == ["options snd_hda_intel power_save=10"]


def test_a_plan_takes_the_place_of_an_earlier_one(folder, plan):
    (folder / "mine.txt").write_text("kept")
    assert plan("--into", folder, "--effort", "now", "--only", "writeback-interval").code == 0
    assert set(files_in(folder)) == {*ALWAYS, NAME, "mine.txt", File.SYSCTL.paths[0]}
    assert not (folder / "etc/udev").exists()


def test_the_same_input_gives_the_same_bytes(folder, plan, tmp_path):
    assert plan("--into", tmp_path / "other").code == 0
    assert files_in(tmp_path / "other") == files_in(folder)


def test_an_empty_folder_is_filled(plan, tmp_path):
    assert plan("--into", tmp_path / "empty").code == 0
    (tmp_path / "there").mkdir()
    assert plan("--into", tmp_path / "there").code == 0
    assert files_in(tmp_path / "there") == files_in(tmp_path / "empty")


def foreign(folder):
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")


def other_data(folder):
    folder.mkdir()
    (folder / "plan.json").write_text('{"schema": "other"}')


def no_data(folder):
    folder.mkdir()
    (folder / "plan.json").write_text("[" * 100_000)


def linked_data(folder):
    folder.mkdir()
    (folder.parent / "real.json").write_text('{"schema": "kernel-advisor/plan/v1"}')
    (folder / "plan.json").symlink_to(folder.parent / "real.json")


def linked_inside(folder):
    """As a stranger could give a plan away, to have it written somewhere else."""
    folder.mkdir()
    (folder / "plan.json").write_text('{"schema": "kernel-advisor/plan/v1"}')
    (folder.parent / "outside").mkdir()
    (folder / "etc").symlink_to(folder.parent / "outside")


def in_the_way(folder):
    folder.mkdir()
    (folder / "plan.json").write_text('{"schema": "kernel-advisor/plan/v1"}')
    (folder / "cmdline").mkdir()


def a_file(folder):
    folder.write_text("mine")


def below_a_file(folder):
    folder.parent.joinpath("file").write_text("mine")
    folder.symlink_to("file/plan")


@pytest.mark.parametrize(
    "make",
    [foreign, other_data, no_data, linked_data, linked_inside, in_the_way, a_file, below_a_file],
)
def test_a_folder_that_is_no_plan_is_left_as_it_is(plan, tmp_path, make):
    folder = tmp_path / "plan"
    make(folder)
    before = files_in(tmp_path)
    result = plan("--into", folder)
    assert (result.code, result.stdout) == (6, "")
    assert result.stderr.startswith(f"kernel-advisor: {folder}")
    assert files_in(tmp_path) == before


def test_where_nothing_can_be_written_nothing_is_left(run_command, drop_override, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    result = run_command("plan", CONFIG, *SAVING, "--into", closed / "plan", before=drop_override)
    assert (result.code, result.stdout) == (6, "")
    assert "cannot be written: Permission denied" in result.stderr
    assert list(closed.iterdir()) == []
