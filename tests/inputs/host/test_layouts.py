"""Systems that keep their files elsewhere, as their documents describe it: each read as a host.

Raspberry Pi OS (config.txt and cmdline.txt of the firmware), Fedora Silverblue and CoreOS (ostree:
entries below /boot/loader, a link to loader.0 or loader.1; the kernel in /usr/lib/modules).
"""

from __future__ import annotations

import pytest

from advisor.inputs.host.read import read_host

from .hosts import write_host

NAMES = (["vm.min_free_kbytes", "kernel.printk"], ["/sys/kernel/mm/lru_gen/enabled"])
CONFIG = "#\n# Linux/{arch} {release} Kernel Configuration\n#\nCONFIG_{symbol}=y\n"
PI = "6.6.51+rpt-rpi-v8"
FEDORA = "6.11.4-301.fc41.x86_64"
RASPBERRY = {
    "/etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
    "/usr/lib/systemd/systemd": "",
    "/boot/firmware/config.txt": "# For more options see the documentation\ndtparam=audio=on\n"
    "camera_auto_detect=1\nauto_initramfs=1\ndtoverlay=vc4-kms-v3d\narm_64bit=1\n[cm4]\n"
    "otg_mode=1\n[all]\n",
    "/boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1 root=PARTUUID=4e639091-02 "
    "rootfstype=ext4 fsck.repair=yes rootwait quiet\n",
    f"/boot/config-{PI}": CONFIG.format(arch="arm64", release="6.6.51", symbol="ARM64"),
    "/etc/sysctl.d/98-rpi.conf": "kernel.printk = 3 4 1 3\nvm.min_free_kbytes = 16384\n",
}
RUNNING_PI = {
    **RASPBERRY,
    "/proc/sys/kernel/osrelease": f"{PI}\n", "/proc/sys/kernel/arch": "aarch64\n",
    "/proc/1/comm": "systemd\n",
    "/proc/cmdline": "coherent_pool=1M 8250.nr_uarts=0 snd_bcm2835.enable_headphones=0 "
    "vc_mem.mem_base=0x3ec00000 vc_mem.mem_size=0x40000000  console=ttyS0,115200 console=tty1 "
    "root=PARTUUID=4e639091-02 rootfstype=ext4 fsck.repair=yes rootwait quiet\n",
    "/proc/sys/vm/min_free_kbytes": "16384\n", "/proc/sys/kernel/printk": "3\t4\t1\t3\n",
}  # fmt: skip
ENTRY = """\
title Fedora Linux 41.{date} ({name}) (ostree:{number})
version {version}
options {options} ostree=/ostree/boot.1/{name}/f00d/{number}
linux /ostree/{name}-f00d/vmlinuz-{release}
initrd /ostree/{name}-f00d/initramfs-{release}.img
"""
# As bootupd installs it for all such systems; what Ignition sets at the first start alone.
STATIC = """\
set pager=1
if [ -f ${config_directory}/grubenv ]; then
  load_env -f ${config_directory}/grubenv
elif [ -s $prefix/grubenv ]; then
  load_env
fi
if [ x"${feature_menuentry_id}" = xy ]; then
  menuentry_id_option="--id"
else
  menuentry_id_option=""
fi
function load_video {
  if [ x$feature_all_video_module = xy ]; then
    insmod all_video
  else
    insmod efi_gop
  fi
}
set timeout=1
blscfg
"""


def ostree(name, options):
    old = ENTRY.format(date=1, name=name, number=1, version=1, options=f"{options} old",
                       release="6.10.9-200.fc40.x86_64")  # fmt: skip
    new = ENTRY.format(date=2, name=name, number=0, version=2, options=options, release=FEDORA)
    return {
        "/boot/grub2/grub.cfg": STATIC,
        "/boot/grub2/grubenv": "# GRUB Environment Block\nboot_success=1\n",
        "/boot/loader.1/entries/ostree-1.conf": old,
        "/boot/loader.1/entries/ostree-2.conf": new,
        "/usr/lib/systemd/systemd": "",
        f"/usr/lib/modules/{FEDORA}/config": CONFIG.format(
            arch="x86", release="6.11.4", symbol="X86_64"
        ),
        "/usr/lib/sysctl.d/50-default.conf": "kernel.sysrq = 16\n",
    }


@pytest.fixture
def host(tmp_path):
    def read(files, *links):
        folder = write_host(tmp_path / "host", files)
        for path, target in links:
            (folder / path).symlink_to(target)
        return read_host(str(folder), *NAMES)

    return read


def test_raspberry_pi_os_as_it_runs(host):
    """The firmware adds words of its own: nothing of the line drifts for their sake."""
    found = host(RUNNING_PI)
    assert found.machine.arch == "arm64"
    assert found.config.get("ARM64") == "y"
    assert found.runtime.sysctl["vm.min_free_kbytes"][0] == "16384"
    entry = found.next.entry
    assert entry.loader == "the Raspberry Pi's firmware"
    assert (entry.line.part, entry.line.words[-1].text) == (True, "quiet")
    assert {one.value for one in found.next.writes.values()} == {"3 4 1 3", "16384"}


def test_the_card_of_a_raspberry_pi(host):
    """Mounted elsewhere: the line and the settings are those that its files set."""
    found = host(RASPBERRY)
    assert found.cmdline.words[2].text == "root=PARTUUID=4e639091-02"
    assert found.runtime.sysctl["vm.min_free_kbytes"][0] == "16384"
    assert found.config.version.text == "6.6.51"
    assert [note.id for note in found.notes] == ["host-not-running"]


def test_silverblue_boots_the_newest_deployment(host):
    files = ostree("fedora", "root=UUID=1 rootflags=subvol=root rhgb quiet")
    found = host(files, ("boot/loader", "loader.1"))
    entry = found.next.entry
    assert (entry.loader, entry.release) == ("GRUB", FEDORA)
    assert found.cmdline.text == (
        "root=UUID=1 rootflags=subvol=root rhgb quiet ostree=/ostree/boot.1/fedora/f00d/0"
    )
    assert found.config.get("X86_64") == "y"
    assert "loader/entries/ostree-2.conf" in str(entry.line.place(1))


def test_coreos_has_words_for_its_first_start(host):
    """`$ignition_firstboot` is set where a file asks for it, at one start: a part of a line."""
    words = "$ignition_firstboot mitigations=auto,nosmt ignition.platform.id=qemu"
    first = (
        'set ignition_firstboot=""\nif [ -f "/ignition.firstboot" ]; then\n'
        '  source "/ignition.firstboot"\n  set ignition_firstboot="ignition.firstboot"\nfi\n'
    )
    files = ostree("fedora-coreos", words)
    files["/boot/grub2/grub.cfg"] = first + STATIC
    found = host(files, ("boot/loader", "loader.1"))
    assert found.next.entry.release == FEDORA
    assert [word.name for word in found.cmdline.words] == [
        "mitigations", "ignition.platform.id", "ostree",
    ]  # fmt: skip
