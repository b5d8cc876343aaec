"""Files in which people keep boot lines: what is literal in them, and where it stands."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.inputs import bootfiles
from advisor.inputs.bootfiles import together
from advisor.inputs.bootline import line_of
from advisor.model.cmdline import parse_cmdline

from ..cases import each

SHELLS = [found for shell in ("dash", "bash") if (found := shutil.which(shell))]
GRUB = "etc/default/grub"


def read(path, text, arch=None):
    """What the file of that path holds, by its name or its text."""
    format = bootfiles.format_of(path) or bootfiles.candidate(path, text)
    return bootfiles.read(text, path, format or bootfiles.format_of(path, text), arch)


def words(file):
    return [word.text for word in file.cmdline.words]


def places(file):
    """Each word with its line and column."""
    found = ((word, file.cmdline.place(word.column)) for word in file.cmdline.words)
    return [(word.text, place.line, place.column) for word, place in found]


def told(file):
    """Of each place that is not readable its line and text."""
    return [(note.location.line, note.subject) for note in file.notes]


# Each format: a path, a text, the words with their lines, and what is not readable.
CASES = {
    "grub": (
        GRUB,
        "# quiet\nGRUB_DISTRIBUTOR=`lsb_release -i || echo x`\n"
        "GRUB_CMDLINE_LINUX_DEFAULT='quiet splash'\n"
        'GRUB_CMDLINE_LINUX="a=1 dyndbg=\\"file a.c +p\\""  # why\n'
        "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet \\\n  'b c'\"\nGRUB_TIMEOUT=5\nexport GRUB_TIMEOUT\n",
        [("a=1", 4), ('"dyndbg=file a.c +p"', 4), ("quiet", 5), ('"b c"', 6)],
        [],
    ),
    "grub-drop-in": (
        "etc/default/grub.d/50-x.cfg",
        'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT a=1"\n'
        'GRUB_CMDLINE_LINUX_DEFAULT="${GRUB_CMDLINE_LINUX_DEFAULT:+$GRUB_CMDLINE_LINUX_DEFAULT }b"'
        '\nGRUB_CMDLINE_LINUX_DEFAULT+=" c"\n',
        [("a=1", 1), ("b", 2), ("c", 3)],
        [],
    ),
    "grub-computed": (
        GRUB,
        'GRUB_CMDLINE_LINUX="a $X b=$(id)c \\$tuned_params d"\n'
        'if [ -f /x ]; then\n GRUB_CMDLINE_LINUX="e"\nfi\n'
        '[ x ] && GRUB_CMDLINE_LINUX="f"\n. /etc/other\neval x=y\n'
        "case $x in *a*) echo ;; *) GRUB_CMDLINE_LINUX=g ;; esac\n"
        "f() { GRUB_CMDLINE_LINUX=h; }\nf\n",
        [("a", 1), ("d", 1)],
        [(1, "$X"), (1, "b=$(id)c"), (1, "$tuned_params"), (3, 'GRUB_CMDLINE_LINUX="e"'),
         (5, 'GRUB_CMDLINE_LINUX="f"'), (6, ". /etc/other"), (7, "eval x=y"),
         (8, "GRUB_CMDLINE_LINUX=g"), (9, "GRUB_CMDLINE_LINUX=h"), (10, "f")],
    ),
    "grub-cut": (
        GRUB, "GRUB_CMDLINE_LINUX='a; b'\nGRUB_CMDLINE_LINUX_DEFAULT='c # d'\n",
        [("a", 1), ("c", 2)], [(1, "; b"), (2, "# d")],
    ),
    "kernel-install": (
        "etc/kernel/cmdline", "root=/dev/sda1 quiet\n # a\n", [("root=/dev/sda1", 1), ("quiet", 1),
        ("#", 2), ("a", 2)], [],
    ),
    "raspberry": ("boot/cmdline.txt", "a b\n\n# c\n", [("a", 1), ("b", 1)], []),
    "dracut": ("etc/cmdline.d/a.conf", "# why\na b\n", [("a", 2), ("b", 2)], []),
    "modprobe": (
        "etc/modprobe.d/x.conf",
        '# options a b=1\noptions a b=1 \\\n  c="d e"\nblacklist f\ninstall g /bin/true\n'
        "options h\n",
        [("a.b=1", 2), ('a.c="d e"', 2)],
        [(5, "install g /bin/true")],
    ),
    "bootc": (
        "usr/lib/bootc/kargs.d/10.toml",
        '# kargs = ["no"]\nkargs = [\n  "a=1", # "no"\n  \'b="c d"\',\n  """e f""",\n]\n'
        'match-architectures = ["x86_64"]\n',
        [("a=1", 3), ('b="c d"', 4), ("e", 5), ("f", 5)], [],
    ),
    "tuned": (
        "usr/lib/tuned/x/tuned.conf",
        "[main]\nsummary=cmdline\n[bootloader]\ncmdline_a=+a=1 b=${c d} e  # f\ncmdline_b = -e\n"
        "cmdline=g\n[sysctl]\nvm.swappiness=10\nkernel.x=${y}\n[sysfs]\n/sys/a/b=1\n",
        [("a=1", 4), ("g", 6)], [(4, "b=${c d}"), (9, "kernel.x=${y}")],
    ),
    "bls": (
        "boot/loader/entries/a.conf",
        "title options a\noptions root=/dev/x $kernelopts\n# options no\noptions  quiet\n",
        [("root=/dev/x", 2), ("quiet", 4)], [(2, "$kernelopts")],
    ),
    "extlinux": (
        "boot/extlinux/extlinux.conf",
        "default l1\nAPPEND all\nlabel l0\n\tappend single\nlabel l1\n  menu label append x\n"
        "  append root=/dev/x quiet ${cbootargs}\n",
        [("root=/dev/x", 7), ("quiet", 7)], [(7, "${cbootargs}"), (4, "single")],
    ),
    "extlinux-for-all": ("extlinux.conf", "append all\nlabel a\n", [("all", 1)], []),
    "u-boot": (
        "boot/uEnv.txt",
        "# bootargs=no\nbootargs=old\nbootargs=a=1 console=${console}\nextraargs=b\n"
        "mmcargs=setenv bootargs c ${d}; bootm\n",
        [("c", 5), ("a=1", 3), ("b", 4)], [(5, "${d}"), (3, "console=${console}")],
    ),
    "armbian": ("boot/armbianEnv.txt", "verbosity=1\nextraargs=a b\n", [("a", 2), ("b", 2)], []),
    "u-boot-script": (
        "boot.cmd",
        'setenv bootargs "a ${x}"\nif true; then setenv bootargs "${bootargs} b"; fi\n'
        "env set bootargs $bootargs c\nbootz\n",
        [("a", 1), ("b", 2), ("c", 3)], [(1, "${x}")],
    ),
    "grubby": (
        "scripts/boot.sh",
        '#!/bin/sh\nsudo grubby --update-kernel=ALL --args="a=1 b=$x c"\n'
        "/sbin/grubby --args 'd e' --remove-args=c --update-kernel ALL\necho grubby\n",
        [("a=1", 2), ("d", 3), ("e", 3)], [(2, "b=$x")],
    ),
    "nixos": (
        "configuration.nix",
        '{ config, lib, ... }:\n{\n  # boot.kernelParams = [ "no" ];\n  boot.kernelParams = '
        '[ "a=1" "b=${c}" x."d" (f "e") "g" ]\n    ++ lib.optionals y [ "h" ] ++ [ "i" ];\n'
        '  boot = { kernelParams = lib.mkForce [ "j" ]; };\n  s = \'\'boot.kernelParams = [ "no" ];'
        "\n \'\';\n  boot.kernel.sysctl.\"vm.swappiness\" = 10;\n}\n",
        [("a=1", 4), ("g", 4), ("i", 5), ("j", 6)],
        [(4, '"b=${c}"'), (4, 'x."d" (f "e")'), (5, 'lib.optionals y [ "h" ]')],
    ),
    "ansible-as-json": (
        "vars/a.yml", '{"a": 1, "kernel_args": ["b", "c=d"]}\n', [("b", 1), ("c=d", 1)], [],
    ),
    "ansible": (
        "group_vars/all.yml",
        "---\ncmdline: a=1 {{ b c }} d\nkernel_args:\n  - 'e f'\n  - '{{ g }}'\n"
        "bootloader_settings:\n  - kernel: ALL\n    options:\n      - {name: h, state: present}\n"
        "      - {name: i, value: j}\n      - {name: k, state: absent}\nother: l\n"
        "sysctl_x: {vm.swappiness: 10, kernel.y: '{{ z }}'}\n",
        [("a=1", 2), ("d", 2), ("e", 4), ("f", 4), ("h", 9), ("i=j", 10)],
        [(2, "{{ b c }}"), (5, "{{ g }}"), (13, "kernel.y={{ z }}")],
    ),
}  # fmt: skip


@each("case", CASES)
def test_words_and_what_is_not_readable(case):
    path, text, expected, computed = CASES[case]
    file = read(path, text)
    assert [(word, line) for word, line, _ in places(file)] == expected
    assert told(file) == computed
    assert any("not readable" in remark for remark in file.remarks) == bool(computed)


def test_a_raspberry_pi_reads_one_line():
    """k3s-io/k3s#3283; what else keeps a line as it is may have several."""
    file = read("boot/cmdline.txt", "quiet ro\n\n# why\ncgroup_enable=memory cgroup_memory=1\n")
    assert [word for word, _, _ in places(file)] == ["quiet", "ro"]
    (note,) = file.notes
    assert (note.id, note.location.line) == ("boot-line-cut", 4)
    assert (
        note.remedy
        == "write all parameters on line 1: quiet ro cgroup_enable=memory cgroup_memory=1"
    )
    assert line_of("quiet\nro\n", "cmdline.txt").notes[0].location.line == 2
    assert len(read("etc/cmdline.d/a.conf", "quiet\nro\n").cmdline.words) == 2


