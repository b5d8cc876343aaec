"""What starts by itself, by the files of each boot loader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.grubwords import commands
from advisor.inputs.nextboot.loaders import read_loader
from advisor.model.cmdline import parse_cmdline

from ..host.hosts import write_host

MENU = """\
if [ -s $prefix/grubenv ]; then
  set have_grubenv=true
  load_env
fi
if [ "${next_entry}" ] ; then
   set default="${next_entry}"
   set next_entry=
else
   set default="%s"
fi
if [ x"${feature_menuentry_id}" = xy ]; then
  menuentry_id_option="--id"
else
  menuentry_id_option=""
fi
export menuentry_id_option
function load_video {
  if [ x$feature_all_video_module = xy ]; then insmod all_video; else insmod efi_gop; fi
}
set tuned_params="skew_tick=1"
menuentry 'Newest' --class gnu $menuentry_id_option 'simple-1' {
	load_video
	search --no-floppy --fs-uuid --set=root 1111
	linux	/boot/vmlinuz-6.12.0-2-amd64 root=UUID=1111 ro  quiet $tuned_params
	initrd	/boot/initrd.img-6.12.0-2-amd64
}
submenu 'Advanced options' $menuentry_id_option 'advanced-1' {
	menuentry 'Newest, in full' --class gnu $menuentry_id_option 'full-2' {
		linux /boot/vmlinuz-6.12.0-2-amd64 root=UUID=1111 ro
	}
	menuentry "Older \\"kept\\"" $menuentry_id_option 'full-1' {
		echo 'Loading {' ; linux /boot/vmlinuz-6.1.0-5-amd64 root=UUID=1111 "a=b c"
	}
}
if [ "$grub_platform" = "efi" ]; then
	menuentry 'Firmware' --id 'uefi' { fwsetup }
