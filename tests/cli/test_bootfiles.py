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
    "other/etc/default/grub.d/50-x.cfg": (
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


# Fourteen profiles take four times as long, and no word of theirs is looked at.
ONE = ("-p", "systemd")


@pytest.fixture
def review(repository, run_inside):
    """The review of a repository between two commits of these files, as JSON, by path."""

    def run(before, after, *words):
        first = repository.git("rev-parse", "HEAD") if before is None else repository.commit(before)
        head = repository.commit(after)
        result = run_inside("review", first, head, "-f", "json", *words, cwd=repository.root)
        assert "Traceback" not in result.stderr
        document = json.loads(result.stdout)
        assert list(schema.problems("review", document, "advisor.output")) == []
        return result.code, {file["path"]: file for file in document["files"]}

    return run


@pytest.mark.parametrize(
    ("path", "text", "void"),
    [
        ("usr/lib/tuned/x/tuned.conf", "[bootloader]\ncmdline_x=+{}\n", []),
        ("usr/lib/bootc/kargs.d/10.toml", 'kargs = ["{}"]\n', []),
        ("post.sh", "grubby --update-kernel=ALL --args='{}'\n", []),
        ("etc/kernel/cmdline", "{}\n", ["parameter-void"]),
    ],
)
def test_what_another_part_of_the_line_may_have_is_not_missing(review, path, text, void):
    # Without nohz_full= the word has no effect; but that may stand in another file.
    word = "rcutree.nohz_full_patience_delay=1000"
    before, after = {path: text.format("quiet")}, {path: text.format(f"quiet {word}")}
    _, files = review(before, after, "--base-config", str(EXAMPLE), "-p", "network-latency")
    assert [one["id"] for one in files[path]["report"]["diagnostics"]] == void


def test_a_word_is_seen_wherever_boot_lines_are_kept(review):
    before = {path: text.format("") for path, (text, _) in LINES.items()}
    after = {path: text.format(f" {BAD}") for path, (text, _) in LINES.items()}
    code, found = review(before, after, *ONE)
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
    code, found = review(before, after, "--base-config", EXAMPLE, *ONE)
    assert code == 1
    told = {
        path: [(d["id"], d["path"], d["line"]) for d in file["comparison"]["appeared"]]
        for path, file in found.items()
    }
    assert told == {path: [("sysctl-unknown", path, line)] for path, (_, line) in SYSCTLS.items()}
    assert {file["kind"] for file in found.values()} == {"sysctl file"}


def test_each_setting_of_run_time_that_came_or_went_is_told(review, repository, run_inside):
    """Of a sysctl that no rule knows as well, and of one whose line was taken out."""
    path = "etc/sysctl.d/99-x.conf"
    texts = ["vm.laptop_mode = 5\nvm.dirty_ratio = 40\n", "vm.dirty_ratio = 30\nnet.ipv4.x = 1\n"]
    _, found = review({path: texts[0]}, {path: texts[1]}, *ONE)
    assert found[path]["comparison"]["run_time"] == [
        {"setting": "net.ipv4.x=1", "added": True},
        {"setting": "vm.dirty_ratio=40", "added": False},
        {"setting": "vm.dirty_ratio=30", "added": True},
        {"setting": "vm.laptop_mode=5", "added": False},
    ]
    shown = run_inside("review", "HEAD~1", "HEAD", *ONE, cwd=repository.root).stdout
    assert "  - -vm.laptop_mode=5\n" in shown


def test_what_was_not_read_is_not_called_the_same(review, repository, run_inside):
    path = "boot.cmd"
    text = 'setenv console "{}"\nsetenv bootargs "quiet ${{console}}"\n'
    review({path: text.format("a")}, {path: text.format("b")}, *ONE)
    shown = run_inside("review", "HEAD~1", "HEAD", *ONE, cwd=repository.root).stdout
    note = "the inputs are the same on both sides; judged without a configuration: "
    assert note in " ".join(shown.split())
    assert "not readable here: 1 place" in " ".join(shown.split())


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


@pytest.mark.parametrize("path", ["etc/kernel/cmdline", "frag.config", "x_defconfig"])
def test_what_was_so_before_is_not_told_as_something_to_do(review, path):
    """Where kernel and architecture are not told, too."""
    texts = ["quiet initcall_debug", "quiet initcall_debug page_alloc.shuffle=1"]
    if path != "etc/kernel/cmdline":
        first = "CONFIG_PREEMPT=y\n# CONFIG_PREEMPT_RT is not set\nCONFIG_CPU_FREQ=y\n"
        texts = [first, f"{first}CONFIG_XFS_FS=m\n"]
    _, found = review({path: texts[0]}, {path: texts[1]})
    assert found[path]["comparison"]["advice"] == []


@pytest.mark.parametrize(
    ("path", "rest", "line"),
    [
        ("a.nix", "{{ ... }}: {{\n  x = true;\n{}}}\n", 'boot.kernelParams = [ "quiet" ];\n'),
        ("a.sh", "#!/bin/sh\necho one two\n{}", "grubby --args=quiet\n"),
        ("group_vars/a.yml", "name: a b\n{}", "kargs: [quiet]\n"),
        ("prod.env", "A=b c\n{}", "bootargs=quiet\n"),
    ],
)
def test_a_file_that_gets_or_loses_its_only_boot_line_is_of_one_format(review, path, rest, line):
    with_line, without = {path: rest.format(line)}, {path: rest.format("")}
    for before, after, came in ((with_line, without, False), (without, with_line, True)):
        code, found = review(before, after, *ONE)
        change = found[path]["comparison"]
        assert change["words"] == [{"word": "quiet", "added": came}]
        assert (code, change["appeared"]) == (0, [])


def test_other_files_of_such_names_are_left_alone(review):
    files = {
        "a.nix": "{ }\n", "a.sh": "#!/bin/sh\necho\n", "tasks/main.yml": "- debug: {msg: x}\n",
        "prod.env": "A=b\n", "cmdline.py": "x\n", ".github/workflows/a.yml": "cmdline: x\n",
    }  # fmt: skip
    assert review({"x": "y\n"}, files) == (0, {})


@pytest.mark.parametrize("path", sorted({*LINES} - {"etc/modprobe.d/x.conf"}))
def test_such_a_file_is_a_boot_line_for_the_option(path, tmp_path, run_inside):
    text, line = LINES[path]
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.format(f" {BAD}"))
    result = run_inside("audit", EXAMPLE, "--cmdline", f"@{file}", "-f", "json")
    (report,) = json.loads(result.stdout)["reports"]
    assert result.code == 1
    assert report["subject"]["cmdline"].endswith(f" {BAD}")
    (told,) = (d for d in report["diagnostics"] if d["id"] == "parameter-unknown")
    assert told["line"] == line