@each("case", CASES)
def test_lines_that_end_as_on_windows(case):
    path, text, expected, _ = CASES[case]
    file = read(path, text.replace("\n", "\r\n"))
    assert [(word, line) for word, line, _ in places(file)] == expected


def test_columns_are_those_of_the_file():
    file = read(GRUB, "GRUB_CMDLINE_LINUX=\"a \\$x 'b c' d\"\n")
    assert places(file) == [("a", 1, 21), ('"b c"', 1, 27), ("d", 1, 33)]
    assert file.cmdline.text == 'a "b c" d'


def test_sysctls():
    file = read("etc/sysctl.d/99-x.conf", "# a\nvm.swappiness = 10\nnet/core/x=1\n")
    found = {key: (value, place.line) for key, (value, place) in file.sysctl.items()}
    assert found == {"vm.swappiness": ("10", 2), "net.core.x": ("1", 3)}
    assert file.cmdline is None


def test_lines_that_are_no_sysctls_are_told():
    text = "nonsense\n# {{ x }}\nvm.swappiness = 1\nvm.x = {{ y }}\n{% if z %}\n-vm.a = 2\n"
    file = read("sysctl.conf", text)
    assert told(file) == [(1, "nonsense"), (4, "vm.x = {{ y }}"), (5, "{% if z %}")]
    assert {key: place.line for key, (_, place) in file.sysctl.items()} == {
        "vm.swappiness": 3, "vm.a": 6,
    }  # fmt: skip


