#!/bin/sh
# Makes a system of Debian's packages, boots it in qemu with its own systemd, and brings out what it
# told of itself (docs/evidence/guests.md):
#
#   tests/guests/guest.sh DEST SUITE PACKAGES [laptop]
#   tests/guests/guest.sh build/guests/trixie-tuned trixie linux-image-amd64,tuned,sosreport
#
# DEST is made: root/ (the system, which stays for the next run), console, and out/ with snapshots
# taken in the guest as root and as nobody, an sos report, and what its programs print. A laptop has
# a battery and an adapter. Needs root, mmdebstrap, e2fsprogs and qemu-system-x86 (for a laptop
# acpica-tools), no KVM. Nothing is installed where it runs.
set -eu

if [ $# -lt 3 ] || [ $# -gt 4 ] || [ "${4-laptop}" != laptop ]; then
	echo "usage: $0 DEST SUITE PACKAGES [laptop]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
for need in mmdebstrap mke2fs qemu-system-x86_64 ${4:+iasl}; do
	command -v "$need" >/dev/null || { echo "$0: $need is missing" >&2; exit 1; }
done
mkdir -p "$1"
dest=$(cd "$1" && pwd)
root=$dest/root
common=systemd,systemd-sysv,udev,dbus,kmod,procps,initramfs-tools,zstd,busybox

if [ ! -d "$root/etc" ]; then
	mmdebstrap --variant=minbase --aptopt='Acquire::Languages "none"' \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="$common,$3" "$2" "$root"
fi

# What an administrator writes: each of these is looked for in the report.
write() {
	mkdir -p "$(dirname "$root$1")"
	printf '%b' "$2" >"$root$1"
}
write /etc/fstab '/dev/vda / ext4 rw 0 1\n'
write /etc/sysctl.d/90-ours.conf \
	'# ours\nvm.swappiness = 7\nkernel.numa_balancing = 0\nvm.swapiness = 3\n'
write /etc/udev/rules.d/60-disks.rules 'ACTION=="add|change", SUBSYSTEM=="block", '\
'KERNEL=="vd[a-z]", ATTR{queue/scheduler}="mq-deadline"\n'
write /etc/tmpfiles.d/ksm.conf 'w /sys/kernel/mm/ksm/run - - - - 1\n'
write /etc/modprobe.d/ours.conf 'options nvme_core io_timeout=60\n'
if [ -d "$root/etc/tuned" ]; then
	write /etc/tuned/active_profile throughput-performance
	write /etc/tuned/profile_mode manual
fi
if [ -d "$root/etc/tlp.d" ]; then
	write /etc/tlp.d/90-ours.conf 'DISK_DEVICES="vda vdb"\nDISK_IOSCHED="bfq none"\n'\
'MAX_LOST_WORK_SECS_ON_AC=30\nSOUND_POWER_SAVE_ON_AC=0\n'
	write /etc/tlp.conf 'MAX_LOST_WORK_SECS_ON_AC=20\n'
	write /etc/sysctl.d/91-writeback.conf 'vm.dirty_writeback_centisecs = 700\n'
fi
mkdir -p "$root/opt/probe"
kernel-advisor collect --script >"$root/opt/probe/collect.sh"
cp "$here/probe.sh" "$root/opt/probe/probe.sh"
write /etc/systemd/system/probe.service '[Unit]\nAfter=multi-user.target tlp.service '\
'power-profiles-daemon.service\n[Service]\n'\
'Type=oneshot\nExecStart=/bin/sh /opt/probe/probe.sh\nStandardOutput=tty\nTTYPath=/dev/ttyS0\n'\
'TimeoutStartSec=infinity\n'
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -sf ../probe.service "$root/etc/systemd/system/multi-user.target.wants/probe.service"

rm -rf "$dest/disk" "$dest/data" "$dest/out"
truncate -s 2G "$dest/disk"
mke2fs -q -t ext4 -d "$root" "$dest/disk"
truncate -s 300M "$dest/data"
for kernel in "$root"/boot/vmlinuz-*; do :; done
firmware=
if [ "${4-}" = laptop ]; then
	iasl -p "$dest/laptop" "$here/laptop.asl" >/dev/null
	firmware="-acpitable file=$dest/laptop.aml"
fi
# One processor, and no check of its timer: on a busy machine emulated ones wait long for another.
qemu-system-x86_64 -machine q35 -accel tcg -cpu max -smp 1 -m 1500 -nodefaults \
	-display none -no-reboot -serial "file:$dest/console" \
	-drive "file=$dest/disk,if=virtio,format=raw" -drive "file=$dest/data,if=virtio,format=raw" \
	-nic user,restrict=on,model=virtio-net-pci -device qemu-xhci -device usb-tablet \
	-audiodev none,id=sound -device intel-hda -device hda-duplex,audiodev=sound \
	$firmware -kernel "$kernel" -initrd "$root/boot/initrd.img-${kernel##*/vmlinuz-}" \
	-append "root=/dev/vda rw console=ttyS0 no_timer_check panic=-1 quiet"
mkdir "$dest/out"
tar xf "$dest/data" --strip-components=1 -C "$dest/out"
rm "$dest/disk" "$dest/data"
ls "$dest/out"
