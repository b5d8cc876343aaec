"""Boot lines in the formats of boot loaders' tools, read back as those tools read them."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess

import pytest
import tomli
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.errors import UsageError
from advisor.inputs import bootfiles
from advisor.inputs.config import parse_config
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import KernelVersion, Machine, quoted, unquote
from advisor.model.plan import BuiltIn, Plan
from advisor.model.profile import Profile
from advisor.model.report import Report
from advisor.output import BOOT_FORMATS, Style, renderer

from ..cases import each

SHELLS = [found for shell in ("dash", "bash") if (found := shutil.which(shell))]
# Words with everything that some reader on the way could take for its own, and who carries each.
ALL = {"plain", "grub", "grubby", "kernel-install", "bootc", "tuned", "kconfig"}
HOSTILE = {
    "quiet": ALL,
    "isolcpus=managed_irq,domain,2-7": ALL,
    "a.b-c_d=/dev/sda1:x@y%z": ALL,
    "=odd": ALL - {"grubby"},
    "--=x": ALL - {"grubby"},
    'dyndbg="file a.c +p"': ALL - {"grubby", "tuned"},
    '"dyndbg=file a.c +p"': ALL - {"grubby", "tuned"},
    'empty=""': ALL - {"grubby", "tuned"},
    'a=b"c"d': ALL - {"grub", "grubby", "tuned"},
    'a=x"b c"y': ALL - {"grub", "grubby", "tuned"},
    "a=it's": ALL - {"grub", "grubby", "tuned"},
    "a=b\\c": ALL - {"grub", "grubby", "tuned", "kernel-install"},
    "a=b\\": ALL - {"grub", "grubby", "tuned", "kernel-install"},
    "a=$HOME${x}$(id)": ALL - {"grubby", "tuned"},
    "a=`id`": ALL - {"grubby", "tuned"},
    "a=b;c&d|e<f>g": ALL - {"grubby"},
    "a=#b": ALL - {"grubby"},
    "#a": ALL - {"grubby", "tuned"},
    ";a": ALL - {"grubby"},
    "a=100%s%(b)s": ALL - {"grubby"},
    "a=!b{c}~d^e": ALL - {"grubby", "tuned"},
    "a=!b~d^e": ALL - {"grubby"},
    "a=b*c?[d]": ALL - {"grubby", "tuned"},
    "a=caf\u00e9": ALL - {"grubby"},
    "a=+b": ALL - {"grubby"},
    'a="b  c"': ALL - {"grubby", "tuned", "kernel-install"},
    'a="b\tc"': {"plain", "bootc", "kconfig"},
    "a=CONFIG_HZ": ALL - {"kconfig"},
    'a="b\nc"': set(),
    "a=b\0c": set(),
    "a=b\x7fc": set(),
    "a=\udcff": set(),
    "b=\ufffd": set(),
}


def report(present, dropped=(), added=(), arch="x86", **more):
    """The report of a plan that takes some words away from a line and appends others."""
    kept = [word for word in present if word not in dropped]
    line = " ".join([*kept, *added])
    own = tuple(added) if arch == "x86" else (*kept, *added)
    symbols = [("CMDLINE_BOOL", "y")] if arch == "x86" else []
    plan = Plan(
        words=tuple(added),
        dropped=tuple(dropped),
        cmdline=line,
        built_in=BuiltIn((*symbols, ("CMDLINE", quoted(" ".join(own)))), own, "before", 2047),
    )
    return Report(
        name="a\n'; id # \" `config` CONFIG_X",
        kernel=KernelVersion(6, 12, 0, "6.12.0"),
        machine=Machine(arch=arch),
        complete=True,
        cmdline=" ".join(present),
        profiles=(Profile("realtime", "", "", ()), Profile("power-saving", "", "", ())),
        findings=(),
        diagnostics=(),
        conflicts=(),
        plan=plan._replace(**more),
    )


def meaning(line):
    return [(word.name, word.value) for word in parse_cmdline(line).words]


def render(name, *arguments, **more):
    return renderer(name, BOOT_FORMATS)([report(*arguments, **more)], Style())


# What each reader makes of a file: the line with which the kernel starts.


def sourced(shell, text, settings, folder):
    """GRUB_CMDLINE_LINUX and _DEFAULT, after grub-mkconfig has sourced the file."""
    drop_in = folder / "zz.cfg"
    drop_in.write_text(text)
    code = (
        'set -eu; . "$0"; printf "%s\\0%s" "${GRUB_CMDLINE_LINUX-}" "$GRUB_CMDLINE_LINUX_DEFAULT"'
    )
    done = subprocess.run(
        [shell, "-c", code, drop_in],
        env={"PATH": "/nonexistent", **settings},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode().split("\0")


def grub_line(text):
    """What GRUB 2.06 hands to the kernel: words of its language, each quoted anew."""
    found = []
    for word in shlex.split(text):  # single quotes, and signs that mean nothing, as in a shell
        escaped = re.sub(r"""([\\'"])""", r"\\\1", word)
        found.append(f'"{escaped}"' if " " in word else escaped)
    return " ".join(found)


def grub(text, present, folder):
    started = set()
    for shell in SHELLS:
        first, second = sourced(shell, text, {"GRUB_CMDLINE_LINUX_DEFAULT": present}, folder)
        assert first == ""
        if shutil.which("grub-script-check"):
            subprocess.run(
                ["grub-script-check"], input=f"linux /vmlinuz {second}\n".encode(), check=True
            )
        started.add(grub_line(second))
    (line,) = started
    return line


def grubby(text, present, folder):
    command = text.splitlines()[-1]
    name, every, *options = shlex.split(command)
    assert (name, every) == ("grubby", "--update-kernel=ALL")
    shown = 'grubby() { printf "%s\\0" "$@"; }; ' + command
    for shell in SHELLS:
        done = subprocess.run([shell, "-euc", shown], capture_output=True, check=True)
        assert done.stdout.decode().split("\0") == [every, *options, ""]
    given = dict(option.split("=", 1) for option in options)
    line = [word for word in present.split() if word not in given.get("--remove-args", "").split()]
    return " ".join([*line, *given.get("--args", "").split()])


def kernel_install(text, present, folder):
    """The options line of 90-loaderentry.install."""
    (folder / "cmdline").write_text(text)
    code = 'O="$(tr -s "$IFS" " " <"$0")"; O="${O% }"; echo "options    $O"'
    lines = {
        subprocess.run(
            [shell, "-euc", code, folder / "cmdline"], capture_output=True, check=True
        ).stdout.decode()
        for shell in SHELLS
    }
    (line,) = lines
    return line.removeprefix("options    ").rstrip("\n")


def bootc(text, present, folder):
    read = tomli.loads(text)
    assert set(read) <= {"kargs", "match-architectures"}
    return " ".join([present, *read["kargs"]])


def tuned(text, present, folder):
    """As profiles/loader.py, plugin_bootloader.py and 00_tuned of TuneD read and write it."""
    parser = configparser.ConfigParser(
        delimiters=("="), inline_comment_prefixes=("#"), strict=False
    )
    parser.optionxform = str
    parser.read_string(text)
    assert parser.sections() == ["bootloader"]
    ((key, value),) = parser.items("bootloader", raw=True)
    assert key.startswith("cmdline")
    assert value[0] == "+"
    value = re.sub('^"(.*)"$', r"\1", value[1:].strip())
    assert "${" not in value
    written = f'TUNED="{value}"; echo "set tuned_params=\\"$TUNED\\""'
    shown = {
        subprocess.run([shell, "-euc", written], capture_output=True, check=True).stdout.decode()
        for shell in SHELLS
    }
    assert shown == {f'set tuned_params="{value}"\n'}
    return f"{present} {value}"


def kconfig(text, present, folder):
    config = parse_config(text, "fragment")
    assert config.get("CMDLINE_BOOL") == "y"
    return f"{present} {unquote(config.get('CMDLINE'))}"


def plain(text, present, folder):
    return text.removesuffix("\n")


READERS = {
    "plain": plain, "grub": grub, "grubby": grubby, "kernel-install": kernel_install,
    "bootc": bootc, "tuned": tuned, "kconfig": kconfig,
}  # fmt: skip


# What reviews and --cmdline read of such a file: by its path, and whether it holds the whole line.
OURS = {
    "plain": ("x.cmdline", True),
    "grub": ("etc/default/grub.d/zz-kernel-advisor.cfg", False),
    "kernel-install": ("etc/kernel/cmdline", True),
    "grubby": ("boot/grubby.sh", False),
    "bootc": ("usr/lib/bootc/kargs.d/50-kernel-advisor.toml", False),
    "tuned": ("etc/tuned/mine/tuned.conf", False),
}


def ours(name, text, present):
    """The line that we read back, with what is on it already; kconfig's is a configuration."""
    if name == "kconfig":
        return kconfig(text, present, None)
    path, whole = OURS[name]
    format = bootfiles.format_of(path) or bootfiles.candidate(path, text)
    file = bootfiles.read(text, path, format)
    assert not file.notes
    return file.cmdline.text if whole else f"{present} {file.cmdline.text}"


def test_every_format_is_read_back():
    assert set(READERS) == set(BOOT_FORMATS) == ALL


@pytest.mark.parametrize("name", BOOT_FORMATS)
@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_arrives_or_is_refused(name, word, tmp_path):
    if name in HOSTILE[word]:
        text = render(name, ["quiet", "root=/dev/sda1"], added=["first=0", word, "last=1"])
        line = READERS[name](text, "quiet root=/dev/sda1", tmp_path)
        expected = meaning(f"quiet root=/dev/sda1 first=0 {word} last=1")
        assert meaning(line) == expected
        assert meaning(ours(name, text, "quiet root=/dev/sda1")) == expected
    else:
        with pytest.raises(UsageError) as caught:
            render(name, ["quiet"], added=["first=0", word])
        assert caught.value.where == f"--format {name}"
        assert repr(word) in caught.value.message
        assert "first" not in caught.value.message


def words_of(pieces):
    """Words in which quotes open and close anywhere."""
    texts = st.lists(pieces | pieces.map('"{}"'.format), min_size=1, max_size=4).map("".join)
    return texts.filter(lambda text: [w.text for w in parse_cmdline(text).words] == [text])


outside = st.text(st.sampled_from("ab=-_.,/+%!#;$`'\\{}()*?&|<>~^:@\u00e9"), max_size=6)
inside = st.text(st.sampled_from("ab= =,+#$'\\"), max_size=6)
words = words_of(outside) | words_of(inside)


@pytest.mark.parametrize("name", BOOT_FORMATS)
def test_any_words_arrive_or_are_refused(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("read")
    arrived = []

    @settings(max_examples=40)
    @given(st.lists(words, min_size=1, max_size=3))
    @example(["a=1", "b=2"])
    def arrive(added):
        try:
            text = render(name, ["quiet"], added=added)
        except UsageError:
            return
        arrived.append(added)
        expected = meaning(" ".join(["quiet", *added]))
        assert meaning(READERS[name](text, "quiet", folder)) == expected
        assert meaning(ours(name, text, "quiet")) == expected

    arrive()
    assert arrived


@pytest.mark.parametrize("name", ["plain", "grub", "grubby", "kernel-install"])
def test_words_go(name, tmp_path):
    present = ["root=/dev/sda1", "nohz=off", "quiet", "preempt=full", "x=nohz", "nohz=off"]
    text = render(name, present, ["nohz=off", "preempt=full"], ["preempt=none"])
    line = READERS[name](text, " ".join(present), tmp_path)
    assert line == "root=/dev/sda1 quiet x=nohz preempt=none"


@each("name", ["grub", "bootc", "tuned", "kconfig"])
def test_what_a_format_leaves_is_told(name):
    text = render(name, ["nohz=off", "quiet"], ["nohz=off"], ["preempt=none"])
    comments = " ".join(line[2:] for line in text.splitlines() if line.startswith("# "))
    assert "nohz=off" in comments
    plan = report(["nohz=off", "quiet"], ["nohz=off"], ["preempt=none"]).plan
    module = __import__(BOOT_FORMATS[name], fromlist=["remarks"])
    assert any("nohz=off" in remark for remark in module.remarks(plan))


@pytest.mark.parametrize("shell", SHELLS)
def test_grub_settings_lose_words_of_both_variables(shell, tmp_path):
    words = ["a='b c'", "nohz=off", 'dyndbg="x y"', "a=$(id)"]
    text = render("grub", [*words, "quiet"], words[1:])
    settings = {
        "GRUB_CMDLINE_LINUX": "nohz=off quiet nohz=off a='x  y' nohz=offline",
        "GRUB_CMDLINE_LINUX_DEFAULT": "'dyndbg=x y' \"dyndbg=x y\" nohz=off splash 'a=$(id)'",
    }
    found = sourced(shell, text, settings, tmp_path)
    assert found == ["quiet a='x  y' nohz=offline", "splash"]


@pytest.mark.parametrize("shell", SHELLS)
def test_grub_settings_where_nothing_is_set(shell, tmp_path):
    text = render("grub", ["nohz=off"], ["nohz=off"], ["preempt=none"])
    assert sourced(shell, text, {}, tmp_path) == ["", "preempt=none"]


def test_a_word_inside_another_cannot_be_taken_away():
    with pytest.raises(UsageError, match="'nohz=off' \\(part of "):
        render("grub", ['dyndbg="file nohz=off +p"', "nohz=off"], ["nohz=off"])


def test_grubby_takes_away_before_it_adds(tmp_path):
    text = render("grubby", ["nosmt", "quiet"], ["nosmt"], ["nosmt=force"])
    assert grubby(text, "nosmt quiet", tmp_path) == "quiet nosmt=force"


@each(
    ("kept", "added"),
    [
        ("console=ttyS0", "console=tty0"),
        ("tuned.non_isolcpus=1", "isolcpus=2"),
        ("mitigations=auto,nosmt", "nosmt"),
    ],
)
def test_grubby_may_take_one_word_for_another(kept, added):
    with pytest.raises(
        UsageError, match=f"'{added}' \\(grubby may confuse the parameter with '{kept}'\\)"
    ):
        render("grubby", [kept], added=[added])


@each("name", ["grub", "grubby", "bootc", "tuned"])
def test_nothing_is_appended_behind_two_dashes(name):
    with pytest.raises(UsageError, match="all parameters after '--' go to init"):
        render(name, ["quiet"], added=["a=1"], cmdline="quiet a=1 -- single")


def test_kernel_install_keeps_what_is_for_init(tmp_path):
    text = render("kernel-install", [], cmdline="BOOT_IMAGE=/x initrd=/y quiet a=1 -- single")
    assert text == "quiet a=1 -- single\n"


@pytest.mark.parametrize("name", BOOT_FORMATS)
def test_nothing_to_do(name, tmp_path):
    text = render(name, ["quiet"], built_in=BuiltIn(place="before"))
    if name in ("plain", "kernel-install"):
        assert text == "quiet\n"
        return
    assert "# Nothing to " in text
    settled = [line for line in text.splitlines() if not line.startswith("# ")]
    rest = {"bootc": ["kargs = []", 'match-architectures = ["x86_64"]'], "tuned": ["[bootloader]"]}
    assert settled == rest.get(name, [])


@each("name", sorted(ALL - {"plain", "kernel-install"}))
def test_the_heading_says_what_made_the_file(name):
    lines = render(name, ["quiet"], added=["a=1"]).splitlines()
    assert re.fullmatch(r"# .* by kernel-advisor \S+: realtime, power-saving", lines[0])
    assert lines[1] == "# For a '; id # \" `config` X: Linux 6.12.0, x86"


def test_bootc_names_the_machine_as_rust_does():
    text = render("bootc", ["quiet"], added=["a=1"], arch="arm64")
    assert tomli.loads(text)["match-architectures"] == ["aarch64"]
    text = render("bootc", ["quiet"], added=["a=1"], arch="s390")
    assert set(tomli.loads(text)) == {"kargs"}


@each(
    ("more", "told"),
    [
        ({"arch": None}, "needs the architecture"),
        ({"arch": "mips", "built_in": BuiltIn()}, "how mips combines a built-in line"),
        ({"added": ["a=" + "b" * 2046]}, "has 2048 bytes, and the kernel has room for 2047"),
    ],
)
def test_kconfig_refuses_what_no_kernel_takes(more, told):
    with pytest.raises(UsageError, match=told):
        render("kconfig", ["quiet"], **more)


def test_no_more_than_a_few_words_are_told():
    with pytest.raises(UsageError, match="and 3 more "):
        render("tuned", [], added=[f"a{n}='" for n in range(8)])