def test_what_is_told_is_one_line():
    file = read(GRUB, 'GRUB_CMDLINE_LINUX="$(a\n\n# b)"\n' + "eval " + "x" * 100 + "\n")
    assert told(file) == [(1, "$(a # b)"), (4, f"eval {'x' * 55}...")]


def test_options_of_modules_are_for_modules():
    assert "built-in" in read("modprobe.d/a.conf", "options a b=1\n").remarks[0]


SYSCTLS = {
    "tuned.conf": "[sysctl]\nvm.swappiness=10\n[sysfs]\n/sys/a/b=1\n",
    "a/configuration.nix": '{ boot.kernel.sysctl = {\n"vm.swappiness" = lib.mkDefault 10;\n}; }',
    "b/configuration.nix": '{ boot.kernel.sysctl\n."vm.swappiness" = "10"; }',
    "group_vars/a.yml": "sysctl:\n  - {name: vm.swappiness, value: 10}\n",
    "host_vars/a.yml": "my_sysctls:\n  vm.swappiness: '10'\n",
    "tasks/a.yml": "- ansible.posix.sysctl: {reload: true,\n  name: vm.swappiness, value: '10'}\n",
    "tasks/b.yml": "- name: x\n  sysctl: {name: vm.swappiness, value: 10}\n",
}