fi
"""


@pytest.fixture
def starts(tmp_path):
    """What starts on a host with these files."""

    def reading(files, running=None):
        line = parse_cmdline(running) if running is not None else None
        return read_loader(Root(str(write_host(tmp_path, files))), line)

    return reading


def grub(default, environment="", more=""):
    files = {"/boot/grub/grub.cfg": MENU.replace("%s", default) + more}
    if environment:
        files["/boot/grub/grubenv"] = f"# GRUB Environment Block\n{environment}\n####"
    return files


OLDER = "6.1.0-5-amd64"
NEWER = "6.12.0-2-amd64"


@pytest.mark.parametrize(
    ("default", "environment", "release", "line"),
    [
        ("0", "", NEWER, 11),
        ("", "", NEWER, 11),
        ("simple-1", "", NEWER, 11),
        ("Newest", "", NEWER, 11),
        ("no such entry", "", "", 0),  # the last one may have this title
        ("1", "", NEWER, 0),
        ("1>1", "", OLDER, 0),
        ("advanced-1>full-1", "", OLDER, 0),
        ('Advanced options>Older \\"kept\\"', "", OLDER, 0),
        ("${saved_entry}", "saved_entry=1>1", OLDER, 0),
        ("0", "next_entry=advanced-1>full-1", OLDER, 0),
        ("uefi", "", "", 0),
    ],
)
def test_the_default_entry_of_grub(starts, default, environment, release, line):
    found = starts(grub(default, environment))
    assert (found.entry.release if found.entry else "") == release
    if not release:
        assert "GRUB finds" in found.why


def test_an_entrys_line_is_what_grub_makes_of_it(starts):
    entry = starts(grub("0")).entry
    assert entry.line.text == "root=UUID=1111 ro quiet skew_tick=1"
    assert not entry.line.part
    place = entry.line.place(entry.line.words[2].column)
    assert (place.line, place.column) == (24, 56)
    older = starts(grub("1>1")).entry
    assert older.line.text == 'root=UUID=1111 "a=b c"'


def test_a_variable_that_nobody_sets_makes_a_line_a_part(starts):
    more = "set default=late\nmenuentry late { linux /vmlinuz-5.10.0 quiet $vt_handoff }\n"
    entry = starts(grub("0", more=more)).entry
    assert (entry.release, entry.line.text, entry.line.part) == ("5.10.0", "quiet", True)


def test_what_hangs_on_the_machine_is_not_guessed(starts):
    more = 'if [ "$grub_platform" = "efi" ]; then\nset default=1\nfi\n'
    found = starts(grub("0", more=more))
    assert found.entry is None
    assert "decides at boot which entry" in found.why


def test_blscfg_shows_the_highest_version_first(starts):
    entry = "title {0}\nversion {0}\nlinux /vmlinuz-{0}\noptions root=x $kernelopts {1}\n"
    files = {
        "/boot/grub2/grub.cfg": 'load_env\nset default="${saved_entry}"\nblscfg\n',
        "/boot/grub2/grubenv": "# GRUB Environment Block\nkernelopts=ro quiet\n",
        "/boot/loader/entries/id-6.9.0-1.fc40.conf": entry.format("6.9.0-1.fc40", "a"),
        "/boot/loader/entries/id-6.10.0-1.fc40.conf": entry.format("6.10.0-1.fc40", "b"),
    }
    found = starts(files).entry
    assert (found.loader, found.release) == ("GRUB", "6.10.0-1.fc40")
    assert found.line.text == "root=x ro quiet b"
    files["/boot/grub2/grubenv"] += "saved_entry=id-6.9.0-1.fc40\n"
    assert starts(files).entry.release == "6.9.0-1.fc40"


ENTRIES = {
    "/boot/efi/loader/entries/a-6.1.conf": "title A\nlinux /a/6.1.0/linux\noptions quiet\n",
    "/boot/efi/loader/entries/a-6.12.conf": "linux /a/6.12.0/linux\noptions x=1\noptions y\n",
}


@pytest.mark.parametrize(
    ("conf", "more", "text"),
    [
        ("timeout 3\n", {}, "x=1 y"),
        ("default a-6.1.*\n", {}, "quiet"),
        ("default A-6.1.conf\n", {}, "quiet"),
        ("default nothing*\n", {}, "x=1 y"),
        ("", {"/boot/efi/loader/entries/a-6.13+0-3.conf": "options failed\n"}, "x=1 y"),
        ("", {"/boot/efi/loader/entries/a-6.13+2-1.conf": "options tried\n"}, "tried"),
    ],
)
def test_systemd_boot(starts, conf, more, text):
    entry = starts({"/boot/efi/loader/loader.conf": conf, **ENTRIES, **more}).entry
    assert (entry.loader, entry.line.text) == ("systemd-boot", text)


def image(**sections):
    """A PE file with these sections."""
    head = bytearray(0x200)
    head[:2], head[0x3C:0x40] = b"MZ", (0x40).to_bytes(4, "little")
    head[0x40:0x44] = b"PE\0\0"
    head[0x46:0x48] = len(sections).to_bytes(2, "little")
    body = b""
    for number, (name, text) in enumerate(sections.items()):
        at, size = 0x58 + 40 * number, len(text).to_bytes(4, "little")
        place = (0x200 + len(body)).to_bytes(4, "little")
        head[at : at + 24] = f".{name}".encode().ljust(8, b"\0") + size + bytes(4) + size + place
        body += text.encode()
    return bytes(head) + body


@pytest.mark.parametrize("conf", ["", "default a*\n"])
def test_an_image_of_systemd_boot(starts, tmp_path, conf):
    folder = tmp_path / "efi/EFI/Linux"
    folder.mkdir(parents=True)
    (folder / "a.efi").write_bytes(image(cmdline='root=x a="b c"\0', uname="6.12.0-x"))
    files = {"/efi/loader/loader.conf": conf}
    entry = starts(files).entry
    assert (entry.line.text, entry.release, entry.title) == ('root=x a="b c"', "6.12.0-x", "a.efi")
    (folder / "b.efi").write_bytes(image(cmdline="other"))
    found = starts(files)
    assert bool(found.entry) is bool(conf)


@pytest.mark.parametrize("data", [b"", b"MZ", b"MZ" + b"\xff" * 300, image(text="x"), image()])
def test_what_is_no_image_has_no_line(starts, tmp_path, data):
    (tmp_path / "efi/EFI/Linux").mkdir(parents=True)
    (tmp_path / "efi/EFI/Linux/a.efi").write_bytes(data)
    assert "has no boot line" in starts({"/efi/loader/loader.conf": ""}).why


def test_a_variable_of_systemd_boot_names_the_entry(starts, tmp_path):
    folder = tmp_path / "sys/firmware/efi/efivars"
    folder.mkdir(parents=True)
    name = "LoaderEntryDefault-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
    (folder / name).write_bytes(b"\x06\0\0\0" + "a-6.1.conf".encode("utf-16-le") + b"\0\0")
    assert starts({"/boot/efi/loader/loader.conf": "", **ENTRIES}).entry.line.text == "quiet"


def test_extlinux(starts):
    text = "default b\nlabel a\n linux /vmlinuz-6.1.0\n append one\nlabel b\n append two\n"
    entry = starts({"/boot/extlinux/extlinux.conf": text}).entry
    assert (entry.loader, entry.line.text, entry.place.line) == ("extlinux", "two", 0)


def test_raspberry_pi(starts):
    files = {
        "/boot/firmware/config.txt": "arm_64bit=1\n",
        "/boot/firmware/cmdline.txt": "console=tty1 root=PARTUUID=1 rootwait\nsecond line\n",
    }
    entry = starts(files).entry
    assert entry.line.text == "console=tty1 root=PARTUUID=1 rootwait"
    assert entry.line.part  # the firmware adds words of its own
    (note,) = entry.line.notes
    assert (note.id, note.location.line) == ("boot-line-cut", 2)
    assert note.remedy.endswith(": console=tty1 root=PARTUUID=1 rootwait second line")
    files["/boot/firmware/config.txt"] = "[pi4]\ncmdline=other.txt\n"
    assert "the board decides" in starts(files).why


def test_of_two_loaders_the_one_that_started_the_kernel(starts):
    files = {**grub("0"), "/boot/efi/loader/loader.conf": "", **ENTRIES}
    assert "nothing shows which boot loader starts" in starts(files).why
    entry = starts(files, "BOOT_IMAGE=/boot/vmlinuz root=UUID=1111 ro quiet skew_tick=1").entry
    assert (entry.loader, entry.why) == (
        "GRUB",
        "the only boot loader whose entry has the running kernel's boot line",
    )
    assert starts(files, "initrd=x x=1 y").entry.loader == "systemd-boot"


def test_without_any_it_says_so(starts):
    assert starts({}).why == "this host has no file of a boot loader"


def test_a_root_without_boot_starts_with_what_grub_mkconfig_will_write(starts):
    files = {"/etc/default/grub": 'GRUB_CMDLINE_LINUX_DEFAULT="quiet idle=poll"\n'}
    entry = starts(files).entry
    assert (entry.loader, entry.line.text, entry.line.part) == ("GRUB", "quiet idle=poll", True)
    assert starts(files, "root=/dev/sda1 quiet").entry is None  # a kernel runs with another line
    assert starts({**files, **grub("0")}).entry.line.part is False


@pytest.mark.parametrize(
    "text",
    ["submenu a {" * 2000, "if " * 5000, "source $prefix/grub.cfg\n", "menuentry", "linux", "set",
     "[ ]", "if ; then", "if [ a ] then b", "menuentry x {\nlinux\n}", "}" * 99,
     "set default=0>0>0",
     "menuentry a { linux /v $" + "x" * 9999 + " }", "for x in a b; do menuentry $x { }; done"],
)  # fmt: skip
def test_a_hostile_menu_ends(starts, text):
    starts({"/boot/grub/grub.cfg": text})


@given(st.text(alphabet="abc {}[]'\"$\\\n;#=mnuetry", max_size=200))
def test_any_text_has_commands(text):
    for command in commands(text):
        assert command
        assert all(word.line >= 1 and word.column >= 1 for word in command)