GRUB = 'GRUB_CMDLINE_LINUX_DEFAULT="{}"\n'
MORE = 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT {}"\n'


def changes(file):
    return [(one["word"], one["added"]) for one in file["comparison"]["words"]]


def test_a_drop_in_is_judged_as_the_line_that_it_gives(review, repository):
    """What overrides words takes them from the line, also by being added, and back by its end."""
    first, second = "etc/default/grub", "etc/default/grub.d/50-x.cfg"
    before = {first: GRUB.format("quiet audit=1"), second: MORE.format("nohz=on")}
    code, found = review(before, {"etc/default/grub.d/90-y.cfg": GRUB.format("quiet")}, *ONE)
    assert changes(found["etc/default/grub.d/90-y.cfg"]) == [("audit=1", False), ("nohz=on", False)]
    note = found["etc/default/grub.d/90-y.cfg"]["note"]
    assert note.endswith(f"was read together with {first}, {second}")
    (repository.root / "etc/default/grub.d/90-y.cfg").unlink()
    code, found = review(None, {}, *ONE)
    assert changes(found["etc/default/grub.d/90-y.cfg"]) == [("audit=1", True), ("nohz=on", True)]
    # A word that another file takes back moves nothing.
    code, found = review({second: GRUB.format("")}, {first: GRUB.format(f"quiet {BAD}")}, *ONE)
    assert (code, changes(found[first])) == (0, [])