@each("path", SYSCTLS)
def test_sysctls_of_other_formats(path):
    file = read(path, SYSCTLS[path])
    found = {key: (value, place.line) for key, (value, place) in file.sysctl.items()}
    assert found == {"vm.swappiness": ("10", 2)}
    assert file.cmdline is None
    assert list(file.sysfs) == (["/sys/a/b"] if "tuned" in path else [])


@each(("arch", "taken"), [("x86", True), ("arm64", False), (None, True)])
def test_bootc_for_other_machines(arch, taken):
    text = 'kargs = ["a"]\nmatch-architectures = ["x86_64"]\n'
    file = read("kargs.d/a.toml", text, arch)
    assert words(file) == ["a"] * taken
    assert bool(file.remarks) == (arch != "x86")


def test_many_places_that_are_not_readable_are_counted():
    file = read(GRUB, "eval x\n" * 50)
    assert file.remarks == ("not readable here: 50 places",)
    assert len(file.notes) == 21
    assert "30 more places" in file.notes[-1].message


# What a script could hide settings in: each is read, or told.
HIDING = [
    "((1<<EOF))\nGRUB_CMDLINE_LINUX=evil\nEOF\n",
    "cat <<EOF\nx\nEOF\nGRUB_CMDLINE_LINUX=evil\n",
    "x=`echo \\`id\\``; GRUB_CMDLINE_LINUX=evil\n",
    "x=$(case a in a) echo ;; esac)\nGRUB_CMDLINE_LINUX=evil\n",
    "x=${y:-'}'}\nGRUB_CMDLINE_LINUX=evil\n",
    'x="$(echo ")" \'"\')"\nGRUB_CMDLINE_LINUX=evil\n',
    "x=a#b GRUB_CMDLINE_LINUX=evil\n",
    "GRUB_CMDLINE_LINUX=${GRUB_CMDLINE_LINUX:+evil}\n",
    "printf -v GRUB_CMDLINE_LINUX evil\n",
    "read GRUB_CMDLINE_LINUX </etc/x\n",
    "for GRUB_CMDLINE_LINUX in evil; do :; done\n",
    "declare GRUB_CMDLINE_LINUX=evil\n",
    "export GRUB_CMDLINE_LINUX=evil\n",
    "$x GRUB_CMDLINE_LINUX=evil\n",
    "x=$'\\'' GRUB_CMDLINE_LINUX=evil\n",
    "GRUB_CMDLINE_LINUX=$'evil'\n",
    "x() { printf evil; }; GRUB_CMDLINE_LINUX=$(x)\n",
    "trap 'GRUB_CMDLINE_LINUX=evil' EXIT\n",
    ": ${GRUB_CMDLINE_LINUX:=evil}\n",
    "alias x='GRUB_CMDLINE_LINUX=evil'\nx\n",
    "GRUB_CMDLINE_LINU\\\nX=evil\n",
]


@each("script", HIDING)
def test_nothing_hides(script):
    file = read(GRUB, script)
    assert "evil" in words(file) or told(file)


@pytest.mark.slow
@each(
    ("path", "text", "message"),
    [
        (GRUB, "a=1\nGRUB_CMDLINE_LINUX='x\n", "grub:2: a quote or expansion that is not closed"),
        (GRUB, 'GRUB_CMDLINE_LINUX="$(x"\n', "is not closed"),
        (GRUB, 'GRUB_CMDLINE_LINUX="it\'s"\n', "under GRUB's rules, a quote is not closed"),
        (GRUB, "GRUB\0", "zero byte"),
        (GRUB, "#" * (1 << 18) + "\n", "more than 256 KiB"),
        ("cmdline", "a " * 40000, "a boot line of more than 65536"),
        ("kargs.d/a.toml", "kargs = [\n1]\n", "lists of strings"),
        ("kargs.d/a.toml", "kargs = []\nx = 1\n", "because of the unknown key 'x'"),
        ("kargs.d/a.toml", "kargs = [\n", "is no TOML"),
        ("kargs.d/a.toml", "[" * 1000, "more than 200 brackets"),
        ("tuned.conf", "x\n", "no file that TuneD reads"),
        ("boot.cmd", "setenv bootargs 'a\n", "is not closed"),
        ("a.nix", '{ kernelParams = [ "a ]; }', "a string that is not closed"),
        ("group_vars/a.yml", "cmdline: [a\n", "group_vars/a.yml:2: is no YAML"),
        ("group_vars/a.yml", "cmdline: " + "[" * 5000, "is not readable as YAML"),
        ("group_vars/a.yml", "cmdline: a\n" + "#" * (1 << 17), "more than 128 KiB of YAML"),
    ],
)
def test_what_is_no_such_file(path, text, message):
    with pytest.raises(InputError, match=message):
        read(path, text)


