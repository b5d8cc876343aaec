"""Reviews of the files in which people keep boot lines and sysctls, and --cmdline @FILE of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.knowledge import schema

EXAMPLE = Path(__file__).parents[2] / "examples/x86_64-6.12.config.xz"
BAD = "nohz_ful=1"
# Of each path, what it holds, with {} where the change puts its word, and that word's line.
LINES = {
    "etc/default/grub": ('GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="quiet{}"\n', 2),
    "etc/default/grub.d/50-x.cfg": (
        'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT quiet{}"\n', 1,
    ),
    "etc/kernel/cmdline": ("root=/dev/sda1{}\n", 1),
    "etc/modprobe.d/x.conf": ("# x\noptions nohz x=1{}\n", 2),
    "usr/lib/bootc/kargs.d/10.toml": ('kargs = [\n "quiet{}",\n]\n', 2),
    "usr/lib/tuned/x/tuned.conf": ("[bootloader]\ncmdline=+quiet{}\n[sysctl]\nvm.x=1\n", 2),
    "boot/loader/entries/a.conf": ("title x\noptions quiet{}\n", 2),
    "boot/extlinux/extlinux.conf": ("label l\n  append quiet{}\n", 2),
    "boot/uEnv.txt": ("bootargs=quiet{}\n", 1),
    "boot/armbianEnv.txt": ("verbosity=1\nextraargs=quiet{}\n", 2),
    "boot.cmd": ('setenv bootargs "quiet{}"\n', 1),
    "boot/cmdline.txt": ("quiet{}\n", 1),
    "post.sh": ("#!/bin/sh\ngrubby --update-kernel=ALL --args='quiet{}'\n", 2),
    "configuration.nix": ('{{\n  boot.kernelParams = [ "quiet{}" ];\n}}\n', 2),
    "group_vars/all.yml": ("kernel_cmdline:\n  - quiet{}\n", 2),
}  # fmt: skip
SYSCTLS = {
    "etc/sysctl.d/99-x.conf": ("# x\nvm.{} = 10\n", 2),
    "usr/lib/tuned/y/tuned.conf": ("[sysctl]\nvm.{}=10\n", 2),
    "sysctl.nix": ("{{ boot.kernel.sysctl = {{\n vm.{} = 10; }}; }}\n", 2),
    "host_vars/a.yml": ("sysctl:\n  vm.{}: 10\n", 2),
}


@pytest.fixture
def review(repository, run_command):
    """The review of a repository between two commits of these files, as JSON, by path."""

    def run(before, after, *words):
        first = repository.commit(before)
        head = repository.commit(after)
        result = run_command("review", first, head, "-f", "json", *words, cwd=repository.root)
        assert "Traceback" not in result.stderr
        document = json.loads(result.stdout)
        assert list(schema.problems("review", document, "advisor.output")) == []
        return result.code, {file["path"]: file for file in document["files"]}

    return run


def test_a_word_is_seen_wherever_boot_lines_are_kept(review):
    before = {path: text.format("") for path, (text, _) in LINES.items()}
    after = {path: text.format(f" {BAD}") for path, (text, _) in LINES.items()}
    code, found = review(before, after)
    assert code == 1
    told = {
        path: [(d["id"], d["path"], d["line"]) for d in file["comparison"]["appeared"]]
        for path, file in found.items()
    }
    expected = {p: [("parameter-unknown", p, line)] for p, (_, line) in LINES.items()}
    assert told == expected
    assert {file["kind"] for file in found.values()} == {"boot line"}
    assert all(file["failed"] for file in found.values() if file["path"] != "etc/modprobe.d/x.conf")


def test_a_sysctl_is_seen_wherever_they_are_kept(review):
    before = {path: text.format("swappiness") for path, (text, _) in SYSCTLS.items()}
    after = {path: text.format("swapiness") for path, (text, _) in SYSCTLS.items()}
    code, found = review(before, after, "--base-config", EXAMPLE)
    assert code == 1
    told = {
        path: [(d["id"], d["path"], d["line"]) for d in file["comparison"]["appeared"]]
        for path, file in found.items()
    }
    assert told == {path: [("sysctl-unknown", path, line)] for path, (_, line) in SYSCTLS.items()}
    assert {file["kind"] for file in found.values()} == {"sysctl file"}


def test_what_is_computed_is_told_and_counted(review):
    path = "etc/default/grub"
    texts = ['GRUB_CMDLINE_LINUX="quiet"\n', 'GRUB_CMDLINE_LINUX="quiet $(id)"\n. /etc/x\n']
    code, found = review({path: texts[0]}, {path: texts[1]})
    new = found[path]["comparison"]["appeared"]
    assert [(d["id"], d["subject"], d["line"]) for d in new] == [
        ("boot-file-unread", "$(id)", 1), ("boot-file-unread", ". /etc/x", 2),
    ]  # fmt: skip
    assert code == 0
    assert found[path]["note"].endswith("not readable here: 2 places")


def test_settings_of_symbols_do_not_make_a_boot_line_s_file_a_configuration(review):
    path = "etc/default/grub"
    text = "CONFIG_A=y\n" * 20 + "GRUB_CMDLINE_LINUX={}\n"
    code, found = review({path: text.format("quiet")}, {path: text.format(BAD)})
    assert (code, found[path]["kind"]) == (1, "boot line")


def test_a_file_that_is_broken_cannot_be_read(review):
    files = {"etc/default/grub": "A='x\n", "kargs.d/a.toml": "kargs = 1\n", "tuned.conf": "x\n"}
    code, found = review({"etc/default/grub": "A=x\n"}, files)
    assert code == 3
    assert all(found[path]["problem"] for path in files)


def test_other_files_of_such_names_are_left_alone(review):
    files = {
        "a.nix": "{ }\n", "a.sh": "#!/bin/sh\necho\n", "tasks/main.yml": "- debug: {msg: x}\n",
        "prod.env": "A=b\n", "cmdline.py": "x\n", ".github/workflows/a.yml": "cmdline: x\n",
    }  # fmt: skip
    assert review({"x": "y\n"}, files) == (0, {})


@pytest.mark.parametrize("path", sorted({*LINES} - {"etc/modprobe.d/x.conf"}))
def test_such_a_file_is_a_boot_line_for_the_option(path, tmp_path, run_command):
    text, line = LINES[path]
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.format(f" {BAD}"))
    result = run_command("audit", EXAMPLE, "--cmdline", f"@{file}", "-f", "json")
    (report,) = json.loads(result.stdout)["reports"]
    assert result.code == 1
    assert report["subject"]["cmdline"].endswith(f" {BAD}")
    (told,) = (d for d in report["diagnostics"] if d["id"] == "parameter-unknown")
    assert told["line"] == line