def test_files_that_changed_together_are_judged_once(review):
    first, second = "etc/default/grub", "etc/default/grub.d/50-x.cfg"
    before = {first: GRUB.format("quiet audit=1"), second: MORE.format("nohz=on")}
    after = {first: GRUB.format("quiet"), second: MORE.format("nohz=on audit=1")}
    code, found = review(before, after, *ONE)
    assert (code, changes(found[first])) == (0, [])
    assert found[second]["comparison"] is None
    assert found[second]["verdict"] == f"judged with {first}: the files are read together"
    code, found = review({}, {second: MORE.format(BAD)}, *ONE)
    (told,) = found[second]["comparison"]["appeared"]
    assert (code, told["path"], told["line"]) == (1, second, 1)


def test_a_profile_of_tuned_is_judged_with_those_that_it_includes(review):
    parent, child = "tuned/base/tuned.conf", "tuned/mine/tuned.conf"
    far = "[bootloader]\ncmdline_a=audit=1 nohz=on\n"
    before = {parent: far, child: "[main]\ninclude=base\n[bootloader]\ncmdline_b=quiet\n"}
    after = "[main]\ninclude=base\n[bootloader]\ncmdline_b=-audit=1\n"
    _, found = review(before, {child: after}, *ONE)
    assert changes(found[child]) == [("audit=1", False), ("quiet", False)]
    assert found[child]["note"].endswith(f"was read together with {parent}")
    _, found = review(None, {child: after.replace("base", "base, other")}, *ONE)
    assert found[child]["note"].endswith(
        f"was read together with {parent}; not readable here: 1 place"
    )


def test_a_file_beside_that_cannot_be_read_is_no_reason_not_to_judge(review):
    path, broken = "etc/sysctl.d/5.conf", "etc/default/grub.d/1.cfg"
    before = {"etc/default/grub": GRUB.format("quiet"), broken: "A='x\n", path: "vm.a = 1\n"}
    _, found = review(before, {"etc/default/grub": GRUB.format("splash")}, *ONE)
    assert changes(found["etc/default/grub"]) == [("splash", True), ("quiet", False)]
    review({"usr/lib/sysctl.d/9.conf": "vm.a = 2\n"}, {}, *ONE)
    _, found = review({}, {path: "vm.a = 3\n"}, *ONE)
    assert found[path]["comparison"]["run_time"] == []
    _, found = review({}, {"usr/lib/sysctl.d/5.conf": "vm.b = 3\n"}, *ONE)
    assert found["usr/lib/sysctl.d/5.conf"]["comparison"]["run_time"] == []


def test_a_new_boot_file_does_not_answer_for_the_configuration(review):
    path = "etc/kernel/cmdline"
    words = ("-p", "realtime", "--base-config", EXAMPLE)
    code, found = review({"x": "y\n"}, {path: "quiet\n"}, *words)
    assert (code, found[path]["edits"]) == (0, [])
    code, found = review({}, {path: "quiet mitigations=off\n"}, *words)
    assert (code, found[path]["failed"]) == (1, True)


def test_what_may_be_one_or_the_other_has_not_moved_in_another_order(review):
    """selinux=0 on a kernel of which nothing is told may say something, or nothing."""
    path = "boot/cmdline.txt"
    _, found = review({path: "quiet selinux=0\n"}, {path: "quiet\n"})
    assert changes(found[path]) == [("selinux=0", False)]
    assert found[path]["comparison"]["settings"] == []


def test_odd_names_and_floods_beside_are_left_out(review):
    """Names that no question to git can hold, and more text than people write."""
    path = "etc/default/grub"
    odd = {
        f"etc/default/grub.d/{name}.cfg": GRUB.format("never")
        for name in ("a b", "a\nb", b"\xff".decode("utf-8", "surrogateescape"))
    }
    flood = {f"etc/default/grub.d/{n}.cfg": f"# {'x' * 200_000}\n" for n in range(3)}
    code, found = review({path: GRUB.format("quiet"), **odd, **flood}, {path: GRUB.format(BAD)})
    assert (code, changes(found[path])) == (1, [(BAD, True), ("quiet", False)])
    assert found[path]["note"].endswith("was read together with etc/default/grub.d/0.cfg")