FORMATS = {one.id: one for one in (*bootfiles.FORMATS, bootfiles.PLAIN)}
PARTS = st.sampled_from(
    ["GRUB_CMDLINE_LINUX", "GRUB_CMDLINE_LINUX_DEFAULT", "=", '"', "'", "`", "$", "${", "}", "$(",
     ")", "(", "\\", "\n", " ", ";", "&&", "|", "#", "<<", "EOF", "if", "fi", "{", "case", "esac",
     "options", "append", "[", "]", "[bootloader]", "cmdline", "+", "kargs", "\r\n", "\t", ",",
     "boot.kernelParams", "''", "/*", "*/", "++", "- ", ": ", "|", ">", "&a", "*a", "<<:", "\x01",
     "a=b", "%", "bootargs", "setenv", "label", "x.y", "sysctl", "\ud800", "é", "'''", '"""']
)  # fmt: skip
TEXTS = st.lists(PARTS | st.text(max_size=3), max_size=40).map("".join)


# Signs that a reader could come back to again and again.
LONG = [
    "a", "[", "(", "{", "$(", "${", "{{",
    '"', "'", "`", "\\", "\n", "\\\n", "a=b ", "''", "- ", "a.",
    "a: ", "? ", "&a ", "<<E\n", "if ", "case a in ", "cmdline", "grubby ", "options a b ",
    "append a\nlabel a\n", "bootargs=${a}\n", "setenv bootargs a ", "/*", '"""', "[a]\n", "$x ",
    'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX a"\n', "a=\n",
    "boot.kernelParams=[",
]  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150)
@example(text="\x85GRUB_CMDLINE_LINUX")  # a line of YAML 1.1, and of nobody else
@given(text=TEXTS)
def test_any_text_is_read_or_refused(name, text):
    try:
        file = bootfiles.read(text, "x", FORMATS[name])
    except InputError:
        return
    last = text.count("\n") + 1
    notes = [note.location.line for note in file.notes]
    lines = [line for _, line, _ in places(file)] if file.cmdline else []
    assert all(1 <= line <= last for line in notes + lines)


@pytest.mark.slow
@each("name", FORMATS)
@each("sign", LONG)
def test_a_long_text_is_read_or_refused_at_once(name, sign):
    text = sign * ((1 << 13) // len(sign))
    refused = ""
    try:
        bootfiles.read(text, "x", FORMATS[name])
    except InputError as error:
        refused = str(error)
    assert len(refused) < 500


SIMPLE = st.text(st.sampled_from("ab=-_.,/+%!#;$`'\\\"{}()*?&|<>~^:@ \u00e9"), max_size=20)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_reads_the_same(shell, tmp_path):
    """What is literal here is what the shell hands to GRUB, for any value in any quotes."""
    compared = []

    @settings(max_examples=60)
    @given(st.lists(st.tuples(SIMPLE, st.sampled_from(["quote", '"', ""])), max_size=3))
    def agree(parts):
        value = "".join(
            shlex.quote(text) if how == "quote" else
            '"' + re.sub(r'([\\"$`])', r"\\\1", text) + '"' if how else re.sub(r"\W", "", text)
            for text, how in parts
        )  # fmt: skip
        script = f"GRUB_CMDLINE_LINUX={value}\n"
        try:
            file = read(GRUB, script)
        except InputError:
            return
        shown = subprocess.run(
            [shell, "-c", f'{script}printf "%s" "$GRUB_CMDLINE_LINUX"'], capture_output=True,
            check=True,
        ).stdout.decode()  # fmt: skip
        try:
            expected = (
                shlex.split(shown, comments=False) if not set(shown) & set("$#;|&<>") else None
            )
        except ValueError:
            return
        if expected is not None:
            # GRUB hands an empty argument on as a blank: the kernel sees no word.
            expected = [word for word in expected if word]
            if "--" in expected:  # behind it stands what is init's
                return
            found = [re.sub(r"\\(.)", r"\1", word).strip('"') for word in words(file)]
            # The kernel takes quotes otherwise than a shell, and knows no backslash.
            if any('"' in word or "\\" in word for word in expected):
                return
            assert found == expected
            compared.append(value)

    agree()
    assert compared


@each(
    ("path", "text", "line"),
    [
        ("/proc/cmdline", "quiet nohz=off\n", "quiet nohz=off"),
        ("any", "quiet a=b\n", "quiet a=b"),
        ("copy-of-grub", 'X=1\nGRUB_CMDLINE_LINUX="quiet a=b"\n', "quiet a=b"),
        ("one", 'GRUB_CMDLINE_LINUX="quiet a=b"', "quiet a=b"),
        ("etc/kernel/cmdline", "quiet\na=b\n", "quiet a=b"),
    ],
)
def test_a_file_for_the_boot_line_option(path, text, line):
    assert line_of(text, path).text == line


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("any", "quiet\nnohz=off\n", "has several lines"),
        ("sysctl.d/x.conf", "vm.swappiness=1\n", "holds no boot line"),
    ],
)
def test_a_file_without_a_boot_line(path, text, message):
    with pytest.raises(InputError, match=message):
        line_of(text, path)


def test_the_documentation_names_every_file():
    page = (Path(__file__).parents[2] / "docs/boot-lines.md").read_text()
    named = {name for one in FORMATS.values() for name in (*one.names, *one.often)}
    named -= {name for name in named if name.endswith((".yml", ".yaml")) or "tuned" in name}
    assert not [name for name in named if f"`{name}`" not in page]


def test_a_line_in_one_part_is_where_it_was():
    line = parse_cmdline("quiet a=b", "x")
    assert line.place(7) == ("x", 1, 7)


@each(
    ("paths", "order"),
    [
        (
            ("etc/default/grub.d/9.cfg", "etc/default/grub.d/10.cfg", "etc/default/grub"),
            ("etc/default/grub", "etc/default/grub.d/10.cfg", "etc/default/grub.d/9.cfg"),
        ),
        (
            ("a/usr/lib/sysctl.d/10.conf", "a/etc/sysctl.d/10.conf", "a/run/sysctl.d/05.conf"),
            ("a/run/sysctl.d/05.conf", "a/etc/sysctl.d/10.conf"),
        ),
        (
            ("usr/lib/bootc/kargs.d/b.toml", "usr/lib/bootc/kargs.d/a.toml"),
            ("usr/lib/bootc/kargs.d/a.toml", "usr/lib/bootc/kargs.d/b.toml"),
        ),
    ],
)
def test_files_of_one_system_are_read_in_its_order(paths, order):
    assert {together.root_of(path) for path in paths} == {together.root_of(paths[0])}
    assert together.in_order(paths) == list(order)
    for path in paths:
        folders = together.folders_of(path)
        assert all(any(p == f or p.startswith(f"{f}/") for f in folders) for p in paths)


@each(
    "paths",
    [
        ("hosts/a/etc/default/grub", "hosts/b/etc/default/grub.d/x.cfg"),
        ("etc/default/grub", "etc/sysctl.d/x.conf"),
        ("a/usr/lib/bootc/kargs.d/a.toml", "b/usr/lib/bootc/kargs.d/a.toml"),
    ],
)
def test_files_of_several_systems_are_not_read_together(paths):
    assert len({together.root_of(path) for path in paths}) == len(paths)


@each("path", ["roles/x/files/sysctl.d/a.conf", "grub.d/a.cfg", "a/cmdline"])
def test_what_may_be_of_any_system_is_read_alone(path):
    assert together.root_of(path) is None


def test_a_drop_in_sees_what_was_set_before_it():
    files = [
        ("etc/default/grub", 'A=1\nGRUB_CMDLINE_LINUX_DEFAULT="quiet splash"\n'),
        ("d/1.cfg", 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT a b"\n'),
        ("d/2.cfg", 'GRUB_CMDLINE_LINUX+=" c"\n'),
        ("d/3.cfg", 'GRUB_CMDLINE_LINUX_DEFAULT="${GRUB_CMDLINE_LINUX_DEFAULT} $(x)"\n'),
    ]
    line = bootfiles.read_together(files, FORMATS["grub"]).cmdline
    assert [(w.text, line.place(w.column).path, line.place(w.column).line) for w in line.words] == [
        ("c", "d/2.cfg", 1), ("quiet", "etc/default/grub", 2), ("splash", "etc/default/grub", 2),
        ("a", "d/1.cfg", 1), ("b", "d/1.cfg", 1),
    ]  # fmt: skip
    assert [(note.location.path, note.subject) for note in line.notes] == [("d/3.cfg", "$(x)")]
    files.append(("d/4.cfg", "GRUB_CMDLINE_LINUX_DEFAULT=\n"))
    assert bootfiles.read_together(files, FORMATS["grub"]).cmdline.text == "c"


@each(
    ("text", "expected", "computed"),
    [
        ('let c = [ "a" "b" ]; in { boot.kernelParams = c ++ [ "d" ]; }', ["a", "b", "d"], []),
        ('let c = [ "a" ]; in { boot.kernelParams = lib.mkForce c; }', ["a"], []),
        ('let c = [ "a" x ]; in { boot.kernelParams = c; }', [], ["c"]),
        ('let c = [ "a" ]; in { boot.kernelParams = f c ++ [ "b" ]; }', ["b"], ["f c"]),
        ('let c = [ "a" ]; in let c = [ "b" ]; in { boot.kernelParams = c; }', [], ["c"]),
        ('{ c = [ "a" ]; boot.kernelParams = c; }', [], ["c"]),
        ('let c = [ "${x}" ]; in { boot.kernelParams = c; }', [], ['"${x}"']),
    ],
)
def test_a_name_that_a_let_binds_to_a_list_is_read_as_the_list(text, expected, computed):
    line = read("a.nix", text).cmdline
    assert [word.text for word in line.words] == expected if line else not expected
    assert [note.subject for note in read("a.nix", text).notes] == computed


def test_a_line_of_other_entries_is_told():
    text = 'GRUB_CMDLINE_LINUX_RECOVERY="single nomodeset"\nGRUB_CMDLINE_LINUX=quiet\n'
    file = read("etc/default/grub", text)
    assert file.cmdline.text == "quiet"
    assert file.remarks == (
        "GRUB_CMDLINE_LINUX_RECOVERY is for other boot entries, and is not judged",
    )


def test_options_of_a_file_system_are_no_boot_line():
    text = 'os_mnt_boot_options: "rw,nosuid"\nboot_options: [quiet]\n'
    assert read("group_vars/all.yml", text).cmdline.text == "quiet"


def test_shares_of_memory_that_tuned_sets_are_those_of_the_sysctl():
    text = "[vm]\ndirty_bytes=10%\ndirty_background_bytes=4096\ndirty_ratio=${x}\n"
    file = read("tuned.conf", text)
    assert {key: value for key, (value, _) in file.sysctl.items()} == {
        "vm.dirty_ratio": "10", "vm.dirty_background_bytes": "4096",
    }  # fmt: skip
    assert [note.subject for note in file.notes] == ["dirty_ratio=${x}"]


def test_a_sysctl_without_its_folder_is_no_sysctl_s_name():
    (note,) = read("sysctl.d/a.conf", "io_uring_disabled = 2\n").notes
    assert note.message.endswith("(not the name of a sysctl: it has no dot)")


PARENT = "[sysctl]\nvm.swappiness=10\nkernel.x=1\n[bootloader]\ncmdline_a=+a=1 b\n"
CHILD = """[main]
include=parent, far
[sysctl]
drop=kernel.x
vm.swappiness=20
[bootloader]
cmdline_b=-b
cmdline_c=+c
"""


def test_a_profile_of_tuned_stands_above_those_that_it_includes():
    files = [("p/child/tuned.conf", CHILD), ("p/parent/tuned.conf", PARENT)]
    format = bootfiles.format_of("tuned.conf")
    file = bootfiles.read_together(files, format)
    assert words(file) == ["a=1", "c"]
    assert str(file.cmdline.place(1)) == "p/parent/tuned.conf:5"
    assert file.sysctl == {"vm.swappiness": ("20", ("p/child/tuned.conf", 5, 0))}
    assert [str(note.location) for note in file.notes] == ["p/child/tuned.conf:2"]
    assert "include=far (another profile, which TuneD reads first)" in file.notes[0].message


def test_a_profile_without_its_parent_says_so():
    file = read("p/child/tuned.conf", CHILD)
    assert words(file) == ["c"]
    assert file.remarks == ("not readable here: 2 places",)
